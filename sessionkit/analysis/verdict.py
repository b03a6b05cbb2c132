"""Whether there is enough for a verdict on a difference: the one place that comparisons, their charts and the report ask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from sessionkit.display.words import counted, listed
from sessionkit.errors import MeasureError
from sessionkit.scoring.measures.grammar import parse_measure

FEWEST_PAIRS = 6
"""Pairs from which on there is a verdict: 5 that all differ the same way have p = 2 / 2^5 = .0625 by a sign or Wilcoxon test."""
LEAST_SHARE = 0.5
"""Share of the units that must have a value: fewer are a selection of the units, by their values."""
SINGLE_QUERY = "sessions of one query, perhaps successful ones, are left out"


@dataclass(frozen=True)
class Support:
    """The units that a difference rests on.

    Parameters
    ----------
    unit
        What they are: ``"user"``, ``"topic"``, ``"session"``.
    n, total
        How many have a value, and how many there are.
    has
        What those with a value have, such as ``"a value for both groups"``.
    paired
        Whether each is a pair: a unit that has a value of each of the two sides.
    """

    unit: str
    n: int
    total: int
    has: str
    paired: bool

    @property
    def share(self) -> float:
        """Share of the units that have a value."""
        return self.n / self.total if self.total else 0.0

    @property
    def why_no_verdict(self) -> str:
        """Why no verdict may be given, as a sentence without its end; empty where one may.

        >>> Support("user", 2, 16, "a value for both groups", paired=True).why_no_verdict
        'No verdict: 2 of 16 users have a value for both groups; a verdict needs at least 6 pairs and half of the users'
        >>> Support("user", 8, 16, "a value for both groups", paired=True).why_no_verdict
        ''
        """
        needed = [f"at least {FEWEST_PAIRS} pairs"] if self.paired and self.n < FEWEST_PAIRS else []
        needed += [f"half of the {self.unit}s"] if self.share < LEAST_SHARE else []
        if not needed:
            return ""
        have = "has" if self.n == 1 else "have"
        return f"No verdict: {self.n:,} of {counted(self.total, self.unit)} {have} {self.has}; a verdict needs {listed(needed)}"


def with_reasons(table: pl.DataFrame, no_verdict: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of a table of tests with ``why`` no verdict may be given on them, null where one may."""
    keys = [name for name in no_verdict.columns if name != "why"]
    return table.join(no_verdict, on=keys, how="left", nulls_equal=True, maintain_order="left")


def weakest(supports: Sequence[Support]) -> Support:
    """Return the support with the smallest share: that of the side of a difference from which most is missing."""
    return min(supports, key=lambda support: support.share)


def leaves_out_single_queries(measure: str) -> bool:
    """Whether sessions of one query have no value of a measure, given by its text.

    >>> leaves_out_single_queries("nonlast(nDCG@10)"), leaves_out_single_queries("last(nDCG@10)")
    (True, False)
    """
    try:
        return parse_measure(measure).needs_several_queries
    except MeasureError:
        return False
