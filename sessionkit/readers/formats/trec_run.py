"""Format ``trec_run``: TREC runs, ``topic iteration document rank score tag`` between blanks; each topic a session of one query.

Several runs at once are several systems: ``system_id`` is the tag, followed by the name of the file where several files
have the tag; ``session_id`` is system and topic (``bm25:301``), as the same topics come in every run. Fields beyond the
sixth are ignored, as trec_eval does. Lines with neither rank nor score, which programs write among those of a run
(``# EXCEPTION in query 6: ...``), are rejected and of no topic.

The list is ordered as ``order`` in study.toml says: ``score`` (the default: descending, in single precision, equal scores
by document, descending, as trec_eval does; the rank in the file is ignored), ``rank`` (as the file numbers them, from 0 or
1, gaps kept) or ``file`` (as the lines stand). A document that a topic has twice is kept, ``duplicates = "keep"`` (it gains
once), or its lower places are merged into the first (``"first"``) or rejected (``"reject"``); trec_eval refuses such runs.

Runs for conversations name a session and a turn in the first field (``31_1``, ``31_2``). Each is a session of its own here
until runs can be taken apart by it; a warning says so where most topics look like that.

In runs of the Session Track (levels RL1 to RL4) the first field is the number of a session: with the track's map as
``--topics-file``, ``topic_id`` is the session's topic. Judgments are qrels (``judgments/trec_qrels.py``: judges, grades of 2012).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import polars as pl

from sessionkit.contract import RECORD, RULE, VALUE
from sessionkit.display.words import counted
from sessionkit.errors import DataError
from sessionkit.readers.entries import TOPICS, Glimpse, Option
from sessionkit.readers.formats.trec_session import read_topics
from sessionkit.readers.io.blanks import NUMBER, fields_of, first_fields
from sessionkit.readers.io.delimited import FITS
from sessionkit.readers.io.log_files import LogFile
from sessionkit.readers.judgments.trec_qrels import COLUMN, GRADES
from sessionkit.readers.records import Log, Taken, raw_of

TRIED = "a run and qrels of trec_eval's own tests, and part of a run for the Session Track of 2013, as Indri wrote it"
OPTIONS: dict[str, Option] = {
    "order": Option("What orders a list: score, rank or file.", default="score", allowed=("score", "rank", "file")),
    "rank_base": Option(
        "With order rank: what ranks count from; without, as most lists do.", kind="integer", allowed=(0, 1)
    ),
    "duplicates": Option(
        "What becomes of a document that a topic has twice: keep, first (the others merge into it) or reject.",
        default="keep",
        allowed=("keep", "first", "reject"),
    ),
    "topics": TOPICS,
    "grades": GRADES,
    "qrels_column": COLUMN,
}
FIELDS = ("query_id", "iteration", "doc_id", "rank", "score", "tag")
LIST = ("tag", "query_id")
NO_DOCUMENTS = ("Q", "T", "C")
"""What stands in the place of a document in logs of Yandex."""
ITERATION = r"[A-Za-z]*\d{0,3}"
TURN = r"^(.*\w)[-_.:/](\d+)$"
"""A session, and the number of a turn in it."""
LONGEST = 30
"""Turns of a lone session up to which its topics are taken for turns; more are the topics of a collection."""
UNIQUE, FINITE = "document_is_unique_in_list", "score_is_a_number"


def fits(glimpse: Glimpse) -> bool:
    """Return whether most of the first lines are a topic, a short iteration, a document, a rank, a score and a tag."""
    lines = first_fields(glimpse.head)
    fit = [_fits(fields) for fields in lines]
    return bool(fit) and fit[0] and 2 * sum(fit) > len(fit)


def take(log: Log) -> Taken:
    """Take the files apart."""
    given, rank_base = log.option("topics"), log.option("rank_base")
    if rank_base is not None and log.option("order") != "rank":
        raise DataError(
            f"{log.config.name}: rank_base = {rank_base} is the first rank, but lists are ordered by "
            f'{log.option("order")}; set order = "rank", or leave rank_base out'
        )
    topics, notes = read_topics(log.config.folder / given if given else None, log.workspace)
    frames = {file: _lines(fields_of(file, FIELDS, least=len(FIELDS), keep=log.keep)) for file in log.files}
    shared = _shared_tags(frames)
    raws, merged = [], {}
    for file, frame in frames.items():
        system = pl.col("tag")
        if shared:
            system = (
                pl.when(pl.col("tag").is_in(shared)).then(pl.format("{} {}", "tag", pl.lit(file.name))).otherwise("tag")
            )
        ordered = log.keep(_ordered(frame.drop("iteration"), log.option("order"), log.option("duplicates")))
        if log.option("duplicates") == "first":
            merged[file.name, "documents placed lower again"] = _count(frame) - _count(ordered)
        session = pl.format("{}:{}", system, "query_id")
        topic = pl.col("query_id")
        if topics:
            known = {session: told["topic_id"] for session, told in topics.items()}
            topic = topic.replace_strict(known, default=None, return_dtype=pl.String)
        rows = ordered.with_columns(session_id=session, system_id=system, topic_id=topic, query_position=1).drop("tag")
        first = rank_base if log.option("order") == "rank" else 1
        base = {} if first is None else {"rank": first}
        raws.append(raw_of(file, "results", rows, kind="lines", base={"query_position": 1, **base}))
    if shared:
        notes.append(f"tags of several files, told apart by the names of the files: {', '.join(sorted(shared)[:5])}")
    return Taken({"results": raws}, merged, notes=notes, warnings=turns_in(_topics(frames)))


def turns_in(topics: pl.Series) -> list[str]:
    """Return a warning where most of these distinct topics look like turns of sessions: numbered from 1 after the same name.

    Turns may be missing, as those that found nothing are in no run, up to half of a session. A lone session must have a
    number in its name, as ``31_1`` and ``31_2`` have and ``MB-1`` and ``MB-2`` have not.
    """
    parts = topics.str.extract_groups(TURN).struct.unnest().rename({"1": "session", "2": "turn"})
    numbered = parts.with_columns(pl.col("turn").cast(pl.Int64, strict=False), topic=topics).drop_nulls()
    sessions = numbered.group_by("session").agg(
        pl.len(), pl.col("turn").min().alias("first"), pl.col("turn").max().alias("last"), pl.col("turn", "topic")
    )
    sessions = sessions.filter(pl.col("len") > 1, pl.col("first") == 1, pl.col("last") <= 2 * pl.col("len"))
    if 2 * sessions["len"].sum() <= len(topics):
        return []
    found = sessions.sort("session")
    if len(found) == 1 and not (found["session"].str.contains(r"\d").item() and found["len"].item() <= LONGEST):
        return []
    first = found.head(1).explode("turn", "topic").sort("turn")["topic"].head(2)
    turns, of = counted(int(found["len"].sum()), "topic"), counted(len(found), "session")
    return [
        f"{turns} look like turns of {of} ({', '.join(map(repr, first))}, ...), but each became a session of its own, with one "
        "query. Such runs cannot be read as sessions yet (session_from is planned); to score them as sessions, write a table with "
        "the columns session_id, query_position, rank and doc_id (and judgment_key, where judgments are by turn), one row a result"
    ]


def _topics(frames: Mapping[LogFile, pl.LazyFrame]) -> pl.Series:
    """Return the distinct topics of all files."""
    own = [frame.select(pl.col("query_id").drop_nulls().unique()) for frame in frames.values()]
    return pl.concat(own).collect().to_series().unique()


def _lines(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Return the lines of a run; one with neither rank nor score is what a program said, and of no topic."""
    numbers = pl.col("rank").str.contains(r"^-?\d+$") | pl.col("score").cast(pl.Float64, strict=False).is_not_null()
    said = pl.col(RULE).is_null() & ~numbers
    return frame.with_columns(
        pl.when(said).then(pl.lit(FITS)).otherwise(RULE).alias(RULE),
        pl.when(said).then(pl.concat_str(FIELDS, separator=" ")).otherwise(VALUE).alias(VALUE),
        *(pl.when(~said).then(name).alias(name) for name in FIELDS),
    )


def _ordered(frame: pl.LazyFrame, order: str, duplicates: str) -> pl.LazyFrame:
    """Return the lines of a run with their ranks as text, those in no place of a list marked as broken."""
    score = pl.col("score").cast(pl.Float64, strict=False)
    if order == "score":  # where it makes no rank, a list does well without
        unfit = pl.col(RULE).is_null() & ~score.is_finite().fill_null(value=False)
        frame = frame.with_columns(
            pl.when(unfit).then(pl.lit(FINITE)).otherwise(RULE).alias(RULE),
            pl.when(unfit).then("score").otherwise(VALUE).alias(VALUE),
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


def _shared_tags(frames: dict[LogFile, pl.LazyFrame]) -> list[str]:
    """Return the tags that several files have."""
    tags: Sequence[list[str]] = [
        frame.select(pl.col("tag").drop_nulls().unique()).collect().to_series().to_list() for frame in frames.values()
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
        and (NUMBER.fullmatch(fields[4]) is not None or ("e" in fields[4].lower() and _is_number(fields[4])))
        and not (fields[5].count(":") and fields[4] in ("0", "1"))
    )


def _is_number(text: str) -> bool:
    """Return whether a text is a number, with an exponent perhaps."""
    try:
        float(text)
    except ValueError:
        return False
    return True
