"""The earlier name of `sessionkit.spark`, which is the same module."""

import sys
from typing import TYPE_CHECKING

from sessionkit import spark

if TYPE_CHECKING:  # type checkers do not follow the line below
    from sessionkit.spark import score, score_frame, session

__all__ = ["score", "score_frame", "session"]

sys.modules[__name__] = spark
