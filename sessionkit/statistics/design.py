"""The design that the data have: who met which groups with which topics, its name, and which contrasts it supports within users."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np
import polars as pl

from sessionkit.arguments import Population
from sessionkit.errors import UsageError, suggestion

POPULATIONS: tuple[Population, ...] = get_args(Population)
"""What a claim goes beyond: the users (to users like them), the topics, or the sessions themselves."""
PAIR = ["user_id", "topic_id"]
HALF = 0.5
FORMS = {
    "both": "paired by user and topic",
    "crossover": "crossover",
    "users": "paired by user",
    "incomplete": "incomplete blocks",
    "topics": "paired by topic",
    "between": "between users",
    "sessions": "paired by session",
    "independent": "independent",
}
"""What designs are called."""


@dataclass(frozen=True)
class Design:
    """What the data allow.

    Parameters
    ----------
    name
        ``"both"``: paired by user and topic; ``"crossover"``: every user searched every topic once, groups alternated;
        ``"incomplete"``: users met several groups, most not all; ``"users"``, ``"topics"``, ``"sessions"``: paired by
        these; ``"independent"``.
    form
        What it is called, a key of `FORMS`; a level of one user may have another form than name.
    detail
        How many users and topics it holds for, as a sentence.
    layouts
        For every claim the design supports, the first being the default, how its units lie: ``"blocked"`` (each unit
        met every group), ``"crossed"`` or ``"separate"``.
    warning
        What a reader must know about it; empty if nothing.
    topics_apart
        Whether no topic was searched with several groups, so that a difference may be one of topics.
    qualifier
        What more its title says, such as that it is balanced.
    counts
        How many users, topics, and pairs of them there are, and how many met groups: `Counts` by ``"users"``, ``"topics"``,
        ``"pairs"`` and ``"sessions"``.
    """

    name: str
    form: str
    detail: str
    layouts: dict[str, str]
    warning: str = ""
    topics_apart: bool = False
    qualifier: str = ""
    counts: Mapping[str, Counts] = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """What it is, for people: its title, a colon, and how many users and topics it holds for."""
        return f"{self.title}: {self.detail}"

    @property
    def values(self) -> dict[str, Any]:
        """What the sentence says, as data."""
        counts = {
            name: None if name not in self.counts else dict(vars(self.counts[name]))
            for name in ("users", "topics", "pairs", "sessions")
        }
        return {"design": self.form, "is_balanced": bool(self.qualifier), **counts}

    @property
    def described(self) -> str:
        """What it is, and what a reader must know about it."""
        return f"{self.sentence}. Caution: {self.warning}" if self.warning else self.sentence

    @property
    def title(self) -> str:
        """Its name, for people."""
        return f"{FORMS[self.form]}, {self.qualifier}" if self.qualifier else FORMS[self.form]

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
    many_topics = topics is not None and topics.n > 1
    many_users = users is not None and users.n > 1
    apart_topics = many_topics and topics is not None and not topics.met_several
    units = {"users": users, "topics": topics, "pairs": pairs, "sessions": repeated}
    counts = {name: number for name, number in units.items() if number is not None}
    warning = ""
    if many_topics and topics is not None and topics.met_several < topics.n:
        warning = f"{topics.of_one('topic has', by)} only: a difference may be due to the topics"
    if pairs is not None and pairs.share > HALF and many_users and many_topics:
        had = "the same user searched the same topic with"
        if pairs.share < 1:
            had = f"in {pairs.met_all:,} of {pairs.n:,} pairs of a user and a topic the same user searched the same topic with"
        layouts = {"users": "blocked", "topics": "blocked", "sessions": "blocked"}
        return Design("both", "both", f"{had} {every} values of {by}", layouts, counts=counts)
    if users is not None and users.share > HALF and many_users:
        met_every = users.told("user met", f"{every} values of {by}")
        if topics is not None and many_topics and topics.share > HALF:
            detail = (
                f"{met_every}, {topics.told('topic was searched with', every)}, "
                f"and {_few(pairs)} of the pairs of a user and a topic has {every}; so sessions are paired by user and by topic, "
                "not by both at once"
            )
            qualifier = f"a balanced Latin square of users, topics and {by}" if _balanced(sessions) else ""
            layouts = {"users": "crossed", "topics": "blocked"} | again
            return Design("crossover", "crossover", detail, layouts, qualifier=qualifier, counts=counts)
        return Design("users", "users", met_every, {"users": "blocked"} | again, warning, apart_topics, counts=counts)
    if users is not None and users.several > HALF and many_users:
        met = users.told("user met", f"several values of {by}", users.met_several)
        beyond = {"topics": "blocked"} if topics is not None and many_topics and topics.share > HALF else {}
        layouts = {"users": "crossed"} | beyond | again
        return Design(
            "incomplete", "incomplete", f"{met}, {users.met_all or 'none'} of them {every}", layouts, counts=counts
        )
    if topics is not None and topics.share > HALF and many_topics:
        if users is not None and not users.share:
            had = topics.told("topic was searched with", every)
            detail = f"{users.of_one('user met', f'value of {by}')}; {had}"
            return Design(
                "topics", "between", detail, {"users": "separate", "topics": "blocked"} | again, counts=counts
            )
        detail = topics.told("topic was searched with", f"{every} values of {by}")
        return Design("topics", "topics", detail, {"topics": "blocked"} | again, counts=counts)
    if again and repeated is not None:
        has = repeated.told("session has a value for", f"{every} values of {by}")
        return Design("sessions", "sessions", has, again, counts=counts)
    detail, layouts = f"different sessions for each value of {by}", {"sessions": "separate"}
    if users is not None:
        detail, layouts = _independent_users(users, by), _apart(sessions, users.n)
    return Design("independent", "independent", detail, layouts, warning, apart_topics, counts=counts)


def _independent_users(users: Counts, by: str) -> str:
    """What is said where hardly any user met more than one group."""
    if users.n == 1 and users.met_several:
        return f"one user only, who met several values of {by}"
    few = f", except {users.met_several:,} of {users.n:,} users, who met several" if users.met_several else ""
    return f"different users for each value of {by}{few}"


@dataclass(frozen=True)
class Counts:
    """How many units there are, how many of them met every group, and how many met several."""

    n: int
    met_all: int
    met_several: int

    @property
    def share(self) -> float:
        """Share of units that met every group."""
        return self.met_all / max(1, self.n)

    @property
    def several(self) -> float:
        """Share of units that met several groups."""
        return self.met_several / max(1, self.n)

    def told(self, did: str, what: str, n_units: int | None = None) -> str:
        """Say how many units did something: each, or so many of all.

        >>> Counts(4, 4, 4).told("user met", "both"), Counts(4, 3, 4).told("user met", "both")
        ('each user met both', '3 of 4 users met both')
        """
        n_units = self.met_all if n_units is None else n_units
        unit, _, verb = did.partition(" ")
        if n_units == self.n:
            return f"each {did} {what}"
        verb = verb.replace("was ", "were ").replace("has", "have")
        return f"{n_units:,} of {self.n:,} {unit}s {verb} {what}"

    def of_one(self, did: str, what: str) -> str:
        """Say how many units met one group alone."""
        return self.told(did, f"one {what}", self.n - self.met_several)


def _complete(sessions: pl.DataFrame, key: list[str], groups: int) -> Counts | None:
    """Count units and those that met every group; None where most sessions do not name theirs."""
    named = sessions.select(*key, "group").drop_nulls(key)
    if 2 * named.height <= sessions.height:
        return None
    met = named.unique().group_by(key).len("met").get_column("met")
    return Counts(len(met), int((met == groups).sum()), int((met > 1).sum()))


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


def _few(pairs: Counts | None) -> str:
    """Say how many pairs of user and topic met every group."""
    return "none" if pairs is None or not pairs.met_all else f"only {pairs.met_all:,} of {pairs.n:,}"


def _apart(sessions: pl.DataFrame, users: int) -> dict[str, str]:
    """Claims of a design without pairs: sessions only where each user has one, and alone where there is one user."""
    if users == 1:  # such as within each user
        return {"sessions": "separate"}
    one_each = sessions.height == users
    return {"users": "separate"} | ({"sessions": "separate"} if one_each else {})


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
    return found.title, f"{found.detail}; {found.warning}" if found.warning else found.detail


TOLERANCE = 1e-8
"""Below this length of a column of 0 and 1 nothing but rounding is left."""
Cells = tuple[tuple[int, int], ...]
"""The levels in which a user has a value, in order, and with which of two groups: 0 or 1."""


@dataclass(frozen=True, eq=False)
class UserSequence:
    """Users who met the same groups in the same levels, such as S1 on topics 1 and 3 and S2 on topics 2 and 4.

    Parameters
    ----------
    cells
        The levels and groups that they met.
    values
        A row per user, a column per cell.
    """

    cells: Cells
    values: np.ndarray


@dataclass(frozen=True, eq=False)
class BetweenContrast:
    """A contrast of levels that only the means of users tell, and with it how users of different sequences differ.

    Parameters
    ----------
    weights
        What the contrast takes of each sequence's mean over users.
    minus, plus
        The levels whose difference of groups counts against it and for it; empty where levels count with several weights.
    """

    weights: np.ndarray
    minus: tuple[int, ...]
    plus: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Counterbalancing:
    """What the sequences of a study tell of the interaction of two groups with its levels.

    The mean of a sequence in a level is the sequence's own mean + the level's + the difference of the groups where it met the second
    group + this level's departure from that difference. The departures are the interaction. What least squares leaves of
    their columns, once the other effects are taken out, are the contrasts that users tell by themselves: their weights add
    up to 0 within each user, so that it does not matter how users of different sequences differ.

    Parameters
    ----------
    n_levels
        How many levels there are.
    within
        For each sequence a row per cell and a column per contrast: the weights of a user's values.
    between
        The contrast that is left for the means of users, if there is exactly one.
    """

    n_levels: int
    within: list[np.ndarray]
    between: BetweenContrast | None

    @property
    def n_within(self) -> int:
        """How many contrasts of levels users tell by themselves."""
        return self.within[0].shape[1]


def read_counterbalancing(sequences: Sequence[UserSequence], n_levels: int) -> Counterbalancing:
    """Find the contrasts that sequences of users tell.

    Examples
    --------
    Users search four topics, half with the systems A B A B and half with B A B A. They tell topic 1 from 3 and topic 2 from 4.
    Topics 1 and 3 against 2 and 4 is the difference of the two halves.

    >>> halves = [UserSequence(tuple(enumerate(groups)), np.zeros((10, 4))) for groups in ((0, 1, 0, 1), (1, 0, 1, 0))]
    >>> contrasts = read_counterbalancing(halves, 4)
    >>> contrasts.n_within, contrasts.between.minus, contrasts.between.plus
    (2, (0, 2), (1, 3))
    """
    number = np.repeat(np.arange(len(sequences)), [len(sequence.cells) for sequence in sequences])
    level, second = np.array([cell for sequence in sequences for cell in sequence.cells]).T
    # means of sequences of more users count more, as their variances are smaller
    root = np.sqrt([len(sequence.values) for sequence in sequences])[number][:, None]
    in_level = np.eye(n_levels)[level]
    nuisance = _orthonormal(root * np.column_stack([np.eye(len(sequences))[number], in_level, second]))
    departures = root * in_level * second[:, None]
    left = _orthonormal(departures - nuisance @ (nuisance.T @ departures))
    within = [left[number == place] for place in range(len(sequences))]
    return Counterbalancing(n_levels, within, _between(sequences, n_levels, left.T @ departures))


def _between(sequences: Sequence[UserSequence], n_levels: int, told_within: np.ndarray) -> BetweenContrast | None:
    """The contrast of users' means that tells something new; None where there is none, or several.

    Means of users are compared where all searched every level once, so that levels themselves cancel out.
    """
    levels = list(range(n_levels))
    if any([level for level, _ in sequence.cells] != levels for sequence in sequences):
        return None
    second = np.array([[group for _, group in sequence.cells] for sequence in sequences], dtype=float)
    # contrasts of sequences that leave out their common mean and the difference of the groups
    nuisance = _orthonormal(np.column_stack([np.ones(len(sequences)), second.sum(axis=1)]))
    free = _orthonormal(np.eye(len(sequences)) - nuisance @ nuisance.T)
    departures = free.T @ second / n_levels
    rows = _orthonormal(told_within.T)
    directions, lengths, _ = np.linalg.svd(departures - departures @ rows @ rows.T, full_matrices=False)
    new = directions[:, lengths > TOLERANCE]
    if new.shape[1] != 1:
        return None
    weights = free @ new[:, 0]
    of_levels = weights @ second / n_levels
    of_levels[np.abs(of_levels) < TOLERANCE] = 0
    turned = -1.0 if of_levels[np.flatnonzero(of_levels)[0]] > 0 else 1.0  # the first level counts against
    scale = turned / of_levels[of_levels > 0].sum()  # a mean over some levels minus a mean over others
    of_levels, weights = of_levels * scale, weights * scale
    minus, plus = np.flatnonzero(of_levels < 0), np.flatnonzero(of_levels > 0)
    if np.ptp(of_levels[minus]) + np.ptp(of_levels[plus]) > TOLERANCE:
        return BetweenContrast(weights, (), ())
    return BetweenContrast(weights, tuple(minus.tolist()), tuple(plus.tolist()))


def _orthonormal(columns: np.ndarray) -> np.ndarray:
    """Orthonormal columns that span the same space."""
    vectors, lengths, _ = np.linalg.svd(columns, full_matrices=False)
    basis: np.ndarray = vectors[:, lengths > TOLERANCE * max(1.0, lengths.max(initial=0.0))]
    return basis
