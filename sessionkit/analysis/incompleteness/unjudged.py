"""A block in which what nobody judged has a number too, and the same block as it would be if all of it had one grade."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from sessionkit.analysis.incompleteness.pool import Pool, judgment_keys
from sessionkit.scoring.blocks import Block
from sessionkit.scoring.judged import Judged

WORST = -1.0
"""A grade that gains nothing under any measure."""


@dataclass(frozen=True, eq=False)
class Unjudged:
    """A block whose unjudged results are numbered like the judged ones.

    Parameters
    ----------
    block
        The block as it was.
    pool
        The keys of the study, and how many documents of each are unjudged.
    grade
        Grade of every pair, also of those that only this block numbers; null where it has none.
    judged
        The pairs with their numbers.
    results
        The block's results with the number of their pair (``judgment``); null only where there is no judgment_key.
    texts
        ``judgment``, ``judgment_key`` and ``doc_id`` of the unjudged pairs that this block shows.
    """

    block: Block
    pool: Pool
    grade: pl.Series
    judged: Judged
    results: pl.DataFrame
    texts: pl.DataFrame
    beside: dict[Any, Any] = field(default_factory=dict, repr=False)
    """What was laid out of it for a measure, and for whom else asks for the same."""
    _supposed: dict[float, Block] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, block: Block, pool: Pool) -> Unjudged:
        """Number what is unjudged in a block that was read with doc_id; made once for all tasks that look at it."""
        if not pool.last or pool.last[0][0] is not block:
            pool.last[:] = [(block, cls._made(block, pool))]
        made: Unjudged = pool.last[0][1]
        return made

    @classmethod
    def _made(cls, block: Block, pool: Pool) -> Unjudged:
        """Number what is unjudged."""
        keys = judgment_keys(block).gather(block.results["query"]).alias("judgment_key")
        rows = block.results.select(keys, "doc_id", "judgment").with_row_index("row")
        without = rows.filter(pl.col("judgment").is_null(), pl.col("judgment_key").is_not_null())
        distinct = without.select("judgment_key", "doc_id").unique(maintain_order=True)
        distinct = distinct.join(pool.keys, on="judgment_key", how="left", maintain_order="left")
        pairs = pool.numbered(distinct)
        before = len(pairs.pairs) - len(distinct)
        distinct = distinct.with_columns(judgment=pl.int_range(before, len(pairs.pairs), dtype=pl.UInt32, eager=True))
        found = without.drop("judgment").join(distinct, on=["judgment_key", "doc_id"], maintain_order="left")
        number = np.full(len(rows), -1, dtype=np.int64)
        known = rows["judgment"].is_not_null()
        number[known.to_numpy()] = rows["judgment"].drop_nulls().to_numpy()
        number[found["row"].to_numpy()] = found["judgment"].to_numpy()
        numbers = pl.Series("judgment", number)
        results = block.results.with_columns(pl.select(pl.when(numbers >= 0).then(numbers).cast(pl.UInt32)).to_series())
        nothing = pl.Series("grade", [None] * len(distinct), dtype=pl.Float64)
        grade = pl.concat([pool.judged.grade.cast(pl.Float64).alias("grade"), nothing])
        lifted = None if pool.judged.lifted is None else pl.concat([pool.judged.lifted.alias("grade"), nothing])
        judged = Judged(pairs, grade, pool.judged.whose, pool.judged.settings, lifted)
        pooled = rows.filter(known).filter(grade.is_null().gather(rows["judgment"].drop_nulls()))
        texts = pl.concat(
            [distinct.select("judgment", "judgment_key", "doc_id"), pooled.select("judgment", "judgment_key", "doc_id")]
        )
        return cls(block, pool, grade, judged, results, texts.unique("judgment"))

    @property
    def unknown(self) -> pl.Series:
        """Whether every pair has no grade, in the order of their numbers."""
        return self.grade.is_null()

    def supposing(self, grade: float) -> Block:
        """The block if every unjudged document of the study had this grade; made once for each grade."""
        if grade not in self._supposed:
            keys = self.pool.keys["key"]
            judged = np.zeros(len(keys), dtype=bool)
            judged[: len(self.pool.judged.keys)] = self.pool.judged.keys.to_numpy()
            lifted = None if self.judged.lifted is None else self.judged.lifted.fill_null(grade)
            all_judged = replace(self.judged, grade=self.grade.fill_null(grade), lifted=lifted)
            all_judged._gains["keys"] = pl.Series("key", judged | (self.pool.unjudged > 0))
            self._supposed[grade] = self._under(all_judged)
        return self._supposed[grade]

    def _under(self, judged: Judged) -> Block:
        """The block under these judgments, whose keys are those of the pool."""

        def numbers(texts: pl.Series) -> pl.Series:
            key = self.judged.pairs.key_of(texts)
            if not len(judged.keys):
                return pl.Series("key", [None] * len(key), dtype=pl.UInt32)
            return pl.select(pl.when(judged.keys.gather(key)).then(key)).to_series().alias("key")

        own = numbers(self.block.features["judgment_key"])
        return replace(
            self.block,
            judged=judged,
            sessions=self.block.sessions.with_columns(own),
            queries=self.block.queries.with_columns(numbers(judgment_keys(self.block))),
            results=self.results,
            _own_grades=[],
        )
