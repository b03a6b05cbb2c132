"""Format ``trec_run``: runs of TREC and of other libraries in every form in which they are saved; each topic is a session of one query."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import get_args

import polars as pl

from sessionkit.arguments import RunDuplicates, RunOrder, TableName
from sessionkit.display.labels import name_missing
from sessionkit.display.numbers import counted
from sessionkit.errors import DataError
from sessionkit.readers.checks.cells import alias_notes
from sessionkit.readers.column_names import folded
from sessionkit.readers.format import TOPICS, Glimpse, Option
from sessionkit.readers.formats.trec_session import read_topics
from sessionkit.readers.io.delimited import (
    FITS,
    NUMBER,
    count_idle_lines,
    fields_of,
    first_fields,
    header_of,
    name_fields,
    read_delimited,
    read_whitespace,
)
from sessionkit.readers.io.files import PACKED, LogFile
from sessionkit.readers.io.json import BEGIN, holds_scores, read_ndjson, read_score_dict
from sessionkit.readers.io.tables import read_parquet
from sessionkit.readers.judgments.qrels import COLUMN, GRADES, holds_participant_qrels
from sessionkit.readers.raw import Keep, Locate, Raw
from sessionkit.readers.read import DOCUMENT, QUERY
from sessionkit.readers.records import Log, Taken, raw_of
from sessionkit.readers.run_sessions import (
    EXAMPLE,
    MISSING_TOPICS,
    QUERY_MAP,
    SESSION_FROM,
    QuerySessions,
    RunLines,
    by_pattern,
    judged_keys,
    map_of_file,
    of_every_system,
    taken_of_runs,
    what_becomes,
    without_line,
)
from sessionkit.study.checks import RECORD, RULE, VALUE, as_text

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


FIELDS = ("query_id", "iteration", "doc_id", "rank", "score", "tag")
THREE = ("query_id", "doc_id", "rank")
RUN = {
    "query_id": QUERY,
    "doc_id": DOCUMENT,
    "query_text": ("query",),
    "tag": ("systemid", "system", "runid", "runtag", "run"),
    "rank": ("rank",),
    "score": ("score",),
}
"""What columns of runs are called, folded."""
BESIDE = ("iteration", "iter", "q0", "query0", "text", "title", "url", "body", "features", "")
"""Further columns of a table that is a run and nothing else."""
KINDS = {"results": "lines", "queries": "query ids", "sessions": "sessions of query ids"}
"""What the records of a run are."""


@dataclass(frozen=True)
class RunFile:
    """The records of one file of a run.

    Parameters
    ----------
    file
        The file.
    frame
        RECORD, RULE, VALUE, query_id, doc_id, tag, perhaps rank, score and query_text, and what else a table has.
    locate
        The way back to the text of a record; None where each is a line.
    empty
        Topics without documents, where a file can say that.
    idle
        Lines that carry no record, by what they are.
    notes
        What was decided about the file.
    """

    file: LogFile
    frame: pl.LazyFrame
    locate: Locate | None = None
    empty: Sequence[str] = ()
    idle: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def order(self, chosen: str) -> str:
        """Return what orders the lists: as chosen, but the rank in place of scores that are not there.

        Raises
        ------
        DataError
            What was chosen is not there.
        """
        names = self.frame.collect_schema().names()
        if chosen == "file" or chosen in names:
            return chosen
        if chosen == "score":
            return "rank"
        raise DataError(f'{self.file.name} has no ranks to order lists by; leave out order = "rank"')

    def lines(self, frame: pl.LazyFrame, chosen: str, system: str) -> RunLines:
        """Return a run of these records in their order, which was chosen so; `system` is that of topics without documents."""
        has_ranks = self.order(chosen) == "rank" != chosen  # which then count from 0 or 1, as in the file

        def raw(table: TableName, rows: pl.LazyFrame, base: Mapping[str, int]) -> Raw:
            known = {name: first for name, first in base.items() if name != "rank" or not has_ranks}
            return raw_of(self.file, table, rows, kind=KINDS[table], base=known, locate=self.locate)

        empty = pl.DataFrame({"query_id": self.empty}, schema={"query_id": pl.String})
        empty = empty.select(pl.lit(1, pl.Int64).alias(RECORD), "query_id", system_id=pl.lit(system))
        return RunLines(self.file.name, frame, raw, empty)


def holds_three_columns(text: str) -> bool:
    """Return whether a text begins like a topic, a document and a rank, where the ranks of some topic are 1, 2 (or 0, 1).

    >>> holds_three_columns("q1 d3 1\\nq1 d2 2\\nq2 d2 1\\n"), holds_three_columns("q1 d3 1\\nq1 d2 1\\n")
    (True, False)
    """
    lines = first_fields(text)
    if not lines or any(len(line) != len(THREE) or not line[2].isdecimal() for line in lines):
        return False
    ranks: dict[str, list[int]] = {}
    for topic, _, rank in lines:
        ranks.setdefault(topic, []).append(int(rank))
    *earlier, _ = ranks.values()  # the last list may be cut
    counted = all(sorted(one) == list(range(min(one), min(one) + len(one))) and min(one) <= 1 for one in earlier)
    last = sorted(list(ranks.values())[-1])
    return counted and last[0] <= 1 and len(set(last)) == len(last) and any(len(one) > 1 for one in ranks.values())


def holds_run_table(glimpse: Glimpse) -> bool:
    """Return whether something is a table of a run alone: its columns are a query, a document, and a score or rank."""
    names = glimpse.columns or header_of(glimpse.head)[0]
    usual = {*(name for names in RUN.values() for name in names), *map(folded, RUN), *BESIDE}
    if not is_run_table(names) or not {folded(name) for name in names} <= usual:
        return False
    if not glimpse.columns:
        return True
    columns = run_columns(names)
    # ranx writes judgments with the names of a run: grades are whole numbers, scores are not
    return "rank" in columns or pl.read_parquet_schema(glimpse.path)[columns["score"]].is_float()


def is_run_table(names: Collection[str]) -> bool:
    """Return whether columns name a query, a document, and a score or rank."""
    columns = set(run_columns(names))
    return {"query_id", "doc_id"} <= columns and bool({"rank", "score"} & columns)


def run_columns(names: Collection[str]) -> dict[str, str]:
    """Return our column = the table's, the likeliest of each.

    >>> run_columns(["qid", "docid", "docno", "rank", "score", "query"])
    {'query_id': 'qid', 'doc_id': 'docno', 'query_text': 'query', 'rank': 'rank', 'score': 'score'}
    """
    found = {}
    for ours, usual in RUN.items():
        theirs = [name for name in names if folded(name) in usual]
        if ours in names:
            found[ours] = ours
        elif theirs:
            found[ours] = min(theirs, key=lambda name: usual.index(folded(name)))
    return found


def holds_other_run(glimpse: Glimpse) -> bool:
    """Return whether something is a run in another form than TREC's six columns."""
    return (
        holds_scores(glimpse.head)
        or holds_run_table(glimpse)
        or (not glimpse.columns and holds_three_columns(glimpse.head))
    )


def read_run(file: LogFile, keep: Keep) -> RunFile:
    """Return the records of a file of a run.

    Raises
    ------
    DataError
        The lines are none of a run, which the message names where they are known.
    """
    head = "" if file.kind == "parquet" else file.head.decode("utf-8", errors="replace")
    if file.kind == "parquet" or is_run_table(_names(file, head)):
        return _read_table(file, head, keep)
    if BEGIN.match(head):
        return _read_dict(file)
    lines = first_fields(head)
    if 2 * sum(len(fields) == len(THREE) for fields in lines) > len(lines):
        return _read_three(file, keep)
    if (named := name_fields(head)) is not None:
        raise DataError(f"{file.name}: {named}")
    if holds_participant_qrels(head):
        raise DataError(
            f"{file.name} holds judgments of a participant, as TREC RAG has them (topic, Q0, document, grade, confidence, run), not a "
            "run; give it as judgments (--judgments)"
        )
    return RunFile(file, _lines(file, keep), idle=count_idle_lines(file))


def _lines(file: LogFile, keep: Keep) -> pl.LazyFrame:
    """Return the lines of TREC's columns; one with neither rank nor score is what a program said, and of no topic."""
    frame = fields_of(file, FIELDS, least=len(FIELDS), keep=keep)
    numbers = pl.col("rank").str.contains(r"^-?\d+$") | pl.col("score").cast(pl.Float64, strict=False).is_not_null()
    is_message = pl.col(RULE).is_null() & ~numbers
    return frame.with_columns(
        pl.when(is_message).then(pl.lit(FITS)).otherwise(RULE).alias(RULE),
        pl.when(is_message).then(pl.concat_str(FIELDS, separator=" ")).otherwise(VALUE).alias(VALUE),
        *(pl.when(~is_message).then(name).alias(name) for name in FIELDS),
    ).drop("iteration")


def _read_three(file: LogFile, keep: Keep) -> RunFile:
    """Return the lines of three columns."""
    frame = fields_of(file, THREE, least=len(THREE), most=len(THREE), keep=keep)
    system = system_named(file)
    note = f"{file.name}: three columns, read as topic, document and rank; its system is {system!r}"
    return RunFile(file, frame.with_columns(tag=pl.lit(system)), idle=count_idle_lines(file), notes=(note,))


def _read_dict(file: LogFile) -> RunFile:
    """Return the scores of JSON."""
    frame, empty, locate = read_score_dict(file, "query_id", "score")
    system = system_named(file)
    rows = frame.lazy().with_columns(_null(RULE), _null(VALUE), tag=pl.lit(system))
    return RunFile(file, rows, locate, empty, notes=(f"{file.name}: its system is {system!r}",))


def _read_table(file: LogFile, head: str, keep: Keep) -> RunFile:
    """Return the rows of a table."""
    names, separator = header_of(head)
    if file.kind == "parquet":
        raw = read_parquet(file, "results", keep=keep)
    elif file.kind == "ndjson":
        raw = read_ndjson(file, "results", keep=keep)
    elif len(names) > 1:
        raw = read_delimited(file, "results", separator=separator, keep=keep)
    else:
        raw = read_whitespace(file, "results", header=True, keep=keep)
    types = raw.frame.collect_schema()
    columns = run_columns(types.names())
    if not is_run_table(types.names()):
        raise DataError(
            f"{file.name} has the columns {', '.join(name for name in types.names() if name not in (RECORD, RULE, VALUE))}; a table of a "
            "run names a query (qid, query_id), a document (docno, docid, doc_id) and a score or a rank"
        )
    frame = raw.frame.rename({theirs: ours for ours, theirs in columns.items()})
    texts = [
        as_text(ours, types[theirs]).alias(ours) for ours, theirs in columns.items() if ours not in ("rank", "score")
    ]
    marks = [_null(name) for name in (RULE, VALUE) if name not in types]
    notes = alias_notes(file.name, columns)
    if "tag" not in columns:
        system = system_named(file)
        marks.append(pl.lit(system).alias("tag"))
        notes = (*notes, f"{file.name}: its system is {system!r}")
    frame = frame.drop("iteration", strict=False).with_columns(*texts, *marks)
    return RunFile(file, frame, raw.locate, notes=notes)


def _names(file: LogFile, head: str) -> Sequence[str]:
    """Return the names of the columns of a text, if it has such."""
    if file.kind == "ndjson":
        return re.findall(r'"([^"]*)"\s*:', head.strip().split("\n", 1)[0])
    names, _ = header_of(head)
    return names if len(names) > 1 else names[0].split() if names else ()


def _null(name: str) -> pl.Expr:
    """Return a column of text without values."""
    return pl.lit(None, dtype=pl.String).alias(name)


def system_named(file: LogFile) -> str:
    """Return the name of a file without its endings, for its system."""
    path = PurePath(file.name)
    return PurePath(path.stem).stem if path.suffix in PACKED else path.stem
