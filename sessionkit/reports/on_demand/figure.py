"""What a figure drawn apart consists of, and the words that several of them use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import altair as alt

from sessionkit.errors import UsageError
from sessionkit.reports.choices import Choices
from sessionkit.reports.phrases import NAMED, first_of
from sessionkit.scoring.measures.base import Measure


class CaptionedChart(NamedTuple):
    """A title, the chart, and a caption that says what was averaged over what."""

    title: str
    chart: alt.LayerChart | alt.FacetChart
    caption: str


def only_measure(choices: Choices, kind: str, family: type[Measure], example: str) -> Measure | None:
    """The one measure that was asked for, if it is of this family; None where none was.

    Raises
    ------
    UsageError
        It is of another family.
    """
    if choices.exact is not None and not isinstance(choices.exact, family):
        raise UsageError(f"{kind} does not draw {choices.exact}; ask for {example}")
    return choices.exact


def by_group(counts: Iterable[tuple[str, int]]) -> str:
    """Groups with their counts, the rest counted."""
    return first_of([f"{group} {number:,}" for group, number in counts], NAMED)
