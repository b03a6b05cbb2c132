"""User Behavior Insights: query and event records as flat rows, from NDJSON, search exports, delimited tables or Parquet."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, Any

import polars as pl

from sessionkit.errors import DataError
from sessionkit.readers.events.lists import AT, as_time
from sessionkit.readers.io.delimited import (
    UNDECODED,
    Check,
    escaped,
    header_of,
    mark_invalid_bytes,
    nothing,
    read_delimited,
    refuse_other_encoding,
    told,
)
from sessionkit.readers.io.files import DAMAGED, LogFile, cut_short, not_utf8, unpacked
from sessionkit.readers.io.json import json_items, loads, unrounded
from sessionkit.readers.io.tables import pieces_of, read_parquet
from sessionkit.readers.judgments.quepid import GRADES
from sessionkit.readers.raw import LINE, RAW, Locate, OnDisk, Raw, as_lines, batches, in_files, without
from sessionkit.study.batches import in_turn
from sessionkit.study.checks import CELL, CELLS, NO_CELLS, RECORD, RULE, VALUE, as_text, cell

QUERY, EVENT, ACTION = "query", "event", "bulk action line"
TEXT, WHAT = "__text", "__what"
BULK = r'^\s*\{\s*"(?:index|create|update|delete)"\s*:\s*\{'
COUNTS_ONLY = r'\\?"size\\?"\s*:\s*0\b'
SEARCH_RESPONSE = re.compile(r'"hits"\s*:\s*\{|^\{\s*"(?:events|queries)"\s*:\s*\[')
LISTS = ("queries", "events")
"""Names of lists of records: that which Data Prepper writes to S3 is named events."""
KNOWN = {"action_name", "user_query", "query_id"}
MISSING_IDS = ("", "undefined", "null")
"""Texts that clients write where they have no id."""
BLOCK = 4 << 20
"""Bytes of a block of lines, but for the rest of its last line."""
ID_COLUMNS = ("query_id", "client_id", "user_id", "session_id", "session_of_attributes", "object_id", "application")


def records_of(
    file: LogFile, *, experiment: str | None, timezone: str | None = None, workspace: Path
) -> tuple[pl.LazyFrame, Locate, int]:
    """Return the records of a file as rows of ``ubi_fields.FLAT`` with RECORD, WHAT, AT and ``counts_only``, the way back to
    their text, and how many lines are bulk actions. The rows are in files of the workspace.

    Parameters
    ----------
    experiment
        A key of query_attributes whose value is wanted.
    timezone
        Zone of times that carry none.
    """
    if file.kind == "parquet" or holds_table(file.head.decode("utf-8", errors="replace")):
        return *_table(file, experiment=experiment, timezone=timezone, workspace=workspace), 0
    work = partial(_rows, experiment=experiment, timezone=timezone)
    try:
        with unpacked(file.path) as stream:
            is_document = _is_document(file.head.decode("utf-8", errors="replace"))
            parts = (
                batches(_documents(file), {RECORD: pl.Int64, TEXT: pl.String})
                if is_document
                else lines_in_blocks(stream, TEXT, partial(refuse_other_encoding, file))
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


def lines_in_blocks(stream: IO[bytes], name: str, check: Check = nothing) -> Iterator[pl.DataFrame]:
    """Return the lines of JSON with their numbers (RECORD), in blocks, one block at least; a block with bytes that are
    no text has them in UNDECODED, which is null in all other lines.

    `check` is called where there first are such bytes; it may raise.
    """
    number, first = 1, True
    while (block := stream.read(BLOCK)) or first:
        block += stream.readline()
        undecoded: Mapping[int, str] = {}
        try:
            text = block.decode("utf-8-sig" if first else "utf-8")
        except UnicodeDecodeError:
            check()
            spelled, undecoded = escaped(block, number, doubled=True)
            text, check = spelled.decode("utf-8-sig" if first else "utf-8"), nothing
        lines = text.removesuffix("\n").split("\n")
        frame = pl.DataFrame({name: lines}, schema={name: pl.String})
        frame = frame.with_columns(pl.int_range(number, number + pl.len(), dtype=pl.Int64).alias(RECORD))
        yield frame.with_columns(told(undecoded).alias(UNDECODED)) if undecoded else frame
        number, first = number + len(lines), False


def _table(
    file: LogFile, *, experiment: str | None, timezone: str | None, workspace: Path
) -> tuple[pl.LazyFrame, Locate]:
    """Return the records of a table, and the way back to their text."""
    raw = table_of(file, experiment=experiment, workspace=workspace)
    counts_only = pl.col("query").str.contains(COUNTS_ONLY).fill_null(value=False).alias("counts_only")
    told = raw.frame.with_columns(counts_only).drop("query")
    return _cleaned(told).with_columns(as_time("timestamp", timezone).alias(AT)), raw.locate


def _rows(lines: pl.DataFrame, *, experiment: str | None, timezone: str | None) -> pl.DataFrame:
    """Return the rows of some lines: of bulk actions, no more than that they are some."""
    lines = lines.filter(pl.col(TEXT).str.contains(r"\S")).with_columns(pl.col(TEXT).map_batches(unrounded))
    is_action = pl.col(TEXT).str.contains(BULK)
    records = lines.filter(~is_action)
    fields = flat(records[TEXT], experiment).struct.unnest()
    counts_only, shown = pl.col(TEXT).str.contains(COUNTS_ONLY).alias("counts_only"), pl.col(TEXT).str.slice(0, 200)
    told = pl.concat([records.select(RECORD, counts_only, shown.alias(VALUE)), fields], how="horizontal")
    cleaned = _cleaned(told.lazy()).with_columns(as_time("timestamp", timezone).alias(AT))
    if UNDECODED in lines.columns:
        bad = cleaned.join(records.lazy().select(RECORD, UNDECODED), on=RECORD, how="left", maintain_order="left")
        cleaned = mark_invalid_bytes(bad.with_columns(pl.when(pl.col(UNDECODED).is_null()).then(WHAT).alias(WHAT)))
    rows = cleaned.collect()
    actions = lines.filter(is_action).select(RECORD, pl.lit(ACTION).alias(WHAT))
    return pl.concat([rows, actions], how="diagonal").sort(RECORD)


def _cleaned(rows: pl.LazyFrame) -> pl.LazyFrame:
    """Return rows without the texts that mean no id, and with what each is."""
    is_query = pl.any_horizontal(pl.col("user_query", "hits", "query_response_id").is_not_null())
    what = pl.when(pl.col("action_name").is_not_null()).then(pl.lit(EVENT)).when(is_query).then(pl.lit(QUERY))
    rule = pl.when(what.is_not_null() | pl.col(RULE).is_not_null()).then(RULE).otherwise(pl.lit(IS_KNOWN))
    without = [pl.when(~pl.col(name).is_in(MISSING_IDS)).then(pl.col(name)).alias(name) for name in ID_COLUMNS]
    said = pl.any_horizontal(pl.col(ID_COLUMNS) == "undefined").fill_null(value=False).alias("undefined")
    value = pl.when(rule.is_not_null()).then(VALUE).alias(VALUE)
    return rows.with_columns(
        pl.when(pl.col(RULE).is_null()).then(what).alias(WHAT), rule.alias(RULE), value, said, *without
    )


def _is_document(head: str) -> bool:
    """Return whether a file that begins so is other JSON than one record a line."""
    first = head.lstrip().split("\n", 1)[0].rstrip()
    return first.startswith("[") or SEARCH_RESPONSE.search(first[:2000]) is not None or not first.endswith("}")


def _documents(file: LogFile) -> Iterator[dict[str, Any]]:
    """Return the records in a file of JSON that is not one record a line, each hit of a ``_search`` answer a record."""
    number = 0
    for item in json_items(file):
        texts = [item.text[:10_000] or "[ is not closed"] if item.broken else map(json.dumps, _unwrapped(item.value))
        for text in texts:
            number += 1
            yield {RECORD: number, LINE: item.line, TEXT: text}


def _unwrapped(value: Any) -> list[Any]:  # noqa: ANN401 - JSON
    """Return the records that a value is or holds: hits of a ``_search`` answer, or lists by name."""
    hits = value.get("hits") if isinstance(value, dict) else None
    if isinstance(hits, dict) and isinstance(hits.get("hits"), list):
        return [hit.get("_source", hit) if isinstance(hit, dict) else hit for hit in hits["hits"]]
    if isinstance(value, dict) and not KNOWN & set(value):
        lists = [value[name] for name in LISTS if isinstance(value.get(name), list)]
        return [one for inside in lists for one in inside] if lists else [value]
    return [value]


def _way_back(file: LogFile) -> Locate:
    """Return the way back to the text of records of such a file."""

    def locate(records: pl.Series) -> pl.DataFrame:
        wanted = set(records)
        found = [tuple(row.values()) for row in _documents(file) if row[RECORD] in wanted]
        return pl.DataFrame(found, schema={RECORD: pl.Int64, LINE: pl.Int64, RAW: pl.String}, orient="row")

    return locate


EVENT_ATTRIBUTES, QUERY_ATTRIBUTES = "event_attributes", "query_attributes"
NESTED = (("object",), ("position",), ("position", "ordinal"))
PLACES: dict[str, tuple[str, ...]] = {
    EVENT_ATTRIBUTES: (EVENT_ATTRIBUTES,),
    **{mark.join((EVENT_ATTRIBUTES, *path)): (EVENT_ATTRIBUTES, *path) for mark in "._" for path in NESTED},
    "object": (EVENT_ATTRIBUTES, "object"),
    "position": (EVENT_ATTRIBUTES, "position"),
    "ordinal": (EVENT_ATTRIBUTES, "position", "ordinal"),
    QUERY_ATTRIBUTES: (QUERY_ATTRIBUTES,),
    "queryAttributes": ("queryAttributes",),
    "queryResponse": ("queryResponse",),
    "user_query": ("user_query",),
    "userQuery": ("userQuery",),
}
"""Columns whose cells may be objects, and where in a record these stand."""
OBJECTS = (EVENT_ATTRIBUTES, QUERY_ATTRIBUTES, "queryAttributes", "queryResponse")
"""Those whose cells are nothing else: one that cannot be read is set aside, that of an event breaks the record."""
MISSING_CELLS = ("", "null", "None", "nan", "NaN", "undefined")
"""Cells that mean no value."""
NO_OBJECT = "__no_object"


EXPERIMENT = "__experiment"
SCALARS = [
    *("action_name", "query_id", "client_id", "user_id", "session_id", "application", "timestamp"),
    *("message_type", "message", "user_query", "query_response_id"),
]


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


FLAT: dict[str, pl.DataType] = {
    **dict.fromkeys((*SCALARS, *OF_EVENT, EXPERIMENT), pl.String()),
    "hits": pl.List(pl.String()),
    RULE: pl.String(),
}


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
    none = text.is_null() | text.is_in(MISSING_CELLS)
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


SOURCE, ATTRIBUTES, RESPONSE_PREFIX = "_source.", "event_attributes.", "queryResponse."
ASKED = ("query_attributes", "queryAttributes")
MORE = {
    "ordinal": ("ordinal", "position"),
    "object_id": ("object_id",),
    "timestamp": ("datetime", "@timestamp"),
    "user_query": ("userQueryText", "userQuery"),
    "query_id": ("queryId",),
    "client_id": ("clientId",),
    "query_response_id": (f"{RESPONSE_PREFIX}queryResponseId",),
}
"""Further names of columns."""


HITS = ("query_response_hit_ids", "query_response_object_ids", "query_response_objects_ids")


RESPONSE_HITS = ("queryResponseHitIds", "queryResponseObjectIds")


OF_HITS = (*HITS, *(RESPONSE_PREFIX + name for name in RESPONSE_HITS))
EVENTS, QUERIES = {"action_name", "query_id"}, {"user_query", "query_id"}
"""The columns one of which sets a table must have."""
OTHERS = {"session_id", "query_position"}
"""Columns of tables of ours."""
QUOTED = r'"(?:[^"\\]|\\(?:["\\/bfnrt]|u(?:[0-9a-cA-CefEF][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2})))*"'
JSON_LIST = rf"^\[\s*(?:{QUOTED}|null)(?:\s*,\s*(?:{QUOTED}|null))*\s*\]$"
ID_LIST = r'^(?:\[[^\[\]{}"]*\]|[^\[\]{}"]*)$'
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
    return _with_nested_cells(_listed(frame), cells, [pl.lit("")] if are_queries and not is_typed else [])


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


def _with_nested_cells(frame: pl.LazyFrame, cells: Sequence[str], blank: Sequence[pl.Expr]) -> pl.LazyFrame:
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
    asked = [(bad, name) for bad, name in unread if name != EVENT_ATTRIBUTES]
    unread = [(bad, name) for bad, name in unread if name == EVENT_ATTRIBUTES]
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
    is_json, are_ids = hits.str.contains(JSON_LIST), hits.str.contains(ID_LIST) & ~hits.str.contains(CUT)
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


IS_JSON, IS_KNOWN = "line_is_json", "record_is_query_or_event"


IN_CAMEL_CASE = {
    "queryId": "query_id",
    "clientId": "client_id",
    "userQuery": "user_query",
    "queryAttributes": "query_attributes",
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
    parts = list(_taken_apart(plain, partial(_decode_together, experiment=experiment, rare=rare), experiment))
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


def _decode_together(lines: pl.Series, experiment: str | None, *, rare: bool) -> pl.Series:
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
