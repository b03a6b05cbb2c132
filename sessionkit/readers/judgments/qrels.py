"""Judgments of TREC: qrels with subtopics or judges, and those of the Dynamic Domain track as qrels or as topics."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from xml.etree.ElementTree import Element

import polars as pl

from sessionkit.errors import DataError
from sessionkit.readers.config import Config
from sessionkit.readers.format import Glimpse, Option
from sessionkit.readers.io.delimited import (
    NUMBER,
    QRELS,
    SAMPLES,
    count_idle_lines,
    fields_of,
    first_fields,
    name_fields,
    shape_of,
    without_idle_subtopic,
)
from sessionkit.readers.io.files import LogFile
from sessionkit.readers.io.json import holds_grades, read_score_dict
from sessionkit.readers.io.tables import WHITESPACE, read_table
from sessionkit.readers.io.xml import ElementRows, Markup, Row, block_of
from sessionkit.readers.judgments.ratings import idle, source
from sessionkit.readers.raw import Raw, in_memory
from sessionkit.readers.records import raw_of
from sessionkit.study.checks import RECORD, RULE, VALUE

QRELS_TRIED = (
    "two qrels of trec_eval's own tests and part of one of Dynamic Domain without passages; those with subtopics or judges, and "
    "those of the Session Track, never on real files"
)
GRADES = Option(
    "How grades of the qrels are taken: raw, as judged; official2012, in the order of the Session Track of 2012 (-2 and 0 "
    "are 0, 4 is 2, 2 is 3, 3 is 4).",
    default="raw",
    allowed=("raw", "official2012"),
)
"""The option of formats whose judgments may be those of the Session Track."""
COLUMN = Option(
    "What the second field of qrels is: subtopic (or a constant), or judge.",
    default="subtopic",
    allowed=("subtopic", "judge"),
)
"""The option of formats whose qrels may have judges."""
LEVEL = r"^[Ll](\d)$"
PARTICIPANT_QRELS = ("judgment_key", "iteration", "doc_id", "grade", "confidence", "judge_id")
PARTICIPANT_GRADES = ("0", "1", "2", "3", "4")
OFFICIAL_2012 = {-2.0: 0.0, 0.0: 0.0, 1.0: 1.0, 4.0: 2.0, 2.0: 3.0, 3.0: 4.0}
"""Grades as judged, and what the official script of 2012 made of them."""


def read(file: LogFile, config: Config) -> Sequence[Raw]:
    """Return the judgments of qrels, as the options say.

    Raises
    ------
    DataError
        No line at the beginning is like those of qrels, or something else than blanks is said to separate fields.
    """
    options = {"separator": WHITESPACE, **config.of_judgments}
    if options["separator"] != WHITESPACE:
        raise DataError(
            f"{config.name}: [judgments] sets separator for {file.name}, which is read as qrels with fields between "
            'blanks; leave separator out, or say format = "tables"'
        )
    first = first_fields(file.head.decode("utf-8", errors="replace"))
    if not {"header", "columns"} & set(options) and not any(len(fields) == len(QRELS) for fields in first):
        shown = " ".join(first[0])[:60] if first else ""
        raise DataError(
            f"{file.name} is not a qrels file: a line is a topic, an iteration, a document and a grade between blanks, and its first "
            f"is {shown!r}; under [judgments] leave format out to have it recognized, or describe its columns"
        )
    raw = read_table(file, "judgments", options, config=config, keep=in_memory)
    skipped = idle(file, {"comments and headers": raw.idle})
    raw = replace(raw, records=raw.records - raw.idle, idle=0)
    if config.options.get("qrels_column") == "judge":
        raw = _with_judges(raw)
    if config.options.get("grades") == "official2012":
        raw = replace(raw, frame=_in_order_of_2012(raw.frame))
    return [raw, *skipped]


def fits_preferences(glimpse: Glimpse) -> bool:
    """Return whether a text begins like preferences: five fields, of which the fourth is a document, the fifth a number."""
    lines = [line.split() for line in glimpse.head.splitlines() if line.strip()][:20]
    return bool(lines) and all(
        len(parts) == 5
        and NUMBER.fullmatch(parts[3]) is None
        and not (parts[2].startswith("q") and parts[3].startswith("d"))
        and NUMBER.fullmatch(parts[4]) is not None
        for parts in lines
    )


def refuse_preferences(file: LogFile, config: Config) -> Sequence[Raw]:  # noqa: ARG001 - as all are called
    """Refuse preferences.

    Raises
    ------
    DataError
        Always.
    """
    raise DataError(
        f"{file.name}: preferences (prefs) say which of two documents is better, not how good each is; measures need "
        "grades: give qrels"
    )


def fits_samples(glimpse: Glimpse) -> bool:
    """Return whether a text begins like judgments of a sample."""
    return shape_of(glimpse.head) in SAMPLES


def refuse_samples(file: LogFile, config: Config) -> Sequence[Raw]:  # noqa: ARG001 - as all are called
    """Refuse judgments of a sample.

    Raises
    ------
    DataError
        Always.
    """
    raise DataError(f"{file.name}: {name_fields(file.head.decode('utf-8', errors='replace'))}")


def fits_levels(glimpse: Glimpse) -> bool:
    """Return whether the first lines are a topic, perhaps an iteration, a document and a level, or a document and a level."""
    lines = first_fields(glimpse.head)
    return bool(lines) and all(
        len(fields) in (2, 3, 4) and re.fullmatch(LEVEL, fields[-1]) is not None for fields in lines
    )


def read_levels(file: LogFile, config: Config) -> Sequence[Raw]:
    """Return the judgments of NTCIR: the grade is the number of the level, unless the study says what levels are worth.

    Raises
    ------
    DataError
        The lines name no topic.
    """
    first = first_fields(file.head.decode("utf-8", errors="replace"))[0]
    width = len(first)
    if width == len(("doc_id", "grade")):
        raise DataError(
            f"{file.name}: its lines, such as {' '.join(first)!r}, are a document and a level, as NTCIREVAL reads them for one topic; "
            "put the topic in front of each line"
        )
    names = ("judgment_key", *(("iteration",) if width == len(QRELS) else ()), "doc_id", "grade")
    frame = fields_of(file, names, least=width, most=width, keep=in_memory).drop("iteration", strict=False)
    if not config.word_grades:
        level = pl.col("grade").str.extract(LEVEL)
        frame = frame.with_columns(pl.coalesce(level, "grade").alias("grade"), raw_grade="grade")
    return [raw_of(file, "judgments", frame), *idle(file, count_idle_lines(file))]


def fits_json(glimpse: Glimpse) -> bool:
    """Return whether a text begins like JSON of whole numbers by topic and document."""
    return holds_grades(glimpse.head)


def read_json(file: LogFile, config: Config) -> Sequence[Raw]:  # noqa: ARG001 - as all are called
    """Return the judgments of JSON of grades by topic and document."""
    frame, unjudged, locate = read_score_dict(file, "judgment_key", "grade")
    return [
        source(file, frame, "grades", locate=locate),
        *idle(file, {"topics without documents": len(unjudged)}),
    ]


def holds_participant_qrels(text: str) -> bool:
    """Return whether a text begins like the judgments of a participant in TREC RAG: ``topic Q0 document grade confidence run``.

    They have the fields of a run. But the ranks of a list count from 0 or 1; here several documents have one grade. Lines in which
    scores order the documents as their ranks do are some lines of a run.

    >>> holds_participant_qrels("1 Q0 a 3 1 me\\n1 Q0 b 2 1 me\\n1 Q0 c 3 1 me")
    True
    >>> holds_participant_qrels("1 Q0 a 1 0.9 bm25\\n1 Q0 b 2 0.8 bm25\\n1 Q0 c 3 0.8 bm25")
    False
    """
    lines = first_fields(text)
    if not lines or any(len(fields) != len(PARTICIPANT_QRELS) for fields in lines):
        return False
    if any(fields[3] not in PARTICIPANT_GRADES or not _is_share(fields[4]) for fields in lines):
        return False
    lists: dict[tuple[str, str], dict[str, tuple[int, float]]] = {}
    for topic, _, document, grade, confidence, run in lines:
        lists.setdefault((topic, run), {})[document] = int(grade), float(confidence)
    longer = [list(pairs.values()) for pairs in lists.values() if len(pairs) > 1]
    return any(not _are_ranks(grade for grade, _ in pairs) for pairs in longer) and not any(map(_is_ordered, longer))


def read_participant_qrels(file: LogFile, config: Config) -> Sequence[Raw]:  # noqa: ARG001 - as all are called
    """Return the judgments of a participant, who is the judge; the confidence is kept."""
    n_fields = len(PARTICIPANT_QRELS)
    frame = fields_of(file, PARTICIPANT_QRELS, least=n_fields, most=n_fields, keep=in_memory)
    return [raw_of(file, "judgments", frame.drop("iteration"))]


def _is_share(text: str) -> bool:
    """Return whether a text is a number from 0 to 1."""
    return NUMBER.fullmatch(text) is not None and 0 <= float(text) <= 1


def _are_ranks(numbers: Iterable[int]) -> bool:
    """Return whether these numbers count from 0 or 1, or are all 0 or all 1, as programs write ranks that they do not know."""
    in_order = sorted(numbers)
    first = in_order[0]
    return first <= 1 and (in_order[-1] == first or in_order == list(range(first, first + len(in_order))))


def _is_ordered(pairs: Sequence[tuple[int, float]]) -> bool:
    """Return whether ranks and scores order documents: the scores all differ, and fall as the ranks rise."""
    by_score = sorted(pairs, key=lambda pair: -pair[1])
    has_ties = len({score for _, score in pairs}) < len(pairs)
    return not has_ties and [rank for rank, _ in by_score] == sorted(rank for rank, _ in pairs)


def _with_judges(raw: Raw) -> Raw:
    """Return judgments whose second field is the judge."""
    names = raw.frame.collect_schema().names()
    if "subtopic_id" not in names:
        return raw
    judge = pl.col("subtopic_id").fill_null("0").alias("judge_id")
    return without_idle_subtopic(replace(raw, frame=raw.frame.with_columns(judge).drop("subtopic_id")))


def _in_order_of_2012(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Return judgments with grades in the official order of 2012, those outside its scale marked as broken."""
    judged = pl.col("grade").cast(pl.Float64, strict=False)
    official = judged.replace_strict(OFFICIAL_2012, default=None, return_dtype=pl.Float64)
    names = frame.collect_schema().names()
    rule = pl.col(RULE) if RULE in names else pl.lit(None, dtype=pl.String)
    value = pl.col(VALUE) if VALUE in names else pl.lit(None, dtype=pl.String)
    outside = rule.is_null() & judged.is_not_null() & official.is_null()
    return frame.with_columns(
        pl.when(official.is_not_null()).then(official.cast(pl.String)).otherwise("grade").alias("grade"),
        raw_grade="grade",
        **{
            RULE: pl.when(outside).then(pl.lit("grade_is_in_the_scale_of_2012")).otherwise(rule),
            VALUE: pl.when(outside).then("grade").otherwise(value),
        },
    )


DYNAMIC_DOMAIN_TRIED = (
    "sample_run/qrels.txt of trec-dd/trec-dd-jig (27,566 passages of 53 topics of 2016); topics in XML never on a real file, built "
    "from the code and examples of the track's scorer"
)
MARKED = "MANUAL"
"""Type of the passages that an assessor marked."""
DYNAMIC_DOMAIN_COLUMNS = ("judgment_key", "subtopic_id", "doc_id", "passage_id", "grade")


def fits_qrels(glimpse: Glimpse) -> bool:
    """Return whether the first lines are a topic, a subtopic, a document, the number of a passage and a rating.

    Runs without a tag and judgments of a sample have five fields as well.
    """
    lines = first_fields(glimpse.head)
    return (
        shape_of(glimpse.head) is None
        and bool(lines)
        and all(
            len(fields) == len(DYNAMIC_DOMAIN_COLUMNS)
            and fields[3].isdecimal()
            and re.fullmatch(r"-?\d+", fields[4]) is not None
            for fields in lines
        )
    )


def read_qrels(file: LogFile, config: Config) -> Sequence[Raw]:  # noqa: ARG001 - as all are called
    """Return the judgments of qrels with passages."""
    frame = fields_of(
        file,
        DYNAMIC_DOMAIN_COLUMNS,
        least=len(DYNAMIC_DOMAIN_COLUMNS),
        most=len(DYNAMIC_DOMAIN_COLUMNS),
        keep=in_memory,
    )
    return [raw_of(file, "judgments", frame), *idle(file, count_idle_lines(file))]


def fits_topics(glimpse: Glimpse) -> bool:
    """Return whether a text begins like the track's topics."""
    head = glimpse.head
    return head.lstrip().startswith("<") and "<domain" in head and "<topic " in head and "<subtopic" in head


def read_topics(file: LogFile, config: Config) -> Sequence[Raw]:
    """Return the judgments of the track's topics: a row per passage.

    Raises
    ------
    DataError
        It is no well-formed XML, or has no passages.
    """
    markup = Markup(file, config.memory)
    rows = ElementRows(
        dict.fromkeys(("judgment_key", "subtopic_id", "doc_id", "passage_id", "grade"), pl.String), ("text",), None
    )
    number = 0
    for topic in markup.elements("topic"):
        for subtopic in topic.iter("subtopic"):
            passages = _with_nuggets([_passage(passage, topic, subtopic) for passage in subtopic.iter("passage")])
            block = block_of(passages) | {RECORD: list(range(number + 1, number + len(passages) + 1))}
            number += len(passages)
            rows.add(block)
    if not number:
        raise DataError(f"{file.name}: topics without any passage, so nothing is judged")
    frame = rows.frame(("judgment_key", "subtopic_id", "doc_id", "passage_id", "grade"))
    return [raw_of(file, "judgments", frame, kind="passages", locate=markup.locate(frame, "passage"))]


def _passage(passage: Element, topic: Element, subtopic: Element) -> Row:
    """Return the row of a passage."""
    told = {f"passage_{leaf.tag}": leaf.text for leaf in passage}
    row: Row = {"doc_id": told.pop("passage_docno", None), "grade": told.pop("passage_rating", None), **told}
    return row | {
        "judgment_key": topic.get("id"),
        "subtopic_id": subtopic.get("id"),
        "passage_id": passage.get("id"),
        "subtopic_name": subtopic.get("name"),
    }


def _with_nuggets(passages: Sequence[Row]) -> list[Row]:
    """Return the passages of a subtopic with the nugget of each: the last passage up to it that an assessor marked, if any."""
    nugget, found = None, []
    for passage in passages:
        if (passage.get("passage_type") or "").strip() == MARKED:
            nugget = passage["passage_id"]
        found.append({**passage, "nugget_id": nugget} if nugget is not None else passage)
    return found
