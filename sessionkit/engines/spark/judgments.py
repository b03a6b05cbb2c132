"""Judgments for the workers: sent to every one of them while they are small, else with the sessions that need them.

A normalized measure divides by all that is relevant for a key, shown or not, so a session needs every judgment of its
keys. Both ways give the same bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from sessionkit.contract import TABLES, table
from sessionkit.engines.spark.checks import valued
from sessionkit.engines.spark.columns import KEY, received
from sessionkit.engines.spark.table_parts import SESSION
from sessionkit.errors import UsageError
from sessionkit.scoring.graded_pairs import GradedPairs
from sessionkit.study import Settings, Study

if TYPE_CHECKING:
    from pyspark.sql import DataFrame as SparkFrame

    from sessionkit.engines.spark.tables import SparkSource

ROW = 16
"""Bytes of a judgment beside its texts."""


def judged_on_driver(source: SparkSource, limit: int) -> GradedPairs | None:
    """The judgments, made ready to be sent to every worker; None where they are larger than `limit` bytes.

    Raises
    ------
    UsageError
        They are merged by their order in a file, and are a table of Spark's, which has none.
    """
    study = source.study
    if source.trusted:
        if _size(study) <= limit or needs_order(study):
            return GradedPairs.of(study)
        return None
    if needs_order(study):
        raise UsageError(
            f"merge={study.settings.merge} depends on the order of the judgments in their file, which a Spark table "
            "does not keep; choose max, sum, mean, median or majority"
        )
    frame, columns = source.judgments()
    if _spark_size(frame) > limit:
        return None
    rows = received(pl.DataFrame(frame.toArrow()), columns, "judgments")
    return GradedPairs.of(rowless(study.settings, valued(rows, "judgments").lazy()))


def needs_order(study: Study) -> bool:
    """Whether judgments are merged by their order in the file."""
    merge = study.settings.merge
    return merge == "first" or (merge == "alternate" and "judge_id" not in study.columns("judgments"))


def _size(study: Study) -> int:
    """Bytes of a study's judgments: their texts, and a little for each."""
    texts = sum((pl.col(name).str.len_bytes().cast(pl.Int64).sum() for name in (KEY, "doc_id")), start=pl.lit(0))
    return int(study.judgments.select(texts + ROW * pl.len().cast(pl.Int64)).collect().item())


def _spark_size(judgments: SparkFrame) -> int:
    """Bytes of a Spark table of judgments, counted likewise."""
    from pyspark.sql import functions as f

    texts = f.octet_length(KEY) + f.octet_length("doc_id") + f.lit(ROW)
    row = judgments.agg(f.sum(texts.cast("bigint")).alias("bytes")).first()
    return int((row and row["bytes"]) or 0)


def with_sessions(judgments: SparkFrame, sessions: SparkFrame, queries: SparkFrame) -> SparkFrame:
    """Every judgment of the keys of a session and of its queries, beside the session's id."""
    pairs = sessions.select(SESSION, KEY)
    if KEY in queries.columns:
        pairs = pairs.unionByName(queries.select(SESSION, KEY))
    return pairs.dropna(subset=[KEY]).distinct().join(judgments, KEY)


def judged_of(judgments: pl.DataFrame, settings: Settings) -> GradedPairs:
    """The judgments that came with the sessions of a batch, each once, merged by the study's settings."""
    first = pl.col(SESSION) == pl.col(SESSION).min().over(KEY)
    once = judgments.filter(first).drop(SESSION)
    return GradedPairs.of(rowless(settings, once.lazy()))


def rowless(settings: Settings, judgments: pl.LazyFrame) -> Study:
    """A study that has judgments and nothing else."""
    users, sessions, queries, results = (table(name).empty(table(name).names).lazy() for name in TABLES[:4])
    return Study(users, sessions, queries, results, judgments, settings=settings)
