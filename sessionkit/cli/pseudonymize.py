"""The command that makes a copy of a study to pass on: pseudonymize."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sessionkit.cli.command import completing
from sessionkit.cli.data import require_writable, tell_written
from sessionkit.cli.options import (
    OUT,
    SEED,
    FormatOption,
    MemoryOption,
    OutputOption,
    StudyArgument,
    TableOption,
    complete_columns,
    open_source,
)
from sessionkit.cli.output import destination
from sessionkit.cli.runner import tell, working

KEEPABLE = ("users", "sessions", "queries", "judges", "documents", "topics", "systems", "times", "title", "extras")
REPLACEABLE = ("documents", "topics", "systems")
"""What --keep and --replace know by name, beside columns."""


def pseudonymize(
    study: StudyArgument,
    *,
    out: Annotated[Path, OUT],
    keep: Annotated[
        str,
        typer.Option(
            "--keep",
            metavar="NAMES",
            autocompletion=completing(KEEPABLE),
            help=f"Also keep: {', '.join(KEEPABLE)} (all additional columns of the source), or "
            "columns such as condition or sessions.condition; several joined by commas.",
            show_default=False,
        ),
    ] = "",
    replace: Annotated[
        str,
        typer.Option(
            "--replace",
            metavar="NAMES",
            autocompletion=completing(REPLACEABLE),
            help=f"Also replace by pseudonyms: {', '.join(REPLACEABLE)}, or additional columns of the source; several joined by "
            "commas.",
            show_default=False,
        ),
    ] = "",
    drop: Annotated[
        str,
        typer.Option(
            "--drop",
            metavar="COLUMNS",
            autocompletion=complete_columns,
            help="Columns to leave out, such as query_text or age; several joined by commas.",
            show_default=False,
        ),
    ] = "",
    mapping: Annotated[
        Path | None,
        typer.Option(
            "--mapping",
            metavar="FILE",
            help="Write originals and pseudonyms to this file (.csv, .tsv or .parquet), readable only by its owner. Keep it "
            "separate. Without it, the pseudonyms cannot be undone.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int | None, SEED] = None,
    memory: MemoryOption = None,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Copy a study without names and dates, to share it.

    Users, sessions, query texts and ids, and judges become pseudonyms, the same in every table; times of day become seconds
    since the session began. Documents, topics and systems stay, unless one of them repeats a replaced id or text, whatever its
    case, spaces and punctuation: then all are replaced, unless --keep names them. Additional columns of the source stay if they
    are numbers; texts, dates, rejected records, notes, and names and hashes of the source files do not. Scores stay the same,
    except those that read the words of queries. The command prints what was done and what can still identify people: the copy is
    not anonymous. Tables for --table: columns, reading.
    """
    from sessionkit.privacy.placement import require_apart, require_secret
    from sessionkit.privacy.transform import pseudonymize as pseudonymized
    from sessionkit.study.package_writer import is_study

    to = destination(format_, output)
    require_apart(out, Path(study))
    require_writable(out)
    replaced = is_study(out)
    if mapping is not None:
        require_secret(mapping, out)
    opened = open_source(study)
    with working("pseudonymizing"):
        made = pseudonymized(opened, keep=keep, replace=replace, drop=drop, seed=seed, memory=memory)
    with working(f"writing {out}"):
        made.save(out, mapping=mapping, memory=memory)
    to.send_finding({"columns": made.table}, made.reading, table)
    if mapping is not None:
        tell(f"written: {mapping}, which undoes the pseudonyms; keep it separate")
    tell_written(out, replaced=replaced)
