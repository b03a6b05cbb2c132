"""Formats of judgments ``dd_qrels`` and ``dd_topics``: of TREC Dynamic Domain, as qrels or as the track's topics.

Judgments are qrels of five fields (``topic subtopic document passage rating``) or the track's topics as XML, which name
the same; ratings are kept as judged. Assessors marked the passages of type ``MANUAL``; those of other types, such as
``MATCHED``, say the same as the ``MANUAL`` one before them in their subtopic, whose number is the ``nugget_id`` of both, as the
track's scorer has it. Qrels do not tell types. The scorer's gain of a document is the sum over its subtopics and passages
(``merge = "sum"``), each at least 1, and a document shown again gains nothing (``duplicates=first``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element

import polars as pl

from sessionkit.contract import RECORD
from sessionkit.errors import DataError
from sessionkit.readers.config import Config
from sessionkit.readers.entries import Glimpse
from sessionkit.readers.io.blanks import count_idle_lines, fields_of, first_fields, shape_of
from sessionkit.readers.io.elements import ElementRows, Row, block_of
from sessionkit.readers.io.log_files import LogFile
from sessionkit.readers.io.markup import Markup
from sessionkit.readers.io.record_store import in_memory
from sessionkit.readers.judgments.ratings import idle
from sessionkit.readers.raw import Raw
from sessionkit.readers.records import raw_of

TRIED = (
    "sample_run/qrels.txt of trec-dd/trec-dd-jig (27,566 passages of 53 topics of 2016); topics in XML never on a real file, built "
    "from the code and examples of the track's scorer"
)
MARKED = "MANUAL"
"""Type of the passages that an assessor marked."""
QRELS = ("judgment_key", "subtopic_id", "doc_id", "passage_id", "grade")


def fits_qrels(glimpse: Glimpse) -> bool:
    """Return whether the first lines are a topic, a subtopic, a document, the number of a passage and a rating.

    Runs without a tag and judgments of a sample have five fields as well.
    """
    lines = first_fields(glimpse.head)
    return (
        shape_of(glimpse.head) is None
        and bool(lines)
        and all(
            len(fields) == len(QRELS) and fields[3].isdecimal() and re.fullmatch(r"-?\d+", fields[4]) is not None
            for fields in lines
        )
    )


def read_qrels(file: LogFile, config: Config) -> Sequence[Raw]:  # noqa: ARG001 - as all are called
    """Return the judgments of qrels with passages."""
    frame = fields_of(file, QRELS, least=len(QRELS), most=len(QRELS), keep=in_memory)
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
