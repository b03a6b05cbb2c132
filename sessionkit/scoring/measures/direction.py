"""Which values of a measure are better: the one place that every verdict, every choice of a best value and every caption asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from sessionkit.errors import MeasureError
from sessionkit.scoring.measures.base import Direction, Measure
from sessionkit.scoring.measures.column import SessionColumn
from sessionkit.scoring.measures.grammar import parse_measure

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
    def words(self) -> str | None:
        """``"higher is better"`` or ``"lower is better"``; None where the direction is unknown."""
        return f"{self.better} is better" if self.is_known else None

    def verdict(self, difference: float) -> str | None:
        """Say whether a value is ``"better"`` or ``"worse"`` than another from which it differs by so much.

        None where the direction is unknown, and of no difference.
        """
        if not self.is_known or difference == 0:
            return None
        return "better" if self.order * difference > 0 else "worse"

    def merit(self, values: pl.Expr) -> pl.Expr:
        """Return values such that the highest is the one that stands first."""
        return -values if self.order < 0 else values

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
