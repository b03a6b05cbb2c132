"""What is counted of every session, as columns that any log has: its queries, results, clicks, its time.

A condition, groups and covariates may name them like columns of the log; a column of the sessions or users that has the name
stands before them. They are worked out where they are asked for, batch by batch, and stored nowhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from sessionkit.errors import suggestion
from sessionkit.study.batches import session_rows, slices
from sessionkit.study.query_counts import MANY, has_list, logged_queries
from sessionkit.study.row_index import counts, sums
from sessionkit.study.session_start import AT, session_starts, since
from sessionkit.study.storage import LOG
from sessionkit.study.study import Study

CLICKING = ("clicked", "clicks", "clicked_at", "click_elapsed_seconds")
"""Columns of results that say whether a result was clicked; one is enough."""
CLICK_TIMES = ("clicked_at", "click_elapsed_seconds")
QUERY_TIMES = ("issued_at", "elapsed_seconds")
SESSION_TIMES = ("started_at", "ended_at", "duration_seconds")
TIMES = {
    "sessions": SESSION_TIMES,
    "queries": QUERY_TIMES,
    "results": (*CLICKING, "dwell_seconds"),
}
"""All that is read of times and clicks, by table."""
Tables = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class SessionCount:
    """Something counted of every session.

    Parameters
    ----------
    words
        What it is.
    dtype
        Its type.
    reads
        Columns of the log that it is read from where they are there, by table.
    needs_one
        Columns of which the log must have one.
    of_lists
        Whether it counts what lists show, which is not known of a session without a list that was logged. The others count
        what searchers did, and look at every query.
    """

    words: str
    dtype: type[pl.Int64] | type[pl.Float64] = pl.Int64
    reads: Tables = field(default_factory=dict)
    needs_one: Tables = field(default_factory=dict)
    of_lists: bool = False


COUNTS = {
    "queries": SessionCount("logged queries"),
    "results": SessionCount("results shown", of_lists=True),
    "clicks": SessionCount("clicks on results", reads={"results": CLICKING}, needs_one={"results": CLICKING}),
    "duration_seconds": SessionCount(
        "seconds from the beginning to the end",
        pl.Float64,
        TIMES,
        {"sessions": SESSION_TIMES, "queries": QUERY_TIMES, "results": CLICK_TIMES},
    ),
    "repeats": SessionCount(
        "results whose document the session had shown before", reads={"results": ("doc_id",)}, of_lists=True
    ),
    "empty_queries": SessionCount("queries that returned nothing", of_lists=True),
}
"""By the name of the column. They are what the measures Queries, Results, Clicks, Duration and Repeats are without a cutoff; but
of a session without a query ``queries`` is 0, where the measure, like all other counts, has no value."""


def counted(study: Study) -> list[str]:
    """Return the counts that a study has as columns: those that no column of the log has the name of, and that its log tells.

    >>> import sessionkit as sk
    >>> lists = {"session_id": ["s", "s"], "query_position": [1, 2], "rank": [1, 1], "doc_id": ["a", "b"]}
    >>> counted(sk.from_tables(lists))
    ['queries', 'results', 'repeats', 'empty_queries']
    """
    own, have = {*study.columns("sessions"), *study.columns("users")}, _columns(study)
    return [name for name, count in COUNTS.items() if name not in own and _told(have, count)]


def session_columns(study: Study) -> list[str]:
    """Return the names of all columns that say something of sessions: their own, those of their users, and what is counted."""
    return [*dict.fromkeys([*study.columns("sessions"), *study.columns("users"), *counted(study)])]


def untold(name: str, known: Collection[str]) -> str:
    """Return what to say of a column that is not there: what a count lacks, or which column has a name like it."""
    count = COUNTS.get(name)
    if count is None or not count.needs_one:
        return suggestion(name, known)
    wanted = "; ".join(f"{', '.join(names)} in the {table}" for table, names in count.needs_one.items())
    return f"; {name} can be counted where the log has one of the columns {wanted}"


def reads(study: Study, names: Iterable[str]) -> dict[str, list[str]]:
    """Return the columns of the log, by table, that counts are worked out from, beside what every batch is made of."""
    have = _columns(study)
    tables: dict[str, list[str]] = {table: [] for table in have}
    for name in names:
        for table, columns in COUNTS[name].reads.items():
            tables[table] += [column for column in columns if column in have[table]]
    return {table: [*dict.fromkeys(columns)] for table, columns in tables.items()}


def with_counts(
    names: Iterable[str],
    sessions: pl.DataFrame,
    queries: pl.DataFrame,
    results: pl.DataFrame,
    of: tuple[pl.Series, pl.Series],
) -> pl.DataFrame:
    """Put counts beside some whole sessions, in their order.

    Parameters
    ----------
    sessions, queries, results
        Their rows, with ``results_status`` and the columns of `reads`.
    of
        Row number of the session of every query, and of every result.

    >>> one, queries = pl.DataFrame({"session_id": ["s"]}), pl.DataFrame({"results_status": ["shown", "empty"]})
    >>> results = pl.DataFrame({"doc_id": ["a", "a"], "clicked": [True, False]})
    >>> of = pl.Series([0, 0], dtype=pl.UInt32), pl.Series([0, 0], dtype=pl.UInt32)
    >>> with_counts(["queries", "results", "clicks", "repeats", "empty_queries"], one, queries, results, of).row(0)
    ('s', 2, 2, 1, 1, 1)
    """
    many, status = len(sessions), queries["results_status"]
    n_queries = counts(of[0], many)
    n_lists = counts(of[0].filter(status != "not_logged"), many)
    columns = []
    for name in names:
        match name:
            case "queries":
                columns.append(n_queries.alias(name).cast(pl.Int64))
                continue
            case "empty_queries":
                value = counts(of[0].filter(status == "empty"), many)
            case "results":
                value = counts(of[1], many)
            case "clicks":
                value = sums(clicks(results), of[1], many)
            case "repeats":
                value = repeats(results["doc_id"], of[1], many)
            case "duration_seconds":
                value = _durations(sessions, queries, results, of)
            case _:
                raise ValueError(f"{name} is none of {', '.join(COUNTS)}")
        # of a session without a query, or without a list, it is not known what it did, or saw
        is_known = (n_lists if COUNTS[name].of_lists else n_queries) > 0
        known_counts = pl.select(pl.when(is_known).then(value)).to_series()
        columns.append(known_counts.alias(name).cast(COUNTS[name].dtype))
    return sessions.with_columns(columns)


def counted_sessions(study: Study, names: Sequence[str]) -> pl.DataFrame:
    """Return ``session_id`` and counts of every session of a study; read batch by batch, in their order.

    >>> import sessionkit as sk
    >>> lists = {"session_id": ["s", "s", "z"], "query_position": [1, 2, 1], "rank": [1, 1, 1], "doc_id": ["a", "a", "c"]}
    >>> counted_sessions(sk.from_tables(lists), ["queries", "repeats"]).rows()
    [('s', 2, 1), ('z', 1, 0)]
    """
    if [*names] == ["queries"]:  # known without a look at the results
        return logged_queries(study, ["session_id"]).rename({MANY: "queries"})
    read = reads(study, names)
    read["sessions"].append("session_id")
    read["queries"].append("results_status")
    kept = [pl.DataFrame(schema={"session_id": pl.String, **{name: COUNTS[name].dtype for name in names}})]
    for part in slices(study, read):
        counted_part = with_counts(names, part.sessions, part.queries, part.results, session_rows(part))
        kept.append(counted_part.select(kept[0].columns))
    return pl.concat(kept)


def sessions_with(study: Study, names: Collection[str]) -> pl.LazyFrame:
    """Return ``session_id``, ``user_id`` and these columns of every session: its own, its user's, or counted, in this order."""
    own = study.columns("sessions")
    frame = study.sessions.select(*dict.fromkeys(["session_id", "user_id", *(name for name in names if name in own)]))
    further = [name for name in dict.fromkeys(names) if name not in own]
    of_users = [name for name in further if name in study.columns("users")]
    if of_users:
        users = study.users.select("user_id", *of_users)
        frame = frame.join(users, on="user_id", how="left", maintain_order="left")
    if made := [name for name in further if name not in of_users]:
        beside = counted_sessions(study, made).lazy()
        frame = frame.join(beside, on="session_id", how="left", maintain_order="left")
    return frame


def last_queries(study: Study, columns: Sequence[str]) -> pl.DataFrame:
    """Return columns of the sessions, see `session_columns`, with ``last``, the position of the last query whose list was logged.

    It is null where no list was logged.

    >>> import sessionkit as sk
    >>> lists = {"session_id": ["s", "s", "z"], "query_position": [1, 2, 1], "rank": [1, 1, 1], "doc_id": ["a", "b", "c"]}
    >>> last_queries(sk.from_tables(lists), ["session_id", "queries"]).rows()
    [('s', 2, 2), ('z', 1, 1)]
    """
    lasts = study.queries.filter(has_list()).group_by("session_id").agg(last=pl.col("query_position").max())
    sessions = sessions_with(study, columns).join(lasts, on="session_id", how="left", maintain_order="left")
    return sessions.select(*columns, "last").collect()


def clicks(results: pl.DataFrame) -> pl.Series:
    """How often each result was clicked: once where no number is logged, 0 where it was not."""
    times = was_clicked(results.columns).cast(pl.Int64)
    if "clicks" in results.columns:
        times = pl.coalesce(pl.col("clicks").cast(pl.Int64), times)
    return results.select(clicks=times.fill_null(0)).to_series()


def was_clicked(columns: Iterable[str]) -> pl.Expr:
    """Whether a result was clicked, from those of the columns that there are."""
    told = {
        "clicked": pl.col("clicked"),
        "clicks": pl.col("clicks") > 0,
        **{name: pl.when(pl.col(name).is_not_null()).then(pl.lit(value=True)) for name in CLICK_TIMES},
    }
    return pl.coalesce(*(told[name] for name in CLICKING if name in columns), pl.lit(value=False))


def seconds_into(frame: pl.DataFrame, time: str, elapsed: str, began: pl.Series) -> pl.Series:
    """Seconds from a beginning, one for each row, to the row's event: as they are logged, else by the time of day."""
    return pl.select(pl.coalesce(log_column(frame, elapsed), since(log_column(frame, time, AT), began))).to_series()


def lasted(sessions: pl.DataFrame, began: pl.Series, latest: pl.Series) -> pl.Series:
    """Seconds that sessions lasted: as logged, else to their logged end, else to their latest event, given in seconds."""
    ended = since(log_column(sessions, "ended_at", AT), began)
    return pl.select(pl.coalesce(log_column(sessions, "duration_seconds"), ended, latest)).to_series()


def log_column(frame: pl.DataFrame, name: str, dtype: pl.DataType | None = None) -> pl.Series:
    """Return a column of the log, numbers unless a type is given; nulls where the log does not have it."""
    of = pl.Float64() if dtype is None else dtype
    there = name in frame.columns
    values = frame[name].cast(of) if there else pl.Series([None], dtype=of).new_from_index(0, len(frame))
    return values.alias(name)


def repeats(document: pl.Series, session: pl.Series, sessions: int) -> pl.Series:
    """Results of every session whose document it had shown before.

    Parameters
    ----------
    document, session
        Of each result: its document, and the row number of its session.

    >>> repeats(pl.Series(["a", "b", "a", "a"]), pl.Series([0, 0, 0, 1], dtype=pl.UInt32), 2).to_list()
    [1, 0]
    """
    within = session.to_numpy().astype(np.uint64)
    # session, some bits of the document and row in one number: sorted, results of one document stand side by side
    bits = np.uint64(len(document).bit_length())
    spare = np.uint64(sessions.bit_length()) + bits
    number = ((within << (64 - spare)) | (document.hash().to_numpy() >> spare)) << bits
    number |= np.arange(len(document), dtype=np.uint64)
    number.sort()
    alike = np.flatnonzero((number[1:] >> bits) == (number[:-1] >> bits))
    row = number & ((np.uint64(1) << bits) - np.uint64(1))
    same = (document.gather(row[alike]) == document.gather(row[alike + 1])).to_numpy()
    place = within[row[alike]].astype(np.int64)
    found = np.bincount(place[same], minlength=sessions)
    if not same.all():  # other documents have the same bits, and may stand between two of one
        mixed = np.unique(place[~same])
        rows = pl.DataFrame([document.alias("document"), pl.Series("session", within)])
        rows = rows.filter(np.isin(within, mixed))
        again = rows.group_by("session").agg(many=pl.len() - pl.col("document").n_unique())
        found[again["session"].to_numpy()] = again["many"].to_numpy()
    return pl.Series(found)


def _columns(study: Study) -> dict[str, Sequence[str]]:
    """The columns of the tables of the log."""
    return {name: study.columns(name) for name in LOG}


def _told(have: Mapping[str, Sequence[str]], count: SessionCount) -> bool:
    """Whether the log has what a count needs."""
    needs = count.needs_one.items()
    return not needs or any(name in have[table] for table, names in needs for name in names)


def _durations(
    sessions: pl.DataFrame, queries: pl.DataFrame, results: pl.DataFrame, of: tuple[pl.Series, pl.Series]
) -> pl.Series:
    """Seconds that every session took; null where no time is known."""
    began = session_starts(sessions, queries, results, of)
    issued = seconds_into(queries, *QUERY_TIMES, began.gather(of[0]))
    clicked = seconds_into(results, *CLICK_TIMES, began.gather(of[1]))
    left = clicked + log_column(results, "dwell_seconds").fill_null(0.0)
    events = pl.concat(
        [
            pl.DataFrame({"session": of[0], "at": issued}),
            pl.DataFrame({"session": of[1], "at": left}).filter(
                results.select(was_clicked(results.columns)).to_series()
            )
            if len(results)
            else pl.DataFrame(schema={"session": pl.UInt32, "at": pl.Float64}),
        ]
    )
    latest = events.group_by("session").agg(pl.col("at").max())
    row = pl.DataFrame({"session": pl.int_range(len(sessions), dtype=pl.UInt32, eager=True)})
    at = row.join(latest, on="session", how="left", maintain_order="left")["at"]
    return lasted(sessions, began, at)
