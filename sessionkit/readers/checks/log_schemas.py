"""What the tables of a log declare, those columns included that other tables are derived from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sessionkit.contract import Table, table

LOG = ("sessions", "queries", "results")
"""The tables of a log, parents first; users and judgments stand beside it."""


def log_schemas(given: Iterable[str]) -> dict[str, Table]:
    """Return what the tables of a log declare where these are given and the others are derived from them."""
    sessions, queries, results = (table(name) for name in LOG)
    lacking = [parent for parent in (queries, sessions) if parent.name not in given]
    return {
        "sessions": sessions,
        "queries": queries if "sessions" in given else widened(queries, sessions),
        "results": results if "queries" in given else widened(results, *lacking),
    }


def widened(own: Table, *others: Table) -> Table:
    """Return a table that also knows the optional columns of others, for rows they will be derived from."""
    fields = list(own.fields)
    for other in others:
        fields += [
            replace(field, required=False)
            for field in other.fields
            if field.name not in {known.name for known in fields}
        ]
    ordered = [rule for other in others for rule in other.rules if rule.kind == "ordered"]
    return replace(
        own, fields=tuple(fields), by_name={field.name: field for field in fields}, rules=(*own.rules, *ordered)
    )


def all_columns() -> Table:
    """Return the columns that any table of a log declares."""
    return widened(*(table(name) for name in reversed(LOG)))
