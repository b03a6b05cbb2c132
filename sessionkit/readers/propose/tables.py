"""Sections of a study.toml for logs that are tables, for files joined by a query id, and for files of a known format."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from sessionkit.display.numbers import counted, listed
from sessionkit.errors import DataError, SessionkitError
from sessionkit.readers.checks.cells import LOG, log_schemas
from sessionkit.readers.column_names import LIKELY, USUAL, folded, likeness
from sessionkit.readers.format import Glimpse, Option, glimpse
from sessionkit.readers.formats.registry import FORMATS
from sessionkit.readers.formats.trec_run import holds_run_table, holds_three_columns
from sessionkit.readers.formats.trec_session import read_topics
from sessionkit.readers.propose.contents import SampleColumn, columns_of, share, shared
from sessionkit.readers.propose.judgments import judgments_of, judgments_within
from sessionkit.readers.propose.kinds import (
    CLICKS,
    MISSING,
    ListColumns,
    LogFileKind,
    Match,
    called,
    condition_columns,
    fits,
    formats_of_judgments,
    is_key,
    judgments_in,
    match_by_name,
    question_of_condition,
    try_layout,
)
from sessionkit.readers.propose.proposal import Line, TomlSection, quoted, spelled
from sessionkit.readers.propose.questionnaires import ask_of_labels, section_of_answers, sections_within
from sessionkit.readers.propose.sample import Sample
from sessionkit.readers.propose.table_sections import (
    ask_of_base,
    ask_of_lists,
    asked_of_grades,
    asked_of_times,
    lay_out,
    path_from,
    sections_of,
    zone_line,
)
from sessionkit.readers.questionnaires import SECTION
from sessionkit.study.package import TemporaryFolder
from sessionkit.study.schema import table

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


WHEN = frozenset(["at", "time", "timestamp", "ts", "when", "date"])
"""What the time of a click is called in it, folded."""
SHARED = 0.5
"""The share of ids that must be those of queries for rows to belong to them."""
LISTS = 0.9
"""The share of values of the key in which every rank, or document, comes once."""
NAMED_CLICKS = re.compile(r"cli[ckq]|kli[ck]|clics|select|opened", re.IGNORECASE)
"""What is in the name of a file of clicks."""
CLICKED = ("clicked", "clicks", "clicked_at", "click_elapsed_seconds", "dwell_seconds")
"""Columns of results that a file of clicks makes."""
SHOWN = 0.5
"""The share of clicks that must be on results that were shown."""
TIES = ("query_id", "query_text", "")
"""What a key may be called, of ours."""


@dataclass(frozen=True)
class QueryKey:
    """A column by which rows belong to queries.

    Parameters
    ----------
    of_queries, of_rows
        Its names in both files.
    session
        The column of the session in the rows, where ids count within it; empty where ids are unique.
    worth
        How likely it is one.
    share
        The share of its values that queries have.
    """

    of_queries: str
    of_rows: str
    session: str
    worth: float
    share: float


def with_joins(parts: Sequence[LogFileKind]) -> list[LogFileKind]:
    """Return the files; results without positions of queries are joined to the queries by an id, and clicks are told apart."""
    queries = next((part for part in parts if part.kind == "queries" and part.layout is not None), None)
    joined = list(parts)
    if queries is not None:
        for at, part in enumerate(parts):
            if (
                part is not queries
                and _lacks_positions(part)
                and (key := find_query_key(queries, part, holds_lists=True))
            ):
                joined[at] = _with_places(part, queries, key)
                joined[joined.index(queries)] = queries = replace(queries, query_key=key.of_queries)
    lists = [part for part in joined if part.kind == "results" and part.layout is not None]
    if not lists:
        return joined
    results = max(lists, key=lambda part: part.sample.texts.height)
    for at, part in enumerate(joined):
        if part not in (results, queries) and (clicks := _as_clicks(part, results, queries or results)):
            joined[at], key = clicks
            if key is not None and queries is None:
                joined[joined.index(results)] = results = replace(results, query_key=key.of_queries)
            elif key is not None and queries is not None:
                joined[joined.index(queries)] = queries = replace(queries, query_key=key.of_queries)
    return joined


def _lacks_positions(part: LogFileKind) -> bool:
    """Return whether a file has ranks and documents, and no column that counts the queries of a session."""
    if not part.sample.named or part.kind not in ("", "results", "queries", "sessions"):
        return False
    if not (called(part.columns, "rank") and called(part.columns, "doc_id")):
        return False
    if _own_column(part, "query_position") and called(part.columns, "session_id"):
        return False
    layout = part.layout
    return layout is None or part.columns[layout.position].made_of is not None or not called(part.columns, "session_id")


def find_query_key(queries: LogFileKind, part: LogFileKind, *, holds_lists: bool) -> QueryKey | None:
    """Return the column by which rows of a file belong to queries, the likeliest; None where none is.

    `queries` may be results in one flat file as well, of which a query has several rows. `holds_lists` says whether rows of one key
    must be a list.
    """
    layout = queries.layout
    if layout is None:
        return None
    places = queries.sample.texts.select(layout.session, layout.position)
    session = _session_of(part, queries.columns[layout.session])
    keys = []
    for theirs in queries.columns.values():
        if theirs.made_of is not None or theirs.name in (layout.session, layout.position, layout.rank):
            continue
        if queries.query_key not in ("", theirs.name):  # all files are joined by one column
            continue
        keyed = places.with_columns(theirs.texts.alias("key")).drop_nulls().unique()
        if keyed.height < 2 or theirs.filled < LISTS:
            continue
        alone = keyed["key"].n_unique() == keyed.height
        within = bool(session) and keyed.n_unique([layout.session, "key"]) == keyed.height
        if not (alone or within):
            continue
        for one in part.columns.values():
            key = _key(theirs, one, session if not alone or _is_own(part, session) else "")
            if key is not None and (not holds_lists or _holds_lists(part, key)):
                keys.append(key)
    return max(keys, key=lambda key: key.worth, default=None)


def _own_column(part: LogFileKind, ours: str) -> str:
    """Return the column of the file itself with the likeliest name of one of ours, empty where none is usual."""
    return called({name: one for name, one in part.columns.items() if one.made_of is None}, ours)


def _is_own(part: LogFileKind, session: str) -> bool:
    """Return whether a session is a column of the file itself."""
    return bool(session) and part.columns[session].made_of is None


def _session_of(part: LogFileKind, sessions: SampleColumn) -> str:
    """Return the column of a file, or of several of its columns, that has the sessions of the queries."""
    of_layout = [part.layout.session] if part.layout is not None else []
    names = [*of_layout, *part.sample.made, called(part.columns, "session_id")]
    shared = [name for name in names if name and share(part.columns[name].given, sessions.given) >= LISTS]
    return shared[0] if shared else ""


def _key(theirs: SampleColumn, one: SampleColumn, session: str) -> QueryKey | None:
    """Return a column of a file as the key that a column of queries is; None where it is not."""
    if one.made_of is not None or one.name == session or one.filled < SHARED:
        return None
    is_same_name = folded(theirs.name) == folded(one.name)
    role = max(USUAL, key=lambda ours: likeness(one.heading, ours))
    role = role if likeness(one.heading, role) >= LIKELY else ""
    if not is_same_name and (role not in TIES or folded(theirs.heading) in ("rank", "position")):
        return None
    common = share(one.given, theirs.given)
    if common < SHARED or (one.counts and not is_same_name and role != "query_id" and common < 1):
        return None
    named = max(likeness(one.heading, "query_id"), likeness(theirs.heading, "query_id"))
    # a text may come again, an id does not
    is_text = likeness(one.heading, "query_text") >= LIKELY
    return QueryKey(theirs.name, one.name, session, common + named + is_same_name - is_text, common)


def _holds_lists(part: LogFileKind, key: QueryKey) -> bool:
    """Return whether rows of one key are a list: no rank, or document, comes twice."""
    place = called(part.columns, "rank") or called(part.columns, "doc_id")
    names = [key.of_rows, *([key.session] if key.session else [])]
    rows = part.sample.texts.select(*(pl.col(name).alias(f"k{at}") for at, name in enumerate(names)), place=place)
    lists = rows.drop_nulls().group_by(pl.exclude("place")).agg(once=pl.col("place").n_unique() == pl.len())
    return lists.height > 1 and int(lists["once"].sum()) >= LISTS * lists.height


def _places(queries: LogFileKind, key: QueryKey) -> pl.DataFrame:
    """Return the key, the session and the position of every query."""
    layout = queries.layout
    if layout is None:
        return pl.DataFrame()
    position = (
        pl.int_range(1, pl.len() + 1).over(layout.session)
        if queries.kind == "queries" and queries.columns[layout.position].made_of is not None
        else pl.col(layout.position)
    )
    places = queries.sample.texts.select(
        key=pl.col(key.of_queries), session=pl.col(layout.session), position=position.cast(pl.String)
    )
    by = ["key", "session"] if key.session else ["key"]
    return places.drop_nulls().unique(by, keep="first", maintain_order=True)


def _placed_rows(part: LogFileKind, queries: LogFileKind, key: QueryKey) -> pl.DataFrame:
    """Return the session and the position of each row of a file, null where its key is that of no query."""
    key_columns = [pl.col(key.of_rows).alias("key"), *([pl.col(key.session).alias("session")] if key.session else [])]
    rows = part.sample.texts.select(key_columns)
    return rows.join(_places(queries, key), on=rows.columns, how="left", maintain_order="left").select(
        "session", "position"
    )


def _with_places(part: LogFileKind, queries: LogFileKind, key: QueryKey) -> LogFileKind:
    """Return results with the sessions and positions of the queries that their key names."""
    rows = _placed_rows(part, queries, key)
    session = key.session or next(
        f"session_id{end}" for end in ("", "_2", "_3") if f"session_id{end}" not in part.columns
    )
    added_columns = [rows["position"].alias("query_position")]
    added_columns += [] if key.session else [rows["session"].alias(session)]
    names = {**part.sample.made, **({} if key.session else {session: ()}), "query_position": ()}
    sample: Sample = replace(
        part.sample,
        frame=part.sample.frame.with_columns(added_columns),
        texts=part.sample.texts.with_columns(added_columns),
        made=names,
    )
    columns = columns_of(sample)
    layout = try_layout(columns, session, "query_position", called(part.columns, "rank"))
    return replace(part, sample=sample, columns=columns, kind="results", layout=layout, query_key=key.of_rows)


def _as_clicks(
    part: LogFileKind, results: LogFileKind, queries: LogFileKind
) -> tuple[LogFileKind, QueryKey | None] | None:
    """Return a file as one of clicks, and by what it is joined; None where it is none.

    Most of its rows are on results that were shown, and these are more.
    """
    doc, rank = (called(part.columns, ours) for ours in ("doc_id", "rank"))
    layout = results.layout
    if part.kind in ("judgments", "events", CLICKS) or not part.sample.named or not (doc or rank):
        return None
    if layout is None or called(part.columns, "grade"):
        return None
    session, position = called(part.columns, "session_id"), _own_column(part, "query_position")
    key = None if session and position else find_query_key(queries, part, holds_lists=False)
    if key is None and not (session and position):
        return None
    rows = (
        part.sample.texts.select(session=session, position=position)
        if key is None
        else _placed_rows(part, queries, key)
    )
    place, shown_place = (doc, _document_of(results)) if doc and _document_of(results) else (rank, layout.rank)
    if not place or not shown_place:
        return None
    on = ["session", "position", "place"]
    clicks = rows.with_columns(part.sample.texts[place].alias("place"))
    texts = results.sample.texts
    shown = texts.select(session=layout.session, position=layout.position, place=shown_place).unique()
    if not results.sample.whole:  # clicks on lists beyond the sample say nothing
        clicks = clicks.join(shown, on=on[:2], how="semi")
    hits = clicks.join(shown, on=on, how="semi").height
    if hits == 0 or hits < SHOWN * clicks.height or clicks.unique().height >= shown.height:
        return None
    count = "" if key is not None and position == key.of_rows else position
    click_columns = ListColumns(key.session if key else session, count, rank or None, 1.0)
    return replace(part, kind=CLICKS, layout=click_columns, query_key=key.of_rows if key else ""), key


def lay_out_clicks(match: Match, log: dict[str, Match]) -> None:
    """Let columns of a file of clicks feed the query and the result that was clicked, and when; `log` are the other tables."""
    part, layout = match.part, match.part.layout
    is_list = bool(part.sample.known_as)
    if layout is not None:
        places = {"session_id": layout.session, "query_position": layout.position, "query_id": part.query_key}
        match.columns |= {ours: name for ours, name in places.items() if name}
    elif part.query_key:
        match.columns["query_id"] = part.query_key
    if is_list:
        _match_clicked(match, log["results"].part)
    else:
        match.columns |= {ours: name for ours in ("doc_id", "rank") if (name := called(part.columns, ours))}
    match_by_name(match, skipped=("session_id", "query_position", "query_id", "doc_id", "rank", "clicked"))
    if not {"clicked_at", "click_elapsed_seconds"} & set(match.columns):
        times = [
            one
            for one in match.unused
            if likeness(one.heading, "issued_at") >= LIKELY or (is_list and folded(one.heading) in WHEN)
        ]
        if times and fits(match, times[0], "clicked_at"):
            match.columns["clicked_at"] = times[0].name
    ask_of_base(match)
    is_named = is_list or NAMED_CLICKS.search(part.name)
    if not is_named and not {"clicked_at", "click_elapsed_seconds", "clicks"} & set(match.columns):
        match.ask(
            "", "every row counts as a click on a result that was shown. Are they clicks? If not, remove [clicks]"
        )
    results = log["results"]
    for ours in [name for name in CLICKED if name in results.columns]:
        name = results.columns.pop(ours)
        results.columns[f"{ours}_given"] = name
        results.ask(
            f"{ours}_given",
            f"{quoted(name)} was taken for {ours}, but clicks are counted from {part.name}, so it is kept as {ours}_given. If it "
            f"is right instead, call it {ours} and remove [clicks]",
        )


def _match_clicked(match: Match, results: LogFileKind) -> None:
    """Let the column of a list of clicks that is the document that was clicked, or its rank, feed this."""
    layout, session = results.layout, match.column("session_id")
    parts = (session.made_of or ()) if session is not None else ()
    columns = [one for one in match.unused if one.name not in parts]
    docs = [one for one in results.columns.values() if layout is None or one.name != layout.rank]
    pairs = [
        (share(one.given, doc.given), likeness(doc.heading, "doc_id"), one)
        for one in columns
        for doc in docs
        if likeness(doc.heading, "doc_id") or doc.heading == "doc id"
    ]
    best = max(pairs, key=lambda pair: pair[:2], default=None)
    ranks = [one for one in columns if one.counts]
    if ranks and (best is None or best[0] < SHARED):
        rank = max(ranks, key=lambda one: likeness(one.heading, "rank"))
        match.columns["rank"] = rank.name
        if likeness(rank.heading, "rank") < LIKELY:
            match.ask("rank", f"{quoted(rank.name)} is taken for the rank of what was clicked. Is it?")
    elif best is not None:
        match.columns["doc_id"] = best[2].name
        if best[0] < SHARED:
            match.ask("doc_id", f"few of {quoted(best[2].name)} are results. What was clicked?")
    else:
        match.supposed["doc_id"] = "..."
        match.ask("doc_id", "no field says what was clicked. Which is it?")


def _document_of(results: LogFileKind) -> str:
    """Return the column of documents of results."""
    return called(results.columns, "doc_id")


OWN = ("tables", "events")
"""Formats of private logs, which study.toml has to describe."""
ZONELESS = ("aol", "core", "sogou", "webis_smc")
"""Formats whose times carry no zone."""
SMALL = 1 << 26
"""Bytes up to which judgments are read for their grades."""


@dataclass(frozen=True)
class RecognizedFiles:
    """Files that are a log of known formats, more than one where they could be either, and those beside it."""

    formats: tuple[str, ...]
    log: tuple[Path, ...]
    others: tuple[Path, ...]


def known(paths: Sequence[Path]) -> RecognizedFiles | None:
    """Return the known formats that these files are a log of; None where they are of none."""
    seen = {path: glimpse(path) for path in paths}
    entries = {name: entry for name, entry in FORMATS.items() if name not in OWN and entry.fits is not None}
    fits = {
        path: [name for name, entry in entries.items() if entry.fits is not None and entry.fits(seen[path])]
        for path in paths
    }
    log = [path for path in paths if fits[path]]
    # JSON of numbers such as 1.0 may be a run or judgments: it is judgments beside what can only be a run
    either = [path for path in log if formats_of_judgments(path)]
    log = [path for path in log if path not in either] or log
    if not log or _is_part_of_tables(log, paths, seen):
        return None
    for path in paths:
        if path not in log and any(
            entry.beside is not None and entry.beside(seen[path])
            for name, entry in entries.items()
            if name in fits[log[0]]
        ):
            log.append(path)
    formats = [name for name, entry in entries.items() if entry.fits_all([seen[path] for path in log])]
    if not formats:  # each is of a format, but not all of one
        formats = fits[log[0]][:1]
        log = [path for path in log if formats[0] in fits[path]]
    return RecognizedFiles(tuple(formats), tuple(log), tuple(path for path in paths if path not in log))


def _is_part_of_tables(log: Sequence[Path], paths: Sequence[Path], seen: Mapping[Path, Glimpse]) -> bool:
    """Return whether a table that could be a run stands beside other tables: then it is the results of a log of tables."""
    beside = [path for path in paths if path not in log and not formats_of_judgments(path)]
    return bool(beside) and any(holds_run_table(seen[path]) for path in log)


def sections_of_known(found: RecognizedFiles, folder: Path) -> list[TomlSection]:
    """Return a study.toml of a known format, in sections."""
    name, entry = found.formats[0], FORMATS[found.formats[0]]
    paths = [path_from(folder, path) for path in found.log]
    judgments = [path for path in found.others if formats_of_judgments(path)]
    rest = [path for path in found.others if path not in judgments]
    topics = next((path for path in rest if "topics" in entry.options and _maps_topics(path)), None)
    rest = [path for path in rest if path != topics]
    words = ["sessionkit", "ingest", *paths]
    for path in judgments:
        words += ["--judgments", path_from(folder, path)]
    if topics is not None:
        words += ["--topics-file", path_from(folder, topics)]
    remarks = (
        f"{listed([path.name for path in found.log])}: {entry.description}.",
        f"No study.toml is needed: {shlex.join(words)} --out STUDY",
    )
    asked = () if len(found.formats) == 1 else (f"this could be {listed(found.formats)}. Which is it?",)
    lines = [Line("format", name, asked), Line("path", paths[0] if len(paths) == 1 else paths)]
    if topics is not None:
        lines.append(Line("topics", path_from(folder, topics), ("taken for the topics of the sessions. Is it?",)))
    lines += [Line(questions=(question,)) for path in found.log for question in _doubts_about(path)]
    lines += _of_judgments(judgments[:1])
    lines += [
        Line(
            questions=(
                f"{path.name} holds judgments too; study.toml takes one file: give this one to ingest as --judgments",
            )
        )
        for path in judgments[1:]
    ]
    lines += [
        Line(questions=(f"{quoted(path.name)} has no format that fits this log and is not used. What is it?",))
        for path in rest
    ]
    if name in ZONELESS:
        lines.append(zone_line("this format"))
    lines += [_option(key, option) for key, option in entry.options.items() if key != "topics" or topics is None]
    sections = [TomlSection((), tuple(lines), remarks)]
    if judgments:
        sections.append(
            TomlSection(
                ("judgments",),
                (Line("path", path_from(folder, judgments[0])), Line("format", formats_of_judgments(judgments[0])[0])),
            )
        )
    return sections


def _doubts_about(path: Path) -> list[str]:
    """Return the questions about a file that could be something else."""
    text = glimpse(path).head
    if formats_of_judgments(path):
        return [
            f"{quoted(path.name)} could be judgments as well, whose numbers are grades; it is taken for a run. Is it?"
        ]
    if holds_three_columns(text):
        return [f"the three columns of {quoted(path.name)} are taken for topic, document and rank. Are they?"]
    return []


def _maps_topics(path: Path) -> bool:
    """Return whether a file maps sessions to topics."""
    try:
        with TemporaryFolder() as folder:
            read_topics(path, folder)
    except DataError:
        return False
    return True


def _option(key: str, option: Option) -> Line:
    """Return an option as a comment: what it means, and its default."""
    of = f" One of {', '.join(map(spelled, option.allowed))}." if option.allowed else ""
    value = option.default if option.default is not None else (option.allowed[0] if option.allowed else "...")
    return Line(key, value, remarks=(f"{option.meaning}{of}",), idle=True)


def _of_judgments(paths: Sequence[Path]) -> list[Line]:
    """Return the questions about the grades of judgments."""
    lines = []
    for path in paths:
        if path.stat().st_size > SMALL:
            continue
        try:
            grades = judgments_in(path, formats_of_judgments(path)[0])["grade"]
        except SessionkitError:  # whoever reads it says what is wrong with it
            continue
        lines += asked_of_grades(grades, path.name)
    return lines
