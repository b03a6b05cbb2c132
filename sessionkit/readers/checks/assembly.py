"""From typed tables of whole sessions to tables of a study: every check in its order, missing tables derived.

Parents come first: sessions, then queries, then results, so that a row whose parent was rejected is rejected with the
rule that says so. What is assembled may be a whole log or some sessions of it; what the whole has to decide is decided
(``whole_log.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sessionkit.contract import CheckedRows, check_parents, check_reach, table
from sessionkit.contract.key_rules import distinct, keys_of, starts_of
from sessionkit.readers.checks.counts import NONE, AnomalyCounts, Found
from sessionkit.readers.checks.derive import (
    beyond_reach,
    queries_from,
    sessions_from,
    statuses,
    with_bare_queries,
    with_columns_of,
    with_defaults,
    with_missing_queries,
    without_disorder,
)
from sessionkit.readers.checks.log_schemas import log_schemas
from sessionkit.readers.checks.source_checks import LIST, CheckedSource, valued_part
from sessionkit.readers.checks.whole_log import Decisions, shifted

SESSION = ["session_id"]


@dataclass(frozen=True)
class Assembled:
    """The tables of some whole sessions, their extras not yet typed; the checked sources; what was counted.

    Parameters
    ----------
    sessions, queries, results
        Rows that keep every rule, in the order of their keys.
    parts
        The sources, with all that was rejected.
    counts
        What was unusual.
    starts
        The first row of every list among the results.
    """

    sessions: pl.DataFrame
    queries: pl.DataFrame
    results: pl.DataFrame
    parts: tuple[CheckedSource, ...]
    counts: AnomalyCounts
    starts: NDArray[np.intp]


@dataclass(frozen=True)
class Keys:
    """Keys of a parent table: those accepted, and all that occur in the source."""

    accepted: pl.DataFrame
    seen: pl.DataFrame


def assemble(
    typed: Mapping[str, CheckedSource], decided: Decisions, defaults: Mapping[str, Any], missing: str | None = None
) -> Assembled:
    """Return the tables of these sessions from the typed sources of sessions, queries and results, where given.

    `missing` is the results_status of queries whose position no record has, by default ``not_logged``.
    """
    schemas = log_schemas({name: part.rows.accepted.columns for name, part in typed.items()})
    checked = {
        name: valued_part(shifted(part, moved), schemas[name], shifted=moved)
        for name, part in typed.items()
        for moved in [decided.moved.get(name, [])]
    }
    sessions = checked.get("sessions")
    session_keys = _keys(sessions.rows, SESSION) if sessions else None
    queries = _queries(checked["queries"], session_keys) if "queries" in checked else None
    results = _unfilled(checked["results"]) if "results" in checked else None
    query_rows, session_rows, results, told = _derived(sessions, queries, results, session_keys, decided)
    given = [part for part in (queries, results) if part is not None]
    query_rows, filled = with_missing_queries(query_rows, missing or "not_logged", given)
    if results is not None:
        results = _placed(results, query_rows, queries, session_rows, session_keys)
    nothing = table("results").empty(table("results").required)
    none = CheckedRows(nothing, nothing)
    result_rows, markers = (results.rows, results.markers) if results else (none, none)
    declared = typed["queries"].raw.without_results if "queries" in typed else None
    query_rows, unusual = statuses(
        query_rows, result_rows, markers, logged=results is not None, without_results=declared
    )
    return Assembled(
        sessions=with_defaults(session_rows, dict(defaults)),
        queries=query_rows,
        results=result_rows.accepted,
        parts=tuple(part for part in (sessions, queries, results) if part is not None),
        starts=starts_of(result_rows, LIST),
        counts=replace(
            told,
            silent=unusual["silent"],
            lost=unusual["lost"],
            hollow=unusual["hollow"],
            far=beyond_reach(query_rows, [part for part in (queries, results) if part is not None]),
            worded=results.kept_as_results if results is not None else 0,
            rankless=results.rankless if results is not None else NONE,
            **filled,
        ),
    )


def _queries(part: CheckedSource, sessions: Keys | None) -> CheckedSource:
    """Return the queries source with parents and positions checked."""
    schema = table("queries")
    if sessions:
        part = replace(part, rows=check_parents(part.rows, schema, "sessions", sessions.accepted, sessions.seen))
    return replace(part, rows=check_reach(part.rows, schema, None if part.is_whole else part.seen()))


def _unfilled(results: CheckedSource) -> CheckedSource:
    """Return the results source with markers parted off that call a list empty which has rows."""
    if results.markers.accepted.is_empty():
        return results
    filled = pl.concat([frame.select(LIST) for frame in (results.rows.accepted, results.rows.broken)])
    marked = results.markers.accepted.join(
        filled.unique().with_columns(__filled=pl.lit(True)), on=LIST, how="left", maintain_order="left"
    )
    rule = table("results").rule("marker").name
    markers = CheckedRows(marked, results.markers.broken).rejecting(
        rule, pl.col("__filled"), pl.lit(results.raw.empty_list)
    )
    return replace(
        results, markers=CheckedRows(markers.accepted.drop("__filled"), markers.broken.drop("__filled", strict=False))
    )


def _derived(
    sessions: CheckedSource | None,
    queries: CheckedSource | None,
    results: CheckedSource | None,
    keys: Keys | None,
    decided: Decisions,
) -> tuple[pl.DataFrame, pl.DataFrame, CheckedSource | None, AnomalyCounts]:
    """Return the rows of queries and sessions, given or derived, and the results without the columns that moved."""
    bare, differing, disordered = 0, dict[tuple[str, str], Found](), dict[tuple[str, str], Found]()
    session_names = [name for name in table("sessions").names if name not in SESSION]
    query_names = [name for name in table("queries").names if name not in LIST]
    if queries is not None:
        query_rows, bare = with_bare_queries(queries, keys.accepted if keys else None)
        source = queries.seen(*session_names) if sessions is None else None
        source = source if source is None or queries.is_whole else _reached(source, query_rows)
    else:
        assert results is not None  # noqa: S101  # one of the two is always given
        source = results.seen(*query_names, *(session_names if sessions is None else ()))
        source = source if keys is None else _within(source, keys.accepted, SESSION)
        made, told = queries_from(source, key_too=sessions is not None or decided.key_of_queries)
        differing |= _named("queries", told)
        query_rows = check_reach(CheckedRows(made, made.clear()), table("queries")).accepted
        results = _without(results, query_names)
        source = _reached(source, query_rows)
    if sessions is not None:
        session_rows = sessions.rows.accepted
    else:
        assert source is not None  # noqa: S101  # it is made where sessions are not given
        session_rows, told = sessions_from(source, [name for name in query_rows.columns if name in query_names])
        differing |= _named("sessions", told)
        query_rows = query_rows.drop([name for name in session_names if name not in query_names], strict=False)
        results = _without(results, session_names) if queries is None else results
    for part in (queries, results):
        lacking = [name for name in session_names if name not in (*session_rows.columns, *query_names)]
        lent = [name for name in lacking if part is not None and name in part.rows.accepted.columns]
        if part is not None and lent:
            session_rows, told = with_columns_of(part.seen(*lent), session_rows, lent)
            differing |= _named("sessions", told)
            query_rows, results = query_rows.drop(lent, strict=False), _without(results, lent)
            session_rows, found = without_disorder(session_rows)
            disordered |= found
    return query_rows, session_rows, results, AnomalyCounts(bare=bare, differing=differing, disordered=disordered)


def _without(results: CheckedSource | None, names: list[str]) -> CheckedSource | None:
    """Return the results without columns that moved to other tables."""
    if results is None:
        return None
    return results.both(lambda rows: CheckedRows(rows.accepted.drop(names, strict=False), rows.broken))


def _within(rows: pl.DataFrame, keys: pl.DataFrame, on: list[str]) -> pl.DataFrame:
    """Return the rows whose key is among these."""
    outside = distinct(rows, on).join(keys, on=on, how="anti")
    return rows if outside.is_empty() else rows.join(outside, on=on, how="anti")


def _reached(rows: pl.DataFrame, queries: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of these queries, and those of sessions that have none of them, which stay all the same."""
    places = distinct(rows, LIST)
    outside = places.join(queries, on=LIST, how="anti").join(queries, on=SESSION, how="semi")
    return rows if outside.is_empty() else rows.join(outside, on=LIST, how="anti")


def _named(name: str, told: dict[str, Found]) -> dict[tuple[str, str], Found]:
    """Return what was found of columns under the name of the derived table as well."""
    return {(name, column): found for column, found in told.items()}


def _placed(
    results: CheckedSource,
    query_rows: pl.DataFrame,
    queries: CheckedSource | None,
    session_rows: pl.DataFrame,
    keys: Keys | None,
) -> CheckedSource:
    """Return the results with rows parted off that have no session, no query, or a query that showed nothing."""
    schema = table("results")
    keys_of(results.rows, LIST)  # sessions are then found among them, which are fewer
    if keys is None and queries is not None:
        keys = Keys(session_rows.select(SESSION), _keys(queries.rows, SESSION).seen)
    if keys is not None:
        sessions = keys
        results = results.both(lambda rows: check_parents(rows, schema, "sessions", sessions.accepted, sessions.seen))
    if queries is None:
        positions = results.seen() if keys is None else _within(results.seen(), session_rows, SESSION)
        return results.both(lambda rows: check_reach(rows, table("queries"), positions))
    every = _keys(queries.rows, LIST)
    results = results.both(lambda rows: check_parents(rows, schema, "queries", every.accepted, every.seen))
    if "results_status" not in query_rows.columns:
        return results
    barred = query_rows.filter(pl.col("results_status").is_in(["empty", "not_logged"])).select(
        *LIST, __barred="results_status"
    )
    if barred.is_empty():
        return results
    joined = CheckedRows(
        results.rows.accepted.join(barred, on=LIST, how="left", maintain_order="left"), results.rows.broken
    )
    parted = joined.rejecting(schema.rule("shown").name, pl.col("__barred").is_not_null(), pl.col("__barred"))
    return replace(
        results, rows=CheckedRows(parted.accepted.drop("__barred"), parted.broken.drop("__barred", strict=False))
    )


def _keys(rows: CheckedRows, key: list[str]) -> Keys:
    """Return the keys of a parent table."""
    seen = [frame.select(key) for frame in (rows.accepted, rows.broken)]
    return Keys(rows.accepted.select(key), pl.concat(seen))
