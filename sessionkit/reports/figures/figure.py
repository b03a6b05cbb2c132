"""A figure of a study: a chart with a title and a caption that says what was averaged over what, and what its bands are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import altair as alt
import polars as pl

from sessionkit.charts.encodings import titled
from sessionkit.charts.registry import CHARTS, ChartKind, function_of
from sessionkit.display.numbers import capital
from sessionkit.errors import DataError, MeasureError, UsageError, suggestion
from sessionkit.plugins import Blame, file_of, module_of
from sessionkit.reports.choices import NAMED, Choices, first_of
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.statistics.bands import by_columns, units_of
from sessionkit.statistics.findings import Finding
from sessionkit.study import Study

if TYPE_CHECKING:
    from sessionkit.charts.registry import Draw

FoundHere = TypeVar("FoundHere", bound=Finding)


@dataclass(frozen=True)
class Figure:
    """A figure: its kind, a title, the chart (None where the study does not allow one) and a caption or the reason.

    ``further_sheets`` are the charts of a figure that needs more than one sheet, behind the first.
    """

    kind: str
    title: str
    chart: alt.LayerChart | alt.FacetChart | None
    caption: str
    further_sheets: tuple[alt.LayerChart, ...] = ()


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
    entry = require_chart(kind)
    if not isinstance(entry.figure, str):
        return _foreign_figure(study, kind, entry.figure, choices)
    home = import_module(f"{__package__}.{entry.figure}")  # a report draws few of them
    made: Figure = getattr(home, function_of(kind))(study, choices)
    return made


def _foreign_figure(study: Study, kind: str, draw: Draw, choices: Choices) -> Figure:
    """The figure of a chart of others: its title is what it shows, and its description the caption."""
    said = f"the chart {kind!r} (module {module_of(draw)})"
    with Blame(f"{said} fails", file=file_of(draw)):
        chart = draw(study, measures_of(choices, kind), choices.by)
    if not isinstance(chart, alt.Chart | alt.LayerChart | alt.FacetChart):
        raise UsageError(f"{said} gives {chart!r:.80}; a chart of Altair is one layer or several, or facets of these")
    drawn: Any = chart.copy()
    if isinstance(chart, alt.Chart):
        drawn.config = alt.Undefined  # which a layer cannot have
        drawn = alt.layer(drawn)
        drawn.config = chart.config
    _color_groups(drawn, study, choices)
    title, caption = capital(CHARTS[kind].shows), drawn.description
    if isinstance(chart, alt.Chart):
        caption, drawn.title = chart.description, chart.title
    below = [] if drawn.title is alt.Undefined else [str(getattr(drawn.title, "text", drawn.title))]
    drawn = titled(drawn, below[0] if below else title, [], choices.synthetic)
    if caption is alt.Undefined:
        of = f" of {', '.join(map(str, measures_of(choices, kind)))}" if CHARTS[kind].measures else ""
        caption = f"Drawn{of} by the module {module_of(draw)}."
    return Figure(kind, title, drawn, str(caption))


def _color_groups(drawn: Any, study: Study, choices: Choices) -> None:  # noqa: ANN401  # charts have no common class
    """Give the groups in a chart of others their colors, where it colors by their column as names and has no scale for that."""
    named = by_columns(study, choices.by, pl.DataFrame({"group": [*choices.colors]}))
    domain = named[choices.by].to_list() if choices.by in named.columns else [*choices.colors]
    if not all(isinstance(group, str | int | float | None) for group in domain):
        return  # dates, which data can have in several forms
    inferred = "nominal" if any(isinstance(group, str | bool) for group in domain) else "quantitative"
    layers = list(_encodings(drawn))
    for name in ("color", "fill", "stroke"):
        channels = [layer[name] for layer in layers if layer[name] is not alt.Undefined]
        if any(channel._get("scale") is not alt.Undefined for channel in channels):
            continue  # layers share it
        for channel in channels:
            said = alt.utils.parse_shorthand(channel._get("shorthand") or {})
            for key in ("field", "type"):
                own = channel._get(key)
                said |= {} if own is alt.Undefined else {key: own.to_dict() if isinstance(own, alt.SchemaBase) else own}
            field = str(said.get("field")).replace("\\", "")  # of dots and brackets in a name
            if field == choices.by and said.get("type", inferred) in ("nominal", "ordinal"):
                channel.scale = alt.Scale(domain=domain, range=[*choices.colors.values()])


def _encodings(chart: Any) -> Iterator[Any]:  # noqa: ANN401  # charts have no common class
    """What a chart and its layers encode."""
    if isinstance(encoding := chart._get("encoding"), alt.SchemaBase):
        yield encoding
    for inner in [*chart._get("layer", []), chart._get("spec")]:
        if isinstance(inner, alt.SchemaBase):
            yield from _encodings(inner)


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


BANDED, MOST_DRAWN = 6, 5_000
"""Groups, and sessions, up to which figures have bands."""
DRAWS = 1_000
"""Draws of units for a figure."""


def bands_of(study: Study, choices: Choices) -> dict[str, Any]:
    """The options by which a figure asks for bands: none where sessions or groups are too many."""
    few = study.facts.sessions <= MOST_DRAWN and len(choices.colors) <= BANDED
    return {"bands": True, "draws": DRAWS} if few else {}


def band_told(frame: pl.DataFrame, study: Study, places: str) -> str:
    """A sentence of a caption: what the bands are, or why there are none."""
    if "low" not in frame.columns:
        return f" Bands are drawn for at most {BANDED} groups and {MOST_DRAWN:,} sessions."
    if not frame.get_column("low").count():
        return ""
    return f" Bands are 95% bootstrap intervals over {units_of(study).name}, {places}."


def alone_told(frame: pl.DataFrame, count: str, what: str = "session") -> str:
    """A sentence of a caption: which groups have no mean, since it would be one of a single session."""
    most = frame.group_by("group").agg(pl.col(count).max())
    if not (most.get_column(count) > 1).any():
        return ""
    alone = sorted(most.filter(pl.col(count) == 1).get_column("group"))
    return f" Of one {what}, which is no mean, and not drawn: {first_of(alone, NAMED)}." if alone else ""
