"""Format of judgments ``rre``: ratings of the Rated Ranking Evaluator, which Quepid exports too.

``topics`` hold ``query_groups``, these hold ``queries``; levels may be missing. ``relevant_documents`` of a group (or of a topic,
or of a query, as in Quepid's export) apply to every query in it, in one of three shapes: ``{"doc": {"gain": 3}}``, ``{"3":
["doc", "doc"]}`` or ``[{"document_id": "doc", "gain": 3}]``. The text of a query is the placeholder that ``query_placeholder``
names, else ``$query``, else its only placeholder. Documents that are not listed are not judged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sessionkit.errors import DataError
from sessionkit.readers.config import Config
from sessionkit.readers.entries import Glimpse
from sessionkit.readers.io.log_files import LogFile
from sessionkit.readers.judgments.ratings import Rating, children, documents, idle, rated
from sessionkit.readers.raw import Raw

TRIED = (
    "rre_ratings_example.json, the ratings of an evaluation and of the dataset generator of the Rated Ranking "
    "Evaluator, and parts of those of its evaluator for Solr, of its generic archetype and of Chorus, in all three "
    "shapes; the whole is built from the source of Quepid's importer and exporter"
)
LOOK = re.compile(r'"(relevant_documents|placeholders)"\s*:\s*\{')
LEVELS = ("topics", "query_groups", "queries")
READABLE = "documents_can_be_read"
TEXT, NAMED = "$query", "query_placeholder"
SAME = ("judgment_key", "doc_id", "grade")


@dataclass
class Walked:
    """What was found in a tree so far: ratings, and the queries without any; and the placeholder that is the query."""

    text: str = TEXT
    ratings: list[Rating] = field(default_factory=list)
    bare: int = 0


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins like JSON of queries with placeholders or relevant documents."""
    return glimpse.head.lstrip().startswith("{") and LOOK.search(glimpse.head) is not None


def read(file: LogFile, config: Config) -> list[Raw]:  # noqa: ARG001 - all formats are called alike
    """Return the ratings, one for each query and document of a group.

    Raises
    ------
    DataError
        It is no JSON, or holds none of the levels.
    """
    walked = Walked()
    for path, value in documents(file):
        if isinstance(value, Rating):
            walked.ratings.append(value)
        elif isinstance(value, dict) and any(level in value for level in LEVELS):
            walked.text = str(value.get(NAMED) or TEXT)
            _walk(value, path, [], walked)
        else:
            raise DataError(f"{file.name}: {path} holds none of {', '.join(LEVELS)}, which ratings of RRE have")
    return [*rated(file, walked.ratings, last_of=SAME), *idle(file, {"queries without documents": walked.bare})]


def _walk(node: dict[str, Any], path: str, above: list[Rating], walked: Walked) -> None:
    """Take note of the ratings of all queries in a node; `above` are those of the nodes it is in, without queries."""
    documented = [*above, *_documents(node, path)]
    if "placeholders" in node or not any(level in node for level in LEVELS):
        text = _text(node.get("placeholders"), walked.text)
        walked.bare += not documented
        walked.ratings += [
            Rating(one.path, text, one.doc_id, one.grade, {"query": text, **one.node}, rule=one.rule)
            for one in documented
        ]
        return
    for level in LEVELS:
        for place, child in children(node, path, level):
            if isinstance(child, dict):
                _walk(child, place, documented, walked)
            else:
                walked.ratings.append(Rating(place, node=child, rule=READABLE))


def _documents(node: dict[str, Any], path: str) -> Iterator[Rating]:
    """Return the documents that a node says are relevant, without a query."""
    found = node.get("relevant_documents")
    if found is None:
        return
    path = f"{path}.relevant_documents"
    if isinstance(found, list) and all(isinstance(one, dict) for one in found):
        for number, one in enumerate(found):
            yield Rating(f"{path}[{number}]", None, one.get("document_id"), one.get("gain"), one)
        return
    if not isinstance(found, dict):
        yield Rating(path, node={"relevant_documents": found}, rule=READABLE)
        return
    for key, value in found.items():
        place = f"{path}[{json.dumps(key)}]"
        if isinstance(value, list):
            yield from (Rating(f"{place}[{n}]", None, doc, key, {key: doc}) for n, doc in enumerate(value))
        else:
            yield Rating(place, None, key, value.get("gain") if isinstance(value, dict) else value, {key: value})


def _text(placeholders: Any, name: str) -> Any:  # noqa: ANN401 - JSON
    """Return the text of a query; None where it is not clear which it is."""
    if not isinstance(placeholders, dict):
        return None
    only = next(iter(placeholders.values())) if len(placeholders) == 1 else None
    return placeholders.get(name, placeholders.get(TEXT, only))
