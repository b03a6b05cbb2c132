"""Rows are found by hashes, and no value is ever taken for another."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionkit.study.numbering import Lookup

TEXTS = st.lists(st.text(max_size=3), unique=True)


def wanted(values: list, asked: list) -> list:
    """The definition."""
    return [values.index(value) if value in values else None for value in asked]


@given(values=TEXTS, others=st.lists(st.none() | st.text(max_size=3)))
def test_texts_are_found_where_they_stand(values, others):
    asked = [*others, *values]
    found = Lookup.of(pl.Series(values, dtype=pl.String)).rows(pl.Series(asked, dtype=pl.String))
    assert found.to_list() == wanted(values, asked)


@given(values=st.lists(st.integers(0, 2**64 - 1), unique=True), others=st.lists(st.none() | st.integers(0, 2**64 - 1)))
def test_numbers_are_found_where_they_stand(values, others):
    asked = [*others, *values]
    found = Lookup.of(pl.Series(values, dtype=pl.UInt64)).rows(pl.Series(asked, dtype=pl.UInt64))
    assert found.to_list() == wanted(values, asked)


PAIRS = st.tuples(st.text("ab", max_size=2), st.integers(0, 3))


@given(
    values=st.lists(PAIRS, unique=True), others=st.lists(st.tuples(st.none() | st.just("a"), st.none() | st.just(1)))
)
@pytest.mark.parametrize("alike", [False, True])
def test_values_of_two_columns_are_found_where_they_stand(values, others, alike):
    asked = [*others, *values]

    def columns(pairs):
        types = {"text": pl.String, "number": pl.UInt32}
        return pl.DataFrame(pairs, types, orient="row").get_columns()

    with pytest.MonkeyPatch.context() as patched:
        if alike:  # then a join tells them apart
            patched.setattr(pl.Series, "hash", lambda series: pl.Series([7] * len(series), dtype=pl.UInt64))
        found = Lookup.of(*columns(values)).rows(*columns(asked))
    assert found.to_list() == wanted(values, asked)


def test_many_values_take_several_levels():
    values = pl.Series([f"d{number}" for number in range(5_000)])
    made = Lookup.of(values)
    assert made.levels is not None
    assert len(made.levels) > 2
    asked = pl.Series([f"d{number}" for number in range(9_999, -1, -1)])
    assert made.rows(asked).to_list() == [None] * 5_000 + [*range(4_999, -1, -1)]


@pytest.mark.parametrize(
    "hashed",
    [
        pytest.param(lambda text: ord(text[0]), id="others have the hash of one that is there"),
        pytest.param(len, id="distinct, and all near each other"),
        pytest.param(lambda text: len(text) // 9, id="all the same"),
        pytest.param(lambda text: 2**64 - len(text), id="as large as can be"),
        pytest.param(lambda text: 0 if text == "a" else len(text), id="none at all"),
    ],
)
def test_values_of_one_hash_are_told_apart(monkeypatch, hashed):
    monkeypatch.setattr(pl.Series, "hash", lambda series: series.map_elements(hashed, return_dtype=pl.UInt64))
    asked = pl.Series(["a", "z", "bb", "bc", "ccc", "bb"])
    assert Lookup.of(pl.Series(["a", "bb", "ccc"])).rows(asked).to_list() == [0, None, 1, None, 2, 1]
