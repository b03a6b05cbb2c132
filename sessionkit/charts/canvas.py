"""A page of marks in pixels that panels draw on, and how wide texts are: the charts of one session are laid out, not scaled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from unicodedata import bidirectional, combining, east_asian_width

import altair as alt
import polars as pl

from sessionkit.charts.encodings import Layer, pixels, refuse_height, tip, values
from sessionkit.charts.theme import ACCENT, FAINT, INK, PALE
from sessionkit.display.labels import named

SCREEN_WIDTH, SCREEN_SIZE, PRINT_SIZE = 640.0, 11.0, 8.0
"""Width and font size on a screen in pixels, and font size in print in points."""
NARROW = 45.0
"""Width in font sizes below which texts stand above their lists instead of beside them."""
MOST_HEIGHT = 65.0
"""Height of a canvas in font sizes: with a title at most 200 mm at 8 points, which a page of a paper holds."""
LINE = 1.35
"""Height of a line of text, in font sizes."""
LIGHT, DARK = "#ECECEC", "#3A3A3A"
"""Shades of the lowest and the highest grade."""
LONGEST_TEXT = 1_000
"""Characters of a query's text that are looked at."""
ADVANCES = {
    191: "'", 222: "ijl", 260: "|", 278: " !,./:;I[]\\ft", 333: "()-`r", 355: '"', 389: "*",
    500: "ckvxyzsJ", 584: "+<=>~", 611: "FTZ", 667: "&ABEKPSVXY", 722: "CDHNRUw", 778: "GOQ", 833: "Mm",
    889: "%", 944: "W", 1000: "…", 1015: "@",
}  # fmt: skip
"""Widths of characters of Liberation Sans and Arial in thousandths of the font size; all others here are 556."""
ADVANCE = {character: width for width, characters in ADVANCES.items() for character in characters}
BOLD = 50
"""How much wider a bold character is, about, in thousandths of the font size."""

RECTS: dict[str, dict[str, Any]] = {
    "dwell": {"color": PALE},
    "bar": {"color": ACCENT},
    "open": {"fillOpacity": 0, "stroke": FAINT, "strokeWidth": 0.7, "strokeDash": [2, 2]},
}
RULES: dict[str, dict[str, Any]] = {
    "boundary": {"color": "#C8C8C8", "strokeWidth": 0.8},
    "axis": {"color": FAINT, "strokeWidth": 0.8},
    "strike": {"color": FAINT, "strokeWidth": 0.9},
    "span": {"color": FAINT, "strokeWidth": 1},
    "query": {"color": INK, "strokeWidth": 2},
    "dashed": {"color": FAINT, "strokeWidth": 1.3, "strokeDash": [4, 3]},
    "solid": {"color": ACCENT, "strokeWidth": 1.8},
}
TEXTS: dict[str, dict[str, Any]] = {
    "text": {"align": "left", "color": INK},
    "added": {"align": "left", "color": INK, "fontWeight": 700},
    "removed": {"align": "left", "color": "#555555"},
    "faint": {"align": "left", "color": "#555555"},
    "head": {"align": "left", "color": INK, "fontWeight": 600},
    "sum": {"align": "right", "color": INK},
    "middle": {"align": "center", "color": INK},
    "on light": {"align": "center", "color": INK},
    "on dark": {"align": "center", "color": "#FFFFFF"},
}
SMALL_TEXTS = ("middle", "on light", "on dark")
"""Texts in chips and above bars, which are smaller."""


def content_width(width: float | None, height: float | None) -> float:
    """Return the width of a page on a screen; refuse a height, which follows from the content."""
    refuse_height(height)
    return SCREEN_WIDTH if width is None else pixels("width", width)


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Return about how wide a text is drawn in Liberation Sans or Arial, in the unit of the font size.

    >>> text_width("mill", 10)
    14.99
    """
    return round((sum(map(_advance, text)) + BOLD * bold * len(text)) * size / 1000, 2)


def _advance(character: str) -> int:
    if combining(character):
        return 0
    if east_asian_width(character) in "WF":
        return 1000
    return ADVANCE.get(character, 500 if bidirectional(character) == "R" else 556)


def cut(text: str, width: float, size: float, *, bold: bool = False) -> str:
    """Return a printable text that fits into a width: itself, or its beginning and an ellipsis."""
    shown = named(text[:LONGEST_TEXT])
    if text_width(shown, size, bold=bold) <= width:
        return shown
    while shown and text_width(f"{shown}…", size, bold=bold) > width:
        shown = shown[: min(len(shown) - 1, max(1, int(len(shown) * width / text_width(f"{shown}…", size))))]
    return f"{shown}…"


Limits = Mapping[str, tuple[float, float]]
"""The least and the greatest value of columns, such as ``{"contribution": (0.0, 1.2)}``, which several figures have in common."""


def extent(frame: pl.DataFrame, column: str, limits: Limits | None = None) -> tuple[float, float]:
    """Return the least and the greatest value of a column: those of the limits, where they name it, else its own; 0 for none.

    >>> extent(pl.DataFrame({"rank": [1, 3]}), "rank"), extent(pl.DataFrame({"rank": [1, 3]}), "rank", {"rank": (1.0, 10.0)})
    ((1.0, 3.0), (1.0, 10.0))
    """
    if limits is not None and column in limits:
        return limits[column]
    numbers = frame.get_column(column).cast(pl.Float64)
    low, high = numbers.min(), numbers.max()
    return float(low or 0.0), float(high or 0.0)  # type: ignore[arg-type]


@dataclass
class Canvas:
    """A page in pixels that panels draw on, each below the one before it.

    Parameters
    ----------
    width
        Of the page, in pixels; in print in points.
    size
        Of the font, in the same unit.
    limits
        What several pages have in common, for the shades of grades.
    """

    width: float
    size: float
    limits: Limits | None = None
    y: float = 0.0
    marks: list[dict[str, Any]] = field(default_factory=list)
    layers: list[Callable[[alt.X, alt.Y], list[alt.Chart]]] = field(default_factory=list)

    @property
    def small(self) -> float:
        """The size of numbers in chips; in print at least 7 points."""
        return max(self.size - 1, 7.0)

    @property
    def is_narrow(self) -> bool:
        """Whether texts stand above their lists."""
        return self.width < NARROW * self.size

    @property
    def most_height(self) -> float:
        """How high the canvas can be."""
        return MOST_HEIGHT * self.size

    def mark(self, kind: str, x: float, y: float, **more: Any) -> None:  # noqa: ANN401  # values of several types
        """Add a rectangle, a rule, a point or a text of a kind."""
        self.marks.append({"kind": kind, "x": round(x, 2), "y": round(y, 2), **more})

    def paragraph(self, text: str, kind: str = "text", left: float = 0.0) -> None:
        """Write a text on as many lines as it takes, and move below it."""
        bold = kind == "head"
        for line in _lines(text.split(" "), self.width - left, self.size, bold=bold):
            shown = cut(line, self.width - left, self.size, bold=bold)
            self.mark(kind, left, self.y + LINE * self.size / 2, text=shown)
            self.y += LINE * self.size

    def chart(self, shown: pl.DataFrame) -> alt.LayerChart:
        """Return the page as one chart; `shown` is the table of what it draws, see `sessionkit.charts.data`."""
        rows = pl.DataFrame(self.marks, infer_schema_length=None)
        x, y = self.axes()
        ends = {"x": x, "y": y, "x2": alt.X2(field="x2"), "y2": alt.Y2(field="y2")}
        tips = [tip("document", "Document"), tip("rank", "Rank", "d"), tip("grade", "Grade")]
        tips += [tip("clicked", "Clicked"), tip("dwell", "Dwell, seconds", ".0f"), tip("added", "Adds", "+.4f")]
        tips = tips if "document" in rows.columns else []

        layers: list[alt.Chart] = []
        kinds = {mark["kind"] for mark in self.marks}

        def of(kind: str) -> alt.Chart:
            return alt.Chart().transform_filter(alt.FieldEqualPredicate(field="kind", equal=kind))

        layers += [of(kind).mark_rect(**RECTS[kind]).encode(**ends, tooltip=tips) for kind in RECTS if kind in kinds]
        if "grade" in kinds:
            graded = rows.filter(pl.col("kind") == "grade").select(grade="value")
            lowest, highest = extent(graded, "grade", self.limits)
            lowest, highest = min(0.0, lowest), max(1.0, highest)
            is_dark = (pl.col("kind") == "on light") & (pl.col("value") > lowest + 0.5 * (highest - lowest))
            rows = rows.with_columns(kind=pl.when(is_dark).then(pl.lit("on dark")).otherwise("kind"))
            shades = alt.Scale(domain=[lowest, highest], range=[LIGHT, DARK])
            fill = alt.Fill(field="value", type="quantitative", scale=shades, legend=None)
            layers.append(of("grade").mark_rect(stroke=FAINT, strokeWidth=0.8).encode(**ends, fill=fill, tooltip=tips))
            kinds = set(rows.get_column("kind"))
        layers += [of(kind).mark_rule(**RULES[kind]).encode(**ends) for kind in RULES if kind in kinds]
        for draw in self.layers:
            layers += draw(x, y)
        if "click" in kinds:
            triangle = of("click").mark_point(shape="triangle-up", filled=True, color=INK, opacity=1)
            triangle.mark.size = round((0.62 * self.size) ** 2, 1)
            layers.append(triangle.encode(x=x, y=y, tooltip=tips))
        word = alt.Text(field="text", type="nominal")
        for kind, look in TEXTS.items():
            if kind in kinds:
                size = self.small if kind in SMALL_TEXTS else self.size
                layers.append(of(kind).mark_text(baseline="middle", fontSize=size, **look).encode(x=x, y=y, text=word))
        drawn = [Layer(**layer._kwds) for layer in layers]
        return alt.LayerChart(data=values(rows, shown), layer=drawn, width=self.width, height=round(self.y, 2))

    def axes(self) -> tuple[alt.X, alt.Y]:
        """The axes of the page, in pixels from its upper left corner."""
        x = alt.Scale(domain=[0, self.width], nice=False, zero=False)
        y = alt.Scale(domain=[round(self.y, 2), 0], nice=False, zero=False)
        return (
            alt.X(field="x", type="quantitative", scale=x, axis=None),
            alt.Y(field="y", type="quantitative", scale=y, axis=None),
        )


def _lines(words: Iterable[str], width: float, size: float, *, bold: bool) -> list[str]:
    lines: list[str] = []
    for word in words:
        if lines and text_width(f"{lines[-1]} {word}", size, bold=bold) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def heading(canvas: Canvas, text: str) -> None:
    """Write the heading of a panel, and move below it."""
    canvas.paragraph(text, "head")


KEY_TEXTS = {
    "grade": "box: grade, stronger is higher",
    "open": "unjudged, or does not count",
    "bar": "bar: what a result adds",
    "click": "click",
    "dwell": "dwell",
    "span": "time to the next query",
    "query": "query",
    "added": "term added",
    "removed": "term removed",
}


def key(canvas: Canvas) -> None:
    """Explain the marks that are drawn, and move below."""
    size, x = canvas.size, 0.0
    kinds = {mark["kind"] for mark in canvas.marks}
    highest = max((mark["value"] for mark in canvas.marks if mark["kind"] == "grade"), default=None)
    canvas.y += 0.3 * size
    for kind, text in KEY_TEXTS.items():
        if kind not in kinds:
            continue
        word = {"added": "bold", "removed": "struck"}.get(kind)
        wide = size if word is None else text_width(word, size, bold=kind == "added")
        end = x + wide + 0.4 * size + text_width(text, size)
        if x and end > canvas.width:
            x, canvas.y = 0.0, canvas.y + LINE * size
            end = wide + 0.4 * size + text_width(text, size)
        y = canvas.y + LINE * size / 2
        if kind == "click":
            canvas.mark(kind, x + size / 2, y)
        elif word is not None:
            canvas.mark(kind, x, y, text=word)
            if kind == "removed":
                canvas.mark("strike", x, y, x2=round(x + wide, 2), y2=round(y, 2))
        else:
            half = {"dwell": 0.22, "span": 0.0}.get(kind, 0.5)
            tall = {"x2": x + (0 if kind == "query" else size), "y2": round(y + half * size, 2)}
            canvas.mark(kind, x, y - half * size, **tall, **({"value": highest} if kind == "grade" else {}))
        canvas.mark("faint", x + wide + 0.4 * size, y, text=text)
        x = end + size
    canvas.y += LINE * size
