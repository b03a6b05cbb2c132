"""Charts: one file each, from a tidy frame to an Altair value that composes, without size and saved nowhere.

In come tables; out go Altair charts. Open `kinds/session_curve.py` first.

::

    kinds/         a file for each chart, with the function of its name
    registry.py    what each shows, its measures and options; a new chart is a file in kinds/ and a line here
    encodings.py   fields, axes and legends that charts share
    canvas.py      a page in pixels that the charts of one session are laid out on
    session_panels.py  their panels of queries, lists and gain; time_panel.py, that of time
    counts_below.py  lines of numbers below an axis: how many sessions are left
    small_counts.py  when a mean or a share is of few, and how it is drawn then
    boundaries.py  the ends of queries along a session
    theme.py       how charts look, and the colors of groups
    files.py       charts as files
    common_axes.py  the same axes in several figures
    print_layout.py  the size of a paper's column, fonts in points, shades of gray
    page.py        a web page that is safe to open; page.html is its template, page.css its style, page.js draws in it
    chart.html     the body of a page of one chart; place.html the place of any chart
    scripts.py     how scripts and style sheets get into a page
    libraries.py   the libraries that a page takes along, and notices.txt, their licenses
"""

import importlib
from typing import Any

from sessionkit.charts.registry import CHARTS, HELPERS, KINDS, function_of
from sessionkit.errors import UsageError

_HOME = HELPERS | {function_of(kind): f"charts.kinds.{function_of(kind)}" for kind in CHARTS.own}
__all__ = ["KINDS", *_HOME]  # noqa: PLE0604 - the charts are those of the registry


def __getattr__(name: str) -> Any:  # noqa: ANN401 - functions of several kinds
    """Import a public name when it is first used."""
    if name not in _HOME:
        kind = name.replace("_", "-")
        if name.startswith("_") or kind not in CHARTS:
            raise AttributeError(f"module 'sessionkit.charts' has no attribute {name!r}")
        try:
            return CHARTS[kind].figure  # of a chart of others: from a study
        except UsageError as error:  # a broken plugin: hasattr must not fail
            raise AttributeError(str(error)) from error
    value = globals()[name] = getattr(importlib.import_module(f"sessionkit.{_HOME[name]}"), name)
    return value


def __dir__() -> list[str]:
    """Every public name."""
    return sorted(__all__)
