"""Merged cells of a sheet of a workbook (.xlsx, .xlsm), which the library that reads the cells does not tell.

A merged cell has its text in its first row. Only what the workbook itself calls merged is filled down; cells that are empty stay so.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from posixpath import join, normpath
from typing import IO, NamedTuple
from zipfile import BadZipFile, ZipFile, is_zipfile

import numpy as np
import polars as pl
from defusedxml import DefusedXmlException  # type: ignore[import-untyped]
from defusedxml.ElementTree import ParseError, fromstring  # type: ignore[import-untyped]

from sessionkit.readers.io.workbook_sizes import column_number

BOOK, RELATIONS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
MERGED = re.compile(
    rb"""<(?:\w{1,40}:)?mergeCell\s[^<>]{0,200}?ref\s?=\s?["']([A-Z]{1,3})([0-9]{1,7}):[A-Z]{1,3}([0-9]{1,7})["']"""
)
FILLED = re.compile(
    rb"""<(?:\w{1,40}:)?c\s(?:[^<>]{0,200}?\s)?r\s?=\s?["']([A-Z]{1,3})[0-9]{1,7}["'](?:[^<>]{0,200}[^<>/])?>"""
)
"""A cell that is not empty, and its column."""
BLOCK, LONGEST = 1 << 20, 1 << 10
"""Bytes of a sheet that are looked at at a time, and bytes that what is looked for may have."""


class MergedRows(NamedTuple):
    """Cells of a column that are merged: the number of the column and of the first and last row, from 0."""

    column: int
    first: int
    last: int


def merged_rows(path: Path, sheet: str, width: int) -> list[MergedRows]:
    """Return the cells of a sheet that are merged over several rows, none where the file does not tell.

    Parameters
    ----------
    width
        How many columns were read, which begin with the first that is not empty. Where the sheet says another number, it
        cannot be told which column is which, and nothing is returned.
    """
    if not is_zipfile(path):
        return []
    try:
        with ZipFile(path) as archive:
            part = _part_of(archive, sheet)
            if part is None:
                return []
            with archive.open(part) as stream:
                if not any(MERGED.search(block) for block in blocks(stream)):
                    return []
            with archive.open(part) as stream:
                spans, columns = _spans(stream)
    except (BadZipFile, OSError, EOFError, zlib.error, KeyError, ParseError, DefusedXmlException):
        return []  # whoever reads the cells says what is wrong with it
    if not spans or not columns or max(columns) - min(columns) + 1 != width:
        return []
    found = [MergedRows(column - min(columns), first - 1, last - 1) for column, first, last in spans]
    return sorted(one for one in found if 0 <= one.column < width and one.first < one.last)


def filled_text(cells: pl.DataFrame, merges: Sequence[MergedRows]) -> int:
    """Return how many bytes of text filling down merged cells adds at most.

    >>> filled_text(pl.DataFrame({"user": ["u1", None, None]}), [MergedRows(0, 0, 2)])
    4
    """
    added = 0
    for column, merges_of_column in groupby(sorted(merges), key=lambda merge: merge.column):
        lengths = cells.to_series(column).str.len_bytes().fill_null(0).to_numpy()
        added += sum(
            int(lengths[first]) * (min(last, len(lengths) - 1) - first)
            for _, first, last in merges_of_column
            if first < len(lengths)
        )
    return added


def filled_down(cells: pl.DataFrame, merges: Sequence[MergedRows]) -> pl.DataFrame:
    """Return cells with the text of merged ones in each of their rows.

    >>> filled_down(pl.DataFrame({"user": ["u1", None, None]}), [MergedRows(0, 0, 1)])["user"].to_list()
    ['u1', 'u1', None]
    """
    for column, merges_of_column in groupby(sorted(merges), key=lambda merge: merge.column):
        texts = cells.to_series(column)
        source = np.arange(len(texts))
        for _, first, last in merges_of_column:
            source[first : last + 1] = first
        covered = pl.Series(source != np.arange(len(texts)))
        cells = cells.with_columns(texts.zip_with(~(covered & texts.is_null()), texts.gather(source)))
    return cells


def blocks(stream: IO[bytes]) -> Iterator[bytes]:
    """Return a sheet piece by piece, each with the end of the piece before, so that nothing is cut in two in all of them."""
    before = b""
    while block := stream.read(BLOCK):
        yield before + block
        before = (before + block)[-LONGEST:]


def _part_of(archive: ZipFile, sheet: str) -> str | None:
    """Return the name of the part of a workbook that is a sheet."""
    ids = [
        next((value for key, value in element.items() if key.endswith("}id")), "")
        for element in fromstring(archive.read(BOOK)).iter()
        if element.tag.endswith("}sheet") and element.get("name") == sheet
    ]
    targets = {one.get("Id"): one.get("Target", "") for one in fromstring(archive.read(RELATIONS)).iter()}
    target = targets.get(ids[0]) if ids else None
    return None if not target else normpath(join("xl", target)) if target[0] != "/" else target[1:]


def _spans(stream: IO[bytes]) -> tuple[set[tuple[int, int, int]], set[int]]:
    """Return column, first and last row of what is merged, as numbered from 1, and the columns that are not empty."""
    spans: set[tuple[bytes, bytes, bytes]] = set()
    columns: set[bytes] = set()
    for block in blocks(stream):
        spans.update(MERGED.findall(block))
        columns.update(FILLED.findall(block))
    numbered = {(column_number(column.decode()), int(first), int(last)) for column, first, last in spans}
    return numbered, {column_number(letters.decode()) for letters in columns}
