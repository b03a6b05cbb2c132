"""The ways through which a log becomes a study, forced on logs of any size: in memory, in batches in place, in batches repartitioned."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from sessionkit.readers import ingest, raw, records
from sessionkit.readers.events import flat_logs
from sessionkit.readers.formats import ubi, ubi_records
from sessionkit.readers.io import xml


def in_batches(patch: pytest.MonkeyPatch, rows: int = 7, scatter: float | None = None, *, held: bool = False) -> None:
    """Treat every log as too large for memory, and cut it into batches of a few records.

    `scatter` is how often groups of records may be read for all batches: with less than 0 every log is repartitioned, with
    infinity none is that has its sessions as text.
    """
    patch.setattr(records, "is_large", lambda *_: True)
    patch.setattr(records, "fits", lambda *_: held)
    patch.setattr(ingest, "needs_batches", lambda *_: True)
    patch.setattr(ingest, "records_within", lambda *_: rows)
    patch.setattr(ingest, "ROW_GROUP", 5)
    patch.setattr(ingest, "OPEN", 2)
    patch.setattr(ingest, "REJECTED_PER_BATCH", 2)
    if scatter is not None:
        patch.setattr(ingest, "SCATTER", scatter)


def in_line_batches(patch: pytest.MonkeyPatch, size: int = 500, room: int = 0) -> None:
    """Sort the lines of flat logs into batches of so many bytes, of which `room` bytes of rows stay in memory."""
    patch.setattr(records, "ENOUGH", 2 * room)
    patch.setattr(flat_logs, "BATCH_BYTES", size)
    patch.setattr(flat_logs, "BLOCK", 50)


def _by_few(patch: pytest.MonkeyPatch, scatter: float, *, held: bool = False) -> None:
    """Take few of everything at a time: records, lines, rows of a part, elements of XML."""
    in_batches(patch, 5, scatter, held=held)
    in_line_batches(patch, 100)
    patch.setattr(ubi, "ROWS", 3)
    patch.setattr(xml, "MANY", 2)
    patch.setattr(raw, "MANY", 3)
    patch.setattr(ubi_records, "BLOCK", 200)


WAYS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "in memory": lambda _: None,
    "in place": partial(_by_few, scatter=float("inf")),
    "repartitioned": partial(_by_few, scatter=-1),
    "cut in memory": partial(_by_few, scatter=-1, held=True),
}
"""What is set for each way, by its name."""
