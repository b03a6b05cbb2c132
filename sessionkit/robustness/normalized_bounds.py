"""Bounds of normalized measures: the least and the greatest that a sum can be as a share of its ideal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from sessionkit.errors import MeasureError, UsageError
from sessionkit.robustness.unjudged import Unjudged, places, summed
from sessionkit.scoring import exact
from sessionkit.scoring.batch import GradedPairs, SessionBatch, only_sessions
from sessionkit.scoring.filter import Selection, every_row, gaining_rows, units
from sessionkit.scoring.gains import NAMES, gain_expr, weights
from sessionkit.scoring.histogram import DIRECT, GainHistogram
from sessionkit.scoring.ideals import first_query, ideal_places, ideal_slots, with_offsets
from sessionkit.scoring.measures.base import GainMeasure, Measure


def adds_up(measure: Measure, *, own_keys: bool = False) -> bool:
    """Whether the mean over sessions is a sum in which each unjudged document has a term of its own.

    The mean over a session's queries is none where further judgments can give queries a score: where they have judgment
    keys of their own, some of which are unjudged.
    """
    if measure.wraps and (own_keys or not measure.reduces_queries):
        return False
    return measure.bound_kind() == "linear" and measure.linear_in_queries


def movable(measure: Measure) -> bool:
    """Whether it can be said how much a single document would move the measure."""
    return adds_up(measure) or (measure.bound_kind() == "share" and measure.linear_in_queries)


def bound_of(measure: Measure, *, own_keys: bool = False) -> str | None:
    """What the bounds of a mean over sessions are, where each session has a score; None without bounds."""
    kind = measure.bound_kind(own_keys=own_keys)
    safe = kind in ("share", "counted") or (measure.reduces_queries and own_keys)
    return None if kind is None else "safe" if safe else "attained"


def scale_top(measures: Iterable[Measure], judged: GradedPairs, top: float | None) -> float | None:
    """Check the best grade of the scale; None where it is unknown and no measure needs it.

    Raises
    ------
    UsageError
        It is no number above 0, or a judged grade is above it.
    MeasureError
        A measure needs it and it is unknown; the message proposes a value.
    """
    found = judged.grade.max()
    highest = float(found) if isinstance(found, int | float) and found > 0 else 1.0
    if top is not None and (isinstance(top, bool) or not isinstance(top, int | float) or not 0 < top < float("inf")):
        msg = f"max_grade must be a number above 0, the best grade of the scale, not {top!r}"
        raise UsageError(msg)
    if top is not None and found is not None and highest > top:
        msg = f"{judged.whose} have grade {highest:g}, above max_grade={top:g}; give the top of the scale as it is after merging"
        raise UsageError(msg)
    for measure in measures:
        if top is None and measure.bound_kind() not in (None, "fixed") and measure.inner.tells_grades_apart:
            if measure.inner.scale_top is not None:
                continue
            msg = (
                f"{measure}: its bounds need the best grade that an unjudged document could have, and the study declares no "
                f"max_grade; if it is {highest:g}, the highest of {judged.whose}, give max_grade={highest:g} "
                f"(--max-grade {highest:g}), or set max_grade = {highest:g} at the top of a study.toml"
            )
            raise MeasureError(msg)
    return None if top is None else float(top)


def best_grade(measure: Measure, top: float | None) -> float:
    """The grade, of those from 0 to the top of the scale, that gains the most under a measure.

    Parameters
    ----------
    top
        The top of the scale; None where nobody declared it and only binary measures are asked for, which need no more
        than that some grade is relevant; see `scale_top`.

    >>> from sessionkit import nDCG, P
    >>> from sessionkit.scoring.measures.grammar import parse_measure
    >>> best_grade(nDCG, 3), best_grade(P, None), best_grade(parse_measure("P(level=1)"), 3)
    (3.0, 1.0, 1.0)
    >>> best_grade(nDCG(gain="0-1-0.5"), 2)
    1.0
    """
    top = measure.scale_top if measure.scale_top is not None else top
    level = measure.only_grade
    if not measure.tells_grades_apart or top is None:
        lowest = level if level is not None else measure.lowest_relevant
        if level is not None or top is None or top < lowest:
            return float(lowest if top is None or lowest <= top else top)
        return float(top)
    if measure.grade_gain in NAMES:
        return float(top)
    listed = weights(measure.grade_gain)[: int(top) + 1]
    return float(max(range(len(listed)), key=lambda grade: listed[grade]))


def gain_of(measure: Measure, grade: float) -> float:
    """What a grade gains under a measure; 1 or 0 under a binary one."""
    return float(pl.select(gain_expr(pl.lit(grade), measure.grade_gain, measure.min_grade)).item())


@dataclass(frozen=True, eq=False)
class OpenRows:
    """Unjudged results, in the order in which they were shown.

    Parameters
    ----------
    batch
        The batch that they belong to.
    frame
        ``query``, ``session``, ``query_position``, ``rank``.
    row
        Of each result its row in the batch.
    pair
        Its number, in the pool.
    """

    batch: SessionBatch
    frame: pl.DataFrame
    row: np.ndarray
    pair: np.ndarray

    @classmethod
    def of(cls, unjudged: Unjudged, selection: Selection) -> OpenRows:
        """Those that count under a selection and are no document again that gains once; made once for each selection."""
        if ("rows", selection) not in unjudged.beside:
            unjudged.beside["rows", selection] = cls._made(unjudged, selection)
        made: OpenRows = unjudged.beside["rows", selection]
        return made

    @classmethod
    def _made(cls, unjudged: Unjudged, selection: Selection) -> OpenRows:
        """The same."""
        batch = unjudged.supposing(0.0)
        results = batch.results.with_row_index("row")
        by_text = selection.duplicates == "first" and batch.own_keys
        if selection.depth == "all" and not by_text:  # no other result decides which of them count
            results = _unknown(results, unjudged.unknown)
        rows = every_row(replace(batch, results=results), selection)
        rows = _unknown(rows.filter("first"), unjudged.unknown)
        frame = rows.select("query", "session", "query_position", "rank")
        return cls(batch, frame, rows["row"].to_numpy(), rows["judgment"].to_numpy().astype(np.int64))

    def number(self, by: str) -> np.ndarray:
        """Number of the ``query`` or ``session`` of every result."""
        return self.frame[by].to_numpy().astype(np.int64)

    @cached_property
    def documents(self) -> tuple[np.ndarray, np.ndarray]:
        """Each document of each session once: for every result its number among them, and of each its first result."""
        return places(self.number("session") * 2**32 + self.pair)

    def worth(self, measure: GainMeasure, gain: float) -> np.ndarray:
        """What every result would add to a measure if it gained so much."""
        if measure.ranks_along_session:
            return _contributions(with_offsets(self.batch, self.frame, measure), measure, gain)
        every, of = self._places
        found: np.ndarray = _contributions(every, measure, gain)[of]
        return found

    @cached_property
    def _places(self) -> tuple[pl.DataFrame, np.ndarray]:
        """The query positions and ranks that there are, and which every result has."""
        position, rank = (self.frame[name].to_numpy().astype(np.int64) - 1 for name in ("query_position", "rank"))
        wide, long = int(rank.max(initial=0)) + 1, int(position.max(initial=0)) + 1
        of = position * wide + rank
        every = np.arange(wide * long)
        if len(every) > max(DIRECT, len(of)):
            every, of = np.unique(of, return_inverse=True)
        columns = {"query_position": every // wide + 1, "rank": every % wide + 1}
        return pl.DataFrame(columns).cast(pl.Int32), of


def known_worth(batch: SessionBatch, measure: GainMeasure, by: str) -> tuple[np.ndarray, np.ndarray]:
    """Of every judged result that gains something its ``query`` or ``session``, and what it adds to a measure."""
    if measure.ranks_along_session:
        rows = with_offsets(batch, gaining_rows(batch, measure), measure)
        added = rows.with_columns(worth=measure.contribution(pl.col("gain")))["worth"]
        return rows[by].to_numpy().astype(np.int64), added.to_numpy()
    cells = GainHistogram.of(batch, measure.selection, [measure])
    gain = gain_expr(pl.col("grade"), measure.gain, measure.min_grade)
    worth = cells.places.with_columns(worth=measure.contribution(gain))["worth"].fill_null(0.0).to_numpy()
    return cells.rows[by].to_numpy().astype(np.int64), worth[cells.rows["cell"].to_numpy()]


def _contributions(rows: pl.DataFrame, measure: GainMeasure, gain: float) -> np.ndarray:
    """What rows would add if each gained so much."""
    found: np.ndarray = rows.with_columns(worth=measure.contribution(pl.lit(gain)))["worth"].to_numpy()
    return found


def _unknown(rows: pl.DataFrame, unknown: pl.Series) -> pl.DataFrame:
    """The results whose pair has no grade; those without a pair are none."""
    rows = rows.filter(pl.col("judgment").is_not_null())
    return rows.filter(unknown.gather(rows["judgment"]))


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
        alike = _sessions_by_shape(batch, measure)
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


def _sessions_by_shape(batch: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
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


ROUNDS = 60
"""Steps of Dinkelbach's method at most; it needs about five."""
CELLS = 2**22
"""Numbers of one array that are worked on at a time."""


@dataclass(frozen=True, eq=False)
class Parts:
    """Units (lists or sessions), each with a part for every key that it has.

    Parameters
    ----------
    unit
        Number of the unit of every part, in order and without holes.
    known
        N of what is judged.
    own
        How many own unjudged documents each part has.
    weights
        Their weights, part by part.
    others
        How many unjudged documents of its key are shown elsewhere, or pooled.
    shape
        Row of `ideal` of every part.
    ideal
        Weights of the 0, 1, 2... best places of an ideal, added up; what lies beyond its last column adds nothing.
    base
        A row per part: judged documents that gain at least as much as each level.
    heights
        By how much the gain of each level is above that of the one below; they add up to G.
    """

    unit: np.ndarray
    known: np.ndarray
    own: np.ndarray
    weights: np.ndarray
    others: np.ndarray
    shape: np.ndarray
    ideal: np.ndarray
    base: np.ndarray
    heights: np.ndarray

    @property
    def units(self) -> int:
        """How many units there are."""
        return int(self.unit[-1]) + 1 if len(self.unit) else 0

    def of_units(self, units: np.ndarray) -> Parts:
        """The parts of some units, in their order, numbered from 0 again, the weights of each falling."""
        many = np.bincount(self.unit, minlength=self.units)
        part = _ranges((many.cumsum() - many)[units], many[units])
        begins = self.own.cumsum() - self.own
        weights = self.weights[_ranges(begins[part], self.own[part])]
        order = np.lexsort((-weights, np.repeat(np.arange(len(part)), self.own[part])))
        return Parts(
            np.repeat(np.arange(len(units)), many[units]),
            self.known[part],
            self.own[part],
            weights[order],
            self.others[part],
            self.shape[part],
            self.ideal,
            self.base[part],
            self.heights,
        )

    def upto(self, *, best_first: bool) -> np.ndarray:
        """A row per part: weight of 0, 1, 2... own unjudged documents, those of most weight or of least, added up."""
        nth = np.arange(len(self.weights)) - np.repeat(self.own.cumsum() - self.own, self.own)
        column = nth + 1 if best_first else np.repeat(self.own, self.own) - nth
        table = np.zeros((len(self.own), int(self.own.max(initial=0)) + 1))
        table[np.repeat(np.arange(len(self.own)), self.own), column] = self.weights
        found: np.ndarray = table.cumsum(axis=1)
        return found

    def worth(self, count: np.ndarray) -> np.ndarray:
        """What so many documents weigh in the ideal, of every part (the first axis)."""
        shape = self.shape.reshape(-1, *[1] * (count.ndim - 1))
        found: np.ndarray = self.ideal[shape, np.minimum(count, self.ideal.shape[1] - 1)]
        return found

    def ideals(self) -> tuple[np.ndarray, np.ndarray]:
        """The ideal of what is judged, and what one more document of the best gain adds to it, of every part."""
        judged, more = (np.zeros(len(self.unit)) for _ in range(2))
        for level, height in enumerate(self.heights):
            here = self.worth(self.base[:, level])
            judged += height * here
            more += height * (self.worth(self.base[:, level] + 1) - here)
        return judged, more

    def added(self, values: np.ndarray) -> np.ndarray:
        """Sum over the parts of every unit."""
        return np.bincount(self.unit, weights=values, minlength=self.units)

    def best_sum(self, more: np.ndarray) -> np.ndarray:
        """The ideal of what is judged and so many more documents of the best gain, of every part."""
        found = np.zeros(len(self.unit))
        for level, height in enumerate(self.heights):
            found += height * self.worth(self.base[:, level] + more)
        return found

    def steady(self, some: np.ndarray, more: np.ndarray) -> np.ndarray:
        """Whether it makes no difference to the ideal of any level of a unit how many documents from `some` to `more` gain."""
        moves = np.zeros(len(self.unit))
        for base in self.base.T:
            moves += self.worth(base + some) != self.worth(base + more)
        found: np.ndarray = self.added(moves) == 0
        return found


def extremes(parts: Parts) -> tuple[np.ndarray, np.ndarray]:
    """Least and greatest share of every unit; nan where nothing can be relevant for any of its keys.

    One list shows an unjudged document at rank 1 (weight 1) and the only relevant one at rank 2 (weight .5); gains are 0
    or 1. Now .5; if the other is relevant too, (1 + .5) / (1 + .5):

    >>> parts = Parts(
    ...     unit=np.array([0]), known=np.array([0.5]), own=np.array([1]), weights=np.array([1.0]), others=np.array([0]),
    ...     shape=np.array([0]), ideal=np.array([[0.0, 1.0, 1.5]]), base=np.array([[1]]), heights=np.array([1.0]),
    ... )
    >>> [bound.tolist() for bound in extremes(parts)]
    [[0.5], [1.0]]
    """
    nothing = np.zeros_like(parts.own)
    every = np.bincount(np.repeat(np.arange(len(parts.own)), parts.own), parts.weights, minlength=len(parts.own))
    # an ideal that is full anyway stays as it is: least with nothing more shown, greatest with everything
    lower = _share(parts, parts.known, parts.best_sum(parts.others))
    upper = _share(parts, parts.known + parts.heights.sum() * every, parts.best_sum(parts.own))
    for found, settle, steady in (
        (lower, _least, parts.steady(parts.others, parts.others + parts.own)),
        (upper, _greatest, parts.steady(nothing, parts.own)),
    ):
        for unit_numbers in _portions(parts, np.flatnonzero(~steady)):
            found[unit_numbers] = settle(parts.of_units(unit_numbers))
    elsewhere = parts.added(((parts.others > 0) & (parts.ideal[parts.shape, -1] > 0)).astype(float)) > 0
    return lower, np.where(np.isnan(upper) & elsewhere & bool(parts.heights.sum() > 0), 0.0, upper)


def _portions(parts: Parts, units: np.ndarray) -> Iterator[np.ndarray]:
    """Some units in portions that take little room, each of about as many own documents."""
    widest = np.zeros(parts.units, dtype=np.int64)
    np.maximum.at(widest, parts.unit, parts.own)
    size = np.frexp(widest[units].astype(float))[1]  # own documents below 2 to this power
    for power in np.unique(size):
        some = units[size == power]
        step = max(1, CELLS // ((1 << int(power)) * max(1, len(parts.heights))))
        for first in range(0, len(some), step):
            yield some[first : first + step]


def _ranges(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The numbers from each start, so many, one after the other."""
    before = lengths.cumsum() - lengths
    found: np.ndarray = np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths)
    return found


def _share(parts: Parts, gained: np.ndarray, ideal: np.ndarray) -> np.ndarray:
    """What the parts of every unit gain, as a share of their ideals; nan where these are 0."""
    gained, ideal = parts.added(gained), parts.added(ideal)
    found: np.ndarray = np.divide(gained, ideal, out=np.full(len(ideal), np.nan), where=ideal > 0)
    return found


def _least(parts: Parts) -> np.ndarray:
    """Least share of every unit."""
    shown = parts.upto(best_first=False)
    count = np.arange(shown.shape[1])[None, :]
    numerator = parts.known[:, None] + parts.heights.sum() * shown
    ideal = np.zeros_like(numerator)
    for level, height in enumerate(parts.heights):
        ideal += height * parts.worth(parts.base[:, [level]] + count + parts.others[:, None])
    numerator[count > parts.own[:, None]] = np.inf

    def chosen(share: np.ndarray) -> np.ndarray:
        found: np.ndarray = (numerator - share[parts.unit, None] * ideal).argmin(axis=1)
        return found

    rows = np.arange(len(parts.unit))
    return _settled(parts, parts.own, chosen, lambda taken: (numerator[rows, taken], ideal[rows, taken]), -1)


def _greatest(parts: Parts) -> np.ndarray:
    """Greatest share of every unit."""
    shown = parts.upto(best_first=True)
    count = np.arange(shown.shape[1])[None, None, :]
    numerator = parts.heights[None, :, None] * shown[:, None, :]
    ideal = parts.heights[None, :, None] * parts.worth(parts.base[:, :, None] + count)
    numerator[np.broadcast_to(count > parts.own[:, None, None], numerator.shape)] = -np.inf

    def chosen(share: np.ndarray) -> np.ndarray:
        found: np.ndarray = (numerator - share[parts.unit, None, None] * ideal).argmax(axis=2)
        return found

    def sums(taken: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        gained, best = (
            np.take_along_axis(each, taken[..., None], axis=2).sum(axis=(1, 2)) for each in (numerator, ideal)
        )
        return parts.known + gained, best

    every = np.repeat(parts.own[:, None], len(parts.heights), axis=1)
    return _settled(parts, every, chosen, sums, 1)


def _settled(
    parts: Parts,
    every: np.ndarray,
    chosen: Callable[[np.ndarray], np.ndarray],
    sums: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    sign: int,
) -> np.ndarray:
    """Dinkelbach's method from where every own document gains the most; nan where the ideal is 0 there too."""

    def share_of(taken: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        gained, ideal = (parts.added(values) for values in sums(taken))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(ideal > 0, gained / np.where(ideal > 0, ideal, 1.0), np.nan), ideal

    share, _ = share_of(every)
    for _ in range(ROUNDS):
        found, ideal = share_of(chosen(np.nan_to_num(share)))
        better = (ideal > 0) & ((found - share) * sign > 0)
        if not better.any():
            break
        share = np.where(better, found, share)
    return share
