"""Which systems lack which topics, sessions or queries: a phrase that reading and scoring share."""

from __future__ import annotations

import polars as pl

from sessionkit.display.natural_order import in_natural_order

MOST_NAMED = 5
"""Systems, and ids of each, that the phrase names."""


def name_missing(missing: pl.DataFrame, expected: pl.DataFrame, column: str, noun: str) -> str:
    """Return which systems lack which of the ids that they should have, with counts.

    Parameters
    ----------
    missing, expected
        ``system_id`` (null where unknown) and `column`: a row for each id that a system lacks, or should have.
    column
        The column of ids.
    noun
        What the ids are, in the plural.

    Examples
    --------
    >>> expected = pl.DataFrame({"system_id": ["A", "A", "B", "B"], "topic_id": ["q1", "q2"] * 2})
    >>> name_missing(expected.tail(1), expected, "topic_id", "judged topics")
    'B lacks 1 of 2 judged topics (q2)'
    """
    totals = dict(expected.group_by("system_id").agg(pl.col(column).n_unique()).rows())
    ids = dict(missing.group_by("system_id").agg(pl.col(column).unique()).rows())
    systems = [system for system in (None, *in_natural_order(filter(None, ids))) if system in ids]
    clauses = [
        f"{'the run' if system is None else system} lacks {len(ids[system]):,} of {totals[system]:,} {noun} "
        f"({_first_of(in_natural_order(ids[system]))})"
        for system in systems[:MOST_NAMED]
    ]
    more = len(systems) - MOST_NAMED
    return "; ".join([*clauses, *([f"so do {more:,} more systems"] if more > 0 else [])])


def _first_of(ids: list[str]) -> str:
    """Return the first of some ids, and how many more there are."""
    more = len(ids) - MOST_NAMED
    return ", ".join(ids[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
