"""Times of day as seconds since the session began, which no longer say when it was; scores that read times stay the same.

The rules are those by which measures of time read a log: of `sessionkit.study.session_start`, and ``sessionkit.scoring.session_times``.
"""

from __future__ import annotations

import polars as pl

from sessionkit.choices import StudyTable
from sessionkit.study.batches import slices
from sessionkit.study.row_index import QUERIES, RESULTS, repeated, session_of
from sessionkit.study.session_start import TELLING, session_starts, since
from sessionkit.study.storage import StudyBatch
from sessionkit.study.study import Study

READ: dict[StudyTable, tuple[str, ...]] = {**TELLING, "sessions": ("session_id", "user_id", *TELLING["sessions"])}
"""What tells when a session began, and whose it was."""
ORDER = "session_order"


def with_elapsed(
    sessions: pl.DataFrame, queries: pl.DataFrame, results: pl.DataFrame, of: tuple[pl.Series, pl.Series]
) -> StudyBatch:
    """Put seconds in place of the times of some whole sessions.

    Parameters
    ----------
    of
        Row number of the session of every query, and of every result.
    """
    began = session_starts(sessions, queries, results, of)
    if "ended_at" in sessions.columns:
        lasted = _told(sessions, "duration_seconds", since(sessions["ended_at"], began))
        sessions = sessions.with_columns(lasted).drop("ended_at")
    if "issued_at" in queries.columns:
        asked = _told(queries, "elapsed_seconds", since(queries["issued_at"], began.gather(of[0])))
        queries = queries.with_columns(asked).drop("issued_at")
    if "clicked_at" in results.columns:
        seconds = _told(results, "click_elapsed_seconds", since(results["clicked_at"], began.gather(of[1])))
        results = results.with_columns(seconds, was_clicked(results.columns)).drop("clicked_at")
    return StudyBatch(sessions.drop("started_at", strict=False), queries, results)


def was_clicked(columns: list[str]) -> pl.Expr:
    """Whether a result was clicked, also where nothing but the time of its click says so, which may come before the session."""
    silent = pl.col("clicked_at").is_not_null()
    if "clicks" in columns:
        silent &= pl.col("clicks").is_null()
    by_time = pl.when(silent).then(pl.lit(value=True))
    return (pl.coalesce("clicked", by_time) if "clicked" in columns else by_time).alias("clicked")


def orders(study: Study) -> pl.DataFrame | None:
    """The place of each session in its user's part of the study, by when it began, where the study does not say.

    Returns
    -------
    polars.DataFrame
        ``session_id`` and ``session_order``, null where the user or the beginning is unknown; None where the study says
        the order, or nothing is known of any.
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
        of = sessions_of(part)
        began = session_starts(part.sessions, part.queries, part.results, of)
        parts.append(part.sessions.select("session_id", "user_id").with_columns(began.alias("began")))
    known = pl.concat(parts).drop_nulls()
    if known.is_empty():
        return None
    place = pl.col("began").rank("ordinal").over("user_id").cast(pl.Int32)
    return known.sort("session_id").select("session_id", place.alias(ORDER))


def sessions_of(part: StudyBatch) -> tuple[pl.Series, pl.Series]:
    """Row number of the session of every query, and of every result, of some whole sessions."""
    ids = part.sessions["session_id"]
    if part.numbered:
        row = pl.int_range(len(ids), dtype=pl.UInt32, eager=True)
        return repeated(row, part.sessions[QUERIES]), repeated(row, part.sessions[RESULTS])
    return session_of(part.queries, ids, "queries"), session_of(part.results, ids, "results")


def _told(frame: pl.DataFrame, name: str, found: pl.Series) -> pl.Series:
    """A column of seconds as it was logged, else as found from times of day."""
    told = [frame[name]] if name in frame.columns else []
    return pl.select(pl.coalesce(*told, found).alias(name)).to_series()
