"""Arguments and options that several commands take, and the study that the first of them names."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_args

import typer

from sessionkit.choices import AnyPopulation, Correction, DrawnUnits, IntervalKind, Test
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


INTERVALS = words(IntervalKind)
UNITS = words(DrawnUnits)
CUTOFF = re.compile(r"@\s*\d+[\s)]*$")
"""A cutoff at the end of a text, with brackets of aggregates behind it."""


def _study_first(source: str) -> str:
    """Return what a STUDY argument names, unless it is a measure in the place of a study."""
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


ColumnsOption = Annotated[
    str,
    typer.Option(
        "--by",
        metavar="COLUMN,...",
        help="Columns of sessions or users that make groups, several joined by commas; all for one group.",
    ),
]
TESTS = words(Test)
POPULATIONS = words(AnyPopulation)
CORRECTIONS = words(Correction)
ByOption = Annotated[
    str,
    typer.Option(
        "--by",
        metavar="COLUMN",
        help="Column of sessions or users that makes the groups, 2 to 20 where they are compared; all for one group where not.",
    ),
]
TestOption = Annotated[
    Word | None,
    typer.Option(
        "--test",
        metavar=TESTS,
        help="Default: the one that the design supports. Units that met every group: t (two groups), tukey (more), wilcoxon where "
        "judgments are varied, randomization in discriminate, which also has bootstrap. Each user once per topic, systems "
        "alternated: least-squares. Different units: welch. In sweep none scores only, which is much faster.",
        show_default=False,
    ),
]
PopulationOption = Annotated[
    Word | None,
    typer.Option(
        "--population",
        metavar=POPULATIONS,
        help="Whom the claim is about: users like these, searching these topics; topics like these; sessions like these. It decides "
        "what the units are. users,topics: a mixed model, of compare alone. Default: users where they met several groups; in "
        "power all that the design supports.",
        show_default=False,
    ),
]
CorrectionOption = Annotated[
    Word,
    typer.Option(
        "--correction",
        metavar=CORRECTIONS,
        help="For many p-values, over all measures and pairs, in sweep within a setting; intervals match. holm finds a little more, "
        "and tells of it the side of 0 only.",
    ),
]
IntervalOption = Annotated[
    Word | None,
    typer.Option(
        "--interval",
        metavar=INTERVALS,
        help="Intervals from draws of units. Default: percentile; of correlations of independent sessions by formula.",
        show_default=False,
    ),
]
SeedOption = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of all draws.")]
DrawsOption = Annotated[
    int,
    typer.Option(
        "--draws", metavar="N", help="Draws at random: of users or sessions, signs, judgments or whole studies."
    ),
]
ConfidenceOption = Annotated[
    float,
    typer.Option(
        "--confidence",
        metavar="SHARE",
        help="Confidence of intervals and tests; a difference is significant where p is at most 1 - SHARE.",
    ),
]
UnitsOption = Annotated[
    Word,
    typer.Option(
        "--units",
        metavar=UNITS,
        help="What is drawn and tested. auto: users where any has several sessions, which are not independent, else sessions.",
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
        help="A study, as the other commands take it; or a file of scores per session, as score --per session writes it, also "
        "with --wide (.csv, .tsv, .jsonl or .parquet).",
        show_default=False,
        callback=_study_first,
    ),
]
MeasureArgument = Annotated[
    str,
    typer.Argument(
        metavar="MEASURE",
        help="Such as 'sDCG@10'; see: sessionkit measures.",
        show_default=False,
        callback=measures_first,
    ),
]
MeasuresArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="MEASURE",
        help="Such as 'nsDCG@10' 'mean(nDCG@10)'; see: sessionkit measures.",
        callback=measures_first,
    ),
]
FormatOption = Annotated[
    OutputForm | None,
    typer.Option(
        "--format",
        help=(
            "How results are written. Default: what the name of the output file ends in, else table on a terminal and tsv "
            "elsewhere. tsv has no quotes: tabs and line ends inside a text are written \\t, \\n and \\r. Text from the log is "
            "never changed otherwise: spreadsheets may take cells that begin with = + - @ for formulas. latex (booktabs) "
            "and markdown are tables for a paper; of a finding the main one. These and table round numbers; all others give every "
            "digit."
        ),
        show_default=False,
    ),
]
OutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output", metavar="FILE", help="Write results to this file, whole or not at all.", show_default=False
    ),
]
MemoryOption = Annotated[
    str | None,
    typer.Option(
        "--memory",
        metavar="SIZE",
        help="Memory to work within, such as 4GB or 500MB, beside about 400 MB for the program itself. Default: a quarter of "
        "the machine's. The log, or the saved study, may be larger.",
        show_default=False,
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
    ),
]
MasterOption = Annotated[
    str | None,
    typer.Option(
        "--master",
        metavar="URL",
        help="The Spark master, such as spark://host:7077, yarn or local[4]. Default: all cores of this machine.",
        show_default=False,
    ),
]
CacheOption = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        metavar="DIR",
        help="Keep in this directory what each partition of a saved study comes to; what is there already is not worked out "
        "again.",
        show_default=False,
    ),
]
TableOption = Annotated[
    str | None,
    typer.Option(
        "--table",
        metavar="NAME",
        help="Only this table. A finding also has provenance: versions, options, and the command that makes it again.",
        show_default=False,
    ),
]
ChartOption = Annotated[
    Path | None,
    typer.Option(
        "--chart",
        metavar="FILE",
        help="Also draw what was found: a file that ends in .svg, .png, .pdf, .html or .json.",
        show_default=False,
    ),
]
WhereOption = Annotated[
    str | None,
    typer.Option(
        "--where",
        metavar="CONDITION",
        help="Only sessions that meet it: SQL over columns of sessions and users, and queries, the number of logged queries. Such "
        "as \"skill = 'novice' and queries >= 2\".",
        show_default=False,
    ),
]
IDS = ("session_id", "user_id", "topic_id", "system_id")
TABLES = {
    ".csv": "read_csv",
    ".tsv": "read_csv",
    ".jsonl": "read_ndjson",
    ".ndjson": "read_ndjson",
    ".parquet": "read_parquet",
}
"""Which function of polars reads a file of scores, by its ending."""
ALL = "all"
"""What ``--by`` calls no grouping."""


def open_source(source: str, where: str | None = None) -> Study:
    """Open what a STUDY argument names, with the sessions that meet a condition alone, and say how many do."""
    opened = _opened(source)
    if where is None:
        return opened
    from sessionkit.study.session_subset import restricted

    chosen = restricted(opened, where)
    note(f"sessions where {chosen.restriction}")
    return chosen


def open_scores(source: str, measures: Sequence[str], where: str | None = None) -> Study | pl.DataFrame:
    """Open what a STUDY|SCORES argument names: a table of scores per session, whole, else a study; see `open_source`."""
    read = TABLES.get(Path(source).suffix.lower())
    if read is None or not Path(source).is_file():
        return open_source(source, where)
    from sessionkit.analysis.compare.session_values import chosen_sessions, column_of

    scores = _table(source, read)
    if scores is None:
        return open_source(source, where)
    holds_scores = {"measure", "value"} <= {*scores.columns} or any(map(CUTOFF.search, scores.columns))
    if not holds_scores and any(column_of(measure, scores.columns) is None for measure in measures):
        return open_source(source, where)
    if where is not None:
        note(f"sessions where {chosen_sessions(scores, where)[1]}")
    return scores


def _table(source: str, read: str) -> pl.DataFrame | None:
    """A file as a table with a row for each session; None where it holds none, or rows of results."""
    import polars as pl

    given: dict[str, Any] = {}
    if "csv" in read:
        given = {"schema_overrides": dict.fromkeys(IDS, pl.String), "infer_schema_length": None}
    if source.lower().endswith(".tsv"):
        given |= {"separator": "\t", "quote_char": None}
    try:
        table: pl.DataFrame = getattr(pl, read)(source, **given)
    except (pl.exceptions.PolarsError, UnicodeDecodeError):
        return None  # the readers of logs say what is wrong with it
    return table if "session_id" in table.columns and "rank" not in table.columns else None


def _opened(source: str) -> Study:
    """Open what a STUDY argument names; for a study directory, which needs no reader, none is imported."""
    with working(f"reading {source}"):
        if (Path(source) / "datapackage.json").exists() or "://" in source:
            from typer._click.globals import get_current_context

            from sessionkit.study import open_study

            study = open_study(source)
            # whatever the command reads of it later, and wherever
            get_current_context().with_resource(study.reading())
            return study
        from sessionkit.readers.read import read

        return read(source)


def grouping(column: str, study: Study) -> str | None:
    """Return the column to group sessions by; None where all are to be one group."""
    columns = (*study.columns("sessions"), *study.columns("users"))
    return None if column == ALL and ALL not in columns else column
