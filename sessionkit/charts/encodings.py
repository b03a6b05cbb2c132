"""What all charts share: frames as inline values under fixed field names, colors, axes in the field's words, titles.

Names from logs are only ever *values*. Every field a chart refers to is written in this package, never taken from data.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import altair as alt
import polars as pl

from sessionkit.charts.theme import CONTEXT, FAINT, INK, WIDTH, colors_of
from sessionkit.display.labels import (
    in_natural_order,
    inert,
    inert_column,
    named,
    natural_sort,
    plain,
    printable_column,
)
from sessionkit.display.numbers import share_text
from sessionkit.errors import UsageError, visible
from sessionkit.statistics.bands import BETWEEN, with_groups
from sessionkit.statistics.findings import Finding
from sessionkit.study.tabular import as_polars

SYNTHETIC = "Synthetic data"
PERCENT = "_percent"
"""How fields end that hold a share as text."""
NUMBERS = "Numbers: "
"""How a line below the title begins that explains numbers in cells; it goes where these do not fit."""
LEGENDS = {"system_id": "System", "topic_id": "Topic", "user_id": "User", "session_id": "Session"}
"""What columns that make groups are called."""
FOLD = 40
"""Characters of a measure's text on one line of an axis title."""
FILLED_SHAPE: dict[str, Any] = {"symbolFillColor": FAINT, "symbolStrokeColor": "transparent"}
"""How one legend shows shapes of points and dashes of lines: Vega would dash the edges of the shapes."""
DASHES = ([1, 0], [6, 4], [2, 3], [9, 3, 2, 3], [12, 5], [1, 2])
SEPARATORS = {0x2028: " ", 0x2029: " "}
Drawn = TypeVar("Drawn", alt.LayerChart, alt.FacetChart)
MOST_NAMED, LONGEST = 7, 18
"""Curves that are named where they end, and characters of such a name."""
MOST_COLORED = 6
"""Groups up to which every curve has a color of its own; of more only the highest and the lowest have one."""
FEW = 4
"""Whole numbers that an axis names all."""
LEADER_FROM, LEADER_TO, MARK_AT, NAME_AT = 3, 14, 18, 25
"""Pixels right of the plot at which leaders begin and end, marks of curves stand, and names beside marks do."""
CURVE_NAME = "curve-name"
"""The style of what names a curve beside the plot: its leader, its mark and its name."""
APART, TOUCHING = 0.1, 0.3
"""Share of the height between such names, and share of that by which a name can be moved and still is at its curve's end."""
STACKED, APART_STACKED = 3, 0.16
"""Panels from which on a column of a paper leaves each little height, and share of it between names then."""
MOST_TOPICS = 60
"""Topics up to which an axis names each."""
TOPIC_CHARACTER, TOPIC_LINE, TOPIC_LENGTH = 6.2, 11, 90
"""Pixels of a character of a topic's name, between upright names, and of the longest upright name."""
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")


class SharedRows(alt.InlineData):
    """Data inside a chart that nobody changes: copies of the chart share them, and they are not checked value by value.

    ``shown`` is what a reader would draw again: the rows without those that only guide the eye.
    """

    shown: pl.DataFrame

    _class_is_valid_at_instantiation = False

    def __deepcopy__(self, _memo: object) -> SharedRows:
        """Return these data."""
        return self


class Layer(alt.Chart):
    """A layer that a chart is made of: Altair copies each four times in making one, and these copies share their encodings.

    A copy of the whole chart shares nothing but rows.
    """

    def copy(self, deep: bool | Iterable[Any] = True, ignore: list[str] | None = None) -> Layer:
        """Return a copy with encodings and marks of its own only where they are named."""
        made: Layer = super().copy(deep=False if deep is True else deep, ignore=ignore)
        return made


FITTED = "laidOut"
"""The mark in ``usermeta`` of a specification that is laid out in pixels: only its title, fonts and colors may change."""


def is_fitted(spec: Mapping[str, Any]) -> bool:
    """Whether a specification is of a `FittedChart`: its marks stand in pixels, and are not scaled."""
    return bool(spec.get("usermeta", {}).get(FITTED))


class FittedChart(alt.LayerChart):
    """A chart that is drawn anew for a width instead of being scaled to it: its text keeps its size.

    ``fitted`` draws it for a width and a font size in points, without its title, which `sessionkit.charts.save` keeps. Its
    specification has the mark `FITTED`, which `sessionkit.charts.files.spec_of` sets.
    """

    fitted: Callable[[float, float], alt.LayerChart]

    def copy(self, deep: bool | Iterable[Any] = True, ignore: list[str] | None = None) -> FittedChart:
        """Return a copy that can be drawn anew too."""
        return fitted_by(super().copy(deep=deep, ignore=ignore), self.fitted)


def fitted_by(chart: alt.LayerChart, draw: Callable[[float, float], alt.LayerChart]) -> FittedChart:
    """Return a chart that `draw` draws anew for a width and a font size in points."""
    fitted = FittedChart(**chart._kwds)
    object.__setattr__(fitted, "fitted", draw)  # no part of the specification
    return fitted


def layered(layers: Iterable[alt.Chart], **looks: Any) -> alt.LayerChart:  # noqa: ANN401 - as Altair has them
    """Return layers as one chart, see `Layer`."""
    return alt.LayerChart(layer=[Layer(**layer._kwds) for layer in layers], **looks)


def drawn_of(found: Any, table: str, source: str) -> Any:  # noqa: ANN401  # a finding, or anything tabular
    """The table of a finding that a chart draws, by its name; anything else as it is.

    Raises
    ------
    UsageError
        It is the finding of another function.
    """
    if not isinstance(found, Finding):
        return found
    frame = getattr(found, table, None)
    if not isinstance(frame, pl.DataFrame):
        raise UsageError(f"this chart draws what {source} returns, not a {type(found).__name__}")
    return frame


def setting_of(found: Any, name: str, given: float | None, usual: float) -> float:  # noqa: ANN401  # a finding, or anything
    """What is asked for, or else the finding's own setting, or else the usual one."""
    return given if given is not None else float(getattr(found, name, usual)) if isinstance(found, Finding) else usual


def line_below(found: Any, *lines: str | None) -> str | None:  # noqa: ANN401  # a finding, or anything
    """The line below a title: what it is of, and which sessions a finding is of where not all take part."""
    made = found.provenance if isinstance(found, Finding) else None
    where = [f"Sessions where {made.where}"] if made is not None and made.where is not None else []
    return "; ".join([*(plain("subtitle", line) for line in lines if line), *map(visible, where)]) or None


def checked(frame: Any, columns: Sequence[str], source: str) -> pl.DataFrame:  # noqa: ANN401  # anything tabular
    """Return these columns of a tidy frame, names made printable.

    Raises
    ------
    UsageError
        A column is missing, or there is no row, or no value.
    """
    table = as_polars(frame, source).collect()
    missing = [name for name in columns if name not in table.columns]
    if missing:
        found = ", ".join(table.columns) or "none"
        raise UsageError(f"this chart needs the column {missing[0]} that {source} gives; columns found: {found}")
    if table.is_empty():
        raise UsageError(f"there is nothing to draw: the frame from {source} has no rows")
    texts = [name for name in ("group", "part") if name in columns]
    numbers = [pl.col(name).cast(pl.Float64).alias(name) for name in ("value",) if name in columns]
    shown = table.select(columns).with_columns(*(printable_column(name) for name in texts), *numbers)
    finite = pl.when(pl.col("value").is_finite()).then(pl.col("value"))
    if "value" not in columns:
        return shown
    shown = shown.with_columns(finite)
    if not shown.get_column("value").count():
        raise UsageError("there is nothing to draw: no value is defined")
    return shown


def grouped(
    frame: Any,  # noqa: ANN401  # anything tabular
    columns: Sequence[str],
    source: str,
    own: Sequence[str],
    legend: str | None = None,
) -> tuple[pl.DataFrame, str]:
    """Return these columns of a tidy frame with ``group``, the name of each row's group, and what the groups are called.

    Parameters
    ----------
    own
        The columns that every frame of this source has; the others make the groups.
    legend
        What the groups are called; by default as their columns are.

    Raises
    ------
    UsageError
        A column is missing, or there is no row, or no value.
    """
    table = as_polars(frame, source).collect()
    keys = [name for name in table.columns if name not in own]
    if "group" not in keys:
        table = with_groups(table, keys)
    names = [LEGENDS.get(name, name) for name in keys if name != "group"]
    return checked(table, ("group", *columns), source), BETWEEN.join(names) or "Group" if legend is None else legend


def values(frame: pl.DataFrame, shown: pl.DataFrame | None = None) -> alt.InlineData:
    """Return a frame as data inside the chart: independent of Altair's global data transformers and their row limit.

    Parameters
    ----------
    frame
        What is drawn.
    shown
        What of it are data of the figure, if not all; with a column ``part`` where a figure has rows of several meanings.
    """
    texts = [inert_column(name) for name, dtype in frame.schema.items() if dtype == pl.String]
    rows = SharedRows(values=frame.with_columns(texts).to_dicts())
    data = frame.drop(name for name in frame.columns if name.endswith(PERCENT)) if shown is None else shown
    object.__setattr__(rows, "shown", data)  # no part of the specification
    return rows


def with_percents(frame: pl.DataFrame, *shares: str, decimals: int = 1) -> pl.DataFrame:
    """Return a frame with the texts of some shares beside them, for `share_tip`.

    A number format such as ``.1%`` would write 100.0% for 3,999 of 4,000.
    """
    return frame.with_columns(
        pl.col(name).map_elements(lambda share: share_text(share, decimals), pl.String).alias(f"{name}{PERCENT}")
        for name in shares
    )


def guide(frame: pl.DataFrame) -> alt.InlineData:
    """Return a frame as data that only guide the eye: rules, names of curves, numbers below an axis."""
    return values(frame, frame.clear())


def lines_of(
    frame: pl.DataFrame, line: str, x: str, y: str, *same: str, shown: pl.DataFrame | None = None
) -> alt.Chart:
    """Return a chart of many lines, which holds the points of each as two lists: a page is half as large as with a row per point.

    Parameters
    ----------
    frame
        A row per point.
    line, x, y
        The columns of the line to which a point belongs, and of its place.
    same
        Columns that are the same for all points of a line.
    shown
        What of it are data of the figure; none if not given, as for `guide`.
    """
    lines = frame.group_by(line, maintain_order=True).agg(*(pl.col(name).first() for name in same), x, y)
    return alt.Chart(values(lines, frame.clear() if shown is None else shown)).transform_flatten([x, y])


def shades_in(colors: Mapping[str, str] | None) -> dict[str, str]:
    """Return the colors that a caller gives to groups; none, an empty dict.

    Raises
    ------
    UsageError
        It is no mapping of names to colors.
    """
    if colors is None:
        return {}
    if not isinstance(colors, Mapping) or not all(isinstance(text, str) for pair in colors.items() for text in pair):
        raise UsageError(
            f"colors must be a dict of groups and their colors, such as {{'S1': '#0072B2'}}, not {colors!r}"
        )
    return dict(colors)


def color(groups: Sequence[str], colors: Mapping[str, str] | None, legend: str) -> alt.Color:
    """Return the color of each group, from `colors` or by sorted name."""
    names = in_natural_order(groups)
    shades = shades_in(colors)
    given = {**shades, **{named(name): shade for name, shade in shades.items()}}
    own = given if all(name in given for name in names) else colors_of([*given, *names]) | given
    names.sort(key=lambda name: own[name] != CONTEXT)  # drawn first, and so behind
    scale = alt.Scale(domain=[inert(name) for name in names], range=[own[name] for name in names])
    shown = [inert(name) for name in names if own[name] != CONTEXT]
    known = alt.Legend(title=plain("legend", legend), values=shown if len(shown) < len(names) else alt.Undefined)
    return alt.Color(field="group", type="nominal", scale=scale, legend=known)


def outstanding(
    curves: pl.DataFrame, x: str, y: str, colors: Mapping[str, str] | None
) -> tuple[pl.DataFrame, Mapping[str, str] | None]:
    """Return curves, context first and so behind, and their colors: those given, or of many curves those of two that stand out.

    Of more groups than colors tell apart, the highest and the lowest at the end have one; the others are context, in gray.
    """
    known = curves.drop_nulls(y)
    if colors is None and known.get_column("group").n_unique() > MOST_COLORED:
        ends = known.group_by("group").agg(_end=pl.col(y).sort_by(x).last(), _mean=pl.col(y).mean())
        names = natural_sort(ends, "group").sort("_end", "_mean", maintain_order=True).get_column("group").to_list()
        others = dict.fromkeys(in_natural_order(curves.get_column("group")), CONTEXT)
        colors = others | colors_of([names[0], names[-1]])
    context = [name for name, shade in shades_in(colors).items() if shade == CONTEXT]
    behind = [*context, *map(named, context)]
    if not behind:
        return curves, colors
    return curves.sort(~pl.col("group").is_in(behind), maintain_order=True), colors


def shaped(groups: Sequence[str], legend: str) -> alt.Shape:
    """Return the shape of each group's points, by sorted name, under the legend of colors; for at most as many as there are shapes."""
    names = in_natural_order(groups)
    scale = alt.Scale(domain=[inert(name) for name in names], range=list(SHAPES[: len(names)]))
    return alt.Shape(field="group", type="nominal", scale=scale, legend=alt.Legend(title=plain("legend", legend)))


def curve_names(curves: pl.DataFrame, encoding: Mapping[str, Any], marks: Mapping[str, Any]) -> list[alt.Chart]:
    """Return layers that name every curve beside the plot, at the height where it ends; its legends go.

    Names of curves that end close together stand apart, in the order of their ends, and a leader joins each name to the end of its
    curve. Where names are many or long there are no layers, and legends stay.

    Parameters
    ----------
    curves
        The points of the curves: ``group``, ``label`` (the name of the curve), and the fields of the axes.
    encoding
        The channels ``x``, ``y`` and ``color`` of the curves.
    marks
        Further channels that tell the curves apart: ``shape`` and ``strokeDash``.
    """
    ends = curve_ends(curves, encoding)
    if ends is None:
        return []
    return name_layers(alt.Chart(guide(ends)), encoding, marks, marked=bool(ends.get_column("beside").count()))


def curve_ends(
    curves: pl.DataFrame, encoding: Mapping[str, Any], panel: str | None = None, *, always: pl.Expr | None = None
) -> pl.DataFrame | None:
    """Return where names of curves stand, of each panel if there are several: their rows, at the right end of the axis; see `curve_names`.

    ``beside`` is the height of the name's mark, ``end_x`` and ``end_y`` are where the curve ends; all are null where all names
    stand at the ends of their curves. None where names are many or long. Curves of groups that are context have no name, except
    those that `always` have one.
    """
    x, y = encoding["x"]["field"], encoding["y"]["field"]
    shown = encoding["color"]["legend"]["values"] if encoding["color"]["legend"] else alt.Undefined
    if isinstance(shown, list):  # others are context
        is_named = inert_column("group").is_in(shown)
        curves = curves.filter(is_named if always is None else is_named | always)
    labels = curves.get_column("label").unique()
    if not 0 < len(labels) <= MOST_NAMED or max(labels.str.len_chars()) > LONGEST:
        return None
    known = curves.filter(pl.col(y).is_not_null()).sort(x, maintain_order=True)
    keys = [*([panel] if panel else []), "label"]
    last = known.group_by(keys, maintain_order=True).agg(
        pl.exclude(*keys, x).last(),
        pl.lit(_reach(known, encoding["x"])[1], curves.schema[x]).alias(x),
        _mean=pl.col(y).mean(),
        end_x=pl.col(x).last(),
        end_y=pl.col(y).last(),
    )
    parts = [(last, known)]
    if panel is not None:
        parts = [
            (part, known.filter(pl.col(panel) == name[0]))
            for name, part in last.partition_by(panel, maintain_order=True, as_dict=True).items()
        ]
    gap = APART if len(parts) < STACKED else APART_STACKED
    apart = [
        _apart(part.sort(y, "_mean", descending=True), encoding["y"], _reach(of, encoding["y"]), gap)
        for part, of in parts
        if len(part)
    ]
    if not apart:
        return None
    elsewhere = (pl.col("_moved") | (pl.col("end_x") < pl.col(x))).any()
    led = pl.when(elsewhere).then(pl.struct(pl.col(y).alias("beside"), "end_x", "end_y")).struct.field("*")
    return pl.concat(apart).with_columns(led).drop("_moved", "_mean")


def name_layers(
    chart: alt.Chart, encoding: Mapping[str, Any], marks: Mapping[str, Any], *, marked: bool = True
) -> list[alt.Chart]:
    """Return layers that write names for the rows of `curve_ends`; legends go.

    Where some are `marked`, leaders from the ends of curves and marks come first. Without marks there are no such layers: Vega warns
    of a field without a value.
    """
    for channel in (encoding["color"], *marks.values()):
        channel["legend"] = None
    x, y, shade = encoding["x"], encoding["y"], encoding["color"]
    text = chart.mark_text(
        style=CURVE_NAME,
        align="left",
        baseline="middle",
        dx=NAME_AT if marked else LEADER_FROM + 4,
        fontSize=11,
        color=INK,
    )
    names = text.encode(x=x, y=y, text=alt.Text(field="label", type="nominal"))
    if not marked:
        return [names]
    shapes = {name: mark for name, mark in marks.items() if name == "shape"}
    beside, end_x, end_y = y.copy(), x.copy(), y.copy()
    beside["field"], end_x["field"], end_y["field"] = "beside", "end_x", "end_y"
    points = chart.mark_point(style=CURVE_NAME, filled=True, xOffset=MARK_AT)
    leader = chart.mark_rule(style=CURVE_NAME, strokeWidth=1, xOffset=LEADER_FROM, x2Offset=LEADER_TO)
    early = chart.mark_rule(
        style=CURVE_NAME, strokeWidth=1, strokeDash=[1, 3], xOffset=LEADER_FROM, x2Offset=LEADER_FROM
    )
    x2 = alt.X2(field=x["field"])
    return [
        early.encode(x=end_x, x2=x2, y=end_y, color=shade),
        leader.encode(x=x, x2=x2, y=end_y, y2=alt.Y2(field="beside"), color=shade),
        points.encode(x=x, y=beside, color=shade, **shapes),
        names,
    ]


def _reach(known: pl.DataFrame, y: alt.X | alt.Y) -> tuple[float, float]:
    """The least and greatest value of an axis: its domain, or else 0 and the data."""
    domain = y["scale"]["domain"] if y["scale"] is not alt.Undefined else alt.Undefined
    if isinstance(domain, list):
        return float(domain[0]), float(domain[1])
    fields = (y["field"], "low", "high", "ideal")
    found = [known.get_column(name).drop_nulls() for name in fields if name in known.columns]
    ends = [0.0, *(float(end) for one in found if len(one) for end in (one.min(), one.max()))]  # type: ignore[arg-type]
    return min(ends), max(ends)


def _apart(ends: pl.DataFrame, y: alt.Y, reach: tuple[float, float], share: float) -> pl.DataFrame:
    """Ends in falling order, moved as little as keeps them a line of text apart and within the axis (least squares)."""
    power = 0.5 if y["scale"] is not alt.Undefined and y["scale"]["type"] == "sqrt" else 1.0
    field = y["field"]
    reach = reach[0] ** power, reach[1] ** power
    gap = share * (reach[1] - reach[0])
    blocks: list[list[float]] = []  # sums and sizes of runs that touch, their values raised by the gaps above them
    for place, value in enumerate(ends.get_column(field).pow(power)):
        blocks.append([value + place * gap, 1])
        while len(blocks) > 1 and blocks[-1][0] / blocks[-1][1] > blocks[-2][0] / blocks[-2][1]:
            total, size = blocks.pop()
            blocks[-1] = [blocks[-1][0] + total, blocks[-1][1] + size]
    raised = [total / size for total, size in blocks for _ in range(int(size))]
    least = reach[0] + (len(raised) - 1) * gap
    moved = [max(least, min(reach[1], value)) - place * gap for place, value in enumerate(raised)]
    far = [
        abs(place - end) > gap * TOUCHING for place, end in zip(moved, ends.get_column(field).pow(power), strict=True)
    ]
    heights = pl.Series(field, [place ** (1 / power) for place in moved], pl.Float64)
    return ends.with_columns(heights, pl.Series("_moved", far, pl.Boolean))


def how_many(*parts: tuple[int, int, str]) -> str | None:
    """Return the line that says how many are drawn, of how many, of what; None where all are."""
    fewer = [f"{drawn:,} of {of:,} {words}" for drawn, of, words in parts if drawn < of]
    return f"Drawn: {', '.join(fewer)}" if fewer else None


def by_ink(cells: pl.DataFrame, deep: pl.Expr) -> list[tuple[alt.Chart, str]]:
    """Return charts of the cells of a heatmap that are light, and of those that are deep, each with the color that is read on them."""
    parts = ((cells.filter(~deep), INK), (cells.filter(deep), "white"))
    return [(alt.Chart(guide(rows)), ink) for rows, ink in parts if len(rows)]


def whole_numbers(title: str, first: int, last: int) -> alt.Axis:
    """Return an axis of whole numbers, every one named where they are few: Vega names halves of them too."""
    few = [*range(first, last + 1)] if last - first < FEW else alt.Undefined
    return alt.Axis(title=title, values=few, tickMinStep=1, format="d")


def topic_axis(title: str, topics: Sequence[str], step: float, width: float | None) -> alt.Axis:
    """Return an axis that names every topic, on one line where the longest name fits between two, else upright and cut.

    Topics are a `step` apart, unless a `width` of all is given. A tooltip has the whole name. Of more than `MOST_TOPICS` the title
    says how many there are, and tooltips alone name them.
    """
    if len(topics) > MOST_TOPICS:
        return alt.Axis(title=title, labels=False, ticks=False)
    room = step if width is None else pixels("width", width) / len(topics)
    upright = max(map(len, topics)) * TOPIC_CHARACTER > room
    limit = TOPIC_LENGTH if upright else room
    return alt.Axis(title=title, labelAngle=-90 * upright, labelLimit=limit, labelOverlap=False)


def topic_step(topics: int, least: float, most: float) -> float:
    """Return the pixels between topics, at least a line of text where they are named."""
    return max(TOPIC_LINE if topics <= MOST_TOPICS else least, min(most, WIDTH // topics))


def of_several(frame: pl.DataFrame, count: str) -> tuple[pl.DataFrame, bool]:
    """Return a frame without values, and ends of bands, where fewer than two are averaged, and whether what is left are means.

    If no row averages several, all stay, and none is a mean.
    """
    several = pl.col(count) > 1
    if not frame.select(several.any()).item():
        return frame, False
    names = [name for name in ("value", "precision", "low", "high") if name in frame.columns]
    return frame.with_columns(pl.when(several).then(pl.col(names))), True


def mean_of(title: str, means: bool) -> str:
    """Return the title of an axis of means, or of what no mean was taken of.

    >>> mean_of("Mean cumulated gain", False)
    'Cumulated gain'
    """
    return title if means else title.removeprefix("Mean ").capitalize()


def band(frame: pl.DataFrame, encoding: Mapping[str, Any], detail: str | None = None) -> list[alt.Chart]:
    """Return the area between ``low`` and ``high`` along a curve, as far as there are any, at places and in colors of `encoding`.

    `detail` tells several areas of a color apart.
    """
    if "low" not in frame.columns or not frame.get_column("low").count():
        return []
    known = frame.filter(pl.col("low").is_not_null() & pl.col("high").is_not_null())
    return [area(alt.Chart(values(known)), encoding, detail)]


def area(chart: alt.Chart, encoding: Mapping[str, Any], detail: str | None = None) -> alt.Chart:
    """Return a chart as such an area, with its edges: areas that overlap are told apart without color."""
    low = encoding["y"].copy()
    low["field"] = "low"
    shade = encoding["color"]
    edge = alt.Stroke(field=shade["field"], type=shade["type"], scale=shade["scale"], legend=shade["legend"])
    both = {"x": encoding["x"], "y": low, "y2": alt.Y2(field="high"), "color": shade, "stroke": edge}
    several = {} if detail is None else {"detail": alt.Detail(field=detail, type="nominal")}
    return chart.mark_area(fillOpacity=0.15, strokeOpacity=0.45, strokeWidth=0.75).encode(**both, **several)


def band_tips(frame: pl.DataFrame) -> list[alt.Tooltip]:
    """Return the lines of a tooltip for the ends of a band, where there are bands."""
    return [tip("low", "From", ".4f"), tip("high", "To", ".4f")] if "low" in frame.columns else []


def gain_axis(title: str, measure: str | None) -> alt.Y:
    """Return the vertical axis, with the text of the measure on the lines below its title."""
    title = plain("title", title)
    lines: str | list[str] = title if measure is None else [title, *folded(plain("measure", measure))]
    return alt.Y(field="value", type="quantitative", axis=alt.Axis(title=lines, tickCount=6))


def folded(text: str, most: int = FOLD) -> list[str]:
    """Return the text of a measure in lines of about so many characters, folded after commas, so that all of it can be read."""
    lines = [""]
    for piece in re.findall("[^,]+,?|,", text):
        if lines[-1] and len(lines[-1]) + len(piece) > most:
            lines.append("")
        lines[-1] += piece
    return lines


def parted(field: str, names: Sequence[str], legend: str) -> tuple[alt.StrokeDash, alt.Shape]:
    """Return the dash of lines and the shape of points by a field, under one legend, which shows the shapes, filled.

    Raises
    ------
    UsageError
        There are more names than dashes that can be told apart.
    """
    if len(names) > len(DASHES):
        found = f"{len(names)} kinds of {legend.lower()}"
        raise UsageError(f"one chart holds {len(DASHES)} kinds of line, not {found}; filter the frame first")
    known = alt.Legend(title=legend, **FILLED_SHAPE)
    dashes = alt.Scale(domain=[inert(name) for name in names], range=list(DASHES[: len(names)]))
    shapes = alt.Scale(domain=[inert(name) for name in names], range=list(SHAPES[: len(names)]))
    return (
        alt.StrokeDash(field=field, type="nominal", scale=dashes, legend=known),
        alt.Shape(field=field, type="nominal", scale=shapes, legend=known),
    )


def stacked(
    layers: Sequence[alt.Chart],
    title: str | None,
    synthetic: bool,
    subtitle: str | None = None,
    *,
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart:
    """Return layers as one chart with its title and size; below the title what is shown, and that synthetic data are.

    Raises
    ------
    UsageError
        The title or subtitle is not text, or the size is not one.
    """
    chart = layered(layers)
    below = [] if subtitle is None else [subtitle]
    return titled(chart, title, below, synthetic, width=width, height=height)


def titled(
    chart: Drawn,
    title: str | None,
    below: Sequence[str],
    synthetic: bool,
    *,
    width: float | None = None,
    height: float | None = None,
) -> Drawn:
    """Give a chart that was just made its size, its title, lines below it, and that synthetic data are; return it.

    A blank title is none: what stands below it, the mark of synthetic data above all, is drawn with a title or without.

    The title is set in place: Altair's ``properties`` copies every layer, and checks what is text already.

    Raises
    ------
    UsageError
        The title or a line is not text, or the size is not one.
    """
    plot = chart.spec if isinstance(chart, alt.FacetChart) else chart
    for name, size in (("width", width), ("height", height)):
        if size is not None:
            setattr(plot, name, pixels(name, size))
    own: list[str] = [plain("title", title)] if title is not None else []
    lines = [*own, *(plain("subtitle", text) for text in below), *([SYNTHETIC] if synthetic else [])]
    return _under(chart, [line for line in lines if line.strip()], bold=bool(own and own[0].strip()))


def pixels(name: str, size: float) -> float:
    """Return a size if it can be one."""
    if isinstance(size, bool) or not isinstance(size, int | float) or not 0 < size < math.inf:
        raise UsageError(f"{name} must be a number of pixels above 0, not {size!r}")
    return size


def refuse_height(height: object) -> None:
    """Raise UsageError where a height is given for a chart that is laid out."""
    if height is not None:
        raise UsageError("this chart is as high as its content needs; give it a width and leave the height out")


def retitled(chart: Drawn, title: str) -> Drawn:
    """Return a copy of a chart under another title, or under none if that is blank; the lines below the title stay.

    Raises
    ------
    UsageError
        The title is not text.
    """
    before = chart.title
    lines = [] if before is alt.Undefined else [before.text]
    if lines and before.subtitle is not alt.Undefined:
        lines += [before.subtitle] if isinstance(before.subtitle, str) else before.subtitle
    below: list[str] = lines if lines[:1] == [SYNTHETIC] else lines[1:]
    new: str = plain("title", title)
    return _under(chart.copy(), [*([new] if new.strip() else []), *below], bold=bool(new.strip()))


def _under(chart: Drawn, lines: Sequence[str], *, bold: bool) -> Drawn:
    """Set these lines above a chart, the first as its title, in bold if it is one."""
    if not lines:
        chart.title = alt.Undefined
        return chart
    first, *others = lines
    under = alt.Undefined if not others else others[0] if len(others) == 1 else others
    chart.title = alt.Title(text=first, subtitle=under, fontWeight=alt.Undefined if bold else "normal")
    return chart


def in_order() -> alt.EncodingSortField:
    """Return the order of facets by the column ``place``; names listed as an order would become part of an expression."""
    return alt.EncodingSortField(field="place", op="min")


def grade_text(name: str) -> pl.Expr:
    """Return grades as text: whole ones without a point, others to two decimals, as means of judges can have 16 digits.

    >>> pl.DataFrame({"grade": [2.0, 4 / 3, 0.5, None]}).select(grade_text("grade")).to_series().to_list()
    ['2', '1.33', '0.5', 'unjudged']
    """
    grade = pl.col(name)
    integer = grade.cast(pl.Int64, strict=False)
    text = pl.when(grade == integer).then(integer.cast(pl.String)).otherwise(grade.round(2).cast(pl.String))
    return text.fill_null("unjudged")


def share_tip(field: str, title: str) -> alt.Tooltip:
    """Return one line of a tooltip for a share, of a frame that `with_percents` made."""
    return tip(f"{field}{PERCENT}", title)


def tip(field: str, title: str, form: str | None = None) -> alt.Tooltip:
    """Return one line of a tooltip; text unless a number format is given.

    The title becomes part of an expression, which ends at the line separators of Unicode.
    """
    title = plain("title", title).translate(SEPARATORS)
    if form is None:
        return alt.Tooltip(field=field, type="nominal", title=title)
    return alt.Tooltip(field=field, type="quantitative", title=title, format=form)
