"""The top of the grade scale: declared by the study or the measure, never taken from the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from sessionkit.errors import DataError, MeasureError
from sessionkit.scoring.gains import NAMES, gain_expr, weights

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists
    from sessionkit.scoring.measures.base import Measure


def top_of_scale(measure: Measure, max_grade: float | None, lists: Lists) -> float:
    """The ``max_grade`` of a measure, else of the study.

    Raises
    ------
    MeasureError
        Neither is there; the message proposes a value.
    DataError
        A grade lies above it.
    """
    base = lists.judged
    found = base.grade.max()
    highest = float(found) if isinstance(found, int | float) and found > 0 else 0.0
    top = max_grade if max_grade is not None else lists.settings.max_grade
    if top is None:
        proposed = highest or 1.0
        msg = (
            f"{measure} needs the top of the grade scale, which the study does not declare; if it is {proposed:g}, the highest "
            f"of {base.whose}, ask for {measure(max_grade=proposed)} or set max_grade = {proposed:g} "
            "at the top of a study.toml"
        )
        raise MeasureError(msg)
    if highest > top:
        msg = f"{measure}: {base.whose} have grade {highest:g}, above the top of the scale, max_grade={top:g}"
        raise DataError(msg)
    return float(top)


def top_gain(measure: Measure, gain: str, max_grade: float | None, lists: Lists) -> float:
    """What the top of the scale gains.

    Raises
    ------
    MeasureError
        It gains nothing, or has no weight; and as `top_of_scale` says.
    """
    if gain == "binary":
        return 1.0
    top = top_of_scale(measure, max_grade, lists)
    gained = pl.select(gain_expr(pl.lit(top), gain, measure.min_grade)).item()
    if not gained or (gain not in NAMES and max(weights(gain)[: int(top) + 1]) > gained):
        msg = f"{measure}: with gain={gain} the top of the scale, max_grade={top:g}, must gain the most, and above 0"
        raise MeasureError(msg)
    return float(gained)
