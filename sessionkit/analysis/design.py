"""Which users searched which topics with which systems, and the name of such a design."""

from __future__ import annotations

import polars as pl


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
    """Name the design of a study from its sessions.

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
    >>> one = {"user_id": ["u", "u"], "topic_id": ["a", "b"], "system_id": ["S1", "S2"]}
    >>> design_of(pl.DataFrame(one))[0]
    'within users, each topic with one system'
    """
    known = sessions.drop_nulls(["user_id", "topic_id", "system_id"])
    systems = sessions.get_column("system_id").drop_nulls().n_unique()
    if systems < 2:
        return "one system", "there is nothing to compare between systems; sessions differ by user and topic"
    if not len(known) or known.get_column("user_id").n_unique() == 0:
        return "systems without known users and topics", "sessions of different systems are compared as independent"
    per_user = known.group_by("user_id").agg(
        systems=pl.col("system_id").n_unique(), topics=pl.col("topic_id").n_unique()
    )
    per_pair = known.group_by("user_id", "topic_id").agg(systems=pl.col("system_id").n_unique(), sessions=pl.len())
    per_topic = known.group_by("topic_id").agg(systems=pl.col("system_id").n_unique())
    cells = known.group_by("topic_id", "system_id").len().get_column("len")
    crossed = (per_topic.get_column("systems") == systems).all()
    if (per_user.get_column("systems") == 1).all():
        name = "between users"
        return (
            f"{name}, topics crossed with systems" if crossed else name
        ), "each user met one system: compare users, not sessions"
    if (per_pair.get_column("systems") > 1).any():
        return (
            "within users and topics",
            "some users searched the same topic with several systems: learning carries over, look at the session order",
        )
    balanced = crossed and cells.n_unique() == 1 and len(cells) == systems * len(per_topic)
    all_topics = (per_user.get_column("topics") == len(per_topic)).all() and (
        per_pair.get_column("sessions") == 1
    ).all()
    met = known.group_by("user_id", "system_id").len()
    even = met.get_column("len").n_unique() == 1 and len(met) == systems * len(per_user)
    if balanced and all_topics and even:
        return (
            "Latin square: users x topics x systems, balanced",
            "every user searched every topic once and met every system equally often; no user searched one topic with two systems, "
            "so pairs exist by user and by topic, never by both",
        )
    if crossed:
        return (
            "within users, topics crossed with systems",
            "pairs exist by user and by topic; cells are not all of one size",
        )
    return (
        "within users, each topic with one system",
        "systems and topics are confounded: a difference may be the topics'",
    )
