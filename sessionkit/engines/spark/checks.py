"""On a worker: whole sessions of tables that sessionkit did not write keep the rules of the schemas, or are refused.

Reading a log parts off the rows that break a rule. A table in Spark is someone else's, and nobody would look at rows
parted off on a hundred machines; so the first broken rule ends the work.
"""

from __future__ import annotations

import polars as pl

from sessionkit.contract import table
from sessionkit.contract.rules import value_rules
from sessionkit.errors import DataError
from sessionkit.study.batches import in_order

LIST = ["session_id", "query_position"]
LOG = ("sessions", "queries", "results")
MEND = "correct it in the table, or `sessionkit ingest` the log, which rejects such rows"


def checked(tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Return the tables of some whole sessions, sorted, with ``results_status`` wherever it was not given.

    Raises
    ------
    DataError
        A row breaks a rule: the rule, the value and the session.
    """
    found = {name: valued(frame, name) for name, frame in tables.items()}
    found |= {name: in_order(found[name], name) for name in LOG}
    for name in LOG:
        _require_unique(found[name], name)
    _require_dense(found["queries"])
    return found | {"queries": _with_status(found["queries"], found["results"])}


def valued(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """Refuse values that are missing or out of range."""
    schema = table(name)
    for required in schema.required:
        if frame.get_column(required).null_count():
            _refuse(frame.filter(pl.col(required).is_null()), name, f"{required} is missing")
    for field in schema.fields:
        if field.type == "number" and field.name in frame.columns:
            endless = frame.filter(~pl.col(field.name).is_finite())
            if len(endless):
                _refuse(endless, name, f"{field.name} is {endless.item(0, field.name)}, which is not a finite number")
    for rule in value_rules(schema, frame.columns):
        broken = frame.filter(rule.broken)
        if len(broken):
            _refuse(broken, name, f"{rule.name} does not hold for {broken.select(rule.value).item(0, 0)!r}")
    return frame


def _require_unique(frame: pl.DataFrame, name: str) -> None:
    """Refuse two rows with one key; the frame is sorted by it."""
    key = table(name).key
    same = frame.filter(pl.all_horizontal(pl.col(column) == pl.col(column).shift(1) for column in key))
    if len(same):
        shown = ", ".join(f"{column} {same.item(0, column)!r}" for column in key)
        raise DataError(f"{name} has two rows with {shown}; {MEND}")


def _require_dense(queries: pl.DataFrame) -> None:
    """Refuse positions with gaps; the queries are sorted."""
    count = pl.int_range(1, pl.len() + 1).over("session_id")
    loose = queries.filter(pl.col("query_position") != count)
    if len(loose):
        _refuse(
            loose,
            "queries",
            f"query_position {loose.item(0, 'query_position')} comes after a gap in the numbering, which reading a log fills",
        )


def _with_status(queries: pl.DataFrame, results: pl.DataFrame) -> pl.DataFrame:
    """Take queries that do not say what became of their list for shown, or for empty where no result is there."""
    if not queries.get_column("results_status").null_count():
        return queries
    shown = results.select(LIST).unique().with_columns(shown=pl.lit("shown"))
    joined = queries.join(shown, on=LIST, how="left", maintain_order="left")
    return joined.with_columns(results_status=pl.coalesce("results_status", "shown", pl.lit("empty"))).drop("shown")


def _refuse(rows: pl.DataFrame, name: str, what: str) -> None:
    """Say what is wrong with the first of some rows."""
    whose = (
        f"session {rows.item(0, 'session_id')!r}"
        if "session_id" in rows.columns
        else f"judgments of {rows.item(0, 'judgment_key')!r}"
    )
    raise DataError(f"{name}: {what}, in {whose}; {MEND}")
