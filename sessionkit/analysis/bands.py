"""Bands around means by slot, rank or recall: how far they could lie elsewhere with other users like these, or other sessions.

A reduction that groups sessions adds up the same sums for every unit of every group; means of units that are drawn with
replacement are then products of two matrices: how often each unit is drawn, and what it adds at every place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
import polars as pl

from sessionkit.analysis.bootstrap import FEWEST, MOST_UNDEFINED, Numbers, Resampling, Units
from sessionkit.analysis.groups import Grouping
from sessionkit.errors import UsageError
from sessionkit.scoring import exact
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.reduction import Reduction
from sessionkit.study import Study

OF_BAND = ("low", "high", "units")
"""What a table of means has beside them if it has bands."""
MOST_UNITS = 20_000
"""Units up to which there are bands; of more they are no wider than a line."""
RATIO_WITHOUT_BANDS = (
    "normalize=averages divides mean curves, which have no bands; the mean of shares has: normalize=each"
)
DRAWS = Resampling.draws
"""Draws of units, unless another number is asked for."""


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
