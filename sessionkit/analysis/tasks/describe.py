"""Result lists and judged results by system as a task: counts of blocks, which add up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from sessionkit.scoring.blocks import Block
from sessionkit.scoring.judging import judged_shown, results_shown
from sessionkit.scoring.selection import Selection

COUNTS = ("queries", "repeats", "results", "judged")
KEYS = ["system_id", "results_status", "length"]
PART = pl.Schema(
    {"system_id": pl.String(), "results_status": pl.String(), "length": pl.Int64(), **dict.fromkeys(COUNTS, pl.Int64())}
)
"""A row for each kind of list of a system with its ``queries``; one without a length for what sessions have."""
SPREAD = 0x9E3779B97F4A7C15
"""An odd number by which the numbers of sessions are spread over 64 bits."""


@dataclass(frozen=True, eq=False)
class ListsTask:
    """Count the lists of every system by their status and length, its results, and those that are judged or repeat one."""

    slots = 0
    columns_made = 1

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every block is made of."""
        return {"sessions": ["system_id"], "results": ["doc_id"]}

    def part(self, block: Block) -> pl.DataFrame:
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


def _repeats(block: Block) -> pl.Series:
    """Results of every session whose document it had seen before."""
    rows = block.results.select("doc_id", session=block.queries["session"].gather(block.results["query"]))
    mixed = rows.select(pl.col("doc_id").hash() ^ (pl.col("session").cast(pl.UInt64) * SPREAD)).to_series()
    # rows of one session with one document have one value here; the few others with one value are told apart exactly
    ordered = mixed.sort()
    several = ordered.filter(ordered == ordered.shift(1)).unique()
    alike = rows.filter(mixed.is_in(several.implode()))
    counted = alike.group_by("session").agg(repeats=pl.len() - pl.col("doc_id").n_unique())
    every = block.sessions.select("session").join(counted, on="session", how="left", maintain_order="left")
    return every["repeats"].fill_null(0)
