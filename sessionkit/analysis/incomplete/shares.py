"""nDCG, nCG and nsDCG of a batch in the terms of `levels`: what is shown, what is judged, and what the ideal weighs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from sessionkit.analysis.incomplete.bound_kinds import gain_of
from sessionkit.analysis.incomplete.levels import Parts, extremes
from sessionkit.analysis.incomplete.rows import OpenRows, known_worth
from sessionkit.analysis.incomplete.totals import places, summed
from sessionkit.analysis.incomplete.unjudged_documents import Unjudged
from sessionkit.scoring import exact
from sessionkit.scoring.alternative_judgments import only_sessions
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.gains import gain_expr
from sessionkit.scoring.ideals import first_query, ideal_places, ideal_slots
from sessionkit.scoring.measures.base import GainMeasure
from sessionkit.scoring.results_filter import units


@dataclass(frozen=True, eq=False)
class Own:
    """Documents that units show and nobody judged, part by part.

    Parameters
    ----------
    part, weight
        Of each its part, and the weight with which it is shown there.
    row
        A result that shows it: its row among `OpenRows`.
    """

    part: np.ndarray
    weight: np.ndarray
    row: np.ndarray


@dataclass(frozen=True, eq=False)
class Shares:
    """The parts of all lists, or sessions, of a batch under a normalized measure.

    Parameters
    ----------
    by
        ``"query"`` or ``"session"``: what a unit is.
    unit, key
        Number of the query or session, and key, of every part, in the order of `parts`.
    parts
        The same as numbers.
    own
        The unjudged documents that units show.
    """

    by: str
    unit: np.ndarray
    key: np.ndarray
    parts: Parts
    own: Own

    def bounds(self) -> pl.DataFrame:
        """Bounds of every unit that has a key: ``unit``, ``lower``, ``upper``; null where nothing can be relevant."""
        lower, upper = extremes(self.parts)
        first = np.diff(self.unit, prepend=-1) != 0
        found = {"unit": self.unit[first].astype(np.uint32), "lower": lower, "upper": upper}
        return pl.DataFrame(found).with_columns(pl.col("lower", "upper").fill_nan(None))


def shares(unjudged: Unjudged, measure: GainMeasure, best: float) -> Shares:
    """Lay out a batch's lists, or sessions, for a normalized measure, of which the grade that gains most is `best`; once."""
    if (measure, best) not in unjudged.beside:
        unjudged.beside[measure, best] = _laid_out(unjudged, measure, best)
    made: Shares = unjudged.beside[measure, best]
    return made


def _laid_out(unjudged: Unjudged, measure: GainMeasure, best: float) -> Shares:
    """The same."""
    by = "session" if measure.level == "session" else "query"
    batch = unjudged.supposing(best)
    levels, base = _levels(unjudged, measure, gain_of(measure, best))
    unknown_of_key = unjudged.pool.unjudged * bool(levels[-1:].sum() > 0)
    longest = int((base[:, 0] + unknown_of_key).max(initial=0)) if base.shape[1] else 0
    rows = OpenRows.of(unjudged, measure.selection)
    keys = unjudged.pool.pairs["key"].to_numpy()
    at, key = rows.number(by), keys[rows.pair].astype(np.int64)
    judged_at, judged_worth = known_worth(unjudged.batch, measure, by)
    ideals = Ideals.of(batch, measure, longest).also(at, key)
    own = Own(ideals.part_of(at, key), rows.worth(measure, 1.0), np.arange(len(at)))
    if by == "session" or batch.repeats:
        own = _together(rows, by, own)
    if len(own.part) and own.weight.min() <= 0:
        own = Own(*(column[own.weight > 0] for column in (own.part, own.weight, own.row)))
    # what is judged counts for the unit as a whole, and stands in its first part
    many = len(batch.sessions if by == "session" else batch.queries)
    known = summed(judged_at, judged_worth, many)
    first = np.diff(ideals.unit, prepend=-1) != 0
    shown = np.bincount(own.part, minlength=len(ideals.unit)) * bool(len(levels))
    parts = Parts(
        first.cumsum() - 1,
        np.where(first, known[ideals.unit], 0.0),
        shown,
        own.weight if len(levels) else np.zeros(0),
        unknown_of_key[ideals.key] - shown,
        ideals.shape,
        ideals.table,
        base[ideals.key],
        np.diff(levels, prepend=0.0),
    )
    return Shares(by, ideals.unit, ideals.key, parts, own)


def _together(rows: OpenRows, by: str, own: Own) -> Own:
    """Each document of each part once: shown by several results, it weighs what these do together."""
    alone = by == "session" and not rows.batch.own_keys  # else a session has a part for every key
    number, first = rows.documents if alone else places(own.part * 2**32 + rows.pair)
    return Own(own.part[first], summed(number, own.weight, len(first)), first)


def _levels(unjudged: Unjudged, measure: GainMeasure, best: float) -> tuple[np.ndarray, np.ndarray]:
    """The gains above 0 that there are, rising, and how many judged documents of each key gain at least as much."""
    gains = (
        unjudged.judged.grades(measure.gain)
        .alias("grade")
        .to_frame()
        .select(gain=gain_expr(pl.col("grade"), measure.gain, measure.min_grade))
    )
    rows = unjudged.judged.pairs.pairs.select("key", gains["gain"]).filter(pl.col("gain") > 0)
    levels = np.unique(np.concatenate([rows["gain"].to_numpy(), [best] if best > 0 else []]))
    keys = len(unjudged.pool.keys)
    at = rows["key"].to_numpy().astype(np.int64) * len(levels) + np.searchsorted(levels, rows["gain"].to_numpy())
    counts = np.bincount(at, minlength=keys * len(levels)).reshape(keys, len(levels))
    return levels, counts[:, ::-1].cumsum(axis=1)[:, ::-1]


@dataclass(frozen=True, eq=False)
class Ideals:
    """The parts of units (queries or sessions): one for every key that a unit has, in order.

    Parameters
    ----------
    unit, key
        Of every part.
    shape
        Row of `table` of every part.
    table
        Weights of the 0, 1, 2... best places of an ideal, added up.
    """

    unit: np.ndarray
    key: np.ndarray
    shape: np.ndarray
    table: np.ndarray

    @classmethod
    def of(cls, batch: SessionBatch, measure: GainMeasure, longest: int) -> Ideals:
        """Lay out the ideals of a batch, of so many places at most."""
        if measure.session_ideal is None:
            part = units(batch, measure.selection).select("query", "key").drop_nulls()
            rank = pl.int_range(1, min(measure.cutoff or longest, longest) + 1, dtype=pl.Int32, eager=True)
            weights = pl.DataFrame({"rank": rank}).with_columns(weight=measure.contribution(pl.lit(1.0)))["weight"]
            table = np.concatenate([[0.0], weights.to_numpy().cumsum()])[None, :]
            return cls(*_numbers(part), np.zeros(len(part), dtype=np.int64), table)
        if batch.own_keys:
            return cls._of_sessions(batch, measure, longest)
        alike = _alike(batch, measure)
        shape = alike["shape"].to_numpy().astype(np.int64)
        chosen = np.zeros(len(batch.sessions), dtype=bool)
        chosen[alike["session"].filter(alike["shape"].is_first_distinct()).to_numpy()] = True
        # the first session of each shape stands for all of it; in an ideal without places none has a part
        few = cls._of_sessions(only_sessions(batch, chosen), measure, longest)
        row = np.full(int(chosen.sum()), -1)
        row[few.unit] = np.arange(len(few.unit))
        there = row[shape] >= 0
        unit, key = _numbers(alike.select("session", "key"))
        return cls(unit[there], key[there], few.shape[row[shape[there]]], few.table)

    @classmethod
    def _of_sessions(cls, batch: SessionBatch, measure: GainMeasure, longest: int) -> Ideals:
        """The same, session by session."""
        slots = ideal_slots(batch, measure, longest)
        if measure.session_ideal == "once":
            slots = first_query(slots)
        slots = slots.filter(pl.col("key").is_not_null())
        worth = exact.fixed(measure.contribution(pl.lit(1.0))).alias("worth")
        slots = slots.select("session", "key", "rank", worth)
        if measure.session_ideal == "spread":
            slots = slots.sort("session", "key", "worth", descending=[False, False, True])
        else:
            slots = slots.group_by("session", "key", "rank").agg(pl.col("worth").sum()).sort("session", "key", "rank")
        of_part = slots.group_by("session", "key", maintain_order=True).agg(exact.unfixed(pl.col("worth")))
        shapes = of_part.select(pl.col("worth").unique(maintain_order=True)).with_row_index("shape")
        shape = of_part.join(shapes, on="worth", how="left", maintain_order="left")["shape"].to_numpy()
        lists = shapes["worth"].to_list()
        table = np.zeros((max(1, len(lists)), 1 + max((len(row) for row in lists), default=0)))
        for number, row in enumerate(lists):
            table[number, 1 : 1 + len(row)] = row
        return cls(*_numbers(of_part.select("session", "key")), shape.astype(np.int64), table.cumsum(axis=1))

    def also(self, unit: np.ndarray, key: np.ndarray) -> Ideals:
        """With parts for what is shown of keys that the ideal does not ask for: it gains all the same."""
        lost = self._places(unit, key) < 0
        if not lost.any():
            return self
        more = np.unique(unit[lost] * 2**32 + key[lost])
        packed = np.concatenate([self._packed, more])
        order = np.argsort(packed)
        shape = np.concatenate([self.shape, np.full(len(more), len(self.table))])[order]
        table = np.concatenate([self.table, np.zeros((1, self.table.shape[1]))])
        return replace(self, unit=packed[order] // 2**32, key=packed[order] % 2**32, shape=shape, table=table)

    def part_of(self, unit: np.ndarray, key: np.ndarray) -> np.ndarray:
        """Number of the part of some keys of units."""
        return self._places(unit, key)

    def _places(self, unit: np.ndarray, key: np.ndarray) -> np.ndarray:
        """The same; -1 where there is none."""
        once = not len(self.unit) or bool((np.diff(self.unit) > 0).all())
        if once:  # one key a unit
            places = np.full(int(max(unit.max(initial=0), self.unit.max(initial=0))) + 1, -1)
            places[self.unit] = np.arange(len(self.unit))
            found = places[unit]
            same = self.key[found] == key if len(self.key) else np.zeros(len(found), dtype=bool)
        else:
            asked = unit * 2**32 + key
            found = np.minimum(np.searchsorted(self._packed, asked), len(self.unit) - 1)
            same = self._packed[found] == asked
        return np.where(same & (found >= 0), found, -1)

    @property
    def _packed(self) -> np.ndarray:
        """Unit and key of every part as one number."""
        return self.unit * 2**32 + self.key


def _alike(batch: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
    """Sessions that have a key, in order: ``session``, ``key``, ``shape``, the same where all places of the ideal are."""
    places = ideal_places(batch, measure).sort("session", "query_position")
    place = pl.col("query_position").cast(pl.Int64) * 2**40 + (pl.col("offset") if measure.ranks_along_session else 0)
    laid_out = places.group_by("session", maintain_order=True).agg(pl.col("key").first(), place=place)
    laid_out = laid_out.filter(pl.col("key").is_not_null())
    shapes = laid_out.select(pl.col("place").unique(maintain_order=True)).with_row_index("shape")  # as they come first
    return laid_out.join(shapes, on="place", maintain_order="left").select("session", "key", "shape")


def _numbers(part: pl.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Two columns of numbers."""
    first, second = (column.to_numpy().astype(np.int64) for column in part)
    return first, second
