"""By how much each unjudged document would move the mean of every group, if it alone turned out to gain the most."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from sessionkit.analysis.incomplete.moves import Moves, moves
from sessionkit.analysis.incomplete.text_numbers import Numbering
from sessionkit.analysis.incomplete.totals import carried, distinct, limbs
from sessionkit.analysis.incomplete.unjudged_documents import Unjudged
from sessionkit.analysis.incomplete.unjudged_reduction import OverUnjudged
from sessionkit.scoring.batch import SessionBatch
from sessionkit.study.row_index import where

GROUP = 2**32
"""What the number of a group is multiplied by in a slot."""
NO_GROUP = 2**30
"""The number of the group of sessions whose group is unknown."""


@dataclass(frozen=True, eq=False)
class MovesReduction(OverUnjudged):
    """Sums of moves over the sessions of each group, by measures for which moves can be said.

    A part has a row for every group and unjudged document that its sessions show: ``slot`` (the numbers of both as one),
    and of every measure, by its place, ``high n`` and ``low n``, the sum of the moves (see
    `sessionkit.analysis.incomplete.totals`), and ``sessions n``, in how many sessions they are. A number behind those
    of the documents stands for any document of a key.
    """

    groups: Numbering = field(default_factory=Numbering)

    def part(self, batch: SessionBatch) -> pl.DataFrame:
        """Sums over the batch's sessions."""
        unjudged = Unjudged.of(batch, self.pool)
        chosen = self.grouping.sessions(batch)
        code = self.groups.of(chosen["group"]).fill_null(NO_GROUP).cast(pl.Int64)
        group = code.gather(where(chosen["session"], len(batch.sessions))).fill_null(-1).to_numpy()
        found = [moves(unjudged, measure, self.top) for measure in self.measures]
        pairs, open_ = len(self.pool.pairs), self.pool.unjudged > 0
        shown = {id(of.rows): of.rows for of in found}
        own = {name: distinct(group[rows.number("session")] * GROUP + rows.pair) for name, rows in shown.items()}
        any_ = []
        for of in found:
            session = of.unit if of.by == "session" else batch.queries["session"].to_numpy()[of.unit]
            any_.append(np.where(open_[of.key], group[session] * GROUP + pairs + of.key, -1))
        slots, place = distinct(np.concatenate([*(some for some, _ in own.values()), *any_]))
        place_of = dict(zip(own, np.split(place, np.cumsum([len(some) for some, _ in own.values()])), strict=False))
        rest, columns = place[sum(len(some) for some, _ in own.values()) :], {"slot": pl.Series(slots)}
        for number, of in enumerate(found):
            of_row = place_of[id(of.rows)][own[id(of.rows)][1]]
            here, rest = rest[: len(of.any)], rest[len(of.any) :]
            at = np.concatenate([of_row[of.row], here])
            high, low = limbs(at, np.concatenate([of.move, of.any]), len(slots))
            columns |= {f"high {number}": pl.Series(high), f"low {number}": pl.Series(low)}
            columns[f"sessions {number}"] = pl.Series(_sessions(of, of_row, len(slots)))
        return pl.DataFrame(columns).filter(pl.col("slot") >= 0)

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one."""
        if len(parts) == 1:
            return parts[0]
        added = pl.concat(parts).group_by("slot").agg(pl.all().sum()).sort("slot")
        for number in range(len(self.measures)):
            names = f"high {number}", f"low {number}"
            pair = carried(*(added[name].to_numpy() for name in names))
            added = added.with_columns(map(pl.Series, names, pair))
        return added

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """The same as a part, of all sessions, in the order of the slots."""
        return self.added([*parts])

    def of_group(self, added: pl.DataFrame, group: str | None) -> pl.DataFrame:
        """The rows of a group, with ``document``, its number, in place of the slot."""
        codes = self.groups.of(pl.Series([group], dtype=pl.String)).fill_null(NO_GROUP)
        first = int(codes[0]) * GROUP
        begin, end = np.searchsorted(added["slot"].to_numpy(), [first, first + GROUP])
        rows = added.slice(int(begin), int(end - begin))
        return rows.select(pl.exclude("slot"), document=pl.col("slot") - first)


def _sessions(of: Moves, slot: np.ndarray, many: int) -> np.ndarray:
    """In how many sessions the documents of each slot move something."""
    number, first = of.rows.documents
    there = np.zeros(len(first), dtype=bool)
    there[number[of.row]] = True
    return np.bincount(slot[first[there]], minlength=many)
