"""Format ``trec_session``: logs of the TREC Session Track, 2011 to 2014, as XML (also named .txt, also packed).

- The root carries the year; ``session_id`` is year and number (``2013-7``), as numbers come again every year.
- Documents are ``clueweb09id`` or ``clueweb12id``; where there is none, the address.
- Times of 2011 and 2012 are times of day without a date, with midnight in between; those of 2013 and 2014 are seconds.
  Both become seconds since the session began (``elapsed_seconds``, ``click_elapsed_seconds``), never a date. ``NA`` and
  ``-1`` are times that are not known.
- ``currentquery`` is the last query of its session, with ``results_status`` ``not_logged``; an interaction without
  ``results`` too (levels RL1 to RL3 of 2011 and 2012); one with an empty ``results`` is ``empty``.
- What a topic of 2012 has beside its texts (``product``, ``goal``, ``tasktype``, the number of its subject) stays in
  ``topic_product``, ``topic_goal``, ``topic_task_type``, ``topic_subject_num``, as the map of topics names them.
- Several clicks on one result are one row: the first time, the sum of the dwell times, their number. A log without any
  ``clicked`` (RL3) says nothing of clicks, so neither do its results.
- An interaction of ``type="page"`` (2014) goes on with the list of the query before, at ranks 11 and on; with
  ``merge_queries = []``, or where no query is before it, it is a query of its own, whose list is ``partly_observed``.
- Texts were encoded twice; those that are displayed are decoded once more, document ids and addresses are not.
- Raw ampersands (2012) are escaped and counted. Document types and entities are refused.
- ``--topics-file`` (or ``topics`` in study.toml) names the track's map of sessions to topics; 2011 needs it, as its log has no
  numbers of topics. Without it a topic goes by its title, which no judgments are for.

Judgments are qrels, ``topic subtopic document grade``. ``grades = "official2012"`` in study.toml applies the grades' order
of 2012 (``judgments/qrels.py``).

A time of day says nothing of the day, so it becomes no datetime; where it falls by more than half a day, midnight has
passed; where it then rises by as much, it is one of the day before.

Maps from sessions to topics are fields between blanks, with or without a header:

- 2011: ``session topic subtopic``, several rows a session
- 2012: tabs, a header; session, topic, a column that is not used, product, goal, type of task
- 2013: ``session topic``, no header
- 2014: at least two columns

As in the track's own script a row whose second field is not all digits is skipped, which a header is as well.

What an element of a session, interaction or result is called becomes the name of its column; where that is one of ours, ``_given`` is
put behind it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Set
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from xml.etree.ElementTree import Element

import polars as pl

from sessionkit.display.numbers import counted
from sessionkit.errors import DataError
from sessionkit.readers.format import TOPICS, Glimpse, Option
from sessionkit.readers.io.files import LogFile, open_log, text_of
from sessionkit.readers.io.xml import Block, ElementRows, Markup, Row, block_of, regular, uncollected
from sessionkit.readers.judgments.qrels import GRADES
from sessionkit.readers.raw import Raw
from sessionkit.readers.records import Log, Taken, raw_of, set_aside
from sessionkit.study.checks import CELL, CELLS, COLUMN, RECORD, RULE, VALUE

DAY = 86_400.0
MISSING = ("", "NA", "-1", "null", "None")
"""What stands where a time is not known."""
TIME_OF_DAY = re.compile(r"(\d{1,2}):(\d{2}):(\d{2}(?:\.\d+)?)")
SECONDS = re.compile(r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")


class Clock:
    """The times of one session, to be asked for in the order in which they stand in the log.

    Parameters
    ----------
    start
        When the session began, as the log says it; where it does not, the first time asked for is the beginning.

    Examples
    --------
    >>> clock = Clock("23:59:30.5")
    >>> clock.elapsed("23:59:40.5"), clock.elapsed("00:00:10.5"), clock.elapsed("NA")
    (10.0, 40.0, None)
    >>> clock = Clock("0")
    >>> clock.elapsed("12.5")
    12.5
    """

    def __init__(self, start: str | None) -> None:
        self.of_day = False
        self.unreadable: list[str] = []
        self._days = 0.0
        self._last: float | None = None
        self._origin = self._seconds(start)

    def elapsed(self, text: str | None) -> float | None:
        """Return the seconds since the session began; None where unknown, unreadable or before the session began."""
        seconds = self._seconds(text)
        if seconds is None:
            return None
        if self._origin is None:
            self._origin = seconds if self.of_day else 0.0
        if seconds < self._origin and not self.of_day:
            self._origin = 0.0  # its times count from the beginning of the session, whatever that says of itself
        since = round(seconds - self._origin, 6)
        if since < 0:
            self.unreadable.append(text or "")
            return None
        return since

    def _seconds(self, text: str | None) -> float | None:
        """Return seconds since midnight of the first day, or as they stand there."""
        stripped = (text or "").strip()
        if SECONDS.fullmatch(stripped):
            return float(stripped)
        if stripped in MISSING:
            return None
        parts = TIME_OF_DAY.fullmatch(stripped)
        if parts is None:
            self.unreadable.append(stripped)
            return None
        self.of_day = True
        seconds = int(parts[1]) * 3600 + int(parts[2]) * 60 + float(parts[3]) + self._days
        if self._last is not None and seconds < self._last - DAY / 2:
            self._days += DAY
            seconds += DAY
        elif self._is_before_midnight(seconds):
            return seconds - DAY
        self._last = seconds
        return seconds

    def _is_before_midnight(self, seconds: float) -> bool:
        """Return whether a time is of the day before: a document may be read past midnight after the next query was asked."""
        return self._last is not None and seconds > self._last + DAY / 2 and seconds - DAY >= (self._origin or 0.0)


TASKS = ("product", "goal", "task_type")
"""What the fourth to sixth column of a map with six columns are."""


def read_topics(path: Path | None, workspace: Path) -> tuple[dict[str, dict[str, str]], list[str]]:
    """Return what a map says of each session, by its number, and what was unusual.

    Raises
    ------
    DataError
        The file is missing or unreadable, or no row of it names a session and a topic.
    """
    if path is None:
        return {}, []
    file = open_log(path.name, path.parent, workspace)
    found: dict[str, dict[str, str]] = {}
    skipped: list[str] = []
    several = 0
    for number, line in enumerate(text_of(file).splitlines(), 1):
        fields = [field.strip() for field in line.split("\t")] if line.count("\t") else line.split()
        if not line.strip():
            continue
        if len(fields) < 2 or not fields[1].isdecimal():
            skipped.append(f"{number} ({line.strip()[:60]!r})")
            continue
        session, topic = fields[0], fields[1]
        known = found.setdefault(session, {"topic_id": topic})
        several += known["topic_id"] != topic
        if len(fields) == 3:
            before = known.get("topic_subtopics")
            known["topic_subtopics"] = f"{before} {fields[2]}" if before else fields[2]
        elif len(fields) > 3:
            known |= {f"topic_{name}": field for name, field in zip(TASKS, fields[3:], strict=False) if field}
    if not found:
        raise DataError(
            f"{file.name} maps no session to a topic; a row is the number of a session, then that of a topic"
        )
    notes = [f"{file.name}: topics of {counted(len(found), 'session')}"]
    if skipped:
        notes.append(
            f"{file.name}: skipped as no session with the number of a topic: line {', '.join(skipped[:3])}"
            + (f" and {len(skipped) - 3:,} more" if len(skipped) > 3 else "")
        )
    if several:
        notes.append(f"{file.name}: {several:,} rows give a session another topic than its first, which is kept")
    return found, notes


DOCUMENTS = ("clueweb12id", "clueweb09id", "docid", "docno")
"""Elements that name the document of a result or click."""
DISPLAYED = ("title", "snippet")
"""Texts of results that were encoded twice; so were addresses, which are kept as they are, as documents may go by them."""
MADE = ("clicked", "clicks", "click_elapsed_seconds", "dwell_seconds")
"""What clicks say of a result."""
ASKED = ("interaction", "currentquery")
TEXT = pl.String
SESSIONS = dict.fromkeys(("session_id", "user_id", "topic_id"), TEXT)
QUERIES = {
    **{"session_id": TEXT, "query_position": pl.Int64, "query_id": TEXT, "query_text": TEXT},
    **{"elapsed_seconds": pl.Float64, "results_status": TEXT},
}
RESULTS = {
    **{"session_id": TEXT, "query_position": pl.Int64, "rank": TEXT, "clicked": pl.Boolean, "clicks": pl.Int32},
    **dict.fromkeys(("click_elapsed_seconds", "dwell_seconds"), pl.Float64),
    **dict.fromkeys((*DOCUMENTS, *DISPLAYED, "url"), TEXT),
}
OF_SESSIONS, OF_RESULTS = {RECORD, *SESSIONS}, {RECORD, "session_id", "query_position", *MADE}
OF_QUERIES = {RECORD, *QUERIES, "interaction_type", "current"}
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
        Times that cannot be read, as :data:`~sessionkit.study.checks.CELL` has them, by the table of the rows they are in.
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
            row |= {"session_id": name, "query_position": place, "query_id": f"{name}:{own}"}
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


TRIED = (
    "one session of 2011 and some of 2012 and 2013, from copies of the logs; never on a whole log; 2014 was built from "
    "descriptions of the file"
)
ROOT = re.compile(r"sessiontrack(201[1-4])")
BEGINS = re.compile(r"<sessiontrack201[1-4][\s>]")
OPTIONS: dict[str, Option] = {
    "topics": TOPICS,
    "grades": GRADES,
    "merge_queries": Option(
        "Whether interactions of type page go on with the list of the query before (paging) or are queries of their own "
        "(an empty list).",
        default=["paging"],
        allowed=("paging",),
        many=True,
    ),
}
KINDS = {"sessions": "sessions", "queries": "interactions", "results": "results"}
REQUIRED = {
    "sessions": ("session_id",),
    "queries": ("session_id", "query_position", "query_id", "results_status"),
    "results": ("session_id", "query_position", "rank"),
}
TAGS = {"sessions": ("session",), "queries": ASKED, "results": ("result",)}
"""Elements that rows of a table are made of."""
MERGED = {"pages": "further pages of a list", "shown again": "results shown again by a page"}
SAID = {
    "raw ampersands": "{} of text, which XML does not allow, escaped",
    "negative dwell": "{} that ended before it began, without dwell time",
}
NOUNS = {"raw ampersands": "raw ampersand", "negative dwell": "click"}


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins as XML of the track does."""
    return glimpse.head.lstrip().startswith("<") and BEGINS.search(glimpse.head) is not None


def take(log: Log) -> Taken:
    """Take the files apart."""
    given = log.option("topics")
    topics, notes = read_topics(log.config.folder / given if given else None, log.workspace)
    warnings: list[str] = []
    raws: dict[str, list[Raw]] = {name: [] for name in KINDS}
    merged: dict[tuple[str, str], int] = {}
    idle: dict[tuple[str, str], int] = {}
    cells: list[pl.DataFrame] = []
    years = set()
    for file in log.files:
        markup = Markup(file, log.config.memory)
        found = Interactions(
            log.workspace if log.is_large else None,
            topics=topics,
            pages="paging" in log.option("merge_queries"),
        )
        with uncollected(), closing(found):
            for session in markup.elements("session"):
                found.take(session, f"{_year(markup)}-")
            made = _raws_of(markup, found)
            for name, raw in made.items():
                raws[name].append(raw)
        cells += _cells_of(file, found, made)
        found.tally["raw ampersands"] = markup.ampersands
        years.add(_year(markup))
        merged |= {(file.name, words): found.tally[name] for name, words in MERGED.items()}
        merged[file.name, "clicks"] = found.tally["clicks"] - found.tally["clicks outside"]
        idle[file.name, "clicks on no result"] = found.tally["clicks outside"]
        notes += _noted(file, found.tally)
        warnings += _warned(file, found.tally, mapped=bool(topics))
    if len(years) > 1:
        warnings.append(f"logs of {' and '.join(sorted(years))}: a number of a topic is another topic in another year")
    return Taken(raws, merged, idle, notes, warnings, cells=cells)


def _raws_of(markup: Markup, found: Interactions) -> dict[str, Raw]:
    """Return the three tables of a log."""
    frames = {name: getattr(found, name).frame(columns) for name, columns in REQUIRED.items()}
    results = frames["results"]
    named = [name for name in (*DOCUMENTS, "url") if name in results.collect_schema()]
    results = results.with_columns(doc_id=pl.coalesce(*named) if named else pl.lit(None, dtype=pl.String)).drop(
        *(name for name in named if name != "url")
    )
    if "clicked" in results.collect_schema():
        results = results.with_columns(pl.col("clicked").fill_null(value=False), pl.col("clicks").fill_null(0))
    frames["results"] = results
    return {
        name: raw_of(markup.file, name, frame, kind=KINDS[name], locate=markup.locate(frame, *TAGS[name]))
        for name, frame in frames.items()
        if name != "results" or found.tally["results"]
    }


def _cells_of(file: LogFile, found: Interactions, raws: Mapping[str, Raw]) -> list[pl.DataFrame]:
    """Return the times of a log that cannot be read."""
    told = {name: [cell for table, cell in found.cells if table == name] for name in ("sessions", "queries")}
    frames = {
        name: pl.DataFrame({CELLS: [[cell] for cell in cells]}, schema={CELLS: pl.List(CELL)})
        for name, cells in told.items()
    }
    return [
        set_aside(file, name, frame.lazy().with_columns(pl.lit(None, dtype=pl.Int64).alias(RECORD)), raws[name].locate)
        for name, frame in frames.items()
        if len(frame)
    ]


def _noted(file: LogFile, tally: Counter[str]) -> list[str]:
    """Return what was unusual in a log."""
    said = [
        f"{file.name}: {words.format(counted(tally[name], NOUNS[name]))}" for name, words in SAID.items() if tally[name]
    ]
    if not tally["results"]:
        said.append(f"{file.name}: no list found; lists are assumed not logged, except those marked as empty")
    elif not tally["clicks"]:
        said.append(f"{file.name}: no click found; clicks are assumed not logged")
    return said


def _warned(file: LogFile, tally: Counter[str], *, mapped: bool) -> list[str]:
    """Return what is unusual about the topics of a log, where it may change a score."""
    said = []
    if tally["titles"]:
        remedy = "the map does not have them" if mapped else "give the track's map of sessions to topics as topics"
        said.append(
            f"{file.name}: {counted(tally['titles'], 'session')} without a topic number, so the title is used; {remedy}"
        )
    if tally["other topics"]:
        said.append(
            f"{file.name}: {counted(tally['other topics'], 'session')} with another topic in the map, which is used"
        )
    return said


def _year(markup: Markup) -> str:
    """Return the year that the name of the root carries."""
    found = ROOT.fullmatch(markup.root or "")
    if found is None:
        raise DataError(f"{markup.file.name}: its root is {markup.root!r}, not sessiontrack2011 to sessiontrack2014")
    return found[1]
