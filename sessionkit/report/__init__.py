"""The report: one HTML file of a study's tables, scores, figures, method and notes.

::

    page.py        puts the page together         tables.py      tables as text, and as HTML
    figures.py     the figures and captions       method.py      every choice in words; the fingerprint of the data
    single.py      one figure as asked
    choices.py     what the figures share         redaction.py   what must not be passed on
    style.py       the style sheet                drawing.js     what its own scripts share
    live/          other discounts in the page    explorer/      sessions one by one in the page
    sampling.py    which sessions a page holds    picking.py     their rows, while the study is read
    also.py        parts that were asked for      further/       how these are made
    apart/         figures that are drawn when they are asked for
"""

import sys
from types import ModuleType

from sessionkit.report.page import MEASURES, report

__all__ = ["MEASURES", "report"]


class _Room(ModuleType):
    """This package, which can be called: ``sessionkit.report`` is the room as well as the function in it."""

    __call__ = staticmethod(report)


sys.modules[__name__].__class__ = _Room
