"""Result lists and judged results by system as a task: counts of blocks, which add up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.results_filter import judged_shown, results_shown
from sessionkit.scoring.selection import Selection

COUNTS = ("queries", "repeats", "results", "judged")
KEYS = ["system_id", "results_status", "length"]
PART = pl.Schema(
    {"system_id": pl.String(), "results_status": pl.String(), "length": pl.Int64(), **dict.fromkeys(COUNTS, pl.Int64())}
)
"""A row for each kind of list of a system with its ``queries``; one without a length for what sessions have."""


@dataclass(frozen=True, eq=False)
class ListsReduction:
    """Count the lists of every system by their status and length, its results, and those that are judged or repeat one."""

    slots = 0
    columns_made = 1

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every block is made of."""
        return {"sessions": ["system_id"], "results": ["doc_id"]}

    def part(self, block: SessionBatch) -> pl.DataFrame:
        """The counts of a block."""
        system = block.features["system_id"]
        lists = block.queries.select("results_status", "length", system_id=system.gather(block.queries["session"]))
        of_lists = lists.group_by(KEYS).agg(queries=pl.len())
        sessions = pl.DataFrame(
            {
                "system_id": system,
                "repeats": _repeats(block),
                "results": results_shown(block, Selection(), "session"),
                "judged": judged_shown(block, Selection(), "session"),
            }
        )
        of_systems = sessions.group_by("system_id").agg(pl.col(COUNTS[1:]).sum())
        both = pl.concat([of_lists, of_systems], how="diagonal_relaxed")
        return both.select(PART.names()).cast(dict(PART))  # type: ignore[arg-type]

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one."""
        return pl.concat([PART.to_frame(), *parts]).group_by(KEYS).agg(pl.col(COUNTS).sum())

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """The counts of all sessions, in order."""
        return self.added([*parts]).sort(KEYS)


def _repeats(block: SessionBatch) -> pl.Series:
    """Results of every session whose document it had seen before."""
    document, sessions = block.results["doc_id"], len(block.sessions)
    session = block.queries["session"].gather(block.results["query"]).to_numpy().astype(np.uint64)
    # session, some bits of the document and row in one number: sorted, results of one document stand side by side
    bits = np.uint64(len(document).bit_length())
    spare = np.uint64(sessions.bit_length()) + bits
    number = ((session << (64 - spare)) | (document.hash().to_numpy() >> spare)) << bits
    number |= np.arange(len(document), dtype=np.uint64)
    number.sort()
    alike = np.flatnonzero((number[1:] >> bits) == (number[:-1] >> bits))
    row = number & ((np.uint64(1) << bits) - np.uint64(1))
    same = (document.gather(row[alike]) == document.gather(row[alike + 1])).to_numpy()
    within = session[row[alike]].astype(np.int64)
    found = np.bincount(within[same], minlength=sessions)
    if not same.all():  # other documents have the same bits, and may stand between two of one
        mixed = np.unique(within[~same])
        rows = pl.DataFrame([document, pl.Series("session", session)]).filter(np.isin(session, mixed))
        counted = rows.group_by("session").agg(many=pl.len() - pl.col("doc_id").n_unique())
        found[counted["session"].to_numpy()] = counted["many"].to_numpy()
    return pl.Series(found)
