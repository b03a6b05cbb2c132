"""A web page of charts that is safe to open: nothing in it comes from outside, and no text in it can become code.

Altair's own HTML export writes the chart raw into a script, where text from a log runs. Here charts are JSON in
scripts that browsers do not run, every character that could end them escaped; a content security policy lets only the
two scripts below and those of the caller run, by their hashes, and forbids the network; expressions are interpreted,
never evaluated.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from sessionkit.charts.libraries import libraries, notices
from sessionkit.charts.scripts import script, style
from sessionkit.display.templates import rendered

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
        Its style sheet, see `sessionkit.charts.scripts.style`.
    scripts
        Further scripts of ours, which run after the charts are begun; nothing from outside may stand in them.
    """
    run = [libraries(), script("charts/page.js"), *dict.fromkeys(scripts)]
    hashes = " ".join(map(_hash, run))
    return rendered(
        "charts/page.html",
        title=title,
        body=body,
        style=style(style_sheet),
        notices=Markup(notices()),  # noqa: S704 - a file of the package
        hashes=Markup(hashes),  # noqa: S704 - quotes and base64
        scripts=[Markup(one) for one in run],  # noqa: S704 - ours
    )


def _hash(script: str) -> str:
    """Return the source expression that allows exactly this script."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
