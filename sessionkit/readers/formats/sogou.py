"""Format ``sogou``: the query logs of the search engine Sogou (SogouQ) of 2008 and of 2012.

Both have a tab-separated line per click, mostly in GBK, the query perhaps between square brackets:

- 2012: ``time, user, [query], rank, order of the click, URL``, the time as ``YYYYMMDDHHMMSS``; copies for courses have
  ``year, month, day, hour`` behind it, which say nothing more and are left out;
- 2008: ``time of day, user, [query], rank and order of the click between them a blank, URL``; the day stands in the name
  of the file. The time may be missing.

The time is that of the click. Only clicked documents are known, at their ranks, so lists are partly observed, and times
of queries are not known; times carry no zone. Sessions end after a pause (``session_gap``); clicks that follow one another
with the same query are of one query; one whose order does not go on was sent again, and goes into the one before it
(``merge_queries``). The order of the click stays in ``click_order``. Where GBK cannot be read, a character that says so stands
instead, and the files that have any are noted.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import polars as pl

from sessionkit.readers.events.flat_logs import (
    ASK,
    KINDS,
    MERGE,
    FlatRows,
    Key,
    breaking,
    fields_of,
    fits_text,
    queries_and_clicks,
    sound,
    take_flat,
    those_that_fit,
    unsound,
)
from sessionkit.readers.events.sessions import seconds, with_sessions
from sessionkit.readers.format import SESSION_GAP, Glimpse, Option
from sessionkit.readers.io.files import LogFile, in_utf8
from sessionkit.readers.records import Log, Taken

TRIED = "part of the sample of 2008, in GB18030, and some lines of the log of 2012; never on a whole log"
OPTIONS: dict[str, Option] = {
    "session_gap": SESSION_GAP,
    "merge_queries": MERGE,
    "encoding": Option(
        "The encoding of the files; by default UTF-8 for those that begin with text in it, else GB18030, which is GBK and "
        "more."
    ),
}
CLOCK = r"\d\d:\d\d:\d\d"
STAMP = re.compile(r"\d{14}\t[^\t\n]+\t[^\t\n]*\t\d+\t\d+\t")
OF_DAY = re.compile(rf"({CLOCK}\t)?[^\t\n]+\t\[[^\t\n]*\]\t\d+ \d+\t")
DAY = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_.]?(\d\d)[-_.]?(\d\d)(?!\d)")
STAMPED = ("time", "user_id", "query_text", "rank", "click_order", "doc_id")
OF_TIME = ("year", "month", "day", "hour")
"""What some copies of the log of 2012 have behind the URL: parts of the time, said again."""
KEY = Key("user_id", re.compile(rb"(?:\d{14}\t|\d\d:\d\d:\d\d\t)?([^\t\n]+)\t"))
RULE_2012, RULE_2008 = "line_has_six_or_ten_fields", "line_has_five_fields"


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins with a line of either year."""
    return fits_text(glimpse, _looks)


def take(log: Log) -> Taken:
    """Take the files apart."""
    files, others = those_that_fit(log, _looks)
    copies = log.workspace / "utf-8"
    copies.mkdir()
    read = [in_utf8(file, log.option("encoding"), copies) for file in files]
    texts = [one.file for one in read]
    notes = [f"{file.name}: taken to be in {one.encoding}" for file, one in zip(files, read, strict=True)]
    notes += [
        f"{file.name}: {one.unreadable:,} characters are not in {one.encoding}; U+FFFD stands for them"
        for file, one in zip(files, read, strict=True)
        if one.unreadable
    ]
    notes += [
        f"{file.name}: its name says no day, so times of clicks are left out"
        for file in files
        if not _is_stamped(file) and _day(file.name) is None
    ]
    make = partial(_made, gap=seconds(log.option("session_gap")), rules=log.option("merge_queries"))
    taken = take_flat(log, _records, KEY, make, files=texts, kinds=KINDS, notes=notes)
    return replace(taken, idle={**taken.idle, **others})


def _looks(text: str) -> bool:
    """Return whether a text begins like such a log."""
    return STAMP.match(text) is not None or OF_DAY.match(text) is not None


def _is_stamped(file: LogFile) -> bool:
    """Return whether a file is one of 2012."""
    return OF_DAY.match(file.head.decode("utf-8", errors="replace")) is None


def _day(name: str) -> str | None:
    """Return the day in the name of a file.

    >>> _day("access_log.20080601.decode.filter"), _day("querylog")
    ('2008-06-01', None)
    """
    found = DAY.search(Path(name).name)
    return None if found is None else f"{found[1]}-{found[2]}-{found[3]}"


def _records(file: LogFile) -> pl.LazyFrame:
    """Return the lines of a file as records."""
    if _is_stamped(file):
        lines = fields_of(file, (*STAMPED, *OF_TIME), (len(STAMPED), len(STAMPED + OF_TIME)), RULE_2012).drop(OF_TIME)
        when = pl.col("time").str.to_datetime("%Y%m%d%H%M%S", strict=False)
        lines = breaking(lines, "time_is_given", when.is_null(), pl.col("time")).with_columns(__time=when)
        lines = lines.with_columns(clicked_at="__time")
    else:
        lines = _of_a_day(file)
    lines = breaking(lines, "user_id_is_given", pl.col("user_id").is_null(), pl.col("user_id"))
    text = pl.col("query_text").str.replace(r"^\[(.*)\]$", "$1").replace("", None)
    return lines.with_columns(text).drop("time")


def _of_a_day(file: LogFile) -> pl.LazyFrame:
    """Return the lines of a file of 2008, whose rank and order are in one field."""
    every = ("time", "user_id", "query_text", "__where", "doc_id")
    timed = re.match(CLOCK, file.head.decode("utf-8", errors="replace")) is not None
    names = every if timed else every[1:]
    lines = fields_of(file, names, (len(names),), RULE_2008 if timed else "line_has_four_fields")
    where = pl.col("__where").str.splitn(" ", 2).struct
    lines = lines.with_columns(rank=where.field("field_0"), click_order=where.field("field_1")).drop("__where")
    if not timed:
        never = pl.lit(None, dtype=pl.Datetime("us"))
        return lines.with_columns(time=pl.lit(None, dtype=pl.String), clicked_at=never, __time=never)
    day = _day(file.name)
    when = pl.format(f"{day or '1970-01-01'} {{}}", "time").str.to_datetime("%Y-%m-%d %H:%M:%S", strict=False)
    lines = breaking(lines, "time_is_given", when.is_null(), pl.col("time")).with_columns(__time=when)
    known = pl.lit(day is not None)
    return lines.with_columns(clicked_at=pl.when(known).then("__time"))


def _made(lines: pl.LazyFrame, gap: float, rules: list[str]) -> FlatRows:
    """Return queries and clicks of some whole users."""
    ordered = with_sessions(sound(lines), time="__time", gap=gap)
    text = pl.col("query_text").fill_null("")
    new = (pl.col("session_id") != pl.col("session_id").shift(1)) | (text != text.shift(1))
    order = pl.col("click_order").cast(pl.Int64, strict=False)
    new |= ((order <= order.shift(1)) & (text != "")).fill_null(value=False)
    ask = pl.when(new.fill_null(value=True)).then(pl.int_range(pl.len())).forward_fill().alias(ASK)
    asked = ordered.with_columns(ask)
    return queries_and_clicks(
        asked, unsound(lines), rules, of_query=("user_id",), of_click=("clicked_at", "click_order")
    )
