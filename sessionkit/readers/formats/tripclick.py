"""Format ``tripclick``: the logs of the health search engine Trip, a JSON object per line and interaction.

Read are ``SessionId``, ``Keywords`` (the query), ``DateCreated`` (``/Date(1483228800000)/``, milliseconds since 1970),
``Documents`` (the list as shown) and ``DocumentId`` (what was clicked; 0 or nothing for no click). Lines of one session,
query and list are of one query, asked when the first of them was written (``merge_queries = []``: each line is a query of its
own); the time of a line with a click is that of the click. Other keys are noted. ``session_gap`` cuts the sessions of the
log, which are those of a browser, further at pauses. Judgments made from the clicks (DCTR, RAW) are ordinary qrels.

The project's own programs read an earlier form of the log: lines are parts of an array (``[{...},`` to ``{...}]``), and
``Documents`` is text that gives each document, a number, a score (``"11:7.2,12:6.9"``, with brackets and quotes or without),
which is left out; the order is that of the list. Ids in a list where not all are such pairs stay as they are (``PMID:11``).
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

import polars as pl

from sessionkit.contract import CELL, CELLS, RECORD, RULE, VALUE
from sessionkit.readers.entries import SESSION_GAP, Glimpse, Option
from sessionkit.readers.events.clicks import with_clicks
from sessionkit.readers.events.requeries import MERGE_QUERIES
from sessionkit.readers.events.sessionize import seconds, with_positions, with_sessions
from sessionkit.readers.flat.flat_log import TEXT, FlatRows, Key, Kinds, lines_of, take_flat
from sessionkit.readers.flat.lines import breaking, fits_text, sound, those_that_fit, unsound
from sessionkit.readers.io.json_items import unrounded
from sessionkit.readers.io.log_files import LogFile
from sessionkit.readers.io.shapes import with_finite_numbers
from sessionkit.readers.raw import gathered, without
from sessionkit.readers.records import Log, Taken

TRIED = "never on a real file; built from the project's page, its programs and the code of ir_datasets"
OPTIONS: dict[str, Option] = {
    "session_gap": replace(SESSION_GAP, default=None),
    "merge_queries": replace(
        MERGE_QUERIES,
        meaning="Whether a line with the text and the list of an earlier line of its session is of the same query: same, or an "
        "empty list.",
        default=["same"],
        allowed=("same",),
    ),
}
KEYS = {
    "session_id": "SessionId",
    "query_text": "Keywords",
    "issued_at": "DateCreated",
    "documents": "Documents",
    "clicked_document": "DocumentId",
}
KEY = Key("session_id", re.compile(rb'"SessionId"\s*:\s*"?([^",}]*)'))
ID = r'[^\s,"\[\]]+'
SCORE = r":[\d.eE+-]*"
PAIR = rf'"?\d+{SCORE}"?'
PAIRS = rf"^\[?\s*{PAIR}(\s*,\s*{PAIR})*\s*\]?$"
"""Documents of the earlier form, with their scores."""
LIST = rf'^\[\s*("?{ID}"?(\s*,\s*"?{ID}"?)*)?\s*\]$|{PAIRS}'
BETWEEN = "[], \t"
"""What stands around an object where lines are parts of an array."""
DATE = r"^/Date\((\d+)(?:[+-]\d{4})?\)/$"
NOT_FINITE = r"NaN|Infinity|[eE]\+?\d{3}|\d{300}"
"""What lines may hold that have a number which is not finite."""
ASK = "__ask"
NO_CLICK = ("", "0", "null")


def fits(glimpse: Glimpse) -> bool:
    """Return whether the first line is an object with the keys of a session, a query and a list."""
    return fits_text(glimpse, _looks)


def take(log: Log) -> Taken:
    """Take the files apart."""
    files, others = those_that_fit(log, _looks)
    gap = log.option("session_gap")
    make = partial(_made, gap=None if gap is None else seconds(gap), rules=log.option("merge_queries"))
    taken = take_flat(
        log, _records, KEY, make, files=files, kinds=Kinds("query records", "results listed"), notes=_unread(files)
    )
    return replace(taken, idle={**taken.idle, **others})


def _looks(text: str) -> bool:
    """Return whether a text begins like such a log."""
    first = _first_line(text)
    return first.startswith("{") and all(f'"{name}"' in first for name in ("SessionId", "Keywords", "DateCreated"))


def _first_line(text: str) -> str:
    """Return the first line that holds something, without what makes an array of lines."""
    return text.lstrip(f"{BETWEEN}\r\n").split("\n", 1)[0]


def _unread(files: list[LogFile]) -> list[str]:
    """Return what is to be said of keys that are not read, by the first line of the first file."""
    first = _first_line(files[0].head.decode("utf-8", errors="replace"))
    known = set(KEYS.values())
    others = [name for name in dict.fromkeys(re.findall(r'[{,]\s*"(\w+)"\s*:', first)) if name not in known]
    return [f"{files[0].name}: keys that are not read: {', '.join(others)}"] if others else []


def _records(file: LogFile) -> pl.LazyFrame:
    """Return the lines of a file as records."""
    text = pl.col(TEXT)
    alone = text.str.strip_chars_start(BETWEEN).str.strip_chars_end(BETWEEN)
    whole = text.map_batches(_readable, return_dtype=pl.String(), is_elementwise=True)
    is_object = text.str.json_path_match("$").str.starts_with("{").fill_null(value=False)
    lines = (
        lines_of(file)
        .with_columns(alone)
        .filter(text != "")
        .with_columns(whole)
        .select(
            RECORD,
            *(pl.when(is_object).then(text.str.json_path_match(f"$.{key}")).alias(name) for name, key in KEYS.items()),
            pl.when(~is_object).then(pl.lit("line_is_a_json_object")).alias(RULE),
            pl.when(~is_object).then(text.str.slice(0, 200)).alias(VALUE),
        )
    )
    session, documents = (
        pl.col("session_id").replace(["", "null"], None),
        pl.col("documents").replace(["", "null"], None),
    )
    lines = lines.with_columns(session, documents)
    lines = breaking(lines, "session_id_is_given", pl.col("session_id").is_null(), pl.col("session_id"))
    lines = lines.with_columns(pl.lit(None, dtype=pl.List(CELL)).alias(CELLS))
    unread = ~pl.col("issued_at").str.contains(DATE)
    lines = without(lines, "issued_at", "date_can_be_read", unread, name=KEYS["issued_at"])
    unread = ~pl.col("documents").str.contains(LIST)
    lines = without(lines, "documents", "documents_are_a_list", unread, name=KEYS["documents"])
    return lines.with_columns(pl.col("issued_at").str.extract(DATE).cast(pl.Int64, strict=False))


def _readable(lines: pl.Series) -> pl.Series:
    """Return lines without halves of characters and numbers that polars takes for no JSON."""
    whole = unrounded(lines)
    return with_finite_numbers(whole, whole.str.contains(NOT_FINITE).fill_null(value=False))


def _made(lines: pl.LazyFrame, gap: float | None, rules: list[str]) -> FlatRows:
    """Return queries, results and clicks of some whole sessions."""
    given = sound(lines)
    if gap is not None:
        given = with_sessions(given.rename({"session_id": "__browser"}), user="__browser", gap=gap)
    # a line without readable date stands where it does in the log
    at = pl.col("issued_at").forward_fill().over("session_id")
    given = given.sort("session_id", at, RECORD)
    same = ["session_id", "query_text", "documents"]
    ask = pl.col(RECORD).first().over(same) if "same" in rules else pl.col(RECORD)
    given = given.with_columns(ask.alias(ASK)).collect().lazy()
    asked = with_positions(given.filter(pl.col(RECORD) == pl.col(ASK)))
    documents = pl.col("documents")
    unscored = documents.str.replace_all(SCORE, "")
    docs = pl.when(documents.str.contains(PAIRS)).then(unscored).otherwise(documents).str.extract_all(ID)
    status = (
        pl.when(pl.col("documents").is_null())
        .then(pl.lit("not_logged"))
        .when(docs.list.len() > 0)
        .then(pl.lit("shown"))
        .otherwise(pl.lit("empty"))
    )
    queries = asked.select(
        RECORD, "session_id", "query_position", "query_text", "issued_at", results_status=status
    ).collect()
    lists = asked.select(RECORD, "session_id", "query_position", ASK, doc_id=docs).filter(
        pl.col("doc_id").list.len() > 0
    )
    results = lists.with_columns(rank=pl.int_ranges(1, pl.col("doc_id").list.len() + 1)).explode("doc_id", "rank")
    clicked = pl.col("clicked_document").is_not_null() & ~pl.col("clicked_document").is_in(NO_CLICK)
    clicks = given.filter(clicked).select(RECORD, ASK, doc_id="clicked_document", clicked_at="issued_at")
    made, outside = with_clicks(results.collect().lazy(), clicks, [ASK, "doc_id"])
    outside = outside.select(RECORD)
    return FlatRows(
        pl.concat([gathered(queries.lazy(), given), unsound(lines)], how="diagonal_relaxed"),
        made.drop(ASK),
        merged={
            "further lines of a query and list": given.filter(pl.col(RECORD) != pl.col(ASK)),
            "clicks": clicks.join(outside, on=RECORD, how="anti"),
        },
        idle={"clicks on a document that its list does not hold": outside},
    )
