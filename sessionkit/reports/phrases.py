"""Turns of phrase that several sections use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sessionkit.analysis.compare.comparison import Comparison
from sessionkit.analysis.phrases import level_text
from sessionkit.display.labels import label
from sessionkit.display.numbers import P_IS_BOUND, p_text, two_digits
from sessionkit.display.words import counted

if TYPE_CHECKING:
    from sessionkit.analysis.correlate.correlate import Correlations
    from sessionkit.analysis.mixed_model import MixedModel

NAMED = 6
"""Groups whose counts a caption gives."""


def filled(found: Comparison | MixedModel) -> str:
    """Return what a filled point of the differences means, as the last sentences of a caption; nothing where none is tested."""
    if not found.family.number:
        return ""
    intervals = ""
    if found.family.has_unadjusted_intervals:
        intervals = "; the intervals are unadjusted"
    elif found.family.number > 1 and found.correction != "none":
        intervals = ", for which the intervals are made too"
    withheld = "" if found.no_verdict.is_empty() else " A difference without a verdict has an empty point."
    return f" A filled point has p at or below {found.alpha:g}{found.family.told}{intervals}.{withheld}"


def sides(found: Comparison) -> str:
    """Return which group has the higher values right of 0 in a figure of differences, as a sentence of its caption."""
    pairs = found.table.select("a", "b").unique().rows()
    higher = label(pairs[0][1]) if len(pairs) == 1 else "the group named first"
    return f"Right of 0, {higher} has the higher values."


def first_of(items: Sequence[str], most: int) -> str:
    """Return some items in a row, the rest counted.

    >>> first_of(["a 1", "b 2", "c 3"], 2)
    'a 1, b 2 and 1 more'
    """
    return ", ".join(items[:most]) + (f" and {len(items) - most} more" if len(items) > most else "")


def correlation_text(row: Mapping[str, Any], found: Correlations) -> str:
    """Return one of Spearman's correlations, a row of the table, in a sentence."""
    measure, rating, value = row["measure"], row["covariate"], row["value"]
    if value is None:
        return f"{measure} has no correlation with {rating}: {row['note'] or 'it does not vary'}."
    beside = []
    if row["low"] is not None and row["high"] is not None:
        ends = f"{two_digits(row['low'])} to {two_digits(row['high'])}"
        beside.append(f"{level_text(1 - found.confidence)} interval {ends}")
    if row["p"] is not None:
        beside.append(p_text(row["p"], is_bound=bool(row[P_IS_BOUND])))
    units = "" if found.units == "sessions" else f" of {counted(row['units'], found.units.removesuffix('s'))}"
    beside.append(f"{row['n']:,} sessions{units}")
    told = f"{measure} and {rating} have a rank correlation (Spearman's) of {two_digits(value)}"
    return f"{told} ({'; '.join(beside)})."
