"""Which columns of a log count: queries within a session and ranks within a list, told by how they run."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from sessionkit.readers.propose.column_names import LIKELY, likeness
from sessionkit.readers.propose.contents import SampleColumn

ROWS = 10_000
"""Rows by which columns are tried."""
TRIED = 6
"""Columns that are tried for each of the three."""
LEAST = 0.6
"""How well a layout must fit to be taken for one, unless all its names are usual."""
SURE = 0.95
"""How well it must where the position has no name of one."""


@dataclass(frozen=True)
class ListColumns:
    """Columns that lay out a log: its sessions, the queries in them and, where there are any, ranks.

    Parameters
    ----------
    session, position, rank
        Names of columns; no rank in a table of queries.
    fit
        How well they fit, from 0 to 1.
    gaps
        The share of sessions whose queries are not numbered without gaps from 0 or 1.
    twice
        The share of lists in which a rank comes twice.
    """

    session: str
    position: str
    rank: str | None
    fit: float
    gaps: float = 0.0
    twice: float = 0.0


def layout_of(columns: dict[str, SampleColumn], *, ranked: bool, named: bool) -> ListColumns | None:
    """Return the columns that lay out a log best; None where none do.

    Parameters
    ----------
    ranked
        Whether ranks are looked for.
    named
        Whether the columns have names, which then count as well.
    """
    things = [
        one for one in columns.values() if one.distinct > 1 or len(one.texts) < 3 or likeness(one.name, "session_id")
    ]
    counting = [one for one in columns.values() if one.counts]
    sessions = _likely([one for one in things if one.filled > 0.9], "session_id", named=named)
    positions = _likely(counting, "query_position", named=named, alone=not ranked)
    ranks: Sequence[str | None] = _likely(counting, "rank", named=named) if ranked else [None]
    tried = [three for three in itertools.product(sessions, positions, ranks) if len(set(three)) == 3]
    likes = {three: _likes(*three) if named else [0.0] for three in tried}
    best: tuple[float, int, ListColumns] | None = None
    for three in sorted(tried, key=lambda three: -sum(likes[three])):
        like = likes[three]
        if best is not None and named and best[0] >= sum(like) + 1:  # no layout fits better than by 1
            break
        if named and ranked and not like[2]:  # what has a name is no rank for its values alone
            continue
        layout = _tried(columns, *three)
        least = 0.0 if min(like) >= LIKELY else SURE if named and not like[1] else LEAST
        value, many = round(layout.fit + sum(like), 9), columns[layout.session].distinct
        if layout.fit >= least and (
            best is None or (value, many) > best[:2]
        ):  # of two that run alike, sessions are more
            best = (value, many, layout)
    return best[2] if best else None


def _likely(columns: Sequence[SampleColumn], ours: str, *, named: bool, alone: bool = False) -> list[str]:
    """Return the names of the columns to try, the likeliest by name first."""
    score = {
        one.name: likeness(one.name, ours) or (0.2 if alone and likeness(one.name, "rank") else 0.0) for one in columns
    }
    order = sorted(columns, key=lambda one: (-score[one.name] if named else 0, one.place))
    return [one.name for one in order][:TRIED]


def _likes(session: str, position: str, rank: str | None) -> list[float]:
    """Return how much the names of a layout are those of one; a position alone may be called as a rank is."""
    alone = likeness(position, "rank") if rank is None else 0.0
    ranks = [likeness(rank, "rank")] if rank is not None else []
    return [likeness(session, "session_id"), likeness(position, "query_position") or alone, *ranks]


def _tried(columns: dict[str, SampleColumn], session: str, position: str, rank: str | None) -> ListColumns:
    """Return a layout with how well it fits: sessions numbered without gaps, ranks that come once in a list."""
    frame = pl.DataFrame(
        {
            "s": columns[session].texts.head(ROWS),
            "p": columns[position].integers.head(ROWS),
            "r": columns[rank].integers.head(ROWS) if rank else None,
        }
    ).filter(pl.col("s").is_not_null() & pl.col("p").is_not_null())
    if frame.is_empty():
        return ListColumns(session, position, rank, 0.0)
    numbered = frame.group_by("s").agg(
        pl.col("p").min().alias("low"), pl.col("p").max().alias("high"), pl.col("p").n_unique().alias("n")
    )
    dense = numbered.select(
        (pl.col("low").is_in([0, 1]) & (pl.col("high") - pl.col("low") + 1 == pl.col("n"))).mean()
    ).item()
    if rank is None:
        alone = frame.n_unique(["s", "p"]) / frame.height
        return ListColumns(session, position, None, float(dense * alone), 1 - float(dense))
    ranked = frame.filter(pl.col("r").is_not_null())
    if ranked.is_empty():
        return ListColumns(session, position, rank, 0.0)
    lists = ranked.group_by("s", "p").agg(
        pl.col("r").n_unique().alias("n"),
        pl.len().alias("rows"),
        (pl.col("r").max() - pl.col("r").min() + 1).alias("span"),
        pl.col("r").min().alias("low"),
    )
    once, run, start = lists.select(
        (pl.col("n") == pl.col("rows")).mean(),
        (pl.col("span") == pl.col("n")).mean(),
        (pl.col("low").is_in([0, 1])).mean().alias("start"),
    ).row(0)
    many = min(1.0, ranked.height / lists.height / 1.5)
    # in most logs the rows of a list stand together: of two columns that count, the rank runs faster
    together = ranked.select((pl.struct("s", "p") == pl.struct("s", "p").shift()).mean()).item() or 0.0
    fit = once * (0.6 + 0.4 * dense) * (0.7 + 0.1 * run + 0.1 * start + 0.05 * many + 0.05 * together)
    return ListColumns(session, position, rank, float(fit), 1 - float(dense), 1 - float(once))
