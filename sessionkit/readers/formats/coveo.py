"""Format ``coveo``: the data set of the SIGIR eCom data challenge of 2021, ``search_train.csv`` or a folder that has it.

Columns ``session_id_hash, query_vector, clicked_skus_hash, product_skus_hash, server_timestamp_epoch_ms``; lists are Python
literals such as ``['a', 'b']``, which are matched and never evaluated, or nothing. The order of the products is their rank.
Queries have no texts; their vectors are left out unless ``keep_vectors`` asks for them. Times are milliseconds since 1970,
moved by whole weeks by those who published them. Events of ``browsing_train.csv`` and lines of ``sku_to_content.csv`` are
counted and carry nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import polars as pl

from sessionkit.errors import DataError
from sessionkit.readers.events.flat_logs import FlatRows, Key, breaking, sound, take_flat, unsound
from sessionkit.readers.events.lists import with_clicks
from sessionkit.readers.events.sessions import with_positions
from sessionkit.readers.format import Glimpse, Option
from sessionkit.readers.io.delimited import header_of, read_delimited
from sessionkit.readers.io.files import LogFile
from sessionkit.readers.raw import Raw, gathered, without
from sessionkit.readers.records import Log, Taken
from sessionkit.study.checks import CELL, CELLS, COLUMN, RECORD, RULE, VALUE

TRIED = "the sample of search_train.csv that the challenge's repository has, in which nothing is clicked; never on the data set"
OPTIONS: dict[str, Option] = {
    "keep_vectors": Option(
        "Whether the vectors of queries are kept, as text in the column query_vector.", kind="boolean", default=False
    )
}
COLUMNS = {
    "session_id_hash": "session_id",
    "query_vector": "query_vector",
    "clicked_skus_hash": "clicked",
    "product_skus_hash": "listed",
    "server_timestamp_epoch_ms": "issued_at",
}
THEIRS = {ours: theirs for theirs, ours in COLUMNS.items()}
KEY = Key("session_id", re.compile(rb'"?([^",\n]*)"?,'))
ITEM = r"'([^'\\]*)'|\"([^\"\\]*)\""
LIST = rf"^\[\s*(({ITEM})\s*(,\s*({ITEM})\s*)*,?\s*)?\]$"
EVENTS, PRODUCTS = "product_action", "price_bucket"


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins with the header of the searches, or a folder has their file and that of browsing."""
    if glimpse.is_folder:
        last = {name.rsplit("/", 1)[-1].removesuffix(".gz") for name in glimpse.names}
        return {"search_train.csv", "browsing_train.csv"} <= last
    return {"session_id_hash", "clicked_skus_hash", "product_skus_hash"} <= set(header_of(glimpse.head, ",")[0])


def beside(glimpse: Glimpse) -> bool:
    """Return whether a text begins with the header of browsing or of products."""
    return bool({EVENTS, PRODUCTS} & set(header_of(glimpse.head, ",")[0]))


def take(log: Log) -> Taken:
    """Take the files apart."""
    kinds = {file.name: set(header_of(file.head.decode("utf-8", errors="replace"), ",")[0]) for file in log.files}
    searches = [file for file in log.files if set(COLUMNS) - {"query_vector"} <= kinds[file.name]]
    if not searches:
        missing = set(COLUMNS) - {"query_vector"} - kinds[log.files[0].name]
        raise DataError(
            f"{log.files[0].name} has no column {', '.join(sorted(missing))}; format coveo reads search_train.csv"
        )
    raws = {file.name: read_delimited(file, "queries", separator=",", keep=log.keep) for file in searches}
    vectors = log.option("keep_vectors")
    read = partial(_records, raws, vectors=vectors)
    ways = [raw.locate for raw in raws.values()]
    notes = [] if vectors else ["vectors of queries were left out; keep_vectors = true keeps them"]
    make = partial(_made, more=("query_vector",) if vectors else ())
    taken = take_flat(log, read, KEY, make, files=searches, locates=ways, notes=notes)
    others = {key: many for file in log.files if file not in searches for key, many in _counts(file).items()}
    return replace(taken, idle={**taken.idle, **others})


def _counts(file: LogFile) -> dict[tuple[str, str], int]:
    """Return how many records there are in a file that carries nothing for a study, by what they are."""
    frame = (
        read_delimited(file, "queries", separator=",", keep=lambda scan: scan.select(EVENTS).collect().lazy())
        if (EVENTS in header_of(file.head.decode("utf-8", errors="replace"), ",")[0])
        else None
    )
    if frame is None:
        count = pl.scan_lines(str(file.path), glob=False).select(pl.len()).collect().item()
        return {(file.name, "lines of a file without searches"): count}
    actions = frame.frame.group_by(pl.col(EVENTS).fill_null("pageview")).len().sort(EVENTS).collect().rows()
    return {(file.name, f"browsing events: {action}"): many for action, many in actions}


def _records(raws: dict[str, Raw], file: LogFile, *, vectors: bool) -> pl.LazyFrame:
    """Return the records of a file of searches."""
    frame = raws[file.name].frame
    there = [name for name in COLUMNS if name in frame.collect_schema() and (vectors or name != "query_vector")]
    names = {name: COLUMNS[name] for name in there}
    records = frame.select(
        RECORD, RULE, VALUE, *(pl.col(name).replace("", None).alias(ours) for name, ours in names.items())
    )
    if vectors and "query_vector" not in there:
        records = records.with_columns(query_vector=pl.lit(None, dtype=pl.String))
    records = breaking(records, "session_id_is_given", pl.col("session_id").is_null(), pl.col("session_id"))
    records = breaking(records, "time_is_given", pl.col("issued_at").is_null(), pl.col("issued_at"))
    records = records.with_columns(pl.lit(None, dtype=pl.List(CELL)).alias(CELLS))
    for column, rule in (("listed", "products_are_a_list"), ("clicked", "clicks_are_a_list")):
        records = without(records, column, rule, ~pl.col(column).str.contains(LIST), name=THEIRS[column])
    return records


def _made(records: pl.LazyFrame, more: Sequence[str]) -> FlatRows:
    """Return queries, results and clicks of some whole sessions."""
    # a query without readable time stands where it does in the log
    at = pl.col("issued_at").cast(pl.Int64, strict=False).forward_fill().over("session_id")
    asked = with_positions(sound(records).sort(pl.col("session_id"), at, pl.col(RECORD))).collect().lazy()
    listed = _items("listed")
    status = (
        pl.when(pl.col("listed").is_null())
        .then(pl.lit("not_logged"))
        .when(listed.list.len() > 0)
        .then(pl.lit("shown"))
        .otherwise(pl.lit("empty"))
    )
    queries = asked.select(RECORD, "session_id", "query_position", "issued_at", *more, results_status=status)
    lists = asked.select(RECORD, "session_id", "query_position", doc_id=listed).filter(pl.col("doc_id").list.len() > 0)
    results = lists.with_columns(rank=pl.int_ranges(1, pl.col("doc_id").list.len() + 1)).explode("doc_id", "rank")
    clicks = asked.select(RECORD, doc_id=_items("clicked")).filter(pl.col("doc_id").list.len() > 0).explode("doc_id")
    made, outside = with_clicks(results.collect().lazy(), clicks, [RECORD, "doc_id"])
    of_clicks = pl.col(CELLS).list.eval(pl.element().struct.field(COLUMN) == THEIRS["clicked"]).list.any()
    unread = asked.filter(of_clicks).select(RECORD).collect().to_series()
    if len(unread):
        made = made.with_columns(pl.when(~pl.col(RECORD).is_in(unread.implode())).then(pl.col("clicked", "clicks")))
    outside = outside.collect().lazy()
    unlisted = asked.filter(pl.col("listed").is_null()).select(RECORD)
    return FlatRows(
        pl.concat([gathered(queries, asked), unsound(records)], how="diagonal_relaxed"),
        made,
        merged={"clicks": clicks.join(outside.select(RECORD, "doc_id").unique(), on=[RECORD, "doc_id"], how="anti")},
        idle={
            "clicks on a product that its list does not hold": outside.join(unlisted, on=RECORD, how="anti"),
            "clicks in a list that was not logged": outside.join(unlisted, on=RECORD, how="semi"),
        },
        seen={"without a list": unlisted},
    )


def _items(column: str) -> pl.Expr:
    """Return the items of a list that is text."""
    quoted = pl.col(column).str.extract_all(ITEM)
    return quoted.list.eval(pl.element().str.slice(1, pl.element().str.len_chars() - 2))
