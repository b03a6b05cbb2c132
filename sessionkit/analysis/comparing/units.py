"""Values aligned by key: the units that are compared, with whole pairs dropped and what was dropped counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl

from sessionkit.analysis.comparing.designs import Design
from sessionkit.analysis.comparing.sessions import Sessions


@dataclass(frozen=True, eq=False)
class Blocked:
    """Units that each met every group: one row per unit, one column per group."""

    values: np.ndarray
    layout = "blocked"

    @property
    def counts(self) -> list[int]:
        """Units of every group."""
        return [len(self.values)] * self.values.shape[1]

    @property
    def means(self) -> np.ndarray:
        """Mean of every group."""
        return self.values.mean(axis=0) if len(self.values) else np.full(self.values.shape[1], np.nan)


@dataclass(frozen=True, eq=False)
class Separate:
    """Units that each met one group: their values, group by group."""

    values: tuple[np.ndarray, ...]
    layout = "separate"

    @property
    def counts(self) -> list[int]:
        """Units of every group."""
        return [len(values) for values in self.values]

    @property
    def means(self) -> np.ndarray:
        """Mean of every group."""
        return np.array([values.mean() if len(values) else np.nan for values in self.values])


@dataclass(frozen=True, eq=False)
class Crossed:
    """Sessions of a crossover: value, group, user and topic of each, the last three as numbers from 0."""

    values: np.ndarray
    group: np.ndarray
    user: np.ndarray
    topic: np.ndarray
    groups: int
    layout = "crossed"

    @cached_property
    def by_user(self) -> np.ndarray:
        """Mean of every user's sessions with every group."""
        return mean_cells(self.values, self.user, self.group, self.groups)

    @property
    def counts(self) -> list[int]:
        """Users who met each group."""
        return [int(many) for many in np.isfinite(self.by_user).sum(axis=0)]

    @property
    def means(self) -> np.ndarray:
        """Mean of every group's sessions."""
        found: np.ndarray = mean_cells(self.values, np.zeros_like(self.group), self.group, self.groups, 1)[0]
        return found


Units = Blocked | Separate | Crossed


@dataclass(frozen=True)
class Aligned:
    """Units of one measure.

    Parameters
    ----------
    units
        The units.
    users, topics, sessions
        How many users, topics and sessions they are made of; 0 users or topics where the data name none.
    dropped
        What was left out, and how much of it.
    """

    units: Units
    users: int
    topics: int
    sessions: int
    dropped: dict[str, int] = field(default_factory=dict)


def aligned(sessions: Sessions, column: int, design: Design, claim: str) -> Aligned:
    """Align the values of one measure by key.

    In a design paired by user and topic, a pair with a missing or undefined value leaves whole; in a crossover, first
    the topics without any value, then the users with an undefined session or without one of the groups. Elsewhere a
    unit's value is the mean of its defined sessions, and a unit without a value for some group leaves whole.
    """
    frame, values = sessions.frame, sessions.values[:, column]
    groups, dropped = len(sessions.groups), {}
    group, _ = coded(frame.get_column("group"))
    needed = {"both": ["user_id", "topic_id"], "crossover": ["user_id", "topic_id"]}.get(design.name, [_key(claim)])
    keep = frame.select(pl.all_horizontal(pl.col(needed).is_not_null())).to_series().to_numpy()
    dropped[f"sessions without {' or '.join(needed)}"] = int((~keep).sum())
    if design.name == "crossover":
        defined = np.isfinite(values)
        topic, named = coded(frame.get_column("topic_id"))
        hopeless = np.bincount(topic[keep], weights=defined[keep], minlength=len(named)) == 0
        dropped["topics without any value"] = int(hopeless.sum())
        keep = keep & ~hopeless[topic]
        user, named = coded(frame.get_column("user_id"))
        met = np.isfinite(mean_cells(values[keep], user[keep], group[keep], groups, len(named))).all(axis=1)
        bad = (np.bincount(user[keep], weights=~defined[keep], minlength=len(named)) > 0) | ~met
        there = np.bincount(user[keep], minlength=len(named)) > 0
        dropped["users with an undefined session or without one of the groups"] = int((bad & there).sum())
        keep = keep & ~bad[user]
    elif design.name == "both":
        pair = _numbered(frame, ["user_id", "topic_id"])
        whole = np.isfinite(mean_cells(values[keep], pair[keep], group[keep], groups, int(pair.max()) + 1)).all(axis=1)
        whole &= np.bincount(pair[keep], weights=~np.isfinite(values[keep]), minlength=len(whole)) == 0
        dropped["pairs of user and topic with a missing or undefined value"] = int(
            (~whole[np.unique(pair[keep])]).sum()
        )
        keep = keep & whole[pair]
    else:
        lost = keep & ~np.isfinite(values)
        for number, name in enumerate(sessions.groups):
            dropped[f"undefined sessions of {name}"] = int((lost & (group == number)).sum())
        keep = keep & ~lost
    frame, values, group = frame.filter(pl.Series(keep)), values[keep], group[keep]
    units, used, lost_units = _units(frame, values, group, groups=groups, design=design, claim=claim)
    dropped |= lost_units
    frame = frame.filter(pl.Series(used))
    many = {name: frame.get_column(name).drop_nulls().n_unique() for name in ("user_id", "topic_id")}
    counted = {what: count for what, count in dropped.items() if count}
    return Aligned(units, many["user_id"], many["topic_id"], frame.height, counted)


def _units(
    frame: pl.DataFrame, values: np.ndarray, group: np.ndarray, *, groups: int, design: Design, claim: str
) -> tuple[Units, np.ndarray, dict[str, int]]:
    """Make units of sessions; which sessions are in them, and how many units were dropped."""
    everything = np.ones(len(values), dtype=bool)
    layout = design.layouts[claim]
    if layout == "crossed":
        user, topic = (coded(frame.get_column(name).fill_null(""))[0] for name in ("user_id", "topic_id"))
        return Crossed(values, group, user, topic, groups), everything, {}
    unit = _numbered(frame, _pair_key(frame, design, claim))
    cells = mean_cells(values, unit, group, groups)
    if design.name == "both" and claim != "sessions":
        pair = _numbered(frame, ["user_id", "topic_id"])
        of_pair = mean_cells(values, pair, group, groups)
        unit_of_pair = np.zeros(len(of_pair), dtype=np.int64)
        unit_of_pair[pair] = unit
        columns = [mean_cells(of_pair[:, j], unit_of_pair, np.zeros_like(unit_of_pair), 1) for j in range(groups)]
        cells = np.hstack(columns) if len(of_pair) else cells
    if layout == "blocked":
        whole = np.isfinite(cells).all(axis=1)
        return Blocked(cells[whole]), whole[unit], {f"{claim} without a value for every group": int((~whole).sum())}
    alone = np.isfinite(cells).sum(axis=1) == 1
    parts = tuple(cells[alone & np.isfinite(cells[:, number]), number] for number in range(groups))
    return Separate(parts), alone[unit], {f"{claim} who met several groups": int((~alone).sum())}


def coded(column: pl.Series) -> tuple[np.ndarray, pl.Series]:
    """Numbers from 0 in the order of the names, and the names; nulls are -1."""
    names = column.drop_nulls().unique().sort().alias("name")
    numbers = names.to_frame().with_row_index("number")
    found = column.alias("name").to_frame().join(numbers, on="name", how="left", maintain_order="left")
    return found.get_column("number").cast(pl.Int64).fill_null(-1).to_numpy(), names


def mean_cells(
    values: np.ndarray, unit: np.ndarray, group: np.ndarray, groups: int, units: int | None = None
) -> np.ndarray:
    """Mean of the finite values of every unit with every group; NaN where there is none."""
    units = int(unit.max(initial=-1)) + 1 if units is None else units
    finite = np.isfinite(values)
    cell = unit[finite] * groups + group[finite]
    size = np.bincount(cell, minlength=units * groups)
    total = np.bincount(cell, weights=values[finite], minlength=units * groups)
    means = np.divide(total, size, out=np.full(total.shape, np.nan), where=size > 0)
    return means.reshape(units, groups)


def _key(claim: str) -> str:
    """Column that names the units of a claim."""
    return {"users": "user_id", "topics": "topic_id", "sessions": "session_id"}[claim]


def _pair_key(frame: pl.DataFrame, design: Design, claim: str) -> list[str]:
    """Columns that name a unit: a session that has a value for every group itself, or its user and topic."""
    if claim == "sessions" and design.name == "both" and frame.get_column("session_id").is_unique().all():
        return ["user_id", "topic_id"]
    return [_key(claim)]


def _numbered(frame: pl.DataFrame, keys: list[str]) -> np.ndarray:
    """Number the rows by their keys, from 0 and without gaps, in the order of the keys."""
    codes = [coded(frame.get_column(key)) for key in keys]
    if len(codes) == 1:
        return codes[0][0]
    number = codes[0][0] * (len(codes[1][1]) + 1) + codes[1][0]
    return np.unique(number, return_inverse=True)[1]
