"""Where a copy and its mapping may lie: apart from the study, and from each other."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from sessionkit.errors import UsageError, suggestion
from sessionkit.study.atomic_files import require_place, whole_file
from sessionkit.study.package_writer import is_study, refuse_to_replace

ENDINGS = (".csv", ".tsv", ".parquet")
"""What the name of a mapping's file may end in."""


def require_apart(out: Path, study: Path | None) -> None:
    """Raise UsageError where a copy would take the place of its study, or lie in it."""
    refuse_to_replace(out)
    if study is None:
        return
    place, own = out.resolve(), study.resolve()
    if place == own or place in own.parents:
        raise UsageError(f"{out} is the study itself, which a copy must not replace; choose another directory")
    if own in place.parents:
        raise UsageError(f"{out} lies in the study {study}; choose a directory outside it")


def require_secret(mapping: Path, out: Path | None = None) -> None:
    """Raise UsageError where a mapping cannot be written, would be passed on with the copy, or replace another one."""
    ending = mapping.suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(
            f"{mapping} ends in {ending or 'nothing'}; a mapping is written as {', '.join(ENDINGS)}{suggestion(ending, ENDINGS)}"
        )
    if out is not None and out.resolve() in mapping.resolve().parents:
        raise UsageError(
            f"{mapping} lies in {out}, which is to be shared; keep the mapping separate: name a file outside it"
        )
    if study := next((folder for folder in mapping.resolve().parents if is_study(folder)), None):
        raise UsageError(
            f"{mapping} lies in the study {study} and would be shared with it; keep the mapping separate: name a file outside it"
        )
    require_place(mapping)
    if os.path.lexists(mapping):  # a link that leads nowhere, too
        raise UsageError(f"{mapping} already exists and may be the only way to undo another copy; choose another name")


@contextmanager
def drafted_mapping(frame: pl.DataFrame, mapping: Path) -> Iterator[None]:
    """Write a mapping, for its owner alone; it takes its place when what is done meanwhile has succeeded."""
    with whole_file(mapping, mode=0o600) as stream:
        if mapping.suffix.lower() == ".parquet":
            frame.write_parquet(stream)
        else:
            frame.write_csv(stream, separator="," if mapping.suffix.lower() == ".csv" else "\t")
        stream.flush()
        os.fsync(stream.fileno())  # a disk that is full says so before the copy takes its place
        yield
