"""The expectation of what a path is worth, and of its square, for every session of a block."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl

from sessionkit.scoring import exact
from sessionkit.scoring.discounts import discount_values
from sessionkit.scoring.lists import Lists
from sessionkit.scoring.scan_paths.arrays import Batch, ShownDocuments, Visits
from sessionkit.scoring.scan_paths.bases import Bases
from sessionkit.scoring.scan_paths.documents import Documents
from sessionkit.scoring.scan_paths.moments import average_precision_squares, discounted_squares
from sessionkit.scoring.scan_paths.paths import PathRows, average_precision, discounted
from sessionkit.scoring.scan_paths.repeats import RepeatPairs, found_before
from sessionkit.scoring.scan_paths.walk import Floats, Integers, Walk
from sessionkit.study.row_index import where

PAIRS = 2**18
"""Pairs of documents that are looked at together, about."""


@dataclass(frozen=True)
class PathValue:
    """What a path is worth: a discounted sum of gains, or the sum of precisions at its relevant documents.

    Parameters
    ----------
    gain, min_grade
        What a document gains.
    discount, b, p
        Discount by the place in the path; None for the sum of precisions.
    over
        What it is divided by: ``nothing``, the ``length`` of the path, the ``best`` path of that length, or the number of
        documents that gain something in the ``base``.
    """

    gain: str
    min_grade: float
    discount: str | None
    b: float | None = None
    p: float | None = None
    over: str = "nothing"


def expectations(lists: Lists, walk: Walk, worth: PathValue) -> Floats:
    """Expected worth of the path of every session of the block; NaN where the recall base that it needs is empty."""
    engine = _Engine(lists, walk, worth)
    documents = Documents.of(lists, engine.visits, worth.gain, worth.min_grade)
    sessions = np.arange(len(lists.block.sessions))
    if worth.discount is None:
        found = engine.each(sessions, documents.always, lambda _, rows: average_precision(walk, rows))
    else:
        found = engine.each(sessions, documents.always, engine.discounted)
    if documents.again.any():
        found = engine.added(found, *_once(engine, documents))
    return engine.over_base(found)


def squares(lists: Lists, walk: Walk, worth: PathValue) -> Floats:
    """Expected square of the worth of the path of every session, where documents gain every time; NaN likewise."""
    engine = _Engine(lists, walk, worth)
    documents = Documents.of(lists, engine.visits, worth.gain, worth.min_grade)
    sessions = np.arange(len(lists.block.sessions))
    if worth.discount is None:
        found = engine.each(sessions, documents.always, lambda _, rows: average_precision_squares(walk, rows))
    else:
        found = engine.each(sessions, documents.always, engine.discounted_squares)
    return engine.over_base(engine.over_base(found))


class _Engine:
    """The lists of a block, made ready for a walk."""

    def __init__(self, lists: Lists, walk: Walk, worth: PathValue) -> None:
        """Lay out the lists, and what paths are divided by."""
        self.walk, self.worth = walk, worth
        self.visits = Visits.of(lists, walk)
        self._discounts = np.zeros(0)
        based = worth.over in ("best", "base")
        self.bases = Bases.of(lists, worth.gain, worth.min_grade) if based else None

    def each(
        self, of: Integers, shown: ShownDocuments, work: Callable[[Batch, PathRows], Floats], *, once: bool = False
    ) -> Floats:
        """Do work for rows about these sessions, with what was shown of each row."""
        found = np.zeros(len(of))
        for batch in self.visits.batches(of):
            seen = batch.ranks(shown)[0] if once else None
            found[batch.rows] = work(batch, PathRows(batch.queries, batch.lengths, batch.gains(shown), seen))
        return found

    def discounts(self, rows: PathRows) -> Floats:
        """Discount of each place that a path can have, at least."""
        if len(self._discounts) < rows.longest:
            places = np.arange(1, 2 * rows.longest + 1)
            self._discounts = discount_values(places, self.worth.discount or "reciprocal", self.worth.b, self.worth.p)
        return self._discounts

    def discounted(self, batch: Batch, rows: PathRows) -> Floats:
        """Expected discounted sum."""
        return discounted(self.walk, rows, self.discounts(rows), self._divisors(batch, rows))

    def discounted_squares(self, batch: Batch, rows: PathRows) -> Floats:
        """Expected square of the discounted sum."""
        return discounted_squares(self.walk, rows, self.discounts(rows), self._divisors(batch, rows))

    def _divisors(self, batch: Batch, rows: PathRows) -> Floats | None:
        """What a path is divided by that has read 0, 1, 2... documents."""
        if self.worth.over == "length":
            return np.arange(rows.longest + 1, dtype=np.float64)[:, None]
        if self.worth.over == "best" and self.bases is not None:
            return self.bases.best(batch.sessions, self.discounts(rows), rows.longest)
        return None

    def over_base(self, found: Floats) -> Floats:
        """Divide by the size of the recall base, where that is asked; NaN where it is needed and empty."""
        if self.bases is None:
            return found
        many = self.bases.many
        divided = found / np.maximum(many, 1) if self.worth.over == "base" else found
        return np.where(many > 0, divided, np.nan)

    @staticmethod
    def added(found: Floats, *more: tuple[Integers, Floats]) -> Floats:
        """Add to what sessions have what documents or pairs of theirs have, exactly, in whatever order."""
        sessions = np.concatenate([np.arange(len(found)), *(session for session, _ in more)])
        values = np.concatenate([found, *(value for _, value in more)])
        rows = pl.DataFrame({"session": sessions.astype(np.uint32), "value": values})
        sums = rows.group_by("session").agg(total=exact.fixed(pl.col("value")).sum())
        total = sums["total"].gather(where(sums["session"], len(found)))
        return total.to_frame().select(exact.unfixed(pl.col("total"))).to_series().to_numpy()


def _once(engine: _Engine, documents: Documents) -> list[tuple[Integers, Floats]]:
    """What documents add that are shown again, of which only the first reading gains: by session."""
    again = np.flatnonzero(documents.again)
    shown = ShownDocuments(
        documents.once.begins[again], documents.once.many[again],
        documents.once.place, documents.once.rank, documents.once.gain,
    )  # fmt: skip
    session = documents.session[again]
    more = [(session, engine.each(session, shown, engine.discounted, once=True))]
    if engine.worth.discount is None:
        more += _pairs(engine, documents)
    return more


def _pairs(engine: _Engine, documents: Documents) -> list[tuple[Integers, Floats]]:
    """What pairs of documents add to precisions, of which one at least is shown again: by session of the one."""
    session = documents.session
    many = np.bincount(session)
    pairs_of = many[session]
    more = []
    begin = 0
    while begin < len(session):
        end = begin + max(1, int(np.searchsorted(np.cumsum(pairs_of[begin:]), PAIRS)))
        one = np.repeat(np.arange(begin, end), pairs_of[begin:end])
        first = np.searchsorted(session, session[begin:end])
        nth = np.arange(len(one)) - np.repeat(np.cumsum(pairs_of[begin:end]) - pairs_of[begin:end], pairs_of[begin:end])
        other = np.repeat(first, pairs_of[begin:end]) + nth
        kept = (one != other) & (documents.again[one] | documents.again[other])
        one, other = one[kept], other[kept]
        found = np.zeros(len(one))
        for batch in engine.visits.batches(session[one]):
            rank, gain = batch.ranks(documents.once, one)
            rank_other, gain_other = batch.ranks(documents.once, other)
            pairs = RepeatPairs(batch.queries, batch.lengths, rank, rank_other, gain, gain_other)
            found[batch.rows] = found_before(engine.walk, pairs)
        more.append((session[one], found))
        begin = end
    return more
