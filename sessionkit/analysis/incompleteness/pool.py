"""Which documents of every key nobody judged, over the whole study: they can raise the ideal of any of its sessions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from sessionkit.analysis.groups import Grouping
from sessionkit.scoring.blocks import Block
from sessionkit.scoring.judged import Judged
from sessionkit.study.pairs import PAIR, Pairs

SHOWN = pl.Schema(dict.fromkeys(PAIR, pl.String()))


def judgment_keys(block: Block) -> pl.Series:
    """The judgment_key of every query of a block: its own, else its session's."""
    inherited = block.features["judgment_key"].gather(block.queries["session"])
    if not block.own_keys:
        return inherited
    return block.queries.select(pl.coalesce("judgment_key", pl.Series("inherited", inherited))).to_series()


@dataclass(frozen=True, eq=False)
class PoolTask:
    """The documents shown that are in no judgments: a row per judgment_key and document.

    Parameters
    ----------
    grouping
        The sessions that are looked at; it reads what these need, though all sessions count.
    """

    grouping: Grouping

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every block is made of."""
        return {"results": ["doc_id"]}

    @property
    def slots(self) -> int:
        """A query makes no rows."""
        return 0

    @property
    def columns_made(self) -> int:
        """Texts of two columns."""
        return 4

    def part(self, block: Block) -> pl.DataFrame:
        """The block's."""
        rows = block.results.filter(pl.col("judgment").is_null())
        keys = judgment_keys(block).gather(rows["query"]).alias("judgment_key")
        return rows.select(keys, "doc_id").drop_nulls().unique()

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one."""
        return pl.concat([SHOWN.to_frame(), *parts]).unique()

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """In order."""
        return self.added([*parts]).sort(PAIR)


@dataclass(frozen=True, eq=False)
class Pool:
    """The keys of a study, numbered, also those without judgments, and how many documents of each are unjudged.

    Parameters
    ----------
    judged
        The judgments.
    keys
        ``judgment_key`` and ``key``, its number: those of the judgments first, under the numbers that they have there.
    unjudged
        By key: documents that are pooled but unjudged, or shown in some session and in no judgments.
    """

    judged: Judged
    keys: pl.DataFrame
    unjudged: np.ndarray
    last: list[tuple[Block, Any]] = field(default_factory=list, repr=False)
    """The block that was looked at last, and what was made of it: several tasks look at each."""

    @classmethod
    def of(cls, judged: Judged, shown: pl.DataFrame) -> Pool:
        """Make the pool of the judgments and of what `PoolTask` found."""
        known = judged.pairs.keys.select("judgment_key", pl.col("key").cast(pl.UInt32)).sort("key")
        more = shown.select("judgment_key").unique().join(known, on="judgment_key", how="anti").sort("judgment_key")
        numbers = pl.int_range(len(known), len(known) + len(more), dtype=pl.UInt32, eager=True)
        keys = pl.concat([known, more.with_columns(numbers.alias("key"))])
        pooled = judged.pairs.pairs.filter(judged.grade.is_null())["key"].to_numpy()
        of_shown = shown.join(keys, on="judgment_key")["key"].to_numpy()
        many = np.bincount(pooled, minlength=len(keys)) + np.bincount(of_shown, minlength=len(keys))
        return cls(judged, keys, many.astype(np.int64))

    @property
    def whole(self) -> bool:
        """Whether nothing is unjudged."""
        return not self.unjudged.any()

    def numbered(self, more: pl.DataFrame) -> Pairs:
        """The judged pairs and, under the numbers that follow, those of some more documents (``key``)."""
        pairs = self.judged.pairs.pairs.select(pl.col("key", "judgment").cast(pl.UInt32))
        number = pl.int_range(len(pairs), len(pairs) + len(more), dtype=pl.UInt32, eager=True).alias("judgment")
        both = pl.concat([pairs, more.select(pl.col("key").cast(pl.UInt32), number)])
        return Pairs(self.keys, None, both)
