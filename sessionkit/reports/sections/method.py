"""Data and method: a paragraph to copy with its citations; every choice that a number depends on; where the data are from."""

from __future__ import annotations

from pathlib import PurePath
from shlex import quote

import polars as pl

from sessionkit.analysis.provenance import plugin_words
from sessionkit.display.tables import TextTable, table_of
from sessionkit.display.words import counted
from sessionkit.reports.material import Material
from sessionkit.reports.method import again, citations, defined, in_words, paragraph, plugins, sentences
from sessionkit.reports.parts import Code, Part, Terms, Words
from sessionkit.reports.redaction import numbers_of_sources
from sessionkit.reports.sections.quality import quality
from sessionkit.reports.sections.section_kind import section
from sessionkit.reports.sections.study import study as study_tables
from sessionkit.scoring.score import columns_text, group_keys

SOURCES = {"records": "Records", "rows": "Rows", "rejected": "Rejected"}
"""Headings of the table of sources."""


@section("definitions", "Measures and settings in full")
def definitions(of: Material) -> list[Part]:
    """Measures in full, settings, versions, hashes of the sources, the commands that make the page and its table of sessions again."""
    terms = Terms(tuple((str(measure), f"{in_words(measure)}.") for measure in defined(of.measures)))
    used = plugins(of.measures)
    names = counted(len(used), "module") if of.redaction.kinds else "; ".join(map(str, used))
    beside = [f"Measures and charts of others: {names}."] if used else []
    words = Words((*sentences(of.study), *beside))
    command = Code(again(of.measures if of.asked else (), _given(of), plugin_words(used, named=not of.redaction.kinds)))
    said = "The same page again" if _sayable(of) else "The same page again, with the condition as where"
    table = Code(
        f"sessionkit score STUDY {quote(str(next(iter(of.measures), of.choices.measure)))} --per session --wide"
    )
    commands: list[Part] = [Words((f"{said}:",)), command, Words(("All sessions as a table:",)), table]
    return [terms, words, *commands, *_sources(of)]


@section("method", "Data and method", details=(study_tables, quality, definitions))
def method(of: Material) -> list[Part]:
    """A paragraph for a paper, and what it cites."""
    told = [of.redaction.note(paragraph(of))]
    if of.valueless is None:
        told.append(f"Cited: {'; '.join(citations(of.measures))}.")
    return [Words(tuple(told))]


def _sayable(of: Material) -> bool:
    """Whether the command can name which sessions take part: not where anything is redacted, nor what is no SQL."""
    return of.study.restriction is None or (of.study.restriction.sql and not of.redaction.kinds)


def _given(of: Material) -> dict[str, object]:
    """What was asked for, by the options of the command; None where it is what the command does of itself."""
    columns, restriction = [*group_keys(of.study, of.averaged_by)], of.study.restriction
    return {
        "by": None if columns == ["system_id"] else columns_text(columns),
        "where": restriction.condition if restriction is not None and _sayable(of) else None,
        "redact": ",".join(sorted(of.redaction.kinds)) or None,
        "primary": str(of.primary) if of.declared == "report" else None,
        "also": ",".join(of.also.parts) or None,
        "difference": of.also.difference,
    }


def _sources(of: Material) -> list[TextTable]:
    """The files that the tables are from; where anything is redacted, by numbers and without their hashes."""
    sources = of.study.sources
    if not sources:
        return []
    names = numbers_of_sources(of.study) if of.redaction.kinds else {one.path: _place(one.path) for one in sources}
    files = pl.DataFrame(
        [
            (names[source.path], source.table, source.records, source.rows, source.rejected, source.sha256)
            for source in sources
        ],
        schema={
            "Source": pl.String,
            "Table": pl.String,
            "records": pl.Int64,
            "rows": pl.Int64,
            "rejected": pl.Int64,
            "SHA-256": pl.String,
        },
        orient="row",
    )
    if of.redaction.kinds:
        files = files.drop("SHA-256")
    return [table_of(f"Sources, read as {of.study.reader}", files, headers=SOURCES)]


def _place(path: str) -> str:
    """A source as it was named, without the directories of this machine."""
    return PurePath(path).name if PurePath(path).is_absolute() else path
