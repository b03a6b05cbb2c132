"""Whether there is enough for a verdict on a difference: the one place that comparisons, their charts and the report ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from sessionkit.display.numbers import counted, listed
from sessionkit.errors import MeasureError, UsageError
from sessionkit.scoring.measures.grammar import parse_measure

FEWEST_PAIRS = 6
"""Pairs from which on there is a verdict: 5 that all differ the same way have p = 2 / 2^5 = .0625 by a sign or Wilcoxon test."""
LEAST_SHARE = 0.5
"""Share of the units that must have a value: fewer are a selection of the units, by their values."""
SINGLE_QUERY = "sessions of one query, perhaps successful ones, are left out"


Verdict = Literal["not shown", "shown", "practically equal", "less than matters"]
"""What an interval shows of a difference, see `verdict_of`."""


def verdict_of(low: float | None, high: float | None, band: float | None = None) -> Verdict:
    """Return what the interval of a difference shows: this interval alone decides the words of a verdict.

    Parameters
    ----------
    low, high
        The ends of the interval, in units of the measure; None is without end.
    band
        Differences between -band and band are too small to matter; None where no band is declared.

    Returns
    -------
    Verdict
        ``"shown"``: the interval excludes 0. ``"practically equal"``: it includes 0 and lies within the band. ``"less than
        matters"``: it excludes 0 and lies within the band. ``"not shown"``: none of these. An end at 0 includes 0, an end at the edge
        of the band lies outside the band.

    Examples
    --------
    >>> verdict_of(-0.020, 0.168), verdict_of(0.005, 0.168)
    ('not shown', 'shown')
    >>> verdict_of(-0.005, 0.010, 0.02), verdict_of(0.005, 0.010, 0.02)
    ('practically equal', 'less than matters')
    """
    excludes_0 = (low is not None and low > 0) or (high is not None and high < 0)
    is_within = band is not None and low is not None and high is not None and -band < low and high < band
    if is_within:
        return "less than matters" if excludes_0 else "practically equal"
    return "shown" if excludes_0 else "not shown"


def bands_of(measures: Sequence[str], declared: Mapping[str, float]) -> dict[str, float]:
    """Return the declared bands of practical equivalence of some measures, by their texts.

    Parameters
    ----------
    measures
        Texts of measures, as tables have them.
    declared
        What the study declares, `sessionkit.study.Settings.equivalence`, however the measure is spelled.

    Raises
    ------
    UsageError
        A declared name is no measure.

    Examples
    --------
    >>> bands_of(["nsDCG@10", "Queries"], {"nsDCG(b=2)@10": 0.02})
    {'nsDCG@10': 0.02}
    """
    bands: dict[str, float] = {}
    for name, width in declared.items():
        try:
            bands[str(parse_measure(name))] = width
        except MeasureError as error:
            raise UsageError(f"the equivalence that study.toml declares: {error}") from None
    return {measure: bands[measure] for measure in measures if measure in bands}


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
    def least_pairs(self) -> int | None:
        """How many pairs a verdict would need; None where there are enough."""
        return FEWEST_PAIRS if self.paired and self.n < FEWEST_PAIRS else None

    @property
    def least_share(self) -> float | None:
        """Which share of the units a verdict would need; None where it is reached."""
        return LEAST_SHARE if self.share < LEAST_SHARE else None

    @property
    def values(self) -> dict[str, str | float | None]:
        """The numbers that `why_no_verdict` gives."""
        return {
            "unit": self.unit,
            "n": self.n,
            "total": self.total,
            "least_pairs": self.least_pairs,
            "least_share": self.least_share,
        }

    @property
    def shortage(self) -> str:
        """How many units have a value and how many a verdict needs; empty where there are enough."""
        needed = [] if self.least_pairs is None else [f"at least {self.least_pairs} pairs"]
        needed += [] if self.least_share is None else [f"half of the {self.unit}s"]
        if not needed:
            return ""
        have = "has" if self.n == 1 else "have"
        return f"{self.n:,} of {counted(self.total, self.unit)} {have} {self.has}; a verdict needs {listed(needed)}"

    @property
    def why_no_verdict(self) -> str:
        """Why no verdict may be given, as a sentence without its end; empty where one may.

        >>> Support("user", 2, 16, "a value for both groups", paired=True).why_no_verdict
        'No verdict: 2 of 16 users have a value for both groups; a verdict needs at least 6 pairs and half of the users'
        >>> Support("user", 8, 16, "a value for both groups", paired=True).why_no_verdict
        ''
        """
        return f"No verdict: {self.shortage}" if self.shortage else ""


def weakest(supports: Sequence[Support]) -> Support:
    """Return the support with the smallest share: that of the side of a difference from which most is missing."""
    return min(supports, key=lambda support: support.share)


def is_shown(alpha: float) -> pl.Expr:
    """Whether a row shows a difference: ``p_adjusted`` is at most alpha, and there is no reason ``why`` to give no verdict.

    Every verdict, star, letter and filled point asks this.
    """
    return (pl.col("p_adjusted") <= alpha).fill_null(value=False) & pl.col("why").is_null()


def disagrees(alpha: float) -> pl.Expr:
    """Whether p and the interval of a row say different things about 0, as those of a rank test can; never without a verdict.

    >>> rows = pl.DataFrame({"low": [0.1, -0.1, None], "high": [0.3, 0.3, None], "p_adjusted": [0.06, 0.06, 0.01], "why": 3 * [None]})
    >>> rows.select(disagrees(0.05)).to_series().to_list()
    [True, False, False]
    """
    excludes_0 = ((pl.col("low") > 0) | (pl.col("high") < 0)).fill_null(value=False)
    has_interval = pl.col("low").is_not_null() | pl.col("high").is_not_null()
    return (
        has_interval & pl.col("why").is_null() & (excludes_0 != (pl.col("p_adjusted") <= alpha).fill_null(value=False))
    )


def leaves_out_single_queries(measure: str) -> bool:
    """Whether sessions of one query have no value of a measure, given by its text.

    >>> leaves_out_single_queries("nonlast(nDCG@10)"), leaves_out_single_queries("last(nDCG@10)")
    (True, False)
    """
    try:
        return parse_measure(measure).needs_several_queries
    except MeasureError:
        return False
