"""The most contrasting pair of sessions, against every pair that there is."""

from itertools import combinations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionkit.analysis.session_contrast import COLUMNS, most_contrasting

VALUES = st.none() | st.integers(0, 6).map(lambda number: number / 10)
ROWS = st.lists(st.tuples(st.sampled_from([None, "t", "u"]), st.sampled_from(["A", "B", "C", "(none)"]), VALUES))


def table(rows):
    """Sessions of these topics, groups and values, named in order."""
    named = [(f"s{number:02}", *row) for number, row in enumerate(rows)]
    types = dict(zip(COLUMNS, (pl.String, pl.String, pl.String, pl.Float64), strict=True))
    return pl.DataFrame(named, schema=types, orient="row")


def by_hand(rows):
    """The pair and whether it is of groups, from all pairs; values are tenths, and so are their differences."""
    named = [(f"s{number:02}", *row) for number, row in enumerate(rows)]
    if all(topic is None for _, topic, _, _ in named):
        named = [(name, "", group, value) for name, _, group, value in named]
    of_topic = [
        (one, other)
        for one, other in combinations(named, 2)
        if one[1] is not None and one[1] == other[1] and one[3] is not None and other[3] is not None
    ]
    groups = [(a, b) for a, b in of_topic if a[2] != b[2] and "(none)" not in (a[2], b[2])]
    pairs = groups or of_topic
    if not pairs:
        return None
    a, b = min(pairs, key=lambda pair: (-round(10 * abs(pair[0][3] - pair[1][3])), pair[0][0], pair[1][0]))
    left, right = sorted([(a[2], a[0]), (b[2], b[0])])
    return (left[1], right[1]), bool(groups)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(ROWS)
def test_it_is_the_farthest_of_all_pairs_of_one_topic(rows):
    found = most_contrasting(table(rows))
    assert (None if found is None else (found.sessions, found.of_groups)) == by_hand(rows)


def test_differences_that_are_equal_but_for_rounding_are_tied():
    rows = [("t", "A", 0.1 + 0.2), ("t", "B", 0.1), ("u", "A", 0.3), ("u", "B", 0.1)]
    assert most_contrasting(table(rows)).sessions == ("s00", "s01")
    assert most_contrasting(table([*rows[2:], *rows[:2]])).sessions == ("s00", "s01")


@pytest.mark.parametrize(
    ("rows", "chosen"),
    [
        ([("t", "B", 1.0), ("t", "A", 5.0)], "Of all pairs of sessions of one topic with different systems, this one"),
        ([("t", "A", 1.0), ("t", "A", 5.0)], "Of all pairs of sessions of one topic, this one"),
    ],
)
def test_it_says_how_it_was_chosen(rows, chosen):
    told = most_contrasting(table(rows)).told("sDCG@10")
    assert told.startswith(chosen)
    assert told.endswith("differs most in sDCG@10: it is an extreme, not a typical pair.")


def test_the_first_group_in_natural_order_stands_first():
    pair = most_contrasting(table([("t", "S10", 0.1), ("t", "S9", 0.6)]))
    assert pair.sessions == ("s01", "s00")
