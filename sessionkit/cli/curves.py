"""Commands about averages within sessions: curve, breakdown."""

from __future__ import annotations

from typing import Annotated

import typer

from sessionkit.cli.options import (
    INTERVALS,
    ConfidenceOption,
    FormatOption,
    MeasureArgument,
    MemoryOption,
    MinQueriesOption,
    OutputOption,
    PartialsOption,
    ResamplesOption,
    SeedOption,
    StudyArgument,
    TableOption,
    TopicOption,
    UnitsOption,
    grouping,
    open_source,
)
from sessionkit.cli.output import destination
from sessionkit.cli.runner import working
from sessionkit.errors import UsageError

NORMALIZE = "none|each|averages"
AFTER_STOP = "hold|null"
PARTS = "last|position|best|first"
TESTED = "last|first|best|last-first"
AVERAGES = "sessions|queries"


def curve(
    study: StudyArgument,
    measure: MeasureArgument,
    *,
    by: Annotated[
        str,
        typer.Option(
            "--by", metavar="COLUMN", help="Column to group sessions by; session for each its own; all for one curve."
        ),
    ] = "system_id",
    min_queries: MinQueriesOption = None,
    topic: TopicOption = None,
    normalize: Annotated[
        str | None,
        typer.Option(
            "--normalize",
            metavar=NORMALIZE,
            help="none: mean gain; each: mean of the sessions' own shares of their ideal; averages: mean gain divided by mean "
            "ideal. Default: each for a normalised measure, else none.",
            show_default=False,
        ),
    ] = None,
    after_stop: Annotated[
        str,
        typer.Option(
            "--after-stop",
            metavar=AFTER_STOP,
            help="A session that has stopped keeps its gain and its ideal (hold) or leaves the average (null).",
        ),
    ] = "hold",
    memory: MemoryOption = None,
    partials: PartialsOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Cumulated gain along sessions, slot by slot.

    Slots are counted along the concatenated Top-X lists of a session, X the cutoff of the measure. One row per group
    and slot: group, slot, query_position, rank, value, ideal, n (sessions averaged).
    """
    from sessionkit.analysis.curve import curve as curves

    to = destination(format_, output)
    opened = open_source(study)
    with working("averaging"):
        frame = curves(
            opened,
            measure,
            grouping(by, opened),
            min_queries=min_queries,
            topic=topic,
            normalize=normalize,
            after_stop=after_stop,
            memory=memory,
            partials=partials,
        )
    to.send(frame)


def breakdown(
    study: StudyArgument,
    measure: MeasureArgument,
    *,
    by: Annotated[
        str,
        typer.Option(
            "--by",
            metavar=PARTS,
            help="Last and non-last queries; by query position; best query and the rest; first and later. With --test one or "
            f"several of {TESTED}, joined by commas.",
        ),
    ] = "last",
    average: Annotated[
        str,
        typer.Option(
            "--average",
            metavar=AVERAGES,
            help="sessions: a value per part of each session of two or more queries, averaged over these sessions. queries: all "
            "queries pooled, after ECIR 2008; sessions of one query are then in last, first or best alone.",
        ),
    ] = "sessions",
    group: Annotated[
        str, typer.Option("--group", metavar="COLUMN", help="Column to group sessions by; all for one group.")
    ] = "system_id",
    min_queries: MinQueriesOption = None,
    test: Annotated[
        bool,
        typer.Option("--test", help="Test whether the parts of a session differ, instead: are last queries better?"),
    ] = False,
    units: UnitsOption = "auto",
    interval: Annotated[
        str, typer.Option("--interval", metavar=INTERVALS, help="Intervals of differences from draws of units.")
    ] = "percentile",
    confidence: ConfidenceOption = 0.95,
    resamples: ResamplesOption = 5000,
    seed: SeedOption = 0,
    memory: MemoryOption = None,
    partials: PartialsOption = None,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Mean value of queries by rank, in parts of their sessions.

    One row per group, part and rank: group, part, rank, value (cumulated to that rank), n_queries, n_sessions,
    single_query_sessions (how many of these sessions have one query), left_out_single_query and left_out_undefined
    (sessions). With --test the differences between these means at the cutoff, over users where they have several sessions;
    tables for --table: tests, reading.
    """
    from sessionkit.analysis.breakdown.breakdown import breakdown as broken_down
    from sessionkit.analysis.breakdown.significance_tests import breakdown_tests

    to = destination(format_, output)
    if test and average != "sessions":
        raise UsageError(
            f"--test compares the parts within sessions; --average {average} is for the table, without --test"
        )
    _only_with_test(
        test, table=table, units=units, interval=interval, confidence=confidence, resamples=resamples, seed=seed
    )
    opened = open_source(study)
    of = grouping(group, opened)
    if test:
        with working("testing"):
            found = breakdown_tests(
                opened,
                measure,
                by,
                group=of,
                min_queries=min_queries,
                units=units,
                interval=interval,
                confidence=confidence,
                resamples=resamples,
                seed=seed,
                memory=memory,
                partials=partials,
            )
        to.send_finding(found.tables(), found.reading, table)
        return
    with working("averaging"):
        frame = broken_down(
            opened, measure, by, average=average, group=of, min_queries=min_queries, memory=memory, partials=partials
        )
    to.send(frame)


def _only_with_test(test: bool, **options: object) -> None:
    """Refuse options that say nothing without ``--test``."""
    usual = {
        "table": None, "units": "auto", "interval": "percentile", "confidence": 0.95, "resamples": 5000, "seed": 0
    }  # fmt: skip
    changed = [f"--{name}" for name, value in options.items() if value != usual[name]]
    if changed and not test:
        msg = f"{', '.join(changed)} is about tests; add --test, or leave it out"
        raise UsageError(msg)
