"""Queries, lists and clicks from a stream of events (``stream.py``).

Impressions make lists; without ranks they are ranked in the order in which they first appear. A query that says itself what
was shown has that list. A clicked document that was not shown takes the rank that the click names if nothing else is there.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from sessionkit.contract import table
from sessionkit.readers.events.result_lists import AT, BARE, FROM, KEY, KIND, MANY, NOUN, PLACE
from sessionkit.readers.events.stream import ACTION, COUNT, LIST
from sessionkit.readers.io.record_store import Keep

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
    names = ("judgment_key", "query_id", "query_text", "issued_at")
    asked = events.with_columns(first).filter(pl.col(ACTION) == "query")
    kind, counts = pl.lit("query events").alias(KIND), pl.lit(value=True).alias("__counts")
    rows = asked.select(KEY, *PLACE, AT, "session_id", *names, *OF_SESSION, kind, counts, status, *own)
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
        KEY, *PLACE, pl.lit("click events").alias(NOUN), pl.lit("clicks").alias(MANY), "doc_id", spent, clicked_at=AT
    )
    marks = [seen.select(KEY, *PLACE, pl.lit("impression events").alias(NOUN), "doc_id"), made]
    held = _filled(pl.concat(marks, how="diagonal_relaxed"), ["dwell_seconds", "clicked_at"], keep)
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
