"""Tables in memory: polars, pandas, Arrow, anything with the Arrow PyCapsule or dataframe interface, dicts of lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import polars as pl

from sessionkit.contract import RECORD, TABLES
from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.readers.checks.columns import under_our_names
from sessionkit.readers.ingest import ingest
from sessionkit.readers.raw import Raw, as_json
from sessionkit.readers.tabular import Frame, as_polars
from sessionkit.study import Settings, Study
from sessionkit.study.settings import SettingValues


def from_tables(
    results: Frame = None,
    judgments: Frame = None,
    queries: Frame = None,
    sessions: Frame = None,
    users: Frame = None,
    *,
    empty_list: str | None = None,
    strict: bool = False,
    **settings: Unpack[SettingValues],
) -> Study:
    """Make a study of tables in memory, with our column names, checked like those of a file.

    Parameters
    ----------
    results
        session_id, query_position, rank, doc_id; when it is the only one, sessions and queries are derived from it.
    judgments
        judgment_key, doc_id, grade.
    queries, sessions, users
        The other tables, where there are any.
    empty_list
        A text that, in place of a rank or a document or in any column of a row that lacks one of them, means that the query
        returned nothing; "" for an empty rank.
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
    """
    timezone = settings.get("timezone")
    given = {"users": users, "sessions": sessions, "queries": queries, "results": results, "judgments": judgments}
    if results is None and queries is None:
        raise DataError("neither results nor queries were given; a study needs one of them")
    declared = Settings.of(settings)
    empty = {"results": empty_list}
    raws = {name: [_raw(name, frame, timezone, empty.get(name))] for name, frame in given.items() if frame is not None}
    return ingest(raws, declared, defaults={}, reader="frames", strict=strict)


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


def _raw(name: str, frame: Frame, timezone: str | None, empty_list: str | None) -> Raw:
    """Return a frame as a source."""
    lazy = as_polars(frame, name)
    for column, dtype in lazy.collect_schema().items():
        if dtype == pl.Object:
            raise DataError(f"{name}: column {column!r} holds Python objects; give text, numbers, true/false or times")
        if column.startswith("__"):
            raise DataError(f"{name}: column {column!r} begins with two underscores, which are reserved; rename it")
    rows = lazy.with_row_index(RECORD, offset=1).with_columns(pl.col(RECORD).cast(pl.Int64)).collect().lazy()
    records = rows.select(pl.len()).collect().item()
    raw = Raw(name, f"{name} frame", rows, records, as_json(rows), timezone=timezone)
    return under_our_names(raw, {}, empty_list=empty_list)
