"""CSV that Quepid exports: ratings of a case or snapshot, in brief or in detail, and those of the judges of a book."""

from __future__ import annotations

import csv
import re

import polars as pl

from sessionkit.contract import RECORD, RULE, VALUE
from sessionkit.readers.io.delimited import read_delimited
from sessionkit.readers.io.log_files import LogFile
from sessionkit.readers.judgments.ratings import idle, source, told_apart
from sessionkit.readers.raw import Locate, Raw

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


def header_of(text: str) -> list[str]:
    """Return the fields of the first line of CSV.

    >>> header_of('"query","doc_id","rating"\\r\\n')
    ['query', 'doc_id', 'rating']
    """
    first = next((line for line in text.splitlines() if line.strip()), "")
    try:
        return [field.strip() for field in next(csv.reader([first]), [])]
    except csv.Error:
        return []


def form_of(text: str) -> str | None:
    """Return which of the forms a text begins like; None where it is like none.

    >>> form_of("query,docid,rating\\n"), form_of("query,docid,Ada,Anonymous\\na,b,1,\\n"), form_of("session,query\\n")
    ('basic', 'book', None)
    >>> form_of("Snapshot Name,Query Text,Doc ID,Doc Position,title\\n"), form_of("Case ID,Query Text,Score\\n")
    ('lists', 'scores')
    """
    names = [name.casefold() for name in header_of(text)]
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
