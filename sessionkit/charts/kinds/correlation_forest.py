"""Correlations of measures with ratings, each with its interval, one below the other."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.encodings import SHAPES, checked, drawn_of, in_order, layered, line_below, tip, titled, values
from sessionkit.charts.theme import FAINT, kind_colors
from sessionkit.display.labels import printable_column

SOURCE = "sessionkit.correlate"
COLUMNS = ("measure", "covariate", "coefficient", "n", "value", "low", "high", "p")
NAMES = {"pearson": "Pearson's r", "spearman": "Spearman's rho", "kendall": "Kendall's tau-b"}
MOST = 30
"""Pairs of a measure and a covariate that one figure shows."""
MOST_TENTHS = 9
"""Tenths of the axis up to which each has a label."""
LINE = 14
"""Height of one coefficient."""


def correlation_forest(
    correlations: Any,  # noqa: ANN401  # anything tabular
    *,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.FacetChart:
    """Draw every coefficient as a point with its interval, the measures in their order.

    Parameters
    ----------
    correlations
        What `sessionkit.correlate` found, or its ``table``: measure, covariate, coefficient, n, value, low, high, p. The first 30
        pairs of a measure and a covariate are shown; those without a value are left out.
    synthetic, title, subtitle
        As for `session_curve`.
    width, height
        Of the plot, or of each panel, in pixels.

    Raises
    ------
    UsageError
        A column is missing, or no correlation has a value.
    """
    frame = checked(drawn_of(correlations, "table", SOURCE), COLUMNS, SOURCE)
    subtitle = line_below(correlations, subtitle)
    shown = frame.filter(pl.col("value").is_not_null())
    several = shown.get_column("covariate").n_unique() > 1
    measure, covariate = printable_column("measure"), printable_column("covariate")
    name = pl.concat_str(measure, pl.lit(" with "), covariate) if several else measure
    kind = pl.col("coefficient").replace(NAMES)
    rows = shown.select("n", "value", "low", "high", "p", row=name, kind=kind, covariate=covariate)
    order = rows.get_column("row").unique(maintain_order=True).head(MOST).to_list()
    places = pl.DataFrame({"row": order}).with_row_index("place")
    rows = rows.join(places, on="row", how="inner", maintain_order="left")
    kinds = rows.get_column("kind").unique(maintain_order=True).to_list()
    given, domain = set(rows.get_column("covariate")), _domain(rows)
    across: dict[str, Any] = {
        "axis": alt.Axis(
            title="Correlation" if several else ["Correlation with", *given],
            grid=True,
            values=_ticks(*domain),
            format=".1f",
        ),
        "scale": alt.Scale(domain=domain, nice=False),
    }
    y = alt.Y(field="kind", type="nominal", axis=None, scale=alt.Scale(domain=kinds))
    shades = alt.Scale(domain=kinds, range=kind_colors(len(kinds)))
    marks = alt.Scale(domain=kinds, range=list(SHAPES[: len(kinds)]))
    legend = alt.Legend(title="Coefficient") if len(kinds) > 1 else None
    shade = alt.Color(field="kind", type="nominal", scale=shades, legend=legend)
    mark = alt.Shape(field="kind", type="nominal", scale=marks, legend=legend)
    tips = [tip("row", "Measure"), tip("covariate", "With"), tip("kind", "Coefficient"), tip("value", "Value", "+.3f")]
    tips += [tip("low", "From", "+.3f"), tip("high", "To", "+.3f"), tip("p", "p", ".3g"), tip("n", "Sessions", "d")]
    layers = [
        alt.Chart().mark_rule(color=FAINT, strokeDash=[4, 3]).encode(x=alt.XDatum(0)),
        alt.Chart()
        .mark_rule(strokeWidth=2)
        .encode(
            x=alt.X(field="low", type="quantitative", **across),
            x2=alt.X2(field="high"),
            y=y,
            color=shade,
            tooltip=tips,
        ),
        alt.Chart()
        .mark_point(size=50, filled=True)
        .encode(x=alt.X(field="value", type="quantitative", **across), y=y, color=shade, shape=mark, tooltip=tips),
    ]
    header = alt.Header(
        title=None, labelAngle=0, labelAlign="left", labelAnchor="middle", labelLimit=260, labelPadding=6
    )
    drawn = layered(layers, data=values(rows), height=max(LINE * len(kinds), 22))
    faceted: alt.FacetChart = drawn.facet(
        row=alt.Row(field="row", type="nominal", sort=in_order(), header=header), spacing=6
    )
    return titled(faceted, title, [subtitle] if subtitle else [], synthetic, width=width, height=height)


def _domain(rows: pl.DataFrame) -> list[float]:
    """Tenths around 0 and all intervals, at most from -1 to 1."""
    least = rows.select(pl.min_horizontal(pl.col("low").min(), pl.col("value").min(), pl.lit(0.0))).item()
    most = rows.select(pl.max_horizontal(pl.col("high").max(), pl.col("value").max(), pl.lit(0.0))).item()
    return [max(-1.0, (least * 10 - 0.2) // 1 / 10), min(1.0, -((-most * 10 - 0.2) // 1) / 10)]


def _ticks(low: float, high: float) -> list[float]:
    """Tenths of the axis, every second one of a long axis: Vega's steps of .05 would have the same label twice.

    >>> _ticks(-0.1, 0.1), _ticks(-1.0, 0.4)
    ([-0.1, 0.0, 0.1], [-1.0, -0.8, -0.6, -0.4, -0.2, 0.0, 0.2, 0.4])
    """
    first, last = round(low * 10), round(high * 10)
    step = 1 if last - first <= MOST_TENTHS else 2
    return [tenth / 10 for tenth in range(first, last + 1) if tenth % step == 0]
