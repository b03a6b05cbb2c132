"""Format ``quepid``: judgments and lists exported by Quepid, keyed by texts of queries.

As judgments:

- CSV, basic and snapshot: ``query,docid,rating`` (or ``doc_id``); a query without ratings has a row without document and
  rating; a document without rating is not judged;
- CSV in detail: ``Query Text``, ``Doc ID``, ``Doc Position``, ``Rating`` and others, of a case or of a snapshot;
- CSV of a book: ``query,docid`` and a column for each judge (``judge_id``), such as ``Anonymous``;
- JSON of a case (``queries`` with ``ratings``) and of a book (``query_doc_pairs`` with ``judgements``);
- text for learning to rank: ``rating qid:ID # doc_id query text``.

The export for trec_eval is qrels keyed by numbers of queries, read as such. Cells have a blank before ``-``, ``=``, ``+`` and
``@``, put there against spreadsheets; all cells are stripped, as Quepid's importer does.

As a log, CSV in detail: a query of a case, or of a snapshot, is a session of its own with the list by ``Doc Position``. A
snapshot's basic CSV looks like ratings alone; only where the format is named are its lines taken for lists in their order.
"""

from __future__ import annotations

import re

import polars as pl

from sessionkit.contract import RECORD, RULE, VALUE
from sessionkit.errors import DataError
from sessionkit.readers.config import Config
from sessionkit.readers.files import LogFile
from sessionkit.readers.formats import Glimpse
from sessionkit.readers.quepid_csv import BASIC, DETAILED, book, form_of, graded, header_of, records_of
from sessionkit.readers.quepid_json import holds_json, ratings_of
from sessionkit.readers.ratings import idle, rated, source
from sessionkit.readers.raw import Raw, as_lines
from sessionkit.readers.records import Log, Taken, raw_of

TRIED = (
    "Chorus_Electronics_basic.csv of chorus-opensearch-edition (basic CSV); all others never on real files, built from the "
    "source of Quepid's exporters and importers"
)
LTR = re.compile(r"^\s*(-?[\d.]+)\s+qid:(\S+)\s+(?:\d+:\S+\s+)*#\s*(\S+)\s+(.*\S)\s*$")
FIRST_LTR = re.compile(r"(?:\s*#[^\n]*\n)*\s*-?[\d.]+\s+qid:\S+\s+(?:\d+:\S+\s+)*# *\S+ +\S")


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins like one of the exports that have ratings."""
    return form_of(glimpse.head) is not None or holds_json(glimpse.head) or FIRST_LTR.match(glimpse.head) is not None


def fits_log(glimpse: Glimpse) -> bool:
    """Return whether a text begins like CSV in detail."""
    return form_of(glimpse.head) == DETAILED


def read(file: LogFile, config: Config) -> list[Raw]:  # noqa: ARG001 - all formats are called alike
    """Return the ratings of an export.

    Raises
    ------
    DataError
        It is none, or is damaged.
    """
    head = file.head.decode("utf-8", errors="replace")
    if head.lstrip().startswith(("{", "[")):
        ratings, counts = ratings_of(file)
        return [*rated(file, ratings), *idle(file, counts)]
    if FIRST_LTR.match(head):
        return _ltr(file)
    form = form_of(head)
    if form is None:
        raise DataError(
            f"{file.name} is no export of Quepid: its columns are {', '.join(header_of(head))}, where query, docid and "
            "rating are needed"
        )
    return graded(file) if form in (BASIC, DETAILED) else book(file)


def take(log: Log) -> Taken:
    """Take lists apart: CSV in detail, or of snapshots."""
    raws: dict[str, list[Raw]] = {"queries": [], "results": [], "judgments": []}
    notes = []
    dropped: dict[tuple[str, str], int] = {}
    for file in log.files:
        form = form_of(file.head.decode("utf-8", errors="replace"))
        if form not in (BASIC, DETAILED):
            raise DataError(f"{file.name} has no lists; of Quepid's exports CSV in detail and snapshots have, others are "
                            "judgments")  # fmt: skip
        records, locate = records_of(file)
        listed = records.filter(pl.col("doc_id").is_not_null() | pl.col(RULE).is_not_null())
        if form == BASIC:
            listed = listed.with_columns(rank=pl.int_range(1, pl.len() + 1).over("session_id"))
            notes.append(f"{file.name}: taken as lists in the order of the lines, as in snapshots of Quepid")
        placed = listed.filter(pl.col("rank").is_not_null() | pl.col(RULE).is_not_null())
        queries = records.filter(pl.col("session_id").is_not_null() & pl.col(RULE).is_null()).unique(
            "session_id", keep="first", maintain_order=True
        )
        about = [name for name in ("topic_id", "system_id", "judgment_key", "query_text") if name in queries.columns]
        asked = queries.select(RECORD, "session_id", *about, query_position=1)
        rows = placed.drop("grade", *about).with_columns(query_position=pl.lit(1))
        raws["queries"].append(raw_of(file, "queries", log.keep(asked.lazy()), kind="queries", locate=locate))
        raws["results"].append(raw_of(file, "results", log.keep(rows.lazy()), kind="documents listed", locate=locate))
        raws["judgments"] += graded(file)
        dropped[file.name, "documents without a position"] = len(listed) - len(placed)
    return Taken({name: given for name, given in raws.items() if given}, idle=dropped, notes=notes)


def _ltr(file: LogFile) -> list[Raw]:
    """Return the ratings of an export for learning to rank; lines that are blank or comments are none."""
    lines = pl.scan_lines(str(file.path), name="text", row_index_name=RECORD, row_index_offset=1, glob=False).collect()
    lines = lines.with_columns(pl.col(RECORD).cast(pl.Int64)).filter(pl.col("text").str.strip_chars() != "")
    comment = pl.col("text").str.starts_with("#")
    found = lines.filter(~comment).with_columns(found=pl.col("text").str.extract_groups(LTR.pattern))
    grade, number, doc, text = (pl.col("found").struct[place] for place in range(4))
    unread = doc.is_null()
    frame = found.select(
        RECORD,
        pl.when(unread).then(pl.lit("rating_can_be_read")).alias(RULE),
        pl.when(unread).then(pl.col("text").str.slice(0, 200)).alias(VALUE),
        judgment_key=text.str.strip_chars(),
        doc_id=doc,
        grade=grade,
        qid=number,
    )
    comments = {"comments": lines.select(comment.sum()).item()}
    return [source(file, frame, "ratings", locate=as_lines(str(file.path), 1)), *idle(file, comments)]
