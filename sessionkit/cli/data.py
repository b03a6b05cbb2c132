"""Commands about the data: ingest, check."""

from __future__ import annotations

import os
from collections.abc import Sequence
from math import isfinite, nan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sessionkit.choices import MissingPositions, MissingTopics
from sessionkit.cli.options import (
    OUT,
    FormatOption,
    MemoryOption,
    OutputOption,
    StudyArgument,
    TableOption,
    VerifyOption,
    Word,
    complete_formats,
    open_source,
    words,
)
from sessionkit.cli.output import OutputForm, destination
from sessionkit.cli.runner import DATA, note, tell, working
from sessionkit.display.words import counted
from sessionkit.errors import ReplacedError, UsageError

if TYPE_CHECKING:
    import polars as pl

TITLES = {
    "tables": "Tables",
    "sources": "Sources",
    "rejected": "Rejected records, with the first of each kind",
    "cells": "Values set aside while their rows were kept, with the first of each kind",
    "observed": "Lists by observed depth: measures that look deeper than a list was observed are flagged",
    "notes": "Unusual findings",
    "hashes": "Files changed since they were written",
}


def ingest(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="SOURCE...", help="A study.toml, or the files or folders of a log."),
    ],
    *,
    out: Annotated[Path, OUT],
    from_: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FORMAT",
            autocompletion=complete_formats,
            help="The log's format; see: sessionkit formats. Default: what study.toml says, else what the log looks like.",
            show_default=False,
        ),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="FILE", help="A study.toml that describes SOURCE.", show_default=False),
    ] = None,
    judgments: Annotated[
        list[Path] | None,
        typer.Option("--judgments", metavar="FILE", help="Additional judgments; repeatable.", show_default=False),
    ] = None,
    grade_values: Annotated[
        str | None,
        typer.Option(
            "--grade-values",
            metavar="WORD=GRADE,...",
            help="What grades that are words are worth, such as Exact=2,Partial=1,Irrelevant=0.",
            show_default=False,
        ),
    ] = None,
    topics: Annotated[
        Path | None,
        typer.Option(
            "--topics-file", metavar="FILE", help="Topics or tasks, for formats that take them.", show_default=False
        ),
    ] = None,
    session_gap: Annotated[
        str | None,
        typer.Option(
            "--session-gap",
            metavar="TIME",
            help="Inactivity that ends a session, such as 30m, 1h or seconds, for formats without sessions.",
            show_default=False,
        ),
    ] = None,
    session_from: Annotated[
        str | None,
        typer.Option(
            "--session-from",
            metavar="PATTERN",
            help=r"Of runs whose query ids hold session and position (31_1): a regular expression with groups of these names, such as "
            r"`(?P<session>.+)_(?P<position>\d+)`. A query_map in study.toml does it by a table.",
            show_default=False,
        ),
    ] = None,
    missing_positions: Annotated[
        Word | None,
        typer.Option(
            "--missing-positions",
            metavar=words(MissingPositions),
            help="What became of queries whose position is missing in its session (1, 2, 4): they returned nothing, or their list "
            "was not logged. Default: what study.toml says, else no query in runs, not_logged elsewhere.",
            show_default=False,
        ),
    ] = None,
    exclude: Annotated[
        Path | None,
        typer.Option(
            "--exclude",
            metavar="FILE",
            help="Documents to leave out of the lists, judgments and ideals: a table with the columns judgment_key and doc_id, or these "
            "two fields a line. Lower ranks move up.",
            show_default=False,
        ),
    ] = None,
    exclude_query_doc: Annotated[
        bool,
        typer.Option(
            "--exclude-query-doc",
            help="Leave out, for each judgment_key, the document with the same id, as BEIR ignores identical ids.",
        ),
    ] = False,
    missing_topics: Annotated[
        Word | None,
        typer.Option(
            "--missing-topics",
            metavar=words(MissingTopics),
            help="What becomes of judged topics, and of sessions of a query_map, that a run has no line of: omit leaves them out, zero "
            "adds them with empty lists, as trec_eval -c does. Default: what study.toml says, else zero with a query_map, omit without.",
            show_default=False,
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at the first record or value that breaks a rule, and write nothing.")
    ] = False,
    partition_by: Annotated[
        str | None,
        typer.Option(
            "--partition-by",
            metavar="COLUMN",
            help="A column of the sessions, such as system_id; each of its values gets its own folder.",
            show_default=False,
        ),
    ] = None,
    partition: Annotated[
        str | None,
        typer.Option(
            "--partition",
            metavar="COLUMN=VALUE",
            help="Add the log to the study at --out as this partition, such as date=2026-11-24; an existing one is replaced.",
            show_default=False,
        ),
    ] = None,
    memory: MemoryOption = None,
) -> None:
    """Read a log and its judgments into a checked study.

    The command prints what was read, kept and rejected. A record that breaks a rule goes to the study's table rejected,
    with the rule and the value. So does a value that breaks a rule in an optional column: its row stays, with the value
    missing.
    """
    from sessionkit.analysis.record_accounts import check as checked
    from sessionkit.analysis.record_accounts import heavy_losses
    from sessionkit.readers.read import read
    from sessionkit.study import add_partition
    from sessionkit.study.package_writer import is_study, refuse_to_replace

    if partition is not None and partition_by is not None:
        msg = "--partition adds to a partitioned study, --partition-by writes a new one; give one of them"
        raise UsageError(msg)
    column, value = _partition(partition)
    grades = _grades(grade_values)
    refuse_to_replace(out)
    require_outside([*sources, *(judgments or []), *filter(None, (topics, config, exclude))], out)
    require_writable(out)
    replaced = column is None and is_study(out)
    with working(f"reading {sources[0]}"):
        study = read(
            sources if len(sources) > 1 else sources[0],
            format=from_,
            config=config,
            judgments=judgments or [],
            grade_values=grades,
            topics=topics,
            session_gap=session_gap,
            session_from=session_from,
            missing_positions=missing_positions,
            exclude=exclude,
            exclude_query_doc=exclude_query_doc,
            missing_topics=missing_topics,
            strict=strict,
            memory=memory,
        )
    with working(f"writing {out}"):
        if column is None:
            saved = study.save(out, partition_by=partition_by, memory=memory)
        else:
            saved = add_partition(out, study, column, value, memory=memory)
    try:
        tables, losses = _shown(checked(saved)), heavy_losses(saved)
    except ReplacedError:
        tell_written(out, replaced=replaced)
        note(f"another process has replaced {out} since; see: sessionkit check {out}")
        return
    destination(OutputForm.table, None).send_tables(tables, TITLES)
    tell_written(out, replaced=replaced)
    for loss in losses:
        note(f"{loss}; sessionkit check says why")


def _shown(found: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Return what people are shown: tables that have rows; of sources only those kinds of account that there are."""
    shown = {name: frame for name, frame in found.items() if name == "tables" or len(frame)}
    if "sources" in shown:
        sources = shown["sources"]
        idle = [name for name in ("kind", "merged", "idle") if not any(sources[name].to_list())]
        shown["sources"] = sources.drop(idle)
    return shown


def _grades(given: str | None) -> dict[str, float]:
    """Return the grades of a ``WORD=GRADE,WORD=GRADE``."""
    grades: dict[str, float] = {}
    for one in given.split(",") if given is not None else []:
        word, _, text = one.rpartition("=")
        word = word.strip()
        try:
            grade = float(text)
        except ValueError:
            grade = nan
        if not word or word in grades or not isfinite(grade):
            msg = (
                f"--grade-values is {given!r}; give words, each once, and their grades, such as "
                "Exact=2,Partial=1,Irrelevant=0 (words with commas: grade_values of [judgments] in study.toml)"
            )
            raise UsageError(msg)
        grades[word] = grade
    return grades


def _partition(given: str | None) -> tuple[str | None, str]:
    """Return column and value of a ``COLUMN=VALUE``."""
    column, equals, value = (given or "").partition("=")
    if given is not None and not (column and equals and value):
        msg = f"--partition is {given!r}; give a column and a value, such as date=2026-11-24"
        raise UsageError(msg)
    return (column, value) if given is not None else (None, "")


def require_outside(sources: Sequence[str | Path], out: Path) -> None:
    """Raise UsageError where something that is to be read would be replaced."""
    place = out.resolve()
    for source in sources:
        own = Path(source).resolve()
        if own == place or place in own.parents:
            raise UsageError(f"{source} lies in {out}, which would be replaced; choose another directory for --out")


def require_writable(directory: Path) -> None:
    """Raise UsageError, before anything is read, where a directory cannot be written."""
    place = directory.resolve().parent
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
        reason = "cannot be written" if place.is_dir() else "is not a directory"
        raise UsageError(f"cannot write {directory}: {place} {reason}; choose a directory that can be written")


def tell_written(directory: Path, *, replaced: bool) -> None:
    """Say where a study is, and whether another one stood there."""
    tell(f"written: {directory}{', in place of the study that was there' if replaced else ''}")


LEFT = 12
"""Questions of a study.toml that are shown."""


def _tell_what_is_left(source: str) -> None:
    """Say which questions of a study.toml have not been answered: the lines in which init asked them stand."""
    path = Path(source)
    if path.suffix.lower() != ".toml" or not path.is_file():
        return
    from sessionkit.readers.propose.proposal import left_to_answer

    left = left_to_answer(path.read_text(encoding="utf-8", errors="replace"))
    if left:
        note(
            f"{source} leaves {counted(len(left), 'question')} to answer; delete each line that begins with '# ?' when it is"
        )
    for question in left[:LEFT]:
        tell(f"  {question}")


def check(
    study: StudyArgument,
    verify: VerifyOption = False,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Show errors and unusual data, and their effect on scores.

    The command works on a study and on a source not yet ingested; of a study.toml it lists the questions that init left in
    it. Exit status 1 if a record was rejected, a value set aside or a file changed. Tables for --table: tables, sources,
    rejected, cells, observed, notes and, with --verify, hashes. If --verify finds a study changed, only hashes is shown,
    because the other tables cannot be trusted.
    """
    from sessionkit.analysis.record_accounts import check as checked
    from sessionkit.analysis.record_accounts import heavy_losses

    to = destination(format_, output)
    _tell_what_is_left(study)
    opened = open_source(study)
    with working(f"checking {study}"):
        found = checked(opened, verify=verify)
    if "tables" not in found:
        to.send_tables(found, TITLES if to.form is OutputForm.table else {}, "hashes" if table else None)
        raise typer.Exit(DATA)
    if to.form is OutputForm.table and table is None:
        to.send_tables(_shown(found), TITLES)
        if verify:
            tell("nothing has changed since it was written")
    else:
        to.send_tables(found, {}, table)
    for loss in heavy_losses(opened):
        note(loss)
    if len(found["rejected"]) or len(found["cells"]):
        raise typer.Exit(DATA)
