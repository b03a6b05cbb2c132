"""Corrections: against scipy and hand-made steps; intervals that agree with the adjusted p-values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sessionkit.analysis.comparing.corrections import CORRECTIONS, adjusted, interval_rate
from sessionkit.analysis.comparing.findings import agreed

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


@pytest.mark.parametrize("correction", CORRECTIONS)
@settings(deadline=None)
@given(z=st.lists(st.floats(-5, 5), min_size=1, max_size=8))
def test_an_interval_says_of_0_what_its_adjusted_p_says(correction, z):
    p = [2 * float(stats.norm.sf(abs(value))) for value in z]
    rate = interval_rate(p, correction, 0.05)
    half = float(stats.norm.isf(rate / 2))
    for value, found in zip(z, adjusted(p, correction), strict=True):
        low, high = agreed((value - half, value + half), value, found <= 0.05)
        assert (low <= 0 <= high) if found > 0.05 else (low >= 0 or high <= 0)
        if correction != "holm" and abs(found - 0.05) > 1e-9:  # without Holm's steps nothing has to be cut
            assert (low, high) == (value - half, value + half)
