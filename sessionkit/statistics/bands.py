"""Groups of sessions and the intervals around their means: bands by slot, rank or recall, and intervals by topic."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
import polars as pl

from sessionkit.display.labels import natural_places
from sessionkit.errors import DataError, UsageError
from sessionkit.scoring import exact
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.reduction import Reduction
from sessionkit.scoring.score import By, group_keys
from sessionkit.statistics.distributions import FEWEST, MOST_UNDEFINED, Numbers, Resampling, Units, t_at
from sessionkit.study import Study
from sessionkit.study.counts import sessions_with

OF_BAND = ("low", "high", "units")
"""What a table of means has beside them if it has bands."""
MOST_UNITS = 20_000
"""Units up to which there are bands; of more they are no wider than a line."""
RATIO_WITHOUT_BANDS = (
    "normalize=averages divides mean curves, which have no bands; the mean of shares has: normalize=each"
)
DRAWS = Resampling.draws
"""Draws of units, unless another number is asked for."""


@dataclass(frozen=True)
class Grouping:
    """The columns that make groups.

    Parameters
    ----------
    keys
        The columns of sessions or users with their types; none, all sessions are one group.
    of_users
        Those of them that the users have.
    named_as_shown
        Whether the text of a group is its name, of one column at most, as `by_columns` needs it, not what `keyed` reads.
    """

    keys: Mapping[str, pl.DataType] = field(default_factory=dict)
    of_users: tuple[str, ...] = ()
    named_as_shown: bool = False

    @classmethod
    def of(cls, study: Study, by: By, taken: Collection[str] = (), *, several: bool = True) -> Grouping:
        """Check what is asked of a study.

        Parameters
        ----------
        by
            Columns of the sessions or users; None puts all sessions in one group.
        taken
            Columns that the table of results has itself.
        several
            Whether more than one column may be named; where not, the text of a group is its name.

        Raises
        ------
        UsageError
            If there is no such column, the table has one of that name, or one column too many is named.
        DataError
            If the study has no session at all.
        """
        keys = group_keys(study, by, taken)
        if len(keys) > 1 and not several:
            raise UsageError(f"by takes one column here, such as {next(iter(keys))}, not {', '.join(keys)}")
        if not study.facts.sessions:
            msg = "the study has no sessions; see what was rejected: sessionkit check"
            raise DataError(msg)
        of_sessions, users = study.columns("sessions"), study.columns("users")
        of_users = tuple(name for name in keys if name in users and name not in of_sessions)
        return cls(keys, of_users, named_as_shown=not several)

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read for it, by table."""
        return {"sessions": [name for name in self.keys if name not in self.of_users], "users": list(self.of_users)}

    def sessions(self, batch: SessionBatch) -> pl.DataFrame:
        """The sessions of a batch, in order: ``session``, ``group`` (text by which a group is known; null where unknown)."""
        return batch.sessions.select("session", group=batch.features.with_columns(__group=self._text())["__group"])

    def named(self, found: pl.DataFrame) -> pl.DataFrame:
        """Name the group of the sessions whose group is unknown, in a table of all groups."""
        alone = found.get_column("group").null_count() == len(found)
        return found.with_columns(pl.col("group").fill_null(EVERYONE if alone else UNKNOWN))

    def keyed(self, found: pl.DataFrame) -> pl.DataFrame:
        """A table with the columns that make the groups in place of ``group``, in their order."""
        texts = {name: pl.col("group") for name in self.keys}
        if len(self.keys) > 1:
            several = pl.col("group").str.json_decode(pl.Struct(dict.fromkeys(self.keys, pl.String())))
            texts = {name: several.struct.field(name) for name in self.keys}
        columns = [_read(texts[name], dtype).alias(name) for name, dtype in self.keys.items()]
        table = found.select(*columns, pl.exclude("group"))
        places = [pl.lit(natural_places(table.get_column(name))) for name in self.keys]
        return table.sort(places, maintain_order=True) if places and len(table) else table

    def _text(self) -> pl.Expr:
        """The text by which the group of a session is known."""
        if self.named_as_shown and self.keys:
            return group_text(next(iter(self.keys)))
        texts = [_written(pl.col(name), dtype).alias(name) for name, dtype in self.keys.items()]
        if not texts:
            return pl.lit(None, pl.String)
        return texts[0] if len(texts) == 1 else pl.struct(texts).struct.json_encode()


def _written(column: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """A column as text from which it can be read again."""
    return (column.cast(pl.Int64) if dtype.is_temporal() or dtype == pl.Boolean else column).cast(pl.String)


def _read(text: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """A column from what `_written` made of it."""
    if dtype.is_temporal() or dtype == pl.Boolean:
        return text.cast(pl.Int64).cast(dtype)
    return text.cast(dtype)


UNKNOWN = "(none)"


EVERYONE = "all sessions"


def group_text(name: str) -> pl.Expr:
    """A column as names of groups, null where unknown; a value that is written as `UNKNOWN` or `EVERYONE` stands in quotes.

    >>> pl.select(x=pl.Series(["(none)", '"(none)"', "A", None])).select(group_text("x"))["x"].to_list()
    ['"(none)"', '""(none)""', 'A', None]
    """
    text = pl.col(name).cast(pl.String)
    return pl.when(text.str.strip_chars('"').is_in([UNKNOWN, EVERYONE])).then(pl.format('"{}"', text)).otherwise(text)


@dataclass(frozen=True, eq=False)
class UnitGrouping(Grouping):
    """Groups cut into units: their sessions of one user, or of one topic, or each session by itself.

    Parameters
    ----------
    unit
        The column of sessions that names the units; None for sessions. A session that names none is its own.
    """

    unit: str | None = None

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read for it, by table."""
        columns = super().columns()
        return {**columns, "sessions": [*columns["sessions"], *([self.unit] if self.unit else [])]}

    def sessions(self, batch: SessionBatch) -> pl.DataFrame:
        """The sessions of a batch, in order: ``session``, ``group`` (the text of the group and of the unit)."""
        own = super().sessions(batch)
        unit = pl.concat_str(pl.lit("session "), batch.sessions.get_column("session_id"))
        if self.unit is not None:
            named = pl.concat_str(pl.lit(f"{self.unit} "), batch.features.get_column(self.unit).cast(pl.String))
            unit = pl.coalesce(named, unit)
        return own.select("session", group=pl.struct("group", unit=unit).struct.json_encode())


class UnitReduction(Reduction, Protocol):
    """A reduction whose table is made of means at places, such as slots, by group."""

    place: ClassVar[tuple[str, ...]]
    """The columns of a place."""
    cumulated: ClassVar[bool]
    """Whether sums and counts are what a place adds to those before it."""

    @property
    def grouping(self) -> Grouping:
        """The sessions and their groups."""

    def unit_sums(self, added: pl.DataFrame) -> pl.DataFrame:
        """What its parts, by ``group`` and ``unit``, add at every place to the mean: ``total`` and ``n``, as numbers."""


Means = TypeVar("Means", bound=UnitReduction)


@dataclass(frozen=True, eq=False)
class BandReduction:
    """The table of another reduction with the columns of `OF_BAND`.

    Parameters
    ----------
    means
        The reduction, its groups cut into units.
    resampling
        How units are drawn.
    """

    means: UnitReduction
    resampling: Resampling

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every batch is made of."""
        return self.means.columns()

    @property
    def slots(self) -> int:
        """As how many results each query counts."""
        return self.means.slots

    @property
    def columns_made(self) -> int:
        """Columns of numbers that are made of each result."""
        return self.means.columns_made

    def part(self, batch: SessionBatch) -> pl.DataFrame:
        """Sums of the batch's units."""
        return self.means.part(batch)

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one."""
        return self.means.added(parts)

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """The table of the other reduction, with bands."""
        added = by_unit(self.added([*parts]))
        table = self.means.whole([added.drop("unit")])
        sums = self.means.unit_sums(added)
        place = [*self.means.place]
        bands = [
            self._band(sums.filter(pl.col("group").eq_missing(group)), rows.select("group", *place))
            for (group,), rows in table.group_by("group", maintain_order=True)
        ]
        if not bands:
            return table.with_columns(low=pl.lit(None, pl.Float64), high=pl.lit(None, pl.Float64), units=pl.lit(0))
        found = pl.concat(bands)
        return table.join(found, on=["group", *place], how="left", nulls_equal=True, maintain_order="left")

    def _band(self, sums: pl.DataFrame, places: pl.DataFrame) -> pl.DataFrame:
        """The band of one group at its places."""
        known = with_any(sums)
        totals, counts = unit_matrices(known, names_of(known), places.drop("group"), cumulated=self.means.cumulated)
        low, high = ends(drawn_means([(totals, counts)], self.resampling)[0], met(counts), self.resampling.confidence)
        return places.with_columns(
            low=pl.Series(low).fill_nan(None), high=pl.Series(high).fill_nan(None), units=pl.Series(met(counts))
        )


def banded(study: Study, means: Means, resampling: Resampling | None) -> Reduction:
    """A reduction with bands over users (sessions, where no user is known to have several), or as it is if none are asked for.

    Raises
    ------
    UsageError
        There are more than `MOST_UNITS` units.
    """
    if resampling is None:
        return means
    units = units_of(study)
    return BandReduction(in_units(study, means, "user_id" if units.name == "users" else None), resampling)


def units_of(study: Study) -> Units:
    """What is drawn for bands, and why."""
    return Units.of(_users(study), "auto")


def has_bands(study: Study) -> bool:
    """Whether the units are not too many for bands."""
    return _many(study, "user_id") <= MOST_UNITS


def in_units(study: Study, means: Means, unit: str | None) -> Means:
    """A reduction with its groups cut into units.

    Raises
    ------
    UsageError
        There are more than `MOST_UNITS` units.
    """
    many = _many(study, unit)
    if many > MOST_UNITS:
        named = {"user_id": "users", "topic_id": "topics"}.get(unit or "", "sessions")
        msg = f"bands are drawn over at most {MOST_UNITS:,} {named}, not {many:,}; choose fewer sessions, or do without bands"
        raise UsageError(msg)
    of = means.grouping
    cut: Any = means  # a dataclass with the field grouping, which no protocol can say
    changed: Means = replace(cut, grouping=UnitGrouping(of.keys, of.of_users, of.named_as_shown, unit))
    return changed


def _users(study: Study) -> pl.Series:
    """The user of every session."""
    own = study.columns("sessions")
    users = pl.col("user_id") if "user_id" in own else pl.lit(None, pl.String).alias("user_id")
    return study.sessions.select("session_id", users).collect().get_column("user_id")


def _many(study: Study, unit: str | None) -> int:
    """How many units a study has; a session that names none is one."""
    if unit is None or unit not in study.columns("sessions"):
        return study.facts.sessions
    column = pl.col(unit)
    counts = study.sessions.select(column.drop_nulls().n_unique().alias("named"), column.null_count().alias("own"))
    return int(sum(counts.collect().row(0)))


def by_unit(added: pl.DataFrame) -> pl.DataFrame:
    """Parts of groups that were cut into units, with ``unit`` beside ``group``."""
    both = pl.Struct({"group": pl.String(), "unit": pl.String()})
    texts = added.select("group").unique()
    known = texts.with_columns(both=pl.col("group").str.json_decode(both))
    cut = added.join(known, on="group", how="left", maintain_order="left")
    parts = pl.col("both").struct
    return cut.with_columns(group=parts.field("group"), unit=parts.field("unit")).select(*added.columns, "unit")


def with_any(sums: pl.DataFrame) -> pl.DataFrame:
    """The rows of units that count anywhere."""
    return sums.filter((pl.col("n") != 0).any().over("unit"))


def names_of(sums: pl.DataFrame) -> pl.Series:
    """The units of such rows, in order of their names."""
    return sums.get_column("unit").unique().sort()


def unit_matrices(
    sums: pl.DataFrame, names: pl.Series, places: pl.DataFrame, *, cumulated: bool
) -> tuple[Numbers, Numbers]:
    """Totals and counts, a row for each of the named units, a column for each place."""
    rows = sums.join(places.with_row_index("column"), on=places.columns, how="inner")
    rows = rows.join(names.to_frame().with_row_index("row"), on="unit", how="left")
    at = rows.get_column("row").to_numpy(), rows.get_column("column").to_numpy()
    totals, counts = np.zeros((len(names), len(places))), np.zeros((len(names), len(places)))
    np.add.at(totals, at, rows.get_column("total").to_numpy())
    np.add.at(counts, at, rows.get_column("n").to_numpy())
    return (totals.cumsum(axis=1), counts.cumsum(axis=1)) if cumulated else (totals, counts)


def drawn_means(several: Sequence[tuple[Numbers, Numbers]], resampling: Resampling) -> list[Numbers]:
    """Means at every place, a row for each draw, of several totals and counts over the same units; NaN of none."""
    units, places = several[0][0].shape
    if not units:
        return [np.full((resampling.draws, places), np.nan) for _ in several]
    made: list[list[Numbers]] = [[] for _ in several]
    with np.errstate(invalid="ignore", divide="ignore"):
        for weights in resampling.weights(units):
            for means, (totals, counts) in zip(made, several, strict=True):
                means.append((weights @ totals) / (weights @ counts))
    return [np.concatenate(means) for means in made]


def met(counts: Numbers) -> np.ndarray[Any, np.dtype[np.int64]]:
    """At every place the units that count there."""
    number: np.ndarray[Any, np.dtype[np.int64]] = (counts > 0).sum(axis=0)
    return number


def ends(drawn: Numbers, units: np.ndarray[Any, np.dtype[np.int64]], confidence: float) -> tuple[Numbers, Numbers]:
    """The ends of the interval at every place, from values of draws; NaN with fewer than `FEWEST` units."""
    from scipy import special

    low, high = np.full(drawn.shape[1], np.nan), np.full(drawn.shape[1], np.nan)
    enough = np.isfinite(drawn).mean(axis=0) >= 1 - MOST_UNDEFINED
    for many in np.unique(units[enough & (units >= FEWEST)]):
        at = enough & (units == many)
        point = np.sqrt(many / (many - 1)) * special.stdtrit(many - 1, 0.5 + confidence / 2)
        known = drawn[:, at]
        quantile = np.nanquantile if np.isnan(known).any() else np.quantile  # the former goes place by place
        low[at], high[at] = quantile(known, special.ndtr([-point, point]), axis=0)
    return low, high


def resampling_of(*, bands: bool, confidence: float, draws: int, seed: int) -> Resampling | None:
    """How units are drawn, if bands are asked for.

    Raises
    ------
    UsageError
        A number of draws, a seed or a confidence is out of its range.
    """
    resampling = Resampling(draws, seed, confidence=confidence)
    return resampling if bands else None


def float_sums(total: str, n: str) -> tuple[pl.Expr, pl.Expr]:
    """A sum at the fixed scale and a count as ``total`` and ``n``."""
    return exact.unfixed(pl.col(total).cast(pl.Int128)).alias("total"), pl.col(n).cast(pl.Float64).alias("n")


MOST_DESCRIBED = 200
"""Most groups of a page or of tests; with many more, tests of all pairs take minutes and gigabytes."""


NAME = "__group"
"""The name of a group beside its columns, one of which may be called group."""


BETWEEN = " \N{MIDDLE DOT} "
"""Stands between the values of a group that several columns make, where it is named."""


def grouped_sessions(study: Study, by: By) -> pl.DataFrame:
    """The sessions of a study and the name of the group each is in: ``session_id``, ``group``, in the order of session_id.

    The parameters and errors are those of `Grouping.of`.
    """
    keys = group_keys(study, by, ())
    return with_groups(sessions_with(study, keys).collect(), keys).select("session_id", "group").sort("session_id")


def require_few_groups(by: object, number: int) -> None:
    """Raise UsageError for more groups than can be described, or tested, within seconds."""
    if number > MOST_DESCRIBED:
        raise UsageError(
            f"by={by}: the sessions have {number:,} groups, and at most {MOST_DESCRIBED} can be described; choose another column, or "
            "select sessions with where"
        )


def by_columns(study: Study, by: By, found: pl.DataFrame) -> pl.DataFrame:
    """A table with the columns that make the groups in place of ``group``, their name; `by` as `Grouping.of` has it."""
    groups = _groups(study, by).unique(NAME, keep="first", maintain_order=True)
    keys = groups.drop(NAME).columns
    joined = found.rename({"group": NAME}).join(groups, on=NAME, how="left", maintain_order="left")
    return joined.select(*keys, pl.exclude(NAME, *keys))


def with_groups(found: pl.DataFrame, keys: Collection[str]) -> pl.DataFrame:
    """A table with the name of each row's group as ``group``, of the columns that make the groups.

    >>> with_groups(pl.DataFrame({"system_id": ["A", None], "level": [1, 2], "n": [3, 4]}), ["system_id", "level"])["group"].to_list()
    ['A · 1', '(none) · 2']
    """
    texts = [group_text(name) for name in keys]
    if all(found.get_column(name).null_count() == len(found) for name in keys):
        return found.with_columns(group=pl.lit(EVERYONE))
    return found.with_columns(group=pl.concat_str([text.fill_null(UNKNOWN) for text in texts], separator=BETWEEN))


def _groups(study: Study, by: By) -> pl.DataFrame:
    """The columns that make the groups of a study and `NAME`, their name, a row for each group."""
    keys = group_keys(study, by, ())
    if not keys:
        return pl.DataFrame({NAME: [EVERYONE]})
    found = sessions_with(study, keys).select(*keys).unique().collect()
    return found.with_columns(with_groups(found, keys).get_column("group").alias(NAME))


LEAST = 2
"""Sessions of a mean that has an interval."""


def mean_intervals(means: pl.DataFrame, alpha: float = 0.05) -> pl.DataFrame:
    """Return means by topic with ``low`` and ``high``, null where fewer than two sessions have a value, or all the same.

    Parameters
    ----------
    means
        ``value``, ``n`` (sessions with a value) and ``sd`` (of their values, by n - 1; null where it is not known).
    alpha
        One minus the confidence.

    Examples
    --------
    >>> frame = pl.DataFrame({"value": [2.0, 1.0], "n": [3, 1], "sd": [1.0, None]})
    >>> mean_intervals(frame)["high"].round(3).to_list()  # 2 + 4.303 / sqrt(3)
    [4.484, None]
    """
    halves = [
        t_at(alpha / 2, n - 1) * sd / math.sqrt(n) if n is not None and n >= LEAST and sd else None
        for n, sd in means.select("n", "sd").iter_rows()
    ]
    return _around(means, "value", halves)


def difference_intervals(pairs: pl.DataFrame, alpha: float = 0.05) -> pl.DataFrame:
    """Return differences of two means by topic with ``low`` and ``high``, null where either is of fewer than two sessions,
    or no value differs from its mean.

    Parameters
    ----------
    pairs
        ``difference``, and ``n_a``, ``n_b``, ``sd_a``, ``sd_b`` as in `mean_intervals`.
    alpha
        One minus the confidence.

    Examples
    --------
    >>> frame = pl.DataFrame({"difference": [1.0], "n_a": [2], "n_b": [2], "sd_a": [1.0], "sd_b": [1.0]})
    >>> difference_intervals(frame)["low"].round(3).to_list()  # 1 - 4.303, as t has 2 degrees of freedom and the error is 1
    [-3.303]
    """
    rows = pairs.select("n_a", "n_b", "sd_a", "sd_b").iter_rows()
    halves = [_half_of_welch(n_a, n_b, sd_a, sd_b, alpha) for n_a, n_b, sd_a, sd_b in rows]
    return _around(pairs, "difference", halves)


def _half_of_welch(
    n_a: int | None, n_b: int | None, sd_a: float | None, sd_b: float | None, alpha: float
) -> float | None:
    """Half the interval of the difference of two means."""
    if n_a is None or n_b is None or sd_a is None or sd_b is None or min(n_a, n_b) < LEAST:
        return None
    first, second = sd_a**2 / n_a, sd_b**2 / n_b
    if first + second == 0:
        return None
    df = (first + second) ** 2 / (first**2 / (n_a - 1) + second**2 / (n_b - 1))
    return t_at(alpha / 2, df) * math.sqrt(first + second)


def _around(frame: pl.DataFrame, center: str, halves: Iterable[float | None]) -> pl.DataFrame:
    """The frame with the ends of intervals around a column."""
    half = pl.Series("half", halves, pl.Float64)
    return (
        frame.with_columns(half)
        .with_columns(low=pl.col(center) - pl.col("half"), high=pl.col(center) + pl.col("half"))
        .drop("half")
    )
