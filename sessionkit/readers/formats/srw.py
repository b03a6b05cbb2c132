"""Format ``srw``: query sets, experiments and evaluations of the OpenSearch Search Relevance Workbench.

A query set is ``{"name", "querySetQueries": [{"queryText"}]}``. As a log it is sessions of one query each, whose lists were
not logged; what an entry says beside its text is kept. Experiments and evaluations have lists. All may be
wrapped as judgment lists are (``judgments/ratings.py``).

Lists of results in the OpenSearch Search Relevance Workbench: experiments and evaluation results.

- A comparison has ``results``: for a ``queryText`` the ``docIds`` of each ``searchConfigurationId`` (``snapshots``).
- An evaluation is a document, or an entry of ``evaluationResultList``, with ``searchText``, ``documentIds`` and
  ``searchConfigurationId`` (else the only one of ``searchConfigurationList``).

Each list is a session of one query; the search configuration is its system. One without the text of its query is rejected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from sessionkit.errors import DataError
from sessionkit.readers.checks.rows import refuse_shared
from sessionkit.readers.format import Glimpse
from sessionkit.readers.io.files import LogFile
from sessionkit.readers.judgments.ratings import (
    LIST,
    LONGEST,
    SET,
    Rating,
    asked,
    children,
    documents,
    text_of,
    told_apart,
    wrapped,
)
from sessionkit.readers.raw import Raw, as_json
from sessionkit.readers.records import Log, Taken, raw_of
from sessionkit.study.checks import CELL, CELLS, COLUMN, RECORD, RULE, VALUE
from sessionkit.study.schema import table

READABLE = "list_can_be_read"
OF_LIST: dict[str, pl.DataType] = {
    RECORD: pl.Int64(),
    CELLS: pl.List(CELL),
    **dict.fromkeys(
        (RULE, VALUE, "session_id", "system_id", "query_text", "results_status", "path", "node"), pl.String()
    ),
}
LISTS = re.compile(r'"evaluationResultList"\s*:|"snapshots"\s*:\s*\[\s*\{\s*"(?:searchConfigurationId|docIds)"')
OF_EVALUATION = (re.compile(r'"searchText"\s*:\s*"'), re.compile(r'"documentIds"\s*:\s*\['))


@dataclass(frozen=True)
class SrwList:
    """One list: where it stands, for which text and system, and the documents; None where it has none that can be read."""

    path: str
    text: str | None
    system: str | None
    documents: list[str | None] | None
    node: Any


def holds_lists(text: str) -> bool:
    """Return whether a text begins like JSON with lists.

    >>> holds_lists('{"searchText": "lamp", "documentIds": ["A"]}'), holds_lists('{"searchText": "lamp"}')
    (True, False)
    """
    return LISTS.search(text) is not None or all(pattern.search(text) for pattern in OF_EVALUATION)


def take_lists(file: LogFile) -> Taken:
    """Take the lists of a file apart.

    Raises
    ------
    DataError
        It is no JSON, or has no list that can be read.
    """
    found = [one for path, value in documents(file) for one in _within(path, value, None)]
    if all(one.documents is None for one in found):
        where = f" (first: {found[0].path})" if found else ""
        raise DataError(
            f"{file.name} has no list that can be read{where}: query sets, comparisons and evaluation results are logs, judgment lists are "
            "--judgments"
        )
    asked_rows, rows = [], []
    sessions = told_apart([f"{one.system}: {one.text}" if one.system and one.text else one.text for one in found])
    for number, (one, session) in enumerate(zip(found, sessions, strict=True), 1):
        broken = one.documents is None
        asked_rows.append(
            {
                RECORD: number,
                **(_unread(one) if broken else {}),
                "session_id": session,
                "system_id": one.system,
                "query_text": one.text,
                "results_status": "not_logged" if broken else "shown" if one.documents else "empty",
                "path": one.path,
                "node": text_of(one.node) if broken else None,
            }
        )
        rows += [(number, session, rank, doc, one.path) for rank, doc in enumerate(one.documents or (), 1)]
    queries = pl.DataFrame(asked_rows, schema=OF_LIST)
    key = pl.col("query_text")
    told = queries.drop("path", "node").with_columns(key.alias("judgment_key"), key.alias("topic_id"), query_position=1)
    results = pl.DataFrame(
        [(place, *row[1:]) for place, row in enumerate(rows, 1)],
        schema={RECORD: pl.Int64, "session_id": pl.String, "rank": pl.Int64, "doc_id": pl.String, "path": pl.String},
        orient="row",
    )
    listed = results.drop("path").with_columns(query_position=1)
    return Taken(
        {
            "queries": [
                raw_of(file, "queries", told, kind="lists", locate=as_json(queries.drop(RULE, VALUE, CELLS).lazy()))
            ],
            "results": [raw_of(file, "results", listed, kind="documents listed", locate=as_json(results.lazy()))],
        }
    )


def _unread(one: SrwList) -> dict[str, Any]:
    """Return what is told of a list that cannot be read: its query stays, where it is known which that is."""
    value = (text_of(one.node) or "null")[:LONGEST]
    if one.text is None:
        return {RULE: READABLE, VALUE: value}
    return {CELLS: [{RECORD: None, COLUMN: "documents", RULE: READABLE, VALUE: value}]}


def _within(path: str, node: Any, system: str | None) -> Iterator[SrwList]:  # noqa: ANN401 - JSON
    """Return the lists in a node, out of what an index wraps them in."""
    if isinstance(node, list):
        for number, inside in enumerate(node):
            yield from _within(f"{path}[{number}]", inside, system)
        return
    if isinstance(node, Rating) or not isinstance(node, dict):
        yield SrwList(path, None, None, None, getattr(node, "node", node))
        return
    for wrapper in ("hits", "_source"):
        if isinstance(node.get(wrapper), dict | list):
            yield from _within(f"{path}.{wrapper}", node[wrapper], system)
            return
    if "evaluationResultList" in node:
        several = node.get("searchConfigurationList")
        only = text_of(several[0]) if isinstance(several, list) and len(several) == 1 else system
        for place, one in children(node, path, "evaluationResultList"):
            yield from _within(place, one, only)
    elif "results" in node:
        for place, one in children(node, path, "results"):
            yield from _compared(place, one)
    else:
        own = text_of(node.get("searchConfigurationId")) or system
        yield SrwList(path, asked(node.get("searchText")).text, own, _ids(node.get("documentIds")), node)


def _compared(path: str, node: Any) -> Iterator[SrwList]:  # noqa: ANN401 - JSON
    """Return the lists of all systems for one query of a comparison."""
    if not isinstance(node, dict) or not isinstance(node.get("snapshots"), list):
        yield SrwList(path, None, None, None, node)
        return
    text = asked(node.get("queryText")).text
    for place, one in children(node, path, "snapshots"):
        held = one if isinstance(one, dict) else {}
        yield SrwList(place, text, text_of(held.get("searchConfigurationId")), _ids(held.get("docIds")), one)


def _ids(node: Any) -> list[str | None] | None:  # noqa: ANN401 - JSON
    """Return documents in their order; None where it is no list."""
    return [text_of(one) for one in node] if isinstance(node, list) else None


OURS = {*table("queries").names, *table("sessions").names, "path"}
"""Names that fields of an entry may not take from us, beside those with two underscores before them."""
TRIED = (
    "esci_us and art query sets of chorus-opensearch-edition, a part of its hybrid_optimizer_demo; query set and "
    "evaluation result in the tests of search-relevance, and parts of its experiments"
)


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins like JSON with a query set, an experiment or evaluations."""
    known = SET.search(glimpse.head) or (holds_lists(glimpse.head) and not LIST.search(glimpse.head))
    return glimpse.head.lstrip().startswith(("{", "[")) and bool(known)


def take(log: Log) -> Taken:
    """Take query sets, experiments and evaluations apart."""
    of_sets = {file.name: bool(SET.search(file.head.decode(errors="replace"))) for file in log.files}
    sets = [_query_set(file) for file in log.files if of_sets[file.name]]
    lists = [take_lists(file) for file in log.files if not of_sets[file.name]]
    refuse_shared([one.raws["queries"][0] for one in lists])
    raws = {"queries": [raw for raw, _ in sets], "results": list[Raw]()}
    for one in lists:
        for name, given in one.raws.items():
            raws[name] += given
    return Taken(
        {name: given for name, given in raws.items() if given},
        merged={(raw.source, "queries given again"): many for raw, many in sets},
        notes=["query sets have only texts of queries; their lists were not logged"] if sets else [],
    )


def _query_set(file: LogFile) -> tuple[Raw, int]:
    """Return the queries of a query set, each a session, and how many were there before."""
    found = [
        entry
        for path, value in documents(file)
        for place, inside in wrapped(path, value, "querySetQueries")
        for entry in (
            [(place, inside.node, inside.rule)]
            if isinstance(inside, Rating)
            else [(there, query, None) for there, query in children(inside, place, "querySetQueries")]
        )
    ]
    rows = [
        {**_beside(query), "path": path, RULE: rule, VALUE: text_of(query) if rule else None}
        for path, query, rule in found
    ]
    beside = sorted({name for row in rows for name in row} - {*OURS, RULE, VALUE})
    schema = dict.fromkeys(("query_text", "path", RULE, VALUE, *beside), pl.String)
    frame = (
        pl.DataFrame(rows, schema=schema).with_row_index(RECORD, offset=1).with_columns(pl.col(RECORD).cast(pl.Int64))
    )
    new = frame.filter(pl.col("query_text").is_null() | pl.col("query_text").is_first_distinct())
    kept = new.select(
        RECORD,
        RULE,
        VALUE,
        "query_text",
        *beside,
        session_id="query_text",
        judgment_key="query_text",
        query_position=1,
        results_status=pl.lit("not_logged"),
    )
    locate = as_json(frame.select(RECORD, "path", "query_text").lazy())
    return raw_of(file, "queries", kept, kind="queries of a set", locate=locate), len(frame) - len(new)


def _beside(entry: Any) -> dict[str, str | None]:  # noqa: ANN401 - JSON
    """Return the text of an entry, and what it says beside."""
    held = entry if isinstance(entry, dict) else {"queryText": entry}
    told = asked(held.get("queryText"))
    own = held.get("customFields")
    fields = {**told.fields, **(own if isinstance(own, dict) else {}), **held}
    named = {name: text_of(value) for name, value in fields.items() if name not in ("queryText", "customFields")}
    free = [f"{name.lstrip('_')}_given" if name in OURS or name.startswith("__") else name for name in named]
    apart = [str(name) for name in told_apart(free)]
    return dict(zip(apart, named.values(), strict=True)) | {"query_text": told.text}
