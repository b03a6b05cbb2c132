"""Which values of a measure are better: every question about better, best and ahead is asked here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import polars as pl

from sessionkit.errors import MeasureError
from sessionkit.scoring.measures.base import Direction, Measure
from sessionkit.scoring.measures.custom import SessionColumn
from sessionkit.scoring.measures.grammar import parse_measure

Values = TypeVar("Values", float, np.ndarray, pl.Series, pl.Expr)
Group = TypeVar("Group")

UNDECLARED = "neither higher nor lower values of {} are declared better"
"""Why values of a measure cannot be called good or bad."""


@dataclass(frozen=True)
class MeasureDirection:
    """Which values of a measure are better.

    Parameters
    ----------
    better
        ``"higher"``, ``"lower"``, or ``"unknown"``: then no value may be called better, best or ahead.

    Examples
    --------
    >>> from sessionkit import MEASURES, mean
    >>> MeasureDirection.of(mean(MEASURES["E"] @ 5)).verdict(-0.2)
    'better'
    >>> MeasureDirection.of(MEASURES["Clicks"]).verdict(-0.2) is None
    True
    """

    better: Direction

    @classmethod
    def of(cls, measure: Measure, columns: Mapping[str, Direction] | None = None) -> MeasureDirection:
        """Return the direction of a measure.

        Parameters
        ----------
        measure
            The measure. Wrappers such as ``mean(E@5)`` have the direction of the measure inside.
        columns
            What the study declares of its columns, `sessionkit.study.Settings.better`: the direction of ``column(NAME)``.
        """
        if isinstance(measure, SessionColumn):
            return cls((columns or {}).get(measure.of, "unknown"))
        return cls(measure.direction)

    @classmethod
    def named(cls, text: str, directions: Mapping[str, Direction] | None = None) -> MeasureDirection:
        """Return the direction of a measure by its text; unknown where sessionkit has no such measure.

        Parameters
        ----------
        text
            Text of the measure, as tables have it.
        directions
            Directions that a finding keeps, by the text of the measure: those of columns, and of measures that are not registered.

        >>> MeasureDirection.named("mean(E@5)").better, MeasureDirection.named("my score").better
        ('lower', 'unknown')
        """
        if directions and text in directions:
            return cls(directions[text])
        try:
            return cls.of(parse_measure(text))
        except MeasureError:
            return cls("unknown")

    @property
    def is_known(self) -> bool:
        """Whether values may be called better or worse."""
        return self.better != "unknown"

    @property
    def order(self) -> int:
        """1 to put high values first, -1 to put low values first; 1 where the direction is unknown."""
        return -1 if self.better == "lower" else 1

    @property
    def first(self) -> str:
        """The value that stands first in that order: ``"highest"`` or ``"lowest"``."""
        return "lowest" if self.better == "lower" else "highest"

    @property
    def first_side(self) -> str:
        """The side of a value that stands before another in that order: ``"higher"`` or ``"lower"``."""
        return side_of_zero(self.order)

    @property
    def best(self) -> str:
        """What the first value is called: ``"best"``; ``"highest"`` where the direction is unknown."""
        return "best" if self.is_known else self.first

    @property
    def words(self) -> str | None:
        """``"higher is better"`` or ``"lower is better"``; None where the direction is unknown."""
        return f"{self.better} is better" if self.is_known else None

    @property
    def lower_note(self) -> str:
        """`words` in brackets, to stand behind a measure where lower is better; empty where a reader takes higher to be better."""
        return f" ({self.words})" if self.better == "lower" else ""

    def verdict(self, difference: float) -> str | None:
        """Say whether a value is ``"better"`` or ``"worse"`` than another from which it differs by so much.

        None where the direction is unknown, and of no difference.
        """
        if not self.is_known or difference == 0:
            return None
        return "better" if self.merit(difference) > 0 else "worse"

    def side(self, difference: float) -> str:
        """Say ``"better"`` or ``"worse"`` as `verdict` does; where the direction is unknown ``"higher"`` or ``"lower"``.

        >>> MeasureDirection("lower").side(-0.2), MeasureDirection("unknown").side(-0.2)
        ('better', 'lower')
        """
        return self.verdict(difference) or side_of_zero(difference)

    def merit(self, values: Values) -> Values:
        """Return values such that the highest is the one that stands first."""
        return -values if self.order < 0 else values

    def ahead(self, difference: float, first: Group, second: Group) -> Group:
        """Return the group that a difference of second less first favors; where the direction is unknown the one with the higher value.

        >>> MeasureDirection("lower").ahead(-0.2, "A", "B"), MeasureDirection("unknown").ahead(-0.2, "A", "B")
        ('B', 'A')
        """
        return second if self.merit(difference) > 0 else first

    def better_group(self, difference: float, first: Group, second: Group) -> Group | None:
        """Return the group with the better value where second less first differ by so much; None of no difference, or of unknown direction.

        >>> MeasureDirection("lower").better_group(-0.2, "A", "B"), MeasureDirection("unknown").better_group(-0.2, "A", "B")
        ('B', None)
        """
        return None if self.verdict(difference) is None else self.ahead(difference, first, second)

    def count_ahead(self, differences: pl.Series) -> tuple[int, int]:
        """Count the differences of second less first that favor the second, and those that favor the first.

        >>> MeasureDirection("lower").count_ahead(pl.Series([-0.2, 0.0, -0.1, 0.3, None]))
        (2, 1)
        """
        merits = self.merit(differences)
        return int((merits > 0).sum()), int((merits < 0).sum())

    def sorted_means(self, means: pl.DataFrame, group: str) -> pl.DataFrame:
        """Return rows by their ``mean``, the one that stands first at the top, those of equal means by their group.

        >>> MeasureDirection("lower").sorted_means(pl.DataFrame({"g": ["B", "A", "C"], "mean": [2.0, 2.0, 1.0]}), "g")["g"].to_list()
        ['C', 'A', 'B']
        """
        return means.sort("mean", group, descending=[self.order > 0, False])

    def require(self, measure: Measure, purpose: str) -> None:
        """Refuse a measure whose values cannot be called better, as `purpose` needs.

        Raises
        ------
        MeasureError
            The direction is unknown.
        """
        if not self.is_known:
            raise MeasureError(f"{purpose} needs a direction, and {UNDECLARED.format(measure)}")


def directions_of(measures: Sequence[Measure], columns: Mapping[str, Direction] | None = None) -> dict[str, Direction]:
    """Return the directions of measures by their texts, for a finding to keep."""
    return {str(measure): MeasureDirection.of(measure, columns).better for measure in measures}


UNKNOWN = MeasureDirection("unknown")


def side_of_zero(difference: float) -> str:
    """Return on which side of another a value is that differs from it by so much, whichever is better: ``"higher"`` or ``"lower"``."""
    return "higher" if difference > 0 else "lower"


def merit_of_rows(directions: Mapping[str, MeasureDirection]) -> pl.Expr:
    """Return the ``value`` of rows such that the highest is the best by their ``measure``; null where its direction is unknown.

    >>> rows = pl.DataFrame({"measure": ["AP", "E", "Clicks"], "value": [0.5, 0.5, 3.0]})
    >>> directions = {name: MeasureDirection(name) for name in ("higher", "lower", "unknown")}
    >>> by_measure = dict(zip(rows["measure"], directions.values(), strict=True))
    >>> rows.select(merit_of_rows(by_measure)).to_series().to_list()
    [0.5, -0.5, None]
    """
    orders = {measure: direction.order for measure, direction in directions.items() if direction.is_known}
    return pl.col("value") * pl.col("measure").replace_strict(orders, default=None, return_dtype=pl.Float64)
