"""Power by the size of a study to come: a curve for each number of topics, a panel for each claim."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.encodings import (
    SHAPES,
    checked,
    curve_ends,
    drawn_of,
    in_order,
    layered,
    line_below,
    name_layers,
    parted,
    setting_of,
    tip,
    titled,
    values,
)
from sessionkit.charts.theme import FAINT, INK, colors_of
from sessionkit.display.labels import printable_column
from sessionkit.errors import UsageError
from sessionkit.statistics.findings import Finding

COLUMNS = ("population", "users", "topics", "sessions", "power", "low", "high")
SOURCE = "sessionkit.power"
SIZES = ("users", "topics", "sessions")
WIDTH, HEIGHT, ALONE = 290, 220, 420
"""Size of a panel; width of one alone."""
FURTHER = 1.3
"""How far beyond the largest number power without end is drawn, as a factor."""
STEP = 1.6
"""Least factor between numbers that the axis names."""
APART = 0.062
"""Share of the axis between the labels of smallest numbers."""
EDGES = ([1, 0], [5, 3], [1.5, 2.5], [8, 2, 1.5, 2])
"""Dashes of the edges of bands, by which overlapping bands are told apart, in gray too."""
POPULATIONS = {"users": 0, "topics": 1, "sessions": 2}
"""Places of panels."""
SHOWN = ("population", "topics", "sessions", "number", "value", "low", "high")
"""The columns of the figure's data; without a number, users without end."""


def power_curve(
    power: Any,  # noqa: ANN401  # anything tabular
    smallest: Any = None,  # noqa: ANN401  # anything tabular
    *,
    target: float | None = None,
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.FacetChart:
    """Draw power by the number of users (of topics or sessions, where these grow instead).

    A band shows the range of the curves of fewest and of most topics; its edges are dashed differently.
    A triangle at the right is power with infinitely many users.

    Parameters
    ----------
    power
        What `sessionkit.power` found, or its ``table``: population, users, topics, sessions, power, low, high.
    smallest
        The frame ``smallest`` beside a table: population, users, topics, sessions. A diamond and a label mark each; a
        finding has its own.
    target
        Power to reach, for the line across; by default that of the finding, or 0.8.
    synthetic, title, subtitle
        As for `session_curve`.
    width, height
        Of the plot, or of each panel, in pixels.

    Raises
    ------
    UsageError
        A column is missing, there are no rows, or none with a number.
    """
    target = setting_of(power, "target", target, 0.8)
    subtitle = line_below(power, subtitle)
    if smallest is None and isinstance(power, Finding):
        smallest = drawn_of(power, "smallest", SOURCE)
    frame = checked(drawn_of(power, "table", SOURCE), COLUMNS, SOURCE)
    counted = [name for name in SIZES if frame.get_column(name).count()]
    grows = counted[0] if counted else None
    if grows is None:
        raise UsageError("there is nothing to draw: no study size was simulated")
    kept = pl.col("topics") if grows == "users" else pl.lit(None, pl.Int64)
    last = float(frame.get_column(grows).max() or 1)  # type: ignore[arg-type]
    rows = _placed(frame).select(
        "place", "population", "sessions", "low", "high", topics=kept, value="power",
        x=pl.col(grows).fill_null(last * FURTHER).cast(pl.Float64), number=pl.col(grows),
        kind=pl.when(pl.col(grows).is_null()).then(pl.lit("end")).otherwise(pl.lit("size")),
        label=pl.lit(None, pl.String), mark=pl.lit(None, pl.Float64),
    )  # fmt: skip
    topics = pl.col("topics")
    outer = topics.is_null() | (topics == topics.min().over("population")) | (topics == topics.max().over("population"))
    rows = rows.with_columns(banded=outer)
    if smallest is not None:
        found = checked(smallest, ("population", *SIZES), SOURCE) if len(smallest) else frame.clear()
        rows = pl.concat([rows, _smallest(found, rows, grows, target)], how="diagonal_relaxed")
    drawn = _panels(rows.with_columns(group=pl.col("topics").cast(pl.String).fill_null("as now")), grows, target)
    below = [line for line in (subtitle, _key(rows, grows, target)) if line]
    return titled(drawn, title, below, synthetic, width=width, height=height)


def _key(rows: pl.DataFrame, grows: str, target: float) -> str:
    """What the dashed line and the marks beside the curves are."""
    kinds = rows.get_column("kind")
    smallest = f"; diamond: fewest {grows} that reach it" if (kinds == "smallest").any() else ""
    ends = f"; triangles: infinitely many {grows}" if (kinds == "end").any() else ""
    return f"Dashed: power {target:g}{smallest}{ends}"


def _panels(rows: pl.DataFrame, grows: str, target: float) -> alt.FacetChart:
    """A panel for each claim."""
    ends = bool((rows["kind"] == "end").any())
    least, most = float(rows["x"].min()), float(rows["x"].max())  # type: ignore[arg-type]
    across = alt.Axis(title=f"Number of {grows}", values=_named(rows), format=",d", grid=False)
    scale = alt.Scale(type="log", base=2, domain=[least, most * (1.06 if ends else 1)], nice=False)
    x = alt.X(field="x", type="quantitative", axis=across, scale=scale)
    share = alt.Scale(domain=[0, 1], nice=False)
    y = alt.Y(field="value", type="quantitative", axis=alt.Axis(title="Power", tickCount=6, format=".1f"), scale=share)
    named = rows.select("group", "topics").unique().sort("topics")["group"].to_list()
    shades = [*colors_of(f"{place:04}" for place in range(len(named))).values()]
    legend = alt.Legend(title="Topics", symbolOpacity=1) if len(named) > 1 else None
    shade = alt.Color(field="group", type="nominal", scale=alt.Scale(domain=named, range=shades), legend=legend)
    marks: dict[str, Any] = {}
    names: list[alt.Chart] = []
    if len(named) > 1:
        marks = {"shape": parted("group", named, "Topics")[1]} if len(named) <= len(SHAPES) else {}
        encoding = {"x": x, "y": y, "color": shade}
        word = pl.when(pl.col("topics") == 1).then(pl.lit(" topic")).otherwise(pl.lit(" topics"))
        curves = rows.filter(pl.col("kind") != "smallest").with_columns(label=pl.concat_str("group", word))
        ends_of = curve_ends(curves.filter(pl.col("topics").is_not_null()), encoding, "population")
        if ends_of is not None:
            rows = pl.concat([rows, ends_of.with_columns(kind=pl.lit("name"))], how="diagonal_relaxed")
            names = name_layers(
                alt.Chart().transform_filter(alt.FieldEqualPredicate(field="kind", equal="name")),
                encoding,
                marks,
                marked=bool(ends_of.get_column("beside").count()),
            )
    tips = [tip("number", grows.capitalize(), ",d"), tip("group", "Topics"), tip("sessions", "Sessions", ",d")]
    tips += [tip("value", "Power", ".2f"), tip("low", "From", ".2f"), tip("high", "To", ".2f")]

    def of(kind: str) -> alt.Chart:
        return alt.Chart().transform_filter(alt.FieldEqualPredicate(field="kind", equal=kind))

    edges = {"y": alt.Y(field="low", type="quantitative", scale=share), "y2": alt.Y2(field="high")}
    with_band = rows.filter("banded").select("group", "topics").unique().sort("topics")["group"].to_list()
    dashes = alt.Scale(domain=with_band, range=[EDGES[place % len(EDGES)] for place in range(len(with_band))])
    edge = alt.StrokeDash(field="group", type="nominal", scale=dashes, legend=None)
    banded = of("size").transform_filter(alt.FieldEqualPredicate(field="banded", equal=True))
    ends_of_bands = [
        banded.mark_line(strokeWidth=0.8).encode(
            x=x, y=alt.Y(field=end, type="quantitative", scale=share), color=shade, strokeDash=edge
        )
        for end in ("low", "high")
    ]
    layers = [
        alt.Chart().mark_rule(color=FAINT, strokeDash=[5, 4]).encode(y=alt.YDatum(target, scale=share)),
        banded.mark_area(opacity=0.13).encode(x=x, color=shade, **edges),
        *(ends_of_bands if len(named) > 1 else []),
        of("size").mark_line().encode(x=x, y=y, color=shade),
        of("size").mark_point(filled=True).encode(x=x, y=y, color=shade, **marks, tooltip=tips),
        *names,
    ]
    if ends:
        layers.append(
            of("end")
            .mark_point(shape="triangle-right", size=70, filled=True)
            .encode(x=x, y=y, color=shade, tooltip=tips)
        )
    if (rows["kind"] == "smallest").any():
        foot = alt.Y(field="mark", type="quantitative", scale=share)
        text = alt.Text(field="label", type="nominal")
        layers += [
            of("smallest").mark_rule(strokeWidth=1.2).encode(x=x, y=y, y2=alt.Y2(datum=0), color=shade),
            of("smallest").mark_point(shape="diamond", size=100, filled=True).encode(x=x, y=y, color=shade),
            of("smallest").mark_text(align="left", dx=5, fontSize=10.5, color=INK).encode(x=x, y=foot, text=text),
        ]
    panels = rows["population"].n_unique()
    head = alt.Header(title=None, labelFontSize=12, labelFontWeight=600, labelLimit=WIDTH, labelAnchor="start")
    faceted = alt.FacetChart(
        data=values(rows, rows.filter(pl.col("kind").is_in(["size", "end"])).select(SHOWN)),
        spec=layered(layers, width=WIDTH if panels > 1 else ALONE, height=HEIGHT),
        facet=alt.Facet(field="population", type="nominal", sort=in_order(), header=head),
        columns=min(2, panels),
    )
    return faceted.resolve_axis(x="independent", y="independent")


def _placed(frame: pl.DataFrame) -> pl.DataFrame:
    """Rows with their claim in words, and the place of its panel."""
    population = pl.format("Claim about {} like these", printable_column("population"))
    place = pl.col("population").replace_strict(POPULATIONS, default=len(POPULATIONS), return_dtype=pl.Int64)
    return frame.with_columns(population=population, place=place)


def _smallest(found: pl.DataFrame, rows: pl.DataFrame, grows: str, target: float) -> pl.DataFrame:
    """The smallest numbers that reach the target, each with a place for its label."""
    known = _placed(found.filter(pl.col(grows).is_not_null()))
    topics = pl.col("topics") if grows == "users" else pl.lit(None, pl.Int64)
    number = pl.int_range(pl.len()).over("population")
    return known.select(
        "place", "population", "sessions", topics=topics.cast(rows.schema["topics"]), value=pl.lit(target),
        x=pl.col(grows).cast(pl.Float64), number=pl.col(grows), kind=pl.lit("smallest"),
        label=pl.col(grows).cast(pl.String), mark=APART * (number + 0.7), banded=pl.lit(False),
    )  # fmt: skip


def _named(rows: pl.DataFrame) -> list[float]:
    """The numbers that the axis names, far enough apart to be read."""
    named: list[float] = []
    for number in rows.filter(kind="size")["x"].unique().sort().to_list():
        if not named or number >= named[-1] * STEP:
            named.append(number)
    return named
