"""JSON that Quepid exports: the ratings of a case, and those of the judges of a book."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from sessionkit.errors import DataError
from sessionkit.readers.io.log_files import LogFile
from sessionkit.readers.judgments.ratings import Rating, children, documents

CASE = re.compile(r'"queries"\s*:\s*\[')
TEXTS = re.compile(r'"(query|query_text)"\s*:\s*"')
OTHERS = re.compile(r'"(placeholders|relevant_documents|judgmentRatings|querySetQueries|query_groups)"\s*:')
PAIRS = re.compile(r'"query_doc_pairs"\s*:')
READABLE = "ratings_can_be_read"
NOBODY = "Anonymous"
"""Whose judgements are those without a name."""
KEPT = ("information_need", "explanation", "unrateable", "judge_later")
"""What a book says beside ratings that is kept."""


def holds_json(text: str) -> bool:
    """Return whether a text begins like JSON of a case with ratings, or of a book.

    >>> holds_json('{"queries": [{"query": "lamp", "ratings": {"A1": 3}}]}'), holds_json('{"queries": []}')
    (True, False)
    """
    if not text.lstrip().startswith("{") or OTHERS.search(text):
        return False
    return PAIRS.search(text) is not None or (CASE.search(text) is not None and TEXTS.search(text) is not None)


def ratings_of(file: LogFile) -> tuple[list[Rating], dict[str, int]]:
    """Return the ratings of a case or book, and how many records have none, by kind.

    Raises
    ------
    DataError
        It is no JSON, or neither.
    """
    found: list[Rating] = []
    bare = {"queries without ratings": 0, "documents without rating": 0, "judgements without rating": 0}
    for path, value in documents(file):
        if isinstance(value, Rating):
            found.append(value)
        elif isinstance(value, dict) and "query_doc_pairs" in value:
            for place, pair in children(value, path, "query_doc_pairs"):
                found += _of_pair(place, pair, bare)
        elif isinstance(value, dict) and "queries" in value:
            for place, query in children(value, path, "queries"):
                found += _of_query(place, query, bare)
        else:
            raise DataError(
                f"{file.name}: {path} has neither queries nor query_doc_pairs, which exports of Quepid have"
            )
    return found, bare


def _of_query(path: str, query: Any, bare: dict[str, int]) -> list[Rating]:  # noqa: ANN401 - JSON
    """Return the ratings of a query of a case."""
    ratings = query.get("ratings") or {} if isinstance(query, dict) else None
    if not isinstance(ratings, dict | list):
        return [Rating(path, node=query, rule=READABLE)]
    text = query.get("query", query.get("query_text"))
    bare["queries without ratings"] += not ratings
    found = list(_listed(path, text, ratings) if isinstance(ratings, list) else _by_document(path, text, ratings))
    rated = [one for one in found if one.grade is not None or one.rule]
    bare["documents without rating"] += len(found) - len(rated)
    return rated


def _by_document(path: str, text: Any, ratings: dict[str, Any]) -> Iterator[Rating]:  # noqa: ANN401 - JSON
    """Return ratings that are given as grades by document."""
    for doc, grade in ratings.items():
        yield Rating(f"{path}.ratings[{json.dumps(doc)}]", text, doc, grade, grade)


def _listed(path: str, text: Any, ratings: list[Any]) -> Iterator[Rating]:  # noqa: ANN401 - JSON
    """Return ratings that are given as a list."""
    for number, one in enumerate(ratings):
        place = f"{path}.ratings[{number}]"
        if isinstance(one, dict):
            judge = {"judge_id": one["user_email"]} if one.get("user_email") else {}
            yield Rating(place, text, one.get("doc_id"), one.get("rating"), one, judge)
        else:
            yield Rating(place, node=one, rule=READABLE)


def _of_pair(path: str, pair: Any, bare: dict[str, int]) -> list[Rating]:  # noqa: ANN401 - JSON
    """Return the ratings of a document for a query in a book."""
    judgements = pair.get("judgements") or [] if isinstance(pair, dict) else None
    if not isinstance(judgements, list):
        return [Rating(path, node=pair, rule=READABLE)]
    bare["documents without rating"] += not judgements
    found = []
    for number, one in enumerate(judgements):
        place = f"{path}.judgements[{number}]"
        if not isinstance(one, dict):
            found.append(Rating(place, node=one, rule=READABLE))
        elif one.get("rating") is None:
            bare["judgements without rating"] += 1
        else:
            said = {name: value for name in KEPT if (value := one.get(name, pair.get(name))) not in (None, "")}
            extras = {"judge_id": one.get("user_email") or NOBODY, **said}
            found.append(Rating(place, pair.get("query_text"), pair.get("doc_id"), one["rating"], one, extras))
    return found
