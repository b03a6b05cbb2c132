"""Format ``srw``: query sets of the OpenSearch Search Relevance Workbench.

A query set is ``{"name", "querySetQueries": [{"queryText"}]}``. As a log it is sessions of one query each, whose lists were
not logged. It may be wrapped as judgment lists are (``judgments/srw.py``).
"""

from __future__ import annotations

import polars as pl

from sessionkit.contract import RECORD, RULE, VALUE
from sessionkit.readers.entries import Glimpse
from sessionkit.readers.files.opening import LogFile
from sessionkit.readers.judgments.ratings import Rating, children, documents, text_of
from sessionkit.readers.judgments.srw import SET, wrapped
from sessionkit.readers.raw import Raw, as_json
from sessionkit.readers.records import Log, Taken, raw_of

TRIED = "esci_us and art query sets of chorus-opensearch-edition"


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins like JSON with a query set."""
    return glimpse.head.lstrip().startswith("{") and SET.search(glimpse.head) is not None


def take(log: Log) -> Taken:
    """Take query sets apart."""
    taken = [_query_set(file) for file in log.files]
    return Taken(
        {"queries": [raw for raw, _ in taken]},
        merged={(raw.source, "queries given again"): many for raw, many in taken},
        notes=["query sets have texts of queries alone; their lists were not logged"],
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
        {
            "query_text": text_of(query.get("queryText")) if isinstance(query, dict) else text_of(query),
            "path": path,
            RULE: rule,
            VALUE: text_of(query) if rule else None,
        }
        for path, query, rule in found
    ]
    schema = dict.fromkeys(("query_text", "path", RULE, VALUE), pl.String)
    frame = (
        pl.DataFrame(rows, schema=schema).with_row_index(RECORD, offset=1).with_columns(pl.col(RECORD).cast(pl.Int64))
    )
    new = frame.filter(pl.col("query_text").is_null() | pl.col("query_text").is_first_distinct())
    kept = new.select(
        RECORD,
        RULE,
        VALUE,
        "query_text",
        session_id="query_text",
        judgment_key="query_text",
        query_position=1,
        results_status=pl.lit("not_logged"),
    )
    locate = as_json(frame.select(RECORD, "path", "query_text").lazy())
    return raw_of(file, "queries", kept, kind="queries of a set", locate=locate), len(frame) - len(new)
