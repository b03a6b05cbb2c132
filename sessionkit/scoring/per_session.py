"""What sessions have, from what their lists have: numbers for every session of a batch, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from sessionkit.scoring import exact
from sessionkit.study.row_index import counts, sums

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists


def rows_per_session(lists: Lists, rows: pl.DataFrame) -> pl.Series:
    """How many of these rows, which have a ``list``, each session has (Int64)."""
    return sums(counts(rows["list"], len(lists.queries)), lists.queries["session"], len(lists.batch.sessions))


def lists_per_session(lists: Lists) -> pl.Series:
    """How many lists that count each session has (Int64)."""
    return counts(lists.queries["session"], len(lists.batch.sessions)).cast(pl.Int64)


def with_session(lists: Lists, rows: pl.DataFrame) -> pl.DataFrame:
    """Rows with a ``list``, and the ``session`` of that list."""
    return rows.with_columns(lists.queries["session"].gather(rows["list"]).alias("session"))


def per_session(lists: Lists, rows: pl.DataFrame, value: pl.Expr) -> pl.Series:
    """An aggregate of the rows of each session, which have a ``session``; null where it has no row.

    A sum of fractions must be an exact one, see `sessionkit.scoring.exact`.
    """
    found = rows.group_by("session").agg(value.alias("value"))
    sessions = lists.batch.sessions.select("session")
    return sessions.join(found, on="session", how="left", maintain_order="left").get_column("value")


def exact_sum(value: pl.Expr) -> pl.Expr:
    """Sum of a Float64 expression, the same bits in any order; null over no value."""
    return pl.when(value.count() > 0).then(exact.unfixed(exact.fixed(value).sum()))


def share(part: pl.Series, whole: pl.Series) -> pl.Series:
    """One number as a share of another, row by row; null where the other is 0 or null."""
    both = pl.DataFrame({"part": part, "whole": whole})
    return both.select(exact.quotient(pl.col("part"), pl.col("whole"))).to_series()


def judged_sessions(lists: Lists) -> pl.Series:
    """For every session whether anything is judged for the key of any of its lists, or its own if it has no list."""
    own = lists.batch.sessions["key"].is_not_null()
    of_lists = per_session(lists, lists.queries, pl.col("key").is_not_null().any())
    return pl.select(pl.coalesce(of_lists, own)).to_series()


def where_judged(lists: Lists, values: pl.Series) -> pl.Series:
    """The values of sessions for which anything is judged, null of the others."""
    return pl.select(pl.when(judged_sessions(lists)).then(values)).to_series().cast(pl.Float64)
