"""How many logged queries every session has: of a saved study from the places of its rows, without a look at their ids."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from sessionkit.study.row_index import QUERIES, repeated, sums
from sessionkit.study.storage import scan_files
from sessionkit.study.study import Study

MANY = "many"
"""Column of the logged queries of a session."""


def logged_queries(study: Study, columns: Sequence[str]) -> pl.DataFrame:
    """Some columns of the sessions with `MANY`, the number of their logged queries (Int64), in the order of the sessions.

    Parameters
    ----------
    columns
        Columns of the sessions.

    >>> import sessionkit as sk
    >>> lists = {"session_id": ["s", "s", "z"], "query_position": [1, 2, 1], "rank": [1, 1, 1], "doc_id": ["a", "b", "c"]}
    >>> logged_queries(sk.from_tables(lists), ["session_id"]).rows()
    [('s', 2), ('z', 1)]
    """
    if study.storage.stored and all(part.chosen is None for part in study.storage.stored):
        with study.reading():
            return _stored(study, columns)
    logged = study.queries.filter(is_logged()).group_by("session_id").agg(pl.len().cast(pl.Int64).alias(MANY))
    asked = study.sessions.select(*dict.fromkeys(["session_id", *columns]))
    counted = asked.join(logged, on="session_id", how="left", maintain_order="left")
    return counted.select(*columns, pl.col(MANY).fill_null(0)).collect()


def _stored(study: Study, columns: Sequence[str]) -> pl.DataFrame:
    """The same of a saved study."""
    stored = study.storage.stored or ()
    files = {name: [part.files[name] for part in stored] for name in ("sessions", "queries")}
    options = stored[0].options
    sessions = scan_files(files["sessions"], options).select(*columns, pl.col(QUERIES).cast(pl.Int64).alias(MANY))
    counted = sessions.collect()
    study.require_unchanged()
    if not study.facts.not_logged:
        return counted
    logged = scan_files(files["queries"], options).select(is_logged().cast(pl.Int64).alias(MANY)).collect()
    session = repeated(pl.int_range(len(counted), dtype=pl.UInt32, eager=True), counted[MANY])
    return counted.with_columns(sums(logged[MANY], session, len(counted)))


def is_logged() -> pl.Expr:
    """Whether a query was logged."""
    return pl.col("results_status") != "not_logged"
