"""The contract: what the tables are, and which rows of a frame break which rule.

In come frames of a log's rows; out go those that keep every rule, and those that break one with its name. Open `checks.py` first.

::

    schemas.py    the schema files as values
    casts.py      their types as polars casts
    rules.py      their constraints as polars conditions, about one row
    key_rules.py  rules over several rows or tables
    checks.py     the rows that keep every rule, those that break one, and values set aside that no row needs

``schemas/*.json`` are the only place where columns and constraints are declared. This room knows nothing of the files of logs.

Rules are named by sentences that hold for rows that are fine: ``rank_is_an_integer``, ``session_is_known``.
"""

from sessionkit.contract.checks import CELL, CELLS, COLUMN, RECORD, RULE, VALUE, CheckedRows, check_types, check_values
from sessionkit.contract.key_rules import check_parents, check_reach, check_unique
from sessionkit.contract.schemas import TABLES, Field, Rule, Table, document, table

__all__ = [
    "CELL",
    "CELLS",
    "COLUMN",
    "RECORD",
    "RULE",
    "TABLES",
    "VALUE",
    "CheckedRows",
    "Field",
    "Rule",
    "Table",
    "check_parents",
    "check_reach",
    "check_types",
    "check_unique",
    "check_values",
    "document",
    "table",
]
