"""Which column of a file feeds which of ours: by its name, if what is in it can be that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from sessionkit.contract import Field, table
from sessionkit.display.words import listed
from sessionkit.readers.checks.cells import EXCEL
from sessionkit.readers.propose.column_names import CONDITIONS, LEVELS_OF_CONDITIONS, LIKELY, TRAITS, likeness, words
from sessionkit.readers.propose.contents import SampleColumn
from sessionkit.readers.propose.kinds import LogFileKind
from sessionkit.readers.propose.proposal import quoted
from sessionkit.readers.propose.spellings import mean_nothing, respelled

SURE = 0.95
"""How likely by its name a column of small numbers must be to be taken for seconds without asking."""
LONG = 600
"""Seconds on a document that half of them do not exceed, else the unit is asked about."""
OTHER_UNITS = {"us", "ns", "days", "tage"}
"""Words of a name that say that it is in a unit that no study.toml names."""
ODD = 0.05
"""The share of values that may be mistyped in a column with a usual name."""
COUNTS = ("clicks", "click_elapsed_seconds")
"""Columns of numbers that have names in common with columns of something else."""
MOST_CONDITIONS = 20
"""Values of a column that may be the condition of a session."""
LEVELS_SHOWN = 4
"""Values of a condition that a question shows."""
STEADY = 0.95
"""The share of sessions, or lists, in which a column must say one thing to belong to them."""


MISSING = {
    "session_id": "no column names sessions. Which is it?",
    "query_position": "no column counts the queries of a session (1, 2, 3, ...). Which is it? If none does, say number_queries = "
    "true above",
    "rank": "no column is the rank of a result in its list (1, 2, 3, ...). Which is it?",
    "doc_id": "no column is the document that was shown. Which is it?",
}
"""What is asked where a column is missing that every row must have."""


@dataclass
class Match:
    """A file, the table it is, and which of its columns feed which of ours; filled in as it is found out.

    Options that are `supposed` stand as comments. A table `is_shared` that another one of the log is made of as well.
    """

    part: LogFileKind
    table: str
    fields: Mapping[str, Field]
    columns: dict[str, str] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    questions: dict[str, list[str]] = field(default_factory=dict)
    remarks: dict[str, list[str]] = field(default_factory=dict)
    supposed: dict[str, Any] = field(default_factory=dict)
    is_shared: bool = False

    def ask(self, key: str, text: str) -> None:
        """Ask something at a line."""
        self.questions.setdefault(key, []).append(text)

    def remark(self, key: str, text: str) -> None:
        """Say something at a line."""
        self.remarks.setdefault(key, []).append(text)

    def column(self, ours: str) -> SampleColumn | None:
        """Return the column that feeds one of ours."""
        return self.part.columns[self.columns[ours]] if ours in self.columns else None

    def called(self, column: SampleColumn) -> str:
        """Return what a sentence calls a column: by its name, or its number."""
        return quoted(column.name) if self.part.sample.named else f"column {column.name}"

    @property
    def unused(self) -> list[SampleColumn]:
        """The columns of the file that feed none of ours."""
        columns = self.part.columns.values()
        return [one for one in columns if one.name not in self.columns.values() and one.made_of is None]


def match_by_name(match: Match, skipped: Iterable[str] = ()) -> None:
    """Let columns feed ours by their names, the likeliest first, as far as what is in them fits."""
    left = [one for one in match.fields if one not in match.columns and one not in skipped]
    pairs = sorted(
        ((likeness(one.heading, ours), -place, one, ours) for place, ours in enumerate(left) for one in match.unused),
        key=lambda pair: (-pair[0], -pair[1], pair[2].place),
    )
    for like, _, one, ours in pairs if match.part.sample.named else ():
        if not like or ours in match.columns or not fits(match, one, ours):
            continue
        if one.name not in match.columns.values():
            match.columns[ours] = one.name
            _ask_of_doubts(match, ours, like)
    for ours in left:
        if ours in match.columns and match.fields[ours].type == "string":
            _ask_of_rivals(match, ours)


def condition_columns(columns: Iterable[SampleColumn], sessions: pl.Series) -> list[SampleColumn]:
    """Return the columns that may be the condition of a session, likeliest first; `sessions` has the session of each row.

    Each has 2 to 20 values that several sessions have, one in a session, and is called as conditions are, or its values are.
    """
    plausible = []
    for column in columns:
        if not 2 <= column.distinct <= MOST_CONDITIONS:
            continue
        of_name = set(words(column.heading))
        is_called = bool(of_name & CONDITIONS) and not of_name & TRAITS
        is_level = {text.strip().casefold() for text in column.given.unique()} <= LEVELS_OF_CONDITIONS
        if not (is_called or is_level):
            continue
        pairs = pl.DataFrame({"session": sessions, "value": column.texts}).drop_nulls().unique()
        n_sessions = pairs["session"].n_unique()
        if pairs.height == n_sessions and 2 * column.distinct <= n_sessions:
            plausible.append((is_called + is_level, column))
    return [column for _, column in sorted(plausible, key=lambda pair: -pair[0])]


def question_of_condition(columns: Sequence[SampleColumn]) -> str:
    """Return the question whether the first of these columns is the condition."""
    first, *others = columns
    levels = [quoted(text) for text in first.given.unique(maintain_order=True)[:LEVELS_SHOWN]]
    more = f" and {first.distinct - LEVELS_SHOWN} more" if first.distinct > LEVELS_SHOWN else ""
    rivals = f"; {listed([quoted(other.name) for other in others])} could be it as well" if others else ""
    return (
        f"no column is taken for the condition of a session, which comparisons are by. Is it {quoted(first.name)} "
        f"({', '.join(levels)}{more}){rivals}? Then remove the '#', else this line"
    )


def _ask_of_doubts(match: Match, ours: str, like: float) -> None:
    """Ask about a column whose name is not a usual one, or whose unit is not sure."""
    column = match.part.columns[match.columns[ours]]
    if like < LIKELY:
        match.ask(ours, f"{quoted(column.name)} is taken for {ours}, such as {quoted(column.given[0])}. Is it?")
    nearer = max(match.fields, key=lambda one: likeness(column.heading, one))
    if LIKELY <= like < likeness(column.heading, nearer) and ours in COUNTS:
        match.ask(
            ours,
            f"{quoted(column.name)} is taken for {ours}, because its values ({_range(column)}) cannot be {nearer}. Is it?",
        )
    if ours.endswith("_seconds"):
        seconds = respelled(column.given, column.spelling(match.fields[ours]), match.fields[ours])
        middle = seconds.cast(pl.Float64, strict=False).median()
        if ours == "elapsed_seconds" and like < SURE:
            match.ask(
                ours,
                f"{quoted(column.name)} is taken for seconds since the session began ({_range(column)}). Is it?",
            )
        elif isinstance(middle, float) and middle > LONG:
            match.ask(
                ours, f"half of {quoted(column.name)} are over {middle:,.0f}. Is that seconds? If not, remove this line"
            )


def _range(column: SampleColumn) -> str:
    """Return the least and the greatest number in a column."""
    numbers = column.given.cast(pl.Float64, strict=False).drop_nulls().sort()
    return f"{numbers[0]:,g} to {numbers[-1]:,g}"


def _ask_of_rivals(match: Match, ours: str) -> None:
    """Ask which column it is where others have as good a name."""
    others = [one.name for one in match.unused if likeness(one.heading, ours) >= LIKELY and fits(match, one, ours)]
    if others and match.columns[ours] != ours:
        named = listed([quoted(name) for name in others])
        match.ask(ours, f"{quoted(match.columns[ours])} is taken for {ours}; {named} could be it as well. Which is it?")


def fits(match: Match, one: SampleColumn, ours: str) -> bool:
    """Return whether what is in a column can be one of ours: all values are of its type, it is steady where it must be."""
    if not len(one.given):
        return False
    declared = match.fields[ours]
    if declared.type == "string" and ours.endswith("_id") and not one.may_be_an_id:
        return False
    if ours.endswith("_seconds") and OTHER_UNITS & set(words(one.name)):
        return False
    if is_day(one, ours, declared):
        return False
    bad = one.misfits(declared)
    if len(bad) and not (len(bad) < one.distinct and (mean_nothing(bad) or is_mistyped(one, bad, ours, declared))):
        return False
    if ours == "session_order":
        return _counts_sessions(match, one)
    return is_steady(match, one, ours)


def is_day(one: SampleColumn, ours: str, declared: Field) -> bool:
    """Return whether a column has days alone, which are no times of queries or clicks."""
    times = one.spelling(declared).times if ours in ("issued_at", "clicked_at") else None
    return times is not None and "%M" not in times and times != EXCEL


def is_mistyped(one: SampleColumn, bad: pl.Series, ours: str, declared: Field) -> bool:
    """Return whether few values of a column with a usual name are mistyped, which are then set aside one by one.

    Numbers beside 0 and 1 count something, such as clicks, however rare they are.
    """
    if declared.type == "boolean" and one.counts and bad.str.contains(r"^\s*\d+(\.0+)?\s*$").any():
        return False
    strange = bad.filter([not mean_nothing([text]) for text in bad])
    usual = likeness(one.heading, ours) >= LIKELY and not declared.required and declared.type != "string"
    return usual and one.share_of(strange) <= ODD


def is_steady(match: Match, one: SampleColumn, ours: str) -> bool:
    """Return whether a column of a session says one thing in it, one of a query one in its rows."""
    key = within(match, ours)
    if not key:
        return True
    frame = pl.DataFrame({f"k{place}": match.part.columns[name].texts for place, name in enumerate(key)})
    frame = frame.with_columns(v=one.texts).drop_nulls()
    counts = frame.group_by(pl.exclude("v")).agg(pl.col("v").n_unique())
    return bool(counts.height) and int((counts["v"] == 1).sum()) >= STEADY * counts.height


def within(match: Match, ours: str) -> list[str]:
    """Return the columns of what one of ours belongs to, where that has several rows in this table."""
    keys = {"results": ("session_id", "query_position"), "queries": ("session_id",)}.get(match.table, ())
    if not keys or ours in table(match.table).names:
        return []
    of = keys if ours in table("queries").names and match.table == "results" else keys[:1]
    return [match.columns[name] for name in of if name in match.columns]


def _counts_sessions(match: Match, one: SampleColumn) -> bool:
    """Return whether a column numbers the sessions of each user, from 1."""
    user = match.column("user_id") or next(
        (each for each in match.unused if likeness(each.heading, "user_id") > LIKELY), None
    )
    if match.table != "sessions" or user is None or not one.counts:
        return False
    frame = pl.DataFrame({"u": user.texts, "n": one.integers}).drop_nulls()
    counts = frame.group_by("u").agg(
        pl.col("n").min().alias("low"), pl.col("n").n_unique().alias("n"), pl.len().alias("rows")
    )
    rising = ((counts["low"] >= 1) & (counts["n"] == counts["rows"])).all()
    return bool(rising) and 2 * int((counts["low"] == 1).sum()) > counts.height
