"""Many paired tests at once: each against scipy, ties, zeros and missing values among them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sessionkit.robustness.rescore import t_p, wilcoxon_p
from tests.analysis.compare import all_arrangements

VALUES = st.one_of(st.just(np.nan), st.integers(-4, 4).map(float), st.floats(-2, 2, allow_nan=False, width=32))
TABLES = st.integers(1, 4).flatmap(
    lambda pairs: st.lists(st.lists(VALUES, min_size=pairs, max_size=pairs), min_size=1, max_size=25)
)


@settings(deadline=None)
@given(TABLES)
def test_wilcoxon_is_exact_with_zeros_ties_and_missing_values(table):
    table = np.array(table)
    found = [all_arrangements.signed_ranks(column[np.isfinite(column)]) for column in table.T]
    assert wilcoxon_p(table) == pytest.approx(found)


@pytest.mark.few(1)
@pytest.mark.parametrize("n", [50, 51, 200])
def test_wilcoxon_is_scipys_and_exact_to_fifty_units(n):
    d = np.random.default_rng(n).normal(0.2, size=(n, 3))
    assert wilcoxon_p(d) == pytest.approx([stats.wilcoxon(column, method="auto").pvalue for column in d.T])
    tied = np.round(d * 2)
    theirs = [stats.wilcoxon(c, zero_method="wilcox", method="asymptotic", correction=False).pvalue for c in tied.T]
    for number, column in enumerate(tied.T):
        if (column != 0).sum() <= 50:
            theirs[number] = all_arrangements.signed_ranks(column)
    assert wilcoxon_p(tied) == pytest.approx(theirs)


@settings(deadline=None)
@given(TABLES)
def test_t_is_scipys_where_something_varies(table):
    table = np.array(table)
    for column, p in zip(table.T, t_p(table), strict=True):
        d = column[np.isfinite(column)]
        if not (d != 0).any():
            assert p == 1  # nothing differs
        elif len(d) < 2 or not np.ptp(d):
            assert np.isnan(p)  # something does, and nothing varies to judge it by
        elif np.ptp(d) < 1e-9:
            assert np.isnan(p) or 0 <= p <= 1
        else:
            assert p == pytest.approx(stats.ttest_1samp(d, 0).pvalue, rel=1e-6, abs=1e-12)
