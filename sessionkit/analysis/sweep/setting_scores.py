"""The values of many settings: means by group as `sessionkit.score` has them and, for a test, the values of its units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from sessionkit.analysis.compare.session_values import GroupedSessions, grouping_columns, no_column, require_free
from sessionkit.analysis.sweep.histograms import HistogramReduction, HistogramSums, Kind
from sessionkit.display.natural_order import in_natural_order
from sessionkit.errors import DataError, MeasureError, SessionkitError, UsageError
from sessionkit.scoring.measures.base import GainMeasure, Measure
from sessionkit.scoring.reduction import Reduction, run
from sessionkit.scoring.score import score_task
from sessionkit.study import Study
from sessionkit.study.session_counts import sessions_with

KEYS = ("session_id", "user_id", "topic_id")
ROWS = 4_000_000
"""Values of units that are worked out at once."""
TAKEN = ("setting", "value", "n", "undefined")
"""Columns of the means of settings."""
FREE = ("b", "bq", "p", "pq", "lambda")
"""Parameters that what the data refuse does not depend on."""


@dataclass(frozen=True)
class SettingMeans:
    """What one setting gives each group: mean (NaN where undefined), sessions with a value, and without."""

    value: np.ndarray
    n: np.ndarray
    undefined: np.ndarray


@dataclass(frozen=True, eq=False)
class SettingScores:
    """Some settings, scored.

    Parameters
    ----------
    means
        By measure.
    units
        The values that a test looks at, a column for each measure of `means`, in order; None where nothing is tested.
    refused
        What the data refuse, by measure.
    """

    means: dict[Measure, SettingMeans]
    units: GroupedSessions | None = None
    refused: dict[Measure, SessionkitError] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Ground:
    """A study and its groups, on which settings are scored.

    Parameters
    ----------
    study, column, groups, memory
        What is scored, by what it is grouped, the groups in order, and the memory to work within.
    base
        The sessions as a comparison sees them; None where nothing is tested.
    unit
        Column that names the units of the test: sessions, or users or topics whose sessions are averaged. None where nothing
        is tested.
    """

    study: Study
    column: str
    groups: tuple[str, ...]
    memory: str | int | None = None
    base: GroupedSessions | None = None
    unit: str | None = None
    _held: dict[Kind, tuple[frozenset[tuple[str, float]], HistogramSums]] = field(default_factory=dict, repr=False)

    def scored(self, measures: Sequence[Measure]) -> Iterator[SettingScores]:
        """Score settings, some at a time; what the data refuse is told apart, and does not stop the others."""
        asked = list(dict.fromkeys(measures))
        plain = [measure for measure in asked if Kind.of(measure) is not None]
        for group in (plain, [measure for measure in asked if Kind.of(measure) is None]):
            for part in self._parts(group):
                yield from self._tried(part, plain=group is plain)

    def _parts(self, measures: list[Measure]) -> Iterator[list[Measure]]:
        """Measures by their kind, so many at a time as memory allows."""
        step = len(measures) if self.base is None else max(1, ROWS // max(1, len(self.base.frame)))
        for first in range(0, len(measures), max(1, step)):
            yield measures[first : first + step]

    def _tried(self, measures: list[Measure], *, plain: bool) -> Iterator[SettingScores]:
        """Score some measures; where the data refuse any, those that differ in what matters apart."""
        try:
            yield self._from_counts(measures) if plain else self._from_scores(measures)
        except (DataError, MeasureError) as error:
            if len(measures) == 1:
                yield SettingScores({}, None, {measures[0]: error})
                return
            for part in _apart(measures):
                yield from self._tried(part, plain=plain)

    def _from_counts(self, measures: list[Measure]) -> SettingScores:
        """Values of plain sums, from counts that are kept for further settings."""
        kinds = by_kind(measures)
        wanted = {kind: frozenset((m.gain, m.min_grade) for m in group) for kind, group in kinds.items()}
        missing = [kind for kind in kinds if kind not in self._held or not wanted[kind] <= self._held[kind][0]]
        counted = (
            run(self.study, [self.counting(kind, kinds[kind]) for kind in missing], self.memory) if missing else []
        )
        for kind, counts in zip(missing, counted, strict=True):
            self._held[kind] = wanted[kind], HistogramSums(counts)
        means: dict[Measure, SettingMeans] = {}
        values: dict[Measure, np.ndarray] = {}
        frame = None
        for kind, group in kinds.items():
            held = self._held[kind][1]
            n, undefined = self._sessions(held)
            sums = held.group_sums(group, self.groups)
            for number, measure in enumerate(group):
                means[measure] = SettingMeans(_divided(sums[:, number], n), n, undefined)
            if self.base is not None:
                frame, of_units = self._units(held.units), held.sums(group)
                many = held.units["n"].to_numpy()
                values |= {measure: _divided(of_units[:, number], many) for number, measure in enumerate(group)}
        ordered = {measure: means[measure] for measure in measures}
        if frame is None:
            return SettingScores(ordered)
        return SettingScores(
            ordered, self._seen(frame, np.column_stack([values[measure] for measure in measures]), measures)
        )

    def counting(self, kind: Kind, measures: Sequence[GainMeasure]) -> HistogramReduction:
        """The task that counts what measures of a kind need."""
        gains = {(measure.gain, measure.min_grade): measure for measure in measures}
        columns = [self.column, *([self.unit] if self.unit not in (None, "session_id", self.column) else [])]
        reads = score_task(self.study, [*gains.values()], by=columns).columns()
        return HistogramReduction(kind, (*gains.values(),), self.column, self.unit, reads)

    def _sessions(self, held: HistogramSums) -> tuple[np.ndarray, np.ndarray]:
        """Sessions of every group with a value, and without."""
        counted = held.units.group_by("group").agg(pl.col("n", "undefined").sum())
        found = pl.DataFrame({"group": self.groups}).join(counted, on="group", how="left", maintain_order="left")
        return found["n"].fill_null(0).to_numpy(), found["undefined"].fill_null(0).to_numpy()

    def _from_scores(self, measures: list[Measure]) -> SettingScores:
        """Values of any measures, as scores."""
        tasks: list[Reduction] = [score_task(self.study, measures, by=[self.column])]
        if self.base is not None and self.unit == "session_id":
            tasks.append(score_task(self.study, measures, per="session"))
        elif self.base is not None and self.unit is not None:
            tasks.append(score_task(self.study, measures, by=[self.unit, self.column]))
        by_group, *by_unit = run(self.study, tasks, self.memory)
        named = by_group.with_columns(group=pl.col(self.column).cast(pl.String)).filter(pl.col("group").is_not_null())
        asked = pl.DataFrame({"measure": list(map(str, measures))}).join(
            pl.DataFrame({"group": self.groups}), how="cross"
        )
        found = asked.join(named, on=asked.columns, how="left", maintain_order="left")
        shape = len(measures), len(self.groups)
        value = _number(found["value"]).reshape(shape)
        counts = [found[name].fill_null(0).to_numpy().reshape(shape) for name in ("n", "undefined")]
        means = {
            measure: SettingMeans(*of_measure) for measure, *of_measure in zip(measures, value, *counts, strict=True)
        }
        if not by_unit or self.unit is None:
            return SettingScores(means)
        values = _number(by_unit[0]["value"]).reshape(-1, len(measures))
        first = by_unit[0].gather_every(len(measures))
        if self.unit == "session_id":
            frame = first.select(unit="session_id")
        else:
            frame = first.select(unit=pl.col(self.unit).cast(pl.String), group=pl.col(self.column).cast(pl.String))
            known = frame["group"].is_not_null()
            frame, values = frame.filter(known), values[known.to_numpy()]
        return SettingScores(means, self._seen(self._units(frame), values, measures))

    def _units(self, units: pl.DataFrame) -> pl.DataFrame:
        """Units as a comparison takes them: the sessions, or a row for each unit and group."""
        if self.base is None or self.unit == "session_id":
            return units.select(session_id="unit")
        number = pl.int_range(pl.len()).cast(pl.String)
        named = {name: pl.col("unit") if name == self.unit else pl.lit(None, pl.String) for name in KEYS[1:]}
        return units.select("group", session_id=number, **named)

    def _seen(self, frame: pl.DataFrame, values: np.ndarray, measures: Sequence[Measure]) -> GroupedSessions | None:
        """Units and their values; sessions in the order, and with the keys, of the base setting's."""
        if self.base is None:
            return None
        if self.unit == "session_id":
            row = frame.with_row_index("row")
            place = self.base.frame.select("session_id").join(row, on="session_id", how="left", maintain_order="left")
            frame, values = self.base.frame, values[place["row"].to_numpy()]
        return GroupedSessions(
            frame, values, tuple(map(str, measures)), self.groups, self.column, self.base.without_group
        )


def by_kind(measures: Sequence[Measure]) -> dict[Kind, list[GainMeasure]]:
    """The plain sums among some measures, by their kind."""
    kinds: dict[Kind, list[GainMeasure]] = {}
    for measure in measures:
        kind = Kind.of(measure)
        if kind is not None and measure.gain_measure is not None:
            kinds.setdefault(kind, []).append(measure.gain_measure)
    return kinds


def _apart(measures: list[Measure]) -> list[list[Measure]]:
    """Measures in parts: those that agree on all that data can refuse, or else each half."""
    parts: dict[str, list[Measure]] = {}
    for measure in measures:
        inner = measure.inner
        kept = {name: value for name, value in inner.parameters().items() if name not in FREE}
        parts.setdefault(f"{measure.name} {inner.name} {kept}", []).append(measure)
    if len(parts) > 1:
        return [*parts.values()]
    half = len(measures) // 2
    return [measures[:half], measures[half:]]


def _divided(sums: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Means of sums; NaN where there is nothing to average."""
    found: np.ndarray = np.divide(sums, n, out=np.full(sums.shape, np.nan), where=n > 0)
    return found


def _number(values: pl.Series) -> np.ndarray:
    """Values as doubles; NaN where undefined."""
    found: np.ndarray = values.cast(pl.Float64).fill_null(np.nan).to_numpy()
    return found


def groups_of(study: Study, column: str) -> tuple[tuple[str, ...], int]:
    """The groups of the sessions by name, in order, and how many sessions have none.

    Raises
    ------
    UsageError
        There is no such column, or no session has a value in it.
    """
    known = grouping_columns(study)
    if column not in known:
        raise no_column(column, known)
    require_free(column, TAKEN)
    values = sessions_with(study, [column]).select(pl.col(column).cast(pl.String).alias("group"))
    counted = values.group_by("group").len().collect()
    named = counted.drop_nulls("group")
    if named.is_empty():
        msg = f"by={column}: no session has a value in this column; choose another column"
        raise UsageError(msg)
    return tuple(in_natural_order(named["group"])), int(counted["len"].sum()) - int(named["len"].sum())
