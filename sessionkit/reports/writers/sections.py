"""Sections as HTML: a way to each at the top, figures and tables numbered through the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sessionkit.charts.page import chart_place, json_text
from sessionkit.charts.save import spec_of
from sessionkit.charts.text import shortened
from sessionkit.reports.figures import Figure
from sessionkit.reports.parts import Code, Heading, Part, Section, Terms, Widget, Words
from sessionkit.reports.tables import ReportTable
from sessionkit.reports.writers.csv import csv_table
from sessionkit.reports.writers.html import escaped, html_table, shortened_text, worded
from sessionkit.reports.writers.latex import latex_table
from sessionkit.reports.writers.markdown import markdown_table

FORMS: dict[str, Callable[[ReportTable], str]] = {"tex": latex_table, "md": markdown_table, "csv": csv_table}
"""What a table is exported as, by the ending of the file's name."""


def html_sections(sections: Sequence[Section]) -> str:
    """Return sections as the body of a page."""
    count = SectionWriter()
    links = "".join(f'<li><a href="#{one.name}">{escaped(one.title)}</a></li>' for one in sections)
    written = "".join(
        f'<section id="{one.name}" aria-labelledby="{one.name}-title">\n<h2 id="{one.name}-title">{escaped(one.title)}</h2>\n'
        f"{''.join(count.html(part) for part in one.parts)}</section>\n"
        for one in sections
    )
    return f'<nav aria-label="Sections"><ul>{links}</ul></nav>\n{written}'


@dataclass
class SectionWriter:
    """Writes parts, with the number of each figure and table."""

    figures: int = 0
    tables: int = 0
    names: dict[str, int] = field(default_factory=dict)

    def html(self, part: Part) -> str:
        """One part as HTML."""
        if isinstance(part, Words):
            return "".join(_words(part))
        if isinstance(part, Heading):
            return f"<h3>{worded(part.text)}</h3>\n"
        if isinstance(part, Terms):
            items = "".join(f"<dt>{worded(term)}</dt><dd>{worded(meaning)}</dd>\n" for term, meaning in part.terms)
            return f"<dl>\n{items}</dl>\n"
        if isinstance(part, Code):
            return f'<pre tabindex="0"><code>{escaped(part.text)}</code></pre>\n'
        if isinstance(part, ReportTable):
            self.tables += 1
            return html_table(part, FORMS, f"table-{self.tables}")
        if isinstance(part, Widget):
            data = f'<script type="application/json" id="{part.name}-data">{json_text(part.data)}</script>'
            return f'<div class="widget" id="{part.name}">\n{part.html}</div>\n{data}\n'
        return self._figure(part)

    def _figure(self, figure: Figure) -> str:
        """A figure with its caption, which is also its text for those who cannot see it."""
        self.figures += 1
        name = f"figure-{self.figures}"
        place = ""
        if figure.chart is not None:
            spec = _short(spec_of(figure.chart, check=False))
            place = chart_place(name, {**spec, "description": shortened_text(f"{figure.title}. {figure.caption}")})
        words = f"<strong>Figure {self.figures}. {worded(figure.title)}.</strong> {worded(figure.caption)}"
        return f"<figure>\n{place}<figcaption>{words}</figcaption>\n</figure>\n"


def _short(value: Any) -> Any:  # noqa: ANN401  # any JSON value
    """A specification in which no name is endless."""
    if isinstance(value, str):
        return shortened(value)
    if isinstance(value, dict):
        return {key: _short(inner) for key, inner in value.items()}
    return [_short(inner) for inner in value] if isinstance(value, list) else value


def _words(words: Words) -> Iterator[str]:
    """Paragraphs, or the points of a list."""
    if words.listed:
        yield "<ul>\n" + "".join(f"<li>{worded(one)}</li>\n" for one in words.paragraphs) + "</ul>\n"
        return
    for number, one in enumerate(words.paragraphs):
        kind = ' class="lead"' if words.lead and not number else ""
        yield f"<p{kind}>{worded(one)}</p>\n"
