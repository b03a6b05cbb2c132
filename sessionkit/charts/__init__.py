"""Charts: one file each, from a tidy frame to an Altair value that composes, without size and saved nowhere.

In come tables; out go Altair charts. Open `session_curve.py` first.

::

    last_vs_nonlast.py  session_curve.py      the charts, Figures 1 to 4 of ECIR 2008
    topic_curves.py  single_sessions.py
    sweep_map.py                              which group leads at which setting of a measure
    judgment_loss.py                          the order of systems as judgments are lost
    discount_surface.py                       a fitted discount, with what was looked at over it
    gain_vectors.py  precision_recall.py      ranked lists: TOIS 2002, Figures 1 to 4; eleven points
    rprecision_histogram.py                   two systems by topic
    differences.py  score_distribution.py     scores by group; measures against ratings
    correlation_forest.py
    power_curve.py  judge_noise.py            how far a comparison can be trusted: power by size, judges' errors,
    discriminative_power.py                   pairs of systems told apart
    waterfall.py  session_timeline.py         one session: its value, its time line
    reformulation_flow.py                     what came after each query
    encodings.py  boundaries.py               what they share: fields, colours, axes, ends of queries
    theme.py  save.py  page.py              how they look; charts as files; the safe web page,
    page.js  scripts.py  libraries.py         what draws in it, how scripts get there, and the libraries that this takes

A new chart is a new file, an import and a line in KINDS here, and its entry in ``reports/figures.py``.
"""

from sessionkit.charts.correlation_forest import correlation_forest
from sessionkit.charts.differences import differences
from sessionkit.charts.discount_surface import discount_surface
from sessionkit.charts.discriminative_power import discriminative_power
from sessionkit.charts.gain_vectors import gain_vectors
from sessionkit.charts.judge_noise import judge_noise
from sessionkit.charts.judgment_loss import judgment_loss
from sessionkit.charts.last_vs_nonlast import last_vs_nonlast
from sessionkit.charts.power_curve import power_curve
from sessionkit.charts.precision_recall import precision_recall
from sessionkit.charts.reformulation_flow import reformulation_flow
from sessionkit.charts.rprecision_histogram import rprecision_histogram
from sessionkit.charts.save import save, spec_of
from sessionkit.charts.score_distribution import score_distribution
from sessionkit.charts.session_curve import session_curve
from sessionkit.charts.session_timeline import session_timeline
from sessionkit.charts.single_sessions import single_sessions
from sessionkit.charts.sweep_map import sweep_map
from sessionkit.charts.theme import colours_of, themed
from sessionkit.charts.topic_curves import topic_curves
from sessionkit.charts.waterfall import waterfall

KINDS = {
    "last-vs-nonlast": "gain by rank of the last query of sessions and of those before it (ECIR 2008, Figure 1)",
    "session-curve": "normalised gain along the session, averaged by system (Figure 2)",
    "topic-curves": "gain along the sessions of one topic, all and those with at least n queries (Figure 3)",
    "single-sessions": "every session of one system and topic, with its stopping point (Figure 4)",
    "sweep-map": "which system leads at which setting of a measure, and where the conclusion ends",
    "discount-surface": "a discount fitted to how far searchers looked, by rank and query, with what was looked at",
    "judgment-loss": "Kendall's tau of the order of systems by the share of judgments kept, with its knee",
    "power-curve": "the chance to find a declared difference, by numbers of users and topics",
    "judge-noise": "how often judges' errors change the winner or the verdict, by the size of the difference",
    "discriminative-power": "the p-values of all pairs of systems in their order, by measure (Sakai 2006)",
    "differences": "differences between systems by each measure, with their intervals",
    "gain-vectors": "CG, DCG, nCG and nDCG by rank, with their ideal (TOIS 2002, Figures 1 to 4)",
    "precision-recall": "interpolated precision at eleven points of recall, by system and topic",
    "rprecision-histogram": "how far two systems are apart in R-precision, by topic",
    "score-distribution": "scores of sessions by system: box and strip",
    "waterfall": "what each document and query adds to the value of one session",
    "session-timeline": "queries, result lists, clicks and dwell of one session in time",
    "correlation-forest": "correlations of measures with ratings, with their intervals",
    "reformulation-flow": "what came after each query: a kind of reformulation, or the session's end",
}
"""The charts by the names that the command line knows them by."""

__all__ = [
    "KINDS",
    "colours_of",
    "correlation_forest",
    "differences",
    "discount_surface",
    "discriminative_power",
    "gain_vectors",
    "judge_noise",
    "judgment_loss",
    "last_vs_nonlast",
    "power_curve",
    "precision_recall",
    "reformulation_flow",
    "rprecision_histogram",
    "save",
    "score_distribution",
    "session_curve",
    "session_timeline",
    "single_sessions",
    "spec_of",
    "sweep_map",
    "themed",
    "topic_curves",
    "waterfall",
]
