"""A log of lists inside records: which list is the results, which are the clicks, and what the records around them are.

The names of lists say it, and what is in them: the elements of a list of results are documents, the record around it is a
query, and the record around the list of queries, where there is one, is a session.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

import polars as pl

from sessionkit.display.numbers import counted, listed
from sessionkit.readers.checks.cells import JOINED
from sessionkit.readers.column_names import EVERY as USUAL_NAMES
from sessionkit.readers.column_names import LIKELY, folded, likeness, words
from sessionkit.readers.format import glimpse
from sessionkit.readers.io.files import LogFile, files_of, open_log
from sessionkit.readers.io.json import ARRAY
from sessionkit.readers.io.list_rows import (
    EVERY,
    PLACE,
    Level,
    ListOptions,
    Record,
    json_records,
    list_hint,
    list_rows,
    table_records,
)
from sessionkit.readers.propose.contents import SampleColumn, columns_of, event_column
from sessionkit.readers.propose.kinds import (
    CLICKS,
    ListColumns,
    LogFileKind,
    called,
    formats_of_judgments,
    is_log_of_events,
    with_sessions,
)
from sessionkit.readers.propose.proposal import quoted
from sessionkit.readers.propose.sample import ROWS, Sample, sample_of_rows
from sessionkit.study.checks import RECORD, RULE, VALUE
from sessionkit.study.package import TemporaryFolder

Way = tuple[str, ...]
FILE = "file"
"""The column of the names of files."""
_RESULTS = (
    "results result resultlist serp serps hits contexts context docs documents documentids docids items ranking rankedlist retrieved "
    "candidates shown impressions urls links passages treffer ergebnisse dokumente resultats documentos risultati resultados "
    "resultaten tulokset traffar resultat"
)
_CLICKS = (
    "clicks click clicked clickeddocs clickeddocuments clickedresults clickedurls clickedids clickthroughs selected selections "
    "opened visited klick klicks angeklickt geklickt clic clics clique cliques cliquee cliquees clicado clicados cliccato cliccati "
    "geklikt aangeklikt clicken klicken klikattu klickad klickade 点击 点击文档 点击排名 点击位置 クリック クリック文書 クリック順位"
)
RESULTS, CLICK_NAMES = frozenset(_RESULTS.split()), frozenset(_CLICKS.split())
"""What lists of results and of clicks are called, folded."""
GRADED = frozenset(("qrels", "judgments", "judgements", "ratings", "relevance", "labels", "truth", "gold"))
"""What lists of judgments are called, folded."""
IDS = frozenset(["id", "uuid", "guid", "key", "uid", "oid"])
"""What the id of an object is called, folded."""
SAME = 0.5
"""The share of clicks that must be documents of the results, to be taken for such."""
RANKS = frozenset(("rank", "rang", "pos", "position", "top", "place"))
"""What columns per rank may be called, folded."""
NUMBERED = re.compile(r"(.*?)0*(\d+)(\D*)")
"""A name with one number."""
BRACKETS = r"(?s)^\s*\[.*\]\s*$"
"""A list as JSON or Python writes it."""
MOSTLY = 0.8
"""The share of cells that are such lists, at the least."""
LEAST = 2
"""Objects in an object that may be one whose keys are ids."""


def is_called(name: str, names: Collection[str]) -> bool:
    """Return whether a list has one of these names, or one of its words is one.

    >>> is_called("searchResults", RESULTS), is_called("clicked_docs", CLICK_NAMES), is_called("queries", RESULTS)
    (True, True, False)
    """
    return folded(name) in names or any(word in names for word in words(name))


@dataclass
class ListShape:
    """A list that records have.

    Parameters
    ----------
    level
        Where its elements are.
    around
        The ways to the lists around it, the outermost first.
    fields
        The fields of elements that are objects.
    elements, bare
        How many elements there are, and how many of them are no objects.
    """

    level: Level
    around: tuple[Way, ...]
    fields: dict[str, None] = field(default_factory=dict)
    elements: int = 0
    bare: int = 0

    @property
    def path(self) -> tuple[str, ...]:
        """The way to it."""
        return self.level.path

    @property
    def name(self) -> str:
        """What it is called."""
        return next((key for key in reversed(self.path) if key != EVERY), "")

    @property
    def holds_documents(self) -> bool:
        """Whether its elements may be documents: texts, or objects with the id of one."""
        if not self.elements or set(map(folded, self.fields)) == {"key", "value"}:
            return False
        return self.bare > 0 or any(likeness(name, "doc_id") >= LIKELY or folded(name) in IDS for name in self.fields)


def shapes_in(records: Iterable[Record]) -> dict[Way, ListShape]:
    """Return the lists in some records, by the way to them."""
    shapes: dict[Way, ListShape] = {}
    for record in records:
        if record.fields is not None:
            _add_shapes(shapes, record.fields, Level(), ())
    return shapes


def _add_shapes(
    shapes: dict[Way, ListShape],
    element: Mapping[str, Any],
    level: Level,
    around: tuple[Way, ...],
) -> None:
    """Add the lists in an object."""
    pairs = [(EVERY, list(element.values()))] if _has_ids_for_keys(element) else list(element.items())
    for key, value in pairs:
        if isinstance(value, list):
            inner = level.list_called(key)
            shape = shapes.setdefault(inner.path, ListShape(inner, around))
            for each in value:
                shape.elements += 1
                if isinstance(each, Mapping):
                    shape.fields.update(dict.fromkeys(each))
                    _add_shapes(shapes, each, inner, (*around, inner.path))
                else:
                    shape.bare += 1
        elif isinstance(value, Mapping):
            _add_shapes(shapes, value, level.below(key), around)


def _has_ids_for_keys(element: Mapping[str, Any]) -> bool:
    """Return whether the keys of an object are ids: its values are objects with the same fields, lists among them."""
    values = list(element.values())
    if len(values) < LEAST or not all(isinstance(one, Mapping) for one in values):
        return False
    common = set.intersection(*map(set, values))
    has_lists = any(isinstance(one[name], list | Mapping) for one in values for name in common)
    return has_lists and not any(folded(key) in USUAL_NAMES or folded(key) in RESULTS for key in element)


@dataclass(frozen=True)
class NestedLog:
    """What the lists of a log are.

    Parameters
    ----------
    results
        The list of results.
    clicks
        Those of clicks.
    unused
        Other lists that look like results or clicks.
    sessions, queries
        The ways to the lists of sessions and queries; None where no record is a session, empty where the records of the file are.
    has_many_records
        Whether a file has more than one record.
    """

    results: ListShape
    clicks: tuple[ListShape, ...]
    unused: tuple[ListShape, ...]
    queries: Way
    sessions: Way | None
    has_many_records: bool

    @property
    def ways(self) -> Hashable:
        """The ways to the lists of sessions, queries and results."""
        return self.sessions, self.queries, self.results.path


def nested_log_in(shapes: Mapping[Way, ListShape], *, has_many_records: bool) -> NestedLog | None:
    """Return what the lists of a log are; None where none are results."""
    lists = [one for one in shapes.values() if one.holds_documents and not is_called(one.name, CLICK_NAMES | GRADED)]
    lists = [one for one in lists if not any(one.path in other.around for other in lists)]
    results = max(
        lists,
        key=lambda one: (is_called(one.name, RESULTS), _likeness_of_documents(one), len(one.around)),
        default=None,
    )
    if results is None or not (is_called(results.name, RESULTS) or _likeness_of_documents(results) >= LIKELY):
        return None
    levels = ((), *results.around)
    queries = levels[-1]
    of_query = list(shapes[queries].fields) if queries else []
    names_sessions = any(likeness(name, ours) >= LIKELY for name in of_query for ours in ("session_id", "user_id"))
    sessions = None if not queries or names_sessions else levels[-2]
    clicks = tuple(
        one
        for one in shapes.values()
        if is_called(one.name, CLICK_NAMES) and one.elements and queries in ((), *one.around)
    )
    doubtful = [one for one in shapes.values() if (one in lists or is_called(one.name, CLICK_NAMES)) and one.elements]
    unused = tuple(
        one for one in doubtful if one is not results and one not in clicks and one.path not in results.around
    )
    return NestedLog(results, clicks, unused, queries, sessions, has_many_records)


def _likeness_of_documents(shape: ListShape) -> float:
    """Return how much a field of a list is called as a document is."""
    return max((likeness(name, "doc_id") for name in shape.fields), default=0.0)


def hint_at_lists(path: Path) -> str:
    """Return what to do about JSON that has lists inside its records, as the end of a message; empty for other files."""
    if not may_be_json(path):
        return ""
    with TemporaryFolder() as workspace:
        return list_hint(open_log(str(path), Path(), workspace))


def may_be_json(path: Path) -> bool:
    """Return whether a file begins as JSON does."""
    look = glimpse(path)
    return not look.is_folder and look.head.lstrip()[:1] in ("{", "[")


def nested_parts_of(paths: Sequence[Path], folders: Sequence[Path], workspace: Path) -> list[LogFileKind]:
    """Return the tables in those files whose records have lists of results; files whose lists are called alike are one log."""
    logs: dict[Hashable, list[NestedFile]] = {}
    others = []
    for path in paths:
        if not may_be_json(path) or formats_of_judgments(path):
            continue
        file = nested_file(path, workspace)
        if file is None:
            others.append(path)
        elif not is_log_of_events(path, workspace):
            logs.setdefault(file.log.ways, []).append(file)
    without = {ways: [path for path in others if _is_of_log(path, files, workspace)] for ways, files in logs.items()}
    return [part for ways, files in logs.items() for part in _parts_of(files, folders, without[ways])]


def _is_of_log(path: Path, files: Sequence[NestedFile], workspace: Path) -> bool:
    """Return whether a file without lists of results is of a log with a file for each participant: it has the fields that all have."""
    if len(files) < LEAST or any(len(one.records) > 1 for one in files):
        return False
    file = replace(open_log(str(path), Path(), workspace, as_is=True, workbook=True), name=path.name)
    if not (file.kind == "ndjson" or ARRAY.match(file.head)):
        return False
    records = list(islice(json_records(file), LEAST))
    common = set.intersection(*(set(one.records[0].fields or {}) for one in files))
    return len(records) == 1 and bool(common) and common <= set(records[0].fields or {})


@dataclass(frozen=True)
class NestedFile:
    """A file of a nested log: its first records, whether these are all, and what its lists are."""

    path: Path
    file: LogFile
    records: list[Record]
    whole: bool
    log: NestedLog
    shapes: Mapping[Way, ListShape]


def nested_file(path: Path, workspace: Path) -> NestedFile | None:
    """Return a file of JSON whose records have lists of results; None where it is none."""
    file = replace(open_log(str(path), Path(), workspace, as_is=True, workbook=True), name=path.name)
    if not (file.kind == "ndjson" or ARRAY.match(file.head)):
        return None
    records = list(islice(json_records(file), ROWS + 1))
    shapes = shapes_in(records[:ROWS])
    log = nested_log_in(shapes, has_many_records=len(records) > 1)
    return None if log is None else NestedFile(path, file, records[:ROWS], len(records) <= ROWS, log, shapes)


def _parts_of(files: Sequence[NestedFile], folders: Sequence[Path], without_lists: Sequence[Path]) -> list[LogFileKind]:
    """Return the tables of a nested log of one file or several, some of which may have no lists of results."""
    first = files[0]
    paths = tuple(sorted([*(one.path for one in files), *without_lists])) if len(files) > 1 else ()
    folder = next((one for one in folders if paths and set(files_of(one)) == set(paths)), None)
    records = {one.path: one.records for one in files}
    shapes = shapes_in(chain.from_iterable(records.values()))
    log = nested_log_in(shapes, has_many_records=any(len(one.records) > 1 for one in files)) or first.log
    whole = all(one.whole for one in files)
    tables = NestedTables(first.path, first.file, records, log, shapes, whole, paths, folder)
    return (tables if not paths or tables.names_sessions else replace(tables, by_file=True)).parts()


@dataclass(frozen=True)
class NestedTables:
    """Makes samples of the tables of a nested log from the records of its files."""

    path: Path
    file: LogFile
    records: Mapping[Path, list[Record]]
    log: NestedLog
    shapes: Mapping[Way, ListShape]
    whole: bool
    files: tuple[Path, ...]
    folder: Path | None
    by_file: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    separator: str | None = None
    click_separator: str | None = None
    document: str = ""

    @property
    def name(self) -> str:
        """What messages call the file."""
        return self.file.name

    def parts(self) -> list[LogFileKind]:
        """Return the tables."""
        return self._of_queries() if self.log.sessions is None else self._of_sessions(self.log.sessions)

    @property
    def names_sessions(self) -> bool:
        """Whether records name their sessions themselves."""
        return self.log.sessions is None or not self._session_columns(self.log.sessions)[1]

    def _of_sessions(self, way: Way) -> list[LogFileKind]:
        """Return the tables of a log whose records around the queries are sessions."""
        id_columns, doubt = self._session_columns(way)
        session = id_columns[0] if len(id_columns) == 1 else "session_id"
        position = f"{self._prefix(self.log.queries)}{PLACE}"
        names = {name: "session id" if len(id_columns) == 1 else "part" for name in id_columns}
        keys = {**names, position: "query position"}
        others = self._elements_of_another_kind(way)
        tables = (self.log.queries,) if others else (way, self.log.queries)
        sessions = with_joined_session(self._sample(way, "session", names, tables), session, id_columns)
        sessions = replace(sessions, doubts={"session_id": doubt} if doubt else {})
        layout = ListColumns(session, position, None, 1.0)
        if event_column(columns_of(self._sample(self.log.queries, "query", {}, tables))) is not None:
            return []
        queries = with_joined_session(self._sample(self.log.queries, "query", keys, tables), session, id_columns)
        results = with_joined_session(self._sample(self.log.results.path, "result", keys, tables), session, id_columns)
        if others:
            around, below = (quoted(".".join(one)) for one in (way, self.log.queries))
            left = (
                f"{counted(others, 'element')} of {around} without {below} and other fields of sessions: taken for no sessions. Is "
                "that right?"
            )
            queries = replace(queries, doubts={**sessions.doubts, "list": left})
        return [
            *([] if others else [LogFileKind(sessions, columns_of(sessions), "sessions")]),
            LogFileKind(self._with_missing_lists(queries), columns_of(queries), "queries", layout),
            self._results(results, layout),
            *self._clicks(keys, tables, layout, id_columns),
        ]

    def _elements_of_another_kind(self, way: Way) -> int:
        """Return how many elements of the list of sessions are something else, such as the instructions between tasks.

        They have no list of queries, and lack further fields that all sessions have.
        """
        key = self.log.queries[len(way)]
        records = chain.from_iterable(self.records.values())
        elements = [one for record in records if record.fields is not None for one in _objects_at(record.fields, way)]
        sessions = [set(one) for one in elements if key in one]
        others = [set(one) for one in elements if key not in one]
        common = set.intersection(*sessions) - {key} if sessions else set()
        return len(others) if not any(common <= each for each in others) else 0

    def _of_queries(self) -> list[LogFileKind]:
        """Return the tables of a log whose records around the results are queries that say of which session they are."""
        sample = with_sessions(self._sample(self.log.queries, "query", {}, (self.log.queries,)))
        columns = columns_of(sample)
        if event_column(columns) is not None:
            return []
        session = next(iter(sample.made), "") or called(columns, "session_id") or called(columns, "user_id")
        if not session:
            return []
        parts = sample.made.get(session, (session,))
        keys = {name: sample.known_as.get(name, "") for name in parts}
        position = self._position(columns, session)
        if position:
            keys[position] = "query position"
            tables = (self.log.queries,)
            layout = ListColumns(session, position, None, 1.0)
            results = self._sample(self.log.results.path, "result", keys, tables)
            return [
                LogFileKind(self._with_missing_lists(sample), columns, "queries", layout),
                self._results(with_joined_session(results, session, parts), layout),
                *self._clicks(keys, tables, layout, parts),
            ]
        place = f"{self._prefix(self.log.queries)}{PLACE}"
        names_queries = {} if self.document else {place: "query id"}
        results = self._sample(self.log.results.path, "result", {**keys, **names_queries}, (), keeps_all=True)
        results = _with_numbers(with_joined_session(results, session, parts), session, self._place)
        return [
            self._results(results, ListColumns(session, "query_position", None, 1.0)),
            *([] if self.document else self._clicks({place: "query id"}, ())),
        ]

    def _position(self, columns: Mapping[str, SampleColumn], session: str) -> str:
        """Return the field that counts the queries of a session; none where no field has a usual name and does."""
        for one in sorted(columns.values(), key=lambda one: -likeness(one.heading, "query_position")):
            if likeness(one.heading, "query_position") >= LIKELY and one.counts and one.filled == 1:
                pairs = pl.DataFrame([columns[session].texts.alias("s"), one.texts.alias("p")])
                return "" if pairs.is_duplicated().any() else one.name
        return ""

    def _session_columns(self, way: Way) -> tuple[tuple[str, ...], str]:
        """Return the columns that together name sessions, and what is to be asked about them."""
        levels = [one for one in ((), *self._around(way)) if one != way]
        places = tuple(f"{self._prefix(one)}{PLACE}" for one in (*levels, way) if one or self.log.has_many_records)
        frame = self._rows(way, {*places, f"{self._prefix(way)}{PLACE}"}, (way, self.log.queries))
        prefix = self._prefix(way)
        scores = {name: likeness(_heading(name, prefix, "session"), "session_id") for name in frame.columns}
        likely = [name for name in sorted(scores, key=lambda name: -scores[name]) if scores[name] >= LIKELY]
        for name in likely:
            if frame[name].n_unique() == frame.height and not frame[name].null_count():
                return (name,), ""
        place = f"{prefix}{PLACE}"
        if way[-1:] == (EVERY,) and frame[place].n_unique() == frame.height:
            return (place,), ""
        parts = (
            (FILE,)
            if self.by_file and frame[FILE].n_unique() == frame.height
            else (*self._file_column, *(places or (place,)))
        )
        why = f"{quoted(likely[0])} is not another one in each session" if likely else "no field names sessions"
        where = "files" if parts == (FILE,) else "their places in the file"
        return parts, f"{why}; they are called by {where}. Is there a name for them?"

    def _around(self, way: Way) -> tuple[Way, ...]:
        """Return the ways to the lists around a list, and to itself."""
        return (*self.shapes[way].around, way) if way else ()

    @property
    def _file_column(self) -> tuple[str, ...]:
        """The column of the names of files, where there are several."""
        return (FILE,) if self.by_file else ()

    @property
    def _place(self) -> str:
        """The place of a result in its list."""
        return f"{self._prefix(self.log.results.path)}{PLACE}"

    def _spelled(self, way: Way) -> dict[str, Any]:
        """Return the options that lead to a list."""
        if not way:
            return {}
        spelled = way[0] if len(way) == 1 else ".".join(way)
        if any(PLACE in name for name in way):
            return {"list": way[0] if len(way) == 1 else list(way)}
        separator = self._separator(way)
        return {"list": spelled, **({"list_separator": separator} if separator else {})}

    def _separator(self, way: Way) -> str | None:
        """Return what separates the elements of a list that is in a cell."""
        return self.click_separator if any(way == one.path for one in self.log.clicks) else self.separator

    def _prefix(self, way: Way) -> str:
        """Return what the columns of a list begin with."""
        return self.shapes[way].level.prefix if way else ""

    def _rows(
        self,
        way: Way,
        columns: Collection[str],
        tables: Collection[Way],
        *,
        keeps_empty: bool = False,
        keeps_missing: bool = False,
    ) -> pl.DataFrame:
        """Return the rows of a list as the reader will make them, where `tables` are read from lists around it."""
        other_lists = {*tables, self.log.results.path, *(one.path for one in self.log.clicks)} - {way}
        options = ListOptions(
            way,
            "results",
            keeps_empty=keeps_empty,
            keeps_missing=keeps_missing,
            columns=frozenset(columns),
            separator=self._separator(way),
            other_lists=frozenset(other_lists),
        )
        frames = [
            list_rows(self.file, records, options, at_once=True)[0].with_columns(
                pl.lit(path.name.partition(".")[0]).alias(FILE)
            )
            for path, records in self.records.items()
        ]
        frame = pl.concat(frames, how="diagonal").collect().filter(pl.col(RULE).is_null()).drop(RULE, VALUE, RECORD)
        return frame if self.by_file else frame.drop(FILE)

    def _sample(
        self, way: Way, noun: str, keys: Mapping[str, str], tables: Collection[Way], *, keeps_all: bool = False
    ) -> Sample:
        """Return the rows of a list as a sample.

        Parameters
        ----------
        noun
            What an element is: a session, a query, a result, a click.
        keys
            Columns of the records around it that are needed, and what they are.
        keeps_all
            Whether a query without results has a row.
        """
        prefix = self._prefix(way)
        place = {f"{prefix}{PLACE}": "result rank"} if noun == "result" else {}
        wanted = {**keys, **place}
        frame = self._rows(way, wanted, tables, keeps_empty=keeps_all, keeps_missing=keeps_all)
        options: dict[str, Any] = {**self.options, **self._spelled(way)}
        if self.by_file:
            options["name_pattern"] = rf"(?P<{FILE}>[^.]+)"
        if keeps_all:
            options["empty_list"] = ""
        sample = sample_of_rows(self.path, self.file, options, frame, whole=self.whole)
        headings = {name: wanted.get(name) or _heading(name, prefix, noun) for name in sample.columns}
        bare = self.document or prefix.removesuffix(".")
        if noun == "result" and bare in headings:
            headings[bare] = "doc id"
        name = f"{self.name}, list {'.'.join(way)}" if way else self.name
        return replace(sample, name=name, known_as=headings, files=self.files, folder=self.folder)

    def _with_empty_lists(self, results: Sample) -> Sample:
        """Return a sample of results that says what empty lists are, where queries have some."""
        rows = self._rows(self.log.results.path, [self._place], (), keeps_empty=True)
        if not rows[self._place].null_count():
            return results
        return replace(results, options={**results.options, "empty_list": ""})

    def _with_missing_lists(self, queries: Sample) -> Sample:
        """Return a sample of queries with a question about those that have no list of results at all."""
        way = self.log.results.path
        missing = self._rows(way, [self._place], (), keeps_missing=True)[self._place].null_count()
        if not missing:
            return queries
        doubt = (
            f"{counted(missing, 'query')} without {quoted('.'.join(way))}: taken as returned nothing. If their results were not "
            'logged, say "not_logged"'
        )
        options = {**queries.options, "without_results": "empty"}
        return replace(queries, options=options, doubts={**queries.doubts, "without_results": doubt})

    def _results(self, sample: Sample, layout: ListColumns) -> LogFileKind:
        """Return the results, with a question about lists that are not used."""
        columns = columns_of(sample)
        place = self._place
        rank = self._rank(columns, [layout.session, layout.position])
        sample = self._with_empty_lists(sample)
        name = quoted(".".join(self.log.results.path))
        doubts = [sample.doubts["list"]] if "list" in sample.doubts else []
        if is_called(self.log.results.name, GRADED):
            doubts.append(
                f"{name} is called as judgments are. Were these shown, in this order? If not, remove [results]"
            )
        pairs = [one for one in columns.values() if one.heading == "doc id" and one.share_matching(BRACKETS) > SAME]
        if pairs:
            doubts.append(f"its elements are lists ({quoted(pairs[0].given[0])}). Which part of them is the document?")
        if rank != place:
            sample = replace(sample, frame=sample.frame.drop(place), texts=sample.texts.drop(place))
        unused = [quoted(".".join(one.path)) for one in self.log.unused]
        if unused:
            doubts.append(f"{listed(unused)}: not used, as {name} is taken for the results. Is it?")
        if doubts:
            sample = replace(sample, doubts={**sample.doubts, "list": " ".join(doubts)})
        return LogFileKind(sample, columns_of(sample), "results", replace(layout, rank=rank))

    def _rank(self, columns: Mapping[str, SampleColumn], of_list: Sequence[str]) -> str:
        """Return the column that ranks the results of a list: one that is called so and comes once in each, else the place."""
        place = self._place
        for one in sorted(columns.values(), key=lambda one: -likeness(one.heading, "rank")):
            if one.name in (place, *of_list) or likeness(one.heading, "rank") < LIKELY:
                continue
            rows = pl.DataFrame([*(columns[name].texts for name in of_list), one.texts])
            rows = rows.filter(columns[place].texts.is_not_null())
            if one.counts and not rows[one.name].null_count() and not rows.is_duplicated().any():
                return one.name
        return place

    def _clicks(
        self,
        keys: Mapping[str, str],
        tables: Collection[Way],
        layout: ListColumns | None = None,
        parts: Sequence[str] = (),
    ) -> list[LogFileKind]:
        """Return the clicks, with the columns of their session and query, or the id of their query among the keys."""
        if not self.log.clicks:
            return []
        first, *others = sorted(self.log.clicks, key=lambda one: len(one.around))
        if self.log.results.path in first.around:  # those of one result, which the result around them names
            prefix = self._prefix(self.log.results.path)
            names = [name for name in self.log.results.fields if names_document(self.log.results, name)]
            keys = {**keys, **{f"{prefix}{name}": name for name in names}}
        sample = self._sample(first.path, "click", keys, tables)
        if layout is not None:
            sample = with_joined_session(sample, layout.session, parts)
        if others:
            shown = listed([quoted(".".join(one.path)) for one in others])
            doubt = f"{shown}: not used, as {quoted('.'.join(first.path))} is taken for the clicks. Is it?"
            sample = replace(sample, doubts={**sample.doubts, "list": doubt})
        query_id = next((name for name, heading in keys.items() if heading == "query id"), "")
        return [LogFileKind(sample, columns_of(sample), CLICKS, layout, query_key=query_id)]


def _objects_at(element: Mapping[str, Any], way: Way) -> Iterator[Mapping[str, Any]]:
    """Yield the objects to which a way leads in an object, itself where it leads nowhere."""
    if not way:
        yield element
        return
    key, *further = way
    value = list(element.values()) if key == EVERY else element.get(key)
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, Mapping):
            yield from _objects_at(each, tuple(further))


def parts_in_cells(sample: Sample, workspace: Path) -> list[LogFileKind]:
    """Return the tables of a file with a row per query, whose results are a list in a cell or a column per rank; none of another."""
    columns = columns_of(sample)
    if not sample.named or event_column(columns) is not None:
        return []
    per_rank = _columns_per_rank(columns)
    rank = called(columns, "rank")
    is_of_queries = called(columns, "query_text") or called(columns, "query_position") or called(columns, "query_id")
    if not is_of_queries or (rank and not any(re.fullmatch(_numbered(name), rank) for name in per_rank)):
        return []
    cells = (
        {} if per_rank else {one.name: found for one in columns.values() if (found := _separator_of(one)) is not None}
    )
    named = [name for name in cells if not is_called(name, CLICK_NAMES)]
    if not per_rank and not named:
        return []
    clicked = _clicks_in_cells(columns)
    if per_rank:
        results, separator = ListShape(Level(path=per_rank, prefix=""), (), elements=1), None
    else:
        best = max(named, key=lambda name: (is_called(name, RESULTS), likeness(columns[name].heading, "doc_id")))
        results, separator = _shape_of_cells(best), cells[best]
    clicks = tuple(_shape_of_cells(name) for name in clicked)
    unused = tuple(_shape_of_cells(name) for name in named if (name,) != results.path)
    log = NestedLog(results, clicks, unused, (), None, has_many_records=True)
    shapes = {one.path: one for one in (results, *clicks)}
    file = replace(open_log(str(sample.path), Path(), workspace, as_is=True, workbook=True), name=sample.name)
    numbers = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).alias(RECORD)
    records = {sample.path: list(table_records(sample.frame.select(numbers, pl.all())))}
    tables = NestedTables(
        sample.path,
        file,
        records,
        log,
        shapes,
        sample.whole,
        sample.files,
        sample.folder,
        options=sample.options,
        separator=separator or None,
        click_separator=next(iter(clicked.values()), None) or None,
        document=per_rank[0] if per_rank else "",
    )
    return tables.parts()


def names_document(shape: ListShape, name: str) -> bool:
    """Return whether a field of the elements of a list is the document: by its name, or as the id in a list of results."""
    return likeness(name, "doc_id") >= LIKELY or (folded(name) in IDS and is_called(shape.name, RESULTS))


def _clicks_in_cells(columns: Mapping[str, SampleColumn]) -> dict[str, str]:
    """Return the columns of what was clicked in a list, with what separates several clicks; empty where they are JSON.

    A column of the rank or document that was clicked has a list even where no query has two clicks.
    """
    clicked = {}
    for one in columns.values():
        if not is_called(one.heading, CLICK_NAMES) or not len(one.given):
            continue
        separator = _separator_of(one)
        names_result = bool(RANKS & set(words(one.heading))) or likeness(one.heading, "doc_id") > 0
        if separator is not None:
            clicked[one.name] = separator
        elif names_result and one.values.dtype == pl.String:
            clicked[one.name] = ";"
    return clicked


def _shape_of_cells(name: str) -> ListShape:
    """Return the list in the cells of a column."""
    return ListShape(Level().list_called(name), (), elements=1, bare=1)


def _columns_per_rank(columns: Mapping[str, SampleColumn]) -> Way:
    """Return the names of columns that are there once per rank, that of documents first; none where there are no such."""
    numbers: dict[str, set[int]] = {}
    for name in columns:
        if PLACE not in name and (match := NUMBERED.fullmatch(name)):
            numbers.setdefault(f"{match[1]}{PLACE}{match[3]}", set()).add(int(match[2]))
    runs = {name: ranks for name, ranks in numbers.items() if len(ranks) > 1 and max(ranks) - min(ranks) < len(ranks)}
    documents = [
        name
        for name, ranks in runs.items()
        if min(ranks) < 2 and _names_documents(name) and _differ_within_rows(columns, name)
    ]
    if not documents:
        return ()
    first = max(documents, key=lambda name: likeness(name.replace(PLACE, ""), "doc_id"))
    return (first, *(name for name in runs if name != first and runs[name] <= runs[first]))


def _numbered(pattern: str) -> str:
    """Return the regular expression of the columns that are there once per rank."""
    return re.escape(pattern).replace(r"\#", r"\d+")


def _differ_within_rows(columns: Mapping[str, SampleColumn], pattern: str) -> bool:
    """Return whether values of columns seldom come twice in a row, as documents in a list do, and marks of a questionnaire do not."""
    texts = pl.DataFrame([one.texts for name, one in columns.items() if re.fullmatch(_numbered(pattern), name)])
    lists = texts.select(pl.concat_list(pl.all()).list.drop_nulls().alias("l")).filter(pl.col("l").list.len() > 1)["l"]
    return len(lists) == 0 or int((lists.list.n_unique() == lists.list.len()).sum()) > MOSTLY * len(lists)


def _names_documents(pattern: str) -> bool:
    """Return whether columns of this name are documents, or what stands at a rank."""
    bare = pattern.replace(PLACE, "").strip("_-. ")
    return likeness(bare, "doc_id") >= LIKELY or folded(bare) in RESULTS or folded(bare) in RANKS


def _separator_of(one: SampleColumn) -> str | None:
    """Return what separates the elements of lists in a column, empty where they are JSON; None where it has no lists."""
    is_list = is_called(one.heading, RESULTS | CLICK_NAMES)
    if not len(one.given) or not (is_list or likeness(one.heading, "doc_id") >= LIKELY):
        return None
    if one.values.dtype == pl.List or one.share_matching(BRACKETS) > MOSTLY:
        return ""
    shares = {mark: one.share_matching(rf"^\S+?(\s*{re.escape(mark)}\s*\S+?)+$") for mark in "|;,"}
    shares = {mark: part for mark, part in shares.items() if part and one.share_matching(re.escape(mark)) == part}
    if is_list and not shares and one.share_matching(r"^\S+( \S+)*$") == 1 and one.share_matching(" ") > 0:
        return " "
    best = max(shares, key=lambda mark: shares[mark], default="")
    return best if best and (is_list or shares[best] > SAME) else None


def with_joined_session(sample: Sample, session: str, parts: Sequence[str]) -> Sample:
    """Return a sample with a session that is made of several columns."""
    if session in sample.columns:
        return sample
    texts = sample.texts.with_columns(pl.concat_str(list(parts), separator=JOINED).alias(session))
    parts_of_ids = {**sample.made, session: tuple(parts)}
    return replace(sample, frame=sample.frame.with_columns(texts[session]), texts=texts, made=parts_of_ids)


def _with_numbers(sample: Sample, session: str, place: str) -> Sample:
    """Return a sample of results with the numbers of queries that number_queries makes: lists begin where places start again."""
    rank = pl.col(place).cast(pl.Int64)
    begins = (rank.is_null() | (rank <= rank.shift().over(session))).fill_null(value=True)
    number = begins.cast(pl.Int64).cum_sum().over(session).cast(pl.String).alias("query_position")
    numbers = sample.texts.select(number).to_series()
    made: Mapping[str, tuple[str, ...]] = {**sample.made, "query_position": ()}
    return replace(
        sample, frame=sample.frame.with_columns(numbers), texts=sample.texts.with_columns(numbers), made=made
    )


def _heading(name: str, prefix: str, noun: str) -> str:
    """Return what a column is known by: its own name where that is a usual one, else with what it is a field of.

    >>> _heading("queries.id", "queries.", "query"), _heading("hits._source.url", "hits.", "result")
    ('query id', 'url')
    >>> _heading("sessions.id", "queries.", "query"), _heading("sessions.user.id", "sessions.", "session")
    ('session id', 'user id')
    """
    bare_name = name.removeprefix(prefix)
    around, _, last = bare_name.rpartition(".")
    if folded(last) in IDS:
        return f"{re.sub('s$', '', around.rpartition('.')[2]) or noun} id"
    return bare_name if folded(bare_name) in USUAL_NAMES else last
