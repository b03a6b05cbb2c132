"""Values and intervals of measures as text: how they are rounded, and which values a measure can have."""

from __future__ import annotations

import math

import polars as pl

from sessionkit.display.numbers import MINUS, statistic
from sessionkit.errors import MeasureError
from sessionkit.scoring.measures.grammar import parse_measure


def limits_of(measure: str, *, of_difference: bool = False) -> tuple[float, float]:
    """Return the lowest and the highest value that a measure, given by its text, can have; infinite where there is no limit.

    Parameters
    ----------
    measure
        Text of the measure; a text that is no measure has no limits.
    of_difference
        Whether to return the limits of the difference of two values or means.

    >>> limits_of("nsDCG@10"), limits_of("sDCG@10"), limits_of("my score")
    ((0.0, 1.0), (0.0, inf), (-inf, inf))
    >>> limits_of("nsDCG@10", of_difference=True), limits_of("sDCG@10", of_difference=True)
    ((-1.0, 1.0), (-inf, inf))
    """
    try:
        parsed = parse_measure(measure)
    except MeasureError:
        return -math.inf, math.inf
    lowest = -math.inf if parsed.lowest is None else float(parsed.lowest)
    highest = math.inf if parsed.highest is None else float(parsed.highest)
    return (lowest - highest, highest - lowest) if of_difference else (lowest, highest)


def lies_between_0_and_1(measure: str) -> bool:
    """Whether all values of a measure, given by its text, lie between 0 and 1.

    >>> lies_between_0_and_1("nsDCG@10"), lies_between_0_and_1("sDCG@10"), lies_between_0_and_1("my score")
    (True, False, False)
    """
    return limits_of(measure) == (0, 1)


def value_text(measure: str, value: float | None) -> str:
    """Return a value of a measure, or a difference of two, as a sentence has it.

    >>> value_text("nsDCG@10", 0.399), value_text("Duration", 521.35), value_text("nsDCG@10", None)
    ('.399', '521', 'undefined')
    """
    return "undefined" if value is None else statistic(value, is_share=lies_between_0_and_1(measure))


def end_text(measure: str, end: float, *, of_difference: bool = False) -> str:
    """Return an end of an interval as a sentence has it, cut as by `cut_intervals`.

    >>> end_text("Abandoned", 1.097, of_difference=True), end_text("Abandoned", -0.02), end_text("Queries", -0.5)
    ('1.000', '0', '0')
    """
    lowest, highest = limits_of(measure, of_difference=of_difference)
    return value_text(measure, min(max(end, lowest), highest))


def interval_text(measure: str, low: float, high: float, *, of_difference: bool = False) -> str:
    """Return both ends of an interval as a sentence has them, and whether they were cut, as by `cut_intervals`.

    >>> interval_text("Abandoned", 0.014, 0.386), interval_text("Abandoned", -0.05, 0.25)
    ('.014 to .386', '0 to .250, cut at 0')
    >>> interval_text("Abandoned", 0.236, 1.097, of_difference=True)
    '.236 to 1.000, cut at 1'
    """
    lowest, highest = limits_of(measure, of_difference=of_difference)
    ends = " to ".join(end_text(measure, end, of_difference=of_difference) for end in (low, high))
    limits = [*([lowest] if low < lowest else []), *([highest] if high > highest else [])]
    return f"{ends}, cut at {' and '.join(f'{limit:g}'.replace('-', MINUS) for limit in limits)}" if limits else ends


def cut_intervals(rows: pl.DataFrame, measure: str | None = None, *, of_difference: bool = False) -> pl.DataFrame:
    """Return rows with ``low`` and ``high`` moved to the nearest value that their measure can have, for display.

    An interval by t, and one of a resampled mean, can go beyond 0 or 1. Cut there, it holds the true mean or difference as often as
    before, includes 0 or not as before, and shows nothing that is impossible.

    Parameters
    ----------
    rows
        ``low``, ``high``, and ``measure`` with texts of measures unless one is given.
    measure
        Text of the measure of all rows.
    of_difference
        Whether the intervals are of differences of two means.

    Examples
    --------
    >>> rows = pl.DataFrame({"measure": ["Abandoned", "Queries"], "low": [-0.1, -0.1], "high": [1.2, None]})
    >>> cut_intervals(rows).rows()
    [('Abandoned', 0.0, 1.0), ('Queries', 0.0, None)]
    >>> cut_intervals(rows, of_difference=True).rows()
    [('Abandoned', -0.1, 1.0), ('Queries', -0.1, None)]
    """
    texts = [measure] * len(rows) if measure is not None else rows["measure"].to_list()
    limits = pl.DataFrame(
        [limits_of(text, of_difference=of_difference) for text in texts],
        schema={"lowest": pl.Float64, "highest": pl.Float64},
        orient="row",
    )
    low, high = (rows[end].cast(pl.Float64).clip(limits["lowest"], limits["highest"]) for end in ("low", "high"))
    return rows.with_columns(low, high)


def cut_note(rows: pl.DataFrame, measure: str | None = None, *, of_difference: bool = False) -> str:
    """Return words for a line below a title, that `cut_intervals` cuts some of these rows; nothing where it cuts none.

    >>> cut_note(pl.DataFrame({"low": [0.2], "high": [1.1]}), "Abandoned")
    'Intervals are cut at the values that are possible'
    """
    cut = cut_intervals(rows, measure, of_difference=of_difference)
    is_cut = any((cut[end] != rows[end].cast(pl.Float64)).any() for end in ("low", "high"))
    return "Intervals are cut at the values that are possible" if is_cut else ""
