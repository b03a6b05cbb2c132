"""Format of judgments ``quepid``: ratings exported by Quepid, keyed by texts of queries.

- CSV, basic and snapshot: ``query,docid,rating`` (or ``doc_id``); a query without ratings has a row without document and
  rating; a document without rating is not judged;
- CSV in detail: ``Query Text``, ``Doc ID``, ``Doc Position``, ``Rating`` and others, of a case or of a snapshot;
- CSV of a book: ``query,docid`` and a column for each judge (``judge_id``), such as ``Anonymous``;
- JSON of a case (``queries`` with ``ratings``) and of a book (``query_doc_pairs`` with ``judgements``);
- text for learning to rank: ``rating qid:ID # doc_id query text``.

The export for trec_eval is qrels keyed by numbers of queries, read as such. Cells have a blank before ``-``, ``=``, ``+`` and
``@``, put there against spreadsheets; all cells are stripped, as Quepid's importer does.
"""

from __future__ import annotations

import re

import polars as pl

from sessionkit.contract import RECORD, RULE, VALUE
from sessionkit.errors import DataError
from sessionkit.readers.config import Config
from sessionkit.readers.entries import Glimpse
from sessionkit.readers.files.opening import LogFile
from sessionkit.readers.files.undecoded import mended, with_undecoded
from sessionkit.readers.judgments.quepid_csv import BASIC, DETAILED, book, form_of, graded, header_of
from sessionkit.readers.judgments.quepid_json import holds_json, ratings_of
from sessionkit.readers.judgments.ratings import idle, rated, source
from sessionkit.readers.raw import Raw, as_lines

TRIED = (
    "Chorus_Electronics_basic.csv of chorus-opensearch-edition (basic CSV); all others never on real files, built from the "
    "source of Quepid's exporters and importers"
)
LTR = re.compile(r"^\s*(-?[\d.]+)\s+qid:(\S+)\s+(?:\d+:\S+\s+)*#\s*(\S+)\s+(.*\S)\s*$")
FIRST_LTR = re.compile(r"(?:\s*#[^\n]*\n)*\s*-?[\d.]+\s+qid:\S+\s+(?:\d+:\S+\s+)*# *\S+ +\S")


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins like one of the exports that have ratings."""
    return form_of(glimpse.head) is not None or holds_json(glimpse.head) or FIRST_LTR.match(glimpse.head) is not None


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


def _ltr(file: LogFile) -> list[Raw]:
    """Return the ratings of an export for learning to rank; lines that are blank or comments are none."""
    scan = pl.scan_lines(str(file.path), name="text", row_index_name=RECORD, row_index_offset=1, glob=False)
    try:
        lines = scan.collect()
    except pl.exceptions.ComputeError:
        return _ltr(mended(file))
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
    frame = with_undecoded(frame.lazy(), file.undecoded).collect()
    comments = {"comments": lines.select(comment.sum()).item()}
    return [source(file, frame, "ratings", locate=as_lines(str(file.path), 1)), *idle(file, comments)]
