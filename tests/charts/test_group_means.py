"""Means of groups: order, intervals, letters."""

import itertools
import warnings

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.charts import group_means, spec_of
from sessionkit.charts.kinds.group_means import significance_letters
from sessionkit.errors import UsageError


def found(measure="m", **options):
    """Four groups of which one is far from the others."""
    rng = np.random.default_rng(1)
    rows = [
        (f"s{group}{number}", f"u{number}", group, measure, level + rng.normal() / 4)
        for group, level in zip("ABCD", (0.0, 3.0, 3.1, 0.1), strict=True)
        for number in range(12)
    ]
    names = ["session_id", "user_id", "system_id", "measure", "value"]
    return sk.compare(pl.DataFrame(rows, schema=names, orient="row"), **options)


def rows_of(chart):
    (rows,) = spec_of(chart)["datasets"].values()
    return rows


def test_groups_stand_best_first_with_their_own_intervals():
    comparison = found()
    rows = rows_of(group_means(comparison))
    assert {row["group"] for row in rows[:2]} == {"B", "C"}
    for row in rows:
        of = comparison.groups.row(by_predicate=pl.col("system_id") == row["group"], named=True)
        assert (row["mean"], row["low"], row["high"], row["units"]) == (of["mean"], of["low"], of["high"], 12)
    assert [row["letters"] for row in rows] == ["a", "a", "b", "b"]
    assert [row["best"] for row in rows] == ["yes", "yes", "no", "no"]
    assert rows[0]["told"].startswith("a  3.")
    assert rows[0]["told"].endswith("n = 12")


def test_an_interval_below_0_is_cut_there_and_the_figure_says_so():
    comparison = found("Queries")  # the means of two groups are near 0, and no session has fewer than 0 queries
    chart = group_means(comparison, title="T")
    lows = dict(comparison.groups.select("system_id", "low").rows())
    assert {row["group"]: row["low"] for row in rows_of(chart)} == {group: max(low, 0) for group, low in lows.items()}
    assert min(lows.values()) < 0
    assert "Intervals are cut at the values that are possible" in spec_of(chart)["title"]["subtitle"]
    assert "Intervals" not in str(spec_of(group_means(found(), title="T"))["title"]["subtitle"])


def test_lower_is_better_stands_first():
    assert {row["group"] for row in rows_of(group_means(found("Queries")))[:2]} == {"A", "D"}


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(UsageError, match="its measures: m"):
        group_means(found(), "n")
    with pytest.raises(UsageError, match=r"sessionkit\.compare"):
        group_means(found().table)


def test_one_value_in_every_group_has_no_letters():
    table = pl.DataFrame({"session_id": list("abcd"), "system_id": list("ABAB"), "measure": "m", "value": 1.0})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = rows_of(group_means(sk.compare(table)))
    assert [row["told"] for row in rows] == ["1.00, n = 2", "1.00, n = 2"]


@given(
    st.integers(1, 7).flatmap(
        lambda n: st.tuples(st.just(n), st.sets(st.sampled_from([*itertools.combinations(range(n), 2)] or [(0, 0)])))
    )
)
def test_groups_share_a_letter_if_and_only_if_they_are_not_shown_to_differ(drawn):
    n, pairs = drawn
    groups = [f"g{number}" for number in range(n)]
    differing = {frozenset((groups[i], groups[j])) for i, j in pairs if i != j}
    letters = dict(zip(groups, significance_letters(groups, differing), strict=True))
    for one, other in itertools.combinations(groups, 2):
        assert bool({*letters[one]} & {*letters[other]}) == (frozenset((one, other)) not in differing)
    assert all(letters.values())
