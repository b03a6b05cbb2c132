"""The random factors of a measure's sessions: which are asked for, and which of them the sessions can tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from sessionkit.analysis.compare.session_values import GroupedSessions, numbered
from sessionkit.analysis.compare.units import coded
from sessionkit.analysis.variance_components.factors import MOST_LEVELS, Factors
from sessionkit.errors import UsageError, suggestion

USER, TOPIC, SESSION = "user_id", "topic_id", "session_id"
HALF = 0.5
GROUPS = "the groups"
MANY = {USER: "users", TOPIC: "topics", SESSION: "sessions"}


@dataclass(frozen=True, eq=False)
class FactorChoice:
    """Sessions of one measure with the factors that they can tell apart.

    Parameters
    ----------
    factors, values
        The factors and the values.
    users, topics
        How many there are; 0 where unknown.
    left_out
        By factor, why it is not in the model.
    dropped
        What sessions were left out, and how many.
    """

    factors: Factors
    values: np.ndarray
    users: int
    topics: int
    left_out: dict[str, str]
    dropped: dict[str, int]


def asked_for(sessions: GroupedSessions, random: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the names of the factors asked for; by default users, topics and what topics, or else users, do to groups.

    Raises
    ------
    UsageError
        There is no such factor.
    """
    by = sessions.by
    known = [column for column in (USER, TOPIC) if column != by and _is_known(sessions.frame, column)]
    if random is None:
        repeated = [SESSION] if sessions.frame.get_column(SESSION).is_duplicated().any() else []
        varied = [f"{by}:{column}" for column in known[-1:]]
        return (*known, *varied, *repeated)
    if not isinstance(random, str | Sequence):
        raise UsageError(f"random= takes names of factors, such as user_id, not {random!r}")
    given = [text.strip() for text in random.split(",")] if isinstance(random, str) else list(random)
    possible = [*known, *(f"{by}:{column}" for column in known), SESSION]
    possible += [f"{USER}:{TOPIC}"] if len(known) == 2 else []
    if known and not any(str(name).strip() for name in given):
        msg = f"random= is empty; choose from {', '.join(possible)}, or leave it out"
        raise UsageError(msg)
    found = []
    for name in given:
        same = [each for each in possible if sorted(each.split(":")) == sorted(str(name).split(":"))]
        if not same:
            msg = f"random={name}: no such factor here; choose from {', '.join(possible)}{suggestion(str(name), possible)}"
            raise UsageError(msg)
        found += same
    return tuple(sorted(set(found), key=lambda each: (":" in each, found.index(each))))


def alike(sessions: GroupedSessions, names: Sequence[str]) -> str:
    """The factor that would let users differ in what groups do to them, where sessions could tell; else empty."""
    name = f"{sessions.by}:{USER}"
    if USER not in names or name in names:
        return ""
    met = sessions.frame.select(USER, "group").drop_nulls()
    cells = met.unique().height
    return name if 1 < met.get_column(USER).n_unique() < cells < met.height else ""


def chosen(sessions: GroupedSessions, column: int, names: Sequence[str]) -> FactorChoice:
    """Return one measure's sessions and factors; a session without a value, or without a factor's name, is left out.

    Parameters
    ----------
    sessions, column
        All sessions, and the number of the measure.
    names
        Names of the factors. One that the sessions cannot tell apart is left out.

    Raises
    ------
    UsageError
        They have too many levels.
    """
    keys = sorted({part for name in names for part in name.split(":")} - {sessions.by})
    defined = np.isfinite(sessions.values[:, column])
    dropped = {"undefined sessions": int((~defined).sum())}
    keep = defined
    for key in keys:
        named = sessions.frame.get_column(key).is_not_null().to_numpy()
        dropped[f"sessions without {key}"] = int((keep & ~named).sum())
        keep = keep & named
    frame = sessions.frame.filter(pl.Series(keep))
    group = numbered(frame, sessions.groups)
    left_out: dict[str, str] = {}
    levels: list[np.ndarray] = []
    kept: list[str] = []
    for name in names:
        of = _levels(frame, name, sessions.by)
        _fit_for(levels, of)
        why = _why_not(name, of, np.unique(group, return_inverse=True)[1], levels, kept)  # of groups with a value
        if why:
            left_out[name] = why
        else:
            kept.append(name)
            levels.append(of)
    counted = {key: frame.get_column(key).drop_nulls().n_unique() for key in (USER, TOPIC)}
    factors = Factors(group, len(sessions.groups), tuple(kept), tuple(levels))
    values = sessions.values[keep, column]
    return FactorChoice(
        factors, values, counted[USER], counted[TOPIC], left_out, {what: many for what, many in dropped.items() if many}
    )


def _fit_for(levels: list[np.ndarray], of: np.ndarray) -> None:
    """Refuse more levels than can be worked with, unless they are one per session, which is the residual."""
    many = sum(int(each.max(initial=-1)) + 1 for each in (*levels, of))
    if many > MOST_LEVELS and int(of.max(initial=-1)) + 1 < len(of):
        msg = (
            f"a mixed model of {len(of):,} sessions and {many:,} users, topics and cells is too large; up to {MOST_LEVELS:,} of "
            "these would work, or compare, which takes studies of any size"
        )
        raise UsageError(msg)


def _is_known(frame: pl.DataFrame, column: str) -> bool:
    """Whether most sessions name theirs."""
    return frame.height > 0 and frame.get_column(column).null_count() < HALF * frame.height


def _levels(frame: pl.DataFrame, name: str, by: str) -> np.ndarray:
    """Number of every session's level, without gaps."""
    number = np.zeros(frame.height, dtype=np.int64)
    for part in name.split(":"):
        of, names = coded(frame.get_column("group" if part == by else part))
        number = number * max(1, len(names)) + of
    found: np.ndarray = np.unique(number, return_inverse=True)[1]
    return found


def _why_not(name: str, of: np.ndarray, group: np.ndarray, levels: list[np.ndarray], kept: list[str]) -> str:
    """Say why sessions cannot tell a factor apart; empty where they can."""
    many = int(of.max(initial=-1)) + 1
    if many < 2:
        return (
            f"there is only one {MANY.get(name, name).removesuffix('s')}"
            if ":" not in name
            else "it has only one level"
        )
    if many == len(of):
        return "every session has a level of its own, so it is in the residual"
    for other, its in (*zip(kept, levels, strict=True), (GROUPS, group)):
        if len(np.unique(of * (int(its.max()) + 1) + its)) == many == int(its.max()) + 1:
            return f"it divides the sessions as {other} {'do' if other == GROUPS else 'does'}, so the two cannot be separated"
    tried = Factors(group, int(group.max()) + 1, (*kept, name), (*levels, of)).products
    size = np.sqrt(np.diag(tried))
    if not size.all() or np.linalg.matrix_rank(tried / np.outer(size, size), tol=1e-9, hermitian=True) < len(tried):
        return "it cannot be separated from the groups, the other factors and the residual"
    return ""
