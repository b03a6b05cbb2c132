"""Charts as files and as parts of a page: specs, data, images, and the scripts that draw them in a browser."""

from __future__ import annotations

import base64
import contextlib
import functools
import hashlib
import json
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any

import altair as alt
import polars as pl
from altair.utils.schemapi import SchemaBase, debug_mode
from markupsafe import Markup

from sessionkit.arguments import FigureStyle, path_of
from sessionkit.charts.encodings import FITTED, FittedChart, SharedRows, fitted_by, refuse_height
from sessionkit.charts.print_layout import USUAL, PrintLayout, print_layout, tell_of_missing
from sessionkit.charts.theme import DEFAULT, NAME
from sessionkit.display.labels import printable_spec
from sessionkit.display.templates import rendered
from sessionkit.errors import SessionkitError, SpaceError, UsageError, suggestion
from sessionkit.study.files import require_place, write_whole

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


LEAST_WHOLE = 1e6
"""Numbers from here on, such as times, keep all their digits."""


def chart_place(name: str, spec: Mapping[str, Any]) -> Markup:
    """Return the element in which a chart is drawn, and its spec.

    Parameters
    ----------
    name
        An id unique in the page; letters, digits and hyphens.
    spec
        The chart's Vega-Lite specification, see `sessionkit.charts.spec_of`.
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", name):
        msg = f"{name!r} is not an id"
        raise ValueError(msg)
    return rendered("charts/place.html", name=name, spec=_with_short_numbers(spec))


def _with_short_numbers(value: Any) -> Any:  # noqa: ANN401  # any JSON value
    """Return a spec whose fractions have seven digits, more than a screen can show; a page is smaller by a twentieth."""
    if isinstance(value, dict):
        return {name: _with_short_numbers(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_with_short_numbers(item) for item in value]
    if isinstance(value, float) and abs(value) < LEAST_WHOLE:
        return float(f"{value:.7g}")
    return value


def page(title: str, body: Markup, *, style_sheet: str = "charts/page.css", scripts: Sequence[str] = ()) -> str:
    """Return a whole page.

    Parameters
    ----------
    title
        Its title, as plain text.
    body
        Its body; what is not marked as HTML is escaped.
    style_sheet
        Its style sheet, see `sessionkit.charts.files.style`.
    scripts
        Further scripts of ours, which run after the charts are begun; nothing from outside may stand in them.
    """
    run = [libraries(), script("charts/page.js"), *dict.fromkeys(scripts)]
    hashes = " ".join(map(_hash, run))
    return rendered(
        "charts/page.html",
        title=title,
        body=body,
        style=style("charts/scrolled.css") + style(style_sheet),
        notices=Markup(notices()),  # noqa: S704 - a file of the package
        hashes=Markup(hashes),  # noqa: S704 - quotes and base64
        scripts=[Markup(one) for one in run],  # noqa: S704 - ours
    )


def _hash(script: str) -> str:
    """Return the source expression that allows exactly this script."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


VL_VERSION = "6.4"
"""Version of Vega-Lite that charts are written for."""

ADDRESSES = 72 << 30
"""Bytes of address space that the JavaScript engine and all else need; it reserves 65 GiB and uses 0.2 GiB of them."""


def renderer() -> ModuleType:
    """Return vl-convert, which draws charts.

    Raises
    ------
    SessionkitError
        The process may have less address space than its JavaScript engine reserves, which then ends the process.
    """
    limit = _address_limit()
    if limit is not None and limit < ADDRESSES:
        raise SessionkitError(
            f"the memory of this process is limited to {limit >> 10:,} KiB of addresses (ulimit -v), and the JavaScript engine that "
            f"draws charts reserves {ADDRESSES >> 30} GiB, most of which it never uses; lift the limit (ulimit -v unlimited), limit "
            "resident memory instead, or write the chart as .json"
        )
    import vl_convert

    found: ModuleType = vl_convert
    return found


def _address_limit() -> int | None:
    """Return the bytes of address space that this process may have; None without a limit."""
    if sys.platform != "linux":  # elsewhere there is no such limit, or none that is kept
        return None
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft


@functools.cache
def libraries() -> str:
    """Return the script, the same for the same version of vl-convert."""
    place = _place()
    kept = _kept(place) if place is not None else None
    if kept is not None:
        return kept
    made: str = renderer().javascript_bundle(None, VL_VERSION)
    if place is not None:
        with contextlib.suppress(OSError, SpaceError, UsageError):
            _keep(place, made)
    return made


@functools.cache
def notices() -> str:
    """Return the copyright notices and licenses of the libraries, as a comment of HTML: the script itself carries none."""
    return f"<!--\n{files('sessionkit').joinpath('charts/notices.txt').read_text(encoding='utf-8')}-->\n"


def _place() -> Path | None:
    """The file that keeps the script; None where the user has no folder for caches."""
    if sys.platform == "win32":
        given = os.environ.get("LOCALAPPDATA", "")
    else:
        given = os.environ.get("XDG_CACHE_HOME") or ("~/Library/Caches" if sys.platform == "darwin" else "~/.cache")
    try:
        folder = Path(given).expanduser()
    except RuntimeError:  # nobody's home
        return None
    name = f"vega-lite-{VL_VERSION}-vl-convert-{version('vl-convert-python')}.js"
    return folder / "sessionkit" / name if folder.is_absolute() else None


def _kept(place: Path) -> str | None:
    """The script that is kept, if it is whole and nobody but the user can have written it."""
    try:
        digest, _, script = place.read_bytes().partition(b"\n")
        return script.decode() if _private(place.parent) and digest.decode() == _digest(script) else None
    except (OSError, UnicodeDecodeError):
        return None


def _keep(place: Path, script: str) -> None:
    """Write the script, whole or not at all, below the digest that it is known by."""
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if _private(place.parent):
        content = script.encode()
        write_whole(place, f"{_digest(content)}\n".encode() + content)


def _private(folder: Path) -> bool:
    """Whether a folder is the user's own, and shut to all others; on Windows the folders above it see to that."""
    if sys.platform == "win32":
        return True
    found = folder.stat()
    return found.st_uid == os.getuid() and not found.st_mode & (stat.S_IRWXG | stat.S_IRWXO)


def _digest(script: bytes) -> str:
    """What a whole script is known by."""
    return hashlib.sha256(script).hexdigest()


@functools.cache
def script(name: str) -> str:
    """Return the text of a script.

    Parameters
    ----------
    name
        Its path within the package, such as ``"reports/live/discounts.js"``.

    Raises
    ------
    ValueError
        The script could not stand inside a page.
    """
    text = _read(name)
    if "</script" in text.lower() or "<!--" in text:
        msg = f"{name} would end the element that it stands in"
        raise ValueError(msg)
    return text


@functools.cache
def style(name: str) -> Markup:
    """Return a style sheet as the content of its element.

    Parameters
    ----------
    name
        Its path within the package, such as ``"reports/report.css"``.
    """
    return Markup(_read(name))  # noqa: S704 - a file of the package


def _read(name: str) -> str:
    """The text of a file of the package."""
    return files("sessionkit").joinpath(name).read_text(encoding="utf-8").replace("\r\n", "\n")
