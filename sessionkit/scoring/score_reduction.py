"""Scores as a task: rows per session or query, or exact sums per group of sessions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import polars as pl

from sessionkit.scoring import exact
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.execution import adds_up, query_values, session_values
from sessionkit.scoring.gain_histogram import GainHistogram
from sessionkit.scoring.measures.aggregates import AveragePosition
from sessionkit.scoring.measures.base import GainMeasure, Measure
from sessionkit.scoring.measures.cumulated_gain import NormalizedSessionGain
from sessionkit.scoring.results_filter import (
    counted_rows,
    defined_sessions,
    judged_of,
    judged_shown,
    results_shown,
)
from sessionkit.scoring.selection import Selection
from sessionkit.study.row_index import placed

OF_SESSION = ["system_id", "topic_id", "user_id"]
OF_GROUP = ["measure", "value", "n", "undefined", "judged"]
NAMED = 5
"""Units without a value that a group's part names."""
WITHOUT_CUTOFF = 1_000
"""Slots that a query is taken to have where ideals have as many as documents are relevant."""
UNNAMED = "__unnamed"
"""Column of groups: the first of their sessions without a value; no column of a log is called so."""


@dataclass(frozen=True, eq=False)
class ScoreReduction:
    """Values of measures per query, per session, or as means over groups of sessions.

    Parameters
    ----------
    measures
        In the order of the rows.
    level
        ``"query"``, ``"session"`` or ``"group"``.
    keys
        Columns of the sessions or users that make the groups, with their types.
    reads
        Columns to read, by table.
    """

    measures: tuple[Measure, ...]
    level: str
    keys: Mapping[str, pl.DataType] = field(default_factory=dict)
    reads: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every block is made of."""
        return self.reads

    @property
    def schema(self) -> pl.Schema:
        """Columns of a part."""
        if self.level == "group":
            counted = dict.fromkeys(("n", "undefined", "judged", "results"), pl.Int64())
            kept = {"measure": pl.String(), "total": pl.Decimal(38, 0), UNNAMED: pl.List(pl.String())}
            keys = dict(zip(self._groups, self.keys.values(), strict=True))
            return pl.Schema({**keys, **kept, **counted})
        place = {"query_position": pl.Int32()} if self.level == "query" else {}
        texts = dict.fromkeys([*OF_SESSION, "measure"], pl.String())
        return pl.Schema({"session_id": pl.String(), **place, **texts, "value": pl.Float64(), "judged": pl.Float64()})

    @property
    def slots(self) -> int:
        """As how many results each query counts: measures that lay out slots or best documents make as many rows."""
        return max(_slots(measure) for measure in self.measures)

    @property
    def columns_made(self) -> int:
        """A column for each measure, but for those whose sums over groups need none."""
        return max(1, sum(self.level != "group" or not adds_up(measure) for measure in self.measures))

    @property
    def _groups(self) -> list[str]:
        """Names of the group columns in a part, which no column of the log has."""
        return [f"group {number}" for number in range(len(self.keys))]

    def part(self, block: SessionBatch) -> pl.DataFrame:
        """Rows of the block's sessions or queries in order, or its sums per group."""
        if self.level == "query":
            return self._rows(block, *self._queries(block))
        if self.level == "session":
            return self._rows(block, block.sessions, self._sessions(block))
        return self._sums(block)

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """Scores as `sessionkit.score` returns them."""
        added = self.added([*parts])
        return self._means(added) if self.level == "group" else added

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one: rows in the order of their sessions, sums of groups added up."""
        kept = [part for part in parts if len(part)]
        together = pl.concat([self.schema.to_frame(), *kept])
        if self.level == "group":
            return self._added_up(together)
        # each part is in order; so is the whole where each begins after the one before it
        ends = [(part.item(0, "session_id"), part.item(-1, "session_id")) for part in kept]
        if any(last >= first for (_, last), (first, _) in pairwise(ends)):
            by = ["session_id", "query_position"] if self.level == "query" else ["session_id"]
            together = together.sort(by, maintain_order=True)
        return together

    def _sessions(self, block: SessionBatch) -> list[pl.DataFrame]:
        """For each measure ``value``, ``total``, ``judged`` and ``results`` of every session, in order."""
        counts = ResultCounts(block, "session")
        return [counts.beside(measure, found) for measure, found in session_values(block, self.measures).items()]

    def _queries(self, block: SessionBatch) -> tuple[pl.DataFrame, list[pl.DataFrame]]:
        """The logged queries; for each measure their ``value``, ``judged``, ``results``, and whether they ``count``."""
        logged = block.queries.select("query", "session", "query_position", "logged")
        found, counts = [], ResultCounts(block, "query")
        for measure, values in query_values(block, self.measures).items():
            every = [
                placed(values[name], values["query"], len(logged)) for name in ("value", "judged") if name in values
            ]
            counted = pl.Series("count", [True]).new_from_index(0, len(values))
            every.append(placed(counted, values["query"], len(logged)).fill_null(value=False))
            found.append(counts.beside(measure, pl.DataFrame(every)).filter(logged["logged"]))
        return logged.filter("logged"), found

    def _rows(self, block: SessionBatch, units: pl.DataFrame, values: list[pl.DataFrame]) -> pl.DataFrame:
        """One row per unit and measure."""
        of_unit = [block.features[name].gather(units["session"]) for name in ("session_id", *OF_SESSION)]
        if self.level == "query":
            of_unit.insert(1, units["query_position"])
        columns = {
            "value": [frame["value"] for frame in values],
            "judged": [frame.select(_share()).to_series() for frame in values],
        }
        texts = pl.DataFrame({"measure": [str(measure) for measure in self.measures]})
        rows = pl.DataFrame(of_unit).join(texts, how="cross", maintain_order="left_right")
        rows = rows.with_columns(_interleaved(series).alias(name) for name, series in columns.items())
        if self.level == "query" and any(measure.selection.queries for measure in self.measures):
            rows = rows.filter(_interleaved([frame["count"] for frame in values]))
        return rows.select(self.schema.names())

    def _sums(self, block: SessionBatch) -> pl.DataFrame:
        """One row per group and measure: exact sums over its sessions."""
        # what was worked out for sessions needs no second look at their results
        known = block.memo.find(session_values) or {}
        added = [measure for measure in self.measures if adds_up(measure) and measure not in known]
        rest = [measure for measure in self.measures if measure not in added]
        keys, number = self._numbered_groups(block)
        counts = ResultCounts(block, "session")
        sums = self._added(block, added, number, counts)
        for measure, found in session_values(block, rest).items():
            value = pl.col("value")
            beside = counts.beside(measure, found).with_columns(number, block.sessions["session_id"])
            per_group = beside.group_by("group").agg(
                pl.col("total").filter(value.is_not_null()).sum(), *_of_sessions(value.is_not_null())
            )
            sums.append(per_group.with_columns(measure=pl.lit(str(measure))))
        together = pl.concat(sums, how="diagonal").with_columns(pl.col("total").cast(pl.Decimal(38, 0)))
        return together.join(keys, on="group").select(self.schema.names())

    def _numbered_groups(self, block: SessionBatch) -> tuple[pl.DataFrame, pl.Series]:
        """The groups of the block's sessions with their numbers (``group``), and the number of every session's group."""
        named = {name: pl.col(key) for name, key in zip(self._groups, self.keys, strict=True)}
        keys = block.features.with_columns(everyone=0, **named).select("everyone", *self._groups)
        names = keys.columns
        distinct = keys.unique(maintain_order=True).with_row_index("group")
        number = keys.join(distinct, on=names, how="left", nulls_equal=True, maintain_order="left")
        return distinct, number.get_column("group")

    def _added(
        self, block: SessionBatch, measures: list[Measure], number: pl.Series, counts: ResultCounts
    ) -> list[pl.DataFrame]:
        """Sums of measures that add up over results: from how many results of a group gain the same."""
        alike: dict[tuple[Selection, str], list[GainMeasure]] = {}
        for measure in measures:
            if isinstance(measure, GainMeasure):
                alike.setdefault((measure.selection, measure.undefined), []).append(measure)
        sums = []
        for (selection, _), group in alike.items():
            rows = counted_rows(block, selection)
            defined = defined_sessions(block, group[0])
            cells = GainHistogram.of(block, selection, group, rows)
            counted = pl.select(pl.when(defined).then(number)).to_series().alias("group")
            totals = cells.sums_of_groups(counted, group)
            units = counts.beside(group[0], judged_of(block, selection, rows, "session").to_frame())
            units = units.with_columns(number, block.sessions["session_id"], defined=defined)
            per_group = units.group_by("group").agg(*_of_sessions(pl.col("defined")))
            totals = per_group.select("group").join(totals, on="group", how="left").fill_null(0)
            listed = totals.unpivot(index="group", variable_name="measure", value_name="total")
            sums.append(per_group.join(listed, on="group"))
        return sums

    def _added_up(self, sums: pl.DataFrame) -> pl.DataFrame:
        """One row per group and measure of those of several parts."""
        added = sums.with_columns(pl.col("total").cast(pl.Int128)).group_by(*self._groups, "measure")
        once = added.agg(
            pl.col("total", "n", "undefined", "judged", "results").sum(),
            pl.col(UNNAMED).explode(empty_as_null=False).sort().head(NAMED),
        )
        return once.select(self.schema.names()).cast(dict(self.schema))  # type: ignore[arg-type]

    def _means(self, added: pl.DataFrame) -> pl.DataFrame:
        """Means over sessions from the sums of all parts, with `UNNAMED`: some of those that have no value."""
        value = exact.quotient(exact.unfixed(pl.col("total").cast(pl.Int128)), pl.col("n"))
        texts = [str(measure) for measure in self.measures]
        order = pl.col("measure").replace_strict(texts, range(len(texts)), return_dtype=pl.Int32)
        means = added.sort(*self._groups, order).with_columns(value=value)
        named = dict(zip(self._groups, self.keys, strict=True))
        return means.select(*self._groups, *OF_GROUP[:-1], _share(), UNNAMED).rename(named)


@dataclass(frozen=True, eq=False)
class ResultCounts:
    """Results shown within a measure's cutoff and judged, of every unit of a block, counted once for measures that look as deep."""

    block: SessionBatch
    by: str
    shown: dict[Selection, pl.Series] = field(default_factory=dict)
    judged: dict[Selection, pl.Series] = field(default_factory=dict)

    def beside(self, measure: Measure, found: pl.DataFrame) -> pl.DataFrame:
        """Put beside a measure's values ``results``, shown within the cutoff, and ``judged``, those that are judged.

        Where the measure has counted the judged ones itself, in the places where they were shown, they are not counted
        again.
        """
        selection = replace(measure.selection, duplicates="all")
        if selection not in self.shown:
            self.shown[selection] = results_shown(self.block, selection, self.by).alias("results")
        if selection.unjudged == "zero" and "judged" in found.columns:
            return found.with_columns(self.shown[selection], pl.col("judged").fill_null(0))
        if selection not in self.judged:
            self.judged[selection] = judged_shown(self.block, selection, self.by).alias("judged")
        return found.with_columns(self.shown[selection], self.judged[selection])


def _slots(measure: Measure) -> int:
    """Rows that a measure makes of each query beside those of its results."""
    inner = measure.inner
    cutoff = inner.cutoff or WITHOUT_CUTOFF
    ideal = inner if isinstance(inner, NormalizedSessionGain) else None
    if isinstance(measure, AveragePosition) or (ideal is not None and ideal.ideal == "spread"):
        return cutoff
    return int(ideal.ideal_queries) if ideal is not None and ideal.ideal_queries != "session" else 0


def _of_sessions(defined: pl.Expr) -> list[pl.Expr]:
    """Counts of the sessions of a group, of its results, and the first sessions without a value."""
    return [
        pl.col("session_id").filter(~defined).head(NAMED).alias(UNNAMED),
        defined.sum().cast(pl.Int64).alias("n"),
        (~defined).sum().cast(pl.Int64).alias("undefined"),
        pl.col("judged", "results").sum(),
    ]


def _interleaved(columns: list[pl.Series]) -> pl.Series:
    """Several columns as one: the first value of each, then the second of each."""
    if len(columns) == 1:
        return columns[0]
    wide = pl.DataFrame([column.alias(str(number)) for number, column in enumerate(columns)])
    return wide.select(pl.concat_arr(pl.all()).explode()).to_series()


def _share() -> pl.Expr:
    """Judged share of the results shown; null where nothing was shown."""
    return exact.quotient(pl.col("judged"), pl.col("results")).alias("judged")
