"""Figures that are drawn when they are asked for: how each is made from a study; a new one is a function and a line here.

::

    vectors.py     gain vectors, recall and precision, the R-precision histogram
    scored.py      differences, distributions, correlations
    tried.py       what sweep, calibrate and judgment loss find
    evidence.py    how far a comparison can be trusted: power, judges' errors, discriminative power
    one.py         one session: its value explained, its time line
    steps.py       from one query to the next
    drawn.py       what they give

A figure's file is read when it is drawn: a report draws few of them.
"""

from importlib import import_module

from sessionkit.report.apart.drawn import Drawn
from sessionkit.report.choices import Choices
from sessionkit.study import Study

DRAWN = {
    "sweep-map": "tried",
    "discount-surface": "tried",
    "judgment-loss": "tried",
    "power-curve": "evidence",
    "judge-noise": "evidence",
    "discriminative-power": "evidence",
    "differences": "scored",
    "gain-vectors": "vectors",
    "precision-recall": "vectors",
    "rprecision-histogram": "vectors",
    "score-distribution": "scored",
    "waterfall": "one",
    "session-timeline": "one",
    "correlation-forest": "scored",
    "reformulation-flow": "steps",
}
"""The figures by the names that the command line knows them by, and the file with the function of that name."""

__all__ = ["DRAWN", "Drawn", "drawn_apart"]


def drawn_apart(kind: str, study: Study, choices: Choices) -> Drawn:
    """Make one of them."""
    made: Drawn = getattr(import_module(f"{__name__}.{DRAWN[kind]}"), kind.replace("-", "_"))(study, choices)
    return made
