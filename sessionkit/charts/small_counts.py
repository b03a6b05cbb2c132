"""Means and shares of few: they are drawn faded, and a line below the title says so."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

FEW = 10
"""Count below which a mean or a share is faded."""
FADED = 0.35
"""Opacity of what is faded."""


def fading(count: str, opacity: float = 1.0) -> Any:  # noqa: ANN401  # a condition, as Altair has it
    """Return the opacity of marks by the field that holds their counts: `FADED` below `FEW`.

    Parameters
    ----------
    count
        A field of the chart that this package names.
    opacity
        That of the other marks.
    """
    return alt.condition(alt.FieldLTPredicate(field=count, lt=FEW), alt.value(FADED), alt.value(opacity))


def few_line(counts: pl.Series, units: str, look: str = "Faded") -> str | None:
    """Return the line below the title that explains what is faded; None where no count is below `FEW`.

    >>> few_line(pl.Series([12, 9]), "sessions")
    'Faded: fewer than 10 sessions'
    >>> few_line(pl.Series([12, 10]), "sessions") is None
    True
    """
    return f"{look}: fewer than {FEW} {units}" if (counts < FEW).any() else None


def count_line(counts: pl.Series, units: str, groups: str) -> str:
    """Return the line below the title that says how many each group has.

    >>> count_line(pl.Series([12, 9]), "sessions", "system")
    '9 to 12 sessions per system'
    >>> count_line(pl.Series([1200, 1200]), "sessions", "system")
    '1,200 sessions per system'
    """
    ends = [f"{end:,}" for end in sorted({int(counts.min()), int(counts.max())})]  # type: ignore[arg-type]
    return f"{' to '.join(ends)} {units} per {groups}"
