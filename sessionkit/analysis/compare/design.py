"""The design that the data have: who met which groups with which topics, and what a claim can be about."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import get_args

import polars as pl

from sessionkit.choices import Population
from sessionkit.errors import UsageError, suggestion

POPULATIONS: tuple[Population, ...] = get_args(Population)
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
        What it is, for people: its title, a colon, and how many users and topics it holds for.
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

    @property
    def described(self) -> str:
        """What it is, and what a reader must know about it."""
        return f"{self.sentence}. Caution: {self.warning}" if self.warning else self.sentence

    @property
    def title(self) -> str:
        """Its name, for people."""
        return self.sentence.partition(": ")[0]

    def population(self, population: str | None, groups: int) -> str:
        """Return what the claim is about, the default if none is asked for.

        Raises
        ------
        UsageError
            There is no such claim, or the design does not support it.
        """
        if population is None:
            return next(iter(self.layouts))
        if population == "users,topics":
            raise UsageError(
                "population=users,topics needs a mixed model, which only compare fits; choose users or topics"
            )
        if population not in POPULATIONS:
            msg = f"population must be one of {', '.join(POPULATIONS)}, not {population!r}{suggestion(str(population), POPULATIONS)}"
            raise UsageError(msg)
        if population not in self.layouts:
            every = "both groups" if groups == 2 else f"all {groups} groups"
            why = {
                "users": "no user_id tells several users of the sessions apart",
                "topics": f"fewer than half of the topics were searched with {every}, so topics cannot be paired",
                "sessions": "sessions of one user or topic are not independent of each other",
            }[population]
            works = " or ".join(f"population={name}" for name in self.layouts)
            msg = f"population={population}: {why}; {works} would work"
            raise UsageError(msg)
        return population


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
        had = "the same user searched the same topic with"
        if pairs.share < 1:
            had = f"in {pairs.whole:,} of {pairs.many:,} pairs of a user and a topic the same user searched the same topic with"
        sentence = f"paired by user and topic: {had} {every} values of {by}"
        return Design("both", sentence, {"users": "blocked", "topics": "blocked", "sessions": "blocked"})
    if users is not None and users.share > HALF and many_users:
        if topics is not None and many_topics and topics.share > HALF:
            title = (
                f"crossover, a balanced Latin square of users, topics and {by}" if _balanced(sessions) else "crossover"
            )
            sentence = (
                f"{title}: {users.told('user met', f'{every} values of {by}')}, {topics.told('topic was searched with', every)}, "
                f"and {_few(pairs)} of the pairs of a user and a topic has {every}; so sessions are paired by user and by topic, "
                "not by both at once"
            )
            return Design("crossover", sentence, {"users": "crossed", "topics": "blocked"} | again)
        sentence = f"paired by user: {users.told('user met', f'{every} values of {by}')}"
        warning = ""
        if many_topics and topics is not None and topics.met_several < topics.many:
            warning = f"{topics.of_one('topic has', by)} only: a difference may be due to the topics"
        return Design("users", sentence, {"users": "blocked"} | again, warning)
    if users is not None and users.several > HALF and many_users:
        met = users.told("user met", f"several values of {by}", users.met_several)
        sentence = f"incomplete blocks: {met}, {users.whole or 'none'} of them {every}"
        beyond = {"topics": "blocked"} if topics is not None and many_topics and topics.share > HALF else {}
        return Design("incomplete", sentence, {"users": "crossed"} | beyond | again)
    if topics is not None and topics.share > HALF and many_topics:
        apart: dict[str, str] = {}
        sentence = f"paired by topic: {topics.told('topic was searched with', f'{every} values of {by}')}"
        if users is not None and not users.share:
            apart = {"users": "separate"}
            had = topics.told("topic was searched with", every)
            sentence = f"between users: {users.of_one('user met', f'value of {by}')}; {had}"
        return Design("topics", sentence, apart | {"topics": "blocked"} | again)
    if again and repeated is not None:
        has = repeated.told("session has a value for", f"{every} values of {by}")
        return Design("sessions", f"paired by session: {has}", again)
    if users is not None:
        differ = f"different users for each value of {by}"
        if users.many == 1 and users.met_several:
            differ = f"one user only, who met several values of {by}"
        elif users.met_several:
            differ = f"{differ}, except {users.met_several:,} of {users.many:,} users, who met several"
        return Design("independent", f"independent: {differ}", _apart(sessions, users.many))
    return Design("independent", f"independent: different sessions for each value of {by}", {"sessions": "separate"})


@dataclass(frozen=True)
class _Met:
    """How many units there are, how many of them met every group, and how many met several."""

    many: int
    whole: int
    met_several: int

    @property
    def share(self) -> float:
        """Share of units that met every group."""
        return self.whole / max(1, self.many)

    @property
    def several(self) -> float:
        """Share of units that met several groups."""
        return self.met_several / max(1, self.many)

    def told(self, did: str, what: str, many: int | None = None) -> str:
        """Say how many units did something: each, or so many of all.

        >>> _Met(4, 4, 4).told("user met", "both"), _Met(4, 3, 4).told("user met", "both")
        ('each user met both', '3 of 4 users met both')
        """
        many = self.whole if many is None else many
        unit, _, verb = did.partition(" ")
        if many == self.many:
            return f"each {did} {what}"
        verb = verb.replace("was ", "were ").replace("has", "have")
        return f"{many:,} of {self.many:,} {unit}s {verb} {what}"

    def of_one(self, did: str, what: str) -> str:
        """Say how many units met one group alone."""
        return self.told(did, f"one {what}", self.many - self.met_several)


def _complete(sessions: pl.DataFrame, key: list[str], groups: int) -> _Met | None:
    """Count units and those that met every group; None where most sessions do not name theirs."""
    named = sessions.select(*key, "group").drop_nulls(key)
    if 2 * named.height <= sessions.height:
        return None
    met = named.unique().group_by(key).len("met").get_column("met")
    return _Met(len(met), int((met == groups).sum()), int((met > 1).sum()))


def _balanced(sessions: pl.DataFrame) -> bool:
    """Whether every user searched every topic once and met every group equally often, as every topic did."""
    if sessions.select(pl.any_horizontal(pl.col(PAIR).is_null()).any()).item():
        return False
    many = {name: sessions.get_column(name).n_unique() for name in (*PAIR, "group")}

    def even(*keys: str) -> bool:
        cells = sessions.group_by(keys).len().get_column("len")
        return len(cells) == math.prod(many[key] for key in keys) and cells.n_unique() == 1

    once = sessions.height == many["user_id"] * many["topic_id"]
    return once and even(*PAIR) and even("user_id", "group") and even("topic_id", "group")


def _few(pairs: _Met | None) -> str:
    """Say how many pairs of user and topic met every group."""
    return "none" if pairs is None or not pairs.whole else f"only {pairs.whole:,} of {pairs.many:,}"


def _apart(sessions: pl.DataFrame, users: int) -> dict[str, str]:
    """Claims of a design without pairs: sessions only where each user has one, and alone where there is one user."""
    if users == 1:  # such as within each user
        return {"sessions": "separate"}
    one_each = sessions.height == users
    return {"users": "separate"} | ({"sessions": "separate"} if one_each else {})
