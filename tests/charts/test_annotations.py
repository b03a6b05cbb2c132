"""The same numeric axes in several figures."""

import pytest

from sessionkit.charts.annotations import share_axes


def spec(rows, encoding, **more):
    """A specification with one layer."""
    return {
        "datasets": {"rows": rows},
        "data": {"name": "rows"},
        "layer": [{"mark": "bar", "encoding": encoding}],
        **more,
    }


def domains(view):
    """The domains of a view's horizontal axis, of each layer."""
    return [layer["encoding"]["x"].get("scale", {}).get("domain") for layer in view["layer"]]


X = {"field": "low", "type": "quantitative"}
WIDE = {"x": X, "x2": {"field": "high"}}


def test_both_ends_of_bars_are_on_the_axis_of_all():
    files = [spec([{"low": 2, "high": 7}], WIDE), spec([{"low": -3, "high": None}], WIDE)]
    shared = share_axes(files)
    assert [domains(view) for view in shared] == [[[-3, 7]], [[-3, 7]]]
    assert files[0]["layer"][0]["encoding"] == WIDE, "what is given stays as it is"


@pytest.mark.parametrize(
    ("scale", "domain"),
    [
        ({}, [0, 7]),
        ({"zero": False}, [2, 7]),
        ({"domain": [1, 20]}, [1, 20]),
        ({"zero": False, "nice": False}, [2, 7]),
    ],
)
def test_zero_and_domains_of_ones_own(scale, domain):
    encoding = {**WIDE, "x": {**X, "scale": scale}}
    (shared,) = share_axes([spec([{"low": 2, "high": 7}], encoding)])
    made = shared["layer"][0]["encoding"]["x"]["scale"]
    assert made["domain"] == domain
    assert made.get("nice") == (None if "domain" in scale else scale.get("nice", True))


def test_layers_share_an_axis_and_panels_do_not():
    other = {"mark": "rule", "encoding": {"x": {"datum": 40}}}
    layers = spec([{"low": 2, "high": 7}], WIDE)
    layers["layer"].append(other)
    assert domains(share_axes([layers])[0]) == [[0, 40], [0, 40]]
    rows = {"datasets": {"a": [{"low": 1}], "b": [{"low": 9}]}}
    panels = [{"data": {"name": name}, "mark": "bar", "encoding": {"x": X}} for name in "ab"]
    (shared,) = share_axes([{**rows, "vconcat": panels}])
    assert [panel["encoding"]["x"]["scale"]["domain"] for panel in shared["vconcat"]] == [[0, 1], [0, 9]]


@pytest.mark.parametrize(
    "definition",
    [
        {"field": "low", "type": "nominal"},
        {"field": "low", "type": "quantitative", "scale": None},
        {"value": 4},
    ],
)
def test_names_pixels_and_constants_have_no_domain(definition):
    (shared,) = share_axes([spec([{"low": 2}], {"x": definition})])
    assert shared["layer"][0]["encoding"] == {"x": definition}


def test_scales_of_single_panels_of_a_facet_stay():
    view = {"layer": [{"mark": "bar", "encoding": WIDE}]}
    facets = {"datasets": {"rows": [{"low": 2}]}, "data": {"name": "rows"}, "facet": {"field": "low"}, "spec": view}
    assert domains(share_axes([facets])[0]["spec"]) == [[0, 2]]
    separate = {**facets, "resolve": {"scale": {"x": "independent"}}}
    assert domains(share_axes([separate])[0]["spec"]) == [None]
