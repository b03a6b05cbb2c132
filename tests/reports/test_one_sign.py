"""A difference has one sign and one pair of names everywhere: the group named second minus the one named first."""

import polars as pl
import pytest

import sessionkit as sk
from sessionkit import charts
from tests.reports.read_page import Reader, has_parts
from tests.support.clinic import read_clinic

MEASURE = "nsDCG@10"
OF_DEMO = 0.0740  # S2 minus S1


@pytest.fixture(scope="module", params=[("S1", "S2"), ("Z", "A")], ids=["second is higher", "second is lower"])
def named(request):
    """Return the study with its systems so named, the names in order, and the difference of the second minus the first."""
    names = dict(zip(("S1", "S2"), request.param, strict=True))
    study = read_clinic()
    study = study.with_tables(sessions=study.sessions.with_columns(pl.col("system_id").replace(names)))
    first, second = sorted(names.values())
    return study, first, second, OF_DEMO if request.param == ("S1", "S2") else -OF_DEMO


def data_of(chart):
    return [row for rows in chart.to_dict()["datasets"].values() for row in rows]


def test_findings_subtract_the_first_group_and_say_so(named):
    study, first, second, expected = named
    compared, bounded = sk.compare(study, MEASURE), sk.bounds(study, MEASURE)
    curves = sk.curve_differences(study, MEASURE)
    estimates = {
        "compare": compared.table.select("a", "b", "estimate").row(0),
        "bounds": bounded.differences.select("a", "b", "difference").row(0),
        "curve": curves.select("a", "b", "estimate").row(-1),
    }
    for found in estimates.values():
        assert found == (first, second, pytest.approx(expected, abs=1e-4))
    assert f"{second} minus {first}: {expected:.4f}" in compared.text
    assert f"{second} minus {first} lies between " in bounded.text
    higher, lower = (second, first) if expected > 0 else (first, second)
    assert has_parts(bounded.text, f"mean of {higher} is higher", f"{lower} by 0.07401")


@pytest.mark.slow
def test_charts_subtract_the_first_group_and_say_so(named):
    study, first, second, expected = named
    compared = sk.compare(study, MEASURE)
    chart = charts.differences(compared)
    (drawn,) = {row["estimate"] for row in data_of(chart) if row.get("row") == MEASURE}
    assert drawn == pytest.approx(expected, abs=1e-4)
    assert f"Difference {second} \u2212 {first}" in str(chart.to_dict()["title"])
    along = charts.difference_curve(sk.curve_differences(study, MEASURE))
    last = max((row for row in data_of(along) if "value" in row and "slot" in row), key=lambda row: row["slot"])
    assert last["value"] == pytest.approx(expected, abs=1e-4)
    assert {
        layer["encoding"]["y"]["axis"]["title"]
        for layer in along.to_dict()["layer"]
        if "axis" in layer.get("encoding", {}).get("y", {})
    } == {f"{second} minus {first}"}
    swept = charts.sweep_map(sk.sweep(study, MEASURE, vary={"b": [2, 4], "bq": [2, 4]}), x="b", y="bq")
    assert {row["label"].lstrip("(")[0] for row in data_of(swept) if row.get("label")} == {
        "+" if expected > 0 else "\u2212"
    }
    assert f"Numbers: {second} minus {first} in %" in str(swept.to_dict()["title"])


@pytest.mark.slow
def test_the_page_subtracts_the_first_group_and_says_so(named):
    study, first, second, expected = named
    text = Reader(sk.report(study)).text
    sign = "" if expected > 0 else "\u2212"
    assert f"difference between {second} and {first} is shown: " in text
    assert f"difference {sign}.074, 95%" in text
    for word in (f"{first} minus {second}", f"{first} \u2212 {second}"):
        assert word not in text
