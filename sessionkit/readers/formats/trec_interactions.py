"""Sessions, queries and results from XML of the Session Track's kind: ``session`` > ``interaction`` > ``results``.

What an element of a session, interaction or result is called becomes the name of its column; where that is one of ours, ``_given`` is
put behind it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from xml.etree.ElementTree import Element

import polars as pl

from sessionkit.contract import COLUMN, RECORD, RULE, VALUE
from sessionkit.readers.formats.trec_stamps import MISSING, Clock
from sessionkit.readers.io.elements import Block, ElementRows, Row, block_of, regular

DOCUMENTS = ("clueweb12id", "clueweb09id", "docid", "docno")
"""Elements that name the document of a result."""
DISPLAYED = ("title", "snippet")
"""Texts of results that were encoded twice; so were addresses, which are kept as they are, as documents may go by them."""
MADE = ("clicked", "clicks", "click_elapsed_seconds", "dwell_seconds")
"""What clicks say of a result."""
ASKED = ("interaction", "currentquery")
TEXT, SECONDS = pl.String, pl.Float64
SESSIONS = dict.fromkeys(("session_id", "user_id", "topic_id"), TEXT)
QUERIES = {
    **{"session_id": TEXT, "query_position": pl.Int64, "judgment_key": TEXT, "query_id": TEXT, "query_text": TEXT},
    **{"elapsed_seconds": SECONDS, "results_status": TEXT},
}
RESULTS = {
    **{"session_id": TEXT, "query_position": pl.Int64, "rank": TEXT, "clicked": pl.Boolean, "clicks": pl.Int32},
    **dict.fromkeys(("click_elapsed_seconds", "dwell_seconds"), SECONDS),
    **dict.fromkeys((*DOCUMENTS, *DISPLAYED, "url"), TEXT),
}
OF_SESSIONS, OF_RESULTS = {RECORD, *SESSIONS}, {RECORD, "session_id", "query_position", *MADE}
OF_QUERIES = {RECORD, *QUERIES, "interaction_type", "current"} - {"query_id"}
"""Columns that are made here, whatever elements are called."""
Told = TypeVar("Told")
TOPIC = ("title", "desc", "narr", "subject")
AS_IN_MAPS = {"tasktype": "task_type"}
"""Attributes of a topic (2012) that a map of sessions to topics has under another name."""


@dataclass
class Query:
    """A query while its list comes in, of which there are several where it was paged."""

    row: Row
    shown: list[Block] = field(default_factory=list)
    logged: bool = False


class Interactions:
    """Takes sessions apart, one after the other.

    Parameters
    ----------
    folder
        Where rows stay; None, in memory.
    topics
        What a map of topics says of sessions, by their number: ``topic_id`` and, perhaps, more.
    pages
        Whether an interaction of type ``page`` goes on with the list of the query before.

    Attributes
    ----------
    sessions, queries, results
        The rows.
    tally
        Counts of what is worth a note or an account, by name.
    cells
        Times that cannot be read, as :data:`~sessionkit.contract.CELL` has them, by the table of the rows they are in.
    """

    def __init__(
        self,
        folder: Path | None,
        *,
        topics: Mapping[str, Mapping[str, str]],
        pages: bool = True,
    ) -> None:
        self.sessions = ElementRows(SESSIONS, tuple(f"topic_{name}" for name in TOPIC), folder)
        self.queries = ElementRows(QUERIES, ("query_text",), folder)
        self.results = ElementRows(RESULTS, DISPLAYED, folder)
        self.tally: Counter[str] = Counter()
        self.cells: list[tuple[str, dict[str, Any]]] = []
        self._topics, self._pages = topics, pages

    def take(self, session: Element, prefix: str) -> None:
        """Take a session apart; `prefix` stands before its number in its session_id."""
        self.tally["sessions"] += 1
        number = session.get("num")
        name = None if number is None else prefix + number
        clock = Clock(session.get("starttime"))
        self._note(clock, 0, "sessions", self.tally["sessions"], "starttime")
        queries: list[Query] = []
        for element in session:
            if element.tag in ASKED:
                self._ask(element, queries, clock)
        for place, query in enumerate(queries, 1):
            row, is_current = query.row, query.row.pop("current")
            own = row.pop("num", None) or ("current" if is_current else place)
            row |= {"session_id": name, "query_position": place}
            if "query_id" in row:
                row["judgment_key"] = f"{name}:{row['query_id']}"
            else:
                row["query_id"] = f"{name}:{own}"
            shown = "partly_observed" if row.get("interaction_type") == "page" else "shown"  # not from its top
            row["results_status"] = shown if query.shown else "empty" if query.logged else "not_logged"
            for listed in query.shown:
                many = len(listed[RECORD])
                listed["session_id"], listed["query_position"] = [name] * many, [place] * many
                self.results.add(listed)
            self.queries.add_row(row)
        self.sessions.add_row(self._session(session, name, clock))

    def _note(self, clock: Clock, before: int, table: str, record: int, column: str) -> None:
        """Keep the time that a clock could not read since, where it could not."""
        for text in clock.unreadable[before:]:
            told = {RECORD: record, COLUMN: column, RULE: f"{column}_is_a_time_of_the_session", VALUE: text}
            self.cells.append((table, told))

    def close(self) -> None:
        """Wait for rows that are on their way to be kept; the folder may be removed then."""
        for rows in (self.sessions, self.queries, self.results):
            rows.close()

    def _session(self, session: Element, name: str | None, clock: Clock) -> Row:
        """Return the row of a session."""
        others = {key: value for key, value in session.items() if key not in ("num", "starttime", "userid")}
        row: Row = others | {leaf.tag: leaf.text for leaf in session if leaf.tag not in (*ASKED, "topic")}
        topic = session.find("topic")
        told = {} if topic is None else _told(topic)
        own = None if topic is None else topic.get("num")
        known = self._topics.get((session.get("num") or "").strip(), {})
        row = _under_own_names(row, OF_SESSIONS)
        row |= {f"topic_{key}": value for key, value in told.items()} | dict(known)
        row["topic_id"] = known.get("topic_id") or own or told.get("title")
        self.tally["titles"] += not (known or own) and bool(row["topic_id"])
        self.tally["other topics"] += bool(known and own and known["topic_id"] != own)
        user, start = session.get("userid", "").strip(), session.get("starttime", "").strip()
        row["user_id"] = None if user in MISSING else user
        if clock.of_day and start not in MISSING:
            row["started_at_time_of_day"] = start
        return row | {RECORD: self.tally["sessions"], "session_id": name}

    def _ask(self, interaction: Element, queries: list[Query], clock: Clock) -> None:
        """Take an interaction apart: a query, or a further page of the query before."""
        self.tally["interactions"] += 1
        row: Row = dict(interaction.attrib)
        start, kind = row.pop("starttime", None), row.pop("type", None)
        lists, clicks = [], []
        for child in interaction:
            if child.tag == "results":
                lists.append(child)
            elif child.tag == "clicked":
                clicks += child.findall("click")
            else:
                row[child.tag] = child.text
        asked = row.pop("query", None)
        row = _under_own_names(row, OF_QUERIES)
        row |= {RECORD: self.tally["interactions"], "query_text": asked, "interaction_type": kind}
        before = len(clock.unreadable)
        row |= {"elapsed_seconds": clock.elapsed(start), "current": interaction.tag == "currentquery"}
        self._note(clock, before, "queries", self.tally["interactions"], "starttime")
        further = kind == "page" and self._pages and bool(queries)
        self.tally["pages"] += further
        if not further:
            queries.append(Query(row))
        query = queries[-1]
        query.logged |= bool(lists)
        for results in lists:
            listed = self._listed(results)
            if further:
                many = len(listed[RECORD])
                listed = _not_in(query.shown, listed)
                self.tally["shown again"] += many - len(listed[RECORD])
            if listed[RECORD]:
                query.shown.append(listed)
        if clicks:
            self._click(clicks, query, clock)

    def _listed(self, results: Element) -> Block:
        """Return the rows of a list."""
        found = regular(results)
        if found is None:
            found = block_of([_result(result) for result in results])
        first, many = self.tally["results"] + 1, len(next(iter(found.values()), results))
        self.tally["results"] += many
        return _under_own_names(found, OF_RESULTS) | {RECORD: list(range(first, first + many))}

    def _click(self, clicks: list[Element], query: Query, clock: Clock) -> None:
        """Bring clicks onto the results at their rank; where that is none, or another document, onto their document."""
        for click in clicks:
            self.tally["clicks"] += 1
            told = {leaf.tag: (leaf.text or "").strip() for leaf in click}
            times = []
            for name in ("starttime", "endtime"):
                before = len(clock.unreadable)
                times.append(clock.elapsed(click.get(name)))
                self._note(clock, before, "queries", self.tally["interactions"], f"click_{name}")
            began, ended = times
            place = _clicked(query.shown, told.get("rank"), _document(told) if len(told) > 1 else None)
            if place is None:
                self.tally["clicks outside"] += 1
                continue
            block, row = place
            if "clicked" not in block:
                block |= {name: [None] * len(block[RECORD]) for name in MADE}
            block["clicked"][row], block["clicks"][row] = True, (block["clicks"][row] or 0) + 1
            if began is not None:
                first = block["click_elapsed_seconds"][row]
                block["click_elapsed_seconds"][row] = began if first is None else min(began, first)
            if began is not None and ended is not None:
                self.tally["negative dwell"] += ended < began
                if ended >= began:
                    block["dwell_seconds"][row] = round((block["dwell_seconds"][row] or 0.0) + ended - began, 6)


def _told(topic: Element) -> dict[str, str]:
    """Return what a topic says: its elements and what describes them, its attributes but for its number."""
    told = {AS_IN_MAPS.get(key, key): value for key, value in topic.items() if key != "num"}
    for leaf in topic:
        told |= {f"{leaf.tag}_{key}": value for key, value in leaf.items()}
        told[leaf.tag] = (leaf.text or "").strip()
    return told


def _result(result: Element) -> Row:
    """Return the row of a result."""
    row: Row = dict(result.attrib)
    for leaf in result:
        row[leaf.tag] = leaf.text
        row |= {inner.tag: inner.text for inner in leaf}
    return row


def _under_own_names(told: dict[str, Told], ours: Set[str]) -> dict[str, Told]:
    """Return what elements say, by name, with another name for what is called like a column that is made here."""
    if ours.isdisjoint(told):
        return told
    return {f"{name}_given" if name in ours else name: value for name, value in told.items()}


def _document(row: Row) -> str | None:
    """Return the document that a result or click names, else its address."""
    return next((row[name].strip() for name in (*DOCUMENTS, "url") if row.get(name)), None)


def _documents(listed: Block) -> list[str | None]:
    """Return the documents of a list."""
    columns = [listed[name] for name in (*DOCUMENTS, "url") if name in listed]
    return [next((one.strip() for one in named if one), None) for named in zip(*columns, strict=True)]


def _ranks(listed: Block) -> list[str]:
    """Return the ranks of a list, as they are written."""
    return [(rank or "").strip() for rank in listed.get("rank", [None] * len(listed[RECORD]))]


def _not_in(shown: list[Block], listed: Block) -> Block:
    """Return the results of a page without those that the query has shown already, at the same rank."""
    before = {pair for earlier in shown for pair in zip(_ranks(earlier), _documents(earlier), strict=False)}
    places = [
        place for place, pair in enumerate(zip(_ranks(listed), _documents(listed), strict=False)) if pair not in before
    ]
    return {name: [values[place] for place in places] for name, values in listed.items()}


def _clicked(shown: list[Block], rank: str | None, document: str | None) -> tuple[Block, int] | None:
    """Return the result clicked: that at the rank; where that is none, or another document, that of the document."""
    ranked = ((one, _ranks(one)) for one in shown if rank is not None)
    at_rank = next(((one, ranks.index(rank)) for one, ranks in ranked if rank in ranks), None)
    if document is None or (at_rank and _documents(at_rank[0])[at_rank[1]] == document):
        return at_rank
    named = ((one, _documents(one)) for one in shown)
    return next(((one, documents.index(document)) for one, documents in named if document in documents), at_rank)
