"""Format ``trec_dd``: runs of TREC Dynamic Domain, as the track's jig writes them.

``topic iteration document score on_topic subtopic:rating|subtopic:rating``, between tabs, the last one only where the
document is on topic; the jig of 2015 writes ``NULL`` there where it is not. A topic is a session, an iteration (counted
from 0) a query without text, its list the documents by descending score, equal scores in the order of the file. Iterations
that are missing are empty lists (``missing_positions``), as in the track's own scorer, which puts a document there that nobody
judged. Every file is one system, named by it (without .gz or .zst).
"""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from sessionkit.readers.format import Glimpse
from sessionkit.readers.formats.trec_run import NUMERIC
from sessionkit.readers.io.delimited import NUMBER, count_idle_lines, fields_of, first_fields
from sessionkit.readers.io.files import PACKED
from sessionkit.readers.raw import without
from sessionkit.readers.records import Log, Taken, raw_of
from sessionkit.study.checks import CELL, CELLS, RECORD, RULE, VALUE

TRIED = "part of a run of 2015, a sample of the track's jig; those of later years are built from its code and examples"
NONE = "NULL"
"""What the jig of 2015 writes for the subtopics of a document that is off topic."""
FIELDS = ("topic_id", "iteration", "doc_id", "score", "on_topic", "feedback")
FEEDBACK = re.compile(r"[^\s:|]+:-?\d+(\|[^\s:|]+:-?\d+)*")
COUNTS, WHOLE, FLAG = "iteration_counts_from_0", r"^\d{1,4}$", r"^[01]$"


def fits(glimpse: Glimpse) -> bool:
    """Return whether most of the first lines are those of such a run."""
    fit = [_fits(fields) for fields in first_fields(glimpse.head)]
    return bool(fit) and fit[0] and 2 * sum(fit) > len(fit)


def take(log: Log) -> Taken:
    """Take the files apart."""
    queries, results = [], []
    for file in log.files:
        frame = fields_of(file, FIELDS, least=5, most=6, keep=log.keep)
        # the score makes the rank
        frame = _with_broken(frame, COUNTS, "iteration", pl.col("iteration").str.contains(WHOLE))
        number = pl.col("score").cast(pl.Float64, strict=False)
        frame = _with_broken(frame, NUMERIC, "score", number.is_finite())
        frame = frame.with_columns(pl.lit(None, dtype=pl.List(CELL)).alias(CELLS))
        frame = without(frame, "on_topic", "on_topic_is_0_or_1", ~pl.col("on_topic").str.contains(FLAG))
        path = Path(file.name)
        system = path.stem if path.suffix in PACKED else path.name
        score = pl.col("score").cast(pl.Float64, strict=False)
        ordered = frame.sort(
            score, RECORD, descending=[True, False], nulls_last=True, maintain_order=True
        ).with_columns(
            session_id=pl.format("{}:{}", pl.lit(system), "topic_id"),
            query_position=pl.col("iteration").cast(pl.Int64, strict=False) + 1,
            on_topic=pl.col("on_topic") == "1",
            feedback=pl.col("feedback").replace(NONE, None),
        )
        whole = pl.col(RULE).is_null()
        rank = pl.when(whole).then(whole.cast(pl.Int64).cum_sum().over("session_id", "query_position"))
        rows = log.keep(ordered.with_columns(rank=rank).sort(RECORD))
        columns = ("topic_id", "iteration")
        results.append(raw_of(file, "results", rows.drop(columns), kind="lines", base={"query_position": 1, "rank": 1}))
        queries.append(
            raw_of(file, "queries", _iterations(rows, system), kind="iterations", base={"query_position": 1})
        )
    skipped = {(file.name, kind): number for file in log.files for kind, number in count_idle_lines(file).items()}
    return Taken({"queries": queries, "results": results}, idle=skipped)


def _iterations(rows: pl.LazyFrame, system: str) -> pl.LazyFrame:
    """Return a row for each iteration of a topic that has a line."""
    there = rows.filter(pl.col(RULE).is_null()).group_by("session_id", "topic_id", "query_position")
    asked = there.agg(pl.col(RECORD).min()).with_columns(results_status=pl.lit("shown"), system_id=pl.lit(system))
    return asked.sort("session_id", "query_position").collect().lazy()


def _with_broken(frame: pl.LazyFrame, rule: str, column: str, fits: pl.Expr) -> pl.LazyFrame:
    """Return the lines with those marked as broken in which a field is not as it should be."""
    unfit = pl.col(RULE).is_null() & ~fits.fill_null(value=False)
    return frame.with_columns(
        pl.when(unfit).then(pl.lit(rule)).otherwise(RULE).alias(RULE),
        pl.when(unfit).then(column).otherwise(VALUE).alias(VALUE),
    )


def _fits(fields: list[str]) -> bool:
    """Return whether a line is one of such a run."""
    return (
        len(fields) in (5, 6)
        and fields[1].isdecimal()
        and NUMBER.fullmatch(fields[3]) is not None
        and fields[4] in ("0", "1")
        and (len(fields) == 5 or fields[5] == NONE or FEEDBACK.fullmatch(fields[5]) is not None)
    )
