"""The four figures of a report, each with its title and a caption that says what was averaged over what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import altair as alt
import polars as pl

from sessionkit.analysis import breakdown, curve, curve_with_stops
from sessionkit.analysis.groups import EVERYONE, grouped_sessions
from sessionkit.charts import KINDS, last_vs_nonlast, session_curve, single_sessions, topic_curves
from sessionkit.charts.single_sessions import MOST
from sessionkit.errors import UsageError, suggestion
from sessionkit.report.choices import Choices, normalised, unnormalised
from sessionkit.study import Study

DEEPEST = 100
"""The rank to which Figure 1 looks, unless no list goes so deep."""
NAMED = 6
"""Groups whose counts a caption gives."""


@dataclass(frozen=True)
class Figure:
    """A figure: its kind, a title, the chart (None where the study does not allow one) and a caption or the reason."""

    kind: str
    title: str
    chart: alt.LayerChart | None
    caption: str


def figure(study: Study, kind: str, choices: Choices) -> Figure:
    """Make one figure.

    Parameters
    ----------
    study
        The study.
    kind
        One of `sessionkit.charts.KINDS`.
    choices
        See `choices_of`.

    Raises
    ------
    UsageError
        There is no such kind, or the study or measure does not allow this figure.
    """
    if kind not in FIGURES:
        raise UsageError(f"there is no chart {kind!r}{suggestion(kind, FIGURES)}; charts: {', '.join(FIGURES)}")
    return FIGURES[kind](study, choices)


def figures(study: Study, choices: Choices) -> list[Figure]:
    """Make all figures; one that the study does not allow has the reason in place of a chart."""
    made = []
    for kind in FIGURES:
        try:
            made.append(figure(study, kind, choices))
        except UsageError as error:
            made.append(Figure(kind, KINDS[kind], None, f"Not drawn: {choices.redaction.note(str(error))}."))
    return made


def _last_vs_nonlast(study: Study, choices: Choices) -> Figure:
    """Figure 1."""
    deepest = study.results.select(pl.col("rank").max()).collect().item() or 1
    measure = choices.measure @ min(DEEPEST, deepest)
    if measure.normalized:
        measure = unnormalised(measure)
    frame = breakdown(study, measure, group=choices.by)
    title = "Last and non-last queries"
    chart = last_vs_nonlast(
        frame,
        measure=str(measure),
        colours=choices.colours,
        synthetic=choices.synthetic,
        title=title,
        legend=choices.legend,
    )
    ends = frame.filter(pl.col("rank") == pl.col("rank").max())
    counts = [f"{row['group']} {row['part']}: {row['n_queries']} in {row['n_sessions']}" for row in ends.to_dicts()]
    caption = (
        f"Mean gain of one query, {measure} cumulated to each rank, for the last query of sessions and for the queries "
        "before it. Every query counts the same; a session of one query has a last query only. Queries and the "
        "sessions "
        f"they are from: {_listed(counts, 2 * NAMED)}."
    )
    return Figure("last-vs-nonlast", title, chart, caption)


def _session_curve(study: Study, choices: Choices) -> Figure:
    """Figure 2."""
    measure = normalised(choices.measure)
    frame = curve(study, measure, choices.by, normalize="each")
    title = "Normalised session curves"
    chart = session_curve(
        frame,
        measure=str(measure),
        colours=choices.colours,
        synthetic=choices.synthetic,
        title=title,
        legend=choices.legend,
    )
    caption = (
        f"Mean of {measure} after every slot of the concatenated Top-{measure.cutoff} lists. Each session is "
        "divided by its "
        "own ideal at that slot and the quotients are averaged; a session that has stopped keeps its gain and "
        "its ideal. "
        f"Sessions: {_sessions(frame)}."
    )
    return Figure("session-curve", title, chart, caption)


def _topic_curves(study: Study, choices: Choices) -> Figure:
    """Figure 3."""
    measure = unnormalised(choices.measure)
    every = curve(study, measure, choices.by, topic=choices.topic, normalize="none")
    try:
        long = curve(study, measure, choices.by, topic=choices.topic, normalize="none", min_queries=choices.min_queries)
    except UsageError:
        long = None  # no session is so long
    title = "Sessions of one topic" if choices.topic is not None else "Sessions of all topics"
    chart = topic_curves(
        every,
        long,
        choices.min_queries,
        measure=str(measure),
        colours=choices.colours,
        synthetic=choices.synthetic,
        title=title,
        legend=choices.legend,
    )
    some = _sessions(long) if long is not None else "none"
    caption = (
        f"Mean of {measure} after every slot, not normalised, for {choices.topic_told}: all sessions "
        f"({_sessions(every)}) and those with at least {choices.min_queries} queries ({some}). Sessions that have "
        "stopped "
        "keep their gain."
    )
    return Figure("topic-curves", title, chart, caption)


def _single_sessions(study: Study, choices: Choices) -> Figure:
    """Figure 4."""
    measure = unnormalised(choices.measure)
    chosen = grouped_sessions(study, choices.by, topic=choices.topic).filter(pl.col("group") == choices.system)
    sessions = chosen.select("session_id").sort("session_id").collect()
    shown = sessions.head(MOST)
    frame = curve_with_stops(_only(study, shown), measure, "session", normalize="none")
    title = "Single sessions and where they stopped"
    chart = single_sessions(
        choices.redaction.sessions(frame, study),
        colour=choices.colours[choices.system],
        measure=str(measure),
        synthetic=choices.synthetic,
        title=title,
    )
    of = "" if choices.system == EVERYONE else f" of {choices.system}"
    which = "Every session" if len(shown) == len(sessions) else f"The first {len(shown)} of {len(sessions)} sessions"
    caption = (
        f"{which}{of} for {choices.topic_told}: {measure} after every slot; {len(shown)} "
        "sessions. A point "
        "marks where the searcher stopped, a number beside it how many did there; dashes hold the gain to the "
        "end of the "
        "longest session."
    )
    return Figure("single-sessions", title, chart, caption)


FIGURES: dict[str, Callable[[Study, Choices], Figure]] = {
    "last-vs-nonlast": _last_vs_nonlast,
    "session-curve": _session_curve,
    "topic-curves": _topic_curves,
    "single-sessions": _single_sessions,
}
"""How each kind of chart is made from a study."""


def _only(study: Study, sessions: pl.DataFrame) -> Study:
    """The study with these sessions alone."""

    def kept(table: pl.LazyFrame) -> pl.LazyFrame:
        return table.join(sessions.lazy(), on="session_id", how="semi")

    return replace(study, sessions=kept(study.sessions), queries=kept(study.queries), results=kept(study.results))


def _sessions(frame: pl.DataFrame) -> str:
    """The number of sessions of every group."""
    counts = frame.group_by("group").agg(pl.col("n").max()).sort("group")
    return _listed([f"{group} {n}" for group, n in counts.rows()], NAMED)


def _listed(items: list[str], most: int) -> str:
    """Some items in a row, the rest counted."""
    return ", ".join(items[:most]) + (f" and {len(items) - most} more" if len(items) > most else "")
