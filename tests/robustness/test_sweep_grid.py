"""What a sweep varies."""

import math

import numpy as np
import pytest

from sessionkit.errors import MeasureError, UsageError
from sessionkit.robustness.sweep_grid import Grid, axes_of
from sessionkit.scoring.measures.grammar import parse_measure
from tests.support.messages import match_parts


def axis(measure, name, given):
    """The one axis of a sweep."""
    (found,) = axes_of(parse_measure(measure), {name: given})
    return found


@pytest.mark.parametrize(
    ("given", "values"),
    [
        ("2:10:5", (2, 4, 6, 8, 10)),
        ("1.1:1.4:4", (1.1, 1.2, 1.3, 1.4, 2)),  # short texts, though 1.1 + .1 is 1.2000000000000002; the base added
        ("3, 2,5", (2, 3, 5)),
        ([2.0, 2, 5], (2, 5)),
        (np.array([4.0, 2.0]), (2, 4)),
    ],
)
def test_values_are_numbers_in_order_with_the_base_among_them(given, values):
    found = axis("sDCG@10", "b", given)
    assert found.values == values
    assert found.values[found.base] == 2


def test_the_base_value_is_added_where_it_was_not_asked_for():
    found = axis("sDCG@10", "gain", "exp2,0-1-10")
    assert found.values == ("linear", "exp2", "0-1-10")
    assert (found.base, found.added, found.continuous, found.ordered) == (0, True, False, False)
    deep = axis("sDCG", "cutoff", [20, 5])  # without a cutoff every rank counts: beyond any number
    assert (deep.values, deep.base, deep.ordered, deep.continuous) == ((5, 20, None), 2, True, False)


def test_parameters_inside_an_aggregate_are_meant_too():
    measure = parse_measure("avgpos(sDCG@10)")
    grid = Grid.of(measure, axes_of(measure, {"b": [2, 3], "length": [20, 30]}))
    assert str(grid.settings[-2].measure) == "avgpos(sDCG(b=3)@10,length=30)"


@pytest.mark.parametrize(
    ("name", "given", "error", "said"),
    [
        ("b", "1:10:4", MeasureError, "b must be a number above 1, not 1"),
        ("b", "2:10", UsageError, "low:high:steps"),
        ("b", "2:10:1", UsageError, "at least 2 steps"),
        ("b", "10:2:4", UsageError, "low end below"),
        ("b", "2:ten:4", UsageError, "three numbers"),
        ("b", "", UsageError, "empty value"),
        ("b", [], UsageError, "give a list"),
        ("b", 2, UsageError, "give a list"),
        ("b", "2", UsageError, "no other value is given"),
        ("cutoff", "1:10:3", MeasureError, "at least 1, not 5.5"),
        ("gain", "expo2", MeasureError, "gain must be linear"),
        ("base", "2,3", MeasureError, "no parameter 'base'"),
        ("ideal", "once", MeasureError, "sDCG@10 has no parameter 'ideal'"),
    ],
)
def test_what_cannot_be_varied_is_said(name, given, error, said):
    with pytest.raises(error, match=said):
        axes_of(parse_measure("sDCG@10"), {name: given})
    with pytest.raises(UsageError, match="vary is a dict"):
        axes_of(parse_measure("sDCG@10"), {})


def test_too_many_settings_are_refused_before_they_are_made():
    measure = parse_measure("sDCG@10")
    with pytest.raises(
        UsageError, match=match_parts("201 values of b x 200 values of bq", "40,200 settings", "at most 20,000")
    ):
        Grid.of(measure, axes_of(measure, {"b": "1.5:9.7:200", "bq": "4:100:200"}))


def test_distances_are_doublings_of_what_the_parameter_does():
    b = axis("sDCG@10", "b", "4,16")
    assert b.distance(2, 4) == pytest.approx(1)  # ln 4 = 2 ln 2
    assert b.distance(2, 16) == pytest.approx(2)
    p = axis("mean(RBP(p=.5)@10)", "p", ".75,.875")
    assert p.distance(0.5, 0.75) == pytest.approx(1)  # 1 / (1 - p): 2 and 4
    cut = axis("sDCG@10", "cutoff", "5,20")
    assert (cut.distance(10, 20), cut.distance(10, 5)) == pytest.approx((1, 1))
    assert axis("sDCG@10", "gain", "exp2,binary").distance("linear", "binary") == 1
    for one in (b, p, cut):
        for value in one.values:
            assert one.value(one.coordinate(value)) == pytest.approx(float(value))
    grid = Grid.of(parse_measure("sDCG@10"), (b, axis("sDCG@10", "gain", "exp2")))
    assert grid.distance((4, "exp2")) == (2, pytest.approx(2))
    assert math.isclose(grid.distance((2, "linear"))[1], 0)


def test_numbers_and_places_of_settings_agree():
    measure = parse_measure("sDCG@10")
    grid = Grid.of(measure, axes_of(measure, {"b": "2,3,4", "bq": "3,4", "gain": "linear,exp2"}))
    assert [grid.number(grid.place(number)) for number in range(12)] == [*range(12)]
    assert grid.settings[grid.number(grid.base)].measure == measure
    assert [one.values for one in grid.settings[:3]] == [(2, 3, "linear"), (2, 3, "exp2"), (2, 4, "linear")]
