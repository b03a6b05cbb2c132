"""Scores of sessions by group: a box of the quartiles, with the mean, over a strip of single sessions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import altair as alt
import polars as pl

from sessionkit.charts.encodings import checked, color, in_order, layered, tip, titled, values
from sessionkit.charts.theme import INK
from sessionkit.display.labels import natural_sort, plain
from sessionkit.errors import UsageError, suggestion
from sessionkit.statistics.bands import with_groups
from sessionkit.study.tabular import as_polars

SOURCE = "sessionkit.score"
COLUMNS = ("group", "value")
MOST, POINTS = 40, 300
"""Groups of one figure, and sessions of each that are drawn as points."""
HEIGHT, GAP, LEAST, GREATEST = 500, 6, 12, 64
"""Height of all rows together, and between two; least and greatest height of a row: 20 rows fit on a page of a paper."""
FENCE = 1.5
"""Whiskers reach the last value within so many times the distance of the quartiles (Tukey 1977)."""
ORDERS = ("group", "mean")
GOLDEN = 0.618033988749895


def score_distribution(
    scores: Any,  # noqa: ANN401  # anything tabular
    *,
    by: str = "system_id",
    measure: str | None = None,
    order: Literal["group", "mean"] = "group",
    colors: Mapping[str, str] | None = None,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.FacetChart:
    """Draw the distribution of session scores in each group.

    A box spans the quartiles with a line at the median and a diamond at the mean; its whiskers reach the last value within
    1.5 times its length. Of more than 300 sessions of a group, 300 are drawn as points, evenly spaced in order of value.

    Parameters
    ----------
    scores
        The table of `sessionkit.score` per session, also wide; or group, value: a row per session. Sessions without a value
        are left out.
    by
        The column of a table of scores that makes the groups.
    measure
        The measure to draw, where the table has several; of groups and values its text, for the axis.
    order
        Of the rows: ``"group"``, by name, or ``"mean"``, the highest first.
    colors, synthetic, title, subtitle
        As for `session_curve`.
    width, height
        Of the plot, or of each panel, in pixels.

    Raises
    ------
    UsageError
        A column is missing, there are no values, several measures and none is named, or more than 40 groups.
    """
    table, measure = of_one_measure(as_polars(scores, SOURCE).collect(), by, measure)
    frame = checked(table, COLUMNS, SOURCE).drop_nulls("value")
    many = frame.get_column("group").n_unique()
    if many > MOST:
        raise UsageError(f"one figure shows {MOST} groups, not {many:,}; group by another column or filter the frame")
    if order not in ORDERS:
        raise UsageError(f"order must be one of {', '.join(ORDERS)}, not {order!r}{suggestion(str(order), ORDERS)}")
    boxes, points = natural_sort(_boxes(frame), "group"), _points(frame)
    if order == "mean":
        boxes = boxes.sort("mean", descending=True, maintain_order=True)
    boxes = boxes.with_row_index("place")
    points = points.join(boxes.select("group", "place"), on="group", how="left", maintain_order="left")
    across = alt.X(
        field="value", type="quantitative", axis=alt.Axis(title=plain("measure", measure)), scale=alt.Scale(zero=False)
    )
    up = alt.Scale(domain=[0, 1])
    own = color(boxes.get_column("group").to_list(), colors, "").copy()
    own["legend"] = None
    tips = [tip("group", "Group"), tip("n", "Sessions", "d"), tip("mean", "Mean", ".4f"), tip("q2", "Median", ".4f")]
    tips += [tip("q1", "Lower quartile", ".4f"), tip("q3", "Upper quartile", ".4f")]

    def at(field: str) -> alt.X:
        """The same axis for another column."""
        named = across.copy()
        named["field"] = field
        return named

    def row(place: float) -> alt.YDatum:
        """A height within the row."""
        return alt.YDatum(place, type="quantitative", scale=up, axis=None)

    box = {"color": own, "tooltip": tips}
    dots = alt.Y(field="height", type="quantitative", scale=up, axis=None)
    layers = [
        _of("box").mark_rule(strokeWidth=1.5).encode(x=at("low"), x2=alt.X2(field="q1"), y=row(0.72), **box),
        _of("box").mark_rule(strokeWidth=1.5).encode(x=at("q3"), x2=alt.X2(field="high"), y=row(0.72), **box),
        _of("box")
        .mark_rect(opacity=0.35)
        .encode(x=at("q1"), x2=alt.X2(field="q3"), y=row(0.52), y2=alt.Y2Datum(0.92), **box),
        _of("box").mark_rule(strokeWidth=2.5).encode(x=at("q2"), y=row(0.52), y2=alt.Y2Datum(0.92), **box),
        _of("box")
        .mark_point(shape="diamond", size=70, fill="white", stroke=INK, strokeWidth=1.5, filled=True)
        .encode(x=at("mean"), y=row(0.72), tooltip=tips),
        _of("point")
        .mark_point(size=14, opacity=0.5, filled=True)
        .encode(x=at("value"), y=dots, color=own, tooltip=[tip("group", "Group"), tip("value", "Score", ".4f")]),
    ]
    header = alt.Header(title=None, labelAngle=0, labelAlign="left", labelAnchor="middle", labelLimit=200)
    both = pl.concat([boxes, points], how="diagonal")
    drawn = layered(
        layers,
        data=values(both, both.rename({"kind": "part"}).drop("height", "place")),
        height=max(LEAST, min(GREATEST, HEIGHT // len(boxes) - GAP)),
    )
    faceted: alt.FacetChart = drawn.facet(
        row=alt.Row(field="group", type="nominal", sort=in_order(), header=header), spacing=GAP
    )
    return titled(faceted, title, [subtitle] if subtitle else [], synthetic, width=width, height=height)


def of_one_measure(scores: pl.DataFrame, by: str, measure: str | None) -> tuple[pl.DataFrame, str]:
    """The scores of one measure with ``group`` and ``value``, and its text.

    Raises
    ------
    UsageError
        The scores have no such column or measure, or several and none is named.
    """
    if "group" in scores.columns and "measure" not in scores.columns:
        return scores, measure or "Score"
    if by not in scores.columns:
        raise UsageError(
            f"the scores have no column {by!r}{suggestion(by, scores.columns)}; columns: {', '.join(scores.columns)}"
        )
    grouped = with_groups(scores, [by])
    if measure is not None and measure in scores.columns:  # a column for each measure
        return grouped.with_columns(value=pl.col(measure)), measure
    if "measure" not in scores.columns:
        return grouped, measure or "Score"
    known = scores.get_column("measure").unique(maintain_order=True).to_list()
    if measure is None and len(known) > 1:
        raise UsageError(f"one figure draws one measure; choose it by measure=, one of {', '.join(map(repr, known))}")
    chosen = known[0] if measure is None and known else measure or "Score"
    if known and chosen not in known:
        raise UsageError(
            f"the scores have no measure {chosen!r}{suggestion(chosen, known)}; they have {', '.join(known)}"
        )
    return grouped.filter(pl.col("measure") == chosen), chosen


def _of(kind: str) -> alt.Chart:
    """The rows of the boxes, or of the points."""
    return alt.Chart().transform_filter(alt.FieldEqualPredicate(field="kind", equal=kind))


def _boxes(frame: pl.DataFrame) -> pl.DataFrame:
    """Quartiles, mean and whiskers of each group."""
    value = pl.col("value")
    quartiles = frame.group_by("group").agg(
        n=pl.len().cast(pl.Int64),
        mean=value.mean(),
        q1=value.quantile(0.25, "linear"),
        q2=value.quantile(0.5, "linear"),
        q3=value.quantile(0.75, "linear"),
    )
    reach = FENCE * (pl.col("q3") - pl.col("q1"))
    inside = frame.join(quartiles, on="group").filter((value >= pl.col("q1") - reach) & (value <= pl.col("q3") + reach))
    ends = inside.group_by("group").agg(low=value.min(), high=value.max())
    low, high = pl.min_horizontal("low", "q1"), pl.max_horizontal("high", "q3")  # quartiles can lie between values
    return quartiles.join(ends, on="group").with_columns(low=low, high=high, kind=pl.lit("box"))


def _points(frame: pl.DataFrame) -> pl.DataFrame:
    """At most so many sessions of each group, evenly spaced in order of value, at heights that keep them apart."""
    rank = pl.col("value").rank("ordinal").over("group").cast(pl.Int64) - 1
    many = pl.len().over("group").cast(pl.Int64)
    step = frame.with_columns(_rank=rank, _many=many).with_columns(
        _bin=pl.col("_rank") * POINTS // pl.max_horizontal("_many", pl.lit(POINTS)),
    )
    kept = step.sort("group", "_rank").unique(["group", "_bin"], keep="first", maintain_order=True)
    spread = (pl.int_range(pl.len()).over("group") + 1) * GOLDEN % 1
    return kept.select("group", "value", height=0.06 + 0.34 * spread, kind=pl.lit("point"))
