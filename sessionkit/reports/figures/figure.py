"""A figure of a study: a chart with a title and a caption that says what was averaged over what."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TypeVar

import altair as alt

from sessionkit.analysis.findings import Finding
from sessionkit.charts.registry import CHARTS, ChartKind, function_of
from sessionkit.errors import DataError, MeasureError, UsageError, suggestion
from sessionkit.reports.choices import Choices
from sessionkit.reports.phrases import NAMED, capital, first_of
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.study import Study

FoundHere = TypeVar("FoundHere", bound=Finding)


@dataclass(frozen=True)
class Figure:
    """A figure: its kind, a title, the chart (None where the study does not allow one) and a caption or the reason."""

    kind: str
    title: str
    chart: alt.LayerChart | alt.FacetChart | None
    caption: str


def without_condition(found: FoundHere) -> FoundHere:
    """A finding whose chart does not say which sessions take part: the figure's caption says it, unless it is redacted."""
    return replace(found, provenance=None)


def figure(study: Study, kind: str, choices: Choices) -> Figure:
    """Make one figure.

    Parameters
    ----------
    study
        The study.
    kind
        One of `sessionkit.charts.KINDS`.
    choices
        See `choices_of`.

    Raises
    ------
    UsageError
        There is no such kind, or the study or measure does not allow this figure.
    """
    home = import_module(f"{__package__}.{require_chart(kind).figure}")  # a report draws few of them
    made: Figure = getattr(home, function_of(kind))(study, choices)
    return made


def require_chart(kind: str) -> ChartKind:
    """Return the entry of a chart; UsageError where there is no such chart."""
    if kind not in CHARTS:
        raise UsageError(f"there is no chart {kind!r}{suggestion(kind, CHARTS)}; charts: {', '.join(CHARTS)}")
    return CHARTS[kind]


def figures(study: Study, choices: Choices, kinds: Iterable[str]) -> list[Figure]:
    """Make figures; one that the study does not allow has the reason in place of a chart."""
    made = []
    for kind in kinds:
        try:
            made.append(figure(study, kind, choices))
        except (DataError, MeasureError, UsageError) as error:
            made.append(
                Figure(kind, capital(CHARTS[kind].shows), None, f"Not drawn: {choices.redaction.note(str(error))}.")
            )
    return made


def measures_of(choices: Choices, kind: str) -> list[Measure]:
    """The measures asked for, or those that the chart draws otherwise."""
    return list(choices.measures) or [parse_measure(text) for text in CHARTS[kind].measures]


def by_group(counts: Iterable[tuple[str, int]]) -> str:
    """Groups with their counts, the rest counted."""
    return first_of([f"{group} {number:,}" for group, number in counts], NAMED)
