"""One session in time: when its queries were issued and its results clicked."""

from __future__ import annotations

import polars as pl

from sessionkit.display.frames import ResultFrame
from sessionkit.errors import DataError
from sessionkit.scoring.explain import one_session
from sessionkit.study import Study
from sessionkit.study.study import guarded_read

CLICKED = ("query_position", "rank", "doc_id")
CLICK_TIMES = {"issued_at": "clicked_at", "elapsed_seconds": "click_elapsed_seconds"}
"""Columns of times of queries, the preferred one first, and those of clicks on the same clock."""


@guarded_read
def timeline(study: Study, session: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the times of a session's queries and clicks.

    Parameters
    ----------
    study
        A study whose queries have the time ``issued_at`` or, where they have no dates, ``elapsed_seconds``.
    session
        The session.

    Returns
    -------
    polars.DataFrame
        Its queries that have a time: ``query_position``, ``text`` (null where it was not logged), ``start`` (seconds since
        the session's first event), ``end`` (when the next one was issued, or the session ended; null where that is not
        known) and ``results`` (how many were shown).
    polars.DataFrame
        Its clicks that have a time: ``query_position``, ``rank``, ``doc_id``, ``at`` (seconds) and ``dwell`` (seconds; null
        where it was not logged).

    Raises
    ------
    UsageError
        There is no such session.
    DataError
        The study has no times of queries, or none of this session.

    Examples
    --------
    >>> import sessionkit as sk
    >>> lists = {"session_id": ["s", "s"], "query_position": [1, 2]}
    >>> study = sk.from_tables(
    ...     results={**lists, "rank": [1, 1], "doc_id": ["a", "b"]},
    ...     queries={**lists, "issued_at": ["2026-01-05T10:00:00Z", "2026-01-05T10:01:30Z"]},
    ... )
    >>> queries, clicks = sk.timeline(study, "s")
    >>> queries.select("query_position", "start", "end", "results").rows()
    [(1, 0.0, 90.0, 1), (2, 90.0, None, 1)]
    """
    issued_name = next((name for name in CLICK_TIMES if name in study.columns("queries")), None)
    if issued_name is None:
        columns = ", ".join(study.columns("queries"))
        raise DataError(
            f"a timeline needs the times of queries, issued_at or elapsed_seconds; the queries have {columns}"
        )
    own = one_session(study, session)
    queries = own.queries.sort("query_position").collect().with_columns(issued=pl.col(issued_name))
    if not queries.get_column("issued").count():
        raise DataError(f"session {session!r} has no times of queries")
    about, clicks = own.sessions.collect(), _clicks(own, CLICK_TIMES[issued_name], queries.schema["issued"])
    times = [queries.get_column("issued").min(), clicks.get_column("clicked_at").min()]
    has_dates = issued_name == "issued_at"  # sessions have dates alone
    times += [about.get_column("started_at").min()] if has_dates and "started_at" in about.columns else []
    began = (
        min(time for time in times if time is not None) if has_dates else 0.0
    )  # elapsed time starts with the session
    end = about.get_column("ended_at").max() if has_dates and "ended_at" in about.columns else None
    shown = own.results.group_by("query_position").agg(results=pl.len().cast(pl.Int64)).collect()
    text = pl.col("query_text") if "query_text" in queries.columns else pl.lit(None, pl.String)
    rows = queries.join(shown, on="query_position", how="left", maintain_order="left").select(
        "query_position",
        text=text,
        start=_seconds(pl.col("issued"), began),
        end=_seconds(pl.col("issued").shift(-1, fill_value=pl.lit(end)), began),
        results=pl.col("results").fill_null(0),
    )
    rows = rows.filter(pl.col("start").is_not_null())  # only now: a query without a time may be the next one
    seen = clicks.select(*CLICKED, _seconds(pl.col("clicked_at"), began).alias("at"), "dwell")
    return ResultFrame(rows), ResultFrame(seen)


def _clicks(own: Study, time: str, dtype: pl.DataType) -> pl.DataFrame:
    """The clicks that have a time: query_position, rank, doc_id, clicked_at, dwell."""
    columns = own.columns("results")
    dwell = pl.col("dwell_seconds") if "dwell_seconds" in columns else pl.lit(None, pl.Float64)
    if time not in columns:
        clicked_at = pl.lit(None, dtype)
        return own.results.select(*CLICKED, clicked_at=clicked_at, dwell=dwell).clear().collect()
    return own.results.filter(pl.col(time).is_not_null()).select(*CLICKED, clicked_at=time, dwell=dwell).collect()


def _seconds(time: pl.Expr, began: object) -> pl.Expr:
    """Seconds from the beginning of the session."""
    return time.cast(pl.Float64) if isinstance(began, float) else (time - pl.lit(began)).dt.total_microseconds() / 1e6
