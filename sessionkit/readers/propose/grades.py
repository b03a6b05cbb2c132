"""The grades of judgments: which column they are, and what those are worth that are words."""

from __future__ import annotations

import polars as pl

from sessionkit.display.words import listed
from sessionkit.errors import DataError
from sessionkit.readers.propose.column_names import LIKELY, likeness
from sessionkit.readers.propose.contents import SampleColumn
from sessionkit.readers.propose.kinds import LogFileKind
from sessionkit.readers.propose.match import Match
from sessionkit.readers.propose.toml import quoted

WORTH = {
    "exact": 3, "substitute": 2, "complement": 1, "irrelevant": 0, "e": 3, "s": 2, "c": 1, "i": 0,
    "relevant": 1, "not relevant": 0, "non-relevant": 0, "nonrelevant": 0, "not_relevant": 0,
    "highly relevant": 2, "highly_relevant": 2, "yes": 1, "no": 0, "true": 1, "false": 0,
}  # fmt: skip
"""What usual words of assessors may be worth; it is always asked."""
MOST = 30
"""Different grades that are words, beyond which they are no grades."""


def grade_of(part: LogFileKind) -> SampleColumn:
    """Return the column of the grade: by its name, else that with the fewest different numbers."""
    columns = list(part.columns.values())
    named = [one for one in columns if part.sample.named and likeness(one.name, "grade") and len(one.given)]
    if named:
        return max(named, key=lambda one: likeness(one.name, "grade"))
    numbers = [one for one in columns if one.distinct and not one.given.cast(pl.Float64, strict=False).null_count()]
    if not numbers:
        raise DataError(f"{part.name}: no column can be a grade; found {', '.join(part.columns)[:300]}")
    return min(numbers, key=lambda one: one.distinct)


def ask_of_grade(match: Match, grade: SampleColumn) -> None:
    """Ask about a grade that has no usual name, or whose place another column could take."""
    named = match.part.sample.named
    like = likeness(grade.name, "grade") if named else 0.0
    others = [quoted(one.name) for one in match.unused if _could_be(one, like, named=named)]
    if like >= LIKELY and not others:
        return
    values = ", ".join(quoted(text) for text in grade.given.unique().sort()[:3])
    rest = f"; {listed(others[:3])} could be it as well. Which is it?" if others else ". Is it?"
    match.ask("grade", f"{match.called(grade)} is taken for the grade ({values}){rest}")


def _could_be(one: SampleColumn, like: float, *, named: bool) -> bool:
    """Return whether another column is as likely a grade as that which was taken: by its name, else by its values."""
    if like >= LIKELY:
        return likeness(one.name, "grade") >= LIKELY and len(one.given) > 0
    if named and any(likeness(one.name, ours) >= LIKELY for ours in ("judge_id", "subtopic_id", "passage_id")):
        return False
    return 1 < one.distinct <= MOST and not one.given.cast(pl.Float64, strict=False).null_count()


def label(match: Match, grade: SampleColumn) -> None:
    """Say what grades are worth that are words, or numbers with a decimal comma."""
    words = grade.misfits(match.fields["grade"]).str.strip_chars().unique(maintain_order=True)
    if words.is_empty():
        return
    numbers = words.str.replace(",", ".", literal=True).cast(pl.Float64, strict=False)
    if len(words) <= MOST and grade.has_decimal_commas and not numbers.null_count():
        match.options["grade_values"] = dict(zip(words, numbers, strict=True))
        match.remark("grade_values", "grades with a decimal comma")
        return
    known = {word: WORTH[word.casefold()] for word in words if word.casefold() in WORTH}
    if len(known) == len(words):
        match.options["grade_values"] = known
        match.ask("grade_values", "grades are words. Are these their values?")
        return
    shown = ", ".join(quoted(word) for word in words[:6])
    match.ask(
        "grade",
        f"some grades are not numbers ({shown}): these rows are rejected, unless grade_values = {{ word = number, ... }} "
        "above gives their values",
    )
