"""The units that are compared: values aligned by key, blocks or separate groups, and least squares without user and topic effects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl

from sessionkit.errors import UsageError
from sessionkit.statistics.design import Design
from sessionkit.statistics.distributions import differences
from sessionkit.statistics.session_values import GroupedSessions


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

    def differences(self, first: int, second: int) -> np.ndarray:
        """Of every unit the second group's value less the first's, ties made the same, see `sessionkit.statistics.distributions`."""
        return differences(self.values[:, first], self.values[:, second])


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
    """Sessions of a crossover: value, group, user and topic of each, the last three as numbers from 0.

    A `model` of these users, topics and groups that other values were fitted on saves half of the work.
    """

    values: np.ndarray
    group: np.ndarray
    user: np.ndarray
    topic: np.ndarray
    groups: int
    model: LeastSquares | None = None
    layout = "crossed"

    @cached_property
    def fit(self) -> LeastSquaresFit | None:
        """The values by least squares on user + topic + group; None where the groups cannot be told apart."""
        model = self.model or LeastSquares(Effects(self.user, self.topic), indicators(self.group, self.groups))
        return model.fit(self.values[:, None])

    @cached_property
    def by_user(self) -> np.ndarray:
        """Mean of every user's sessions with every group."""
        return mean_cells(self.values, self.user, self.group, self.groups)

    @cached_property
    def by_user_adjusted(self) -> np.ndarray:
        """The same of sessions less the mean of their topic plus the mean of all, as no user searched a topic with two groups."""
        if not len(self.values):
            return self.by_user
        of_topic = mean_cells(self.values, self.topic, np.zeros_like(self.topic), 1)[:, 0]
        return mean_cells(self.values - of_topic[self.topic] + self.values.mean(), self.user, self.group, self.groups)

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


def coded(column: pl.Series) -> tuple[np.ndarray, pl.Series]:
    """Numbers from 0 in the order of the names, and the names; nulls are -1."""
    if not column.null_count() and (column.slice(1) > column.head(len(column) - 1)).all():
        return np.arange(len(column)), column.alias("name")  # ids of sessions, in their order
    names = column.drop_nulls().unique().sort().alias("name")
    ranks = column.rank("dense").cast(pl.Int64)
    return (ranks.fill_null(0) if ranks.null_count() else ranks).to_numpy() - 1, names


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


MOST = 2_000
"""Users or topics, whichever are fewer, that are taken out at once."""
NULL = 1e-11
"""Share of the largest eigenvalue of cross products below which one is 0: one eigenvalue is, for each part that shares no user or
topic with the others, and comes out as some 1e-15. numpy's own limit for `pinv`, 1e-15, keeps some of these and inverts rounding."""


@dataclass(frozen=True, eq=False)
class Members:
    """Which rows belong together, such as those of a user.

    Parameters
    ----------
    number
        Number of every row's user, from 0.
    many
        How many users there are.
    """

    number: np.ndarray
    many: int

    @classmethod
    def of(cls, number: np.ndarray) -> Members:
        """As many as the largest number says."""
        return cls(number, int(number.max(initial=-1)) + 1)

    @cached_property
    def sizes(self) -> np.ndarray:
        """How many rows each has."""
        return np.bincount(self.number, minlength=self.many).astype(float)

    def sums(self, columns: np.ndarray) -> np.ndarray:
        """Sum of each one's rows: a row for each, a column for each column.

        >>> Members.of(np.array([1, 0, 1])).sums(np.array([[1.0], [2.0], [4.0]])).tolist()
        [[2.0], [5.0]]
        """
        made = np.empty((self.many, columns.shape[1]))
        for place, column in enumerate(columns.T):
            made[:, place] = np.bincount(self.number, weights=column, minlength=self.many)
        return made

    def means(self, columns: np.ndarray) -> np.ndarray:
        """Of every row the mean of the rows that it belongs to."""
        found: np.ndarray = (self.sums(columns) / self.sizes[:, None])[self.number]
        return found


@dataclass(frozen=True, eq=False)
class Effects:
    """The effects of users and topics, which are taken out of columns of numbers before anything else is fitted.

    Parameters
    ----------
    user, topic
        Number of every row's user and topic, from 0.
    """

    user: np.ndarray
    topic: np.ndarray

    def without(self, columns: np.ndarray) -> np.ndarray:
        """Return what is left of columns once the best-fitting sums of a user's and a topic's number are taken away."""
        left: np.ndarray = columns - self._many.means(columns)
        fitted = (self._inverse @ self._few.sums(left))[self._few.number]
        left = left - (fitted - self._many.means(fitted))
        return left

    @property
    def feasible(self) -> bool:
        """Whether users or topics are few enough."""
        return min(int(self.user.max(initial=0)), int(self.topic.max(initial=0))) < MOST

    @cached_property
    def rank(self) -> int:
        """How many numbers are free: users and topics, less one for every part that shares neither with the others."""
        users, topics = int(self.user.max(initial=-1)) + 1, int(self.topic.max(initial=-1)) + 1
        without_rows = users - len(np.unique(self.user))
        return users + topics - without_rows - _parts(self.user, self.topic)

    @cached_property
    def _many(self) -> Members:
        """Rows' users or topics, whichever are more."""
        return max(Members.of(self.user), Members.of(self.topic), key=lambda members: members.many)

    @cached_property
    def _few(self) -> Members:
        """The others."""
        users, topics = Members.of(self.user), Members.of(self.topic)
        return topics if topics.many <= users.many else users

    @cached_property
    def _inverse(self) -> np.ndarray:
        """Pseudo-inverse of the cross products of the few once the many are taken out.

        Raises
        ------
        UsageError
            There are too many of both.
        """
        from scipy.sparse import csr_matrix

        if not self.feasible:
            users, topics = int(self.user.max()) + 1, int(self.topic.max()) + 1
            msg = (
                f"least squares adjusts for at most {MOST:,} users or topics, and there are {users:,} and {topics:,}; "
                "test=t with population=topics would work"
            )
            raise UsageError(msg)
        many, few = self._many, self._few
        between = csr_matrix((np.ones(len(few.number)), (many.number, few.number)), shape=(many.many, few.many))
        shares = between.multiply(1 / many.sizes[:, None]).tocsr()
        products = np.diag(few.sizes) - (between.T @ shares).toarray()
        inverse: np.ndarray = np.linalg.pinv(products, rcond=NULL, hermitian=True)
        return inverse


@dataclass(frozen=True, eq=False)
class LeastSquaresFit:
    """Columns of values fitted on columns of predictors, users and topics taken out.

    Parameters
    ----------
    coefficients
        A row per predictor, a column per column of values.
    inverse
        Inverse of the predictors' cross products.
    variance
        Residual mean square of every column of values.
    df
        Residual degrees of freedom.
    explained
        Sum of squares that the predictors explain, by column of values.
    """

    coefficients: np.ndarray
    inverse: np.ndarray
    variance: np.ndarray
    df: int
    explained: np.ndarray


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """Users, topics and columns of predictors, on which any values of the same rows are fitted.

    Parameters
    ----------
    effects
        The users and topics of the rows.
    predictors
        A column per predictor.
    """

    effects: Effects
    predictors: np.ndarray

    def fit(self, values: np.ndarray) -> LeastSquaresFit | None:
        """Fit columns of values by least squares; None where the predictors cannot be told apart."""
        if self._inverse is None:
            return None
        x, y, inverse = self._left, self.effects.without(values), self._inverse
        coefficients = inverse @ (x.T @ y)
        df = len(y) - self.effects.rank - x.shape[1]
        explained = ((x @ coefficients) ** 2).sum(axis=0)
        left = ((y - x @ coefficients) ** 2).sum(axis=0)
        return LeastSquaresFit(
            coefficients, inverse, left / df if df > 0 else np.full(left.shape, np.nan), df, explained
        )

    @property
    def separable(self) -> bool:
        """Whether users and topics leave enough of the predictors to tell them apart."""
        return self._inverse is not None

    @cached_property
    def _left(self) -> np.ndarray:
        """What users and topics leave of the predictors."""
        return self.effects.without(self.predictors)

    @cached_property
    def _inverse(self) -> np.ndarray | None:
        """Inverse of the cross products of what is left; None where it does not exist."""
        products = self._left.T @ self._left
        scale = (self.predictors**2).sum(axis=0).mean()
        if np.linalg.matrix_rank(products, tol=1e-9 * scale, hermitian=True) < products.shape[0]:
            return None
        inverse: np.ndarray = np.linalg.inv(products)
        return inverse


def indicators(numbers: np.ndarray, many: int) -> np.ndarray:
    """Columns of 0 and 1 for every number from 1, 0 being what the others are compared with."""
    return (numbers[:, None] == np.arange(1, many)[None, :]).astype(float)


def _parts(user: np.ndarray, topic: np.ndarray) -> int:
    """How many parts there are that share neither a user nor a topic, a topic without rows being one.

    Every part is named by a topic of its own, which gives way to the least one that it shares a user with.

    >>> _parts(np.array([0, 0, 1, 2]), np.array([0, 1, 1, 2]))
    2
    """
    part = np.arange(int(topic.max(initial=-1)) + 1)
    while True:
        least = np.full(int(user.max(initial=-1)) + 1, len(part))
        np.minimum.at(least, user, part[topic])
        into = np.arange(len(part))
        np.minimum.at(into, part[topic], least[user])
        if (into[part] == part).all():
            return len(np.unique(part))
        while (into != into[into]).any():
            into = into[into]
        part = into[part]


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
        columns = {
            "unit": names[unit].tolist(),
            "group": [groups[number] for number in group.tolist()],
            "value": cells[unit, group],
        }
        schema = {"unit": pl.String, "group": pl.String, "value": pl.Float64}
        # beside the scalar, empty columns would lose their types
        return pl.DataFrame(columns, schema=schema).with_columns(adjusted=pl.lit(self.model is not None))

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
