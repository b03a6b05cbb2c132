"""The highest point of smooth functions, of many draws at once."""

import numpy as np
import pytest

from sessionkit.robustness.calibrate_fits import climbed, highest


def test_a_ridge_of_two_coordinates_is_climbed_to_its_top():
    def height(at):
        x, y = at[..., 0] - 0.7, at[..., 1] + 0.2
        return -(x**2 + 2 * y**2 + 2.4 * x * y)  # positive definite: 1 x 2 > 1.2^2

    found = highest(height, [(-3.0, 3.0), (-3.0, 3.0)])
    np.testing.assert_allclose(found, [0.7, -0.2], atol=1e-6)


def test_it_keeps_within_bounds_and_takes_the_end():
    assert highest(lambda at: at[..., 0], [(-1.0, 2.0)]) == pytest.approx([2.0])


def test_each_row_climbs_its_own_function():
    tops = np.array([0.1, 0.5, -0.4])
    found = climbed(lambda at: -((at[..., 0] - tops[:, None]) ** 2), np.zeros((3, 1)), [(-1.0, 1.0)], 0.3)
    np.testing.assert_allclose(found[:, 0], tops, atol=1e-7)


def test_what_cannot_be_is_not_taken():
    def height(at):
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(at[..., 0] < 0.25, np.nan, -np.log(at[..., 0]))

    assert highest(height, [(-1.0, 1.0)])[0] == pytest.approx(0.25, abs=1e-3)
