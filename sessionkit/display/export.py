"""Tables for papers and other programs: LaTeX, Markdown and CSV. Nothing in a cell is markup or a formula."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from itertools import product

import polars as pl

from sessionkit.display.labels import printable
from sessionkit.display.statements import Statement
from sessionkit.display.tables import DASH, TextTable

SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    "*": "{*}",
    "[": "{[}",
    "]": "{]}",
    "\u2013": r"\textendash{}",
    "\u2014": r"\textemdash{}",
    "\u2018": r"\textquoteleft{}",
    "\u2019": r"\textquoteright{}",
    "\u201c": r"\textquotedblleft{}",
    "\u201d": r"\textquotedblright{}",
    "\u2026": r"\textellipsis{}",
    "\u00d7": r"$\times$",
    "\u2212": r"$-$",
    "\u2264": r"$\leq$",
    "\u2265": r"$\geq$",
    "\u221e": r"$\infty$",
    "\u03b1": r"$\alpha$",
    "\u03ba": r"$\kappa$",
    "\u03c4": r"$\tau$",
}
"""Characters that mean something to TeX, and those that need a name."""
LIGATURE = re.compile("([-,])(?=\\1)")
"""A character that becomes one with the same after it: two hyphens a dash, two commas a quotation mark."""
LETTERS = re.compile(
    "[\u00a1-\u00ac\u00ae-\u00ff\u0102-\u0107\u010c-\u0111\u0118-\u011b\u011e\u011f\u0130\u0131\u0139\u013a\u013d\u013e"
    "\u0141-\u0144\u0147\u0148\u0150-\u0155\u0158-\u015b\u015e-\u0165\u016e-\u0171\u0178-\u017e]"
)
"""Letters and signs beyond ASCII that the T1 encoding of fonts has."""
CLOSER, CLOSEST = "  \\setlength{\\tabcolsep}{4pt}\n", "  \\setlength{\\tabcolsep}{3pt}\n"
SMALLER, SMALLEST = "  \\footnotesize\n", "  \\scriptsize\n  \\setlength{\\tabcolsep}{2.5pt}\n"
"""What makes a table fit its place in an article."""
ROWS = 40
"""Rows of a table that a page of an article has room for."""
FLOATS = 10
"""Floats after which a long table starts a new page."""
PLACES = (("table", 229), ("table*", 345))
"""The environments of a table, and the points that it may be wide: a column of a two-column article; the text of a one-column article."""
LOOKS = (("", "", 1.0, 12), ("", CLOSER, 1.0, 8), (SMALLER, CLOSER, 0.85, 8), (SMALLER, CLOSEST, 0.85, 6))
"""How a table is set to fit its place: its font and columns, the size of the font as a share of the text's, and points between columns."""
NARROW, WIDE, NARROWS, WIDES = 3.0, 8.0, " .,:;!|'()[]ijlft", "mwMW@%+<>=\u2212\u221e"
"""Points of characters, about; capitals have those of `CAPITAL`, others those of `DIGIT`."""
CAPITAL, DIGIT, RAISED = 7.3, 5.05, 4.5
NUMBER = re.compile(r"-(?=\.?\d)")
DECIMAL = re.compile(r"(?P<whole>[<>]?-?[\d,]*)(?P<fraction>\.\d+)?(?P<percent>%?)")
"""A number of a cell, which stands with its decimal mark below that of the others of its column."""


def latex_table(table: TextTable, label: str | None = None) -> str:
    r"""Return a float with the table; it needs ``\usepackage{booktabs}``, and with pdfTeX ``\usepackage[T1]{fontenc}``.

    A table wider than a column of two is a ``table*``, which goes over both columns; an article of one column sets it as any other.

    Numbers of a column have their decimal marks below each other, for which no package is needed: a shorter number, or one without a mark
    of significance, ends in a ``\phantom`` as wide as what it lacks. A last row of counts is set flush right below a rule.

    A table of more rows than a page has room for is several floats under one number, each with the headings.

    Characters that its fonts lack stand as their numbers, such as ``[U+05E9]``.

    Parameters
    ----------
    table
        The table.
    label
        What follows ``tab:`` in its label; the caption's words if not given.

    Examples
    --------
    >>> import polars as pl
    >>> from sessionkit.display.tables import table_of
    >>> print(latex_table(table_of("Scores by system", pl.DataFrame({"system_id": ["a_b"], "value": [-0.5]}))))
    \begin{table}
      \centering
      \caption{Scores by system}
      \label{tab:scores-by-system}
      \begin{tabular}{lr}
        \toprule
        System & Value \\
        \midrule
        a\_b & $-$0.5000 \\
        \bottomrule
      \end{tabular}
    \end{table}
    <BLANKLINE>
    """
    words = re.sub(r"[^A-Za-z0-9.]+", "-", label or table.caption.lower()).strip("-") or "table"
    columns = "".join("r" if number else "l" for number in table.numeric)
    columns_of_cells = [_column_cells(table, column) for column in range(len(table.headers))]
    rows = [f"    {' & '.join(cells)} \\\\\n" for cells in zip(*columns_of_cells, strict=True)]
    if table.has_counts_below and len(rows) % ROWS != 1:  # alone in its float it stands below the rule of the headings
        rows[-1] = f"    \\midrule\n{rows[-1]}"
    note = f"  \\par\\smallskip\\footnotesize {escape_latex(table.full_note)}\n" if table.full_note else ""
    smaller, closer, environment, headings = _narrowed(table)
    headers = [_heading(lines, numeric) for lines, numeric in zip(headings, table.numeric, strict=True)]
    floats = []
    for first in range(0, max(1, len(rows)), ROWS):
        body = "".join(rows[first : first + ROWS])
        again = "" if first == 0 else "  \\addtocounter{table}{-1}\n"
        caption = escape_latex(table.caption) + (" (continued)" if first else "")
        named = "" if first else f"  \\label{{tab:{words}}}\n"
        floats.append(
            f"\\begin{{{environment}}}\n  \\centering\n"
            f"{again}  \\caption{{{caption}}}\n{named}"
            f"{smaller}{closer}  \\begin{{tabular}}{{{columns}}}\n    \\toprule\n{_spans(table)}"
            f"    {' & '.join(headers)} \\\\\n    \\midrule\n"
            f"{body}    \\bottomrule\n  \\end{{tabular}}\n{note if first + ROWS >= len(rows) else ''}\\end{{{environment}}}\n"
        )
    # TeX holds only so many floats that have not found a page
    return "".join(text + ("\\clearpage\n" if place % FLOATS == 0 else "") for place, text in enumerate(floats, 1))


def escape_latex(text: str) -> str:
    r"""Return text that TeX prints as it is.

    >>> escape_latex("50% of $x$")
    '50\\% of \\$x\\$'
    >>> escape_latex("n = 1,204, ,, -- a-b")
    'n = 1,204, ,{}, -{}- a-b'
    """
    line = re.sub(r"\s+", " ", printable(text))
    return LIGATURE.sub(r"\1{}", "".join(map(_character, line)))


def _character(character: str) -> str:
    """One character as TeX prints it."""
    if character in SPECIAL:
        return SPECIAL[character]
    if " " <= character <= "~" or LETTERS.fullmatch(character):
        return character
    return f"{{[}}U+{ord(character):04X}{{]}}"


def _narrowed(table: TextTable) -> tuple[str, str, str, list[tuple[str, ...]]]:
    """What lets a wide table fit: a smaller font, closer columns, the environment that goes over both columns, headings on two lines."""
    many = len(table.headers)
    cells = [_cells_width(table, column) for column in range(many)]
    single: list[tuple[str, ...]] = [(text,) for text in table.headers]
    folded = (
        [_halves(text, width) for text, width in zip(table.headers, cells, strict=True)] if not table.spans else single
    )
    widths = [
        sum(max(width, *map(_points, lines)) for width, lines in zip(cells, headings, strict=True))
        for headings in (single, folded)
    ]
    for (environment, room), (smaller, closer, size, between) in product(PLACES, LOOKS):
        for headings, width in zip((single, folded), widths, strict=True):
            if width * size + between * many <= room:
                return smaller, closer, environment, headings
    return SMALLEST, "", "table*", folded


def _cells_width(table: TextTable, column: int) -> float:
    """Points that the cells of a column take in the font of the text, with their marks."""
    marks = max((len(mark) for (_, at), mark in table.marks.items() if at == column), default=0)
    texts = [row[column] for row in table.rows]
    numbers = [number for number in _aligned_numbers(table, column) if number is not None]
    # 30 above 0.4489 takes the room of 30.4489
    wholes, fractions = (
        max((_points(number[part] or "") for number in numbers), default=0.0) for part in ("whole", "fraction")
    )
    return max(wholes + fractions, *map(_points, texts), 0.0) + RAISED * marks


def _halves(text: str, width: float) -> tuple[str, ...]:
    """A heading on one line, or on two where it is wider than so many points and has a space."""
    words = text.split(" ")
    if len(words) == 1 or _points(text) <= width:
        return (text,)
    breaks = [(" ".join(words[:place]), " ".join(words[place:])) for place in range(1, len(words))]
    return min(breaks, key=lambda lines: max(map(_points, lines)))


def _heading(lines: tuple[str, ...], numeric: bool) -> str:
    """A heading on its lines, flush as its column is."""
    text = r"\\".join(map(escape_latex, lines))
    return text if len(lines) == 1 else rf"\shortstack[{'r' if numeric else 'l'}]{{{text}}}"


def _points(text: str) -> float:
    """Points that a text takes in a font of 10, about, rather more than less."""
    narrow, wide = sum(text.count(one) for one in NARROWS), sum(text.count(one) for one in WIDES)
    capital = sum(one.isupper() and one not in WIDES for one in text)
    return NARROW * narrow + WIDE * wide + CAPITAL * capital + DIGIT * (len(text) - narrow - wide - capital)


def _spans(table: TextTable) -> str:
    """The line above the headings, with a rule below each text; nothing where there is none."""
    if not table.spans:
        return ""
    cells, rules, column = [], [], 1
    for text, columns in table.spans:
        cells.append(rf"\multicolumn{{{columns}}}{{c}}{{{escape_latex(text)}}}" if text else " & ".join([""] * columns))
        rules += [rf"\cmidrule(lr){{{column}-{column + columns - 1}}}"] if text else []
        column += columns
    return f"    {' & '.join(cells)} \\\\\n    {' '.join(rules)}\n"


def _column_cells(table: TextTable, column: int) -> list[str]:
    """The cells of a column; its numbers end where the longest ends, so that decimal marks stand below each other."""
    places = [(row, column) for row in range(len(table.rows))]
    texts = [row[column] for row in table.rows]
    numbers = _aligned_numbers(table, column)
    fractions = [number["fraction"] or "" for number in numbers if number is not None]
    longest_fraction = re.sub(r"\d", "0", max(fractions, key=len, default=""))  # all digits are as wide
    longest_mark = max((table.marks.get(place, "") for place in places), key=len, default="")
    has_bold = any(place in table.strong and number is not None for place, number in zip(places, numbers, strict=True))
    cells = []
    for place, text, number in zip(places, texts, numbers, strict=True):
        mark = table.marks.get(place, "")
        if number is None:
            cells.append(_cell(table, place, text) + _raised(mark))
        elif has_bold and place not in table.strong:  # bold digits are wider
            end = f"{number['fraction'] or ''}{escape_latex(number['percent'])}{_raised(mark)}"
            room = rf"\textbf{{{longest_fraction}{escape_latex(number['percent'])}}}{_raised(longest_mark)}"
            cells.append(rf"{_number(number['whole'])}\rlap{{{end}}}\phantom{{{room}}}")
        else:
            lacking = longest_fraction[len(number["fraction"] or "") :]
            room = rf"\textbf{{{lacking}}}" if has_bold and lacking else lacking
            room += _raised(longest_mark[len(mark) :])
            cells.append(_cell(table, place, text) + _raised(mark) + (rf"\phantom{{{room}}}" if room else ""))
    return cells


def _aligned_numbers(table: TextTable, column: int) -> list[re.Match[str] | None]:
    """The parts of the numbers of a column whose decimal marks stand below each other; None for dashes, words and counts below values."""
    if not table.numeric[column]:
        return [None] * len(table.rows)
    numbers = [None if row[column] == DASH else DECIMAL.fullmatch(row[column]) for row in table.rows]
    return [*numbers[:-1], None] if table.has_counts_below else numbers


def _raised(mark: str) -> str:
    """A mark behind a cell."""
    return f"\\textsuperscript{{{escape_latex(mark)}}}" if mark else ""


def _number(text: str) -> str:
    """A number, its sign a minus sign."""
    return escape_latex(NUMBER.sub("\u2212", text))


def _cell(table: TextTable, place: tuple[int, int], cell: str) -> str:
    """A cell without its mark."""
    if cell == DASH:
        return r"\textendash{}"
    text = _number(cell) if table.numeric[place[1]] else escape_latex(cell)
    return rf"\textbf{{{text}}}" if place in table.strong and text else text


MARKUP = re.compile(r"[\\`*_{}\[\]()<>#|~$!&:@]")
"""What could begin markup, a link, an address or HTML."""


def markdown_table(table: TextTable) -> str:
    r"""Return a table with its caption above and its note below.

    >>> import polars as pl
    >>> from sessionkit.display.tables import table_of
    >>> print(markdown_table(table_of("Scores", pl.DataFrame({"system_id": ["*S1*"], "value": [0.5]}))))
    **Scores**
    <BLANKLINE>
    | System | Value |
    | :-- | --: |
    | \*S1\* | 0.5000 |
    <BLANKLINE>
    """
    head = _row([escape_markdown(text) for text in table.full_headers])
    kinds = _row(["--:" if number else ":--" for number in table.numeric])
    rows = [
        _row([_marked(table, (row, column), cell) for column, cell in enumerate(cells)])
        for row, cells in enumerate(table.rows)
    ]
    lines = [f"**{escape_markdown(table.caption)}**", "", head, kinds, *rows]
    if table.full_note:
        lines += ["", escape_markdown(table.full_note)]
    return "\n".join(lines) + "\n"


def _row(cells: list[str]) -> str:
    """One line of a table."""
    return f"| {' | '.join(cells)} |"


def _marked(table: TextTable, place: tuple[int, int], cell: str) -> str:
    """A cell with what is said of it."""
    text = escape_markdown(cell) + escape_markdown(table.marks.get(place, ""))
    return f"**{text}**" if place in table.strong and text else text


def escape_markdown(text: str) -> str:
    """Return text in which nothing is markup, on one line."""
    line = re.sub(r"[\r\n\u2028\u2029\x0b\x0c\x85]+", " ", text)
    line = MARKUP.sub(lambda found: f"\\{found[0]}", printable(line))
    return re.sub(r"^(\s*)([-+=]|\d+(?=\.\s))", r"\1\2", line)


FORMULA = r"^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]"
"""How a text begins that a spreadsheet would take for a formula; full-width signs count where East Asian texts are read."""


def csv_table(table: TextTable) -> str:
    r"""Return the values of a table as CSV (RFC 4180), an apostrophe before texts that a spreadsheet would work out.

    >>> from sessionkit.display.tables import table_of
    >>> print(csv_table(table_of("Scores", pl.DataFrame({"system_id": ["=1+1", "S2"], "value": [0.1234567, -1.0]}))))
    system_id,value
    '=1+1,0.1234567
    S2,-1.0
    """
    return csv_frame(table.frame)


def csv_frame(frame: pl.DataFrame) -> str:
    """Return a frame as CSV, as `csv_table` does."""
    texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    frame = frame.with_columns(_guarded(pl.col(name)).alias(name) for name in texts)
    frame.columns = [f"'{name}" if re.search(FORMULA, name) else name for name in frame.columns]
    return with_joined_lists(frame).write_csv()


def json_document(
    tables: Mapping[str, pl.DataFrame],
    statements: Iterable[Statement] = (),
    *,
    finding: str | None = None,
    made_with: Mapping[str, object] | None = None,
) -> str:
    """Return a finding as one JSON object; numbers are the shortest text that reads back to the same value, undefined is null.

    Parameters
    ----------
    tables
        Its tables by name; each becomes a list of objects, one for each row.
    statements
        Its statements; each becomes an object of ``kind``, ``text`` and ``values``.
    finding
        The name of its class, such as ``"Comparison"``; None of tables that are no finding.
    made_with
        What it was made with, by name.

    >>> print(json_document({"pairs": pl.DataFrame({"p": [0.25, None]})}, [Statement("left_out", "Left out: 3.", {"count": 3})]))
    {"finding": null,
     "tables": {"pairs": [{"p":0.25},{"p":null}]},
     "statements": [{"kind": "left_out", "text": "Left out: 3.", "values": {"count": 3}}],
     "made_with": null}
    """
    rows = ", ".join(f"{json.dumps(name)}: {frame.write_json()}" for name, frame in tables.items())
    objects = [{"kind": each.kind, "text": each.text, "values": dict(each.values)} for each in statements]
    parts = {
        "finding": _json(finding),
        "tables": f"{{{rows}}}",
        "statements": _json(objects),
        "made_with": _json(None if made_with is None else dict(made_with)),
    }
    return "{" + ",\n ".join(f'"{name}": {text}' for name, text in parts.items()) + "}\n"


def _json(value: object) -> str:
    """A value as JSON text."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def with_joined_lists(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame with each list of numbers as one text, since a field of CSV or TSV holds a single value.

    >>> with_joined_lists(pl.DataFrame({"values": [[0.25, 1.0], None]})).rows()
    [('0.25 1.0',), (None,)]
    """
    return frame.with_columns(pl.col(pl.List(pl.Float64)).cast(pl.List(pl.String)).list.join(" "))


def _guarded(text: pl.Expr) -> pl.Expr:
    """Texts with an apostrophe before those that would be worked out."""
    return pl.when(text.str.contains(FORMULA)).then("'" + text).otherwise(text)
