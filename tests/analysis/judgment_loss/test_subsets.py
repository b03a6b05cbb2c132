"""f-qrels: their sizes as the formula has them, nested, random, and the same from one seed."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionkit.robustness.judgment_draws import Order

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
