"""What the tables of a log declare, those columns included that other tables are derived from."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from sessionkit.contract import Field, Table, table

LOG = ("sessions", "queries", "results")
"""The tables of a log, parents first; users and judgments stand beside it."""


def log_schemas(given: Mapping[str, Collection[str]]) -> dict[str, Table]:
    """Return what the tables of a log declare where these are given, with these columns, and the others are derived from them.

    A column of sessions that their table lacks is taken from the queries, and one that both lack from the results.
    """
    sessions, queries, results = (table(name) for name in LOG)
    own = given.get("sessions", ())
    of_queries = widened(queries, sessions, without=own)
    if "queries" not in given:
        return {"sessions": sessions, "queries": of_queries, "results": widened(results, of_queries)}
    of_results = widened(results, sessions, without={*own, *given["queries"], *queries.names})
    return {"sessions": sessions, "queries": of_queries, "results": of_results}


def widened(own: Table, *others: Table, without: Collection[str] = ()) -> Table:
    """Return a table that also knows the optional columns of others, for rows they will be derived from, but for those `without`."""
    fields: dict[str, Field] = {field.name: field for field in own.fields}
    for other in others:
        for field in other.fields:
            if field.name not in without:
                fields.setdefault(field.name, replace(field, required=False))
    ordered = [
        rule for other in others for rule in other.rules if rule.kind == "ordered" and {*rule.fields} <= {*fields}
    ]
    return replace(own, fields=tuple(fields.values()), by_name=fields, rules=(*own.rules, *ordered))


def all_columns() -> Table:
    """Return the columns that any table of a log declares."""
    return widened(*(table(name) for name in reversed(LOG)))
