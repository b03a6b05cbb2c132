"""Charts as files: SVG, PNG and PDF without browser or network, the specification as JSON, a safe page as HTML."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl
from altair.utils.schemapi import SchemaBase, debug_mode

from sessionkit.arguments import path_of
from sessionkit.charts.encodings import FITTED, FittedChart, SharedRows, fitted_by, refuse_height
from sessionkit.charts.libraries import VL_VERSION, renderer
from sessionkit.charts.page import chart_place, page
from sessionkit.charts.print_layout import USUAL, PrintLayout, print_layout, tell_of_missing
from sessionkit.charts.theme import DEFAULT, NAME
from sessionkit.choices import FigureStyle
from sessionkit.display.labels import printable_spec
from sessionkit.display.templates import rendered
from sessionkit.errors import UsageError, suggestion
from sessionkit.study.atomic_files import require_place, write_whole

POINTED = re.compile(rb'\b(width|height)="([0-9.]+)(?:pt)?"')
PPI = 300
"""Pixels in an inch of a PNG whose size is given."""
OFFLINE: list[str] = []
"""The addresses that rendering may load from: none."""


def spec_of(chart: alt.TopLevelMixin, *, check: bool = True) -> dict[str, Any]:
    """Return the Vega-Lite specification of a chart under the theme, or under another that was enabled; its text is printable.

    Parameters
    ----------
    chart
        The chart.
    check
        Whether to hold it against Vega-Lite's schema, which takes longer than to draw it.
    """
    active = alt.theme.active if alt.theme.active not in (None, DEFAULT) else NAME
    with alt.data_transformers.enable("default", max_rows=None), alt.theme.enable(active), debug_mode(check):
        spec: dict[str, Any] = printable_spec(chart.to_dict(validate=check))
    if isinstance(chart, FittedChart):
        spec["usermeta"] = {FITTED: True}  # here, as a chart inside another cannot have it
    return spec


def data(chart: alt.TopLevelMixin) -> list[pl.DataFrame]:
    """Return the data of a chart: what a reader would draw again, without what only guides the eye (rules, names, counts below an axis).

    Most charts of this package have one table, with the ends of bands and intervals; those whose rows have several meanings have a
    column ``part``, and a table for each (of `slopes`, the units and the means). Of any other chart, the table of every layer.

    Examples
    --------
    >>> import altair as alt, polars as pl
    >>> [frame.shape for frame in data(alt.Chart(pl.DataFrame({"x": [1, 2]})).mark_point().encode(x="x:Q"))]
    [(2, 1)]
    """
    ours = [(printable_spec(rows.values), rows.shown) for rows in _shared_rows(chart)]
    tables: list[pl.DataFrame] = []
    for rows in spec_of(chart).get("datasets", {}).values():
        shown = next((shown for drawn, shown in ours if drawn == rows), None)
        if shown is not None:
            tables.append(pl.DataFrame(printable_spec(shown.to_dicts()), schema=shown.schema))
        else:
            tables.append(pl.DataFrame(rows, infer_schema_length=None))
    return _whole([table for table in tables if table.width and table.height])


def _shared_rows(chart: Any) -> Iterator[SharedRows]:  # noqa: ANN401  # a chart or a part of one
    """The rows inside a chart of this package."""
    if isinstance(chart, SharedRows):
        yield chart
    elif isinstance(chart, SchemaBase):
        for part in chart._kwds.values():
            yield from _shared_rows(part)
    elif isinstance(chart, list | dict):
        for part in chart.values() if isinstance(chart, dict) else chart:
            yield from _shared_rows(part)


def _whole(tables: list[pl.DataFrame]) -> list[pl.DataFrame]:
    """Tables without those whose rows are all in another one: the points on a line."""
    whole: list[pl.DataFrame] = []
    for table in sorted(tables, key=pl.DataFrame.__len__, reverse=True):
        alike = (other for other in whole if other.schema == table.schema)
        if all(len(table.join(other, on=table.columns, how="anti", nulls_equal=True)) for other in alike):
            whole.append(table)
    return [table for table in tables if any(table is one for one in whole)]


def _svg(spec: dict[str, Any]) -> bytes:
    """Return a vector image for the web."""
    text: str = renderer().vegalite_to_svg(spec, vl_version=VL_VERSION, allowed_base_urls=OFFLINE)
    return text.encode()


def _png(spec: dict[str, Any]) -> bytes:
    """Return a raster image, twice the nominal size."""
    image: bytes = renderer().vegalite_to_png(spec, vl_version=VL_VERSION, scale=2, allowed_base_urls=OFFLINE)
    return image


def _pdf(spec: dict[str, Any]) -> bytes:
    """Return a vector image for print."""
    image: bytes = renderer().vegalite_to_pdf(spec, vl_version=VL_VERSION, allowed_base_urls=OFFLINE)
    return image


def _json(spec: dict[str, Any]) -> bytes:
    """Return the specification."""
    return (json.dumps(spec, indent=2, ensure_ascii=False, sort_keys=True, allow_nan=False) + "\n").encode()


def _html(spec: dict[str, Any]) -> bytes:
    """Return a page with the chart alone."""
    title = spec.get("title", {}).get("text", "Chart") if isinstance(spec.get("title"), dict) else "Chart"
    title = title if isinstance(title, str) else "Chart"
    return page(title, rendered("charts/chart.html", title=title, place=chart_place("chart", spec))).encode()


WRITERS: dict[str, Callable[[dict[str, Any]], bytes]] = {
    ".svg": _svg,
    ".png": _png,
    ".pdf": _pdf,
    ".html": _html,
    ".json": _json,
}
"""What is written, by the ending of the file's name."""


def save(
    chart: alt.TopLevelMixin,
    path: str | os.PathLike[str],
    *,
    width: str | float | None = None,
    height: str | float | None = None,
    font: str | None = None,
    font_size: float | None = None,
    style: FigureStyle = "screen",
) -> Path:
    """Write a chart to a file, whole or not at all, in the format its name ends in; return the path.

    Parameters
    ----------
    chart
        Any Altair chart, single or composed.
    path
        Ends in .svg, .png, .pdf, .html or .json.
    width, height
        Of the whole figure, for a paper: a length such as ``"84mm"``, ``"174mm"`` or ``"3.3in"``, or a number of pixels (96 in an
        inch). Its text is then 8 points unless `font_size` says otherwise, none below 7; PNG has 300 pixels in an inch.
    font
        Name of a font that is installed; a warning says if it is not.
    font_size
        Of labels, in points.
    style
        ``"screen"``; ``"paper"``, without room around the figure; ``"grey"``, that in shades of gray.

    Raises
    ------
    UsageError
        It is not a chart, the ending is none of these, a size is not possible, the chart cannot be rendered (for example, it needs
        data from the network), or the place cannot be written.
    """
    if not isinstance(chart, alt.TopLevelMixin):
        raise UsageError(f"save takes a chart, not {type(chart).__name__}; draw one with sessionkit.charts")
    place = path_of("path", path)
    ending = place.suffix.lower()
    if ending not in WRITERS:
        possible = ", ".join(WRITERS)
        said = f"{place.name} ends in {place.suffix}" if place.suffix else f"{place.name} has no ending"
        raise UsageError(f"{said}; a chart can be written as {possible}{suggestion(ending, WRITERS)}")
    require_place(place)
    layout = print_layout(width=width, height=height, font=font, font_size=font_size, style=style)
    try:
        content = rendered_chart(spec_of(fit(chart, layout)), layout, ending)
    except ValueError as error:  # what the renderer raises
        reason = str(error).strip().splitlines()[0]
        raise UsageError(f"cannot draw {place.name}: {reason}") from None
    return write_whole(place, content)


def fit(chart: alt.TopLevelMixin, layout: PrintLayout) -> alt.TopLevelMixin:
    """Return a chart drawn anew for the width that is asked for, where it can be; any other as it is."""
    if not isinstance(chart, FittedChart):
        return chart
    refuse_height(layout.height)
    if layout.inner_width is None:
        return chart
    fitted = fitted_by(chart.fitted(layout.inner_width, layout.font_size or USUAL), chart.fitted)
    fitted.title = chart.title
    return fitted


def rendered_chart(spec: dict[str, Any], layout: PrintLayout, ending: str) -> bytes:
    """Return a specification, laid out, as the bytes of a file with this ending."""
    if layout == PrintLayout():
        return WRITERS[ending](spec)
    if layout.font is not None:
        tell_of_missing(layout.font, _word)
    spec = layout.apply(spec, measured)
    if not layout.in_points:
        return WRITERS[ending](spec)
    if ending == ".svg":
        return POINTED.sub(rb'\1="\2pt"', _svg(spec), count=2)
    if ending == ".png":
        image: bytes = renderer().vegalite_to_png(spec, vl_version=VL_VERSION, ppi=PPI, allowed_base_urls=OFFLINE)
        return image
    return WRITERS[ending](spec)


def measured(spec: dict[str, Any]) -> tuple[float, float]:
    """Return how wide and high a specification is drawn."""
    return size_of(_svg(spec))


def size_of(svg: bytes) -> tuple[float, float]:
    """Return the width and height of an SVG, in points where a size was asked for."""
    lengths = dict(POINTED.findall(svg.partition(b">")[0]))
    return float(lengths[b"width"]), float(lengths[b"height"])


def _word(font: str) -> bytes:
    """A word drawn in a font."""
    mark = {"type": "text", "font": font, "fontSize": 30, "text": "Qgjw 0123"}
    return _png({"data": {"values": [{}]}, "mark": mark, "width": 200, "height": 50})
