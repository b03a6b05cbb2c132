"""Corrections: against scipy and hand-made steps; intervals that agree with the adjusted p-values."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from sessionkit.statistics.corrections import CORRECTIONS, adjusted, corrected

P = st.lists(st.floats(1e-9, 1), min_size=1, max_size=12)


@settings(deadline=None)
@given(P)
def test_bh_is_scipys(p):
    assert adjusted(p, "bh") == pytest.approx(list(stats.false_discovery_control(p)))


@settings(deadline=None)
@given(P)
def test_holm_steps_down(p):
    steps, before = {}, 0.0
    for place, number in enumerate(sorted(range(len(p)), key=lambda i: (p[i], i))):
        before = max(before, (len(p) - place) * p[number])
        steps[number] = min(1, before)
    assert adjusted(p, "holm") == pytest.approx([steps[number] for number in range(len(p))])


@settings(deadline=None)
@given(P)
def test_each_is_no_smaller_than_the_one_before_it_in_force(p):
    none, bh, holm, bonferroni = (np.array(adjusted(p, name)) for name in ("none", "bh", "holm", "bonferroni"))
    assert ((none <= bh + 1e-15) & (bh <= holm + 1e-15) & (holm <= bonferroni + 1e-15)).all()


@cache
def half_width(rate):
    """Of a normal estimate with a standard error of 1; few rates are asked for, thousands of times."""
    return stats.norm.isf(rate / 2)


def by_z(z, correction):
    """Normal estimates with a standard error of 1, corrected together: verdicts and intervals."""
    z = np.asarray(z)
    settled = corrected((2 * special.ndtr(-np.abs(z))).tolist(), correction, 0.05)

    def around(value):
        return lambda rate: (value - half_width(rate), value + half_width(rate))

    return settled, [settled.interval(place, around(value), value) for place, value in enumerate(z)]


@pytest.mark.parametrize("correction", [name for name in CORRECTIONS if name != "holm"])
@settings(deadline=None)
@given(z=st.lists(st.floats(-5, 5), min_size=1, max_size=8))
def test_0_lies_in_an_interval_exactly_where_its_adjusted_p_is_above_alpha(correction, z):
    settled, intervals = by_z(z, correction)
    assert settled.p == pytest.approx(adjusted(2 * stats.norm.sf(np.abs(z)), correction))
    for value, p, (low, high) in zip(z, settled.p, intervals, strict=True):
        assert (low <= 0 <= high) if p > 0.05 else (low >= 0 or high <= 0)
        if abs(p - 0.05) < 1e-9:
            continue
        half = stats.norm.isf(settled.interval_rate / 2)
        assert (low, high) == pytest.approx((value - half, value + half))
        assert (low > 0 or high < 0) == (p <= 0.05)


@settings(deadline=None)
@given(z=st.lists(st.floats(-5, 5), min_size=1, max_size=8))
def test_intervals_beside_holms_p_values_are_those_without_correction(z):
    settled, intervals = by_z(z, "holm")
    assert settled.p == pytest.approx(adjusted(2 * stats.norm.sf(np.abs(z)), "holm"))
    assert intervals == by_z(z, "none")[1]
    for value, (low, high) in zip(z, intervals, strict=True):
        assert (low, high) == pytest.approx((value - 1.959963985, value + 1.959963985))
    # a difference that is undecided was tested at alpha over the number of undecided ones (all, where none is)
    undecided = sum(p > 0.05 for p in settled.p)
    assert settled.test_rate == pytest.approx(0.05 / (undecided or len(z)))


@pytest.mark.parametrize("truth", [(0, 6), (0, 0, 0), (0, 6, 6, 6), (0, 2.5, 5)])
def test_bonferronis_intervals_hold_all_at_once_beside_the_verdicts(truth):
    studies, held = 4_000, 0
    for z in np.random.default_rng(6).normal(truth, size=(studies, len(truth))):
        settled, intervals = by_z(z, "bonferroni")
        held += all(
            low <= value <= high and (value != 0 or p > 0.05)
            for value, p, (low, high) in zip(truth, settled.p, intervals, strict=True)
        )
    assert held / studies >= 0.94  # 95% with an sd of .34%


def test_what_is_expected_to_miss_among_the_found():
    rng, truth, shares = np.random.default_rng(7), np.array([0, 0, 0, 2, 3, 4.0]), []
    for z in rng.normal(truth, size=(2_000, 6)):
        settled, intervals = by_z(z, "bh")
        missed = [
            not low <= value <= high
            for value, p, (low, high) in zip(truth, settled.p, intervals, strict=True)
            if p <= 0.05
        ]
        shares.append(np.mean(missed) if missed else 0.0)
    assert np.mean(shares) <= 0.05
