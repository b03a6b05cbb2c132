"""Format ``srw``: query sets, experiments and evaluations of the OpenSearch Search Relevance Workbench.

A query set is ``{"name", "querySetQueries": [{"queryText"}]}``. As a log it is sessions of one query each, whose lists were
not logged; what an entry says beside its text is kept. Experiments and evaluations have lists (``srw_lists.py``). All may be
wrapped as judgment lists are (``judgments/srw.py``).
"""

from __future__ import annotations

from typing import Any

import polars as pl

from sessionkit.contract import RECORD, RULE, VALUE, table
from sessionkit.readers.checks.source_union import refuse_shared
from sessionkit.readers.entries import Glimpse
from sessionkit.readers.formats.srw_lists import holds_lists, take_lists
from sessionkit.readers.io.log_files import LogFile
from sessionkit.readers.judgments.ratings import Rating, children, documents, text_of, told_apart
from sessionkit.readers.judgments.srw import LIST, SET, asked, wrapped
from sessionkit.readers.raw import Raw, as_json
from sessionkit.readers.records import Log, Taken, raw_of

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
