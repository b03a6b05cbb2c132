"""The sessions of a batch as arrays: how long their lists are, what was gained where, batch by batch of like sessions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sessionkit.scoring.lists import Lists
from sessionkit.scoring.scan_paths.walk import Floats, Integers, Walk

CELLS = 2**17
"""About so many numbers an array has at most: as many sessions at once as that allows."""
ALIKE = 64
"""So many sessions whose lists are as long, one by one, are worked out together: their chances need no more than one."""
BEYOND = 2**31
"""Rank of what a list does not have: no list is so long."""


@dataclass(frozen=True, eq=False)
class Visits:
    """The lists of sessions, as far as a walk goes.

    Parameters
    ----------
    queries
        Number of lists of each session of the batch.
    begins
        Row of each session's first list in `length`.
    length
        Documents of each list.
    session, place
        Session of each list of the batch (also of those that no walk comes to), and its place there, from 0.
    """

    queries: Integers
    begins: Integers
    length: Integers
    session: Integers
    place: Integers

    @classmethod
    def of(cls, lists: Lists, walk: Walk) -> Visits:
        """The lists that count, cut where a walk does not come to."""
        session = integers(lists.queries["session"])
        length = integers(lists.queries["length"])
        queries = np.bincount(session, minlength=len(lists.batch.sessions))
        begins = np.cumsum(queries) - queries
        place = np.arange(len(session)) - begins[session]
        if walk.deepest is not None:
            length = np.minimum(length, walk.deepest)
        if walk.longest is not None:
            queries = np.minimum(queries, walk.longest)
        return cls(queries, begins, length, session, place)

    def comes_to(self, of_list: Integers, rank: Integers) -> np.ndarray:
        """Whether a walk can come to the documents at these ranks of these lists of the batch."""
        return (rank <= self.length[of_list]) & (self.place[of_list] < self.queries[self.session[of_list]])

    def batches(self, of: Integers) -> Iterator[Batch]:
        """Rows of work, each about a session, in batches of rows whose sessions are alike in size.

        Parameters
        ----------
        of
            Session of each row.
        """
        sums = np.concatenate([[0], np.cumsum(self.length)])
        documents = sums[self.begins + self.queries] - sums[self.begins]
        shapes = self._shapes()
        order = np.lexsort((shapes[of], documents[of], self.queries[of]))
        cuts = _long_runs(shapes[of[order]])
        begin = 0
        while begin < len(order):
            many = max(1, CELLS // max(1, int(documents[of[order[begin]]])))
            many = min(many, int(cuts[np.searchsorted(cuts, begin, side="right")]) - begin)
            while True:
                rows = order[begin : begin + many]
                queries = self.queries[of[rows]]
                index, column = ragged(self.begins[of[rows]], queries)
                lengths = np.zeros((int(queries.max()), len(rows)), dtype=np.int64)
                lengths[self.place[index], column] = self.length[index]
                largest = max(len(lengths) * int(lengths.max(initial=0)), 1)  # no path has more documents
                fits = max(1, CELLS // largest)
                if len(rows) <= fits:
                    break
                many = max(fits, len(rows) // 2)
            yield Batch(rows, of[rows], queries, lengths)
            begin += len(rows)

    def _shapes(self) -> NDArray[np.uint64]:
        """A number for each session, equal where all lists are as long; rarely so of others, which costs no more than time."""
        mixed = (self.length.astype(np.uint64) + np.uint64(1)) * _odd(self.place.astype(np.uint64))
        sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(_odd(mixed), dtype=np.uint64)])
        return sums[self.begins + self.queries] - sums[self.begins]


@dataclass(frozen=True, eq=False)
class Batch:
    """Some rows of work whose sessions are alike in size.

    Parameters
    ----------
    rows
        Their numbers.
    sessions
        Session of each.
    queries, lengths
        As in `sessionkit.scoring.scan_paths.paths.PathRows`.
    """

    rows: Integers
    sessions: Integers
    queries: Integers
    lengths: Integers

    def gains(self, shown: ShownDocuments) -> Floats:
        """What every document adds: lists x ranks x rows."""
        index, column = ragged(shown.begins[self.rows], shown.many[self.rows])
        found = np.zeros((len(self.lengths), int(self.lengths.max(initial=0)), len(self.rows)))
        found[shown.place[index], shown.rank[index] - 1, column] = shown.gain[index]
        return found

    def ranks(self, shown: ShownDocuments, of: Integers | None = None) -> tuple[Integers, Floats]:
        """Rank and gain of each row's only document in every list: lists x rows; `BEYOND` and 0 where it is not shown."""
        rows = self.rows if of is None else of[self.rows]
        index, column = ragged(shown.begins[rows], shown.many[rows])
        rank = np.full(self.lengths.shape, BEYOND, dtype=np.int64)
        gain = np.zeros(self.lengths.shape)
        rank[shown.place[index], column] = shown.rank[index]
        gain[shown.place[index], column] = shown.gain[index]
        return rank, gain


@dataclass(frozen=True, eq=False)
class ShownDocuments:
    """Documents where they were shown, by the rows that they belong to: sessions or single documents.

    Parameters
    ----------
    begins, many
        Of each row: where its documents begin, and how many they are.
    place, rank, gain
        Of each document: place of its list in the session from 0, its rank, what it adds.
    """

    begins: Integers
    many: Integers
    place: Integers
    rank: Integers
    gain: Floats

    @classmethod
    def of(cls, row: Integers, rows: int, place: Integers, rank: Integers, gain: Floats) -> ShownDocuments:
        """Sort documents by their rows."""
        order = np.argsort(row, kind="stable")
        many = np.bincount(row, minlength=rows)
        return cls(np.cumsum(many) - many, many, place[order], rank[order], gain[order])


def _odd(number: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers that look like chance, always the same of a number."""
    return (number + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) ^ (number >> np.uint64(7))


def _long_runs(numbers: NDArray[np.uint64]) -> Integers:
    """Where runs of equal numbers begin and end that are worth a batch of their own; at last the end."""
    edges = np.flatnonzero(np.concatenate([[True], numbers[1:] != numbers[:-1], [True]]))
    long = np.diff(edges) >= ALIKE
    return np.unique(np.concatenate([edges[:-1][long], edges[1:][long], [len(numbers)]]))


def integers(series: pl.Series) -> Integers:
    """A column of whole numbers as an array."""
    return series.to_numpy().astype(np.int64)


def ragged(begins: Integers, many: Integers) -> tuple[Integers, Integers]:
    """Numbers of the elements of some runs, one after the other, and the number of the run of each."""
    before = np.cumsum(many) - many
    run = np.repeat(np.arange(len(many)), many)
    return (begins - before)[run] + np.arange(len(run)), run
