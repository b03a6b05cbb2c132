"""Arguments and options that several commands take, and the study that the first of them names."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_args

import typer

from sessionkit.arguments import (
    AnyPopulation,
    Correction,
    CurveNormalization,
    DrawnUnits,
    IntervalKind,
    PartAverage,
    RowUnit,
    Test,
)
from sessionkit.cli.output import OutputForm
from sessionkit.cli.runner import note, working
from sessionkit.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from sessionkit.study import Study

MeasureTexts = TypeVar("MeasureTexts", str, list[str], list[str] | None)
if TYPE_CHECKING:
    Word = Any
else:
    Word = str
"""A word from the shell: the function behind a command checks it against its choices."""


def words(choice: object) -> str:
    """The words of a set of choices, as help shows them.

    >>> words(IntervalKind)
    'percentile|bca'
    """
    return "|".join(get_args(choice))


SESSIONS, TESTING, RESULTS, RESOURCES = (
    "Which sessions, and groups",
    "Tests and intervals",
    "Results",
    "Memory and engine",
)
"""Panels of the help that options of several commands stand in."""
INTERVALS = words(IntervalKind)
UNITS = words(DrawnUnits)
CUTOFF = re.compile(r"@\s*\d+[\s)]*$")
"""A cutoff at the end of a text, with brackets of aggregates behind it."""


def complete_measures(incomplete: str) -> list[str]:
    """The measures whose names begin as what is typed; a shell asks for them."""
    from sessionkit.scoring.measures.registry import MEASURES

    return [name for name in MEASURES if name.startswith(incomplete)]


def complete_columns(ctx: typer.Context, incomplete: str) -> list[str]:
    """The columns of the saved study that is named before, by which sessions may be grouped; a shell asks for them."""
    source = Path(ctx.args[0] if ctx.args else "")  # not parsed, as the option that is typed has no value yet
    if not (source / "datapackage.json").exists():
        return []
    from sessionkit.statistics.session_values import grouping_columns
    from sessionkit.study import open_study

    before, _, last = incomplete.rpartition(",")
    start = f"{before}," if before else ""
    return [f"{start}{name}" for name in grouping_columns(open_study(source)) if name.startswith(last)]


def complete_columns_and_measures(ctx: typer.Context, incomplete: str) -> list[str]:
    """Both; a shell asks for them."""
    return [*complete_columns(ctx, incomplete), *complete_measures(incomplete)]


def complete_formats(incomplete: str) -> list[str]:
    """The formats of logs whose names begin as what is typed; a shell asks for them."""
    from sessionkit.readers import FORMATS

    return [name for name in FORMATS if name.startswith(incomplete)]


def tables_named(text: str) -> list[str]:
    """The tables that the help of a command names.

    >>> tables_named("Tables for --table: pairs, order (period, carry-over), reading. Its tables: fits.")
    ['pairs', 'order', 'reading', 'fits']
    """
    plain = re.sub(r"\([^)]*\)", "", text)
    lists = re.findall(r"\btables(?:\s+for\s+--table)?:([^.]*)", plain, flags=re.IGNORECASE)
    names = [name.strip() for found in lists for name in re.split(r",|\band\b", found)]
    return list(dict.fromkeys(name for name in names if re.fullmatch("[a-z_]+", name)))


def complete_tables(ctx: typer.Context, incomplete: str) -> list[str]:
    """The tables of a command's result whose names begin as what is typed; a shell asks for them."""
    return [name for name in tables_named(ctx.command.help or "") if name.startswith(incomplete)]


def _study_first(source: str) -> str:
    """Return what a STUDY argument names, unless it is nothing, or a measure in the place of a study."""
    if not source.strip():
        raise UsageError("STUDY is empty; name a study directory, a study.toml or a log file")
    if Path(source).exists() or "://" in source:
        return source
    from sessionkit.scoring.measures.grammar import parse_measure

    try:
        parse_measure(source)
    except UsageError:
        return source
    msg = f"STUDY comes first, then MEASURE: {source} is a measure, and there is no such file"
    raise UsageError(msg)


def measures_first(given: MeasureTexts) -> MeasureTexts:
    """Return what names measures, having refused what names none: before the log is read, which may take long."""
    from sessionkit.scoring.measures.grammar import parse_measure

    for text in [given] if isinstance(given, str) else given or ():
        parse_measure(text)
    return given


def columns_or_measures_first(given: MeasureTexts) -> MeasureTexts:
    """The same where columns may stand too: before the log is read, only what has a cutoff is known to be a measure."""
    texts = [given] if isinstance(given, str) else given or ()
    measures_first([text for text in texts if CUTOFF.search(text)])
    return given


def memory_first(given: str | None) -> str | None:
    """Return a size, having refused what is none: also where nothing is read for which it holds."""
    if given is not None:
        from sessionkit.study.batches import memory_budget

        memory_budget(given)
    return given


TESTS = words(Test)
POPULATIONS = words(AnyPopulation)
CORRECTIONS = words(Correction)
ByOption = Annotated[
    str,
    typer.Option(
        "--by",
        metavar="COLUMN,...",
        autocompletion=complete_columns,
        help="Columns of sessions or users that make groups, or counts such as queries, joined by commas, a name with a comma in "
        "double quotes; all for one group. Where groups are compared: one column, of 2 to 20 values.",
        rich_help_panel=SESSIONS,
    ),
]
PerOption = Annotated[
    Word | None,
    typer.Option("--per", metavar=words(RowUnit), help="Values of each session, or of each query.", show_default=False),
]
NormalizeOption = Annotated[
    Word | None,
    typer.Option(
        "--normalize",
        metavar=words(CurveNormalization),
        help="none: mean gain; each: mean of each session's (or query's) own share of its ideal; averages: mean gain divided by mean "
        "ideal. Default: each for a normalized measure, else none.",
        show_default=False,
    ),
]
AverageOption = Annotated[
    Word | None,
    typer.Option(
        "--average",
        metavar=f"{words(PartAverage)}|topics",
        help="sessions: a value per part of each session of two or more queries, averaged over sessions. queries: all queries "
        "pooled, after ECIR 2008; sessions of one query then count only in last, first or best. topics, of precision-recall: the "
        "queries of each topic averaged first. Default: sessions; of precision-recall, queries.",
        show_default=False,
    ),
]
WITH = typer.Option(
    "--with",
    autocompletion=complete_columns_and_measures,
    metavar="COLUMN|MEASURE",
    help="Ratings or another numeric column of sessions or users, such as performance, or a measure; repeatable.",
    show_default=False,
    callback=columns_or_measures_first,
)
VARY = typer.Option(
    "--vary",
    metavar="NAME=low:high:steps|NAME=value,value",
    help="A parameter of MEASURE and its values: steps from low to high (b=1.5:10:18), or a list (gain=linear,exp2). Repeatable: "
    "every combination is a setting. Parameters: sessionkit measures NAME.",
    show_default=False,
)
DIFFERENCE = typer.Option(
    "--difference",
    metavar="NUMBER|SHARE%",
    help="The smallest true difference worth finding, in the measure's units, or as a share such as 10% of the first group's "
    "mean. Do not use the difference that the study found.",
    show_default=False,
)
GAIN = typer.Option(
    "--gain",
    metavar="GAIN",
    help="The gain that sessions come to. Default: that of one document of the highest grade given.",
    show_default=False,
)
AGAINST = typer.Option(
    "--against",
    metavar="GROUP",
    help="The group that is subtracted from the others: its values are higher where a difference is below 0. With curve --effort: the "
    "group whose mean curve the others are read against. Charts: by default the first.",
    show_default=False,
)
SESSION = typer.Option("--session", metavar="ID", help="The session, by its id.", show_default=False)
OUT = typer.Option("--out", metavar="DIR", help="The directory to write, whole or not at all.")
OUTPUT = typer.Option(
    "--output",
    metavar="FILE",
    help="Write to this file, whole or not at all.",
    show_default=False,
    rich_help_panel=RESULTS,
)
SEED = typer.Option("--seed", metavar="N", help="Seed for all random draws.", rich_help_panel=TESTING)
VerifyOption = Annotated[
    bool,
    typer.Option(
        "--verify",
        help="Compare all files of a study directory with their hashes (without it, tables of up to 64 MB), count again, and name "
        "extra files.",
        is_eager=True,  # known when STUDY is opened, which then need not hash the tables that are verified later
    ),
]
SeedOption = Annotated[int, SEED]
OutputOption = Annotated[Path | None, OUTPUT]
TestOption = Annotated[
    Word | None,
    typer.Option(
        "--test",
        metavar=TESTS,
        help="Default: by the design. Units that met every group: t (two groups), tukey (more), wilcoxon where "
        "judgments are varied, randomization in discriminate, which also has bootstrap. Each user once per topic, systems "
        "alternated: least-squares. Different units: welch. In sweep none scores only, which is much faster.",
        show_default=False,
        rich_help_panel=TESTING,
    ),
]
PopulationOption = Annotated[
    Word | None,
    typer.Option(
        "--population",
        metavar=POPULATIONS,
        help="What the claim generalizes to, and so the units: users like these, with these topics; topics like these; sessions like "
        "these. users,topics: a mixed model, only in compare. Default: users if they met several groups; in power all that the "
        "design supports.",
        show_default=False,
        rich_help_panel=TESTING,
    ),
]
CorrectionOption = Annotated[
    Word,
    typer.Option(
        "--correction",
        metavar=CORRECTIONS,
        help="Correction over all measures and pairs (in sweep, within a setting). Intervals match bonferroni and bh. With holm, which has "
        "a little more power, they are unadjusted, and the adjusted p decides.",
        rich_help_panel=TESTING,
    ),
]
IntervalOption = Annotated[
    Word | None,
    typer.Option(
        "--interval",
        metavar=INTERVALS,
        help="Kind of bootstrap interval. Default: percentile; for correlations of independent sessions, analytic.",
        show_default=False,
        rich_help_panel=TESTING,
    ),
]
DrawsOption = Annotated[
    int,
    typer.Option(
        "--draws",
        metavar="N",
        help="Number of random draws of units, signs, judgments or studies.",
        rich_help_panel=TESTING,
    ),
]
ConfidenceOption = Annotated[
    float,
    typer.Option(
        "--confidence",
        metavar="SHARE",
        help="Confidence of intervals and tests; a difference is significant if p is at most 1 - SHARE.",
        rich_help_panel=TESTING,
    ),
]
BandsOption = Annotated[
    bool,
    typer.Option(
        "--bands",
        help="Add an interval of every mean over users, or over sessions where no user has several: low, high, units.",
        rich_help_panel=TESTING,
    ),
]
UnitsOption = Annotated[
    Word,
    typer.Option(
        "--units",
        metavar=UNITS,
        help="Units to resample and test. auto: users if any has several sessions, else sessions.",
        rich_help_panel=TESTING,
    ),
]
StudyArgument = Annotated[
    str,
    typer.Argument(
        metavar="STUDY",
        help="A study directory or its address (s3://...), a study.toml, or a log that needs no options.",
        show_default=False,
        callback=_study_first,
    ),
]
ScoresArgument = Annotated[
    str,
    typer.Argument(
        metavar="STUDY|SCORES",
        help="A study, as for other commands; or a file of scores that score --per session wrote, with or without --wide (.csv, "
        ".tsv, .jsonl or .parquet).",
        show_default=False,
        callback=_study_first,
    ),
]
MeasureArgument = Annotated[
    str,
    typer.Argument(
        metavar="MEASURE",
        help="Such as 'sDCG@10'; see: sessionkit measures.",
        autocompletion=complete_measures,
        show_default=False,
        callback=measures_first,
    ),
]
MeasuresArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="MEASURE",
        help="Such as 'nsDCG@10' 'mean(nDCG@10)'; see: sessionkit measures.",
        autocompletion=complete_measures,
        callback=measures_first,
    ),
]
MEASURES = typer.Argument(
    metavar="MEASURE",
    help="Such as 'nsDCG@10' 'mean(nDCG@10)'; see: sessionkit measures. Default: see above.",
    autocompletion=complete_measures,
    callback=measures_first,
    show_default=False,
)
"""Measures of a command that has measures of its own."""
FormatOption = Annotated[
    OutputForm | None,
    typer.Option(
        "--format",
        help=(
            "Output format. Default: by the ending of the output file, else table on a terminal and tsv "
            "elsewhere. tsv has no quotes: tabs and line ends inside a text are written \\t, \\n and \\r. Text from the log is "
            "never changed otherwise: spreadsheets may take cells that begin with = + - @ for formulas. The sessions chosen by --where are "
            "named in the metadata of parquet (note), and on stderr, as tsv, csv and jsonl have no place for it. json is one object "
            "with all tables and statements, see: sessionkit schema statements. latex (booktabs) and markdown write the main "
            "table for a paper. These and table round numbers; all others give every "
            "digit."
        ),
        show_default=False,
        rich_help_panel=RESULTS,
    ),
]
MemoryOption = Annotated[
    str | None,
    typer.Option(
        "--memory",
        metavar="SIZE",
        help="Memory limit, such as 4GB or 500MB, in addition to about 400 MB for the program. Default: a quarter of the machine's. "
        "The log or the saved study may be larger.",
        show_default=False,
        callback=memory_first,
        rich_help_panel=RESOURCES,
    ),
]


class Engine(StrEnum):
    """What works the values out."""

    polars = "polars"
    spark = "spark"


EngineOption = Annotated[
    Engine,
    typer.Option(
        "--engine",
        help="polars: this process. spark: a Spark cluster, which must reach the study's directory; the values are the same "
        "bits. Needs the extra: pip install 'sessionkit-ir[spark]'.",
        rich_help_panel=RESOURCES,
    ),
]
MasterOption = Annotated[
    str | None,
    typer.Option(
        "--master",
        metavar="URL",
        help="The Spark master, such as spark://host:7077, yarn or local[4]. Default: all cores of this machine.",
        show_default=False,
        rich_help_panel=RESOURCES,
    ),
]
CacheOption = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        metavar="DIR",
        help="Keep the partial results of each partition of a saved study in this directory, and reuse them while its files are the same.",
        show_default=False,
        rich_help_panel=RESOURCES,
    ),
]
TableOption = Annotated[
    str | None,
    typer.Option(
        "--table",
        metavar="NAME",
        autocompletion=complete_tables,
        help="Only this table. A finding also has provenance: versions, options, and the command that makes it again.",
        show_default=False,
        rich_help_panel=RESULTS,
    ),
]
ChartOption = Annotated[
    Path | None,
    typer.Option(
        "--chart",
        metavar="FILE",
        help="Also save a chart of the result to a file ending in .svg, .png, .pdf, .html or .json.",
        show_default=False,
        rich_help_panel=RESULTS,
    ),
]
WhereOption = Annotated[
    str | None,
    typer.Option(
        "--where",
        metavar="CONDITION",
        help="Only sessions that meet this SQL condition on columns of sessions and users, and on what is counted of every session "
        "(queries, results, clicks, duration_seconds, repeats, empty_queries), such as \"topic_id = 'A' and queries >= 2\".",
        show_default=False,
        rich_help_panel=SESSIONS,
    ),
]
IDS = ("session_id", "user_id", "topic_id", "system_id")
TABLES = {
    ".csv": "scan_csv",
    ".tsv": "scan_csv",
    ".jsonl": "scan_ndjson",
    ".ndjson": "scan_ndjson",
    ".parquet": "scan_parquet",
}
"""Which function of polars reads a file of scores, by its ending."""


def open_source(source: str, where: str | None = None) -> Study:
    """Open what a STUDY argument names, with the sessions that meet a condition alone, and say how many do."""
    if holds_scores(columns_of(source)):
        raise UsageError(
            f"{source} holds scores per session, which compare and power take; give the study that they are scores of"
        )
    opened = _opened(source)
    if where is None:
        return opened
    from sessionkit.study.selection import restricted

    chosen = restricted(opened, where)
    note(f"sessions where {chosen.restriction}")
    return chosen


def condition_of(study: Study) -> str | None:
    """Say which sessions take part, where not all do."""
    return f"Sessions where {study.restriction}" if study.restriction is not None else None


def open_scores(source: str, measures: Sequence[str], where: str | None = None) -> Study | pl.DataFrame:
    """Open what a STUDY|SCORES argument names: a table of scores per session, whole, else a study; see `open_source`."""
    from sessionkit.statistics.session_values import chosen_sessions, column_of

    columns = columns_of(source)
    of_sessions = "session_id" in columns and "rank" not in columns
    named = of_sessions and all(column_of(measure, columns) is not None for measure in measures)
    if not (named or holds_scores(columns)):
        return open_source(source, where)
    scores: pl.DataFrame = _scan(source).collect()
    if where is not None:
        note(f"sessions where {chosen_sessions(scores, where)[1]}")
    return scores


def holds_scores(columns: Sequence[str]) -> bool:
    """Whether these are the columns of a table of scores, as ``score --per session`` writes it, also ``--wide``."""
    tall = {"measure", "value"} <= {*columns}
    wide = "session_id" in columns and any(map(CUTOFF.search, columns))
    return (tall or wide) and "rank" not in columns


def columns_of(source: str) -> list[str]:
    """The columns of a file that may be a table of scores; none of what is no such file, or cannot be read."""
    import polars as pl

    if Path(source).suffix.lower() not in TABLES or not Path(source).is_file():
        return []
    try:
        return _scan(source, types=False).collect_schema().names()
    except (pl.exceptions.PolarsError, UnicodeDecodeError):
        return []  # the readers of logs say what is wrong with it


def _scan(source: str, *, types: bool = True) -> pl.LazyFrame:
    """A file of scores or of sessions, as a table; of CSV all rows are looked at for their types, or none."""
    import polars as pl

    ending, given = Path(source).suffix.lower(), dict[str, Any]()
    if ending in (".csv", ".tsv"):
        given = {"schema_overrides": dict.fromkeys(IDS, pl.String), "infer_schema_length": None if types else 0}
    if ending == ".tsv":
        given |= {"separator": "\t", "quote_char": None}
    table: pl.LazyFrame = getattr(pl, TABLES[ending])(source, **given)
    return table


def _is_moved_aside(source: str) -> bool:
    """Return whether a study was moved aside to be replaced."""
    from sessionkit.study.files import moved_aside

    return not Path(source).exists() and moved_aside(Path(source)) is not None


def _opened(source: str) -> Study:
    """Open what a STUDY argument names; for a study directory, which needs no reader, none is imported."""
    with working(f"reading {source}"):
        if (Path(source) / "datapackage.json").exists() or "://" in source or _is_moved_aside(source):
            from typer._click.globals import get_current_context

            from sessionkit.study.package import open_study, open_unhashed

            context = get_current_context()
            study = (open_unhashed if context.params.get("verify") else open_study)(source)
            # whatever the command reads of it later, and wherever
            context.with_resource(study.explaining_replacement())
            return study
        from sessionkit.readers.read import read

        return read(source)


USUAL = {
    "by": "system_id", "after-stop": "hold", "parts": "last", "average": "sessions", "bands": False,
    "units": "auto", "confidence": 0.95, "draws": 5000, "seed": 0,
}  # fmt: skip
"""Options that have a default."""


def only_with(needed: str, there: bool, **options: object) -> None:
    """Refuse options that say nothing without another."""
    changed = [f"--{name}" for name, value in options.items() if value != USUAL.get(name)]
    if changed and not there:
        msg = f"{', '.join(changed)} needs {needed}; add it, or leave the option out"
        raise UsageError(msg)
