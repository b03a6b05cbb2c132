"""One figure as it is asked for: its measure is drawn or refused, and its options limit the sessions that it shows."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import altair as alt
import polars as pl

from sessionkit.analysis.groups import EVERYONE, grouped_sessions
from sessionkit.charts import colors_of
from sessionkit.charts.canvas import Limits
from sessionkit.charts.print_layout import PrintLayout
from sessionkit.charts.registry import CHARTS
from sessionkit.choices import CurveNormalization, EffortUnit, FigureUnit
from sessionkit.display.labels import label, printable
from sessionkit.errors import DataError, DataWarning, MeasureError, UsageError
from sessionkit.reports.choices import LONG, choices_of
from sessionkit.reports.figures.figure import Figure, figure, require_chart
from sessionkit.reports.figures.one_session import card_limits, pair_limits
from sessionkit.reports.figures.session_wall import wall_limits
from sessionkit.reports.group_labels import labeled
from sessionkit.scoring.columns import measure_of
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.grammar import list_measures
from sessionkit.scoring.score import EVERY, columns_of
from sessionkit.study import Study
from sessionkit.study.restriction import Where
from sessionkit.study.session_counts import session_columns
from sessionkit.study.session_subset import restricted, with_sessions

LIMITS = {"session-card": card_limits, "session-pair": pair_limits, "session-wall": wall_limits}
"""What the scales of charts have to hold that are laid out in pixels."""


@dataclass(frozen=True)
class StudyPart:
    """The sessions of one user or topic.

    Parameters
    ----------
    unit
        ``"user"`` or ``"topic"``.
    value
        Its id in the log.
    sessions
        The ids of its sessions.
    """

    unit: FigureUnit
    value: str
    sessions: pl.Series


def single_figure(
    study: Study,
    kind: str,
    measure: str | Measure | Sequence[str | Measure] | None = None,
    *,
    where: Where = None,
    vary: Mapping[str, object] | None = None,
    by: str = "system_id",
    session: str | None = None,
    sessions: Sequence[str] = (),
    with_: Sequence[str] = (),
    against: str | None = None,
    difference: float | str | None = None,
    average: str | None = None,
    normalize: CurveNormalization | None = None,
    gain: float | None = None,
    along: EffortUnit | None = None,
    long: int | None = None,
    sort: str | None = None,
    part: StudyPart | None = None,
    limits: Limits | None = None,
    size: PrintLayout | None = None,
) -> Figure:
    """Make one figure of this measure.

    Parameters
    ----------
    study
        The study.
    kind
        One of `sessionkit.charts.KINDS`.
    measure
        What is drawn, as it is; by default what the chart's entry in `sessionkit.charts.registry` names; several where that names several.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.
    vary
        Of sweep-map the parameters and their values, see `sessionkit.sweep`; by default b and bq from 1.5 to 10.
    by
        Column of sessions or users to group by; ``"all"`` draws all sessions as one group, where a chart compares no groups.
    session
        The session of waterfall and session-timeline; by default the one with the most queries.
    sessions
        The two sessions of session-pair, of one topic; by default the pair that differs most among those judged alike.
    with_
        Columns or measures that correlation-forest correlates with; of rating-scatter one, the rating.
    against
        The group that rprecision-histogram and difference-curve subtract, by its name in the log or its label; by default the
        first.
    difference
        The smallest true difference worth finding, for which power-curve plans; see `sessionkit.power`.
    average
        How last-vs-nonlast averages, see `sessionkit.breakdown`; by default ``"sessions"``. ``"queries"`` is the figure of
        ECIR 2008, of sDCG unless a measure is asked for.
    normalize
        How session-curve and topic-curves normalize, see `sessionkit.curve`.
    gain
        The gain of effort-gain, see `sessionkit.effort`.
    along
        What of effort-gain was spent: ``"results"`` (the default), ``"queries"`` or ``"minutes"``.
    long
        Queries from which on a session of topic-curves is long.
    sort
        The order of the sessions of session-wall: ``"user"``, ``"score"``, ``"judged"``, ``"queries"`` or a column.
    part
        The user or topic whose sessions are drawn; groups have the colors that they have in figures of all sessions.
    limits
        What the scales of a chart laid out in pixels have to hold, see `common_limits`.
    size
        What the figure is saved for: session-wall puts as many sessions on a sheet as have room.

    Raises
    ------
    UsageError
        There is no such kind, the chart has no such option, no session is left, or the chart cannot draw
        this measure.
    """
    measures = tuple(measure_of(study, one) for one in list_measures(measure or ()))
    require_chart(kind)
    grouped = columns_of(by, session_columns(study))
    if len(grouped) > 1:
        raise UsageError(f"a chart groups by one column, or by all for one group, not by {by}")
    if not grouped:  # charts group by a column: one in which all are alike, to those of sessionkit without a value
        alike = None if isinstance(require_chart(kind).figure, str) else EVERYONE
        study = study.with_tables(sessions=study.sessions.with_columns(pl.lit(alike, pl.String).alias(EVERY)))
    further: dict[str, object] = {
        "vary": vary or None,
        "with": with_ or None,
        "session": session,
        "sessions": sessions or None,
    }
    further |= {
        "against": against,
        "difference": difference,
        "average": average,
        "normalize": normalize,
        "gain": gain,
        "along": along,
        "long": long,
        "sort": sort,
    }
    require_drawn(kind, measures)
    _require_options(kind, [name for name, value in further.items() if value is not None])
    grouping = ["system_id", by]
    colors = colors_of(grouped_sessions(labeled(study, grouping), by).get_column("group").to_list())
    study = _drawn_study(study, where, grouping)
    if part is not None:
        study = with_sessions(study, part.sessions)
    against = None if against is None else study.settings.labels.get(against, against)
    choices = choices_of(study, by=by, long=LONG if long is None else long)
    exact = measures[0] if len(measures) == 1 else None
    choices = replace(choices, exact=exact, colors=colors, measures=measures, vary=vary or {})
    choices = replace(
        choices, session=session, sessions=tuple(sessions), with_=tuple(with_), against=against, difference=difference
    )
    choices = replace(choices, average=average or choices.average, normalize=normalize, gain=gain, along=along)
    choices = replace(choices, sort=sort, limits=limits, size=size or PrintLayout())
    made = figure(study, kind, choices)
    if study.restriction is not None:
        condition = f"where {study.restriction}"
        made = _limited(made, condition, condition)
    if part is None or CHARTS[kind].each == ("topic",):  # a figure of one topic names it already
        return made
    of_part = f"{part.unit} {label(part.value)}"
    return _limited(made, of_part, f"of {of_part}")


def _drawn_study(study: Study, where: Where, grouping: list[str]) -> Study:
    """The sessions that a figure draws, with labels: one study for the figures of a folder, which keeps what they have in common."""

    def restrict_and_label() -> Study:
        return labeled(restricted(study, where), grouping)

    if all(isinstance(text, str) for text in (where or "", *grouping)):  # anything else is refused by what reads it
        return study.memo.once(("drawn study", where, *grouping), restrict_and_label)
    return restrict_and_label()


def common_limits(
    study: Study, kind: str, measure: str | Measure | Sequence[str | Measure] | None = None, *, where: Where = None
) -> Limits | None:
    """Return what the scales of figures of parts of a study have to hold, for a kind that is laid out in pixels.

    It is None for other kinds, and where the study or the measure does not allow such a figure: that one says why.
    """
    if kind not in LIMITS:
        return None
    study = restricted(study, where)
    measures = [measure_of(study, one) for one in list_measures(measure or ())]
    choices = replace(choices_of(study), exact=measures[0] if len(measures) == 1 else None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the figures warn of the same
        try:
            return LIMITS[kind](study, choices)
        except (DataError, MeasureError, UsageError):
            return None


def _limited(made: Figure, shown: str, sessions: str) -> Figure:
    """The figure with a line below its title that says which sessions it is limited to, and a sentence in its caption."""
    chart, *further = [_under(sheet, shown) for sheet in (made.chart, *made.further_sheets)]
    caption = f"{made.caption} Sessions {sessions}."
    return replace(made, chart=chart, further_sheets=tuple(further), caption=caption)


def require_drawn(kind: str, measures: Sequence[str | Measure]) -> None:
    """Refuse several measures of a kind that draws one."""
    if len(measures) > 1 and len(require_chart(kind).measures) < 2:
        several = [name for name, chart in CHARTS.items() if len(chart.measures) > 1]
        raise UsageError(
            f"{kind} draws one measure, not {len(measures)}; charts that draw several: {', '.join(several)}"
        )


def _require_options(kind: str, options: Sequence[str]) -> None:
    """Refuse options that this kind of chart has no use for."""
    for option in options:
        if option not in require_chart(kind).options:
            having = [name for name, chart in CHARTS.items() if option in chart.options]
            raise UsageError(f"{kind} has no --{option}; charts that have: {', '.join(having)}")


def _under(chart: Any, shown: str) -> Any:  # noqa: ANN401  # charts have no common class
    """The chart, if there is one, with what it is limited to below its title."""
    if chart is None:
        return None
    chart = chart.copy()
    below = chart.title.subtitle
    lines = [] if below is alt.Undefined else [below] if isinstance(below, str) else list(below)
    chart.title.subtitle = [printable(shown), *lines] if lines else printable(shown)
    return chart
