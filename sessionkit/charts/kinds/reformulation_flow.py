"""What came after each query of a session, by position: a kind of reformulation, or the end of the session."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.annotations import fading, few_line
from sessionkit.charts.encodings import checked, layered, share_tip, tip, titled, values, with_percents
from sessionkit.charts.theme import FAINT, kind_colors
from sessionkit.display.labels import in_natural_order
from sessionkit.errors import UsageError, suggestion
from sessionkit.statistics.bands import with_groups
from sessionkit.study.tabular import as_polars

SOURCE = "sessionkit.reformulations"
COLUMNS = ("group", "position", "next", "n")
STOPPED, UNKNOWN = "stopped", "unknown"
REFORMULATIONS = ("specialization", "generalization", "substitution", "new", "repeat")
KINDS = {
    **{kind: (kind.capitalize(), shade) for kind, shade in zip(REFORMULATIONS, kind_colors(5), strict=True)},
    UNKNOWN: ("Not logged", "#F7F7F7"),
    STOPPED: ("Session ended", "#D8D8D8"),
}
"""What comes after a query, from the bottom of a bar: its name and color."""
MOST, GROUPS = 10, 8
"""Positions and groups of one figure."""
WIDTH, HEIGHT = 34, 220
"""Width of a position, height of the bars."""
ROOM = 720
"""Width of panels in a row, from which on text is too small where the figure is fitted to a page."""


def reformulation_flow(
    steps: Any,  # noqa: ANN401  # anything tabular
    *,
    by: str = "system_id",
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.FacetChart:
    """Draw what followed each of the first ten queries, as shares of the sessions that reached it.

    The number of sessions stands above each bar; a bar of fewer than 10 is faded. A table of steps names no session that ended: the
    shares are then those of the sessions that asked another query.

    Parameters
    ----------
    steps
        The table of `sessionkit.reformulations`; or group, position (of a query among the logged ones of its session,
        from 1), next (a kind of reformulation, ``"unknown"``, or ``"stopped"``), n (sessions).
    by
        The column of a table of steps that makes the groups.
    synthetic, title, subtitle
        As for `session_curve`.
    width, height
        Of the plot, or of each panel, in pixels.

    Raises
    ------
    UsageError
        A column is missing, there are no rows, or more than 8 groups.
    """
    table = as_polars(steps, SOURCE).collect()
    if "reformulation" in table.columns:
        table = _counts(table, by)
    frame = checked(table, COLUMNS, SOURCE).filter(pl.col("position") <= MOST)
    groups = in_natural_order(frame.get_column("group").unique())
    if len(groups) > GROUPS:
        raise UsageError(f"one figure shows {GROUPS} groups, not {len(groups):,}; filter the frame")
    order = {kind: place for place, kind in enumerate(KINDS)}
    place = pl.col("next").replace_strict(order, default=order[UNKNOWN], return_dtype=pl.Int64)
    whole = pl.col("n").sum().over("group", "position")
    rows = frame.with_columns(place=place, whole=whole).sort("group", "position", "place")
    through = (pl.col("n") / pl.col("whole")).cum_sum().over("group", "position")
    label = pl.col("place").replace_strict(dict(enumerate(name for name, _ in KINDS.values())), return_dtype=pl.String)
    rows = rows.with_columns(kind=label, share=pl.col("n") / pl.col("whole"), to=through)
    rows = rows.with_columns((pl.col("to") - pl.col("share")).alias("from"))
    rows = with_percents(rows.select("group", "position", "kind", "n", "whole", "share", "from", "to"), "share")
    names = [name for name, _ in KINDS.values() if name in set(rows.get_column("kind"))]
    shades = dict(KINDS.values())
    scale = alt.Scale(domain=names, range=[shades[name] for name in names])
    positions = sorted(set(rows.get_column("position")))
    every = KINDS[STOPPED][0] in names
    came = "sessions that reached it" if every else "sessions that asked another query"
    y = alt.Axis(title="Sessions", format="%", tickCount=5)
    x = alt.X(
        field="position",
        type="ordinal",
        axis=alt.Axis(title="After query", labelAngle=0),
        scale=alt.Scale(domain=positions),
    )
    tips = [tip("group", "Group"), tip("position", "After query", "d"), tip("kind", "Next"), tip("n", "Sessions", "d")]
    tips += [share_tip("share", "Share"), tip("whole", f"{came[:1].upper()}{came[1:]}", "d")]
    bars = (
        alt.Chart()
        .mark_bar(stroke="white", strokeWidth=0.5)
        .encode(
            x=x,
            y=alt.Y(field="from", type="quantitative", axis=y, scale=alt.Scale(domain=[0, 1])),
            y2=alt.Y2(field="to"),
            color=alt.Color(field="kind", type="nominal", scale=scale, legend=alt.Legend(title="Next step")),
            opacity=fading("whole"),
            tooltip=tips,
        )
    )
    counts = (
        alt.Chart()
        .mark_text(dy=-6, fontSize=10, color=FAINT)
        .encode(
            x=x,
            y=alt.YValue(0),
            text=alt.Text(field="whole", type="quantitative", aggregate="max", format="d"),
        )
    )
    header = alt.Header(title=None, labelFontSize=12, labelFontWeight=600, labelLimit=240, labelPadding=16)
    faceted = alt.FacetChart(
        data=values(rows),
        spec=layered([bars, counts], width=alt.Step(WIDTH), height=HEIGHT),
        facet=alt.Facet(field="group", type="nominal", header=header),
        columns=_columns(len(groups), len(positions)),
        spacing=24,
    )
    counted = f"Of {came.replace(' it', ' the query')}, whose number is above"
    below = [line for line in (subtitle, counted, few_line(rows.get_column("whole"), "sessions")) if line]
    return titled(faceted, title, below, synthetic, width=width, height=height)


def _columns(groups: int, positions: int) -> int:
    """How many panels stand beside each other; three stand below each other rather than in two rows, where a place is empty.

    >>> _columns(2, 10), _columns(3, 7), _columns(3, 10), _columns(4, 10)
    (2, 3, 1, 2)
    """
    fitting = ROOM // (positions * WIDTH)
    return 1 if fitting < groups == 3 else max(2, min(groups, fitting))


def _counts(steps: pl.DataFrame, by: str) -> pl.DataFrame:
    """Count what came after each query that another one followed."""
    if by not in steps.columns:
        raise UsageError(
            f"the steps have no column {by!r}{suggestion(by, steps.columns)}; columns: {', '.join(steps.columns)}"
        )
    place = pl.col("previous_position").rank("ordinal").over("session_id").cast(pl.Int64)
    went = with_groups(steps, [by]).select("group", position=place, next=pl.col("reformulation").fill_null(UNKNOWN))
    return went.group_by("group", "position", "next").agg(n=pl.len().cast(pl.Int64)).sort("group", "position", "next")
