"""Searches in a YASBIL export: runs of search pages are queries, what was scraped their lists, links followed their clicks."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sessionkit.contract import CELLS, COLUMN, RECORD, RULE, VALUE
from sessionkit.readers.events.requeries import SAID
from sessionkit.readers.events.result_lists import BARE, FROM, KEY, KIND, MANY, NOUN
from sessionkit.readers.formats.yasbil_rows import (
    MOUSE,
    MOVES,
    PAGES,
    VISITS,
    Export,
    address,
    clicked_addresses,
    is_whole,
    milliseconds,
    scraped,
    whole,
)
from sessionkit.readers.io.json_items import Item

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
