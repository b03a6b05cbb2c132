"""Format ``quepid``: lists exported by Quepid, with the ratings beside them.

CSV in detail (``judgments/quepid.py`` tells its forms): a query of a case, or of a snapshot, is a session of its own with the
list by ``Doc Position``; that of a snapshot has no ratings. A snapshot's basic CSV looks like ratings alone; only where the
format is named are its lines taken for lists in their order. JSON of snapshots is in ``quepid_snapshots.py``.
"""

from __future__ import annotations

import polars as pl

from sessionkit.contract import RECORD, RULE
from sessionkit.errors import DataError
from sessionkit.readers.checks.source_union import refuse_shared
from sessionkit.readers.entries import Glimpse
from sessionkit.readers.formats.quepid_snapshots import holds_snapshot, take_snapshot
from sessionkit.readers.judgments.quepid_csv import BASIC, DETAILED, LISTS, SCORES, form_of, graded, records_of
from sessionkit.readers.raw import Raw
from sessionkit.readers.records import Log, Taken, raw_of

TRIED = (
    "the snapshot and scores in the tests of Quepid's own exporters, and the list in those of its importer; lists of "
    "a case in detail and snapshots as JSON never on a real file, built from the source of the exporters"
)


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins like CSV in detail, JSON of a snapshot, or CSV of scores, which has no lists."""
    return form_of(glimpse.head) in (DETAILED, LISTS, SCORES) or holds_snapshot(glimpse.head)


def take(log: Log) -> Taken:
    """Take lists apart: CSV in detail, or snapshots."""
    raws: dict[str, list[Raw]] = {"queries": [], "results": [], "judgments": []}
    notes = []
    dropped: dict[tuple[str, str], int] = {}
    for file in log.files:
        if holds_snapshot(file.head.decode("utf-8", errors="replace")):
            taken = take_snapshot(file)
            for name, given in taken.raws.items():
                raws[name] += given
            dropped |= taken.idle
            continue
        form = form_of(file.head.decode("utf-8", errors="replace"))
        if form not in (BASIC, DETAILED, LISTS):
            raise DataError(f"{file.name} has {'scores' if form == SCORES else 'ratings'} and no lists; Quepid's CSV "
                            "exports in detail and its snapshots have lists")  # fmt: skip
        records, locate = records_of(file)
        listed = records.filter(pl.col("doc_id").is_not_null() | pl.col(RULE).is_not_null())
        if form == LISTS:
            listed = records.filter(
                pl.any_horizontal(pl.col("doc_id", RULE).is_not_null(), pl.col("session_id").is_null())
            )
        if form == BASIC:
            listed = listed.with_columns(rank=pl.int_range(1, pl.len() + 1).over("session_id"))
            notes.append(f"{file.name}: the order of the lines is taken as the rank, as in Quepid's snapshots")
        placed = listed.filter(pl.any_horizontal(pl.col("rank", RULE).is_not_null(), pl.col("doc_id").is_null()))
        queries = records.filter(pl.col("session_id").is_not_null() & pl.col(RULE).is_null()).unique(
            "session_id", keep="first", maintain_order=True
        )
        about = [name for name in ("topic_id", "system_id", "judgment_key", "query_text") if name in queries.columns]
        asked = queries.select(RECORD, "session_id", *about, query_position=1)
        rows = placed.drop("grade", *about, strict=False).with_columns(query_position=pl.lit(1))
        raws["queries"].append(raw_of(file, "queries", log.keep(asked.lazy()), kind="queries", locate=locate))
        raws["results"].append(raw_of(file, "results", log.keep(rows.lazy()), kind="documents listed", locate=locate))
        raws["judgments"] += graded(file) if form != LISTS else []
        dropped[file.name, "documents without a position"] = len(listed) - len(placed)
    refuse_shared(raws["queries"])
    return Taken({name: given for name, given in raws.items() if given}, idle=dropped, notes=notes)
