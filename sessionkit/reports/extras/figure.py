"""The figure of a part that was asked for, or why there is none: its words and tables stand without it."""

from __future__ import annotations

from collections.abc import Callable

from sessionkit.errors import UsageError
from sessionkit.reports.figures.figure import Figure
from sessionkit.reports.material import Material
from sessionkit.reports.parts import Part, Words


def figured(of: Material, draw: Callable[[], Figure]) -> Part:
    """Draw a figure."""
    try:
        return draw()
    except UsageError as error:
        return Words((f"Not drawn: {of.redaction.note(str(error))}.",))
