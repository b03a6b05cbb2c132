"""Figures that are drawn when they are asked for: how each is made from a study; a new one is a function and a line here.

::

    vectors.py     gain vectors, recall and precision, the R-precision histogram
    scored.py      differences, distributions, correlations
    tried.py       what sweep, calibrate and judgment loss find
    evidence.py    how far a comparison can be trusted: power, judges' errors, discriminative power
    one.py         one session: its value explained, its time line
    steps.py       from one query to the next
    drawn.py       what they give
"""

from collections.abc import Callable

from sessionkit.report.apart.drawn import Drawn
from sessionkit.report.apart.evidence import discriminative_power, judge_noise, power_curve
from sessionkit.report.apart.one import session_timeline, waterfall
from sessionkit.report.apart.scored import correlation_forest, differences, score_distribution
from sessionkit.report.apart.steps import reformulation_flow
from sessionkit.report.apart.tried import discount_surface, judgment_loss, sweep_map
from sessionkit.report.apart.vectors import gain_vectors, precision_recall, rprecision_histogram
from sessionkit.report.choices import Choices
from sessionkit.study import Study

DRAWN: dict[str, Callable[[Study, Choices], Drawn]] = {
    "sweep-map": sweep_map,
    "discount-surface": discount_surface,
    "judgment-loss": judgment_loss,
    "power-curve": power_curve,
    "judge-noise": judge_noise,
    "discriminative-power": discriminative_power,
    "differences": differences,
    "gain-vectors": gain_vectors,
    "precision-recall": precision_recall,
    "rprecision-histogram": rprecision_histogram,
    "score-distribution": score_distribution,
    "waterfall": waterfall,
    "session-timeline": session_timeline,
    "correlation-forest": correlation_forest,
    "reformulation-flow": reformulation_flow,
}
"""The figures by the names that the command line knows them by."""

__all__ = ["DRAWN", "Drawn"]
