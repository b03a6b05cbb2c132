"""Which sessions are looked at together: the grouping column, a single topic, a least number of queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.scoring.batch import SessionBatch
from sessionkit.study import Study

EVERYONE = "all sessions"
UNKNOWN = "(none)"
NAMES = {"system": "system_id", "topic": "topic_id", "user": "user_id", "session": "session_id"}


@dataclass(frozen=True)
class Grouping:
    """The sessions that are looked at, and the group each is in.

    Parameters
    ----------
    column
        The column of sessions or users that names the group; None, all sessions are one group.
    of_users
        Whether the users have that column.
    min_queries
        Only sessions with at least so many logged queries.
    topic
        Only sessions of this topic.
    """

    column: str | None = None
    of_users: bool = False
    min_queries: int | None = None
    topic: str | None = None

    @classmethod
    def of(
        cls,
        study: Study,
        by: str | None,
        min_queries: int | None = None,
        topic: str | None = None,
        *,
        option: str = "by",
    ) -> Grouping:
        """Check what is asked of a study.

        Parameters
        ----------
        by
            A column of the sessions or users, ``"system"``, ``"topic"``, ``"user"`` or ``"session"``; None puts all
            sessions in one group, as does a column that is null throughout. Sessions whose group is unknown among
            others that have one are in the group ``"(none)"``.
        option
            What the caller calls ``by``, for the message.

        Raises
        ------
        UsageError
            If there is no such column or topic, or no session is left.
        DataError
            If the study has no session at all.
        """
        if not isinstance(by, str | None):
            raise UsageError(f"{option} takes the name of one column, such as 'system_id', not {by!r:.80}")
        column = NAMES.get(by or "", by)
        of_sessions = study.columns("sessions")
        known = [*of_sessions, *(name for name in study.columns("users") if name != "user_id")]
        if column is not None and column not in known:
            msg = f"{option}={by}: no such column in sessions or users; choose from {', '.join(known)}{suggestion(column, known)}"
            raise UsageError(msg)
        if topic is not None:
            topics = (
                study.sessions.select(pl.col("topic_id").drop_nulls().unique().sort()).collect().to_series().to_list()
            )
            if topic not in topics:
                msg = f"there is no topic {topic!r}; topics: {', '.join(topics[:20]) or 'none'}{suggestion(topic, topics)}"
                raise UsageError(msg)
        if not study.facts.sessions:
            msg = "the study has no sessions; look at what was rejected: sessionkit check"
            raise DataError(msg)
        grouping = cls(column, column is not None and column not in of_sessions, min_queries, topic)
        if min_queries is not None and not grouping._any(study):
            raise grouping._none_left()
        return grouping

    def _any(self, study: Study) -> bool:
        """Whether any session has the topic and enough logged queries."""
        of_topic = pl.lit(value=True) if self.topic is None else pl.col("topic_id") == self.topic
        chosen = study.sessions.filter(of_topic).join(
            _enough(study, self.min_queries or 0), on="session_id", how="semi"
        )
        return not chosen.head(1).collect().is_empty()

    def _none_left(self) -> UsageError:
        """Build the error where no session is left."""
        topic = f" of topic {self.topic!r}" if self.topic else ""
        enough = f" with at least {self.min_queries} queries" if self.min_queries else ""
        return UsageError(f"no session is left{topic}{enough}")

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read for it, by table."""
        own = [] if self.column is None or self.of_users else [self.column]
        topic = ["topic_id"] if self.topic is not None else []
        return {"sessions": [*own, *topic], "users": [self.column] if self.of_users and self.column else []}

    def sessions(self, batch: SessionBatch) -> pl.DataFrame:
        """The chosen sessions of a batch, in order: ``session``, ``group`` (null where unknown)."""
        group = pl.lit(None, pl.String) if self.column is None else pl.col(self.column).cast(pl.String)
        features = batch.features.with_columns(group.alias("__group"))
        chosen = batch.sessions.select("session", group=features["__group"])
        if self.topic is not None:
            chosen = chosen.filter(features["topic_id"] == self.topic)
        if self.min_queries is not None:
            logged = batch.queries.filter("logged").group_by("session").len("many")
            enough = logged.filter(pl.col("many") >= self.min_queries)
            chosen = chosen.join(enough, on="session", how="semi", maintain_order="left")
        return chosen

    def named(self, found: pl.DataFrame) -> pl.DataFrame:
        """Name the group of the sessions whose group is unknown, in a table of all groups.

        Raises
        ------
        UsageError
            If there is no group, since no session is left.
        """
        if not len(found):
            raise self._none_left()
        alone = found.get_column("group").null_count() == len(found)
        return found.with_columns(pl.col("group").fill_null(EVERYONE if alone else UNKNOWN))


def grouped_sessions(
    study: Study, by: str | None, min_queries: int | None = None, topic: str | None = None
) -> pl.DataFrame:
    """The chosen sessions of a study and the group each is in: ``session_id``, ``group``, in the order of session_id.

    The parameters and errors are those of `Grouping.of`; it is an error too if no session is left.
    """
    grouping = Grouping.of(study, by, min_queries, topic)
    chosen = _chosen(study, grouping)
    if min_queries is not None:
        chosen = chosen.join(_enough(study, min_queries), on="session_id", how="semi")
    return grouping.named(chosen.select("session_id", "group").collect().sort("session_id"))


def group_names(study: Study, by: str | None, topic: str | None = None) -> list[str]:
    """The groups that `grouped_sessions` has, each once, in order; the parameters and errors are the same."""
    grouping = Grouping.of(study, by, topic=topic)
    return sorted(grouping.named(_chosen(study, grouping).select("group").unique().collect()).get_column("group"))


def _chosen(study: Study, grouping: Grouping) -> pl.LazyFrame:
    """The sessions of the topic with their ``group``, null where unknown."""
    of_topic = pl.lit(value=True) if grouping.topic is None else pl.col("topic_id") == grouping.topic
    chosen = study.sessions.filter(of_topic)
    if grouping.of_users:
        chosen = chosen.join(study.users.select("user_id", grouping.column), on="user_id", how="left")
    group = pl.lit(None, pl.String) if grouping.column is None else pl.col(grouping.column).cast(pl.String)
    return chosen.with_columns(group=group)


def _enough(study: Study, min_queries: int) -> pl.LazyFrame:
    """The sessions with at least so many logged queries."""
    logged = study.queries.filter(pl.col("results_status") != "not_logged").group_by("session_id").len("many")
    return logged.filter(pl.col("many") >= min_queries)
