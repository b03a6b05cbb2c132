"""Sums at one fixed scale: exact to the scale, the same in any order."""

from fractions import Fraction

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from sessionkit.scoring import exact as exact_sums

values = st.lists(st.floats(0, 1e6), min_size=1, max_size=50)


@given(values, st.randoms())
def test_sums_do_not_depend_on_the_order(numbers, shuffle):
    frame = pl.DataFrame({"x": numbers})
    total = frame.select(exact_sums.fixed(pl.col("x")).sum()).item()
    shuffle.shuffle(numbers)
    assert pl.DataFrame({"x": numbers}).select(exact_sums.fixed(pl.col("x")).sum()).item() == total
    exact = sum(Fraction(number) for number in numbers)
    assert abs(Fraction(total, 2**60) - exact) <= Fraction(len(numbers), 2**61)


def test_geometric_tails_are_kept():
    assert pl.select(exact_sums.fixed(pl.lit(0.5**59))).item() == 2


def test_no_value_has_no_mean_and_nothing_divides_by_zero():
    empty = pl.DataFrame({"x": [None]}, schema={"x": pl.Float64})
    assert empty.select(exact_sums.mean(pl.col("x"))).item() is None
    zero = pl.DataFrame({"a": [1], "b": [None]}, schema={"a": pl.Int128, "b": pl.Int128})
    assert zero.select(exact_sums.quotient(pl.col("a"), pl.col("b"))).item() is None
