"""The place of each session in its user's part of a study, by when it began."""

from __future__ import annotations

import polars as pl

from sessionkit.choices import StudyTable
from sessionkit.study.batches import session_rows, slices
from sessionkit.study.session_start import TELLING, session_starts
from sessionkit.study.study import Study

READ: dict[StudyTable, tuple[str, ...]] = {**TELLING, "sessions": ("session_id", "user_id", *TELLING["sessions"])}
"""What tells when a session began, and whose it was."""
ORDER = "session_order"


def session_orders(study: Study) -> pl.DataFrame | None:
    """The place of each session in its user's part of the study, by when it began, where the study does not say.

    Returns
    -------
    polars.DataFrame
        ``session_id`` and ``session_order``; without the sessions of users of whom two began at once, or one at an unknown time,
        as their order is not known. None where the study says the order, or none is known.
    """
    timed = any(name in study.columns(table) for table, names in READ.items() for name in names if name.endswith("_at"))
    if ORDER in study.columns("sessions") or not timed:
        return None
    if not study.sessions.select(pl.col("user_id").is_not_null().any()).collect().item():
        return None
    columns: dict[str, list[str]] = {
        table: [name for name in names if name in study.columns(table)] for table, names in READ.items()
    }
    parts = []
    for part in slices(study, columns):
        of = session_rows(part)
        began = session_starts(part.sessions, part.queries, part.results, of)
        parts.append(part.sessions.select("session_id", "user_id").with_columns(began.alias("began")))
    of_users = pl.concat(parts).drop_nulls("user_id")
    known = of_users.filter((pl.col("began").is_not_null() & pl.col("began").is_unique()).all().over("user_id"))
    if known.is_empty():
        return None
    place = pl.col("began").rank("ordinal").over("user_id").cast(pl.Int32)
    return known.sort("session_id").select("session_id", place.alias(ORDER))
