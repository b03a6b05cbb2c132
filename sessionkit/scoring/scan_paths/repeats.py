"""Documents shown again, of which only the first reading gains, and what they add to each other's precision.

Whether a document gains where it is shown again depends on whether the searcher came so far the first time. A sum over
the documents of a path is the sum of what each adds, so that each document shown again gets a row of its own, which
remembers that it has not been read (`sessionkit.scoring.scan_paths.paths.PathRows.seen`). A precision counts the relevant
documents before one as well: that is a sum over pairs of documents, each with a row that remembers both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sessionkit.scoring.scan_paths.paths import longer, stops, summed
from sessionkit.scoring.scan_paths.walk import Floats, Integers, Walk


@dataclass(frozen=True, eq=False)
class RepeatPairs:
    """Pairs of documents of sessions as arrays: a column each.

    Parameters
    ----------
    queries, lengths
        As in `sessionkit.scoring.scan_paths.paths.PathRows`.
    rank, other
        Rank of one document and of the other: lists x pairs; beyond the end where the list does not have it.
    gain, other_gain
        1 where the document shown there is relevant, else 0: lists x pairs.
    """

    queries: Integers
    lengths: Integers
    rank: Integers
    other: Integers
    gain: Floats
    other_gain: Floats


def found_before(walk: Walk, pairs: RepeatPairs) -> Floats:
    """Expectation of 1 / the place in the path where one document is first read, if the other was read before."""
    many = len(pairs.queries)
    total = np.zeros(many)
    neither, other = np.ones((1, many)), np.zeros((1, many))
    for at, length in enumerate(pairs.lengths, 1):
        rank, rank_other = pairs.rank[at - 1], pairs.other[at - 1]
        gain, gain_other = pairs.gain[at - 1], pairs.other_gain[at - 1]
        place = np.arange(len(neither), dtype=np.float64)[:, None] + rank
        above = other + neither * np.where(rank_other < rank, gain_other, 0.0)
        total += walk.comes(at, pairs.queries) * walk.reads(rank, length) * gain * summed(above / place)
        after_neither, after_other = longer(neither, length), longer(other, length)
        for read, stop in stops(walk, length):
            to = slice(read, read + len(neither))
            unread = np.where(read < rank, stop, 0.0)
            came = read >= rank_other
            after_neither[to] += np.where(came, 0.0, unread) * neither
            after_other[to] += unread * (other + np.where(came, gain_other, 0.0) * neither)
        neither, other = after_neither, after_other
    return total
