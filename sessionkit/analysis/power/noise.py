"""What varies between sessions, as variance components of the study, with draws of how uncertain they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from sessionkit.analysis.compare.design import Design
from sessionkit.analysis.compare.session_values import GroupedSessions
from sessionkit.analysis.compare.units import coded
from sessionkit.analysis.variance_components.factors import Factors
from sessionkit.analysis.variance_components.meansquares import MeanSquares, mean_squares
from sessionkit.analysis.variance_components.random_factors import SESSION, TOPIC, USER, chosen
from sessionkit.errors import DataError

MOST_LEVELS = 1_000
"""Users, topics and cells that components are estimated from; of larger studies some users are taken at random."""
EXACT = 1e-7
"""Residual sd, as a share of the largest value, below which it is rounding: it is the root of a difference of sums of squares."""
WITH_USER, WITH_TOPIC = "group:user", "group:topic"
"""What users and topics do to the groups."""


@dataclass(frozen=True, eq=False)
class Noise:
    """Variance components of a study.

    Parameters
    ----------
    names
        Names of the components, ``residual`` last.
    estimates
        Their estimates, none below 0.
    draws
        A row per component, a column per draw.
    sampled
        Users that they are estimated from, where these are not all; else 0.
    """

    names: tuple[str, ...]
    estimates: np.ndarray
    draws: np.ndarray
    sampled: int = 0

    def of(self, name: str) -> tuple[float, np.ndarray]:
        """Estimate and draws of a component; 0 where the study does not tell it apart."""
        if name not in self.names:
            return 0.0, np.zeros(self.draws.shape[1])
        place = self.names.index(name)
        return float(self.estimates[place]), self.draws[place]


def noise(sessions: GroupedSessions, column: int, design: Design, draws: int, rng: np.random.Generator) -> Noise:
    """Estimate the components that matter in a design from mean squares, and draw them as uncertain as these leave them.

    Raises
    ------
    DataError
        A group has no value, or the sessions leave nothing to estimate from, or do not vary beyond groups and factors.
    """
    measure = sessions.measures[column]
    defined = np.isfinite(sessions.values[:, column])
    valued = set(sessions.frame.get_column("group").filter(pl.Series(defined)).unique())
    for group in sessions.groups:
        if group not in valued:
            msg = f"{measure}: {group} has no session with a value, so there is nothing to plan a study from; try another measure"
            raise DataError(msg)
    size = float(np.abs(sessions.values[defined, column]).max())
    sessions, sampled = _some(sessions, design, rng)
    factors, values = _pairs(sessions, column) if design.name == "both" else _whole(sessions, column, design)
    found = _squares(factors, values)
    if found is None or found[1].values[-1] <= (EXACT * size) ** 2:
        why = "too few sessions" if found is None else "groups, users and topics explain all variation"
        msg = f"{measure}: {why}, so there is nothing to plan a study from; try another measure, or a larger study"
        raise DataError(msg)
    factors, squares = found
    names = tuple(_own(name, sessions.by) for name in factors.names)
    return Noise((*names, "residual"), np.maximum(squares.components(), 0.0), squares.drawn(rng, draws), sampled)


def _whole(sessions: GroupedSessions, column: int, design: Design) -> tuple[Factors, np.ndarray]:
    """Sessions with the factors of the design that they tell apart."""
    by = sessions.by
    wanted = {
        "crossover": (USER, TOPIC, f"{by}:{TOPIC}"),
        "incomplete": (USER, TOPIC, f"{by}:{TOPIC}"),
        "users": (USER, f"{by}:{USER}"),
        "topics": (USER, TOPIC, f"{by}:{TOPIC}"),
        "sessions": (SESSION,),
        "independent": (USER,),
    }[design.name]
    known = [name for name in wanted if _known(sessions.frame, name.rpartition(":")[2])]
    found = chosen(sessions, column, known)
    return found.factors, found.values


def _pairs(sessions: GroupedSessions, column: int) -> tuple[Factors, np.ndarray]:
    """Contrasts within pairs of user and topic, in which all cancels that does not touch the groups."""
    k = len(sessions.groups)
    keep = np.isfinite(sessions.values[:, column])
    frame = sessions.frame.with_columns(value=pl.Series(sessions.values[:, column])).filter(pl.Series(keep))
    wide = (
        frame.drop_nulls([USER, TOPIC])
        .group_by(USER, TOPIC, "group")
        .agg(pl.col("value").mean())
        .pivot(on="group", on_columns=list(sessions.groups), index=[USER, TOPIC], values="value")
        .drop_nulls()
        .sort(USER, TOPIC)
    )
    values = wide.select(sessions.groups).to_numpy()
    contrasts = np.linalg.qr(np.column_stack([np.ones(k), np.eye(k)[:, 1:]]))[0][:, 1:]
    found = (values @ contrasts).T
    number = np.repeat(np.arange(k - 1), wide.height)
    levels = {WITH_USER: coded(wide.get_column(USER))[0], WITH_TOPIC: coded(wide.get_column(TOPIC))[0]}
    several = {name: of for name, of in levels.items() if 1 < int(of.max(initial=-1)) + 1 < len(of)}
    wide_levels = tuple(np.tile(of, k - 1) * (k - 1) + number for of in several.values())
    return Factors(number, k - 1, tuple(several), wide_levels), found.ravel()


def _squares(factors: Factors, values: np.ndarray) -> tuple[Factors, MeanSquares] | None:
    """Mean squares and their factors; those that leave no degrees of freedom are left to the residual, the last first."""
    while True:
        free = (
            len(values)
            - factors.groups
            - int(np.linalg.matrix_rank(factors.within, hermitian=True) if factors.names else 0)
        )
        if free > 0:
            return mean_squares(factors, values)
        if not factors.names:
            return None
        factors = factors.kept(range(len(factors.names) - 1))


def _some(sessions: GroupedSessions, design: Design, rng: np.random.Generator) -> tuple[GroupedSessions, int]:
    """All sessions, or those of some users where there are too many; how many users these are, else 0."""
    key = SESSION if design.name == "sessions" or not _known(sessions.frame, USER) else USER
    each = sessions.frame.get_column(key)
    names = each.drop_nulls().unique().sort()
    topics = sessions.frame.get_column(TOPIC).n_unique()
    k = len(sessions.groups)
    most = max(50, (MOST_LEVELS - topics * (k + 1)) // (k + 1)) if key == USER else 20 * MOST_LEVELS
    if len(names) <= most:
        return sessions, 0
    some = names.gather(np.sort(rng.permutation(len(names))[:most]))
    is_drawn = each.is_in(some.implode()).fill_null(value=False)
    frame = sessions.frame.filter(is_drawn)
    # components are those within groups, so a group of none of the drawn users is left out: its mean would be 0 / 0
    present = set(frame.get_column("group"))
    groups = tuple(group for group in sessions.groups if group in present)
    drawn = GroupedSessions(
        frame, sessions.values[is_drawn.to_numpy()], sessions.measures, groups, sessions.by, sessions.without_group
    )
    return drawn, most


def _known(frame: pl.DataFrame, column: str) -> bool:
    """Whether most sessions name theirs."""
    return 2 * frame.get_column(column).null_count() < frame.height


def _own(name: str, by: str) -> str:
    """Our name of a factor."""
    return {
        f"{by}:{USER}": WITH_USER, f"{by}:{TOPIC}": WITH_TOPIC, USER: "user", TOPIC: "topic", SESSION: "session",
    }.get(name, name)  # fmt: skip
