"""Tables of a YASBIL export as rows: long texts resolved, times in milliseconds, search pages and clicks made out.

The export is one JSON object of tables. A field with a long text holds a locator ``guid|start|end`` into the table of large
strings; ``scraped_json_arr`` is JSON in such a text.
"""

from __future__ import annotations

import html
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urldefrag, urlsplit

from sessionkit.readers.io.json_items import Item, json_items
from sessionkit.readers.io.json_text import loads
from sessionkit.readers.io.log_files import LogFile

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
