"""Format ``quepid``: lists exported by Quepid, with the ratings beside them.

CSV in detail (``judgments/quepid.py`` tells its forms): a query of a case, or of a snapshot, is a session of its own with the
list by ``Doc Position``; that of a snapshot has no ratings. A snapshot's basic CSV looks like ratings alone; only where the
format is named are its lines taken for lists in their order.

Snapshots of Quepid as JSON: ``docs`` by number of query, in the order shown, and the ``queries`` that the numbers are of.

A document with ``rated_only`` was fetched for its rating and not shown; documents of a query that was deleted since have no
text. Ratings that the queries carry are judgments. Of queries with one text each has a session, ``lamp`` and ``lamp (2)``.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import polars as pl

from sessionkit.errors import DataError
from sessionkit.readers.checks.rows import refuse_shared
from sessionkit.readers.format import Glimpse
from sessionkit.readers.io.files import LogFile
from sessionkit.readers.judgments.quepid import BASIC, DETAILED, LISTS, SCORES, form_of, graded, ratings_of, records_of
from sessionkit.readers.judgments.ratings import LONGEST, Rating, documents, rated, text_of, told_apart
from sessionkit.readers.judgments.ratings import idle as idle_ratings
from sessionkit.readers.raw import Raw, as_json
from sessionkit.readers.records import Log, Taken, raw_of
from sessionkit.study.checks import CELL, CELLS, COLUMN, RECORD, RULE, VALUE

SNAPSHOT = re.compile(r'"docs"\s*:\s*\{\s*"\d+"\s*:\s*\[')
READABLE = "list_can_be_read"


def holds_snapshot(text: str) -> bool:
    """Return whether a text begins like the JSON of a snapshot.

    >>> holds_snapshot('{"name": "monday", "docs": {"7": [{"id": "A"}]}, "queries": []}')
    True
    """
    return text.lstrip().startswith("{") and SNAPSHOT.search(text) is not None


def take_snapshot(file: LogFile) -> Taken:
    """Take a snapshot apart: a session for each query, with its list.

    Raises
    ------
    DataError
        It is no JSON, or no snapshot.
    """
    asked: list[tuple[Any, ...]] = []
    rows: list[tuple[Any, ...]] = []
    idle: Counter[str] = Counter()
    for held in (value for _, value in documents(file) if not isinstance(value, Rating)):
        lists, queries = (held.get("docs"), held.get("queries")) if isinstance(held, dict) else (None, None)
        if not isinstance(lists, dict) or not isinstance(queries, list):
            raise DataError(f"{file.name} is not a snapshot of Quepid: it has no docs by query, or no queries")
        system = text_of(held.get("name"))
        known = [one for one in queries if isinstance(one, dict)]
        texts = {text_of(one.get("query_id")): text_of(one.get("query_text")) for one in known}
        idle["queries without a list"] += sum(text_of(one.get("query_id")) not in lists for one in known)
        for query, docs in lists.items():
            text = texts.get(query)
            readable = isinstance(docs, list) and all(isinstance(doc, dict) for doc in docs)
            if text is None:
                idle["lists of deleted queries"] += 1
                idle["documents of deleted queries"] += len(docs) if readable else 0
                continue
            shown = [doc for doc in docs if not doc.get("rated_only")] if readable else []
            node = None if readable else text_of(docs) or "null"
            session = f"{system}: {text}" if system else text
            status = None if readable else "not_logged"
            asked.append((len(asked) + 1, _unread(node), status, session, system, text, text, text, node))
            idle["documents rated but not shown"] += len(docs) - len(shown) if readable else 0
            rows += [
                (len(rows) + rank, len(asked) - 1, rank, text_of(doc.get("id"))) for rank, doc in enumerate(shown, 1)
            ]
    sessions = told_apart([row[3] for row in asked])
    asked = [(*row[:3], session, *row[4:]) for row, session in zip(asked, sessions, strict=True)]
    rows = [(number, sessions[place], *rest) for number, place, *rest in rows]
    names = ("results_status", "session_id", "system_id", "query_text", "judgment_key", "topic_id", "node")
    frame = pl.DataFrame(
        asked, schema={RECORD: pl.Int64, CELLS: pl.List(CELL), **dict.fromkeys(names, pl.String)}, orient="row"
    )
    schema = {RECORD: pl.Int64, "session_id": pl.String, "rank": pl.Int64, "doc_id": pl.String}
    listed = pl.DataFrame(rows, schema=schema, orient="row")
    raws: dict[str, list[Raw]] = {
        "queries": [_placed(file, "queries", frame, "queries")],
        "results": [_placed(file, "results", listed, "documents listed")],
    }
    ratings, bare = ratings_of(file)
    if ratings:
        raws["judgments"] = [*rated(file, ratings), *idle_ratings(file, bare)]
    return Taken(raws, idle={(file.name, kind): many for kind, many in idle.items() if many})


def _unread(node: str | None) -> list[dict[str, Any]] | None:
    """Return what is told of a list that cannot be read."""
    return None if node is None else [{RECORD: None, COLUMN: "docs", RULE: READABLE, VALUE: node[:LONGEST]}]


def _placed(file: LogFile, table: str, frame: pl.DataFrame, kind: str) -> Raw:
    """Return rows of the only query of their session as a source."""
    return raw_of(
        file,
        table,
        frame.drop("node", strict=False).with_columns(query_position=1),
        kind=kind,
        locate=as_json(frame.drop(CELLS, "results_status", strict=False).lazy()),
    )


TRIED = (
    "the snapshot and scores in the tests of Quepid's own exporters, and the list in those of its importer; lists of "
    "a case in detail and snapshots as JSON never on a real file, built from the source of the exporters"
)


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins like CSV in detail, JSON of a snapshot, or CSV of scores, which has no lists."""
    return form_of(glimpse.head) in (DETAILED, LISTS, SCORES) or holds_snapshot(glimpse.head)


def take(log: Log) -> Taken:
    """Take lists apart: CSV in detail, or snapshots."""
    raws: dict[str, list[Raw]] = {"queries": [], "results": [], "judgments": []}
    notes = []
    dropped: dict[tuple[str, str], int] = {}
    for file in log.files:
        if holds_snapshot(file.head.decode("utf-8", errors="replace")):
            taken = take_snapshot(file)
            for name, given in taken.raws.items():
                raws[name] += given
            dropped |= taken.idle
            continue
        form = form_of(file.head.decode("utf-8", errors="replace"))
        if form not in (BASIC, DETAILED, LISTS):
            raise DataError(f"{file.name} has {'scores' if form == SCORES else 'ratings'} and no lists; Quepid's CSV "
                            "exports in detail and its snapshots have lists")  # fmt: skip
        records, locate = records_of(file)
        listed = records.filter(pl.col("doc_id").is_not_null() | pl.col(RULE).is_not_null())
        if form == LISTS:
            listed = records.filter(
                pl.any_horizontal(pl.col("doc_id", RULE).is_not_null(), pl.col("session_id").is_null())
            )
        if form == BASIC:
            listed = listed.with_columns(rank=pl.int_range(1, pl.len() + 1).over("session_id"))
            notes.append(f"{file.name}: the order of the lines is taken as the rank, as in Quepid's snapshots")
        placed = listed.filter(pl.any_horizontal(pl.col("rank", RULE).is_not_null(), pl.col("doc_id").is_null()))
        queries = records.filter(pl.col("session_id").is_not_null() & pl.col(RULE).is_null()).unique(
            "session_id", keep="first", maintain_order=True
        )
        about = [name for name in ("topic_id", "system_id", "judgment_key", "query_text") if name in queries.columns]
        asked = queries.select(RECORD, "session_id", *about, query_position=1)
        rows = placed.drop("grade", *about, strict=False).with_columns(query_position=pl.lit(1))
        raws["queries"].append(raw_of(file, "queries", log.keep(asked.lazy()), kind="queries", locate=locate))
        raws["results"].append(raw_of(file, "results", log.keep(rows.lazy()), kind="documents listed", locate=locate))
        raws["judgments"] += graded(file) if form != LISTS else []
        dropped[file.name, "documents without a position"] = len(listed) - len(placed)
    refuse_shared(raws["queries"])
    return Taken({name: given for name, given in raws.items() if given}, idle=dropped, notes=notes)
