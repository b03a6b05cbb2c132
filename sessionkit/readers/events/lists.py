"""From a stream of queries, impressions, clicks and leaves to result lists with their clicks."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar

import polars as pl

from sessionkit.display.numbers import counted
from sessionkit.errors import DataError
from sessionkit.readers.events.sessions import RULES, SIZE, merge_queries, told, with_positions
from sessionkit.readers.io.files import LogFile
from sessionkit.readers.raw import Keep, Locate, Raw, without
from sessionkit.readers.records import Log, Taken, raw_of, set_aside
from sessionkit.study.checks import CELL, CELLS, RECORD, RULE, VALUE, cast
from sessionkit.study.schema import table

Key = TypeVar("Key", bound=Hashable)
Found = tuple[int, Any]
"""How many there are, and the least of them; None where there is none."""


def found(rows: pl.LazyFrame, column: str, *, distinct: bool = False) -> Found:
    """Return how many rows there are, or how many distinct values of a column they have, and its least value."""
    value = pl.col(column)
    many = value.n_unique() if distinct else pl.len()
    number, first = rows.select(many.alias("many"), value.min().alias("first")).collect().row(0)
    return number, first


def all_found(parts: Iterable[Found]) -> Found:
    """Return what parts have together, none of it in two of them."""
    given = [part for part in parts if part[0]]
    return sum(many for many, _ in given), min((first for _, first in given), default=None)


def summed(*counts: Mapping[Key, int]) -> dict[Key, int]:
    """Return the sums of counts."""
    total: dict[Key, int] = {}
    for each in counts:
        for key, many in each.items():
            total[key] = total.get(key, 0) + many
    return total


def raws_of(
    name: str,
    rows: pl.LazyFrame,
    files: Sequence[LogFile],
    locates: Sequence[Locate],
    *,
    timezone: str | None,
    base: Mapping[str, int] = MappingProxyType({"query_position": 1, "rank": 1}),
) -> list[Raw]:
    """Return rows of a table as one source for each file and kind of record; `base` as :func:`raw_of` takes it."""
    kinds = rows.group_by(FILE, KIND).len().sort(FILE, KIND).collect().rows()
    private = [column for column in rows.collect_schema().names() if column.startswith("__") and column != RECORD]
    held = [column for column in private if column not in ("__rule", "__value")]
    return [
        replace(
            raw_of(
                files[file],
                name,
                rows.filter(pl.col(FILE) == file, pl.col(KIND) == kind).drop(held),
                kind=kind,
                locate=locates[file],
                timezone=timezone,
                base=base,
            ),
            records=many,
        )
        for file, kind, many in kinds
    ]


def with_names(counts: Mapping[tuple[int, str], int], files: Sequence[LogFile]) -> dict[tuple[str, str], int]:
    """Return counts by the names of files."""
    return {(files[file].name, kind): many for (file, kind), many in counts.items() if many}


FILE, KEY, KIND, AT = "__file", "__key", "__kind", "__time"
"""The number of a row's file; what tells queries apart; what the row's record is; when, as a time."""
NOUN, MANY = "__noun", "__many"
"""Of a mark: what its records are called, such as ``click events``; the column of results that counts them, if any."""
FROM, BARE = "__from", "__bare"
"""Of a result: where it is known from, one of :data:`KNOWN`; of a query: its status if it has no result."""
KNOWN = ("hit list", "impressions", "clicks")
"""From where a list may be known, the best first."""
PLACE = (FILE, RECORD)
ORDER = "__order"
"""Of a query: its place in the order of sessions and times, where that is known already."""
GONE = "queries merged into others"
Counts = Mapping[tuple[int, str], int]
"""Numbers of records by (number of the file, kind)."""


@dataclass(frozen=True)
class Listed:
    """Rows of both tables.

    Parameters
    ----------
    merged, idle
        What went into rows, and what carries nothing.
    requeried
        How many queries were merged, by rule.
    lost
        Clicks on documents that their query's list does not have, and the first record of one.
    differing
        Sessions that have several values of a column of which they have one.
    """

    queries: pl.LazyFrame
    results: pl.LazyFrame
    merged: Counts = field(default_factory=dict)
    idle: Counts = field(default_factory=dict)
    requeried: Mapping[str, int] = field(default_factory=dict)
    lost: Found = (0, None)
    differing: Mapping[str, Found] = field(default_factory=dict)

    @property
    def notes(self) -> list[str]:
        """What is to be said."""
        many, first = self.lost
        said = f"{counted(many, 'click')} on documents that are not in their query's list (first: record {first})"
        return [*told(self.requeried), *([said] if many else [])]

    @property
    def warnings(self) -> list[str]:
        """What is to be warned of."""
        taken = "that of its first query is used"
        return [
            f"{name}: several within {counted(many, 'session')} (first: session {first!r}); {taken}"
            for name, (many, first) in self.differing.items()
            if many
        ]


def together(parts: Sequence[Listed]) -> Listed:
    """Return the rows of a log from those of its parts, each all of some sessions."""
    if len(parts) == 1:
        return parts[0]
    merged = summed(*(part.merged for part in parts))
    requeried = summed(*(part.requeried for part in parts))
    return Listed(
        pl.concat([part.queries for part in parts]),
        pl.concat([part.results for part in parts]),
        dict(sorted(merged.items(), key=lambda one: (one[0][1] != GONE, one[0]))),
        dict(sorted(summed(*(part.idle for part in parts)).items())),
        {rule: requeried[rule] for rule in RULES if rule in requeried},
        all_found(part.lost for part in parts),
        {name: all_found(part.differing[name] for part in parts) for name in parts[0].differing},
    )


def listed(
    queries: pl.LazyFrame,
    lists: pl.LazyFrame,
    marks: pl.LazyFrame,
    *,
    rules: Sequence[str],
    keep: Keep,
    many: Sequence[str] = ("clicks",),
) -> Listed:
    """Return the rows of both tables.

    Parameters
    ----------
    queries
        KEY, FILE, RECORD, KIND, BARE, session_id, query_text, AT, ``__counts`` (whether its record is no other row's) and
        whatever else; one row per query.
    lists
        KEY, FILE, RECORD, KIND, FROM, rank, doc_id; one row per result.
    marks
        KEY, FILE, RECORD, NOUN, MANY, doc_id, clicked_at, dwell_seconds; one row per event on a result.
    rules
        By which queries are merged, see ``sessions.py``.
    many
        The columns that count marks, ``clicks`` first.
    """
    ordered = keep(_in_order(queries))
    heads, counts = _heads(ordered, lists, marks, rules)
    merged: dict[tuple[int, str], int] = {}
    if counts:
        gone = keep(heads.filter(pl.col(KEY) != pl.col("kept")))
        merged |= tallied(ordered.join(gone, on=KEY, how="semi").filter(pl.col("__counts")), GONE)
        ordered = ordered.join(gone, on=KEY, how="anti", maintain_order="left")
        lists, marks = keep(_moved(lists, gone)), keep(_renamed(marks, gone))
    rows = keep(_with_marks(lists, marks, many))
    asked, differing = _of_session(keep(with_positions(_with_status(ordered, rows))))
    asked = keep(asked)
    place = asked.select(KEY, "session_id", "query_position")
    results = keep(rows.join(place, on=KEY, how="inner", maintain_order="left"))
    onto, beside, lost = _accounts(marks, results)
    return Listed(asked, results, {**merged, **onto}, beside, counts, lost, differing)


def _in_order(queries: pl.LazyFrame) -> pl.LazyFrame:
    """Return queries in the order of sessions and times; one without time stands where it does in the log."""
    if ORDER in queries.collect_schema():
        return queries.sort("session_id", ORDER)
    if not queries.select(pl.col(AT).is_null().any()).collect().item():
        return queries.sort("session_id", AT, *PLACE, nulls_last=True)
    since = pl.col(AT).forward_fill().backward_fill().over("session_id").alias("__since")
    placed = queries.sort(*PLACE).with_columns(since)
    return placed.sort("session_id", "__since", *PLACE, nulls_last=True).drop("__since")


def _heads(
    ordered: pl.LazyFrame, lists: pl.LazyFrame, marks: pl.LazyFrame, rules: Sequence[str]
) -> tuple[pl.LazyFrame, dict[str, int]]:
    """Return for each query the one it goes into, and how many go by which rule."""
    if not rules:
        return ordered.select(KEY, kept=KEY), {}
    ranks = lists.group_by(KEY).agg(first_rank=pl.col("rank").min(), last_rank=pl.col("rank").max())
    clicked = marks.filter(pl.col(MANY) == "clicks").group_by(KEY).agg(clicks=pl.len())
    sizes = lists.filter(pl.col(FROM) == KNOWN[0]).group_by(KEY).agg(pl.len().cast(pl.Int64).alias(SIZE))
    asked = ordered.select(KEY, "session_id", "query_text", BARE, issued_at=AT)
    asked = asked.join(ranks, on=KEY, how="left", maintain_order="left")
    asked = asked.join(sizes, on=KEY, how="left", maintain_order="left")
    is_empty = (pl.col(BARE) == "empty") & pl.col("first_rank").is_null()
    asked = asked.with_columns(pl.when(is_empty).then(0).otherwise(SIZE).alias(SIZE)).drop(BARE)
    asked = asked.join(clicked, on=KEY, how="left", maintain_order="left").with_columns(pl.col("clicks").fill_null(0))
    merging = merge_queries(asked, KEY, rules, lists=lists)
    place = ordered.select(KEY).with_row_index("__nth")
    heads = merging.heads.join(place, on=KEY).join(place.rename({KEY: "kept", "__nth": "__kept_nth"}), on="kept")
    return heads, merging.counts


def _with_marks(lists: pl.LazyFrame, marks: pl.LazyFrame, many: Sequence[str]) -> pl.LazyFrame:
    """Return results with what was done with them, all kinds of marks at once, as ``with_clicks`` has one kind.

    Of a document that stands twice in a list the first row gets the marks.
    """
    there = marks.collect_schema().names()
    is_click, spent = pl.col(MANY) == "clicks", pl.col("dwell_seconds")
    values = [(pl.col(MANY) == name).sum().cast(pl.Int32).alias(name) for name in many]
    values += [pl.col(name).filter(is_click).min() for name in ("clicked_at", "click_elapsed_seconds") if name in there]
    if "dwell_seconds" in there:
        values.append(pl.when((is_click & spent.is_not_null()).any()).then(spent.filter(is_click).sum()))
    counts = marks.filter(pl.col(MANY).is_in(list(many))).group_by(KEY, "doc_id").agg(values)
    placed = lists.with_row_index("__nth")
    met = placed.select("__nth", KEY, "doc_id").join(counts, on=[KEY, "doc_id"])
    first = met.sort("__nth").unique([KEY, "doc_id"], keep="first").drop(KEY, "doc_id")
    joined = placed.join(first, on="__nth", how="left", maintain_order="left")
    made = joined.drop("__nth").with_columns(pl.col(name).fill_null(0) for name in many)
    return made.with_columns(clicked=pl.col("clicks") > 0)


def _of_session(asked: pl.LazyFrame) -> tuple[pl.LazyFrame, dict[str, Found]]:
    """Return queries with one user, system and topic for all of a session, and the sessions where they differ."""
    names = [name for name in ("user_id", "system_id", "topic_id") if name in asked.collect_schema()]
    by_session = asked.group_by("session_id").agg(pl.col(name).drop_nulls().n_unique() for name in names)
    differing = {name: found(by_session.filter(pl.col(name) > 1), "session_id") for name in names}
    first_of = [pl.col(name).drop_nulls().first().over("session_id").alias(name) for name in names]
    return asked.with_columns(first_of), differing


def _with_status(queries: pl.LazyFrame, rows: pl.LazyFrame) -> pl.LazyFrame:
    """Return queries with what is known of their lists, and from where."""
    best = [(pl.col(FROM) == known).any().alias(known) for known in KNOWN]
    joined = queries.join(rows.group_by(KEY).agg(best), on=KEY, how="left", maintain_order="left")
    known = pl.coalesce(pl.when(pl.col(known)).then(pl.lit(known)) for known in KNOWN)
    status = pl.when(known == "clicks").then(pl.lit("partly_observed")).when(known.is_null()).then(BARE)
    return joined.with_columns(results_status=status.otherwise(pl.lit("shown")), list_from=known).drop(KNOWN)


def _renamed(rows: pl.LazyFrame, gone: pl.LazyFrame) -> pl.LazyFrame:
    """Return rows under the query that theirs went into."""
    joined = rows.join(gone.select(KEY, "kept"), on=KEY, how="left", maintain_order="left")
    return joined.with_columns(pl.coalesce("kept", KEY).alias(KEY)).drop("kept")


def _moved(lists: pl.LazyFrame, gone: pl.LazyFrame) -> pl.LazyFrame:
    """Return the lists of queries that are left: their own, and ranks they lack from queries that went into them.

    The list of a text on its way to a later one is not that of the later one.
    """
    own = lists.join(gone, on=KEY, how="anti", maintain_order="left")
    others = lists.join(gone.filter(pl.col("__kept_nth") < pl.col("__nth")), on=KEY)
    others = others.with_columns(pl.col("kept").alias(KEY))
    theirs = own.join(gone, left_on=KEY, right_on="kept", how="semi")
    for slot in ("rank", "doc_id"):
        others = others.join(theirs, on=[KEY, slot], how="anti")
    others = others.sort("__nth", "rank", *PLACE).unique([KEY, "rank"], keep="first", maintain_order=True)
    return pl.concat([own, others.select(own.collect_schema().names())])


def _accounts(marks: pl.LazyFrame, results: pl.LazyFrame) -> tuple[Counts, Counts, Found]:
    """Return how many marks went onto results, and how many onto none, by file and noun, and the clicks of these.

    Marks that are rows themselves are not counted.
    """
    pair = [KEY, "doc_id"]
    own = results.select(PLACE).join(marks, on=PLACE, how="semi")
    there = results.select(pair).join(marks, on=pair, how="semi").unique().with_columns(__there=pl.lit(value=True))
    left = marks.join(own, on=PLACE, how="anti").join(there, on=pair, how="left")
    each = left.select(FILE, NOUN, MANY, RECORD, pl.col("__there").fill_null(value=False)).collect().lazy()
    lost = found(each.filter(~pl.col("__there"), pl.col(MANY) == "clicks"), RECORD)
    counts = each.group_by(FILE, NOUN, "__there").len().sort(FILE, NOUN).collect().rows()
    onto = {(file, noun): many for file, noun, there, many in counts if there}
    beside = {(file, f"{noun} without a listed result"): many for file, noun, there, many in counts if not there}
    return onto, beside, lost


def tallied(rows: pl.LazyFrame, kind: str | pl.Expr) -> dict[tuple[int, str], int]:
    """Return how many rows each file has, by a kind that is one for all or a column's."""
    of = pl.lit(kind) if isinstance(kind, str) else kind
    counts = rows.select(FILE, of.alias("__of")).group_by(FILE, "__of").len().sort(FILE, "__of").collect().rows()
    return {(file, kind): many for file, kind, many in counts}


def as_time(column: str, timezone: str | None) -> pl.Expr:
    """Return a column of texts as times, as the contract reads them; null where they are none."""
    return cast(replace(table("queries").by_name["issued_at"], name=column), pl.String(), timezone)


TEXT, BY_TEXT = "__named_text", "__by_text"
"""Of an event: the text it names; whether the query of that text was found, where the query before it has another one."""
SELDOM = 20
"""A file stands newest first where times fall more than so many times as often as they rise."""
ENDS = {name: f"__end{name}" for name in (FILE, RECORD, AT)}


def dwell_times(events: pl.LazyFrame, keep: Keep) -> tuple[pl.LazyFrame, pl.LazyFrame]:
    """Return clicks with the seconds (``__dwell``) until they were left, and the leaves that ended one.

    Parameters
    ----------
    events
        FILE, RECORD, session_id, AT, ACTION and doc_id, in order. A leave that names a document ends the last click on
        it; one that names none ends the last click, unless another did.
    """
    timed = events.filter(pl.col(ACTION).is_in(["click", "leave"]), pl.col(AT).is_not_null())
    timed = timed.select(*PLACE, "session_id", "doc_id", ACTION, AT)
    ends = [
        _ended(timed.filter(pl.col("doc_id").is_not_null()), ["session_id", "doc_id"]),
        _ended(timed.filter((pl.col(ACTION) == "click") | pl.col("doc_id").is_null()), ["session_id"]),
    ]
    seconds = (pl.col(ENDS[AT]) - pl.col(AT)).dt.total_microseconds() / 1e6
    ended = keep(pl.concat(ends).sort(ENDS[AT]).unique(PLACE, keep="first", maintain_order=True))
    leaves = ended.select(pl.col(ENDS[name]).alias(name) for name in PLACE).unique()
    return ended.select(*PLACE, seconds.alias("__dwell")), leaves


def _ended(timed: pl.LazyFrame, within: list[str]) -> pl.LazyFrame:
    """Return the clicks whose next event, of those with the same values in these columns, is a leave."""
    later = [pl.col(name).shift(-1).over(within).alias(end) for name, end in ENDS.items()]
    left = (pl.col(ACTION).shift(-1).over(within) == "leave").fill_null(value=False).alias("__left")
    return timed.with_columns(*later, left).filter(pl.col(ACTION) == "click", "__left").drop("__left", ACTION)


SLOT = "__slot"
OF_SESSION = ("user_id", "topic_id", "system_id")
MADE = ("clicked", "clicks", "clicked_at", "results_status", "query_position", "list_from")
"""Columns made here, of which the log can have none of its own."""


def queries_of(events: pl.LazyFrame, extras: Sequence[str], keep: Keep) -> pl.LazyFrame:
    """Return one row per event that is a query; what it does not say of its session, the session's first event that does."""
    none = (pl.col(LIST).list.len() == 0) | (pl.col(COUNT) == 0)
    status = pl.when(none).then(pl.lit("empty")).otherwise(pl.lit("not_logged")).alias(BARE)
    first = [pl.coalesce(name, pl.col(name).drop_nulls().first().over("session_id")) for name in OF_SESSION]
    own = _of(extras, "results")
    names = ("judgment_key", "query_id", "query_text", "issued_at", "elapsed_seconds")
    asked = events.with_columns(first).filter(pl.col(ACTION) == "query")
    kind, counts = pl.lit("query events").alias(KIND), pl.lit(value=True).alias("__counts")
    rows = asked.select(KEY, *PLACE, AT, ORDER, "session_id", *names, *OF_SESSION, kind, counts, status, *own)
    return _filled(rows, [name for name in (*names, *OF_SESSION, *own) if name != "query_text"], keep)


def lists_of(events: pl.LazyFrame, *, ranked: bool, extras: Sequence[str], keep: Keep) -> pl.LazyFrame:
    """Return one row per result that was shown; `ranked` where the log has ranks."""
    own = _of(extras, "queries")
    told = events.filter(pl.col(ACTION) == "query", pl.col(LIST).list.len() > 0).select(
        KEY,
        *PLACE,
        pl.lit("results of query events").alias(KIND),
        pl.lit("hit list").alias(FROM),
        doc_id=LIST,
        rank=pl.int_ranges(1, pl.col(LIST).list.len() + 1, dtype=pl.Int64),
    )
    seen = events.filter(pl.col(ACTION) == "impression", pl.all_horizontal(pl.col(KEY, "doc_id").is_not_null()))
    seen = seen.join(told.select(KEY), on=KEY, how="anti", maintain_order="left")
    if not ranked:
        once = seen.unique([KEY, "doc_id"], keep="first", maintain_order=True)
        seen = once.with_columns(rank=pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over(KEY))
    kind, known = pl.lit("impression events").alias(KIND), pl.lit("impressions").alias(FROM)
    shown = seen.unique([KEY, "rank", "doc_id"], keep="first", maintain_order=True)
    rows = _filled(shown.select(KEY, *PLACE, kind, known, "doc_id", "rank", *own), own, keep)
    return keep(pl.concat([told.explode("doc_id", "rank"), rows], how="diagonal_relaxed"))


def with_documents(events: pl.LazyFrame, lists: pl.LazyFrame, keep: Keep) -> pl.LazyFrame:
    """Return events with what lists have at the rank that an event names (SLOT), which is a click's document if it names none."""
    slots = lists.unique([KEY, "rank"], keep="first", maintain_order=True).select(
        KEY, "rank", pl.col("doc_id").alias(SLOT)
    )
    joined = events.join(slots, on=[KEY, "rank"], how="left", maintain_order="left")
    own = pl.when(pl.col(ACTION) == "click").then(pl.coalesce("doc_id", SLOT)).otherwise("doc_id")
    return keep(joined.with_columns(own.alias("doc_id")))


def with_clicked(
    events: pl.LazyFrame, lists: pl.LazyFrame, dwell: pl.LazyFrame, keep: Keep
) -> tuple[pl.LazyFrame, pl.LazyFrame]:
    """Return lists with the documents clicked that were not shown, and the events that are on results."""
    inside = events.filter(pl.col(KEY).is_not_null())
    clicks = inside.filter(pl.col(ACTION) == "click").join(dwell, on=list(PLACE), how="left", maintain_order="left")
    alone = clicks.filter(pl.col(SLOT).is_null(), pl.all_horizontal(pl.col("rank", "doc_id").is_not_null()))
    alone = alone.join(lists, on=[KEY, "doc_id"], how="anti", maintain_order="left")
    for slot in ("doc_id", "rank"):
        alone = alone.unique([KEY, slot], keep="first", maintain_order=True)
    kind, known = pl.lit("click events").alias(KIND), pl.lit("clicks").alias(FROM)
    added = keep(alone.select(KEY, *PLACE, kind, known, "doc_id", "rank"))
    clicks = clicks.join(
        added.select(KEY, "rank", __added="doc_id"), on=[KEY, "rank"], how="left", maintain_order="left"
    )
    clicks = clicks.with_columns(pl.coalesce("doc_id", "__added").alias("doc_id"))
    seen = inside.filter(pl.col(ACTION) == "impression")
    spent = pl.coalesce("dwell_seconds", "__dwell").alias("dwell_seconds")
    made = clicks.select(
        KEY,
        *PLACE,
        pl.lit("click events").alias(NOUN),
        pl.lit("clicks").alias(MANY),
        "doc_id",
        spent,
        clicked_at=pl.when(pl.col("issued_at").is_not_null()).then(AT),
        click_elapsed_seconds="elapsed_seconds",
    )
    marks = [seen.select(KEY, *PLACE, pl.lit("impression events").alias(NOUN), "doc_id"), made]
    held = _filled(
        pl.concat(marks, how="diagonal_relaxed"), ["dwell_seconds", "clicked_at", "click_elapsed_seconds"], keep
    )
    return keep(pl.concat([lists, added], how="diagonal_relaxed")), held


def _of(extras: Sequence[str], other: str) -> list[str]:
    """Return the extras that are not columns of the other table, nor made here."""
    return [name for name in extras if name not in (*table(other).names, *MADE)]


def _filled(rows: pl.LazyFrame, names: Sequence[str], keep: Keep) -> pl.LazyFrame:
    """Return rows without those of these columns that have no value at all."""
    kept = keep(rows)
    if not names:
        return kept
    held = kept.select(pl.col(name).is_not_null().any() for name in names).collect().row(0)
    return kept.drop([name for name, is_held in zip(names, held, strict=True) if not is_held])


ON_RESULT = ("impression", "click")


def taken(
    stream: pl.LazyFrame,
    log: Log,
    locates: Sequence[Locate],
    *,
    rules: Sequence[str],
    rank_base: int | None = None,
    notes: Sequence[str] = (),
    logs_clicks: bool = True,
) -> Taken:
    """Return what a format hands over whose log is a stream.

    Parameters
    ----------
    stream
        FILE, RECORD, AT, columns of :data:`STREAM`, and extras, which stay with queries and results.
    locates
        For each file the way back to the text of its records.
    rules
        By which queries are merged, see ``sessions.py``.
    rank_base
        What ranks count from; None: as most lists do.
    notes
        What was noticed before.
    logs_clicks
        Whether any kind of event is a click; if not, the results do not say whether they were clicked.

    Raises
    ------
    DataError
        No event is a query.
    """
    names = stream.collect_schema().names()
    lacking = [pl.lit(None, dtype=dtype).alias(name) for name, dtype in STREAM.items() if name not in names]
    whole = log.keep(checked(stream.with_columns(lacking)))
    broken = whole.filter(pl.col(RULE).is_not_null())
    sound = whole.filter(pl.col(RULE).is_null())
    cells = [
        set_aside(file, "results", sound.filter(pl.col(FILE) == number), locate)
        for number, (file, locate) in enumerate(zip(log.files, locates, strict=True))
    ]
    falling = newest_first(sound) if "issued_at" in names or "elapsed_seconds" in names else {}
    is_numbered = "event_order" in names
    ordered = log.keep(in_order(sound.drop(CELLS), [] if is_numbered else list(falling), is_numbered=is_numbered))
    events = with_queries_of_texts(ordered, log.keep)
    if not found(events.filter(pl.col(ACTION) == "query"), RECORD)[0]:
        _refuse(events, broken, log)
    extras = [name for name in names if name not in (*STREAM, FILE, RECORD, AT)]
    shown = lists_of(events, ranked="rank" in names, extras=extras, keep=log.keep)
    events = with_documents(events, shown, log.keep)
    dwell, leaves = dwell_times(events, log.keep)
    lists, marks = with_clicked(events, shown, dwell, log.keep)
    rows = listed(queries_of(events, extras, log.keep), lists, marks, rules=rules, keep=log.keep)
    results = rows.results if logs_clicks else rows.results.drop("clicked", "clicks")
    base = {"query_position": 1} if rank_base is None else {"query_position": 1, "rank": rank_base}
    sources = partial(raws_of, files=log.files, locates=locates, timezone=log.config.settings.timezone, base=base)
    aside = broken.select(FILE, RECORD, RULE, VALUE, pl.lit("broken records").alias(KIND))
    merged, idle = _others(events, leaves)
    return Taken(
        {
            "queries": [*sources("queries", aside), *sources("queries", rows.queries)],
            "results": sources("results", results),
        },
        with_names({**rows.merged, **merged}, log.files),
        with_names({**rows.idle, **idle}, log.files),
        [
            *notes,
            *rows.notes,
            *_noted(events, ranked="rank" in names),
            *(() if is_numbered else _noted_order(falling, log)),
        ],
        rows.warnings,
        cells=cells,
    )


def _refuse(events: pl.LazyFrame, broken: pl.LazyFrame, log: Log) -> None:
    """Raise DataError about a log without queries, naming the events there are and the first broken record."""
    labels = events.select(pl.col(LABEL).value_counts(sort=True)).head(8).collect().to_series().struct.field(LABEL)
    there = ", ".join(repr(label) for label in labels if label is not None) or "none"
    first = broken.select(RECORD, RULE).head(1).collect().rows()
    bad = f"; record {first[0][0]}: {first[0][1]} does not hold" if first else ""
    raise DataError(
        f"{log.files[0].name}: no event is a query; name the events that are queries in study.toml. Events found: "
        f"{there}{bad}"
    )


def _others(
    events: pl.LazyFrame, leaves: pl.LazyFrame
) -> tuple[dict[tuple[int, str], int], dict[tuple[int, str], int]]:
    """Return how many leaves ended the reading of a document, and how many events are on nothing."""
    early = events.filter(pl.col(KEY).is_null(), pl.col(ACTION).is_in(ON_RESULT))
    vain = events.filter(pl.col(ACTION) == "leave").join(leaves, on=list(PLACE), how="anti")
    other = events.filter(pl.col(ACTION).is_null())
    idle = {
        **tallied(early, pl.col(ACTION) + " events before the first query"),
        **tallied(vain, "leave events after no click"),
        **tallied(other, pl.col(LABEL) + " events"),
    }
    return tallied(leaves, "leave events"), idle


FEW = 3
"""Sessions that a note names."""


def _noted(events: pl.LazyFrame, *, ranked: bool) -> list[str]:
    """Return what is to be said of the stream."""
    notes = []
    without_query = (
        events.group_by("session_id").agg(is_searched=(pl.col(ACTION) == "query").any()).filter(~pl.col("is_searched"))
    )
    bare = without_query.select("session_id").sort("session_id").collect()["session_id"]
    if len(bare):
        named = ", ".join(map(repr, bare[:FEW]))
        more = f" and {len(bare) - FEW:,} more" if len(bare) > FEW else ""
        notes.append(f"{counted(len(bare), 'session')} without a query, not in the study: {named}{more}")
    early, first = found(events.filter(pl.col(KEY).is_null(), pl.col(ACTION).is_in(ON_RESULT)), "session_id")
    if early:
        where = "before the first query of their session"
        notes.append(f"{counted(early, 'event')} on results {where} (first: session {first!r})")
    for is_found, target in (
        (True, "the query of that text"),
        (False, "the query before, since no query has that text"),
    ):
        several, record = found(events.filter(pl.col(ACTION).is_in(ON_RESULT), pl.col(BY_TEXT) == is_found), RECORD)
        if several:
            notes.append(
                f"{counted(several, 'event')} on results with another text than the query before (first: record {record}): counted "
                f"for {target}"
            )
    shown, _ = found(events.filter(pl.col(ACTION) == "impression"), RECORD)
    if shown and not ranked:
        notes.append(f"{counted(shown, 'impression')} without ranks: ranked in the order in which they first appear")
    return notes


def _noted_order(falling: dict[int, int], log: Log) -> list[str]:
    """Return what is to be said of files that stand newest first."""
    return [
        f"{log.files[number].name} has the newest events first: {counted(ties, 'event')} with the time of the line before stand in reverse "
        "order as well"
        for number, ties in falling.items()
        if ties
    ]


ACTIONS = ("query", "impression", "click", "leave")
ACTION, LABEL, LIST, COUNT = "__action", "__label", "__list", "__count"
"""One of :data:`ACTIONS` or null; what the log calls the event; of a query the documents shown, and how many there were."""
TEXTS = ("session_id", "user_id", "topic_id", "system_id", "judgment_key", "query_id", "query_text", "doc_id")
STREAM: dict[str, pl.DataType] = {
    **dict.fromkeys((*TEXTS, "issued_at", "rank", ACTION, LABEL, RULE, VALUE), pl.String()),
    CELLS: pl.List(CELL),
    "dwell_seconds": pl.Float64(),
    "elapsed_seconds": pl.Float64(),
    "event_order": pl.Float64(),
    LIST: pl.List(pl.String()),
    COUNT: pl.Int64(),
}
"""Columns of a stream beside FILE, RECORD and AT (a time or, where there are only elapsed_seconds, these since 1970); those that are
missing are null. A rank is text, RULE and VALUE mark records that could not be taken apart."""
WHOLE = r"^\s*-?\d+(?:\.0+)?\s*$"


def checked(stream: pl.LazyFrame) -> pl.LazyFrame:
    """Return a stream with events marked as broken that have no session or name, or a rank that is none.

    A time that is none is set aside; that of a query is looked at with its row.
    """
    on_result = pl.col(ACTION).is_in(["impression", "click"])
    no_rank = on_result & pl.col("rank").is_not_null() & ~pl.col("rank").str.contains(WHOLE)
    beside = on_result | (pl.col(ACTION) == "leave")
    no_time = beside & pl.col("issued_at").is_not_null() & pl.col(AT).is_null()
    broken = pl.col(RULE).is_not_null()
    lost = pl.col("session_id").is_null()
    nameless = pl.col(LABEL).is_null()
    rule = (
        pl.when(broken)
        .then(RULE)
        .when(lost)
        .then(pl.lit("session_id_is_given"))
        .when(nameless)
        .then(pl.lit("event_is_given"))
        .when(no_rank)
        .then(pl.lit("rank_is_an_integer"))
    )
    value = pl.when(broken | lost | nameless).then(VALUE).when(no_rank).then("rank")
    rank = pl.col("rank").str.strip_chars().str.replace(r"\.0+$", "").cast(pl.Int64, strict=False)
    marked = stream.with_columns(rule.alias(RULE), value.alias(VALUE), rank)
    return without(marked, "issued_at", "time_is_a_datetime", no_time, name="time")


def newest_first(events: pl.LazyFrame) -> dict[int, int]:
    """Return the files whose events stand newest first in their sessions, and how many in each have the time of the one before."""
    step = pl.col(AT).diff().over(FILE, "session_id").dt.total_microseconds()
    steps = (
        events.sort(*PLACE)
        .select(FILE, step.alias("step"))
        .group_by(FILE)
        .agg(up=(pl.col("step") > 0).sum(), down=(pl.col("step") < 0).sum(), ties=(pl.col("step") == 0).sum())
    )
    falling = steps.filter(pl.col("down") > SELDOM * pl.col("up")).select(FILE, "ties").sort(FILE).collect()
    return dict(falling.rows())


def in_order(events: pl.LazyFrame, reversed_files: Sequence[int] = (), *, is_numbered: bool = True) -> pl.LazyFrame:
    """Return events in the order of sessions and times (ORDER), with the KEY of the query that each belongs to.

    Events of one time, or without times, stand in the order of ``event_order`` (where they are numbered), else in that of the log,
    which is turned round for `reversed_files`. An event that names a query_id belongs to the last query of that id.
    """
    turned = pl.when(pl.col(FILE).is_in(list(reversed_files))).then(-pl.col(RECORD)).otherwise(RECORD)
    since = pl.col(AT).forward_fill().over("session_id").alias("__since")
    nth = (*(["event_order"] if is_numbered else []), FILE, ORDER)  # each column to sort by costs time
    ordered = events.with_columns(turned.alias(ORDER)).sort(*nth, nulls_last=True).with_columns(since)
    last = [True, False, *(True for _ in nth)]
    ordered = ordered.sort("session_id", "__since", *nth, nulls_last=last).drop("__since", ORDER)
    ordered = ordered.with_row_index(ORDER)
    place = pl.col(FILE).cast(pl.Int64) * 2**40 + pl.col(RECORD)
    is_query = pl.col(ACTION) == "query"
    before = pl.when(is_query).then(place).forward_fill().over("session_id").alias(KEY)
    its = pl.when(is_query).then("query_id").forward_fill().over("session_id").alias("__its")
    placed = ordered.with_columns(before, its)
    named = placed.filter(is_query, pl.col("query_id").is_not_null())
    named = named.group_by("session_id", "query_id").agg(pl.col(KEY).last().alias("__named"))
    joined = placed.join(named, on=["session_id", "query_id"], how="left", maintain_order="left")
    other = ~is_query & pl.col("query_id").is_not_null() & pl.col("query_id").ne_missing(pl.col("__its"))
    key = pl.when(other.fill_null(value=False)).then(pl.coalesce("__named", KEY)).otherwise(KEY)
    return joined.with_columns(key.alias(KEY)).drop("__its", "__named")


def with_queries_of_texts(events: pl.LazyFrame, keep: Keep) -> pl.LazyFrame:
    """Return events with those that name another text than that of their query at the query of that text (BY_TEXT).

    That is the last query of the text before the event, else the next one after it. Events that name a query_id stay.
    """
    text = pl.col("query_text").str.strip_chars().str.replace_all(r"\s+", " ").str.to_lowercase().alias(TEXT)
    is_query = pl.col(ACTION) == "query"
    is_naming = is_query.ne_missing(other=True) & pl.col("query_text").is_not_null() & pl.col("query_id").is_null()
    naming = events.filter(is_naming).select(ORDER, KEY, "session_id", text).collect()
    if naming.is_empty():  # so in most logs, which then need no look-up
        return events.with_columns(pl.lit(None, dtype=pl.Boolean).alias(BY_TEXT))
    queries = (
        events.filter(is_query).select(ORDER, KEY, "session_id", text).filter(pl.col(TEXT).is_not_null()).collect()
    )
    of_query = queries.select(KEY, pl.col(TEXT).alias("__its"))
    apart = naming.join(of_query, on=KEY, how="left").filter(pl.col(TEXT).ne_missing(pl.col("__its")))
    apart = apart.select(ORDER, "session_id", TEXT).sort(ORDER)
    targets = queries.select(ORDER, "session_id", TEXT, pl.col(KEY).alias("__onto")).sort(ORDER)
    for strategy in ("backward", "forward"):
        apart = apart.join_asof(
            targets, on=ORDER, by=["session_id", TEXT], strategy=strategy, suffix=f"_{strategy}", check_sortedness=False
        )
    onto = apart.select(
        ORDER, pl.coalesce("__onto", "__onto_forward").alias("__onto"), pl.lit(value=True).alias("__apart")
    )
    moved = events.join(onto.lazy(), on=ORDER, how="left", maintain_order="left")
    by_text = pl.when("__apart").then(pl.col("__onto").is_not_null())
    return keep(
        moved.with_columns(pl.coalesce("__onto", KEY).alias(KEY), by_text.alias(BY_TEXT)).drop("__onto", "__apart")
    )


CLICK_TIMES = ("clicked_at", "click_elapsed_seconds")
"""When a click was made; of several clicks the first is kept."""
SPENT = "dwell_seconds"
"""How long the document was read; of several clicks the sum is kept."""


def with_clicks(
    results: pl.LazyFrame, clicks: pl.LazyFrame, on: Sequence[str], *, many: str = "clicks"
) -> tuple[pl.LazyFrame, pl.LazyFrame]:
    """Return results with the clicks made on them, and the clicks made on none of them.

    Parameters
    ----------
    results
        Rows of lists.
    clicks
        One row per click: the columns of `on` and, where they are known, those of :data:`CLICK_TIMES` and :data:`SPENT`, as values
        that can be compared and added.
    on
        What says which result was clicked: the list (its record, or session and position) and the document or rank. Of
        a document that stands twice in a list the first row gets the click.
    many
        The column of results that counts the clicks. For ``"clicks"`` there is ``clicked`` as well; for a kind of clicks
        that do not open the document, such as ``"author_clicks"``, there is only the count.

    Examples
    --------
    >>> lists = pl.LazyFrame({"query": [1, 1], "doc_id": ["a", "b"]})
    >>> made = pl.LazyFrame({"query": [1, 1, 1], "doc_id": ["b", "b", "z"], "dwell_seconds": [2.0, 3.0, 1.0]})
    >>> results, outside = with_clicks(lists, made, ["query", "doc_id"])
    >>> results.select("doc_id", "clicked", "clicks", "dwell_seconds").collect().rows()
    [('a', False, 0, None), ('b', True, 2, 5.0)]
    >>> outside.collect()["doc_id"].to_list()
    ['z']
    """
    key = list(on)
    opens = many == "clicks"
    counted = count_clicks(clicks, key) if opens else clicks.group_by(key).agg(pl.len().cast(pl.Int32).alias(many))
    first = pl.struct(key).is_first_distinct().alias("__first")
    joined = results.with_columns(first).join(
        counted.with_columns(pl.lit(True).alias("__first")), on=[*key, "__first"], how="left", maintain_order="left"
    )
    made = joined.drop("__first").with_columns(pl.col(many).fill_null(0))
    if opens:
        made = made.with_columns(clicked=pl.col(many) > 0)
    return made, clicks.join(results.select(key).unique(), on=key, how="anti")


def count_clicks(clicks: pl.LazyFrame, key: Sequence[str], *, number: pl.Expr | None = None) -> pl.LazyFrame:
    """Return one row per clicked result: how many clicks it has, and those of :data:`CLICK_TIMES` and :data:`SPENT` that are known.

    Parameters
    ----------
    key
        The columns that say which result was clicked.
    number
        How many clicks a row stands for; by default one.
    """
    columns = clicks.collect_schema().names()
    values = [pl.col(name).min() for name in CLICK_TIMES if name in columns]
    if SPENT in columns:
        values.append(pl.when(pl.col(SPENT).count() > 0).then(pl.col(SPENT).sum()).alias(SPENT))
    count = pl.len() if number is None else number.sum()
    return clicks.group_by(key).agg(*values, count.cast(pl.Int32).alias("clicks"))
