"""The figures that are drawn when they are asked for, by name."""

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
    "reformulation-flow": "query_steps",
}
"""The figures by the names that the command line knows them by, and the file with the function of that name."""


def drawn_apart(kind: str, study: Study, choices: Choices) -> CaptionedChart:
    """Make one of them."""
    made: CaptionedChart = getattr(import_module(f"{__package__}.{DRAWN[kind]}"), kind.replace("-", "_"))(
        study, choices
    )
    return made
