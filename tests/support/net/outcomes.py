"""What a call returns, as text: tables with every value exact, accounts, notes, warnings, errors; without places and times."""

from __future__ import annotations

import dataclasses
import hashlib
import math
import re
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

TABLES = ("users", "sessions", "queries", "results", "judgments", "rejected")
WHOLE = 4000
"""Rows of the longest table that is written out; of longer ones the first, and a digest of all."""
FIRST = 20


def outcome(call: Callable[[], Any], home: Path | None = None) -> str:
    """Return what a call returns or raises, and what it warns of.

    Parameters
    ----------
    call
        What is done.
    home
        The folder it works in, whose name is no part of the outcome.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            lines = list(lines_of(call()))
        except Exception as error:  # noqa: BLE001 - whatever it raises is the outcome
            lines = [f"{type(error).__name__}: {error}"]
    lines += [f"{one.category.__name__}: {one.message}" for one in caught]
    return placeless("\n".join(lines) + "\n", home)


def lines_of(found: object) -> Iterator[str]:
    """Give the lines of a study, a table, a finding of tables and words, or anything else by its repr."""
    if isinstance(found, pl.DataFrame):
        yield from table(found)
    elif hasattr(found, "sources") and hasattr(found, "rejected"):
        yield from study(found)
    elif dataclasses.is_dataclass(found):
        for field in dataclasses.fields(found):
            yield f"{field.name}:"
            yield from (f"  {line}" for line in lines_of(getattr(found, field.name)))
    elif isinstance(found, Mapping):
        for key, value in found.items():
            yield f"{key}:"
            yield from (f"  {line}" for line in lines_of(value))
    else:
        yield from str(found).splitlines() if isinstance(found, str) else [repr(found)]


def study(found: Any) -> Iterator[str]:
    """Give everything that a study holds."""
    yield f"reader {found.reader}"
    yield from (f"note: {note}" for note in found.notes)
    for title, values in (("setting", found.settings), ("fact", found.facts)):
        yield from (f"{title} {name} = {value!r}" for name, value in sorted(dataclasses.asdict(values).items()))
    for source in found.sources:
        yield f"source {dataclasses.asdict(source)!r}"
    for name in TABLES:
        frame = found.table(name).collect()
        yield f"table {name}"
        yield from table(frame.select(one for one in frame.columns if not one.startswith("__")))


def table(frame: pl.DataFrame) -> Iterator[str]:
    """Give names and types of the columns, and the rows in their order; every number is exact."""
    yield f"{frame.height} rows: " + ", ".join(f"{name} {dtype}" for name, dtype in frame.schema.items())
    if frame.height > WHOLE:
        yield f"digest {digest(frame)}"
    for row in frame.head(WHOLE if frame.height <= WHOLE else FIRST).iter_rows():
        yield " | ".join(map(exact, row))


def exact(value: object) -> str:
    """Return a value as text that no other value has: of a double, its bits in hex behind what people read."""
    if isinstance(value, float) and math.isfinite(value) and value != int(value):
        return f"{value:.6g} {value.hex()}"
    return repr(value)  # of whole numbers too: 1.0, -0.0


def digest(frame: pl.DataFrame) -> str:
    """Return a digest of all rows: numbers are written as text, shortest and exact, since JSON has no NaN and no infinity."""
    texts = frame.cast({name: _texts(dtype) for name, dtype in frame.schema.items()})
    return hashlib.sha256(texts.write_ndjson().encode()).hexdigest()[:16]


def _texts(dtype: pl.DataType) -> pl.DataType:
    if dtype.is_float():
        return pl.String()
    return pl.List(_texts(dtype.inner)) if isinstance(dtype, pl.List) else dtype


def placeless(text: str, home: Path | None = None) -> str:
    """Return a text without names of folders."""
    for place in [home, home.resolve()] if home else []:
        text = text.replace(str(place), "HOME")
    temporary = re.escape(tempfile.gettempdir())
    return re.sub(rf"{temporary}/[\w.\-/]+", "TMP", text)
