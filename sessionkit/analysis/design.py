"""Which users searched which topics with which systems, and the name of such a design."""

from __future__ import annotations

import polars as pl

from sessionkit.analysis.compare.design import read_design


def crossing(sessions: pl.DataFrame) -> pl.DataFrame:
    """Sessions and distinct users of every system with every topic: ``system_id``, ``topic_id``, ``users``,
    ``sessions``.

    Empty where the log names neither systems nor topics.
    """
    named = sessions.filter(pl.col("system_id").is_not_null() | pl.col("topic_id").is_not_null())
    counts = named.group_by("system_id", "topic_id").agg(
        users=pl.col("user_id").drop_nulls().n_unique().cast(pl.Int64), sessions=pl.len().cast(pl.Int64)
    )
    return counts.sort("system_id", "topic_id")


def design_of(sessions: pl.DataFrame) -> tuple[str, str]:
    """Name the design of a study from its sessions, as a comparison of the systems reads it.

    Parameters
    ----------
    sessions
        ``user_id``, ``topic_id``, ``system_id``, one row per session.

    Returns
    -------
    tuple of str
        A name and one sentence on what it means for a comparison of the systems.

    Examples
    --------
    >>> one = {"user_id": ["u", "u", "v", "v"], "topic_id": list("abab"), "system_id": ["S1", "S2"] * 2}
    >>> design_of(pl.DataFrame(one))
    ('paired by user', 'each user met both values of system_id; each topic has one system_id only: a difference may be due to the topics')
    """
    known = sessions.filter(pl.col("system_id").is_not_null())
    systems = known.get_column("system_id").n_unique()
    if not systems:
        return "no systems", "no session names its system_id; compare other groups, by a column of sessions or users"
    if systems == 1:
        return "one system", "there is nothing to compare between systems; sessions differ by user and topic"
    keys = known.select("user_id", "topic_id", group="system_id").with_row_index("session_id")
    found = read_design(keys, "system_id", systems)
    note = found.sentence.removeprefix(f"{found.title}: ")
    return found.title, f"{note}; {found.warning}" if found.warning else note
