"""A measure's discounts read as a searcher who may stop: the chance to look at a rank is the discount that it has.

That needs a discount which is 1 at rank 1 and never rises. Such a searcher looks at d(1) + d(2) + ... results of a list
on average, and of a session at the same sum over query positions of lists. A discount that does not begin with 1 (base b
of ``burges`` other than 2) is divided by its first value, which changes no comparison of scores.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sessionkit.scoring.discounts import discount_values
from sessionkit.scoring.measures import Measure
from sessionkit.scoring.measures.cumulated_gain import CumulatedGain
from sessionkit.scoring.measures.discounted_gain import DiscountedMeasure, DiscountedSessionGain
from sessionkit.scoring.measures.expected_gain import ExpectedMeasure
from sessionkit.scoring.measures.rank_biased import RankBiasedPrecision
from sessionkit.scoring.measures.recency import RecencyMeasure
from sessionkit.scoring.measures.session_rank_biased import SessionRankBiasedPrecision
from sessionkit.scoring.measures.time import SavingMeasure, TimedMeasure

RISES = 1e-12
"""What rounding may add to a discount that stays level."""


@dataclass(frozen=True)
class Chances:
    """How a searcher goes on, in one direction: down a list, or from query to query.

    Parameters
    ----------
    name
        Discount, as measures name it.
    base, p
        Its parameters.
    scale
        What it is divided by, so that it begins with 1.
    """

    name: str
    base: float | None = None
    p: float | None = None
    scale: float = 1.0

    def seen(self, many: int) -> np.ndarray:
        """Chance to look at place 1, 2, 3...

        >>> Chances("log", base=2).seen(4).round(4).tolist()
        [1.0, 0.5, 0.3869, 0.3333]
        """
        places = np.arange(1, many + 1)
        return np.asarray(discount_values(places, self.name, self.base, self.p) / self.scale)

    @property
    def endless(self) -> float:
        """Places looked at on average where there is no end; inf where the sum of the discount has none.

        >>> Chances("geometric", p=0.8).endless, Chances("log", base=2).endless
        (5.000000000000001, inf)
        """
        return (
            1.0 / (1.0 - float(self.p)) if self.name == "geometric" and self.p is not None and self.p < 1 else math.inf
        )


@dataclass(frozen=True)
class Searcher:
    """A searcher with the chances that a measure gives.

    Parameters
    ----------
    ranks
        Down a list.
    queries
        From query to query; None of a measure of queries.
    onward
        Whether ranks run on along the session's concatenated lists, each of as many places as the cutoff.
    """

    ranks: Chances
    queries: Chances | None = None
    onward: bool = False

    @property
    def endless(self) -> float:
        """Results looked at on average in endless lists, and of a measure of sessions after endless queries."""
        return self.ranks.endless * (1.0 if self.queries is None else self.queries.endless)

    def seen(self, positions: int, depth: int) -> np.ndarray:
        """Chance to look at each rank (columns) of each query (rows)."""
        of_queries = np.ones(positions) if self.queries is None else self.queries.seen(positions)
        if self.onward:
            return of_queries[:, None] * self.ranks.seen(positions * depth).reshape(positions, depth)
        return of_queries[:, None] * self.ranks.seen(depth)[None, :]


def searcher(measure: Measure) -> tuple[Searcher | None, str]:
    """The searcher that a measure's discounts describe, and that in words; None where they describe none, and why."""
    inner = measure.inner
    if isinstance(inner, RankBiasedPrecision):
        return Searcher(
            Chances("geometric", p=inner.p)
        ), f"goes on from each rank to the next with probability {inner.p:g}"
    if isinstance(inner, SessionRankBiasedPrecision):
        b, p = float(inner.b or 0), float(inner.p or 0)
        onward = (p - b * p) / (1 - b * p)
        return (
            Searcher(Chances("geometric", p=b * p), Chances("geometric", p=onward)),
            f"goes on from each result with probability {p:g}, of that to the next rank with share {b:g}, else to a new query",
        )
    if isinstance(inner, ExpectedMeasure):
        walk = Searcher(Chances("geometric", p=inner.pdown), Chances("geometric", p=inner.pref))
        return walk, f"goes down with probability {inner.pdown:g} and from list to list with {inner.pref:g}"
    if isinstance(inner, RecencyMeasure):
        return None, "its weights look back from the session's last query, so that they describe no searcher who stops"
    if isinstance(inner, CumulatedGain):
        return Searcher(Chances("none")), "looks at every rank alike, and never stops before the end"
    if not isinstance(inner, DiscountedMeasure):
        return None, "it has no discount by rank"
    ranks = _falling(inner.discount, inner.b, inner.p)
    if ranks is None:
        return (
            None,
            f"discount={inner.discount} with b={inner.b:g} rises with the rank somewhere, and nobody comes back",
        )
    said = f"sees rank 2 with chance {ranks.seen(2)[1]:.3g} and rank 10 with {ranks.seen(10)[9]:.3g} (discount={inner.discount})"
    if ranks.scale != 1:
        said += f", as shares of rank 1, whose discount is {ranks.scale:.3g}"
    queries = None
    if isinstance(inner, DiscountedSessionGain):
        queries = _falling(inner.query_discount, inner.bq, inner.pq)
        if queries is None:
            return None, f"query_discount={inner.query_discount} with bq={inner.bq:g} rises somewhere"
        said += f", and asks query 2 with chance {queries.seen(2)[1]:.3g} (query_discount={inner.query_discount})"
    onward = isinstance(inner, DiscountedSessionGain) and inner.rank_origin == "session"
    return Searcher(ranks, queries, onward), said


def clock(measure: Measure) -> str | None:
    """What a measure that discounts by time, or text read, says of how long its searcher goes on; None of others.

    >>> import sessionkit as sk
    >>> clock(sk.MEASURES["TBG"])
    'is gone after 224 s with chance 1/2, and stays 323.2 s on average (half life / ln 2)'
    """
    inner = measure.inner
    if isinstance(inner, SavingMeasure):
        half = float(inner.halflife)
        return f"is gone after {half:g} s with chance 1/2, and stays {half / math.log(2):.1f} s on average (half life / ln 2)"
    horizon = getattr(inner, "horizon", None)
    if horizon is None:
        return None
    timed = not isinstance(inner, TimedMeasure) or inner.parameters().get("seconds") is not None
    unit = "s" if timed else "words"
    return f"may stop anywhere before {horizon:g} {unit}, each place as likely, and reads {horizon / 2:g} {unit} on average"


def _falling(name: str, base: float | None, p: float | None) -> Chances | None:
    """A discount as chances, if it never rises."""
    until = max(3, math.ceil(base or 0) + 2) if name in ("rn2002", "jk2002") else 3
    values = discount_values(np.arange(1, min(until, 10_000) + 1), name, base, p)
    if (np.diff(values) > RISES).any():
        return None
    scale = float(values[0])
    return Chances(name, base, p, 1.0 if abs(scale - 1) < RISES else scale)
