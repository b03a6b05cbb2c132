"""Figures that are drawn when they are asked for: how each is made from a study; a new one is a function and a line here.

::

    vectors.py       gain vectors, recall and precision, the R-precision histogram
    scores.py        differences, distributions, correlations
    alternatives.py  what sweep, calibrate and judgment loss find
    evidence.py      how far a comparison can be trusted: power, judges' errors, discriminative power
    sessions.py      one session: its value explained, its time line
    steps.py         from one query to the next
    figure.py        what they give

A figure's file is read when it is drawn: a report draws few of them.
"""

from importlib import import_module

from sessionkit.reports.choices import Choices
from sessionkit.reports.on_demand.figure import CaptionedChart
from sessionkit.study import Study

DRAWN = {
    "sweep-map": "alternatives",
    "discount-surface": "alternatives",
    "judgment-loss": "alternatives",
    "power-curve": "evidence",
    "judge-noise": "evidence",
    "discriminative-power": "evidence",
    "differences": "scores",
    "gain-vectors": "vectors",
    "precision-recall": "vectors",
    "rprecision-histogram": "vectors",
    "score-distribution": "scores",
    "waterfall": "sessions",
    "session-timeline": "sessions",
    "correlation-forest": "scores",
    "reformulation-flow": "steps",
}
"""The figures by the names that the command line knows them by, and the file with the function of that name."""

__all__ = ["DRAWN", "CaptionedChart", "drawn_apart"]


def drawn_apart(kind: str, study: Study, choices: Choices) -> CaptionedChart:
    """Make one of them."""
    made: CaptionedChart = getattr(import_module(f"{__name__}.{DRAWN[kind]}"), kind.replace("-", "_"))(study, choices)
    return made
