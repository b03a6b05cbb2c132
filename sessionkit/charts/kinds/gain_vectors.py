"""Figures 1 to 4 of TOIS 2002: gain vectors by rank with their ideal, a panel for each measure or weighting of grades."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from sessionkit.analysis.bands import OF_BAND
from sessionkit.analysis.gain_vectors import OF_RANK
from sessionkit.charts.encodings import (
    area,
    band_tips,
    color,
    grouped,
    in_order,
    mean_of,
    of_several,
    parted,
    tip,
    titled,
    values,
)
from sessionkit.display.labels import printable_column
from sessionkit.errors import UsageError
from sessionkit.readers.tabular import as_polars

COLUMNS = ("measure", "rank", "value", "ideal", "n_queries", "n_sessions")
LINES = ("Shown", "Ideal")
MOST = 8
"""Panels that one figure holds."""
MARKED = 20
"""Up to so many ranks points are large."""
WIDTH, HEIGHT = 300, 190
"""Size of a panel."""


def gain_vectors(
    vectors: Any,  # noqa: ANN401  # anything tabular
    *,
    legend: str | None = None,
    colors: Mapping[str, str] | None = None,
    synthetic: bool = False,
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
        Frames of `sessionkit.analysis.gain_vectors.gain_vectors` one below the other, with a column ``measure``.
    legend, colors, synthetic, title, subtitle
        As for `session_curve`.
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
    frame = frame.join(pl.DataFrame({"measure": panels}).with_row_index("place"), on="measure", maintain_order="left")
    keys = ["place", "measure", "group", "rank"]
    shown = frame.select(*keys, "value", *own, "n_queries", line=pl.lit(LINES[0]))
    ideal = frame.select(*keys, value="ideal", n_queries="n_queries", line=pl.lit(LINES[1]))
    ideal = ideal.filter(shown.get_column("value").is_not_null())
    ranks = int(frame.get_column("rank").max())  # type: ignore[arg-type]
    ranked = alt.Axis(title="Rank in the result list", tickMinStep=1, tickCount=10, format="d")
    dash, _ = parted("line", LINES, "Vector")
    tips = [tip("measure", "Measure"), tip("group", legend), tip("line", "Vector"), tip("rank", "Rank", "d")]
    tips += [tip("value", mean_of("Mean gain", means), ".4f"), *band_tips(frame), tip("n_queries", "Queries", "d")]
    encoding: dict[str, Any] = {
        "x": alt.X(
            field="rank", type="quantitative", axis=ranked, scale=alt.Scale(domain=[1, max(ranks, 2)], nice=False)
        ),
        "y": alt.Y(
            field="value",
            type="quantitative",
            axis=alt.Axis(title="Mean per query" if means else "Of one query", tickCount=5),
        ),
        "color": color(frame.get_column("group").to_list(), colors, legend),
    }
    if own:
        encoding["color"]["legend"]["symbolOpacity"] = 1
    mean = alt.Chart().transform_filter(alt.FieldEqualPredicate(field="line", equal=LINES[0]))
    layers = [
        *([area(mean, encoding)] if own else []),
        alt.Chart().mark_line().encode(**encoding, strokeDash=dash),
        mean.mark_point(filled=True, size=18 if ranks <= MARKED else 6).encode(**encoding, tooltip=tips),
    ]
    header = alt.Header(title=None, labelFontSize=12, labelFontWeight=600, labelLimit=WIDTH, labelAnchor="start")
    faceted = alt.FacetChart(
        data=values(pl.concat([shown, ideal], how="diagonal")),
        spec=alt.LayerChart(layer=layers, width=WIDTH, height=HEIGHT),
        facet=alt.Facet(field="measure", type="nominal", sort=in_order(), header=header),
        columns=min(2, len(panels)),
        resolve=alt.Resolve(scale=alt.ScaleResolveMap(y="independent"), axis=alt.AxisResolveMap(x="independent")),
    )
    return titled(faceted, title, [subtitle] if subtitle else [], synthetic, width=width, height=height)
