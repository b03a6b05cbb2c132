"""From a stream of events (``stream.py``) to what a format hands over: tables, accounts, notes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import polars as pl

from sessionkit.contract import CELLS, RECORD, RULE, VALUE
from sessionkit.display.words import counted
from sessionkit.errors import DataError
from sessionkit.readers.events.by_file import raws_of, with_names
from sessionkit.readers.events.dwell_times import dwell_times
from sessionkit.readers.events.result_lists import AT, FILE, KEY, KIND, PLACE, found, listed, tallied
from sessionkit.readers.events.stream import ACTION, LABEL, STREAM, checked, in_order
from sessionkit.readers.events.stream_lists import lists_of, queries_of, with_clicked, with_documents
from sessionkit.readers.raw import Locate
from sessionkit.readers.records import Log, Taken, set_aside

ON_RESULT = ("impression", "click")


def taken(
    stream: pl.LazyFrame,
    log: Log,
    locates: Sequence[Locate],
    *,
    rules: Sequence[str],
    rank_base: int | None = None,
    notes: Sequence[str] = (),
) -> Taken:
    """Return what a format hands over whose log is a stream.

    Parameters
    ----------
    stream
        FILE, RECORD, AT, columns of :data:`STREAM`, and extras, which stay with queries and results.
    locates
        For each file the way back to the text of its records.
    rules
        By which queries are merged, see ``requeries.py``.
    rank_base
        What ranks count from; None: as most lists do.
    notes
        What was noticed before.

    Raises
    ------
    DataError
        No event is a query.
    """
    names = stream.collect_schema().names()
    lacking = [pl.lit(None, dtype=dtype).alias(name) for name, dtype in STREAM.items() if name not in names]
    whole = log.keep(checked(stream.with_columns(lacking)))
    broken = whole.filter(pl.col(RULE).is_not_null())
    sound = whole.filter(pl.col(RULE).is_null())
    cells = [
        set_aside(file, "results", sound.filter(pl.col(FILE) == number), locate)
        for number, (file, locate) in enumerate(zip(log.files, locates, strict=True))
    ]
    events = log.keep(in_order(sound.drop(CELLS)))
    if not found(events.filter(pl.col(ACTION) == "query"), RECORD)[0]:
        _refuse(events, broken, log)
    extras = [name for name in names if name not in (*STREAM, FILE, RECORD, AT)]
    shown = lists_of(events, ranked="rank" in names, extras=extras, keep=log.keep)
    events = with_documents(events, shown, log.keep)
    dwell, leaves = dwell_times(events, log.keep)
    lists, marks = with_clicked(events, shown, dwell, log.keep)
    rows = listed(queries_of(events, extras, log.keep), lists, marks, rules=rules, keep=log.keep)
    base = {"query_position": 1} if rank_base is None else {"query_position": 1, "rank": rank_base}
    sources = partial(raws_of, files=log.files, locates=locates, timezone=log.config.settings.timezone, base=base)
    aside = broken.select(FILE, RECORD, RULE, VALUE, pl.lit("broken records").alias(KIND))
    merged, idle = _others(events, leaves)
    return Taken(
        {
            "queries": [*sources("queries", aside), *sources("queries", rows.queries)],
            "results": sources("results", rows.results),
        },
        with_names({**rows.merged, **merged}, log.files),
        with_names({**rows.idle, **idle}, log.files),
        [*notes, *rows.notes, *_noted(events, ranked="rank" in names)],
        rows.warnings,
        cells=cells,
    )


def _refuse(events: pl.LazyFrame, broken: pl.LazyFrame, log: Log) -> None:
    """Raise DataError about a log without queries, naming the events there are and the first broken record."""
    labels = events.select(pl.col(LABEL).value_counts(sort=True)).head(8).collect().to_series().struct.field(LABEL)
    there = ", ".join(repr(label) for label in labels if label is not None) or "none"
    first = broken.select(RECORD, RULE).head(1).collect().rows()
    bad = f"; record {first[0][0]}: {first[0][1]} does not hold" if first else ""
    raise DataError(
        f"{log.files[0].name}: no event is a query; name the events that are queries in study.toml. Events found: "
        f"{there}{bad}"
    )


def _others(
    events: pl.LazyFrame, leaves: pl.LazyFrame
) -> tuple[dict[tuple[int, str], int], dict[tuple[int, str], int]]:
    """Return how many leaves ended the reading of a document, and how many events are on nothing."""
    early = events.filter(pl.col(KEY).is_null(), pl.col(ACTION).is_in(ON_RESULT))
    vain = events.filter(pl.col(ACTION) == "leave").join(leaves, on=list(PLACE), how="anti")
    other = events.filter(pl.col(ACTION).is_null())
    idle = {
        **tallied(early, pl.col(ACTION) + " events before the first query"),
        **tallied(vain, "leave events after no click"),
        **tallied(other, pl.col(LABEL) + " events"),
    }
    return tallied(leaves, "leave events"), idle


def _noted(events: pl.LazyFrame, *, ranked: bool) -> list[str]:
    """Return what is to be said of the stream."""
    notes = []
    early, first = found(events.filter(pl.col(KEY).is_null(), pl.col(ACTION).is_in(ON_RESULT)), "session_id")
    if early:
        where = "before the first query of their session"
        notes.append(f"{counted(early, 'event')} on results {where} (first: session {first!r})")
    shown, _ = found(events.filter(pl.col(ACTION) == "impression"), RECORD)
    if shown and not ranked:
        notes.append(f"{counted(shown, 'impression')} without ranks: ranked in the order in which they first appear")
    return notes
