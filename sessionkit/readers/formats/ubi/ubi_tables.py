"""User Behavior Insights as tables, delimited or Parquet: ``ubi_queries.csv`` and ``ubi_events.csv`` as the OpenSearch project's
data generator writes them, or exports with nested fields in columns of their own, their names joined by dots or underscores, or as
JSON text, dicts, structs or maps.

A row is a record. A column is known by its name, with ``_source.`` before it or without; a list of hits is a list,
``["A1", "A2"]``, ids between commas or, as numpy writes them, ``['A1' 'A2']``. Of the columns only those that are needed are
kept. Tables of ours, and of grades, may have such columns too and are none.

A cell with nested fields is put where it stands in a record, and that record is taken apart as a line of NDJSON is
(``ubi_fields.py``), so that both say the same. The dicts that pandas writes into CSV, ``{'object': {'object_id': 'A1'}}``, are
matched as Python literals and never evaluated.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import polars as pl

from sessionkit.contract import CELL, CELLS, RECORD, RULE, VALUE
from sessionkit.contract.casts import as_text
from sessionkit.contract.checks import NO_CELLS, cell
from sessionkit.errors import DataError
from sessionkit.readers.formats.ubi.ubi_fields import (
    EXPERIMENT,
    FLAT,
    HITS,
    IN_CAMEL_CASE,
    OF_EVENT,
    RESPONSE_HITS,
    flat,
)
from sessionkit.readers.io.delimited import header_of, read_delimited
from sessionkit.readers.io.json_items import unrounded
from sessionkit.readers.io.log_files import LogFile
from sessionkit.readers.io.parquet import pieces_of, read_parquet
from sessionkit.readers.io.record_store import OnDisk, in_files
from sessionkit.readers.judgments.quepid import GRADES
from sessionkit.readers.raw import Raw, without
from sessionkit.study.prefetch import in_turn

EVENT, QUERY = "event_attributes", "query_attributes"
NESTED = (("object",), ("position",), ("position", "ordinal"))
PLACES: dict[str, tuple[str, ...]] = {
    EVENT: (EVENT,),
    **{mark.join((EVENT, *path)): (EVENT, *path) for mark in "._" for path in NESTED},
    "object": (EVENT, "object"),
    "position": (EVENT, "position"),
    "ordinal": (EVENT, "position", "ordinal"),
    QUERY: (QUERY,),
    "queryAttributes": ("queryAttributes",),
    "queryResponse": ("queryResponse",),
    "user_query": ("user_query",),
    "userQuery": ("userQuery",),
}
"""Columns whose cells may be objects, and where in a record these stand."""
OBJECTS = (EVENT, QUERY, "queryAttributes", "queryResponse")
"""Those whose cells are nothing else: one that cannot be read is set aside, that of an event breaks the record."""
NOTHING = ("", "null", "None", "nan", "NaN", "undefined")
"""Cells that mean no value."""
NO_OBJECT = "__no_object"
PARTS: dict[str, pl.DataType] = {
    **{name: dtype for name, dtype in FLAT.items() if name != RULE},
    NO_OBJECT: pl.Boolean(),
}
PYTHON = r"^\{\s*'"
"""How a dict begins that Python wrote."""
LONGEST = 100_000
"""Characters of a Python literal that is read."""


def parts_of(cells: pl.Expr, column: str, experiment: str | None) -> pl.Expr:
    """Return what the cells of a column say, as a struct of :data:`PARTS`: NO_OBJECT is whether one cannot be read.

    Parameters
    ----------
    cells
        The cells as text.
    column
        A key of :data:`PLACES`.
    experiment
        A key of query_attributes whose value is wanted.
    """
    read = partial(_parts, path=PLACES[column], experiment=experiment)
    return cells.map_batches(read, return_dtype=pl.Struct(PARTS), is_elementwise=True)


def is_object(cells: pl.Expr) -> pl.Expr:
    """Return whether cells begin like an object."""
    return cells.str.contains(r"^\s*\{")


def _parts(cells: pl.Series, path: tuple[str, ...], experiment: str | None) -> pl.Series:
    """Return what the cells at one place of records say."""
    text = cells.str.strip_chars()
    none = text.is_null() | text.is_in(NOTHING)
    literals = text.str.contains(PYTHON).fill_null(value=False)
    if literals.any():
        read = {cell: _from_python(cell) for cell in text.filter(literals).unique()}
        text = text.replace(read)
    opened = ~none & text.str.starts_with("{").fill_null(value=False)
    begin, end = "".join(f'{{"{step}":' for step in path), "}" * len(path)
    lines = pl.select(pl.when(opened).then(begin + text + end).otherwise(pl.lit("{}"))).to_series()
    rows = flat(lines, experiment).struct.unnest()
    unread = rows[RULE].is_not_null() | ~(opened | none)
    return rows.drop(RULE).with_columns(unread.alias(NO_OBJECT)).select(list(PARTS)).to_struct(cells.name)


def _from_python(cell: str) -> str:
    """Return the JSON of a dict as Python spells it; the cell itself where it is none.

    >>> _from_python("{'object': {'object_id': 'A1', 'name': None}}")
    '{"object": {"object_id": "A1", "name": null}}'
    >>> _from_python("{'object': array([1])}")
    "{'object': array([1])}"
    """
    if len(cell) > LONGEST:
        return cell
    try:
        return json.dumps(ast.literal_eval(cell))
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return cell


SOURCE, ATTRIBUTES, ANSWER = "_source.", "event_attributes.", "queryResponse."
ASKED = ("query_attributes", "queryAttributes")
MORE = {
    "ordinal": ("ordinal", "position"),
    "object_id": ("object_id",),
    "timestamp": ("datetime", "@timestamp"),
    "user_query": ("userQueryText", "userQuery"),
    "query_id": ("queryId",),
    "client_id": ("clientId",),
    "query_response_id": (f"{ANSWER}queryResponseId",),
}
"""Further names of columns."""
OF_HITS = (*HITS, *(ANSWER + name for name in RESPONSE_HITS))
EVENTS, QUERIES = {"action_name", "query_id"}, {"user_query", "query_id"}
"""The columns one of which sets a table must have."""
OTHERS = {"session_id", "query_position"}
"""Columns of tables of ours."""
QUOTED = r'"(?:[^"\\]|\\(?:["\\/bfnrt]|u(?:[0-9a-cA-CefEF][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2})))*"'
JSON_LIST = rf"^\[\s*(?:{QUOTED}|null)(?:\s*,\s*(?:{QUOTED}|null))*\s*\]$"
IDS = r'^(?:\[[^\[\]{}"]*\]|[^\[\]{}"]*)$'
"""Ids between commas, within brackets or without."""
CUT = r"'\s+\.\.\.\s+'"
"""What numpy writes in place of most of a long list."""
READABLE = "hits_can_be_read"
PART, HELD = "__part_", "__cell_"


def holds_table(text: str) -> bool:
    """Return whether a text begins like a table of query or of event records.

    >>> holds_table("object_id,rank,action_name,query_id\\n"), holds_table("query,docid,rating\\n")
    (True, False)
    """
    return not text.lstrip().startswith(("{", "[")) and are_of_table(header_of(text)[0])


def are_of_table(columns: Iterable[str]) -> bool:
    """Return whether columns of these names are those of a table of query or of event records.

    >>> are_of_table(["action_name", "query_id", "event_attributes"]), are_of_table(["query_id", "product_id"])
    (True, False)
    """
    bare = [name.removeprefix(SOURCE) for name in columns]
    names = {IN_CAMEL_CASE.get(name, name) for name in bare}
    asked = names >= QUERIES and not {name.casefold() for name in names} & set(GRADES)
    return not names >= OTHERS and (names >= EVENTS or asked)


def table_of(file: LogFile, *, experiment: str | None, workspace: Path) -> Raw:
    """Return the records of a table, with the columns of ``ubi_fields.FLAT`` and that of the engine's query.

    They are in files of the workspace.
    """
    keep = OnDisk(workspace)
    if file.kind != "parquet":
        separator = header_of(file.head.decode(errors="replace"))[1]
        narrow = partial(_records, experiment=experiment, is_typed=False)
        return read_delimited(file, "queries", separator=separator, keep=lambda scan: keep(narrow(scan)))
    raw = read_parquet(file, "queries")
    names = raw.frame.drop(RECORD).collect_schema().names()
    used = {*PLACES, *OF_HITS, "query", *(one for given in _wanted(experiment).values() for one in given)}
    columns = [name for name in names if name.removeprefix(SOURCE) in used] or names[:1]
    if not columns:
        raise DataError(f"{file.name} has no columns")
    work = partial(_at_once, experiment=experiment)
    return replace(raw, frame=in_files(in_turn(work, pieces_of(file, columns)), workspace))


def _at_once(piece: pl.DataFrame, experiment: str | None) -> pl.DataFrame:
    """Return some records of a Parquet file."""
    return _records(piece.lazy(), experiment, is_typed=True).collect()


def _records(scan: pl.LazyFrame, experiment: str | None, *, is_typed: bool) -> pl.LazyFrame:
    """Return the records of a table; `is_typed` where a text of no characters is not the same as none.

    A query may have no text, as where people browse: in a table of queries alone, a blank cell is one.
    """
    schema = scan.collect_schema()
    names = [name for name in schema.names() if name not in (RECORD, RULE, VALUE)]
    known = {name.removeprefix(SOURCE): name for name in reversed(names)}
    texts = {name: as_text(theirs, schema[theirs]) for name, theirs in known.items()}
    cells = [name for name in PLACES if name in known and (experiment or name not in ASKED)]
    hits = [name for name in OF_HITS if name in known]
    lists = {name: ids for name in hits if (ids := _ids(known[name], schema[known[name]])) is not None}
    spelled = _first([texts[name] for name in hits if name not in lists]).str.strip_chars()
    none = pl.lit(None, dtype=pl.String)
    plain = {
        name: _first([_unopened(texts[one]) if one in PLACES else texts[one] for one in given if one in texts])
        for name, given in _wanted(experiment).items()
    }
    frame = scan.select(
        RECORD,
        *(pl.col(name) if name in schema else none.alias(name) for name in (RULE, VALUE)),
        pl.lit(None, dtype=pl.List(CELL)).alias(CELLS),
        *(value.alias(name) for name, value in plain.items()),
        spelled.alias("hits"),
        pl.coalesce(*lists.values(), pl.lit(None, FLAT["hits"])).alias(f"{HELD}hits"),
        texts.get("query", none).alias("query"),
        *(texts[name].alias(HELD + name) for name in cells),
        *(parts_of(texts[name], name, experiment).alias(PART + name) for name in cells),
    )
    are_queries = "user_query" in known and "action_name" not in known
    return _together(_listed(frame), cells, [pl.lit("")] if are_queries and not is_typed else [])


def _wanted(experiment: str | None) -> Mapping[str, Sequence[str]]:
    """Return for each column of ours the names of those that it may come from, the likeliest first."""
    wanted = {name: [name, *MORE.get(name, ())] for name in FLAT if name not in (RULE, "hits", EXPERIMENT, *OF_EVENT)}
    for name, paths in OF_EVENT.items():
        dotted = [".".join(path) for path in paths]
        wanted[name] = [*(ATTRIBUTES + one for one in dotted), *dotted, *MORE.get(name, ())]
    wanted["session_of_attributes"] = [f"{ATTRIBUTES}session_id"]
    wanted[EXPERIMENT] = [f"{name}.{experiment}" for name in ASKED] if experiment else []
    return {
        ours: list(dict.fromkeys((*given, *(one.replace(".", "_") for one in given)))) for ours, given in wanted.items()
    }


def _together(frame: pl.LazyFrame, cells: Sequence[str], blank: Sequence[pl.Expr]) -> pl.LazyFrame:
    """Return records with what is in their nested cells.

    An event whose cell cannot be read says nothing and is marked as broken; such a cell of a query is set aside.

    `blank` is the text of queries that have none.
    """
    nested = {name: pl.col(PART + name) for name in cells}
    of_parts = {
        name: [part.struct.field(name) for part in nested.values()] for name in FLAT if name not in (RULE, "hits")
    }
    for name in ("user_query", "userQuery"):
        if name in nested:  # no text, or one that looks like an object
            other = nested[name].struct.field(NO_OBJECT) | (pl.col(HELD + name).str.strip_chars() == "")
            of_parts["user_query"].append(pl.when(other).then(HELD + name))
    of_parts["user_query"] += blank
    unread = [
        (pl.col(RULE).is_null() & nested[name].struct.field(NO_OBJECT), name) for name in OBJECTS if name in nested
    ]
    asked = [(bad, name) for bad, name in unread if name != EVENT]
    unread = [(bad, name) for bad, name in unread if name == EVENT]
    aside = [
        pl.when(bad).then(
            cell(IN_CAMEL_CASE.get(name, name), f"{IN_CAMEL_CASE.get(name, name)}_can_be_read", _shown(name))
        )
        for bad, name in asked
    ]
    cells_too = [pl.coalesce(CELLS, NO_CELLS), *aside] if aside else []
    rules = [pl.when(bad).then(pl.lit(f"{IN_CAMEL_CASE.get(name, name)}_can_be_read")) for bad, name in unread]
    values = [pl.when(bad).then(_shown(name)) for bad, name in unread]
    hits = [pl.col("hits"), pl.col(f"{HELD}hits"), *(part.struct.field("hits") for part in nested.values())]
    return frame.select(
        RECORD,
        pl.coalesce(RULE, *rules),
        pl.coalesce(VALUE, *values),
        pl.concat_list(cells_too).list.drop_nulls().alias(CELLS) if cells_too else CELLS,
        *(pl.coalesce(name, *parts) for name, parts in of_parts.items()),
        pl.coalesce(hits),
        "query",
    )


def _shown(name: str) -> pl.Expr:
    """Return the beginning of the text of a nested cell."""
    return pl.col(HELD + name).str.slice(0, 200)


def _listed(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Return records with hits as lists; hits that are no list are set aside."""
    hits = pl.col("hits")
    is_json, are_ids = hits.str.contains(JSON_LIST), hits.str.contains(IDS) & ~hits.str.contains(CUT)
    ids = (
        hits.str.replace_all(r"'\s+'", "','")
        .str.strip_chars("[]")
        .str.split(",")
        .list.eval(pl.element().str.strip_chars(" \t'"))
    )
    ids = ids.list.eval(pl.element().filter(pl.element() != ""))
    return without(frame, "hits", READABLE, ~(is_json | are_ids)).with_columns(
        pl.when(is_json)
        .then(pl.when(is_json).then(hits).map_batches(unrounded).str.json_decode(pl.List(pl.String)))
        .when(are_ids)
        .then(ids)
        .alias("hits"),
    )


def _first(columns: Sequence[pl.Expr]) -> pl.Expr:
    """Return the first of these texts that has a value; blank text is none."""
    given = [pl.when(text.str.strip_chars() != "").then(text) for text in columns]
    return pl.coalesce(given) if given else pl.lit(None, dtype=pl.String)


def _unopened(text: pl.Expr) -> pl.Expr:
    """Return texts that are no objects, which are looked into."""
    return pl.when(~is_object(text)).then(text)


def _ids(column: str, dtype: pl.DataType) -> pl.Expr | None:
    """Return lists of texts or of numbers as lists of texts; None where values are no such lists."""
    inner = dtype.inner if isinstance(dtype, pl.List | pl.Array) else None
    if not isinstance(inner, pl.DataType):
        return None
    lists = pl.col(column).cast(pl.List(inner))
    if inner.is_float():
        return lists.list.eval(as_text(pl.element(), inner))
    is_plain = inner in (pl.String, pl.Categorical, pl.Enum) or inner.is_integer()
    return lists.cast(FLAT["hits"]) if is_plain else None
