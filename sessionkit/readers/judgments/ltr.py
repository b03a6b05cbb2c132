"""Judgments as text for learning to rank (RankLib): ``grade qid:NUMBER # document text``, features before the ``#`` or none.

What stands behind the document is the text of the query, as Quepid exports it; where comments of the file say the texts
(``# qid:1: desk lamp``, with a weight as in ``desk lamp*1`` or without), those count, and what stands behind the document
(often its title) is kept in ``comment``. Without such comments a number with several texts has no text that is known to be
its query's, nor has one that they do not name where they name others by other texts than stand behind.

Lines of features alone name no document and text: a file of nothing else is refused.

Format ``letor``: the same lines with a document and without a text, ``2 qid:10 1:0.5 #docid = GX1 inc = 1``, as LETOR has them. The
number of the query is the key.
"""

from __future__ import annotations

import re

import polars as pl

from sessionkit.contract import RECORD, RULE, VALUE
from sessionkit.errors import DataError
from sessionkit.readers.config import Config
from sessionkit.readers.entries import Glimpse
from sessionkit.readers.io.invalid_bytes import mended, with_undecoded
from sessionkit.readers.io.log_files import LogFile, cut_short
from sessionkit.readers.judgments.ratings import idle, source
from sessionkit.readers.raw import Raw, as_lines

RATING = r"^\s*(-?[\d.]+)\s+qid:(\S+)\s+(?:\d+:\S+\s+)*#\s*(\S+)(?:\s+(.*\S))?\s*$"
QUERY = r"^\s*#\s*qid:([^\s:]+):\s*(.*?)(?:\*[\d.]+)?\s*$"
FIRST = re.compile(r"(?:\s*#[^\n]*\n)*\s*-?[\d.]+[ \t]+qid:\S")
LETOR = r"#\s*docid\s*="
LETOR_RATING = r"^\s*(-?[\d.]+)\s+qid:(\S+)\s.*#\s*docid\s*=\s*(\S+)"
READABLE, ONE_TEXT = "rating_can_be_read", "qid_has_one_text"


def holds_ltr(text: str) -> bool:
    """Return whether a text begins like such judgments.

    >>> holds_ltr("# qid:1: desk lamp\\n4\\tqid:1 #\\tA1\\tLamp\\n"), holds_ltr("4 qid:1 1:0.5\\n"), holds_ltr("1 0 A1 4\\n")
    (True, True, False)
    """
    return FIRST.match(text) is not None


def fits_letor(glimpse: Glimpse) -> bool:
    """Return whether a text begins like judgments of LETOR."""
    return holds_ltr(glimpse.head) and re.search(LETOR, glimpse.head) is not None


def read_letor(file: LogFile, config: Config) -> list[Raw]:  # noqa: ARG001 - all formats are called alike
    """Return the judgments of LETOR; lines that are blank or comments are none."""
    lines = _lines_of(file)
    is_comment = pl.col("text").str.starts_with("#")
    parts = lines.filter(~is_comment).with_columns(parts=pl.col("text").str.extract_groups(LETOR_RATING))
    grade, query, document = (pl.col("parts").struct[place] for place in range(3))
    rows = parts.select(RECORD, "text", grade=grade, judgment_key=query, doc_id=document)
    is_unread = pl.col("doc_id").is_null()
    frame = rows.select(
        RECORD,
        pl.when(is_unread).then(pl.lit(READABLE)).alias(RULE),
        pl.when(is_unread).then(pl.col("text").str.slice(0, 200)).alias(VALUE),
        *("judgment_key", "doc_id", "grade"),
    )
    frame = with_undecoded(frame.lazy(), file.undecoded).collect()
    comments = {"comments": lines.select(is_comment.sum()).item()}
    return [source(file, frame, "ratings", locate=as_lines(str(file.path), 1)), *idle(file, comments)]


def _lines_of(file: LogFile) -> pl.DataFrame:
    """Return the lines that are not blank, with their numbers."""
    scan = pl.scan_lines(str(file.path), name="text", row_index_name=RECORD, row_index_offset=1, glob=False)
    try:
        lines = scan.collect()
    except pl.exceptions.ComputeError:
        return _lines_of(mended(file))
    except OSError as error:
        raise cut_short(file.name, error) from None
    text = pl.col("text").str.strip_prefix("\ufeff").str.strip_chars()
    return lines.with_columns(pl.col(RECORD).cast(pl.Int64), text).filter(pl.col("text") != "")


def read_ltr(file: LogFile) -> list[Raw]:
    """Return the judgments; lines that are blank or comments are none.

    Raises
    ------
    DataError
        No line names a document and the text of a query.
    """
    scan = pl.scan_lines(str(file.path), name="text", row_index_name=RECORD, row_index_offset=1, glob=False)
    try:
        lines = scan.collect()
    except pl.exceptions.ComputeError:
        return read_ltr(mended(file))
    except OSError as error:
        raise cut_short(file.name, error) from None
    lines = lines.with_columns(pl.col(RECORD).cast(pl.Int64)).filter(pl.col("text").str.strip_chars() != "")
    lines = lines.with_columns(pl.col("text").str.strip_chars_start("\ufeff"))
    is_comment = pl.col("text").str.strip_chars_start().str.starts_with("#")
    asked = lines.filter(is_comment).select(pl.col("text").str.extract_groups(QUERY)).unnest("text")
    asked = asked.select(qid="1", asked=pl.when(pl.col("2") != "").then("2")).drop_nulls().unique("qid", keep="last")
    named = pl.when(~pl.col("text").str.contains(LETOR)).then("text")
    parts = lines.filter(~is_comment).with_columns(found=named.str.extract_groups(RATING))
    grade, number, doc, text = (pl.col("found").struct[place] for place in range(4))
    given = parts.select(RECORD, line="text", grade=grade, qid=number, doc_id=doc, comment=text)
    rows = given.join(asked, on="qid", how="left", maintain_order="left")
    titles = (pl.col("asked") != pl.col("comment")).any()
    several = pl.col("asked").is_null() & (titles | (pl.col("comment").drop_nulls().n_unique().over("qid") > 1))
    unread = pl.col("doc_id").is_null() | (pl.col("asked").is_null() & pl.col("comment").is_null())
    rule = pl.when(unread).then(pl.lit(READABLE)).when(several).then(pl.lit(ONE_TEXT))
    if len(rows) and rows.select(unread.all()).item():
        raise DataError(
            f"{file.name}: no line of it says '# document text of the query' after its features (line {rows[RECORD][0]}: "
            f"{rows['line'][0][:60]!r}), and judgments need both"
        )
    frame = rows.select(
        RECORD,
        rule.alias(RULE),
        pl.when(rule.is_not_null()).then(pl.col("line").str.slice(0, 200)).alias(VALUE),
        "doc_id",
        "grade",
        "qid",
        *(["comment"] if len(asked) else []),
        judgment_key=pl.coalesce("asked", "comment"),
    )
    frame = with_undecoded(frame.lazy(), file.undecoded).collect()
    comments = {"comments": lines.select(is_comment.sum()).item()}
    return [source(file, frame, "ratings", locate=as_lines(str(file.path), 1)), *idle(file, comments)]
