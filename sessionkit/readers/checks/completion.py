"""The last touches to tables that have been assembled: columns in their order, extras typed; the facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from sessionkit.contract import CELLS, RECORD, table
from sessionkit.contract.key_rules import distinct
from sessionkit.readers.checks.assembly import Assembled
from sessionkit.readers.checks.counts import NONE, AnomalyCounts, Found
from sessionkit.readers.checks.extras import typed_extras
from sessionkit.readers.checks.source_checks import CheckedSource
from sessionkit.readers.checks.unusual import gaps, unusual
from sessionkit.study import Source
from sessionkit.study.facts import facts_in_order


def finished(name: str, *frames: pl.DataFrame, types: Mapping[str, pl.DataType] | None = None) -> pl.DataFrame:
    """Return a table with declared columns first, extras typed, private columns gone.

    `types` are those of extras that are text in the source; by default what their texts allow.
    """
    schema = table(name)
    always = (*schema.required, *(("user_id", "system_id", "topic_id", "judgment_key") if name == "sessions" else ()))
    frame = pl.concat([schema.empty(always), *frames], how="diagonal_relaxed").drop(RECORD, CELLS, strict=False)
    if types is not None:
        frame = frame.with_columns(pl.col(column).cast(dtype, strict=False) for column, dtype in types.items())
    frame = typed_extras(frame, schema, texts=types is None)
    declared = [field for field in schema.fields if field.name in frame.columns]
    extras = [column for column in frame.columns if column not in schema.names]
    return frame.select(*(pl.col(field.name).cast(field.dtype) for field in declared), *extras)


def judged_keys(judgments: pl.DataFrame) -> pl.DataFrame:
    """Return every judgment_key for which there is a judgment."""
    return judgments.select(key=pl.col("judgment_key").unique())


def counts_of(made: Assembled, judged: pl.DataFrame) -> AnomalyCounts:
    """Return all that is counted in the tables of some sessions; judgments, which are no part's, are not counted.

    `judged` are the keys for which there are any, as :func:`judged_keys` has them.
    """
    asked_in = distinct(made.queries, ["session_id"]).height
    facts = facts_in_order(made.sessions.height, made.queries, made.results, 0, made.starts)
    gapped = gaps(made.queries, made.results) if facts.lists_with_gaps else {}
    return replace(
        made.counts,
        lonely=made.sessions.height - asked_in,
        unjudged=_unjudged(made, judged) if judged.height else NONE,
        facts=facts,
        unusual={**unusual(made.queries, made.results), **gapped},
    )


def sources_of(part: CheckedSource) -> tuple[Source, ...]:
    """Return what became of the records of a source, or of each that it was put together from."""
    starts = [start for start, _ in part.raw.parted]
    rows = _by_start(part.rows.accepted, starts)
    rejected = _by_start(part.broken, starts)
    empty = _by_start(part.markers.accepted, starts)
    return tuple(
        Source(
            path=raw.source,
            table=raw.table,
            records=raw.records,
            rows=rows[place],
            rejected=rejected[place],
            empty_lists=empty[place],
            bytes=raw.bytes,
            sha256=raw.sha256,
            kind=raw.kind,
            merged=raw.merged,
            idle=raw.idle,
        )
        for place, (_, raw) in enumerate(part.raw.parted)
    )


def _by_start(records: pl.DataFrame, starts: list[int]) -> list[int]:
    """Return how many of these records are numbered after each start, up to the next."""
    if len(starts) == 1 or records.is_empty():
        return [records.height, *[0] * (len(starts) - 1)]
    above = [int((records[RECORD] > start).sum()) for start in starts]
    return [here - beyond for here, beyond in zip(above, [*above[1:], 0], strict=True)]


def _unjudged(made: Assembled, judged: pl.DataFrame) -> Found:
    """Return how many sessions have a query for whose judgment_key there is no judgment, and the first of them."""
    sessions = made.sessions.select("session_id", key="judgment_key")
    if "judgment_key" in made.queries.columns:
        keys = made.queries.select("session_id", own="judgment_key").join(sessions, on="session_id")
        without = keys.with_columns(key=pl.coalesce("own", "key")).join(judged, on="key", how="anti")
    else:
        without = sessions.join(judged, on="key", how="anti")
        without = without.join(made.queries, on="session_id", how="semi") if without.height else without
    found = without["session_id"].unique().sort()
    return (len(found), found[0]) if len(found) else NONE
