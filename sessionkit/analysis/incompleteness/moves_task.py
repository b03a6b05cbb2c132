"""By how much each unjudged document would move the mean of every group, if it alone turned out to gain the most."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from sessionkit.analysis.incompleteness.moves import moves
from sessionkit.analysis.incompleteness.over_unjudged import OverUnjudged
from sessionkit.analysis.incompleteness.unjudged import Unjudged
from sessionkit.scoring import fixed
from sessionkit.scoring.blocks import Block
from sessionkit.study.pairs import PAIR

BY = ["group", "measure", *PAIR]
MOVES = pl.Schema({**dict.fromkeys(BY, pl.String()), "total": pl.Decimal(38, 0), "sessions": pl.Int64()})
"""A part: sums over sessions of what each document would move; without doc_id, any document of the key."""


@dataclass(frozen=True, eq=False)
class MovesTask(OverUnjudged):
    """Sums of moves over the sessions of each group, by measures for which moves can be said."""

    @property
    def columns_made(self) -> int:
        """Texts and sums."""
        return 8 + 2 * len(self.measures)

    def part(self, block: Block) -> pl.DataFrame:
        """Sums over the block's sessions."""
        unjudged = Unjudged.of(block, self.pool)
        chosen = self.grouping.sessions(block)
        keys = self.pool.keys
        unjudged_keys = keys.filter(pl.lit(pl.Series(self.pool.unjudged > 0)))["key"]
        every = []
        for measure in self.measures:
            found = moves(unjudged, measure, self.top).filter(pl.col("key").is_in(unjudged_keys.implode()))
            found = found.join(chosen, on="session", how="inner")
            added = found.group_by("group", "key", "judgment").agg(
                total=fixed.fixed(pl.col("move")).sum().cast(pl.Decimal(38, 0)),
                sessions=pl.col("session").n_unique().cast(pl.Int64),
            )
            texts = added.join(keys, on="key", how="left").join(
                unjudged.texts.select("judgment", "doc_id"), on="judgment", how="left"
            )
            every.append(texts.with_columns(measure=pl.lit(str(measure))).select(MOVES.names()))
        return pl.concat([MOVES.to_frame(), *every])

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one."""
        together = pl.concat([MOVES.to_frame(), *parts]).with_columns(pl.col("total").cast(pl.Int128))
        once = together.group_by(BY).agg(pl.col("total", "sessions").sum())
        return once.select(MOVES.names()).cast(dict(MOVES))  # type: ignore[arg-type]

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """The same as a part, of all sessions."""
        return self.added([*parts])
