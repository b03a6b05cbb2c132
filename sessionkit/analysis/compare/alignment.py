"""Values aligned by key: the units that are compared, with whole pairs dropped and what was dropped counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl

from sessionkit.analysis.compare.design import Design
from sessionkit.analysis.compare.projection import Effects, LeastSquares, indicators
from sessionkit.analysis.compare.session_values import GroupedSessions
from sessionkit.analysis.compare.units import Blocked, Crossed, Separate, Units, coded, mean_cells

MOST_UNITS = 10_000
"""Units up to which a comparison lists each one's values."""


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


def aligned(sessions: GroupedSessions, column: int, design: Design, population: str) -> Aligned:
    """Align the values of one measure by key.

    In a design paired by user and topic, a pair with a missing or undefined value leaves whole; in a crossover, first
    the topics without any value, then the users with an undefined session or without one of the groups. Elsewhere a
    unit's value is the mean of its defined sessions, and a unit without a value for some group leaves whole.
    """
    return places_of(sessions, column, design, population).units(sessions.values[:, column])


def unit_values(sessions: GroupedSessions, column: int, design: Design, population: str) -> pl.DataFrame | None:
    """Return the values of the units that one measure is compared by: ``unit``, ``group``, ``value``, ``adjusted``.

    Those of a crossover are means of sessions from which the mean of their topic is taken, and to which the mean of all
    is added, as no user searched a topic with two groups; ``adjusted`` says so. None of more than `MOST_UNITS` units.
    """
    found = places_of(sessions, column, design, population)
    return found.by_unit(sessions.values[:, column], sessions.groups)


def places_of(sessions: GroupedSessions, column: int, design: Design, population: str) -> Places:
    """Which sessions are compared by one measure; measures that are defined in the same sessions are aligned alike."""
    defined = np.isfinite(sessions.values[:, column])
    key = (design.name, population, defined.tobytes())
    if key not in sessions.places:
        sessions.places[key] = _places(sessions, defined, design, population)
    found: Places = sessions.places[key]
    return found


def unit_totals(sessions: GroupedSessions, design: Design, population: str) -> list[int]:
    """Count the units of every group, whether or not a measure has a value of them: all units where they are paired."""
    key = _pair_key(sessions.frame, design, population)
    units = sessions.frame.select(*key, "group").drop_nulls(key)
    if is_paired(design, population):
        return [units.select(key).n_unique()] * len(sessions.groups)
    return [units.filter(group=group).select(key).n_unique() for group in sessions.groups]


def is_paired(design: Design, population: str) -> bool:
    """Whether every unit that is compared has met every group."""
    return design.layouts[population] == "blocked" or design.name == "crossover"


@dataclass(frozen=True, eq=False)
class Places:
    """Which sessions are compared and what they are sessions of, whatever their values.

    Parameters
    ----------
    keep
        Sessions with a defined value that the design has use for.
    group, unit, pair
        Of these their group, their unit and, where pairs of user and topic are averaged first, their pair; as numbers from 0.
    groups, layout, population
        How many groups there are, and how units lie.
    model
        Of a crossover, in which every session is a unit, what is fitted.
    unit_key
        Columns that name a unit.
    frame
        These sessions.
    dropped
        What was left out, and how much of it.
    """

    keep: np.ndarray
    group: np.ndarray
    unit: np.ndarray
    pair: np.ndarray | None
    groups: int
    layout: str
    population: str
    model: LeastSquares | None
    unit_key: list[str]
    frame: pl.DataFrame
    dropped: dict[str, int]

    def units(self, values: np.ndarray) -> Aligned:
        """The units of a measure's values."""
        values = values[self.keep]
        if self.model is not None:
            return Aligned(self._crossed(values, self.model), *self._many, _counted(self.dropped))
        cells = self._cells(values)
        finite, lost = self._finite
        if self.layout == "blocked":
            return Aligned(Blocked(cells[finite]), *self._many, _counted(self.dropped | lost))
        parts = tuple(cells[finite & np.isfinite(cells[:, number]), number] for number in range(self.groups))
        return Aligned(Separate(parts), *self._many, _counted(self.dropped | lost))

    def by_unit(self, values: np.ndarray, groups: Sequence[str]) -> pl.DataFrame | None:
        """The value of each unit with each group that it met, see `unit_values`."""
        if not 0 < int(self.unit.max(initial=-1)) + 1 <= MOST_UNITS:
            return None
        values = values[self.keep]
        names, cells = self.cells(values)
        if self.model is not None:
            cells = self._crossed(values, self.model).by_user_adjusted
        unit, group = np.nonzero(np.isfinite(cells))
        return pl.DataFrame(
            {
                "unit": names[unit].tolist(),
                "group": [groups[number] for number in group.tolist()],
                "value": cells[unit, group],
                "adjusted": self.model is not None,
            },
            # polars forgets the type of an empty column beside a single value, also that of a typed series
            schema_overrides={"unit": pl.String, "group": pl.String, "value": pl.Float64, "adjusted": pl.Boolean},
        )

    def cells(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Names of units, and the value of each with each group; NaN of a group not met, and of units not compared.

        Parameters
        ----------
        values
            Of the sessions that are kept.
        """
        names = np.empty(int(self.unit.max(initial=-1)) + 1, dtype=object)
        names[self.unit] = self.frame.select(pl.concat_str(self.unit_key, separator=", ")).to_series().to_numpy()
        if self.model is not None:
            return names, mean_cells(values, self.unit, self.group, self.groups)
        return names, np.where(self._finite[0][:, None], self._cells(values), np.nan)

    def _crossed(self, values: np.ndarray, model: LeastSquares) -> Crossed:
        """The sessions of a crossover."""
        return Crossed(values, self.group, model.effects.user, model.effects.topic, self.groups, model)

    def _cells(self, values: np.ndarray) -> np.ndarray:
        """Mean of every unit with every group, of the means of its pairs where there are any."""
        cells = mean_cells(values, self.unit, self.group, self.groups)
        if self.pair is None:
            return cells
        of_pair = mean_cells(values, self.pair, self.group, self.groups)
        unit_of_pair = np.zeros(len(of_pair), dtype=np.int64)
        unit_of_pair[self.pair] = self.unit
        alone = np.zeros_like(unit_of_pair)
        columns = [mean_cells(of_pair[:, j], unit_of_pair, alone, 1) for j in range(self.groups)]
        return np.hstack(columns) if len(of_pair) else cells

    @cached_property
    def _finite(self) -> tuple[np.ndarray, dict[str, int]]:
        """The units that are compared, and how many are not."""
        there = np.isfinite(self._cells(np.zeros(len(self.group))))
        if self.layout == "blocked":
            whole = there.all(axis=1)
            return whole, {f"{self.population} without a value for every group": int((~whole).sum())}
        alone = there.sum(axis=1) == 1
        return alone, {f"{self.population} who met several groups": int((~alone).sum())}

    @cached_property
    def _many(self) -> tuple[int, int, int]:
        """How many users, topics and sessions are compared."""
        frame = self.frame if self.model is not None else self.frame.filter(pl.Series(self._finite[0][self.unit]))
        users, topics = (frame.get_column(name).drop_nulls().n_unique() for name in ("user_id", "topic_id"))
        return users, topics, frame.height


def _places(sessions: GroupedSessions, defined: np.ndarray, design: Design, population: str) -> Places:
    """Find the sessions to compare."""
    frame, groups = sessions.frame, len(sessions.groups)
    dropped = {}
    group = sessions.numbers
    needed = {"both": ["user_id", "topic_id"], "crossover": ["user_id", "topic_id"]}.get(
        design.name, [_key(population)]
    )
    keep = frame.select(pl.all_horizontal(pl.col(needed).is_not_null())).to_series().to_numpy()
    dropped[f"sessions without {' or '.join(needed)}"] = int((~keep).sum())
    values = np.where(defined, 0.0, np.nan)
    if design.name == "crossover":
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
        whole &= np.bincount(pair[keep], weights=~defined[keep], minlength=len(whole)) == 0
        dropped["pairs of user and topic with a missing or undefined value"] = int(
            (~whole[np.unique(pair[keep])]).sum()
        )
        keep = keep & whole[pair]
    else:
        lost = keep & ~defined
        for number, name in enumerate(sessions.groups):
            dropped[f"undefined sessions of {name}"] = int((lost & (group == number)).sum())
        keep = keep & ~lost
    frame, group, layout = frame.filter(pl.Series(keep)), group[keep], design.layouts[population]
    if layout == "crossed":
        user, topic = (coded(frame.get_column(name).fill_null(""))[0] for name in ("user_id", "topic_id"))
        model = LeastSquares(Effects(user, topic), indicators(group, groups))
        return Places(keep, group, user, None, groups, layout, population, model, ["user_id"], frame, dropped)
    unit_key = _pair_key(frame, design, population)
    unit = _numbered(frame, unit_key)
    first = _numbered(frame, ["user_id", "topic_id"]) if design.name == "both" and population != "sessions" else None
    return Places(keep, group, unit, first, groups, layout, population, None, unit_key, frame, dropped)


def _counted(dropped: dict[str, int]) -> dict[str, int]:
    """What was left out at all."""
    return {what: count for what, count in dropped.items() if count}


def _key(population: str) -> str:
    """Column that names the units of a claim."""
    return {"users": "user_id", "topics": "topic_id", "sessions": "session_id"}[population]


def _pair_key(frame: pl.DataFrame, design: Design, population: str) -> list[str]:
    """Columns that name a unit: a session that has a value for every group itself, or its user and topic."""
    if population == "sessions" and design.name == "both" and frame.get_column("session_id").is_unique().all():
        return ["user_id", "topic_id"]
    return [_key(population)]


def _numbered(frame: pl.DataFrame, keys: list[str]) -> np.ndarray:
    """Number the rows by their keys, from 0 and without gaps, in the order of the keys."""
    codes = [coded(frame.get_column(key)) for key in keys]
    if len(codes) == 1:
        return codes[0][0]
    number = codes[0][0] * (len(codes[1][1]) + 1) + codes[1][0]
    return np.unique(number, return_inverse=True)[1]
