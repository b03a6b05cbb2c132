"""Arguments and options that several commands take, and the study that the first of them names."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from sessionkit.cli.output import OutputForm
from sessionkit.cli.runner import working
from sessionkit.errors import UsageError

if TYPE_CHECKING:
    from sessionkit.study import Study

MeasureTexts = TypeVar("MeasureTexts", str, list[str], list[str] | None)
INTERVALS = "percentile|bca"
UNITS = "auto|users|sessions"
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


SeedOption = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of the draws.")]
ResamplesOption = Annotated[
    int, typer.Option("--resamples", metavar="N", help="Number of draws of users, or of sessions.")
]
ConfidenceOption = Annotated[
    float, typer.Option("--confidence", metavar="SHARE", help="Confidence of intervals, such as 0.95.")
]
UnitsOption = Annotated[
    str,
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
            "never changed otherwise: spreadsheets may take cells that begin with = + - @ for formulas. table rounds numbers; "
            "all others give every digit."
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
PartialsOption = Annotated[
    Path | None,
    typer.Option(
        "--partials",
        metavar="DIR",
        help="Keep in this directory what each partition of a saved study comes to; what is there already is not worked out "
        "again.",
        show_default=False,
    ),
]
TableOption = Annotated[
    str | None, typer.Option("--table", metavar="NAME", help="Only this table.", show_default=False)
]
TopicOption = Annotated[
    str | None, typer.Option("--topic", metavar="TOPIC", help="Only sessions of this topic.", show_default=False)
]
MinQueriesOption = Annotated[
    int | None,
    typer.Option(
        "--min-queries", metavar="N", min=1, help="Only sessions with at least N logged queries.", show_default=False
    ),
]
ALL = "all"
"""What ``--by`` and ``--group`` call no grouping."""


def open_source(source: str) -> Study:
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
