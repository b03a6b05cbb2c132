"""A private log with one row per event, as ``format = "events"`` reads it: which column is what, what events are called."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from sessionkit.contract import table
from sessionkit.display.numbers import share_text
from sessionkit.display.words import listed
from sessionkit.errors import DataError
from sessionkit.readers.formats.events import COLUMNS
from sessionkit.readers.propose.column_names import LIKELY, likeness
from sessionkit.readers.propose.contents import SampleColumn, share
from sessionkit.readers.propose.judgments import JudgmentProposal, judgments_of
from sessionkit.readers.propose.kinds import LogFileKind, action_of, event_column
from sessionkit.readers.propose.match import condition_columns, question_of_condition
from sessionkit.readers.propose.proposal import Line, TomlSection, quoted
from sessionkit.readers.propose.questionnaires import section_of_answers
from sessionkit.readers.propose.table_sections import asked_of_grades, path_from, sections_of, zone_line
from sessionkit.readers.questionnaires import SECTION

CLOSE = 0.1
"""Shares of the judgments' keys that are so near to each other leave it open what these belong to."""
NUMBERS = ("rank", "results_count", "dwell_seconds")
LISTED = r"(?s)^\s*\[.*\]\s*$"
"""A list of documents in JSON, as of the items of an event that is a query."""
SHOWN = 8
"""Names of events that a question lists."""


def sections_of_events(parts: Sequence[LogFileKind], folder: Path) -> list[TomlSection]:
    """Return a study.toml of format events, in sections.

    Raises
    ------
    DataError
        Its files are written in different ways, or have no session and no user.
    """
    logs = [part for part in parts if part.kind == "events"]
    first = logs[0]
    written = _written(first)
    for other in logs[1:]:
        if other.sample.columns != first.sample.columns or other.sample.options != first.sample.options:
            raise DataError(
                f"{first.name} and {other.name} both look like events but have different columns; propose one at a time"
            )
    judged = judgments_of(next((part for part in parts if part.kind == "judgments"), None), {})
    columns = _columns(first, judged)
    paths = [path_from(folder, one.sample.path) for one in logs]
    top = [Line("format", "events"), Line("path", paths[0] if len(paths) == 1 else paths), *written]
    top += asked_of_grades(judged.grades, judged.name)
    if "time" in columns and columns["time"].lacks_zone(table("queries").by_name["issued_at"]):
        top.append(zone_line(f"{quoted(columns['time'].name)} ({quoted(columns['time'].given[0])})"))
    if "session_id" not in columns:
        top.append(
            Line(
                "session_gap",
                "30m",
                ("no column names sessions: a pause ends the session of a user. Is 30 minutes right?",),
            )
        )
    sections = [TomlSection((), tuple(top)), *_named(first, columns, judged), _actions(columns["event"])]
    answers = [part for part in parts if part.kind == SECTION]
    left = [part.name for part in parts if part.kind not in ("events", "judgments", SECTION)]
    if left:
        asked = f"not used, because only its events describe a log of events: {listed([quoted(name) for name in left])}"
        sections.append(TomlSection((), (Line(questions=(asked,)),)))
    if judged.match is not None:
        sections += sections_of(judged.match, folder)
    taken = set(table("sessions").names)
    return [*sections, *(section_of_answers(part, parts, folder, taken) for part in answers)]


def _written(part: LogFileKind) -> list[Line]:
    """Return how the files are written."""
    options: dict[str, Any] = dict(part.sample.options)
    if options.get("separator") == "whitespace" or {"header", "skip", "sheet"} & set(options):
        raise DataError(
            f"{part.name} looks like a log of events; these are text with one header line at the top and a separator such as a comma "
            "or a tab"
        )
    lines = [Line(key, options[key]) for key in ("encoding", "separator", "quote") if key in options]
    return [
        Line(line.key, line.value, (part.sample.doubts[line.key],)) if line.key in part.sample.doubts else line
        for line in lines
    ]


def _columns(part: LogFileKind, judged: JudgmentProposal) -> dict[str, SampleColumn]:
    """Return the columns of the log by what they are; a document by the ids that it shares with the judgments."""
    event = event_column(part.columns)
    assert event is not None  # noqa: S101 - that is what makes it events
    found = {"event": part.columns[event]}
    docs = judged.doc
    left = [one for one in part.columns.values() if one.name != event and len(one.given)]
    if docs is not None:
        pairs = sorted(((share(one.given, docs.given), one.name) for one in left), reverse=True)
        if pairs and pairs[0][0] >= 0.2:
            found["doc_id"] = part.columns[pairs[0][1]]
    pairs_of = sorted(
        ((likeness(one.heading, ours), -place, one, ours) for place, ours in enumerate(COLUMNS) for one in left),
        key=lambda pair: (-pair[0], -pair[1]),
    )
    for like, _, one, ours in pairs_of:
        if (
            like
            and ours not in ("elapsed_seconds", "event_order")
            and ours not in found
            and one not in found.values()
            and _can_be(one, ours)
        ):
            found[ours] = one
    if "results" not in found and "doc_id" in found and found["doc_id"].share_matching(LISTED) > 0:
        found["results"] = found["doc_id"]
    if "session_id" not in found and not {"user_id", "time"} <= set(found):
        raise DataError(
            f"{part.name} looks like a log of events, but no column of it names sessions, and none names users with times; found "
            f"{', '.join(part.columns)[:300]}"
        )
    return found


def _can_be(one: SampleColumn, ours: str) -> bool:
    """Return whether what is in a column can be this."""
    if ours == "time":
        return not one.misfits(table("queries").by_name["issued_at"]).len()
    if ours in NUMBERS:
        numbers = one.given.cast(pl.Float64, strict=False)
        return numbers.null_count() * 2 < len(one.given)
    return ours in ("query_text", "results") or one.may_be_an_id


def _named(part: LogFileKind, columns: dict[str, SampleColumn], judged: JudgmentProposal) -> list[TomlSection]:
    """Return which column is what."""
    extra = [one for one in part.columns.values() if one not in columns.values()]
    lines = [
        Line(
            ours,
            list(columns[ours].made_of or ()) or columns[ours].name,
            _doubts(ours, columns[ours], () if ours == "doc_id" and judged.doc else extra),
        )
        for ours in COLUMNS
        if ours in columns
    ]
    lines += _key(columns, judged)
    if "system_id" not in columns and "session_id" in columns:
        conditions = condition_columns(extra, columns["session_id"].texts)
        if conditions:
            lines.append(Line("system_id", conditions[0].name, (question_of_condition(conditions),), idle=True))
    if extra:
        shown = ", ".join(quoted(one.name) for one in extra[:12])
        lines.append(Line(remarks=(f"extras, kept as they are: {shown}",)))
    return [TomlSection(("columns",), tuple(lines))]


def _key(columns: dict[str, SampleColumn], judged: JudgmentProposal) -> list[Line]:
    """Return the line that says what judgments belong to, where that is not the topic."""
    keys = judged.key
    if keys is None:
        return []
    shares: dict[str, float] = {
        ours: share(keys.given, columns[ours].given)
        for ours in ("topic_id", "session_id", "query_id", "query_text")
        if ours in columns
    }
    best = max(shares, key=lambda ours: shares[ours], default="")
    if "judgment_key" in columns:
        return []
    rivals = [quoted(columns[ours].name) for ours in shares if ours != best and shares[ours] >= shares[best] - CLOSE]
    if best == "topic_id" and shares[best] and not rivals:
        return []
    if not shares.get(best):
        asked = (
            f"no key of {judged.name} was found in the log ({quoted(keys.given[0])}). What do the judgments belong to?"
        )
        return [Line(questions=(asked,))]
    return [
        Line(
            "judgment_key",
            columns[best].name,
            tuple(f"{listed(rivals)} could be it as well. Which is it?" for _ in rivals[:1]),
            remarks=(f"{share_text(shares[best], 0)} of the judgments' keys are among its values",),
        )
    ]


def _doubts(ours: str, one: SampleColumn, others: Sequence[SampleColumn]) -> tuple[str, ...]:
    """Return what is not sure of a column: its name is not usual, or others have as usual a name."""
    if likeness(one.heading, ours) >= LIKELY:
        rivals = [
            quoted(other.name) for other in others if likeness(other.heading, ours) >= LIKELY and _can_be(other, ours)
        ]
        if not rivals or one.name == ours:
            return ()
        return (f"{quoted(one.name)} is taken for {ours}; {listed(rivals[:3])} could be it as well. Which is it?",)
    return (f"{quoted(one.name)} is taken for {ours}, such as {quoted(one.given[0])}. Is it?",)


def _actions(event: SampleColumn) -> TomlSection:
    """Return what events are called, and the question about those that say nothing."""
    names = event.given.str.strip_chars().unique(maintain_order=True).to_list()
    actions: dict[str, list[str]] = {}
    for name in names:
        actions.setdefault(action_of(name) or "", []).append(name)
    lines = [
        Line(action, found[0] if len(found) == 1 else found)
        for action in ("query", "impression", "click", "leave")
        if (found := actions.get(action))
    ]
    rest = actions.get("", [])
    if rest:
        more = f" and {len(rest) - SHOWN} more" if len(rest) > SHOWN else ""
        shown = ", ".join(map(quoted, rest[:SHOWN]))
        asked = f"events that are not used so far: {shown}{more}. Is one of them a query, impression, click or leave?"
        lines.append(Line(questions=(asked,)))
    return TomlSection(("events",), tuple(lines))
