"""Spark: the scores of `sessionkit.score`, worked out by a cluster.

In come a saved study or Spark's own tables, and measures; out goes the table of `sessionkit.score`. Open `engine.py` first.

::

    engine.py      The Spark engine: the scores of `sessionkit.score`, the same bits in the same order, worked out by a
                   Spark cluster
    connection.py  A Spark session, local or on a cluster, and the Java that it runs on
    tables.py      Tables for Spark: saved studies or its own tables, their columns and types, checks on workers, and
                   one stream of all of them
    parts.py       On a worker: parts of a saved study or of a sorted stream become whole sessions, with the judgments
                   they need
    worker.py      The way in on a worker: one thread for polars, the driver's version of sessionkit, and failures in
                   our own words

Nothing here imports pyspark before it is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sessionkit.spark.connection import session
    from sessionkit.spark.engine import score, score_frame

__all__ = ["score", "score_frame", "session"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - functions of the engine
    """Import the engine when one of its functions is first used."""
    if name in __all__:
        return getattr(importlib.import_module("sessionkit.spark.engine"), name)
    raise AttributeError(f"module 'sessionkit.spark' has no attribute {name!r}")
