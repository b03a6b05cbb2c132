"""Discounts as the share of searchers who come to a place."""

import numpy as np
import pytest

from sessionkit.robustness.calibrate_models import Free, factor, free_of
from sessionkit.scoring.discounts import RANK_DISCOUNTS, discount_values

PLACES = np.arange(1, 40)


@pytest.mark.parametrize("form", RANK_DISCOUNTS)
@pytest.mark.parametrize("value", [1.2, 1.9])
def test_factors_are_the_discounts_that_measures_take_divided_by_their_first_value(form, value):
    value = value - 1 if form == "geometric" else value
    taken = discount_values(PLACES, form, base=value, p=value)
    own = factor(form, np.array([value]) if free_of(form, "b", "p") else None, PLACES)
    np.testing.assert_allclose(np.broadcast_to(own, (1, 39))[0], taken / taken[0], rtol=1e-12)


@pytest.mark.parametrize("free", [Free("b", base=True), Free("b", base=True, high=2.0), Free("p", base=False)])
def test_coordinates_lead_back_to_their_values(free):
    low, high = free.bounds
    at = np.linspace(low, high, 11)
    values = free.value(at)
    np.testing.assert_allclose(free.coordinate(values), at, rtol=1e-6, atol=1e-6)
    assert ((values > 1) if free.base else ((values > 0) & (values < 1))).all()


def test_rn2002_is_kept_where_it_falls():
    # above b=2 the second rank would count more than the first: 1 / log_3(2) = 1.585
    assert free_of("rn2002", "b", "p").high == 2.0
    assert factor("rn2002", np.array([3.0]), np.array([2]))[0, 0] == pytest.approx(1.58496, abs=1e-5)
