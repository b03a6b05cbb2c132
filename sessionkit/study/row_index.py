"""Where the rows of a session stand: row numbers in place of ids, and how many rows belong together.

A saved study keeps these counts in private columns: ``__queries`` and ``__results`` of a session, ``__length`` of a
query's list, and with each result ``__judgment``, the number of its judgment (see `sessionkit.study.judgment_index`), which the
judgments have too. With them whole sessions can be read as ranges of rows, and no id has to be looked up.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sessionkit.contract.key_rules import begins
from sessionkit.errors import DataError
from sessionkit.study.facts import LIST
from sessionkit.study.judgment_index import JUDGMENT, KEY, JudgmentIndex

QUERIES, RESULTS, LENGTH = "__queries", "__results", "__length"
PRIVATE = {
    "sessions": (QUERIES, RESULTS),
    "queries": (LENGTH,),
    "results": (JUDGMENT,),
    "judgments": (KEY, JUDGMENT),
}
"""Private columns of each table of a saved study."""
NO_KEY = 2**32 - 1
"""Stands for the number of a key for which nothing is judged."""


def public(frame: pl.LazyFrame, name: str) -> pl.LazyFrame:
    """A table without its private columns."""
    return frame.drop(PRIVATE.get(name, ()), strict=False)


def session_of(rows: pl.DataFrame, sessions: pl.Series, table: str) -> pl.Series:
    """Row number of the session of every row.

    Parameters
    ----------
    rows
        A table with ``session_id``; fastest where a session's rows stand together.
    sessions
        The session_id of every session.
    table
        Name of the table, for the message.

    Raises
    ------
    DataError
        If a row's session is not among them.

    >>> rows = pl.DataFrame({"session_id": ["a", "a", "c"]})
    >>> session_of(rows, pl.Series(["a", "b", "c"]), "queries").to_list()
    [0, 0, 2]
    """
    runs = rows.get_column("session_id").rle().struct.unnest()
    if runs["value"].equals(sessions):
        return repeated(pl.int_range(len(sessions), dtype=pl.UInt32, eager=True), runs.get_column("len"))
    known = pl.DataFrame({"value": sessions}).with_row_index("session")
    numbers = runs.join(known, on="value", how="left", maintain_order="left")
    if numbers.get_column("session").null_count():
        lost = numbers.filter(pl.col("session").is_null()).get_column("value")
        msg = f"{table}: session {lost[0]!r} has rows there but none in sessions; every row needs its session"
        raise DataError(msg)
    return repeated(numbers.get_column("session"), runs.get_column("len"))


def query_of(session: pl.Series, position: pl.Series, queries: pl.DataFrame, sessions: int) -> pl.Series:
    """Row number of the query of every result, or of every list of them.

    Parameters
    ----------
    session, position
        Of each result, or each list of them: its session's row number, its query position.
    queries
        ``session`` and ``query_position`` of every query, in order.
    sessions
        Number of sessions.

    Raises
    ------
    DataError
        If a result's query is not among them.
    """
    count = counts(queries.get_column("session"), sessions)
    start = (count.cum_sum() - count).cast(pl.Int64)
    place = pl.int_range(pl.len(), dtype=pl.Int64)
    dense = queries.select((pl.col("query_position") == place - start.gather(queries["session"]) + 1).all()).item()
    if dense:
        asked = pl.DataFrame({"session": session, "position": position})
        known = asked.select(pl.col("position").is_between(1, count.gather(session))).to_series()
        number = (start.gather(session) + position.cast(pl.Int64) - 1).cast(pl.UInt32)
    else:
        pairs = queries.select("session", "query_position").with_row_index("query")
        asked = pl.DataFrame({"session": session, "query_position": position})
        found = asked.join(pairs, on=["session", "query_position"], how="left", maintain_order="left")
        number = found.get_column("query")
        known = number.is_not_null()
    if not known.all():
        lost = position.filter(~known)[0]
        msg = f"results: some rows belong to no row of queries (first: query position {lost})"
        raise DataError(msg)
    return number


def counts(numbers: pl.Series, of: int) -> pl.Series:
    """How often each number from 0 below ``of`` occurs.

    >>> counts(pl.Series([0, 0, 2], dtype=pl.UInt32), 4).to_list()
    [2, 0, 1, 0]
    """
    return pl.Series(np.bincount(numbers.to_numpy(), minlength=of).astype(np.int32))


def sums(values: pl.Series, numbers: pl.Series, of: int) -> pl.Series:
    """Sum of the whole numbers that stand with each number from 0 below ``of``; they must stay below 2^53.

    >>> sums(pl.Series([4, 5, 6]), pl.Series([0, 0, 2], dtype=pl.UInt32), 4).to_list()
    [9, 0, 6, 0]
    """
    added = np.bincount(numbers.to_numpy(), weights=values.to_numpy(), minlength=of)
    return pl.Series(values.name, added.astype(np.int64))


def placed(values: pl.Series, at: pl.Series, of: int) -> pl.Series:
    """A column of ``of`` rows with each value in its place, null elsewhere.

    >>> placed(pl.Series([7, 9]), pl.Series([2, 0], dtype=pl.UInt32), 4).to_list()
    [9, None, 7, None]
    """
    return values.gather(where(at, of))


def where(at: pl.Series, of: int) -> pl.Series:
    """For every number from 0 below ``of`` the row in which it stands, null where it does not.

    >>> where(pl.Series([2, 0], dtype=pl.UInt32), 4).to_list()
    [1, None, 0, None]
    """
    source = np.full(of, -1, dtype=np.int64)
    source[at.to_numpy()] = np.arange(len(at))
    index = pl.Series(source)
    return index if len(at) == of else pl.select(pl.when(index >= 0).then(index)).to_series()


def repeated(values: pl.Series, times: pl.Series) -> pl.Series:
    """Each value so many times, in order.

    >>> repeated(pl.Series([7, 9]), pl.Series([2, 1])).to_list()
    [7, 7, 9]
    """
    return pl.Series(values.name, np.repeat(values.to_numpy(), times.to_numpy()), dtype=values.dtype)


def numbered(
    sessions: pl.DataFrame,
    queries: pl.DataFrame,
    results: pl.DataFrame,
    pairs: JudgmentIndex,
    starts: NDArray[np.intp] | None = None,
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Put the private columns beside the public ones of some whole sessions, whose tables stand in their order.

    `starts` are the first rows of the lists among the results, where they are known.
    """
    session = session_of(queries, sessions["session_id"], "queries")
    first = np.flatnonzero(begins(results, LIST)) if starts is None else starts
    lists, length = results.select(LIST)[first], pl.Series(np.diff(first, append=len(results)))
    shown_in = session_of(lists, sessions["session_id"], "results")
    placed = queries.select("query_position", session=session)
    query = query_of(shown_in, lists["query_position"], placed, len(sessions))
    key = key_numbers(pairs, sessions, queries, session).gather(query).fill_null(NO_KEY)
    return (
        sessions.with_columns(
            counts(session, len(sessions)).alias(QUERIES),
            sums(length, shown_in, len(sessions)).cast(pl.Int32).alias(RESULTS),
        ),
        queries.with_columns(sums(length, query, len(queries)).cast(pl.Int32).alias(LENGTH)),
        results.with_columns(pairs.judgment_of(repeated(key, length), results["doc_id"]).alias(JUDGMENT)),
    )


def keys_of_queries(sessions: pl.DataFrame, queries: pl.DataFrame, session: pl.Series) -> pl.Series:
    """The judgment_key of every query: its own, else its session's."""
    inherited = sessions["judgment_key"].gather(session)
    if "judgment_key" not in queries.columns:
        return inherited
    return queries.select(pl.coalesce("judgment_key", pl.Series("inherited", inherited))).to_series()


def key_numbers(pairs: JudgmentIndex, sessions: pl.DataFrame, queries: pl.DataFrame, session: pl.Series) -> pl.Series:
    """The number of the judgment_key of every query; null where nothing is judged for it."""
    if "judgment_key" not in queries.columns:  # sessions are fewer
        return pairs.key_of(sessions["judgment_key"]).gather(session)
    return pairs.key_of(keys_of_queries(sessions, queries, session))
