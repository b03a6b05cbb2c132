"""Commands about values and ranked lists: score, explain, gain-vectors, precision-recall and summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sessionkit.arguments import RowUnit
from sessionkit.cli.options import (
    SESSION,
    AverageOption,
    BandsOption,
    ByOption,
    CacheOption,
    ChartOption,
    ConfidenceOption,
    DrawsOption,
    Engine,
    EngineOption,
    FormatOption,
    MasterOption,
    MeasureArgument,
    MeasuresArgument,
    MemoryOption,
    NormalizeOption,
    OutputOption,
    PerOption,
    SeedOption,
    StudyArgument,
    VerifyOption,
    WhereOption,
    complete_measures,
    condition_of,
    measures_first,
    only_with,
    open_source,
    words,
)
from sessionkit.cli.output import PAPERS, OutputForm, PaperTable, destination
from sessionkit.cli.runner import note, working
from sessionkit.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from sessionkit.study import Study

UNITS = words(RowUnit)


def score(
    study: StudyArgument,
    measures: MeasuresArgument,
    *,
    by: ByOption = "system_id",
    where: WhereOption = None,
    per: PerOption = None,
    wide: Annotated[
        bool,
        typer.Option(
            "--wide",
            help="With --per session: one row per session, with scores and their bounds, counts, and all columns of sessions and users.",
        ),
    ] = False,
    spread: Annotated[
        bool,
        typer.Option(
            "--spread",
            help="Add SD, median, quartiles, minimum, maximum and the shares of sessions at 0 and at 1 to the mean of each group.",
        ),
    ] = False,
    verify: VerifyOption = False,
    memory: MemoryOption = None,
    cache: CacheOption = None,
    engine: EngineOption = Engine.polars,
    master: MasterOption = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Score measures, averaged or per session or query.

    Per group: the group's columns, measure, value (mean over sessions), n (sessions averaged), undefined (sessions
    without a value) and judged (share of the results that are judged). Per session: session_id, system_id, topic_id,
    user_id, measure, value, judged; per query also query_position. --wide has one row per session: for each measure
    its value, lower and upper (bounds under missing judgments) and judged; queries, results, clicks, duration_seconds
    (empty where not logged); all columns of sessions and users. --spread adds sd (n - 1), median,
    q1, q3, min, max, at_zero, at_one (shares of sessions that score exactly 0 and 1) and values, which lists the
    values of a group that has fewer than five, instead of q1 and q3.
    """
    from sessionkit.robustness.session_table import score as scored
    from sessionkit.scoring.score import score_parts

    to = destination(format_, output)
    if engine is Engine.spark and (memory is not None or cache is not None):
        msg = "--memory and --cache do not apply to Spark; set the memory of its workers where they are started"
        raise UsageError(msg)
    if engine is Engine.spark and wide:
        raise UsageError("--wide does not apply to Spark; drop --engine spark")
    if engine is Engine.spark and spread:
        raise UsageError("--spread does not apply to Spark; drop --engine spark")
    if engine is not Engine.spark and master is not None:
        msg = "--master needs --engine spark"
        raise UsageError(msg)
    opened = open_source(study, where)
    if verify:
        require_verified(opened)
    paper = (
        paper_of(
            by,
            "wide" if wide else per,
            measures,
            where,
            opened.settings.labels,
            spread=spread,
            ratings=ratings_of(opened),
        )
        if to.form in PAPERS
        else None
    )
    if engine is Engine.spark:
        from sessionkit.spark.engine import score as score_with_spark

        with working("scoring with Spark"):
            found = score_with_spark(opened, measures, by=by, per=per, master=master)
            to.send(found, condition_of(opened), paper)
        return
    with working("scoring"):
        if wide:
            found = scored(opened, measures, by=by, per=per, wide=True, spread=spread, memory=memory, cache=cache)
            if to.form is OutputForm.table:
                to.send_tables(*session_tables(found))
                return
            to.send(found, condition_of(opened), paper)
            return
        parts = score_parts(opened, measures, by=by, per=per, spread=spread, memory=memory, cache=cache)
        if spread and to.form is OutputForm.table:
            to.send_tables(*spread_tables(next(parts)))
            return
        to.send_parts(parts, condition_of(opened), paper)


def spread_tables(scores: pl.DataFrame) -> tuple[dict[str, pl.DataFrame], dict[str, str]]:
    """Return the two tables in which a terminal shows a spread, which is too wide for one, and their titles."""
    import polars as pl

    from sessionkit.scoring.score import OF_SPREAD

    means = scores.select(pl.exclude(*OF_SPREAD[1:]))
    others = scores.select(pl.exclude(*means.columns[means.columns.index("measure") + 1 :]))
    if others["values"].null_count() == len(others):
        others = others.drop("values")
    titles = {"means": "Means and standard deviations (n - 1) over sessions", "medians": "Medians, quartiles and range"}
    return {"means": means, "medians": others}, titles


def session_tables(table: pl.DataFrame) -> tuple[dict[str, pl.DataFrame], dict[str, str]]:
    """Return the tables in which a terminal shows a table of sessions, too wide for one, and their titles: one per measure, one of counts.

    Parameters
    ----------
    table
        The table of ``sessionkit.score(wide=True)``.
    """
    import polars as pl

    from sessionkit.display.numbers import DECIMALS, interval_cell, number_texts
    from sessionkit.display.tables import known
    from sessionkit.robustness.session_table import IDS, SESSION_COUNTS, measures_in
    from sessionkit.study.schema import table as contract

    ids, tables, titles = known(table.select(IDS)), {}, {}
    values = [measure for measure in measures_in(table) if f"{measure} judged" not in table.columns]
    for measure in measures_in(table):
        if measure not in values:
            ends = [
                number_texts("value", table[f"{measure} {side}"].to_list(), DECIMALS) for side in ("lower", "upper")
            ]
            bounds = pl.Series("bounds", [*map(interval_cell, *ends)], pl.String)
            judged = table[f"{measure} judged"].alias("judged")
            tables[measure] = ids.with_columns(table[measure], *([bounds] if bounds.count() else []), judged)
            titles[measure] = (
                f"{measure} of sessions; bounds: what it could be, whatever the grades of unjudged results"
            )
    declared = {*contract("sessions").by_name, *contract("users").by_name} - {*SESSION_COUNTS}
    names = [name for name in table.columns[table.columns.index("topic_id") + 1 :] if name not in declared]
    names = [name for name in names if name not in table.columns[: table.columns.index(SESSION_COUNTS[0])]]
    counts = table.select("session_id", *values, *(name for name in names if table[name].count() or not len(table)))
    titles["counts"] = "Counts, and columns of sessions and users"
    return {**tables, "counts": counts}, titles


def ratings_of(study: Study) -> list[str]:
    """Return the further columns of sessions with numbers, which a table for a paper has."""
    from sessionkit.study.identifiers import extras_of

    schema = study.sessions.collect_schema()
    return [name for name in extras_of(study)["sessions"] if schema[name].is_numeric()]


def paper_of(
    by: str,
    per: str | None,
    measures: Sequence[str],
    where: str | None,
    labels: Mapping[str, str],
    *,
    spread: bool = False,
    ratings: Sequence[str] = (),
) -> PaperTable:
    """How a paper prints scores: means by group across, a spread and those of sessions and queries as a list."""
    from sessionkit.display.tables import table_of
    from sessionkit.robustness.session_table import measures_in
    from sessionkit.statistics.findings import paper_label
    from sessionkit.statistics.paper_tables import score_table, session_rows_table, spread_table

    if per == "wide":
        label = paper_label("score", {"measures": measures, "per": ["session"], "wide": []}, where)
        return PaperTable(lambda table: session_rows_table(table, measures_in(table), ratings), label, labels)
    options = {"measures": measures} | ({"per": [per]} if per else {} if by == "system_id" else {"by": [by]})
    label = paper_label("score", options | ({"spread": []} if spread else {}), where)
    if per is None:
        return PaperTable(spread_table if spread else score_table, label, labels)
    of = "query" if per == "query" else "session"
    return PaperTable(lambda frame: table_of(f"Scores by {of}", frame, limit=len(frame)), label, labels)


def require_verified(study: Study) -> None:
    """Raise DataError where a study directory is not as it was written."""
    from sessionkit.study import verify_hashes

    with working("verifying"):
        problems = verify_hashes(study)
    if problems:
        more = f" (and {len(problems) - 1} more; see: sessionkit check --verify)" if len(problems) > 1 else ""
        raise DataError(f"{study.path}: {problems[0]}{more}; nothing was scored")


def explain(
    study: StudyArgument,
    measure: MeasureArgument,
    session: Annotated[str, SESSION],
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Show what each result contributes to a session's score.

    One row per result that counts: grade, gain, rank_discount, query_discount, contribution and cumulated. The value is
    the sum of the contributions. Of a normalized measure each was divided by ideal, the gain of the ideal session or query.
    """
    from sessionkit.scoring.explain import explain as explained
    from sessionkit.scoring.measures.grammar import parse_measure

    to = destination(format_, output)
    found = explained(open_source(study), measure, session)
    to.send(found)
    ideals = found["ideal"].drop_nulls().unique().to_list() if "ideal" in found.columns else []
    if any(ideals):
        asked = parse_measure(measure)
        weighted = f", and multiplied by what its query counts in {asked}" if asked.inner != asked else ""
        by_query = "each contribution is divided by the ideal of its query"
        said = by_query if len(ideals) > 1 else f"ideal: {ideals[0]:.4f}; each contribution is divided by it"
        note(f"{said}{weighted}")


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
    from sessionkit.sessions.gain_vectors import gain_vectors as vectors

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
    from sessionkit.sessions.precision_recall import precision_recall as curves

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
    from sessionkit.sessions.precision_recall import summary as counted

    to = destination(format_, output)
    opened: Study = open_source(study, where)
    with working("counting"):
        found = counted(opened, by, cutoff=cutoff, min_grade=min_grade, memory=memory)
    to.send(found, condition_of(opened))
