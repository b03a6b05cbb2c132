"""From unchecked sources to a Study: every check in its order, missing tables derived, every record accounted for.

Parents come first: sessions, then queries, then results, so that a row whose parent was rejected is rejected with the
rule that says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from sessionkit.contract import RECORD, Checked, check_dense, check_parents, table
from sessionkit.readers.bases import shifted_part
from sessionkit.readers.derive import (
    queries_from,
    sessions_from,
    statuses,
    widened,
    with_bare_queries,
    with_defaults,
    with_users,
)
from sessionkit.readers.extras import typed_extras
from sessionkit.readers.notes import Notes, notice
from sessionkit.readers.parts import LIST, Part, plain_part, typed_part, valued_part
from sessionkit.readers.raw import Raw
from sessionkit.readers.rejection import note_rejected, refuse_first, rejected_rows
from sessionkit.readers.zones import notice_zones
from sessionkit.study import Settings, Source, Study

SESSION = ["session_id"]


@dataclass(frozen=True)
class Keys:
    """Keys of a parent table: those accepted, and all that occur in the source."""

    accepted: pl.DataFrame
    seen: pl.DataFrame


def assemble(
    raws: Mapping[str, Sequence[Raw]],
    settings: Settings,
    *,
    defaults: Mapping[str, Any],
    reader: str,
    strict: bool = False,
) -> Study:
    """Return the study of these sources; what was unusual is noted and, where scores may suffer, warned of."""
    notes = Notes()
    for raw in (raw for given in raws.values() for raw in given if not raw.records):
        notes.warn(f"{raw.source} ({raw.table}): no records, only a header")
    one = {name: given[0] for name, given in raws.items() if name != "judgments"}
    for name in ("sessions", "queries", "results"):
        if name in one:
            notice_zones(one[name], widened(*(table(other) for other in ("results", "queries", "sessions"))), notes)
    users = plain_part(one["users"]) if "users" in one else None
    sessions = plain_part(one["sessions"]) if "sessions" in one else None
    session_keys = _keys(sessions.rows, SESSION) if sessions else None
    queries, base = _queries(one.get("queries"), session_keys, notes)
    results = _results(one.get("results"), queries, session_keys, base, notes)
    query_rows, session_rows, results = _derived(sessions, queries, results, session_keys, notes)
    if results is not None:
        results = _placed(results, query_rows, queries, session_rows, session_keys)
    none = Checked(table("results").empty(tuple(LIST)), table("results").empty(tuple(LIST)))
    result_rows, markers = (results.rows, results.markers) if results else (none, none)
    query_rows = statuses(query_rows, result_rows, markers, logged=results is not None, notes=notes)
    session_rows = with_defaults(session_rows, dict(defaults))
    judgments = [plain_part(raw) for raw in raws.get("judgments", ())]
    parts = [part for part in (users, sessions, queries, results, *judgments) if part is not None]
    rejected = rejected_rows(parts)
    if strict:
        refuse_first(rejected)
    note_rejected(rejected, notes)
    study = Study(
        users=_finished("users", with_users(users.rows.accepted if users else None, session_rows, notes)),
        sessions=_finished("sessions", session_rows),
        queries=_finished("queries", query_rows),
        results=_finished("results", result_rows.accepted),
        judgments=_finished("judgments", *(part.rows.accepted for part in judgments)),
        rejected=rejected.lazy(),
        settings=settings,
        sources=tuple(_source(part) for part in parts),
        reader=reader,
    )
    notice(study, notes)
    notes.give_warnings()
    finished = replace(study, notes=tuple(notes.told))
    finished.__dict__["facts"] = study.facts
    return finished


def _queries(raw: Raw | None, sessions: Keys | None, notes: Notes) -> tuple[Part | None, bool | None]:
    """Return the checked queries source, and whether its positions count from 0."""
    if raw is None:
        return None, None
    schema = table("queries") if sessions else widened(table("queries"), table("sessions"))
    part, shifted = shifted_part(typed_part(raw, schema), notes)
    part = valued_part(part, schema, shifted=shifted)
    rows = check_parents(part.rows, schema, "sessions", sessions.accepted, sessions.seen) if sessions else part.rows
    return replace(part, rows=check_dense(rows, schema, part.seen)), "query_position" in shifted


def _results(
    raw: Raw | None, queries: Part | None, sessions: Keys | None, base: bool | None, notes: Notes
) -> Part | None:
    """Return the results source with its own rules checked."""
    if raw is None:
        return None
    derived = [] if queries else [table("queries")] if sessions else [table("queries"), table("sessions")]
    schema = widened(table("results"), *derived)
    part, shifted = shifted_part(typed_part(raw, schema), notes, positions=base)
    part = valued_part(part, schema, shifted=shifted)
    filled = (
        pl.concat([frame.select(LIST) for frame in (part.rows.accepted, part.rows.broken)])
        .unique()
        .with_columns(__filled=pl.lit(True))
    )
    markers = Checked(
        part.markers.accepted.join(filled, on=LIST, how="left", maintain_order="left"), part.markers.broken
    )
    markers = markers.rejecting(table("results").rule("marker").name, pl.col("__filled"), pl.lit(raw.empty_list))
    return replace(
        part, markers=Checked(markers.accepted.drop("__filled"), markers.broken.drop("__filled", strict=False))
    )


def _derived(
    sessions: Part | None, queries: Part | None, results: Part | None, keys: Keys | None, notes: Notes
) -> tuple[pl.DataFrame, pl.DataFrame, Part | None]:
    """Return the rows of queries and sessions, given or derived, and the results without the columns that moved."""
    moved: list[str] = []
    if queries is not None:
        query_rows = with_bare_queries(queries, keys.accepted if keys else None, notes)
        source = queries.seen.join(query_rows, on=LIST, how="semi")
    else:
        assert results is not None  # noqa: S101  # one of the two is always given
        source = results.seen if keys is None else results.seen.join(keys.accepted, on=SESSION, how="semi")
        made = queries_from(source, session_too=sessions is None, notes=notes)
        query_rows = check_dense(Checked(made, made.clear()), table("queries")).accepted
        moved = [name for name in table("queries").names if name not in LIST]
        source = source.join(query_rows, on=LIST, how="semi")
    if sessions is not None:
        session_rows = sessions.rows.accepted
    else:
        session_rows = sessions_from(
            source, [name for name in query_rows.columns if name in table("queries").names], notes
        )
        gone = [name for name in table("sessions").names if name not in SESSION]
        if queries is not None:
            query_rows = query_rows.drop([name for name in gone if name not in table("queries").names], strict=False)
        moved += gone
    if results is not None and queries is None:
        results = results.both(lambda rows: Checked(rows.accepted.drop(moved, strict=False), rows.broken))
    return query_rows, session_rows, results


def _placed(
    results: Part, query_rows: pl.DataFrame, queries: Part | None, session_rows: pl.DataFrame, keys: Keys | None
) -> Part:
    """Return the results with rows parted off that have no session, no query, or a query that showed nothing."""
    schema = table("results")
    if keys is None and queries is not None:
        keys = Keys(session_rows.select(SESSION), _keys(queries.rows, SESSION).seen)
    if keys is not None:
        sessions = keys
        results = results.both(lambda rows: check_parents(rows, schema, "sessions", sessions.accepted, sessions.seen))
    if queries is None:
        positions = results.seen.join(session_rows, on=SESSION, how="semi") if keys is not None else results.seen
        return results.both(lambda rows: check_dense(rows, table("queries"), positions))
    every = _keys(queries.rows, LIST)
    results = results.both(lambda rows: check_parents(rows, schema, "queries", every.accepted, every.seen))
    if "results_status" not in query_rows.columns:
        return results
    barred = query_rows.filter(pl.col("results_status").is_in(["empty", "not_logged"])).select(
        *LIST, __barred="results_status"
    )
    joined = Checked(
        results.rows.accepted.join(barred, on=LIST, how="left", maintain_order="left"), results.rows.broken
    )
    parted = joined.rejecting(schema.rule("shown").name, pl.col("__barred").is_not_null(), pl.col("__barred"))
    return replace(
        results, rows=Checked(parted.accepted.drop("__barred"), parted.broken.drop("__barred", strict=False))
    )


def _keys(rows: Checked, key: list[str]) -> Keys:
    """Return the keys of a parent table."""
    seen = pl.concat([rows.accepted.select(key), rows.broken.select(key)]).drop_nulls().unique()
    return Keys(rows.accepted.select(key), seen)


def _finished(name: str, *frames: pl.DataFrame) -> pl.LazyFrame:
    """Return a table with declared columns first, extras typed, private columns gone."""
    schema = table(name)
    always = (*schema.required, *(("user_id", "system_id", "topic_id", "judgment_key") if name == "sessions" else ()))
    frame = pl.concat([schema.empty(always), *frames], how="diagonal_relaxed")
    frame = typed_extras(frame.drop(RECORD, strict=False), schema)
    declared = [field for field in schema.fields if field.name in frame.columns]
    extras = [column for column in frame.columns if column not in schema.names]
    return frame.select(*(pl.col(field.name).cast(field.dtype) for field in declared), *extras).lazy()


def _source(part: Part) -> Source:
    """Return what became of a source's records."""
    return Source(
        path=part.raw.source,
        table=part.raw.table,
        records=part.raw.records,
        rows=part.rows.accepted.height,
        rejected=part.broken.height,
        empty_lists=part.markers.accepted.height,
        bytes=part.raw.bytes,
        sha256=part.raw.sha256,
    )
