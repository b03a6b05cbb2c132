"""The design that the data have: who met which groups with which topics, and what a claim can be about."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from sessionkit.errors import UsageError, suggestion

GENERALISE = ("users", "topics", "sessions")
"""What a claim goes beyond: the users (to users like them), the topics, or the sessions themselves."""
PAIR = ["user_id", "topic_id"]
HALF = 0.5


@dataclass(frozen=True)
class Design:
    """What the data allow.

    Parameters
    ----------
    name
        ``"both"``: paired by user and topic; ``"crossover"``: every user searched every topic once, groups alternated;
        ``"incomplete"``: users met several groups, most not all; ``"users"``, ``"topics"``, ``"sessions"``: paired by
        these; ``"independent"``.
    sentence
        What it is, for people.
    layouts
        For every claim the design supports, the first being the default, how its units lie: ``"blocked"`` (each unit
        met every group), ``"crossed"`` or ``"separate"``.
    warning
        What a reader must know about it; empty if nothing.
    """

    name: str
    sentence: str
    layouts: dict[str, str]
    warning: str = ""

    def claim(self, generalise: str | None, groups: int) -> str:
        """Return what the claim is about, the default if none is asked for.

        Raises
        ------
        UsageError
            There is no such claim, or the design does not support it.
        """
        if generalise is None:
            return next(iter(self.layouts))
        if generalise not in GENERALISE:
            msg = f"generalise must be one of {', '.join(GENERALISE)}, not {generalise!r}{suggestion(str(generalise), GENERALISE)}"
            raise UsageError(msg)
        if generalise not in self.layouts:
            every = "both groups" if groups == 2 else f"all {groups} groups"
            why = {
                "users": "no user_id tells the users of the sessions apart",
                "topics": f"fewer than half of the topics were searched with {every}, so topics cannot be the pairs",
                "sessions": "sessions of one user or topic are not independent of each other",
            }[generalise]
            works = " or ".join(f"generalise={name}" for name in self.layouts)
            msg = f"generalise={generalise}: {why}; {works} would work"
            raise UsageError(msg)
        return generalise


def read_design(sessions: pl.DataFrame, by: str, groups: int) -> Design:
    """Read the design from the sessions.

    Parameters
    ----------
    sessions
        ``session_id``, ``user_id``, ``topic_id``, ``group``.
    by
        The grouping column, for the sentence.
    groups
        How many groups there are.

    Examples
    --------
    >>> one = {"session_id": list("1234"), "user_id": list("uuvv"), "topic_id": list("abab"), "group": list("xyyx")}
    >>> read_design(pl.DataFrame(one), "system_id", 2).name
    'crossover'
    """
    users = _complete(sessions, ["user_id"], groups)
    topics = _complete(sessions, ["topic_id"], groups)
    pairs = _complete(sessions, PAIR, groups) if users is not None and topics is not None else None
    # in the order of session_id, so that one that is there twice stands beside itself
    twice = (sessions.get_column("session_id") == sessions.get_column("session_id").shift(1)).any()
    repeated = _complete(sessions, ["session_id"], groups) if twice else None
    again = {"sessions": "blocked"} if repeated is not None and repeated.share > HALF else {}
    every = "both" if groups == 2 else f"all {groups}"
    many_topics = topics is not None and topics.many > 1
    many_users = users is not None and users.many > 1
    if pairs is not None and pairs.share > HALF and many_users and many_topics:
        sentence = f"paired by user and topic: the same user searched the same topic with {every} values of {by}"
        return Design("both", sentence, {"users": "blocked", "topics": "blocked", "sessions": "blocked"})
    if users is not None and users.share > HALF and many_users:
        if topics is not None and many_topics and topics.share > HALF:
            sentence = (
                f"crossover: each user met {every} values of {by}, each topic was searched with {every}, and "
                f"{_few(pairs)} of the pairs of a user and a topic has {every}; so sessions are paired by user and by topic, not by "
                "both at once"
            )
            return Design("crossover", sentence, {"users": "crossed", "topics": "blocked"} | again)
        confounded = many_topics and topics is not None and not topics.share
        warning = f"each topic has one {by} only: a difference may be the topics'" if confounded else ""
        sentence = f"paired by user: each user met {every} values of {by}"
        return Design("users", sentence, {"users": "blocked"} | again, warning)
    if users is not None and users.several > HALF and many_users:
        sentence = f"incomplete blocks: users met several values of {by}, most not {every}"
        beyond = {"topics": "blocked"} if topics is not None and many_topics and topics.share > HALF else {}
        return Design("incomplete", sentence, {"users": "crossed"} | beyond | again)
    if topics is not None and topics.share > HALF and many_topics:
        between = users is not None and not users.share
        apart = {"users": "separate"} if between else {}
        sentence = f"paired by topic: each topic was searched with {every} values of {by}"
        if between:
            sentence = f"between users: each user met one value of {by}; each topic was searched with {every}"
        return Design("topics", sentence, apart | {"topics": "blocked"} | again)
    if again:
        sentence = f"paired by session: each session has a value for {every} values of {by}"
        return Design("sessions", sentence, again)
    if users is not None:
        return Design(
            "independent", f"independent: different users for each value of {by}", _apart(sessions, users.many)
        )
    return Design("independent", f"independent: different sessions for each value of {by}", {"sessions": "separate"})


@dataclass(frozen=True)
class _Met:
    """How many units there are, and the shares of them that met every group, and several."""

    many: int
    share: float
    several: float


def _complete(sessions: pl.DataFrame, key: list[str], groups: int) -> _Met | None:
    """Count units and those that met every group; None where most sessions do not name theirs."""
    named = sessions.select(*key, "group").drop_nulls(key)
    if 2 * named.height <= sessions.height:
        return None
    met = named.unique().group_by(key).len("met").get_column("met")
    many = max(1, len(met))
    return _Met(len(met), int((met == groups).sum()) / many, int((met > 1).sum()) / many)


def _few(pairs: _Met | None) -> str:
    """Say how many pairs of user and topic met every group."""
    return "none" if pairs is None or not pairs.share else f"only {pairs.share * pairs.many:,.0f}"


def _apart(sessions: pl.DataFrame, users: int) -> dict[str, str]:
    """Claims of a design without pairs: sessions only where each user has one."""
    one_each = sessions.height == users
    return {"users": "separate"} | ({"sessions": "separate"} if one_each else {})
