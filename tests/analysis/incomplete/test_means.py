"""Bounds of means against every choice of the values that may be missing."""

from itertools import product

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionkit.robustness.score_bounds import mean_bounds
from tests.support.examples import examples

VALUES = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 0.5]), st.sampled_from([0.0, 0.25, 0.5]), st.booleans()),
    min_size=1,
    max_size=6,
)


@settings(max_examples=examples(150), deadline=None)
@given(VALUES)
def test_every_choice_of_what_is_missing(values):
    frame = pl.DataFrame(
        {
            "g": ["a"] * len(values),
            "lower": [low for low, _, _ in values],
            "upper": [low + more for low, more, _ in values],
            "open": [is_open for _, _, is_open in values],
        }
    )
    lower, upper = [], []
    for kept in product([True, False], repeat=len(values)):
        there = [
            (low, low + more) for (low, more, is_open), keep in zip(values, kept, strict=True) if keep or not is_open
        ]
        if there:
            lower.append(sum(low for low, _ in there) / len(there))
            upper.append(sum(high for _, high in there) / len(there))
    assert mean_bounds(frame, ["g"]).row(0)[1:] == pytest.approx((min(lower), max(upper)))


def test_a_row_can_stand_for_many_values():
    # 3 sure ones of 1, and open ones of 0 twice: (3 + 0) / 5
    frame = pl.DataFrame(
        {"g": ["a"] * 2, "lower": [1.0, 0.0], "upper": [1.0, 0.0], "open": [False, True], "many": [3, 2]}
    )
    assert mean_bounds(frame, ["g"]).row(0) == ("a", 0.6, 1.0)
