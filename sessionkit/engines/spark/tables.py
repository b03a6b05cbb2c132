"""What there is to score: a saved study, whose files Spark reads, or tables that Spark has already."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from sessionkit.choices import StudyTable
from sessionkit.contract import TABLES, table
from sessionkit.engines.spark.columns import (
    KEY,
    SparkColumn,
    bound,
    column_of,
    polars_type,
    sent_as,
    spark_schema,
    spark_type,
)
from sessionkit.engines.spark.table_parts import ID, SESSION
from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.study import Settings, Study, open_study
from sessionkit.study.batches import IDS
from sessionkit.study.session_counts import reads as counts_read
from sessionkit.study.storage import DESCRIPTOR

if TYPE_CHECKING:
    from pyspark.sql import DataFrame as SparkFrame
    from pyspark.sql import SparkSession

ALWAYS = {"sessions": ("user_id", "system_id", "topic_id", KEY), "queries": ("results_status",)}
"""Columns that a study's tables have even where the log does not."""
JUDGMENTS = (KEY, "doc_id", "grade")
OF_JUDGMENTS = ("judge_id", "subtopic_id", "passage_id", "nugget_id")
USER = "user_id"


@dataclass(frozen=True, eq=False)
class SparkSource:
    """Tables of a study that Spark can read.

    Parameters
    ----------
    study
        A saved study; of Spark's tables, one with their columns and without their rows.
    spark
        The session that reads them.
    given
        Spark's tables by name; none of a saved study.
    """

    study: Study
    spark: SparkSession
    given: Mapping[str, SparkFrame]

    @property
    def trusted(self) -> bool:
        """Whether sessionkit wrote the tables, and so checked them."""
        return not self.given

    @property
    def place(self) -> Path | str:
        """The directory or the address of a saved study."""
        return self.study.address or (self.study.path or Path()).resolve()

    def log(self, reads: Mapping[str, Sequence[str]]) -> tuple[dict[str, SparkFrame], dict[str, list[SparkColumn]]]:
        """Sessions (columns of their users beside them), queries and results, with what batches need and what is read.

        Returns
        -------
        frames, columns
            The Spark tables, and how the columns of each travel, session_id apart.
        """
        counted = [name for name in reads.get("sessions", ()) if name not in self.study.columns("sessions")]
        beneath = counts_read(self.study, counted)
        own = {name: dict.fromkeys([*IDS[name], *reads.get(name, ()), *beneath[name]]) for name in IDS}
        own["sessions"] = {name: None for name in own["sessions"] if name not in counted}
        if KEY in self.study.columns("queries"):
            own["queries"][KEY] = None
        if not self.trusted:
            own["sessions"]["topic_id"] = None
        of_users = [name for name in reads.get("users", ()) if name != USER]
        if of_users:
            own["sessions"][USER] = None
        columns: dict[str, list[SparkColumn]] = {
            name: [self.column(name, column) for column in own[name] if column != SESSION] for name in own
        }
        frames: dict[str, SparkFrame] = {name: self.frame(name, [ID, *columns[name]]) for name in own}
        if self.study.restriction is not None:
            chosen = pl.DataFrame(self.study.sessions.select(SESSION).collect()).to_arrow(
                compat_level=pl.CompatLevel.oldest()
            )
            ids = self.spark.createDataFrame(chosen)
            frames = {name: frame.join(ids, SESSION, "left_semi") for name, frame in frames.items()}
        if not self.trusted:
            frames["sessions"] = _with_keys(frames["sessions"])
        if of_users:
            beside = [self.column("users", name) for name in of_users]
            users = self.frame("users", [self.column("users", USER), *beside])
            if not self.trusted:
                _require_one_row_each(users)
            frames["sessions"] = frames["sessions"].join(users, USER, "left")
            columns["sessions"] += beside
        return frames, columns

    def judgments(self) -> tuple[SparkFrame, list[SparkColumn]]:
        """The judgments with the columns that merging and subtopics read, and how these travel."""
        names = [*JUDGMENTS, *(name for name in OF_JUDGMENTS if name in self.study.columns("judgments"))]
        columns = [self.column("judgments", name) for name in names]
        return self.frame("judgments", columns), columns

    def column(self, name: StudyTable, column: str) -> SparkColumn:
        """How a column of a table travels."""
        if self.given and not (column in ALWAYS.get(name, ()) and column not in self.given[name].columns):
            return column_of(name, column, self.given[name])
        dtype = self.study.table(name).collect_schema()[column]
        travels = spark_type(dtype)
        if travels is None:
            raise UsageError(f"{name}.{column} is {dtype}, which Spark has no type for; group by another one")
        return SparkColumn(column, dtype, travels)

    def frame(self, name: str, columns: Sequence[SparkColumn]) -> SparkFrame:
        """A table with these columns, in the types in which they travel."""
        if self.given:
            return bound(self.given[name], columns)
        schema = spark_schema(pl.Schema({column.name: sent_as(column) for column in columns}))
        return bound(self.spark.read.schema(schema).parquet(*_files(self.place, name)), columns)


def saved(study: Study | str | PathLike[str], spark: SparkSession) -> SparkSource:
    """A study that lies where Spark's workers can read it.

    Raises
    ------
    UsageError
        The study, or a change made to it after it was opened, is not on disk.
    """
    if not isinstance(study, Study):
        return SparkSource(open_study(study), spark, {})
    if study.storage.stored is None:
        raise UsageError(
            "this study, or a change made to it, is in memory of this process only; "
            "`sessionkit ingest` or save it where Spark's workers can read it, and score that"
        )
    return SparkSource(study, spark, {})


def tables(given: Mapping[str, SparkFrame | str], settings: Settings, spark: SparkSession) -> SparkSource:
    """Spark's own tables under our column names.

    Raises
    ------
    UsageError
        A name is no table's.
    DataError
        A table or a required column is missing, or a column's type does not fit.
    """
    from pyspark.sql import DataFrame as SparkFrame

    frames: dict[str, SparkFrame] = {}
    for name, frame in given.items():
        if name not in TABLES:
            raise UsageError(
                f"a study has no table {name!r}{suggestion(str(name), TABLES)}; tables: {', '.join(TABLES)}"
            )
        frames[name] = spark.table(frame) if isinstance(frame, str) else frame
        if not isinstance(frames[name], SparkFrame):
            raise UsageError(f"{name} is a {type(frame).__name__}; give a Spark DataFrame or the name of a Spark table")
    missing = [name for name in TABLES if name not in frames and name != "users"]
    if missing:
        raise DataError(
            f"no {' and no '.join(missing)} among the tables; scores need sessions, queries, results, judgments"
        )
    for name, frame in frames.items():
        for required in table(name).required:
            column_of(name, required, frame)
    schemas = {name: _schema(name, frame) for name, frame in frames.items()}
    users, sessions, queries, results, judgments = (
        pl.LazyFrame(schema=schemas.get(name, {USER: pl.String()})) for name in TABLES
    )
    return SparkSource(Study(users, sessions, queries, results, judgments, settings=settings), spark, frames)


def _schema(name: str, frame: SparkFrame) -> dict[str, pl.DataType]:
    """The columns of a Spark table as a study would have them."""
    declared = table(name).by_name
    found: dict[str, pl.DataType] = {}
    for field in frame.schema.fields:
        known = declared[field.name].dtype if field.name in declared else polars_type(field.dataType.simpleString())
        found[field.name] = known or pl.Null()
    return found | {column: declared[column].dtype for column in ALWAYS.get(name, ()) if column not in found}


def _with_keys(sessions: SparkFrame) -> SparkFrame:
    """The sessions, with judgment_key from topic_id where they have none."""
    from pyspark.sql import functions as f

    return sessions.withColumn(KEY, f.coalesce(KEY, "topic_id"))


def _require_one_row_each(users: SparkFrame) -> None:
    """Refuse two rows for one user, which would make two of each of his sessions."""
    from pyspark.sql import functions as f

    several = users.groupBy(USER).count().where((f.col("count") > 1) & f.col(USER).isNotNull()).first()
    if several is not None:
        raise DataError(f"users has {several['count']} rows for user_id {several[USER]!r}; keep one for each user")


def _files(place: Path | str, name: str) -> list[str]:
    """Addresses of a table's Parquet files; characters that Spark would take for patterns are escaped."""
    if not isinstance(place, Path):
        raise UsageError(
            f"{place}: judgments larger than broadcast_limit are joined to studies on disk only; raise the limit"
        )
    descriptor = json.loads((place / DESCRIPTOR).read_text(encoding="utf-8"))
    named = next(resource["path"] for resource in descriptor["resources"] if resource["name"] == name)
    paths = [place / part for part in (named if isinstance(named, list) else [named])]
    return ["file://" + re.sub(r"([\\*?\[\]{}])", r"\\\1", path.as_posix()) for path in paths]
