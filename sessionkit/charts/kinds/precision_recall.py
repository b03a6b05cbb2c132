"""Eleven-point curves of interpolated precision by recall: the average of each group over those of its topics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.annotations import fading, few_line
from sessionkit.charts.encodings import (
    SHAPES,
    band,
    band_tips,
    color,
    curve_names,
    grouped,
    layered,
    of_several,
    outstanding,
    shaped,
    tip,
    titled,
    values,
)
from sessionkit.display.labels import plain, printable_column
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.sessions.precision_recall import OF_LEVEL
from sessionkit.statistics.bands import OF_BAND
from sessionkit.study.tabular import as_polars

COLUMNS = ("recall", "precision", "n")
MOST = 200
"""Curves of topics that can stand behind the averages."""


def precision_recall(
    average: Any,  # noqa: ANN401  # anything tabular
    topics: Any = None,  # noqa: ANN401
    *,
    measure: str | None = None,
    legend: str | None = None,
    colors: Mapping[str, str] | None = None,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart:
    """Draw average curves with their eleven points, and thin ones of single topics behind them; bands of the averages if the frame has any.

    Averages over one query, or topic, are left out, unless there are no others; points of fewer than 10 are faded.

    Parameters
    ----------
    average
        A frame of `sessionkit.precision_recall`: the columns that make the groups, recall, precision, n; and with ``bands=True``
        low, high.
    topics
        The same with topic_id among the columns that make the groups; left out where it holds more than 200 curves, or is None.
    measure
        Text of the measure, for the axis.
    legend, colors, synthetic, title, subtitle
        As for `session_curve`.
    width, height
        Of the plot, or of each panel, in pixels.

    Raises
    ------
    UsageError
        A column is missing, or there are no rows.
    """
    table = as_polars(average, "sessionkit.precision_recall").collect()
    own = [name for name in ("low", "high") if name in table.columns]
    taken = (*OF_LEVEL, *OF_BAND)
    frame, legend = grouped(table, (*COLUMNS, *own), "sessionkit.precision_recall", taken, legend)
    frame, _ = of_several(frame, "n")
    scale = alt.Scale(domain=[0, 1], nice=False)
    generalized = measure is not None and parse_measure(measure).tells_grades_apart
    axis, across = "Interpolated precision", "Recall"
    if generalized:
        axis, across = "Interpolated generalized precision", "Generalized recall"
    frame, colors = outstanding(frame, "recall", "precision", colors)
    encoding: dict[str, Any] = {
        "x": alt.X(
            field="recall", type="quantitative", axis=alt.Axis(title=across, tickCount=11, format=".1f"), scale=scale
        ),
        "y": alt.Y(
            field="precision",
            type="quantitative",
            axis=alt.Axis(title=axis if measure is None else [axis, plain("measure", measure)], tickCount=6),
            scale=scale,
        ),
        "color": color(frame.get_column("group").to_list(), colors, legend),
    }
    encoding["color"]["legend"]["symbolOpacity"] = 1  # that of the averages
    groups = frame.get_column("group").unique().to_list()
    marks = {"shape": shaped(groups, legend)} if 1 < len(groups) <= len(SHAPES) else {}
    names = curve_names(frame.with_columns(label="group"), encoding, marks)
    layers = []
    if topics is not None:
        each, _ = grouped(topics, (*COLUMNS, "topic_id"), "sessionkit.precision_recall", ("topic_id", *taken))
        each = each.with_columns(topic=printable_column("topic_id")).drop("topic_id")
        if each.select("group", "topic").n_unique() <= MOST:
            each = each.filter(pl.col("precision").is_not_null())
            thin = alt.Chart(values(each, each.with_columns(part=pl.lit("single topics"))))
            tips = [tip("group", legend), tip("topic", "Topic"), tip("recall", "Recall", ".1f")]
            tips += [tip("precision", "Precision", ".4f"), tip("n", "Queries", "d")]
            detail = alt.Detail(field="topic", type="nominal")
            layers.append(thin.mark_line(strokeWidth=1, opacity=0.3).encode(**encoding, detail=detail, tooltip=tips))
    tips = [tip("group", legend), tip("recall", "Recall", ".1f"), tip("precision", "Precision", ".4f")]
    tips += [*band_tips(frame), tip("n", "Averaged", "d")]
    average = values(frame, frame.with_columns(part=pl.lit("average")) if layers else None)
    layers += band(frame, encoding)
    layers.append(alt.Chart(average).mark_line(strokeWidth=2.5).encode(**encoding))
    layers.append(
        alt.Chart(average)
        .mark_point(filled=True, size=42)
        .encode(**encoding, **marks, opacity=fading("n"), tooltip=tips)
    )
    few = few_line(frame.drop_nulls("precision")["n"], "in an average")
    below = [line for line in (subtitle, few) if line]
    return titled(layered([*layers, *names]), title, below, synthetic, width=width, height=height)
