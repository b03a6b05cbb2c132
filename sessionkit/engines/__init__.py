"""The earlier name of Spark's room: `sessionkit.engines.spark` is `sessionkit.spark`.

In comes what `sessionkit.spark` takes; out goes what it returns. Open `spark.py` first.
"""

from sessionkit import spark

__all__ = ["spark"]
