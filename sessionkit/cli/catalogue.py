"""Commands about what there is: measures, formats, schema; they read the registries."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from sessionkit.cli.options import FormatOption, OutputOption, complete_formats, complete_measures
from sessionkit.cli.output import OutputForm, destination
from sessionkit.cli.pages import fold_facts, fold_page
from sessionkit.display.terminal import terminal_width
from sessionkit.display.text_tables import table_text
from sessionkit.errors import UsageError, suggestion

if TYPE_CHECKING:
    from sessionkit.readers import Format, Judgments
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


def _complete_any_format(incomplete: str) -> list[str]:
    """The formats of logs and of judgments whose names begin as what is typed; a shell asks for them."""
    from sessionkit.readers import JUDGMENTS

    of_judgments = [name for name in JUDGMENTS if name.startswith(incomplete)]
    return list(dict.fromkeys([*complete_formats(incomplete), *of_judgments]))


def _complete_tables(incomplete: str) -> list[str]:
    """The tables whose schemas begin as what is typed; a shell asks for them."""
    from sessionkit.contract import TABLES

    return [name for name in (*TABLES, "rejected", STUDY_TOML) if name.startswith(incomplete)]


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

    from sessionkit.scoring.measures.column import SessionColumn
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
            help="users, sessions, queries, results, judgments, rejected; or study for that of study.toml.",
            show_default=False,
        ),
    ] = None,
    format_: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """The columns of the tables, or one table's schema as JSON."""
    import polars as pl

    from sessionkit.contract import TABLES, document
    from sessionkit.contract import table as declared

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
        known = [*names, STUDY_TOML]
        msg = f"there is no table {table!r}{suggestion(table, known)}; schemas: {', '.join(known)}"
        raise UsageError(msg)
    found = document("study.schema" if table == STUDY_TOML else table)
    to.write((json.dumps(found, indent=2, ensure_ascii=False) + "\n").encode())


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
