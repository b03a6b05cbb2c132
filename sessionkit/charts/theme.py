"""How every figure looks: fonts, sizes and colors, as a theme of Altair that is on unless another one is; charts compose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, cast

import altair as alt

from sessionkit.display.labels import in_natural_order

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8A7A00")
"""Okabe & Ito's colors, told apart with any kind of color vision; their yellow darkened to be seen on white."""
CONTEXT = "#A4A4A4"
"""The color of groups that stand behind others as context, without a place in the legend."""
ACCENT, PALE = "#54378A", "#B7A2DC"
"""What is measured where a figure has no groups, and a second such thing: no group of a report has these colors."""
INK, FAINT, GRID = "#222222", "#767676", "#E8E8E8"
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
WIDTH, HEIGHT = 460, 280

CONFIG: dict[str, Any] = {
    "background": "white",
    "font": FONT,
    "padding": 8,
    "view": {
        "continuousWidth": WIDTH,
        "continuousHeight": HEIGHT,
        "discreteWidth": WIDTH,
        "discreteHeight": HEIGHT,
        "stroke": None,
    },
    "title": {
        "anchor": "start",
        "frame": "group",
        "fontSize": 14,
        "fontWeight": 600,
        "color": INK,
        "subtitleFontSize": 11.5,
        "subtitleColor": "#555555",
        "subtitlePadding": 4,
        "offset": 14,
        "limit": WIDTH + 120,
    },
    "axis": {
        "labelFontSize": 11,
        "titleFontSize": 12,
        "titleFontWeight": 400,
        "titlePadding": 8,
        "titleLimit": HEIGHT,
        "labelColor": INK,
        "titleColor": INK,
        "domainColor": FAINT,
        "tickColor": FAINT,
        "gridColor": GRID,
    },
    "axisX": {"grid": False, "labelFlush": False, "labelSeparation": 3, "titleLimit": WIDTH},
    "legend": {
        "labelFontSize": 11,
        "titleFontSize": 11.5,
        "titleFontWeight": 600,
        "labelColor": INK,
        "titleColor": INK,
        "labelLimit": 220,
        "symbolSize": 130,
        "symbolStrokeWidth": 2,
        "rowPadding": 4,
    },
    "line": {"strokeWidth": 2, "strokeJoin": "round"},
    "point": {"filled": True, "opacity": 1, "size": 34},
}

Chart = TypeVar("Chart", bound=alt.TopLevelMixin)
DEFAULT, NAME = "default", "sessionkit"
"""What Altair's register of themes knows this one by."""


@alt.theme.register(NAME, enable=False)
def theme() -> alt.theme.ThemeConfig:
    """Return the theme as Altair takes it."""
    return {"config": CONFIG}  # type: ignore[typeddict-item]


if alt.theme.active == DEFAULT:  # who has chosen a theme keeps it, and `altair.theme.enable` chooses another
    alt.theme.enable(NAME)


def themed(chart: Chart, config: Mapping[str, Any] = CONFIG) -> Chart:
    """Return a copy of a chart, single or composed, with the theme, or what else is given, as its config; its own settings stay.

    Examples
    --------
    >>> import altair as alt
    >>> themed(alt.Chart().mark_line()).to_dict()["config"]["font"]
    'Liberation Sans, Arial, Helvetica, sans-serif'
    """
    dressed: Any = cast("Any", chart).copy()
    own = dressed._get("config", {})
    given = {} if own is alt.Undefined else own if isinstance(own, dict) else own.to_dict()
    dressed["config"] = _merged(config, given)
    return cast("Chart", dressed)


def colors_of(groups: Iterable[str], first: Iterable[str] = ()) -> dict[str, str]:
    """Give every group its color, by name in natural order; pass the result to every chart of a report to keep colors the same.

    From the ninth group on, darker and lighter shades of the same colors follow; after 24 groups they repeat. The groups that are
    to be told apart best come first.

    Examples
    --------
    >>> colors_of(["S2", "S1"])
    {'S1': '#0072B2', 'S2': '#D55E00'}
    """
    shades = [
        *PALETTE,
        *(_mixed(color, 0.75 if color == "#000000" else 0.1) for color in PALETTE),
        *(_mixed(color, 1.0) for color in PALETTE),
    ]
    order = dict.fromkeys([*in_natural_order(first), *in_natural_order(groups)])
    return {group: shades[place % len(shades)] for place, group in enumerate(order)}


def kind_colors(number: int) -> list[str]:
    """Return a color for each of some kinds of things that are no groups, such as reformulations, from dark to light.

    They differ in lightness, so that they are told apart in gray, and are no colors of `colors_of`.

    Examples
    --------
    >>> kind_colors(3)
    ['#2B1A4A', '#6E5990', '#B298D6']
    """
    dark, light = ((43, 26, 74), (178, 152, 214))
    places = [0.5] if number == 1 else [place / (number - 1) for place in range(number)]
    return [
        "#" + "".join(f"{round(a + place * (b - a)):02X}" for a, b in zip(dark, light, strict=True)) for place in places
    ]


def _mixed(color: str, gray: float) -> str:
    """Return a color mixed with a gray from black (0) to white (1), 55 to 45."""
    parts = [int(color[start : start + 2], 16) for start in (1, 3, 5)]
    return "#" + "".join(f"{round(0.55 * part + 0.45 * 255 * gray):02X}" for part in parts)


def _merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return two nested mappings as one, the second winning."""
    both = dict(under)
    for key, value in over.items():
        inner = both.get(key)
        both[key] = _merged(inner, value) if isinstance(inner, dict) and isinstance(value, dict) else value
    return both
