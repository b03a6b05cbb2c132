"""Expected sums over the paths of a searcher, exactly, by dynamic programming over the documents read so far.

The path of a searcher is what was read, list after list; a document's place in it depends on where earlier lists were
left. What a path is worth is a sum over its documents, so that for every number of documents read it is enough to know
the chance to be there and the sum expected there: one pass over the lists, instead of all paths or a sample of them.

Arrays have a column for every session (or row of work), which stands alone: sums run down the columns one by one, so
that a session has the same bits beside whatever others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sessionkit.scoring.scan_paths.walk import Floats, Integers, Walk


@dataclass(frozen=True, eq=False)
class PathRows:
    """Sessions as arrays: a column each.

    Parameters
    ----------
    queries
        Number of lists of each session.
    lengths
        Documents of each list: lists x sessions; 0 where there is no such list.
    gains
        What each document adds before it is discounted: lists x ranks x sessions.
    seen
        Rank from which on the row's only document has been read: lists x sessions; beyond the end where the list does
        not have it. Then it gains no more in later lists. None where every document gains every time.
    """

    queries: Integers
    lengths: Integers
    gains: Floats
    seen: Integers | None = None

    @cached_property
    def shapes(self) -> Integers:
        """The lengths where chances differ: of one session, if all are as long and documents gain every time."""
        alike = self.seen is None and bool((self.lengths == self.lengths[:, :1]).all())
        return self.lengths[:, :1] if alike else self.lengths

    @property
    def longest(self) -> int:
        """Documents that no path exceeds: those of the longest first list, the longest second..."""
        return longest(self.lengths)


def discounted(walk: Walk, rows: PathRows, discount: Floats, bases: Floats | None = None) -> Floats:
    """Expectation of the sum of discounted gains along the path, divided by that of the best path of its length.

    Parameters
    ----------
    discount
        Discount of the 1st, 2nd... document of a path, at least as many as the longest has.
    bases
        What a path of 0, 1, 2... documents is divided by: lengths x sessions; a path with 0 counts 0. Nothing if not
        given.
    """
    total = np.zeros((rows.longest + 1, len(rows.queries)))
    for at, value in _sums_by_length(walk, rows, discount):
        total[: len(value)] += walk.ends(at, rows.queries) * value
    return summed(total if bases is None else shares(total, bases[: len(total)]))


def average_precision(walk: Walk, rows: PathRows) -> Floats:
    """Expectation of the sum of the precisions at each relevant document of the path; gains are 1 where relevant."""
    total = np.zeros(len(rows.queries))
    chance = np.ones((1, rows.shapes.shape[1]))
    found, value = np.zeros((2, 1, len(total)))
    lists = zip(rows.lengths, rows.shapes, rows.gains, strict=True)
    for at, (length, shape, relevant) in enumerate(lists, 1):
        after_chance = longer(chance, shape)
        after_found, after_value = longer(found, length), longer(value, length)
        once, before, here = np.zeros_like(found), np.zeros_like(found), np.zeros(len(total))
        for read, stop in stops(walk, shape):
            if read and relevant[read - 1].any():
                place = 1 / np.arange(read, read + len(chance), dtype=np.float64)[:, None]
                here = here + relevant[read - 1]
                once += relevant[read - 1] * place
                before += (relevant[read - 1] * here) * place
            to = slice(read, read + len(chance))
            after_chance[to] += stop * chance
            after_found[to] += stop * (found + here * chance)
            after_value[to] += stop * (value + found * once + chance * before)
        chance, found, value = after_chance, after_found, after_value
        total += walk.ends(at, rows.queries) * summed(value)
    return total


def _sums_by_length(walk: Walk, rows: PathRows, discount: Floats) -> Iterator[tuple[int, Floats]]:
    """After each list: its place, and the sum expected at every number of documents read, times the chance of that."""
    value = np.zeros((1, len(rows.queries)))
    chance = np.ones((1, rows.shapes.shape[1]))
    for at, (length, shape, gains) in enumerate(zip(rows.lengths, rows.shapes, rows.gains, strict=True), 1):
        after_chance, after_value = longer(chance, shape), longer(value, length)
        passing = np.empty_like(value)
        for read, stop in stops(walk, shape):
            if read and gains[read - 1].any():
                place = discount[read - 1 : read - 1 + len(chance), None]
                value += np.multiply(gains[read - 1], chance * place, out=passing)
            to = slice(read, read + len(chance))
            after_value[to] += np.multiply(value, stop, out=passing)
            unread = stop if rows.seen is None else np.where(read < rows.seen[at - 1], stop, 0.0)
            after_chance[to] += chance * unread
        chance, value = after_chance, after_value
        yield at, value


def stops(walk: Walk, length: Integers) -> Iterator[tuple[int, Floats]]:
    """Each number of documents that may be read of a list, and its chance."""
    first = 0 if len(length) and int(length.min()) == 0 else 1
    for read in range(first, int(length.max(initial=0)) + 1):
        yield read, walk.stops(read, length)


def longer(before: Floats, length: Integers) -> Floats:
    """Zeros for as many documents read as before and those of one more list."""
    return np.zeros((len(before) + int(length.max(initial=0)), before.shape[1]))


def longest(lengths: Integers) -> int:
    """Documents that no path exceeds, of lists x sessions."""
    return int(lengths.max(axis=1, initial=0).sum())


def shares(value: Floats, base: Floats) -> Floats:
    """Divide, 0 where there is nothing to divide by."""
    return np.divide(value, base, out=np.zeros_like(value), where=base > 0)


def summed(values: Floats) -> Floats:
    """Sum down each column, one by one from the top, whatever stands beside it.

    numpy's own sum adds in another order where there is a single column.
    """
    total = np.zeros(values.shape[1])
    for row in values:
        total += row
    return total
