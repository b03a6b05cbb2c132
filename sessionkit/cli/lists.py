"""Commands about ranked lists, every query by itself: gain-vectors, precision-recall, summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sessionkit.cli.options import (
    AverageOption,
    BandsOption,
    ByOption,
    CacheOption,
    ChartOption,
    ConfidenceOption,
    DrawsOption,
    FormatOption,
    MeasureArgument,
    MemoryOption,
    NormalizeOption,
    OutputOption,
    PerOption,
    SeedOption,
    StudyArgument,
    WhereOption,
    complete_measures,
    condition_of,
    measures_first,
    only_with,
    open_source,
)
from sessionkit.cli.output import destination
from sessionkit.cli.runner import working
from sessionkit.errors import UsageError

if TYPE_CHECKING:
    from sessionkit.study import Study


def gain_vectors(
    study: StudyArgument,
    measure: MeasureArgument,
    *,
    by: ByOption = "system_id",
    where: WhereOption = None,
    normalize: NormalizeOption = None,
    bands: BandsOption = False,
    confidence: ConfidenceOption = 0.95,
    draws: DrawsOption = 5000,
    seed: SeedOption = 0,
    chart: ChartOption = None,
    memory: MemoryOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Average the gain of all queries by rank, beside the ideal.

    One row per group and rank: the columns of --by, rank, value (cumulated to that rank), ideal (the same of the best lists
    that the judgments allow; 1 for shares), below_ideal (ideal less value), share_below (that as a share of the ideal), n_queries,
    n_sessions; with --bands also low, high, units. MEASURE is CG, DCG, nCG or nDCG with a cutoff.
    """
    from sessionkit.analysis.gain_vectors import gain_vectors as vectors

    to = destination(format_, output, chart)
    only_with("--bands", bands, confidence=confidence, draws=draws, seed=seed)
    opened = open_source(study, where)
    with working("averaging"):
        frame = vectors(
            opened,
            measure,
            by,
            normalize=normalize,
            bands=bands,
            confidence=confidence,
            draws=draws,
            seed=seed,
            memory=memory,
        )
    if chart is not None:
        import polars as pl

        from sessionkit.charts import gain_vectors as drawn

        named = frame.with_columns(measure=pl.lit(measure))
        to.draw(
            drawn(
                named,
                axis=None if normalize in (None, "none") else "Share of the ideal",
                synthetic=opened.settings.synthetic,
                title="Gain by rank",
                subtitle=condition_of(opened),
            )
        )
    to.send(frame, condition_of(opened))


def precision_recall(
    study: StudyArgument,
    measure: Annotated[
        str,
        typer.Argument(
            metavar="MEASURE",
            help="IPrec11, or gP for generalized precision by generalized recall, with any choices: 'IPrec11(level=2)@100'.",
            autocompletion=complete_measures,
            callback=measures_first,
        ),
    ] = "IPrec11",
    *,
    by: ByOption = "system_id",
    where: WhereOption = None,
    per: PerOption = None,
    average: AverageOption = "queries",
    bands: BandsOption = False,
    confidence: ConfidenceOption = 0.95,
    draws: DrawsOption = 5000,
    seed: SeedOption = 0,
    chart: ChartOption = None,
    memory: MemoryOption = None,
    cache: CacheOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Interpolate precision at recall 0, 0.1, ... 1.

    One row per group and level: the columns of --by, recall, precision, n (queries or topics averaged); with --bands also
    low, high, units. --per query has a row for every query and level. gP is generalized precision as a function of
    generalized recall, in which documents are relevant to the degree of their grade; IPrec11(level=2) is the curve of grade 2 alone.
    """
    from sessionkit.analysis.precision_recall import precision_recall as curves

    to = destination(format_, output, chart)
    only_with("--bands", bands, confidence=confidence, draws=draws, seed=seed)
    if per is not None and chart is not None:
        raise UsageError("--chart draws means, not the curve of every query; leave out --per")
    opened = open_source(study, where)
    with working("averaging"):
        found = curves(
            opened,
            by,
            per=per,
            average=average or "queries",
            measure=measure,
            bands=bands,
            confidence=confidence,
            draws=draws,
            seed=seed,
            memory=memory,
            cache=cache,
        )
    if chart is not None:
        from sessionkit.charts import precision_recall as drawn

        synthetic, said = opened.settings.synthetic, condition_of(opened)
        to.draw(drawn(found, measure=measure, synthetic=synthetic, title="Precision by recall", subtitle=said))
    to.send(found, condition_of(opened))


def summary(
    study: StudyArgument,
    *,
    by: ByOption = "system_id",
    where: WhereOption = None,
    cutoff: Annotated[
        int | None,
        typer.Option("--cutoff", metavar="RANK", min=1, help="Only the first ranks of each list.", show_default=False),
    ] = None,
    min_grade: Annotated[float, typer.Option("--min-grade", metavar="GRADE", help="Lowest relevant grade.")] = 1.0,
    memory: MemoryOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Count queries, documents retrieved and relevant ones.

    One row per group: the columns of --by, topics, sessions, queries, retrieved, relevant, relevant_retrieved, these three summed
    over queries as in trec_eval's num_ret, num_rel and num_rel_ret, and relevant_documents, each counted once for its topic.
    """
    from sessionkit.analysis.summary import summary as counted

    to = destination(format_, output)
    opened: Study = open_source(study, where)
    with working("counting"):
        found = counted(opened, by, cutoff=cutoff, min_grade=min_grade, memory=memory)
    to.send(found, condition_of(opened))
