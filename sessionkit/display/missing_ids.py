"""Which systems lack which topics, sessions or queries: a phrase that reading and scoring share."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

import polars as pl

from sessionkit.display.natural_order import in_natural_order

MOST_NAMED = 5
"""Systems, and ids of each, that the phrase names."""


def first_systems(systems: Iterable[str | None]) -> list[str | None]:
    """Return the systems that the phrase names: the one whose name is unknown, then the first of the others.

    >>> first_systems(["S10", "S9", None])
    [None, 'S9', 'S10']
    """
    known = {*systems}
    unnamed: list[str | None] = [None] if None in known else []
    return [*unnamed, *in_natural_order(filter(None, known))][:MOST_NAMED]


def name_missing(missing: pl.DataFrame, expected: pl.DataFrame, column: str, noun: str, *, n_more: int = 0) -> str:
    """Return which systems lack which of the ids that they should have, with counts.

    Parameters
    ----------
    missing, expected
        ``system_id`` (null where unknown) and `column`: a row for each id that a system lacks, or should have.
    column
        The column of ids.
    noun
        What the ids are, in the plural.
    n_more
        How many systems lack ids too and are not in the frames.

    Examples
    --------
    >>> expected = pl.DataFrame({"system_id": ["A", "A", "B", "B"], "topic_id": ["q1", "q2"] * 2})
    >>> name_missing(expected.tail(1), expected, "topic_id", "judged topics")
    'B lacks 1 of 2 judged topics (q2)'
    """
    totals = dict(expected.group_by("system_id").agg(pl.col(column).n_unique()).rows())
    systems = first_systems(missing["system_id"].unique())
    more = missing["system_id"].n_unique() - len(systems) + n_more
    named = missing.filter(pl.col("system_id").is_in(systems, nulls_equal=True))
    ids = {system: {*rows[column]} for (system,), rows in named.group_by("system_id")}
    order = in_natural_order({*named[column]})
    clauses = [
        f"{'the run' if system is None else system} lacks {len(ids[system]):,} of {totals[system]:,} {noun} "
        f"({_first_of(ids[system], order)})"
        for system in systems
    ]
    return "; ".join([*clauses, *([f"so do {more:,} more systems"] if more > 0 else [])])


def _first_of(ids: set[str], order: list[str]) -> str:
    """Return the first of some ids in an order, and how many more there are."""
    first = islice((name for name in order if name in ids), MOST_NAMED)
    more = len(ids) - MOST_NAMED
    return ", ".join(first) + (f" and {more:,} more" if more > 0 else "")
