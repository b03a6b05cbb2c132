"""Tables in memory: polars, pandas, Arrow, anything with the Arrow PyCapsule or dataframe interface, dicts of lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

import polars as pl

from sessionkit.contract import TABLES
from sessionkit.contract.casts import as_text
from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.readers.checks.columns import alias_notes, under_our_names
from sessionkit.readers.checks.rejection import Aside
from sessionkit.readers.config import Config
from sessionkit.readers.exclusions import exclusions_of
from sessionkit.readers.ingest import ingest
from sessionkit.readers.propose.column_names import folded
from sessionkit.readers.raw import Raw, as_json
from sessionkit.readers.run_sessions import deciding_key, judged_keys
from sessionkit.readers.tabular import Frame, columns_of_table, numbered
from sessionkit.study import Settings, Study
from sessionkit.study.settings import SettingValues

QUERY, DOCUMENT = ("qid", "queryid"), ("docno", "docid", "corpusid")
"""What query ids and documents are called in PyTerrier, ir_datasets, ranx and BEIR, folded."""
QRELS = {"judgment_key": QUERY, "doc_id": DOCUMENT, "grade": ("relevance", "label", "rel")}
"""What columns of judgments are called there."""
ALIASES: Mapping[str, Mapping[str, Sequence[str]]] = {
    "results": {"query_id": QUERY, "doc_id": DOCUMENT},
    "queries": {"query_id": QUERY},
    "judgments": {**QRELS, "judgment_key": (*QUERY, "topicid")},
}
"""What columns of each table are called elsewhere."""


def from_tables(
    results: Frame = None,
    judgments: Frame = None,
    queries: Frame = None,
    sessions: Frame = None,
    users: Frame = None,
    *,
    empty_list: str | None = None,
    exclude: Frame = None,
    exclude_query_doc: bool = False,
    strict: bool = False,
    **settings: Unpack[SettingValues],
) -> Study:
    """Make a study of tables in memory, with our column names, checked like those of a file.

    Columns that are called as in PyTerrier, ir_datasets or BEIR are taken where ours are not there, and a note says which: ``qid``
    is the query_id of results and queries, ``qid``, ``query_id`` or ``topic_id`` the judgment_key of judgments, ``docno`` or ``docid``
    the doc_id, ``relevance`` or ``label`` the grade. Where judgments came by query id, queries have theirs as judgment_key, if
    that is what they hold.

    Parameters
    ----------
    results
        session_id, query_position, rank, doc_id; when it is the only one, sessions and queries are derived from it.
    judgments
        judgment_key, doc_id, grade.
    queries, sessions, users
        The other tables, where there are any; a column that sessions lack, such as system_id, is taken from queries or results.
    empty_list
        A text that, in place of a rank or a document or in any column of a row that lacks one of them, means that the query
        returned nothing; "" for an empty rank.
    exclude
        Documents to leave out: a table with the columns judgment_key and doc_id, or its file. They leave the lists, the judgments and
        so the ideals of the queries with that judgment_key; lower ranks move up.
    exclude_query_doc
        Whether to leave out, for each judgment_key, the document with the same id, as BEIR ignores identical ids.
    strict
        Whether to stop at the first row or value that breaks a rule.
    settings
        Study settings by name: ``max_grade=3``, ``merge="max"``, ...

    Raises
    ------
    DataError
        A required column is missing, an object is not a table, or (`strict`) a row breaks a rule.
    UsageError
        No setting has that name.

    Examples
    --------
    >>> study = from_tables(
    ...     {"session_id": ["a", "a"], "query_position": [1, 1], "rank": [1, 2], "doc_id": ["x", "y"], "topic_id": "t"},
    ...     {"judgment_key": ["t"], "doc_id": ["y"], "grade": [2]},
    ... )
    >>> study
    <Study: 1 session, 1 query, 2 results, 1 judgment>
    >>> from_tables(
    ...     {"session_id": ["a", "a"], "query_position": [1, 1], "rank": [1, 2], "doc_id": ["x", "y"], "topic_id": "t"},
    ...     {"judgment_key": ["t"], "doc_id": ["y"], "grade": [2]},
    ...     exclude={"judgment_key": ["t"], "doc_id": ["x"]},
    ... )
    <Study: 1 session, 1 query, 1 result, 1 judgment>
    """
    timezone = settings.get("timezone")
    given = {"users": users, "sessions": sessions, "queries": queries, "results": results, "judgments": judgments}
    if results is None and queries is None:
        raise DataError("neither results nor queries were given; a study needs one of them")
    declared = Settings.of(settings)
    if empty_list is not None and not isinstance(empty_list, str):
        raise UsageError(f"empty_list must be the text that says a list was empty, not {empty_list!r}")
    empty = {"results": empty_list}
    raws, notes, by_query = dict[str, Raw](), list[str](), False
    for name, frame in given.items():
        if frame is not None:
            raws[name], renamed = raw_of_frame(
                name, frame, ALIASES.get(name, {}), empty_list=empty.get(name), timezone=timezone
            )
            notes += alias_notes(raws[name].source, renamed)
            by_query |= name == "judgments" and folded(renamed.get("judgment_key", "")) in QUERY
    notes += _key_queries(raws) if by_query else []
    sources = {name: [raw] for name, raw in raws.items()}
    config = Config("from_tables", Path(), exclude_query_doc=exclude_query_doc)
    exclusions = exclusions_of(config, exclude)
    aside = Aside(notes=tuple(notes))
    return ingest(sources, declared, defaults={}, reader="frames", strict=strict, aside=aside, exclusions=exclusions)


def from_mapping(frames: Mapping[str, Frame], *, strict: bool = False, **settings: Any) -> Study:  # noqa: ANN401
    """Return the study of a dict of tables by name, with settings by name.

    Raises
    ------
    UsageError
        A name is no table's.
    """
    for name in frames:
        if name not in TABLES:
            raise UsageError(
                f"a study has no table {name!r}{suggestion(str(name), TABLES)}; tables: {', '.join(TABLES)}"
            )
    return from_tables(**dict(frames), strict=strict, **settings)


def raw_of_frame(
    table: str,
    frame: Frame,
    aliases: Mapping[str, Sequence[str]],
    *,
    source: str | None = None,
    empty_list: str | None = None,
    timezone: str | None = None,
) -> tuple[Raw, dict[str, str]]:
    """Return a frame as a source under our names, and which columns became ours: our column = theirs.

    Raises
    ------
    DataError
        It is no table, has a column that cannot be taken, or lacks one.
    """
    rows, renamed = numbered_rows(frame, aliases, source or f"{table} frame")
    records = rows.select(pl.len()).collect().item()
    raw = Raw(table, source or f"{table} frame", rows, records, as_json(rows), timezone=timezone)
    return under_our_names(raw, {}, empty_list=empty_list), renamed


def numbered_rows(
    frame: Frame, aliases: Mapping[str, Sequence[str]], source: str
) -> tuple[pl.LazyFrame, dict[str, str]]:
    """Return the rows of a frame with their numbers, and which columns were renamed to ours: our column = theirs.

    Parameters
    ----------
    aliases
        For columns of ours what others call them, folded, the likeliest first.

    Raises
    ------
    DataError
        It is no table, or has a column that cannot be taken.
    """
    name = source.removesuffix(" frame")
    lazy = columns_of_table(frame, name)
    types = lazy.collect_schema()
    taken: dict[str, str] = {}
    for ours, others in aliases.items():
        free = [name for name in types if name not in taken.values() and folded(name) in others]
        if ours not in types and free:
            taken[ours] = min(free, key=lambda name: others.index(folded(name)))
    return numbered(lazy.rename({theirs: ours for ours, theirs in taken.items()})), taken


def _key_queries(raws: dict[str, Raw]) -> list[str]:
    """Give queries their query_id as judgment_key where the keys of judgments are found there, and say so."""
    owner = "queries" if "queries" in raws else "results"
    types: dict[str, pl.Schema] = {
        name: raws[name].frame.collect_schema() for name in ("sessions", "queries", "results") if name in raws
    }
    if "query_id" not in types[owner] or any("judgment_key" in columns for columns in types.values()):
        return []
    columns = [name for name in ("query_id", "topic_id") if name in types[owner]]
    texts = [as_text(name, types[owner][name]).alias(name) for name in columns]
    frame = raws[owner].frame
    if deciding_key(frame.select(texts).unique().collect(), judged_keys([raws["judgments"]])) != "query_id":
        return []
    key = as_text("query_id", types[owner]["query_id"]).alias("judgment_key")
    raws[owner] = replace(raws[owner], frame=frame.with_columns(key))
    return ["judgments: their keys are the query ids of the log"]
