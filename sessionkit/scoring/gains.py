"""What a grade is worth: the ``gain`` parameter of every measure.

``linear`` is the grade, ``exp2`` is 2^grade - 1, ``binary`` is 1 from ``min_grade`` upwards, ``lifted`` the grade but at
least 1 (the TREC Dynamic Domain scorer counts a rating of 0 as 1, also before ``merge=sum`` adds it to others), and weights
such as ``0-1-10-100`` give the gain of grade 0, 1, 2, 3. A grade below 0 gains 0 with all of them, and so does an unjudged result.

The gain is that of the merged grade. Under ``merge=mean`` a document with grades 0 and 3 has ``exp2`` gain 2^1.5 - 1 = 1.83, not
the mean of 0 and 7; ``binary`` asks whether the mean is at least ``min_grade``, and weights refuse means that are fractions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from numbers import Real
from typing import get_args

import numpy as np
import polars as pl

from sessionkit.arguments import GainRule
from sessionkit.errors import DataError, MeasureError
from sessionkit.scoring.exact import LARGEST_GAIN

NAMES: tuple[GainRule, ...] = get_args(GainRule)
WEIGHTS = re.compile(r"{0}(-{0})+".format(r"(\d+(\.\d+)?|\.\d+)"))
ALLOWED = f"{', '.join(NAMES)} or weights by grade such as 0-1-10-100"


def gain_text(value: object) -> str:
    """Canonical text of a gain: one of the names, or weights without superfluous zeros.

    Parameters
    ----------
    value
        ``"linear"``, ``"exp2"``, ``"binary"``, a text such as ``"0-1-10-100"`` or a sequence of at least two numbers
        >= 0.

    Raises
    ------
    MeasureError
        If it is none of these.

    >>> gain_text((0, 1, 10, 100.0))
    '0-1-10-100'
    """
    if isinstance(value, str) and value in NAMES:
        return value
    text = weights_text(value)
    if text is None:
        msg = f"gain must be {ALLOWED}, not {value!r}"
        raise MeasureError(msg)
    return text


def weights_text(value: object) -> str | None:
    """Numbers of at least 0, two or more, joined by hyphens without superfluous zeros; None of anything else.

    >>> weights_text("1-.50-.2"), weights_text([1, 0.5]), weights_text("1"), weights_text([1, -1])
    ('1-0.5-0.2', '1-0.5', None, None)
    """
    if isinstance(value, Sequence) and not isinstance(value, str):
        numbers = [weight for weight in value if isinstance(weight, Real) and not isinstance(weight, bool)]
        value = "-".join(_plain(float(weight)) for weight in numbers) if len(numbers) == len(value) else ""
    if not isinstance(value, str) or not WEIGHTS.fullmatch(value):
        return None
    return "-".join(_plain(weight) for weight in weights(value))


def _plain(number: float) -> str:
    """The shortest decimal without an exponent that reads back to the same double."""
    return np.format_float_positional(number, trim="-")


def weights(gain: str) -> list[float]:
    """The weights that a gain text lists, in order of grade from 0.

    >>> weights("0-1-10-100")
    [0.0, 1.0, 10.0, 100.0]
    """
    return [float(weight) for weight in gain.split("-")]


def gain_expr(grade: pl.Expr, gain: str, min_grade: float = 1) -> pl.Expr:
    """Gain of a grade as a polars expression; null (unjudged) and grades below 0 gain 0.

    Parameters
    ----------
    grade
        Float64 grades as judged, in the study's own scale.
    gain
        Canonical gain text, see `gain_text`.
    min_grade
        Lowest relevant grade, for ``binary``.

    >>> frame = pl.DataFrame({"grade": [-1.0, 0.0, 2.0, None]})
    >>> frame.select(gain_expr(pl.col("grade"), "exp2")).to_series().to_list()
    [0.0, 0.0, 3.0, 0.0]
    """
    if gain == "linear":
        value = grade
    elif gain == "exp2":
        value = pl.lit(2.0).pow(grade) - 1
    elif gain == "lifted":
        value = pl.max_horizontal(grade, 1.0)
    elif gain == "binary":
        value = (grade >= min_grade).cast(pl.Float64)
    else:
        listed = weights(gain)
        value = grade.cast(pl.Int64, strict=False).replace_strict(
            range(len(listed)), listed, default=None, return_dtype=pl.Float64
        )
    return pl.when(grade >= 0).then(value).otherwise(0.0)


def check_grades(
    grades: pl.DataFrame,
    gain: str,
    min_grade: float = 1,
    whose: str = "the judgments",
    for_fractions: str = "use gain=linear or exp2",
) -> None:
    """Refuse grades that a gain has no value for.

    Parameters
    ----------
    grades
        The distinct grades in one column ``grade``.
    whose
        Where the grades are from, for the message.
    for_fractions
        What to do where grades are fractional, for the message.

    Raises
    ------
    DataError
        If a grade is fractional or beyond a weight list, or its gain is too large to be summed exactly.

    >>> check_grades(pl.DataFrame({"grade": [0.0, 3.0]}), "0-1-10")
    Traceback (most recent call last):
    ...
    sessionkit.errors.DataError: gain=0-1-10 has weights for grades 0 to 2, but the judgments have grade 3; give it
    one more weight
    """
    positive = grades.filter(pl.col("grade") >= 0).get_column("grade").sort()
    if gain not in NAMES and len(positive):
        top = len(weights(gain)) - 1
        fractional = positive.filter(positive != positive.floor())
        if len(fractional):
            msg = (
                f"gain={gain} gives weights to whole grades, but {whose} have grade {fractional[0]:g}; {for_fractions}"
            )
            raise DataError(msg)
        if positive[-1] > top:
            more = int(positive[-1]) - top
            msg = (
                f"gain={gain} has weights for grades 0 to {top}, but {whose} have grade {positive[-1]:g}; "
                f"give it {'one more weight' if more == 1 else f'{more} more weights'}"
            )
            raise DataError(msg)
    largest = grades.select(gain_expr(pl.col("grade"), gain, min_grade).max()).item()
    if largest is not None and not largest < LARGEST_GAIN:
        msg = f"gain={gain} gives the grade {positive[-1]:g} a gain of {largest:g}; gains must stay below 2^30 to be summed exactly"
        raise DataError(msg)
