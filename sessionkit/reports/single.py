"""One figure as it is asked for: its measure is drawn or refused, and its options limit the sessions that it shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import altair as alt
import polars as pl

from sessionkit.analysis.groups import grouped_sessions
from sessionkit.charts import colours_of
from sessionkit.charts.registry import CHARTS
from sessionkit.display.labels import printable
from sessionkit.errors import UsageError, suggestion
from sessionkit.reports.choices import choices_of
from sessionkit.reports.figures.figure import Figure, figure
from sessionkit.reports.sample import only
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.grammar import list_measures, parse_measure
from sessionkit.study import Study

USUAL = 4
"""Queries from which on a session is long, unless another number is asked for."""
LIMITS = ("topic", "system", "min_queries")
"""Options that limit the sessions, unless a chart has a place of its own for them."""


def single_figure(
    study: Study,
    kind: str,
    measure: Measure | Sequence[Measure] | None = None,
    *,
    topic: str | None = None,
    system: str | None = None,
    min_queries: int | None = None,
    vary: Mapping[str, object] | None = None,
    by: str = "system_id",
    session: str | None = None,
    with_: Sequence[str] = (),
    against: str | None = None,
    difference: float | str | None = None,
    average: str | None = None,
) -> Figure:
    """Make one figure of this measure, topic, system and least number of queries.

    Parameters
    ----------
    study
        The study.
    kind
        One of `sessionkit.charts.KINDS`.
    measure
        What is drawn, as it is; by default what the chart's entry in `sessionkit.charts.registry` names; several where that names several.
    topic, system, min_queries
        Only sessions of this topic, of this system, with at least so many queries; in topic-curves `min_queries` says
        which sessions are long; in rprecision-histogram `system` is the first of two.
    vary
        Of sweep-map the parameters and their values, see `sessionkit.sweep`; by default b and bq from 1.5 to 10.
    by
        Column of sessions or users to group by.
    session
        The session of waterfall and session-timeline; by default the one with the most queries.
    with_
        Columns or measures that correlation-forest correlates with.
    against
        The second system of rprecision-histogram.
    difference
        The smallest true difference worth finding, for which power-curve plans; see `sessionkit.power`.
    average
        How last-vs-nonlast averages, see `sessionkit.breakdown`; by default ``"sessions"``. ``"queries"`` is the figure of
        ECIR 2008, of sDCG unless a measure is asked for.

    Raises
    ------
    UsageError
        There is no such kind, topic or system, the chart has no such option, no session is left, or the chart cannot draw
        this measure.
    """
    measures = tuple(parse_measure(one) for one in list_measures(measure or ()))
    own = CHARTS[kind].options if kind in CHARTS else ()  # what is no chart is refused by its name
    further: dict[str, object] = {"vary": vary or None, "with": with_ or None, "session": session, "against": against}
    further |= {"difference": difference, "average": average}
    _check(kind, measures, [name for name, value in further.items() if value is not None])
    asked = {"topic": topic, "system": system, "min_queries": min_queries}
    limits = {name: value for name, value in asked.items() if value is not None and name not in own}
    colours = colours_of(grouped_sessions(study, by).get_column("group").to_list())
    limited = _limited(study, **limits) if limits else study  # type: ignore[arg-type]
    places = {name: asked[name] for name in LIMITS if name in own and asked[name] is not None}
    choices = choices_of(limited, by=by, **{"min_queries": USUAL, **places})  # type: ignore[arg-type]
    exact = measures[0] if len(measures) == 1 else None
    choices = replace(choices, exact=exact, colours=colours, measures=measures, vary=vary or {})
    choices = replace(choices, session=session, with_=tuple(with_), pair=(system, against), difference=difference)
    choices = replace(choices, average=average or choices.average)
    made = figure(limited, kind, choices)
    if not limits:
        return made
    words = {"topic": f"topic {topic}", "system": f"{system}", "min_queries": f"at least {min_queries} queries"}
    shown = ", ".join(words[name] for name in limits)
    return replace(made, chart=_under(made, shown), caption=f"{made.caption} Only these sessions: {shown}.")


def _check(kind: str, measures: Sequence[Measure], options: Sequence[str]) -> None:
    """Refuse what this kind of chart has no use for."""
    if kind not in CHARTS:
        return
    several = [name for name, chart in CHARTS.items() if len(chart.measures) > 1]
    if len(measures) > 1 and kind not in several:
        raise UsageError(
            f"{kind} draws one measure, not {len(measures)}; charts that draw several: {', '.join(several)}"
        )
    for option in options:
        having = [name for name, chart in CHARTS.items() if option in chart.options]
        if kind not in having:
            raise UsageError(f"{kind} has no --{option}; charts that have: {', '.join(having)}")


def _limited(
    study: Study, topic: str | None = None, system: str | None = None, min_queries: int | None = None
) -> Study:
    """The study with the sessions alone that are asked for."""
    chosen = grouped_sessions(study, "system_id", min_queries, topic)
    if system is not None:
        present = sorted(set(chosen.get_column("group")))
        if system not in present:
            raise UsageError(f"there is no system {system!r}: {', '.join(present[:20])}{suggestion(system, present)}")
        chosen = chosen.filter(pl.col("group") == system)
    return only(study, chosen.select("session_id"))


def _under(made: Figure, shown: str) -> alt.LayerChart | alt.FacetChart | None:
    """The chart with what it is limited to below its title."""
    if made.chart is None:
        return None
    chart = made.chart.copy()
    below = chart.title.subtitle
    lines = [] if below is alt.Undefined else [below] if isinstance(below, str) else list(below)
    chart.title.subtitle = [printable(shown), *lines] if lines else printable(shown)
    return chart
