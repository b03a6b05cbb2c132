"""What sections of a report are made of: words, tables, figures and what can be worked with, as values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from markupsafe import Markup

from sessionkit.display.tables import TextTable
from sessionkit.display.templates import json_text
from sessionkit.reports.figures.figure import Figure


@dataclass(frozen=True)
class Words:
    """Paragraphs; as points of a list where ``listed``; the first stands out where it is a ``lead``; on one ``medium`` or on both."""

    paragraphs: tuple[str, ...]
    listed: bool = False
    lead: bool = False
    medium: Literal["screen", "paper"] | None = None


@dataclass(frozen=True)
class Heading:
    """What the parts after it are about, within a section."""

    text: str


@dataclass(frozen=True)
class Terms:
    """Terms with what each means."""

    terms: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Code:
    """Text as a machine takes it, such as a command."""

    text: str


@dataclass(frozen=True)
class Widget:
    """Something to work with in the page.

    Parameters
    ----------
    name
        Id of the element that holds it, unique in the page; letters, digits and hyphens.
    html
        What stands in that element: HTML, see `sessionkit.display.templates`.
    data
        A JSON value for its scripts, which find it in the element ``NAME-data``.
    scripts
        The scripts that work it, see `sessionkit.charts.files.script`.
    """

    name: str
    html: Markup
    data: Mapping[str, Any] = field(repr=False)
    scripts: tuple[str, ...] = field(repr=False)

    @cached_property
    def data_text(self) -> Markup:
        """Its data as they stand in the page."""
        return json_text(self.data)


@dataclass(frozen=True)
class Tile:
    """A fact of the first screen: what it is about, the fact in a few words, and what belongs to it."""

    about: str
    fact: str
    more: str


@dataclass(frozen=True)
class Tiles:
    """Facts side by side."""

    tiles: tuple[Tile, ...]


@dataclass(frozen=True)
class FigureRow:
    """Figures side by side, one below another where there is no room."""

    figures: tuple[Figure, ...]


Part = Words | Heading | Terms | Code | TextTable | Figure | Widget | Tiles | FigureRow


@dataclass(frozen=True)
class Section:
    """A section of a report.

    Parameters
    ----------
    name
        Where a link finds it: letters and hyphens.
    title
        Its heading.
    parts
        What stands in it, in order.
    details
        What a reader can unfold below that.
    """

    name: str
    title: str
    parts: tuple[Part, ...]
    details: tuple[Section, ...] = ()

    def every_part(self) -> Iterator[Part]:
        """Each of its parts and of those in its details."""
        yield from self.parts
        for inner in self.details:
            yield from inner.every_part()
