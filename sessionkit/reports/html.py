"""Sections, figures and tables as HTML: all text escaped, a way to each section at the top, tables with links that save them."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sessionkit.charts.files import spec_of
from sessionkit.charts.page import chart_place, json_text
from sessionkit.display.csv import csv_table
from sessionkit.display.labels import LONGEST, printable, shortened
from sessionkit.display.latex import latex_table
from sessionkit.display.markdown import markdown_table
from sessionkit.display.tables import TextTable
from sessionkit.reports.figures.figure import Figure
from sessionkit.reports.parts import Code, Heading, Part, Section, Terms, Widget, Words

TYPES = {"tex": "application/x-tex", "md": "text/markdown", "csv": "text/csv"}
RIGHT_TO_LEFT = "\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
LEFTWARD = re.compile(f"[{RIGHT_TO_LEFT}](?:[{RIGHT_TO_LEFT}\\s]*[{RIGHT_TO_LEFT}])?")
WIDE = 60
"""Characters of a caption that stand on one line."""
LONG = 24
"""Characters of a cell that stand on one line."""
MOST = 5_000
"""Characters of a paragraph, a caption or a cell that the page holds."""
ROOM = 60_000
"""Bytes of a table as a file beyond which the page does not hold it."""
WORD = re.compile(rf"\S{{{LONGEST + 2},}}")  # longer than what is cut already
MARKS = "\"'(){},.;:!?"
"""What stands beside a name in a sentence, and is not cut with it; no brackets, which are of replaced characters."""
NAMES = {"tex": "LaTeX", "md": "Markdown", "csv": "CSV"}


def html_table(
    table: TextTable, forms: Mapping[str, Callable[[TextTable], str]] | None = None, name: str = "table"
) -> str:
    """Return a table as HTML.

    Parameters
    ----------
    table
        The table.
    forms
        What it can be saved as, see `sessionkit.reports.html.FORMS`; nothing if not given.
    name
        Name of the files that are saved, without its ending.
    """
    head = "".join(
        f'<th scope="col"{_kind(text, number)}>{worded(text)}</th>'
        for number, text in zip(table.numeric, table.headers, strict=True)
    )
    rows = (
        "".join(
            f"<td{_kind(cell, table.numeric[column])}>{_marked(table, (row, column), cell)}</td>"
            for column, cell in enumerate(cells)
        )
        for row, cells in enumerate(table.rows)
    )
    body = "".join(f"<tr>{row}</tr>\n" for row in rows)
    note = f'<p class="note">{worded(table.note)}</p>\n' if table.note else ""
    lines = f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>"
    saved = _links(table, forms, name) if forms else ""
    place = f'<div class="table" tabindex="0" role="group" aria-label="{escaped(table.caption)}">'
    wide = ' class="long"' if len(table.caption) > WIDE else ""
    return f"{place}<table>\n<caption{wide}>{worded(table.caption)}</caption>\n{lines}\n</table></div>\n{note}{saved}"


def escaped(text: str) -> str:
    r"""Return text fit to stand in HTML: what would turn the direction of what follows is named, endless words are cut.

    >>> escaped("<b>\u202e")
    '&lt;b&gt;[U+202E]'
    """
    return html.escape(shortened_text(printable(text)))


def worded(text: str) -> str:
    r"""Return text as the content of an element: escaped, and words written from right to left do not move those beside them.

    >>> worded("By nDCG, \u05d0\u05d1 \u05d2: 0.5") == "By nDCG, <bdi>\u05d0\u05d1 \u05d2</bdi>: 0.5"
    True
    """
    return LEFTWARD.sub(r"<bdi>\g<0></bdi>", escaped(text))


def shortened_text(text: str) -> str:
    """Return text without endless words, and without end where it is longer than `MOST`; both are said."""
    words = WORD.sub(lambda found: _shortened_word(found[0]), text)
    return words if len(words) <= MOST else f"{words[:MOST]}\u2026 ({len(text):,} characters)"


def _shortened_word(word: str) -> str:
    """An endless word cut, with the few marks before and behind it, so that it has the digest that it has elsewhere."""
    begin, end = len(word) - len(word.lstrip(MARKS)), len(word.rstrip(MARKS))
    name = word[begin:end]
    if len(name) < len(word) - LONGEST:  # it is made of marks
        return shortened(word)
    return word if len(name) <= LONGEST + 1 else f"{word[:begin]}{shortened(name)}{word[end:]}"


def _kind(cell: str, number: bool) -> str:
    """The class of a cell: a number, and text that may stand on several lines."""
    kinds = [*(["number"] if number else []), *(["long"] if len(cell) > LONG else [])]
    return f' class="{" ".join(kinds)}"' if kinds else ""


def _marked(table: TextTable, place: tuple[int, int], cell: str) -> str:
    """A cell with what is said of it."""
    mark = table.marks.get(place)
    text = worded(cell) + (f"<sup>{escaped(mark)}</sup>" if mark else "")
    return f"<strong>{text}</strong>" if place in table.strong else text


def _links(table: TextTable, forms: Mapping[str, Callable[[TextTable], str]], name: str) -> str:
    """Links that save the table as a file."""
    links = []
    for ending, form in forms.items():
        written = form(table).encode()
        if len(written) > ROOM:
            continue
        content = base64.b64encode(written).decode()
        link = f'<a download="{escaped(name)}.{ending}" href="data:{TYPES[ending]};charset=utf-8;base64,{content}">'
        links.append(f"{link}{NAMES[ending]}</a>")
    return f'<p class="save">Save as {", ".join(links)}</p>\n' if links else ""


FORMS: dict[str, Callable[[TextTable], str]] = {"tex": latex_table, "md": markdown_table, "csv": csv_table}
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
        if isinstance(part, TextTable):
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
