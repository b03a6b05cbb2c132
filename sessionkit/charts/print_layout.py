"""Figures at the size of a column of a paper: width and height of the whole, fonts in points, styles for paper and gray."""

from __future__ import annotations

import copy
import re
import textwrap
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

from sessionkit.charts.theme import CONFIG, HEIGHT, PALETTE, WIDTH
from sessionkit.choices import FigureStyle
from sessionkit.display.labels import plain
from sessionkit.errors import DataWarning, UsageError, suggestion

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
MOST_LINES = 1.8
"""Heights of a label that a row or bar with a size of its own takes at most."""
GRAYS = ("#000000", "#8C8C8C", "#4D4D4D", "#B3B3B3", "#262626", "#A0A0A0", "#666666", "#737373")
"""What the colors of the palette become, each far from the one before it in lightness."""
TOLERANCE = 0.02
"""Share of its size by which a figure can be too large."""
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
        ``"screen"``, as on a screen; ``"paper"``, without room around the figure; ``"gray"``, that in shades of gray.
    """

    width: float | None = None
    height: float | None = None
    font: str | None = None
    font_size: float | None = None
    style: FigureStyle = "screen"

    @property
    def in_points(self) -> bool:
        """Whether a unit of the drawing is a point, as its size is given."""
        return self.width is not None or self.height is not None

    def apply(self, spec: dict[str, Any], measured: SpecWidth) -> dict[str, Any]:
        """Return a specification so laid out; `measured` says how wide and high it is drawn."""
        spec = copy.deepcopy(spec)
        spec.setdefault("config", {})
        size = self.font_size or (USUAL if self.in_points else None)
        if size is not None:
            _set_fonts(spec, size)
        if self.font is not None:
            spec["config"]["font"] = f"{self.font}, {CONFIG['font']}"
        if self.style != "screen":
            spec["config"]["padding"] = 1
        if self.style == "gray":
            spec = _gray(spec)
        if not self.in_points:
            return spec
        if (self.width or NARROW) < NARROW:
            _narrow(spec)
        if self.width is not None:
            _fold_titles(spec, self.width, size or USUAL)
        return self._sized(spec, measured)

    def _sized(self, spec: dict[str, Any], measured: SpecWidth) -> dict[str, Any]:
        """The plot made as wide and high as leaves the whole its size: a line through two sizes, and once more."""
        inner = [self.width * 0.6 if self.width else float(WIDTH), self.height * 0.6 if self.height else 0.0]
        if not self.height:
            inner[1] = inner[0] * HEIGHT / WIDTH
        for _ in range(3):
            first = measured(_with_plot(spec, inner[0], inner[1]))
            more = [size * 0.8 for size in inner]
            second = measured(_with_plot(spec, more[0], more[1]))
            for place, asked in enumerate((self.width, self.height)):
                slope = (first[place] - second[place]) / (inner[place] - more[place]) if inner[place] else 0
                if asked is not None and slope > 0:
                    inner[place] = max(20.0, inner[place] + (asked - first[place]) / slope)
                elif asked is not None and first[place] < asked:  # a title or legend is wider than the plot
                    inner[place] += asked - first[place]
            if not self.height:
                inner[1] = inner[0] * HEIGHT / WIDTH
        made = _with_plot(spec, inner[0], inner[1])
        for asked, found, side in zip((self.width, self.height), measured(made), ("wide", "high"), strict=True):
            if asked is not None and found > asked * (1 + TOLERANCE):
                raise UsageError(
                    f"the figure cannot be {asked / UNITS['mm']:.0f} mm {side}: its text leaves the plot no room at this font size; "
                    f"it takes {found / UNITS['mm']:.0f} mm"
                )
        return made


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
    if style not in STYLES:
        raise UsageError(f"style must be one of {', '.join(STYLES)}, not {style!r}{suggestion(str(style), STYLES)}")
    if font_size is not None and not FINEST <= font_size <= COARSEST:
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


def _set_fonts(spec: dict[str, Any], size: float) -> None:
    """Set the font sizes of the config, and of every text mark that has its own, none below the least."""
    config, least = spec["config"], min(size, LEAST)
    for part, names in (("axis", ("label", "title")), ("legend", ("label", "title")), ("header", ("label", "title"))):
        config[part] = {**config.get(part, {}), **{f"{name}FontSize": size for name in names}}
    config["title"] = {**config.get("title", {}), "fontSize": size + 1, "subtitleFontSize": size}
    config["text"] = {**config.get("text", {}), "fontSize": size}
    share = size / float(CONFIG["axis"]["labelFontSize"])

    def scaled(value: Any) -> None:  # noqa: ANN401  # any JSON value
        if isinstance(value, dict):
            if value.get("type") == "text" and "fontSize" in value:
                value["fontSize"] = max(least, round(value["fontSize"] * share, 2))
            if isinstance(value.get("header"), dict):
                value["header"]["labelFontSize"] = size
            for inner in value.values():
                scaled(inner)
        elif isinstance(value, list):
            for inner in value:
                scaled(inner)

    scaled({name: part for name, part in spec.items() if name not in ("config", "datasets")})


def _narrow(spec: dict[str, Any]) -> None:
    """Legends below the plot, symbols and lines finer; numbers beside the plot leave it their room."""
    if "layer" in spec:
        spec["layer"] = [
            layer for layer in spec["layer"] if layer.get("encoding", {}).get("x", {}).get("value") != "width"
        ]
    config = spec["config"]
    config["legend"] = {
        **config.get("legend", {}),
        "orient": "bottom",
        "direction": "horizontal",
        "columns": 2,
        "symbolSize": 50,
    }
    config["line"] = {**config.get("line", {}), "strokeWidth": 1.3}
    config["point"] = {**config.get("point", {}), "size": 18}


def _fold_titles(spec: dict[str, Any], width: float, size: float) -> None:
    """Titles on as many lines as they need at this width, and axis titles without an end of their own."""
    room = max(20, int(width / (0.52 * size)))
    title = spec.get("title")
    if isinstance(title, dict):
        for name in ("text", "subtitle"):
            lines = title.get(name)
            if lines:
                each = [lines] if isinstance(lines, str) else lines
                title[name] = [part for line in each for part in textwrap.wrap(line, room) or [""]]
    config = spec["config"]
    config["title"] = {**config.get("title", {}), "limit": width, "anchor": "start", "frame": "bounds"}


def _with_plot(spec: dict[str, Any], width: float, height: float) -> dict[str, Any]:
    """A specification whose plot is so wide and high; rows and bars that have a size of their own keep it."""
    inner = spec.get("spec", spec)
    sized, own = {**inner, "width": round(width, 2)}, inner.get("height")
    if isinstance(own, dict):
        lines = min(MOST_LINES, own["step"] / CONFIG["axis"]["labelFontSize"])
        sized["height"] = {"step": round(float(spec["config"]["axis"]["labelFontSize"]) * lines, 2)}
    elif "spec" not in spec or own is None or own > ROW:
        sized["height"] = round(height, 2)
    return {**spec, "spec": sized} if "spec" in spec else sized


def _gray(value: Any) -> Any:  # noqa: ANN401  # any JSON value
    """A specification whose colors are shades of gray: those of the palette far apart, others by their lightness."""
    shades = dict(zip(PALETTE, GRAYS, strict=True))
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
        warnings.warn(
            f"the font {font} is not installed; the figure is drawn in {INSTALLED}", DataWarning, stacklevel=3
        )
