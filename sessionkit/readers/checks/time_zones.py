"""Times without zone: they need ``timezone`` in study.toml, or count as UTC with a warning."""

from __future__ import annotations

from collections.abc import Mapping

from sessionkit.contract import Table
from sessionkit.contract.casts import without_zone
from sessionkit.display.words import counted
from sessionkit.readers.checks.notes import AT_THE_TOP, Notes
from sessionkit.readers.raw import Raw, read_through


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
