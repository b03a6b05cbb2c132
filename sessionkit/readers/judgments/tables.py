"""Formats of judgments ``tables``, ``graded`` and ``graded_topics``: any table with a document, a grade, and a query or topic."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from sessionkit.errors import DataError
from sessionkit.readers.config import Config
from sessionkit.readers.format import TEXT, TOPIC, Glimpse
from sessionkit.readers.io.delimited import header_of
from sessionkit.readers.io.files import LogFile, paths_in
from sessionkit.readers.io.tables import WHITESPACE, columns_of, read_table
from sessionkit.readers.judgments.ratings import idle, source
from sessionkit.readers.raw import Raw, in_memory
from sessionkit.study.checks import CELLS, RECORD, RULE, VALUE, as_text
from sessionkit.study.schema import table


def read(file: LogFile, config: Config) -> list[Raw]:
    """Return the judgments of a file with our column names, or as they are described."""
    raw = read_table(file, "judgments", config.of_judgments, config=config, keep=in_memory)
    of_log = [one for name, one in config.tables.items() if name != "judgments"]
    if not any(_is_same(file, config.of_judgments, one, config) for one in of_log):
        return [raw]
    types = raw.frame.collect_schema()
    ungraded = as_text("grade", types["grade"]).str.strip_chars().fill_null("") == ""
    if RULE in types:
        ungraded &= pl.col(RULE).is_null()
    many = raw.frame.select(ungraded.sum()).collect().item()
    names = [name for name in table("judgments").names if name in types]
    own_marks = [name for name in (RECORD, RULE, VALUE, CELLS) if name in types]
    given = raw.frame.filter(~ungraded).select(*own_marks, *names).collect()
    own = given.unique(names, keep="first", maintain_order=True)
    judged = replace(raw, frame=own.lazy(), records=raw.records - many, merged=given.height - own.height)
    return [judged, *idle(file, {"rows without grade": many})]


def _is_same(file: LogFile, own: Mapping[str, Any], other: Mapping[str, Any], config: Config) -> bool:
    """Return whether a table of the log is in the same file as the judgments, and in the same sheet of a workbook."""
    sheets = other.get("sheet")
    is_sheet = own.get("sheet") in sheets if isinstance(sheets, list) else own.get("sheet") == sheets
    place = (config.folder / file.name).resolve()
    return is_sheet and any(
        (config.folder / path).resolve() == place for path in paths_in(other["path"], config.folder)
    )


TRIED = (
    "rows that tests and documentation of public projects show (labels of ESCI; query_id, query, doc_id and "
    "relevance; lists made from UBI); never on a whole real file, and for ESCI's Parquet, WANDS, Home Depot and BEIR on "
    "their column names alone"
)
TEXTS = ("query", "query_text", "search_query", "search_term")
TOPICS = ("topic", "topic_id", "topic_number", "qid", "query_id", "query_number")
CORPUS, OF_CORPUS = "corpus-id", "score"
DOCUMENTS = (
    *(
        "doc_id",
        "docno",
        "doc",
        "document_id",
        "document",
        "product_id",
        "product_uid",
        "item_id",
        "sku",
        "page_id",
        "passage_id",
        "pid",
        "url",
    ),
    CORPUS,
)
GRADES = (
    *(
        "grade",
        "rating",
        "relevance",
        "rel",
        "label",
        "gain",
        "judgment",
        "judgement",
        "relevance_score",
        "relevance_grade",
    ),
    *("relevance_label", "relevance_judgment", "relevance_level", "rel_score", "relevancy", "esci_label"),
    OF_CORPUS,
)
JUDGES = ("judge_id", "judge", "assessor", "assessor_id", "annotator", "rater", "worker_id", "user_email")
"""What columns are called, the likeliest first, whatever stands between words; a score is a grade where documents are those of a corpus, as
in BEIR."""
SOME = 5
"""Words that an error shows."""
NONE: Mapping[str, str] = {}
JSON, OBJECT = json.JSONDecoder(), re.compile(r"\s*(\[\s*)?\{")
"""How JSON begins: an object on every line, or an array of objects."""
ESCI = ({"e", "s", "c", "i"}, {"exact", "substitute", "complement", "irrelevant"})


def fits_texts(glimpse: Glimpse) -> bool:
    """Return whether something begins like a table of grades keyed by texts of queries."""
    return _columns(_names(glimpse), TEXTS) is not None and not _is_quepids(glimpse.head)


def fits_topics(glimpse: Glimpse) -> bool:
    """Return whether something begins like a table of grades keyed by topics."""
    return (
        _columns(_names(glimpse), TEXTS) is None and _columns(_names(glimpse), TOPICS, _scores_of(glimpse)) is not None
    )


def _scores_of(glimpse: Glimpse) -> Mapping[str, str]:
    """Return the column score as the grade of Parquet in which it holds whole numbers, as in the judgments of ranx."""
    names = [name for name in glimpse.columns if _bare(name) == OF_CORPUS]
    has_grade = any(_bare(name) in map(_bare, GRADES) for name in glimpse.columns if name not in names)
    if not names or has_grade:
        return NONE
    return {"grade": names[0]} if pl.read_parquet_schema(glimpse.path)[names[0]].is_integer() else NONE


def _names(glimpse: Glimpse) -> Sequence[str]:
    """Return the names of the columns."""
    return glimpse.columns or _header(glimpse.head)[0]


def read_texts(file: LogFile, config: Config) -> list[Raw]:
    """Return the judgments of a table keyed by texts of queries; rows without grade are not judged.

    Raises
    ------
    DataError
        A column is not there, or all grades are words.
    """
    return _read(file, config, TEXT)


def read_topics(file: LogFile, config: Config) -> list[Raw]:
    """Return the judgments of a table keyed by topics; rows without grade are not judged.

    Raises
    ------
    DataError
        A column is not there, or all grades are words.
    """
    return _read(file, config, TOPIC)


def _read(file: LogFile, config: Config, keys: str) -> list[Raw]:
    """Return the judgments of a table, whose key is in the column for such keys where there is one for either."""
    options = config.of_judgments
    is_parquet, named = file.kind == "parquet", options.get("header", True)
    head = file.head.decode("utf-8", errors="replace")
    header, separator = ([], "") if is_parquet else _header(head, options.get("separator"))
    names = columns_of(file.path) if is_parquet else header if named else ()
    given = options.get("columns", {})
    if is_parquet and "grade" not in given:
        given = {**_scores_of(Glimpse(file.path, file.name, "", columns=tuple(names))), **given}
    first = config.tables["judgments"].get("keys", keys) == TEXT
    found = [_columns(names, usual, given) for usual in ((TEXTS, TOPICS) if first else (TOPICS, TEXTS))]
    columns = found[0] or found[1]
    if columns is None and names and not given:
        raise DataError(
            f"{file.name} has the columns {', '.join(names)}; they do not name a query or topic, a document and a "
            "grade. In study.toml, [judgments] can name them: columns = { judgment_key = ..., doc_id = ..., grade = ... }"
        )
    options["columns"] = {**(columns or {}), **given}
    if file.kind == "text" and separator:
        options["separator"] = separator
    raw = read_table(file, "judgments", options, config=config, keep=in_memory)
    types = raw.frame.collect_schema()
    keyed = [as_text(name, types[name]).str.strip_chars().alias(name) for name in ("judgment_key", "doc_id")]
    rows = raw.frame.with_columns(keyed).collect()
    grades = rows.select(as_text("grade", types["grade"]).str.strip_chars().replace("", None)).to_series()
    unrated = grades.is_null() & (rows[RULE].is_null() if RULE in types else True)
    _refuse_words(file, grades.filter(~unrated), str(options["columns"].get("grade", "grade")), config.word_grades)
    return [
        source(file, rows.filter(~unrated), "judgments", locate=raw.locate),
        *idle(file, {"rows without grade": int(unrated.sum())}),
    ]


def _refuse_words(file: LogFile, grades: pl.Series, name: str, worth: Mapping[str, float]) -> None:
    """Raise DataError where all grades are words, and nothing says of any what it is worth."""
    numbers = grades.cast(pl.Float64, strict=False).is_not_null()
    if grades.is_empty() or (numbers | grades.is_in(list(worth))).any():
        return
    words = grades.unique(maintain_order=True).head(SOME).to_list()
    said = ", ".join(f"{word!r} = ..." for word in words)
    esci = any({word.casefold() for word in words} <= known for known in ESCI)
    short = (
        ""
        if any("," in word for word in words)
        else f"--grade-values '{','.join(f'{word}=...' for word in words)}', or "
    )
    raise DataError(
        f"{file.name}: the grades in column {name!r} are words, not numbers. Give their values: {short}in study.toml, "
        f"[judgments] with path and grade_values = {{ {said} }}"
        + (" (for ESCI, Reddy et al. use 1 for E, 0.1 for S, 0.01 for C, 0 for I)" if esci else "")
    )


def _columns(
    names: Sequence[str], keys: tuple[str, ...], given: Mapping[str, str | int] = NONE
) -> dict[str, str] | None:
    """Return our column = the file's, for a table with a key of these names; None where one of them is missing.

    Columns that are `given` are not looked for.
    """
    if "judgment_key" in names:
        return None
    known = {_bare(name): name for name in reversed(names)}
    grades = GRADES if _bare(CORPUS) in known else tuple(name for name in GRADES if name != OF_CORPUS)
    wanted = {"judgment_key": keys, "doc_id": DOCUMENTS, "grade": grades, "judge_id": JUDGES}
    found = {
        ours: known[_bare(name)]
        for ours, usual in wanted.items()
        if ours not in given
        for name in usual[::-1]
        if _bare(name) in known
    }
    return found if {"judgment_key", "doc_id", "grade"} <= {*found, *given} else None


def _bare(name: str) -> str:
    """Return a name in lower case, without what stands between its words.

    >>> _bare("Passage-ID"), _bare("q_id")
    ('passageid', 'qid')
    """
    return re.sub(r"[\W_]+", "", name).casefold()


def _header(head: str, separator: str | None = None) -> tuple[list[str], str]:
    """Return the names of the columns, keys of the first object or fields of the first line, and what separates these."""
    line = next((line for line in head.splitlines() if line.strip()), "")
    if begun := OBJECT.match(head):
        try:
            return list(JSON.raw_decode(head, begun.end() - 1)[0] if begun[1] else json.loads(line)), ""
        except (ValueError, RecursionError):
            return [], ""
    return (line.split(), separator) if separator == WHITESPACE else header_of(line, separator)


def _is_quepids(head: str) -> bool:
    """Return whether it is CSV with the columns of Quepid's ratings in brief or in detail."""
    header, separator = _header(head)
    names = [name.casefold() for name in header]
    brief = (["query", "docid", "rating"], ["query", "doc_id", "rating"])
    return separator == "," and (names in brief or {"query text", "doc id", "doc position"} <= set(names))
