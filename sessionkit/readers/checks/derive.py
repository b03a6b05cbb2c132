"""Tables a log lacks, made from the one it has: queries from results, sessions from queries, users from sessions; so are columns
of sessions that their table lacks.

Columns of the derived table that stand in the rows move to it. They should say the same in all rows of one query or
session; where they do not, the first value is kept and a warning says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from sessionkit.contract import RECORD, RULE, CheckedRows, check_reach, table
from sessionkit.contract.key_rules import changes, distinct, in_order, is_dense, keys_of, rises
from sessionkit.contract.rules import value_rules
from sessionkit.display.words import counted
from sessionkit.readers.checks.counts import NONE, Found
from sessionkit.readers.checks.notes import Notes
from sessionkit.readers.checks.source_checks import LIST, CheckedSource

TOLD = ("partly_observed", "empty", "not_logged")
"""What is said of lists that does not have to be held against their result rows."""
SESSION_COLUMNS = ("user_id", "system_id", "topic_id", "judgment_key")


def queries_from(seen: pl.DataFrame, *, key_too: bool) -> tuple[pl.DataFrame, dict[str, Found]]:
    """Return one row per query of these result rows; `key_too` where each query has a judgment_key of its own."""
    names = [name for name in table("queries").names if name in seen.columns and name not in LIST]
    if not key_too and "judgment_key" in names:
        names.remove("judgment_key")
    return lifted(seen, LIST, names)


def with_bare_queries(part: CheckedSource, sessions: pl.DataFrame | None) -> tuple[pl.DataFrame, int]:
    """Return the accepted queries and a bare row for each rejected one whose place in its session is known.

    A bare row says ``not_logged``; it keeps the queries after it where they were, and how many there are is returned
    too. `sessions` are those accepted, where sessions are a table of their own.
    """
    accepted = part.rows.accepted
    if part.is_whole:
        return accepted, 0
    places = distinct(part.seen(), LIST)
    if places.height == accepted.height:
        return accepted, 0
    if sessions is not None:
        places = places.join(sessions, on="session_id", how="semi")
    places = check_reach(CheckedRows(places, places.clear()), table("queries")).accepted
    bare = places.join(accepted, on=LIST, how="anti")
    if bare.is_empty():
        return accepted, 0
    status = pl.lit("not_logged").alias("results_status")
    return pl.concat([accepted, bare.with_columns(status)], how="diagonal_relaxed").sort(LIST), bare.height


def with_missing_queries(
    queries: pl.DataFrame, status: str, parts: Sequence[CheckedSource]
) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Return the queries and a bare row for each position below the last of its session that none has.

    Its list is as `status` says; but nobody can say that it was empty where rejected records of `parts` are its own, or may
    be, as they are of the session and do not say of which query: it is then ``not_logged``. Returned too are the counts
    `missing`, `gapped`, `late` and `doubtful` of :class:`~sessionkit.readers.checks.counts.AnomalyCounts`.
    """
    keys = queries.select(LIST)
    if is_dense(keys):
        return queries, {}
    last = keys.group_by("session_id").agg(pl.col("query_position").max(), number=pl.len())
    gapped = last.filter(pl.col("query_position") != pl.col("number")).drop("number")
    every = gapped.with_columns(query_position=pl.int_ranges(1, pl.col("query_position"), dtype=pl.Int32)).explode(
        "query_position"
    )
    missing = every.join(keys, on=LIST, how="anti")
    seen = pl.concat([part.seen().select(LIST) for part in parts]).unique()
    beyond = seen.join(gapped, on="session_id", suffix="_last")
    beyond = beyond.filter(pl.col("query_position") > pl.col("query_position_last")).select("session_id")
    nowhere = pl.concat([beyond, *(part.unplaced for part in parts)])
    own, any_of = missing.join(seen, on=LIST, how="semi"), missing.join(nowhere, on="session_id", how="semi")
    doubtful = pl.concat([own, any_of]).unique().with_columns(results_status=pl.lit("not_logged"))
    bare = missing.join(doubtful, on=LIST, how="left").with_columns(pl.col("results_status").fill_null(status))
    found = {
        "missing": missing.height,
        "gapped": (gapped.height, gapped["session_id"].min()),
        "late": missing.filter(query_position=1).height,
        "doubtful": doubtful.height,
    }
    return pl.concat([queries, bare], how="diagonal_relaxed").sort(LIST), found


def beyond_reach(queries: pl.DataFrame, parts: Sequence[CheckedSource]) -> Found:
    """Return how many sessions have no query as every position of theirs is beyond reach, and the first of them."""
    rule = table("queries").rule("near").name
    far = [part.broken.filter(pl.col(RULE) == rule).select("session_id") for part in parts if not part.is_whole]
    if not any(map(len, far)):
        return NONE
    found = pl.concat(far).unique().join(queries, on="session_id", how="anti")["session_id"]
    return (len(found), str(found.min())) if len(found) else NONE


def sessions_from(rows: pl.DataFrame, taken: list[str]) -> tuple[pl.DataFrame, dict[str, Found]]:
    """Return one row per session of these rows; columns in `taken` already went to the queries."""
    names = [
        name for name in table("sessions").names if name in rows.columns and name != "session_id" and name not in taken
    ]
    return lifted(rows, ["session_id"], names)


def with_columns_of(
    rows: pl.DataFrame, sessions: pl.DataFrame, names: list[str]
) -> tuple[pl.DataFrame, dict[str, Found]]:
    """Return the sessions with columns that their own table lacks, from rows of queries or results; and what differs, as in `lifted`."""
    mine = rows.join(sessions, on="session_id", how="semi", maintain_order="left")
    made, several = lifted(mine, ["session_id"], names)
    return sessions.join(made, on="session_id", how="left", maintain_order="left"), several


def without_disorder(sessions: pl.DataFrame) -> tuple[pl.DataFrame, dict[tuple[str, str], Found]]:
    """Return sessions without values that break a rule between columns, which came from several tables, and by rule and column how many."""
    schema, found = table("sessions"), dict[tuple[str, str], Found]()
    ordered = [rule.name for rule in schema.rules if rule.kind == "ordered"]
    for rule in value_rules(schema, sessions.columns):
        if rule.name not in ordered or rule.column is None:
            continue
        broken = sessions.filter(rule.broken)["session_id"]
        if len(broken):
            found[rule.name, rule.column] = len(broken), broken[0]
            holds = ~rule.broken.fill_null(value=False)
            sessions = sessions.with_columns(pl.when(holds).then(rule.column).alias(rule.column))
    return sessions, found


def lifted(rows: pl.DataFrame, key: list[str], names: list[str]) -> tuple[pl.DataFrame, dict[str, Found]]:
    """Return one row per key with the first value of each of these columns, sorted by the key.

    Returned too is for how many keys a column has several values, and the first session where it has. In the order of
    the source, rows of one key mostly say the same one after the other: only those that say something new are grouped.
    """
    if not names:
        return in_order(distinct(rows, key)), {}
    values = pl.col(names).drop_nulls()
    rows = rows if rows[RECORD].is_sorted() or rises(rows, [*key, RECORD]) else rows.sort(RECORD)
    new = rows.lazy().select(*key, *names).filter(changes([*key, *names])).collect()
    if rises(new, key):  # every key says but one thing
        return new, {}
    made = new.group_by(key, maintain_order=True).agg(values.first(), values.n_unique().name.prefix("__n_")).sort(key)
    several = {name: made.filter(pl.col(f"__n_{name}") > 1)["session_id"] for name in names}
    return made.select(*key, *names), {name: (len(found), found[0]) for name, found in several.items() if len(found)}


def says_one_thing(rows: pl.DataFrame, name: str) -> bool:
    """Return whether a column has at most one value within each session."""
    new = rows.lazy().select("session_id", name).filter(changes(["session_id", name])).collect()
    counts = new.group_by("session_id").agg(pl.col(name).drop_nulls().n_unique())
    return bool((counts[name] <= 1).all())


def with_users(users: pl.DataFrame | None, sessions: pl.DataFrame, notes: Notes) -> pl.DataFrame:
    """Return the users with a bare row for every user_id of the sessions that has none."""
    named = sessions.select("user_id").drop_nulls().unique()
    if users is None:
        return named.sort("user_id")
    bare = named.join(users, on="user_id", how="anti")
    if bare.height:
        notes.tell(
            f"users: {counted(bare.height, 'user')} of the sessions without a row in users; an empty row was added"
        )
    return pl.concat([users, bare], how="diagonal_relaxed").sort("user_id")


def statuses(
    queries: pl.DataFrame,
    results: CheckedRows,
    markers: CheckedRows,
    *,
    logged: bool,
    without_results: str | None = None,
) -> tuple[pl.DataFrame, dict[str, int]]:
    """Return the queries with results_status filled: what is given stays, the rest follows from the result rows.

    A query without result rows has the status `without_results` or, where nothing is declared, ``empty``; ``not_logged`` where no
    results are `logged` at all.

    A list whose every record was rejected is not known to have been empty: it is ``not_logged``. Returned too is how
    many queries are silent, lost or hollow, as :class:`~sessionkit.readers.checks.counts.AnomalyCounts` has it.
    """
    if "results_status" in queries.columns and queries["results_status"].is_in(TOLD).all(ignore_nulls=False):
        return queries if rises(queries, LIST) else queries.sort(LIST), dict.fromkeys(("silent", "lost", "hollow"), 0)
    given = pl.col("results_status") if "results_status" in queries.columns else pl.lit(None, dtype=pl.String)
    marks = {
        "__shown": keys_of(results, LIST),
        "__empty": keys_of(markers, LIST),
        "__unread": results.broken.select(LIST).drop_nulls().unique(),
    }
    joined = queries.with_columns(pl.lit(None, dtype=pl.Boolean).alias(mark) for mark in marks)
    for mark, lists in marks.items():
        if lists.equals(queries.select(LIST)):
            joined = joined.with_columns(pl.lit(True).alias(mark))
        elif len(lists):
            marked = lists.with_columns(pl.lit(True).alias(mark))
            joined = joined.drop(mark).join(marked, on=LIST, how="left", maintain_order="left")
    status = (
        pl.when("__shown")
        .then(pl.lit("shown"))
        .when("__empty")
        .then(pl.lit("empty"))
        .when("__unread")
        .then(pl.lit("not_logged"))
    )
    joined = joined.with_columns(__known=pl.coalesce(given, status))
    silent, lost, hollow = (
        joined.filter(condition).height
        for condition in (
            pl.col("__known").is_null(),
            given.is_null() & (status == "not_logged"),
            (pl.col("__known") == "shown") & pl.col("__shown").is_null(),
        )
    )
    silent_status = without_results or ("empty" if logged else "not_logged")
    filled = pl.col("__known").fill_null(silent_status).alias("results_status")
    made = joined.with_columns(filled).drop(*marks, "__known")
    made = made if rises(made, LIST) else made.sort(LIST)
    return made, {"silent": silent if logged and without_results is None else 0, "lost": lost, "hollow": hollow}


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
