"""The p-value of a pair where no test ran: 1 for two that do not differ, none for two that do."""

import math

import pytest

from sessionkit.robustness.rescore import p_of
from sessionkit.statistics.comparison_table import Row


@pytest.mark.parametrize(
    ("means", "p"), [((0.3, 0.1 + 0.2), 1.0), ((0.0, 0.0), 1.0), ((0.3, 0.4), math.nan), ((None, 0.4), math.nan)]
)
def test_what_was_not_tested_is_never_equal(means, p):
    assert p_of(Row("", "A", "B", 1, 1, *means)) == pytest.approx(p, nan_ok=True)
