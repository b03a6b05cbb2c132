"""Queries of CORE sessions without lists: texts in JSON, or given to a simulation in CSV; and queries merged into others."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import polars as pl

from sessionkit.contract import RECORD, RULE
from sessionkit.errors import DataError
from sessionkit.readers.events.requery_tables import merged_tables
from sessionkit.readers.io.json_text import loads
from sessionkit.readers.io.log_files import LogFile, text_of
from sessionkit.readers.raw import Raw, as_json
from sessionkit.readers.records import Log, Taken, raw_of

ALONE = "only texts of queries; their lists were not logged"
SUBMITTED = re.compile(r'\s*\{\s*"meta"\s*:\s*\{\s*"team_name"')


def given(file: LogFile, log: Log, raw: Raw, notes: list[str]) -> Taken:
    """Return the queries of a file that has them alone."""
    queries = raw.frame.with_columns(results_status=pl.when(pl.col(RULE).is_null()).then(pl.lit("not_logged")))
    none = queries.select(RECORD, "session_id", "query_position", rank=1, doc_id=pl.lit("")).clear()
    asked, _, gone = merge(queries, none, log.option("merge_queries"))
    return Taken(
        {"queries": [raw_of(file, "queries", asked, kind="query records", locate=raw.locate)]},
        merged={(file.name, words): many for words, many in gone.items()},
        notes=[*notes, f"{file.name}: {ALONE}"],
    )


def texts_of(file: LogFile, log: Log) -> Taken:
    """Take a JSON file of texts of queries apart."""
    text = text_of(file)
    try:
        sessions = loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{file.name} is not a JSON object of sessions with lists of queries ({error})") from None
    if not isinstance(sessions, dict):
        raise DataError(f"{file.name} is not a JSON object of sessions with lists of queries")
    if SUBMITTED.match(text):
        raise DataError(
            f"{file.name} is a run submitted to Sim4IA: predicted next queries, which nobody issued; the sessions "
            "are in evaluation_sessions_*"
        )
    for session, texts in sessions.items():
        if not isinstance(texts, list):
            raise DataError(
                f"{file.name} is not a JSON object of sessions with lists of queries: {session!r} has no list"
            )
    rows = [
        (session, place, text if isinstance(text, str | None) else json.dumps(text))
        for session, texts in sessions.items()
        for place, text in enumerate(texts, 1)
    ]
    schema = {"session_id": pl.String, "query_position": pl.Int64, "query_text": pl.String}
    frame = pl.DataFrame(rows, schema=schema, orient="row").with_row_index(RECORD, offset=1)
    frame = frame.with_columns(pl.col(RECORD).cast(pl.Int64), results_status=pl.lit("not_logged"))
    none = frame.lazy().select(RECORD, "session_id", "query_position", rank=1, doc_id=pl.lit("")).clear()
    asked, _, gone = merge(frame.lazy(), none, log.option("merge_queries"))
    return Taken(
        {"queries": [raw_of(file, "queries", asked, kind="query texts", locate=as_json(frame.lazy()))]},
        merged={(file.name, words): many for words, many in gone.items()},
        idle={(file.name, "sessions without queries"): sum(not texts for texts in sessions.values())},
        notes=[f"{file.name}: {ALONE}"],
    )


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; raise ValueError where a name is there twice, as JSON would lose the first."""
    found = dict(pairs)
    if len(found) < len(pairs):
        again, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        msg = f"{again!r} appears twice"
        raise ValueError(msg)
    return found


def merge(
    queries: pl.LazyFrame, results: pl.LazyFrame, rules: Sequence[str]
) -> tuple[pl.LazyFrame, pl.LazyFrame, dict[str, int]]:
    """Return the tables with queries merged, and how many rows went where."""
    if not rules:
        return queries, results, {}
    number = pl.col("query_position").cast(pl.String).str.strip_chars().cast(pl.Int64, strict=False)
    as_read = pl.col("query_position").alias("__as_read")
    every, lists = (frame.with_columns(number, as_read).collect() for frame in (queries, results))
    times = "issued_at" in every.columns
    time = pl.col("issued_at").str.to_datetime("%Y-%m-%d %H:%M:%S", strict=False) if times else None
    made = merged_tables(every, lists, rules, time)
    position = pl.coalesce(pl.col("query_position").cast(pl.String), pl.col("__as_read").cast(pl.String))
    asked, shown = (
        frame.lazy().with_columns(query_position=position).drop("__as_read") for frame in (made.queries, made.results)
    )
    return asked, shown, {words: rows.height for words, rows in made.gone.items()}
