"""Charts: one file each, from a tidy frame to an Altair value that composes, without size and saved nowhere.

In come tables; out go Altair charts. Open `kinds/session_curve.py` first.

::

    kinds/             The charts: each file has the function of its name, from a table to an Altair chart
    registry.py        The registry of charts: what each shows, its measures unless others are asked for, its own
                       options, and who makes its figure
    encodings.py       What all charts share: frames as inline values under fixed field names, colors, axes in the
                       field's words, titles
    canvas.py          A page of marks in pixels that panels draw on, and how wide texts are: the charts of one session
                       are laid out, not scaled
    session_panels.py  Panels of one session: query texts, lists with grades and clicks, gain beside its ideal, and
                       events in time
    annotations.py     What stands beside the marks of several charts: query boundaries, counts below an axis, faded
                       small counts, and common axes
    theme.py           How every figure looks: fonts, sizes and colors, as a theme of Altair that is on unless another
                       one is; charts compose
    files.py           Charts as files and as parts of a page: specs, data, images, and the scripts that draw them in a
                       browser
    print_layout.py    Figures at the size of a column of a paper: width and height of the whole, fonts in points,
                       styles for paper and gray
    chart.html     the body of a page of one chart; place.html the place of any chart
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
