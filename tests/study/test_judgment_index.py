"""Judged pairs have the same numbers whether their texts or their saved numbers are read."""

import pickle

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionkit.study.numbering import JudgmentIndex

ROWS = st.lists(st.tuples(st.sampled_from(["t", "u", "\u202e", ""]), st.sampled_from(["a", "b", "é", "0"])))


def table(rows):
    """Judgments of these pairs."""
    return pl.DataFrame(rows, schema={"judgment_key": pl.String, "doc_id": pl.String}, orient="row")


@given(ROWS, ROWS)
def test_numbers_are_places_in_the_order_of_the_pairs(rows, asked):
    pairs, order = (
        JudgmentIndex.of(table(rows).lazy()),
        sorted(set(rows), key=lambda pair: [text.encode() for text in pair]),
    )
    found = pairs.numbers_of(table(asked))["__judgment"].to_list()
    assert found == [order.index(pair) if pair in order else None for pair in asked]


@given(ROWS)
def test_saved_numbers_give_the_same_pairs(rows):
    pairs = JudgmentIndex.of(table(rows).lazy())
    read = JudgmentIndex.numbered(pairs.numbers_of(table(rows)).lazy())
    assert read.keys.select("judgment_key", "key").rows() == pairs.keys.select("judgment_key", "key").rows()
    assert read.pairs["key"].to_list() == pairs.pairs["key"].to_list()


def test_pairs_without_texts_say_that_they_cannot_look_them_up():
    pairs = JudgmentIndex.of(table([("t", "a")]).lazy())
    read = JudgmentIndex.numbered(pairs.numbers_of(table([("t", "a")])).lazy())
    with pytest.raises(ValueError, match=r"Pairs\.of reads their texts"):
        read.judgment_of(pl.Series([0]), pl.Series(["a"]))


def test_what_is_looked_up_in_stays_in_its_process():
    pairs = JudgmentIndex.of(table([("t", text) for text in "abc"]).lazy())
    size = len(pickle.dumps(pairs))
    asked = table([("t", "c")])
    assert pairs.numbers_of(asked)["__judgment"].to_list() == [2]
    assert len(pickle.dumps(pairs)) == size
    assert pickle.loads(pickle.dumps(pairs)).numbers_of(asked)["__judgment"].to_list() == [2]  # noqa: S301 - our own bytes
