"""Format of judgments ``rank_eval``: the ratings of a request to ``_rank_eval`` of Elasticsearch or OpenSearch, as JSON.

``{"requests": [{"id": "q1", "request": {...}, "ratings": [{"_index": "i", "_id": "d1", "rating": 3}]}]}``. The id of a request is the
key of its judgments, ``_id`` the document; ``_index`` is kept. The first line may name the request, as in consoles:
``POST /index/_rank_eval``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sessionkit.errors import DataError
from sessionkit.readers.config import Config
from sessionkit.readers.entries import Glimpse
from sessionkit.readers.io.log_files import LogFile
from sessionkit.readers.judgments.ratings import Rating, children, documents, idle, rated
from sessionkit.readers.raw import Raw

TRIED = "five requests of cbuescher/rankEvalDemo (large.txt and requests/*.txt, of which four begin with the line of a console)"
CONSOLE = re.compile(r"\ufeff?\s*(?:GET|POST)[ \t]+\S*_rank_eval\S*[ \t]*\r?\n")
REQUESTS, RATINGS = re.compile(r'"requests"\s*:\s*\['), re.compile(r'"ratings"\s*:\s*\[\s*(\{[^{}]*"_id"|\])')
READABLE = "rating_can_be_read"


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins like such a request."""
    line = CONSOLE.match(glimpse.head)
    request = glimpse.head[line.end() :] if line else glimpse.head
    is_json = request.lstrip("\ufeff \t\r\n").startswith("{")
    return is_json and all(pattern.search(glimpse.head) for pattern in (REQUESTS, RATINGS))


def read(file: LogFile, config: Config) -> list[Raw]:  # noqa: ARG001 - all formats are called alike
    """Return the ratings of all requests.

    Raises
    ------
    DataError
        It is no JSON, or has no requests.
    """
    ratings, n_unrated = list[Rating](), 0
    for path, value in documents(file, before=CONSOLE):
        if isinstance(value, Rating):
            ratings.append(value)
        elif isinstance(value, dict) and "requests" in value:
            for place, request in children(value, path, "requests"):
                of_request = list(_ratings_of(place, request))
                n_unrated += not of_request
                ratings += of_request
        else:
            raise DataError(f'{file.name}: {path} has no "requests", which a request to _rank_eval has')
    return [*rated(file, ratings), *idle(file, {"requests without ratings": n_unrated})]


def _ratings_of(path: str, request: Any) -> Iterator[Rating]:  # noqa: ANN401 - JSON
    """Return the ratings of a request."""
    if not isinstance(request, dict):
        yield Rating(path, node=request, rule=READABLE)
        return
    for place, rating in children(request, path, "ratings"):
        if isinstance(rating, dict):
            index = {"index": rating["_index"]} if "_index" in rating else {}
            yield Rating(place, request.get("id"), rating.get("_id"), rating.get("rating"), rating, index)
        else:
            yield Rating(place, node=rating, rule=READABLE)
