"""Sessions of runs: the session and position of each query id, by a pattern or a map, and topics that a run lacks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import get_args

import polars as pl

from sessionkit.arguments import MissingTopics, TableName
from sessionkit.display.labels import name_missing
from sessionkit.display.numbers import counted, listed
from sessionkit.errors import DataError, suggestion
from sessionkit.readers.checks.cells import alias_notes, under_our_names
from sessionkit.readers.column_names import USUAL, folded
from sessionkit.readers.config import Config
from sessionkit.readers.format import Option
from sessionkit.readers.io.files import open_log
from sessionkit.readers.io.tables import layout_of, read_table
from sessionkit.readers.raw import Raw, in_memory
from sessionkit.readers.records import Taken
from sessionkit.study.checks import RECORD, RULE, VALUE, as_text

EXAMPLE = r"(?P<session>.+)_(?P<position>\d+)"
SESSION_FROM = Option(
    "A regular expression that a whole query id fits, with the groups session and position, as in "
    rf"'{EXAMPLE}', and perhaps user, system and topic: queries then make sessions."
)
QUERY_MAP = Option(
    "The file that says of which session, and which query of it, each query id is: a table with the columns query_id, session_id and "
    "query_position and, where known, user_id, system_id, topic_id and query_text. It is the list of sessions: queries without a line in "
    "a run returned nothing."
)
GROUPS = {
    "session": "session_id",
    "position": "query_position",
    "user": "user_id",
    "system": "system_id",
    "topic": "topic_id",
}
"""The groups that a pattern may have, and our column for each."""
MAPPED = ("query_id", "session_id", "query_position", "user_id", "system_id", "topic_id", "query_text")
"""Columns of a map, the first three of which it must have."""
ALSO = {"query_position": ("position",)}
"""What maps call their columns beside their usual names."""
FITS_PATTERN, IN_MAP, GIVEN = "query_id_fits_session_from", "query_id_is_in_the_map", "query_id_is_given"
"""The rules that query ids of no session break."""
KEYS = {"query_id": "query ids", "topic_id": "topics", "session": "sessions"}
"""What judgments of a run may be keyed on, the likeliest first."""


MakeRaw = Callable[[TableName, pl.LazyFrame, Mapping[str, int]], Raw]
"""From a table, its rows and what its columns count from to a source."""


@dataclass(frozen=True)
class RunLines:
    """The lines of one run.

    Parameters
    ----------
    name
        What it is called.
    frame
        RECORD, RULE, VALUE, query_id, system_id, doc_id, rank and score, and what else there is.
    raw
        Makes a source of a table of it.
    empty
        RECORD, query_id and system_id of lists that are known to be empty, where a run can say that.
    """

    name: str
    frame: pl.LazyFrame
    raw: MakeRaw
    empty: pl.DataFrame | None = None


@dataclass(frozen=True)
class QuerySessions:
    """Of which session, and which query of it, queries are.

    Parameters
    ----------
    queries
        query_id, session_id, query_position, and columns of the query and of its session, one row for each query id.
    rule, name
        What a query id breaks that has no row there, and what says so.
    table
        The map as a source of the table queries; None of a pattern.
    notes
        What was decided on the way.
    further
        Takes more query ids apart, as a pattern can; columns as in `queries`.
    """

    queries: pl.DataFrame
    rule: str
    name: str
    table: Raw | None = None
    notes: tuple[str, ...] = ()
    further: Callable[[pl.Series], pl.DataFrame] | None = None


def by_pattern(query_ids: pl.Series, pattern: str) -> QuerySessions:
    """Take query ids apart by a regular expression.

    Raises
    ------
    DataError
        It is no regular expression, or has not the groups that it needs.
    """
    further = partial(_parts, pattern)
    return QuerySessions(further(query_ids), FITS_PATTERN, f"session_from = '{pattern}'", further=further)


def by_topic(query_ids: pl.Series) -> QuerySessions:
    """Take every query id for a session of one query."""
    queries = pl.DataFrame({"query_id": query_ids, "session_id": query_ids})
    return QuerySessions(queries.with_columns(query_position=pl.lit("1")), GIVEN, "the run")


def _parts(pattern: str, query_ids: pl.Series) -> pl.DataFrame:
    """Return the parts of those query ids that fit a pattern."""
    try:
        found = query_ids.alias("query_id").to_frame().select(pl.all().str.extract_groups(f"^(?:{pattern})$"))
    except pl.exceptions.ComputeError as error:
        reason = str(error).strip().splitlines()[-1].removeprefix("error: ")
        raise DataError(
            f"session_from is {pattern!r}, which is not a regular expression ({reason}); one is '{EXAMPLE}'"
        ) from None
    groups = found.unnest("query_id")
    named = [name for name in groups.columns if not name.isdigit()]
    for name in named:
        if name not in GROUPS:
            raise DataError(
                f"session_from has a group {name!r}{suggestion(name, GROUPS)}; groups can be {', '.join(GROUPS)}"
            )
    for name in ("session", "position"):
        if name not in named:
            raise DataError(
                f"session_from is {pattern!r}, which has no group {name!r}; groups are written (?P<{name}>...), as in '{EXAMPLE}'"
            )
    parts = groups.select(pl.col(name).alias(GROUPS[name]) for name in named)
    return parts.with_columns(query_ids.alias("query_id")).drop_nulls(["session_id", "query_position"])


def map_of_file(path: Path, workspace: Path, config: Config) -> QuerySessions:
    """Read a map from a file: delimited as its name or first line shows, NDJSON, Parquet, or fields between blanks.

    Without a header the first three fields are the query id, its session and its position.

    Raises
    ------
    DataError
        The file is missing or unreadable, lacks a column or has a query id twice.
    """
    file = open_log(path.name, path.parent, workspace, memory=config.memory)
    names, options = layout_of(file)
    headless = bool(options) and len(names) > 2 and names[2].isdecimal()
    options = {**options, "header": not headless} if options else {}
    columns = {ours: place for place, ours in enumerate(MAPPED[:3], 1)} if headless else map_columns(names, file.name)
    raw = read_table(file, "queries", {**options, "columns": columns}, config=config, keep=in_memory)
    return by_map(raw, {} if headless else columns)


def map_of_frame(raw: Raw) -> QuerySessions:
    """Take the sessions of queries from a map that is a frame; see `by_map`."""
    columns = map_columns([name for name in raw.frame.collect_schema().names() if name != RECORD], raw.source)
    return by_map(under_our_names(raw, columns), columns)


def map_columns(names: Sequence[str], source: str) -> dict[str, str]:
    """Return which of a map's columns each of ours is: by our name, else by a usual one.

    Raises
    ------
    DataError
        One that every map has is missing.

    >>> map_columns(["qid", "conversation", "turn"], "map.tsv")
    {'query_id': 'qid', 'session_id': 'conversation', 'query_position': 'turn'}
    """
    found = {ours: ours for ours in MAPPED if ours in names}
    for ours in MAPPED:
        usual = (*USUAL[ours], *ALSO.get(ours, ()))
        free = [name for name in names if name not in found.values() and folded(name) in usual]
        if ours not in found and free:
            found[ours] = min(free, key=lambda name: usual.index(folded(name)))
    if missing := [ours for ours in MAPPED[:3] if ours not in found]:
        raise DataError(
            f"{source} has no column {' and no '.join(missing)}; found {', '.join(names)}. A map of queries to sessions has the columns "
            f"{listed(MAPPED[:3])}, or their usual names, such as qid, session and turn"
        )
    return found


def by_map(raw: Raw, columns: Mapping[str, str | int]) -> QuerySessions:
    """Take the sessions of queries from a map under our names, which had these.

    Raises
    ------
    DataError
        It has a query id twice.
    """
    types = raw.frame.collect_schema()
    known = [name for name in MAPPED if name in types]
    table = replace(raw, frame=raw.frame.with_columns(as_text(name, types[name]).str.strip_chars() for name in known))
    whole = pl.col(RULE).is_null() if RULE in types else pl.lit(value=True)
    queries = table.frame.filter(whole).drop_nulls("query_id").collect()
    twice = queries.filter(pl.col("query_id").is_duplicated()).sort("query_id", RECORD)
    if len(twice):
        query = twice["query_id"][0]
        rows = [str(row) for row in twice.filter(query_id=query)[RECORD].head(2)]
        raise DataError(
            f"{raw.source} has query id {query!r} more than once (rows {listed(rows)}); a query is in one session, once"
        )
    notes = alias_notes(raw.source, columns)
    return QuerySessions(queries.select(known), IN_MAP, raw.source, table, notes)


def taken_of_runs(
    runs: Sequence[RunLines],
    sessions: QuerySessions,
    judged: pl.Series | None,
    *,
    topics: Mapping[str, str],
    base: Mapping[str, int],
    missing_positions: str | None,
    missing_topics: str | None,
) -> Taken:
    """Return the sessions of runs as tables.

    Parameters
    ----------
    judged
        The keys for which there are judgments; None where the keys of queries are known otherwise.
    topics
        The topic of each session, where a map says it.
    base
        What ranks count from, where it is known.
    missing_positions
        What queries without a line are within the sessions of a run, as settings say it.
    missing_topics
        What becomes of topics and sessions that a run has no line of.

    Raises
    ------
    DataError
        No query id is of a session, or two lists are of the same query of a session.
    """
    names = listed([run.name for run in runs])
    sessions, unused = _with_dense_map(sessions) if missing_positions is None else (sessions, None)
    lists, strays = _lists(runs, sessions)
    if lists.is_empty():
        example = f"; the first is {strays[0]!r}" if len(strays) else ""
        raise DataError(f"{names}: no query id {_belongs(sessions, 's')}{example}")
    _refuse_clashes(lists, names)
    lists = lists.with_columns(topic_id=_topic_of(lists, topics))
    notes, warnings = list(sessions.notes), list[str]()
    key = deciding_key(lists, judged) if judged is not None and sessions.rule != GIVEN else None
    if key is not None:
        notes.append(f"judgments: their keys are the {KEYS[key]} of the run")
    expected = _expected(lists, sessions, judged, key, topics)
    missing = None if expected is None else _missing(expected, lists, sessions, missing_topics)
    if missing is not None:
        status = "not_logged" if missing_topics is None and missing_positions == "not_logged" else "empty"
        sentences = [f"runs: {missing.in_words(status, missing_topics)}"] if len(missing.named) else []
        (warnings if missing_topics is None else notes).extend(sentences)
        lists = _with_added(lists, missing.added, status, topics)
    several = lists.group_by("session").agg(pl.col("system_id").n_unique() > 1)["system_id"].any()
    session_id = pl.coalesce(pl.format("{}:{}", "system_id", "session"), "session")  # null where the system is
    lists = lists.with_columns(session_id=session_id if several else pl.col("session"))
    if judged is not None and key == "query_id" and sessions.further is not None:
        lists, judged_note = _with_judged_turns(lists, sessions.further(judged), missing_positions)
        notes.extend(judged_note)
    warnings.extend([unused] if unused else [])
    if sessions.table is None:
        lists, turn_warnings = _with_turns_of_other_runs(lists, missing_positions)
        warnings.extend(turn_warnings)
    if len(strays):
        warnings.append(f"{names}: {_rejected_strays(strays, sessions)}")
    if key == "query_id":
        lists = lists.with_columns(judgment_key="query_id")
    if sessions.table is not None:
        left_out = pl.Series([], dtype=pl.String) if missing is None else missing.named.get_column("session")
        queries = [_of_map(sessions.table, lists, missing_positions, left_out, notes)]
    else:
        own = ("run", "own", "session", "has_list", "stated_status")
        rows = lists.with_columns(results_status=_status(missing_positions)).sort(RECORD)
        queries = [run.raw("queries", rows.filter(run=at).drop(own).lazy(), {}) for at, run in enumerate(runs)]
    tables: dict[str, Sequence[Raw]] = {"queries": queries}
    if key == "session":  # which positions that are filled have as well
        of_sessions = [name for name in ("user_id", "system_id", "topic_id") if name in lists.columns]
        rows = _one_a_session(lists).select("run", RECORD, "session_id", *of_sessions, judgment_key="session")
        tables["sessions"] = [
            run.raw("sessions", rows.filter(run=at).drop("run").lazy(), {}) for at, run in enumerate(runs)
        ]
        tables["queries"] = [replace(raw, frame=raw.frame.drop(of_sessions, strict=False)) for raw in queries]
    lines = lists.filter("has_list").select("run", "own", "query_id", "session_id", "query_position")
    placed = (_placed(run, lines.filter(run=at).drop("run"), sessions) for at, run in enumerate(runs))
    tables["results"] = [run.raw("results", frame, base) for run, frame in zip(runs, placed, strict=True)]
    return Taken(tables, notes=notes, warnings=warnings)


def dense_positions(queries: pl.DataFrame, session: Sequence[str]) -> tuple[pl.DataFrame, str | None]:
    """Return queries with positions 1, 2, 3, ... in the order of their numbers, and what is said of numbers that no query has.

    A turn without retrieval, such as a farewell, leaves a gap in the numbers; no query is made up for it. Where there are gaps the column
    ``turn`` keeps the numbers; elsewhere nothing changes. Positions that are no numbers stay as they are.

    Parameters
    ----------
    queries
        ``query_position``, a text, and the columns `session`.

    >>> queries = pl.DataFrame({"session_id": ["c"] * 3, "query_position": ["2", "3", "5"]})
    >>> dense_positions(queries, ["session_id"])[0].select("query_position", "turn").rows()
    [('1', 2), ('2', 3), ('3', 5)]
    """
    numbered = queries.with_columns(turn=pl.col("query_position").cast(pl.Int64, strict=False))
    first = min(1, numbered["turn"].min() or 0)
    of_sessions = (
        numbered.drop_nulls("turn")
        .group_by(session)
        .agg(pl.col("turn").max() - first + 1 - pl.col("turn").n_unique())
        .sort(session)
    )
    gapped = of_sessions.filter(pl.col("turn") > 0)
    if gapped.is_empty():
        return queries, None
    place = pl.col("turn").rank("dense").over(session).cast(pl.String)
    dense = numbered.with_columns(query_position=pl.coalesce(place, "query_position"))
    n_unused = int(gapped["turn"].sum())
    text = (
        f"runs: {counted(n_unused, 'turn number')} in {counted(len(gapped), 'session')} (first: session {gapped[session[0]][0]!r}) "
        f"{'has' if n_unused == 1 else 'have'} no line and {'is' if n_unused == 1 else 'are'} left out, not scored 0; later queries move "
        'up, and the column turn keeps the numbers; if queries there returned nothing, say missing_positions = "empty" '
        "(--missing-positions)"
    )
    return dense, text


def _with_dense_map(sessions: QuerySessions) -> tuple[QuerySessions, str | None]:
    """Return sessions whose map numbers the queries of each from 1 without gaps, and what is said of numbers without a query."""
    if sessions.table is None:
        return sessions, None
    keys = ["session_id", *(["system_id"] if "system_id" in sessions.queries.columns else [])]
    queries, unused = dense_positions(sessions.queries, keys)
    if unused is None:
        return sessions, None
    places = queries.select("query_id", "turn", dense="query_position").lazy()
    rows = sessions.table.frame.drop("turn", strict=False).join(
        places, on="query_id", how="left", maintain_order="left"
    )
    frame = rows.with_columns(query_position=pl.coalesce("dense", "query_position")).drop("dense")
    return replace(sessions, queries=queries.drop("turn"), table=replace(sessions.table, frame=frame)), unused


def _with_dense_turns(lists: pl.DataFrame) -> tuple[pl.DataFrame, str | None]:
    """Return lists whose sessions have positions without gaps, and what is said of numbers without a query.

    A turn that one run has a line of, or that is judged, is a query of that session in every run that goes on after it.
    """
    dense, unused = dense_positions(lists, ["session"])
    place = pl.col("query_position").cast(pl.Int64, strict=False)
    turns = dense.unique(["session", "query_position"], maintain_order=True)
    turns = turns.select("query_id", "session", "query_position", *(["turn"] if unused else []))
    last = dense.group_by("session_id").agg(last=place.max())
    absent = (
        _absent_turns(dense, turns)
        .join(last, on="session_id", maintain_order="left")
        .filter(place < pl.col("last"))
        .drop("last")
    )
    return pl.concat([dense, absent], how="diagonal_relaxed"), unused


def _with_turns_of_other_runs(lists: pl.DataFrame, missing_positions: str | None) -> tuple[pl.DataFrame, list[str]]:
    """Return lists with the turns that a run lacks and others have, and what is said of turns that are left out."""
    if missing_positions is not None:
        return pl.concat([lists, _later_turns(lists)], how="diagonal_relaxed"), []
    dense, unused = _with_dense_turns(lists)
    later = _later_turns(dense)
    texts = [unused] if unused else []
    return dense, [*texts, f"runs: {_left_out_at_ends(later)}"] if len(later) else texts


def _later_turns(lists: pl.DataFrame) -> pl.DataFrame:
    """Return the turns of a run's sessions that another run has a line of, after the last one of this run.

    Nothing tells whether they returned nothing or the searcher stopped before.
    """
    place = pl.col("query_position").cast(pl.Int64, strict=False)
    turns = lists.unique(["session", "query_position"], maintain_order=True)
    turns = turns.select("query_id", "session", "query_position", *(["turn"] if "turn" in lists.columns else []))
    last = lists.filter("has_list").group_by("session_id").agg(last=place.max())
    return (
        _absent_turns(lists, turns)
        .join(last, on="session_id", maintain_order="left")
        .filter(place > pl.col("last"))
        .drop("last")
    )


def _left_out_at_ends(later: pl.DataFrame) -> str:
    """Return what is said of turns at the ends of sessions that only another run has."""
    n_sessions = later["session_id"].n_unique()
    first = later.row(0, named=True)
    return (
        f"{counted(n_sessions, 'session')} {'ends' if n_sessions == 1 else 'end'} before {counted(len(later), 'turn')} that another run "
        f"has (first: {first['query_id']!r} in session {first['session_id']!r}); {'it is' if len(later) == 1 else 'they are'} left out "
        'there, not scored 0; if queries there returned nothing, say missing_positions = "empty" (--missing-positions)'
    )


def _topic_of(lists: pl.DataFrame, topics: Mapping[str, str]) -> pl.Expr:
    """Return the topic of each list: that of its session in a map of topics, else its own, else the name of its session."""
    if topics:
        return pl.col("session").replace_strict(topics, default=None, return_dtype=pl.String)
    return pl.coalesce("topic_id", "session") if "topic_id" in lists.columns else pl.col("session")


def _with_added(lists: pl.DataFrame, added: pl.DataFrame, status: str, topics: Mapping[str, str]) -> pl.DataFrame:
    """Add lists that a run has no line of, with what is stated of them: empty or not_logged."""
    rows = added.with_columns(
        topic_id=_topic_of(added, topics), stated_status=pl.lit(status), has_list=pl.lit(value=False)
    )
    return pl.concat([lists, rows], how="diagonal_relaxed")


@dataclass(frozen=True)
class Expected:
    """The queries that every run should have.

    Parameters
    ----------
    queries
        query_id (null where it is unknown), session, query_position, and columns of the session, where known.
    column, noun
        The column whose ids messages name, and what these are.
    """

    queries: pl.DataFrame
    column: str
    noun: str


@dataclass(frozen=True)
class Missing:
    """What runs lack of what they should have.

    Parameters
    ----------
    expected
        What they should have.
    of_systems
        The expected queries of every system.
    named
        Those that messages name.
    added
        Those of whole sessions or topics that are added with empty lists.
    adds
        Whether such are added.
    """

    expected: Expected
    of_systems: pl.DataFrame
    named: pl.DataFrame
    added: pl.DataFrame
    adds: bool

    def in_words(self, status: str, missing_topics: str | None) -> str:
        """Return which systems lack what, and what becomes of it."""
        lacking = name_missing(self.named, self.of_systems, self.expected.column, self.expected.noun)
        return f"{lacking}; {what_becomes(adds=self.adds, status=status, missing_topics=missing_topics)}"


def _expected(
    lists: pl.DataFrame,
    sessions: QuerySessions,
    judged: pl.Series | None,
    key: str | None,
    topics: Mapping[str, str],
) -> Expected | None:
    """Return the queries that every run should have: those of the map, else those with judgments; None where none are known."""
    if sessions.table is not None:
        queries = sessions.queries.rename({"session_id": "session"}).drop("query_text", strict=False)
        return Expected(queries, "query_id", "queries of the query map")
    if judged is None:
        return None
    topic = judged.alias("topic_id").to_frame().with_columns(query_position=pl.lit("1"))
    if sessions.rule == GIVEN:
        queries = topic.with_columns(query_id="topic_id", session="topic_id")
        matches = lists["query_id"].is_in(judged.implode()).any()
        return Expected(queries, "query_id", "judged topics") if matches else None
    if key == "query_id" and sessions.further is not None:
        return Expected(sessions.further(judged).rename({"session_id": "session"}), "session", "judged sessions")
    if key == "session":
        return Expected(topic.rename({"topic_id": "session"}), "session", "judged sessions")
    if key == "topic_id" and topics:
        of_sessions = pl.DataFrame({"session": [*topics], "topic_id": [*topics.values()]})
        return Expected(of_sessions.join(topic, on="topic_id"), "session", "judged sessions")
    if key == "topic_id":
        return Expected(topic.with_columns(session="topic_id"), "topic_id", "judged topics")
    return None


def _missing(expected: Expected, lists: pl.DataFrame, sessions: QuerySessions, missing_topics: str | None) -> Missing:
    """Return what runs lack of what they should have, and which of it is added."""
    of_systems = of_every_system(expected.queries, lists)
    named = without_line(of_systems, lists, expected.column)
    if sessions.table is None:
        adds = missing_topics == "zero"
        return Missing(expected, of_systems, named, named if adds else named.clear(), adds)
    of_sessions = without_line(of_systems, lists, "session")
    if missing_topics == "omit":  # further queries of the sessions that a run has stay
        by_session = replace(expected, column="session", noun="sessions of the query map")
        return Missing(by_session, of_systems, of_sessions, of_sessions.clear(), adds=False)
    return Missing(expected, of_systems, named, of_sessions, adds=True)


def deciding_key(queries: pl.DataFrame, judged: pl.Series) -> str | None:
    """Return the column of queries in which most keys of judgments are found; None where none is."""
    found = {key: int(queries[key].is_in(judged.implode()).sum()) for key in KEYS if key in queries.columns}
    best = max(found, key=lambda key: found[key], default=None)
    return best if best is not None and found[best] else None


def judged_keys(raws: Collection[Raw]) -> pl.Series:
    """Return the keys for which there is a judgment among these.

    A line whose grade is no number, such as a comment, is no judgment, unless all grades are words.
    """
    keys = [pl.Series("judgment_key", [], dtype=pl.String)]
    for raw in raws:
        types = raw.frame.collect_schema()
        if "judgment_key" not in types:
            continue
        has_number = (
            pl.col("grade").cast(pl.Float64, strict=False).is_not_null() if "grade" in types else pl.lit(value=True)
        )
        intact = pl.col(RULE).is_null() if RULE in types else pl.lit(value=True)
        key = as_text("judgment_key", types["judgment_key"]).str.strip_chars().alias("judgment_key")
        counts = raw.frame.filter(intact).group_by(key).agg(has_number=has_number.any()).collect()
        numbers = counts.filter("has_number")
        keys.append((numbers if len(numbers) else counts)["judgment_key"])
    return pl.concat(keys).drop_nulls().unique()


def _belongs(sessions: QuerySessions, ending: str, *, negated: str = "") -> str:
    """Return that a query id is of a session, or is not, in the words of what says it."""
    verb = "fit" if sessions.table is None else "stand"
    return f"{negated}{verb}{ending} {'' if sessions.table is None else 'in '}{sessions.name}"


def _rejected_strays(strays: pl.Series, sessions: QuerySessions) -> str:
    """Return how many query ids are of no session, with the first of them."""
    shown = f"{', '.join(map(repr, strays[:3]))}{', ...' if len(strays) > 3 else ''}"
    negated = "does not " if len(strays) == 1 else "do not "
    is_not = _belongs(sessions, "", negated=negated)
    return f"{counted(len(strays), 'query id')} {is_not} ({shown}); the lines are rejected"


def _lists(runs: Sequence[RunLines], sessions: QuerySessions) -> tuple[pl.DataFrame, pl.Series]:
    """Return a row for each list of these runs that is of a session, and the query ids that are of none.

    Of a list it has the place of its run and its first RECORD there, the system that the run says (own) and the one that it is of,
    whether the run has it (has_list), query id, position and text, and of its session the name, user and topic, where known.
    """
    frames = []
    for at, run in enumerate(runs):
        text = [pl.col("query_text").drop_nulls().first()] if "query_text" in run.frame.collect_schema() else []
        lines = run.frame.filter(pl.col("query_id").is_not_null()).group_by("query_id", own="system_id")
        frames.append(lines.agg(pl.col(RECORD).min(), *text, run=pl.lit(at), has_list=pl.lit(value=True)))
        if run.empty is not None:
            empty = run.empty.lazy().rename({"system_id": "own"})
            frames.append(empty.with_columns(run=pl.lit(at), has_list=pl.lit(value=True)))
    lists = pl.concat(pl.collect_all(frames), how="diagonal_relaxed")
    known = sessions.queries.rename({"session_id": "session"})
    strays = lists.join(known, on="query_id", how="anti")["query_id"].unique().sort()
    lists = lists.join(known, on="query_id", suffix="_known")
    system = pl.coalesce("system_id", "own") if "system_id" in known.columns else pl.col("own")
    if "query_text_known" in lists.columns:
        lists = lists.with_columns(query_text=pl.coalesce("query_text_known", "query_text")).drop("query_text_known")
    return lists.with_columns(system_id=system, stated_status=pl.lit(None, pl.String)), strays


def _with_judged_turns(
    lists: pl.DataFrame, judged: pl.DataFrame, missing_positions: str | None
) -> tuple[pl.DataFrame, list[str]]:
    """Return lists with those of judged queries of these sessions of which the run has no line, and a note of them."""
    turns = judged.rename({"session_id": "session"}).select("query_id", "session", "query_position")
    absent = _absent_turns(lists, turns)
    if absent.is_empty():
        return lists, []
    n_queries = f"{counted(len(absent), 'query')} of these sessions {'is' if len(absent) == 1 else 'are'} judged"
    status = "not logged" if missing_positions == "not_logged" else "empty"
    reason = "" if missing_positions is None else ", as missing_positions says"
    note = f"judgments: {n_queries} without a line in the run; taken as {status}{reason}"
    return pl.concat([lists, absent], how="diagonal_relaxed"), [note]


def _absent_turns(lists: pl.DataFrame, turns: pl.DataFrame) -> pl.DataFrame:
    """Return the lists of turns of these sessions of which the run has no line.

    Parameters
    ----------
    turns
        ``query_id``, ``session``, ``query_position`` and what else is known of the query.
    """
    of = _one_a_session(lists).drop(set(turns.columns) - {"session"} | {"query_text"}, strict=False)
    every = turns.join(of.with_columns(has_list=pl.lit(value=False)), on="session")
    return every.join(lists, on=["session_id", "query_id"], how="anti").sort("session_id", "query_id")


def _one_a_session(lists: pl.DataFrame) -> pl.DataFrame:
    """Return the first list of each session."""
    return lists.sort("run", RECORD).unique("session_id", keep="first", maintain_order=True)


def _status(missing: str | None) -> pl.Expr:
    """Return the results_status of queries without lines where it is not what it would be anyway: that they returned nothing."""
    unlogged = pl.col("has_list").fill_null(value=False).not_() & pl.lit(missing == "not_logged")
    return pl.coalesce("stated_status", pl.when(unlogged).then(pl.lit("not_logged")))


def _refuse_clashes(lists: pl.DataFrame, names: str) -> None:
    """Raise DataError where two lists are of one query of a session."""
    place = pl.col("query_position").cast(pl.Int64, strict=False).alias("place")
    queries = lists.with_columns(place).drop_nulls("place").group_by("session", "system_id", "place")
    clashes = queries.agg(pl.col("query_id").sort()).filter(pl.col("query_id").list.len() > 1)
    if len(clashes):
        found = clashes.sort("session", "system_id", "place").row(0, named=True)
        of = "" if found["system_id"] is None else f" of system {found['system_id']!r}"
        first, second, *_ = found["query_id"]
        which = f"query ids {first!r} and {second!r} are both" if first != second else f"two lists of {first!r} are"
        raise DataError(f"{names}: {which} query {found['place']} of session {found['session']!r}{of}")


def _placed(run: RunLines, lists: pl.DataFrame, sessions: QuerySessions) -> pl.LazyFrame:
    """Return the lines of a run with their session, those of no session marked as broken."""
    keys = [name for name in ("session_id", "query_position") if name in run.frame.collect_schema()]
    frame = run.frame.drop("query_text", strict=False).rename(
        {"system_id": "own", **{key: f"{key}_given" for key in keys}}
    )
    frame = frame.join(lists.lazy(), on=["query_id", "own"], how="left", nulls_equal=True, maintain_order="left")
    stray = pl.col(RULE).is_null() & pl.col("session_id").is_null()
    marked = frame.with_columns(
        pl.when(stray).then(pl.lit(sessions.rule)).otherwise(RULE).alias(RULE),
        pl.when(stray).then("query_id").otherwise(VALUE).alias(VALUE),
    )
    return marked.drop("own", "query_id")


def _of_map(table: Raw, lists: pl.DataFrame, missing: str | None, sessions_named: pl.Series, notes: list[str]) -> Raw:
    """Return the queries of a map that are of sessions of the run, with those of which it has no line."""
    given = table.frame.collect_schema().names()
    of = _one_a_session(lists).select("session", "session_id", "system_id", "topic_id")
    own = lists.select(
        "session_id",
        "query_id",
        "has_list",
        "stated_status",
        *(["query_text"] if "query_text" in lists.columns else []),
    )
    whole = table.frame.filter(pl.col(RULE).is_null()) if RULE in given else table.frame
    rows = whole.rename({"session_id": "session"}).join(of.lazy(), on="session", suffix="_run")
    if "system_id" in given:
        rows = rows.filter((pl.col("system_id") == pl.col("system_id_run")).fill_null(value=True))
    rows = rows.join(own.lazy(), on=["session_id", "query_id"], how="left", suffix="_run")
    merged = [name for name in ("system_id", "topic_id", "query_text") if f"{name}_run" in rows.collect_schema()]
    rows = rows.with_columns(
        *(pl.coalesce(f"{name}_run", name).alias(name) for name in merged), results_status=_status(missing)
    )
    if "judgment_key" in lists.columns:
        rows = rows.with_columns(judgment_key="query_id")
    rows = rows.drop("session", "has_list", "stated_status", *(f"{name}_run" for name in merged))
    broken = pl.col("session_id").is_null() | (pl.col(RULE).is_not_null() if RULE in given else pl.lit(value=False))
    every = pl.concat(
        [rows, table.frame.filter(broken)], how="diagonal_relaxed"
    )  # what no session is of is rejected later
    kept = every.sort(RECORD, "session_id").collect()
    named = table.frame.select(pl.col("session_id").drop_nulls().unique()).collect().to_series()
    elsewhere = int((~named.is_in(pl.concat([lists["session"], sessions_named]).unique().implode())).sum())
    if elsewhere:
        notes.append(f"{table.source}: {counted(elsewhere, 'session')} of it without a line in the run, left out")
    return replace(table, frame=kept.lazy(), records=len(kept))


CHOICES = get_args(MissingTopics)
MISSING_TOPICS = Option(
    "What becomes of judged topics, and of sessions of the query_map, that a run has no line of: omit leaves them out, zero adds "
    "them with empty lists, as trec_eval -c does. Default: zero with a query_map, else omit, with a warning.",
    allowed=CHOICES,
)


def of_every_system(expected: pl.DataFrame, lists: pl.DataFrame) -> pl.DataFrame:
    """Return the expected queries of every system, with ``system_id``, ``run`` and RECORD of its first list.

    Parameters
    ----------
    expected
        Queries; with a ``system_id`` where they are expected of one system alone.
    lists
        ``system_id`` (null where unknown), ``run`` and RECORD of the lists that there are.
    """
    systems = lists.sort("run", RECORD).group_by("system_id", maintain_order=True).agg(pl.col("run", RECORD).first())
    if "system_id" not in expected.columns:
        return expected.join(systems, how="cross")
    pairs = expected.rename({"system_id": "only_of"}).join(systems, how="cross")
    is_of_system = (pl.col("only_of") == pl.col("system_id")).fill_null(value=False) | pl.col("only_of").is_null()
    return pairs.filter(is_of_system).drop("only_of")


def without_line(expected: pl.DataFrame, lists: pl.DataFrame, column: str) -> pl.DataFrame:
    """Return the rows of expected queries of systems (see `of_every_system`) that have no list with their id in `column`."""
    return expected.join(lists, on=["system_id", column], how="anti", nulls_equal=True)


def what_becomes(*, adds: bool, status: str, missing_topics: str | None) -> str:
    """Return what becomes of what runs lack, and the other choice where nobody chose.

    Parameters
    ----------
    adds
        Whether lists are added.
    status
        What is stated of them: empty or not_logged.
    missing_topics
        What was chosen.
    """
    taken = f"taken as {'empty' if status == 'empty' else 'lists that were not logged'}"
    if missing_topics is not None:
        return f"{taken if adds else 'left out'}, as missing_topics says"
    if adds:
        return f'{taken}; say missing_topics = "zero" (--missing-topics zero) if they are empty, "omit" to leave such sessions out'
    return 'left out of means, as by trec_eval; missing_topics = "zero" (--missing-topics zero) adds empty lists, as trec_eval -c does'
