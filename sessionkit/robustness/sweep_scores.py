"""Scores at every setting of a sweep, from cells that are counted once, and the group that leads at each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from sessionkit.display.labels import in_natural_order
from sessionkit.errors import DataError, MeasureError, SessionkitError, UsageError
from sessionkit.scoring import exact as exact_sums
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.execution import adds_up
from sessionkit.scoring.filter import Selection, defined_sessions
from sessionkit.scoring.histogram import GainHistogram
from sessionkit.scoring.measures.base import GainMeasure, Measure
from sessionkit.scoring.reduction import Reduction, run
from sessionkit.scoring.score import score_task
from sessionkit.statistics.comparison_table import Row, assembled, compared
from sessionkit.statistics.corrections import Corrected, Family, Options, corrected
from sessionkit.statistics.effects import Interval, Outcome, Pair, studentized
from sessionkit.statistics.procedures import ComparisonPlan
from sessionkit.statistics.session_values import GroupedSessions, grouping_columns, no_column, require_free
from sessionkit.statistics.significance import residual_variance
from sessionkit.statistics.units import Aligned, Blocked, Units
from sessionkit.study import Study
from sessionkit.study.counts import sessions_with

PLACE = ["query_position", "rank", "grade"]
UNIT = ["unit", "group"]
SCHEMA = pl.Schema(
    {
        **dict.fromkeys(UNIT, pl.String()),
        **dict.fromkeys(PLACE[:2], pl.Int32()),
        "grade": pl.Float64(),
        **dict.fromkeys(("many", "n", "undefined"), pl.Int64()),
    }
)
EXACT = 52
"""Bits of a whole number that a double holds, less one."""
CELLS = 2**24
"""Numbers that are worked out at once."""


@dataclass(frozen=True)
class Kind:
    """What measures must share to be worked out from the same counts."""

    selection: Selection
    unjudged_topics: str

    @classmethod
    def of(cls, measure: Measure) -> Kind | None:
        """The kind of a measure; None if it is no plain sum."""
        if not adds_up(measure):
            return None
        return cls(measure.selection, measure.inner.unjudged_topics)


@dataclass(frozen=True, eq=False)
class HistogramReduction:
    """Count the results of every unit by their cells, and its sessions.

    Parameters
    ----------
    kind
        What the measures share.
    measures
        Measures with every gain that is asked for.
    column
        Column of the sessions or users that names the group.
    unit
        Column that names the unit within the group, ``session_id`` among them; None, the group is the unit.
    reads
        Columns to read, by table.
    """

    kind: Kind
    measures: tuple[GainMeasure, ...]
    column: str
    unit: str | None
    reads: Mapping[str, Sequence[str]] = field(default_factory=dict)

    slots = 0
    columns_made = 1

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every batch is made of."""
        return self.reads

    def part(self, batch: SessionBatch) -> pl.DataFrame:
        """Counts of a batch: rows of cells with ``many``, and rows of units with ``n`` and ``undefined`` sessions."""
        selection = self.kind.selection
        defined = defined_sessions(batch, self.measures[0])
        cells = GainHistogram.of(batch, selection, self.measures)
        unit = pl.lit(None, pl.String) if self.unit is None else pl.col(self.unit).cast(pl.String)
        named = batch.features.select(unit=unit, group=pl.col(self.column).cast(pl.String))
        distinct = named.unique(maintain_order=True).with_row_index("number")
        number = named.join(distinct, on=UNIT, how="left", nulls_equal=True, maintain_order="left")["number"]
        held = cells.held(pl.select(pl.when(defined).then(number)).to_series())
        of_cells = held.select(
            pl.col("group").alias("number"),
            *(cells.places[name].gather(held["cell"]) for name in PLACE),
            pl.col("many").cast(pl.Int64),
        )
        sessions = pl.DataFrame([number, defined.alias("defined")]).group_by("number")
        of_units = sessions.agg(
            n=pl.col("defined").sum().cast(pl.Int64), undefined=(~pl.col("defined")).sum().cast(pl.Int64)
        )
        both = pl.concat([of_cells, of_units], how="diagonal")
        return both.join(distinct, on="number").select(SCHEMA.names()).cast(dict(SCHEMA))  # type: ignore[arg-type]

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one."""
        together = pl.concat([SCHEMA.to_frame(), *parts])
        return together.group_by(*UNIT, *PLACE).agg(pl.col("many", "n", "undefined").sum()).select(SCHEMA.names())

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """The counts of all sessions, in the order of their units and cells."""
        return self.added([*parts]).sort(*UNIT, *PLACE, nulls_last=True)


@dataclass(frozen=True, eq=False)
class HistogramSums:
    """The counts of all sessions whose group is known."""

    counts: pl.DataFrame
    _last: dict[tuple[GainMeasure, ...], pl.DataFrame] = field(default_factory=dict, repr=False)

    @cached_property
    def units(self) -> pl.DataFrame:
        """``unit``, ``group``, ``n``, ``undefined``, in order."""
        known = self.counts.filter(pl.col("rank").is_null(), pl.col("group").is_not_null())
        return known.select(*UNIT, "n", "undefined")

    def sums(self, measures: Sequence[GainMeasure]) -> np.ndarray:
        """Sum of every unit (rows) by each measure (columns)."""
        return self._exact(self._matrix, measures)

    def group_sums(self, measures: Sequence[GainMeasure], groups: Sequence[str]) -> np.ndarray:
        """Sum of every group (rows) by each measure (columns)."""
        from scipy.sparse import csr_matrix

        number = self.units["group"].replace_strict(groups, range(len(groups)), return_dtype=pl.Int64).to_numpy()
        shape = (len(groups), len(number))
        members = csr_matrix((np.ones(len(number)), (number, np.arange(len(number)))), shape=shape)
        return self._exact(members @ self._matrix, measures)

    @cached_property
    def _places(self) -> pl.DataFrame:
        """The cells that occur."""
        return self._rows.select(PLACE).unique(maintain_order=True)

    @cached_property
    def _rows(self) -> pl.DataFrame:
        """The rows of cells."""
        return self.counts.filter(pl.col("rank").is_not_null(), pl.col("group").is_not_null())

    @cached_property
    def _matrix(self):  # type: ignore[no-untyped-def]  # noqa: ANN202 - a sparse matrix
        """How many results each unit (row) has in each cell (column)."""
        from scipy.sparse import csr_matrix

        unit = self._rows.join(
            self.units.select(UNIT).with_row_index("row"), on=UNIT, how="left", nulls_equal=True, maintain_order="left"
        )
        cell = self._rows.join(
            self._places.with_row_index("cell"), on=PLACE, how="left", nulls_equal=True, maintain_order="left"
        )
        at = (unit["row"].to_numpy(), cell["cell"].to_numpy())
        return csr_matrix((self._rows["many"].to_numpy().astype(float), at), shape=(len(self.units), len(self._places)))

    def _worth(self, cells: GainHistogram, measures: tuple[GainMeasure, ...]) -> pl.DataFrame:
        """What one result of each cell contributes; groups and units ask for the same measures one after the other."""
        if measures not in self._last:
            self._last.clear()
            self._last[measures] = cells.contributions(measures)
        return self._last[measures]

    def _exact(self, matrix: Any, measures: Sequence[GainMeasure]) -> np.ndarray:  # noqa: ANN401 - a sparse matrix
        """Counts times contributions, exact: in limbs so short that no sum of them outgrows a double."""
        rows, many = matrix.shape[0], len(measures)
        found = np.zeros((rows, many))
        most = int(matrix.sum(axis=1).max()) if matrix.nnz else 0
        if not most:
            return found
        bits = EXACT - most.bit_length()
        step = max(1, CELLS // max(rows, matrix.shape[1]))
        cells = GainHistogram(self._places, pl.DataFrame())
        for first in range(0, many, step):
            worth = self._worth(cells, tuple(measures[first : first + step]))
            largest = max(int(value) for value in worth.max().row(0))
            total = [pl.lit(0, pl.Int128) for _ in worth.columns]
            limbs: dict[str, pl.Series] = {}
            for limb in range(-(-largest.bit_length() // bits)):
                low = worth.select((pl.all() // 2 ** (bits * limb) % 2**bits).cast(pl.Int64)).to_numpy()
                sums = (matrix @ low.astype(float)).astype(np.int64)
                for number in range(len(worth.columns)):
                    name = f"{number} {limb}"
                    limbs[name] = pl.Series(name, sums[:, number])
                    total[number] = total[number] + pl.col(name).cast(pl.Int128) * 2 ** (bits * limb)
            wide = pl.DataFrame(limbs) if limbs else pl.DataFrame({"none": [0] * rows})
            exact = wide.select(exact_sums.unfixed(sum_).alias(str(number)) for number, sum_ in enumerate(total))
            found[:, first : first + step] = exact.to_numpy()
        return found


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


Key = tuple[int, int]


@dataclass(frozen=True)
class LeaderTest:
    """The leader less the next: estimate, interval, p corrected over the pairs of groups, and the side that the test finds by
    its sign; None, with the reason, where nothing can be tested. ``no_verdict`` says why the numbers give no verdict.
    """

    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    p_adjusted: float | None = None
    side: float | None = None
    why: str = ""
    no_verdict: str = ""


@dataclass(frozen=True)
class LeaderTesting:
    """How settings are tested: as `sessionkit.compare` would test each of them alone."""

    plan: ComparisonPlan

    @property
    def unit(self) -> str:
        """The column that names what is averaged before it is tested."""
        each = self.plan.design.name in ("both", "crossover") or self.plan.layout == "crossed"
        return (
            "session_id" if each else {"users": "user_id", "topics": "topic_id"}.get(self.plan.population, "session_id")
        )

    def family(self, groups: int) -> Family:
        """The p-values of a setting that are corrected together: those of its pairs of groups."""
        at_once = groups > 2 and self.plan.test.simultaneous
        return Family(1 if at_once else math.comb(groups, 2), self.plan.options.correction, at_once)

    def tested(self, sessions: GroupedSessions, column: int, leader: int, following: int) -> LeaderTest:
        """Test one setting, by the column of its values, for the groups with these numbers."""
        found = self.plan.units(sessions, column)
        key = (leader, following) if leader < following else (following, leader)
        try:
            row, settled, place, why = self._pair(found, sessions, column, key)
        except UsageError as error:  # what this setting leaves cannot be fitted
            return LeaderTest(why=str(error))
        if row is None or row.pair is None:
            return LeaderTest(why=why or "there is nothing to test")
        pair, low, high = row.pair, -math.inf, math.inf
        if pair.interval is not None:
            low, high = map(row.settled, settled.interval(place, pair.interval, pair.side))
        estimate, side = row.estimate, pair.side
        if key[0] == leader:  # pairs are the second less the first
            estimate, low, high, side = -estimate, -high, -low, -side
        no_verdict = self.plan.supports(sessions, column)[key].why_no_verdict
        return LeaderTest(estimate, _finite(low), _finite(high), settled.p[place], side, no_verdict=no_verdict)

    def detectable(self, sessions: GroupedSessions) -> dict[Key, float | None]:
        """For every pair of groups the true difference that the first setting would find four times in five, as
        `sessionkit.compare` says it.

        Raises
        ------
        UsageError
            The test cannot be made of this setting.
        """
        found = compared(self.plan, sessions.measures[0], sessions.groups, self.plan.units(sessions))
        table, _, _ = assembled(self.plan, [found])
        return dict(zip(_keys(len(sessions.groups)), table.get_column("detectable"), strict=True))

    def _pair(
        self, found: Aligned, sessions: GroupedSessions, column: int, key: Key
    ) -> tuple[Row | None, Corrected, int, str]:
        """The row of a pair with what is found, the p-values it is corrected with, its place among them, and what is said."""
        several = len(sessions.groups) > 2
        test, options = self.plan.test, self.plan.options
        alone = several and test.name == "tukey" and isinstance(found.units, Blocked)
        plan = replace(self.plan, test=replace(test, run=dict.fromkeys(test.run, _untested))) if alone else self.plan
        shown = compared(plan, sessions.measures[column], sessions.groups, found)
        by_key = dict(zip(_keys(len(sessions.groups)), shown.rows, strict=True))
        row, alpha = by_key[key], options.alpha
        if row.pair is None or row.pair.p is None:
            why = "; ".join(remark.body for remark in shown.remarks)
            return None, corrected([], "none", alpha), 0, why
        if alone:
            row = replace(row, pair=_tukey(found.units, key))
        if several and test.simultaneous:
            p_of_it = 0.0 if row.pair is None or row.pair.p is None else row.pair.p
            return row, corrected([p_of_it], "none", alpha), 0, ""
        p = {at: one.pair.p for at, one in by_key.items() if one.pair is not None and one.pair.p is not None}
        return row, corrected([*p.values()], options.correction, alpha), [*p].index(key), ""


def _finite(value: float) -> float | None:
    """A number; None in place of one without end."""
    return value if math.isfinite(value) else None


def _keys(groups: int) -> list[Key]:
    """Every pair of groups, in the order of a comparison's rows."""
    return [(i, j) for i in range(groups) for j in range(i + 1, groups)]


def _untested(units: Units, _options: Options) -> Outcome:
    """In place of a test of all pairs, where one is wanted: which of them can be tested is settled before."""
    every: Mapping[Key, Pair] = {key: Pair(0.0, 1.0) for key in _keys(len(units.counts))}
    return Outcome(every)


def _tukey(units: Units, key: Key) -> Pair:
    """One pair of Tukey's HSD on the blocked analysis of variance, see `sessionkit.statistics.significance`."""
    from scipy import stats

    values = np.asarray(units.values)
    n, k = values.shape
    variance, df = residual_variance(values)
    se = math.sqrt(variance / n)
    d = float(units.means[key[1]] - units.means[key[0]])

    def interval(alpha: float) -> Interval:
        half = studentized(alpha, k, df) * se
        return d - half, d + half

    return Pair(d, float(stats.studentized_range.sf(abs(d) / se, k, df)), interval, df=df)
