"""Rows made of XML elements, kept some thousands at a time under the names of their elements."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from itertools import chain, repeat
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import polars as pl

from sessionkit.contract import RECORD
from sessionkit.readers.keeping import room_in

MANY = 20_000
Types = Mapping[str, pl.DataType | type[pl.DataType]]
Row = dict[str, Any]
Block = dict[str, list[Any]]
"""Some rows of a table, column by column, all of one length."""


def block_of(rows: Sequence[Row]) -> Block:
    """Return rows as a block.

    >>> block_of([{"rank": "1", "title": "One"}, {"rank": "2"}])
    {'rank': ['1', '2'], 'title': ['One', None]}
    """
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def regular(parent: Element) -> Block | None:
    """Return the children of an element as a block, where all have the same elements in one order and one attribute.

    It says the same as taking them one by one does, and is several times faster; None where they are not so regular.

    >>> from defusedxml.ElementTree import fromstring
    >>> regular(fromstring('<l><r rank="1"><id>a</id></r><r rank="2"><id>b</id></r></l>'))
    {'rank': ['1', '2'], 'id': ['a', 'b']}
    >>> regular(fromstring('<l><r rank="1"><id>a</id></r><r rank="2"/></l>')) is None
    True
    """
    many = len(parent)
    if not many:
        return {}
    tags = [element.tag for element in parent.iter()][1:]
    own = tags[: len(tags) // many]
    if len(set(own)) < len(own) or own * many != tags or any(map(len, parent[0])):
        return None
    attributes = [tuple(child.items()) for child in parent]
    if any(len(told) != 1 or told[0][0] != attributes[0][0][0] for told in attributes):
        return None
    texts = [element.text for element in parent.iter()][1:]
    values: Block = {attributes[0][0][0]: [told[0][1] for told in attributes]}
    return values | {tag: texts[place :: len(own)] for place, tag in enumerate(own) if place}


class Rows:
    """Rows of one table: values by name, those of names that are not in `types` being text.

    Texts lose blanks around them, empty ones become null.

    Parameters
    ----------
    types
        Those of the columns that are known; columns that hold nothing are left out in the end.
    displayed
        Texts to be decoded once more, as they were encoded twice.
    folder
        Where rows stay; None, in memory.
    """

    def __init__(self, types: Types, displayed: Sequence[str], folder: Path | None) -> None:
        self.types, self.displayed, self.folder = types, displayed, folder
        self._waiting: list[Block] = []
        self._many = 0
        self._kept: list[pl.LazyFrame] = []
        self._filled: set[str] = set()

    def add(self, block: Block) -> None:
        """Add rows, each with the number of its element as RECORD."""
        self._waiting.append(block)
        self._many += len(block[RECORD])
        if self._many >= MANY:
            self._flush()

    def frame(self, required: Sequence[str]) -> pl.LazyFrame:
        """Return the rows, their columns those that hold something and those required."""
        if self._many or not self._kept:
            self._flush()
        every = pl.concat(self._kept, how="diagonal_relaxed") if len(self._kept) > 1 else self._kept[0]
        names = [name for name in every.collect_schema() if name in self._filled or name in (RECORD, *required)]
        return every.select(names)

    def _flush(self) -> None:
        """Keep the rows that wait."""
        blocks, many, self._waiting, self._many = self._waiting, self._many, [], 0
        types: dict[str, Any] = {RECORD: pl.Int64, **self.types}
        types |= dict.fromkeys(sorted({name for block in blocks for name in block} - types.keys()), pl.String)
        frame = pl.DataFrame([pl.Series(name, self._values(name, blocks), dtype) for name, dtype in types.items()])
        text = pl.selectors.string().str.strip_chars()
        frame = frame.with_columns(pl.when(text != "").then(text))
        self._filled |= {name for name in types if frame[name].null_count() < many}
        self._kept.append(self._keep(frame))

    def _values(self, name: str, blocks: Sequence[Block]) -> list[Any]:
        """Return the values of a column; None where a block does not have it."""
        values = list(
            chain.from_iterable(block[name] if name in block else repeat(None, len(block[RECORD])) for block in blocks)
        )
        if name not in self.displayed:
            return values
        return [html.unescape(text) if text and "&" in text else text for text in values]

    def _keep(self, frame: pl.DataFrame) -> pl.LazyFrame:
        """Return rows as they are kept; in files they are not packed, as they are read only once or twice."""
        if self.folder is None:
            return frame.lazy()
        path = self.folder / f"elements{len(list(self.folder.iterdir())):06}.parquet"
        with room_in(self.folder):
            frame.write_parquet(path, compression="uncompressed", statistics=False)
        return pl.scan_parquet(path, glob=False)
