"""Who searches what with which group, in a study of the same design with another number of users or topics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from sessionkit.analysis.compare.session_values import GroupedSessions


@dataclass(frozen=True)
class Habits:
    """What stays as it is in the study: sessions per user, and per cell.

    Parameters
    ----------
    per_user
        Sessions per user; of users who meet every group with a topic, topics per user.
    per_cell
        Sessions per user and group, or where users are unknown per topic and group.
    users, topics, sessions
        How many there are now; users 0 where unknown, or where one user did everything: no more are planned then.
    searched
        Topics per user; 1 where unknown.
    """

    per_user: int
    per_cell: int
    users: int
    topics: int
    sessions: int
    searched: int = 1


@dataclass(frozen=True, eq=False)
class PlannedSessions:
    """User, topic and group of every session to come, as numbers from 0."""

    user: np.ndarray
    topic: np.ndarray
    group: np.ndarray
    users: int
    topics: int
    groups: int


def habits(sessions: GroupedSessions, design: str) -> Habits:
    """Read off a study what a larger one of the same design keeps: medians, at least 1."""
    frame = sessions.frame
    users, topics = (frame.get_column(key).drop_nulls().n_unique() for key in ("user_id", "topic_id"))
    of_user = frame.drop_nulls("user_id")
    what = pl.col("topic_id").n_unique() if design == "both" else pl.len()
    cell = ["user_id", "group"] if design == "users" else ["topic_id", "group"]
    return Habits(
        _median(of_user.group_by("user_id").agg(what.alias("many"))),
        _median(frame.drop_nulls(cell).group_by(cell).agg(pl.len().alias("many"))),
        users if users > 1 else 0,
        topics,
        frame.get_column("session_id").n_unique(),
        _median(of_user.drop_nulls("topic_id").group_by("user_id").agg(pl.col("topic_id").n_unique().alias("many"))),
    )


def plan(
    design: str, *, users: int, topics: int, groups: int, per_user: int, rng: np.random.Generator
) -> PlannedSessions:
    """Plan a study in which users search as many topics as now, topics and groups as balanced as can be.

    As many users in a row as there are groups search the same topics, every topic with another group each; so topics and
    groups are balanced. In a design paired by user and topic every user meets all groups with each topic.
    """
    i = np.arange(users)
    run = i // groups if design != "both" else i
    place = np.arange(per_user)
    topic = (run[:, None] * per_user + place) % topics
    if design == "both":
        shape = (users, per_user, groups)
        every = np.broadcast_to(np.arange(groups), shape).ravel()
        user = np.broadcast_to(i[:, None, None], shape).ravel()
        return PlannedSessions(user, np.broadcast_to(topic[:, :, None], shape).ravel(), every, users, topics, groups)
    if design == "topics":
        group = np.repeat((i % groups)[:, None], per_user, axis=1)
    else:
        labels = np.broadcast_to(place % groups, (int(run.max()) + 1, per_user))
        group = (rng.permuted(labels, axis=1)[run] + (i % groups)[:, None]) % groups
    return PlannedSessions(np.repeat(i, per_user), topic.ravel(), group.ravel(), users, topics, groups)


def fewest_users(topics: int, groups: int, per_user: int, design: str) -> int:
    """The users that it takes for every topic to be searched with every group."""
    runs = -(-topics // per_user)
    return runs if design == "both" else runs * groups


def _median(counts: pl.DataFrame) -> int:
    """Median of counts, at least 1."""
    median = counts.get_column("many").median()
    return max(1, round(float(median))) if isinstance(median, (int, float)) else 1
