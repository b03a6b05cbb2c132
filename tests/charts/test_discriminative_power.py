"""The curve of achieved significance levels."""

import polars as pl
import pytest

from sessionkit.charts import discriminative_power
from sessionkit.errors import UsageError

NAMES = ["measure", "place", "a", "b", "difference", "p"]


def test_a_curve_for_each_measure_and_the_level_across(apart, datasets):
    layers = datasets(apart["discriminative-power"](("P@5", "AP"), confidence=0.99))
    assert [mark for mark, _ in layers] == ["rule", "line", "point", "rule", "rule", "point", "text"]
    assert [row["label"] for row in layers[-1][1]] == ["P@5", "AP"]
    assert layers[0][1] == [{"value": 0.01}]
    assert [(row["group"], row["place"], row["value"]) for row in layers[1][1]] == [
        (group, place, p) for group in ("P@5", "AP") for place, p in ((1, 0.001), (2, 0.04), (3, 0.3))
    ]


@pytest.mark.parametrize(
    ("alpha", "named"), [(0.05, [0, 0.01, 0.05, 0.2, 0.5, 1]), (0.04, [0, 0.01, 0.04, 0.1, 0.2, 0.5, 1])]
)
def test_the_axis_names_the_level(apart, alpha, named):
    y = apart["discriminative-power"](("P@5",), confidence=1 - alpha).to_dict()["layer"][1]["encoding"]["y"]
    assert y["axis"]["values"] == named
    assert y["scale"] == {"type": "sqrt", "domain": [0, 1], "nice": False}


def test_one_pair_is_a_point_for_each_measure_in_their_order(datasets):
    frame = pl.DataFrame(
        [(name, 1, "A", "B", 0.5, p) for name, p in (("P@5", 0.2), ("AP", 0.01))], schema=NAMES, orient="row"
    )
    chart = discriminative_power(frame)
    (_, across), (mark, points) = datasets(chart)
    assert (across, mark) == ([{"value": 0.05}], "point")
    assert [(row["number"], row["group"], row["value"]) for row in points] == [(0, "P@5", 0.2), (1, "AP", 0.01)]
    assert chart.to_dict()["layer"][1]["encoding"]["x"]["axis"]["title"] == "Achieved significance level (p)"


def test_what_could_not_be_tested_is_left_out():
    frame = pl.DataFrame(
        [("AP", 1, "A", "B", 0.5, None)], schema={**dict.fromkeys(NAMES), "p": pl.Float64}, orient="row"
    )
    with pytest.raises(UsageError, match="no pair could be tested"):
        discriminative_power(frame)
