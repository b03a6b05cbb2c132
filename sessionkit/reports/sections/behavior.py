"""How people searched, by group: queries, results, clicks, times and reformulations; how far they looked, and what effort a gain took."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from sessionkit.charts import discount_fit
from sessionkit.display.numbers import counted, listed
from sessionkit.display.tables import HEADERS, TextTable, table_of
from sessionkit.errors import DataError, MeasureError, UsageError
from sessionkit.reports.choices import NAMED
from sessionkit.reports.figures.figure import Figure, figures, without_condition
from sessionkit.reports.figures.query_steps import effort_figure
from sessionkit.reports.figures.robustness import DRAWS, FITTED, LOOKED
from sessionkit.reports.parts import Part, Words
from sessionkit.reports.report_data import LARGE, Material, StudyQuestion, ask
from sessionkit.reports.sections.section_kind import section
from sessionkit.reports.sections.sessions import queries_table
from sessionkit.robustness.calibrate import calibrate
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.registry import MEASURES
from sessionkit.scoring.needs import columns_read
from sessionkit.scoring.score import score
from sessionkit.sessions.effort import effort
from sessionkit.sessions.timeline import reformulations
from sessionkit.statistics.bands import EVERYONE, grouped_sessions
from sessionkit.statistics.paper_tables import with_unit
from sessionkit.study.counts import MANY, logged_queries

OBSERVED = (
    "Queries", "Results", "UniqueDocs", "Repeats", "RelevantSeen", "Clicks", "DeepestClick", "Abandoned",
    "Duration", "TimeToFirstClick", "Dwell", "QueryTerms", "QueryOverlap",
)  # fmt: skip
"""Measures of behavior, of which those are shown that the log allows."""
GAIN = "nDCG@10"


def observed(of: Material) -> StudyQuestion[pl.DataFrame]:
    """Means of the measures of behavior that the log allows."""
    return ask(score, of.shown, known(of), by=of.choices.by)


def changes(of: Material) -> StudyQuestion[pl.DataFrame]:
    """What became of queries from one to the next."""
    return ask(reformulations, of.shown, GAIN)


@section("behavior-table", "Measures of behavior", of_shown=[observed, changes])
def behavior_table(of: Material) -> list[Part]:
    """Means of behavior by group, and what became of queries from one to the next."""
    means = observed(of).answer()
    known_of = pl.col("value").is_not_null().any().over("measure")
    nowhere = means.filter(~known_of)["measure"].unique(maintain_order=True).to_list()
    if of.study.facts.sessions == 1:
        return [_means(of, means.filter(known_of))]
    parts: list[Part] = [_means(of, means.filter(known_of)), *_drawn(of, "reformulation-flow"), *_steps(of)]
    if nowhere:
        parts.append(Words((f"Without a value in any session: {', '.join(nowhere)}.",)))
    missing = [name for name in OBSERVED if name not in {measure.name for measure in known(of)}]
    if missing:
        parts.append(Words((f"The log does not say what these need: {', '.join(missing)}.",)))
    return [*of.sampled, *parts]


@section("searchers", "How far searchers looked")
def searchers(of: Material) -> list[Part]:
    """The discount of the first measure, fitted to how far searchers looked."""
    if of.study.facts.sessions == 1:
        return []  # one session shows no searchers' habits
    if of.large:
        return [Words((f"Not computed for more than {LARGE:,} sessions.",))]
    try:
        found = calibrate(of.study, of.choices.measure, draws=DRAWS)
        chart = discount_fit(without_condition(found), synthetic=of.choices.synthetic, title=FITTED)
    except (DataError, MeasureError, UsageError) as error:
        return [Words((f"Discounts were not fitted to the searchers: {of.redaction.note(str(error))}.",))]
    caption = (
        f"Share of sessions that look at each rank of each query: as observed, and as the discounts of {of.choices.measure} expect that "
        "are fitted to it. Intervals (95%, Wilson) take sessions to be independent of each other."
    )
    looked = [
        replace(one, caption=LOOKED)
        for one in figures(of.study, of.choices, ["examination-heatmap"])
        if one.chart is not None
    ]
    return [*looked, Figure("discount-fit", FITTED, chart, caption), of.told(found.statements, listed=True)]


@section("effort", "What effort a gain took")
def effort_of_gain(of: Material) -> list[Part]:
    """What it took to gain what the ideal gains."""
    if of.unjudged is not None or of.study.facts.sessions == 1:
        return []
    if of.large:
        return [Words((f"Not computed for more than {LARGE:,} sessions.",))]
    try:
        found = effort(of.study, of.choices.measure, of.choices.by)
    except (DataError, MeasureError, UsageError) as error:
        return [Words((f"No effort was worked out: {of.redaction.note(str(error))}.",))]
    drawn = [] if found.spent.is_empty() else [effort_figure(found, of.study, of.highlighting)]
    return [*drawn, of.told(found.statements, listed=True)]


@section("behavior", "How did people search?", details=(behavior_table, searchers, effort_of_gain))
def behavior(of: Material) -> list[Part]:
    """How many queries sessions have, and what came after each."""
    if not of.study.facts.sessions:
        return []
    if of.study.facts.sessions == 1:
        return [queries_table(of)]
    return [*_longer(of), *_drawn(of, "session-survival")]


def _drawn(of: Material, kind: str) -> list[Part]:
    """A figure, where the log has what it needs."""
    return [one for one in figures(of.shown, of.highlighting, [kind]) if one.chart is not None]


def _longer(of: Material) -> list[Part]:
    """Whether groups differ in queries per session, and which measures that alone can raise."""
    counts = logged_queries(of.study, ["session_id"]).join(grouped_sessions(of.study, of.choices.by), on="session_id")
    means = counts.group_by("group").agg(pl.col(MANY).mean(), pl.len()).sort(MANY, "group", descending=[True, False])
    if means.is_empty():
        return []
    if len(means) == 1:
        return [of.paragraph(_length(counts[MANY]))]
    ends = [f"{mean:.2f} with {of.named(group)} (n = {many:,})" for group, mean, many in means.rows()]
    told = (
        f"Queries per session: {listed(ends)}."
        if len(means) <= NAMED
        else f"Queries per session: from {ends[-1]} to {ends[0]}."
    )
    sums = [str(measure) for measure in of.measures if measure.sums_queries and of.valueless is None]
    if sums and f"{means.item(0, MANY):.2f}" != f"{means.item(-1, MANY):.2f}":
        adds, them = ("adds", "it") if len(sums) == 1 else ("add", "them")
        told += f" {listed(sums)} {adds} up over queries, so that more queries alone can raise {them}."
    return [of.paragraph(told)]


def _length(queries: pl.Series) -> str:
    """How many queries the sessions of one group have."""
    ordered = sorted(queries.to_list())
    half, most = ordered[(len(ordered) - 1) // 2], ordered[-1]
    return f"The median session has {counted(half, 'query')}, the longest {most:,}."


def known(of: Material) -> list[Measure]:
    """The measures of behavior that the log allows."""
    return [measure for name in OBSERVED if (measure := _possible(of, MEASURES[name])) is not None]


def _possible(of: Material, measure: Measure) -> Measure | None:
    """The measure, cut where it must be, if the log has what it needs."""
    asked = measure if "cutoff" not in measure.parameters() or measure.cutoff is not None else measure @ 10
    try:
        columns_read(of.study, [asked])
    except (DataError, MeasureError):
        return None
    return asked


def _means(of: Material, means: pl.DataFrame) -> TextTable:
    """A row per measure, a column per group."""
    column = of.choices.by
    names = means.select(pl.col(column).unique(maintain_order=True)).to_series().to_list()
    wide = means.with_columns(pl.col(column).fill_null("(none)")).pivot(on=column, index="measure", values="value")
    timed = pl.col("measure").replace({name: with_unit(name) for name in wide["measure"]})
    one = of.study.facts.sessions == 1
    note = None if one else "Means over sessions."
    shown = [str(name) if name is not None else "(none)" for name in names]
    headers = {**HEADERS, **{name: of.named(name) for name in shown if of.named(name) != name}}
    headers |= {"(none)": EVERYONE} if shown == ["(none)"] else {}
    caption = "Behavior in the session" if one else "Behavior by group"
    rows = wide.select(timed.alias("measure"), *shown)
    return table_of(caption, rows, headers=headers, note=note, decimals=2)


def _steps(of: Material) -> list[Part]:
    """Reformulations by kind, and what each changed."""
    try:
        steps = changes(of).answer()
    except (DataError, UsageError):
        return []
    if of.choices.by not in steps.columns or steps.is_empty():
        return []
    of_kind = steps.group_by(of.choices.by, "reformulation").agg(
        many=pl.len().cast(pl.Int64), overlap=pl.col("overlap").mean(), change=pl.col("change").mean()
    )
    share = pl.col("many") / pl.col("many").sum().over(of.choices.by)
    shown = of_kind.with_columns(share=share).sort(
        of.choices.by, "many", "reformulation", descending=[False, True, False]
    )
    groups = [of.choices.by] if shown[of.choices.by].count() else []
    means = ["overlap", *(["change"] if shown["change"].count() else [])]
    shown = of.redaction.frame(shown.select(*groups, "reformulation", "many", "share", *means), of.study)
    headers = {
        of.choices.by: of.choices.legend, "reformulation": "Reformulation", "many": "Steps", "share": "Share",
        "overlap": "Mean overlap of terms", "change": f"Mean change of {GAIN}",
    }  # fmt: skip
    note = "From one logged query of a session to the next, by their sets of terms."
    return [table_of("Reformulations", shown, headers=headers, note=note, decimals=3)]
