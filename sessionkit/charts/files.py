"""Charts as files: SVG, PNG and PDF without browser or network, the specification as JSON, a safe page as HTML."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import altair as alt
from altair.utils.schemapi import debug_mode

from sessionkit.charts.libraries import VL_VERSION, renderer
from sessionkit.charts.page import chart_place, page
from sessionkit.charts.theme import NAME
from sessionkit.display.labels import printable_spec
from sessionkit.display.templates import rendered
from sessionkit.errors import UsageError, suggestion
from sessionkit.study.atomic_files import require_place, write_whole

OFFLINE: list[str] = []
"""The addresses that rendering may load from: none."""


def spec_of(chart: alt.TopLevelMixin, *, check: bool = True) -> dict[str, Any]:
    """Return the Vega-Lite specification of a chart under the theme, all text in it printable.

    Parameters
    ----------
    chart
        The chart.
    check
        Whether to hold it against Vega-Lite's schema, which takes longer than to draw it.
    """
    with alt.data_transformers.enable("default", max_rows=None), alt.theme.enable(NAME), debug_mode(check):
        spec: dict[str, Any] = printable_spec(chart.to_dict(validate=check))
    return spec


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


def save(chart: alt.TopLevelMixin, path: str | os.PathLike[str]) -> Path:
    """Write a chart to a file, whole or not at all, in the format its name ends in; return the path.

    Parameters
    ----------
    chart
        Any Altair chart, single or composed.
    path
        Ends in .svg, .png, .pdf, .html or .json.

    Raises
    ------
    UsageError
        It is not a chart, the ending is none of these, the chart cannot be rendered (for example, it needs data from the
        network), or the place cannot be written.
    """
    if not isinstance(chart, alt.TopLevelMixin):
        raise UsageError(f"save takes a chart, not {type(chart).__name__}; draw one with sessionkit.charts")
    place = Path(path)
    ending = place.suffix.lower()
    if ending not in WRITERS:
        possible = ", ".join(WRITERS)
        said = f"{place.name} ends in {place.suffix}" if place.suffix else f"{place.name} has no ending"
        raise UsageError(f"{said}; a chart can be written as {possible}{suggestion(ending, WRITERS)}")
    require_place(place)
    try:
        content = WRITERS[ending](spec_of(chart))
    except ValueError as error:  # what the renderer raises
        reason = str(error).strip().splitlines()[0]
        raise UsageError(f"cannot draw {place.name}: {reason}") from None
    return write_whole(place, content)
