"""Which sessions are looked at together: the grouping column, a single topic, a least number of queries."""

from __future__ import annotations

import polars as pl

from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.scoring.judging import SESSION
from sessionkit.study import Study

EVERYONE = "all sessions"


def grouped_sessions(
    study: Study, by: str | None, min_queries: int | None = None, topic: str | None = None, *, option: str = "by"
) -> pl.LazyFrame:
    """Sessions to look at and the group each is in: ``session_id``, ``group``.

    Parameters
    ----------
    by
        A column of the sessions or users, ``"system"``, ``"topic"``, ``"user"`` or ``"session"``; None puts all
        sessions in one group, as does a column that is null throughout. Sessions whose group is unknown among others
        that have one are in the group ``"(none)"``.
    min_queries
        Keep sessions with at least so many logged queries.
    topic
        Keep sessions of this topic.
    option
        What the caller calls ``by``, for the message.

    Raises
    ------
    UsageError
        If there is no such column or topic, or no session is left.
    DataError
        If the study has no session at all.
    """
    column = {"system": "system_id", "topic": "topic_id", "user": "user_id", "session": "session_id"}.get(by or "", by)
    sessions = study.sessions
    known = [*study.columns("sessions"), *(name for name in study.columns("users") if name != "user_id")]
    if column is not None and column not in known:
        msg = f"{option}={by}: no such column in sessions or users; choose from {', '.join(known)}{suggestion(column, known)}"
        raise UsageError(msg)
    if column is not None and column not in study.columns("sessions"):
        sessions = sessions.join(study.users.select("user_id", column), on="user_id", how="left")
    if topic is not None:
        topics = sessions.select(pl.col("topic_id").drop_nulls().unique().sort()).collect().to_series().to_list()
        if topic not in topics:
            msg = f"there is no topic {topic!r}; topics: {', '.join(topics[:20]) or 'none'}{suggestion(topic, topics)}"
            raise UsageError(msg)
        sessions = sessions.filter(pl.col("topic_id") == topic)
    if min_queries is not None:
        logged = study.queries.filter(pl.col("results_status") != "not_logged").group_by(SESSION).len("many")
        enough = logged.filter(pl.col("many") >= min_queries)
        sessions = sessions.join(enough, on="session_id", how="semi")
    group = pl.lit(EVERYONE) if column is None else pl.col(column).cast(pl.String)
    chosen = sessions.select("session_id", group=group).sort("session_id").collect()
    if not len(chosen) and not study.facts.sessions:
        msg = "the study has no sessions; look at what was rejected: sessionkit check"
        raise DataError(msg)
    if not len(chosen):
        msg = f"no session is left{f' of topic {topic!r}' if topic else ''}{f' with at least {min_queries} queries' if min_queries else ''}"
        raise UsageError(msg)
    unknown = EVERYONE if chosen.get_column("group").null_count() == len(chosen) else "(none)"
    return chosen.lazy().with_columns(pl.col("group").fill_null(unknown))
