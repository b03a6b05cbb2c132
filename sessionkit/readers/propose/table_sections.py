"""One table of a study.toml: how its file is written, which columns feed which of ours, what stays as it is.

Settings of a study that no file says: the top of the grade scale, grades that mean unjudged, the zone of times.

What every row must have: the session, the position of the query and the rank, or the user; and what is asked of them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from sessionkit.display.numbers import counted, listed, share_text
from sessionkit.readers.checks.cells import NEWEST_FIRST, TIMES
from sessionkit.readers.column_names import LIKELY, likeness, words
from sessionkit.readers.propose.contents import SampleColumn, Spelling, mean_nothing, share
from sessionkit.readers.propose.kinds import CLICKS, ODD, OTHER_UNITS, ListColumns, Match, is_day
from sessionkit.readers.propose.proposal import Line, TomlSection, quoted
from sessionkit.readers.propose.sample import Sample
from sessionkit.study.schema import table


def asked_of_grades(grades: pl.Series | None, name: str) -> list[Line]:
    """Return the questions about grades: the top of the scale, which is never taken from the data, and negative ones."""
    if grades is None:
        return []
    numbers = grades.drop_nulls().cast(pl.Float64, strict=False).drop_nulls()
    most = numbers.max() if len(numbers) else None
    if not isinstance(most, float) or most <= 0:
        asked = f"no grade above 0 was seen in {name}. What is the top of the scale?"
        return [Line("max_grade", 1, (asked,), idle=True)]
    top = _plain(most)
    lines = [
        Line(
            "max_grade",
            top,
            (
                f"the largest grade in {name} is {top}. Is {top} the top of the scale? Then remove the '#', else correct it",
            ),
            idle=True,
        )
    ]
    below = numbers.filter(numbers < 0)
    if len(below):
        values = [_plain(value) for value in below.unique().sort()]
        asked = (
            f"{counted(len(below), 'grade')} below 0 ({listed([str(value) for value in values[:5]])}): judged, and gaining "
            "nothing. If some mean pooled but not judged, list these, if none does, write [], and remove the '#'"
        )
        lines.append(Line("unjudged_grades", values, (asked,), idle=True))
    return lines


def _plain(value: float) -> int | float:
    """Return a number as people write it."""
    return int(value) if value == int(value) else value


def asked_of_times(matches: Sequence[Match]) -> list[Line]:
    """Return the question about the zone of times that carry none."""
    found = []
    for match in matches:
        for ours, name in match.columns.items():
            declared = match.fields.get(ours)
            column = match.part.columns[name]
            if declared is not None and declared.type == "datetime" and column.lacks_zone(declared):
                found.append(f"{quoted(name)} of {match.part.name} ({quoted(column.given[0])})")
    asked = [zone_line(listed(found[:3]))] if found else []
    for match in matches:
        issued, session = match.column("issued_at"), match.column("session_id")
        if issued is not None and session is not None:
            return [*asked, *pause_lines(issued.times, session.texts)]
    return asked


def pause_lines(times: pl.Series, sessions: pl.Series) -> list[Line]:
    """Return the question about sessions that pause for longer than a day, if there are any."""
    frame = pl.DataFrame({"session": sessions, "time": times}).drop_nulls().sort("session", "time")
    long = frame.filter(pl.col("time").diff().over("session") > pl.duration(days=1))["session"].unique().sort()
    if long.is_empty():
        return []
    asked = (
        f"{counted(len(long), 'session')} of {sessions.n_unique():,} with a pause of more than a day, such as {quoted(long[0])}. If a "
        "session should end at a pause, as where a user id stands for the session, remove the '#'; session_gap (30 minutes unless "
        "said) is how long a pause is"
    )
    return [Line("cut_sessions", True, (asked,), idle=True)]


def zone_line(where: str) -> Line:
    """Return the question about the zone of times in these columns."""
    asked = f"times without zone in {where}: they count as UTC. Where were they taken? Then correct the zone and remove the '#'"
    return Line("timezone", "Europe/Vienna", (asked,), idle=True)


LIST = r"(?s)^\s*\[.*\]\s*$"
"""A list in JSON."""


def ask_of_lists(match: Match) -> None:
    """Ask about columns of lists in a log that has no results, which then lie within them."""
    lists = [match.called(one) for one in match.unused if len(one.given) and one.given.str.contains(LIST).all()]
    if lists:
        hold = "holds lists" if len(lists) == 1 else "hold lists"
        match.ask(
            "",
            f"{listed(lists)} {hold}: sessionkit takes one result per row, and this log has none so far. How to make rows "
            "of them: sessionkit help own-logs, under Lists inside records",
        )


COUNTING = ("query_position", "rank")
FEW = 3
"""So many texts at most in place of documents are taken for words and not for ids."""
NOTHING = re.compile(
    r"\b(no|zero|0|keine?|aucune?|pas de|sin|ning[uú]n|nessun|senza|sem|nenhum|geen|ei|inga|inget)[\W_]*"
    r"(result|r[eé]sult|risult|hit|doc|dok|match|treffer|ergebnis|tulok|osum|träff|elem|correspond)|empty|nothing|nichts|leer|"
    r"vide|vac[ií]o|vuoto|vazio|leeg|tyhjä|tom lista",
    re.I,
)
"""Texts in place of a rank that say of themselves that the query returned nothing."""


def lay_out(match: Match, log: dict[str, Match], *, has_queries: bool) -> None:
    """Let columns feed what every row of a table must have; `log` are the tables that have been laid out before.

    Where there is a table of queries, those without results are none of the other's business.
    """
    layout = match.part.layout
    if layout is None:
        _choose_key(match, log)
        return
    if match.part.query_key:
        match.columns["query_id"] = match.part.query_key
    match.columns |= {"session_id": layout.session, "query_position": layout.position}
    _say_what_is_made(match, layout, has_queries=has_queries)
    if layout.rank is not None:
        match.columns["rank"] = layout.rank
        _find_empty_lists(match, layout)
    ask_of_base(match)
    _ask_of_layout(match, replace(layout, gaps=0) if has_queries and match.table == "results" else layout)


def ask_of_base(match: Match) -> None:
    """Ask whether ranks and numbers of queries whose least is 0 count from 0."""
    bases = {ours: 0 for ours in COUNTING if ours in match.columns and _least(match, ours) == 0}
    if bases:
        match.options["base"] = bases
        zeros = listed([match.called(match.part.columns[match.columns[ours]]) for ours in bases])
        match.ask(
            "base", f"the least number in {zeros} is 0, so 1 is added to all. Is it counted from 0? If not, say 1"
        )


def _say_what_is_made(match: Match, layout: ListColumns, *, has_queries: bool) -> None:
    """Say that no column is the session, or counts the queries, and what stands for it."""
    session, position = (match.part.columns[name].made_of for name in (layout.session, layout.position))
    if session:
        match.remark(
            "session_id", f"no column names sessions: {listed([quoted(name) for name in session])} together are one"
        )
    if match.table == "results" and match.part.query_key and has_queries:
        match.remark("query_id", f"results belong to queries by {quoted(match.part.query_key)}")
    elif position is not None:
        match.options["number_queries"] = True
        how = (
            "each row is" if match.table == "queries" else "where its text or id changes, or ranks start again, begins"
        )
        match.remark("number_queries", f"no column counts queries: {how} a query")


def _ask_of_order(match: Match) -> None:
    """Say in which order queries are that have neither a number nor a time: that of the rows, or the other way round."""
    layout = match.part.layout
    if layout is None or "number_queries" not in match.options:
        return
    if (time := next((ours for ours in TIMES if ours in match.columns), None)) is not None:
        if match.table == "queries":
            _ask_of_equal_times(match, layout, time)
        return
    if (match.part.columns[layout.position].integers.max() or 1) == 1:  # a lone query has no order
        return
    rising, name = _count_steps(match, layout)
    if rising > 0:
        match.remark("number_queries", f"queries are in the order of the rows, in which {name} rises")
    elif rising < 0:
        match.options["number_queries"] = NEWEST_FIRST
        match.ask(
            "number_queries",
            f"{name} falls from row to row, so the last query of a session is taken to stand first. If the first one does, say true",
        )
    else:
        match.ask(
            "number_queries",
            "nothing says in which order the queries of a session were made; they are taken in the order of the rows. If the last "
            f"one stands first, say {quoted(NEWEST_FIRST)}",
        )


def _ask_of_equal_times(match: Match, layout: ListColumns, ours: str) -> None:
    """Ask in which order queries of one session and one time were made; rows whose times fall stand newest first."""
    column = match.part.columns[match.columns[ours]]
    session = match.part.columns[layout.session].texts
    rows = pl.DataFrame(
        {"session": session, "time": column.typed(match.fields[ours]), "text": column.texts}
    ).drop_nulls()
    equal = rows.filter(pl.struct("session", "time").is_duplicated())
    if equal.is_empty():
        return
    step = rows.select(pl.col("time").diff().over("session").cast(pl.Float64)).to_series().drop_nulls()
    rises, falls = bool((step > 0).any()), bool((step < 0).any())
    if rises and not falls:
        return
    newest_first = falls and not rises
    if newest_first:
        match.options["number_queries"] = NEWEST_FIRST
    other = "true" if newest_first else quoted(NEWEST_FIRST)
    taken = "the lowest row" if newest_first else "the topmost row"
    match.ask(
        "number_queries",
        f"{counted(equal.height, 'query')} have the same {quoted(column.name)} as another of their session (such as "
        f"{quoted(equal['text'][0])}); of these {taken} is taken for the first. If it is the last, say {other}",
    )


def _count_steps(match: Match, layout: ListColumns) -> tuple[int, str]:
    """Return how often an id of queries rises within sessions or, else, a rank within lists, less how often it falls; and its name.

    What does both shows no order, and counts 0.
    """
    session, position = (match.part.columns[name].texts for name in (layout.session, layout.position))
    ids = [match.columns.get("query_id"), match.part.query_key]
    for name in [name for name in (*ids, layout.rank) if name]:
        number = match.part.columns[name].texts.str.extract(r"(\d+)\D*$").cast(pl.Int64, strict=False)
        rows = pl.DataFrame({"session": session, "position": position, "number": number})
        within = ["session", "position"] if name == layout.rank else ["session"]
        step = rows.select(pl.col("number").diff().over(within)).to_series().drop_nulls()
        rises, falls = int((step > 0).sum()), int((step < 0).sum())
        if max(rises, falls) and not min(rises, falls):
            return rises - falls, quoted(name)
    return 0, ""


def _choose_key(match: Match, log: dict[str, Match]) -> None:
    """Let the column feed the session, or the user, that has another value in every row and is shared with the log."""
    ours = "session_id" if match.table == "sessions" else "user_id"
    known = next((other.column(ours) for other in log.values() if ours in other.columns), None)

    def worth(one: SampleColumn) -> float:
        like = likeness(one.heading, ours) if match.part.sample.named else 0.0
        return like + (share(known.given, one.given) if known is not None else 0.0)

    best = max((one for one in match.part.columns.values() if one.is_key), key=worth)
    match.columns[ours] = best.name
    if known is not None and not share(known.given, best.given):
        match.ask(ours, f"no {ours} of the log is in {match.part.name}. Is {quoted(best.name)} the right column?")
    elif not match.part.sample.named:
        match.ask(ours, f"column {best.name} is taken for {ours} by its values ({_first(best)}). Is it?")


def _least(match: Match, ours: str) -> object:
    """Return the least number in a column that counts."""
    column = match.column(ours)
    return None if column is None else column.integers.min()


def _find_empty_lists(match: Match, layout: ListColumns) -> None:
    """Take a text that stands in place of ranks, in lists that have none, for what means that a query returned nothing."""
    columns = match.part.columns
    rank = columns[layout.rank or ""]
    rows = pl.DataFrame(
        {
            "s": columns[layout.session].texts,
            "p": columns[layout.position].texts,
            "rank": rank.integers,
            "text": rank.texts,
        }
    )
    words = (
        rows.filter(pl.col("rank").is_null().all().over("s", "p") & pl.col("text").is_not_null())
        .group_by(pl.col("text").str.strip_chars(), maintain_order=True)
        .len()
        .sort("len", descending=True, maintain_order=True)
    )
    if words.is_empty():
        return
    text, many = words.row(0)
    match.options["empty_list"] = text
    said = f"{counted(many, 'row')} with {quoted(text)} in place of a rank"
    docs = [one.texts for one in match.part.columns.values() if one.name not in (rank.name, layout.session)]
    told = any(_says_nothing(texts.filter(rows["text"].str.strip_chars() == text)) for texts in docs)
    if NOTHING.search(text) or told:
        match.remark("empty_list", said)
    else:
        match.ask("empty_list", f"{said}. Did the query return nothing? If not, remove this line")
    if len(words) > 1:
        rest = listed([quoted(word) for word in words["text"][1:4]])
        match.ask(
            "empty_list", f"in place of a rank there is also {rest}. Which means that the query returned nothing?"
        )


def _says_nothing(texts: pl.Series) -> bool:
    """Return whether all of some texts are the same, and say that a query returned nothing."""
    return texts.n_unique() == 1 and bool(NOTHING.search(texts[0] or ""))


def find_unranked_lists(match: Match) -> None:
    """Take what stands for a document in lists without any rank for what means that a query returned nothing.

    Words that say so are taken, and others where they are few and no document of a ranked list; so is that nothing stands there.
    """
    rank, doc = match.column("rank"), match.column("doc_id")
    if rank is None or doc is None or "empty_list" in match.options:
        return
    texts = {"s": match.columns["session_id"], "p": match.columns["query_position"], "rank": rank.name, "doc": doc.name}
    rows = match.part.sample.texts.select(pl.col(name).str.strip_chars().alias(ours) for ours, name in texts.items())
    without = rows.filter(pl.col("rank").is_null().all().over("s", "p"), pl.col("s").is_not_null())
    ranked = rows.filter(pl.col("rank").is_not_null())["doc"].drop_nulls().unique()
    found = without["doc"].drop_nulls().value_counts(sort=True).sort("count", "doc", descending=[True, False])
    words = [text for text in found["doc"] if NOTHING.search(text)] or (
        found["doc"].to_list() if len(found) <= FEW and not found["doc"].is_in(ranked.implode()).any() else []
    )
    if words:
        many = found.row(by_predicate=pl.col("doc") == words[0])[1]
        said = f"{counted(many, 'row')} without a rank and with {quoted(words[0])} as document"
        rest = [*(quoted(word) for word in words[1:FEW]), *(["nothing"] if without["doc"].null_count() else [])]
    elif without["doc"].null_count():
        said, rest = f"{counted(without['doc'].null_count(), 'row')} with neither rank nor document", []
    else:
        return
    match.options["empty_list"] = words[0] if words else ""
    if words and NOTHING.search(words[0]):
        match.remark("empty_list", said)
    else:
        match.ask("empty_list", f"{said}. Did the query return nothing? If not, remove this line")
    if rest:
        match.ask(
            "empty_list",
            f'without a rank there is also {listed(rest)}. empty_list = "" says that every row without a rank is an empty list. Is it?',
        )


def _ask_of_layout(match: Match, layout: ListColumns) -> None:
    """Ask about columns that do not count all through the log, or have other names than usual."""
    if layout.gaps > 0:
        many = (
            f"in {share_text(layout.gaps)} of sessions {quoted(layout.position)} has gaps or starts above 1; queries that are missing are "
            "taken as not logged"
        )
        why = (
            "It continues from session to session: number queries from 1 in each"
            if _runs_on(match)
            else 'If they returned nothing, say missing_positions = "empty" below format'
        )
        match.ask("query_position", f"{many}. {why}")
    if layout.twice > 0:
        many = f"in {share_text(layout.twice)} of lists a rank appears twice; all rows but the first are rejected"
        user = next(
            (one for one in match.unused if likeness(one.heading, "user_id") and _tells_apart(match, one)), None
        )
        why = "What are they?"
        if user is not None:
            why = f"Not so for each {quoted(user.name)}: if sessions are numbered from 1 for each, give them unique ids"
        match.ask("rank", f"{many}. {why}")
    for ours in ("session_id", *COUNTING):
        column = match.column(ours)
        if column is not None and not _is_usual(match, ours, column.name):
            match.ask(ours, f"{match.called(column)} is taken for {ours} by its values ({_first(column)}). Is it?")
        is_own = column is not None and column.made_of is None
        rivals = [quoted(one.name) for one in match.unused if _is_rival(match, one, ours)] if is_own else []
        if rivals and column is not None:
            match.ask(
                ours, f"{quoted(column.name)} is taken for {ours}; {listed(rivals)} could be it as well. Which is it?"
            )


def _runs_on(match: Match) -> bool:
    """Return whether no two sessions have a query of the same number."""
    session, position = (match.part.columns[match.columns[ours]] for ours in ("session_id", "query_position"))
    pairs = pl.DataFrame({"s": session.texts, "p": position.integers}).drop_nulls().unique()
    return pairs["s"].n_unique() > 1 and pairs["p"].n_unique() == pairs.height


def _tells_apart(match: Match, one: SampleColumn) -> bool:
    """Return whether every rank comes once in a list, if a column is a part of the session's id."""
    rows = match.part.sample.texts.select(one.name, *(match.columns[ours] for ours in ("session_id", *COUNTING)))
    return not rows.drop_nulls().is_duplicated().any()


def _is_rival(match: Match, one: SampleColumn, ours: str) -> bool:
    """Return whether another column has a usual name of ours, and values that could be it."""
    if not match.part.sample.named or likeness(one.heading, ours) < LIKELY or one.distinct < 2:
        return False
    return one.counts if ours in COUNTING else one.names_things


def _is_usual(match: Match, ours: str, name: str) -> bool:
    """Return whether a column has a usual name of ours."""
    if not match.part.sample.named:
        return False
    return bool(
        likeness(name, ours)
        or (match.table == "queries" and likeness(name, "rank"))
        or name in match.part.sample.known_as
    )


def _first(column: SampleColumn) -> str:
    """Return the first values of a column."""
    return ", ".join(quoted(text) for text in column.given.unique(maintain_order=True)[:3])


SHOWN = 12
"""Names of extras that a comment lists."""
ORDER = (
    "path", "list", "list_separator", "name_pattern", "sheet", "format", "encoding", "separator", "quote", "skip", "header", "trim",
    "fill_down", "null", "decimal", "thousands", "times", "units", "values", "number_queries", "without_results", "empty_list", "base",
    "keys", "grade_values",
)  # fmt: skip


def path_from(folder: Path, path: Path) -> str:
    """Return a path as a study.toml in this folder names it."""
    return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()


def paths_from(folder: Path, sample: Sample) -> str | list[str]:
    """Return where a table is, as a study.toml in this folder says it: a file, a folder or a list of files."""
    if sample.folder is not None and sample.folder.resolve() != folder.resolve():  # that of study.toml will have it too
        return path_from(folder, sample.folder)
    return [path_from(folder, path) for path in sample.files] or path_from(folder, sample.path)


def sections_of(match: Match, folder: Path) -> list[TomlSection]:
    """Return the table of a study.toml for one file, and that of its columns."""
    sample = match.part.sample
    if match.columns or match.supposed:
        if {"session_id", "query_position"} <= set(match.columns):
            find_unranked_lists(match)
        _keep_apart(match)
        _settle_no_values(match)
        _settle_spellings(match)
        _ask_of_order(match)
        if not match.is_shared:
            _ask_of_missing(match)
            _ask_of_merged_cells(match)
    if sample.blank_below:
        match.supposed["fill_down"] = list(sample.blank_below)
        several = len(sample.blank_below) > 1
        match.ask(
            "fill_down",
            f"{listed([quoted(name) for name in sample.blank_below])} {'are' if several else 'is'} empty below values, as where cells "
            "were merged. Does each value hold until the next? Then remove the '#'; else these rows are rejected",
        )
    for key, doubt in sample.doubts.items() if not match.is_shared else ():
        match.ask(key, doubt)
    options: dict[str, Any] = {"path": paths_from(folder, sample), **sample.options, **match.options}
    if options.get("format"):
        options = {key: options[key] for key in ("path", "format")}
    keys = [
        *(key for key in ORDER if key in options),
        *(key for key in match.questions if _is_idle(key, options, match)),
    ]
    lines = [_line(match, key, options.get(key), idle=key not in options) for key in dict.fromkeys(keys)]
    head = TomlSection((match.table,), tuple(lines))
    return [head, _columns(match)] if match.columns or match.supposed else [head]


def _is_idle(key: str, options: dict[str, Any], match: Match) -> bool:
    """Return whether a question is about an option that is not there."""
    return key not in options and key not in match.fields and key in ORDER


def _line(match: Match, key: str, value: Any, *, idle: bool = False) -> Line:  # noqa: ANN401 - of any option
    """Return a line with its questions and remarks."""
    said = tuple(match.questions.get(key, ())), tuple(match.remarks.get(key, ()))
    supposed = {"header": False, "encoding": "cp1252", **match.supposed}
    return Line(key, supposed.get(key, "") if idle else value, *said, idle=idle)


def _columns(match: Match) -> TomlSection:
    """Return which columns feed which of ours, in the order of ours, then what is kept under another name."""
    named = match.part.sample.named
    order = [
        *(ours for ours in match.fields if ours in match.columns),
        *(ours for ours in match.columns if ours not in match.fields),
    ]
    lines = []
    for ours in order:
        of = match.part.columns[match.columns[ours]].made_of
        if of is None or of:
            value = list(of) if of else match.columns[ours] if named else int(match.columns[ours])
            lines.append(_line(match, ours, value))
    missing = [ours for ours in match.supposed if ours in match.fields and ours not in match.columns]
    lines += [_line(match, ours, match.supposed[ours], idle=True) for ours in missing]
    extra = [one.name if named else f"column_{one.name}" for one in match.unused if not _is_bare(one)]
    if extra and not match.is_shared:
        more = f" and {len(extra) - SHOWN:,} more" if len(extra) > SHOWN else ""
        shown = ", ".join(map(quoted, extra[:SHOWN]))
        fate = "not kept, since clicks are counted on results" if match.table == CLICKS else "extras, kept as they are"
        lines.append(Line(remarks=(f"{fate}: {shown}{more}",)))
    lines += [Line(remarks=(text,)) for text in match.remarks.get("", ())]
    lines += [Line(questions=(text,)) for text in match.questions.get("", ())]
    return TomlSection((match.table, "columns"), tuple(lines))


def _is_bare(one: SampleColumn) -> bool:
    """Return whether a column has neither a name nor values, as those at the right of a sheet."""
    return not one.distinct and bool(re.fullmatch(r"column_\d+_*", one.name))


def _keep_apart(match: Match) -> None:
    """Give columns another name that have one of ours, or one that only sessionkit may use, and do not feed it."""
    for one in match.unused if match.part.sample.named else ():
        ours, reserved = one.name in match.fields, one.name.startswith("__")
        if not ours and not reserved:
            _tell_of_misfits(match, one)
            continue
        name = f"{one.name.lstrip('_') or 'column'}_given"
        while name in match.columns or name in match.part.columns:
            name += "_too"
        if ours:
            match.remark(name, why_not(match, one, one.name) or f"another column is taken for {one.name}")
        match.columns[name] = one.name


def _tell_of_misfits(match: Match, one: SampleColumn) -> None:
    """Say why a column with a usual name of one of ours does not feed it."""
    known = dict.fromkeys((*match.fields, *table("sessions").names))
    ours = max(known, key=lambda name: likeness(one.heading, name))
    is_open = ours in match.fields and ours not in match.columns
    if is_open and likeness(one.heading, ours) >= LIKELY and (why := why_not(match, one, ours)):
        match.remark("", f"{quoted(one.name)} {why}")


def why_not(match: Match, one: SampleColumn, ours: str) -> str:
    """Return why values of a column cannot be one of ours, empty where they can."""
    if not len(one.given):
        return f"is empty, and not taken for {ours}"
    if ours.endswith("_seconds") and OTHER_UNITS & set(words(one.name)):
        return f"is in a unit that study.toml has no word for, and not taken for {ours}"
    if is_day(one, ours, match.fields[ours]):
        return f"has days without times, and is not taken for {ours}"
    bad = one.misfits(match.fields[ours])
    if len(bad):
        return f"is not taken for {ours}, as it holds {quoted(bad[0])}"
    return f"is not taken for {ours}, as it changes within what {ours} belongs to"


def _settle_spellings(match: Match) -> None:
    """Say how values are spelled in the columns that are used."""
    undecided: dict[frozenset[str | None], dict[str, Spelling]] = {}
    for ours, name in match.columns.items():
        if ours not in match.fields:
            continue
        spelling = match.part.columns[name].spelling(match.fields[ours])
        if spelling.rival is not None:
            undecided.setdefault(frozenset((spelling.times, spelling.rival)), {})[name] = spelling
            continue
        for option, value in spelling.options(ours).items():
            before = match.options.get(option)
            if isinstance(value, dict):
                match.options[option] = {**(before or {}), **value}
            elif option == "times":
                _add_times(match, value)
            elif before is not None and before != value:
                match.ask(option, f"{quoted(name)} seems to have {quoted(value)} instead. Are its numbers right?")
            else:
                match.options[option] = value
        for option, doubt in spelling.doubts.items():
            match.ask(option if option in match.options else ours, doubt)
    _settle_decimal_mark_of_extras(match)
    for columns in undecided.values():
        _settle_days_and_months(match, columns)


def _settle_decimal_mark_of_extras(match: Match) -> None:
    """Say that columns of numbers which stay as they are have a comma for a point, unless a column of ours has a point."""
    if "decimal" in match.options:
        return
    extras = [one for one in match.unused if one.spelling(table("judgments").by_name["grade"]).decimal == ","]
    numbers = [
        name for ours, name in match.columns.items() if ours in match.fields and match.fields[ours].type == "number"
    ]
    has_points = any(match.part.columns[name].share_matching(r"^\s*[-+]?\d*\.\d") for name in numbers)
    if extras and has_points:
        match.ask(
            "",
            f"{listed([quoted(one.name) for one in extras])} has commas for decimal points, other columns have points. "
            "Write both alike, else the former are read as texts",
        )
    elif extras:
        match.options["decimal"] = ","


def _settle_days_and_months(match: Match, columns: dict[str, Spelling]) -> None:
    """Ask once which of day and month is first in these columns, whose dates could be either, unless another column shows it."""
    first = next((name for name, spelling in columns.items() if spelling.why), next(iter(columns)))
    likely = columns[first]
    if {likely.times, likely.rival} & set(_formats(match)):
        return
    _add_times(match, str(likely.times))
    example = next(text for text in match.part.columns[first].given if not mean_nothing([text]))
    named = listed([match.called(match.part.columns[name]) for name in columns])
    others = [name for name, spelling in columns.items() if spelling.why and spelling.times != likely.times]
    why = f" (so all dates in {match.called(match.part.columns[first])} are {likely.why}" if likely.why else ""
    if others:
        why += f"; {listed([match.called(match.part.columns[name]) for name in others])} would be close together the other way"
    why += ")" if why else ""
    match.ask(
        "times",
        f"every date in {named}, such as {quoted(example)}, could have the day first or the month first; it is read as "
        f"{likely.times}{why}, else say {likely.rival}. Which is it?",
    )


def _formats(match: Match) -> list[str]:
    """Return the formats of times that are proposed so far."""
    given = match.options.get("times", [])
    return [given] if isinstance(given, str) else list(given)


def _add_times(match: Match, form: str) -> None:
    """Propose one more format of times."""
    every = list(dict.fromkeys([*_formats(match), form]))
    match.options["times"] = every[0] if len(every) == 1 else every


def _settle_no_values(match: Match) -> None:
    """Say which texts mean no value, where columns of numbers or times have them; drop columns that cannot have them."""
    rows = ~_is_empty_list(match)
    taken: list[str] = []
    odd: dict[str, list[str]] = {}
    for text, columns in _texts_that_do_not_fit(match).items():
        others = [
            name
            for name in match.columns
            if name in match.fields and name not in columns and _holds(match, name, text, rows)
        ]
        required = [name for name in columns if match.fields[name].required]
        if mean_nothing([text]) and not required and not others:
            taken.append(text)
            continue
        for name in columns:
            if _is_odd(match, name, text):
                odd.setdefault(name, []).append(text)
            else:
                _settle_text(match, name, text)
    for name, texts in odd.items():
        shown = listed([quoted(text) for text in texts[:3]])
        match.remark(
            name, f"{counted(len(texts), 'text')} that cannot be {name}, such as {shown}: the cell is set aside"
        )
    if taken:
        match.options["null"] = list(dict.fromkeys([*match.options.get("null", [""]), *taken]))
        match.remark("null", f"{listed([quoted(text) for text in taken])} in columns of numbers or times: no value")


def _texts_that_do_not_fit(match: Match) -> dict[str, list[str]]:
    """Return the texts that are no value of the columns of ours that they feed, with these."""
    wanted: dict[str, list[str]] = {}
    asked = {"grade_values", "grade"} & {*match.options, *match.questions}
    for ours in [name for name in match.columns if name in match.fields and match.fields[name].type != "string"]:
        if ours == "grade" and asked:
            continue
        for text in match.part.columns[match.columns[ours]].misfits(match.fields[ours]):
            is_list = ours == "rank" and text.strip() == match.options.get("empty_list", "").strip()
            if text not in match.options.get("null", ()) and not is_list:
                wanted.setdefault(text, []).append(ours)
    return wanted


def _is_odd(match: Match, ours: str, text: str) -> bool:
    """Return whether a text that cannot be one of ours is so rare that it was mistyped."""
    one = match.column(ours)
    return one is not None and not match.fields[ours].required and one.share_of(pl.Series([text])) <= ODD


def _settle_text(match: Match, ours: str, text: str) -> None:
    """Say what becomes of a text that cannot be one of ours: its rows, or the column that has it, are left out."""
    one = match.column(ours)
    if match.fields[ours].required:
        match.ask(ours, f"{quoted(text)} is not a valid {ours}: such rows are rejected. What do they mean?")
    elif one is not None:
        match.remark("", f"{quoted(one.name)} is not taken for {ours}, as it holds {quoted(text)}")
        theirs = match.columns.pop(ours)
        if theirs == ours:
            match.columns[f"{ours}_given"] = theirs


def _is_empty_list(match: Match) -> pl.Series:
    """Return which rows say that a query returned nothing."""
    rank, text = match.column("rank"), match.options.get("empty_list")
    if rank is None or text is None:
        return pl.repeat(value=False, n=match.part.sample.texts.height, eager=True)
    if not text:
        return rank.texts.is_null()
    own = [one.texts.str.strip_chars() == text for one in (rank, match.column("doc_id")) if one is not None]
    return pl.select(pl.any_horizontal(own)).to_series().fill_null(value=False)


def _ask_of_missing(match: Match) -> None:
    """Ask about rows without a value that every row must have, but for those that say that a list was empty."""
    given = ~_is_empty_list(match)
    for ours, name in match.columns.items():
        if ours in match.fields and match.fields[ours].required:
            many = int((match.part.columns[name].texts.is_null() & given).sum())
            if many:
                match.ask(ours, f"{counted(many, 'row')} without {ours}: rejected. What are they?")


OF_A_RESULT = ("rank", "doc_id", "clicked", "clicks", "clicked_at", "click_elapsed_seconds", "dwell_seconds", "grade")
"""Columns that say something of one result."""


def _ask_of_merged_cells(match: Match) -> None:
    """Ask about merged cells that say of several results what belongs to one, such as a count of clicks."""
    for ours, name in match.columns.items():
        if ours in OF_A_RESULT and name in match.part.sample.filled_down:
            match.ask(
                ours,
                f"merged cells of {quoted(name)} give several rows the same {ours}. Does it hold for each of them?",
            )


def _holds(match: Match, ours: str, text: str, rows: pl.Series) -> bool:
    """Return whether the column that feeds one of ours has a text in some of these rows."""
    column = match.column(ours)
    return column is not None and bool(((column.texts == text) & rows).any())


def looked_at(samples: list[Sample]) -> list[str]:
    """Return what is to be said of how much of the files was looked at."""
    part = [sample for sample in samples if not sample.whole]
    seen = [f"By the first {counted(sample.frame.height, 'row')} of {sample.name}, which has more." for sample in part]
    seen += [
        f"Merged cells are filled down: {listed([quoted(name) for name in sample.filled_down])} of {sample.name}."
        for sample in samples
        if sample.filled_down
    ]
    bare = [sample for sample in samples if sample.bare_sheets]
    return [*seen, *(f"No table is in {listed(list(sample.bare_sheets))} of {sample.path.name}." for sample in bare)]
