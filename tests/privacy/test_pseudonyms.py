"""Labels: one for each value, in an order that is drawn."""

from collections import Counter

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionkit.privacy.pseudonyms import Names, RandomOrder, drawn
from tests.support.examples import examples


@settings(max_examples=examples(25), deadline=None)
@given(st.sets(st.text(max_size=3), max_size=30), st.none() | st.integers(0, 9))
def test_every_value_has_a_label_of_its_own(values, seed):
    names = drawn(pl.Series(sorted(values), dtype=pl.String), "user-", RandomOrder(seed), "user_id")
    assert sorted(names.labels) == [f"user-{n:04}" for n in range(1, len(values) + 1)]
    assert dict(zip(names.values, names.labels, strict=True)).keys() == values


def test_every_order_is_as_likely():
    """Three values have six orders; 6,000 draws give each 1,000 times, give or take five standard deviations (of 29)."""
    orders = Counter(tuple(RandomOrder().order(3, "user_id").tolist()) for _ in range(6000))
    assert len(orders) == 6
    assert all(abs(many - 1000) < 145 for many in orders.values())


def test_columns_are_drawn_apart_and_order_does_not_tell():
    chance = RandomOrder(3)
    one, other = (chance.order(100, name) for name in ("user_id", "session_id"))
    assert not np.array_equal(one, other)
    assert abs(np.corrcoef(np.arange(100), one)[0, 1]) < 0.4


def test_there_are_enough_digits():
    names = drawn(pl.Series([str(n) for n in range(12_345)]), "s-", RandomOrder(), "session_id")
    assert names.labels.str.len_chars().unique().to_list() == [7]
    assert names.labels.max() == "s-12345"


def test_what_has_no_label_stays():
    names = Names(pl.Series(["a"]), pl.Series(["x"]))
    assert names.of(pl.Series("text", ["a", "", None, "b"])).to_list() == ["x", "", None, "b"]
    assert drawn(pl.Series([], dtype=pl.String), "x", RandomOrder(), "y").of(pl.Series(["a"])).to_list() == ["a"]
