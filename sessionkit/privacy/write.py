"""Writing a pseudonymized study, part by part, to a place from which it can be saved."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl

from sessionkit.privacy.disclosure import Disclosure, notes_of, settings_of, sources_of
from sessionkit.privacy.order import in_new_order
from sessionkit.privacy.tables import Renaming
from sessionkit.study.batches import ROWS, slices
from sessionkit.study.package_reader import open_unhashed
from sessionkit.study.package_writer import rows_within, write_package
from sessionkit.study.partition_folders import by_partition
from sessionkit.study.storage import LOG, Partitioned, Storage, StudyBatch
from sessionkit.study.study import Study
from sessionkit.study.temporary import TemporaryFolder


def written(
    study: Study, renaming: Renaming, known: Disclosure, users: pl.DataFrame, memory: str | int | None
) -> Study:
    """Write the copy to a temporary folder that is there until Python ends; return it as a study of no directory.

    A study that is partitioned stays so, unless the column is gone.
    """
    described = Study(
        users=users.lazy(),
        sessions=study.sessions,
        queries=study.queries,
        results=study.results,
        judgments=renaming.judgments(study).lazy(),
        settings=settings_of(study, renaming.plan),
        sources=sources_of(study),
        reader=study.reader,
        notes=notes_of(study, renaming.plan, known),
        storage=Storage(facts=study.facts),
    )
    rows = rows_within(memory)
    held = TemporaryFolder()
    with held.kept_on_success():
        parts = log_of(study, renaming, rows, held)
        by = None if study.storage.partitioned is None else study.storage.partitioned.by
        if by is not None and not renaming.plan.loses("sessions", by):
            described = replace(described, storage=replace(described.storage, partitioned=Partitioned(by)))
            parts = by_partition(parts, by, rows)
        opened = open_unhashed(write_package(described, held.path / "study", parts, memory=memory))
        shutil.rmtree(held.path / "aside")
    return replace(opened, path=None, storage=replace(opened.storage, package=opened.path, tables=None))


def log_of(study: Study, renaming: Renaming, rows: int, held: TemporaryFolder) -> Iterator[StudyBatch]:
    """The log of the copy in parts of about so many results."""
    facts = study.facts
    many = max(1, -(-(facts.results + facts.queries) // rows))
    aside = held.path / "aside"
    aside.mkdir()
    columns: dict[str, Sequence[str]] = {name: study.columns(name) for name in LOG}
    at_once = min(rows, ROWS) if many > 1 else max(rows, facts.results + facts.queries + facts.sessions)
    parts = slices(study, columns, at_once)
    return in_new_order((renaming.part(part) for part in parts), facts.sessions, many, aside)
