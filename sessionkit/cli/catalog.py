"""Commands about what there is: measures, formats, schema, guides and terms."""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sessionkit.cli.options import FormatOption, OutputOption, complete_formats, complete_measures
from sessionkit.cli.output import OutputForm, destination
from sessionkit.display.numbers import listed
from sessionkit.display.terminal import INDENT, READABLE, fold_text, glossary, guide, table_text, terminal_width
from sessionkit.errors import LONGEST_NAME, UsageError, close_names, suggestion, visible

if TYPE_CHECKING:
    import polars as pl

    from sessionkit.readers import Format, Judgments
    from sessionkit.readers.format import Option
    from sessionkit.scoring.measures.base import Measure

START = [
    (
        "nsDCG@10",
        "how good the session was, as a share of the best that the judgments allow",
        "bounded by 1, so that sessions of different topics can be averaged and compared",
    ),
    (
        "mean(nDCG@10)",
        "how good its result lists were, whatever their number",
        "the measure of list quality that others report; if nsDCG disagrees, the order of queries is the cause, or its other rank discount",
    ),
    (
        "Queries",
        "how many queries the session took",
        "the effort behind the gain; needs no judgments",
    ),
]
"""The measures to begin with: each answers a different question."""
STUDY_TOML = "study"
"""What ``schema`` calls the schema of study.toml."""
STATEMENTS = "statements"
"""What ``schema`` calls the kinds of statements of findings."""
NO_VALUES: list[tuple[str | None, str | None]] = [(None, None)]
"""In the list of kinds, the values of a kind without any."""


def _complete_any_format(incomplete: str) -> list[str]:
    """The formats of logs and of judgments whose names begin as what is typed; a shell asks for them."""
    from sessionkit.readers import JUDGMENTS

    of_judgments = [name for name in JUDGMENTS if name.startswith(incomplete)]
    return list(dict.fromkeys([*complete_formats(incomplete), *of_judgments]))


def _complete_tables(incomplete: str) -> list[str]:
    """The tables whose schemas begin as what is typed; a shell asks for them."""
    from sessionkit.study.schema import TABLES

    return [name for name in (*TABLES, "rejected", STUDY_TOML, STATEMENTS) if name.startswith(incomplete)]


def measures(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="A measure, with its parameters.", autocompletion=complete_measures, show_default=False
        ),
    ] = None,
    start: Annotated[bool, typer.Option("--start", help="Three measures to begin with, and why.")] = False,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """The measures, or one of them in full.

    In full: formula, parameters with defaults and allowed values, range, source. Of one measure, --format tsv, csv,
    jsonl or parquet gives the parameters.
    """
    import polars as pl

    from sessionkit.scoring.measures.custom import SessionColumn
    from sessionkit.scoring.measures.describe import parameters_of
    from sessionkit.scoring.measures.grammar import instead_of
    from sessionkit.scoring.measures.registry import MEASURES

    known: dict[str, Measure] = {**MEASURES, SessionColumn.name: SessionColumn(of="NAME")}
    to = destination(format_, output)
    if start:
        if name is not None:
            raise UsageError(
                f"--start says which measures to begin with; leave out {name!r}, or ask for {name!r} alone"
            )
        to.send(pl.DataFrame(START, schema=["measure", "says", "why"], orient="row"))
        return
    if name is None:
        rows = [(one.name, one.level, one.formula) for one in known.values()]
        to.send(pl.DataFrame(rows, schema=["name", "level", "formula"], orient="row"))
        return
    if name not in known:
        msg = f"there is no measure {name!r}{instead_of(name, known)}; measures: {', '.join(known)}"
        raise UsageError(msg)
    if to.form is OutputForm.table or (format_ is None and output is None):
        to.write_page(_page(known[name]))
    else:
        to.send(parameters_of(known[name]))


def formats(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="A format.", autocompletion=_complete_any_format, show_default=False),
    ] = None,
    reads: Annotated[
        str | None, typer.Option("--reads", metavar="log|judgments", help="Only formats of these.", show_default=False)
    ] = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """The formats of logs and judgments, or one in full.

    For a name that is a format of both, both are shown, the log first; --reads judgments shows that of judgments.
    """
    import polars as pl

    from sessionkit.readers import FORMATS, JUDGMENTS

    to = destination(format_, output)
    known: dict[str, Mapping[str, Format | Judgments]] = {"log": FORMATS, "judgments": JUDGMENTS}
    if reads is not None:
        if reads not in known:
            raise UsageError(f"--reads is one of {', '.join(known)}, not {reads!r}{suggestion(reads, known)}")
        known = {reads: known[reads]}
    if name is None:
        rows = [(key, kind, one.description) for kind, registry in known.items() for key, one in registry.items()]
        to.send(pl.DataFrame(rows, schema=["name", "reads", "description"], orient="row"))
        return
    pages = [_format_page(name, kind, registry[name]) for kind, registry in known.items() if name in registry]
    if not pages:
        names = list(dict.fromkeys(key for registry in known.values() for key in registry))
        what = "format" if reads is None else "format of logs" if reads == "log" else "format of judgments"
        msg = f"there is no {what} {name!r}{suggestion(name, names)}; formats: {', '.join(names)}"
        raise UsageError(msg)
    to.write_page("\n".join(pages))


def schema(
    table: Annotated[
        str | None,
        typer.Argument(
            metavar="TABLE",
            autocompletion=_complete_tables,
            help="users, sessions, queries, results, judgments, rejected; study for that of study.toml; statements for the kinds "
            "of statements of findings.",
            show_default=False,
        ),
    ] = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """The columns of the tables, or one table's schema as JSON.

    statements lists the kinds of statements of each finding and their values, as --format json has them.
    """
    import polars as pl

    from sessionkit.study.schema import TABLES, document
    from sessionkit.study.schema import table as declared

    if table == STATEMENTS:
        destination(format_, output).send(_statement_kinds())
        return
    if table is not None and format_ is not None:
        raise UsageError(f"the schema of one table is JSON; leave out --format {format_}")
    to = destination(OutputForm.tsv if table is not None else format_, output)
    names = (*TABLES, "rejected")
    if table is None:
        rows = [
            (name, field.name, field.type, "yes" if field.required else "", field.unit, field.description)
            for name in names
            for field in declared(name).fields
        ]
        columns = {"table": pl.String, "column": pl.String, "type": pl.String}
        columns |= {"required": pl.String, "unit": pl.String, "description": pl.String}
        to.send(pl.DataFrame(rows, schema=columns, orient="row"))
        return
    if table not in (*names, STUDY_TOML):
        known = [*names, STUDY_TOML, STATEMENTS]
        msg = f"there is no table {table!r}{suggestion(table, known)}; schemas: {', '.join(known)}"
        raise UsageError(msg)
    found = document("study.schema" if table == STUDY_TOML else table)
    to.write((json.dumps(found, indent=2, ensure_ascii=False) + "\n").encode())


def _statement_kinds() -> pl.DataFrame:
    """The kinds of statements of all findings, a row for each value."""
    import polars as pl

    import sessionkit
    from sessionkit.display.statements import Kind

    kinds = [
        (name, kind, declared)
        for name in dir(sessionkit)
        for kind, declared in (getattr(getattr(sessionkit, name), "KINDS", None) or {}).items()
        if isinstance(declared, Kind)
    ]
    rows = [
        (finding, kind, declared.meaning, value, holds)
        for finding, kind, declared in kinds
        for value, holds in ([*declared.values.items()] or NO_VALUES)
    ]
    columns = ("finding", "kind", "meaning", "value", "holds")
    return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")


def _format_page(name: str, kind: str, format_: Format | Judgments) -> str:
    """Everything about one format, as text."""
    from sessionkit.readers import Format

    explained = inspect.getdoc(sys.modules[format_.read.__module__]) or format_.description
    parts = [fold_page(f"{name} ({kind}): {format_.description}\n"), fold_page(f"{explained.strip()}\n")]
    parts.append("The options of a study.toml: sessionkit schema study\n")
    if isinstance(format_, Format) and format_.options:
        parts.append(f"Also in study.toml:\n\n{table_text(format_.table, terminal_width())}")
    if format_.tried:
        is_tried = not format_.tried.startswith("never")
        parts.append(fold_page(f"{'Tried on: ' if is_tried else ''}{format_.tried}\n"))
    return "\n".join(parts)


def _page(measure: Measure) -> str:
    """Everything about one measure, as text."""
    from sessionkit.scoring.measures.describe import about, facts_of, parameters_of

    parameters = table_text(parameters_of(measure), terminal_width()) if measure.parameters() else ""
    return "\n".join(filter(None, [fold_page(f"{about(measure)}\n"), fold_facts(facts_of(measure)), parameters]))


TOPICS = (
    "first-study",
    "own-logs",
    "formats",
    "measures",
    "sessions",
    "comparing",
    "robustness",
    "figures",
    "large-logs",
    "spark",
    "sharing",
    "coming-from",
    "papers",
    "extending",
    "contributing",
    "code-map",
    "adding",
    "terms",
)
"""The guides in the order in which they are read."""
MOST_LOGS = 3
"""Formats with a word in their description that are named; of more the word says little."""


def title(topic: str) -> str:
    """The first line of a guide."""
    return guide(topic).partition("\n")[0].removeprefix("# ")


@cache
def names() -> Mapping[str, list[str]]:
    """What the registries say of every name in them; a name of several has an entry of each."""
    found: dict[str, list[str]] = {}
    for name, text in _entries():
        found.setdefault(name, []).append(f"{name}, {text}")
    return found


def _entries() -> Iterator[tuple[str, str]]:
    """The names of all registries, and what each is."""
    from sessionkit.charts.registry import CHARTS
    from sessionkit.readers import FORMATS
    from sessionkit.scoring.measures.describe import about
    from sessionkit.scoring.measures.parameters import PARAMETERS, PRESETS
    from sessionkit.scoring.measures.registry import MEASURES
    from sessionkit.study.schema import TABLES, document, table

    for name, measure in MEASURES.items():
        yield (
            name,
            f"a measure of a {measure.level}: {_first_sentence(about(measure), name)} More: sessionkit measures {name}",
        )
    for name, parameter in PARAMETERS.items():
        yield name, f"a parameter of measures: {parameter.meaning}; {parameter.allowed}"
    for name in PRESETS:
        yield name, f"a preset of measures: like={name} stands for the choices of that source"
    yield from _formats()
    for name, kind in CHARTS.items():
        yield name, f"a kind of chart: {kind.shows}. More: sessionkit chart {name} --help"
    for name in TABLES:
        yield name, f"a table of a study. Its columns: sessionkit schema {name}"
        for column in table(name).fields:
            yield column.name, f"a column of {name}: {column.description}"
    yield from _keys_of_study_toml(document("study.schema"))
    # the schema of study.toml explains those of tables
    yield from _options_of_formats({name: log.options for name, log in FORMATS.items() if name != "tables"})


def _formats() -> Iterator[tuple[str, str]]:
    """Yield the names of all formats, and what each is."""
    from sessionkit.readers import FORMATS, JUDGMENTS

    for name, log in FORMATS.items():
        yield name, f"a format of a log: {log.description}. More: sessionkit formats {name}"
    for name, judgments in JUDGMENTS.items():
        yield name, f"a format of judgments: {judgments.description}. More: sessionkit formats {name}"


def _keys_of_study_toml(node: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the keys that a schema declares, those inside of others too, and what each says."""
    for name, value in {**node.get("properties", {}), **node.get("$defs", {})}.items():
        if "description" in value:
            yield name, f"a key of study.toml: {value['description']}"
        yield from _keys_of_study_toml(value)
        yield from _keys_of_study_toml(value.get("items", {}))


def _options_of_formats(options: Mapping[str, Mapping[str, Option]]) -> Iterator[tuple[str, str]]:
    """Yield the keys that formats add to study.toml; formats in which a key means the same are named together."""
    formats: dict[tuple[str, str], list[str]] = {}
    for name, declared in options.items():
        for key, option in declared.items():
            formats.setdefault((key, option.meaning), []).append(name)
    for (key, explanation), format_names in formats.items():
        label = "format" if len(format_names) == 1 else "formats"
        yield key, f"a key of study.toml ({label} {listed(format_names)}): {explanation}"


def _first_sentence(text: str, name: str) -> str:
    """The first sentence of the documentation of a measure, without its name."""
    return " ".join(text.partition("\n\n")[0].split()).removeprefix(f"{name}: ")


def meaning(term: str) -> str | None:
    """What a term is: by the glossary, as the name of a measure, parameter, format, chart, table, column or key, or all of them."""
    if len(term) > LONGEST_NAME:
        return None
    known, folded = names(), {name.casefold(): name for name in names()}
    forms = [term, *_singular(term)]
    words = next((glossary()[form.casefold()] for form in forms if form.casefold() in glossary()), None)
    exact = next((form for form in forms if form in known), None)
    name = exact or next((folded[form.casefold()] for form in forms if form.casefold() in folded), None)
    found = [*filter(None, [words]), *known.get(name or "", [])]
    if not found and re.search(r"[@(=]", term):  # a measure with its parameters, such as mean(nDCG@10)
        parts = dict.fromkeys(re.findall(r"[A-Za-z_]\w*", term))
        found = [text for part in parts for text in known.get(part, [])]
    if not found:  # what a log is called, such as TREC Session Track
        called = re.compile(rf"(?<!\w){re.escape(term)}(?!\w)", re.IGNORECASE)
        formats = {f"{name}, {text}" for name, text in _formats()}
        texts_of_formats = [text for texts in known.values() for text in texts if text in formats]
        found = [text for text in texts_of_formats if (match := called.search(text)) and match[0][0].isupper()]
        found = found if len(found) <= MOST_LOGS else []
    return "\n".join(found) or None


def nearest(term: str, known: Iterable[str]) -> str:
    """What may be meant by a word that is no term, up to three, as the end of a message; or the empty string."""
    folded = {name.casefold(): name for name in known}
    near = close_names(term.casefold(), [*folded], 3, 0.6)
    return f"; did you mean {' or '.join(repr(folded[name]) for name in near)}?" if near else ""


def _singular(word: str) -> list[str]:
    """Other forms under which a word may be known."""
    return [word.removesuffix("s"), re.sub("ies$", "y", word), re.sub("(s|x|ch|sh)es$", r"\1", word)]


FENCE = re.compile(r"\s*```")
"""A line above and below code, which stays as it is."""
CODE = re.compile(r" {4}")
"""The beginning of a line of code behind an empty line."""
ALONE = re.compile(r"#|\s*$")
"""A line that is no part of a paragraph: a heading, an empty line."""
ITEM = re.compile(r"\s*(?:[-*] |\d+\. )")
"""The beginning of an item of a list."""
CELL_END = re.compile(r"(?<!\\)\|")
"""The end of a cell of a table of Markdown."""


def fold_page(text: str) -> str:
    """Return text of paragraphs, lists, tables and code as the terminal shows it; code, and text for no terminal, is as it was.

    A paragraph is joined and folded, a table of Markdown is set as other tables are.
    """
    width = terminal_width()
    if width is None:
        return text
    lines: list[str] = []
    for block in _blocks(text):
        if FENCE.match(block[0]) or CODE.match(block[0]):
            lines += block
        elif block[0].startswith("|"):
            lines += table_text(_table(block), width).splitlines()
        else:
            lead = INDENT.match(block[0])
            start = lead[0] if lead is not None else ""
            words = [block[0][len(start) :].strip(), *(line.strip() for line in block[1:])]
            lines += [line.rstrip() for line in fold_text(start + " ".join(words), min(width, READABLE))]
    return "".join(f"{line}\n" for line in lines)


def fold_facts(facts: Mapping[str, str], indent: str = "") -> str:
    """Return names and values, each on a line, or on several of the terminal, which stand below each other."""
    width, names = terminal_width(), max(map(len, facts), default=0)
    lines = []
    for name, value in facts.items():
        parts = (
            [value]
            if width is None or name == "example"
            else fold_text(visible(value), min(width, READABLE) - len(indent) - names - 2)
        )
        lines += [f"{indent}{name:<{names}}  {parts[0]}", *(f"{indent}{'':<{names}}  {part}" for part in parts[1:])]
    return "".join(f"{line}\n" for line in lines)


def _blocks(text: str) -> list[list[str]]:
    """Split text into the lines of its paragraphs, items, tables and blocks of code."""
    blocks: list[list[str]] = []
    is_fenced = follows_empty = False
    for line in map(visible, text.removesuffix("\n").split("\n")):
        is_fence = FENCE.match(line) is not None
        continues = blocks and not is_fence and not follows_empty and _continues(line, blocks[-1])
        if is_fenced or continues:
            blocks[-1].append(line)
        else:
            blocks.append([line])
        follows_empty = not is_fenced and ALONE.match(line) is not None
        if is_fence:
            is_fenced = not is_fenced
            follows_empty = not is_fenced
    return blocks


def _continues(line: str, block: list[str]) -> bool:
    """Whether a line, behind one that is not empty, belongs to the block of that one."""
    if line.startswith("|") or block[0].startswith("|"):
        return line.startswith("|") and block[0].startswith("|")
    return not ALONE.match(line) and not ITEM.match(line)


def _table(lines: list[str]) -> pl.DataFrame:
    """The cells of a table of Markdown."""
    import polars as pl

    header, _, *rows = [
        [cell.strip().replace(r"\|", "|") for cell in CELL_END.split(line.strip().strip("|"))] for line in lines
    ]
    return pl.DataFrame(rows, schema=dict.fromkeys(header, pl.String), orient="row")
