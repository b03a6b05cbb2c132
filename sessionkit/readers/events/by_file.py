"""Rows and counts under the number of their file, as sources and counts under its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import polars as pl

from sessionkit.contract import RECORD
from sessionkit.readers.events.result_lists import FILE, KIND
from sessionkit.readers.io.log_files import LogFile
from sessionkit.readers.raw import Locate, Raw
from sessionkit.readers.records import raw_of


def raws_of(
    name: str,
    rows: pl.LazyFrame,
    files: Sequence[LogFile],
    locates: Sequence[Locate],
    *,
    timezone: str | None,
    base: Mapping[str, int] = MappingProxyType({"query_position": 1, "rank": 1}),
) -> list[Raw]:
    """Return rows of a table as one source for each file and kind of record; `base` as :func:`raw_of` takes it."""
    kinds = rows.group_by(FILE, KIND).len().sort(FILE, KIND).collect().rows()
    private = [column for column in rows.collect_schema().names() if column.startswith("__") and column != RECORD]
    held = [column for column in private if column not in ("__rule", "__value")]
    return [
        replace(
            raw_of(
                files[file],
                name,
                rows.filter(pl.col(FILE) == file, pl.col(KIND) == kind).drop(held),
                kind=kind,
                locate=locates[file],
                timezone=timezone,
                base=base,
            ),
            records=many,
        )
        for file, kind, many in kinds
    ]


def with_names(counts: Mapping[tuple[int, str], int], files: Sequence[LogFile]) -> dict[tuple[str, str], int]:
    """Return counts by the names of files."""
    return {(files[file].name, kind): many for (file, kind), many in counts.items() if many}
