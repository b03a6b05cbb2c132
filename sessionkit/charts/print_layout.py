"""Figures at the size of a column of a paper: width and height of the whole, fonts in points, styles for paper and gray."""

from __future__ import annotations

import copy
import math
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

from sessionkit.arguments import FigureStyle, require_choice
from sessionkit.charts.encodings import CURVE_NAME, FILLED_SHAPE, NAME_AT, NUMBERS, TOPIC_LENGTH, is_fitted
from sessionkit.charts.theme import CONFIG, CONTEXT, HEIGHT, PALETTE, WIDTH
from sessionkit.display.labels import plain
from sessionkit.errors import UsageError, warn

STYLES: tuple[FigureStyle, ...] = get_args(FigureStyle)
UNITS = {"mm": 72 / 25.4, "cm": 72 / 2.54, "in": 72.0, "pt": 1.0, "px": 0.75}
"""Points of each unit of length."""
LENGTH = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*([a-z]+)\s*")
SMALLEST, LARGEST = 72.0, 2880.0
"""Points that a figure can be wide or high: an inch to forty."""
FINEST, COARSEST = 5.0, 40.0
"""Font sizes that can be asked for, in points."""
USUAL, LEAST = 8.0, 7.0
"""The font size of a figure that has a width, in points; and the smallest of any text in it, unless less is asked for."""
NARROW = 340.0
"""Points of width below which legends stand below the plot."""
ROW = 60
"""Pixels up to which a panel is a row, which keeps its height."""
MOST_STACKED, FLATTER = 5, 0.75
"""Panels that stand one below the other in a narrow figure, and how much flatter they then are."""
BESIDE, WITHOUT_NUMBERS = 0.4, 0.5
"""Share of a narrow figure that labels beside the plot take at most; and where rows have no numbers."""
NEAR, NEAR_ROW, FLAT_ROW = 8, 5, 0.6
"""Points between panels of a narrow figure; between rows of panels with names above them, and how much flatter these are."""
PLOT, HIGH_PLOT = 0.6, 0.47
"""Share of a figure that its plot has, about; and how high it is unless a height is asked for, as a share of the figure's width."""
WIDE_PLOT = 0.75
"""Share of a figure that a plot has whose vertical axis has numbers, about."""
NAMES = 0.2
"""Share of a narrow figure that names of curves beside the plot take at most."""
WIDE, HIGH = 0.52, 1.1
"""How wide a character and how high a line is, in font sizes, about."""
BOLD = 1.08
"""How much wider bold characters are."""
MOST_BESIDE = 20
"""Characters of numbers beside the plot of a narrow figure."""
LONG_NAME = 20
"""Characters from which on names of a narrow legend stand one below the other."""
MOST_LINES = 1.8
"""Heights of a label that a row or bar with a size of its own takes at most, unless numbers stand above it."""
HIGH_ROW, ABOVE = 30, -9
"""Height of a row with numbers above it, before fonts are set, and where they stand, in points from its middle."""
MOST_ROWS, NO_NUMBERS = 0.85, "No room for the numbers of so many rows at this width"
"""Share of the highest figure that rows with numbers above them take at most; what is said where they would take more."""
ORDINALS = {2: "second", 3: "third"}
"""Which of the names below a plot stand there, where not all do."""
CONTEXT_GRAY = "#D0D0D0"
"""The shade of context: lighter than that of any color that stands out."""
GRAYS = ("#000000", "#8C8C8C", "#4D4D4D", "#B3B3B3", "#262626", "#A0A0A0", "#666666", "#737373")
"""What the colors of the palette become, each far from the one before it in lightness."""
FINEST_CIRCLE = 9.0
"""Least size of a circle that stands for a number, the square of its diameter in points: 1 mm across, which print still shows."""
PAPER_PADDING = 1
"""Points around a figure for paper."""
HIGHEST = 200 * UNITS["mm"]
"""Points that a figure is high at most, unless a height is asked for: a page of a paper holds no more."""
TOLERANCE = 0.02
"""Share of its size by which a figure can be too large."""
EXACT, MOST_TRIES = 0.003, 6
"""Share of its size that a figure can miss, and how often its plot is sized for that."""
HEX = re.compile("#[0-9A-Fa-f]{6}")
INSTALLED = "Liberation Sans"
"""The font that stands in for one that is missing."""
SpecWidth = Callable[[dict[str, Any]], tuple[float, float]]


@dataclass(frozen=True)
class PrintLayout:
    """How a figure is laid out; made by `print_layout`.

    Parameters
    ----------
    width, height
        Of the whole figure, in points; None, as it comes.
    font
        Name of the font; None, that of the theme.
    font_size
        Of labels, in points; None, that of the theme or, with a width, 8.
    style
        ``"screen"``, as on a screen; ``"paper"``, without room around the figure; ``"grey"``, that in shades of gray.
    plot
        Width and height of the plot itself, in points; None, as large as the size of the whole allows.
    """

    width: float | None = None
    height: float | None = None
    font: str | None = None
    font_size: float | None = None
    style: FigureStyle = "screen"
    plot: tuple[float, float] | None = None

    @property
    def in_points(self) -> bool:
        """Whether a unit of the drawing is a point, as its size is given."""
        return self.width is not None or self.height is not None

    @property
    def inner_width(self) -> float | None:
        """The width without the padding at both sides, which paper has less of."""
        if self.width is None:
            return None
        padding = float(CONFIG["padding"]) if self.style == "screen" else PAPER_PADDING
        return self.width - 2 * padding

    def apply(self, spec: dict[str, Any], measured: SpecWidth) -> dict[str, Any]:
        """Return a specification so laid out; `measured` says how wide and high it is drawn."""
        spec = self._prepared(spec)
        return self._sized(spec, measured) if self.in_points and not is_fitted(spec) else spec

    def with_plot_of(self, spec: dict[str, Any], measured: SpecWidth) -> PrintLayout:
        """Return this layout with the size of the plot that this specification gets, for others to have the same axes."""
        if not self.in_points or is_fitted(spec):
            return self
        return replace(self, plot=self._solved(self._prepared(spec), measured))

    def _prepared(self, spec: dict[str, Any]) -> dict[str, Any]:
        """A specification with its fonts, colors and texts, before its plot has a size."""
        spec = copy.deepcopy(spec)
        spec.setdefault("config", {})
        for layer in _leaves(spec):
            mark = layer.get("mark", {})
            layer |= {"mark": {"type": mark} if isinstance(mark, str) else mark, "encoding": layer.get("encoding", {})}
        size = self.font_size or (USUAL if self.in_points else None)
        if size is not None:
            _set_config_fonts(spec, size)
            if not is_fitted(spec):
                _set_mark_fonts(spec, size)
        if self.font is not None:
            spec["config"]["font"] = f"{self.font}, {CONFIG['font']}"
        if self.style != "screen":
            spec["config"]["padding"] = PAPER_PADDING
        if self.style == "grey":
            spec = _gray(spec)
        if not self.in_points:
            return spec
        if is_fitted(spec):
            spec["config"]["title"] = {**spec["config"]["title"], "offset": 4}
            _fold_titles(spec, spec["width"], spec["height"], size or USUAL)
            spec["config"]["title"]["frame"] = "group"
            return spec
        plot = self.width * PLOT if self.width is not None else float(WIDTH)
        _name_all(spec, plot, size or USUAL)
        config = spec["config"]
        config["title"] = {**config.get("title", {}), "offset": 8}
        config["axis"] = {**config.get("axis", {}), "titlePadding": 5}
        config["legend"] = {**config.get("legend", {}), "offset": 8, "symbolSize": 60}
        if self.width is not None:
            if self.width < NARROW:
                _narrow(spec, self.width, size or USUAL)
            _fold_titles(spec, self.width, self.height or self.width * HEIGHT / WIDTH, size or USUAL)
        return spec

    def _solved(self, spec: dict[str, Any], measured: SpecWidth) -> tuple[float, float]:
        """The width and height of a plot that leave the whole its size: a line through two sizes, until it is close."""
        inner = [
            self.width * PLOT if self.width else float(WIDTH),
            self.height * PLOT if self.height else float(HEIGHT),
        ]
        if self.width and not self.height:
            inner[1] = (
                self.width * HIGH_PLOT / max(1, spec.get("columns", 1)) * (FLATTER if spec.get("columns") == 1 else 1)
            )
        height = self.height
        if height is None and self.width and "columns" in spec and measured(self._with_plot(spec, *inner))[1] > HIGHEST:
            height = HIGHEST * (1 - EXACT)
        asked_sizes = [(place, asked) for place, asked in enumerate((self.width, height)) if asked is not None]
        for _ in range(MOST_TRIES):
            first = measured(self._with_plot(spec, inner[0], inner[1]))
            if all(abs(first[place] - asked) <= asked * EXACT for place, asked in asked_sizes):
                break
            more = [size * 0.8 for size in inner]
            second = measured(self._with_plot(spec, more[0], more[1]))
            for place, asked in asked_sizes:
                slope = (first[place] - second[place]) / (inner[place] - more[place]) if inner[place] else 0
                if slope > 0:
                    # below 1, a title is wider than the smaller plot: a line through both sizes would overshoot
                    inner[place] = max(20.0, inner[place] + (asked - first[place]) / max(slope, 1.0))
                elif first[place] < asked:  # a title or legend is wider than the plot
                    inner[place] += asked - first[place]
        return inner[0], inner[1]

    def _sized(self, spec: dict[str, Any], measured: SpecWidth) -> dict[str, Any]:
        """A specification with the size of its plot set, and without texts for which there is then no room."""
        made = self._with_plot(spec, *(self.plot or self._solved(spec, measured)))
        crowded = [layer for layer in _leaves(made) if _is_crowded(made, layer)]
        _leave_out(made, crowded, NUMBERS)
        if crowded and self.plot is None:  # what is left can be narrower
            made = self._with_plot(made, *self._solved(made, measured))
        made = _thinned(made)
        if self.plot is not None:  # the size of the whole follows from it
            return made
        for asked, found, side in zip((self.width, self.height), measured(made), ("wide", "high"), strict=True):
            if asked is not None and found > asked * (1 + TOLERANCE):
                raise UsageError(
                    f"the figure cannot be {asked / UNITS['mm']:.0f} mm {side}: its text leaves the plot no room at this font size; "
                    f"it takes {found / UNITS['mm']:.0f} mm"
                )
        return made

    def _with_plot(self, spec: dict[str, Any], width: float, height: float) -> dict[str, Any]:
        """A specification whose plot is so wide and high; rows and bars that have a size of their own keep it."""
        inner = spec.get("spec", spec)
        sized, own = {**inner, "width": round(width, 2)}, inner.get("height")
        share = float(spec["config"]["axis"]["labelFontSize"]) / CONFIG["axis"]["labelFontSize"]
        if isinstance(own, dict):
            most = own["step"] if own["step"] == HIGH_ROW else MOST_LINES * CONFIG["axis"]["labelFontSize"]
            sized["height"] = {"step": round(min(own["step"], most) * share, 2)}
        elif "spec" not in spec or own is None or (own > ROW and ("row" not in spec["facet"] or self.height)):
            sized["height"] = round(height, 2)
        elif own > ROW:
            sized["height"] = round(own * share, 2)
        return {**spec, "spec": sized} if "spec" in spec else sized


def print_layout(
    *,
    width: str | float | None = None,
    height: str | float | None = None,
    font: str | None = None,
    font_size: float | None = None,
    style: FigureStyle = "screen",
) -> PrintLayout:
    """Check what was asked for.

    Parameters
    ----------
    width, height
        Of the whole figure: a number of pixels (96 in an inch), or with a unit, such as ``"84mm"``, ``"3.3in"``.
    font, font_size, style
        See `PrintLayout`.

    Raises
    ------
    UsageError
        One of them is not possible.

    Examples
    --------
    >>> round(print_layout(width="84mm").width, 1)
    238.1
    """
    require_choice("style", style, STYLES)
    if font_size is not None and not (isinstance(font_size, int | float) and FINEST <= font_size <= COARSEST):
        raise UsageError(f"font_size must be {FINEST:g} to {COARSEST:g} points, not {font_size!r}")
    if font is not None and not re.fullmatch(r"[\w .-]{1,60}", plain("font", font)):
        raise UsageError(f"font must be the name of one font, not {font!r}")
    return PrintLayout(_points("width", width), _points("height", height), font, font_size, style)


def _points(name: str, length: str | float | None) -> float | None:
    """A length in points."""
    if length is None:
        return None
    found = LENGTH.fullmatch(f"{length}px" if isinstance(length, int | float) else str(length).lower())
    if found is None or found[2] not in UNITS:
        raise UsageError(
            f"{name} must be a length, such as 84mm, 3.3in or 400px, not {length!r}; units: {', '.join(UNITS)}"
        )
    points = float(found[1]) * UNITS[found[2]]
    if not SMALLEST <= points <= LARGEST:
        raise UsageError(f"{name} must be 25.4 mm to 1016 mm, not {length!r}")
    return points


def _set_config_fonts(spec: dict[str, Any], size: float) -> None:
    """Set the font sizes of the config."""
    config = spec["config"]
    for part, names in (("axis", ("label", "title")), ("legend", ("label", "title")), ("header", ("label", "title"))):
        config[part] = {**config.get(part, {}), **{f"{name}FontSize": size for name in names}}
    config["title"] = {**config.get("title", {}), "fontSize": size + 1, "subtitleFontSize": size}
    config["text"] = {**config.get("text", {}), "fontSize": size}


def _set_mark_fonts(spec: dict[str, Any], size: float) -> None:
    """Set the font size of every text mark that has its own, none below the least, and scale marks with it."""
    share, least = size / float(CONFIG["axis"]["labelFontSize"]), min(size, LEAST)

    def scaled(value: Any) -> None:  # noqa: ANN401  # any JSON value
        if isinstance(value, dict):
            if value.get("type") == "text" and "fontSize" in value:
                value["fontSize"] = max(least, round(value["fontSize"] * share, 2))
            if value.get("type") in ("point", "line"):
                for name, power in (("size", 2), ("strokeWidth", 1)):
                    if name in value:
                        value[name] = round(value[name] * share**power, 2)
            if isinstance(value.get("header"), dict):
                value["header"]["labelFontSize"] = size
            for inner in value.values():
                scaled(inner)
        elif isinstance(value, list):
            for inner in value:
                scaled(inner)

    scaled({name: part for name, part in spec.items() if name not in ("config", "datasets")})


def _narrow(spec: dict[str, Any], width: float, size: float) -> None:
    """Make what stands beside the plot leave it the width.

    Legends stand below the plot, also for long names of curves; long numbers above their rows, long titles of vertical axes above
    the axis, panels below each other. Symbols and lines are finer.
    """
    if spec.get("columns", 1) > 1:
        spec["columns"] = 1 if len(_values_of(spec, spec["facet"]["field"])) <= MOST_STACKED else 2
        if spec["columns"] == 1 and "spacing" in spec:
            spec["spacing"] = NEAR
        if spec["columns"] == 1:  # the axis below the last panel is that of all
            spec.get("resolve", {}).get("axis", {}).pop("x", None)
    _name_in_legend(spec, width / spec.get("columns", 1), size)
    _lift_titles(spec, width, size)
    panel, beside = spec.get("spec", spec), BESIDE
    for layer in [*panel.get("layer", [])]:
        if "mark" in layer and _takes_room(spec, layer):
            rows = len({row.get(_field(layer, "y")) for row in _rows_of(spec, layer)})
            if rows * HIGH_ROW * size / CONFIG["axis"]["labelFontSize"] > MOST_ROWS * HIGHEST:
                _drop(spec, [layer])
                _add_below(spec, NO_NUMBERS)
                beside = WITHOUT_NUMBERS
                continue
            _split_names(panel)
            layer["mark"].update(align="right", dx=0, dy=ABOVE)
            behind = copy.deepcopy(layer)  # no line goes through a number
            behind["mark"].update(color="white", stroke="white", strokeWidth=3)
            panel["layer"].insert(panel["layer"].index(layer), behind)
            panel["height"] = {"step": HIGH_ROW}
    config = spec["config"]
    config["legend"] = {
        **config.get("legend", {}),
        "orient": "bottom",
        "layout": {"bottom": {"direction": "vertical", "anchor": "start"}},  # several below each other
        "direction": "horizontal",
        "columns": 1 if _longest_name(spec) > LONG_NAME else 2,
        "symbolSize": 50,
    }
    _head_above(spec, width, size)
    config["line"] = {**config.get("line", {}), "strokeWidth": 1.3}
    config["point"] = {**config.get("point", {}), "size": 18}
    _shrink_circles(spec, (width * HIGH_PLOT / HEIGHT) ** 2)
    _limit_labels({name: part for name, part in spec.items() if name not in ("config", "datasets")}, width * beside)
    head = spec.get("facet", {}).get("header") or {}
    if "labelLimit" in head:
        head["labelLimit"] = width * 0.8


def _head_above(spec: dict[str, Any], width: float, size: float) -> None:
    """Names of rows of panels stand above them where they would take too much of the width beside them.

    Where columns of panels have names too, there is no place above rows: both have several lines.
    """
    facet = spec.get("facet", {})
    row = facet.get("row", {})
    longest = max((len(str(name)) for name in _values_of(spec, row.get("field", ""))), default=0)
    if not row or longest * WIDE * size <= width * BESIDE:
        return
    if "column" in facet:
        for side, lines in (
            ("row", r"split(replace(datum.label, /,/g, ',\n'), '\n')"),
            ("column", "split(datum.label, ' ')"),
        ):
            facet[side]["header"] = {**(facet[side].get("header") or {}), "labelExpr": lines}
    else:
        spec["facet"] = {
            **row,
            "header": {"title": None, "labelAnchor": "start", "labelPadding": 2, "labelLimit": width},
        }
        spec.update(columns=1, spacing=NEAR_ROW)
        spec["spec"]["height"] *= FLAT_ROW


def _split_names(panel: dict[str, Any]) -> None:
    """Names of high rows of several parts have a line for each, so that less of them is cut."""
    for layer in panel.get("layer", []):
        axis = layer.get("encoding", {}).get("y", {}).get("axis")
        if isinstance(axis, dict):
            axis["labelExpr"] = "split(datum.label, ': ')"


def _add_below(spec: dict[str, Any], line: str) -> None:
    """Add a line below the title; where there is none, in its place."""
    title: Any = spec.get("title")
    if not title:
        spec["title"] = {"text": line, "fontWeight": "normal"}
        return
    above = {"text": title} if isinstance(title, str | list) else title
    spec["title"] = {**above, "subtitle": [*_lines_of(above.get("subtitle") or []), line]}


def _name_in_legend(spec: dict[str, Any], width: float, size: float) -> None:
    """Name curves in a legend where names beside a plot would take too much of the width that it has."""
    layers = [layer for layer in _leaves(spec) if layer["mark"].get("style") == CURVE_NAME]
    texts = [str(row.get("label")) for layer in layers if _field(layer, "text") for row in _rows_of(spec, layer)]
    if max((NAME_AT + WIDE * size * len(text) for text in texts), default=0) <= width * NAMES:
        return
    _drop(spec, layers)
    dashed = {layer["encoding"].get("strokeDash", {}).get("field") for layer in _leaves(spec)}
    for layer in _leaves(spec):
        for name in ("color", "stroke", "shape", "strokeDash"):
            channel = layer["encoding"].get(name, {})
            if "legend" in channel:
                looks = FILLED_SHAPE if channel.get("field") in dashed else {}
                if name in ("color", "stroke"):
                    looks = {**_without_context(channel), **looks}
                channel["legend"] = {"title": None, "symbolOpacity": 1, **looks}


def _without_context(channel: dict[str, Any]) -> dict[str, Any]:
    """The names in a legend of colors, if some groups are context only."""
    scale = channel.get("scale") or {}
    names, colors = scale.get("domain"), scale.get("range")
    if not isinstance(names, list) or not isinstance(colors, list):
        return {}
    shown = [name for name, shade in zip(names, colors, strict=False) if shade not in {CONTEXT, CONTEXT_GRAY}]
    return {"values": shown} if len(shown) < len(names) else {}


def _lift_titles(spec: dict[str, Any], width: float, size: float) -> None:
    """Titles of a vertical axis that would take several lines beside the plot stand above it."""
    layers = list(_leaves(spec))
    above = any(layer["mark"].get("type") == "text" and layer["encoding"].get("y") == {"value": 0} for layer in layers)
    for layer in layers:
        axis = layer["encoding"].get("y", {}).get("axis")
        title = axis.get("title") if isinstance(axis, dict) else None
        if not title or len(_lines_of(_folded(title, width * HIGH_PLOT, size))) < 2:
            continue
        joined = ", ".join(_lines_of(title)).replace(",, ", ",")  # a measure folded after a comma is one word again
        lines = textwrap.wrap(joined, int(width / (WIDE * size)))
        axis.update(title=lines, titleAngle=0, titleAlign="left", titleBaseline="bottom", titleX=-2.5 * size)
        axis["titleY"] = round(-size * (0.6 + HIGH * (len(lines) - 1) + (HIGH + 0.2 if above else 0)), 2)


def _leaves(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The layers of a specification that draw something, those within others too."""
    for layer in spec.get("layer", []):
        yield from _leaves(layer) if "layer" in layer else [layer]


def _drop(spec: dict[str, Any], layers: Sequence[dict[str, Any]]) -> None:
    """Leave layers out."""
    if "layer" in spec:
        spec["layer"] = [layer for layer in spec["layer"] if layer not in layers]
        for layer in spec["layer"]:
            _drop(layer, layers)


def _field(layer: dict[str, Any], channel: str) -> Any:  # noqa: ANN401  # a name, mostly
    """The column that a layer encodes in a channel itself; None where there is none."""
    return layer.get("encoding", {}).get(channel, {}).get("field")


def _lines_of(text: str | list[str]) -> list[str]:
    """The lines of a title."""
    return [text] if isinstance(text, str) else text


def _limit_labels(value: Any, most: float) -> None:  # noqa: ANN401  # any JSON value
    """Limits of labels that a chart sets for itself, no wider than this."""
    if isinstance(value, dict):
        if "labelLimit" in value:
            value["labelLimit"] = min(value["labelLimit"], round(most))
        if value.get("type") == "text" and "limit" in value:
            value["limit"] = min(value["limit"], round(most / 2))
        for inner in value.values():
            _limit_labels(inner, most)
    elif isinstance(value, list):
        for inner in value:
            _limit_labels(inner, most)


def _shrink_circles(value: Any, share: float) -> None:  # noqa: ANN401  # any JSON value
    """Areas that stand for numbers shrink with the plot, so that what did not touch still does not."""
    if isinstance(value, dict):
        size = value.get("size")
        if isinstance(size, dict) and "range" in (size.get("scale") or {}):
            size["scale"]["range"] = [max(FINEST_CIRCLE, round(end * share, 2)) for end in size["scale"]["range"]]
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if key not in ("config", "datasets"):
            _shrink_circles(inner, share)


def _name_all(value: Any, plot: float, size: float) -> None:  # noqa: ANN401  # any JSON value
    """Names below a plot that are all shown on a screen: so many points have all; upright, smaller, or some as the title says."""
    if isinstance(value, dict):
        x = value.get("x")
        axis = x.get("axis") if isinstance(x, dict) else None
        if isinstance(x, dict) and isinstance(axis, dict) and axis.get("labelOverlap") is False:
            _fit_names(axis, x["scale"]["domain"], plot, size)
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if key not in ("config", "datasets"):
            _name_all(inner, plot, size)


def _fit_names(axis: dict[str, Any], names: Sequence[str], plot: float, size: float) -> None:
    """Fit the names of an axis into so many points: beside each other, else upright, as small as need be, else every so many."""
    room = plot / len(names)
    if (max(map(len, names)) + 1) * WIDE * size <= room:
        return
    axis.update(labelAngle=-90, labelLimit=TOPIC_LENGTH)
    least = min(size, LEAST)
    axis["labelFontSize"] = round(max(least, min(size, room / HIGH)), 2)
    every = math.ceil(least / room)
    if every > 1:
        axis["values"] = [*names[::every]]
        axis["title"] = f"{axis['title']}; every {ORDINALS.get(every, f'{every}th')} is named"


def _longest_name(value: Any) -> int:  # noqa: ANN401  # any JSON value
    """Characters of the longest name in a legend of colors."""
    if isinstance(value, dict):
        scale = value.get("scale")
        names = scale.get("domain") if isinstance(scale, dict) and value.get("legend") else None
        own = [len(name) for name in names if isinstance(name, str)] if isinstance(names, list) else []
        return max([*own, *(_longest_name(inner) for key, inner in value.items() if key != "datasets")], default=0)
    return max(map(_longest_name, value), default=0) if isinstance(value, list) else 0


def _rows_of(spec: dict[str, Any], part: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows that a part of a specification draws: its own, or those of the whole."""
    name = part.get("data", spec.get("data", {})).get("name")
    rows: list[dict[str, Any]] = spec.get("datasets", {}).get(name, [])
    return rows


def _values_of(spec: dict[str, Any], field: str) -> set[Any]:
    """The values of a field in the data of a whole specification."""
    return {row.get(field) for row in _rows_of(spec, spec)}


def _takes_room(spec: dict[str, Any], layer: dict[str, Any]) -> bool:
    """Whether a layer writes long texts beside the plot."""
    encoding = layer.get("encoding", {})
    if encoding.get("x", {}).get("value") != "width":
        return False
    texts = [str(row.get(_field(layer, "text")) or "") for row in _rows_of(spec, layer)]
    return max(map(len, texts), default=0) > MOST_BESIDE


def _leave_out(spec: dict[str, Any], layers: Sequence[dict[str, Any]], explained: str) -> None:
    """Leave layers out, and the line below the title that explains them, which begins so; folded, it goes on without a capital."""
    if not layers:
        return
    _drop(spec, layers)
    title: Any = spec.get("title")
    for name in ("text", "subtitle") if isinstance(title, dict) else ():
        lines = title.get(name) or []
        kept, away = [], False
        for line in [lines] if isinstance(lines, str) else lines:
            away = line.startswith(explained) or (away and line[:1].islower())
            kept += [] if away else [line]
        if len(kept) < len([lines] if isinstance(lines, str) else lines):
            title[name] = kept


def _thinned(spec: dict[str, Any]) -> dict[str, Any]:
    """A specification with as many of the texts that stand in rows along the axis as there is room for, every so many of each row."""
    rows = {
        number: _rows_of(spec, layer)
        for number, layer in enumerate(spec.get("layer", []))
        if layer.get("mark", {}).get("type") == "text"
        and "value" in layer["encoding"].get("y", {})
        and "data" in layer
        and all(_field(layer, channel) in row for channel in ("x", "text") for row in _rows_of(spec, layer))
    }
    if not any(rows.values()):
        return spec
    every, layers = 1, [*spec["layer"]]
    places: dict[int, list[Any]] = {}
    for number, of in rows.items():
        field = layers[number]["encoding"]["text"]["field"]
        places[number] = sorted({row[layers[number]["encoding"]["x"]["field"]] for row in of})
        longest = max(len(str(row[field])) for row in of) + 1
        needed = longest * WIDE * layers[number]["mark"].get("fontSize", USUAL) * len(places[number])
        every = max(every, math.ceil(needed / spec["width"]))
    datasets = {**spec["datasets"]}
    for number, of in rows.items():
        layer, kept = layers[number], {*places[number][::every]}
        name = layer["data"]["name"] + "-thinned"
        datasets[name] = [row for row in of if row[layer["encoding"]["x"]["field"]] in kept]
        layers[number] = {**layer, "data": {"name": name}}
    return {**spec, "layer": layers, "datasets": datasets}


def _is_crowded(spec: dict[str, Any], layer: dict[str, Any]) -> bool:
    """Whether a layer writes into the cells of a grid what is wider or higher than they are."""
    cells = [layer["encoding"].get(side, {}) for side in ("x", "y")]
    field = _field(layer, "text")
    if field is None or any(cell.get("type") not in ("ordinal", "nominal") or "field" not in cell for cell in cells):
        return False
    rows = _rows_of(spec, layer)
    size = layer["mark"].get("fontSize", USUAL)
    longest = max((len(str(row.get(field) or "")) for row in rows), default=0)
    needed = (WIDE * size * (longest + 0.5), HIGH * size)  # half a character keeps neighbors apart
    for cell, side, least in zip(cells, ("width", "height"), needed, strict=True):
        places = cell.get("sort") if isinstance(cell.get("sort"), list) else None
        places = places or (cell.get("scale") or {}).get("domain") or {row.get(cell["field"]) for row in rows}
        room = spec[side]["step"] if isinstance(spec[side], dict) else spec[side] / max(1, len(places))
        if room < least:
            return True
    return False


def _fold_titles(spec: dict[str, Any], width: float, height: float, size: float) -> None:
    """Titles on as many lines as they need at this size, those of axes too."""
    title = spec.get("title")
    if isinstance(title, dict):
        for name, font in (("text", (size + 1) * BOLD), ("subtitle", size)):
            if title.get(name):
                title[name] = _folded(title[name], width, font)
    config = spec["config"]
    config["title"] = {**config.get("title", {}), "limit": width, "anchor": "start", "frame": "bounds"}

    sides = [layer["encoding"].get("y", {}) for layer in _leaves(spec) if layer["encoding"]]
    numbers = bool(sides) and all(side.get("type", "quantitative") == "quantitative" for side in sides)

    def fold(value: Any) -> None:  # noqa: ANN401  # any JSON value
        if isinstance(value, dict):
            for side, room in (("x", width * (WIDE_PLOT if numbers else PLOT)), ("y", height * PLOT)):
                axis = value[side].get("axis") if isinstance(value.get(side), dict) else None
                if isinstance(axis, dict) and axis.get("title") and "titleY" not in axis:
                    axis["title"] = _folded(axis["title"], room, size)
            for inner in value.values():
                fold(inner)
        elif isinstance(value, list):
            for inner in value:
                fold(inner)

    fold({name: part for name, part in spec.items() if name not in ("config", "datasets")})


def _folded(lines: str | list[str], width: float, size: float) -> str | list[str]:
    """Lines of text folded to a width; a text of one line stays a text."""
    room = max(12, int(width / (WIDE * size)))
    each = [lines] if isinstance(lines, str) else lines
    made = [part for line in each for part in textwrap.wrap(line, room, break_long_words=False) or [""]]
    return lines if made == each else made


def _gray(value: Any) -> Any:  # noqa: ANN401  # any JSON value
    """A specification whose colors are shades of gray: those of the palette far apart, others by their lightness."""
    shades = dict(zip(PALETTE, GRAYS, strict=True)) | {CONTEXT: CONTEXT_GRAY}
    if isinstance(value, str) and HEX.fullmatch(value):
        red, green, blue = (int(value[at : at + 2], 16) for at in (1, 3, 5))
        light = round(0.2126 * red + 0.7152 * green + 0.0722 * blue)
        return shades.get(value.upper(), f"#{light:02X}{light:02X}{light:02X}")
    if isinstance(value, dict):
        return {key: inner if key == "datasets" else _gray(inner) for key, inner in value.items()}
    return [_gray(inner) for inner in value] if isinstance(value, list) else value


def tell_of_missing(font: str, drawn: Callable[[str], bytes]) -> None:
    """Warn where a font is not installed: a word looks the same in it as in one that nobody has."""
    if font.lower() != INSTALLED.lower() and drawn(font) == drawn("no such font is installed"):
        warn(f"the font {font} is not installed; the figure is drawn in {INSTALLED}")
