"""How many queries and lists of every session were logged: of a saved study from the places of its rows, without their ids."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from sessionkit.study.row_index import QUERIES, repeated, sums
from sessionkit.study.storage import scan_files
from sessionkit.study.study import Study

MANY = "many"
"""Column of the number of queries, or lists, of a session."""


def logged_queries(study: Study, columns: Sequence[str]) -> pl.DataFrame:
    """Return columns of the sessions with `MANY`, the number of their queries (Int64), in the order of the sessions.

    Queries whose list was not logged count too; `logged_lists` leaves them out.

    Parameters
    ----------
    columns
        Columns of the sessions.

    >>> import sessionkit as sk
    >>> lists = {"session_id": ["s", "s", "z"], "query_position": [1, 2, 1], "rank": [1, 1, 1], "doc_id": ["a", "b", "c"]}
    >>> logged_queries(sk.from_tables(lists), ["session_id"]).rows()
    [('s', 2), ('z', 1)]
    """
    if _is_whole(study):
        with study.reading():
            return _stored(study, columns)
    return _counted(study, study.queries, columns)


def logged_lists(study: Study, columns: Sequence[str]) -> pl.DataFrame:
    """Return columns of the sessions with `MANY`, the number of their queries whose list was logged (Int64).

    Parameters
    ----------
    columns
        Columns of the sessions.

    >>> import sessionkit as sk
    >>> queries = {"session_id": ["s", "s"], "query_position": [1, 2], "results_status": ["shown", "not_logged"]}
    >>> lists = {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]}
    >>> logged_lists(sk.from_tables(lists, queries=queries), ["session_id"]).rows()
    [('s', 1)]
    """
    if not study.facts.not_logged:
        return logged_queries(study, columns)
    if _is_whole(study):
        with study.reading():
            return _stored(study, columns, lists=True)
    return _counted(study, study.queries.filter(has_list()), columns)


def _is_whole(study: Study) -> bool:
    """Whether all sessions of a saved study take part, so that the places of its rows can be counted."""
    return bool(study.storage.stored) and all(part.chosen is None for part in study.storage.stored or ())


def _counted(study: Study, queries: pl.LazyFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Count queries by the ids of their sessions."""
    counts = queries.group_by("session_id").agg(pl.len().cast(pl.Int64).alias(MANY))
    sessions = study.sessions.select(*dict.fromkeys(["session_id", *columns]))
    counted = sessions.join(counts, on="session_id", how="left", maintain_order="left")
    return counted.select(*columns, pl.col(MANY).fill_null(0)).collect()


def _stored(study: Study, columns: Sequence[str], *, lists: bool = False) -> pl.DataFrame:
    """Count the queries of a saved study, or its lists, by the places of its rows."""
    stored = study.storage.stored or ()
    files = {name: [part.files[name] for part in stored] for name in ("sessions", "queries")}
    options = stored[0].options
    sessions = scan_files(files["sessions"], options).select(*columns, pl.col(QUERIES).cast(pl.Int64).alias(MANY))
    counted = sessions.collect()
    study.require_unchanged()
    if not lists:
        return counted
    logged = scan_files(files["queries"], options).select(has_list().cast(pl.Int64).alias(MANY)).collect()
    session = repeated(pl.int_range(len(counted), dtype=pl.UInt32, eager=True), counted[MANY])
    return counted.with_columns(sums(logged[MANY], session, len(counted)))


def has_list() -> pl.Expr:
    """Whether the list of a query was logged."""
    return pl.col("results_status") != "not_logged"
