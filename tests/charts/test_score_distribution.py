"""Box and strip."""

import polars as pl
import pytest

from sessionkit.charts import score_distribution, spec_of
from sessionkit.charts.kinds.score_distribution import POINTS
from sessionkit.errors import UsageError
from tests.support.messages import match_parts


def rows_of(frame):
    """The boxes and the points that are drawn."""
    (rows,) = spec_of(score_distribution(frame))["datasets"].values()
    return [[row for row in rows if row["kind"] == kind] for kind in ("box", "point")]


def test_box_has_quartiles_mean_and_whiskers_that_stop_at_outliers():
    # quartiles of 0, 1, 2, 3, 4, 20: 1.25, 2.5, 3.75; fences 1.25 - 3.75 = -2.5 and 3.75 + 3.75 = 7.5, so 20 is outside
    (box,), points = rows_of(pl.DataFrame({"group": ["A"] * 7, "value": [0, 1, 2, 3, 4, 20, None]}))
    assert [box[name] for name in ("q1", "q2", "q3", "low", "high", "mean", "n")] == [1.25, 2.5, 3.75, 0, 4, 5, 6]
    assert sorted(row["value"] for row in points) == [0, 1, 2, 3, 4, 20]


def test_whiskers_never_end_within_the_box():
    # quartiles of 0, 0, 0, 8: 0, 0, 2; upper fence 2 + 3 = 5, and the last value within it is 0
    (box,), _ = rows_of(pl.DataFrame({"group": ["A"] * 4, "value": [0, 0, 0, 8]}))
    assert (box["low"], box["q3"], box["high"]) == (0, 2, 2)


@pytest.mark.slow
def test_a_hundred_thousand_sessions_become_a_few_hundred_points_spread_like_them():
    frame = pl.DataFrame(
        {"group": ["A"] * 99_000 + ["B"] * 3, "value": [n / 99_000 for n in range(99_000)] + [1.0] * 3}
    )
    boxes, points = rows_of(frame)
    assert [box["n"] for box in boxes] == [99_000, 3]
    drawn = [row["value"] for row in points if row["group"] == "A"]
    assert len(drawn) == POINTS
    assert drawn == [pytest.approx(n / POINTS) for n in range(POINTS)]
    assert sum(row["group"] == "B" for row in points) == 3
    assert rows_of(frame.sample(fraction=1, shuffle=True, seed=1))[1] == points


def test_groups_have_their_limits():
    with pytest.raises(UsageError, match="shows 40 groups, not 41"):
        score_distribution(pl.DataFrame({"group": [str(n) for n in range(41)], "value": [1.0] * 41}))
    with pytest.raises(UsageError, match="no value is defined"):
        score_distribution(pl.DataFrame({"group": ["A"], "value": [None]}))


def test_rows_stand_in_natural_order_or_by_their_means():
    frame = pl.DataFrame({"group": ["S10", "S2", "S1"] * 2, "value": [0.3, 0.1, 0.2] * 2})
    assert rows_in_order(score_distribution(frame)) == ["S1", "S2", "S10"]
    assert rows_in_order(score_distribution(frame, order="mean")) == ["S10", "S1", "S2"]
    with pytest.raises(UsageError, match=match_parts("order", "one of group, mean")):
        score_distribution(frame, order="size")


def rows_in_order(chart):
    """The rows by the places that the facets are sorted by."""
    spec = spec_of(chart)
    assert spec["facet"]["row"]["sort"] == {"field": "place", "op": "min"}
    (rows,) = spec["datasets"].values()
    places = {row["place"]: row["group"] for row in rows}
    return [places[place] for place in sorted(places)]
