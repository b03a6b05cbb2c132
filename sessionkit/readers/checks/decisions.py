"""What the whole of a source decides, before any batch is assembled: where it counts from 0, whose keys these are.

Times without zone need ``timezone`` in study.toml, or count as UTC with a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from sessionkit.contract import Table
from sessionkit.contract.casts import without_zone
from sessionkit.display.words import counted
from sessionkit.readers.checks.bases import Zeros, moved_columns, say_zero, shifted, zeros
from sessionkit.readers.checks.derive import says_one_thing
from sessionkit.readers.checks.log_schemas import log_schemas
from sessionkit.readers.checks.notes import AT_THE_TOP, Notes
from sessionkit.readers.checks.source_checks import CheckedSource
from sessionkit.readers.raw import Raw, read_through

Parts = Mapping[str, CheckedSource]
"""The typed tables of a log, or of some sessions of it, by name."""


@dataclass(frozen=True)
class Decisions:
    """What holds for every part of a log.

    Parameters
    ----------
    moved
        For each table the columns that count from 0.
    key_of_queries
        Whether, where both are derived, queries have a judgment_key of their own, as it differs within a session.
    """

    moved: Mapping[str, list[str]] = field(default_factory=dict)
    key_of_queries: bool = False


def decide(raws: Mapping[str, Raw], parts: Callable[[], Iterable[Parts]], notes: Notes) -> Decisions:
    """Decide from all parts of a log.

    Parameters
    ----------
    raws
        The sources, by table.
    parts
        Gives the typed parts of the log; asked once for each question that their columns raise.
    """
    found = _zeros(raws, parts)
    moved: dict[str, list[str]] = {}
    if "queries" in raws:
        moved["queries"] = moved_columns(raws["queries"], found["queries"], notes)
    if "results" in raws:
        settled = "query_position" in moved["queries"] if "queries" in raws else None
        moved["results"] = moved_columns(raws["results"], found["results"], notes, positions=settled)
    derived = "results" in raws and not {"queries", "sessions"} & set(raws)
    if not derived or "judgment_key" not in raws["results"].frame.collect_schema():
        return Decisions(moved)
    seen = (shifted(part["results"], moved["results"]).seen("judgment_key") for part in parts())
    return Decisions(moved, key_of_queries=not all(says_one_thing(rows, "judgment_key") for rows in seen))


def _zeros(raws: Mapping[str, Raw], parts: Callable[[], Iterable[Parts]]) -> dict[str, dict[str, Zeros]]:
    """Return the zeros of each column that counts, for each table; most logs have none, and nothing is counted."""
    schemas = log_schemas(raws)
    asked = {name: say_zero(raws[name], schemas[name]) for name in ("queries", "results") if name in raws}
    found: dict[str, dict[str, Zeros]] = {name: dict.fromkeys(columns, Zeros()) for name, columns in asked.items()}
    for part in parts() if any(asked.values()) else ():
        for name, columns in asked.items():
            for column in columns:
                found[name][column] += zeros(part[name], column)
    return found


def without_zones(raw: Raw, schema: Table) -> dict[str, int]:
    """Return how many times carry no zone, for each column of times, where none was declared for them."""
    types = raw.frame.collect_schema()
    names = [field.name for field in schema.fields if field.type == "datetime" and field.name in types]
    if raw.timezone is not None or not names:
        return {}
    with read_through(raw.source):
        counts = raw.frame.select(without_zone(name, types[name]).sum().alias(name) for name in names).collect().row(0)
    return dict(zip(names, counts, strict=True))


def notice_zones(raw: Raw, counts: Mapping[str, int], notes: Notes) -> None:
    """Warn of times without zone."""
    where = AT_THE_TOP if raw.is_file else "as from_tables takes it"
    for name, count in counts.items():
        if count:
            notes.warn(
                f"{raw.source}: {counted(count, 'time')} without zone in {name}, taken as UTC; set timezone = "
                f'"Europe/Vienna" (or what it is) {where}'
            )
