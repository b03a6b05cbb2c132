"""Verdicts on pairs by the share of the judgments kept: the same as with all, g-mean, and differences missed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.annotations import count_line, fading, few_line
from sessionkit.charts.encodings import (
    SHAPES,
    checked,
    color,
    drawn_of,
    in_order,
    layered,
    line_below,
    shaped,
    share_tip,
    tip,
    titled,
    values,
    with_percents,
)
from sessionkit.display.labels import printable_column
from sessionkit.robustness.judgment_loss import JudgmentLoss

PANELS = {
    "accuracy": "Same verdict (accuracy)",
    "g_mean": "g-mean for no difference",
    "false_positive_rate": "Differences missed",
}
"""Columns of the table of verdicts that are drawn, in this order, and what their panels are called."""
COUNTS = ("kept", "gained", "lost", "found")
SHARES_OF = {
    "accuracy": pl.sum_horizontal(COUNTS),
    "g_mean": pl.min_horizontal(pl.col("kept") + pl.col("gained"), pl.col("kept") + pl.col("lost")),
    "false_positive_rate": pl.col("lost") + pl.col("found"),
}
"""Of how many verdicts each is a share; of the two shares in a g-mean, that of fewer."""
SOURCE = "sessionkit.judgment_loss"
WIDTH, HEIGHT = 210, 190
"""Size of a panel."""


def verdict_curves(
    confusion: Any,  # noqa: ANN401  # anything tabular
    *,
    legend: str = "Measure",
    colors: Mapping[str, str] | None = None,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.FacetChart:
    """Draw how verdicts on pairs stay by the share of the judgments kept: a panel for each of three figures, a curve for each measure.

    Same verdict: (kept + found) / all. g-mean for no difference: the geometric mean of kept / (kept + gained) and kept / (kept + lost).
    Differences missed: lost / (lost + found); SIGIR 2007 calls this the false-positive rate, as its positive cases are those without
    a difference. A share of fewer than 10 verdicts is faded.

    Parameters
    ----------
    confusion
        What `sessionkit.judgment_loss` found, or its ``confusion``: measure, fraction, kept, gained, lost, found, accuracy, g_mean,
        false_positive_rate.
    legend
        What the curves are.
    colors
        Color by measure, see `colors_of`; by default by sorted name.
    synthetic, title, subtitle
        As for `judgment_loss`.
    width, height
        Of each panel, in pixels.

    Raises
    ------
    UsageError
        A column is missing, or there are no rows.
    """
    if isinstance(confusion, JudgmentLoss):
        subtitle = line_below(confusion, subtitle)
    table = checked(drawn_of(confusion, "confusion", SOURCE), ("measure", "fraction", *COUNTS, *PANELS), SOURCE)
    frame = table.with_columns(printable_column("measure").alias("group"))
    rows = frame.unpivot(
        on=[*PANELS], index=["group", "fraction", *COUNTS], variable_name="statistic", value_name="value"
    )
    rows = rows.filter(
        pl.col("value").is_not_null().any().over("statistic")
    )  # without a pair that is kept there is no g-mean
    of = pl.coalesce(pl.when(pl.col("statistic") == name).then(count) for name, count in SHARES_OF.items())
    rows = rows.with_columns(n=of).with_columns(pl.col("statistic").replace_strict(PANELS, return_dtype=pl.String))
    rows = with_percents(rows, "fraction")
    groups = frame.get_column("group").unique().to_list()
    marks = {"shape": shaped(groups, legend)} if 1 < len(groups) <= len(SHAPES) else {}
    scale = alt.Scale(domain=[0, 1], nice=False)
    encoding: dict[str, Any] = {
        "x": alt.X(
            field="fraction",
            type="quantitative",
            # the ends stay within the panel: "100%" would touch "0%" of the next one
            axis=alt.Axis(title="Judgments kept", format="%", tickCount=5, labelFlush=True),
            scale=scale,
        ),
        "y": alt.Y(field="value", type="quantitative", axis=alt.Axis(title="Share", tickCount=6), scale=scale),
        "color": color(groups, colors, legend),
    }
    tips = [
        tip("group", legend),
        share_tip("fraction", "Share kept"),
        tip("statistic", "Figure"),
        tip("value", "Value", ".3f"),
    ]
    tips += [tip("n", "Verdicts", ",d"), *(tip(name, name.capitalize(), ",d") for name in COUNTS)]
    layers = [
        alt.Chart().mark_line().encode(**encoding),
        alt.Chart().mark_point(filled=True, size=26).encode(**encoding, **marks, opacity=fading("n"), tooltip=tips),
    ]
    header = alt.Header(title=None, labelFontSize=12, labelFontWeight=600, labelAnchor="start")
    faceted = alt.FacetChart(
        data=values(rows),
        spec=layered(layers, width=WIDTH, height=HEIGHT),
        facet=alt.Facet(field="statistic", type="nominal", sort=in_order(), header=header),
        columns=rows.get_column("statistic").n_unique(),
    )
    total = count_line(table.select(pl.sum_horizontal(COUNTS)).to_series(), "verdicts", "point")
    few = few_line(rows.drop_nulls("value").get_column("n"), "verdicts")
    below = [line for line in (subtitle, total, few) if line]
    return titled(faceted, title, below, synthetic, width=width, height=height)
