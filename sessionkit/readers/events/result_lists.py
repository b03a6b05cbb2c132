"""From queries, the results in their lists and what was done with results, to rows of both tables.

For formats whose log is a stream of events: queries are merged, clicks and other marks come onto results, positions are
given, and every record ends as a row, as merged or as idle.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, TypeVar

import polars as pl

from sessionkit.contract import RECORD, table
from sessionkit.contract.casts import cast
from sessionkit.display.words import counted
from sessionkit.readers.events.requeries import RULES, SIZE, merge_queries, told
from sessionkit.readers.events.sessionize import with_positions
from sessionkit.readers.io.log_files import LogFile
from sessionkit.readers.io.record_store import Keep
from sessionkit.readers.raw import Locate, Raw
from sessionkit.readers.records import raw_of

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
        By which queries are merged, see ``requeries.py``.
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
