"""The way back from numbers of records to the text of their lines."""

import gzip
import random

import polars as pl
import pytest

from sessionkit.readers import raw
from sessionkit.readers.raw import LINE, RAW, as_lines
from sessionkit.study.checks import RECORD


def lines_of(chance):
    """Lines with their ends, some with bytes that are no text, the last perhaps without an end."""
    for _ in range(chance.randint(1, 40)):
        text = chance.choice(
            [b"", b"abc", b"\xc3\xa9", b"x" * chance.randint(1, 30), b"a\rb", b"\xff\xfe", b"\xef\xbb\xbfa"]
        )
        yield text + chance.choice([b"\n", b"\n", b"\r\n", b"\r\r\n"])
    yield chance.choice([b"", b"end", b"end\r"])


def told(line):
    """The text of a line, without the end that it has, said letter by letter."""
    line = line[:-1] if line.endswith(b"\n") else line
    return (line[:-1] if line.endswith(b"\r") else line).decode(errors="backslashreplace")


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("block", [1, 7, 1 << 20])
def test_lines_are_found_by_their_numbers_in_blocks_of_any_size(tmp_path, monkeypatch, block, packed):
    monkeypatch.setattr(raw, "BLOCK", block)
    chance = random.Random(block)  # noqa: S311
    for _ in range(20):
        lines = [line for line in lines_of(chance) if line]
        path, first = tmp_path / "log.txt", chance.choice([1, 2, 5])
        path.write_bytes((gzip.compress if packed else bytes)(b"".join(lines)))
        records = [number for number in range(1, 50) if chance.random() < 0.4]  # some are beyond the last line
        chance.shuffle(records)
        found = as_lines(str(path), first)(pl.Series(records, dtype=pl.Int64))
        every = [(line - first + 1, line, told(text)) for line, text in enumerate(lines, 1)]
        assert found.rows() == [row for row in every if row[0] in records]
        assert found.schema == {RECORD: pl.Int64, LINE: pl.Int64, RAW: pl.String}
