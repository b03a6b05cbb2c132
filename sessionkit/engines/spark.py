"""The earlier name of `sessionkit.spark`, which is the same module."""

import sys
from typing import TYPE_CHECKING, Any

from sessionkit import spark

if TYPE_CHECKING:  # type checkers do not follow the line below
    from sessionkit.spark import score, score_frame, session

__all__ = ["score", "score_frame", "session"]

sys.modules[__name__] = spark


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    """A name of `sessionkit.spark`, for those who import this file by its path and so hold this module itself."""
    return getattr(spark, name)
