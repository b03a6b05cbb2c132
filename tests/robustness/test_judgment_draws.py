"""Shares of the judgments: read from text, exact.

f-qrels: their sizes as the formula has them, nested, random, and the same from one seed.

What cannot be lost, what wins where lower is better, and pairs without a verdict.
"""

import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import UsageError
from sessionkit.robustness.judgment_draws import USUAL, Order, fractions_of
from tests.robustness.runs import runs
from tests.support.clinic import read_clinic


def test_the_usual_ones_are_seventeen_with_the_whole():
    assert fractions_of(None) == fractions_of("sigir2007") == USUAL
    assert (len(USUAL), USUAL[-1]) == (17, 1)


def test_texts_numbers_and_grids():
    tenths = tuple(Fraction(n, 10) for n in range(1, 11))
    assert fractions_of("0.1:1:10") == tenths
    assert fractions_of(0.3) == (Fraction(3, 10), 1)
    assert fractions_of([0.5, "0.1, 1/3", 1]) == (Fraction(1, 10), Fraction(1, 3), Fraction(1, 2), 1)


@pytest.mark.parametrize(
    "given", ["", "x", "0", "1.01", "-0.1", "0.1:1", "0.1:1:1", "0.1:1:10:2", "0:1:3", "nan", "inf", "1/0", True]
)
def test_others_are_refused_with_what_would_do(given):
    with pytest.raises(UsageError, match=r"such as 0\.1,0\.5 or 0\.1:1:10"):
        fractions_of(given)


def test_too_many_are_refused():
    with pytest.raises(UsageError, match="at most 101"):
        fractions_of([n / 200 for n in range(1, 200)])


GRADES = st.sampled_from([np.nan, -1.0, 0.0, 1.0, 2.0])
PAIRS = st.lists(st.tuples(st.integers(0, 3), GRADES), min_size=1, max_size=120)
SHARES = st.fractions(min_value=Fraction(1, 200), max_value=1, max_denominator=200)


def order_of(pairs, seed=(0, 1), min_grade=1):
    """The order of pairs of a key and a grade."""
    key, grades = (np.array(column) for column in zip(*pairs, strict=True))
    return Order.of(grades, key, min_grade, seed), key, grades


def test_classics_numbers():
    """R = 7, N = 23: a tenth keeps max(1, ceil(.7)) = 1 and max(10, ceil(2.3)) = 10; a half 4 and 12 (CLASSIC section 4)."""
    order, _, grades = order_of([(0, 1.0)] * 7 + [(0, 0.0)] * 23)
    for share, relevant, others in ((Fraction(1, 10), 1, 10), (Fraction(1, 2), 4, 12), (Fraction(1), 7, 23)):
        kept = order.kept(share)
        assert (kept[grades == 1].sum(), kept[grades == 0].sum()) == (relevant, others)


def test_shares_are_exact():
    """7% of 100 documents are 7, although 0.07 x 100 is 7.000000000000001 in floating point."""
    order, _, _ = order_of([(0, 1.0)] * 100)
    assert math.ceil(0.07 * 100) == 8
    assert order.kept(Fraction("0.07")).sum() == 7


@settings(deadline=None)
@given(PAIRS, SHARES)
def test_every_key_keeps_what_the_formula_says(pairs, share):
    order, key, grades = order_of(pairs)
    kept = order.kept(share)
    for k in set(key.tolist()):
        mine = key == k
        relevant, others = mine & (grades >= 1), mine & (grades < 1)
        r, n = int(relevant.sum()), int(others.sum())
        assert kept[relevant].sum() == min(r, max(1, math.ceil(share * r)))
        assert kept[others].sum() == min(n, max(10, math.ceil(share * n)))
    assert not kept[np.isnan(grades)].any()


@settings(deadline=None)
@given(PAIRS, SHARES, SHARES)
def test_a_smaller_share_is_part_of_a_larger_one(pairs, one, other):
    order, _, grades = order_of(pairs)
    small, large = sorted((one, other))
    assert not (order.kept(small) & ~order.kept(large)).any()
    assert np.array_equal(order.kept(Fraction(1)), np.isfinite(grades))


@settings(deadline=None)
@given(PAIRS, SHARES, st.data())
def test_a_pool_is_drawn_from_alone_and_nested_too(pairs, share, data):
    order, key, grades = order_of(pairs)
    pool = np.array(data.draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs))))
    within = order.within(pool)
    kept = within.kept(share)
    assert not (kept & ~pool).any()
    assert not (kept & ~within.kept(Fraction(1))).any()
    for k in set(key.tolist()):
        relevant = pool & (key == k) & (grades >= 1)
        r = int(relevant.sum())
        assert kept[relevant].sum() == min(r, max(1, math.ceil(share * r)))
        assert within.counted(relevant=True)[k] == r


def test_the_same_seed_the_same_order_and_another_another():
    pairs = [(k, float(g)) for k in range(3) for g in (0, 1) for _ in range(30)]
    tenth = Fraction(1, 10)
    one, again, other = (order_of(pairs, seed)[0].kept(tenth) for seed in ((5, 0), (5, 0), (5, 1)))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def test_the_first_drawn_are_these_on_every_machine():
    """numpy's PCG64 gives the same numbers everywhere; these places must never change."""
    order, _, _ = order_of([(0, 1.0)] * 8, seed=(0, 0, 0))
    chance = np.random.Generator(np.random.PCG64([0, 0, 0])).random(8)
    assert order.place.tolist() == np.argsort(np.argsort(chance)).tolist()


@pytest.mark.slow
def test_every_document_is_as_likely_to_be_kept():
    pairs = [(0, 1.0)] * 6
    often = sum(order_of(pairs, seed=(0, n))[0].kept(Fraction(1, 2)).astype(int) for n in range(2000))
    assert often == pytest.approx(1000, abs=5 * math.sqrt(2000 * 0.25))


def test_the_lowest_relevant_grade_is_what_is_said():
    order, _, grades = order_of([(0, 1.0)] * 20 + [(0, 2.0)] * 4, min_grade=2)
    kept = order.kept(Fraction(1, 4))
    assert (kept[grades == 2].sum(), kept[grades == 1].sum()) == (1, 10)


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


def test_a_measure_that_no_judgment_moves_is_said_to_be_one(clinic):
    found = sk.judgment_loss(clinic, ["Queries", "nsDCG@10"], fractions=[0.05], draws=2)
    (line,) = [line for line in found.reading.splitlines() if line.startswith("Queries:")]
    assert "no value changed" in line


@pytest.mark.slow
def test_where_lower_is_better_the_lowest_wins():
    """Of relevant x and y A shows both first; B shows x at 3 and y at 10, C y at 3 and x at 9: mean ranks 1.5, 6.5 and 6.

    With x alone they are 1, 3 and 9, with y alone 2, 10 and 3: A is always the lowest, the highest changes.
    """
    places = {"A": {1: "x", 2: "y"}, "B": {3: "x", 10: "y"}, "C": {3: "y", 9: "x"}}
    rows = [
        (system, 1, rank, shown.get(rank, f"{system}{rank}"), "t", system)
        for system, shown in places.items()
        for rank in range(1, 11)
    ]
    names = ["session_id", "query_position", "rank", "doc_id", "topic_id", "system_id"]
    study = sk.from_tables(
        results=pl.DataFrame(rows, schema=names, orient="row"),
        judgments={"judgment_key": ["t", "t"], "doc_id": ["x", "y"], "grade": [1, 1]},
    )
    found = sk.judgment_loss(study, "mean(ASL)", fractions=[0.5], draws=8, population="sessions")
    assert found.table["value"].to_list()[1] == pytest.approx((1.5 + 6.5 + 6) / 3)
    assert found.table["winner"].to_list() == [1.0, 1.0]
    assert found.table["tau_low"][0] < 1


def test_where_nothing_is_relevant_there_is_nothing_to_lose():
    _, results, judgments = runs(systems=3, topics=3)
    none = sk.from_tables(results=results, judgments=judgments.with_columns(grade=pl.lit(0.0)))
    found = sk.judgment_loss(none, ["mean(nDCG@10)", "mean(AP(undefined=zero))"], fractions=[0.5], draws=1)
    reasons = {each.values["measure"]: each.values["reason"] for each in found.of_kind("not_compared")}
    assert reasons == {"mean(nDCG@10)": "no value", "mean(AP(undefined=zero))": "untouched"}
    assert found.table["tau"].to_list() == [None] * 4


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_a_pair_that_cannot_be_tested_has_no_verdict_to_keep():
    docs = [f"d{n}" for n in range(24)]
    made = sk.from_tables(
        results={
            "session_id": ["a", "a", "b"], "query_position": [1] * 3, "rank": [1, 2, 1], "doc_id": ["d0", "d1", "d20"],
            "topic_id": ["t"] * 3, "user_id": ["u", "u", "v"], "system_id": ["A", "A", "B"],
        },
        judgments={"judgment_key": ["t"] * 24, "doc_id": docs, "grade": [1] * 20 + [0] * 4},
    )  # fmt: skip
    found = sk.judgment_loss(made, "sDCG@2", fractions=[0.5], draws=4)
    assert found.confusion.select("kept", "gained", "lost", "found", "accuracy").unique().rows() == [(0, 0, 0, 0, None)]
    assert found.pairs.select("p", "median_p", "significant").unique().rows() == [(None, None, None)]
    assert found.of_kind("difference")[0].values["p"] is None
    assert [found.of_kind(kind)[0].values["keys"] for kind in ("protocol", "scope")] == [1, 1]
    (left_out,) = found.of_kind("left_out")
    ((what, count),) = left_out.values["counts"].items()
    assert (count, "sDCG@2" in what) == (1, True)
