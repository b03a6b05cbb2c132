"""Tables and columns that a log lacks, derived from those it has, for whole sessions and in a fixed order of checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sessionkit.display.numbers import counted
from sessionkit.readers.checks.cells import log_schemas
from sessionkit.readers.checks.rows import (
    AT_THE_TOP,
    LIST,
    NONE,
    AnomalyCounts,
    CheckedSource,
    Found,
    Notes,
    valued_part,
)
from sessionkit.readers.raw import Raw, read_through
from sessionkit.study.checks import (
    RECORD,
    RULE,
    CheckedRows,
    cast,
    changes,
    check_parents,
    check_reach,
    distinct,
    in_order,
    is_dense,
    keys_of,
    rises,
    starts_of,
    value_rules,
    without_zone,
)
from sessionkit.study.schema import Table, table

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
    `missing`, `gapped`, `late` and `doubtful` of :class:`~sessionkit.readers.checks.rows.AnomalyCounts`.
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
    many queries are silent, lost or hollow, as :class:`~sessionkit.readers.checks.rows.AnomalyCounts` has it.
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


WITHIN = {"query_position": ["session_id"], "rank": LIST}
"""The columns that count, and within what they do."""


@dataclass(frozen=True)
class Zeros:
    """How often a column that counts says 0.

    Parameters
    ----------
    rows
        Rows that say 0.
    first
        Lists (or sessions) whose smallest number is 0; counted where any row says 0.
    of
        Lists (or sessions) in all; counted where any row says 0.
    """

    rows: int = 0
    first: int = 0
    of: int = 0

    def __add__(self, other: Zeros) -> Zeros:
        """Return the counts of two parts that have no session in common."""
        return Zeros(self.rows + other.rows, self.first + other.first, self.of + other.of)


def counting(table: str) -> tuple[str, ...]:
    """Return the columns of a table that count."""
    return {"queries": ("query_position",), "results": ("query_position", "rank")}.get(table, ())


def zeros(part: CheckedSource, column: str) -> Zeros:
    """Count zeros in every number that could be read, in rejected records too."""
    names = [*WITHIN[column], column]
    frames = [frame for rows in (part.rows, part.markers) for frame in (rows.accepted, rows.broken)]
    numbers = pl.concat([frame.select(names) for frame in frames if set(names) <= set(frame.columns)]).drop_nulls()
    smallest = numbers.group_by(WITHIN[column]).agg(pl.col(column).min())
    return Zeros(int((numbers[column] == 0).sum()), int((smallest[column] == 0).sum()), smallest.height)


def say_zero(raw: Raw, schema: Table) -> list[str]:
    """Return the columns that count in which any record says 0."""
    types = raw.frame.collect_schema()
    columns = [column for column in counting(raw.table) if column in types]
    if not columns:
        return []
    said = [(cast(schema.by_name[column], types[column]) == 0).any().alias(column) for column in columns]
    with read_through(raw.source):
        found = raw.frame.select(said).collect().row(0)
    return [column for column, any_is in zip(columns, found, strict=True) if any_is]


def moved_columns(raw: Raw, found: dict[str, Zeros], notes: Notes, *, positions: bool | None = None) -> list[str]:
    """Return the columns that count from 0: as declared, as settled elsewhere, as most lists (or sessions) do.

    `positions` says whether query positions count from 0 where another table has settled that.
    """
    moved = [
        column
        for column in counting(raw.table)
        if _is_moved(raw, column, found.get(column, Zeros()), notes, positions if column != "rank" else None)
    ]
    for column in moved:
        notes.tell(f"{raw.source}: {column} counts from 0 and was shifted to count from 1")
    return moved


def shifted(part: CheckedSource, columns: list[str]) -> CheckedSource:
    """Return the source with 1 added to these columns."""
    more = [pl.col(column) + 1 for column in columns]

    def shift(rows: CheckedRows) -> CheckedRows:
        return CheckedRows(rows.accepted.with_columns(more), rows.broken.with_columns(more))

    return part.both(shift) if columns else part


def _is_moved(raw: Raw, column: str, found: Zeros, notes: Notes, settled: bool | None) -> bool:
    """Return whether a column counts from 0."""
    if column in raw.base:
        return raw.base[column] == 0
    if settled is not None:
        return settled
    if 2 * found.first > found.of:
        return True
    if found.rows:
        remedy = "add 1 to all of them"
        if raw.is_file:
            is_table = not any(member.kind for _, member in raw.parted)
            remedy = f"say {f'base = {{ {column} = 0 }}' if is_table else f'{column}_base = 0'} in study.toml"
        notes.warn(f"{raw.source}: {counted(found.rows, column)} of 0; if the log counts from 0, {remedy}", place=None)
    return False


Parts = Mapping[str, CheckedSource]
"""The typed tables of a log, or of some sessions of it, by name."""


@dataclass(frozen=True)
class Decisions:
    """What holds for every part of a log.

    Parameters
    ----------
    moved
        For each table the columns that count from 0.
    key_of_queries
        Whether, where both are derived, queries have a judgment_key of their own, as it differs within a session.
    """

    moved: Mapping[str, list[str]] = field(default_factory=dict)
    key_of_queries: bool = False


def decide(raws: Mapping[str, Raw], parts: Callable[[], Iterable[Parts]], notes: Notes) -> Decisions:
    """Decide from all parts of a log.

    Parameters
    ----------
    raws
        The sources, by table.
    parts
        Gives the typed parts of the log; asked once for each question that their columns raise.
    """
    found = _zeros(raws, parts)
    moved: dict[str, list[str]] = {}
    if "queries" in raws:
        moved["queries"] = moved_columns(raws["queries"], found["queries"], notes)
    if "results" in raws:
        settled = "query_position" in moved["queries"] if "queries" in raws else None
        moved["results"] = moved_columns(raws["results"], found["results"], notes, positions=settled)
    derived = "results" in raws and not {"queries", "sessions"} & set(raws)
    if not derived or "judgment_key" not in raws["results"].frame.collect_schema():
        return Decisions(moved)
    seen = (shifted(part["results"], moved["results"]).seen("judgment_key") for part in parts())
    return Decisions(moved, key_of_queries=not all(says_one_thing(rows, "judgment_key") for rows in seen))


def _zeros(raws: Mapping[str, Raw], parts: Callable[[], Iterable[Parts]]) -> dict[str, dict[str, Zeros]]:
    """Return the zeros of each column that counts, for each table; most logs have none, and nothing is counted."""
    schemas = log_schemas({name: raw.frame.collect_schema() for name, raw in raws.items()})
    asked = {name: say_zero(raws[name], schemas[name]) for name in ("queries", "results") if name in raws}
    found: dict[str, dict[str, Zeros]] = {name: dict.fromkeys(columns, Zeros()) for name, columns in asked.items()}
    for part in parts() if any(asked.values()) else ():
        for name, columns in asked.items():
            for column in columns:
                found[name][column] += zeros(part[name], column)
    return found


def without_zones(raw: Raw, schema: Table) -> dict[str, int]:
    """Return how many times carry no zone, for each column of times, where none was declared for them."""
    types = raw.frame.collect_schema()
    names = [field.name for field in schema.fields if field.type == "datetime" and field.name in types]
    if raw.timezone is not None or not names:
        return {}
    with read_through(raw.source):
        counts = raw.frame.select(without_zone(name, types[name]).sum().alias(name) for name in names).collect().row(0)
    return dict(zip(names, counts, strict=True))


def notice_zones(raw: Raw, counts: Mapping[str, int], notes: Notes) -> None:
    """Warn of times without zone."""
    where = AT_THE_TOP if raw.is_file else "as from_tables takes it"
    for name, count in counts.items():
        if count:
            notes.warn(
                f"{raw.source}: {counted(count, 'time')} without zone in {name}, taken as UTC; set timezone = "
                f'"Europe/Vienna" (or what it is) {where}',
                place=None,
            )


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
