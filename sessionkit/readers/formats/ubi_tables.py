"""User Behavior Insights as delimited tables: ``ubi_queries.csv`` and ``ubi_events.csv`` as the OpenSearch project's data
generator writes them, or an export of an index with the names of nested fields joined by dots.

A row is a record. A column is known by its name, with ``_source.`` before it or without; a list of hits is
``["A1", "A2"]`` or ids between commas. Tables of ours, and of grades, may have such columns too and are none.
"""

from __future__ import annotations

import csv
from dataclasses import replace

import polars as pl

from sessionkit.contract import RECORD, RULE, VALUE
from sessionkit.readers.files.delimited import read_delimited
from sessionkit.readers.files.keeping import Keep
from sessionkit.readers.files.opening import LogFile
from sessionkit.readers.formats.ubi_fields import EXPERIMENT, FLAT, HITS, OF_EVENT
from sessionkit.readers.judgments.quepid_csv import GRADES
from sessionkit.readers.raw import Raw

SEPARATORS = ",;\t|"
SOURCE, ATTRIBUTES, ASKED = "_source.", "event_attributes.", "query_attributes."
MORE = {"ordinal": ("ordinal", "position"), "object_id": ("object_id",), "timestamp": ("datetime", "@timestamp")}
"""Further names of columns."""
EVENTS, QUERIES = {"action_name", "query_id"}, {"user_query", "query_id"}
"""The columns one of which sets a table must have."""
OTHERS = {"session_id", "query_position"}
"""Columns of tables of ours."""
QUOTED = r'"(?:[^"\\]|\\(?:["\\/bfnrt]|u(?:[0-9a-cA-CefEF][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2})))*"'
JSON_LIST = rf"^\[\s*(?:{QUOTED}|null)(?:\s*,\s*(?:{QUOTED}|null))*\s*\]$"
IDS = r'^(?:\[[^\[\]{}"]*\]|[^\[\]{}"]*)$'
"""Ids between commas, within brackets or without."""
READABLE = "hits_can_be_read"


def header_of(text: str) -> tuple[list[str], str]:
    """Return the names of the columns that text begins with, and what separates them.

    >>> header_of("application;query_id;user_query\\n")
    (['application', 'query_id', 'user_query'], ';')
    """
    first = next((line for line in text.splitlines() if line.strip()), "")
    separator = max(SEPARATORS, key=first.count)
    try:
        return [name.strip() for name in next(csv.reader([first], delimiter=separator), [])], separator
    except csv.Error:
        return [], separator


def holds_table(text: str) -> bool:
    """Return whether a text begins like a table of query or of event records.

    >>> holds_table("object_id,rank,action_name,query_id\\n"), holds_table("query,docid,rating\\n")
    (True, False)
    """
    if text.lstrip().startswith(("{", "[")):
        return False
    names = {name.removeprefix(SOURCE) for name in header_of(text)[0]}
    asked = names >= QUERIES and not {name.casefold() for name in names} & set(GRADES)
    return not names >= OTHERS and (names >= EVENTS or asked)


def table_of(file: LogFile, *, experiment: str | None, keep: Keep) -> Raw:
    """Return the records of a table, with the columns of ``ubi_fields.FLAT``."""
    raw = read_delimited(file, "queries", separator=header_of(file.head.decode(errors="replace"))[1], keep=keep)
    names = [name for name in raw.frame.collect_schema().names() if name not in (RECORD, RULE, VALUE)]
    known = {name.removeprefix(SOURCE): name for name in reversed(names)}
    wanted = {name: [name] for name in FLAT if name not in (RULE, "hits")}
    for name, paths in OF_EVENT.items():
        wanted[name] = [
            *(ATTRIBUTES + ".".join(path) for path in paths),
            *(path[-1] for path in paths if len(path) == 1),
        ]
    wanted |= {name: [*wanted[name], *more] for name, more in MORE.items()}
    wanted["session_of_attributes"] = [f"{ATTRIBUTES}session_id"]
    wanted[EXPERIMENT] = [f"{ASKED}{experiment}"] if experiment else []
    text = {name: _first([known[one] for one in given if one in known]) for name, given in wanted.items()}
    hits = _first([known[one] for one in HITS if one in known])
    asked = _first([known[one] for one in ("query",) if one in known])
    columns = [value.alias(name) for name, value in text.items()]
    frame = raw.frame.select(RECORD, RULE, VALUE, *columns, hits.str.strip_chars().alias("hits"), asked.alias("query"))
    return replace(raw, frame=_listed(frame))


def _listed(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Return records with hits as lists; one whose hits are no list is marked as broken."""
    hits = pl.col("hits")
    is_json, are_ids = hits.str.contains(JSON_LIST), hits.str.contains(IDS)
    ids = hits.str.strip_chars("[]").str.split(",").list.eval(pl.element().str.strip_chars(" \t'"))
    ids = ids.list.eval(pl.element().filter(pl.element() != ""))
    unread = pl.col(RULE).is_null() & ~(is_json | are_ids).fill_null(value=True)
    return frame.with_columns(
        pl.when(unread).then(pl.lit(READABLE)).otherwise(RULE).alias(RULE),
        pl.when(unread).then(hits.str.slice(0, 200)).otherwise(VALUE).alias(VALUE),
        pl.when(is_json)
        .then(pl.when(is_json).then(hits).str.json_decode(pl.List(pl.String)))
        .when(are_ids)
        .then(ids)
        .alias("hits"),
    )


def _first(columns: list[str]) -> pl.Expr:
    """Return the first of these columns that has a value; blank text is none."""
    given = [pl.when(pl.col(name).str.strip_chars() != "").then(pl.col(name)) for name in columns]
    return pl.coalesce(given) if given else pl.lit(None, dtype=pl.String)
