"""The tables as one stream: every row says of which table it is, and the rows of a session stand together.

Spark can hand one sorted stream to a worker, not three tables; so the rows of all are stacked, their columns in slots
shared by type (a stream for sDCG is two texts and two whole numbers wide, not the sum of three tables), brought
together by session_id and sorted within the partition.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from sessionkit.engines.spark.columns import SparkColumn, quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame as SparkFrame

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
    for table in layout.columns:
        slots = layout.slots(table)
        filled = [
            (f.col(quoted(slots[slot].name)) if slot in slots else f.lit(None).cast(type_)).alias(slot)
            for slot, type_ in layout.types.items()
        ]
        kind = f.lit(KINDS.index(table)).cast("tinyint").alias(KIND)
        stacked.append(frames[table].select(SESSION, kind, *filled))
    union = functools.reduce(lambda above, below: above.unionByName(below), stacked)
    return union.repartition(partitions, SESSION).sortWithinPartitions(SESSION, KIND)
