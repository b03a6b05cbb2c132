"""The choices of a measure that decide which results count."""

from __future__ import annotations

from dataclasses import dataclass

from sessionkit.choices import Depth, Duplicates, GradeSource, UnjudgedResults

SEEN = {"all": None, "last_click": "clicked", "examined": "examined"}
"""The column of results that says how deep the searcher looked."""


@dataclass(frozen=True)
class Selection:
    """The choices that decide which results count; measures that agree on them share one pass."""

    cutoff: int | None = None
    depth: Depth = "all"
    duplicates: Duplicates = "all"
    unjudged: UnjudgedResults = "zero"
    grades: GradeSource = "judgments"
    queries: int | None = None
    gain: str = "linear"
    """``lifted`` where that is the gain: the only one for which results can have other grades."""
    every_query: bool = False
    """Whether queries whose list was not logged count too, as they do in measures of behavior."""
