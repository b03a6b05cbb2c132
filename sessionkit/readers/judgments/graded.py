"""Formats of judgments ``graded`` and ``graded_topics``: any CSV, TSV or NDJSON with a column for the query or the topic, one for
the document and one for the grade.

Columns are found by their usual names. Where they have others, or where both a text and a topic are there and the topic is the
key, ``[judgments]`` in study.toml names them: ``columns = { judgment_key = "search term", doc_id = "sku", grade = "stars" }``
with ``keys = "query text"`` or ``"topic"``. Grades that are words (as those of ESCI and WANDS) need ``labels = { Exact = 2, ... }``
there. Known as well are the qrels of BEIR, ``query-id``, ``corpus-id`` and ``score``.
"""

from __future__ import annotations

import csv
import json
from typing import Any

import polars as pl

from sessionkit.contract import RULE
from sessionkit.errors import DataError
from sessionkit.readers.config import Config
from sessionkit.readers.entries import Glimpse
from sessionkit.readers.files.described import read_table
from sessionkit.readers.files.keeping import in_memory
from sessionkit.readers.files.opening import LogFile
from sessionkit.readers.judgments.ratings import idle, source
from sessionkit.readers.raw import Raw

TRIED = (
    "rows that tests and documentation of public projects show (labels of ESCI; query_id, query, doc_id and "
    "relevance; lists made from UBI); never on a whole real file, and for WANDS, Home Depot and BEIR on their column "
    "names alone"
)
TEXTS = ("query", "query_text", "querytext", "query text", "search_query", "search_term", "search term")
TOPICS = ("topic", "topic_id", "topicid", "topic_number", "qid", "query_id", "queryid", "query_number", "query-id")
CORPUS, OF_CORPUS = "corpus-id", "score"
DOCUMENTS = (
    *(
        "doc_id",
        "docid",
        "docno",
        "doc",
        "document_id",
        "document",
        "product_id",
        "product_uid",
        "item_id",
        "sku",
        "url",
    ),
    CORPUS,
)
GRADES = (
    *("grade", "rating", "relevance", "rel", "label", "gain", "judgment", "judgement", "relevance_score", "esci_label"),
    OF_CORPUS,
)
JUDGES = ("judge_id", "judge", "assessor", "assessor_id", "annotator", "rater", "worker_id", "user_email")
"""What columns are called, the likeliest first; a score is a grade where documents are those of a corpus, as in BEIR."""
SEPARATORS = ",\t;|"
SOME = 5
"""Words that an error shows."""


def fits_texts(glimpse: Glimpse) -> bool:
    """Return whether a text begins like a table of grades keyed by texts of queries."""
    return _columns(glimpse.head, TEXTS) is not None and not _is_quepids(glimpse.head)


def fits_topics(glimpse: Glimpse) -> bool:
    """Return whether a text begins like a table of grades keyed by topics."""
    return _columns(glimpse.head, TEXTS) is None and _columns(glimpse.head, TOPICS) is not None


def read(file: LogFile, config: Config) -> list[Raw]:
    """Return the judgments of a table; rows without grade are not judged.

    Raises
    ------
    DataError
        A column is not there.
    """
    head = file.head.decode("utf-8", errors="replace")
    columns = _columns(head, TEXTS) or _columns(head, TOPICS)
    if columns is None:
        raise DataError(
            f"{file.name} has the columns {', '.join(_header(head)[0])}; none of them is known as query or topic, document "
            "and grade. In study.toml, [judgments] can say which is: columns = { judgment_key = ..., doc_id = ..., grade = ... }"
        )
    options: dict[str, Any] = {"columns": columns}
    if file.kind == "text":
        options["separator"] = _header(head)[1]
    raw = read_table(file, "judgments", options, config=config, keep=in_memory)
    rows = raw.frame.with_columns(pl.col("judgment_key", "doc_id").cast(pl.String).str.strip_chars()).collect()
    unrated = pl.col("grade").cast(pl.String).str.strip_chars().replace("", None).is_null()
    unrated &= pl.col(RULE).is_null() if RULE in rows.columns else pl.lit(value=True)
    without = rows.filter(unrated)
    _refuse_words(file, rows.filter(~unrated)["grade"].cast(pl.String).str.strip_chars(), columns["grade"])
    return [
        source(file, rows.filter(~unrated), "judgments", locate=raw.locate),
        *idle(file, {"rows without grade": len(without)}),
    ]


def _refuse_words(file: LogFile, grades: pl.Series, name: str) -> None:
    """Raise DataError where all grades are words."""
    if grades.is_empty() or grades.cast(pl.Float64, strict=False).is_not_null().any():
        return
    words = grades.unique(maintain_order=True).head(SOME).to_list()
    worth = ", ".join(f"{word!r} = ..." for word in words)
    raise DataError(
        f"{file.name}: the grades in column {name!r} are words, no numbers. In study.toml, [judgments] with path, columns, keys "
        f"and labels = {{ {worth} }} says what they are worth"
    )


def _columns(head: str, keys: tuple[str, ...]) -> dict[str, str] | None:
    """Return our column = the file's, for a table with a key of these names; None where one of them is missing."""
    names, _ = _header(head)
    if "judgment_key" in names:
        return None
    known = {name.casefold(): name for name in reversed(names)}
    grades = GRADES if CORPUS in known else tuple(name for name in GRADES if name != OF_CORPUS)
    wanted = {"judgment_key": keys, "doc_id": DOCUMENTS, "grade": grades, "judge_id": JUDGES}
    found = {ours: known[name] for ours, usual in wanted.items() for name in usual[::-1] if name in known}
    return found if {"judgment_key", "doc_id", "grade"} <= set(found) else None


def _header(head: str) -> tuple[list[str], str]:
    """Return the names of the columns, and what separates them: keys of the first object, or fields of the first line."""
    first = next((line for line in head.splitlines() if line.strip()), "")
    if first.lstrip().startswith("{"):
        try:
            return list(json.loads(first)), ","
        except (ValueError, RecursionError):
            return [], ","
    separator = max(SEPARATORS, key=first.count)
    try:
        return [name.strip() for name in next(csv.reader([first], delimiter=separator), [])], separator
    except csv.Error:
        return [], separator


def _is_quepids(head: str) -> bool:
    """Return whether it is CSV with the columns of Quepid's ratings in brief."""
    names, separator = _header(head)
    if separator != "," or head.lstrip().startswith("{"):
        return False
    return [name.casefold() for name in names] in (["query", "docid", "rating"], ["query", "doc_id", "rating"])
