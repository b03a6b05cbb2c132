"""Commands about a study: demo, init, ingest, check, describe, export and pseudonymize."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from math import isfinite, nan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from sessionkit.arguments import MissingPositions, MissingTopics, TrecFile
from sessionkit.cli.command import completing
from sessionkit.cli.options import (
    OUT,
    SEED,
    FormatOption,
    MemoryOption,
    OutputOption,
    StudyArgument,
    TableOption,
    VerifyOption,
    WhereOption,
    Word,
    complete_columns,
    complete_formats,
    open_source,
    words,
)
from sessionkit.cli.output import OutputForm, destination
from sessionkit.cli.runner import DATA, note, tell, working
from sessionkit.display.numbers import counted
from sessionkit.errors import DataError, ReplacedError, UsageError, suggestion, visible

if TYPE_CHECKING:
    import polars as pl

    from sessionkit.study import Study

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
    from sessionkit.readers.read import read
    from sessionkit.sessions.record_accounts import check as checked
    from sessionkit.sessions.record_accounts import heavy_losses
    from sessionkit.study import add_partition
    from sessionkit.study.descriptor import is_study
    from sessionkit.study.package import refuse_to_replace

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
    from sessionkit.sessions.record_accounts import check as checked
    from sessionkit.sessions.record_accounts import heavy_losses

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
        note(str(loss))
    if len(found["rejected"]) or len(found["cells"]):
        raise typer.Exit(DATA)


MEASURES = ("sDCG@10", "nsDCG@10", "mean(nDCG@10)")
DRAWN = ("last-vs-nonlast", "session-curve", "topic-curves", "single-sessions")
"""The figures of ECIR 2008."""


def demo(
    out: Annotated[Path, OUT] = Path("sessionkit-demo"),
) -> None:
    """Show tables, charts and a report of a synthetic study.

    The command ingests a made-up log of thirty searchers, four scenarios and two systems, scores it, and writes the study, four
    figures and a report.
    """
    from sessionkit.readers.read import read

    with working("reading"):
        made = read(clinic_folder() / "study.toml")
        _refuse_foreign(out, made)
        study = made.save(out / "study")
    tables = _tables(study)
    typer.echo(f"{study.settings.title}\nEvery number below comes from made-up data.\n")
    destination(OutputForm.table, None).send_tables(tables, {})
    typer.echo("")
    for path in [out / "study", *_drawings(study, out)]:
        typer.echo(str(path))
    tell(f"open {out / 'report.html'}; more: sessionkit help first-study")


def clinic_folder() -> Path:
    """Return where the clinic study lies: in the wheel, else (editable installs) in the repository."""
    package = Path(__file__).resolve().parents[1]
    shipped = package / "examples" / "clinic"
    return shipped if shipped.is_dir() else package.parent / "examples" / "clinic"


def _tables(study: Study) -> dict[str, pl.DataFrame]:
    """What the demo prints, by title."""
    import polars as pl

    from sessionkit.reports.choices import choices_of
    from sessionkit.scoring.score import score
    from sessionkit.sessions.breakdown import breakdown
    from sessionkit.sessions.describe import describe

    measure = choices_of(study).tested
    parts = breakdown(study, measure)
    ends = parts.filter(pl.col("rank") == pl.col("rank").max())
    lengths = "Sessions by number of queries"
    return {
        f"{lengths} (synthetic)": describe(study).titled_tables()[lengths],
        "Scores by system (synthetic)": score(study, MEASURES, by="system_id"),
        f"{measure} of last and non-last queries, within sessions of two or more (synthetic)": ends,
    }


def _drawings(study: Study, out: Path) -> list[Path]:
    """Write the figures and the report, and return where they are."""
    from sessionkit.charts import save
    from sessionkit.reports import report
    from sessionkit.reports.choices import choices_of
    from sessionkit.reports.figures.figure import figure

    choices = choices_of(study)
    page = out / "report.html"
    with working("drawing"):
        made = [(figure(study, kind, choices).chart, out / f"{kind}.svg") for kind in DRAWN]
        written = [save(chart, path) for chart, path in made if chart is not None]
        report(study, output=page)
    return [*written, page]


def _refuse_foreign(out: Path, study: Study) -> None:
    """Raise UsageError where something stands that no demo has written."""
    from sessionkit.study import open_study

    if out.is_dir():
        if not any(out.iterdir()):
            return
        try:
            ours = open_study(out / "study").settings == study.settings
        except DataError:
            ours = False
        if not ours:
            msg = f"{out} does not hold a demo and was left alone; choose another directory with --out DIR"
            raise UsageError(msg)
    elif out.exists() or out.is_symlink():
        msg = f"{out} is a file, not a directory; choose another with --out DIR"
        raise UsageError(msg)


def init(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="The files of one log, or folders of them; judgments and questionnaires too.",
            show_default=False,
        ),
    ],
    output: OutputOption = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file at --output if it exists.")] = False,
) -> None:
    """Propose a study.toml for these files, with questions.

    The command reads the first 100,000 lines of each file to find its format, its table, its columns and how they spell their
    values. Files with the same columns are one table. Comments that begin with "# ?" ask what the files do not show; check
    lists those that are left. Without --output the proposal is printed and not written. Its paths are relative to the folder of
    --output, else to the current one.
    """
    from sessionkit.readers.propose.propose import propose
    from sessionkit.study.files import require_place, write_whole

    if output is not None:
        require_place(output)
        if output.resolve() in {path.resolve() for path in files}:
            raise UsageError(f"{output} is a file of the log, which is never changed; give another --output")
        if output.exists() and output.is_file() and not force:
            msg = f"{output} already exists and was left alone; give another file, or replace it with --force"
            raise UsageError(msg)
    with working("reading the files"):
        proposal = propose(files, folder=None if output is None else output.parent)
    content = proposal.text.encode()
    if output is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
    else:
        write_whole(output, content)
    asked = counted(len(proposal.questions), "open question")
    first = f"{asked}, in lines that begin with '# ?'" if proposal.questions else "no open questions"
    if output is None:
        again = shlex.join(["sessionkit", "init", *map(str, files), "--output", "study.toml"])
        tell(f"{first}; no file was written. To write it: {again}")
    else:
        to_do = ": answer them" if proposal.questions else ""
        tell(f"{first}{to_do}; then: sessionkit check {shlex.quote(str(output))}")


def describe(
    study: StudyArgument,
    *,
    where: WhereOption = None,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Describe the study before anything is scored.

    Sessions by number of queries, searchers, design, recall base by grade, agreement of judges, judged share, kinds of
    result lists, columns with their values, and which questions the study can answer. Tables for --table: lengths, systems,
    searchers, crossing, recall_base, recall_base_totals, judges, judge_grades, judged, lists, columns, questions, design, reading.
    Without --table, tsv and csv put each table under a line "# name", and jsonl adds a field table.
    """
    from sessionkit.sessions.describe import describe as described

    to = destination(format_, output)
    opened = open_source(study, where)
    with working("describing"):
        found = described(opened)
    tables, people = found.tables(), to.form is OutputForm.table and table is None
    if people:
        tables = {**found.titled_tables(), **found.contents()}
    to.send_finding(tables, found.statements, table, found)
    for loss in () if people else found.losses:
        note(loss)


def export(
    kind: Annotated[
        Word,
        typer.Argument(
            metavar=words(TrecFile),
            help="run: the lists of every query. qrels: the judgments of every query.",
            show_default=False,
        ),
    ],
    study: StudyArgument,
    where: WhereOption = None,
    output: OutputOption = None,
) -> None:
    r"""Write a study as a TREC run or qrels.

    Tools that read files of trec_eval can read it. The id of a query is session_id, an underscore and query_position; the tag is the
    system. Lists keep their scores where these order them as the ranks do, else the score is -rank. Lists without results are not
    in a run. To read both back: ingest --session-from `(?P<session>.+)_(?P<position>\d+)`.
    """
    kinds = get_args(TrecFile)
    if kind not in kinds:
        raise UsageError(f"{kind!r} is not exported{suggestion(kind, kinds)}; it can be {' or '.join(kinds)}")
    from sessionkit.display.numbers import counted
    from sessionkit.study.trec import trec_text

    to = destination(OutputForm.tsv, output)
    opened = open_source(study, where)
    with working(f"exporting {study}"):
        table = opened.to_run() if kind == "run" else opened.to_qrels()
        text = trec_text(table)
    if to.terminal:
        text = "\n".join(map(visible, text.split("\n")))
    to.write(text.encode())
    facts = opened.facts
    if kind == "run" and facts.lists_with_gaps:
        note(f"{counted(facts.lists_with_gaps, 'list')} with gaps in the ranks, which close where lists go by score")
    if kind == "run" and (facts.empty or facts.not_logged):
        note(
            f"lists that are not in the run: {facts.empty:,} empty, {facts.not_logged:,} not logged; tools that read it cannot tell these "
            "apart"
        )
    if kind == "qrels" and facts.judgments and not len(table):
        note("no query has a judgment")


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
    from sessionkit.privacy.pseudonymize import pseudonymize as pseudonymized
    from sessionkit.privacy.report import require_apart, require_secret
    from sessionkit.study.descriptor import is_study

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
    to.send_finding({"columns": made.table}, made.statements, table, finding=type(made).__name__)
    if mapping is not None:
        tell(f"written: {mapping}, which undoes the pseudonyms; keep it separate")
    tell_written(out, replaced=replaced)
