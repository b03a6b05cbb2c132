"""Questionnaires as sections of a study.toml: files beside a log, and columns of its results that are answers.

A column of the results is one of answers where it says one thing in each session.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from sessionkit.contract import table
from sessionkit.display.words import counted, listed
from sessionkit.readers.propose.column_names import LIKELY
from sessionkit.readers.propose.contents import SampleColumn
from sessionkit.readers.propose.kinds import LogFileKind, called
from sessionkit.readers.propose.match import STEADY, Match
from sessionkit.readers.propose.proposal import Line, TomlSection, quoted
from sessionkit.readers.propose.questionnaires import (
    REPEATED,
    columns_in_log,
    columns_of_long_table,
    export_of,
    ids_by_name,
    ids_of_answers,
    pattern_of_items,
    repeated_share,
    respellings_of,
)
from sessionkit.readers.propose.scales import LABELS, NUMBER, SHOWN, Labels, labels_of, values_of_labels
from sessionkit.readers.propose.spellings import mean_nothing
from sessionkit.readers.propose.survey_exports import (
    SurveyExport,
)
from sessionkit.readers.propose.table_sections import paths_from
from sessionkit.readers.questionnaires import ANSWER, IDS, ITEM, SECTION

WRITTEN = (
    "path", "name_pattern", "sheet", "encoding", "separator", "quote", "skip", "header", "skip_after_header", "trim", "null",
    "decimal",
)  # fmt: skip
"""Options of a questionnaire in their order."""
SUPPOSED = {"header": False, "encoding": "cp1252"}
"""What an option would be if a doubt about it were right."""
GRADES = 101
"""Different answers at most of a rating."""
CODES = ("-7", "-8", "-9", "-66", "-77", "-88", "-98", "-99", "-999", "99", "999", "9999")
"""Numbers that mean no answer in tools of surveys and statistics, unless other answers are of their size."""
SMALL = 11
"""The greatest answer beside which 99 and more are codes."""


def section_of_answers(part: LogFileKind, parts: Sequence[LogFileKind], folder: Path, taken: set[str]) -> TomlSection:
    """Return what a study.toml says of a questionnaire.

    Parameters
    ----------
    taken
        Names of columns that sessions and users have already; those of the questionnaire's items join them.
    """
    other_files = [file for file in parts if file is not part]
    layout = _layout_of_answers(part, other_files)
    question = _ask_of_several_rows(part, other_files, layout)
    if question is not None:
        return TomlSection((), (Line(questions=(question,)),))
    columns = {**layout.ids, **_renamed(part, layout, taken)}
    if layout.long:
        columns |= dict(zip((ITEM, ANSWER), layout.long, strict=True))
    options: dict[str, Any] = {"path": paths_from(folder, part.sample), **part.sample.options}
    ours = {theirs: name for name, theirs in columns.items()}
    names = [ours.get(item.name, item.name) for item in layout.items]
    answers = [part.columns[layout.long[1]]] if layout.long else [*layout.items, *layout.within]
    lines = [
        *_written(part, options, answers),
        *_values(part, layout, ours),
        Line("columns", columns, tuple(_questions_of_ids(part, other_files, layout))),
        *([Line("name_items", layout.pattern)] if layout.pattern is not None else []),
        *_lines_of_items(part, layout, names),
    ]
    taken |= set(names)
    return TomlSection((SECTION,), tuple(lines), is_item=True)


@dataclass(frozen=True)
class AnswersLayout:
    """Which columns of a questionnaire are what.

    Parameters
    ----------
    ids
        The columns that say whose the answers are, by ours.
    long
        Of a row for each answer the columns of the item and of the answer.
    pattern, within
        A pattern of names that hold a task or a system and an item, and the columns with such names.
    items
        The other columns that are items.
    export
        What shows of the survey tool.
    respellings
        The ids of the log that ids of the file seem to be, by ours, where these are written otherwise.
    """

    ids: Mapping[str, str]
    long: tuple[str, str] | None
    pattern: str | None
    within: tuple[SampleColumn, ...]
    items: tuple[SampleColumn, ...]
    export: SurveyExport
    respellings: Mapping[str, Mapping[str, str]]


def _layout_of_answers(part: LogFileKind, other_files: Sequence[LogFileKind]) -> AnswersLayout:
    """Return which columns of a questionnaire are what."""
    ids, long, export = ids_of_answers(part, other_files), columns_of_long_table(part), export_of(part)
    pattern = None if long else pattern_of_items(part, other_files)
    columns = [one for one in part.columns.values() if one.name not in ids.values()]
    within = tuple(one for one in columns if pattern is not None and re.fullmatch(pattern, one.name))
    items = tuple(one for one in columns if one not in within and one.name not in export.about_response)
    all_respellings = {
        ours: respellings_of(part.columns[name], columns_in_log(other_files, ours)) for ours, name in ids.items()
    }
    respellings = {ours: pairs for ours, pairs in all_respellings.items() if pairs}
    return AnswersLayout(ids, long, pattern, within, () if long else items, export, respellings)


def _ask_of_several_rows(part: LogFileKind, other_files: Sequence[LogFileKind], layout: AnswersLayout) -> str | None:
    """Return the question about a file with several rows for most respondents, which is not used; None for other_files."""
    item = layout.long[0] if layout.long else None
    if repeated_share(part, layout.ids, item) <= REPEATED:
        return None
    rows = part.sample.texts.select(*layout.ids.values(), *([item] if item else [])).drop_nulls()
    named = listed([quoted(name) for name in layout.ids.values()])
    most = int(rows.group_by(rows.columns).len()["len"].max())  # type: ignore[arg-type]
    columns = [one for one in layout.items if 1 < one.distinct <= LABELS and _is_unique_with(part, layout, one)]
    hint = ""
    if columns:
        values = listed([quoted(text) for text in columns[0].given.unique(maintain_order=True)[:4]])
        hint = f" {quoted(columns[0].name)} tells them apart ({values}): write one file for each, with other names for its items."
    topic, in_log = called(part.columns, "topic_id"), columns_in_log(other_files, "topic_id")
    if "topic_id" not in layout.ids and in_log and topic and topic not in layout.ids.values():
        values = f"{quoted(topic)} has {_first_values(part.columns[topic])}, the log {_first_values(in_log[0])}"
        return (
            f"{part.name} has up to {most} rows for each {named} and is not used, because its tasks are not those of the log: {values}. "
            "Write them alike"
        )
    return (
        f"{part.name} has up to {most} rows for each {named} and is not used, because a questionnaire has one.{hint} "
        "Is one row per task meant? Then add the column of the task"
    )


def _is_unique_with(part: LogFileKind, layout: AnswersLayout, column: SampleColumn) -> bool:
    """Return whether each respondent has one row for each value of a column."""
    return repeated_share(part, layout.ids, column.name) == 0


def _renamed(part: LogFileKind, layout: AnswersLayout, taken: Collection[str]) -> dict[str, str]:
    """Return other names for items that are called like a column of sessions or users, or of ours, by these names."""
    ours = {*IDS, *((ITEM, ANSWER) if layout.long else ())}
    stem = re.sub(r"\W+", "_", part.sample.path.stem)
    used = {*layout.ids.values(), *(layout.long or ())}
    renamed: dict[str, str] = {}
    for name in part.columns:
        is_item = any(one.name == name for one in layout.items)
        if name in used or not (name in ours or name.startswith("__") or (is_item and name in taken)):
            continue
        new_name = f"{name.lstrip('_')}_{stem}"
        while new_name in {*taken, *part.columns, *renamed}:
            new_name += "_too"
        renamed[new_name] = name
    return renamed


def _questions_of_ids(part: LogFileKind, other_files: Sequence[LogFileKind], layout: AnswersLayout) -> list[str]:
    """Return the questions about whose the answers are: columns taken by their values, rows that join nothing, repetitions."""
    by_name = ids_by_name(part, other_files)
    questions = [
        f"{quoted(name)} is taken for {ours} by its values ({_first_values(part.columns[name])}). Is it?"
        for ours, name in layout.ids.items()
        if ours not in by_name
    ]
    questions += _questions_of_other_ids(part, other_files, layout)
    rows = part.sample.texts.select(pl.col(name).alias(ours) for ours, name in layout.ids.items())
    without = rows.height - rows.drop_nulls().height
    if without:
        questions.append(
            f"{counted(without, 'row')} without {listed([quoted(name) for name in layout.ids.values()])}: not used. Whose are they?"
        )
    rows = rows.drop_nulls()
    strange = _rows_of_nobody(rows, other_files)
    if strange.height and not layout.respellings:
        questions.append(
            f"{counted(strange.height, 'row')} of {rows.height} {'belongs' if strange.height == 1 else 'belong'} to nobody in the log, "
            f"such as {_shown(strange)}, and {'is' if strange.height == 1 else 'are'} not used. Are these ids spelled as in the log?"
        )
    item = layout.long[0] if layout.long else None
    again = part.sample.texts.select(*layout.ids.values(), *([item] if item else [])).drop_nulls()
    repeated = again.filter(~pl.struct(pl.all()).is_first_distinct())
    if repeated.height:
        verb = "repeats" if repeated.height == 1 else "repeat"
        questions.append(
            f"{counted(repeated.height, 'row')} {verb} {_shown(repeated)}; the first answer is kept. Remove the rows that "
            "should not count"
        )
    return questions


def _questions_of_other_ids(part: LogFileKind, other_files: Sequence[LogFileKind], layout: AnswersLayout) -> list[str]:
    """Return the questions about columns called like an id whose values are not those of the log, or that the log lacks."""
    questions = []
    for ours in ("user_id", "topic_id", "system_id") if "session_id" not in layout.ids else ():
        name = called(part.columns, ours)
        if not name or ours in layout.ids or not any(one.name == name for one in layout.items):
            continue
        given = _first_values(part.columns[name])
        in_log = [_first_values(one) for one in columns_in_log(other_files, ours)]
        if in_log:
            questions.append(
                f"{quoted(name)} ({given}) is not taken for {ours}, which is {in_log[0]} in the log. Is it the same?"
            )
        elif ours != "user_id":
            questions.append(
                f"{quoted(name)} ({given}) is kept as an answer. If it is {ours} of the sessions, name this file under [sessions] too"
            )
    return questions


def _first_values(column: SampleColumn) -> str:
    """Return the first values of a column as a sentence shows them."""
    return ", ".join(map(quoted, column.given.unique(maintain_order=True)[:3]))


def _rows_of_nobody(rows: pl.DataFrame, other_files: Sequence[LogFileKind]) -> pl.DataFrame:
    """Return the rows of ids that no file of the log has."""
    for part in other_files:
        names = {ours: called(part.columns, ours) for ours in rows.columns}
        if part.kind in ("results", "queries", "sessions", "events") and all(names.values()) and part.sample.whole:
            ids_in_log = part.sample.texts.select(pl.col(name).alias(ours) for ours, name in names.items()).unique()
            rows = rows.join(ids_in_log, on=rows.columns, how="anti", maintain_order="left")
        elif part.kind in ("results", "events") and not part.sample.whole:
            return rows.clear()
    return rows if any(_is_of_log(part, rows.columns) for part in other_files) else rows.clear()


def _is_of_log(part: LogFileKind, ours: Sequence[str]) -> bool:
    """Return whether a file of the log has all of some columns of ours."""
    return part.kind in ("results", "queries", "sessions", "events") and all(called(part.columns, one) for one in ours)


def _shown(rows: pl.DataFrame) -> str:
    """Return the first of some rows of ids as a sentence shows it."""
    return ", ".join(f"{name} {quoted(value)}" for name, value in rows.row(0, named=True).items())


def _lines_of_items(part: LogFileKind, layout: AnswersLayout, names: Sequence[str]) -> list[Line]:
    """Return which columns are items, where a survey tool has columns of its own, and what the items asked."""
    lines = []
    columns = [name for name in layout.export.about_response if name not in layout.ids.values()]
    questions = layout.export.ask_of_unfinished(part.columns)
    if columns and names:
        shown = listed([quoted(name) for name in columns])
        remark = f"left out, because {layout.export.tool} writes them about each response: {shown}. Name those to keep in items"
        lines.append(Line("items", list(names), tuple(questions), (remark,)))
    elif questions:
        lines.append(Line(questions=tuple(questions)))
    texts = {one.name: layout.export.texts[one.name] for one in layout.items if one.name in layout.export.texts}
    lines += [Line(remarks=(f"{quoted(name)} asks {quoted(text)}",)) for name, text in list(texts.items())[:SHOWN]]
    return lines


def ask_of_labels(match: Match) -> None:
    """Ask what the words in columns of users and sessions are worth that are answers on a scale."""
    labels = labels_of((one.name, one.given) for one in match.unused if one.distinct > 1)
    if labels.scales and "values" not in match.options and match.part.sample.named:
        match.supposed["values"] = dict(labels.scales)
        match.ask("values", Labels(labels.scales, {}).questions[0])


def _values(part: LogFileKind, layout: AnswersLayout, ours: Mapping[str, str]) -> list[Line]:
    """Return the line that says what words are worth, as a comment: ids that are written otherwise, and labels."""
    labels = labels_of((ours.get(name, name), answers) for name, answers in _texts_of_items(part, layout))
    questions = [
        f"ids in {quoted(layout.ids[name])} are not written as in the log ({quoted(theirs)}, {quoted(log)}), and such rows belong to "
        "nobody in the log until the '#' is removed. Are they the same?"
        for name, pairs in layout.respellings.items()
        for theirs, log in list(pairs.items())[:1]
    ]
    questions += labels.questions
    values = {**layout.respellings, **(labels.scales if layout.respellings else labels.values)}
    return [Line("values", values, tuple(questions), idle=True)] if questions else []


def _texts_of_items(part: LogFileKind, layout: AnswersLayout) -> list[tuple[str, pl.Series]]:
    """Return the given answers of each item, under the column that has them."""
    if layout.long is None:
        ids = {called(part.columns, ours) for ours in IDS}
        return [(one.name, one.given) for one in (*layout.items, *layout.within) if one.name not in ids]
    item, answer = layout.long
    rows = part.sample.texts.select(pl.col(item).alias("item"), pl.col(answer).alias("answer")).drop_nulls()
    return [(answer, group["answer"]) for _, group in rows.group_by("item", maintain_order=True)]


def _are_numbers(texts: pl.Series) -> pl.Series:
    """Return which texts are numbers, whatever their decimal mark."""
    return texts.str.strip_chars().str.contains(f"^(?:{NUMBER.pattern})$")


def _written(part: LogFileKind, options: dict[str, Any], items: Sequence[SampleColumn]) -> list[Line]:
    """Return how a questionnaire is written, with the decimal mark and the texts that mean no answer."""
    codes = _codes_of_no_answer(part, items) if part.kind == SECTION else []
    no_answers = [*sorted({text for one in items for text in _no_answers_in(one)}), *codes]
    spellings = [one.spelling(table("judgments").by_name["grade"]) for one in items]
    decimal = next((spelling.decimal for spelling in spellings if spelling.decimal is not None), None)
    values = {
        **options,
        **({"null": ["", *no_answers]} if no_answers else {}),
        **({"decimal": decimal} if decimal is not None else {}),
    }
    doubts: dict[str, str] = {}
    if part.kind == SECTION:
        doubts = {
            **part.sample.doubts,
            **{key: doubt for one in spellings for key, doubt in one.doubts.items() if key == "decimal"},
        }
        if codes:
            doubts["null"] = (
                f"{listed([quoted(code) for code in codes])} among smaller answers: taken for no answer. Is it?"
            )
        if not part.sample.below_header.is_sure:
            doubts["skip_after_header"] = (
                "the first row below the header looks like the texts of the questions and is left out. Is it one?"
            )
    return [
        Line(key, values.get(key, SUPPOSED.get(key)), (doubts[key],) if key in doubts else (), idle=key not in values)
        for key in WRITTEN
        if key in values or (key in doubts and key in SUPPOSED)
    ]


def _no_answers_in(one: SampleColumn) -> list[str]:
    """Return the texts of a column of numbers, or of labels of a scale, that mean no answer."""
    words = one.given.filter(~_are_numbers(one.given)).unique().to_list()
    no_answers = [word for word in words if mean_nothing([word])]
    labels = [word.strip() for word in words if not mean_nothing([word])]
    is_rating = bool(values_of_labels(labels)) if labels else len(words) < one.distinct
    return no_answers if is_rating else []


def _codes_of_no_answer(part: LogFileKind, items: Sequence[SampleColumn]) -> list[str]:
    """Return the numbers that mean no answer wherever they stand: they are no other answers and no ids."""
    codes: set[str] = set()
    answers: set[str] = {text for one in part.columns.values() if one not in items for text in one.given.unique()}
    for one in items:
        texts = set(one.given.str.strip_chars().unique())
        numbers = [float(text) for text in texts - set(CODES) if NUMBER.fullmatch(text) and "," not in text]
        is_rating = len(numbers) > 1 and min(numbers) >= 0 and len(numbers) == len(texts - set(CODES))
        here = {code for code in texts & set(CODES) if is_rating and (code.startswith("-") or max(numbers) <= SMALL)}
        codes |= here
        answers |= texts - here
    return sorted(codes - answers)


@dataclass(frozen=True)
class RatedColumns:
    """Columns of the results that say one thing in each session, or of each participant."""

    ids: dict[str, str]
    items: list[SampleColumn]


def sections_within(results: Match, taken: Sequence[str], folder: Path) -> list[TomlSection]:
    """Return what a study.toml says of answers in the results; `taken` are columns that are something else."""
    if not results.part.sample.named or "session_id" not in results.columns:
        return []
    sections = []
    for rated in _rated(results, taken):
        options = {"path": paths_from(folder, results.part.sample), **results.part.sample.options}
        lines = _written(results.part, options, rated.items)
        lines += [Line("columns", rated.ids), Line("items", [one.name for one in rated.items])]
        names = listed([quoted(one.name) for one in rated.items[:6]])
        whose = "participant" if rated.ids.keys() == {"user_id"} else "session"
        remark = f"{names} of {results.part.name}: one value for each {whose}"
        sections.append(TomlSection((SECTION,), tuple(lines), (remark,), is_item=True))
    return sections


def _rated(results: Match, taken: Sequence[str]) -> list[RatedColumns]:
    """Return the columns of answers by what they are of: the participant where they never change, else the session."""
    session = results.part.columns[results.columns["session_id"]]
    user = results.column("user_id")
    columns_of_id = session.made_of
    of_session = {"session_id": session.name}
    if columns_of_id:
        of_session = {ours: results.columns[ours] for ours in IDS if results.columns.get(ours) in columns_of_id}
    left = [one for one in results.unused if one.name not in taken and _is_answer(one, session)]
    several = user is not None and user.distinct < session.distinct
    of_users = [one for one in left if several and user is not None and _is_steady(one, user)]
    of_sessions = [one for one in left if one not in of_users]
    rated = (
        [RatedColumns(of_session, of_sessions)]
        if of_sessions and len(of_session) == len(columns_of_id or ("",))
        else []
    )
    return [*rated, *([RatedColumns({"user_id": user.name}, of_users)] if of_users and user is not None else [])]


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


def _is_steady(one: SampleColumn, whose: SampleColumn) -> bool:
    """Return whether a column says one thing in each session, or of each participant."""
    counts = pl.DataFrame({"k": whose.texts, "v": one.texts}).drop_nulls().group_by("k").agg(pl.col("v").n_unique())
    return bool(counts.height) and int((counts["v"] == 1).sum()) >= STEADY * counts.height
