"""Questionnaires beside a log: which files and columns are answers, whose they are, and their sections of a study.toml."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from sessionkit.display.numbers import counted, listed
from sessionkit.readers.column_names import LIKELY, USUAL, folded, likeness
from sessionkit.readers.column_names import words as words_of
from sessionkit.readers.propose.contents import SampleColumn, columns_of, mean_nothing, share
from sessionkit.readers.propose.kinds import STEADY, LogFileKind, Match, called
from sessionkit.readers.propose.proposal import Line, TomlSection, quoted
from sessionkit.readers.propose.sheets import (
    LABELS,
    NUMBER,
    SHOWN,
    Labels,
    SurveyExport,
    labels_of,
    like,
    rows_below_header,
    survey_export_of,
    values_of_labels,
    without_rows_below_header,
)
from sessionkit.readers.propose.table_sections import paths_from
from sessionkit.readers.questionnaires import ANSWER, IDS, ITEM, SECTION
from sessionkit.study.schema import table

ITEMS = (
    "item items itemid itemno itemnr itemcode question questions questionid questionno questiontext statement variable scale frage "
    "fragen aussage skala merkmal enonce pregunta afirmacion domanda affermazione pergunta afirmacao vraag stelling kysymys vaittama "
    "fraga pastaende 题目 题项 问题 条目 项目 量表 項目 設問 質問 質問項目"
)
"""What the column of items is called in a table of one row for each answer."""
ANSWERS = (
    "value values answer answers answervalue response responses responsevalue rating score wert antwort antworten bewertung reponse "
    "valeur respuesta valor risposta valore resposta antwoord waarde vastaus arvo svar varde 得分 分数 回答 "
    "答案 评分 值 评价 値 評価 得点 回答値"
)
"""What the column of answers is called there."""
KINDS = ("sessions", "users", "judgments", "queries", "")
"""What a questionnaire may look like."""
FACTS = ("user_id", "topic_id", "system_id", "started_at", "ended_at", "duration_seconds", "session_order")
"""What a table of sessions may say of them."""
TIMES_OF_ANSWERS = (
    "timestamp time datetime date ts zeitstempel zeit zeitpunkt uhrzeit datum horodateur horodatage heure fecha hora marcatemporal data "
    "ora tijdstempel aikaleima tidstampel 时间戳 时间 提交时间 提交答卷时间 日期 タイムスタンプ 回答日時 日時"
)
"""Names of times that may be those of the answers as well as of sessions, folded."""
SHARED = 0.5
"""The share of participants, or tasks, that a questionnaire must have in common with the log."""
ALIKE = 0.8
"""The share of values that a column must have in common with the log to be an id by its values alone."""
REPEATED = 1 / 3
"""The share of rows up to which answers by the same respondent are repetitions, and not measures of their own."""


def with_questionnaires(parts: Sequence[LogFileKind]) -> list[LogFileKind]:
    """Return the files, those that are answers marked as such, without rows below their header that are none."""
    return [_as_answers(part, parts) for part in parts]


def _as_answers(part: LogFileKind, parts: Sequence[LogFileKind]) -> LogFileKind:
    """Return a file as a questionnaire, or as it is where it is none."""
    other_files = [one for one in parts if one is not part]
    if not part.sample.named or part.kind not in KINDS or part.query_key or not _has_log(other_files):
        return part
    if part.sample.known_as:  # what is around lists of results is a part of the log
        return part
    answers = _without_rows_below_header(part, other_files)
    rivals = [one for one in parts if one.kind == part.kind]
    is_largest = max(rivals, key=lambda one: (len(one.columns), -rivals.index(one))) is part
    return replace(answers, kind=SECTION) if _is_questionnaire(answers, other_files, is_largest=is_largest) else part


def _has_log(parts: Sequence[LogFileKind]) -> bool:
    """Return whether some files have queries."""
    return any(part.kind in ("results", "queries", "events") for part in parts)


def _without_rows_below_header(part: LogFileKind, other_files: Sequence[LogFileKind]) -> LogFileKind:
    """Return a file without the rows below its header that a survey tool writes there."""
    ids = {
        name: set().union(*(one.given for one in columns_in_log(other_files, ours)))
        for ours, name in ids_of_answers(part, other_files).items()
    }
    sample = part.sample
    if sample.made:  # sessions, or numbers of queries, of which a questionnaire has none
        names = [name for name in sample.columns if name not in sample.made]
        sample = replace(sample, frame=sample.frame.select(names), texts=sample.texts.select(names), made={})
    sample = without_rows_below_header(sample, rows_below_header(sample.texts, ids))
    return replace(part, sample=sample, columns=columns_of(sample))


def _is_questionnaire(part: LogFileKind, other_files: Sequence[LogFileKind], *, is_largest: bool) -> bool:
    """Return whether a file has answers, and no facts of sessions that the log lacks.

    Of several tables of users the largest is none. A file that looked like queries or
    judgments is one where the log has its queries elsewhere, or each respondent one row.
    """
    ids = ids_of_answers(part, other_files)
    if not ids:
        return False
    is_of_respondents = bool({"user_id", "session_id"} & set(ids))
    if is_of_respondents and export_of(part).tool:
        return True
    if part.kind == "queries":
        return is_of_respondents and not _has_queries(part, other_files)
    if part.kind == "judgments":
        is_of_documents = _has_documents(part, other_files) or ("user_id" not in ids and called(part.columns, "doc_id"))
        return is_of_respondents and not is_of_documents and repeated_share(part, ids) <= REPEATED
    if columns_of_long_table(part) or pattern_of_items(part, other_files) is not None:
        return True
    if not is_of_respondents:
        return False
    facts = _facts(part)
    facts_of_log = set().union(*(_facts(one) for one in other_files if one.kind in ("results", "queries", "events")))
    rivals = [one for one in other_files if one.kind == part.kind]
    if part.kind == "sessions":
        if facts - facts_of_log:
            return any(facts < _facts(one) for one in rivals)
        is_of_several = len(ids) > 1
        return bool(facts_of_log - facts) or is_of_several or any(_facts(one) - facts for one in rivals)
    if part.kind == "users":
        return not is_largest or len(ids) > 1
    return not _has_documents(part, other_files)


def _facts(part: LogFileKind) -> set[str]:
    """Return what a file says of sessions; a time that may be that of the answers is none."""
    names = {ours: called(part.columns, ours) for ours in FACTS}
    return {ours for ours, name in names.items() if name and folded(name) not in TIMES_OF_ANSWERS.split()}


def export_of(part: LogFileKind) -> SurveyExport:
    """Return what a file shows of the survey tool that wrote it."""
    return survey_export_of(part.columns, part.sample.below_header)


def _has_queries(part: LogFileKind, other_files: Sequence[LogFileKind]) -> bool:
    """Return whether a file that looks like queries has those of the log, or such as the log has none of."""
    lists = [one for one in other_files if one.kind in ("results", "events")]
    log = lists or [one for one in other_files if one.kind == "queries"]
    for ours in ("query_id", "query_text"):
        name = called(part.columns, ours)
        if name and any(share(part.columns[name].given, one.given) >= SHARED for one in columns_in_log(log, ours)):
            return True
    position = called(part.columns, "query_position")
    if position and repeated_share(part, ids_of_answers(part, other_files)) > REPEATED:
        return True
    texts = [one for one in part.columns.values() if likeness(one.heading, "query_text") >= LIKELY and len(one.given)]
    texts = [one for one in texts if not re.fullmatch(r"[A-Za-z]\W?\d+", one.name)]  # Q3 is a question
    has_texts = bool(lists) and bool(columns_in_log(lists, "query_text"))
    return not has_texts and any(2 * one.distinct > len(one.given) and not _is_of_numbers(one) for one in texts)


def _is_of_numbers(column: SampleColumn) -> bool:
    """Return whether most values of a column are numbers, whatever their decimal mark."""
    return column.share_matching(r"^\s*[-+]?\d+([.,]\d+)?\s*$") > 0.5


def _has_documents(part: LogFileKind, other_files: Sequence[LogFileKind]) -> bool:
    """Return whether a column has the name of a document, and values of those that the log shows."""
    shown = columns_in_log([one for one in other_files if one.kind in ("results", "events")], "doc_id")
    docs = [one for one in part.columns.values() if likeness(one.heading, "doc_id") and one.distinct > 1]
    return any(share(one.given, column.given) >= SHARED for one in docs for column in shown)


def ids_of_answers(part: LogFileKind, other_files: Sequence[LogFileKind]) -> dict[str, str]:
    """Return the columns that say whose answers a file has, by ours, if the log has them as well."""
    ids = ids_by_name(part, other_files)
    return ids if "session_id" in ids else {**ids, **_ids_by_values(part, other_files, ids)}


def ids_by_name(part: LogFileKind, other_files: Sequence[LogFileKind]) -> dict[str, str]:
    """Return those of these columns that have a usual name."""
    ids = {}
    for ours in IDS:
        log = columns_in_log(other_files, ours)
        named = [
            one for one in part.columns.values() if likeness(one.heading, ours) >= LIKELY and not _is_nearer(one, ours)
        ]
        named.sort(key=lambda one: -likeness(one.heading, ours))
        shared = [one.name for one in named if any(share(one.given, other.given) >= SHARED for other in log)]
        alike = [one.name for one in named if respellings_of(one, log)]
        if shared or alike:
            ids[ours] = [*shared, *alike][0]
    return {"session_id": ids["session_id"]} if "session_id" in ids else ids


def _is_nearer(column: SampleColumn, ours: str) -> bool:
    """Return whether the name of a column is rather one of another of ours."""
    return max(likeness(column.heading, other) for other in USUAL) > likeness(column.heading, ours)


def respellings_of(column: SampleColumn, log: Sequence[SampleColumn]) -> dict[str, str]:
    """Return the ids of the log that values of a column seem to be, where these are written otherwise.

    They differ in case, or a number stands for an id that ends with it. Nothing is returned where most are written alike.
    """
    ids = {value for one in log for value in one.given.unique()}
    values = column.given.unique(maintain_order=True).to_list()
    if len(values) < 2 or sum(value in ids for value in values) >= SHARED * len(values):
        return {}
    for fold in (_without_case, _number_of):
        folded_ids = {fold(value): value for value in ids}
        pairs = {value: folded_ids[fold(value)] for value in values if fold(value) in folded_ids}
        if len(folded_ids) == len(ids) and len(pairs) >= SHARED * len(values) and "" not in folded_ids:
            return pairs
    return {}


def _without_case(text: str) -> str:
    """Return an id without case and what stands between its words."""
    return folded(text)


def _number_of(text: str) -> str:
    """Return the number that an id ends with, empty where it ends with none."""
    match = re.fullmatch(r"\D*?0*(\d+)\s*", text)
    return match[1] if match else ""


def _ids_by_values(part: LogFileKind, other_files: Sequence[LogFileKind], ids: Mapping[str, str]) -> dict[str, str]:
    """Return further columns that say whose answers a file has, by the values that they share with the log.

    Small numbers may be ratings: they are ids only where each row has another one, or where the question names what they are of
    and most of the log's ids are there.
    """
    further_ids: dict[str, str] = {}
    for ours in ("user_id", "topic_id") if "user_id" not in ids else ("topic_id",):
        if ours in ids or (ours == "topic_id" and not {"user_id"} & {*ids, *further_ids}):
            continue
        log = columns_in_log(other_files, ours)
        left = [one for one in part.columns.values() if one.name not in (*ids.values(), *further_ids.values())]
        named = [one for one in left if _names(one, ours)]
        has_several_rows = ours == "user_id" or repeated_share(part, {**ids, **further_ids}) > 0
        for column in [*named, *(one for one in left if one not in named)]:
            if column.distinct < 2:
                continue
            is_small = column.share_matching(r"^\s*\d{1,2}\s*$") > 0.5
            respellings = respellings_of(column, log) if column in named else {}
            is_alike = any(share(column.given, one.given) >= ALIKE for one in log)
            is_id = is_alike or bool(respellings)
            if is_small and not (ours == "user_id" and column.is_key):
                ids_there = pl.concat([column.given, pl.Series(list(respellings.values()), dtype=pl.String)])
                has_most = any(share(one.given, ids_there) >= ALIKE for one in log)
                is_id = is_id and column in named and has_several_rows and has_most
            if is_id:
                further_ids[ours] = column.name
                break
    return further_ids


def _names(column: SampleColumn, ours: str) -> bool:
    """Return whether a question has a word for one of ours, as in "Your participant number?"."""
    return bool({*words_of(column.heading)} & {*USUAL[ours]})


def columns_in_log(parts: Sequence[LogFileKind], ours: str) -> list[SampleColumn]:
    """Return the columns of a log that are one of ours."""
    log = [part for part in parts if part.kind in ("results", "queries", "sessions", "events")]
    return [
        part.columns[name]
        for part in log
        if (name := called(part.columns, ours)) and part.columns[name].made_of is None
    ]


def repeated_share(part: LogFileKind, ids: Mapping[str, str], item: str | None = None) -> float:
    """Return the share of rows whose respondent, or answer of a respondent to an item, has an earlier row."""
    rows = part.sample.texts.select(*ids.values(), *([item] if item else [])).drop_nulls()
    return 1 - rows.n_unique() / rows.height if rows.height and rows.width else 0.0


def columns_of_long_table(part: LogFileKind) -> tuple[str, str] | None:
    """Return the columns of the item and of the answer in a table of one row for each answer."""
    item = next((name for name in part.columns if folded(name) in ITEMS.split()), None)
    answer = next((name for name in part.columns if folded(name) in ANSWERS.split() and name != item), None)
    return (item, answer) if item and answer else None


def pattern_of_items(part: LogFileKind, other_files: Sequence[LogFileKind]) -> str | None:
    """Return a pattern of the names of columns that hold a task, or a system, and an item; None where there are none."""
    for ours in ("topic_id", "system_id"):
        values = sorted({value for column in columns_in_log(other_files, ours) for value in column.given.unique()})
        if len(values) < 2 or called(part.columns, ours):
            continue
        value = "|".join(map(re.escape, sorted(values, key=len, reverse=True)))
        for form in (
            rf"(?P<id>{value})(?P<mark>[ _.:-]+)(?P<item>.+)",
            rf"(?P<item>.+?)(?P<mark>[ _.:-]+)(?P<id>{value})",
        ):
            matches = [one for name in part.columns if (one := re.fullmatch(form, name))]
            if len({one["id"] for one in matches}) > 1 and len({one["mark"] for one in matches}) == 1:
                mark = re.escape(matches[0]["mark"]).replace("\\ ", " ")
                id_group = f"(?P<{ours}>{like(values)})"
                item_group = f"(?P<{ITEM}>.+)"
                return id_group + mark + item_group if form.startswith("(?P<id>") else item_group + mark + id_group
    return None


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
