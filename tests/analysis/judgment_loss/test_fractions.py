"""Shares of the judgments: read from text, exact."""

from fractions import Fraction

import pytest

from sessionkit.errors import UsageError
from sessionkit.robustness.judgment_draws import USUAL, fractions_of


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
