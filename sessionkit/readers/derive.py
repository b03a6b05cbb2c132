"""Tables a log lacks, made from the one it has: queries from results, sessions from queries, users from sessions.

Columns of the derived table that stand in the rows move to it. They should say the same in all rows of one query or
session; where they do not, the first value is kept and a warning says so.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from sessionkit.contract import RECORD, Checked, Table, check_dense, table
from sessionkit.readers.notes import Notes, counted
from sessionkit.readers.parts import LIST, Part

SESSION_COLUMNS = ("user_id", "system_id", "topic_id", "judgment_key")


def widened(own: Table, *others: Table) -> Table:
    """Return a table that also knows the optional columns of others, for rows they will be derived from."""
    fields = list(own.fields)
    for other in others:
        fields += [
            replace(field, required=False)
            for field in other.fields
            if field.name not in {known.name for known in fields}
        ]
    ordered = [rule for other in others for rule in other.rules if rule.kind == "ordered"]
    return replace(
        own, fields=tuple(fields), by_name={field.name: field for field in fields}, rules=(*own.rules, *ordered)
    )


def queries_from(seen: pl.DataFrame, *, session_too: bool, notes: Notes) -> pl.DataFrame:
    """Return one row per query of these result rows; `session_too` when sessions are derived from the same rows."""
    names = [name for name in table("queries").names if name in seen.columns and name not in LIST]
    if session_too and "judgment_key" in names and _constant(seen, "judgment_key", ["session_id"]):
        names.remove("judgment_key")
    return lifted(seen, LIST, names, notes)


def with_bare_queries(part: Part, sessions: pl.DataFrame | None, notes: Notes) -> pl.DataFrame:
    """Return the accepted queries and, for each rejected one whose place in its session is known, a bare row.

    A bare row says ``not_logged``; it keeps the queries after it where they were. `sessions` are those accepted, where
    sessions are a table of their own.
    """
    accepted = part.rows.accepted
    places = part.seen.select(LIST).unique()
    if sessions is not None:
        places = places.join(sessions, on="session_id", how="semi")
    places = check_dense(Checked(places, places.clear()), table("queries")).accepted
    bare = places.join(accepted, on=LIST, how="anti")
    if bare.is_empty():
        return accepted
    notes.tell(
        f"queries: {counted(bare.height, 'query')} rejected, kept as not logged so that later ones stay where they were"
    )
    status = pl.lit("not_logged").alias("results_status")
    return pl.concat([accepted, bare.with_columns(status)], how="diagonal_relaxed").sort(LIST)


def sessions_from(rows: pl.DataFrame, taken: list[str], notes: Notes) -> pl.DataFrame:
    """Return one row per session of these rows; columns in `taken` already went to the queries."""
    names = [
        name for name in table("sessions").names if name in rows.columns and name != "session_id" and name not in taken
    ]
    return lifted(rows, ["session_id"], names, notes)


def lifted(rows: pl.DataFrame, key: list[str], names: list[str], notes: Notes) -> pl.DataFrame:
    """Return one row per key with the first value of each of these columns, sorted by the key."""
    values = pl.col(names).drop_nulls() if names else None
    ordered = rows.select(RECORD, *key, *names).sort(RECORD)
    if values is None:
        return ordered.select(key).unique().sort(key)
    made = ordered.group_by(key).agg(values.first(), values.n_unique().name.prefix("__n_")).sort(key)
    for name in names:
        several = made.filter(pl.col(f"__n_{name}") > 1)
        if several.height:
            what = counted(several.height, "session" if key == ["session_id"] else "query")
            notes.warn(
                f"{name}: different values within {what} (first: session {several['session_id'][0]!r}); the "
                "first value is kept"
            )
    return made.select(*key, *names)


def with_users(users: pl.DataFrame | None, sessions: pl.DataFrame, notes: Notes) -> pl.DataFrame:
    """Return the users with a bare row for every user_id of the sessions that has none."""
    named = sessions.select("user_id").drop_nulls().unique()
    if users is None:
        return named.sort("user_id")
    bare = named.join(users, on="user_id", how="anti")
    if bare.height:
        notes.tell(f"users: {counted(bare.height, 'user')} of the sessions without a row, which got a bare one")
    return pl.concat([users, bare], how="diagonal_relaxed").sort("user_id")


def statuses(queries: pl.DataFrame, results: Checked, markers: Checked, *, logged: bool, notes: Notes) -> pl.DataFrame:
    """Return the queries with results_status filled: what is given stays, the rest follows from the result rows.

    A list whose every record was rejected is not known to have been empty: it is ``not_logged``.
    """
    shown = results.accepted.select(LIST).unique().with_columns(__shown=pl.lit(True))
    empty = markers.accepted.select(LIST).unique().with_columns(__empty=pl.lit(True))
    unread = results.broken.select(LIST).drop_nulls().unique().with_columns(__unread=pl.lit(True))
    given = pl.col("results_status") if "results_status" in queries.columns else pl.lit(None, dtype=pl.String)
    status = (
        pl.when("__shown")
        .then(pl.lit("shown"))
        .when("__empty")
        .then(pl.lit("empty"))
        .when("__unread")
        .then(pl.lit("not_logged"))
    )
    joined = queries.join(shown, on=LIST, how="left").join(empty, on=LIST, how="left").join(unread, on=LIST, how="left")
    joined = joined.with_columns(__known=pl.coalesce(given, status))
    silent, lost = (
        joined.filter(pl.col("__known").is_null()).height,
        joined.filter(given.is_null(), status == "not_logged").height,
    )
    if silent and logged:
        notes.tell(
            f"queries: {counted(silent, 'query')} without result rows, taken to have returned nothing; "
            "results_status can say otherwise"
        )
    if lost:
        notes.warn(f"queries: {counted(lost, 'query')} with every result row rejected, taken as not logged")
    filled = pl.col("__known").fill_null("empty" if logged else "not_logged").alias("results_status")
    return joined.with_columns(filled).drop("__shown", "__empty", "__unread", "__known").sort(LIST)


def with_defaults(sessions: pl.DataFrame, defaults: dict[str, object]) -> pl.DataFrame:
    """Return the sessions with constants where they have no value, and judgment_key from topic_id where it has none."""
    schema = table("sessions")
    missing = [pl.lit(None, dtype=pl.String).alias(name) for name in SESSION_COLUMNS if name not in sessions.columns]
    sessions = sessions.with_columns(missing)
    constants = []
    for name, value in defaults.items():
        constant = pl.lit(value, dtype=schema.by_name[name].dtype if name in schema.names else None)
        constants.append(pl.coalesce(name, constant).alias(name) if name in sessions.columns else constant.alias(name))
    return sessions.with_columns(constants).with_columns(judgment_key=pl.coalesce("judgment_key", "topic_id"))


def _constant(rows: pl.DataFrame, name: str, within: list[str]) -> bool:
    """Return whether a column has at most one value within each group."""
    counts = rows.group_by(within).agg(pl.col(name).drop_nulls().n_unique())
    return bool((counts[name] <= 1).all())
