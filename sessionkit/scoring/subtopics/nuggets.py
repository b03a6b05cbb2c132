"""The nuggets of a session: how often each is expected to be read, what that gains and costs, and the best there could be.

The best that a session of the same shape can gain is bounded from two sides: no passage gains more than its nugget for
the first time, at the best place left for its document; and no nugget is read more often than if all its documents stood at
the best places. The first is met where no two passages have a nugget in common.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import polars as pl

from sessionkit.scoring import exact
from sessionkit.scoring.gains import gain_expr
from sessionkit.scoring.per_session import per_session, with_session

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists

NONE = {**dict.fromkeys(("key", "judgment", "nugget"), pl.UInt32), "rating": pl.Float64, "times": pl.Float64}


@dataclass(frozen=True, eq=False)
class Nuggets:
    """The nuggets of the sessions of a batch; sums are at the fixed scale, for every session in order.

    Parameters
    ----------
    lists
        The result lists, in which a document gains once in a session.
    gain, min_grade
        Whether ratings of 0 are lifted to 1; lowest rating that counts.
    p, gamma, cost
        Chance to read on; what each further time leaves of a nugget; cost of a word.
    """

    lists: Lists
    gain: str
    min_grade: float
    p: float
    gamma: float
    cost: float

    @cached_property
    def rated(self) -> pl.DataFrame:
        """The nuggets that count: ``key``, ``judgment``, ``nugget``, ``rating``, ``times``."""
        subtopics = self.lists.judged.subtopics(self.gain)
        known = pl.DataFrame(schema=NONE) if subtopics is None else subtopics.nuggets
        known = known.with_columns(rating=gain_expr(pl.col("rating"), self.gain))
        return known.filter(pl.col("rating") >= self.min_grade, pl.col("rating") > 0)

    @cached_property
    def rows(self) -> pl.DataFrame:
        """The results shown, with their ``session`` and the chance that they are ``read``."""
        read = pl.lit(float(self.p)).pow(pl.col("rank") - 1)
        return with_session(self.lists, self.lists.every).with_columns(read=read)

    @cached_property
    def keys(self) -> pl.DataFrame:
        """The recall bases of every session: ``session``, ``key``."""
        return self.lists.queries.filter(pl.col("key").is_not_null()).select("session", "key").unique()

    @cached_property
    def known(self) -> pl.Series:
        """How many nuggets there are for every session."""
        many = self.rated.group_by("key").agg(many=pl.col("nugget").n_unique().cast(pl.Int64))
        return per_session(self.lists, self.keys.join(many, on="key"), pl.col("many").sum()).fill_null(0)

    @cached_property
    def gained(self) -> pl.Series:
        """What is expected to be gained."""
        shown = self.rows.filter(pl.col("first"), pl.col("judgment").is_not_null())
        parts = shown.join(self.rated.drop("key"), on="judgment")
        times = parts.group_by("session", "nugget", "rating").agg(expected=exact.fixed(_often()).sum())
        return self._sum(times, self._worth(exact.unfixed(pl.col("expected"))))

    @cached_property
    def spent(self) -> pl.Series:
        """What reading is expected to cost."""
        return self._sum(self._lengths, self._price(pl.col("words")))

    @cached_property
    def costs(self) -> tuple[pl.Series, pl.Series]:
        """The least and the most that reading the same lengths can cost: the longest read least, and most."""
        by_chance = self._lengths.sort("session", "read", descending=[False, True])
        short = self._lengths.sort("session", "words").get_column("words")
        long = self._lengths.sort("session", "words", descending=[False, True]).get_column("words")
        least, most = (self._sum(by_chance, self._price(pl.lit(words))) for words in (short, long))
        return least, most

    @cached_property
    def most_gained(self) -> pl.Series:
        """The bound of what could be expected to be gained."""
        nth = pl.int_range(1, pl.len() + 1).over("session")
        slots = self.rows.select("session", "read").sort("session", "read", descending=[False, True])
        slots = slots.with_columns(nth=nth)
        worth = self.rated.group_by("key", "judgment").agg(
            exact.fixed(pl.col("rating") * pl.col("times")).sum().alias("worth")
        )
        documents = self.keys.join(worth, on="key").sort(
            "session", "worth", "judgment", descending=[False, True, False]
        )
        placed = documents.with_columns(nth=nth).join(slots, on=["session", "nth"])
        parts = placed.select("session", "judgment", "read").join(self.rated.drop("key"), on="judgment")
        bound = self._sum(parts, pl.col("times") * self._worth(pl.col("read")))
        rated = self.rated.sort("nugget", "times", "judgment", descending=[False, True, False])
        copies = rated.with_columns(nth=pl.int_range(1, pl.len() + 1).over("nugget"))
        if not len(copies) or copies.select(pl.max_horizontal(pl.col("nth", "times").max())).item() == 1:
            return bound
        each = self.keys.join(copies, on="key").join(slots, on=["session", "nth"])
        each = each.group_by("session", "nugget", "rating").agg(expected=exact.fixed(_often()).sum())
        other = self._sum(each, self._worth(exact.unfixed(pl.col("expected"))))
        return pl.select(pl.min_horizontal(bound, other)).to_series()

    @cached_property
    def _lengths(self) -> pl.DataFrame:
        """The results shown with their chance to be ``read`` and ``words``, 0 where they are not known."""
        known = pl.col("words") if "words" in self.rows.columns else pl.lit(None)
        return self.rows.select("session", "read", words=known.cast(pl.Float64).fill_null(0.0))

    def _worth(self, times: pl.Expr) -> pl.Expr:
        """What a nugget gains that is expected so many times."""
        learnt = exact.quotient(1.0 - pl.lit(float(self.gamma)).pow(times), pl.lit(1.0 - self.gamma))
        return pl.col("rating") * learnt

    def _price(self, words: pl.Expr) -> pl.Expr:
        """What a document of such a length is expected to cost."""
        return pl.col("read") * words * float(self.cost)

    def _sum(self, rows: pl.DataFrame, value: pl.Expr) -> pl.Series:
        """Exact sum of every session, 0 where it has nothing to add."""
        none = pl.lit(0, pl.Int128)
        added = per_session(self.lists, rows.with_columns(added=exact.fixed(value)), pl.col("added").sum())
        return pl.select(pl.coalesce(added, none)).to_series()


def _often() -> pl.Expr:
    """How often a document is expected to make its nugget read: once for each of its passages that say it."""
    return pl.col("read") * pl.col("times")
