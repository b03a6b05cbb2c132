"""Counts of every session that need no judgments: queries, results, clicks and time; list depths, empty queries, start and order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from sessionkit.arguments import StudyTable
from sessionkit.display.numbers import share_text
from sessionkit.errors import suggestion
from sessionkit.study.batches import session_rows, slices
from sessionkit.study.facts import LIST, Facts
from sessionkit.study.numbering import LENGTH, QUERIES, counts, placed, repeated, sums
from sessionkit.study.storage import LOG, StudyBatch, scan_files
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


COLUMNS = {"sessions": (), "queries": ("results_status",), "results": ()}
ROWS = 2**19
"""Results and queries of a slice."""
KINDS = ["query_position", "results_status", "known", "gaps"]


def depths_of(study: Study) -> pl.DataFrame:
    """Count the queries by their position, their status and how deep their list is known.

    Returns
    -------
    polars.DataFrame
        ``query_position``, ``results_status``, ``known``: ranks from 1 on that are there without a gap, ``gaps``: whether the
        list goes on after a gap, and ``n``, the number of such queries; sorted. A list of which clicks at the ranks 1, 2
        and 9 are known is known to 2, one of which a click at 3 is known to 0.

    Examples
    --------
    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 3, "query_position": [1] * 3, "rank": [1, 2, 9], "doc_id": ["a", "b", "c"]},
    ...     queries={"session_id": ["s"], "query_position": [1], "results_status": ["partly_observed"]},
    ... )
    >>> depths_of(study).rows()
    [(1, 'partly_observed', 2, True, 1)]
    """
    counted = [depths_in(part) for part in slices(study, COLUMNS, ROWS, per_query=1)]
    none = study.queries.select("query_position", "results_status").head(0).collect()
    empty = none.with_columns(known=pl.lit(0, dtype=pl.Int64), gaps=pl.lit(value=False), n=pl.lit(0, dtype=pl.Int64))
    return summed([empty, *counted])


def summed(counted: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return the counts of several parts of a study, one at least, as those of all."""
    return pl.concat(counted).group_by(KINDS).agg(pl.col("n").sum()).sort(KINDS)


def cut_short() -> pl.Expr:
    """Return of which of these queries the list goes on beyond what is known of it.

    Those are lists observed in part, and those said to be shown that have gaps: what stood there is not known. A list shown
    without gaps is known to its end, however short.
    """
    return (pl.col("results_status") == "partly_observed") | ((pl.col("results_status") == "shown") & pl.col("gaps"))


def depths_in(part: StudyBatch) -> pl.DataFrame:
    """Count the queries of some whole sessions, whose tables are sorted."""
    queries = part.queries
    if part.numbered:
        rank, row = part.results["rank"], repeated(pl.int_range(len(queries), eager=True), queries[LENGTH])
    else:
        places = queries.select(LIST).with_row_index("row")
        rank, row = part.results.join(places, on=LIST, maintain_order="left").select("rank", "row")
    length = counts(row, len(queries))
    nth = pl.int_range(1, len(row) + 1, eager=True) - (length.cum_sum() - length).gather(row)
    known = counts(row.filter(rank == nth), len(queries)).cast(pl.Int64)
    return queries.with_columns(known=known, gaps=length > known).group_by(KINDS).agg(n=pl.len().cast(pl.Int64))


USUAL_SHARE = 0.1
"""The share of queries without result rows up to which nothing is said."""
NAMED_GROUPS = 4
"""Groups that a sentence names, those with the largest shares."""
MOST_GROUPS = 20
"""Groups up to which they are compared by these shares: of many groups, such as topics, few queries each have no such share."""
REMEDY = "without_results, missing_positions, empty_list or results_status in study.toml"
"""Where it is said what became of the lists."""


@dataclass(frozen=True)
class MissingLists:
    """Queries of a study without result rows.

    Parameters
    ----------
    queries
        All queries.
    empty
        Queries that returned nothing: they count, with the value 0.
    not_logged
        Queries whose list was not logged: measures of relevance leave them out.
    results
        Rows of results; without any the whole log has no lists, which is said elsewhere.
    """

    queries: int
    empty: int
    not_logged: int
    results: int

    @classmethod
    def of(cls, facts: Facts) -> MissingLists:
        """Count them in the facts of a study."""
        return cls(facts.queries, facts.empty, facts.not_logged, facts.results)

    @property
    def missing(self) -> int:
        """Queries without result rows."""
        return self.empty + self.not_logged

    @property
    def are_frequent(self) -> bool:
        """Whether more queries than `USUAL_SHARE` have no result rows, in a log that has results."""
        return self.results > 0 and self.missing > USUAL_SHARE * self.queries

    @property
    def share(self) -> float:
        """The share of queries without result rows."""
        return self.missing / self.queries if self.queries else 0.0

    @property
    def effect(self) -> str:
        """What becomes of them in scores.

        >>> MissingLists(20, 15, 1, 9).effect
        '15 returned nothing and have the value 0, 1 was not logged and is left out of measures of relevance'
        """
        n_empty, n_unlogged = self.empty, self.not_logged
        clauses = [
            f"{n_empty:,} returned nothing and {'has' if n_empty == 1 else 'have'} the value 0" if n_empty else "",
            f"{n_unlogged:,} {'was' if n_unlogged == 1 else 'were'} not logged and "
            f"{'is' if n_unlogged == 1 else 'are'} left out of measures of relevance"
            if n_unlogged
            else "",
        ]
        return ", ".join(filter(None, clauses))

    @property
    def warning(self) -> str:
        """Count, share, effect and remedy in a sentence.

        >>> MissingLists(20, 3, 0, 9).warning.partition("; ")[0]
        'queries: 3 of 20 (15.0%) have no result rows'
        """
        return (
            f"queries: {self.missing:,} of {self.queries:,} ({share_text(self.share)}) have no result rows; {self.effect}; "
            f"if that is wrong, correct {REMEDY} and ingest again"
        )


def shares_by_group(study: Study, groups: pl.LazyFrame) -> list[tuple[str, float]]:
    """Return the share of queries without result rows in each group, the largest first; groups without queries are left out.

    Parameters
    ----------
    groups
        ``session_id`` and ``group``, a text; sessions without a group are left out.
    """
    has_no_rows = pl.col("results_status").is_in(["empty", "not_logged"])
    of_sessions = study.queries.group_by("session_id").agg(n=pl.len(), n_missing=has_no_rows.sum())
    of_groups = (
        of_sessions.join(groups.drop_nulls("group"), on="session_id")
        .group_by("group")
        .agg(pl.col("n", "n_missing").sum())
    )
    shares = of_groups.select("group", share=pl.col("n_missing") / pl.col("n"))
    return shares.sort("share", "group", descending=[True, False]).collect().rows()


def differing_shares(shares: Sequence[tuple[str, float]]) -> str:
    """Return the shares of groups in words, the largest first; empty where all are alike.

    >>> differing_shares([("map", 0.5), ("list", 0.125)])
    'map 50.0%, list 12.5%'
    """
    if len({share for _, share in shares}) < 2:
        return ""
    named = [f"{group} {share_text(share)}" for group, share in shares[:NAMED_GROUPS]]
    n_more = len(shares) - len(named)
    return ", ".join([*named, *([f"{n_more:,} more up to {share_text(shares[NAMED_GROUPS][1])}"] if n_more else [])])


def warning_of_groups(by: str, shares: Sequence[tuple[str, float]]) -> str | None:
    """Return that groups differ in the share of queries without result rows, if one has more than `USUAL_SHARE`; else None."""
    differing = differing_shares(shares)
    if not differing or shares[0][1] <= USUAL_SHARE or len(shares) > MOST_GROUPS:
        return None
    return (
        f"queries without result rows by {by}: {differing}; differences between these groups may come from this alone"
    )


TELLING: dict[StudyTable, tuple[str, ...]] = {
    "sessions": ("started_at",),
    "queries": ("issued_at",),
    "results": ("clicked_at",),
}
"""Columns that say when a session began, by table."""


READ: dict[StudyTable, tuple[str, ...]] = {**TELLING, "sessions": ("session_id", "user_id", *TELLING["sessions"])}
"""What tells when a session began, and whose it was."""
ORDER = "session_order"


def session_orders(study: Study) -> pl.DataFrame | None:
    """The place of each session in its user's part of the study, by when it began, where the study does not say.

    Returns
    -------
    polars.DataFrame
        ``session_id`` and ``session_order``; without the sessions of users of whom two began at once, or one at an unknown time,
        as their order is not known. None where the study says the order, or none is known.
    """
    timed = any(name in study.columns(table) for table, names in READ.items() for name in names if name.endswith("_at"))
    if ORDER in study.columns("sessions") or not timed:
        return None
    if not study.sessions.select(pl.col("user_id").is_not_null().any()).collect().item():
        return None
    columns: dict[str, list[str]] = {
        table: [name for name in names if name in study.columns(table)] for table, names in READ.items()
    }
    parts = []
    for part in slices(study, columns):
        of = session_rows(part)
        began = session_starts(part.sessions, part.queries, part.results, of)
        parts.append(part.sessions.select("session_id", "user_id").with_columns(began.alias("began")))
    of_users = pl.concat(parts).drop_nulls("user_id")
    known = of_users.filter((pl.col("began").is_not_null() & pl.col("began").is_unique()).all().over("user_id"))
    if known.is_empty():
        return None
    place = pl.col("began").rank("ordinal").over("user_id").cast(pl.Int32)
    return known.sort("session_id").select("session_id", place.alias(ORDER))


AT = pl.Datetime("us", "UTC")


def session_starts(
    sessions: pl.DataFrame, queries: pl.DataFrame, results: pl.DataFrame, of: tuple[pl.Series, pl.Series]
) -> pl.Series:
    """When each of some whole sessions began; null where no time of day is known.

    Parameters
    ----------
    of
        Row number of the session of every query, and of every result.

    The query was issued ten seconds before the click:

    >>> from datetime import datetime
    >>> one, zero = pl.DataFrame({"session_id": ["s"]}), pl.Series([0], dtype=pl.UInt32)
    >>> queries = pl.DataFrame({"issued_at": [datetime(2026, 1, 1, 9, 0, 0)]})
    >>> results = pl.DataFrame({"clicked_at": [datetime(2026, 1, 1, 9, 0, 10)]})
    >>> session_starts(one, queries, results, (zero, zero)).dt.hour().to_list()
    [9]
    """
    events = [pl.DataFrame(schema={"session": pl.UInt32, "at": AT})]
    if "issued_at" in queries.columns:
        events.append(pl.DataFrame({"session": of[0], "at": queries["issued_at"].cast(AT)}))
    if "clicked_at" in results.columns:
        events.append(pl.DataFrame({"session": of[1], "at": results["clicked_at"].cast(AT)}))
    first = pl.concat(events).drop_nulls().group_by("session").agg(pl.col("at").min())
    earliest = placed(first["at"], first["session"], len(sessions))
    told = [sessions["started_at"].cast(AT)] if "started_at" in sessions.columns else []
    return pl.select(pl.coalesce(*told, earliest)).to_series()


def since(times: pl.Series, began: pl.Series) -> pl.Series:
    """Seconds from a beginning to times of day; null where a time comes before it.

    >>> from datetime import datetime
    >>> since(pl.Series([datetime(2026, 1, 1, 0, 0, 2)]), pl.Series([datetime(2026, 1, 1)])).to_list()
    [2.0]
    """
    passed = (times - began).dt.total_microseconds()
    return pl.select(pl.when(passed >= 0).then(passed / 1_000_000)).to_series()
