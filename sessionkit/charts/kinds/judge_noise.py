"""What judges' errors do to differences: how often another system wins, or the verdict changes, by how far systems are apart."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.encodings import (
    checked,
    drawn_of,
    in_order,
    layered,
    line_below,
    share_tip,
    tip,
    titled,
    values,
    with_percents,
)
from sessionkit.charts.theme import ACCENT, FAINT, INK
from sessionkit.display.labels import printable_column
from sessionkit.display.numbers import capital, short_share_text
from sessionkit.errors import UsageError

SOURCE = "sessionkit.judge_noise"
COLUMNS = ("measure", "a", "b", "difference", "low", "high", "winner_changes", "verdict_changes")
KINDS = {"winner_changes": "another winner", "verdict_changes": "another verdict"}
MINUS = " \u2212 "
CHANGES = "Percent: draws that change the winner, and the verdict"
MOST = 8
"""Panels that one figure holds."""
FEW = 12
"""Differences up to which each has a row of its own."""
WIDTH, HEIGHT, ROW = 210, 84, 26
"""Size of a panel; height of a row."""
LEAST = 0.1
"""The least share to which the axis goes."""


def judge_noise(
    pairs: Any,  # noqa: ANN401  # anything tabular
    *,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.FacetChart:
    """Draw the difference of every pair with its range over draws, and the share of draws with another outcome.

    Up to 12 differences have a row each with the shares; a line spans the middle 95% of the differences in the draws, and where it
    crosses 0, another system may win. More differences are points by their size, measures below each other, another winner at the
    left and another verdict at the right.

    Parameters
    ----------
    pairs
        What `sessionkit.judge_noise` found, or its ``table``: measure, a, b, difference, low, high, winner_changes, verdict_changes.
    synthetic, title, subtitle
        As for `session_curve`.
    width, height
        Of the plot, or of each panel, in pixels.

    Raises
    ------
    UsageError
        A column is missing, no difference is known, or more than 8 measures.
    """
    frame = checked(drawn_of(pairs, "table", SOURCE), COLUMNS, SOURCE).filter(pl.col("difference").is_not_null())
    if frame.is_empty():
        raise UsageError("there is nothing to draw: no pair has a difference with the original judgments")
    frame = frame.with_columns(printable_column(name) for name in ("measure", "a", "b"))
    panels = frame.get_column("measure").unique(maintain_order=True).to_list()
    if len(panels) > MOST:
        raise UsageError(f"one figure of judges' noise holds {MOST} measures, not {len(panels)}; draw fewer at once")
    ahead = pl.col("difference") >= 0
    pair = pl.when(ahead).then(pl.concat_str("b", pl.lit(MINUS), "a")).otherwise(pl.concat_str("a", pl.lit(MINUS), "b"))
    turned = frame.with_row_index("place").select(
        "place",
        "measure",
        *KINDS,
        pair=pair,
        difference=pl.col("difference").abs(),
        low=pl.when(ahead).then("low").otherwise(-pl.col("high")),
        high=pl.when(ahead).then("high").otherwise(-pl.col("low")),
    )
    said = line_below(pairs, subtitle)
    lines = [said] if said else []
    if len(turned) <= FEW:
        names = turned.get_column("pair").unique().to_list()
        lines += [
            *(names if len(names) == 1 else []),
            "Diamond: original judgments; line: middle 95% of draws",
            CHANGES,
        ]
        return titled(_rows(turned, len(names) > 1), title, lines, synthetic, width=width, height=height)
    lines += ["Across: difference with the original judgments; up: share of draws"]
    return titled(_panels(turned), title, lines, synthetic, width=width, height=height)


def _rows(turned: pl.DataFrame, several: bool) -> alt.FacetChart:
    """A row for each difference."""
    name = pl.concat_str("measure", pl.lit(": "), "pair") if several else pl.col("measure")
    percent = {
        kind: pl.format(
            "{} {}", pl.lit(words.split()[-1]), pl.col(kind).map_elements(short_share_text, pl.String).fill_null("-")
        )
        for kind, words in KINDS.items()
    }
    rows = turned.select("place", "difference", "low", "high", "pair", row=name, **percent)
    axis = alt.Axis(title=None, tickCount=5, grid=True)
    tips = [tip("row", "Measure"), tip("pair", "Pair"), tip("difference", "Original", ".4f")]
    tips += [tip("low", "Draws from", "+.4f"), tip("high", "to", "+.4f")]
    tips += [tip(kind, f"Draws with {words}") for kind, words in KINDS.items()]
    x = alt.X(field="difference", type="quantitative", axis=axis)
    layers = [
        alt.Chart().mark_rule(color=FAINT, strokeDash=[4, 3]).encode(x=alt.XDatum(0)),
        alt.Chart()
        .mark_rule(strokeWidth=2, color=ACCENT)
        .encode(x=alt.X(field="low", type="quantitative", axis=axis), x2=alt.X2(field="high"), tooltip=tips),
        alt.Chart().mark_point(size=80, filled=True, color=ACCENT, shape="diamond").encode(x=x, tooltip=tips),
        *(
            alt.Chart()
            .mark_text(align="left", dx=10, dy=down, fontSize=10, color=INK)
            .encode(x=alt.XValue("width"), text=alt.Text(field=kind, type="nominal"))
            for kind, down in zip(KINDS, (-6, 6), strict=True)
        ),
    ]
    head = alt.Header(title=None, labelAngle=0, labelAlign="left", labelAnchor="middle", labelLimit=260, labelPadding=6)
    faced: alt.FacetChart = (
        layered(layers, data=values(rows))
        .properties(height=ROW)
        .facet(row=alt.Row(field="row", type="nominal", sort=in_order(), header=head), spacing=8)
        .resolve_scale(x="independent")
    )
    return faced


def _panels(turned: pl.DataFrame) -> alt.FacetChart:
    """A row of panels for each measure: at the left the shares with another winner by the size of the difference, then another verdict."""
    fields = [name for name in turned.columns if name not in KINDS]
    rows = turned.unpivot(on=[*KINDS], index=fields, variable_name="kind", value_name="value").drop_nulls("value")
    rows = with_percents(
        rows.with_columns(pl.col("kind").replace({kind: capital(KINDS[kind]) for kind in KINDS})), "value"
    )
    top = max(LEAST, float(rows["value"].max() or 0))  # type: ignore[arg-type]
    x = alt.X(
        field="difference", type="quantitative", axis=alt.Axis(title=None, tickCount=4), scale=alt.Scale(domainMin=0)
    )
    share = alt.Axis(title=None, format="%", tickCount=3)
    y = alt.Y(field="value", type="quantitative", axis=share, scale=alt.Scale(domain=[0, top * 1.04], nice=False))
    tips = [tip("pair", "Pair"), tip("difference", "Difference", ".4f"), tip("low", "Draws from", "+.4f")]
    tips += [tip("high", "to", "+.4f"), tip("kind", "Outcome"), share_tip("value", "Share of draws")]
    points = alt.Chart().mark_point(filled=False, strokeWidth=1.5, size=40, color=ACCENT)
    head = alt.Header(title=None, labelFontSize=12, labelFontWeight=600, labelLimit=WIDTH)
    beside = alt.Header(
        title=None, labelAngle=0, labelAlign="left", labelAnchor="middle", labelLimit=260, labelPadding=6
    )
    faced = alt.FacetChart(
        data=values(rows),
        spec=layered([points.encode(x=x, y=y, tooltip=tips)], width=WIDTH, height=HEIGHT),
        facet=alt.FacetMapping(
            row=alt.Row(field="measure", type="nominal", sort=in_order(), header=beside),
            column=alt.Column(
                field="kind", type="nominal", sort=[capital(kind) for kind in KINDS.values()], header=head
            ),
        ),
        spacing=14,
    )
    return faced.resolve_scale(x="independent").resolve_axis(x="independent")
