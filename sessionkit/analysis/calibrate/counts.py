"""Counts of how far people looked: where lists and sessions stopped or ended, by unit, and what was looked at.

A *stop* is the searcher's doing; an *end* is not: the list had no more results, the log shows that the session went on,
or the place lies at a limit. Of an end only that the searcher came so far is known (it is censored).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

Numbers = np.ndarray[Any, np.dtype[np.float64]]
PLACES = {"unit": pl.UInt64, "query_position": pl.Int64, "rank": pl.Int64, "ended": pl.Boolean, "many": pl.Int64}
"""Columns of `Counted.lists`: lists that were looked at down to a rank; of `Counted.sessions` with the rank left out."""


@dataclass(frozen=True)
class Stops:
    """How many stopped and how many ended at each place, of every draw (one row, or one per draw).

    Parameters
    ----------
    ranks, positions
        Deepest rank of lists and their query position, one entry per cell.
    list_stops, list_ends
        Lists of each cell that were left there, and that ended there; (draws, cells).
    lasts
        Last query position of sessions, one entry per cell.
    session_stops, session_ends
        Sessions of each such cell, in the same way.
    """

    ranks: Numbers
    positions: Numbers
    list_stops: Numbers
    list_ends: Numbers
    lasts: Numbers
    session_stops: Numbers
    session_ends: Numbers


@dataclass(frozen=True, eq=False)
class LookCounts:
    """What was observed.

    Parameters
    ----------
    lists
        ``unit``, ``query_position``, ``rank`` (how deep the list was looked at), ``ended``, ``many``.
    sessions
        ``unit``, ``query_position`` (of the last query), ``ended``, ``many``.
    clicks
        ``unit``, ``query_position``, ``rank``, ``many``: what was clicked, where only that is asked for; None where lists
        and sessions say what was looked at.
    units
        What is drawn for intervals: ``"users"``, ``"sessions"``, or ``""`` where there is nothing to draw.
    told
        What was counted and by which rules, in sentences.
    """

    lists: pl.DataFrame
    sessions: pl.DataFrame
    clicks: pl.DataFrame | None = None
    units: str = ""
    told: tuple[str, ...] = ()

    @cached_property
    def unit_codes(self) -> pl.Series:
        """The units, in order."""
        frames = [self.lists, self.sessions, *([self.clicks] if self.clicks is not None else [])]
        return pl.concat([frame.get_column("unit") for frame in frames]).unique().sort()

    @cached_property
    def ranks(self) -> int:
        """The deepest rank that was looked at."""
        frame = self.lists if self.clicks is None else self.clicks
        return _largest(frame, "rank")

    @cached_property
    def queries(self) -> int:
        """The last query position that was reached."""
        frame = self.sessions if self.clicks is None else self.clicks
        return _largest(frame, "query_position")

    def limited(self, ranks: int | None, queries: int | None) -> LookCounts:
        """The same, as far as these places: what reached one of them ends there.

        Lists of later queries stay: they say how deep lists are looked at.
        """

        def cut(frame: pl.DataFrame, column: str, limit: int | None) -> pl.DataFrame:
            if limit is None or column not in frame.columns:
                return frame
            ended = [(pl.col("ended") | (pl.col(column) >= limit)).alias("ended")] if "ended" in frame.columns else []
            return frame.with_columns(*ended, pl.col(column).clip(upper_bound=limit))

        clicks = self.clicks
        if clicks is not None:
            within = [pl.col(name) <= limit for name, limit in (("rank", ranks), ("query_position", queries)) if limit]
            clicks = clicks.filter(*within)
        return replace(
            self,
            lists=_summed(cut(self.lists, "rank", ranks)),
            sessions=_summed(cut(self.sessions, "query_position", queries)),
            clicks=clicks,
        )

    def stops(self, *, by_position: bool) -> tuple[Stops, Stops]:
        """Stops and ends of all units together (one row) and of each unit (a row each).

        Parameters
        ----------
        by_position
            Whether lists are told apart by query position; if not, they all stand at position 1.
        """
        return self._placed_stops if by_position else self._stops

    @cached_property
    def _placed_stops(self) -> tuple[Stops, Stops]:
        """Stops with lists told apart by query position."""
        return self._stops_of(self.lists)

    @cached_property
    def _stops(self) -> tuple[Stops, Stops]:
        """Stops with all lists at position 1."""
        return self._stops_of(_summed(self.lists.with_columns(query_position=pl.lit(1, pl.Int64))))

    def _stops_of(self, lists: pl.DataFrame) -> tuple[Stops, Stops]:
        """Stops of these lists and of the sessions."""
        cells, list_stops, list_ends = self._cells(lists, ["rank", "query_position"])
        lasts, session_stops, session_ends = self._cells(self.sessions, ["query_position"])
        each = Stops(
            cells["rank"].to_numpy().astype(np.float64),
            cells["query_position"].to_numpy().astype(np.float64),
            list_stops,
            list_ends,
            lasts["query_position"].to_numpy().astype(np.float64),
            session_stops,
            session_ends,
        )
        return drawn(each, np.ones((1, len(self.unit_codes)))), each

    def looked(self) -> Numbers:
        """How often each rank of each query position was looked at: (ranks, query positions)."""
        return self._looked

    @cached_property
    def _looked(self) -> Numbers:
        """The looks of all units."""
        return self._grid(None).sum(axis=0)

    def looked_by_unit(self) -> Numbers:
        """The same of every unit: (units, ranks, query positions)."""
        return self._grid(self.unit_codes)

    def _grid(self, codes: pl.Series | None) -> Numbers:
        """Lists that came to each rank and position, or clicks there."""
        frame = self.lists if self.clicks is None else self.clicks
        frame = frame.filter(pl.col("query_position") <= self.queries)
        rows = len(codes) if codes is not None else 1
        made = np.zeros((rows, self.ranks, self.queries))
        row = _row(frame, codes) if codes is not None else np.zeros(len(frame), dtype=np.int64)
        at = (row, frame["rank"].to_numpy() - 1, frame["query_position"].to_numpy() - 1)
        np.add.at(made, at, frame["many"].to_numpy())
        if self.clicks is not None:
            return made
        return np.ascontiguousarray(made[:, ::-1, :].cumsum(axis=1)[:, ::-1, :])

    def _cells(self, frame: pl.DataFrame, by: list[str]) -> tuple[pl.DataFrame, Numbers, Numbers]:
        """The distinct places, and how many of each unit stopped and ended there."""
        cells = frame.select(by).unique().sort(by)
        place = frame.join(cells.with_row_index("cell"), on=by, maintain_order="left")
        made = np.zeros((2, len(self.unit_codes), len(cells)))
        at = (place["ended"].cast(pl.Int64).to_numpy(), _row(place, self.unit_codes), place["cell"].to_numpy())
        np.add.at(made, at, place["many"].to_numpy())
        return cells, made[0], made[1]


def drawn(each: Stops, weights: Numbers) -> Stops:
    """Stops of each unit added up, each unit as often as a draw has it: (draws, units) weights."""
    counts = ("list_stops", "list_ends", "session_stops", "session_ends")
    return replace(each, **{name: weights @ getattr(each, name) for name in counts})


def _summed(frame: pl.DataFrame) -> pl.DataFrame:
    """Rows of one place as one."""
    keys = [name for name in frame.columns if name != "many"]
    return frame.group_by(keys).agg(pl.col("many").sum()).sort(keys)


def _row(frame: pl.DataFrame, codes: pl.Series) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Row number of the unit of every row."""
    return np.searchsorted(codes.to_numpy(), frame["unit"].to_numpy()).astype(np.int64)


def _largest(frame: pl.DataFrame, column: str) -> int:
    """The largest place, at least 1."""
    largest = frame.filter(pl.col("many") > 0).get_column(column).max()
    return int(largest) if isinstance(largest, int) else 1
