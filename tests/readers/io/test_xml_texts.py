"""Lists taken by columns: rows put together from them say what the same lists as blocks say."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionkit.contract import RECORD
from sessionkit.readers.io.elements import ElementRows
from sessionkit.readers.io.xml_texts import TextSpan, XmlTexts, gathered

FRAMES = [
    pl.DataFrame({"k": ["1", "2", "3"], "a": ["x", " y ", ""]}),
    pl.DataFrame({"k": ["4", "5"], "b": ["p", "q &amp; r"]}),
]
LISTS = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(1, 2), st.booleans(), st.booleans()), max_size=8
)


@given(LISTS, st.sampled_from([1, 3, 100]))
def test_rows_say_the_same_as_blocks_and_as_spans_in_any_order(lists, many):
    texts = [XmlTexts(frame) for frame in FRAMES]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sessionkit.readers.io.elements.MANY", many)
        as_spans, as_blocks = (ElementRows({"k": pl.String, "n": pl.Int64}, ("b",), None) for _ in range(2))
        record = 0
        for which, start, size, stays, told in lists:
            span = TextSpan(texts[which], start, min(start + size, FRAMES[which].height))
            own = {RECORD: list(range(record, record + len(span)))} | ({"n": [7] * len(span)} if told else {})
            record += len(span)
            as_blocks.add(own | span.block)
            if stays:
                as_spans.add(own, span)
            else:
                as_spans.add(own | span.block)
        assert as_spans.frame(("k",)).collect().equals(as_blocks.frame(("k",)).collect())


def test_a_column_that_a_list_does_not_have_is_null_in_its_rows():
    first, second = (XmlTexts(frame) for frame in FRAMES)
    found = gathered([(1, TextSpan(first, 1, 2)), (2, None), (1, TextSpan(second, 0, 1))])
    assert {name: column.to_list() for name, column in found.items()} == {
        "k": ["2", None, None, "4"],
        "a": [" y ", None, None, None],
        "b": [None, None, None, "p"],
    }
    assert gathered([(2, None)]) == {}
    assert TextSpan(first, 0, 1).column("b") is None


def test_the_place_of_a_text_is_that_in_its_own_list_blanks_aside():
    texts = XmlTexts(pl.DataFrame({"k": ["1", "2", " 2", "1", None, "2 "]}))
    assert [TextSpan(texts, 0, 2).place("k", text) for text in ("1", "2", "3", "")] == [0, 1, None, None]
    assert [TextSpan(texts, 2, 6).place("k", text) for text in ("1", "2", " 2", "")] == [1, 0, None, 2]
    assert [TextSpan(texts, 3, 5).place(name, "2") for name in ("k", "no such")] == [None, None]
    assert TextSpan(texts, 3, 5).place("no such", "") == 0
