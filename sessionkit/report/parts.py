"""What sections of a report are made of: words, tables and figures, as values."""

from __future__ import annotations

from dataclasses import dataclass

from sessionkit.report.figures import Figure
from sessionkit.report.tables import Table


@dataclass(frozen=True)
class Words:
    """Paragraphs; as points of a list where ``listed``; the first stands out where it is a ``lead``."""

    paragraphs: tuple[str, ...]
    listed: bool = False
    lead: bool = False


@dataclass(frozen=True)
class Terms:
    """Terms with what each means."""

    terms: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Code:
    """Text as a machine takes it, such as a command."""

    text: str


Part = Words | Terms | Code | Table | Figure


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
    """

    name: str
    title: str
    parts: tuple[Part, ...]
