"""What bounds a measure's values have, and the grade at which an unjudged result gains the most; see `Measure.bounds`."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from sessionkit.errors import MeasureError, UsageError
from sessionkit.scoring.gains import NAMES, gain_expr, weights
from sessionkit.scoring.graded_pairs import GradedPairs
from sessionkit.scoring.measures.base import Measure


def adds_up(measure: Measure, *, own_keys: bool = False) -> bool:
    """Whether the mean over sessions is a sum in which each unjudged document has a term of its own.

    The mean over a session's queries is none where further judgments can give queries a score: where they have judgment
    keys of their own, some of which are unjudged.
    """
    if measure.wraps and (own_keys or not measure.reduces_queries):
        return False
    return measure.bound_kind() == "linear" and measure.linear_in_queries


def movable(measure: Measure) -> bool:
    """Whether it can be said how much a single document would move the measure."""
    return adds_up(measure) or (measure.bound_kind() == "share" and measure.linear_in_queries)


def bound_of(measure: Measure, *, own_keys: bool = False) -> str | None:
    """What the bounds of a mean over sessions are, where each session has a score; None without bounds."""
    kind = measure.bound_kind(own_keys=own_keys)
    safe = kind in ("share", "counted") or (measure.reduces_queries and own_keys)
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
        if top is None and measure.bound_kind() not in (None, "fixed") and measure.inner.tells_grades_apart:
            if measure.inner.scale_top is not None:
                continue
            msg = (
                f"{measure}: its bounds need the best grade that an unjudged document could have, and the study declares no "
                f"max_grade; if it is {highest:g}, the highest of {judged.whose}, give max_grade={highest:g} "
                f"(--max-grade {highest:g}), or set max_grade = {highest:g} at the top of a study.toml"
            )
            raise MeasureError(msg)
    return None if top is None else float(top)


def best_grade(measure: Measure, top: float | None) -> float:
    """The grade, of those from 0 to the top of the scale, that gains the most under a measure.

    Parameters
    ----------
    top
        The top of the scale; None where nobody declared it and only binary measures are asked for, which need no more
        than that some grade is relevant; see `scale_top`.

    >>> from sessionkit import nDCG, P
    >>> from sessionkit.scoring.measures.grammar import parse_measure
    >>> best_grade(nDCG, 3), best_grade(P, None), best_grade(parse_measure("P(level=1)"), 3)
    (3.0, 1.0, 1.0)
    >>> best_grade(nDCG(gain="0-1-0.5"), 2)
    1.0
    """
    top = measure.scale_top if measure.scale_top is not None else top
    level = measure.only_grade
    if not measure.tells_grades_apart or top is None:
        lowest = level if level is not None else measure.lowest_relevant
        if level is not None or top is None or top < lowest:
            return float(lowest if top is None or lowest <= top else top)
        return float(top)
    if measure.grade_gain in NAMES:
        return float(top)
    listed = weights(measure.grade_gain)[: int(top) + 1]
    return float(max(range(len(listed)), key=lambda grade: listed[grade]))


def gain_of(measure: Measure, grade: float) -> float:
    """What a grade gains under a measure; 1 or 0 under a binary one."""
    return float(pl.select(gain_expr(pl.lit(grade), measure.grade_gain, measure.min_grade)).item())
