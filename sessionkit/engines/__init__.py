"""Engines: where the kernel of `sessionkit.scoring` runs when one machine is not enough.

::

    spark.py      sk.engines.spark.score: the scores of a study or of Spark tables, worked out by Spark
    sources.py    what there is to score: a saved study or Spark's own tables, and what their columns are
    columns.py    types that polars, Arrow and Spark share, and columns bound by name and cast
    table_parts.py  the tables as one stream of rows in which a session's rows stand together
    judgments.py  judgments sent to every worker, or joined to the sessions that need them
    worker.py     the way in on a worker, light enough to set the stage before polars wakes up
    sessions.py   on a worker: Arrow batches become blocks of whole sessions, blocks become parts
    study_parts.py  on a worker: parts of a saved study, read from its own files
    checks.py     on a worker: rows of tables that sessionkit did not write keep the rules of the schemas
    failures.py   what went wrong on a worker, said on the driver in one line
    cluster.py    a Spark session of one's own, and java.py: a Java for it to run on

Nothing here imports pyspark before it is used.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sessionkit.engines import spark

__all__ = ["spark"]


def __getattr__(name: str) -> ModuleType:
    """Import an engine when it is first used."""
    if name in __all__:
        return importlib.import_module(f"sessionkit.engines.{name}")
    msg = f"module 'sessionkit.engines' has no attribute {name!r}"
    raise AttributeError(msg)
