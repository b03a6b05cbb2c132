"""Snapshots of Quepid as JSON: ``docs`` by number of query, in the order shown, and the ``queries`` that the numbers are of.

A document with ``rated_only`` was fetched for its rating and not shown; documents of a query that was deleted since have no
text. Ratings that the queries carry are judgments. Of queries with one text each has a session, ``lamp`` and ``lamp (2)``.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import polars as pl

from sessionkit.contract import CELL, CELLS, COLUMN, RECORD, RULE, VALUE
from sessionkit.errors import DataError
from sessionkit.readers.io.log_files import LogFile
from sessionkit.readers.judgments.quepid_json import ratings_of
from sessionkit.readers.judgments.ratings import LONGEST, Rating, documents, rated, text_of, told_apart
from sessionkit.readers.judgments.ratings import idle as idle_ratings
from sessionkit.readers.raw import Raw, as_json
from sessionkit.readers.records import Taken, raw_of

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
