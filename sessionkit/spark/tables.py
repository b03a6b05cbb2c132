"""Tables for Spark: saved studies or its own tables, their columns and types, checks on workers, and one stream of all of them."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pyarrow as pa

from sessionkit.arguments import StudyTable
from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.study import Settings, Study, open_study
from sessionkit.study.batches import IDS, in_order
from sessionkit.study.checks import value_rules
from sessionkit.study.counts import reads as counts_read
from sessionkit.study.schema import TABLES, table
from sessionkit.study.storage import DESCRIPTOR

if TYPE_CHECKING:
    from pyspark.sql import DataFrame as SparkFrame
    from pyspark.sql import SparkSession

KEY = "judgment_key"


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


UTC = pl.Datetime("us", "UTC")
SHARED: tuple[tuple[pl.DataType, str, pa.DataType], ...] = (
    (pl.String(), "string", pa.string()),
    (pl.Boolean(), "boolean", pa.bool_()),
    (pl.Int8(), "tinyint", pa.int8()),
    (pl.Int16(), "smallint", pa.int16()),
    (pl.Int32(), "int", pa.int32()),
    (pl.Int64(), "bigint", pa.int64()),
    (pl.Float32(), "float", pa.float32()),
    (pl.Float64(), "double", pa.float64()),
    (pl.Date(), "date", pa.date32()),
    (UTC, "timestamp", pa.timestamp("us", "UTC")),
    (pl.Datetime("us"), "timestamp_ntz", pa.timestamp("us")),
    (pl.List(pl.String()), "array<string>", pa.list_(pa.string())),
    (pl.UInt8(), "smallint", pa.int16()),
    (pl.UInt16(), "int", pa.int32()),
    (pl.UInt32(), "bigint", pa.int64()),
    (pl.UInt64(), "decimal(20,0)", pa.decimal128(20, 0)),
)
"""A polars type, Spark's name of it, and the Arrow type that Spark makes of that; the first of several is what a Spark
column is read as."""
DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")
TEXT, WHOLE = {"string", "varchar", "char"}, {"tinyint", "smallint", "int", "bigint"}
FRACTION = {"float", "double"}


SLICE = 10_000
"""Rows of a batch that is handed back."""
NO_WHOLE = -(2**63)
"""What travels in place of a number that is no whole one; outside every range that a schema allows."""


def spark_type(dtype: pl.DataType) -> str | None:
    """Spark's name of a polars type, None where it has none that comes back as it was.

    >>> spark_type(pl.UInt32()), spark_type(pl.Decimal(38, 0)), spark_type(pl.Duration("us"))
    ('bigint', 'decimal(38,0)', None)
    """
    if isinstance(dtype, pl.Decimal):
        return f"decimal({dtype.precision},{dtype.scale})"
    if isinstance(dtype, pl.Categorical | pl.Enum):
        return "string"
    return next((name for known, name, _ in SHARED if known == dtype), None)


def polars_type(name: str) -> pl.DataType | None:
    """The polars type of a Spark type's name, None where sessionkit has no use for it.

    >>> polars_type("decimal(10,2)"), polars_type("map<string,int>")
    (Decimal(precision=10, scale=2), None)
    """
    if found := DECIMAL.fullmatch(name):
        return pl.Decimal(int(found[1]), int(found[2]))
    name = "string" if name.partition("(")[0] in TEXT else name
    return next((dtype for dtype, known, _ in SHARED if known == name), None)


def arrow_schema(schema: pl.Schema) -> pa.Schema:
    """The Arrow types that Spark's names of these types stand for."""
    return pa.schema([(name, _arrow(dtype)) for name, dtype in schema.items()])


def spark_schema(schema: pl.Schema) -> str:
    """Spark's declaration of columns of these names and types.

    Raises
    ------
    UsageError
        Spark has no such type.

    >>> spark_schema(pl.Schema({"value": pl.Float64(), "n`": pl.Int64()}))
    '`value` double, `n``` bigint'
    """
    for name, dtype in schema.items():
        if spark_type(dtype) is None:
            raise UsageError(f"column {name!r} is {dtype}, which Spark has no type for; group by another one")
    return ", ".join(f"{quoted(name)} {spark_type(dtype)}" for name, dtype in schema.items())


def quoted(name: str) -> str:
    """A column's name as Spark takes it literally, whatever signs are in it."""
    return f"`{name.replace('`', '``')}`"


def _arrow(dtype: pl.DataType) -> pa.DataType:
    """The Arrow type that Spark's name of a polars type stands for."""
    name = spark_type(dtype)
    if found := DECIMAL.fullmatch(name or ""):
        return pa.decimal128(int(found[1]), int(found[2]))
    return next(arrow for _, known, arrow in SHARED if known == name)


@dataclass(frozen=True)
class SparkColumn:
    """A column on its way to the workers.

    Parameters
    ----------
    name
        Our name of it.
    dtype
        The polars type that the kernel gets.
    travels
        Spark's name of the type in which it goes there; wider than `dtype` where values have to be checked on arrival.
    """

    name: str
    dtype: pl.DataType
    travels: str


def column_of(table_name: str, name: str, frame: SparkFrame) -> SparkColumn:
    """How a column of a Spark table travels.

    Raises
    ------
    DataError
        There is no such column, there are several, or its type is not one that the schema's can be made of.
    """
    found = frame.columns.count(name)
    if found != 1:
        what = f"has no column {name!r}" if not found else f"has {found} columns named {name!r}"
        near = suggestion(name, frame.columns)
        raise DataError(f"{table_name} {what}{near}; it has {', '.join(frame.columns)}")
    given = frame.schema.fields[frame.columns.index(name)].dataType.simpleString()
    field = table(table_name).by_name.get(name)
    if field is None:
        dtype = polars_type(given)
        if dtype is None:
            raise UsageError(f"{table_name}.{name} is {given}; sessions can be grouped by text, numbers and times only")
        return SparkColumn(name, dtype, spark_type(dtype) or "string")
    kind = "decimal" if DECIMAL.fullmatch(given) else given.partition("(")[0]
    travels = _travels(field.type, kind)
    if travels is None:
        raise DataError(f"{table_name}.{name} is {given} but the schema says {field.type}; cast it in Spark first")
    return SparkColumn(name, field.dtype, travels)


def _travels(wanted: str, given: str) -> str | None:
    """The type in which a Spark column of this kind is sent to become one of the schema's, None where it cannot."""
    if wanted == "string" and given in TEXT | WHOLE:
        return "string"
    if wanted == "integer" and given in WHOLE | FRACTION | {"decimal"}:
        return "int" if given in WHOLE - {"bigint"} else "bigint"
    if wanted == "number" and given in WHOLE | FRACTION | {"decimal"}:
        return "double"
    return given if (wanted, given) in {("boolean", "boolean"), ("datetime", "timestamp")} else None


def bound(frame: SparkFrame, columns: Iterable[SparkColumn]) -> SparkFrame:
    """Columns of a Spark table in this order, found by name whatever else it holds, as the types in which they travel.

    A column that is not there is null. A fraction where a whole number belongs, and a number too large for one, become
    `NO_WHOLE`, which a worker reports.
    """
    from pyspark.sql import functions as f

    given = [field.dataType.simpleString() for field in frame.schema.fields]
    chosen = []
    for column in columns:
        place = frame.columns.index(column.name) if column.name in frame.columns else None
        value = f.lit(None) if place is None else f.col(f"c{place}")
        if place is not None and column.travels == "bigint" and given[place] not in WHOLE:
            whole = f.when(value == f.floor(value), value.try_cast("bigint"))
            value = f.when(value.isNotNull(), f.coalesce(whole, f.lit(NO_WHOLE)))
        chosen.append(value.cast(column.travels).alias(column.name))
    return frame.toDF(*(f"c{place}" for place in range(len(given)))).select(*chosen)


def sent_as(column: SparkColumn) -> pl.DataType:
    """The polars type in which a column arrives on a worker."""
    return polars_type(column.travels) or column.dtype


def received(rows: pl.DataFrame, columns: Iterable[SparkColumn], table_name: str) -> pl.DataFrame:
    """The columns that arrived on a worker, in the types that the kernel gets.

    Raises
    ------
    DataError
        A number is no whole one, or too large for its column.
    """
    for column in columns:
        if sent_as(column) == column.dtype:
            continue
        given = rows.get_column(column.name)
        cast = given.cast(column.dtype, strict=False)
        if cast.null_count() > given.null_count():
            row = rows.filter(cast.is_null() & given.is_not_null()).row(0, named=True)
            value = row[column.name]
            shown = "not a whole number" if value == NO_WHOLE else f"{value}, which {column.dtype} cannot hold"
            raise DataError(
                f"{table_name}.{column.name} is {shown}, in session {row['session_id']!r}; correct it in the table"
            )
        rows = rows.with_columns(cast)
    return rows


def handed_back(rows: pl.DataFrame, schema: pl.Schema) -> list[pa.RecordBatch]:
    """Rows for Spark: Arrow batches of modest size with the columns, in the order and types, that it was told."""
    arrow = arrow_schema(schema)
    batches: list[pa.RecordBatch] = rows.select(arrow.names).to_arrow().cast(arrow).to_batches(max_chunksize=SLICE)
    return batches


LIST = ["session_id", "query_position"]
LOG = ("sessions", "queries", "results")
MEND = "correct it in the table, or `sessionkit ingest` the log, which rejects such rows"


def checked(tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Return the tables of some whole sessions, sorted, with ``results_status`` wherever it was not given.

    Raises
    ------
    DataError
        A row breaks a rule: the rule, the value and the session.
    """
    found = {name: valued(frame, name) for name, frame in tables.items()}
    found |= {name: in_order(found[name], name) for name in LOG}
    for name in LOG:
        _require_unique(found[name], name)
    _require_dense(found["queries"])
    return found | {"queries": _with_status(found["queries"], found["results"])}


def valued(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """Refuse values that are missing or out of range."""
    schema = table(name)
    for required in schema.required:
        if frame.get_column(required).null_count():
            _refuse(frame.filter(pl.col(required).is_null()), name, f"{required} is missing")
    for field in schema.fields:
        if field.type == "number" and field.name in frame.columns:
            endless = frame.filter(~pl.col(field.name).is_finite())
            if len(endless):
                _refuse(endless, name, f"{field.name} is {endless.item(0, field.name)}, which is not a finite number")
    for rule in value_rules(schema, frame.columns):
        broken = frame.filter(rule.broken)
        if len(broken):
            _refuse(broken, name, f"{rule.name} does not hold for {broken.select(rule.value).item(0, 0)!r}")
    return frame


def _require_unique(frame: pl.DataFrame, name: str) -> None:
    """Refuse two rows with one key; the frame is sorted by it."""
    key = table(name).key
    same = frame.filter(pl.all_horizontal(pl.col(column) == pl.col(column).shift(1) for column in key))
    if len(same):
        shown = ", ".join(f"{column} {same.item(0, column)!r}" for column in key)
        raise DataError(f"{name} has two rows with {shown}; {MEND}")


def _require_dense(queries: pl.DataFrame) -> None:
    """Refuse positions with gaps; the queries are sorted."""
    count = pl.int_range(1, pl.len() + 1).over("session_id")
    loose = queries.filter(pl.col("query_position") != count)
    if len(loose):
        _refuse(
            loose,
            "queries",
            f"query_position {loose.item(0, 'query_position')} comes after a gap in the numbering, which reading a log fills",
        )


def _with_status(queries: pl.DataFrame, results: pl.DataFrame) -> pl.DataFrame:
    """Take queries that do not say what became of their list for shown, or for empty where no result is there."""
    if not queries.get_column("results_status").null_count():
        return queries
    shown = results.select(LIST).unique().with_columns(shown=pl.lit("shown"))
    joined = queries.join(shown, on=LIST, how="left", maintain_order="left")
    return joined.with_columns(results_status=pl.coalesce("results_status", "shown", pl.lit("empty"))).drop("shown")


def _refuse(rows: pl.DataFrame, name: str, what: str) -> None:
    """Say what is wrong with the first of some rows."""
    whose = (
        f"session {rows.item(0, 'session_id')!r}"
        if "session_id" in rows.columns
        else f"judgments of {rows.item(0, 'judgment_key')!r}"
    )
    raise DataError(f"{name}: {what}, in {whose}; {MEND}")


SESSION, KIND = "session_id", "kind"
KINDS = ("sessions", "queries", "results", "judgments")
"""The tables in the order in which a session's rows stand."""
ID = SparkColumn(SESSION, pl.String(), "string")


@dataclass(frozen=True)
class StreamLayout:
    """Which column of which table stands in which slot of the stream.

    Parameters
    ----------
    columns
        The columns of each table, session_id apart.
    """

    columns: Mapping[str, Sequence[SparkColumn]]

    def slots(self, table: str) -> dict[str, SparkColumn]:
        """The columns of a table by the name of their slot: the n-th of a type stands in that type's n-th slot.

        >>> import polars as pl
        >>> rank, doc = SparkColumn("rank", pl.Int32(), "int"), SparkColumn("doc_id", pl.String(), "string")
        >>> place = SparkColumn("query_position", pl.Int32(), "int")
        >>> layout = StreamLayout({"queries": [place], "results": [place, rank, doc]})
        >>> {slot: column.name for slot, column in layout.slots("results").items()}
        {'int 0': 'query_position', 'int 1': 'rank', 'string 0': 'doc_id'}
        """
        taken: dict[str, int] = {}
        found = {}
        for column in self.columns[table]:
            number = taken.get(column.travels, 0)
            taken[column.travels] = number + 1
            found[f"{column.travels} {number}"] = column
        return found

    @property
    def types(self) -> dict[str, str]:
        """Every slot of the stream and Spark's name of its type."""
        return {slot: column.travels for table in self.columns for slot, column in self.slots(table).items()}


def streamed(frames: Mapping[str, SparkFrame], layout: StreamLayout, partitions: int) -> SparkFrame:
    """Stack the tables; each session's rows stand together, in one partition.

    Parameters
    ----------
    frames
        Spark tables with session_id and the columns of the layout, in the types in which they travel.
    layout
        The slots of their columns.
    partitions
        Into how many partitions to spread the sessions.
    """
    from pyspark.sql import functions as f

    stacked = []
    for table_name in layout.columns:
        slots = layout.slots(table_name)
        filled = [
            (f.col(quoted(slots[slot].name)) if slot in slots else f.lit(None).cast(type_)).alias(slot)
            for slot, type_ in layout.types.items()
        ]
        kind = f.lit(KINDS.index(table_name)).cast("tinyint").alias(KIND)
        stacked.append(frames[table_name].select(SESSION, kind, *filled))
    union = functools.reduce(lambda above, below: above.unionByName(below), stacked)
    return union.repartition(partitions, SESSION).sortWithinPartitions(SESSION, KIND)
