"""Ratings in JSON as unchecked judgments: rank evaluation requests, the Rated Ranking Evaluator, the Search Relevance Workbench."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import polars as pl

from sessionkit.errors import DataError
from sessionkit.readers.config import Config
from sessionkit.readers.format import Glimpse
from sessionkit.readers.io.delimited import BYTES, DECODED, refuse_other_encoding
from sessionkit.readers.io.files import LogFile, content_of, not_utf8
from sessionkit.readers.io.json import IS_JSON, loads
from sessionkit.readers.raw import LINE, RAW, Locate, Raw
from sessionkit.study.checks import RECORD, RULE, VALUE

KEYS = ("judgment_key", "doc_id")
Name = TypeVar("Name", str, str | None)
LONGEST = 200
"""Characters of a value that are kept of a record that cannot be taken apart."""


@dataclass(frozen=True, slots=True)
class Rating:
    """One rating.

    Parameters
    ----------
    path
        Where it stands, such as ``$.queries[3].ratings``.
    judgment_key, doc_id, grade
        As the JSON has them; None where they are missing.
    node
        What stands there, for people.
    extras
        Further columns.
    rule
        The rule it breaks, where it cannot be taken apart.
    """

    path: str
    judgment_key: Any = None
    doc_id: Any = None
    grade: Any = None
    node: Any = None
    extras: Mapping[str, Any] = field(default_factory=dict)
    rule: str | None = None


def documents(file: LogFile, *, before: re.Pattern[str] | None = None) -> Iterator[tuple[str, Any]]:
    """Return the JSON values of a file with their paths: one, or one per line; after a line that matches `before`, if it begins so.

    A line of several that is no JSON is a :class:`Rating` that breaks ``line_is_json``, one with bytes that are no text one
    that breaks ``line_can_be_decoded``.

    Raises
    ------
    DataError
        It is no JSON, not UTF-8, or ends early.
    """
    text = content_of(file).decode("utf-8-sig", errors="surrogateescape")
    bad = BYTES.search(text)
    if before is not None and (first := before.match(text)):
        text = "\n" * first.group().count("\n") + text[first.end() :]  # errors name lines of the file
    try:
        value = loads(text)
        if bad:
            raise not_utf8(file)
        yield "$", value
    except json.JSONDecodeError as error:
        if "Extra data" not in error.msg:
            if bad:
                raise not_utf8(file) from None
            place = f"line {error.lineno}, column {error.colno}"
            raise DataError(f"{file.name}, {place}: this is not JSON ({error.msg}); is the file whole?") from None
        if bad:
            refuse_other_encoding(file)
        yield from _lines(text)
    except RecursionError:
        raise DataError(f"{file.name} is JSON nested too deeply to be judgments") from None


def rated(file: LogFile, ratings: Sequence[Rating], *, last_of: Sequence[str] = ()) -> list[Raw]:
    """Return ratings as a source of judgments.

    Parameters
    ----------
    last_of
        Of ratings that are alike in these columns the last counts, and the others are merged into it.
    """
    names = list(dict.fromkeys(name for rating in ratings for name in rating.extras))
    columns: dict[str, list[Any]] = {
        RECORD: list(range(1, len(ratings) + 1)),
        RULE: [rating.rule for rating in ratings],
        VALUE: [_spelled(rating.node)[:LONGEST] if rating.rule else None for rating in ratings],
        **{name: [text_of(getattr(rating, name)) for rating in ratings] for name in (*KEYS, "grade")},
        **{name: [text_of(rating.extras.get(name)) for rating in ratings] for name in names},
    }
    frame = pl.DataFrame(columns, schema={name: pl.Int64 if name == RECORD else pl.String for name in columns})
    kept = frame
    if last_of:
        whole = pl.all_horizontal(pl.col(KEYS).is_not_null()) & pl.col(RULE).is_null()
        alike = pl.struct(name for name in last_of if name in columns)
        kept = frame.filter(~whole | alike.is_last_distinct())
    raws = [source(file, kept, "ratings", locate=_way_back(ratings))]
    if len(frame) > len(kept):
        raws.append(rowless(file, "repeated ratings, of which the last counts", merged=len(frame) - len(kept)))
    return raws


def source(file: LogFile, frame: pl.DataFrame | pl.LazyFrame, kind: str, *, locate: Locate) -> Raw:
    """Return rows as a source of judgments."""
    rows = frame.lazy().collect()
    return Raw("judgments", file.name, rows.lazy(), len(rows), locate, file.bytes, file.digest, kind=kind)


def rowless(file: LogFile, kind: str, *, merged: int = 0, idle: int = 0) -> Raw:
    """Return the account of records that become no judgments, or went into others."""
    schema = {RECORD: pl.Int64, **dict.fromkeys((*KEYS, "grade"), pl.String)}
    none = source(file, pl.DataFrame(schema=schema), kind, locate=_way_back(()))
    return replace(none, records=merged + idle, merged=merged, idle=idle)


def idle(file: LogFile, counts: Mapping[str, int]) -> list[Raw]:
    """Return the accounts of records that carry no judgment, by kind."""
    return [rowless(file, kind, idle=many) for kind, many in counts.items() if many]


def children(node: Any, path: str, key: str) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - JSON
    """Return the entries of a list in an object with their paths; an entry is the list itself where it is none."""
    found = node.get(key)
    if isinstance(found, list):
        yield from ((f"{path}.{key}[{place}]", child) for place, child in enumerate(found))
    elif found is not None:
        yield f"{path}.{key}", found


def text_of(value: Any) -> str | None:  # noqa: ANN401 - JSON
    """Return a JSON value as the text a table would have; blank text is none.

    >>> text_of(" a "), text_of(3), text_of(0.5), text_of(True), text_of("")
    ('a', '3', '0.5', 'true', None)
    """
    if isinstance(value, str):
        return value.strip() or None
    return None if value is None else _spelled(value)


def told_apart(names: Sequence[Name]) -> list[Name]:
    """Return names, those that stand there again with a number.

    >>> told_apart(["Ann", "Bob", "Ann", None, "Ann (2)"])
    ['Ann', 'Bob', 'Ann (2)', None, 'Ann (2) (2)']
    """
    many: Counter[str] = Counter()
    told: list[Name] = []
    for name in names:
        one = name
        while one is not None and one in many:
            many[str(name)] += 1
            one = f"{name} ({many[str(name)]})"
        if one is not None:
            many[one] = 1
        told.append(one)
    return told


def _spelled(value: Any) -> str:  # noqa: ANN401 - JSON
    """Return a value as JSON."""
    return json.dumps(value, ensure_ascii=False)


def _lines(text: str) -> Iterator[tuple[str, Any]]:
    """Return the values of lines, each a JSON value."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        if BYTES.search(line):
            spelled = line.encode(errors="surrogateescape").decode(errors="backslashreplace")
            yield f"line {number}", Rating(f"line {number}", node=spelled[:LONGEST], rule=DECODED)
            continue
        try:
            yield f"line {number}: $", loads(line)
        except (json.JSONDecodeError, RecursionError):
            yield f"line {number}", Rating(f"line {number}", node=line[:LONGEST], rule=IS_JSON)


def _way_back(ratings: Sequence[Rating]) -> Locate:
    """Return how to find the path and text of ratings."""

    def locate(records: pl.Series) -> pl.DataFrame:
        numbers = records.to_list()
        found = [ratings[number - 1] for number in numbers]
        lines = [int(one.path.split(":")[0][5:]) if one.path.startswith("line ") else None for one in found]
        raw = [f"{one.path} = {_spelled(one.node)}" for one in found]
        schema = {RECORD: pl.Int64, LINE: pl.Int64, RAW: pl.String}
        return pl.DataFrame({RECORD: numbers, LINE: lines, RAW: raw}, schema=schema)

    return locate


RANK_EVAL_TRIED = "five requests of cbuescher/rankEvalDemo (large.txt and requests/*.txt, of which four begin with the line of a console)"
CONSOLE = re.compile(r"\ufeff?\s*(?:GET|POST)[ \t]+\S*_rank_eval\S*[ \t]*\r?\n")
REQUESTS, RATINGS = re.compile(r'"requests"\s*:\s*\['), re.compile(r'"ratings"\s*:\s*\[\s*(\{[^{}]*"_id"|\])')
RANK_EVAL_READABLE = "rating_can_be_read"


def fits_rank_eval(glimpse: Glimpse) -> bool:
    """Return whether a text begins like such a request."""
    line = CONSOLE.match(glimpse.head)
    request = glimpse.head[line.end() :] if line else glimpse.head
    is_json = request.lstrip("\ufeff \t\r\n").startswith("{")
    return is_json and all(pattern.search(glimpse.head) for pattern in (REQUESTS, RATINGS))


def read_rank_eval(file: LogFile, config: Config) -> list[Raw]:  # noqa: ARG001 - all formats are called alike
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
        yield Rating(path, node=request, rule=RANK_EVAL_READABLE)
        return
    for place, rating in children(request, path, "ratings"):
        if isinstance(rating, dict):
            index = {"index": rating["_index"]} if "_index" in rating else {}
            yield Rating(place, request.get("id"), rating.get("_id"), rating.get("rating"), rating, index)
        else:
            yield Rating(place, node=rating, rule=RANK_EVAL_READABLE)


RRE_TRIED = (
    "rre_ratings_example.json, the ratings of an evaluation and of the dataset generator of the Rated Ranking "
    "Evaluator, and parts of those of its evaluator for Solr, of its generic archetype and of Chorus, in all three "
    "shapes; the whole is built from the source of Quepid's importer and exporter"
)
LOOK = re.compile(r'"(relevant_documents|placeholders)"\s*:\s*\{')
LEVELS = ("topics", "query_groups", "queries")
RRE_READABLE = "documents_can_be_read"
TEXT, NAMED = "$query", "query_placeholder"
RRE_KEYS = ("judgment_key", "doc_id", "grade")


@dataclass
class Walked:
    """What was found in a tree so far: ratings, and the queries without any; and the placeholder that is the query."""

    text: str = TEXT
    ratings: list[Rating] = field(default_factory=list)
    bare: int = 0


def fits_rre(glimpse: Glimpse) -> bool:
    """Return whether a text begins like JSON of queries with placeholders or relevant documents."""
    return glimpse.head.lstrip().startswith("{") and LOOK.search(glimpse.head) is not None


def read_rre(file: LogFile, config: Config) -> list[Raw]:  # noqa: ARG001 - all formats are called alike
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
    return [*rated(file, walked.ratings, last_of=RRE_KEYS), *idle(file, {"queries without documents": walked.bare})]


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
                walked.ratings.append(Rating(place, node=child, rule=RRE_READABLE))


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
        yield Rating(path, node={"relevant_documents": found}, rule=RRE_READABLE)
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


SRW_TRIED = (
    "esci_us and art judgment lists of chorus-opensearch-edition (imported), movies_judgments.json of "
    "search-relevance, parts of hybrid_optimizer_demo and of a document of the index; several lists in a file and "
    "repeated documents never on real files"
)
LIST, SET = re.compile(r'"judgmentRatings"\s*:'), re.compile(r'"querySetQueries"\s*:')
SRW_READABLE = "ratings_can_be_read"
SRW_KEYS = ("judge_id", "judgment_key", "doc_id")


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


def fits_srw(glimpse: Glimpse) -> bool:
    """Return whether a text begins like JSON with judgment lists, or with a query set, which has none."""
    return glimpse.head.lstrip()[:1] in ("{", "[") and (
        LIST.search(glimpse.head) is not None or SET.search(glimpse.head) is not None
    )


def read_srw(file: LogFile, config: Config) -> list[Raw]:  # noqa: ARG001 - all formats are called alike
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
    return [*rated(file, ratings, last_of=SRW_KEYS if named else SRW_KEYS[1:]), *idle(file, counted)]


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
        yield path, Rating(path, node=value, rule=SRW_READABLE)


def _of_query(path: str, query: Any, extras: dict[str, Any]) -> Iterator[Rating]:  # noqa: ANN401 - JSON
    """Return the ratings of one query."""
    if not isinstance(query, dict) or not isinstance(query.get("ratings", []), list):
        yield Rating(path, node=query, rule=SRW_READABLE)
        return
    for place, one in children(query, path, "ratings"):
        if isinstance(one, dict):
            yield Rating(place, asked(query.get("query")).text, one.get("docId"), one.get("rating"), one, extras)
        else:
            yield Rating(place, node=one, rule=SRW_READABLE)
