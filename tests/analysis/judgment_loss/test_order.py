"""Kendall's tau-b against scipy; knees; the confusion matrix of CLASSIC."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sessionkit.robustness.rescore import Confusion, first_above, kendall, knee

VALUES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=15)


@settings(deadline=None)
@given(VALUES)
def test_kendall_is_scipys_tau_b_ties_and_all(pairs):
    one, other = np.array(pairs, dtype=float).T
    theirs = stats.kendalltau(one, other).statistic if len(set(one)) > 1 and len(set(other)) > 1 else np.nan
    assert kendall(one, other) == pytest.approx(theirs, nan_ok=True)


def test_rounding_does_not_break_a_tie_and_missing_systems_are_left_out():
    tied = np.array([0.1 + 0.2, 0.3, 0.5])
    assert kendall(tied, np.array([1.0, 2.0, 3.0])) == pytest.approx(stats.kendalltau([1, 1, 2], [1, 2, 3]).statistic)
    assert kendall(np.array([1.0, np.nan, 2.0, 3.0]), np.array([1.0, 9.0, 2.0, 3.0])) == 1.0


def test_the_knee_is_where_agreement_begins_to_stay():
    shares = [0.1, 0.2, 0.5, 1.0]
    assert knee(shares, np.array([0.95, 0.89, 0.9, 1.0])) == 0.5
    assert first_above(shares, np.array([0.95, 0.89, 0.9, 1.0])) == 0.1
    assert knee(shares, np.array([0.9, 0.9, 0.9, 1.0])) == 0.1
    assert first_above(shares, np.array([0.9, 0.9, 0.9, 1.0])) == 1.0  # above .9, not at it
    assert knee(shares, np.array([1.0, 1.0, 1.0, np.nan])) is None
    assert knee(shares, np.array([1.0, 0.7, 0.8, 1.0]), 0.75) == 0.5


def test_classics_confusion_matrix():
    found = Confusion(60, 15, 9, 216, 3)
    assert found.accuracy == 276 / 300
    assert found.true_positive == 60 / 75
    assert found.precision == 60 / 69
    assert found.false_positive_rate == 9 / 225
    assert found.g_mean == pytest.approx(0.8341, abs=5e-5)


def test_verdicts_are_counted_and_nothing_is_divided_by_nothing():
    whole, some = np.array([True, True, False, True]), np.array([True, False, True, True])
    found = Confusion.of(whole, some, np.array([True, True, True, False]))
    assert (found.kept, found.gained, found.lost, found.found, found.turned) == (0, 1, 1, 2, 1)
    assert (found.true_positive, found.precision, found.g_mean) == (0.0, 0.0, 0.0)
    assert found.false_positive_rate == 1 / 3
    assert Confusion(4, 0, 0, 0, 0).false_positive_rate is None
    assert Confusion(0, 0, 0, 4, 0).g_mean is None
