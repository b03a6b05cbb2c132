"""Scores with their bounds: per query, per session, or as means over the sessions of every group."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from sessionkit.analysis.incomplete.means import mean_bounds
from sessionkit.analysis.incomplete.units import BOUNDS, query_bounds, session_bounds
from sessionkit.analysis.incomplete.unjudged_documents import Unjudged
from sessionkit.analysis.incomplete.unjudged_reduction import OverUnjudged
from sessionkit.display.natural_order import natural_sort
from sessionkit.scoring import exact as exact_sums
from sessionkit.scoring.batch import SessionBatch
from sessionkit.study.row_index import where

UNITS = pl.Schema(
    {
        "session_id": pl.String(),
        "query_position": pl.Int32(),
        "group": pl.String(),
        "measure": pl.String(),
        **dict.fromkeys(BOUNDS, pl.Float64()),
    }
)
EXACT = [f"{name} sum" for name in BOUNDS]
SUMS = pl.Schema(
    {
        "group": pl.String(),
        "measure": pl.String(),
        "kind": pl.String(),
        "lower": pl.Float64(),
        "upper": pl.Float64(),
        **dict.fromkeys(EXACT, pl.Decimal(38, 0)),
        **dict.fromkeys(("many", "moving"), pl.Int64()),
    }
)
"""A part of means: of the sessions with a score (``sure``) exact sums; of those that only further judgments would give
one (``open``) how many have these bounds; of the ``rest`` how many there are."""


@dataclass(frozen=True, eq=False)
class BoundsReduction(OverUnjudged):
    """Scores and bounds.

    Parameters
    ----------
    level
        ``"group"``, ``"session"``, or ``"query"``: then the values of the measure inside each aggregate.
    own_keys
        Whether queries have judgment keys of their own.
    """

    level: str = "group"
    own_keys: bool = False

    def part(self, batch: SessionBatch) -> pl.DataFrame:
        """Units of the batch, or their sums per group."""
        unjudged = Unjudged.of(batch, self.pool)
        chosen = self.grouping.sessions(batch)
        found = [self._named(unjudged, frame, text, chosen) for text, frame in self._found(unjudged)]
        if self.level == "group":
            return pl.concat([SUMS.to_frame(), *(_sums(frame) for frame in found)])
        together = pl.concat([UNITS.to_frame(), *found])
        order = pl.col("measure").replace_strict(self._texts, range(len(self._texts)), return_dtype=pl.Int32)
        return together.sort("session_id", "query_position", order)

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one."""
        if self.level != "group":
            return pl.concat([UNITS.to_frame(), *parts])
        together = pl.concat([SUMS.to_frame(), *parts]).with_columns(pl.col(EXACT).cast(pl.Int128))
        once = together.group_by("group", "measure", "kind", "lower", "upper").agg(
            pl.col(*EXACT, "many", "moving").sum()
        )
        return once.select(SUMS.names()).cast(dict(SUMS))  # type: ignore[arg-type]

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """Units in order; or ``group``, ``measure``, ``n`` (sessions with a score), ``open`` (without one that further
        judgments could give one), ``undefined`` (other sessions), ``moving`` (sessions whose score could change),
        ``value``, ``lower``, ``upper``.
        """
        added = self.added([*parts])
        if self.level != "group":
            order = pl.col("measure").replace_strict(self._texts, range(len(self._texts)), return_dtype=pl.Int32)
            return added.sort("session_id", "query_position", order, maintain_order=True)
        return self._means(added)

    @property
    def _texts(self) -> list[str]:
        """Names of the measures in the rows."""
        return [str(measure.inner if self.level == "query" else measure) for measure in self.measures]

    def _found(self, unjudged: Unjudged) -> list[tuple[str, pl.DataFrame]]:
        """Score and bounds of every unit, with the measure's text."""
        if self.level == "query":
            of_queries = query_bounds(unjudged, [*dict.fromkeys(m.inner for m in self.measures)], self.top)
            return [(str(measure), frame) for measure, frame in of_queries.items()]
        numbered = [unjudged.batch.sessions["session"], pl.lit(None, pl.Int32).alias("query_position")]
        of_sessions = session_bounds(unjudged, self.measures, self.top)
        return [(str(measure), frame.with_columns(numbered)) for measure, frame in of_sessions.items()]

    def _named(self, unjudged: Unjudged, found: pl.DataFrame, text: str, chosen: pl.DataFrame) -> pl.DataFrame:
        """The units of the chosen sessions."""
        sessions = unjudged.batch.sessions
        group = chosen["group"].gather(row := where(chosen["session"], len(sessions)).gather(found["session"]))
        ids = [] if self.level == "group" else [sessions["session_id"].gather(found["session"])]
        found = found.with_columns(group.alias("group"), *ids, measure=pl.lit(text)).filter(row.is_not_null())
        return found if self.level == "group" else found.select(UNITS.names()).cast({"query_position": pl.Int32})

    def _means(self, added: pl.DataFrame) -> pl.DataFrame:
        """Means over the sessions of each group."""
        keys = ["group", "measure"]
        sure = added.filter(pl.col("kind") == "sure").select(*keys, n="many", moving="moving", total="value sum")
        counts = [
            added.filter(pl.col("kind") == kind).group_by(keys).agg(pl.col("many").sum().alias(name))
            for kind, name in (("open", "open"), ("rest", "undefined"))
        ]
        # sure sessions come as one value, their mean, which stands for all of them
        values = added.filter(pl.col("kind") != "rest").with_columns(open=pl.col("kind") == "open")
        exact = {
            name: pl.when("open")
            .then(pl.col(name))
            .otherwise(exact_sums.quotient(exact_sums.unfixed(pl.col(f"{name} sum").cast(pl.Int128)), pl.col("many")))
            for name in ("lower", "upper")
        }
        bounded = values.with_columns(**exact).filter(pl.col("lower").is_not_null())
        found = added.select(keys).unique().join(sure, on=keys, how="left", nulls_equal=True)
        for frame in (*counts, mean_bounds(bounded.select(*keys, "open", "many", "lower", "upper"), keys)):
            found = found.join(frame, on=keys, how="left", nulls_equal=True)
        order = pl.col("measure").replace_strict(self._texts, range(len(self._texts)), return_dtype=pl.Int32)
        value = exact_sums.quotient(exact_sums.unfixed(pl.col("total").cast(pl.Int128)), pl.col("n"))
        found = found.with_columns(pl.col("n", "open", "undefined", "moving").fill_null(0), value=value)
        bounded_ones = [str(measure) for measure in self.measures if measure.bound_kind(own_keys=self.own_keys)]
        there = pl.col("measure").is_in(bounded_ones)
        found = found.with_columns(
            lower=pl.when(there).then(pl.min_horizontal("lower", "value")),
            upper=pl.when(there).then(pl.max_horizontal("upper", "value")),
            moving=pl.when(there).then(pl.col("moving")),
        )
        ordered = natural_sort(self.grouping.named(found).sort(order), "group")
        return ordered.select(*keys, "n", "open", "undefined", "moving", *BOUNDS)


def _sums(units: pl.DataFrame) -> pl.DataFrame:
    """Sessions of one measure as sums per group."""
    scored, bounded = pl.col("value").is_not_null(), pl.col("lower").is_not_null()
    kind = pl.when(scored).then(pl.lit("sure")).when(bounded).then(pl.lit("open")).otherwise(pl.lit("rest"))
    rows = units.with_columns(kind=kind, moving=(pl.col("upper") > pl.col("lower")).fill_null(value=False))
    sums = [exact_sums.fixed(pl.col(name)).sum().cast(pl.Decimal(38, 0)).alias(f"{name} sum") for name in BOUNDS]
    of = [pl.when(pl.col("kind") == "open").then(pl.col(name)).alias(name) for name in ("lower", "upper")]
    rows = rows.with_columns(of[0].alias("low"), of[1].alias("high"))
    counted = [pl.len().cast(pl.Int64).alias("many"), pl.col("moving").sum().cast(pl.Int64)]
    found = rows.group_by("group", "measure", "kind", "low", "high").agg(*sums, *counted)
    return found.rename({"low": "lower", "high": "upper"}).select(SUMS.names())
