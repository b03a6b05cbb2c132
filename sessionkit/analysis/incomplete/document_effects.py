"""By how much each unjudged document would move a mean, or the difference between two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from sessionkit.analysis.incomplete.moves_reduction import MovesReduction
from sessionkit.analysis.incomplete.totals import doubles
from sessionkit.scoring.measures.base import Measure
from sessionkit.study.judgment_index import PAIR


@dataclass(frozen=True, eq=False)
class DocumentEffects:
    """What documents move in the sessions of each group.

    Parameters
    ----------
    task
        What was asked.
    added
        What came of it.
    names
        Group that each name of a table stands for: None where it is unknown.
    """

    task: MovesReduction
    added: pl.DataFrame
    names: Mapping[str | None, str | None]
    _rows: dict[str | None, pl.DataFrame] = field(default_factory=dict, repr=False)

    def between(
        self, measure: Measure, sizes: Mapping[str | None, int], b: str | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Documents shown in groups of so many sessions, and what each moves of the difference, b less a (or of the mean of b)."""
        number = self.task.measures.index(measure)
        pairs = len(self.task.pool.pairs)
        moved = np.zeros(pairs + len(self.task.pool.keys))
        shown = np.zeros(pairs, dtype=bool)
        for group, size in sizes.items():
            rows = self._of(group)
            document = rows["document"].to_numpy()
            total = doubles(*(rows[f"{part} {number}"].to_numpy() for part in ("high", "low")))
            moved[document] += total / size * (1.0 if group == b else -1.0)
            shown[document[rows[f"sessions {number}"].to_numpy() > 0]] = True
        documents = np.flatnonzero(shown)
        of_key = self.task.pool.pairs["key"].to_numpy()[documents]
        return documents, moved[documents] + moved[pairs + of_key.astype(np.int64)]

    def most(
        self,
        measure: Measure,
        sizes: Mapping[str | None, int],
        documents: np.ndarray,
        move: np.ndarray,
        many: int,
    ) -> pl.DataFrame:
        """The documents that move most: ``place``, `PAIR`, ``sessions``, ``move``."""
        size = np.abs(move).round(12)
        some = np.flatnonzero(move != 0)
        if len(some) > many:
            least = np.partition(size[some], len(some) - many)[len(some) - many]
            some = some[size[some] >= least]  # with all that move as much as the last
        named = self.task.pool.named(documents[some]).with_columns(
            move=move[some], size=size[some], sessions=self._sessions(measure, sizes, documents[some])
        )
        ranked = named.sort("size", *PAIR, descending=[True, False, False]).head(many)
        return ranked.with_columns(place=pl.int_range(1, pl.len() + 1, dtype=pl.Int64))

    def _sessions(self, measure: Measure, sizes: Mapping[str | None, int], documents: np.ndarray) -> np.ndarray:
        """In how many sessions of some groups each of some documents moves something."""
        number = self.task.measures.index(measure)
        found = np.zeros(len(documents), dtype=np.int64)
        for group in sizes:
            rows = self._of(group)
            at = np.searchsorted(rows["document"].to_numpy(), documents).clip(max=max(0, len(rows) - 1))
            if len(rows):
                there = rows["document"].to_numpy()[at] == documents
                found += np.where(there, rows[f"sessions {number}"].to_numpy()[at], 0)
        return found

    def _of(self, group: str | None) -> pl.DataFrame:
        """The rows of a group, by document."""
        if group not in self._rows:
            self._rows[group] = self.task.of_group(self.added, self.names.get(group, group))
        return self._rows[group]
