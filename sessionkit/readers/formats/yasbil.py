"""Format ``yasbil``: exports of the YASBIL browser extension: one JSON file per participant, an object of tables.

A query is a run of search pages of one text, on one search engine, in one tab (``merge_queries``: a page further down goes into it
by ``paging``, one seen before by ``same``); pages that were not scraped are not logged.
The rank of a result is the offset of its page and its place among the main results; the document is its address. A click is a
mouse click whose anchor leads to a result, else a visit to a result by a link in the same tab. Its dwell time ends with the next
page visited in the session, or with the session. Users are ``user_name`` where a server wrote it, else the name of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import PurePath
from typing import Any

import polars as pl

from sessionkit.contract import CELL, CELLS, RECORD, RULE, VALUE
from sessionkit.errors import DataError
from sessionkit.readers.entries import Glimpse, Option
from sessionkit.readers.events.by_file import raws_of, with_names
from sessionkit.readers.events.requeries import MERGE_QUERIES
from sessionkit.readers.events.result_lists import (
    AT,
    BARE,
    FILE,
    FROM,
    KEY,
    KIND,
    MANY,
    NOUN,
    as_time,
    found,
    listed,
    tallied,
)
from sessionkit.readers.formats.yasbil_rows import SESSIONS, STRINGS, TABLES, Export, export_of, milliseconds
from sessionkit.readers.formats.yasbil_searches import searches_of
from sessionkit.readers.io.batches import in_batches
from sessionkit.readers.io.json_items import as_items
from sessionkit.readers.records import Log, Taken, set_aside

TRIED = "no real export, as none is public; built from the data dictionary and source of the extension 2.1.2"
BEGINS = re.compile(r'\s*\{\s*"[^"]*"\s*:\s*\[')
TEXT, NUMBER = pl.String(), pl.Int64()
SHARED: dict[str, pl.DataType] = {FILE: pl.Int32(), RECORD: NUMBER, KIND: TEXT}
SCHEMAS: dict[str, dict[str, pl.DataType]] = {
    "sessions": {**SHARED, **dict.fromkeys(("session_id", "user_id", "started_at", "ended_at"), TEXT)},
    "queries": {
        **{**SHARED, KEY: NUMBER, BARE: TEXT, "__counts": pl.Boolean()},
        **dict.fromkeys(("session_id", "query_text", "issued_at", "search_engine"), TEXT),
    },
    "lists": {**SHARED, KEY: NUMBER, FROM: TEXT, "rank": NUMBER, "doc_id": TEXT},
    "marks": {
        **{FILE: pl.Int32(), RECORD: NUMBER, KEY: NUMBER, NOUN: TEXT, MANY: TEXT, "doc_id": TEXT},
        **{"clicked_at": TEXT, "dwell_seconds": pl.Float64()},
    },
    "broken": {**SHARED, RULE: TEXT, VALUE: TEXT},
    "merged": {FILE: pl.Int32(), KIND: TEXT},
    "idle": {FILE: pl.Int32(), KIND: TEXT},
    "cells": {FILE: pl.Int32(), RECORD: NUMBER, CELLS: pl.List(CELL)},
}
"""Rows by what becomes of them."""


OPTIONS: dict[str, Option] = {
    "merge_queries": replace(
        MERGE_QUERIES,
        meaning="Which search pages go on with the query before, if of its text, engine and tab: same (a page loaded again), paging "
        "(the next page). An empty list: none.",
        default=["same", "paging"],
        allowed=("same", "paging"),
    )
}


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins with an object of tables, among them one of YASBIL's."""
    return BEGINS.match(glimpse.head) is not None and any(f'"{name}"' in glimpse.head for name in TABLES)


def take(log: Log) -> Taken:
    """Take the files apart."""
    frames: dict[str, list[pl.LazyFrame]] = {name: [] for name in SCHEMAS}
    for number, file in enumerate(log.files):
        export = export_of(file)
        if not any(export.tables.values()):
            raise DataError(f"{file.name}: no row in the tables of YASBIL; known: {', '.join(TABLES)}")
        rows = searches_of(export, number, log.option("merge_queries"))
        rows["sessions"] = list(_sessions(export, PurePath(file.name).name.split(".")[0]))
        rows["broken"] += _broken(export)
        rows["idle"] += chain.from_iterable([{KIND: kind}] * many for kind, many in export.counts.items())
        for name, schema in SCHEMAS.items():
            frame = in_batches(({**row, FILE: number} for row in rows[name]), schema, log.workspace)
            frames[name].append(frame)
    table = {name: pl.concat(given) for name, given in frames.items()}
    marks = table["marks"].with_columns(as_time("clicked_at", None))
    listing = listed(
        table["queries"].with_columns(pl.col("issued_at").alias(AT)).with_columns(as_time(AT, None)),
        table["lists"],
        marks,
        rules=(),
        keep=log.keep,
    )
    locates = [as_items(file, named=True) for file in log.files]
    sources = partial(raws_of, files=log.files, locates=locates, timezone=log.config.settings.timezone)
    raws = {
        "sessions": sources("sessions", table["sessions"]),
        "queries": [*sources("queries", table["broken"]), *sources("queries", listing.queries)],
        "results": sources("results", listing.results),
    }
    if not raws["queries"]:
        raise DataError(f"{log.files[0].name}: no page of a search engine was visited or scraped")
    merged = {**listing.merged, **tallied(table["merged"], pl.col(KIND))}
    idle = {**listing.idle, **tallied(table["idle"], pl.col(KIND))}
    return Taken(
        raws,
        with_names(merged, log.files),
        with_names(idle, log.files),
        [*listing.notes, *_noted(table)],
        listing.warnings,
        cells=[
            set_aside(file, "queries", table["cells"].filter(pl.col(FILE) == number), locate)
            for number, (file, locate) in enumerate(zip(log.files, locates, strict=True))
        ],
    )


def _sessions(export: Export, name: str) -> Iterator[dict[str, Any]]:
    """Return one row per session, those that have no row of their own too."""
    known = set()
    for item in export.tables[SESSIONS]:
        row = item.value
        known.add(row.get("session_guid"))
        yield {
            RECORD: item.number,
            KIND: f"{SESSIONS} rows",
            "session_id": row.get("session_guid"),
            "user_id": _user(row, name),
            "started_at": _stamp(row.get("session_start_ts")),
            "ended_at": _stamp(row.get("session_end_ts")),
        }
    for table in TABLES:
        for item in export.tables[table]:
            guid = item.value.get("session_guid")
            if guid is not None and guid not in known:
                known.add(guid)
                kind = "sessions without a row of their own"
                yield {RECORD: item.number, KIND: kind, "session_id": guid, "user_id": _user(item.value, name)}


def _user(row: dict[str, Any], name: str) -> str:
    """Return who searched."""
    given = row.get("user_name")
    return str(given) if given not in (None, "") else name


def _stamp(value: object) -> str | None:
    """Return a time as text; what is none stays as it is, to be rejected."""
    time = milliseconds(value)
    return str(time) if time is not None else None if value in (None, "", 0, "0") else str(value)


def _broken(export: Export) -> Iterator[dict[str, Any]]:
    """Return a row for each item that is no JSON object."""
    for item in export.broken:
        yield {
            RECORD: item.number,
            KIND: "broken records",
            RULE: "item_is_json" if item.broken else "item_is_object",
            VALUE: item.text[:200] or "the table is not closed",
        }


def _noted(table: dict[str, pl.LazyFrame]) -> list[str]:
    """Return what is to be said of what was not scraped."""
    notes = []
    strings, _ = found(table["idle"].filter(pl.col(KIND) == f"{STRINGS} rows"), FILE)
    if strings:
        notes.append(f"{strings:,} large strings; those that lists and clicks point to were put in their place")
    again, _ = found(table["merged"].filter(pl.col(KIND) == "page visits logged twice"), FILE)
    if again:
        notes.append(f"{again:,} page visits logged twice (same hist_ts and address) were taken once")
    return notes
