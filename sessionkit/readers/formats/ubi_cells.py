"""Nested fields of User Behavior Insights records in tables: JSON text in a cell of CSV or Parquet, a struct or a map.

A cell is put where it stands in a record, and that record is taken apart as a line of NDJSON is (``ubi_fields.py``), so that
both say the same. The dicts that pandas writes into CSV, ``{'object': {'object_id': 'A1'}}``, are matched as Python literals and
never evaluated.
"""

from __future__ import annotations

import ast
import json
from functools import partial

import polars as pl

from sessionkit.contract import RULE
from sessionkit.readers.formats.ubi_fields import FLAT, flat

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
