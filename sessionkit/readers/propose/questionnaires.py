"""Questionnaires beside a log: which files, and which columns of its results, are answers of participants or sessions.

A table of answers has a row for each participant, for each participant and task, or for each answer; it says nothing of
sessions that the log does not say. A column of the results is one of answers where it says one thing in each session.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from sessionkit.display.words import listed
from sessionkit.readers.propose.column_names import LIKELY, folded
from sessionkit.readers.propose.contents import SampleColumn, share
from sessionkit.readers.propose.kinds import LogFileKind, called
from sessionkit.readers.propose.match import STEADY, Match
from sessionkit.readers.propose.proposal import Line, TomlSection, quoted
from sessionkit.readers.propose.sheets import like
from sessionkit.readers.propose.spellings import mean_nothing
from sessionkit.readers.propose.table_sections import paths_from
from sessionkit.readers.questionnaires import ANSWER, IDS, ITEM, SECTION

ITEMS = (
    "item items question questions questionid statement variable scale frage fragen aussage skala merkmal enonce pregunta "
    "afirmacion domanda affermazione pergunta afirmacao vraag stelling kysymys vaittama fraga pastaende"
)
"""What the column of items is called in a table of one row for each answer."""
ANSWERS = (
    "value values answer answers response responses rating score wert antwort antworten bewertung reponse valeur respuesta valor "
    "risposta valore resposta antwoord waarde vastaus arvo svar varde"
)
"""What the column of answers is called there."""
FACTS = ("user_id", "topic_id", "system_id", "started_at", "ended_at", "duration_seconds", "session_order")
"""What a table of sessions may say of them."""
SHARED = 0.5
"""The share of participants, or tasks, that a questionnaire must have in common with the log."""
WRITTEN = ("path", "name_pattern", "sheet", "encoding", "separator", "quote", "skip", "header", "trim", "null")
"""Options of a questionnaire in their order."""
GRADES = 101
"""Different answers at most of a rating."""


def with_questionnaires(parts: Sequence[LogFileKind]) -> list[LogFileKind]:
    """Return the files, those that are answers marked as such."""
    return [replace(part, kind=SECTION) if _is_questionnaire(part, parts) else part for part in parts]


def _is_questionnaire(part: LogFileKind, parts: Sequence[LogFileKind]) -> bool:
    """Return whether a file has answers, and no facts of sessions that the log lacks."""
    others = [one for one in parts if one is not part]
    if part.kind not in ("sessions", "users", "") or not part.sample.named or not _ids(part, others):
        return False
    if _long(part) or _items_in_names(part, others) is not None:
        return True
    facts, known = _facts(part), set().union(*(_facts(one) for one in others if one.kind in ("results", "queries")))
    rivals = [one for one in others if one.kind == part.kind]
    if part.kind == "sessions":
        if facts - known:
            return any(facts < _facts(one) for one in rivals)
        return bool(known - facts) or bool(part.sample.made) or any(_facts(one) - facts for one in rivals)
    most = max([part, *rivals], key=lambda one: (len(one.columns), -parts.index(one)))
    return part.kind == "users" and most is not part


def _facts(part: LogFileKind) -> set[str]:
    """Return what a file says of sessions."""
    return {ours for ours in FACTS if called(part.columns, ours)}


def _ids(part: LogFileKind, others: Sequence[LogFileKind]) -> dict[str, str]:
    """Return the columns that say whose answers a file has, by ours, if the log has them as well."""
    found = {}
    for ours in IDS:
        name = called(part.columns, ours)
        if name and any(share(part.columns[name].given, column.given) >= SHARED for column in _in_log(others, ours)):
            found[ours] = name
    if "session_id" in found and part.columns[found["session_id"]].made_of is None:
        return {"session_id": found["session_id"]}
    return {ours: name for ours, name in found.items() if ours != "session_id"}


def _in_log(parts: Sequence[LogFileKind], ours: str) -> list[SampleColumn]:
    """Return the columns of a log that are one of ours."""
    log = [part for part in parts if part.kind in ("results", "queries", "sessions")]
    return [part.columns[name] for part in log if (name := called(part.columns, ours))]


def _long(part: LogFileKind) -> tuple[str, str] | None:
    """Return the columns of the item and of the answer in a table of one row for each answer."""
    item = next((name for name in part.columns if folded(name) in ITEMS.split()), None)
    answer = next((name for name in part.columns if folded(name) in ANSWERS.split() and name != item), None)
    return (item, answer) if item and answer else None


def _items_in_names(part: LogFileKind, others: Sequence[LogFileKind]) -> str | None:
    """Return a pattern of the names of columns that hold a task, or a system, and an item; None where there are none."""
    for ours in ("topic_id", "system_id"):
        values = sorted({value for column in _in_log(others, ours) for value in column.given.unique()})
        if len(values) < 2 or called(part.columns, ours):
            continue
        value = "|".join(map(re.escape, sorted(values, key=len, reverse=True)))
        for form in (
            rf"(?P<id>{value})(?P<mark>[ _.:-]+)(?P<item>.+)",
            rf"(?P<item>.+?)(?P<mark>[ _.:-]+)(?P<id>{value})",
        ):
            found = [one for name in part.columns if (one := re.fullmatch(form, name))]
            if len({one["id"] for one in found}) > 1 and len({one["mark"] for one in found}) == 1:
                mark = re.escape(found[0]["mark"]).replace("\\ ", " ")
                held = f"(?P<{ours}>{like(values)})"
                item = f"(?P<{ITEM}>.+)"
                return held + mark + item if form.startswith("(?P<id>") else item + mark + held
    return None


def sections_of_answers(part: LogFileKind, parts: Sequence[LogFileKind], folder: Path) -> list[TomlSection]:
    """Return what a study.toml says of a questionnaire, of each of its sheets where it has several."""
    others = [one for one in parts if one is not part]
    columns = _ids(part, others)
    options: dict[str, Any] = {"path": paths_from(folder, part.sample), **part.sample.options}
    sheets = options["sheet"] if isinstance(options.get("sheet"), list) else [options.get("sheet")]
    long, pattern = _long(part), _items_in_names(part, others)
    if long:
        columns |= dict(zip((ITEM, ANSWER), long, strict=True))
    asked = (
        [part.columns[long[1]]] if long else [one for one in part.columns.values() if one.name not in columns.values()]
    )
    sections = []
    for sheet in sheets:
        own = options if sheet is None else {**options, "sheet": sheet}
        lines = [*_written(part, own, asked), Line("columns", columns)]
        if pattern is not None and not long:
            lines.append(Line("name_items", pattern))
        sections.append(TomlSection((SECTION,), tuple(lines), is_item=True))
    return sections


def _written(part: LogFileKind, options: dict[str, Any], items: Sequence[SampleColumn]) -> list[Line]:
    """Return how a questionnaire is written, with the texts that mean no answer."""
    nothing = sorted({text for one in items for text in _nothing_in(one)})
    said = {**options, **({"null": ["", *nothing]} if nothing else {})}
    doubts = part.sample.doubts
    return [
        Line(key, said[key], (doubts[key],) if key in doubts and part.kind == SECTION else ())
        for key in WRITTEN
        if key in said
    ]


def _nothing_in(one: SampleColumn) -> list[str]:
    """Return the texts of a column of numbers that mean no answer."""
    numbers = one.given.cast(pl.Float64, strict=False)
    odd = one.given.filter(numbers.is_null()).unique()
    return odd.to_list() if len(odd) and numbers.null_count() < len(numbers) and mean_nothing(odd) else []


@dataclass(frozen=True)
class RatedColumns:
    """Columns of the results that say one thing in each session, or of each participant."""

    of: dict[str, str]
    items: list[SampleColumn]


def sections_within(results: Match, taken: Sequence[str], folder: Path) -> list[TomlSection]:
    """Return what a study.toml says of answers in the results; `taken` are columns that are something else."""
    if not results.part.sample.named or "session_id" not in results.columns:
        return []
    found = []
    for rated in _rated(results, taken):
        options = {"path": paths_from(folder, results.part.sample), **results.part.sample.options}
        lines = _written(results.part, options, rated.items)
        lines += [Line("columns", rated.of), Line("items", [one.name for one in rated.items])]
        names = listed([quoted(one.name) for one in rated.items[:6]])
        whose = "participant" if rated.of.keys() == {"user_id"} else "session"
        said = f"{names} of {results.part.name}: one value for each {whose}"
        found.append(TomlSection((SECTION,), tuple(lines), (said,), is_item=True))
    return found


def _rated(results: Match, taken: Sequence[str]) -> list[RatedColumns]:
    """Return the columns of answers by what they are of: the participant where they never change, else the session."""
    session = results.part.columns[results.columns["session_id"]]
    user = results.column("user_id")
    made = session.made_of
    of_session = {"session_id": session.name}
    if made:
        of_session = {ours: results.columns[ours] for ours in IDS if results.columns.get(ours) in made}
    left = [one for one in results.unused if one.name not in taken and _is_answer(one, session)]
    several = user is not None and user.distinct < session.distinct
    of_users = [one for one in left if several and user is not None and _is_steady(one, user)]
    of_sessions = [one for one in left if one not in of_users]
    found = [RatedColumns(of_session, of_sessions)] if of_sessions and len(of_session) == len(made or ("",)) else []
    return [*found, *([RatedColumns({"user_id": user.name}, of_users)] if of_users and user is not None else [])]


def _is_answer(one: SampleColumn, session: SampleColumn) -> bool:
    """Return whether a column has one answer in each session: a rating in its rows, or a remark in the first of them."""
    if one.distinct < 2 or session.distinct < 2 or not _is_steady(one, session):
        return False
    numbers = one.given.cast(pl.Float64, strict=False)
    rating = 2 * numbers.null_count() < len(one.given) and one.filled > LIKELY and one.distinct <= GRADES
    rows = pl.DataFrame({"s": session.texts, "v": one.texts, "at": pl.int_range(len(one.texts), eager=True)})
    first = rows.group_by("s").agg(pl.col("at").min())["at"]
    given = rows.filter(pl.col("v").is_not_null())["at"]
    return rating or bool(given.is_in(first.implode()).all())


def _is_steady(one: SampleColumn, of: SampleColumn) -> bool:
    """Return whether a column says one thing in each session, or of each participant."""
    counts = pl.DataFrame({"k": of.texts, "v": one.texts}).drop_nulls().group_by("k").agg(pl.col("v").n_unique())
    return bool(counts.height) and int((counts["v"] == 1).sum()) >= STEADY * counts.height
