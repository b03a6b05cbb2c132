"""Recall-precision curves as a task: sums over queries by topic and level of recall, which add up over blocks exactly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from sessionkit.analysis.groups import Grouping
from sessionkit.scoring import exact
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.lists import Lists
from sessionkit.scoring.measures.recall_levels import ELEVEN, ElevenPointPrecision, precision_at_recall

QUERIES = pl.Schema(
    {
        "session_id": pl.String(),
        "query_position": pl.Int32(),
        "group": pl.String(),
        "topic_id": pl.String(),
        "recall": pl.Float64(),
        "precision": pl.Float64(),
    }
)
"""A part where every query has its curve."""
SUMS = pl.Schema(
    {
        "group": pl.String(),
        "topic_id": pl.String(),
        "recall": pl.Float64(),
        "total": pl.Decimal(38, 0),
        "n": pl.Int64(),
    }
)
"""A part of averages: the sum of the precisions of a topic's queries, and how many have one."""


@dataclass(frozen=True, eq=False)
class PrecisionRecallReduction:
    """Interpolated precision at the standard levels of recall.

    Parameters
    ----------
    measure
        Which results count, which grades are relevant, and the rule for numbers of documents.
    grouping
        The sessions and their groups.
    per, average
        As `sessionkit.precision_recall` has them.
    reads
        Columns to read, by table.
    """

    measure: ElevenPointPrecision
    grouping: Grouping
    per: str = "group"
    average: str = "queries"
    reads: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every block is made of."""
        return with_topics(self.reads, self.grouping)

    @property
    def slots(self) -> int:
        """As how many results each query counts: it has a row for every level."""
        return len(ELEVEN)

    @property
    def columns_made(self) -> int:
        """Columns of numbers that are made of each level."""
        return 3

    def part(self, block: SessionBatch) -> pl.DataFrame:
        """Curves of the block's queries, or their sums by topic."""
        lists = Lists(block, self.measure.selection)
        curve = precision_at_recall(lists, self.measure.min_grade, self.measure.rule, ELEVEN)
        known = block.sessions.select("session", "session_id", block.features["topic_id"].cast(pl.String))
        chosen = self.grouping.sessions(block).join(known, on="session", maintain_order="left")
        undefined = 0.0 if self.measure.undefined == "zero" else None
        points = []
        for level, precision in zip(ELEVEN, curve, strict=True):
            value = (
                precision.alias("precision") if undefined is None else precision.fill_null(undefined).alias("precision")
            )
            rows = lists.queries.select("session", "query_position", value, recall=pl.lit(level))
            points.append(rows.join(chosen, on="session", how="inner", maintain_order="left"))
        rows = pl.concat(points)
        if self.per == "query":
            return rows.select(QUERIES.names())
        # a row for every topic, also one without a logged query
        topics = chosen.select("group", "topic_id").unique().join(pl.DataFrame({"recall": ELEVEN}), how="cross")
        rows = pl.concat([rows, topics], how="diagonal")
        sums = rows.group_by("group", "topic_id", "recall").agg(
            total=exact.fixed(pl.col("precision")).sum().cast(pl.Decimal(38, 0)),
            n=pl.col("precision").count().cast(pl.Int64),
        )
        return sums.select(SUMS.names())

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one."""
        if self.per == "query":
            return pl.concat([QUERIES.to_frame(), *parts])
        sums = pl.concat([SUMS.to_frame(), *parts]).with_columns(pl.col("total").cast(pl.Int128))
        added = sums.group_by("group", "topic_id", "recall").agg(pl.col("total", "n").sum())
        return added.select(SUMS.names()).cast(dict(SUMS))  # type: ignore[arg-type]

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """Curves in the order of groups, topics or queries, and levels."""
        added = self.added([*parts])
        if len(added) or self.per != "query":
            added = self.grouping.named(added)
        if self.per == "query":
            return added.sort("session_id", "query_position", "recall")
        sums = added.with_columns(pl.col("total").cast(pl.Int128))
        if self.per == "topic":
            topics = sums.with_columns(precision=_mean())
            return topics.sort("group", "topic_id", "recall").select("group", "topic_id", "recall", "precision", "n")
        if self.average == "topics":
            of_topics = sums.with_columns(precision=_mean()).group_by("group", "recall")
            curves = of_topics.agg(
                precision=exact.mean(pl.col("precision")), n=pl.col("precision").count().cast(pl.Int64)
            )
        else:
            curves = sums.group_by("group", "recall").agg(pl.col("total", "n").sum()).with_columns(precision=_mean())
        return curves.sort("group", "recall").select("group", "recall", "precision", "n")


def with_topics(reads: Mapping[str, Sequence[str]], grouping: Grouping) -> dict[str, list[str]]:
    """The columns that a measure, a grouping and topics need, by table."""
    asked = (reads, grouping.columns(), {"sessions": ["topic_id"]})
    tables = dict.fromkeys(table for columns in asked for table in columns)
    return {table: [*dict.fromkeys(name for columns in asked for name in columns.get(table, ()))] for table in tables}


def _mean() -> pl.Expr:
    """Mean of the precisions that were added up; null of none."""
    return exact.quotient(exact.unfixed(pl.col("total")), pl.col("n"))
