"""Records of User Behavior Insights as flat rows: from bulk NDJSON, plain lines, ``_search`` exports and other JSON.

Lines of the usual types are taken apart at once; the few others (an ordinal that is an object, text that is no JSON) one
by one, to the same effect.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from sessionkit.contract import RECORD, RULE, VALUE
from sessionkit.readers.events.listing import AT, as_time
from sessionkit.readers.files.batches import batches, in_files, lines_of
from sessionkit.readers.files.halves import loads, whole_characters
from sessionkit.readers.files.json_items import json_items
from sessionkit.readers.files.opening import DAMAGED, LogFile, cut_short, not_utf8, unpacked
from sessionkit.readers.files.undecoded import UNDECODED, marked, refuse_other_encoding
from sessionkit.readers.raw import LINE, RAW, Locate, as_lines
from sessionkit.study.ahead import in_turn

IS_JSON, IS_KNOWN = "line_is_json", "record_is_query_or_event"
QUERY, EVENT, ACTION = "query", "event", "bulk action line"
TEXT, WHAT, EXPERIMENT = "__text", "__what", "__experiment"
SCALARS = [
    *("action_name", "query_id", "client_id", "user_id", "session_id", "application", "timestamp"),
    *("message_type", "message", "user_query", "query_response_id"),
]
HITS = ("query_response_hit_ids", "query_response_objects_ids")
"""The list of results, and its name before schema 1.0."""
OF_EVENT = {
    "object_id": ("object", "object_id"),
    "ordinal": ("position", "ordinal"),
    "session_of_attributes": ("session_id",),
    "dwell_time": ("dwell_time",),
}
"""What is taken from event_attributes, and its path."""
FLAT: dict[str, pl.DataType] = {
    **dict.fromkeys((*SCALARS, *OF_EVENT, EXPERIMENT), pl.String()),
    "hits": pl.List(pl.String()),
    RULE: pl.String(),
}
BULK = r'^\s*\{\s*"(?:index|create|update|delete)"\s*:\s*\{'
INDEX = r'("ordinal"\s*:\s*)\{\s*"index"\s*:\s*(-?\d+)\s*\}'
COUNTS_ONLY = r'\\?"size\\?"\s*:\s*0\b'
FEW = 32
"""Lines that are taken apart one by one where they cannot be together."""
ANSWER = re.compile(r'"hits"\s*:\s*\{')
NOTHING = ("", "undefined", "null")
"""Texts that clients write where they have no id."""
IDS = ("query_id", "client_id", "user_id", "session_id", "session_of_attributes", "object_id", "application")


def records_of(
    file: LogFile, *, experiment: str | None, timezone: str | None = None, workspace: Path
) -> tuple[pl.LazyFrame, Locate, int]:
    """Return the records of a file as rows of :data:`FLAT` with RECORD, WHAT, AT and ``counts_only``, the way back to
    their text, and how many lines are bulk actions. The rows are in files of the workspace.

    Parameters
    ----------
    experiment
        A key of query_attributes whose value is wanted.
    timezone
        Zone of times that carry none.
    """
    work = partial(_rows, experiment=experiment, timezone=timezone)
    try:
        with unpacked(file.path) as stream:
            is_document = _is_document(file.head.decode("utf-8", errors="replace"))
            parts = (
                batches(_documents(file), {RECORD: pl.Int64, TEXT: pl.String})
                if is_document
                else lines_of(stream, TEXT, partial(refuse_other_encoding, file))
            )
            rows = in_files(in_turn(work, parts), workspace)
    except UnicodeDecodeError:
        raise not_utf8(file) from None
    except DAMAGED as error:
        raise cut_short(file.name, error) from None
    is_action = pl.col(WHAT) == ACTION
    actions = rows.filter(is_action).select(pl.len()).collect().item()
    locate = _way_back(file) if is_document else as_lines(str(file.path), 1)
    return rows.filter(is_action.not_().fill_null(value=True)), locate, actions


def _rows(lines: pl.DataFrame, *, experiment: str | None, timezone: str | None) -> pl.DataFrame:
    """Return the rows of some lines: of bulk actions, no more than that they are some."""
    lines = lines.filter(pl.col(TEXT).str.contains(r"\S")).with_columns(pl.col(TEXT).map_batches(whole_characters))
    is_action = pl.col(TEXT).str.contains(BULK)
    records = lines.filter(~is_action)
    flat = _flat(records[TEXT], experiment).struct.unnest()
    counts_only, shown = pl.col(TEXT).str.contains(COUNTS_ONLY).alias("counts_only"), pl.col(TEXT).str.slice(0, 200)
    told = pl.concat([records.select(RECORD, counts_only, shown.alias(VALUE)), flat], how="horizontal")
    cleaned = _cleaned(told.lazy()).with_columns(as_time("timestamp", timezone).alias(AT))
    if UNDECODED in lines.columns:
        bad = cleaned.join(records.lazy().select(RECORD, UNDECODED), on=RECORD, how="left", maintain_order="left")
        cleaned = marked(bad.with_columns(pl.when(pl.col(UNDECODED).is_null()).then(WHAT).alias(WHAT)))
    rows = cleaned.collect()
    actions = lines.filter(is_action).select(RECORD, pl.lit(ACTION).alias(WHAT))
    return pl.concat([rows, actions], how="diagonal").sort(RECORD)


def _cleaned(rows: pl.LazyFrame) -> pl.LazyFrame:
    """Return rows without the texts that mean no id, and with what each is."""
    is_query = pl.any_horizontal(pl.col("user_query", "hits", "query_response_id").is_not_null())
    what = pl.when(pl.col("action_name").is_not_null()).then(pl.lit(EVENT)).when(is_query).then(pl.lit(QUERY))
    rule = pl.when(what.is_not_null() | pl.col(RULE).is_not_null()).then(RULE).otherwise(pl.lit(IS_KNOWN))
    without = [pl.when(~pl.col(name).is_in(NOTHING)).then(pl.col(name)).alias(name) for name in IDS]
    said = pl.any_horizontal(pl.col(IDS) == "undefined").fill_null(value=False).alias("undefined")
    value = pl.when(rule.is_not_null()).then(VALUE).alias(VALUE)
    return rows.with_columns(what.alias(WHAT), rule.alias(RULE), value, said, *without)


def _is_document(head: str) -> bool:
    """Return whether a file that begins so is other JSON than one record a line."""
    first = head.lstrip().split("\n", 1)[0].rstrip()
    return first.startswith("[") or ANSWER.search(first[:2000]) is not None or not first.endswith("}")


def _documents(file: LogFile) -> Iterator[dict[str, Any]]:
    """Return the records in a file of JSON that is not one record a line, each hit of a ``_search`` answer a record."""
    number = 0
    for item in json_items(file):
        hits = item.value.get("hits") if isinstance(item.value, dict) else None
        inside = hits.get("hits") if isinstance(hits, dict) else None
        if item.broken:
            texts = [item.text[:10_000] or "[ is not closed"]
        elif isinstance(inside, list):
            texts = [json.dumps(hit.get("_source", hit) if isinstance(hit, dict) else hit) for hit in inside]
        else:
            texts = [json.dumps(item.value)]
        for text in texts:
            number += 1
            yield {RECORD: number, LINE: item.line, TEXT: text}


def _way_back(file: LogFile) -> Locate:
    """Return the way back to the text of records of such a file."""

    def locate(records: pl.Series) -> pl.DataFrame:
        wanted = set(records)
        found = [tuple(row.values()) for row in _documents(file) if row[RECORD] in wanted]
        return pl.DataFrame(found, schema={RECORD: pl.Int64, LINE: pl.Int64, RAW: pl.String}, orient="row")

    return locate


def _flat(lines: pl.Series, experiment: str | None) -> pl.Series:
    """Return the flat rows of lines."""
    nested = lines.str.contains('"index"', literal=True).any()
    plain = lines.str.replace_all(INDEX, "${1}${2}") if nested else lines
    attributes: dict[str, pl.DataType] = (
        {"query_attributes": pl.Struct({experiment: pl.String()})} if experiment else {}
    )
    event = pl.Struct(
        {
            "object": pl.Struct({"object_id": pl.String()}),
            "position": pl.Struct({"ordinal": pl.String()}),
            **dict.fromkeys(("session_id", "dwell_time"), pl.String()),
        }
    )
    shape = pl.Struct(
        {
            **dict.fromkeys(SCALARS, pl.String()),
            **dict.fromkeys(HITS, pl.List(pl.String())),
            "event_attributes": event,
            **attributes,
        }
    )
    parts = list(_taken_apart(plain, partial(_together, shape=shape, experiment=experiment), experiment))
    return pl.concat(parts) if parts else pl.Series([], dtype=pl.Struct(FLAT))


def _taken_apart(
    lines: pl.Series, together: Callable[[pl.Series], pl.Series], experiment: str | None
) -> Iterator[pl.Series]:
    """Return flat rows of lines, of ever fewer at once where some cannot be taken apart with the others."""
    wrapped = lines.str.contains(r'^\s*\{[^{]*"(?:_source|doc)"\s*:').any()
    if not wrapped:
        try:
            yield together(lines)
            return
        except pl.exceptions.PolarsError:
            pass
    if len(lines) <= FEW:
        yield pl.Series([_one(line, experiment) for line in lines], dtype=pl.Struct(FLAT))
        return
    half = len(lines) // 2
    yield from _taken_apart(lines[:half], together, experiment)
    yield from _taken_apart(lines[half:], together, experiment)


def _together(lines: pl.Series, shape: pl.Struct, experiment: str | None) -> pl.Series:
    """Return flat rows of lines that are objects of the usual types."""
    frame = lines.str.json_decode(shape).struct.unnest()
    if len(frame) != len(lines):
        raise pl.exceptions.ShapeError
    of_event = []
    for name, path in OF_EVENT.items():
        value = pl.col("event_attributes")
        for step in path:
            value = value.struct.field(step)
        of_event.append(value.alias(name))
    tried = pl.col("query_attributes").struct.field(experiment) if experiment else pl.lit(None, dtype=pl.String)
    rule = pl.lit(None, dtype=pl.String).alias(RULE)
    hits = pl.coalesce(*HITS).alias("hits")
    return frame.select(*SCALARS, *of_event, tried.alias(EXPERIMENT), hits, rule).to_struct("__flat")


def _one(line: str, experiment: str | None) -> dict[str, Any]:
    """Return the flat row of one line."""
    try:
        found = loads(line)
    except (ValueError, RecursionError):
        return {RULE: IS_JSON}
    for wrapper in ("_source", "doc"):
        if isinstance(found, Mapping) and isinstance(found.get(wrapper), Mapping):
            found = found[wrapper]
    if not isinstance(found, Mapping):
        return {RULE: IS_KNOWN}
    row: dict[str, Any] = {name: _scalar(found.get(name)) for name in SCALARS}
    for name, path in OF_EVENT.items():
        value: Any = found.get("event_attributes")
        for step in path:
            value = value.get(step) if isinstance(value, Mapping) else None
        row[name] = _scalar(value.get("index") if name == "ordinal" and isinstance(value, Mapping) else value)
    attributes = found.get("query_attributes")
    row[EXPERIMENT] = _scalar(attributes.get(experiment)) if experiment and isinstance(attributes, Mapping) else None
    listed = next((found[name] for name in HITS if isinstance(found.get(name), list)), None)
    row["hits"] = None if listed is None else [_scalar(one) for one in listed]
    return row


def _scalar(value: object) -> str | None:
    """Return a value as text: nested ones as JSON, whole numbers without fraction."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value)
