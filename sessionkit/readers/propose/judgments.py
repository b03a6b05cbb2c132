"""Judgments beside a private log: which column is the document, which the grade, and what their keys belong to."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from sessionkit.contract import table
from sessionkit.display.words import listed
from sessionkit.errors import DataError
from sessionkit.readers.entries import TEXT
from sessionkit.readers.judgments.registry import JUDGMENTS
from sessionkit.readers.propose.column_names import LIKELY, likeness
from sessionkit.readers.propose.contents import SampleColumn
from sessionkit.readers.propose.grades import ask_of_grade, grade_of, label
from sessionkit.readers.propose.judgment_keys import choose_key
from sessionkit.readers.propose.keys import shared
from sessionkit.readers.propose.kinds import LogFileKind, judgments_in
from sessionkit.readers.propose.match import Match
from sessionkit.readers.propose.toml import quoted

TABULAR = ("qrels", "graded", "graded_topics")
"""Formats of judgments whose files are tables, a row a judgment."""
TRIED = 8
"""Columns that are tried for the document."""
ONCE = 0.9
"""The share of rows whose document is another than those before in the list, at the least."""


@dataclass(frozen=True)
class JudgmentProposal:
    """The judgments beside a log.

    Parameters
    ----------
    match
        Their table; None where there are none.
    grades
        Their grades.
    key, doc
        What they belong to, and the document.
    """

    match: Match | None = None
    grades: pl.Series | None = None
    key: SampleColumn | None = None
    doc: SampleColumn | None = None

    @property
    def name(self) -> str:
        """Their file, or what was looked at of it."""
        if self.match is None:
            return ""
        return self.match.part.name if self.match.part.sample.whole else f"the first rows of {self.match.part.name}"


def judgments_of(part: LogFileKind | None, log: dict[str, Match]) -> JudgmentProposal:
    """Return the judgments in a file, and let the log's columns feed the document and the key that they share."""
    results = log.get("results")
    if part is None:
        if results is not None:
            _choose_document(results, [])
        return JudgmentProposal()
    match = Match(part, "judgments", table("judgments").by_name)
    if part.format and part.format not in TABULAR:
        return _of_format(match, part.format, log)
    if part.format == "qrels":
        match.options["format"] = "qrels"
        key, _, doc, grade = list(part.columns.values())[:4]
        keys, docs = [key], [doc]
    else:
        grade = grade_of(part)
        docs = _candidates(part, grade)
        keys = [one for one in part.columns.values() if one is not grade]
    if not docs:
        raise DataError(f"{part.name}: no column can be the document that was judged")
    doc = _choose_document(results, docs) if results is not None else docs[0]
    keys = [one for one in keys if one is not doc]
    if not keys:
        raise DataError(f"{part.name}: no column shows what a judgment belongs to: a topic, a session or a query")
    key = choose_key(match, keys, doc, log)
    if part.format != "qrels":
        match.columns |= {"judgment_key": key.name, "doc_id": doc.name, "grade": grade.name}
        label(match, grade)
        ask_of_grade(match, grade)
        if grade.filled < 1 and part.format.startswith("graded"):  # whose reader leaves rows without grade out
            match.options = {"format": part.format}
            match.columns.clear()
    worth = {word: str(number) for word, number in match.options.get("grade_values", {}).items()}
    return JudgmentProposal(match, grade.texts.str.strip_chars().replace(worth), key, doc)


def _candidates(part: LogFileKind, grade: SampleColumn) -> list[SampleColumn]:
    """Return the columns that may be the document, the likeliest by name first."""
    things = [one for one in part.columns.values() if one is not grade and one.may_be_an_id]
    return sorted(things, key=lambda one: -likeness(one.name, "doc_id") if part.sample.named else 0)[:TRIED]


def _choose_document(results: Match, judged: list[SampleColumn]) -> SampleColumn:
    """Let the log's column feed doc_id that shares most with the judgments, else has the likeliest name; return theirs."""
    part = results.part
    things = [one for one in results.unused if one.may_be_an_id]
    once = {one.name: _comes_once(results, one) for one in things}
    things.sort(
        key=lambda one: (not once[one.name], -likeness(one.name, "doc_id") if part.sample.named else 0, -one.distinct)
    )
    if not things:
        raise DataError(f"{part.name} looks like results, but no column can be doc_id, the document that was shown")
    pairs = [pair for pair in shared(things[:TRIED], judged) if pair[0] > 0]
    if pairs:
        common, ours, theirs = max(
            pairs, key=lambda pair: pair[0] + 0.2 * sum(likeness(one.name, "doc_id") for one in pair[1:])
        )
        results.columns["doc_id"] = ours.name
        if len(things) > 1 and (not part.sample.named or likeness(ours.name, "doc_id") < LIKELY):
            results.remark("doc_id", f"{common:.0%} of its ids are those of the judgments")
        return theirs
    results.columns["doc_id"] = things[0].name
    _ask_of_document(results, [one for one in things if once[one.name]] or things, judged)
    return judged[0] if judged else things[0]


def _comes_once(results: Match, one: SampleColumn) -> bool:
    """Return whether values of a column seldom come twice in a list, as documents do and numbers of pages do not."""
    keys = [results.columns[ours] for ours in ("session_id", "query_position")]
    rows = results.part.sample.texts.select(*keys, one.name).drop_nulls()
    return rows.n_unique() > ONCE * rows.height


def _ask_of_document(results: Match, things: list[SampleColumn], judged: list[SampleColumn]) -> None:
    """Ask about a document that no judgments confirm."""
    first, named = things[0], results.part.sample.named
    rivals = [quoted(one.name) for one in things[1:] if named and likeness(one.name, "doc_id") >= LIKELY]
    if rivals:
        results.ask(
            "doc_id", f"{quoted(first.name)} is taken for doc_id; {listed(rivals)} could be it as well. Which is it?"
        )
    if judged:
        results.ask(
            "doc_id",
            f"no value of {quoted(first.name)} is among the documents of the judgments. Are these the same ids?",
        )
    elif not named or likeness(first.name, "doc_id") < LIKELY:
        results.ask(
            "doc_id", f"{results.called(first)} is taken for doc_id by its values ({quoted(first.given[0])}). Is it?"
        )


def _of_format(match: Match, format: str, log: dict[str, Match]) -> JudgmentProposal:
    """Return judgments in a format of their own, which their reader takes apart."""
    match.options["format"] = format
    results = log.get("results")
    rows = judgments_in(match.part.sample.path, format)
    docs, key = (SampleColumn(name, 1, rows[name], rows[name]) for name in ("doc_id", "judgment_key"))
    if results is not None:
        _choose_document(results, [docs])
    if JUDGMENTS[format].keys == TEXT:
        match.remark("format", "keys are texts of queries")
    elif results is not None:
        choose_key(match, [key], docs, log)
    return JudgmentProposal(match, rows["grade"], key, docs)
