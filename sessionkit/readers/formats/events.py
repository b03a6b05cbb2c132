"""Format ``events``: a private log with one row per event, as study.toml describes it; delimited, NDJSON or Parquet.

Two tables of study.toml say what is what::

    format = "events"
    path = "log.csv"
    columns = { session_id = "sid", time = "ts", event = "action", query_text = "q", doc_id = "doc", rank = "pos" }
    events = { query = "search", impression = "view", click = ["open", "preview"], leave = "close" }

A session may be several columns together, such as a user and a task. A log without sessions needs users and times: sessions are
then cut by inactivity. Times since the start of the session are elapsed_seconds, whose unit `units` says; where there are no times,
event_order may number the events. The documents a query returned may stand in
impressions of their own or, as a JSON list or between blanks, commas or bars, in a column ``results`` of the query. How events
become queries and results is told in ``events/lists.py``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import polars as pl

from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.readers.checks.cells import CLOCK, SECONDS, in_our_spelling, join_texts
from sessionkit.readers.events.lists import ACTION, ACTIONS, AT, COUNT, FILE, LABEL, LIST, TEXTS, as_time, taken
from sessionkit.readers.events.sessions import MERGE_QUERIES, with_sessions
from sessionkit.readers.format import CUT_SESSIONS, SESSION_GAP, Option
from sessionkit.readers.io.delimited import read_delimited
from sessionkit.readers.io.files import LogFile
from sessionkit.readers.io.json import ARRAY, as_items, as_ndjson, read_ndjson
from sessionkit.readers.io.list_rows import ListOptions, as_elements, json_records, list_rows, table_records
from sessionkit.readers.io.tables import read_parquet
from sessionkit.readers.raw import RESERVED, Raw, without
from sessionkit.readers.records import Log, Taken
from sessionkit.study.checks import CELL, CELLS, RECORD, RULE, VALUE, as_text
from sessionkit.study.checks import COUNT as COUNT_SINCE_1970

TRIED = "no real log, which is private by nature; made-up ones in all three kinds of file"
COLUMNS = (
    *TEXTS, "time", "elapsed_seconds", "event_order", "event", "rank", "results", "results_count", "dwell_seconds"
)  # fmt: skip
"""What a column of the log may be."""
OPTIONS: dict[str, Option] = {
    "columns": Option(
        f"Our name = the log's column, of {', '.join(COLUMNS)}; without, the column of that name. Several columns together are "
        "an id, as of a session that is a user and a task, or a date and a time of day. elapsed_seconds counts from the start of "
        "the session; event_order orders events of one time, or without times. Others stay as they are.",
        kind="object",
        default={},
    ),
    "events": Option(
        f"What events are called: of {', '.join(ACTIONS)} a name or a list of names each; others carry nothing.",
        kind="object",
        default={name: name for name in ACTIONS},
    ),
    "times": Option(
        "The format, or formats, of times, such as %d.%m.%Y %H:%M:%S, where they are not ISO 8601.", many=True
    ),
    "units": Option(
        f"The unit of elapsed_seconds and dwell_seconds where it is not seconds: {', '.join((*SECONDS, CLOCK))}.",
        kind="object",
        default={},
    ),
    "separator": Option('What separates fields, such as "," or "\\t"; without, what the name of the file says.'),
    "quote": Option("Whether quotes keep fields together; false where they are data.", kind="boolean", default=True),
    "rank_base": Option("What ranks count from; without, as most lists do.", kind="integer", allowed=(0, 1)),
    "cut_sessions": CUT_SESSIONS,
    "session_gap": SESSION_GAP,
    "merge_queries": MERGE_QUERIES,
}
Column = str | list[str]
"""The column of the log that is one of ours, or several that are together."""
OF_UNITS = ("elapsed_seconds", "dwell_seconds")
"""Columns whose unit study.toml can say."""
FEW_ODD = 0.05
"""The share of numbers in place of times that may be mistyped."""
NOTHING = ("", "NA", "null", "undefined", "NaN")
"""Texts that mean no value."""
EMPTY_LIST = "[]"
"""A list without elements, which only ``results`` may have: there it says that a query returned nothing."""
ID = r"""\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|[^\s,|;\[\]"']+"""
NUMBERS = ("results_count", "elapsed_seconds", "event_order", "dwell_seconds")
"""Columns of numbers."""


def take(log: Log) -> Taken:
    """Take the files apart."""
    columns = column_names(log.option("columns"), log.config.name)
    actions = action_names(log.option("events"), log.config.name)
    _refuse_idle(log)
    raws = [_records(file, log) for file in log.files]
    _refuse_missing(raws, columns)
    zone = log.config.settings.timezone
    spelling = _spelling(log, columns)
    streams = [
        _stream(raw, number, columns, actions, spelling=spelling, timezone=zone) for number, raw in enumerate(raws)
    ]
    whole = pl.concat(streams, how="diagonal_relaxed")
    _refuse_elapsed(whole, columns, log)
    stream, notes = in_sessions(whole, log)
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


def _refuse_missing(raws: Sequence[Raw], columns: Mapping[str, Column]) -> None:
    """Raise DataError where no file has a column that study.toml names: a participant who never searched has no queries."""
    names = list(dict.fromkeys(name for raw in raws for name in _names(raw)))
    where = f"{raws[0].source} has no" if len(raws) == 1 else f"none of {len(raws)} files has a"
    for ours, given in columns.items():
        for theirs in _several(given):
            if theirs not in names:
                raise DataError(
                    f"{where} column {theirs!r} to make {ours} from{suggestion(theirs, names)}; found {', '.join(names)}"
                )


def _several(theirs: Column) -> list[str]:
    """Return the columns of the log that one of ours is made of."""
    return [theirs] if isinstance(theirs, str) else list(theirs)


def _spelling(log: Log, columns: Mapping[str, Column]) -> dict[str, Any]:
    """Return how times and durations are written; DataError where that is said of something else."""
    units = log.option("units")
    for ours, unit in units.items():
        if ours not in OF_UNITS or unit not in (*SECONDS, CLOCK):
            raise DataError(
                f"{log.config.name}: units.{ours} = {unit!r}; units are of {' and '.join(OF_UNITS)}, each "
                f"{', '.join(SECONDS)} or {CLOCK}"
            )
        if ours not in columns:
            raise DataError(f"{log.config.name}: units names {ours}, but columns does not; say which column it is")
    times = log.option("times")
    return {**({"units": units} if units else {}), **({"times": times} if times else {})}


def _refuse_elapsed(stream: pl.LazyFrame, columns: Mapping[str, Column], log: Log) -> None:
    """Raise DataError where times are counts that begin near 0: they are no dates, and some would be read as such of 1973."""
    if "issued_at" not in stream.collect_schema():
        return
    text = pl.col("issued_at").str.strip_chars()
    counts = stream.filter(text.str.contains(COUNT_SINCE_1970)).select(
        pl.len().alias("all"),
        short=text.str.contains(r"^\d{1,8}(\.|$)").sum(),
        first=text.filter(text.str.contains(r"^\d{1,8}(\.|$)")).first(),
    )
    number, short, first = counts.collect().row(0)
    if short > number * FEW_ODD:
        theirs = columns.get("time", "time")
        raise DataError(
            f"{log.files[0].name}: time is {theirs!r}, but {short:,} of its {number:,} numbers, such as {first!r}, are too small for "
            f"dates. If they count from the start of the session, say columns = {{ elapsed_seconds = ... }} in place of time, with "
            f'units = {{ elapsed_seconds = "milliseconds" }} if that is their unit; if they only number events, event_order'
        )


def _left_out(raw: Raw) -> list[str]:
    """Return what is to be said of a file without records, and of columns whose names only sessionkit may use, as ``__v``."""
    if not raw.records:
        return [f"{raw.source}: no records, only a header"]
    names = [name for name in raw.frame.collect_schema() if name.startswith("__") and name not in RESERVED]
    return [f"{raw.source}: left out, because they begin with two underscores: {', '.join(names)}"] if names else []


def column_names(given: Mapping[str, Any], name: str) -> dict[str, Column]:
    """Return our names of columns and the log's; DataError where a name is none of :data:`COLUMNS`."""
    for ours, theirs in given.items():
        if ours not in COLUMNS:
            known = ", ".join(COLUMNS)
            raise DataError(
                f"{name}: columns.{ours} is not a column of events{suggestion(ours, COLUMNS)}; known: {known}"
            )
        if isinstance(theirs, list) and len(theirs) > 1 and all(isinstance(one, str) for one in theirs):
            if ours not in (*TEXTS, "time"):
                raise DataError(
                    f"{name}: columns.{ours} = {theirs!r}; only ids and times can be made of several columns"
                )
        elif not isinstance(theirs, str):
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
        if "user_id" not in names or "issued_at" not in names:
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
    if "issued_at" not in names:
        raise DataError(
            f"{log.files[0].name}: cut_sessions needs the times of events; name their column, as in columns = {{ time = "
            '"..." }, or leave cut_sessions out'
        )
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
    """Return the records of a file of any kind; where study.toml names columns with dots, objects and lists inside them as columns."""
    is_json = log.option("separator") is None and (file.kind == "ndjson" or ARRAY.match(file.head) is not None)
    names = frozenset(chain.from_iterable(_several(one) for one in log.option("columns").values()))
    if (is_json or file.kind == "parquet") and any("." in name for name in names):
        return _with_fields(file, ListOptions((), "events", columns=names), log, is_json=is_json)
    if is_json and file.kind != "ndjson":
        return replace(read_ndjson(as_ndjson(file), "queries", keep=log.keep), locate=as_items(file))
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


def _with_fields(file: LogFile, options: ListOptions, log: Log, *, is_json: bool) -> Raw:
    """Return the records of JSON, or of Parquet, with columns for what is inside their objects and lists."""
    if is_json:
        records = partial(json_records, file)
    else:
        rows = read_parquet(file, "queries").frame.collect()
        records = partial(table_records, rows)
    frame, number = list_rows(file, records(), options, at_once=not log.is_large)
    return Raw("queries", file.name, log.keep(frame), number, as_elements(records, options), file.bytes, file.digest)


def _stream(
    raw: Raw,
    number: int,
    columns: Mapping[str, Column],
    actions: Mapping[str, str],
    *,
    spelling: Mapping[str, Any],
    timezone: str | None,
) -> pl.LazyFrame:
    """Return the records of a file as a part of a stream."""
    schema = raw.frame.collect_schema()
    there = _names(raw)
    given = {name: _several(columns.get(name, name)) for name in COLUMNS}
    if "time" not in columns and any(given[name] == ["time"] for name in ("elapsed_seconds", "event_order")):
        del given["time"]  # a column of this name that is no time
    wanted = {name: theirs for name, theirs in given.items() if set(theirs) <= set(there)}
    if "event" not in wanted:
        raise DataError(
            f'{raw.source} has no column event; columns = {{ event = "..." }} in study.toml names the column with '
            f"the kind of event; found {', '.join(there)}"
        )
    taken = {*wanted, "issued_at", *(theirs[0] for theirs in wanted.values() if len(theirs) == 1)}
    named = raw.frame.select(
        RECORD,
        pl.lit(number, dtype=pl.Int32).alias(FILE),
        *[name for name in (RULE, VALUE) if name in schema],
        *[
            _made_of(ours, theirs, schema).alias("issued_at" if ours == "time" else ours)
            for ours, theirs in wanted.items()
        ],
        *[name for name in there if name not in taken],
    )
    units = {ours: unit for ours, unit in spelling.get("units", {}).items() if ours in wanted}
    spelled = in_our_spelling(named, "queries", {**spelling, "units": units} if spelling else {})
    return _typed(spelled, wanted, actions, timezone)


def _made_of(ours: str, theirs: Sequence[str], schema: pl.Schema) -> pl.Expr:
    """Return one of our columns as text, null where it has no value."""
    if len(theirs) == 1:
        text = _text(theirs[0], schema[theirs[0]])
        return text if ours == "results" else pl.when(text != EMPTY_LIST).then(text)
    return join_texts("issued_at" if ours == "time" else ours, theirs, schema, NOTHING, trim=True)


def _text(column: str, dtype: pl.DataType) -> pl.Expr:
    """Return a column as text, null where that means no value."""
    text = as_text(column, dtype)
    return pl.when(~text.str.strip_chars().is_in(NOTHING)).then(text)


def _typed(
    stream: pl.LazyFrame, wanted: Collection[str], actions: Mapping[str, str], timezone: str | None
) -> pl.LazyFrame:
    """Return a part of a stream with what events are, when, and what they show."""
    event = pl.col("event").str.strip_chars()
    action = event.replace_strict(actions, default=None, return_dtype=pl.String)
    made = [event.alias(LABEL), action.alias(ACTION)]
    stream = stream.with_columns(pl.lit(None, dtype=pl.List(CELL)).alias(CELLS))
    if "results" in wanted:
        stream = without(stream, "results", "results_are_ids", pl.col("results").str.contains("{", literal=True))
        made.append(pl.when(action == "query").then(_ids(pl.col("results"))).alias(LIST))
    for name in (name for name in NUMBERS if name in wanted):
        number = pl.col(name).cast(pl.Float64, strict=False)
        is_number = number.is_finite().fill_null(value=False) | pl.col(name).is_null()
        stream = without(stream, name, f"{name}_is_a_number", ~is_number)
        if name in OF_UNITS:
            stream = without(stream, name, f"{name}_is_at_least_0", number < 0)
        made.append(number.cast(pl.Int64, strict=False).alias(COUNT) if name == "results_count" else number.alias(name))
    if "time" in wanted:
        made.append(as_time("issued_at", timezone).alias(AT))
    elif "elapsed_seconds" in wanted:  # for order and pauses alone: it is no date
        microseconds = (
            (pl.col("elapsed_seconds").cast(pl.Float64, strict=False) * 1e6).round().cast(pl.Int64, strict=False)
        )
        made.append(microseconds.cast(pl.Datetime("us", "UTC")).alias(AT))
    else:
        made.append(pl.lit(None, dtype=pl.Datetime("us", "UTC")).alias(AT))
    return stream.with_columns(made).drop("event", "results", "results_count", strict=False)


def _ids(lists: pl.Expr) -> pl.Expr:
    """Return the ids in texts of lists: what stands between quotes is one, else what stands between blanks, commas and bars.

    >>> pl.select(_ids(pl.lit('["a b", 7, "http:\\\\/\\\\/c,d"]'))).item().to_list()
    ['a b', '7', 'http://c,d']
    """
    bare = pl.element().str.replace(r"""^(?:"(.*)"|'(.*)')$""", "$1$2").str.replace_all(r"\\(.)", "$1")
    return lists.str.extract_all(ID).list.eval(bare)
