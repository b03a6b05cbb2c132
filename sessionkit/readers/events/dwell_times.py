"""How long clicked documents were read: from a click to the leave that ends it."""

from __future__ import annotations

import polars as pl

from sessionkit.contract import RECORD
from sessionkit.readers.events.result_lists import AT, FILE, PLACE
from sessionkit.readers.events.stream import ACTION
from sessionkit.readers.io.record_store import Keep

ENDS = {name: f"__end{name}" for name in (FILE, RECORD, AT)}


def dwell_times(events: pl.LazyFrame, keep: Keep) -> tuple[pl.LazyFrame, pl.LazyFrame]:
    """Return clicks with the seconds (``__dwell``) until they were left, and the leaves that ended one.

    Parameters
    ----------
    events
        FILE, RECORD, session_id, AT, ACTION and doc_id, in order. A leave that names a document ends the last click on
        it; one that names none ends the last click, unless another did.
    """
    timed = events.filter(pl.col(ACTION).is_in(["click", "leave"]), pl.col(AT).is_not_null())
    timed = timed.select(*PLACE, "session_id", "doc_id", ACTION, AT)
    ends = [
        _ended(timed.filter(pl.col("doc_id").is_not_null()), ["session_id", "doc_id"]),
        _ended(timed.filter((pl.col(ACTION) == "click") | pl.col("doc_id").is_null()), ["session_id"]),
    ]
    seconds = (pl.col(ENDS[AT]) - pl.col(AT)).dt.total_microseconds() / 1e6
    ended = keep(pl.concat(ends).sort(ENDS[AT]).unique(PLACE, keep="first", maintain_order=True))
    leaves = ended.select(pl.col(ENDS[name]).alias(name) for name in PLACE).unique()
    return ended.select(*PLACE, seconds.alias("__dwell")), leaves


def _ended(timed: pl.LazyFrame, within: list[str]) -> pl.LazyFrame:
    """Return the clicks whose next event, of those with the same values in these columns, is a leave."""
    later = [pl.col(name).shift(-1).over(within).alias(end) for name, end in ENDS.items()]
    left = (pl.col(ACTION).shift(-1).over(within) == "leave").fill_null(value=False).alias("__left")
    return timed.with_columns(*later, left).filter(pl.col(ACTION) == "click", "__left").drop("__left", ACTION)
