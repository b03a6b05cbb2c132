"""Questionnaires beside a log: which files are answers of participants or sessions, and whose answers they are.

A table of answers has a row for each participant, for each participant and task, or for each answer; it says nothing of
sessions that the log does not say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from sessionkit.readers.propose.column_names import LIKELY, USUAL, folded, likeness
from sessionkit.readers.propose.column_names import words as words_of
from sessionkit.readers.propose.contents import SampleColumn, columns_of, share
from sessionkit.readers.propose.kinds import LogFileKind, called
from sessionkit.readers.propose.sheets import like
from sessionkit.readers.propose.survey_exports import (
    SurveyExport,
    rows_below_header,
    survey_export_of,
    without_rows_below_header,
)
from sessionkit.readers.questionnaires import IDS, ITEM, SECTION

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
