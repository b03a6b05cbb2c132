"""One session in time: when its queries were issued and its results clicked."""

from __future__ import annotations

import polars as pl

from sessionkit.display.frames import ResultFrame
from sessionkit.errors import DataError
from sessionkit.scoring.explain import one_session
from sessionkit.study import Study
from sessionkit.study.study import guarded_read

CLICKED = ("query_position", "rank", "doc_id")


@guarded_read
def timeline(study: Study, session: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the times of a session's queries and clicks.

    Parameters
    ----------
    study
        A study whose queries have the time ``issued_at``.
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
    if "issued_at" not in study.columns("queries"):
        known = ", ".join(study.columns("queries"))
        raise DataError(f"a timeline needs the times of queries, issued_at; the queries have {known}")
    own = one_session(study, session)
    queries = own.queries.sort("query_position").collect()
    if not queries.get_column("issued_at").count():
        raise DataError(f"session {session!r} has no times of queries")
    about = own.sessions.collect()
    clicks = _clicks(own)
    times = [queries.get_column("issued_at").min(), clicks.get_column("clicked_at").min()]
    times += [about.get_column("started_at").min()] if "started_at" in about.columns else []
    began = min(time for time in times if time is not None)
    end = about.get_column("ended_at").max() if "ended_at" in about.columns else None
    shown = own.results.group_by("query_position").agg(results=pl.len().cast(pl.Int64)).collect()
    text = pl.col("query_text") if "query_text" in queries.columns else pl.lit(None, pl.String)
    rows = queries.join(shown, on="query_position", how="left", maintain_order="left").select(
        "query_position",
        text=text,
        start=_seconds(pl.col("issued_at"), began),
        end=_seconds(pl.col("issued_at").shift(-1, fill_value=pl.lit(end)), began),
        results=pl.col("results").fill_null(0),
    )
    rows = rows.filter(pl.col("start").is_not_null())  # only now: a query without a time may be the next one
    seen = clicks.select(*CLICKED, _seconds(pl.col("clicked_at"), began).alias("at"), "dwell")
    return ResultFrame(rows), ResultFrame(seen)


def _clicks(own: Study) -> pl.DataFrame:
    """The clicks that have a time: query_position, rank, doc_id, clicked_at, dwell."""
    columns = own.columns("results")
    if "clicked_at" not in columns:
        without = own.results.select(*CLICKED, dwell=pl.lit(None, pl.Float64)).clear().collect()
        return without.insert_column(3, pl.Series("clicked_at", [], own.queries.collect_schema()["issued_at"]))
    dwell = pl.col("dwell_seconds") if "dwell_seconds" in columns else pl.lit(None, pl.Float64)
    clicked = own.results.filter(pl.col("clicked_at").is_not_null())
    return clicked.select(*CLICKED, "clicked_at", dwell=dwell).collect()


def _seconds(time: pl.Expr, began: object) -> pl.Expr:
    """Seconds from the beginning of the session."""
    return (time - pl.lit(began)).dt.total_microseconds() / 1e6
