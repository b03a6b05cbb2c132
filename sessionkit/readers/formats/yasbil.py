"""Format ``yasbil``: exports of the YASBIL browser extension: one JSON file per participant, an object of tables.

A query is a run of search pages of one text, on one search engine, in one tab (``merge_queries``: a page further down goes into it
by ``paging``, one seen before by ``same``); pages that were not scraped are not logged.
The rank of a result is the offset of its page and its place among the main results; the document is its address. A click is a
mouse click whose anchor leads to a result, else a visit to a result by a link in the same tab. Its dwell time ends with the next
page visited in the session, or with the session. Users are ``user_name`` where a server wrote it, else the name of the file.

The export is one JSON object of tables. A field with a long text holds a locator ``guid|start|end`` into the table of large
strings; ``scraped_json_arr`` is JSON in such a text.
"""

from __future__ import annotations

import html
import json
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import PurePath
from typing import Any
from urllib.parse import parse_qs, urldefrag, urlsplit

import polars as pl

from sessionkit.contract import CELL, CELLS, COLUMN, RECORD, RULE, VALUE
from sessionkit.errors import DataError
from sessionkit.readers.entries import Glimpse, Option
from sessionkit.readers.events.requeries import MERGE_QUERIES, SAID
from sessionkit.readers.events.result_lists import (
    AT,
    BARE,
    FILE,
    FROM,
    KEY,
    KIND,
    MANY,
    NOUN,
    as_time,
    found,
    listed,
    raws_of,
    tallied,
    with_names,
)
from sessionkit.readers.io.json_items import Item, as_items, json_items, loads
from sessionkit.readers.io.log_files import LogFile
from sessionkit.readers.io.record_store import in_batches
from sessionkit.readers.records import Log, Taken, set_aside

SESSIONS, VISITS, PAGES, MOUSE, MOVES, STRINGS = (
    "yasbil_sessions",
    "yasbil_session_pagevisits",
    "yasbil_session_serp",
    "yasbil_session_mouse",
    "yasbil_session_webnav",
    "yasbil_largestring",
)
TABLES = (SESSIONS, VISITS, PAGES, MOUSE, MOVES, STRINGS)
LOCATOR = re.compile(r"([^|\s]{8,100})\|([0-9]{1,15})\|([0-9]{1,15})")
LONG = {PAGES: ("scraped_json_arr",), MOUSE: ("closest_a_html",)}
"""Fields that are needed and may be locators."""
IDS = ("session_guid", "search_engine", "search_query", "pv_search_engine", "pv_search_query")
"""Fields that become columns of text."""
LARGEST = 10**15
HREF = re.compile(r"""<a\b[^>]*?\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE | re.DOTALL)
MILLISECONDS = 1e11
"""Counts since 1970 from which on they are of milliseconds."""


@dataclass
class Export:
    """What one file holds.

    Parameters
    ----------
    tables
        For each table its items in order; of large strings and of mouse events other than clicks none.
    broken
        Items that are no JSON objects.
    counts
        How many records of a kind were passed over.
    """

    tables: dict[str, list[Item]] = field(default_factory=lambda: defaultdict(list))
    broken: list[Item] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=lambda: defaultdict(int))


def export_of(file: LogFile) -> Export:
    """Read an export, large strings only as far as they are needed."""
    export = Export()
    wanted: set[str] = set()
    for item in json_items(file, named=True):
        if item.broken or not isinstance(item.value, dict):
            export.broken.append(item)
        elif item.name == MOUSE and item.value.get("m_event") != "MOUSE_CLICK":
            export.counts[f"{item.value.get('m_event') or 'mouse'} rows"] += 1
        elif item.name == STRINGS or item.name not in TABLES:
            export.counts[f"{item.name} rows"] += 1
        else:
            export.tables[item.name].append(_slim(item))
            wanted |= {place[1] for name in LONG.get(item.name, ()) if (place := _locator(item.value.get(name)))}
    _resolve(export, _strings(file, wanted) if wanted else {})
    return export


def _slim(item: Item) -> Item:
    """Return an item without the fields that hold whole pages, and with texts where texts and numbers are expected."""
    value = {
        name: part if name in LONG[PAGES] or (name not in IDS and _is_plain(part)) else _text(part)
        for name, part in item.value.items()
        if name not in ("pv_page_text", "pv_page_html")
    }
    return Item(item.number, item.line, item.name, value, "")


def _is_plain(value: object) -> bool:
    """Return whether a value is a text, or a number that fits a column."""
    return isinstance(value, str | float | None) or (isinstance(value, int) and abs(value) < LARGEST)


def _text(value: object) -> str | None:
    """Return a value as text."""
    return value if isinstance(value, str | None) else json.dumps(value)


def _locator(value: object) -> re.Match[str] | None:
    """Return the parts of a locator."""
    return LOCATOR.fullmatch(value) if isinstance(value, str) else None


def _strings(file: LogFile, wanted: set[str]) -> dict[str, bytes]:
    """Return the large strings of these guids, in UTF-16, by whose units locators count."""
    items = (
        item.value for item in json_items(file, named=True) if item.name == STRINGS and isinstance(item.value, dict)
    )
    return {
        guid: str(row.get("string_body")).encode("utf-16-le", errors="replace")
        for row in items
        if (guid := str(row.get("string_guid"))) in wanted
    }


def _resolve(export: Export, strings: Mapping[str, bytes]) -> None:
    """Put texts in the place of locators; a locator without its string becomes null."""
    for name, fields in LONG.items():
        for item in export.tables[name]:
            for long in fields:
                if place := _locator(item.value.get(long)):
                    text = strings.get(place[1])
                    item.value[long] = None if text is None else _cut(text, int(place[2]), int(place[3]))


def _cut(text: bytes, start: int, end: int) -> str:
    """Return the part of a text in UTF-16 between two of its units, as a browser counts them.

    >>> _cut("\\N{DOG FACE} dog".encode("utf-16-le"), 3, 6)
    'dog'
    """
    return text[2 * start : 2 * end].decode("utf-16-le", errors="replace")


def milliseconds(value: object) -> int | None:
    """Return a time as milliseconds since 1970: a count of them, or of seconds.

    >>> milliseconds("1700000000000"), milliseconds(1700000000), milliseconds("soon")
    (1700000000000, 1700000000000, None)
    """
    try:
        number = float(str(value))
    except ValueError:
        return None
    if not 0 < number < 1e15:
        return None
    return int(number if number >= MILLISECONDS else number * 1000)


def scraped(row: Mapping[str, Any]) -> list[tuple[int, str]] | None:
    """Return rank and address of the main results on a search page, null where they were not scraped.

    Raises
    ------
    ValueError
        What was scraped is no JSON list.

    Examples
    --------
    >>> items = '[{"type": "MAIN_RESULT", "result_url": "https://a.example/"}]'
    >>> scraped({"serp_offset": 10, "search_engine": "GOOGLE", "scraped_json_arr": items})
    [(11, 'https://a.example/')]
    """
    text = row.get("scraped_json_arr")
    if text in (None, ""):
        return None
    found = loads(text) if isinstance(text, str) else text
    if not isinstance(found, list):
        msg = "no list of items"
        raise ValueError(msg)
    given = whole(row.get("serp_offset"))
    before = max(0, given - 1) if "bing" in str(row.get("search_engine", "")).lower() else given
    main = [
        one for one in found if isinstance(one, dict) and one.get("type") == "MAIN_RESULT" and one.get("result_url")
    ]
    ordered = sorted(main, key=lambda one: whole(one.get("index")))
    return [(before + place, address(str(one["result_url"]))) for place, one in enumerate(ordered, 1)]


def whole(value: object) -> int:
    """Return a whole number, 0 where there is none."""
    try:
        return min(max(0, int(float(str(value)))), LARGEST)
    except (ValueError, OverflowError):
        return 0


def is_whole(value: object) -> bool:
    """Return whether a value is a whole number, or none is given."""
    try:
        return value in (None, "") or float(str(value)).is_integer()
    except ValueError:
        return False


def clicked_addresses(row: Mapping[str, Any]) -> Iterator[str]:
    """Return the addresses that the anchor around a click leads to."""
    for quoted, single in HREF.findall(str(row.get("closest_a_html") or "")):
        yield address(html.unescape(quoted or single))


def address(url: str) -> str:
    """Return an address without its fragment, and without the detour through the search engine.

    >>> address("https://www.google.com/url?q=https://a.example/x%23y&sa=U")
    'https://a.example/x'
    """
    try:
        parts = urlsplit(url)
    except ValueError:  # no address, such as http://[
        return url
    if parts.path == "/url":
        asked = parse_qs(parts.query)
        target = next((asked[name][0] for name in ("q", "url") if name in asked), url)
        return urldefrag(target).url
    return urldefrag(url).url


STAMPS = ("pv_ts", "serp_ts", "m_ts", "webnav_ts")
"""Fields of when a row of any table was logged."""
SINCE = "__since"
"""When the row before it was logged."""
Rows = dict[str, list[dict[str, Any]]]


@dataclass
class Search:
    """One query: its key, its session and tab, when it was asked, its list by rank, and how far its pages go."""

    key: int
    session: str | None
    tab: str
    time: int
    slots: dict[int, str] = field(default_factory=dict)
    clicked: set[str] = field(default_factory=set)
    offset: int | None = None

    def again(self, row: Mapping[str, Any]) -> str | None:
        """Return by which rule a further search page goes into it: paging, or same; None for the first page."""
        if self.offset is None:
            return None
        return "paging" if _offset(row) > self.offset else "same"


def searches_of(export: Export, number: int, rules: Sequence[str]) -> Rows:
    """Return rows of queries, lists, marks and broken records of an export, and what was merged, by these rules, and idle."""
    rows: Rows = {name: [] for name in ("queries", "lists", "marks", "broken", "merged", "idle", "cells")}
    _place(export)
    visits = _once(export.tables[VISITS], rows)
    searches = _searches(export, visits, number, rows, rules)
    by_tab: dict[tuple[str | None, str], list[Search]] = defaultdict(list)
    for search in searches:
        by_tab[search.session, search.tab].append(search)
    reading = _Reading(visits, export)
    for item in sorted(export.tables[MOUSE], key=_time):
        _click(item, by_tab, reading, rows)
    for item in [*visits, *sorted(export.tables[MOVES], key=_time)]:
        is_visit = item.name == VISITS
        if is_visit and item.value.get("pv_search_query"):
            continue
        if not _followed(item, by_tab, reading, rows):
            rows["idle"].append({KIND: "page visits elsewhere" if is_visit else f"{MOVES} rows"})
    return rows


def _time(item: Item) -> int:
    """Return when a row of any table was logged."""
    return next(
        (time for name in STAMPS if (time := milliseconds(item.value.get(name))) is not None), item.value.get(SINCE, 0)
    )


def _place(export: Export) -> None:
    """Give rows whose time cannot be read that of the row before them in their session."""
    for name in (VISITS, PAGES, MOUSE, MOVES):
        last: dict[object, int] = {}
        for item in export.tables[name]:
            guid = item.value.get("session_guid")
            item.value[SINCE] = last.get(guid, 0)
            last[guid] = _time(item)


def _unread(item: Item) -> str | None:
    """Return the field of the time of a row where that cannot be read."""
    given = [name for name in STAMPS if item.value.get(name) not in (None, "")]
    return given[0] if given and all(milliseconds(item.value[name]) is None for name in given) else None


def _tab(row: Mapping[str, Any]) -> str:
    """Return the tab of a row."""
    return str(next((row[name] for name in ("tab_guid", "tab_id") if row.get(name) not in (None, "")), ""))


def _offset(row: Mapping[str, Any]) -> int:
    """Return how many results stand before those of a search page."""
    return whole(row.get("serp_offset")) or 0


def _once(items: list[Item], rows: Rows) -> list[Item]:
    """Return page visits in the order of time, those logged twice once."""
    kept, seen = [], set()
    for item in sorted(items, key=_time):
        stamp = item.value.get("hist_ts")
        key = (item.value.get("session_guid"), _tab(item.value), item.value.get("pv_url"), stamp)
        if stamp not in (None, "", 0) and key in seen:
            rows["merged"].append({KIND: "page visits logged twice"})
            continue
        seen.add(key)
        kept.append(item)
    return kept


def _searches(export: Export, visits: list[Item], number: int, rows: Rows, rules: Sequence[str]) -> list[Search]:
    """Return the queries, with rows for them and their lists."""
    pages = [item for item in visits if item.value.get("pv_search_query")]
    last: dict[tuple[str | None, str], tuple[tuple[str, str], Search]] = {}
    found = []
    for item in sorted(
        [*pages, *export.tables[PAGES]], key=lambda item: (_time(item), item.name != PAGES, item.number)
    ):
        row, is_page = item.value, item.name == PAGES
        results = None
        if is_page:
            try:
                results = scraped(row)
            except (ValueError, RecursionError):
                aside(rows, item, "scraped_json_arr", "scraped_results_are_json")
            if results and not is_whole(row.get("serp_offset")):  # it says at which rank the list begins
                results = None
                aside(rows, item, "serp_offset", "serp_offset_is_an_integer")
        engine, text = (
            (row.get("search_engine"), row.get("search_query"))
            if is_page
            else (
                row.get("pv_search_engine"),
                row.get("pv_search_query"),
            )
        )
        where, what = (row.get("session_guid"), _tab(row)), (str(engine or "").lower(), str(text or "").strip())
        before = last.get(where)
        alike = before is not None and before[0] == what
        rule = before[1].again(row) if before is not None and alike and is_page else None
        if before is None or not alike or (rule is not None and rule not in rules):
            search = Search((number << 40) + item.number, where[0], where[1], _time(item))
            last[where] = (what, search)
            found.append(search)
            stamp = row.get("serp_ts") if is_page else row.get("pv_ts")
            rows["queries"].append(
                {
                    **{
                        RECORD: item.number,
                        KEY: search.key,
                        KIND: f"{item.name} rows",
                        BARE: "not_logged",
                        "__counts": True,
                    },
                    **{"session_id": where[0], "query_text": text, "search_engine": engine},
                    "issued_at": str(milliseconds(stamp) or stamp) if stamp is not None else None,
                }
            )
        else:
            search = before[1]
            said = "a query asked before" if rule is None else SAID[rule]
            rows["merged"].append({KIND: f"{item.name} rows of {said}"})
        if is_page:
            search.offset = max(_offset(row), search.offset or 0)
        _add(search, item, results, rows)
    return found


def aside(rows: Rows, item: Item, column: str, rule: str) -> None:
    """Keep a value that cannot be read."""
    value = item.value.get(column)
    text = value if isinstance(value, str) else json.dumps(value)
    rows["cells"].append({RECORD: item.number, CELLS: [{RECORD: None, COLUMN: column, RULE: rule, VALUE: text[:200]}]})


def _add(search: Search, item: Item, results: list[tuple[int, str]] | None, rows: Rows) -> None:
    """Add the results of a search page to the list of its query; ranks that are taken stay."""
    if results == [] and not search.slots and rows["queries"][-1][KEY] == search.key:
        rows["queries"][-1][BARE] = "empty"
    for rank, url in results or ():
        if rank not in search.slots:
            search.slots[rank] = url
            rows["lists"].append(
                {
                    RECORD: item.number,
                    KEY: search.key,
                    KIND: "results scraped",
                    FROM: "hit list",
                    "rank": rank,
                    "doc_id": url,
                }
            )


class _Reading:
    """When pages were visited, to say how long a document was read."""

    def __init__(self, visits: list[Item], export: Export) -> None:
        self.visits: dict[str | None, list[tuple[int, str]]] = defaultdict(list)
        for item in visits:
            self.visits[item.value.get("session_guid")].append(
                (_time(item), address(str(item.value.get("pv_url") or "")))
            )
        self.ends = {
            item.value.get("session_guid"): milliseconds(item.value.get("session_end_ts"))
            for item in export.tables["yasbil_sessions"]
        }

    def seconds(self, session: str | None, time: int, url: str) -> float | None:
        """Return how long an address was read that was clicked at this time; None where it is not known."""
        visits = self.visits[session]
        place = bisect_right(visits, (time - 1, "\uffff"))
        begun = next((at for at, (_, visited) in enumerate(visits[place:], place) if visited == url), None)
        if begun is None:
            return None
        left = next((later for later, visited in visits[begun + 1 :] if visited != url), self.ends.get(session))
        return None if left is None else max(0.0, (left - visits[begun][0]) / 1000)


def _click(item: Item, by_tab: Mapping[tuple[str | None, str], list[Search]], reading: _Reading, rows: Rows) -> None:
    """Add a mouse click to the results it was made on."""
    row = item.value
    urls = list(clicked_addresses(row))
    search = _current(by_tab.get((row.get("session_guid"), _tab(row)), []), item, urls)
    if search is None or not urls:
        rows["idle"].append({KIND: "MOUSE_CLICK rows on no link of a search"})
        return
    url = next((one for one in urls if one in search.slots.values()), urls[0])
    search.clicked.add(url)
    _note_time(item, rows)
    rows["marks"].append(_mark(item, search, url, reading, "MOUSE_CLICK rows"))


def _followed(
    item: Item,
    by_tab: Mapping[tuple[str | None, str], list[Search]],
    reading: _Reading,
    rows: Rows,
) -> bool:
    """Add a visit by a link to the results it was made to, unless a click was logged; return whether it is on one."""
    row = item.value
    is_visit = item.name == VISITS
    kind = row.get("pv_transition_type" if is_visit else "webnav_transition_type")
    url = address(str(row.get("pv_url" if is_visit else "webnav_url") or ""))
    search = _current(by_tab.get((row.get("session_guid"), _tab(row)), []), item, [url])
    if search is None or url not in search.slots.values() or str(kind).lower() != "link":
        return False
    if url in search.clicked:
        rows["merged"].append({KIND: f"{item.name} rows of results clicked"})
        return True
    _note_time(item, rows)
    rows["marks"].append(_mark(item, search, url, reading, f"{item.name} rows by a link"))
    search.clicked.add(url)
    return True


def _current(searches: list[Search], item: Item, urls: Sequence[str]) -> Search | None:
    """Return the last search of a tab up to the time of a row; where that cannot be read, the last that lists its address."""
    if _unread(item) is not None:
        return next((search for search in reversed(searches) if not set(urls).isdisjoint(search.slots.values())), None)
    time = _time(item)
    return next((search for search in reversed(searches) if search.time <= time), None)


def _mark(item: Item, search: Search, url: str, reading: _Reading, noun: str) -> dict[str, Any]:
    """Return a click as a mark on a result."""
    time, known = _time(item), _unread(item) is None
    return {
        **{RECORD: item.number, KEY: search.key, NOUN: noun, MANY: "clicks", "doc_id": url},
        **{"clicked_at": str(time) if known else None},
        **{"dwell_seconds": reading.seconds(search.session, time, url) if known else None},
    }


def _note_time(item: Item, rows: Rows) -> None:
    """Keep the time of a click where it cannot be read."""
    if (column := _unread(item)) is not None:
        aside(rows, item, column, f"{column}_is_a_datetime")


TRIED = "no real export, as none is public; built from the data dictionary and source of the extension 2.1.2"
BEGINS = re.compile(r'\s*\{\s*"[^"]*"\s*:\s*\[')
TEXT, NUMBER = pl.String(), pl.Int64()
SHARED: dict[str, pl.DataType] = {FILE: pl.Int32(), RECORD: NUMBER, KIND: TEXT}
SCHEMAS: dict[str, dict[str, pl.DataType]] = {
    "sessions": {**SHARED, **dict.fromkeys(("session_id", "user_id", "started_at", "ended_at"), TEXT)},
    "queries": {
        **{**SHARED, KEY: NUMBER, BARE: TEXT, "__counts": pl.Boolean()},
        **dict.fromkeys(("session_id", "query_text", "issued_at", "search_engine"), TEXT),
    },
    "lists": {**SHARED, KEY: NUMBER, FROM: TEXT, "rank": NUMBER, "doc_id": TEXT},
    "marks": {
        **{FILE: pl.Int32(), RECORD: NUMBER, KEY: NUMBER, NOUN: TEXT, MANY: TEXT, "doc_id": TEXT},
        **{"clicked_at": TEXT, "dwell_seconds": pl.Float64()},
    },
    "broken": {**SHARED, RULE: TEXT, VALUE: TEXT},
    "merged": {FILE: pl.Int32(), KIND: TEXT},
    "idle": {FILE: pl.Int32(), KIND: TEXT},
    "cells": {FILE: pl.Int32(), RECORD: NUMBER, CELLS: pl.List(CELL)},
}
"""Rows by what becomes of them."""


OPTIONS: dict[str, Option] = {
    "merge_queries": replace(
        MERGE_QUERIES,
        meaning="Which search pages go on with the query before, if of its text, engine and tab: same (a page loaded again), paging "
        "(the next page). An empty list: none.",
        default=["same", "paging"],
        allowed=("same", "paging"),
    )
}


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins with an object of tables, among them one of YASBIL's."""
    return BEGINS.match(glimpse.head) is not None and any(f'"{name}"' in glimpse.head for name in TABLES)


def take(log: Log) -> Taken:
    """Take the files apart."""
    frames: dict[str, list[pl.LazyFrame]] = {name: [] for name in SCHEMAS}
    for number, file in enumerate(log.files):
        export = export_of(file)
        if not any(export.tables.values()):
            raise DataError(f"{file.name}: no row in the tables of YASBIL; known: {', '.join(TABLES)}")
        rows = searches_of(export, number, log.option("merge_queries"))
        rows["sessions"] = list(_sessions(export, PurePath(file.name).name.split(".")[0]))
        rows["broken"] += _broken(export)
        rows["idle"] += chain.from_iterable([{KIND: kind}] * many for kind, many in export.counts.items())
        for name, schema in SCHEMAS.items():
            frame = in_batches(({**row, FILE: number} for row in rows[name]), schema, log.workspace)
            frames[name].append(frame)
    table = {name: pl.concat(given) for name, given in frames.items()}
    marks = table["marks"].with_columns(as_time("clicked_at", None))
    listing = listed(
        table["queries"].with_columns(pl.col("issued_at").alias(AT)).with_columns(as_time(AT, None)),
        table["lists"],
        marks,
        rules=(),
        keep=log.keep,
    )
    locates = [as_items(file, named=True) for file in log.files]
    sources = partial(raws_of, files=log.files, locates=locates, timezone=log.config.settings.timezone)
    raws = {
        "sessions": sources("sessions", table["sessions"]),
        "queries": [*sources("queries", table["broken"]), *sources("queries", listing.queries)],
        "results": sources("results", listing.results),
    }
    if not raws["queries"]:
        raise DataError(f"{log.files[0].name}: no page of a search engine was visited or scraped")
    merged = {**listing.merged, **tallied(table["merged"], pl.col(KIND))}
    idle = {**listing.idle, **tallied(table["idle"], pl.col(KIND))}
    return Taken(
        raws,
        with_names(merged, log.files),
        with_names(idle, log.files),
        [*listing.notes, *_noted(table)],
        listing.warnings,
        cells=[
            set_aside(file, "queries", table["cells"].filter(pl.col(FILE) == number), locate)
            for number, (file, locate) in enumerate(zip(log.files, locates, strict=True))
        ],
    )


def _sessions(export: Export, name: str) -> Iterator[dict[str, Any]]:
    """Return one row per session, those that have no row of their own too."""
    known = set()
    for item in export.tables[SESSIONS]:
        row = item.value
        known.add(row.get("session_guid"))
        yield {
            RECORD: item.number,
            KIND: f"{SESSIONS} rows",
            "session_id": row.get("session_guid"),
            "user_id": _user(row, name),
            "started_at": _stamp(row.get("session_start_ts")),
            "ended_at": _stamp(row.get("session_end_ts")),
        }
    for table in TABLES:
        for item in export.tables[table]:
            guid = item.value.get("session_guid")
            if guid is not None and guid not in known:
                known.add(guid)
                kind = "sessions without a row of their own"
                yield {RECORD: item.number, KIND: kind, "session_id": guid, "user_id": _user(item.value, name)}


def _user(row: dict[str, Any], name: str) -> str:
    """Return who searched."""
    given = row.get("user_name")
    return str(given) if given not in (None, "") else name


def _stamp(value: object) -> str | None:
    """Return a time as text; what is none stays as it is, to be rejected."""
    time = milliseconds(value)
    return str(time) if time is not None else None if value in (None, "", 0, "0") else str(value)


def _broken(export: Export) -> Iterator[dict[str, Any]]:
    """Return a row for each item that is no JSON object."""
    for item in export.broken:
        yield {
            RECORD: item.number,
            KIND: "broken records",
            RULE: "item_is_json" if item.broken else "item_is_object",
            VALUE: item.text[:200] or "the table is not closed",
        }


def _noted(table: dict[str, pl.LazyFrame]) -> list[str]:
    """Return what is to be said of what was not scraped."""
    notes = []
    strings, _ = found(table["idle"].filter(pl.col(KIND) == f"{STRINGS} rows"), FILE)
    if strings:
        notes.append(f"{strings:,} large strings; those that lists and clicks point to were put in their place")
    again, _ = found(table["merged"].filter(pl.col(KIND) == "page visits logged twice"), FILE)
    if again:
        notes.append(f"{again:,} page visits logged twice (same hist_ts and address) were taken once")
    return notes
