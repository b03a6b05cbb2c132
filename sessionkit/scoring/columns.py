"""The columns of a log that measures read."""

from __future__ import annotations

from collections.abc import Iterable

from sessionkit.errors import DataError, UsageError
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.selection import SEEN
from sessionkit.study import Study
from sessionkit.study.session_counts import session_columns, untold


def columns_read(study: Study, measures: Iterable[Measure]) -> dict[str, list[str]]:
    """What measures read of each table of a study beside what every batch is made of.

    Raises
    ------
    DataError
        If a measure needs a column that is not there.
    UsageError
        If there is no column of the name that a measure is of.
    MeasureError
        If a measure lacks a parameter that it cannot do without.
    """
    have = {name: study.columns(name) for name in ("sessions", "queries", "results", "judgments", "users")}
    read: dict[str, None] = {}
    own: dict[str, dict[str, None]] = {name: {} for name in ("sessions", "queries", "users")}
    for measure in measures:
        measure.require_parameters()
        for table, columns in measure.needs().items():
            missing = [name for name in columns if name not in have.get(table, ())]
            if missing:
                msg = f"{measure} needs the column {missing[0]!r} in the {table}; they have {', '.join(have.get(table, ()))}"
                raise DataError(msg)
        for asked in measure.of_sessions:
            if asked not in (known := session_columns(study)):
                near = untold(asked, known)
                msg = f"{measure}: there is no column {asked!r} in sessions or users{near}; columns: {', '.join(known)}"
                raise UsageError(msg)
            of_users = asked in have["users"] and asked not in have["sessions"]
            own["users" if of_users else "sessions"][asked] = None
        one_of = measure.one_of()
        if one_of and not any(name in have.get(table, ()) for table, names in one_of.items() for name in names):
            wanted = "; ".join(f"{', '.join(names)} in the {table}" for table, names in one_of.items())
            msg = f"{measure} needs one of the columns {wanted}; the log has none of them"
            raise DataError(msg)
        for table, columns in (*measure.needs().items(), *measure.may_read.items()):
            there = [name for name in columns if name in have.get(table, ())]
            (read if table == "results" else own.setdefault(table, {})).update(dict.fromkeys(there))
        selection = measure.selection
        wants = {f"depth={selection.depth}": SEEN[selection.depth]}
        if selection.grades == "user":
            wants["grades=user"] = "user_grade"
        for wanted_by, column in wants.items():
            if column is not None and column not in have["results"]:
                msg = f"{wanted_by} needs the column {column!r} in the results; they have {', '.join(have['results'])}"
                raise DataError(msg)
            if column is not None:
                read[column] = None
        if selection.grades == "user" or (selection.duplicates == "first" and "judgment_key" in have["queries"]):
            read["doc_id"] = None
    return {**{table: [*columns] for table, columns in own.items()}, "results": [*read]}


def columns_beside(measures: Iterable[Measure]) -> dict[str, tuple[str, ...]]:
    """Columns of the log that some measures read, by table."""
    columns: dict[str, dict[str, None]] = {}
    for measure in measures:
        for table, names in (*measure.needs().items(), *measure.may_read.items()):
            columns.setdefault(table, {}).update(dict.fromkeys(names))
    return {table: (*names,) for table, names in columns.items()}
