"""Format ``logui``: exports of the LogUI instrumentation, one JSON array of events per flight, as study.toml describes them.

What events are called is the study's own choice, so study.toml has to say it::

    format = "logui"
    path = "flight.json"
    events = { query = "QUERY_SUBMITTED", click = "RESULT_CLICK", impression = "RESULT_SHOWN", leave = "DOC_CLOSED" }
    submission = "query"
    metadata = { doc_id = "docid", rank = "rank" }
    application_data = { user_id = "userID", topic_id = "topic", system_id = "condition" }

A name is that of an interaction or custom event; one without goes by its type, such as ``viewportFocusChange``. Clicks without
a document id find their document by rank. applicationSpecificData may change within a session: every event keeps its own.
How events become queries and results is told in ``events/stream.py``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

import polars as pl

from sessionkit.contract import RECORD, RULE, VALUE
from sessionkit.errors import DataError, suggestion
from sessionkit.readers.entries import SESSION_GAP, Glimpse, Option
from sessionkit.readers.events.requeries import MERGE_QUERIES
from sessionkit.readers.events.result_lists import AT, FILE, as_time
from sessionkit.readers.events.stream import ACTION, ACTIONS, LABEL, taken
from sessionkit.readers.formats.events import action_names, in_sessions
from sessionkit.readers.io.json_items import Item, as_items, json_items
from sessionkit.readers.io.record_store import in_batches
from sessionkit.readers.records import Log, Taken

TRIED = "no real export, as none is public; built from the source of the LogUI client, 0.5.0 to 0.5.4a, and server"
OF_METADATA = ("doc_id", "rank", "query_text", "query_id")
OF_APPLICATION = ("user_id", "topic_id", "system_id", "session_id")
OPTIONS: dict[str, Option] = {
    "events": Option(
        f"What events are called: of {', '.join(ACTIONS)} a name or a list of names each; others carry nothing.",
        kind="object",
        default={"query": "QUERY_SUBMITTED"},
    ),
    "submission": Option("The value submitted that is the text of a query; without, the only one."),
    "metadata": Option(
        f"Our name = the key of metadata (of a custom event, of its details), of {', '.join(OF_METADATA)}.",
        kind="object",
        default={"doc_id": "docid", "rank": "rank"},
    ),
    "application_data": Option(
        f"Our name = the key of applicationSpecificData, of {', '.join(OF_APPLICATION)}.",
        kind="object",
        default={"user_id": "userID", "topic_id": "topic", "system_id": "condition"},
    ),
    "rank_base": Option("What ranks count from; without, as most lists do.", kind="integer", allowed=(0, 1)),
    "cut_sessions": Option(
        "Whether sessions of the log are cut where they pause for longer than session_gap.",
        kind="boolean",
        default=False,
    ),
    "session_gap": SESSION_GAP,
    "merge_queries": MERGE_QUERIES,
}
BEGINS = re.compile(r'\s*\[?\s*\{\s*"')
KEYS = ('"eventType"', '"eventDetails"', '"flightID"')
SCHEMA: dict[str, pl.DataType] = {
    RECORD: pl.Int64(),
    **dict.fromkeys(
        ("session_id", "issued_at", LABEL, ACTION, *OF_METADATA, *OF_APPLICATION[:3], RULE, VALUE), pl.String()
    ),
}


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins with events of LogUI."""
    return BEGINS.match(glimpse.head) is not None and all(key in glimpse.head for key in KEYS)


def take(log: Log) -> Taken:
    """Take the files apart."""
    name = log.config.name
    read = partial(
        _row,
        actions=action_names(log.option("events"), name),
        submission=log.option("submission"),
        metadata=_keys(log.option("metadata"), OF_METADATA, "metadata", name),
        application=_keys(log.option("application_data"), OF_APPLICATION, "application_data", name),
    )
    frames = [
        in_batches(map(read, json_items(file)), SCHEMA, log.workspace).with_columns(
            pl.lit(number, dtype=pl.Int32).alias(FILE)
        )
        for number, file in enumerate(log.files)
    ]
    stream = pl.concat(frames).with_columns(as_time("issued_at", log.config.settings.timezone).alias(AT))
    there = stream.select(pl.col("session_id", "user_id", "rank").is_not_null().any(), pl.col(RULE).is_null().any())
    named, by_user, ranked, sound = there.collect().row(0)
    if sound and not (named or by_user):
        raise DataError(
            f"{log.files[0].name}: no event has a sessionID, which early clients do not write, or a user; application_data = "
            '{ user_id = "..." } (or session_id) in study.toml says which key of applicationSpecificData it is'
        )
    stream, notes = in_sessions(
        stream.drop([name for name, there in (("session_id", named), ("rank", ranked)) if not there]), log
    )
    return taken(
        stream,
        log,
        [as_items(file) for file in log.files],
        rules=log.option("merge_queries"),
        rank_base=log.option("rank_base"),
        notes=[*notes, *_noted(stream)],
    )


def _keys(given: Mapping[str, Any], known: tuple[str, ...], option: str, name: str) -> dict[str, str]:
    """Return our names and the keys they come from; DataError where a name is none we have."""
    for ours, theirs in given.items():
        if ours not in known:
            raise DataError(f"{name}: {option}.{ours} is unknown{suggestion(ours, known)}; known: {', '.join(known)}")
        if not isinstance(theirs, str):
            raise DataError(f"{name}: {option}.{ours} = {theirs!r}; give the name of one key")
    return dict(given)


def _row(
    item: Item,
    *,
    actions: Mapping[str, str],
    submission: str | None,
    metadata: Mapping[str, str],
    application: Mapping[str, str],
) -> dict[str, Any]:
    """Return an event as a row of a stream."""
    event = item.value
    row: dict[str, Any] = {RECORD: item.number}
    if item.broken:
        return {**row, RULE: "item_is_json", VALUE: item.text[:200] or "the array is not closed"}
    if not isinstance(event, dict) or "eventType" not in event:
        return {**row, RULE: "item_is_event", VALUE: item.text[:200]}
    details = _mapping(event.get("eventDetails"))
    label = details.get("name") or details.get("type") or event["eventType"]
    own = _mapping(event.get("applicationSpecificData"))
    scraped = {**(details if event["eventType"] == "customEvent" else {}), **_pairs(event.get("metadata"))}
    row |= {LABEL: str(label), ACTION: actions.get(str(label)), "session_id": _text(event.get("sessionID"))}
    row["issued_at"] = _text(_mapping(event.get("timestamps")).get("eventTimestamp") or event.get("timestamp"))
    row |= {
        ours: _text(own.get(theirs)) for ours, theirs in application.items() if ours != "session_id" or theirs in own
    }
    row |= {ours: _text(scraped.get(theirs)) for ours, theirs in metadata.items()}
    if row[ACTION] == "query":
        submitted = _pairs(details.get("submissionValues"))
        only = next(iter(submitted.values())) if len(submitted) == 1 else None
        row["query_text"] = _text(submitted.get(submission) if submission else only) or row.get("query_text")
    return row


def _mapping(value: object) -> Mapping[str, Any]:
    """Return a value that should be an object, an empty one where it is not."""
    return value if isinstance(value, dict) else {}


def _pairs(value: object) -> dict[str, Any]:
    """Return a list of names and values as an object; one that is an object already as it is."""
    if isinstance(value, dict):
        return value
    entries = [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
    return {str(entry["name"]): entry.get("value") for entry in entries if "name" in entry}


def _text(value: object) -> str | None:
    """Return a scalar as text, null where it is none or empty."""
    if value is None or isinstance(value, dict | list) or str(value).strip() in ("", "undefined", "null"):
        return None
    return str(value)


def _noted(stream: pl.LazyFrame) -> list[str]:
    """Return what is to be said of queries without text."""
    bare = stream.filter(pl.col(ACTION) == "query", pl.col("query_text").is_null()).select(pl.len()).collect().item()
    return [f"{bare:,} queries without text; submission names the submitted value with the text"] if bare else []
