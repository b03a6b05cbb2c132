"""Format ``core``: sessions of the CORE search engine, as published with the Sim4IA benchmark.

Four kinds of file are read:

- CSV without header, eight columns: number of the query in its session, a placeholder for the user, session, query, time
  (without zone), the list shown as ``[id, id, ...]``, the id of the search, and the clicks as
  ``[('id', datetime.datetime(...), 'works'), ...]``;
- CSV without header, the first four of these columns (queries that a simulation is given): lists were not logged;
- CSV with the header ``session_id,query,date,serp,search_id,label``: queries in the order of the file, no clicks;
- JSON ``{"session": ["query", ...], ...}``: texts of queries alone, whose lists were not logged.

A click of kind ``author`` is on the name of an author: it is counted in ``author_clicks`` and is no click on the document.
There are no judgments. Runs submitted to Sim4IA (JSON with ``meta``) hold guesses of a next query, and are refused.

Every record is a query of its own; ``merge_queries`` says which go into the one before (``same``: with its text) or the next
(``typing``: a text on its way, followed within seconds).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from sessionkit.errors import DataError
from sessionkit.readers.checks.rows import refuse_shared
from sessionkit.readers.events.lists import with_clicks
from sessionkit.readers.events.sessions import MERGE_QUERIES, merged_tables
from sessionkit.readers.format import Glimpse, Option
from sessionkit.readers.io.delimited import read_delimited
from sessionkit.readers.io.files import LogFile, text_of
from sessionkit.readers.io.json import BY_COLUMN, loads
from sessionkit.readers.raw import Raw, as_json, without
from sessionkit.readers.records import Log, Taken, raw_of, set_aside
from sessionkit.study.checks import CELL, CELLS, RECORD, RULE, VALUE

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


TRIED = (
    "Sim4IA-Bench: predetermined_queries_Task_A.csv, evaluation_sessions_Task_A.csv, evaluation_sessions_Task_B.json; "
    "parts of the test of Task A, of predetermined_queries.csv of DIS22_Sim4IA_Prototype (four columns) and of "
    "submitted runs"
)
OPTIONS: dict[str, Option] = {
    "merge_queries": replace(
        MERGE_QUERIES,
        meaning="Which queries are merged into one: same (sent again), typing (a text on its way to the next). An empty list: "
        "none.",
        default=[],
        allowed=("same", "typing"),
    )
}
COLUMNS = ("query_position", "user_id", "session_id", "query_text", "issued_at", "serp", "query_id", "clicks")
BARE = COLUMNS[:4]
"""What queries given to a simulation have."""
HEADER = {"query": "query_text", "date": "issued_at", "search_id": "query_id"}
FIRST_LINE = re.compile(r'\d+,[^,\n]*,[^,\n]*,.{0,5000}?,"?\[[^\]]*\]"?,[0-9a-f]{32},"?\[', re.DOTALL)
FIRST_GIVEN = re.compile(r'\d+,test_user,[^,\n]*,(?:"(?:[^"]|"")*"|[^,\n"]*)\s*(?:\n|$)')
NAMES = re.compile(r"session_id,query,date,serp,search_id\b")
OBJECT = re.compile(r'\s*\{\s*"[^"]*"\s*:\s*\[\s*"')
ID = r"[^\s,'\[\]]+"
LIST = rf"^\[\s*('?{ID}'?(,\s*'?{ID}'?)*)?\s*\]$"
CLICK = r"\('([^']*)',\s*datetime\.datetime\(([\d,\s]+)\),\s*'([^']*)'\)"
CLICKS = rf"^\[\s*({CLICK}(,\s*)?)*\]$"


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins like one of the four kinds of file, or like a run submitted to Sim4IA."""
    looks = any(pattern.match(glimpse.head) for pattern in (FIRST_LINE, FIRST_GIVEN, NAMES, OBJECT, SUBMITTED))
    return looks and BY_COLUMN.match(glimpse.head.encode()) is None  # a table of pandas, orient="split"


def take(log: Log) -> Taken:
    """Take the files apart."""
    taken = [texts_of(file, log) if file.kind == "ndjson" else _records(file, log) for file in log.files]
    refuse_shared([one.raws["queries"][0] for one in taken])
    return Taken(
        {name: [raw for one in taken for raw in one.raws.get(name, ())] for name in ("queries", "results")},
        merged={key: many for one in taken for key, many in one.merged.items()},
        idle={key: many for one in taken for key, many in one.idle.items()},
        notes=[sentence for one in taken for sentence in one.notes],
        cells=[cells for one in taken for cells in one.cells],
    )


def _records(file: LogFile, log: Log) -> Taken:
    """Take a CSV file apart."""
    raw = read_delimited(file, "queries", separator=",", keep=log.keep, header=_has_header(file))
    queries, notes = _with_users(_under_our_names(raw), file)
    if "serp" not in queries.collect_schema():
        return given(file, log, replace(raw, frame=queries), notes)
    queries = queries.with_columns(pl.lit(None, dtype=pl.List(CELL)).alias(CELLS))
    queries = without(queries, "serp", "list_can_be_read", ~pl.col("serp").fill_null("").str.contains(LIST))
    queries = without(queries, "clicks", "clicks_can_be_read", ~pl.col("clicks").fill_null("").str.contains(CLICKS))
    cells, queries = set_aside(file, "queries", queries, raw.locate), queries.drop(CELLS)
    status = (
        pl.when(pl.col("serp").is_null())
        .then(pl.lit("not_logged"))
        .when(pl.col("serp").str.contains(r"\w"))
        .then(pl.lit("shown"))
        .otherwise(pl.lit("empty"))
    )
    queries = queries.with_columns(results_status=pl.when(pl.col(RULE).is_null()).then(status))
    whole = queries.filter(pl.col(RULE).is_null())
    results = _listed(whole)
    merged, idle = {}, {}
    for kind, many in (("works", "clicks"), ("author", "author_clicks")) if not _has_header(file) else ():
        clicks = _clicks(whole).filter((pl.col("kind") == "author") == (kind == "author"))
        results, outside = with_clicks(results, clicks, [RECORD, "doc_id"], many=many)
        idle[file.name, f"{kind} clicks on no result"] = _count(outside)
        merged[file.name, f"{kind} clicks"] = _count(clicks) - _count(outside)
    unread = whole.filter(pl.col("clicks").is_null()).select(RECORD).collect().to_series()
    if len(unread):
        made = [
            name for name in ("clicked", "clicks", "clicked_at", "author_clicks") if name in results.collect_schema()
        ]
        results = results.with_columns(pl.when(~pl.col(RECORD).is_in(unread.implode())).then(pl.col(made)))
    zone = log.config.settings.timezone
    asked, results, gone = merge(queries.drop("serp", "clicks"), results, log.option("merge_queries"))
    merged |= {(file.name, words): many for words, many in gone.items()}
    return Taken(
        {
            "queries": [raw_of(file, "queries", asked, kind="query records", locate=raw.locate, timezone=zone)],
            "results": [
                raw_of(file, "results", log.keep(results), kind="results listed", locate=raw.locate, timezone=zone)
            ],
        },
        merged,
        idle,
        notes,
        cells=[cells],
    )


def _has_header(file: LogFile) -> bool:
    """Return whether the first line of a file names its columns."""
    return NAMES.match(file.head.decode("utf-8", errors="replace")) is not None


def _under_our_names(raw: Raw) -> pl.LazyFrame:
    """Return the records of a CSV file under our names, with list and clicks still text."""
    names = [name for name in raw.frame.collect_schema().names() if name not in (RECORD, RULE, VALUE)]
    if "session_id" in names:
        place = pl.int_range(1, pl.len() + 1).over("session_id")
        return raw.frame.rename(HEADER).with_columns(query_position=place, clicks=pl.lit("[]"))
    if len(names) not in (len(COLUMNS), len(BARE)):
        raise DataError(
            f"{raw.source} has {len(names)} columns; format core has {len(COLUMNS)}, {len(BARE)} or a header"
        )
    return raw.frame.rename(dict(zip(names, COLUMNS, strict=False)))


def _listed(queries: pl.LazyFrame) -> pl.LazyFrame:
    """Return a row for each document in the lists, in their order."""
    ids = queries.select(RECORD, "session_id", "query_position", doc_id=pl.col("serp").str.extract_all(ID))
    shown = ids.filter(pl.col("doc_id").list.len() > 0)
    ranks = shown.with_columns(rank=pl.int_ranges(1, pl.col("doc_id").list.len() + 1))
    return ranks.explode("doc_id", "rank")


def _clicks(queries: pl.LazyFrame) -> pl.LazyFrame:
    """Return a row for each click, with its time as text that sorts."""
    found = queries.select(RECORD, click=pl.col("clicks").str.extract_all(CLICK)).filter(pl.col("click").list.len() > 0)
    parts = found.explode("click").select(RECORD, pl.col("click").str.extract_groups(CLICK))
    numbers = pl.col("click").struct.field("2").str.extract_all(r"\d+")
    year, month, day, hour, minute, second, micro = (
        numbers.list.get(place, null_on_oob=True).fill_null("0").str.zfill(width)
        for place, width in enumerate((4, 2, 2, 2, 2, 2, 6))
    )
    time = pl.format("{}-{}-{}T{}:{}:{}.{}", year, month, day, hour, minute, second, micro)
    group = pl.col("click").struct
    return parts.select(RECORD, doc_id=group.field("1"), kind=group.field("3"), clicked_at=time)


def _count(frame: pl.LazyFrame) -> int:
    """Return the number of rows."""
    number: int = frame.select(pl.len()).collect().item()
    return number


def _with_users(frame: pl.LazyFrame, file: LogFile) -> tuple[pl.LazyFrame, list[str]]:
    """Return the records, and what is to be said of their users; they have none where all sessions have the same."""
    if "user_id" not in frame.collect_schema():
        return frame, []
    users, sessions = frame.select(pl.col("user_id").n_unique(), pl.col("session_id").n_unique()).collect().row(0)
    if users > 1 or sessions < 2:
        return frame, []
    name = frame.select(pl.col("user_id").first()).collect().item()
    return frame.drop("user_id"), [
        f"{file.name}: the user is {name!r} in every session, so it is not used as a user id"
    ]
