"""Format ``events``: a private log with one row per event, as study.toml describes it; delimited, NDJSON or Parquet.

Two tables of study.toml say what is what::

    format = "events"
    path = "log.csv"
    columns = { session_id = "sid", time = "ts", event = "action", query_text = "q", doc_id = "doc", rank = "pos" }
    events = { query = "search", impression = "view", click = ["open", "preview"], leave = "close" }

A log without sessions needs users: sessions are then cut by inactivity. The documents a query returned may stand in
impressions of their own or, as a JSON list or between blanks, commas or bars, in a column ``results`` of the query. How events
become queries and results is told in ``events/stream.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from sessionkit.contract import CELL, CELLS, RECORD, RULE, VALUE
from sessionkit.contract.casts import as_text
from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.readers.entries import CUT_SESSIONS, SESSION_GAP, Option
from sessionkit.readers.events.requeries import MERGE_QUERIES
from sessionkit.readers.events.result_lists import AT, FILE, as_time
from sessionkit.readers.events.sessionize import with_sessions
from sessionkit.readers.events.stream import ACTION, ACTIONS, COUNT, LABEL, LIST, TEXTS, taken
from sessionkit.readers.io.delimited import read_delimited
from sessionkit.readers.io.log_files import LogFile
from sessionkit.readers.io.ndjson import read_ndjson
from sessionkit.readers.io.parquet import read_parquet
from sessionkit.readers.raw import RESERVED, Raw, without
from sessionkit.readers.records import Log, Taken

TRIED = "no real log, which is private by nature; made-up ones in all three kinds of file"
COLUMNS = (*TEXTS, "time", "event", "rank", "results", "results_count", "dwell_seconds")
"""What a column of the log may be."""
OPTIONS: dict[str, Option] = {
    "columns": Option(
        f"Our name = the log's column, of {', '.join(COLUMNS)}; without, the column of that name. Others stay as they are.",
        kind="object",
        default={},
    ),
    "events": Option(
        f"What events are called: of {', '.join(ACTIONS)} a name or a list of names each; others carry nothing.",
        kind="object",
        default={name: name for name in ACTIONS},
    ),
    "separator": Option('What separates fields, such as "," or "\\t"; without, what the name of the file says.'),
    "quote": Option("Whether quotes keep fields together; false where they are data.", kind="boolean", default=True),
    "rank_base": Option("What ranks count from; without, as most lists do.", kind="integer", allowed=(0, 1)),
    "cut_sessions": CUT_SESSIONS,
    "session_gap": SESSION_GAP,
    "merge_queries": MERGE_QUERIES,
}
NOTHING = ("", "NA", "null", "undefined", "NaN")
"""Texts that mean no value."""
ID = r"[^\s,|;\[\]\"']+"


def take(log: Log) -> Taken:
    """Take the files apart."""
    columns = column_names(log.option("columns"), log.config.name)
    actions = action_names(log.option("events"), log.config.name)
    _refuse_idle(log)
    raws = [_records(file, log) for file in log.files]
    _refuse_missing(raws, columns)
    zone = log.config.settings.timezone
    streams = [_stream(raw, number, columns, actions, zone) for number, raw in enumerate(raws)]
    stream, notes = in_sessions(pl.concat(streams, how="diagonal_relaxed"), log)
    return taken(
        stream,
        log,
        [raw.locate for raw in raws],
        rules=log.option("merge_queries"),
        rank_base=log.option("rank_base"),
        notes=[*(said for raw in raws for said in _left_out(raw)), *notes],
        logs_clicks="click" in actions.values(),
    )


def _names(raw: Raw) -> list[str]:
    """Return the names of the columns that a file has."""
    return [name for name in raw.frame.collect_schema().names() if not name.startswith("__")]


def _refuse_missing(raws: Sequence[Raw], columns: Mapping[str, str]) -> None:
    """Raise DataError where no file has a column that study.toml names: a participant who never searched has no queries."""
    names = list(dict.fromkeys(name for raw in raws for name in _names(raw)))
    for ours, theirs in columns.items():
        if theirs not in names:
            raise DataError(
                f"{raws[0].source} has no column {theirs!r} to make {ours} from{suggestion(theirs, names)}; "
                f"found {', '.join(names)}"
                if len(raws) == 1
                else f"none of {len(raws)} files has a column {theirs!r} to make {ours} from{suggestion(theirs, names)}; "
                f"found {', '.join(names)}"
            )


def _left_out(raw: Raw) -> list[str]:
    """Return what is to be said of a file without records, and of columns whose names only sessionkit may use, as ``__v``."""
    if not raw.records:
        return [f"{raw.source}: no records, only a header"]
    names = [name for name in raw.frame.collect_schema() if name.startswith("__") and name not in RESERVED]
    return [f"{raw.source}: left out, because they begin with two underscores: {', '.join(names)}"] if names else []


def column_names(given: Mapping[str, Any], name: str) -> dict[str, str]:
    """Return our names of columns and the log's; DataError where a name is none of :data:`COLUMNS`."""
    for ours, theirs in given.items():
        if ours not in COLUMNS:
            known = ", ".join(COLUMNS)
            raise DataError(
                f"{name}: columns.{ours} is not a column of events{suggestion(ours, COLUMNS)}; known: {known}"
            )
        if not isinstance(theirs, str):
            raise DataError(f"{name}: columns.{ours} = {theirs!r}; give the name of one column of the log")
    return dict(given)


def action_names(given: Mapping[str, Any], name: str) -> dict[str, str]:
    """Return for each name of an event what it is; DataError where that is none of :data:`ACTIONS`, or two of them."""
    actions: dict[str, str] = {}
    for action, names in given.items():
        if action not in ACTIONS:
            raise DataError(
                f"{name}: events.{action} is not a kind of event{suggestion(action, ACTIONS)}; known: {', '.join(ACTIONS)}"
            )
        for event in [names] if isinstance(names, str) else names if isinstance(names, list) else [None]:
            if not isinstance(event, str):
                raise DataError(
                    f"{name}: events.{action} = {names!r}; give a name of events of the log, or a list of them"
                )
            if actions.setdefault(event, action) != action:
                raise DataError(
                    f"{name}: events called {event!r} are both {actions[event]} and {action}; give one of them"
                )
    return actions


def in_sessions(stream: pl.LazyFrame, log: Log) -> tuple[pl.LazyFrame, list[str]]:
    """Return a stream with sessions: those of the log, cut where that is wanted, else those of its users."""
    names = stream.collect_schema().names()
    gap = log.option("session_gap")
    if "session_id" not in names:
        if "user_id" not in names or AT not in names:
            raise DataError(
                f"{log.files[0].name}: sessions need a column session_id, or user_id and time; columns = {{ session_id = "
                '"..." } in study.toml says which it is'
            )
        kept = log.keep(with_sessions(stream, time=AT, gap=gap))
        return kept, [f"sessions of users, cut by {gap} of inactivity"]
    if not log.option("cut_sessions"):
        if gap != SESSION_GAP.default:
            raise UsageError(
                f"session_gap = {gap!r} has no effect, because {log.files[0].name} names its sessions; set "
                "cut_sessions = true to cut these at pauses, or leave session_gap out"
            )
        return stream, []
    cut = with_sessions(stream.rename({"session_id": "__long"}), user="__long", time=AT, gap=gap)
    return log.keep(cut.drop("__long")), [f"sessions of the log cut by {gap} of inactivity"]


def _refuse_idle(log: Log) -> None:
    """Raise DataError where something is said of delimited text, and no file is such."""
    separator = log.option("separator")
    said = "separator" if separator is not None else "quote" if not log.option("quote") else None
    if said and not any(file.kind == "text" or (file.kind == "ndjson" and separator is not None) for file in log.files):
        raise DataError(
            f"{log.config.name}: {said} is set for {log.files[0].name}, which is not delimited text; leave {said} out"
        )


def _records(file: LogFile, log: Log) -> Raw:
    """Return the records of a file of any kind."""
    separator = log.option("separator") or file.separator
    if file.kind == "parquet":
        return read_parquet(file, "queries", keep=log.keep)
    if log.option("separator") is None and file.kind == "ndjson":
        return read_ndjson(file, "queries", keep=log.keep)
    if separator is None:
        raise DataError(
            f'{file.name}: its name does not show the separator; set separator = "\\t" or another in study.toml'
        )
    return read_delimited(
        file, "queries", separator=separator, quote='"' if log.option("quote") else None, keep=log.keep
    )


def _stream(
    raw: Raw, number: int, columns: Mapping[str, str], actions: Mapping[str, str], timezone: str | None
) -> pl.LazyFrame:
    """Return the records of a file as a part of a stream."""
    schema = raw.frame.collect_schema()
    there = _names(raw)
    wanted = {name: columns.get(name, name) for name in COLUMNS if columns.get(name, name) in there}
    if "event" not in wanted:
        raise DataError(
            f'{raw.source} has no column event; columns = {{ event = "..." }} in study.toml names the column with '
            f"the kind of event; found {', '.join(there)}"
        )
    others = [name for name in there if name not in wanted.values() and name not in (*wanted, "issued_at")]
    named = raw.frame.select(
        RECORD,
        pl.lit(number, dtype=pl.Int32).alias(FILE),
        *[name for name in (RULE, VALUE) if name in schema],
        *[_text(theirs, schema[theirs]).alias(ours) for ours, theirs in wanted.items()],
        *others,
    )
    return _typed(named, wanted, actions, timezone)


def _text(column: str, dtype: pl.DataType) -> pl.Expr:
    """Return a column as text, null where that means no value."""
    text = as_text(column, dtype)
    return pl.when(~text.str.strip_chars().is_in(NOTHING)).then(text)


def _typed(
    stream: pl.LazyFrame, wanted: Mapping[str, str], actions: Mapping[str, str], timezone: str | None
) -> pl.LazyFrame:
    """Return a part of a stream with what events are, when, and what they show."""
    event = pl.col("event").str.strip_chars()
    action = event.replace_strict(actions, default=None, return_dtype=pl.String)
    made = [event.alias(LABEL), action.alias(ACTION)]
    stream = stream.with_columns(pl.lit(None, dtype=pl.List(CELL)).alias(CELLS))
    if "time" in wanted:
        made += [as_time("time", timezone).alias(AT), pl.col("time").alias("issued_at")]
    else:
        made.append(pl.lit(None, dtype=pl.Datetime("us", "UTC")).alias(AT))
    if "results" in wanted:
        made.append(pl.when(action == "query").then(pl.col("results").str.extract_all(ID)).alias(LIST))
    if "results_count" in wanted:
        count = pl.col("results_count").cast(pl.Float64, strict=False)
        number = count.is_finite().fill_null(value=False) | pl.col("results_count").is_null()
        stream = without(stream, "results_count", "results_count_is_a_number", ~number)
        made.append(count.cast(pl.Int64, strict=False).alias(COUNT))
    if "dwell_seconds" in wanted:
        spent = pl.col("dwell_seconds").cast(pl.Float64, strict=False)
        number = spent.is_finite().fill_null(value=False) | pl.col("dwell_seconds").is_null()
        stream = without(stream, "dwell_seconds", "dwell_seconds_is_a_number", ~number)
        stream = without(stream, "dwell_seconds", "dwell_seconds_is_at_least_0", spent < 0)
        made.append(spent.alias("dwell_seconds"))
    return stream.with_columns(made).drop("event", "time", "results", "results_count", strict=False)
