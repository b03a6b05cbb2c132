"""Format ``trec_run``: TREC runs, ``topic iteration document rank score tag`` between blanks; each topic a session of one query.

Other forms of runs (``run_files.py``) are read alike: three columns of MS MARCO, JSON of scores, tables of PyTerrier and ranx.

Several runs at once are several systems: ``system_id`` is the tag, followed by the name of the file where several files
have the tag; ``session_id`` is system and topic (``bm25:301``), as the same topics come in every run. Fields beyond the
sixth are ignored, as trec_eval does. Comments, descriptions of a system and a header are counted and skipped (``io/blanks.py``). Other
lines with neither rank nor score, which programs write among those of a run, are rejected and of no topic.

The list is ordered as ``order`` in study.toml says: ``score`` (the default: descending, in single precision, equal scores
by document, descending, as trec_eval does; the rank in the file is ignored), ``rank`` (as the file numbers them, from 0 or
1, gaps kept) or ``file`` (as the lines stand). A document that a topic has twice is kept, ``duplicates = "keep"`` (it gains
once), or its lower places are merged into the first (``"first"``) or rejected (``"reject"``); trec_eval refuses such runs.

Runs for sessions and conversations name a session and a query of it in the first field (``31_1``, ``s12-3``). ``session_from``,
a regular expression with the groups session and position, or ``query_map``, a table of query ids with their sessions and positions
(``run_sessions.py``), makes sessions of them; without, each is a session of its own, and a warning says so where most look like that.
``session_id`` is then the session's name, with the system before it where several systems have a session of one name; ``topic_id``
is the session's name where nothing says another, and judgments may be keyed on query ids, topics or sessions: whichever are most of
their keys. Lists that are empty are in no run: queries of these sessions that the map has, judgments keyed on query ids or another run
has are empty lists. Other numbers between turns make no query, unless ``missing_positions`` says what they are; ``turn`` keeps the
numbers. ``missing_topics`` says what judged topics are of which a run has no line (``missing_topics.py``).

In runs of the Session Track (levels RL1 to RL4) the first field is the number of a session: with the track's map as
``--topics-file``, ``topic_id`` is the session's topic. Judgments are qrels (``judgments/trec_qrels.py``: judges, grades of 2012).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

import polars as pl

from sessionkit.choices import RunDuplicates, RunOrder
from sessionkit.contract import RECORD, RULE, VALUE
from sessionkit.display.missing_ids import name_missing
from sessionkit.display.words import counted
from sessionkit.errors import DataError
from sessionkit.readers.entries import TOPICS, Glimpse, Option
from sessionkit.readers.formats.trec_session import read_topics
from sessionkit.readers.io.blanks import NUMBER, first_fields
from sessionkit.readers.judgments.trec_qrels import COLUMN, GRADES, holds_participant_qrels
from sessionkit.readers.missing_topics import MISSING_TOPICS, of_every_system, what_becomes, without_line
from sessionkit.readers.raw import Raw
from sessionkit.readers.records import Log, Taken
from sessionkit.readers.run_files import FIELDS, RunFile, holds_other_run, read_run, system_named
from sessionkit.readers.run_sessions import (
    EXAMPLE,
    QUERY_MAP,
    SESSION_FROM,
    QuerySessions,
    RunLines,
    by_pattern,
    judged_keys,
    map_of_file,
    taken_of_runs,
)

TRIED = (
    "a run and qrels of trec_eval's own tests, part of a run for the Session Track of 2013, as Indri wrote it, and part of a run "
    "for CAsT 2021, whose turns made sessions"
)
OPTIONS: dict[str, Option] = {
    "order": Option("What orders a list: score, rank or file.", default="score", allowed=get_args(RunOrder)),
    "rank_base": Option(
        "With order rank: what ranks count from; without, as most lists do.", kind="integer", allowed=(0, 1)
    ),
    "duplicates": Option(
        "What becomes of a document that a topic has twice: keep, first (the others merge into it) or reject.",
        default="keep",
        allowed=get_args(RunDuplicates),
    ),
    "session_from": SESSION_FROM,
    "query_map": QUERY_MAP,
    "missing_topics": MISSING_TOPICS,
    "topics": TOPICS,
    "grades": GRADES,
    "qrels_column": COLUMN,
}
LIST = ("tag", "query_id")
NO_DOCUMENTS = ("Q", "T", "C")
"""What stands in the place of a document in logs of Yandex."""
ITERATION = r"[A-Za-z]*\d{0,3}"
TURN = r"^(.*\w)(<::>|::|[-_.:/])(\d+)$"
"""A session, a separator, and the number of a turn in it."""
CONVERSATION_SEPARATORS = ("<::>", "::")
"""Separators that ids of collections do not have: whatever follows is a turn."""
TREE_SEPARATOR, AFTER_NUMBER = "-", r"(?:^|[\W_])\d+$"
"""``132_3-2`` is a turn of a tree (CAsT 2022): a number before the dash is a branch of it, not a session."""
LATEST_FIRST_TURN = 2
"""The first turn of a conversation often needs no retrieval, so the turns in a run begin at 1 or 2, in some dumps at 0."""
LONGEST = 30
"""Turns of a lone session up to which its topics are taken for turns; more are the topics of a collection."""
UNIQUE, NUMERIC, FINITE = "document_is_unique_in_list", "score_is_a_number", "score_is_finite"


def fits(glimpse: Glimpse) -> bool:
    """Return whether most of the first lines are a topic, a short iteration, a document, a rank, a score and a tag, or another run."""
    lines = first_fields(glimpse.head)
    fit = [_fits(fields) for fields in lines]
    is_trec = bool(fit) and fit[0] and 2 * sum(fit) > len(fit) and not holds_participant_qrels(glimpse.head)
    return is_trec or holds_other_run(glimpse)


def take(log: Log) -> Taken:
    """Take the files apart."""
    given, rank_base = log.option("topics"), log.option("rank_base")
    if rank_base is not None and log.option("order") != "rank":
        raise DataError(
            f"{log.config.name}: rank_base = {rank_base} is the first rank, but lists are ordered by "
            f'{log.option("order")}; set order = "rank", or leave rank_base out'
        )
    topics, notes = read_topics(log.config.folder / given if given else None, log.workspace)
    files = [read_run(file, log.keep) for file in log.files]
    idle = {(one.file.name, kind): number for one in files for kind, number in one.idle.items()}
    notes += [note for one in files for note in one.notes]
    shared = _shared_tags([one.frame for one in files])
    sessions = _sessions(log, files)
    if shared:
        notes.append(f"tags of several files, told apart by the names of the files: {', '.join(sorted(shared)[:5])}")
    first = rank_base if log.option("order") == "rank" else 1
    base = {} if first is None else {"rank": first}
    runs, merged = list[RunLines](), {}
    for one in files:
        name, order = one.file.name, log.option("order")
        system, of_file = pl.col("tag"), system_named(one.file)
        if shared:
            system = pl.when(pl.col("tag").is_in(shared)).then(pl.format("{} {}", "tag", pl.lit(name))).otherwise("tag")
        ordered = log.keep(ordered_lists(one.frame, one.order(order), log.option("duplicates")))
        if log.option("duplicates") == "first":
            merged[name, "documents placed lower again"] = _count(one.frame) - _count(ordered)
        frame = ordered.with_columns(system_id=system).drop("tag")
        runs.append(one.lines(frame, order, f"{of_file} {name}" if of_file in shared else of_file))
    known = {session: told["topic_id"] for session, told in topics.items()}
    judgments = log.judgments()
    judged = None if judgments.by_text else judged_keys(judgments.raws)
    missing_topics = log.option("missing_topics")
    if sessions is None:
        taken = _topics_as_sessions(runs, judged, topics=known, base=base, missing_topics=missing_topics)
        return replace(
            taken,
            merged=merged,
            idle=idle,
            notes=[*notes, *taken.notes],
            warnings=[*taken.warnings, *turns_in(_topics(files))],
        )
    taken = taken_of_runs(
        runs,
        sessions,
        judged,
        topics=known,
        base=base,
        missing_positions=log.config.settings.missing_positions,
        missing_topics=missing_topics,
    )
    return replace(taken, merged=merged, idle=idle, notes=[*notes, *taken.notes])


def _topics_as_sessions(
    runs: Sequence[RunLines],
    judged: pl.Series | None,
    *,
    topics: Mapping[str, str],
    base: Mapping[str, int],
    missing_topics: str | None,
) -> Taken:
    """Return runs of which each topic is a session of one query; the parameters are those of `taken_of_runs`."""
    raws = [run.raw("results", _topic_sessions(run.frame, topics), {"query_position": 1, **base}) for run in runs]
    tables: dict[str, Sequence[Raw]] = {"results": raws}
    empty = _empty_lists_of(runs)
    if judged is None and empty.is_empty():
        return Taken(tables)
    lists = _lists_of(runs)
    logged = pl.concat([lists, empty], how="diagonal")
    expected = _expected_topics(logged, logged["query_id"].clear() if judged is None else judged, topics)
    missing = without_line(expected, logged, "query_id")
    adds = missing_topics == "zero"
    added = pl.concat([empty, missing], how="diagonal") if adds else empty
    if len(added):
        tables["queries"] = _with_empty_lists(runs, lists, added, topics)
        of_queries = ("query_id", "system_id", "topic_id", "query_text")
        tables["results"] = [replace(raw, frame=raw.frame.drop(of_queries, strict=False)) for raw in raws]
    if missing.is_empty():
        return Taken(tables)
    lacking = name_missing(missing, expected, "query_id", "judged topics")
    sentence = f"runs: {lacking}; {what_becomes(adds=adds, status='empty', missing_topics=missing_topics)}"
    return Taken(tables, warnings=[sentence]) if missing_topics is None else Taken(tables, notes=[sentence])


def _topic_sessions(frame: pl.LazyFrame, topics: Mapping[str, str]) -> pl.LazyFrame:
    """Return the lines of a run with a session of one query for each query id of each system."""
    system, topic = pl.col("system_id"), pl.col("query_id")
    if topics:
        topic = topic.replace_strict(topics, default=None, return_dtype=pl.String)
    return frame.with_columns(session_id=pl.format("{}:{}", system, "query_id"), topic_id=topic, query_position=1)


def _lists_of(runs: Sequence[RunLines]) -> pl.DataFrame:
    """Return ``system_id``, ``query_id``, ``run``, first RECORD and, where known, ``query_text`` of every list."""
    frames = [
        run.frame.filter(pl.col("query_id").is_not_null())
        .group_by("system_id", "query_id")
        .agg(pl.col(RECORD).min(), *_texts_of(run.frame))
        .with_columns(run=pl.lit(at))
        for at, run in enumerate(runs)
    ]
    return pl.concat(pl.collect_all(frames), how="diagonal")


def _texts_of(frame: pl.LazyFrame) -> list[pl.Expr]:
    """Return the text of the query of lines that have one."""
    return [pl.col("query_text").first()] if "query_text" in frame.collect_schema() else []


def _empty_lists_of(runs: Sequence[RunLines]) -> pl.DataFrame:
    """Return ``system_id``, ``query_id``, ``run`` and RECORD of the lists that runs say are empty."""
    schema = {RECORD: pl.Int64, "query_id": pl.String, "system_id": pl.String, "run": pl.Int32}
    frames = [run.empty.with_columns(run=pl.lit(at)) for at, run in enumerate(runs) if run.empty is not None]
    return pl.concat([pl.DataFrame(schema=schema), *frames])


def _expected_topics(lists: pl.DataFrame, judged: pl.Series, topics: Mapping[str, str]) -> pl.DataFrame:
    """Return the query ids that every system should have: those whose topic is judged.

    Parameters
    ----------
    judged
        The keys of the judgments.
    topics
        The topic of each query id, where a map says it.

    Returns
    -------
    polars.DataFrame
        ``query_id``, ``system_id``, ``run`` and RECORD of the system's first list. Empty where the runs have no judged topic at all, as
        the judgments then have other keys.
    """
    query_ids = judged
    if topics:
        query_topics = pl.DataFrame({"query_id": [*topics], "topic_id": [*topics.values()]})
        query_ids = query_topics.filter(pl.col("topic_id").is_in(judged.implode()))["query_id"]
    if not lists["query_id"].is_in(query_ids.implode()).any():
        query_ids = query_ids.clear()
    return of_every_system(query_ids.alias("query_id").to_frame(), lists)


def _with_empty_lists(
    runs: Sequence[RunLines], lists: pl.DataFrame, missing: pl.DataFrame, topics: Mapping[str, str]
) -> list[Raw]:
    """Return the queries of runs: those of their lists, and those of which they have no line."""
    empty = missing.with_columns(results_status=pl.lit("empty"))
    rows = pl.concat([lists, empty], how="diagonal").sort(RECORD, "query_id").lazy()
    frames = [_topic_sessions(rows.filter(run=at).drop("run"), topics) for at in range(len(runs))]
    return [run.raw("queries", frame, {"query_position": 1}) for run, frame in zip(runs, frames, strict=True)]


def _sessions(log: Log, files: Sequence[RunFile]) -> QuerySessions | None:
    """Return of which session each query id is, where something says it."""
    pattern, path = log.option("session_from"), log.option("query_map")
    if pattern is not None and path is not None:
        raise DataError(
            f"{log.config.name}: session_from and query_map both say what the sessions are; leave out one of them"
        )
    if path is not None:
        return map_of_file(log.config.folder / Path(path), log.workspace, log.config)
    return None if pattern is None else by_pattern(_topics(files), pattern)


def turns_in(topics: pl.Series, remedy: str = "session_from = '{}' in study.toml (--session-from)") -> list[str]:
    """Return a warning where most of these distinct topics look like turns of sessions: numbered after the same name.

    `remedy` is where the pattern goes that makes sessions of them.

    After a separator of conversations (``::``, ``<::>``) any number is a turn. After another separator turns begin at 0, 1 or 2, and
    up to half of a session may be missing, as turns that found nothing are in no run. A lone session must then have a number in its
    name, as ``31_1`` and ``31_2`` have and ``MB-1`` and ``MB-2`` have not.
    """
    parts = topics.str.extract_groups(TURN).struct.unnest().rename({"1": "session", "2": "separator", "3": "turn"})
    is_branch = (pl.col("separator") == TREE_SEPARATOR) & pl.col("session").str.contains(AFTER_NUMBER)
    numbered = parts.with_columns(pl.col("turn").cast(pl.Int64, strict=False), topic=topics).drop_nulls()
    sessions = (
        numbered.filter(~is_branch)
        .group_by("separator", "session")
        .agg(pl.len(), pl.col("turn").min().alias("first"), pl.col("turn").max().alias("last"), pl.col("turn", "topic"))
    )
    is_conversation = pl.col("separator").is_in(CONVERSATION_SEPARATORS)
    is_dense = (pl.col("first") <= LATEST_FIRST_TURN) & (pl.col("last") <= 2 * pl.col("len"))
    sessions = sessions.filter(is_conversation | ((pl.col("len") > 1) & is_dense)).sort("separator", "session")
    by_separator = sessions.partition_by("separator", maintain_order=True)
    sessions = max(by_separator, key=lambda part: part["len"].sum(), default=sessions)
    n_turns = int(sessions["len"].sum())
    if 2 * n_turns <= len(topics) or sessions["len"].max() == 1:
        return []
    separator = sessions["separator"][0]
    if len(sessions) == 1 and separator not in CONVERSATION_SEPARATORS:
        is_numbered = bool(sessions["session"].str.contains(r"\d").item())
        if not is_numbered or n_turns > LONGEST:
            return []
    turns_of_one = sessions.filter(pl.col("len") > 1).head(1).explode("turn", "topic")
    first_topics = turns_of_one.sort("turn")["topic"].head(2)
    pattern = EXAMPLE.replace("_", separator.replace(".", r"\."))
    return [
        f"{counted(n_turns, 'topic')} look like turns of {counted(len(sessions), 'session')} "
        f"({', '.join(map(repr, first_topics))}, ...), but each became a session of its own, with one query; "
        f"{remedy.format(pattern)} makes sessions of them"
    ]


def _topics(files: Sequence[RunFile]) -> pl.Series:
    """Return the distinct topics of all files."""
    topics = pl.concat([one.frame.select(pl.col("query_id").drop_nulls().unique()) for one in files])
    empty = pl.Series("query_id", [topic for one in files for topic in one.empty], dtype=pl.String)
    return pl.concat([topics.collect().to_series(), empty]).unique()


def ordered_lists(frame: pl.LazyFrame, order: str, duplicates: str) -> pl.LazyFrame:
    """Return the lines of a run with their ranks as text, those in no place of a list marked as broken."""
    score = pl.col("score").cast(pl.Float64, strict=False)
    if order == "score":  # where it makes no rank, a list does well without
        unfit = pl.col(RULE).is_null() & ~score.is_finite().fill_null(value=False)
        frame = frame.with_columns(
            pl.when(unfit & score.is_null())
            .then(pl.lit(NUMERIC))
            .when(unfit)
            .then(pl.lit(FINITE))
            .otherwise(RULE)
            .alias(RULE),
            pl.when(unfit).then(pl.col("score").cast(pl.String)).otherwise(VALUE).alias(VALUE),
        )
    whole = pl.col(RULE).is_null()
    if order == "score":
        precise = score.cast(pl.Float32)
        frame = frame.sort(
            precise, "doc_id", RECORD, descending=[True, True, False], nulls_last=True, maintain_order=True
        )
    if order == "rank":
        frame = frame.sort(pl.col("rank").cast(pl.Int64, strict=False), RECORD, nulls_last=True, maintain_order=True)
    if duplicates != "keep":
        again = whole & (pl.col("doc_id").cum_count().over(*LIST, "doc_id", RULE) > 1)
        if duplicates == "first":
            frame = frame.filter(~again.fill_null(value=False))
        else:
            frame = frame.with_columns(
                pl.when(again).then(pl.lit(UNIQUE)).otherwise(RULE).alias(RULE),
                pl.when(again).then("doc_id").otherwise(VALUE).alias(VALUE),
            )
    if order != "rank":
        frame = frame.with_columns(rank=pl.when(whole).then(whole.cast(pl.Int64).cum_sum().over(*LIST)))
    return frame.sort(RECORD)


def _shared_tags(frames: Sequence[pl.LazyFrame]) -> list[str]:
    """Return the tags that several files have."""
    tags: Sequence[list[str]] = [
        frame.select(pl.col("tag").drop_nulls().unique()).collect().to_series().to_list() for frame in frames
    ]
    every = [tag for own in tags for tag in own]
    return sorted({tag for tag in every if every.count(tag) > 1})


def _count(frame: pl.LazyFrame) -> int:
    """Return the number of rows."""
    number: int = frame.select(pl.len()).collect().item()
    return number


def _fits(fields: list[str]) -> bool:
    """Return whether a line is one of a run."""

    return (
        len(fields) >= len(FIELDS)
        and re.fullmatch(ITERATION, fields[1]) is not None
        and not fields[2].startswith("[")
        and fields[2] not in NO_DOCUMENTS
        and fields[3].isdecimal()
        and (NUMBER.fullmatch(fields[4]) is not None or _is_number(fields[4]))
        and not (fields[5].count(":") and fields[4] in ("0", "1"))
    )


def _is_number(text: str) -> bool:
    """Return whether a text is a number, with an exponent perhaps, or one that is not finite, which is rejected later."""
    try:
        float(text)
    except ValueError:
        return False
    return True
