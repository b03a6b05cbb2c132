"""Queries to sessions: sessions cut at pauses, and logged queries that were one query to the searcher."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import polars as pl

from sessionkit.display.numbers import counted
from sessionkit.errors import DataError, UsageError
from sessionkit.readers.format import Option
from sessionkit.readers.raw import Keep, Raw
from sessionkit.study.checks import RECORD, RULE, as_text, cast
from sessionkit.study.numbering import repeated
from sessionkit.study.schema import table

GAP = 1800.0
"""Seconds of inactivity that end a session by default: half an hour, the custom of log analysis."""
UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
TIME = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([smhd]?)\s*")
WHO, WHEN, ORDINAL = "__who", "__when", "__ordinal"


def seconds(gap: str | float) -> float:
    """Return a gap in seconds.

    Parameters
    ----------
    gap
        A number of seconds, or text such as ``"30m"``, ``"1h"``, ``"90s"``, ``"2d"``.

    Raises
    ------
    UsageError
        It is neither, or not above 0.

    Examples
    --------
    >>> seconds("30m"), seconds("1.5h"), seconds(90)
    (1800.0, 5400.0, 90.0)
    """
    if isinstance(gap, int | float) and not isinstance(gap, bool):
        found = float(gap)
    else:
        parts = TIME.fullmatch(gap) if isinstance(gap, str) else None
        found = float(parts[1]) * UNITS[parts[2] or "s"] if parts else math.nan
    if not (found > 0 and math.isfinite(found)):
        raise UsageError(f"a session gap is {gap!r}; give seconds or a time above 0 such as 30m, 1h or 90s")
    return found


def with_sessions(
    events: pl.LazyFrame,
    *,
    user: str = "user_id",
    time: str = "issued_at",
    gap: str | float = GAP,
    name: str = "session_id",
) -> pl.LazyFrame:
    """Return events with the session each belongs to, sorted by user and time.

    A session is ``user-1``, ``user-2``, ... in time order. Events of one time keep the order they came in. An event
    without a time belongs to the session of the event before it, in the order they came in; one without a user has no
    session.

    Parameters
    ----------
    events
        Rows with a user and a time: a datetime, or a number of seconds.
    user, time
        The names of these columns.
    gap
        Inactivity that ends a session, as :func:`seconds` takes it; a pause as long as the gap does not end it.
    name
        What the column of sessions is called.

    Raises
    ------
    UsageError
        The gap is no time.

    Examples
    --------
    >>> events = pl.LazyFrame({"user_id": ["u", "u", "u"], "issued_at": [5000, 0, 1800]})
    >>> with_sessions(events, gap="30m").collect()["session_id"].to_list()
    ['u-1', 'u-1', 'u-2']
    """
    cut = partial(_cut, user=user, time=time, length=seconds(gap), name=name)
    schema = pl.Schema({**events.collect_schema(), name: pl.String()})
    # whole, as a part of it knows nothing of the events before
    return events.map_batches(
        cut, predicate_pushdown=False, projection_pushdown=False, slice_pushdown=False, schema=schema
    )


def _cut(events: pl.DataFrame, *, user: str, time: str, length: float, name: str) -> pl.DataFrame:
    """Return events with the session of each, sorted by user and time."""
    who, when = _in_order_of(events[user]), events[time]
    if when.null_count():
        filled = events.select(pl.col(time).forward_fill().over(who.alias(WHO)))
        when = filled.to_series()
    keys = pl.DataFrame({WHO: who, WHEN: when})
    later = (pl.col(WHO) > pl.col(WHO).shift(1)) | (
        (pl.col(WHO) == pl.col(WHO).shift(1)) & (pl.col(WHEN) >= pl.col(WHEN).shift(1))
    )
    if not keys.select(later.fill_null(value=False).slice(1).all()).item():
        place = keys.select(pl.arg_sort_by(WHO, WHEN, maintain_order=True)).to_series()
        events, keys = (frame.select(pl.all().gather(place)) for frame in (events, keys))
    pause = pl.col(WHEN) - pl.col(WHEN).shift(1)
    idle = pause.dt.total_microseconds() / 1e6 if when.dtype.is_temporal() else pause
    new = (pl.col(WHO) != pl.col(WHO).shift(1)).fill_null(value=True) | (idle > length).fill_null(value=False)
    begins = keys.select(new).to_series()
    first = events.select(pl.col(user).filter(begins), within_group(keys[WHO].filter(begins)).alias(ORDINAL))
    sessions = first.rechunk().select(pl.format("{}-{}", user, ORDINAL)).to_series()  # polars 2.1 fails at empty chunks
    return events.with_columns(sessions.gather(begins.cum_sum() - 1).alias(name))


def _in_order_of(values: pl.Series) -> pl.Series:
    """Return numbers in the order of these values, 0 for null; texts are sorted once for all rows that stand together."""
    runs = values.rle().struct.unnest()
    return repeated(runs["value"].rank("dense").fill_null(0), runs["len"])


def with_positions(queries: pl.LazyFrame) -> pl.LazyFrame:
    """Return queries with their place within their session, from 1, in the order in which they stand.

    >>> with_positions(pl.LazyFrame({"session_id": ["a", "b", "a"]})).collect()["query_position"].to_list()
    [1, 1, 2]
    """
    place = pl.col("session_id").map_batches(within_group, return_dtype=pl.Int64())
    return queries.with_columns(place.alias("query_position"))


def within_group(groups: pl.Series) -> pl.Series:
    """Return the place of every row among those of its group, from 1; rows of a group mostly stand together.

    >>> within_group(pl.Series(["a", "b", "a"])).to_list()
    [1, 1, 2]
    """
    runs = groups.rle().struct.unnest()
    if runs["value"].n_unique() < len(runs):
        place = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("group")
        return groups.to_frame("group").select(place).to_series()
    return pl.int_range(1, len(groups) + 1, eager=True) - repeated(runs["len"].cum_sum() - runs["len"], runs["len"])


Tables = dict[str, list[Raw]]
"""The sources of each table."""
SESSION, POSITION, ISSUED = "session_id", "query_position", "issued_at"
NUMBER, MOVED, PART, LAST = "__number", "__moved", "__part", "__last"
"""Of a query: its position in the session and in its part, the number of the part, and that of the last part of the session."""


@dataclass(frozen=True)
class CutTables:
    """Tables whose sessions are cut at pauses.

    Parameters
    ----------
    raws
        The sources of each table.
    notes
        What is to be said of it.
    """

    raws: Tables
    notes: list[str]


def cut_tables(raws: Mapping[str, Sequence[Raw]], gap: str | float, keep: Keep) -> CutTables:
    """Cut sessions of tables where the times of two queries are further apart than a gap.

    A session is ``s-1``, ``s-2``, ... as those of events are. Results and clicks go with their query, whose position counts
    from the first query of its part. What [sessions] says of a session stands in each of its parts: a started_at only in the
    first, an ended_at only in the last, no session_order where there are several parts. A query without a time belongs to the
    part of the query before it. A judgment_key stays as it is.

    Parameters
    ----------
    raws
        Sources under our names, not yet checked.
    gap
        As :func:`seconds` takes it.
    keep
        Where the records stay.

    Raises
    ------
    DataError
        No query has a time.
    UsageError
        The gap is no time.
    """
    log = [raw for name in ("queries", "results") for raw in raws.get(name, ())]
    parts = keep(_parts_of(log, seconds(gap)))
    cut = {name: [_cut_source(raw, parts, keep) for raw in given] for name, given in raws.items() if name != "users"}
    ends = parts.group_by(SESSION).agg(pl.col(PART).max()).sort(SESSION)
    several = ends.filter(pl.col(PART) > 1).collect()
    sessions = ends.select(pl.len()).collect().item()
    notes = [f"sessions cut by {gap} of inactivity: {several.height:,} of {counted(sessions, 'session')}"]
    if several.height:
        first, number = several.row(0)
        notes[0] += f" in several parts, such as {first!r} in {number} ({f'{first}-1'!r}, ...)"
    return CutTables({**{name: list(given) for name, given in raws.items()}, **cut}, notes)


def _parts_of(log: Sequence[Raw], length: float) -> pl.LazyFrame:
    """Return for each query, by its session and position, its part, and the parts that the session has.

    For a gap of 30 minutes and queries 1 to 4 at 10:00, 10:05, 11:00 and 11:02 these are parts 1, 1, 2 and 2 of 2.
    """
    timed = [raw for raw in log if ISSUED in raw.frame.collect_schema()]
    queries = table("queries").by_name
    rows = []
    for raw in log:
        types = raw.frame.collect_schema()
        time = (
            cast(queries[ISSUED], types[ISSUED], raw.timezone)
            if raw in timed
            else pl.lit(None, pl.Datetime("us", "UTC"))
        )
        rows.append(_keyed(raw).select(SESSION, NUMBER, time.alias(ISSUED)))
    places = pl.concat(rows).drop_nulls([SESSION, NUMBER]).group_by(SESSION, NUMBER).agg(pl.col(ISSUED).min()).collect()
    if places[ISSUED].null_count() == places.height:
        said = "no value of issued_at is a time" if timed else "there is no issued_at"
        raise DataError(
            f"{log[0].source}: cut_sessions needs the times of queries, but {said}; name their column, as in "
            'columns = { issued_at = "..." }, or leave cut_sessions out'
        )
    pause = pl.col(ISSUED).forward_fill().diff().over(SESSION)
    begins = (pause.dt.total_microseconds() / 1e6 > length).fill_null(value=False)
    part = places.sort(SESSION, NUMBER).with_columns((begins.cast(pl.Int64).cum_sum().over(SESSION) + 1).alias(PART))
    starts = part.group_by(SESSION).agg(pl.col(NUMBER).min())[NUMBER]
    base = _declared_base(log)
    if base is None:
        base = int(2 * (starts == 0).sum() <= len(starts))
    first = pl.when(pl.col(PART) > 1).then(pl.col(NUMBER).min().over(SESSION, PART)).otherwise(base)
    return part.select(
        SESSION,
        NUMBER,
        PART,
        (pl.col(NUMBER) - first + base).alias(MOVED),
        pl.col(PART).max().over(SESSION).alias(LAST),
    ).lazy()


def _declared_base(log: Sequence[Raw]) -> int | None:
    """Return what query positions are declared to count from; None where nothing is declared."""
    return next((raw.base[POSITION] for raw in log if POSITION in raw.base), None)


def _keyed(raw: Raw) -> pl.LazyFrame:
    """Return the records of a source with their session as text and the number of their query, null where it is none."""
    types = raw.frame.collect_schema()
    number = pl.lit(None, pl.Int64)
    if POSITION in types:
        number = cast(table("queries").by_name[POSITION], types[POSITION]).cast(pl.Int64)
    return raw.frame.with_columns(number.alias(NUMBER), as_text(SESSION, types[SESSION]).alias(SESSION))


def _cut_source(raw: Raw, parts: pl.LazyFrame, keep: Keep) -> Raw:
    """Return a source with the parts of its sessions in place of these."""
    types = raw.frame.collect_schema()
    if POSITION in types:
        rows = _keyed(raw).join(parts, on=[SESSION, NUMBER], how="left", maintain_order="left")
        moved = pl.coalesce(pl.col(MOVED).cast(pl.String), as_text(POSITION, types[POSITION])).alias(POSITION)
    else:
        each = parts.select(SESSION, PART, LAST).unique().sort(SESSION, PART)
        rows = _keyed(raw).join(each, on=SESSION, how="left", maintain_order="left_right")
        rows = rows.with_columns(pl.coalesce(PART, pl.lit(1, pl.Int64)).alias(PART))
        moved = pl.col(SESSION)
    name = pl.coalesce(pl.format("{}-{}", SESSION, PART), SESSION).alias(SESSION)
    holds = {
        "started_at": pl.col(PART) == 1,
        "ended_at": pl.col(PART) == pl.col(LAST),
        "session_order": pl.col(LAST) == 1,
    }
    within = [
        pl.when(holds[column].fill_null(value=True)).then(column).alias(column) for column in holds if column in types
    ]
    frame = keep(rows.with_columns(name, *within).with_columns(moved).select(types.names()))
    if POSITION in types:
        return replace(raw, frame=frame)
    return replace(raw, frame=frame, records=frame.select(pl.len()).collect().item(), kind="parts of sessions")


KEY, KEPT, NEW, BY = "__key", "__kept", "__position", "__by"
SESSION_ID, QUERY_POSITION = "session_id", "query_position"
SLOT = [SESSION_ID, QUERY_POSITION, "doc_id"]
WITHOUT_ROWS = ("empty", "not_logged")
ADDED = ("clicks", "author_clicks", "dwell_seconds")
FIRST = ("clicked_at", "click_elapsed_seconds")
EITHER = ("clicked", "saved")
ROWS_GONE = "results of queries merged into others"
"""What the rows of lists are called in accounts that are in no list after merging."""


@dataclass(frozen=True)
class MergedTables:
    """Tables after merging.

    Parameters
    ----------
    queries, results
        What is left.
    gone
        By what they are called in accounts: the queries that went into others, by the rule, and rows of their lists; each
        with ``session_id`` and RECORD.
    """

    queries: pl.DataFrame
    results: pl.DataFrame
    gone: dict[str, pl.DataFrame] = field(default_factory=dict)


def merged_tables(
    queries: pl.DataFrame, results: pl.DataFrame, rules: Sequence[str], time: pl.Expr | None = None
) -> MergedTables:
    """Merge queries of one session that follow one another.

    Parameters
    ----------
    queries
        RECORD, ``session_id``, ``query_position`` (whole numbers) and ``query_text``; RULE where a query broke one: it stays,
        as does one at a position that is taken.
    results
        RECORD, ``session_id``, ``query_position``, ``rank``, ``doc_id``; clicks on them.
    rules
        Those to merge by, ``same`` and ``typing``.
    time
        When queries were asked, a datetime or seconds, for the rule ``typing``.

    Examples
    --------
    >>> asked = pl.DataFrame({RECORD: [1, 2, 3], "session_id": "s", "query_position": [1, 2, 3], "query_text": ["a", "a", "b"]})
    >>> shown = asked.select(RECORD, "session_id", "query_position", rank=1, doc_id=pl.lit("x"))
    >>> merged = merged_tables(asked, shown, ["same"])
    >>> merged.queries.select("query_position", "query_text").rows(), merged.results.select("query_position", "doc_id").rows()
    ([(1, 'a'), (2, 'b')], [(1, 'x'), (2, 'x')])
    >>> {words: rows.height for words, rows in merged.gone.items()}
    {'queries sent again': 1, 'results of queries merged into others': 1}
    """
    ordered = queries.sort(SESSION_ID, QUERY_POSITION, nulls_last=True, maintain_order=True).with_row_index(KEY)
    whole = pl.col(QUERY_POSITION).is_not_null() & pl.struct(SESSION_ID, QUERY_POSITION).is_first_distinct()
    if RULE in ordered.columns:
        whole &= pl.col(RULE).is_null()
    asked = ordered.select(KEY, SESSION_ID, QUERY_POSITION, query_text=pl.when(whole).then("query_text"))
    if time is not None:
        clicks = pl.col("clicks").fill_null(0).sum() if "clicks" in results.columns else pl.lit(0)
        made = results.group_by(SESSION_ID, QUERY_POSITION).agg(clicks=clicks)
        asked = asked.join(made, on=[SESSION_ID, QUERY_POSITION], how="left", maintain_order="left")
        asked = asked.with_columns(pl.col("clicks").fill_null(0), issued_at=ordered.select(time).to_series())
    placed = ordered.join(_heads(asked, rules), on=KEY, how="left", maintain_order="left")
    left = pl.col(KEY) == pl.col(KEPT)
    placed = placed.with_columns((pl.col(QUERY_POSITION) - (~left).cum_sum().over(SESSION_ID)).alias(NEW))
    lists, rows = _lists(results, placed)
    gone = {SAID[rule]: placed.filter(pl.col(BY) == rule).select(SESSION_ID, RECORD) for rule in rules} | {
        ROWS_GONE: rows
    }
    stays = _with_status(placed).filter(left).with_columns(pl.col(NEW).alias(QUERY_POSITION)).drop(KEY, KEPT, NEW, BY)
    return MergedTables(stays, lists, {words: those for words, those in gone.items() if those.height})


def _heads(asked: pl.DataFrame, rules: Sequence[str]) -> pl.DataFrame:
    """Return of each query the one it went into (its own where it stayed), and by which rule."""
    again, every = (
        merge_queries(asked.lazy(), KEY, some).heads.select(KEY, pl.col("kept").alias(KEPT)).collect()
        for some in ([rule for rule in rules if rule != "typing"], rules)
    )
    sent_again = again[KEPT] != again[KEY]
    by = pl.when(sent_again).then(pl.lit("same")).when(pl.col(KEPT) != pl.col(KEY)).then(pl.lit("typing"))
    return every.with_columns(by.alias(BY))


def _lists(results: pl.DataFrame, placed: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the lists of the queries that are left, at their new positions, and the rows that are in none."""
    kept = placed.select(pl.col(KEY).alias(KEPT), pl.col(NEW).alias("__onto"))
    places = placed.join(kept, on=KEPT, how="left").select(SESSION_ID, QUERY_POSITION, KEY, KEPT, "__onto").drop_nulls()
    # a second query at a position will be rejected
    places = places.unique([SESSION_ID, QUERY_POSITION], keep="first", maintain_order=True)
    rows = results.join(places, on=[SESSION_ID, QUERY_POSITION], how="left", maintain_order="left")
    own = pl.col(KEPT).is_null() | (pl.col(KEY) == pl.col(KEPT))
    rows = rows.with_columns(
        pl.coalesce("__onto", QUERY_POSITION).cast(results.schema[QUERY_POSITION]).alias(QUERY_POSITION)
    )
    mine = rows.filter(own)
    again = rows.filter(~own, pl.col(KEPT) < pl.col(KEY))  # not of a text on its way to the next
    free = again.join(mine, on=SLOT, how="anti").join(mine, on=[SESSION_ID, QUERY_POSITION, "rank"], how="anti")
    free = free.unique(SLOT, keep="first", maintain_order=True)
    free = free.unique([SESSION_ID, QUERY_POSITION, "rank"], keep="first", maintain_order=True)
    lists = pl.concat([mine, free])
    onto = again.join(free, on=[SESSION_ID, RECORD, "rank", "doc_id"], how="anti")
    made = _with_clicks(lists, onto).sort(SESSION_ID, QUERY_POSITION, "rank", maintain_order=True)
    rest = rows.join(lists, on=[KEY, SESSION_ID, RECORD, "rank", "doc_id"], how="anti", nulls_equal=True)
    return made.select(results.columns), rest.select(SESSION_ID, RECORD)


def _with_clicks(lists: pl.DataFrame, again: pl.DataFrame) -> pl.DataFrame:
    """Return lists with what was done with the same documents in lists that are gone."""
    own = pl.lit(value=True).alias("__own")
    every = pl.concat([lists.with_columns(own), again.with_columns(~own)])
    first = pl.col("__own") & pl.struct(SLOT).is_first_distinct()
    made = []
    for name in (one for one in (*ADDED, *FIRST, *EITHER) if one in lists.columns):
        counts = pl.when(first | ~pl.col("__own")).then(name)  # a document that stands twice in a list has clicks once
        whole = counts.sum() if name in ADDED else counts.min() if name in FIRST else counts.max()
        value = pl.when(counts.count().over(SLOT) > 0).then(whole.over(SLOT))
        made.append(pl.when(first).then(value).otherwise(name).cast(lists.schema[name]).alias(name))
    return every.with_columns(made).filter("__own").drop("__own")


def _with_status(placed: pl.DataFrame) -> pl.DataFrame:
    """Return queries; one without rows has the status of the first with rows that was sent again for it."""
    if "results_status" not in placed.columns:
        return placed
    status = pl.col("results_status")
    other = status.filter(~status.is_in(WITHOUT_ROWS), pl.col(KEY) >= pl.col(KEPT)).first().over(KEPT)
    return placed.with_columns(pl.when(status.is_in(WITHOUT_ROWS)).then(pl.coalesce(other, status)).otherwise(status))


RULES = ("same", "paging", "typing")
MERGE_QUERIES = Option(
    "Which queries are merged into one: same (sent again: the text of the query before, and no other list), paging (the next "
    "page of a list), typing (a text on its way to the next). An empty list: none.",
    default=["same", "paging", "typing"],
    allowed=RULES,
    many=True,
)
"""The option of formats whose log may have one query several times; a format may have another default."""
SAID = {"same": "queries sent again", "paging": "further pages of a list", "typing": "queries on their way to the next"}
"""What merged queries are called in accounts and notes."""
TYPED_WITHIN = 5.0
"""Seconds within which a longer text has to follow to count as typed on."""
MERGED_BY, HEAD = "__merged_by", "__head"
NTH, RUN, SIZE = "__nth", "__run", "list_size"
"""Of a query: its place, the number of its run of equal texts, and how many results its list has where all are logged."""


@dataclass(frozen=True)
class Merged:
    """Queries after merging.

    Parameters
    ----------
    queries
        One row per query that is left: of queries sent again or paged the first, of typed ones the last.
    heads
        A row per query of the log: `key` of it, and ``kept``, that of the one it went into (its own where it stayed). Results
        of a further page and clicks go along; the list of a query sent again is the one already there.
    counts
        How many queries were merged, by rule; rules that merged none are absent.
    """

    queries: pl.LazyFrame
    heads: pl.LazyFrame
    counts: dict[str, int]

    def tallies(self, source: str) -> dict[tuple[str, str], int]:
        """Return the counts as :class:`~sessionkit.readers.records.Taken` wants them in ``merged``."""
        return {(source, SAID[rule]): many for rule, many in self.counts.items()}


def told(counts: Mapping[str, int]) -> list[str]:
    """Return what is to be said of merged queries."""
    if not counts:
        return []
    said = ", ".join(f"{many:,} {SAID[rule]}" for rule, many in counts.items())
    return [
        f"queries: {counted(sum(counts.values()), 'query')} merged into others ({said}); merge_queries turns this off"
    ]


def merge_queries(
    queries: pl.LazyFrame, key: str, rules: Sequence[str] = RULES, *, lists: pl.LazyFrame | None = None
) -> Merged:
    """Merge queries of one session that follow one another.

    Parameters
    ----------
    queries
        ``session_id``, ``query_text`` and `key`, in the order asked; for ``paging`` ``first_rank`` and ``last_rank`` of the
        list, for ``typing`` ``issued_at`` (a datetime, or seconds) and ``clicks`` (of the query). A rule whose columns are
        not there merges nothing. ``list_size`` is the length of a list that is logged as a whole, 0 of an empty one, else null.
    key
        The column that tells queries apart; its values are distinct and not null.
    rules
        Those to merge by, of :data:`RULES`.
    lists
        `key`, ``rank`` and ``doc_id`` of the results. Queries whose lists differ are not merged by ``same`` or ``paging``;
        those of which one has no list are.

    Examples
    --------
    >>> asked = pl.LazyFrame({"session_id": "s", "query_id": [1, 2, 3], "query_text": ["cat", "cat ", "cats"]})
    >>> merged = merge_queries(asked, "query_id")
    >>> merged.queries.collect()["query_id"].to_list(), merged.counts
    ([1, 3], {'same': 1})
    >>> merged.heads.collect().rows()
    [(1, 1), (2, 1), (3, 3)]
    """
    stays = pl.col(MERGED_BY).is_null()
    head = pl.when(stays).then(pl.col(key)).forward_fill().alias(HEAD)
    marked = _again(queries, key, rules, lists).with_columns(head).collect().lazy()
    if "typing" not in rules or not {"issued_at", "clicks"} <= set(queries.collect_schema()):
        return Merged(marked.filter(stays).drop(MERGED_BY, HEAD), marked.select(key, kept=HEAD), _counted(marked))
    typed = _typed(marked)
    kept = pl.when(stays).then(pl.col(HEAD)).backward_fill().alias("kept")
    onto = typed.select(HEAD, MERGED_BY, kept)
    heads = marked.select(key, HEAD).join(onto.select(HEAD, "kept"), on=HEAD, how="left", maintain_order="left")
    left = queries.join(onto.filter(stays).select(pl.col(HEAD).alias(key)), on=key, how="semi")
    return Merged(left, heads.select(key, "kept"), _counted(marked, typed))


def _counted(*marked: pl.LazyFrame) -> dict[str, int]:
    """Return how many queries each rule merged, those that merged none left out."""
    rules = pl.concat([frame.group_by(MERGED_BY).len() for frame in marked]).drop_nulls().collect()
    counted = dict(rules.rows())
    return {rule: counted[rule] for rule in RULES if rule in counted}


def _again(queries: pl.LazyFrame, key: str, rules: Sequence[str], lists: pl.LazyFrame | None) -> pl.LazyFrame:
    """Return the queries with the rule, same or paging, by which one is the query before it."""
    text = pl.col("query_text").str.strip_chars()
    alike = (pl.col("session_id") == pl.col("session_id").shift(1)) & (text == text.shift(1)) & (text != "")
    repeated = alike.fill_null(value=False)
    pages = pl.lit(value=False)
    if {"first_rank", "last_rank"} <= set(queries.collect_schema()):
        pages = repeated & (pl.col("first_rank") == pl.col("last_rank").shift(1) + 1).fill_null(value=False)
    by_rule = {"same": repeated & ~pages, "paging": pages}
    rule = pl.coalesce(
        pl.lit(None, dtype=pl.String), *(pl.when(by_rule[name]).then(pl.lit(name)) for name in by_rule if name in rules)
    )
    marked = queries.with_columns(rule.alias(MERGED_BY))
    if lists is None:
        return marked
    runs = marked.with_row_index(NTH).with_columns((~repeated).cum_sum().alias(RUN)).collect()
    differing = _differing_lists(runs, key, lists)
    differs = pl.col(key).is_in(differing.implode())
    return runs.lazy().with_columns(pl.when(~differs).then(MERGED_BY).alias(MERGED_BY)).drop(NTH, RUN)


def _differing_lists(runs: pl.DataFrame, key: str, lists: pl.LazyFrame) -> pl.Series:
    """Return the keys of queries whose list is another than those before it in its RUN.

    Lists differ where they have different documents at one rank, where one is empty and the other is not, or where both are
    logged as a whole and have different lengths. A query without a list is compared with none.
    """
    repeated = runs.filter(pl.len().over(RUN) > 1)
    rows = repeated.lazy().select(key, NTH, RUN).join(lists.select(key, "rank", "doc_id"), on=key).drop_nulls()
    rows = rows.unique([key, "rank"], keep="first", maintain_order=True).sort(RUN, "rank", NTH)
    before = pl.col("doc_id").shift(1).over(RUN, "rank")
    placed = rows.with_columns((pl.col("doc_id") != before).alias("differs")).collect()
    size = pl.col(SIZE) if SIZE in runs.columns else pl.lit(None, dtype=pl.Int64)
    whole = pl.when(pl.col(MERGED_BY).ne_missing("paging")).then(size)  # a further page may be shorter than the first
    fills = pl.when(size == 0).then(False).when(pl.col(key).is_in(placed[key].unique().implode())).then(True)
    sized = repeated.select(key, RUN, whole.alias("whole"), fills.alias("fills"))
    others = pl.any_horizontal(
        (pl.col(name) != pl.col(name).forward_fill().shift(1).over(RUN)).fill_null(value=False)
        for name in ("whole", "fills")
    )
    return pl.concat([placed.filter("differs")[key], sized.filter(others)[key]]).unique()


def _typed(marked: pl.LazyFrame) -> pl.LazyFrame:
    """Return a row per query so far, by its HEAD, with the rule typing where it is on its way to the next."""
    there = marked.collect_schema()
    asked = marked.group_by(HEAD, maintain_order=True).agg(
        pl.col("session_id").first(),
        pl.col("query_text").first().str.strip_chars(),
        pl.col("issued_at").last(),
        began=pl.col("issued_at").first(),
        clicks=pl.col("clicks").sum(),
    )
    text, longer = pl.col("query_text"), pl.col("query_text").shift(-1)
    pause = pl.col("began").shift(-1) - pl.col("issued_at")
    passed = pause.dt.total_microseconds() / 1e6 if there["issued_at"].is_temporal() else pause
    onwards = (pl.col("session_id") == pl.col("session_id").shift(-1)) & (text != "")
    onwards &= longer.str.starts_with(text) & (longer != text)
    typed = (onwards & passed.is_between(0, TYPED_WITHIN) & (pl.col("clicks") == 0)).fill_null(value=False)
    return asked.select(HEAD, pl.when(typed).then(pl.lit("typing")).alias(MERGED_BY))
