"""How much memory the records of a log need, estimated before they are read and while they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl

from sessionkit.readers.io.limits import VALUE
from sessionkit.readers.io.log_files import LogFile, is_packed
from sessionkit.readers.raw import Raw

EXPANSION = {"text": 8.0, "ndjson": 3.0, "xml": 2.2, "workbook": 40.0}
"""Bytes of memory for one of a file; XML is mostly tags, which are not kept; a workbook is packed."""
PACKED = 8.0
"""Bytes of text in one of a packed file."""
ENOUGH = 200_000_000
"""Bytes of memory that reading takes at most, however much there is: with more it is little faster."""
FAST = 900_000_000
"""Bytes of memory that batches take at most, however much there is: with more they are no faster."""
AT_ONCE = 4
"""Batches that are in memory at the same time: two being checked, one being written, what is left of a fourth."""
LOOK = 20_000
"""Records whose length is measured."""


def need(file: LogFile) -> float:
    """Return about how many bytes of memory it takes to read the records of a file all at once."""
    if file.kind == "parquet":
        frame = pl.scan_parquet(file.path, glob=False)
        try:
            return float(frame.select(pl.len()).collect().item() * _weight(frame))
        except (pl.exceptions.PolarsError, OSError):  # the reader says what is wrong with it
            return 0.0
    size = file.path.stat().st_size  # that of the text, where it had to be brought into UTF-8
    kind = "xml" if file.head.lstrip().startswith(b"<") else file.kind
    return size * EXPANSION[kind] * (PACKED if is_packed(file.path) else 1)


def fits(files: Iterable[LogFile], budget: int) -> bool:
    """Return whether the records of these files, all read, fit in memory."""
    return sum(need(file) for file in files) <= budget


def is_large(files: Iterable[LogFile], budget: int) -> bool:
    """Return whether these files, read all at once, need more memory than there is or than serves speed."""
    return sum(need(file) for file in files) > min(budget, ENOUGH)


def records_within(budget: int, log: Mapping[str, Raw]) -> int:
    """Return how many records, of all tables together, a batch may have within so many bytes of memory."""
    records = sum(raw.records for raw in log.values())
    weight = sum(raw.records * weight_of(raw) for raw in log.values()) / max(1, records)
    return max(1, int(min(budget, FAST) / AT_ONCE / max(1.0, weight)))


def needs_batches(log: Iterable[Raw], budget: int) -> bool:
    """Return whether a log, put together all at once, needs more memory than there is or than serves speed."""
    return sum(raw.records * weight_of(raw) for raw in log) > min(budget, ENOUGH)


def weight_of(raw: Raw) -> float:
    """Return about how many bytes one record takes while its table is put together, long texts included."""
    return _weight(raw.frame)


def _weight(frame: pl.LazyFrame) -> float:
    """Return the same of a frame."""
    first = frame.head(LOOK).collect()
    return VALUE * len(first.columns) + 2 * first.estimated_size() / max(1, len(first))
