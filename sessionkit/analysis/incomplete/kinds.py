"""How the bounds of each measure come about, and the reason where there are none.

``fixed``: the value reads no judgment. ``rising``: the value can only rise with a grade and reads nothing of the recall
base, so that worst and best are those of all unjudged results at once. ``linear``: rising, and a sum in which each
document has its own term. ``share``: a sum divided by the best sum that the recall base allows. ``counted``: a value of
relevant ranks and of R, the number of relevant documents.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from sessionkit.errors import MeasureError, UsageError
from sessionkit.scoring.gains import NAMES, gain_expr, weights
from sessionkit.scoring.graded_pairs import GradedPairs
from sessionkit.scoring.measures import JudgedMeasure, Measure
from sessionkit.scoring.measures.aggregates import Aggregate, AveragePosition
from sessionkit.scoring.measures.cumulated_gain import NormalizedSessionGain

FIXED = (
    "Queries", "Results", "Clicks", "DeepestClick", "Abandoned", "UniqueDocs", "Repeats", "Duration", "TimeToFirstClick",
    "Dwell", "QueryTerms", "QueryOverlap",
)  # fmt: skip
LINEAR = (
    "CG", "DCG", "sDCG", "sRBP", "P", "gP", "RBP", "AvgP", "DCG_jiang2016", "P_jiang2016", "RBP_jiang2016",
)  # fmt: skip
RISING = ("RSDCG", "RSRBP", "esDCG", "esP", "RR", "Success", "ERR", "RelevantSeen", "RelativeRecall")
SHARE = ("nCG", "nDCG", "nsDCG")
COUNTED = ("R", "F", "E", "MaxF", "AP")
KINDS = {
    **dict.fromkeys(FIXED, "fixed"),
    **dict.fromkeys(LINEAR, "linear"),
    **dict.fromkeys(RISING, "rising"),
    **dict.fromkeys(SHARE, "share"),
    **dict.fromkeys(COUNTED, "counted"),
}

SUBTOPICS = "which subtopics an unjudged document would cover is unknown too"
LENGTHS = "it hangs on where all relevant documents stand, shown or not"
TIMED = "how long a result holds the searcher depends on its grade too, so that it can lower what comes after it"
REASONS = {
    **dict.fromkeys(("CubeTest", "ACT", "nCubeTest", "nACT", "EU", "nEU"), SUBTOPICS),
    **dict.fromkeys(("InstanceRecall", "InstancePrecision"), SUBTOPICS),
    **dict.fromkeys(("ASL", "ESL", "SLRF", "Rnorm", "RankRecall", "LogPrecision"), LENGTHS),
    **dict.fromkeys(("U", "TBG", "sU", "sTBG"), TIMED),
    **dict.fromkeys(("bpref", "infAP"), "it passes over unjudged results by its own rule; it was made for them"),
    **dict.fromkeys(("Judged", "RBPResidual"), "it measures what is unjudged itself"),
    "Rprec": "more relevant documents elsewhere also move the rank that it looks at",
}
"""Reasons of measures that have no bounds; all others without a kind have the general one."""
GENERAL = "no bound was proved for its form"


def kind_of(measure: Measure, *, own_keys: bool = False) -> str | None:
    """The kind of a measure of queries or sessions, or of the measure inside an aggregate; None without bounds."""
    return None if why_not(measure, own_keys=own_keys) else KINDS.get(measure.inner.name)


def why_not(measure: Measure, *, own_keys: bool = False) -> str | None:
    """Why a measure has no bounds; None where it has.

    Parameters
    ----------
    own_keys
        Whether queries of the study have judgment keys of their own.
    """
    inner = measure.inner
    kind = KINDS.get(inner.name)
    if kind is None:
        return REASONS.get(inner.name, GENERAL)
    if kind == "fixed":
        return None
    if inner.grades == "user":
        return "grades=user counts what the searchers graded, and what they did not grade is no missing judgment"
    if inner.unjudged == "skip":
        return "unjudged=skip closes the ranks over unjudged results; ask for it with unjudged=zero"
    if isinstance(inner, NormalizedSessionGain):
        if inner.normalize == "query":
            return (
                "normalize=query adds up quotients of several ideals; bounds need normalize=session, or mean(nDCG@10)"
            )
        if own_keys and (inner.ideal == "once" or inner.ideal_queries != "session"):
            return (
                "its ideal leaves out judgment keys that the session's queries have; ask for ideal=repeated or spread"
            )
        if inner.cutoff is None:
            return "an ideal session needs a cutoff, such as nsDCG@10"
    if isinstance(measure, AveragePosition) and kind != "linear":
        return "the mean of a curve of quotients has no bound here; its last point has: ask for the measure inside"
    if isinstance(measure, Aggregate) and inner.level == "session" and kind != "linear":
        return "a query's part of a session's quotient has no bound here; ask for the session measure itself"
    return None


def adds_up(measure: Measure, *, own_keys: bool = False) -> bool:
    """Whether the mean over sessions is a sum in which each unjudged document has a term of its own.

    The mean over a session's queries is none where further judgments can give queries a score: where they have judgment
    keys of their own, some of which are unjudged.
    """
    if isinstance(measure, AveragePosition) or (isinstance(measure, Aggregate) and own_keys):
        return False
    return kind_of(measure) == "linear" and measure.name not in ("max", "min")


def movable(measure: Measure) -> bool:
    """Whether it can be said how much a single document would move the measure."""
    return adds_up(measure) or (kind_of(measure) == "share" and measure.name not in ("max", "min"))


def bound_of(measure: Measure, *, own_keys: bool = False) -> str | None:
    """What the bounds of a mean over sessions are, where each session has a score; None without bounds."""
    kind = kind_of(measure, own_keys=own_keys)
    safe = kind in ("share", "counted") or (isinstance(measure, Aggregate) and own_keys)
    return None if kind is None else "safe" if safe else "attained"


def scale_top(measures: Iterable[Measure], judged: GradedPairs, top: float | None) -> float | None:
    """Check the best grade of the scale; None where it is unknown and no measure needs it.

    Raises
    ------
    UsageError
        It is no number above 0, or a judged grade is above it.
    MeasureError
        A measure needs it and it is unknown; the message proposes a value.
    """
    found = judged.grade.max()
    highest = float(found) if isinstance(found, int | float) and found > 0 else 1.0
    if top is not None and (isinstance(top, bool) or not isinstance(top, int | float) or not 0 < top < float("inf")):
        msg = f"max_grade must be a number above 0, the best grade of the scale, not {top!r}"
        raise UsageError(msg)
    if top is not None and found is not None and highest > top:
        msg = f"{judged.whose} have grade {highest:g}, above max_grade={top:g}; give the top of the scale as it is after merging"
        raise UsageError(msg)
    for measure in measures:
        if top is None and kind_of(measure) not in (None, "fixed") and not binary(measure.inner):
            if getattr(measure.inner, "max_grade", None) is not None:
                continue
            msg = (
                f"{measure}: its bounds need the best grade that an unjudged document could have, and the study declares no "
                f"max_grade; if it is {highest:g}, the highest of {judged.whose}, give max_grade={highest:g} "
                f"(--max-grade {highest:g}), or set max_grade = {highest:g} at the top of a study.toml"
            )
            raise MeasureError(msg)
    return None if top is None else float(top)


def binary(measure: JudgedMeasure) -> bool:
    """Whether a measure tells relevant grades not apart."""
    return getattr(measure, "gain", "linear" if "max_grade" in measure.parameters() else "binary") == "binary"


def best_grade(measure: JudgedMeasure, top: float | None) -> float:
    """The grade, of those from 0 to the top of the scale, that gains the most under a measure.

    Parameters
    ----------
    top
        The top of the scale; None where nobody declared it and only binary measures are asked for, which need no more
        than that some grade is relevant; see `scale_top`.

    >>> from sessionkit.scoring.measures import nDCG, P, parse_measure
    >>> best_grade(nDCG, 3), best_grade(P, None), best_grade(parse_measure("P(level=1)"), 3)
    (3.0, 1.0, 1.0)
    >>> best_grade(nDCG(gain="0-1-0.5"), 2)
    1.0
    """
    own = getattr(measure, "max_grade", None)
    top = own if own is not None else top
    level = getattr(measure, "level_", None)
    if binary(measure) or top is None:
        lowest = level if level is not None else getattr(measure, "lowest_relevant", measure.min_grade)
        if level is not None or top is None or top < lowest:
            return float(lowest if top is None or lowest <= top else top)
        return float(top)
    graded = getattr(measure, "gain", "linear")
    if graded in NAMES:
        return float(top)
    listed = weights(graded)[: int(top) + 1]
    return float(max(range(len(listed)), key=lambda grade: listed[grade]))


def gain_of(measure: JudgedMeasure, grade: float) -> float:
    """What a grade gains under a measure; 1 or 0 under a binary one."""
    gain = getattr(measure, "gain", "binary")
    return float(pl.select(gain_expr(pl.lit(grade), gain, measure.min_grade)).item())
