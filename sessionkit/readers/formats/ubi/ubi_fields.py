"""Fields of User Behavior Insights records, wherever their producers put them, as flat rows.

- The list of results: ``query_response_hit_ids`` (schema 1.3 and plugins since 2024), ``query_response_object_ids`` (earlier
  plugins for OpenSearch and Elasticsearch), ``query_response_objects_ids`` (earlier documentation).
- Plugins send queries to Data Prepper in camel case, the list within ``queryResponse``.
- The text of a query is text or, in newer plugins, ``{"text": ...}``.
- The ordinal is ``position.ordinal``, ``position.ordinal.index`` (schemas 1.0 to 1.2), ``position.index`` or ``rank`` (data
  generators of the OpenSearch project), or ``object.position.ordinal``.

Lines of the usual types are taken apart at once; the few others one by one, to the same effect.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import polars as pl

from sessionkit.contract import RULE
from sessionkit.readers.io.json_items import loads

IS_JSON, IS_KNOWN = "line_is_json", "record_is_query_or_event"
EXPERIMENT = "__experiment"
SCALARS = [
    *("action_name", "query_id", "client_id", "user_id", "session_id", "application", "timestamp"),
    *("message_type", "message", "user_query", "query_response_id"),
]
HITS = ("query_response_hit_ids", "query_response_object_ids", "query_response_objects_ids")
OF_EVENT = {
    "object_id": (("object", "object_id"),),
    "ordinal": (
        ("position", "ordinal", "index"),
        ("position", "ordinal"),
        ("position", "index"),
        ("rank",),
        ("object", "position", "ordinal"),
    ),
    "session_of_attributes": (("session_id",),),
    "dwell_time": (("dwell_time",),),
}
"""What is taken from event_attributes, and its paths: the first that has a value."""
IN_CAMEL_CASE = {
    "queryId": "query_id",
    "clientId": "client_id",
    "userQuery": "user_query",
    "queryAttributes": "query_attributes",
}
RESPONSE_HITS = ("queryResponseHitIds", "queryResponseObjectIds")
FLAT: dict[str, pl.DataType] = {
    **dict.fromkeys((*SCALARS, *OF_EVENT, EXPERIMENT), pl.String()),
    "hits": pl.List(pl.String()),
    RULE: pl.String(),
}
INDEX = r'("ordinal"\s*:\s*)\{\s*"index"\s*:\s*(-?\d+)\s*\}'
TEXT_OF = r'("user_?[qQ]uery"\s*:\s*)\{[^{}]*?"text"\s*:\s*("(?:[^"\\]|\\.)*")[^{}]*\}'
CAMEL_CASE = ('"queryId', '"userQuery', '"queryResponse')
"""How names begin of which a record in camel case has one."""
HAS_TEXT_OF, IS_PLACED = r'"user_?[qQ]uery"\s*:\s*\{', r'"object"\s*:\s*\{[^{}]*"position"\s*:\s*\{'
WRAPPERS = ("_source", "doc")
IS_WRAPPED = r'^\s*\{[^{]*"(?:_source|doc)"\s*:'
FEW = 32
"""Lines that are taken apart one by one where they cannot be together."""


def flat(lines: pl.Series, experiment: str | None) -> pl.Series:
    """Return the flat rows of lines.

    Parameters
    ----------
    lines
        Records as JSON.
    experiment
        A key of query_attributes whose value is wanted.
    """
    plain = lines
    if _holds(lines, "index"):
        plain = plain.str.replace_all(INDEX, "${1}${2}")
    if lines.str.contains(HAS_TEXT_OF).any():
        plain = plain.str.replace_all(TEXT_OF, "${1}${2}")
    camel = any(bool(lines.str.contains(name, literal=True).any()) for name in CAMEL_CASE)
    rare = camel or bool(lines.str.contains(IS_PLACED).any())
    parts = list(_taken_apart(plain, partial(_together, experiment=experiment, rare=rare), experiment))
    return pl.concat(parts) if parts else pl.Series([], dtype=pl.Struct(FLAT))


def _holds(lines: pl.Series, name: str) -> bool:
    """Return whether a name is in any of the lines."""
    return bool(lines.str.contains(f'"{name}"', literal=True).any())


def _taken_apart(
    lines: pl.Series, together: Callable[[pl.Series], pl.Series], experiment: str | None
) -> Iterator[pl.Series]:
    """Return flat rows of lines, of ever fewer at once where some cannot be taken apart with the others."""
    wrapped = any(_holds(lines, name) for name in WRAPPERS) and lines.str.contains(IS_WRAPPED).any()
    if not wrapped:
        try:
            yield together(lines)
            return
        except (pl.exceptions.ComputeError, pl.exceptions.SchemaError):  # no JSON, or no one type covers a key
            pass
    if len(lines) <= FEW:
        yield pl.Series([_one(line, experiment) for line in lines], dtype=pl.Struct(FLAT))
        return
    half = len(lines) // 2
    yield from _taken_apart(lines[:half], together, experiment)
    yield from _taken_apart(lines[half:], together, experiment)


def _shape(experiment: str | None, *, rare: bool) -> pl.Struct:
    """Return the type of records of the usual types, with rare fields or without."""
    text, texts = pl.String(), pl.List(pl.String())
    attributes = pl.Struct({experiment: text}) if experiment else None
    place: dict[str, Any] = {"position": pl.Struct({"ordinal": text})} if rare else {}
    event = {
        "object": pl.Struct({"object_id": text, **place}),
        "position": pl.Struct({"ordinal": text, "index": text}),
        **dict.fromkeys(("rank", "session_id", "dwell_time"), text),
    }
    fields: dict[str, Any] = {
        **dict.fromkeys(SCALARS, text),
        **dict.fromkeys(HITS, texts),
        "event_attributes": pl.Struct(event),
        **({"query_attributes": attributes} if attributes else {}),
    }
    if rare:
        fields |= dict.fromkeys(("queryId", "clientId", "userQuery", "userQueryText"), text)
        fields["queryResponse"] = pl.Struct({"queryResponseId": text, **dict.fromkeys(RESPONSE_HITS, texts)})
        fields |= {"queryAttributes": attributes} if attributes else {}
    return pl.Struct(fields)


def _together(lines: pl.Series, experiment: str | None, *, rare: bool) -> pl.Series:
    """Return flat rows of lines that are objects of the usual types."""
    shape = _shape(experiment, rare=rare)
    frame = lines.str.json_decode(shape).struct.unnest()
    if len(frame) != len(lines):
        raise pl.exceptions.ShapeError
    values = {name: [pl.col(name)] for name in SCALARS}
    hits = [pl.col(name) for name in HITS]
    tried = [_inside(pl.col("query_attributes"), (experiment,))] if experiment else []
    if rare:
        for name, ours in (("queryId", "query_id"), ("clientId", "client_id"), ("userQueryText", "user_query")):
            values[ours].append(pl.col(name))
        values["user_query"].append(pl.col("userQuery"))
        values["query_response_id"].append(_inside(pl.col("queryResponse"), ("queryResponseId",)))
        hits += [_inside(pl.col("queryResponse"), (name,)) for name in RESPONSE_HITS]
        tried += [_inside(pl.col("queryAttributes"), (experiment,))] if experiment else []
    of_event = {
        name: [_inside(pl.col("event_attributes"), path) for path in paths if rare or len(path) < 3]
        for name, paths in ((name, _readable(paths)) for name, paths in OF_EVENT.items())
    }
    none = pl.lit(None, dtype=pl.String)
    return frame.select(
        *(pl.coalesce(given).alias(name) for name, given in (values | of_event).items()),
        (pl.coalesce(tried) if tried else none).alias(EXPERIMENT),
        pl.coalesce(hits).alias("hits"),
        none.alias(RULE),
    ).to_struct("__flat")


def _readable(paths: tuple[tuple[str, ...], ...]) -> list[tuple[str, ...]]:
    """Return the paths that lead to text in lines taken apart at once, where an ordinal is no object."""
    return [path for path in paths if path[-2:] != ("ordinal", "index")]


def _inside(value: pl.Expr, path: tuple[str, ...]) -> pl.Expr:
    """Return what is at a path in a struct."""
    for step in path:
        value = value.struct.field(step)
    return value


def _one(line: str, experiment: str | None) -> dict[str, Any]:
    """Return the flat row of one line."""
    try:
        found = loads(line)
    except (ValueError, RecursionError):
        return {RULE: IS_JSON}
    for wrapper in WRAPPERS:
        if isinstance(found, Mapping) and isinstance(found.get(wrapper), Mapping):
            found = found[wrapper]
    if not isinstance(found, Mapping):
        return {RULE: IS_KNOWN}
    found = _in_snake_case(found)
    asked = found.get("user_query")
    text = asked.get("text") if isinstance(asked, Mapping) and "text" in asked else asked
    row: dict[str, Any] = {name: _scalar(found.get(name)) for name in SCALARS} | {"user_query": _scalar(text)}
    for name, paths in OF_EVENT.items():
        given = [_at(found, ("event_attributes", *path)) for path in paths]
        plain = [value for value in given if value is not None and not isinstance(value, Mapping)]
        row[name] = _scalar(next(iter(plain), None))
    row[EXPERIMENT] = _scalar(_at(found, ("query_attributes", experiment))) if experiment else None
    hits = next(
        (value for name in HITS if (value := found.get(name)) is not None and not isinstance(value, Mapping)), None
    )
    row["hits"] = None if hits is None else [_scalar(one) for one in (hits if isinstance(hits, list) else [hits])]
    return row


def _in_snake_case(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record, what it has in camel case alone under the names of the schema as well."""
    answer = found.get("queryResponse")
    given = {ours: found.get(name) for name, ours in IN_CAMEL_CASE.items()}
    if found.get("userQueryText") is not None:
        given["user_query"] = found["userQueryText"]
    if isinstance(answer, Mapping):
        given["query_response_id"] = answer.get("queryResponseId")
        given |= {ours: answer.get(name) for ours, name in zip(HITS, RESPONSE_HITS, strict=False)}
    return {**found, **{name: value for name, value in given.items() if found.get(name) is None}}


def _at(value: Any, path: tuple[str, ...]) -> Any:  # noqa: ANN401 - JSON
    """Return what is at a path in objects, None where there is nothing."""
    for step in path:
        value = _opened(value)
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def _opened(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Return the JSON that a text holds, as where objects are written as texts; any other value as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith("{"):
        return value
    try:
        return loads(value)
    except (ValueError, RecursionError):
        return value


def _scalar(value: object) -> str | None:
    """Return a value as text: nested ones as JSON, whole numbers without fraction."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value)
