"""Lines and rows in batches, as they are all at once."""

import io

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionkit.readers import raw
from sessionkit.readers.formats import ubi_records
from sessionkit.readers.formats.ubi_records import lines_in_blocks
from sessionkit.readers.raw import batches, in_files
from sessionkit.study.checks import RECORD

LINES = st.lists(
    st.text(st.characters(exclude_characters="\n\r\ufeff", exclude_categories=["Cs"]), max_size=6), min_size=1
)


@settings(deadline=None)
@given(LINES, st.integers(1, 12), st.booleans())
def test_lines_are_numbered_through_all_blocks(lines, size, ends):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ubi_records, "BLOCK", size)
        text = "\n".join(lines) + ("\n" if ends else "")
        found = pl.concat(lines_in_blocks(io.BytesIO(text.encode()), "text"))
    due = text.removesuffix("\n").split("\n")
    assert found.rows() == [(line, number) for number, line in enumerate(due, 1)]
    assert found.columns == ["text", RECORD]


def test_a_mark_at_the_beginning_is_none_of_the_text():
    assert pl.concat(lines_in_blocks(io.BytesIO(b"\xef\xbb\xbfa\nb"), "text"))["text"].to_list() == ["a", "b"]


@pytest.mark.parametrize("rows", [0, 1, 5, 6])
def test_rows_come_back_in_order_from_files(tmp_path, monkeypatch, rows):
    monkeypatch.setattr(raw, "MANY", 3)
    frames = batches(({"a": number, "b": 1} for number in range(rows)), {"a": pl.Int64})
    assert in_files(frames, tmp_path).collect()["a"].to_list() == [*range(rows)]
