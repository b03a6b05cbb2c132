"""Gain measures with discounts: by the rank of a result and, of a session, by the position of its query."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import polars as pl

from sessionkit.errors import MeasureError
from sessionkit.scoring.discounts import discount_expr
from sessionkit.scoring.measures.base import GainMeasure
from sessionkit.scoring.measures.parameters import PARAMETERS
from sessionkit.scoring.searcher import Searcher, falling


@dataclass(frozen=True, repr=False, kw_only=True)
class RankDiscount:
    """The parameters of a discount by rank, beside the kind of measure that has one."""

    name: ClassVar[str]

    discount: str = "burges"
    b: float = 2
    p: float | None = None

    def require_persistence(self) -> None:
        """Refuse a geometric discount without its persistence."""
        if self.discount == "geometric" and self.p is None:
            msg = f"{self.name}: discount=geometric needs p, {PARAMETERS['p'].allowed}"
            raise MeasureError(msg)

    def require_falling_discount(self, ranks: str = "ranks", best: str = "best list") -> None:
        """Refuse to normalise by a discount that rises somewhere, since the sorted list is then not the best."""
        if self.discount == "rn2002" and self.b > 2:
            msg = (
                f"{self.name}: discount=rn2002 with b={self.b} boosts the {ranks} 2 to b-1, so the {best} is not the "
                "ideal; use discount=jk2002, or b=2 or less"
            )
            raise MeasureError(msg)


@dataclass(frozen=True, repr=False, kw_only=True)
class DiscountedMeasure(RankDiscount, GainMeasure):
    """A gain measure of a query with a rank discount."""

    level = "query"

    def __post_init__(self) -> None:
        """Check that a geometric discount has its persistence and that a normalised measure has a falling discount."""
        super().__post_init__()
        self.require_persistence()
        if self.normalized:
            self.require_falling_discount()

    def discount_forms(self) -> tuple[str, str]:
        """By rank alone."""
        return self.discount, ""

    def searcher(self) -> tuple[Searcher | None, str]:
        """One who may stop at every rank, if the discount never rises."""
        return _searcher_by_rank(self)

    def rank_discount(self) -> pl.Expr:
        """Discount by rank within the query."""
        return discount_expr(pl.col("rank"), self.discount, self.b, self.p)


@dataclass(frozen=True, repr=False, kw_only=True)
class DiscountedSessionGain(RankDiscount, GainMeasure):
    """A gain measure of a whole session, with discounts by rank and by query position."""

    level = "session"

    discount: str = "log"
    query_discount: str = "log"
    bq: float = 4
    pq: float | None = None
    rank_origin: str = "query"
    slots: str | int = "pad"

    def __post_init__(self) -> None:
        """Check what the query discount and the concatenation need."""
        super().__post_init__()
        self.require_persistence()
        if self.normalized:
            self.require_falling_discount()
        if self.query_discount == "geometric" and self.pq is None:
            msg = f"{self.name}: query_discount=geometric needs pq, {PARAMETERS['pq'].allowed}"
            raise MeasureError(msg)

    @property
    def ranks_along_session(self) -> bool:
        """With ``rank_origin=session``."""
        return self.rank_origin == "session"

    @property
    def list_slots(self) -> str | int:
        """As ``slots`` says."""
        return self.slots

    def discount_forms(self) -> tuple[str, str]:
        """By rank and by query position."""
        return self.discount, self.query_discount

    def searcher(self) -> tuple[Searcher | None, str]:
        """One who may also stop after every query."""
        found, words = _searcher_by_rank(self)
        if found is None:
            return found, words
        queries = falling(self.query_discount, self.bq, self.pq)
        if queries is None:
            return None, f"query_discount={self.query_discount} with bq={self.bq:g} rises somewhere"
        words += f", and asks query 2 with chance {queries.seen(2)[1]:.3g} (query_discount={self.query_discount})"
        return replace(found, queries=queries, onward=self.ranks_along_session), words

    def rank_discount(self) -> pl.Expr:
        """Discount by rank within the query or, with ``rank_origin=session``, along the concatenated lists."""
        place = pl.col("rank") + pl.col("offset") if self.rank_origin == "session" else pl.col("rank")
        return discount_expr(place, self.discount, self.b, self.p)

    def query_discount_factor(self) -> pl.Expr:
        """Discount by query position."""
        return discount_expr(pl.col("query_position"), self.query_discount, self.bq, self.pq)


def _searcher_by_rank(measure: RankDiscount) -> tuple[Searcher | None, str]:
    """One who may stop at every rank, if the discount never rises."""
    ranks = falling(measure.discount, measure.b, measure.p)
    if ranks is None:
        why = f"discount={measure.discount} with b={measure.b:g} rises with the rank somewhere, and nobody comes back"
        return None, why
    words = f"sees rank 2 with chance {ranks.seen(2)[1]:.3g} and rank 10 with {ranks.seen(10)[9]:.3g} (discount={measure.discount})"
    if ranks.scale != 1:
        words += f", as shares of rank 1, whose discount is {ranks.scale:.3g}"
    return Searcher(ranks), words
