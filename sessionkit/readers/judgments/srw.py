"""Format of judgments ``srw``: judgment lists of the OpenSearch Search Relevance Workbench.

A judgment list is ``{"name", "type", "judgmentRatings": [{"query", "ratings": [{"docId", "rating"}]}]}``. What is imported has
ratings as text ("3.000"), what is exported from the index as numbers; there it is wrapped with ``id``, ``timestamp`` and
``metadata``, alone, one per line, in a list, or as the hits of a search. Scales differ (0 to 1, small integers, 0 to 100)
and are kept. A query with fields of its own may be stored as its text, ``#`` and the fields as JSON: its text is the key. Of
several ratings of one document for one query in a list the last counts. Where a file has several lists, ``judge_id`` is the
name of the list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sessionkit.errors import DataError
from sessionkit.readers.config import Config
from sessionkit.readers.entries import Glimpse
from sessionkit.readers.io.json_items import loads
from sessionkit.readers.io.log_files import LogFile
from sessionkit.readers.judgments.ratings import Rating, children, documents, idle, rated, text_of
from sessionkit.readers.raw import Raw

TRIED = (
    "esci_us and art judgment lists of chorus-opensearch-edition (imported), movies_judgments.json of "
    "search-relevance, parts of hybrid_optimizer_demo and of a document of the index; several lists in a file and "
    "repeated documents never on real files"
)
LIST, SET = re.compile(r'"judgmentRatings"\s*:'), re.compile(r'"querySetQueries"\s*:')
READABLE = "ratings_can_be_read"
SAME = ("judge_id", "judgment_key", "doc_id")


@dataclass(frozen=True)
class SrwQuery:
    """The text of a query, and the fields that it has beside."""

    text: str | None
    fields: dict[str, Any]


def asked(value: Any) -> SrwQuery:  # noqa: ANN401 - JSON
    """Return what a query says that may be stored as its text, ``#`` and its fields as JSON.

    >>> asked('desk lamp#{"answer": "LED"}')
    SrwQuery(text='desk lamp', fields={'answer': 'LED'})
    >>> asked("what is C#?").text
    'what is C#?'
    """
    text = text_of(value)
    before, mark, after = (text or "").partition("#")
    if mark and after.strip().startswith("{"):
        try:
            fields = loads(after)
        except (ValueError, RecursionError):
            fields = None
        if isinstance(fields, dict):
            return SrwQuery(before.strip() or None, fields)
    return SrwQuery(text, {})


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins like JSON with judgment lists, or with a query set, which has none."""
    return glimpse.head.lstrip()[:1] in ("{", "[") and (
        LIST.search(glimpse.head) is not None or SET.search(glimpse.head) is not None
    )


def read(file: LogFile, config: Config) -> list[Raw]:  # noqa: ARG001 - all formats are called alike
    """Return the ratings of judgment lists.

    Raises
    ------
    DataError
        It is no JSON, or a query set.
    """
    lists = [found for path, value in documents(file) for found in wrapped(path, value, "judgmentRatings")]
    if not any(isinstance(value, dict) and "judgmentRatings" in value for _, value in lists):
        raise DataError(f"{file.name} has no judgmentRatings; a query set or an experiment is a log, not judgments")
    named = len(lists) > 1
    ratings: list[Rating] = []
    bare = 0
    for path, value in lists:
        if isinstance(value, Rating):
            ratings.append(value)
            continue
        extras = {"judge_id": value.get("name") or value.get("id")} if named else {}
        for place, query in children(value, path, "judgmentRatings"):
            found = list(_of_query(place, query, extras))
            bare += not found
            ratings += found
    counted = {"queries without ratings": bare}
    return [*rated(file, ratings, last_of=SAME if named else SAME[1:]), *idle(file, counted)]


def wrapped(path: str, value: Any, key: str) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - JSON
    """Return the objects that hold this key, out of what an index wraps them in; what cannot be read as a Rating."""
    if isinstance(value, Rating):
        yield path, value
    elif isinstance(value, list):
        for place, one in enumerate(value):
            yield from wrapped(f"{path}[{place}]", one, key)
    elif isinstance(value, dict) and key not in value and isinstance(value.get("hits"), dict | list):
        yield from wrapped(f"{path}.hits", value["hits"], key)
    elif isinstance(value, dict) and key not in value and isinstance(value.get("_source"), dict):
        yield from wrapped(f"{path}._source", value["_source"], key)
    elif isinstance(value, dict) and key in value:
        yield path, value
    else:
        yield path, Rating(path, node=value, rule=READABLE)


def _of_query(path: str, query: Any, extras: dict[str, Any]) -> Iterator[Rating]:  # noqa: ANN401 - JSON
    """Return the ratings of one query."""
    if not isinstance(query, dict) or not isinstance(query.get("ratings", []), list):
        yield Rating(path, node=query, rule=READABLE)
        return
    for place, one in children(query, path, "ratings"):
        if isinstance(one, dict):
            yield Rating(place, asked(query.get("query")).text, one.get("docId"), one.get("rating"), one, extras)
        else:
            yield Rating(place, node=one, rule=READABLE)
