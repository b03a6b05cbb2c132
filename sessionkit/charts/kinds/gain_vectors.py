"""Figures 1 to 4 of TOIS 2002: gain vectors by rank with their ideal, a panel for each measure or weighting of grades."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.encodings import (
    SHAPES,
    area,
    band_tips,
    color,
    curve_ends,
    grouped,
    in_order,
    layered,
    mean_of,
    name_layers,
    of_several,
    outstanding,
    parted,
    shaped,
    tip,
    titled,
    values,
)
from sessionkit.charts.theme import FAINT
from sessionkit.display.labels import printable_column
from sessionkit.errors import UsageError
from sessionkit.sessions.gain_vectors import OF_RANK
from sessionkit.statistics.bands import OF_BAND
from sessionkit.statistics.distributions import is_highest
from sessionkit.study.tabular import as_polars

COLUMNS = ("measure", "rank", "value", "ideal", "n_queries", "n_sessions")
LINES, NAMES = ("Shown", "Ideal"), ("Name", "Name of an ideal")
"""What the rows of the data are: points of curves, or names of them."""
MOST = 8
"""Panels that one figure holds."""
MARKED = 20
"""Up to so many ranks points are large."""
LONG = 600
"""Size of the dashes in the legend: lines so long that they are told apart."""
CLOSE = 0.05
"""Share of their size within which the ideals of groups share one name."""
WIDTH, HEIGHT = 300, 190
"""Size of a panel."""


def gain_vectors(
    vectors: Any,  # noqa: ANN401  # anything tabular
    *,
    legend: str | None = None,
    colors: Mapping[str, str] | None = None,
    synthetic: bool = False,
    axis: str | None = None,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.FacetChart:
    """Draw mean gain vectors (solid) and those of the ideal lists (dashed), on a vertical scale of each panel's own.

    With bands in the frames each mean vector has its own; means of one query are left out, unless there are no others.

    Parameters
    ----------
    vectors
        Frames of `sessionkit.sessions.gain_vectors.gain_vectors` one below the other, with a column ``measure``.
    legend, colors, synthetic, title, subtitle
        As for `session_curve`.
    axis
        Title of the vertical axis, such as ``"Share of the ideal"`` for vectors that are divided by it. Default: ``"Mean per query"``.
    width, height
        Of the plot, or of each panel, in pixels.

    Raises
    ------
    UsageError
        A column is missing, there are no rows, or more than 8 measures.
    """
    table = as_polars(vectors, "sessionkit.gain_vectors").collect()
    own = [name for name in ("low", "high") if name in table.columns]
    taken = ("measure", *OF_RANK, *OF_BAND)
    frame, legend = grouped(table, (*COLUMNS, *own), "sessionkit.gain_vectors", taken, legend)
    frame, means = of_several(frame.with_columns(printable_column("measure")), "n_queries")
    panels = frame.get_column("measure").unique(maintain_order=True).to_list()
    if len(panels) > MOST:
        raise UsageError(f"one figure of gain vectors holds {MOST} measures, not {len(panels)}; draw fewer at once")
    _, colors = outstanding(frame.filter(pl.col("measure") == panels[-1]), "rank", "value", colors)
    frame, colors = outstanding(frame, "rank", "value", colors)
    frame = frame.join(pl.DataFrame({"measure": panels}).with_row_index("place"), on="measure", maintain_order="left")
    keys = ["place", "measure", "group", "rank"]
    shown = frame.select(*keys, "value", *own, "n_queries", line=pl.lit(LINES[0]))
    ideal = frame.select(*keys, value="ideal", n_queries="n_queries", line=pl.lit(LINES[1]))
    ideal = _one_ideal(ideal.filter(shown.get_column("value").is_not_null()))
    ranks = int(frame.get_column("rank").max())  # type: ignore[arg-type]
    ranked = alt.Axis(title="Rank in the result list", tickMinStep=1, tickCount=10, format="d")
    dash, _ = parted("line", LINES, "Vector")
    dash["legend"] = alt.Legend(title="Vector", symbolType="stroke", symbolSize=LONG, symbolStrokeColor=FAINT)
    groups = frame.get_column("group").unique().to_list()
    marks = {"shape": shaped(groups, legend)} if 1 < len(groups) <= len(SHAPES) else {}
    tips = [tip("measure", "Measure"), tip("group", legend), tip("line", "Vector"), tip("rank", "Rank", "d")]
    tips += [tip("value", mean_of("Mean gain", means), ".4f"), *band_tips(frame), tip("n_queries", "Queries", "d")]
    encoding: dict[str, Any] = {
        "x": alt.X(
            field="rank", type="quantitative", axis=ranked, scale=alt.Scale(domain=[1, max(ranks, 2)], nice=False)
        ),
        "y": alt.Y(
            field="value",
            type="quantitative",
            axis=alt.Axis(title=axis or ("Mean per query" if means else "Of one query"), tickCount=5),
        ),
        "color": color(groups, colors, legend),
    }
    if own:
        encoding["color"]["legend"]["symbolOpacity"] = 1
    points = drawn = pl.concat([shown, ideal], how="diagonal")
    # an ideal is nobody's system: it has one color in every panel, whoever's it is
    is_ideal = alt.FieldOneOfPredicate(field="line", oneOf=[LINES[1], NAMES[1]])
    encoding["color"]["condition"] = {"test": is_ideal.to_dict(), "value": FAINT}
    drawn, names = _named(drawn, encoding, {"strokeDash": dash, **marks})
    size = 18 if ranks <= MARKED else 6
    layers = [
        *([area(_rows(LINES[0]), encoding)] if own and shown.get_column("low").count() else []),
        _rows(*LINES).mark_line().encode(**encoding, strokeDash=dash),
        _rows(LINES[0]).mark_point(filled=True, size=size).encode(**encoding, **marks, tooltip=tips),
        *names,
    ]
    header = alt.Header(title=None, labelFontSize=12, labelFontWeight=600, labelLimit=WIDTH, labelAnchor="start")
    faceted = alt.FacetChart(
        data=values(drawn, points.drop("place")),
        spec=layered(layers, width=WIDTH, height=HEIGHT),
        facet=alt.Facet(field="measure", type="nominal", sort=in_order(), header=header),
        columns=min(2, len(panels)),
        resolve=alt.Resolve(scale=alt.ScaleResolveMap(y="independent"), axis=alt.AxisResolveMap(x="independent")),
    )
    return titled(faceted, title, [subtitle] if subtitle else [], synthetic, width=width, height=height)


def _rows(*lines: str) -> alt.Chart:
    """A layer of these rows of the data."""
    return alt.Chart().transform_filter(alt.FieldOneOfPredicate(field="line", oneOf=[*lines]))


def _named(
    drawn: pl.DataFrame, encoding: dict[str, Any], marks: Mapping[str, Any]
) -> tuple[pl.DataFrame, list[alt.Chart]]:
    """The data with a row for the name of each curve, and the layers of names; ideals that end close together have one name."""
    of_ideal = pl.col("line") == LINES[1]
    last = pl.col("value").filter(of_ideal & (pl.col("rank") == pl.col("rank").max()))
    is_close = (last.min() >= (1 - CLOSE) * last.max()).over("place")
    ideal_name = pl.when(is_close).then(pl.lit(LINES[1])).otherwise(pl.concat_str(pl.lit(f"{LINES[1]}, "), "group"))
    labeled = drawn.with_columns(label=pl.when(of_ideal).then(ideal_name).otherwise("group"))
    ends = curve_ends(labeled, encoding, "place", always=of_ideal & (pl.col("group") == LINES[1]))
    if ends is None:
        return drawn, []
    ends = ends.with_columns(line=pl.when(of_ideal).then(pl.lit(NAMES[1])).otherwise(pl.lit(NAMES[0])))
    marked = bool(ends.get_column("beside").count())
    names = name_layers(_rows(*NAMES), encoding, marks, marked=marked)
    for layer in names:
        if layer.mark.type == "point":  # ideals have no points
            layer.transform = _rows(NAMES[0]).transform
    return pl.concat([drawn, ends], how="diagonal"), names


def _one_ideal(ideal: pl.DataFrame) -> pl.DataFrame:
    """Ideal vectors, one in place of those of all groups in panels where they are equal but for errors of rounding."""
    same = is_highest(pl.col("value"), over=["place", "rank"]).all().over("place")
    several = pl.col("group").n_unique().over("place") > 1
    one = ideal.with_columns(_one=same & several)
    once = one.filter("_one").unique(["place", "rank"], maintain_order=True).with_columns(group=pl.lit(LINES[1]))
    return pl.concat([one.filter(~pl.col("_one")), once]).drop("_one").sort("place", "group", "rank")
