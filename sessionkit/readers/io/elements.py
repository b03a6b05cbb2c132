"""Rows made of XML elements, kept some thousands at a time under the names of their elements."""

from __future__ import annotations

import html
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import polars as pl

from sessionkit.contract import RECORD
from sessionkit.readers.io.record_store import room_in

MANY = 5_000
"""Rows that wait to be kept."""
Types = Mapping[str, pl.DataType | type[pl.DataType]]
Row = dict[str, Any]
Block = dict[str, list[Any]]
"""Some rows of a table, column by column, all of one length."""
Kept = tuple[pl.DataFrame | None, set[str]]
"""Rows, None where they are in a file, and the names of their columns, all of which hold something."""


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
    leaves = list(chain.from_iterable(parent))
    wide = len(leaves) // many
    tags = [leaf.tag for leaf in leaves]
    own = tags[:wide]
    if own * many != tags or len(set(own)) < wide or any(map(len, leaves)) or set(map(len, parent)) != {wide}:
        return None
    attributes = [child.attrib for child in parent]
    if set(map(len, attributes)) != {1}:
        return None
    (key,) = attributes[0]
    if not all(key in told for told in attributes):
        return None
    texts = [leaf.text for leaf in leaves]
    values: Block = {key: [told[key] for told in attributes]}
    return values | {tag: texts[place::wide] for place, tag in enumerate(own)}


class ElementRows:
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
        self.types, self.displayed = types, displayed
        self.folder = None if folder is None else Path(tempfile.mkdtemp(prefix="elements-", dir=folder))
        self._waiting: list[Block] = []
        self._single: list[Row] = []
        self._many = 0
        self._kept: list[Future[Kept]] = []
        self._worker = ThreadPoolExecutor(max_workers=1)

    def add(self, block: Block) -> None:
        """Add rows, each with the number of its element as RECORD."""
        self._waiting.append(block)
        self._many += len(block[RECORD])
        if self._many >= MANY:
            self._flush()

    def add_row(self, row: Row) -> None:
        """Add a row, with the number of its element as RECORD."""
        self._single.append(row)
        self._many += 1
        if self._many >= MANY:
            self._flush()

    def frame(self, required: Sequence[str]) -> pl.LazyFrame:
        """Return the rows, their columns those that hold something and those required."""
        if self._many or not self._kept:
            self._flush()
        with self._worker:
            frames, names = zip(*(one.result() for one in self._kept), strict=True)
        filled = set().union(*names)
        types = {name: self.types.get(name, pl.String) for name in filled} | {RECORD: pl.Int64}
        in_memory = [frame for frame in frames if frame is not None]
        if in_memory:
            every = pl.concat(in_memory, how="diagonal").lazy()
        else:  # as one, which takes less memory to read some rows of than as many put together
            files = sorted(self.folder.iterdir()) if self.folder else []
            every = pl.scan_parquet(files, schema=types, missing_columns="insert", glob=False)
        order = [*self.types, *sorted(filled - self.types.keys() - {RECORD})]
        return every.select(
            name if name in filled else pl.lit(None, self.types[name]).alias(name)
            for name in (RECORD, *order)
            if name in filled or name in required
        )

    def close(self) -> None:
        """Wait for rows that are on their way to be kept, and take no more."""
        self._worker.shutdown()

    def _flush(self) -> None:
        """Keep the rows that wait, in a thread, while the next come; those before have been kept by then."""
        if self._kept:
            self._kept[-1].result()
        self._kept.append(self._worker.submit(self._framed, self._waiting, self._single, self._many, len(self._kept)))
        self._waiting, self._single, self._many = [], [], 0

    def _framed(self, waiting: list[Block], rows: list[Row], many: int, number: int) -> Kept:
        """Return rows as they are kept, and the names of the columns that hold something."""
        blocks = [*waiting, *([block_of(rows)] if rows else [])]
        own: set[str] = {RECORD}.union(*blocks)
        types: dict[str, Any] = {RECORD: pl.Int64, **self.types}
        types |= dict.fromkeys(sorted(own - types.keys()), pl.String)
        columns = [pl.Series(name, _values(name, blocks), types[name]) for name in types if name in own]
        texts = pl.selectors.string().str.strip_chars().replace("", None)
        frame = pl.DataFrame([self._decoded(column) for column in columns]).with_columns(texts)
        filled = [column.name for column in frame if column.null_count() < many or column.name == RECORD]
        return self._keep(frame.select(filled), number), set(filled)

    def _decoded(self, column: pl.Series) -> pl.Series:
        """Return a column, its texts decoded once more if they are displayed."""
        if column.name not in self.displayed:
            return column
        encoded = column.str.contains("&", literal=True).fill_null(value=False).arg_true()
        if not len(encoded):
            return column
        return column.scatter(encoded, [html.unescape(text) for text in column.gather(encoded)])

    def _keep(self, frame: pl.DataFrame, number: int) -> pl.DataFrame | None:
        """Return rows that stay in memory; in files they are not packed, as they are read only once or twice.

        Statistics say which files have nothing of a range of sessions.
        """
        if self.folder is None:
            return frame
        path = self.folder / f"{number:06}.parquet"
        with room_in(self.folder):
            frame.write_parquet(path, compression="uncompressed", statistics=True)
        return None


def _values(name: str, blocks: Sequence[Block]) -> list[Any]:
    """Return the values of a column; None where a block does not have it."""
    values = [block.get(name) for block in blocks]
    if None in values:
        values = [
            [None] * len(block[RECORD]) if own is None else own for block, own in zip(blocks, values, strict=True)
        ]
    return list(chain.from_iterable(own for own in values if own is not None))
