"""Formats of judgments of Quepid, keyed by texts of queries, and of learning to rank (RankLib)."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from typing import Any

import polars as pl

from sessionkit.errors import DataError
from sessionkit.readers.config import Config
from sessionkit.readers.format import Glimpse
from sessionkit.readers.io.delimited import header_of, mended, read_delimited, with_undecoded
from sessionkit.readers.io.files import LogFile, cut_short
from sessionkit.readers.judgments.ratings import Rating, children, documents, idle, rated, source, told_apart
from sessionkit.readers.raw import Locate, Raw, as_lines
from sessionkit.study.checks import RECORD, RULE, VALUE

BASIC, DETAILED, LISTS, BOOK, SCORES = "basic", "detailed", "lists", "book", "scores"
PAIR = (("query", "docid"), ("query", "doc_id"))
NAMES = {
    "query": "judgment_key",
    "query text": "judgment_key",
    "docid": "doc_id",
    "doc_id": "doc_id",
    "doc id": "doc_id",
    "rating": "grade",
    "doc position": "rank",
}
"""Quepid's names of columns, in lower case, to ours."""
OURS = (*NAMES.values(), "session_id", "query_position", "query_text", "topic_id", "system_id", "judge_id")
"""Names that fields of documents may not take from us."""
SYSTEMS = ("Snapshot Name", "Case Name")
"""The column that says which search engine a list is of, the first that is there."""
NUMBER = re.compile(r"\s*(-?\d+(\.\d*)?)?\s*")
GRADES = ("rating", "grade", "relevance", "label", "judgment", "judgement", "gain")
"""What the column of a grade is called; no name of a judge."""
UNRATED = {"judgment_key": "queries without ratings", "doc_id": "documents without rating"}


def form_of(text: str) -> str | None:
    """Return which of the forms a text begins like; None where it is like none.

    >>> form_of("query,docid,rating\\n"), form_of("query,docid,Ada,Anonymous\\na,b,1,\\n"), form_of("session,query\\n")
    ('basic', 'book', None)
    >>> form_of("Snapshot Name,Query Text,Doc ID,Doc Position,title\\n"), form_of("Case ID,Query Text,Score\\n")
    ('lists', 'scores')
    """
    names = [name.casefold() for name in header_of(text, ",")[0]]
    if {"query text", "doc id", "doc position"} <= set(names):
        return DETAILED if "rating" in names else LISTS
    if {"query text", "score", "case id"} <= set(names) and not set(names) & set(GRADES):
        return SCORES
    if tuple(names[:2]) not in PAIR or len(names) < 3:
        return None
    if names[2:] == ["rating"]:
        return BASIC
    return BOOK if not set(names[2:]) & set(GRADES) and _are_ratings(text, len(names)) else None


def _are_ratings(text: str, columns: int) -> bool:
    """Return whether the first lines have numbers or nothing in all columns but two."""
    try:
        rows = [row for row in list(csv.reader(text.splitlines()[:50]))[1:20] if len(row) == columns]
    except csv.Error:
        return False
    return all(NUMBER.fullmatch(cell) for row in rows for cell in row[2:])


def records_of(file: LogFile) -> tuple[pl.DataFrame, Locate]:
    """Return the records of ratings in brief or in detail under our names, stripped, and the way back to their text.

    ``session_id`` is the query, that of a case or snapshot where there is one; ``query_text`` and ``topic_id`` are its text.
    """
    raw = read_delimited(file, "judgments", separator=",")
    names = [name for name in raw.frame.collect_schema().names() if name not in (RECORD, RULE, VALUE)]
    ours = {name: f"{name}_given" for name in names if name in OURS}
    known = [name for name in reversed(names) if name.casefold() in NAMES]
    ours |= {name: NAMES[name.casefold()] for name in {NAMES[one.casefold()]: one for one in known}.values()}
    cells = raw.frame.with_columns(_cell(name) for name in names).rename(ours).collect()
    key = pl.col("judgment_key")
    system = next((name for name in SYSTEMS if name in names), None)
    session = key if system is None else pl.concat_str(pl.coalesce(system, pl.lit("")), pl.lit(": "), key)
    cells = cells.with_columns(session_id=session, query_text=key, topic_id=key)
    return (cells if system is None else cells.with_columns(system_id=system)), raw.locate


def graded(file: LogFile) -> list[Raw]:
    """Return the ratings of a case or snapshot, in brief or in detail."""
    records, locate = records_of(file)
    records = records.drop("session_id", "query_text", "topic_id", "system_id", "rank", strict=False)
    unrated = pl.col(RULE).is_null() & pl.col("grade").is_null() & pl.col("judgment_key").is_not_null()
    without = records.filter(unrated)
    counts = {
        UNRATED["judgment_key"]: without["doc_id"].null_count(),
        UNRATED["doc_id"]: len(without) - without["doc_id"].null_count(),
    }
    return [source(file, records.filter(~unrated), "ratings", locate=locate), *idle(file, counts)]


def book(file: LogFile) -> list[Raw]:
    """Return the ratings of a book, one for each document and judge that rated it.

    A judge whose name stands above several columns is several, ``Anonymous`` and ``Anonymous (2)``.
    """
    raw = read_delimited(file, "judgments", separator=",", header=False)
    names = [name for name in raw.frame.collect_schema().names() if name not in (RECORD, RULE, VALUE)]
    every = raw.frame.with_columns(_cell(name) for name in names).collect()
    judges = told_apart([name or "Anonymous" for name in every.select(names).row(0)[2:]])
    records = every.slice(1).rename(dict(zip(names, ["judgment_key", "doc_id", *judges], strict=True)))
    fits = pl.col(RULE).is_null()
    long = records.filter(fits).unpivot(
        on=judges, index=[RECORD, RULE, VALUE, "judgment_key", "doc_id"], variable_name="judge_id", value_name="grade"
    )
    rated = long.filter(pl.col("grade").is_not_null()).sort(RECORD, maintain_order=True)
    broken = records.filter(~fits).select(RECORD, RULE, VALUE, "judgment_key", "doc_id")
    rows = pl.concat([rated, broken], how="diagonal")
    counts = {"cells of judges without rating": len(long) - len(rated)}
    return [source(file, rows, "ratings of judges", locate=raw.locate), *idle(file, counts)]


def _cell(name: str) -> pl.Expr:
    """Return a column stripped, without empty text."""
    text = pl.col(name).str.strip_chars()
    return pl.when(text != "").then(text).alias(name)


CASE = re.compile(r'"queries"\s*:\s*\[')
TEXTS = re.compile(r'"(query|query_text)"\s*:\s*"')
RATINGS = re.compile(r'"ratings"\s*:\s*[\[{]')
LOGS = re.compile(r'"(sessions|results|clicks|serp|hits)"\s*:\s*[\[{]')
"""Lists of a log, which no export of Quepid has."""
OTHERS = re.compile(r'"(placeholders|relevant_documents|judgmentRatings|querySetQueries|query_groups)"\s*:')
PAIRS = re.compile(r'"query_doc_pairs"\s*:')
BOOK_READABLE = "ratings_can_be_read"
NOBODY = "Anonymous"
"""Whose judgements are those without a name."""
KEPT = ("information_need", "explanation", "unrateable", "judge_later")
"""What a book says beside ratings that is kept."""


def holds_json(text: str) -> bool:
    """Return whether a text begins like JSON of a case with ratings, or of a book.

    >>> holds_json('{"queries": [{"query": "lamp", "ratings": {"A1": 3}}]}'), holds_json('{"queries": []}')
    (True, False)
    >>> holds_json('{"queries": [{"query": "lamp", "results": [{"url": "A1"}]}]}')
    False
    """
    if not text.lstrip().startswith("{") or OTHERS.search(text) or LOGS.search(text):
        return False
    return PAIRS.search(text) is not None or all(one.search(text) is not None for one in (CASE, TEXTS, RATINGS))


def ratings_of(file: LogFile) -> tuple[list[Rating], dict[str, int]]:
    """Return the ratings of a case or book, and how many records have none, by kind.

    Raises
    ------
    DataError
        It is no JSON, or neither.
    """
    found: list[Rating] = []
    bare = {"queries without ratings": 0, "documents without rating": 0, "judgements without rating": 0}
    for path, value in documents(file):
        if isinstance(value, Rating):
            found.append(value)
        elif isinstance(value, dict) and "query_doc_pairs" in value:
            for place, pair in children(value, path, "query_doc_pairs"):
                found += _of_pair(place, pair, bare)
        elif isinstance(value, dict) and "queries" in value:
            for place, query in children(value, path, "queries"):
                found += _of_query(place, query, bare)
        else:
            raise DataError(
                f"{file.name}: {path} has neither queries nor query_doc_pairs, which exports of Quepid have"
            )
    return found, bare


def _of_query(path: str, query: Any, bare: dict[str, int]) -> list[Rating]:  # noqa: ANN401 - JSON
    """Return the ratings of a query of a case."""
    ratings = query.get("ratings") or {} if isinstance(query, dict) else None
    if not isinstance(ratings, dict | list):
        return [Rating(path, node=query, rule=BOOK_READABLE)]
    text = query.get("query", query.get("query_text"))
    bare["queries without ratings"] += not ratings
    found = list(_listed(path, text, ratings) if isinstance(ratings, list) else _by_document(path, text, ratings))
    rated = [one for one in found if one.grade is not None or one.rule]
    bare["documents without rating"] += len(found) - len(rated)
    return rated


def _by_document(path: str, text: Any, ratings: dict[str, Any]) -> Iterator[Rating]:  # noqa: ANN401 - JSON
    """Return ratings that are given as grades by document."""
    for doc, grade in ratings.items():
        yield Rating(f"{path}.ratings[{json.dumps(doc)}]", text, doc, grade, grade)


def _listed(path: str, text: Any, ratings: list[Any]) -> Iterator[Rating]:  # noqa: ANN401 - JSON
    """Return ratings that are given as a list."""
    for number, one in enumerate(ratings):
        place = f"{path}.ratings[{number}]"
        if isinstance(one, dict):
            judge = {"judge_id": one["user_email"]} if one.get("user_email") else {}
            yield Rating(place, text, one.get("doc_id"), one.get("rating"), one, judge)
        else:
            yield Rating(place, node=one, rule=BOOK_READABLE)


def _of_pair(path: str, pair: Any, bare: dict[str, int]) -> list[Rating]:  # noqa: ANN401 - JSON
    """Return the ratings of a document for a query in a book."""
    judgements = pair.get("judgements") or [] if isinstance(pair, dict) else None
    if not isinstance(judgements, list):
        return [Rating(path, node=pair, rule=BOOK_READABLE)]
    bare["documents without rating"] += not judgements
    found = []
    for number, one in enumerate(judgements):
        place = f"{path}.judgements[{number}]"
        if not isinstance(one, dict):
            found.append(Rating(place, node=one, rule=BOOK_READABLE))
        elif one.get("rating") is None:
            bare["judgements without rating"] += 1
        else:
            said = {name: value for name in KEPT if (value := one.get(name, pair.get(name))) not in (None, "")}
            extras = {"judge_id": one.get("user_email") or NOBODY, **said}
            found.append(Rating(place, pair.get("query_text"), pair.get("doc_id"), one["rating"], one, extras))
    return found


TRIED = (
    "Chorus_Electronics_basic.csv of chorus-opensearch-edition (basic CSV), Movie_Search_Quepid_1.json of "
    "search-relevance (JSON of a case), sample_judgments.txt of the Elasticsearch plugin (learning to rank), parts of "
    "hello-ltr, of Chorus (unrated documents) and of a book of 15 judges in Quepid's notebooks; all others never on "
    "real files, built from the source of Quepid's exporters and importers"
)


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins like one of the exports that have ratings."""
    is_text = holds_ltr(glimpse.head) and not fits_letor(glimpse)
    return form_of(glimpse.head) not in (None, LISTS) or holds_json(glimpse.head) or is_text


def read(file: LogFile, config: Config) -> list[Raw]:  # noqa: ARG001 - all formats are called alike
    """Return the ratings of an export.

    Raises
    ------
    DataError
        It is none, or is damaged.
    """
    head = file.head.decode("utf-8", errors="replace")
    if head.lstrip().startswith(("{", "[")):
        ratings, counts = ratings_of(file)
        return [*rated(file, ratings), *idle(file, counts)]
    if holds_ltr(head):
        return read_ltr(file)
    form = form_of(head)
    if form in (LISTS, SCORES):
        raise DataError(
            f"{file.name} has {'lists, which are a log,' if form == LISTS else 'scores'} and no ratings: export those of the "
            "case from Quepid, or its book"
        )
    if form is None:
        raise DataError(
            f"{file.name} is not an export of Quepid: its columns are {', '.join(header_of(head, ',')[0])}; query, docid and "
            "rating are needed"
        )
    return graded(file) if form in (BASIC, DETAILED) else book(file)


RATING = r"^\s*(-?[\d.]+)\s+qid:(\S+)\s+(?:\d+:\S+\s+)*#\s*(\S+)(?:\s+(.*\S))?\s*$"
QUERY = r"^\s*#\s*qid:([^\s:]+):\s*(.*?)(?:\*[\d.]+)?\s*$"
FIRST = re.compile(r"(?:\s*#[^\n]*\n)*\s*-?[\d.]+[ \t]+qid:\S")
LETOR = r"#\s*docid\s*="
LETOR_RATING = r"^\s*(-?[\d.]+)\s+qid:(\S+)\s.*#\s*docid\s*=\s*(\S+)"
LTR_READABLE, ONE_TEXT = "rating_can_be_read", "qid_has_one_text"


def holds_ltr(text: str) -> bool:
    """Return whether a text begins like such judgments.

    >>> holds_ltr("# qid:1: desk lamp\\n4\\tqid:1 #\\tA1\\tLamp\\n"), holds_ltr("4 qid:1 1:0.5\\n"), holds_ltr("1 0 A1 4\\n")
    (True, True, False)
    """
    return FIRST.match(text) is not None


def fits_letor(glimpse: Glimpse) -> bool:
    """Return whether a text begins like judgments of LETOR."""
    return holds_ltr(glimpse.head) and re.search(LETOR, glimpse.head) is not None


def read_letor(file: LogFile, config: Config) -> list[Raw]:  # noqa: ARG001 - all formats are called alike
    """Return the judgments of LETOR; lines that are blank or comments are none."""
    lines = _lines_of(file)
    is_comment = pl.col("text").str.starts_with("#")
    parts = lines.filter(~is_comment).with_columns(parts=pl.col("text").str.extract_groups(LETOR_RATING))
    grade, query, document = (pl.col("parts").struct[place] for place in range(3))
    rows = parts.select(RECORD, "text", grade=grade, judgment_key=query, doc_id=document)
    is_unread = pl.col("doc_id").is_null()
    frame = rows.select(
        RECORD,
        pl.when(is_unread).then(pl.lit(LTR_READABLE)).alias(RULE),
        pl.when(is_unread).then(pl.col("text").str.slice(0, 200)).alias(VALUE),
        *("judgment_key", "doc_id", "grade"),
    )
    frame = with_undecoded(frame.lazy(), file.undecoded).collect()
    comments = {"comments": lines.select(is_comment.sum()).item()}
    return [source(file, frame, "ratings", locate=as_lines(str(file.path), 1)), *idle(file, comments)]


def _lines_of(file: LogFile) -> pl.DataFrame:
    """Return the lines that are not blank, with their numbers."""
    scan = pl.scan_lines(str(file.path), name="text", row_index_name=RECORD, row_index_offset=1, glob=False)
    try:
        lines = scan.collect()
    except pl.exceptions.ComputeError:
        return _lines_of(mended(file))
    except OSError as error:
        raise cut_short(file.name, error) from None
    text = pl.col("text").str.strip_prefix("\ufeff").str.strip_chars()
    return lines.with_columns(pl.col(RECORD).cast(pl.Int64), text).filter(pl.col("text") != "")


def read_ltr(file: LogFile) -> list[Raw]:
    """Return the judgments; lines that are blank or comments are none.

    Raises
    ------
    DataError
        No line names a document and the text of a query.
    """
    scan = pl.scan_lines(str(file.path), name="text", row_index_name=RECORD, row_index_offset=1, glob=False)
    try:
        lines = scan.collect()
    except pl.exceptions.ComputeError:
        return read_ltr(mended(file))
    except OSError as error:
        raise cut_short(file.name, error) from None
    lines = lines.with_columns(pl.col(RECORD).cast(pl.Int64)).filter(pl.col("text").str.strip_chars() != "")
    lines = lines.with_columns(pl.col("text").str.strip_chars_start("\ufeff"))
    is_comment = pl.col("text").str.strip_chars_start().str.starts_with("#")
    asked = lines.filter(is_comment).select(pl.col("text").str.extract_groups(QUERY)).unnest("text")
    asked = asked.select(qid="1", asked=pl.when(pl.col("2") != "").then("2")).drop_nulls().unique("qid", keep="last")
    named = pl.when(~pl.col("text").str.contains(LETOR)).then("text")
    parts = lines.filter(~is_comment).with_columns(found=named.str.extract_groups(RATING))
    grade, number, doc, text = (pl.col("found").struct[place] for place in range(4))
    given = parts.select(RECORD, line="text", grade=grade, qid=number, doc_id=doc, comment=text)
    rows = given.join(asked, on="qid", how="left", maintain_order="left")
    titles = (pl.col("asked") != pl.col("comment")).any()
    several = pl.col("asked").is_null() & (titles | (pl.col("comment").drop_nulls().n_unique().over("qid") > 1))
    unread = pl.col("doc_id").is_null() | (pl.col("asked").is_null() & pl.col("comment").is_null())
    rule = pl.when(unread).then(pl.lit(LTR_READABLE)).when(several).then(pl.lit(ONE_TEXT))
    if len(rows) and rows.select(unread.all()).item():
        raise DataError(
            f"{file.name}: no line of it says '# document text of the query' after its features (line {rows[RECORD][0]}: "
            f"{rows['line'][0][:60]!r}), and judgments need both"
        )
    frame = rows.select(
        RECORD,
        rule.alias(RULE),
        pl.when(rule.is_not_null()).then(pl.col("line").str.slice(0, 200)).alias(VALUE),
        "doc_id",
        "grade",
        "qid",
        *(["comment"] if len(asked) else []),
        judgment_key=pl.coalesce("asked", "comment"),
    )
    frame = with_undecoded(frame.lazy(), file.undecoded).collect()
    comments = {"comments": lines.select(is_comment.sum()).item()}
    return [source(file, frame, "ratings", locate=as_lines(str(file.path), 1)), *idle(file, comments)]
