"""From queries, the results in their lists and what was done with results, to rows of both tables.

For formats whose log is a stream of events: queries are merged, clicks and other marks come onto results, positions are
given, and every record ends as a row, as merged or as idle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from sessionkit.contract import RECORD, table
from sessionkit.contract.casts import cast
from sessionkit.readers.events.requeries import SAID, merge_queries
from sessionkit.readers.events.sessionising import with_positions
from sessionkit.readers.files.keeping import Keep
from sessionkit.showing.words import counted

FILE, KEY, KIND, AT = "__file", "__key", "__kind", "__time"
"""The number of a row's file; what tells queries apart; what the row's record is; when, as a time."""
NOUN, MANY = "__noun", "__many"
"""Of a mark: what its records are called, such as ``click events``; the column of results that counts them, if any."""
FROM, BARE = "__from", "__bare"
"""Of a result: where it is known from, one of :data:`KNOWN`; of a query: its status if it has no result."""
KNOWN = ("hit list", "impressions", "clicks")
"""From where a list may be known, the best first."""
PLACE = (FILE, RECORD)


@dataclass(frozen=True)
class Listed:
    """Rows of queries and results; what was merged and idle by (number of the file, kind); what is to be said and warned of."""

    queries: pl.LazyFrame
    results: pl.LazyFrame
    merged: Mapping[tuple[int, str], int] = field(default_factory=dict)
    idle: Mapping[tuple[int, str], int] = field(default_factory=dict)
    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()


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
    ordered = keep(queries.sort("session_id", AT, *PLACE, nulls_last=True))
    heads, counts = _heads(ordered, lists, marks, rules)
    merged: dict[tuple[int, str], int] = {}
    if counts:
        heads = keep(heads)
        gone = ordered.join(heads.filter(pl.col(KEY) != pl.col("kept")), on=KEY, how="semi")
        merged |= tallied(gone.filter(pl.col("__counts")), "queries merged into others")
        ordered = ordered.join(heads.filter(pl.col(KEY) == pl.col("kept")), on=KEY, how="semi", maintain_order="left")
        lists, marks = keep(_moved(lists, heads)), keep(_renamed(marks, heads))
    rows = keep(_with_marks(lists, marks, many))
    asked, warnings = _of_session(keep(with_positions(_with_status(ordered, rows))))
    asked = keep(asked)
    results = keep(rows.join(asked.select(KEY, "session_id", "query_position"), on=KEY, how="inner"))
    onto, beside, lost = _accounts(marks, results)
    return Listed(asked, results, merged | onto, beside, [*_told(counts), *lost], warnings)


def _heads(
    ordered: pl.LazyFrame, lists: pl.LazyFrame, marks: pl.LazyFrame, rules: Sequence[str]
) -> tuple[pl.LazyFrame, dict[str, int]]:
    """Return for each query the one it goes into, and how many go by which rule."""
    if not rules:
        return ordered.select(KEY, kept=KEY), {}
    ranks = lists.group_by(KEY).agg(first_rank=pl.col("rank").min(), last_rank=pl.col("rank").max())
    clicked = marks.filter(pl.col(MANY) == "clicks").group_by(KEY).agg(clicks=pl.len())
    asked = ordered.select(KEY, "session_id", "query_text", issued_at=AT)
    asked = asked.join(ranks, on=KEY, how="left", maintain_order="left")
    asked = asked.join(clicked, on=KEY, how="left", maintain_order="left").with_columns(pl.col("clicks").fill_null(0))
    merging = merge_queries(asked, KEY, rules)
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
    if "clicked_at" in there:
        values.append(pl.col("clicked_at").filter(is_click).min())
    if "dwell_seconds" in there:
        values.append(pl.when((is_click & spent.is_not_null()).any()).then(spent.filter(is_click).sum()))
    counts = marks.filter(pl.col(MANY).is_in(list(many))).group_by(KEY, "doc_id").agg(values)
    first = pl.struct(KEY, "doc_id").is_first_distinct().alias("__first")
    joined = lists.with_columns(first).join(
        counts.with_columns(pl.lit(value=True).alias("__first")),
        on=[KEY, "doc_id", "__first"],
        how="left",
        maintain_order="left",
    )
    made = joined.drop("__first").with_columns(pl.col(name).fill_null(0) for name in many)
    return made.with_columns(clicked=pl.col("clicks") > 0)


def _of_session(asked: pl.LazyFrame) -> tuple[pl.LazyFrame, list[str]]:
    """Return queries with one user, system and topic for all of a session, and warnings where they differ."""
    names = [name for name in ("user_id", "system_id", "topic_id") if name in asked.collect_schema()]
    warnings = []
    for name in names:
        differs = pl.col(name).drop_nulls().n_unique().over("session_id") > 1
        many, first = found(asked.filter(differs), "session_id", distinct=True)
        if many:
            taken = "that of its first query is taken"
            warnings.append(f"{name}: several within {counted(many, 'session')} (first: session {first!r}); {taken}")
    first_of = [pl.col(name).drop_nulls().first().over("session_id").alias(name) for name in names]
    return asked.with_columns(first_of), warnings


def _with_status(queries: pl.LazyFrame, rows: pl.LazyFrame) -> pl.LazyFrame:
    """Return queries with what is known of their lists, and from where."""
    best = [(pl.col(FROM) == known).any().alias(known) for known in KNOWN]
    joined = queries.join(rows.group_by(KEY).agg(best), on=KEY, how="left", maintain_order="left")
    known = pl.coalesce(pl.when(pl.col(known)).then(pl.lit(known)) for known in KNOWN)
    status = pl.when(known == "clicks").then(pl.lit("partly_observed")).when(known.is_null()).then(BARE)
    return joined.with_columns(results_status=status.otherwise(pl.lit("shown")), list_from=known).drop(KNOWN)


def _renamed(rows: pl.LazyFrame, heads: pl.LazyFrame) -> pl.LazyFrame:
    """Return rows under the query that theirs went into."""
    return rows.join(heads.select(KEY, "kept"), on=KEY, how="left").with_columns(pl.col("kept").alias(KEY)).drop("kept")


def _moved(lists: pl.LazyFrame, heads: pl.LazyFrame) -> pl.LazyFrame:
    """Return the lists of queries that are left: their own, and ranks they lack from queries that went into them.

    The list of a text on its way to a later one is not that of the later one.
    """
    own = lists.join(heads.filter(pl.col(KEY) == pl.col("kept")), on=KEY, how="semi")
    others = lists.join(heads.filter(pl.col(KEY) != pl.col("kept"), pl.col("__kept_nth") < pl.col("__nth")), on=KEY)
    others = others.with_columns(pl.col("kept").alias(KEY))
    for slot in ("rank", "doc_id"):
        others = others.join(own, on=[KEY, slot], how="anti")
    others = others.sort("__nth", "rank", *PLACE).unique([KEY, "rank"], keep="first", maintain_order=True)
    return pl.concat([own, others.select(own.collect_schema().names())])


def _accounts(
    marks: pl.LazyFrame, results: pl.LazyFrame
) -> tuple[dict[tuple[int, str], int], dict[tuple[int, str], int], list[str]]:
    """Return how many marks went onto results, and how many onto none, by file and noun, and what is to be said of clicks.

    Marks that are rows themselves are not counted.
    """
    there = results.select(KEY, "doc_id").unique().with_columns(pl.lit(value=True).alias("__there"))
    rows = results.select(*PLACE).unique()
    left = marks.join(rows, on=list(PLACE), how="anti").join(there, on=[KEY, "doc_id"], how="left")
    missed, first = found(left.filter(pl.col("__there").is_null(), pl.col(MANY) == "clicks"), RECORD)
    said = f"{counted(missed, 'click')} on documents that their query's list does not have (first: record {first})"
    counts = left.group_by(FILE, NOUN, pl.col("__there").fill_null(value=False)).len().sort(FILE, NOUN).collect().rows()
    onto = {(file, noun): many for file, noun, there, many in counts if there}
    beside = {(file, f"{noun} on no result listed"): many for file, noun, there, many in counts if not there}
    return onto, beside, [said] if missed else []


def tallied(rows: pl.LazyFrame, kind: str | pl.Expr) -> dict[tuple[int, str], int]:
    """Return how many rows each file has, by a kind that is one for all or a column's."""
    of = pl.lit(kind) if isinstance(kind, str) else kind
    counts = rows.select(FILE, of.alias("__of")).group_by(FILE, "__of").len().sort(FILE, "__of").collect().rows()
    return {(file, kind): many for file, kind, many in counts}


def found(rows: pl.LazyFrame, column: str, *, distinct: bool = False) -> tuple[int, Any]:
    """Return how many rows there are, or how many distinct values of a column they have, and its least value."""
    value = pl.col(column)
    many = value.n_unique() if distinct else pl.len()
    number, first = rows.select(many.alias("many"), value.min().alias("first")).collect().row(0)
    return number, first


def _told(counts: Mapping[str, int]) -> list[str]:
    """Return what is to be said of merged queries."""
    if not counts:
        return []
    said = ", ".join(f"{many:,} {SAID[rule]}" for rule, many in counts.items())
    return [
        f"queries: {counted(sum(counts.values()), 'query')} merged into others ({said}); merge_queries turns that off"
    ]


def as_time(column: str, timezone: str | None) -> pl.Expr:
    """Return a column of texts as times, as the contract reads them; null where they are none."""
    return cast(replace(table("queries").by_name["issued_at"], name=column), pl.String(), timezone)
