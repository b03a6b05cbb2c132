"""Sections, figures and tables as HTML: all text escaped, a way to each section at the top, tables with links that save them."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup

from sessionkit.charts.files import spec_of
from sessionkit.charts.page import chart_place
from sessionkit.display.csv import csv_table
from sessionkit.display.labels import shortened
from sessionkit.display.latex import latex_table
from sessionkit.display.markdown import markdown_table
from sessionkit.display.numbers import CHANCES
from sessionkit.display.tables import TextTable
from sessionkit.display.templates import macros, rendered, shortened_text
from sessionkit.reports.figures.figure import Figure
from sessionkit.reports.parts import Code, FigureRow, Heading, Part, Section, Terms, Tiles, Widget, Words
from sessionkit.reports.tooltips import explain_terms, is_marked, mark_terms

PARTS = {Words: "words", Terms: "terms", Code: "code", Widget: "widget", Tiles: "tiles"}
"""The macro that writes each kind of part; figures and tables have numbers besides."""
FORMS: dict[str, tuple[str, str, Callable[[TextTable], str]]] = {
    "tex": ("LaTeX", "application/x-tex", latex_table),
    "md": ("Markdown", "text/markdown", markdown_table),
    "csv": ("CSV", "text/csv", csv_table),
}
"""What a table can be saved as, by the ending of the file's name."""
MOST = 60_000
"""Bytes of a table as a file beyond which the page does not hold it."""


def html_table(table: TextTable, name: str | None = None) -> Markup:
    """Return a table as HTML.

    Parameters
    ----------
    table
        The table.
    name
        The name of the files it can be saved as, without an ending; none if not given.
    """
    table = _with_way_to_all(table) if name else table
    has_p_values = not set(CHANCES).isdisjoint(table.frame.columns)
    html: Markup = macros("reports/parts.html").table(table, name, _files(table) if name else [], has_p_values)
    return html


def _with_way_to_all(table: TextTable) -> TextTable:
    """A table that is cut says where all its rows are: in its CSV, where the page holds that."""
    more = len(table.frame) - len(table.rows)
    if more <= 0 or table.note is None:
        return table
    left_out = f"{more:,} more rows are not shown"
    is_saved = len(csv_table(table).encode()) <= MOST
    return (
        replace(table, note=table.note.replace(f"{left_out}.", f"{left_out}; the CSV has them.")) if is_saved else table
    )


def _files(table: TextTable) -> list[tuple[str, str, str, str]]:
    """The ending, kind, type and content of the files of a table that are not too large for the page."""
    written = {ending: form(table).encode() for ending, (_, _, form) in FORMS.items()}
    return [
        (ending, *FORMS[ending][:2], base64.b64encode(content).decode())
        for ending, content in written.items()
        if len(content) <= MOST
    ]


def html_sections(sections: Sequence[Section], terms: Sequence[str] = ()) -> Markup:
    """Return sections as the body of a page; of `terms` the first in each section has a tooltip, see `tooltips`."""
    written = rendered("reports/sections.html", sections=sections, written=SectionWriter().html)
    marked = mark_terms(written, terms)
    return marked + explain_terms([term for term in terms if is_marked(term, marked)])


@dataclass
class SectionWriter:
    """Writes parts, with the number of each figure and table; those that are folded have numbers of their own, S1, S2, ..."""

    figures: int = 0
    tables: int = 0
    folded_figures: int = 0

    def html(self, part: Part, folded: bool = False) -> Markup:
        """One part as HTML."""
        if isinstance(part, TextTable):
            self.tables += 1
            return html_table(part, f"table-{self.tables}")
        written = macros("reports/parts.html")
        if isinstance(part, FigureRow):
            return written.beside([self.html(figure, folded) for figure in part.figures])
        if isinstance(part, Figure):
            if folded:
                self.folded_figures += 1
            else:
                self.figures += 1
            number = f"S{self.folded_figures}" if folded else str(self.figures)
            html: Markup = written.figure(part, number, _place(part, f"figure-{number.lower()}"))
        else:
            html = (
                written.heading(part, folded)
                if isinstance(part, Heading)
                else getattr(written, PARTS[type(part)])(part)
            )
        return html


def _place(figure: Figure, name: str) -> Markup:
    """Where a figure's chart is drawn; its caption is also its text for those who cannot see it."""
    if figure.chart is None:
        return Markup()
    spec = _short(spec_of(figure.chart, check=False))
    return chart_place(name, {**spec, "description": shortened_text(f"{figure.title}. {figure.caption}")})


def _short(value: Any) -> Any:  # noqa: ANN401  # any JSON value
    """A specification in which no name is endless."""
    if isinstance(value, str):
        return shortened(value)
    if isinstance(value, dict):
        return {key: _short(inner) for key, inner in value.items()}
    return [_short(inner) for inner in value] if isinstance(value, list) else value
