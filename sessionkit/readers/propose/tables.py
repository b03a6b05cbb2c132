"""A private log that is tables: which file is which table of a study, and how they hang together."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from sessionkit.contract import table
from sessionkit.display.words import counted, listed
from sessionkit.errors import DataError
from sessionkit.readers.checks.log_schemas import LOG, log_schemas
from sessionkit.readers.propose.column_names import LIKELY, likeness
from sessionkit.readers.propose.contents import share, shared
from sessionkit.readers.propose.joins import lay_out_clicks
from sessionkit.readers.propose.judgments import judgments_of, judgments_within
from sessionkit.readers.propose.kinds import CLICKS, LogFileKind, called, is_key
from sessionkit.readers.propose.match import MISSING, Match, condition_columns, match_by_name, question_of_condition
from sessionkit.readers.propose.proposal import Line, TomlSection, quoted
from sessionkit.readers.propose.questionnaire_sections import ask_of_labels, section_of_answers, sections_within
from sessionkit.readers.propose.table_sections import (
    ask_of_lists,
    asked_of_grades,
    asked_of_times,
    lay_out,
    sections_of,
)
from sessionkit.readers.questionnaires import SECTION

ORDER = ("users", "sessions", "queries", "results", CLICKS, "judgments")
SAME = 0.5
"""The share of ids that a file must have in common with the log to be taken for a part of it by that alone."""
OF_ROWS = 0.9
"""The share of ids of a file that must be those of rows of results to say so."""
UNKNOWN_SHOWN = 3
"""Users that a question names."""


def sections_of_tables(parts: Sequence[LogFileKind], folder: Path) -> list[TomlSection]:
    """Return a study.toml of format tables, in sections.

    Raises
    ------
    DataError
        None of the files is a log, two are the same table, or a column is missing without which there is no list.
    """
    placed = _placed([part for part in parts if part.kind != SECTION])
    schemas = log_schemas({name: _usual(part) for name, part in placed.items() if name in LOG})
    matches: dict[str, Match] = {}
    for name in ("results", "queries", "sessions", "users"):
        if name in placed:
            declared = schemas[name] if name in schemas else table(name)
            matches[name] = Match(placed[name], name, declared.by_name)
            lay_out(matches[name], matches, has_queries="queries" in placed)
    judged = judgments_of(placed.get("judgments"), matches)
    _match_parents_first(matches, ["judgment_key"] if judged.match is not None else [])
    if judged.match is not None:
        matches["judgments"] = judged.match
        if "format" not in judged.match.options:
            match_by_name(judged.match)
    elif "results" in matches:
        judged = judgments_within(matches["results"])
        if judged.match is not None:
            matches["judgments"] = judged.match
    if CLICKS in placed and "results" in matches:
        matches[CLICKS] = Match(placed[CLICKS], CLICKS, table("results").by_name)
        lay_out_clicks(matches[CLICKS], matches)
    _ask_of_grades_within(matches)
    _ask_of_condition(matches)
    _ask_of_unknown_users(matches)
    for name in ("users", "sessions"):
        if name in matches:
            ask_of_labels(matches[name])
    if "results" not in matches and "queries" in matches:
        ask_of_lists(matches["queries"])
    top = [
        Line("format", "tables"),
        *asked_of_grades(judged.grades, judged.name),
        *asked_of_times(list(matches.values())),
    ]
    sections = [section for name in ORDER if name in matches for section in sections_of(matches[name], folder)]
    if "results" in matches:
        graded = [*judged.match.columns.values()] if judged.match is not None and judged.match.is_shared else []
        sections += sections_within(matches["results"], graded, folder)
    taken = _columns_of_sessions(matches, sections)
    answers = [part for part in parts if part.kind == SECTION]
    sections += [section_of_answers(part, parts, folder, taken) for part in answers]
    left = [Line(questions=(_question_of_unused(part, matches.get("results")),)) for part in parts if not part.kind]
    return [TomlSection((), (*top, *left)), *sections]


def _question_of_unused(part: LogFileKind, results: Match | None) -> str:
    """Return the question about a file that is no table of a study, such as clicks that name a row of results by an id of its own."""
    keys = [one for one in results.unused if one.is_key and not one.counts] if results is not None else []
    pairs = shared(keys, [one for one in part.columns.values() if one.names_things])
    if results is not None and pairs and pairs[0][0] >= OF_ROWS:
        _, key, ours = pairs[0]
        return (
            f"{part.name} is not used: its {quoted(ours.name)} is {quoted(key.name)} of {results.part.name}, a row of results. If these "
            f"are clicks, put the columns of the query and the document of that row into {part.name}, and give it again"
        )
    return f"{part.name} does not look like a table of a study and is not used. What is it?"


def _ask_of_unknown_users(matches: dict[str, Match]) -> None:
    """Ask about rows of users that are nobody in the log: who never searched is a user, a line of means is none."""
    users = matches.get("users")
    searchers = [matches[name].column("user_id") for name in LOG if name in matches]
    known = next((one for one in searchers if one is not None), None)
    column = users.column("user_id") if users is not None else None
    if users is None or known is None or column is None or not share(known.given, column.given):
        return
    unknown = column.given.filter(~column.given.is_in(known.given.implode()))
    if len(unknown):
        shown = listed([quoted(text) for text in unknown[:UNKNOWN_SHOWN]])
        more = f" and {len(unknown) - UNKNOWN_SHOWN:,} more" if len(unknown) > UNKNOWN_SHOWN else ""
        users.ask(
            "user_id",
            f"{counted(len(unknown), 'row')} of users {'is' if len(unknown) == 1 else 'are'} nobody in the log: {shown}{more}. Who never "
            "searched stays a user; remove rows that are no user, such as a line of means",
        )


def _columns_of_sessions(matches: dict[str, Match], sections: Sequence[TomlSection]) -> set[str]:
    """Return the names of columns that sessions and users have, those of answers within the results among them."""
    names = set(table("sessions").names)
    for match in (matches[name] for name in ("sessions", "users") if name in matches):
        names |= {*match.columns, *(one.name for one in match.unused)}
    items = [
        line.value
        for section in sections
        if section.name == (SECTION,)
        for line in section.lines
        if line.key == "items"
    ]
    return names.union(*items)


def _usual(part: LogFileKind) -> list[str]:
    """Return the columns of sessions for which a file has one with a usual name."""
    return [ours for ours in table("sessions").names if called(part.columns, ours)]


def _match_parents_first(matches: dict[str, Match], skipped: list[str]) -> None:
    """Match the tables of the log and the users by name; a column of sessions is sought in queries and results if their parents lack it.

    What the judgments belong to is already found, wherever it stands.
    """
    found: dict[str, Collection[str]] = {}
    for name in ("users", *LOG):
        if name not in matches:
            continue
        if name in LOG:
            matches[name].fields = log_schemas({**found, name: ()})[name].by_name
            found[name] = matches[name].columns
        children = [other for other in LOG[1:] if other in matches and name == "sessions"]
        match_by_name(
            matches[name], skipped=[*skipped, *(ours for other in children for ours in matches[other].columns)]
        )


def beginning_of_log(parts: Sequence[LogFileKind]) -> LogFileKind | None:
    """Return the file that is most like a log, though not one: it has a query, or a document; None where none is."""
    roles = ("query_text", "doc_id", "query_position", "rank", "session_id", "user_id")
    found = {part: [ours for ours in roles if called(part.columns, ours)] for part in parts if part.kind != "judgments"}
    begun = [part for part, ours in found.items() if {"query_text", "doc_id"} & set(ours) and part.sample.named]
    return max(begun, key=lambda part: len(found[part]), default=None)


def sections_of_beginning(begun: LogFileKind, parts: Sequence[LogFileKind], folder: Path) -> list[TomlSection]:
    """Return a study.toml as far as a file goes that lacks what every log needs, with questions about the rest."""
    name = "results" if called(begun.columns, "doc_id") or called(begun.columns, "rank") else "queries"
    match = Match(begun, name, log_schemas({name: ()})[name].by_name)
    match.columns |= {
        ours: column for ours in MISSING if ours in match.fields and (column := called(begun.columns, ours))
    }
    match_by_name(match, skipped=("session_id",))
    for ours, asked in MISSING.items():
        if ours in match.fields and match.fields[ours].required and ours not in match.columns:
            user = match.columns.get("user_id")
            is_session = ours == "session_id" and user is not None
            match.supposed[ours] = user if is_session else "..."
            why = (
                f" If each {quoted(user)} had one, remove the '#'; else {quoted(user)} and a task together would be one"
            )
            match.ask(ours, f"{asked}{why if is_session else ''}")
    if name == "queries":
        ask_of_lists(match)
    judged = judgments_of(next((part for part in parts if part.kind == "judgments"), None), {})
    top = [Line("format", "tables"), *asked_of_grades(judged.grades, judged.name), *asked_of_times([match])]
    left = [
        Line(questions=(f"{part.name} is not used so far; give it again once the log is whole",))
        for part in parts
        if part is not begun and part.kind != "judgments"
    ]
    found = [match, *([judged.match] if judged.match is not None else [])]
    return [TomlSection((), (*top, *left)), *(section for one in found for section in sections_of(one, folder))]


def _placed(parts: Sequence[LogFileKind]) -> dict[str, LogFileKind]:
    """Return files by the table they are; those that look like none are tried by the ids they share with the log."""
    placed: dict[str, LogFileKind] = {}
    for part in parts:
        if part.kind and part.kind in placed:
            raise DataError(
                f"{placed[part.kind].name} and {part.name} both look like {part.kind}; a study.toml names one file "
                "per table: combine them, or give one of them"
            )
        if part.kind:
            placed[part.kind] = part
    return placed


def by_shared_ids(parts: Sequence[LogFileKind]) -> list[LogFileKind]:
    """Return the files, those that look like no table by themselves tried by the ids that they share with the log.

    A table of sessions that shares none with the log is one of users, if it has a key of these.
    """
    settled = list(parts)
    for at, part in enumerate(settled):
        log = next((one for one in settled if one.kind in ("results", "queries")), None)
        if part.kind not in ("", "sessions") or log is None or log.layout is None:
            continue
        own = [one for one in part.columns.values() if one.names_things]
        sessions = log.columns[log.layout.session]
        keys = [one for one in own if one.distinct == len(one.texts) and share(sessions.given, one.given) >= SAME]
        if part.kind:
            if not keys and is_key(part.columns, "user_id"):
                settled[at] = replace(part, kind="users")
            continue
        lists = [log.layout.session, log.layout.position]
        others = [
            one
            for one in log.columns.values()
            if one.names_things and one.name not in (*lists, log.layout.rank) and _varies(log, [*lists, one.name])
        ]
        # an id that every result has of its own is that of a row, unless it is called as a document is
        common = [
            (alike, one, other)
            for alike, one, other in shared(others, own)
            if alike >= SAME and (not one.is_key or likeness(one.heading, "doc_id") >= LIKELY)
        ]
        kinds = {one.kind for one in settled}
        if keys and "sessions" not in kinds:
            settled[at] = replace(part, kind="sessions")
        elif common and log.kind == "results" and len(part.columns) > 2 and "judgments" not in kinds:
            settled[at] = replace(part, kind="judgments")
    return settled


def _varies(log: LogFileKind, names: list[str]) -> bool:
    """Return whether the last of some columns has several values within the others, as documents have in a list."""
    texts = log.sample.texts
    return texts.n_unique(names) > texts.n_unique(names[:-1])


def _ask_of_condition(matches: dict[str, Match]) -> None:
    """Ask which column is the condition, where none is called as one is and another may be it."""
    log = [matches[name] for name in LOG if name in matches]
    if any("system_id" in match.columns for match in log):
        return
    for match in log:
        session = match.column("session_id")
        if session is None or "system_id" not in match.fields or not match.part.sample.named:
            continue
        if columns := condition_columns(match.unused, session.texts):
            match.supposed["system_id"] = columns[0].name
            match.ask("system_id", question_of_condition(columns))
            return


def _ask_of_grades_within(matches: dict[str, Match]) -> None:
    """Ask about a column of grades within the log itself, where there are no judgments beside it."""
    results = matches.get("results")
    if results is None or "judgments" in matches:
        return
    for one in results.unused:
        if (
            results.part.sample.named
            and likeness(one.heading, "grade") >= LIKELY
            and not one.misfits(table("judgments").by_name["grade"]).len()
        ):
            results.ask(
                "",
                f"{quoted(one.name)} looks like a grade. Given by the searcher, it is user_grade = {quoted(one.name)}; given by "
                "assessors, name this file under [judgments] too, with columns for judgment_key, doc_id and grade",
            )
