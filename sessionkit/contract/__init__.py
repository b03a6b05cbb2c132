"""The contract: what the tables are, and which rows of a frame break which rule.

In come frames of a log's rows; out go those that keep every rule, and those that break one with its name. Open `checks.py` first.

``schemas/*.json`` are the only place where columns and constraints are declared. This room reads them
(:mod:`~sessionkit.contract.schemas`), compiles fields to polars casts (:mod:`~sessionkit.contract.casts`) and
constraints to polars conditions (:mod:`~sessionkit.contract.rules`), and parts the rows of a frame into those that keep
every rule and those that break one, and sets values aside that no row needs (:mod:`~sessionkit.contract.checks`). It knows
nothing of files.

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
