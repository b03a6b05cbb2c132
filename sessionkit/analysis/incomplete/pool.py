"""Which documents of every key nobody judged, over the whole study: they can raise the ideal of any of its sessions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from sessionkit.analysis.incomplete.pool_reduction import KEY, BatchRoom, PoolTexts, unjudged_pairs
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.graded_pairs import GradedPairs
from sessionkit.study.judgment_index import JudgmentIndex
from sessionkit.study.lookup import Lookup


@dataclass(frozen=True, eq=False)
class Pool:
    """The keys and pairs of a study, numbered, also those without judgments.

    Parameters
    ----------
    judged
        The judgments.
    keys
        ``judgment_key`` and ``key``, its number: those of the judgments first, under the numbers that they have there.
    unjudged
        By key: documents that are pooled but unjudged, or shown in some session and in no judgments.
    texts
        Where texts have their numbers.
    pairs
        ``key`` and ``judgment`` of every pair: those of the judgments, then what is in none.
    shown
        ``pair`` (numbers of texts), ``judgment`` (in `pairs`) of what is unjudged and shown, in the order of ``pair``.
    kept
        Batches that were kept when it was made.
    """

    judged: GradedPairs
    keys: pl.DataFrame
    unjudged: np.ndarray
    texts: PoolTexts
    pairs: pl.DataFrame
    shown: pl.DataFrame
    kept: BatchRoom
    last: list[tuple[SessionBatch, Any]] = field(default_factory=list, repr=False)
    """The batch that was looked at last, and what was made of it: several tasks look at each."""
    _supposed: dict[float, GradedPairs] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, judged: GradedPairs, shown: pl.DataFrame, texts: PoolTexts, kept: BatchRoom) -> Pool:
        """Make the pool of the judgments and of what `PoolTask` found."""
        known = judged.pairs.keys.select("judgment_key", pl.col("key").cast(pl.UInt32)).sort("key")
        of_key = shown["pair"].to_numpy() // KEY
        codes = np.flatnonzero(np.bincount(of_key.astype(np.int64)))
        met = pl.DataFrame({"code": codes, "judgment_key": texts.keys.texts(pl.Series(codes))})
        more = met.select("judgment_key").join(known, on="judgment_key", how="anti").sort("judgment_key")
        new = pl.int_range(len(known), len(known) + len(more), dtype=pl.UInt32, eager=True)
        keys = pl.concat([known, more.with_columns(new.alias("key"))])
        key_of_code = np.zeros(int(codes.max(initial=0)) + 1, dtype=np.uint32)
        key_of_code[codes] = met.join(keys, on="judgment_key", how="left", maintain_order="left")["key"].to_numpy()
        key = key_of_code[of_key.astype(np.int64)]
        pairs = judged.pairs.pairs.select(pl.col("key", "judgment").cast(pl.UInt32))
        without = shown["judgment"].is_null().to_numpy()
        number = np.where(without, len(pairs) - 1 + without.cumsum(), shown["judgment"].fill_null(0).to_numpy())
        number = number.astype(np.uint32)
        pairs = pl.concat([pairs, pl.DataFrame({"key": key[without], "judgment": number[without]})])
        pooled = judged.pairs.pairs.filter(judged.grade.is_null())["key"].to_numpy()
        many = np.bincount(pooled, minlength=len(keys)) + np.bincount(key[without], minlength=len(keys))
        placed = shown.with_columns(judgment=number)
        return cls(judged, keys, many.astype(np.int64), texts, pairs, placed, kept)

    @property
    def whole(self) -> bool:
        """Whether nothing is unjudged."""
        return not self.unjudged.any()

    @cached_property
    def grade(self) -> pl.Series:
        """Grade of every pair; null where it has none."""
        return self._without(self.judged.grade.cast(pl.Float64).alias("grade"))

    @cached_property
    def lifted(self) -> pl.Series | None:
        """The same for ``gain=lifted``, where that differs."""
        return None if self.judged.lifted is None else self._without(self.judged.lifted.alias("grade"))

    @cached_property
    def known(self) -> GradedPairs:
        """All pairs with the grades that they have."""
        pairs = JudgmentIndex(self.keys, None, self.pairs)
        return GradedPairs(pairs, self.grade, self.judged.whose, self.judged.settings, self.lifted)

    @cached_property
    def new_keys(self) -> bool:
        """Whether something is unjudged for a key for which nothing is judged."""
        judged = np.zeros(len(self.keys), dtype=bool)
        judged[: len(self.judged.keys)] = self.judged.keys.to_numpy()
        return bool((~judged & (self.unjudged > 0)).any())

    def supposing(self, grade: float) -> GradedPairs:
        """The judgments if every unjudged document of the study had this grade; made once for each grade."""
        if grade not in self._supposed:
            judged = np.zeros(len(self.keys), dtype=bool)
            judged[: len(self.judged.keys)] = self.judged.keys.to_numpy()
            lifted = None if self.lifted is None else self.lifted.fill_null(grade)
            made = replace(self.known, grade=self.grade.fill_null(grade), lifted=lifted)
            made._gains["keys"] = pl.Series("key", judged | (self.unjudged > 0))
            self._supposed[grade] = made
        return self._supposed[grade]

    def numbered(self, batch: SessionBatch) -> pl.Series:
        """The number of the pair of every result of a batch; null only where there is no judgment_key."""
        held = self.kept.of(batch)
        numbers = self.shown["judgment"]
        if held is None:
            rows = unjudged_pairs(batch, self.texts)
            at, number = rows["row"].to_numpy(), numbers.gather(self._places.rows(rows["pair"])).to_numpy()
        else:
            of_pairs = numbers.to_numpy()[np.searchsorted(self.shown["pair"].to_numpy(), held.pairs)]
            at, number = held.row, of_pairs[held.place]
        made = batch.results["judgment"].cast(pl.Float64).to_numpy(writable=True)  # NaN where it has none
        made[at] = number
        return pl.Series("judgment", made, nan_to_null=True).cast(pl.UInt32)

    def named(self, judgment: np.ndarray) -> pl.DataFrame:
        """``judgment_key`` and ``doc_id`` of some unjudged pairs that are shown, by their numbers."""
        place = np.zeros(len(self.pairs), dtype=np.int64)
        place[self.shown["judgment"].to_numpy()] = np.arange(len(self.shown))
        document = self.shown["pair"].gather(place[judgment]) % KEY
        key = self.pairs["key"].gather(judgment)
        return pl.DataFrame(
            [
                self.keys["judgment_key"].gather(key),
                self.texts.documents.texts(document).alias("doc_id"),
            ]
        )

    @cached_property
    def _places(self) -> Lookup:
        """Rows of `shown` by pair."""
        return Lookup.of(self.shown["pair"])

    def _without(self, grade: pl.Series) -> pl.Series:
        """Grades of the judged pairs, and of the others none."""
        nothing = pl.Series("grade", [], dtype=grade.dtype).extend_constant(None, len(self.pairs) - len(grade))
        return pl.concat([grade, nothing])
