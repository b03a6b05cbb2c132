"""The log in the order of its new session ids, part by part, in little more memory than one part takes.

What comes in the old order is cut by the place in the new one, laid aside in files, and gathered part by part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import polars as pl

from sessionkit.privacy.tables import PLACE
from sessionkit.study.row_index import QUERIES, RESULTS, repeated
from sessionkit.study.storage import LOG, StudyBatch


def in_new_order(parts: Iterable[StudyBatch], sessions: int, many: int, workspace: Path) -> Iterator[StudyBatch]:
    """Hand on the sessions of some parts in the order of their `PLACE`.

    Parameters
    ----------
    parts
        Whole sessions as `Renaming.part` returns them.
    sessions
        How many sessions there are in all.
    many
        In how many parts they are handed on, 1 or more; with 1 nothing is laid aside.
    workspace
        A directory for files that are needed until the last part is handed on.
    """
    if many == 1:
        made = list(parts)
        yield gathered({name: [getattr(part, name) for part in made] for name in LOG})
        return
    size = -(-sessions // many)
    for number, part in enumerate(parts):
        lay_aside(arranged(part), size, number, workspace)
    for folder in sorted(workspace.iterdir()):
        yield gathered({name: [pl.read_parquet(piece) for piece in sorted(folder.glob(f"*.{name}"))] for name in LOG})


def arranged(part: StudyBatch) -> StudyBatch:
    """The sessions of a part in the order of their places, with their queries and results."""
    order = part.sessions[PLACE].arg_sort()
    return StudyBatch(
        part.sessions[order],
        part.queries[rows_of(part.sessions[QUERIES], order)],
        part.results[rows_of(part.sessions[RESULTS], order)],
    )


def rows_of(many: pl.Series, order: pl.Series) -> pl.Series:
    """The rows of things that have so many each, the things taken in another order.

    >>> rows_of(pl.Series([2, 1, 2]), pl.Series([2, 0, 1])).to_list()
    [3, 4, 0, 1, 2]
    """
    length = many.to_numpy().astype(np.int64)
    start = length.cumsum() - length
    taken = length[order.to_numpy()]
    shift = start[order.to_numpy()] - (taken.cumsum() - taken)
    return pl.Series(np.repeat(shift, taken) + np.arange(taken.sum()), dtype=pl.UInt32)


def gathered(pieces: dict[str, list[pl.DataFrame]]) -> StudyBatch:
    """Pieces of the three tables as one part in its new order."""
    sessions, queries, results = (pl.concat(pieces[name]) for name in LOG)
    return finished(arranged(StudyBatch(sessions, queries, results)))


def lay_aside(part: StudyBatch, size: int, number: int, workspace: Path) -> None:
    """Write the pieces of an arranged part that come among the first, second... so many sessions of all."""
    if not len(part.sessions):
        return
    batch = part.sessions[PLACE] // size
    runs = batch.rle().struct.unnest()
    at = [0, 0, 0]
    for which, length in zip(runs["value"].to_list(), runs["len"].to_list(), strict=True):
        own = part.sessions.slice(at[0], length)
        lengths = [length, own[QUERIES].sum(), own[RESULTS].sum()]
        folder = workspace / f"{which:06}"
        folder.mkdir(exist_ok=True)
        for place, name in enumerate(LOG):
            piece = getattr(part, name).slice(at[place], lengths[place])
            piece.write_parquet(folder / f"{number:06}.{name}", compression="lz4", statistics=False)
            at[place] += lengths[place]


def finished(part: StudyBatch) -> StudyBatch:
    """A part whose queries and results have the ids of their sessions, without what was needed on the way."""
    ids = part.sessions["session_id"]
    row = pl.int_range(len(ids), dtype=pl.UInt32, eager=True)
    queries, results = (
        frame.insert_column(0, ids.gather(repeated(row, part.sessions[many])))
        for frame, many in ((part.queries, QUERIES), (part.results, RESULTS))
    )
    return StudyBatch(part.sessions.drop(PLACE, QUERIES, RESULTS), queries, results)
