"""Format ``ubi``: User Behavior Insights, schemas 1.0 to 1.3: query and event records as NDJSON, ``_search`` exports, CSV or
Parquet.

Records of both kinds may be in one file or in several; bulk action lines are passed over. What producers have called and
call their fields and their tables is in ``ubi_records.py``. A query is one query_id
(``ubi_queries.py``). Its list is, in this order, its list of hits, its impressions with the objects clicked beside them, or
the clicked objects alone, which makes it partly observed (``ubi_queries.py``). Sessions are those of events; queries without
are cut by inactivity of their client (or else user); a query of nobody, as a plugin logs where it is told no client, is a
session of its own. The text of a query is its judgment_key.

Queries go by their numbers in the order of their sessions. Results are many: of a large log they are made from one part of whole
sessions after the other, so that memory holds those of one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from sessionkit.display import numbers
from sessionkit.display.numbers import counted
from sessionkit.errors import DataError
from sessionkit.readers.events.lists import (
    AT,
    FILE,
    KEY,
    KIND,
    MANY,
    PLACE,
    Found,
    Listed,
    all_found,
    found,
    listed,
    raws_of,
    summed,
    tallied,
    together,
    with_names,
)
from sessionkit.readers.events.sessions import MERGE_QUERIES
from sessionkit.readers.format import CUT_SESSIONS, SESSION_GAP, Glimpse, Option
from sessionkit.readers.format import glimpse as look
from sessionkit.readers.formats.ubi_queries import (
    SIZE,
    Actions,
    bases_of,
    docid_warnings,
    lists_of,
    marks_of,
    noted_bases,
    noted_ties,
    queries_of,
)
from sessionkit.readers.formats.ubi_records import (
    ACTION,
    EVENT,
    HITS,
    QUERY,
    WHAT,
    are_of_table,
    holds_table,
    records_of,
)
from sessionkit.readers.raw import in_memory, room_in, split, split_off
from sessionkit.readers.records import Log, Taken, set_aside
from sessionkit.study.checks import CELLS, NO_CELLS, RECORD, RULE, VALUE, cell

ROWS = 400_000
"""Results and events of a part, unless one session has more."""
GROUP = 2**12
"""Rows that each file of a part collects before they are written, while all of these files are open."""
PART, AT_PLACE = "__part", "__place"


@dataclass(frozen=True)
class UbiBatch:
    """Queries, the lists of hits of those that have any, and events on results: KEY is the number of their query."""

    queries: pl.LazyFrame
    hits: pl.LazyFrame
    marks: pl.LazyFrame


def in_parts(
    queries: pl.LazyFrame, records: pl.LazyFrame, marks: pl.LazyFrame, log: Log
) -> tuple[UbiBatch, Iterator[UbiBatch]]:
    """Return the whole log, and its parts one after the other, in memory.

    Parameters
    ----------
    queries
        As ``ubi_queries.py`` has them.
    records
        All records, of which those of queries have hits.
    marks
        Events on results; KEY is the query_id.
    """
    place = (pl.col(FILE).cast(pl.Int64) * 2**40 + pl.col(RECORD)).alias(AT_PLACE)
    order = queries.select(KEY, place, "session_id", AT, *PLACE, SIZE).sort("session_id", AT, *PLACE, nulls_last=True)
    part = ((pl.col(SIZE).cast(pl.Int64) + 1).cum_sum() - 1) // ROWS
    begins = pl.col("session_id").ne_missing(pl.col("session_id").shift(1))
    number = pl.int_range(pl.len(), dtype=pl.Int64).alias("__number")
    numbers = order.select(KEY, AT_PLACE, number, pl.when(begins).then(part).forward_fill().alias(PART))
    numbers = log.keep(numbers)
    has_hits = (pl.col(WHAT) == QUERY) & (pl.col("hits").list.len() > 0)
    at_place = _looked_up(place, numbers.drop(KEY).sort(AT_PLACE).collect())
    frames = [
        queries.drop(SIZE).with_columns(at_place).unnest(AT_PLACE),
        records.filter(has_hits)
        .select(*PLACE, "hits", at_place)
        .unnest(AT_PLACE)
        .filter(pl.col("__number").is_not_null()),
        log.keep(marks.join(numbers.drop(AT_PLACE), on=KEY, how="left")),
    ]
    numbered = [frame.with_columns(pl.col("__number").alias(KEY)).drop("__number") for frame in frames]
    if not log.is_large:
        whole = UbiBatch(*(log.keep(frame.drop(PART)) for frame in numbered))
        return whole, iter([whole])
    parts = numbers.select(pl.col(PART).unique().sort()).collect().to_series().to_list() or [0]
    folders = [(_split(frame, log.workspace), frame) for frame in numbered]
    whole = UbiBatch(*(_rows(folder, frame) for folder, frame in folders))
    return whole, (
        UbiBatch(*(_rows(folder, frame, part).sort(*PLACE).collect().lazy() for folder, frame in folders))
        for part in parts
    )


def _looked_up(place: pl.Expr, numbers: pl.DataFrame) -> pl.Expr:
    """Return the number and part of the query at each place, a struct of nulls where there is none.

    A join of as many lists of hits would take more memory. `numbers` are in the order of their places.
    """
    known, found = numbers[AT_PLACE].to_numpy(), numbers.drop(AT_PLACE)

    def rows(places: pl.Series) -> pl.Series:
        at = np.searchsorted(known, places.to_numpy())
        there = np.append(known, -1)[at] == places.to_numpy()
        return found.select(pl.all().gather(pl.Series(np.where(there, at, -1)).replace(-1, None))).to_struct()

    return place.map_batches(rows, return_dtype=pl.Struct(found.schema), is_elementwise=True)


def _split(rows: pl.LazyFrame, workspace: Path) -> Path:
    """Write rows to files by their part, in a folder that is returned."""
    folder = workspace / f"parts{len(list(workspace.iterdir()))}"
    folder.mkdir()
    with room_in(workspace):
        split(rows, PART, folder, group=GROUP)
    return folder


def _rows(folder: Path, like: pl.LazyFrame, part: int | None = None) -> pl.LazyFrame:
    """Return the rows of a part, or those of all."""
    files = split_off(folder, PART, "*" if part is None else part)
    if not files:
        return pl.LazyFrame(schema=like.drop(PART).collect_schema())
    return pl.scan_parquet(files, glob=False)


SOME = 3
"""Actions that are spoken of."""


def others(happened: pl.LazyFrame, actions: Actions) -> tuple[dict[tuple[int, str], int], dict[tuple[int, str], int]]:
    """Return how many events are on no result, by file and kind: those that tell of queries, and the others."""
    lost, unnamed = pl.col("query_id").is_null(), pl.col("object_id").is_null()
    on = pl.col("action_name").is_in(list(actions.columns))
    left = happened.filter(lost | unnamed | ~on)
    tells = ~lost & (pl.col("message_type") == "QUERY").fill_null(value=False) & ~on
    kind = (
        pl.when(lost)
        .then(pl.col("action_name") + " events without query_id")
        .when(on)
        .then(pl.col("action_name") + " events without object_id")
        .otherwise(pl.col("action_name") + " events")
    )
    return tallied(left.filter(tells), kind), tallied(left.filter(~tells), kind)


def told(records: pl.LazyFrame, happened: pl.LazyFrame, actions: Actions) -> list[str]:
    """Return what is to be said of records as they are."""
    notes = []
    many, _ = found(records.filter("undefined"), RECORD)
    if many:
        notes.append(f"{counted(many, 'record')} with the id 'undefined', taken as missing")
    lost = happened.filter(pl.col("query_id").is_null())
    clicked = pl.col("action_name").is_in(list(actions.clicks))
    many, first = found(lost, RECORD)
    if many:
        notes.append(
            f"{counted(many, 'event')} without query_id (first: record {first}), {found(lost.filter(clicked), RECORD)[0]:,} of them clicks"
        )
    notes += _uncounted(happened, actions)
    unread = records.filter(pl.col("timestamp").is_not_null(), pl.col(AT).is_null())
    many, first = found(unread, "timestamp")
    if many:
        notes.append(f"{counted(many, 'record')} with an invalid timestamp (first: {first!r})")
    return notes


def _uncounted(happened: pl.LazyFrame, actions: Actions) -> list[str]:
    """Return what is to be said of events on results by actions that are not counted, as some producers' impressions are."""
    placed = pl.all_horizontal(pl.col("query_id", "object_id", "ordinal").is_not_null())
    other = happened.filter(placed, ~pl.col("action_name").is_in(list(actions.columns)))
    by_action = other.group_by("action_name").len().sort("len", "action_name", descending=[True, False]).collect()
    if by_action.is_empty():
        return []
    said = [f"{many:,} {action}" for action, many in by_action.head(SOME).rows()]
    rest = len(by_action) - len(said)
    said += [counted(rest, "other action")] if rest else []
    return [
        f"{counted(int(by_action['len'].sum()), 'event')} on objects at an ordinal not counted as impressions or clicks "
        f"({numbers.listed(said)}); "
        "the options impressions and clicks name the actions that are"
    ]


TRIED = (
    "the sample of chorus-opensearch-edition (three producers in one bulk file), the sample event of o19s/ubi, single "
    "records that the plugins for OpenSearch and Elasticsearch and OpenSearch's documentation show (_search answers, "
    "lists); what the data generators (bulk, CSV), a plugin with Data Prepper and newer plugins write, Data Prepper's "
    "files, ordinals as objects (schemas 1.0 to 1.2), Parquet, and JSON in cells of CSV, from their source or documentation alone"
)
ATTRIBUTES = "query_attributes."
UNITS = {"seconds": 1.0, "milliseconds": 0.001}
OPTIONS: dict[str, Option] = {
    "clicks": Option("Actions that are clicks on a result.", default=["click"], many=True),
    "impressions": Option("Actions that show a result.", default=["impression"], many=True),
    "conversions": Option(
        "Actions counted in a column of results of their own.", default=["add_to_cart", "purchase"], many=True
    ),
    "system": Option(
        "What the system is: application, or query_attributes.KEY for a key such as that of an experiment.",
        default="application",
    ),
    "judgment_key": Option(
        "Key of judgments: text (of the query, as it stands but for blanks around it), normalized (in small letters, "
        "blanks as one space), or none.",
        default="text",
        allowed=("text", "normalized", "none"),
    ),
    "repeated_queries": Option(
        "Which of several records with one query_id is the query, among those with hits: that with the longest text, or the "
        "last.",
        default="longest",
        allowed=("longest", "last"),
    ),
    "ordinal_base": Option(
        "What ordinals count from; by default 0 or 1 as the least ordinal of an application says.",
        kind="integer",
        allowed=(0, 1),
    ),
    "dwell_time": Option("Unit of dwell_time in event_attributes, which is not read without.", allowed=tuple(UNITS)),
    "cut_sessions": CUT_SESSIONS,
    "session_gap": SESSION_GAP,
    "merge_queries": MERGE_QUERIES,
}
KEYS = ("query_id", "client_id", "event_attributes", "query_attributes", "message_type", "queryId", *HITS)
NAMES = {"action_name", "user_query", "userQuery"}
"""One of these every record has."""
ANSWER = re.compile(r'"hits"\s*:\s*\{(?>.*?"_source"\s*:\s*\{).*?"(?:action_name|user_query)"', re.DOTALL)
LISTS = re.compile(r'\{\s*"(?:events|queries)"\s*:\s*\[\s*(?=\{)')
BULK = ("index", "create", "update")
SUFFIXES = re.compile(r"\.(?:(?:ndjson|jsonl|json|csv|tsv)(?:\.gz|\.zst)?|parquet)$", re.IGNORECASE)
DONE = "_SUCCESS"
"""An empty file that Spark writes beside others."""
SOME = 3
"""Files of a folder that are looked into."""


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins with a record, or a folder has nothing but such files."""
    if glimpse.is_folder:
        names = [name for name in glimpse.names if name.rsplit("/", 1)[-1] != DONE]
        return (
            bool(names)
            and all(map(SUFFIXES.search, names))
            and all(fits(look(glimpse.path / name)) for name in names[:SOME])
        )
    head = glimpse.head.lstrip()
    if are_of_table(glimpse.columns) or holds_table(head):
        return True
    named = LISTS.match(head)
    head = head[named.end() :] if named else head.removeprefix("[").lstrip()
    decoder = json.JSONDecoder()
    for _ in range(2):
        try:
            value, end = decoder.raw_decode(head)
        except (ValueError, RecursionError):
            break
        if not isinstance(value, Mapping):
            return False
        record = value.get("_source", value)
        if isinstance(record, Mapping) and NAMES & set(record):
            return bool(set(KEYS) & set(record))
        if len(value) != 1 or not any(isinstance(value.get(name), Mapping) for name in BULK):
            break
        head = head[end:].lstrip()
    return ANSWER.search(glimpse.head) is not None


def take(log: Log) -> Taken:
    """Take the files apart."""
    key = _experiment(log.option("system"))
    zone = log.config.settings.timezone
    read = partial(records_of, experiment=key, timezone=zone, workspace=log.workspace)
    taken = [read(file) for file in log.files]
    placed = [
        flat.with_columns(pl.lit(number, dtype=pl.Int32).alias(FILE)) for number, (flat, _, _) in enumerate(taken)
    ]
    of_session = pl.coalesce("session_id", "session_of_attributes").alias("session")
    records = pl.concat(placed, how="diagonal").with_columns(of_session)
    happened = records.filter(pl.col(WHAT) == EVENT)
    events = log.keep(happened.filter(pl.col("query_id").is_not_null()).with_columns(pl.col("query_id").alias(KEY)))
    asked = queries_of(
        records,
        events,
        gap=log.option("session_gap"),
        recut=log.option("cut_sessions"),
        longest=log.option("repeated_queries") == "longest",
        by_experiment=key is not None,
        keep=log.keep,
    )
    actions = Actions(log.option("impressions"), log.option("clicks"), log.option("conversions"))
    whole, parts = in_parts(
        _keyed(asked.queries, log.option("judgment_key")),
        records,
        marks_of(events, actions, UNITS.get(log.option("dwell_time"))),
        log,
    )
    marks, base = whole.marks, log.option("ordinal_base")
    there = marks.select(pl.col(MANY).unique()).collect().to_series().to_list()
    columns = [
        "clicks",
        *(name for name in dict.fromkeys(actions.columns.values()) if name in there and name != "clicks"),
    ]
    bases = bases_of(marks, base)
    warnings = docid_warnings(whole.queries, whole.hits, marks)
    rows, tied = _listed(parts, bases, columns, log)
    notes = [*noted_bases(bases, base), *noted_ties(tied)]
    merged, idle = others(happened, actions)
    bulk = {(number, f"{ACTION}s"): many for number, (_, _, many) in enumerate(taken)}
    aside = _set_aside(records, actions, reads_dwell=log.option("dwell_time") is not None).collect().lazy()
    cells = [
        set_aside(file, name, aside.filter(pl.col(FILE) == number, pl.col(KIND) == name), locate)
        for number, (file, (_, locate, _)) in enumerate(zip(log.files, taken, strict=True))
        for name in ("queries", "results")
    ]
    broken = records.filter(pl.col(RULE).is_not_null()).select(RECORD, FILE, RULE, VALUE)
    sources = partial(raws_of, files=log.files, locates=[locate for _, locate, _ in taken], timezone=zone)
    raws = {
        "queries": [
            *sources("queries", log.keep(broken.with_columns(pl.lit("broken records").alias(KIND)))),
            *sources("queries", rows.queries),
        ],
        "results": sources("results", rows.results.select(pl.exclude(AT))),
    }
    if not raws["queries"]:
        raise DataError(f"{log.files[0].name}: no query record, and no event that names a query")
    return Taken(
        raws,
        with_names(summed(asked.merged, rows.merged, merged), log.files),
        with_names(summed(rows.idle, idle, bulk), log.files),
        [*asked.notes, *notes, *rows.notes, *told(records, happened, actions)],
        [*warnings, *rows.warnings],
        cells=cells,
    )


def _set_aside(records: pl.LazyFrame, actions: Actions, *, reads_dwell: bool) -> pl.LazyFrame:
    """Return FILE, RECORD, KIND (the table) and CELLS of records with values that cannot be read, which are no keys."""
    on_result = pl.all_horizontal(pl.col("action_name").is_in(list(actions.columns)), *_given("object_id", "query_id"))
    spent = pl.col("dwell_time").cast(pl.Float64, strict=False)
    whole = pl.col("ordinal").str.replace(r"\.0+$", "").cast(pl.Int64, strict=False)
    unread = {
        "timestamp": ("timestamp_is_a_datetime", pl.col(AT).is_null()),
        "ordinal": ("ordinal_is_an_integer", whole.is_null()),
        **({"dwell_time": ("dwell_time_is_a_number", ~(spent >= 0).fill_null(value=False))} if reads_dwell else {}),
    }
    bad = {name: on_result & pl.col(name).is_not_null() & broken for name, (_, broken) in unread.items()}
    given = [pl.col(CELLS)] if CELLS in records.collect_schema() else []
    told = [pl.when(bad[name]).then(cell(name, rule, pl.col(name))) for name, (rule, _) in unread.items()]
    some = pl.any_horizontal(*bad.values(), *(cells.list.len() > 0 for cells in given)).fill_null(value=False)
    before = [pl.coalesce(cells, NO_CELLS) for cells in given] or [NO_CELLS]
    return records.filter(pl.col(RULE).is_null() & some).select(
        FILE,
        RECORD,
        pl.when(pl.col(WHAT) == EVENT).then(pl.lit("results")).otherwise(pl.lit("queries")).alias(KIND),
        pl.concat_list(*before, *told).list.drop_nulls().alias(CELLS),
    )


def _given(*names: str) -> list[pl.Expr]:
    """Return whether there is a value in each of these columns."""
    return [pl.col(name).is_not_null() for name in names]


def _listed(parts: Iterable[UbiBatch], bases: pl.DataFrame, many: Sequence[str], log: Log) -> tuple[Listed, Found]:
    """Return the rows of both tables, and the lists with several objects at one ordinal."""
    rules, made, ties = log.option("merge_queries"), [], []
    for part in parts:
        lists, tied = lists_of(part.hits, part.marks, bases)
        rows = listed(part.queries, in_memory(lists), part.marks, rules=rules, keep=in_memory, many=many)
        made.append(replace(rows, queries=log.keep(rows.queries), results=log.keep(rows.results)))
        ties.append(tied)
    return together(made), all_found(ties)


def _experiment(system: str) -> str | None:
    """Return the key of query_attributes that names the system, None where it is the application."""
    if system == "application":
        return None
    if not system.startswith(ATTRIBUTES) or system == ATTRIBUTES:
        raise DataError(f"system = {system!r}; it is application, or query_attributes.KEY for a key that queries have")
    return system.removeprefix(ATTRIBUTES)


def _keyed(queries: pl.LazyFrame, rule: str) -> pl.LazyFrame:
    """Return queries with the key of their judgments."""
    text = pl.col("query_text").str.strip_chars()
    if rule == "none":
        return queries
    if rule == "normalized":
        text = text.str.to_lowercase().str.replace_all(r"\s+", " ")
    return queries.with_columns(judgment_key=pl.when(text != "").then(text))
