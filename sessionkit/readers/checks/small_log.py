"""From unchecked sources to a Study in memory, in one part; every record is accounted for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from sessionkit.contract import Table, table
from sessionkit.readers.checks.assembly import assemble
from sessionkit.readers.checks.completion import counts_of, finished, judged_keys, sources_of
from sessionkit.readers.checks.decisions import decide
from sessionkit.readers.checks.derive import with_users
from sessionkit.readers.checks.log_schemas import LOG, log_schemas, widened
from sessionkit.readers.checks.notes import Notes, notice, notice_parts
from sessionkit.readers.checks.rejection import beside, note_rejected, refuse_first, rejected_rows
from sessionkit.readers.checks.set_aside import NOTHING, Aside
from sessionkit.readers.checks.source_checks import plain_part, typed_part
from sessionkit.readers.checks.time_zones import notice_zones, without_zones
from sessionkit.readers.checks.unusual import notice_unusual
from sessionkit.readers.raw import Raw
from sessionkit.study import Settings, Study
from sessionkit.study.storage import Storage

Raws = Mapping[str, Sequence[Raw]]
"""The sources of each table; only judgments may have several."""


def whole_study(
    raws: Raws,
    settings: Settings,
    *,
    defaults: Mapping[str, Any],
    reader: str,
    strict: bool = False,
    aside: Aside = NOTHING,
) -> Study:
    """Return the study of these sources; what was unusual is noted and, where scores may suffer, warned of."""
    notes = aside.noticed()
    notice_empty((raw for given in raws.values() for raw in given), notes)
    log = log_of(raws)
    for raw in log.values():
        notice_zones(raw, without_zones(raw, all_columns()), notes)
    schemas = log_schemas(log)
    users = plain_part(raws["users"][0]) if "users" in raws else None
    typed = {name: typed_part(raw, schemas[name]) for name, raw in log.items()}
    made = assemble(typed, decide(log, lambda: [typed], notes), defaults, settings.missing_positions)
    notice_parts(made.counts, settings, notes, frames=not all(raw.is_file for raw in log.values()))
    judgments = [plain_part(raw) for raw in raws.get("judgments", ())]
    parts = [*([users] if users else ()), *made.parts, *judgments]
    rejects = rejected_rows(parts)
    rejected = pl.concat([rejects, beside(rejects.lazy(), aside.cells)]).lazy()
    if strict:
        refuse_first(rejected)
    note_rejected(rejected, notes)
    judged = finished("judgments", *(part.rows.accepted for part in judgments))
    counts = counts_of(made, judged_keys(judged))
    facts = replace(counts.facts, judgments=judged.height)
    user_rows = with_users(users.rows.accepted if users else None, made.sessions.select("user_id"), notes)
    notice(replace(counts, facts=facts), judged, settings, notes)
    notice_unusual(counts.unusual, notes)
    notes.give_warnings()
    return Study(
        users=finished("users", user_rows).lazy(),
        sessions=finished("sessions", made.sessions).lazy(),
        queries=finished("queries", made.queries).lazy(),
        results=finished("results", made.results).lazy(),
        judgments=judged.lazy(),
        rejected=rejected,
        settings=settings,
        sources=(*(source for part in parts for source in sources_of(part)), *aside.sources),
        reader=reader,
        notes=tuple(notes.told),
        storage=Storage(facts=facts),
    )


def log_of(raws: Raws) -> dict[str, Raw]:
    """Return the sources of sessions, queries and results."""
    return {name: raws[name][0] for name in LOG if name in raws}


def notice_empty(raws: Iterable[Raw], notes: Notes) -> None:
    """Warn of sources without records: tables that have only a header, logs without records of some kind."""
    for raw in raws:
        kinds = list(dict.fromkeys(member.kind for _, member in raw.parted if member.kind))
        if not raw.records:
            what = f"no {' and no '.join(kinds)} in it" if kinds else "no records, only a header"
            notes.warn(f"{raw.source} ({raw.table}): {what}")


def all_columns() -> Table:
    """Return the columns that any table of a log declares."""
    return widened(*(table(name) for name in reversed(LOG)))
