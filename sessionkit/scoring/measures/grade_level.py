"""Which documents count as relevant: those of a grade and higher, or those of exactly one grade."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from sessionkit.errors import MeasureError
from sessionkit.scoring.measures.base import Measure

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists


@dataclass(frozen=True, repr=False, kw_only=True)
class GradeLevelMeasure(Measure):
    """A binary measure that can look at one relevance level, as Järvelin & Kekäläinen do in 2000.

    ``at_least=2`` counts grades of 2 and higher, as ``min_grade=2`` does; ``level=2`` counts grade 2 alone, and no
    document of another grade is relevant then, neither in the list nor in the recall base.

    >>> from sessionkit.scoring.measures.grammar import parse_measure
    >>> parse_measure("P(level=2)@10")
    P(level=2)@10
    """

    level_: float | None = None
    at_least: float | None = None

    def __post_init__(self) -> None:
        """Refuse more than one way to say what is relevant."""
        super().__post_init__()
        given = [self.min_grade != self.default("min_grade"), self.level_ is not None, self.at_least is not None]
        if sum(given) > 1:
            msg = f"{self.name}: min_grade, level and at_least each say which grades are relevant; give one of them"
            raise MeasureError(msg)

    @property
    def lowest_relevant(self) -> float:
        """Lowest grade of a relevant document."""
        return next(grade for grade in (self.level_, self.at_least, self.min_grade) if grade is not None)

    @property
    def only_grade(self) -> float | None:
        """The parameter ``level``."""
        return self.level_

    def relevant(self, lists: Lists) -> pl.DataFrame:
        """The relevant results: ``list``, ``rank``, ``nth`` (number of the row within its list)."""
        rows = lists.relevant(self.lowest_relevant)
        if self.level_ is not None:
            rows = rows.filter(pl.col("grade") == self.level_)
            rows = rows.with_columns(lists.nth(rows).alias("nth"))
        return rows.select("list", "rank", "nth")

    def relevant_base(self, lists: Lists) -> pl.Series:
        """Number of relevant documents in the recall base of every list."""
        size = lists.base_size(self.lowest_relevant)
        if self.level_ is not None:
            size = size - lists.base_size(float(np.nextafter(self.level_, np.inf)))
        return size
