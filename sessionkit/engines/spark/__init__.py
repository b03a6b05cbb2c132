"""Spark: the scores of `sessionkit.score`, worked out by a cluster.

In come a saved study or Spark's own tables, measures and what to average by; out goes the table of `sessionkit.score`.
Open `engine` first: it says what runs where.

::

    engine.py        score, score_frame: what is sent to the workers, and what comes back
    connection.py    a Spark session of one's own, and java.py: a Java for it to run on
    tables.py        what there is to score: a saved study or Spark's own tables, and what their columns are
    columns.py       types that polars, Arrow and Spark share, and columns bound by name and cast
    table_parts.py   Spark's own tables as one stream of rows in which a session's rows stand together
    judgments.py     judgments sent to every worker, or joined to the sessions that need them
    worker.py        the way in on a worker, light enough to set the stage before polars wakes up
    sessions.py      on a worker: Arrow batches become batches of whole sessions, each of which is scored
    study_parts.py   on a worker: numbered parts of a saved study, read from its own files
    checks.py        on a worker: rows of tables that sessionkit did not write keep the rules of the schemas
    failures.py      what went wrong on a worker, said on the driver in one line

Nothing here imports pyspark before it is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sessionkit.engines.spark.engine import score, score_frame, session

__all__ = ["score", "score_frame", "session"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - functions of the engine
    """Import the engine when one of its functions is first used."""
    if name in __all__:
        return getattr(importlib.import_module("sessionkit.engines.spark.engine"), name)
    raise AttributeError(f"module 'sessionkit.engines.spark' has no attribute {name!r}")
