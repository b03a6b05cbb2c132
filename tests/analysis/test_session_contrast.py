"""The most contrasting pair of sessions, against every pair that there is."""

from itertools import combinations
from statistics import median

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionkit.sessions.timeline import COLUMNS, most_contrasting

VALUES = st.none() | st.integers(0, 6).map(lambda number: number / 10)
SHARES = st.none() | st.sampled_from([0.0, 0.3, 0.35, 0.7, 0.9, 0.95, 1.0])
ROWS = st.lists(
    st.tuples(st.sampled_from([None, "t", "u"]), st.sampled_from(["A", "B", "C", "(none)"]), VALUES, SHARES)
)


def table(rows):
    """Sessions of these topics, groups, values and judged shares, named in order; a share that is not given is 1."""
    named = [(f"s{number:02}", *row, *([1.0] if len(row) == 3 else [])) for number, row in enumerate(rows)]
    types = dict(zip(COLUMNS, (pl.String, pl.String, pl.String, pl.Float64, pl.Float64), strict=True))
    return pl.DataFrame(named, schema=types, orient="row")


def by_hand(rows):
    """The pair, whether it is of groups and whether it is judged alike, from all pairs; values are tenths, as are their differences."""
    sessions = table(rows).to_dicts()
    if all(row["topic_id"] is None for row in sessions):
        sessions = [row | {"topic_id": ""} for row in sessions]
    sessions = [row for row in sessions if None not in (row["topic_id"], row["value"])]
    shares = [row["judged"] for row in sessions if row["judged"] is not None]

    def judged_alike(pair):
        low, high = sorted(-1 if row["judged"] is None else row["judged"] for row in pair)
        tenths = [min(9, round(100 * share) // 10) for share in (low, high)]
        return low >= 0 and low >= median(shares) and tenths[0] == tenths[1]

    pairs = [pair for pair in combinations(sessions, 2) if pair[0]["topic_id"] == pair[1]["topic_id"]]
    across = [
        pair
        for pair in pairs
        if pair[0]["group"] != pair[1]["group"] and "(none)" not in {row["group"] for row in pair}
    ]
    candidates = across or pairs
    alike = [pair for pair in candidates if judged_alike(pair)]
    if not candidates:
        return None
    first, second = min(
        alike or candidates,
        key=lambda pair: (
            -round(10 * abs(pair[0]["value"] - pair[1]["value"])),
            pair[0]["session"],
            pair[1]["session"],
        ),
    )
    left, right = sorted([first, second], key=lambda row: (row["group"], row["session"]))
    return (left["session"], right["session"]), bool(across), median(shares) if alike else None


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(ROWS)
def test_it_is_the_farthest_of_the_pairs_of_one_topic_that_are_judged_alike(rows):
    pair = most_contrasting(table(rows))
    expected = by_hand(rows)
    assert (pair is None) == (expected is None)
    if pair is not None:
        assert (pair.sessions, pair.of_groups) == expected[:2]
        assert pair.least_share == (None if expected[2] is None else pytest.approx(expected[2]))  # a mean of two rounds


def test_a_pair_is_judged_alike_and_at_least_as_well_as_the_median():
    rows = [
        ("t", "A", 0.0, 0.2),
        ("t", "B", 0.1, 0.9),
        ("t", "A", 0.4, 0.95),
        ("t", "B", 0.9, 0.3),
        ("t", "B", 0.6, 0.8),
    ]
    pair = most_contrasting(table(rows))
    # s00 and s03 differ most but are judged worse than the median of .8; s02 and s04 are not of one tenth
    assert (pair.sessions, pair.shares, pair.least_share) == (("s02", "s01"), (0.95, 0.9), 0.8)
    assert "with comparable judged shares (in the same tenth, at least the median of 80.0%), this one" in pair.told("X")
    assert pair.judged_told == "Judged: 95.0% of the results of the first session, 90.0% of the second."


def test_a_pair_that_is_not_judged_alike_says_so():
    pair = most_contrasting(table([("t", "A", 0.0, 0.2), ("t", "B", 0.9, 0.9)]))
    assert pair.sessions == ("s00", "s01")
    assert pair.told("X").startswith(
        "No pairs of sessions of one topic with different systems have comparable, high judged shares."
    )
    assert pair.told("X").endswith("Missing judgments may explain the difference.")


def test_differences_that_are_equal_but_for_rounding_are_tied():
    rows = [("t", "A", 0.1 + 0.2), ("t", "B", 0.1), ("u", "A", 0.3), ("u", "B", 0.1)]
    assert most_contrasting(table(rows)).sessions == ("s00", "s01")
    assert most_contrasting(table([*rows[2:], *rows[:2]])).sessions == ("s00", "s01")


@pytest.mark.parametrize(
    ("rows", "chosen"),
    [
        (
            [("t", "B", 1.0), ("t", "A", 5.0)],
            "Of all pairs of sessions of one topic with different systems and with comparable judged",
        ),
        ([("t", "A", 1.0), ("t", "A", 5.0)], "Of all pairs of sessions of one topic with comparable judged"),
    ],
)
def test_it_says_how_it_was_chosen(rows, chosen):
    told = most_contrasting(table(rows)).told("sDCG@10")
    assert told.startswith(chosen)
    assert told.endswith("differs most in sDCG@10: it is an extreme, not a typical pair.")


def test_the_first_group_in_natural_order_stands_first():
    pair = most_contrasting(table([("t", "S10", 0.1), ("t", "S9", 0.6)]))
    assert pair.sessions == ("s01", "s00")
