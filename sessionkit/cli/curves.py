"""Commands about averages within sessions: curve, breakdown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sessionkit.arguments import AfterStop, Part, PartAverage, PartContrast
from sessionkit.cli.options import (
    AGAINST,
    GAIN,
    USUAL,
    AverageOption,
    BandsOption,
    ByOption,
    CacheOption,
    ChartOption,
    ConfidenceOption,
    DrawsOption,
    FormatOption,
    IntervalOption,
    MeasureArgument,
    MemoryOption,
    NormalizeOption,
    OutputOption,
    PerOption,
    SeedOption,
    StudyArgument,
    TableOption,
    UnitsOption,
    WhereOption,
    Word,
    condition_of,
    only_with,
    open_source,
    words,
)
from sessionkit.cli.output import PAPERS, PaperTable, destination
from sessionkit.cli.runner import working
from sessionkit.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import polars as pl

    from sessionkit.display.tables import TextTable
    from sessionkit.study import Study

AFTER_STOP = words(AfterStop)
PARTS = words(Part)
TESTED = words(PartContrast)
AVERAGES = words(PartAverage)

CURVES = {
    "none": "Cumulated gain by {}",
    "each": "{}, as a share of the ideal,",
    "averages": "{}, mean gain divided by mean ideal gain,",
}
"""What curves show, by how they are normalized."""


def curve(
    study: StudyArgument,
    measure: MeasureArgument,
    *,
    by: ByOption = "system_id",
    per: PerOption = None,
    where: WhereOption = None,
    normalize: NormalizeOption = None,
    after_stop: Annotated[
        Word,
        typer.Option(
            "--after-stop",
            metavar=AFTER_STOP,
            help="A session that has stopped keeps its gain and its ideal (hold) or leaves the average (null).",
        ),
    ] = "hold",
    bands: BandsOption = False,
    against: Annotated[str | None, AGAINST] = None,
    confidence: ConfidenceOption = 0.95,
    draws: DrawsOption = 5000,
    seed: SeedOption = 0,
    effort: Annotated[
        bool,
        typer.Option(
            "--effort",
            help="Show instead after how many results and queries sessions reach the gain of their ideal at rank r.",
        ),
    ] = False,
    gain: Annotated[float | None, GAIN] = None,
    document_cost: Annotated[
        float,
        typer.Option(
            "--document-cost",
            metavar="COST",
            min=0,
            help="With --effort: cost of looking at a result, in any unit, such as seconds.",
        ),
    ] = 1.0,
    query_cost: Annotated[
        float,
        typer.Option("--query-cost", metavar="COST", min=0, help="With --effort: cost of a query, in the same unit."),
    ] = 0.0,
    chart: ChartOption = None,
    memory: MemoryOption = None,
    cache: CacheOption = None,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Show cumulated gain along sessions, slot by slot.

    Slots are counted along the concatenated Top-X lists of a session, X the cutoff of the measure. One row per group
    and slot: the columns of --by, slot, query_position, rank, value, ideal, n (sessions averaged). With --bands also
    low, high, units, searching (sessions with this query or a later one). With --against a row per pair of groups and slot: a (the
    group given), b, mean_a, mean_b, estimate (b minus a) and its interval, low to high, n_a, n_b, units.

    --effort shows after how many results and queries a session (for a query measure, a list) reaches the gain of its ideal
    at rank r; where the ideal stops rising, a stopping rule; what share of them has a gain (--gain) within so many results, queries
    and minutes; and how many results a searcher looks at who follows the measure's discounts. With --against also after how many
    results the mean curves of the others have the gain of that group's. Tables for --table: reach, against, plateau, spent, searcher,
    chances, reading.
    """
    from sessionkit.sessions.curve import curve as curves
    from sessionkit.sessions.curve import curve_differences
    from sessionkit.sessions.effort import effort as read_across

    to = destination(format_, output, chart)
    differs = against is not None and not effort
    only_with("--bands or --against", bands or differs, confidence=confidence, draws=draws, seed=seed)
    if differs and (bands or per is not None):
        raise UsageError(
            f"--against shows differences of means; {'--bands' if bands else '--per'} is for the curves, without it"
        )
    given = {
        "bands": bands or None,
        "per": per,
        "normalize": normalize,
        "chart": chart,
        "cache": cache,
    }
    given |= {"after-stop": None if after_stop == "hold" else after_stop}
    costs = {
        "gain": gain,
        "document-cost": None if document_cost == 1 else document_cost,
        "query-cost": query_cost or None,
        "table": table,
    }
    refused = [f"--{name}" for name, value in (given if effort else costs).items() if value is not None]
    if refused:
        raise UsageError(f"{', '.join(refused)} cannot be used {'with' if effort else 'without'} --effort")
    opened = open_source(study, where)
    if effort:
        with working("reading curves"):
            found = read_across(
                opened,
                measure,
                by,
                against=against,
                gain=gain,
                document_cost=document_cost,
                query_cost=query_cost,
                memory=memory,
            )
        to.send_finding(found.tables(), found.statements, table, found)
        return
    paper = None
    if to.form in PAPERS:
        from sessionkit.scoring.measures.grammar import parse_measure
        from sessionkit.statistics.paper_tables import curve_difference_table, curve_table

        way = normalize or ("each" if parse_measure(measure).normalized else "none")
        layout = curve_table if against is None else curve_difference_table
        what = CURVES[way].format(measure)
        paper = _paper(
            "curve",
            measure,
            where,
            lambda frame: layout(frame, what, confidence),
            opened.settings.labels,
            **{"by": by, "per": per, "normalize": normalize, "after-stop": after_stop, "bands": bands},
            **{"against": against, "confidence": confidence, "draws": draws, "seed": seed},
        )
    if against is not None:
        with working("drawing"):
            differences = curve_differences(
                opened,
                measure,
                by,
                against=against,
                normalize=normalize,
                after_stop=after_stop,
                confidence=confidence,
                draws=draws,
                seed=seed,
                memory=memory,
                cache=cache,
            )
        if chart is not None:
            from sessionkit.charts import difference_curve

            to.draw(
                difference_curve(
                    differences,
                    measure=measure,
                    synthetic=opened.settings.synthetic,
                    title="Differences along the session",
                    subtitle=condition_of(opened),
                )
            )
        to.send(differences, condition_of(opened), paper)
        return
    if per is not None and chart is not None:
        _require_few_curves(opened, study, measure, chart)
    with working("averaging"):
        frame = curves(
            opened,
            measure,
            by,
            per=per,
            normalize=normalize,
            after_stop=after_stop,
            bands=bands,
            confidence=confidence,
            draws=draws,
            seed=seed,
            memory=memory,
            cache=cache,
        )
    if chart is not None:
        from sessionkit.charts import session_curve
        from sessionkit.scoring.measures.grammar import parse_measure

        share = parse_measure(measure).normalized if normalize is None else normalize != "none"
        to.draw(
            session_curve(
                frame,
                normalized=share,
                measure=measure,
                synthetic=opened.settings.synthetic,
                title="Session curves",
                subtitle=condition_of(opened),
            )
        )
    to.send(frame, condition_of(opened), paper)


def _require_few_curves(study: Study, path: str, measure: str, chart: Path) -> None:
    """Refuse a chart with more curves of single sessions than can be told apart."""
    from sessionkit.charts.encodings import MOST_COLORED

    if study.facts.sessions > MOST_COLORED:
        raise UsageError(
            f"--chart draws at most {MOST_COLORED} curves of single sessions, and there are {study.facts.sessions:,}; draw each "
            f"small: sessionkit chart session-wall {path} '{measure}' --output {chart}"
        )


def breakdown(
    study: StudyArgument,
    measure: MeasureArgument,
    *,
    parts: Annotated[
        Word,
        typer.Option(
            "--parts",
            metavar=PARTS,
            help="Last and non-last queries; query positions; best query and the rest; first and later. With --significance: one or "
            f"more of {TESTED}, joined by commas.",
        ),
    ] = "last",
    average: AverageOption = "sessions",
    by: ByOption = "system_id",
    where: WhereOption = None,
    significance: Annotated[
        bool,
        typer.Option("--significance", help="Test instead whether the parts of a session differ."),
    ] = False,
    bands: BandsOption = False,
    units: UnitsOption = "auto",
    interval: IntervalOption = None,
    confidence: ConfidenceOption = 0.95,
    draws: DrawsOption = 5000,
    seed: SeedOption = 0,
    memory: MemoryOption = None,
    chart: ChartOption = None,
    cache: CacheOption = None,
    table: TableOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Average queries by rank and part of their session.

    One row per group, part and rank: the columns of --by, part, rank, value (cumulated to that rank), n_queries, n_sessions,
    single_query_sessions (how many of these sessions have one query), left_out_single_query and left_out_undefined
    (sessions); with --bands also low, high, units. --significance gives the differences between these means at the cutoff,
    over users if they have several sessions; tables for --table: tests, reading.
    """
    from sessionkit.sessions.breakdown import breakdown as broken_down
    from sessionkit.sessions.breakdown_tests import breakdown_tests

    to = destination(format_, output, chart)
    if significance and chart is not None:
        raise UsageError("--chart draws the table by rank, without --significance")
    if significance and average != "sessions":
        raise UsageError(
            f"--significance compares the parts within sessions; --average {average} is for the table, without it"
        )
    if significance and bands:
        raise UsageError("--bands belongs to the table by rank, without --significance")
    only_with("--significance", significance, table=table, units=units, interval=interval)
    only_with("--significance or --bands", significance or bands, confidence=confidence, draws=draws, seed=seed)
    opened = open_source(study, where)
    if significance:
        with working("testing"):
            found = breakdown_tests(
                opened,
                measure,
                parts,
                by=by,
                units=units,
                interval=interval or "percentile",
                confidence=confidence,
                draws=draws,
                seed=seed,
                memory=memory,
                cache=cache,
            )
        to.send_finding(found.tables(), found.statements, table, found)
        return
    with working("averaging"):
        frame = broken_down(
            opened,
            measure,
            parts,
            average=average or "sessions",
            by=by,
            bands=bands,
            confidence=confidence,
            draws=draws,
            seed=seed,
            memory=memory,
            cache=cache,
        )
    if chart is not None:
        from sessionkit.charts import last_vs_nonlast

        to.draw(
            last_vs_nonlast(
                frame.drop_nulls("value"),
                measure=measure,
                axis="Mean per query",
                synthetic=opened.settings.synthetic,
                title="Parts of sessions",
                subtitle=condition_of(opened),
            )
        )
    paper = None
    if to.form in PAPERS:
        from sessionkit.statistics.paper_tables import breakdown_table

        paper = _paper(
            "breakdown",
            measure,
            where,
            lambda frame: breakdown_table(frame, measure, average or "sessions", confidence),
            opened.settings.labels,
            **{"by": by, "parts": parts, "average": average or "sessions", "bands": bands},
            **{"confidence": confidence, "draws": draws, "seed": seed},
        )
    to.send(frame, condition_of(opened), paper)


def _paper(
    verb: str,
    measure: str,
    where: str | None,
    layout: Callable[[pl.DataFrame], TextTable],
    labels: Mapping[str, str],
    **options: object,
) -> PaperTable:
    """How a paper prints curves, or parts of sessions; the label says which options are not as usual."""
    from sessionkit.statistics.findings import paper_label

    changed = {
        name: [] if value is True else [str(value)] for name, value in options.items() if value != USUAL.get(name)
    }
    return PaperTable(layout, paper_label(verb, {"measures": [measure], **changed}, where), labels)
