"""Sums under numbers: exact, against whole numbers of any size."""

import numpy as np
import pytest

from sessionkit.robustness.unjudged import places, summed, totals

UNIT = 2**60
"""Numbers become whole multiples of 2^-60, as everything that scoring adds up."""


@pytest.mark.parametrize("scale", [1e-9, 1.0, 3.0, 1e8, 1e9])
@pytest.mark.parametrize("many", [1, 2, 3, 40, 5_000])
def test_sums_are_exact(scale, many):
    draw = np.random.Generator(np.random.PCG64(many))
    at, values = draw.integers(0, 7, many), draw.normal(size=many) * scale
    expected = [0] * 7
    for number, value in zip(at.tolist(), values.tolist(), strict=True):
        expected[number] += round(value * UNIT)  # times a power of two: exact, and rounded half to even
    assert totals(at, values, 7).to_list() == expected
    assert summed(at, values, 7).tolist() == pytest.approx([one / UNIT for one in expected], rel=1e-15)


def test_sums_hang_on_no_order():
    draw = np.random.Generator(np.random.PCG64(1))
    at, values = draw.integers(0, 3, 1_000), draw.random(1_000)
    order = draw.permutation(1_000)
    assert summed(at, values, 3).tolist() == summed(at[order], values[order], 3).tolist()


def test_places_of_nothing():
    assert [found.tolist() for found in places(np.zeros(0, dtype=np.int64))] == [[], []]
    assert totals(np.zeros(0, dtype=np.int64), np.zeros(0), 2).to_list() == [0, 0]
