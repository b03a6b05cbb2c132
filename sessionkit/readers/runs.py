"""Runs in memory, or in files: frames of PyTerrier and ir_datasets, named tuples, pytrec_eval's dictionaries, objects of ranx."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Unpack, get_args

import numpy as np
import polars as pl

from sessionkit.arguments import MissingTopics, RunDuplicates, RunOrder, TableName, require_choice
from sessionkit.errors import DataError, DataWarning, UsageError, suggestion
from sessionkit.readers.checks.cells import alias_notes
from sessionkit.readers.column_names import folded
from sessionkit.readers.config import Config
from sessionkit.readers.exclusions import exclusions_of
from sessionkit.readers.formats.trec_run import KINDS, RUN, ordered_lists, read_run, system_named, turns_in
from sessionkit.readers.io.delimited import NO_SUBTOPIC, without_idle_subtopic
from sessionkit.readers.io.files import open_log
from sessionkit.readers.judgments.files import JudgmentSources, judgment_files, read_judgments
from sessionkit.readers.raw import Raw, as_json, in_memory
from sessionkit.readers.read import QRELS, QUERY, numbered_rows, raw_of_frame
from sessionkit.readers.records import study_of
from sessionkit.readers.run_sessions import (
    QuerySessions,
    RunLines,
    by_pattern,
    by_topic,
    judged_keys,
    map_of_file,
    map_of_frame,
    taken_of_runs,
)
from sessionkit.study import Settings, Study
from sessionkit.study.checks import RECORD, RULE, VALUE, as_text
from sessionkit.study.package import TemporaryFolder
from sessionkit.study.settings import SettingValues

OF_QRELS = {**QRELS, "grade": (*QRELS["grade"], "score"), "subtopic_id": ("subtopic", "iteration")}
"""What columns of qrels are called; of those of BEIR the grade is a score."""


def from_run(
    run: Any,  # noqa: ANN401 - any of the kinds of runs
    qrels: Any = None,  # noqa: ANN401 - and of judgments
    *,
    sessions: Any = None,  # noqa: ANN401 - a pattern, a table or its file
    order: RunOrder = "score",
    duplicates: RunDuplicates = "keep",
    exclude: Any = None,  # noqa: ANN401 - a table or its file
    exclude_query_doc: bool = False,
    missing_topics: MissingTopics | None = None,
    strict: bool = False,
    **settings: Unpack[SettingValues],
) -> Study:
    r"""Make a study of a run and its judgments.

    Parameters
    ----------
    run
        The path of a TREC run, or several; a frame as PyTerrier and ir_datasets have them (``qid`` or ``query_id``; ``docno``, ``docid`` or
        ``doc_id``; ``score``, ``rank``; perhaps ``query`` and ``tag``); named tuples such as ``ScoredDoc`` of ir_measures; a dictionary of
        pytrec_eval, ``{"q1": {"d1": 0.5}}``; a ``Run`` of ranx; or a dictionary of several of these by the names of their systems.
    qrels
        Judgments: a file in any format that is known; a frame with ``relevance``, ``label`` or ``grade``; named tuples such as ``Qrel``;
        a dictionary of pytrec_eval; or a ``Qrels`` of ranx.
    sessions
        Of which session, and which query of it, each query id is: a regular expression with the groups session and position, and
        perhaps user, system and topic; or a table, or its file, with the columns query_id, session_id, query_position and, where known,
        user_id, system_id, topic_id and query_text. None: each query is a session of its own.
    order
        What orders a list: ``score`` (descending, in single precision, equal scores by document, descending, as trec_eval does),
        ``rank``, or ``file`` (as the rows stand).
    duplicates
        What becomes of a document that a query has twice: ``keep`` (it gains once), ``first``, or ``reject``.
    exclude
        Documents to leave out: a table with the columns judgment_key and doc_id, or its file. They leave the lists, the judgments and
        so the ideals of the queries with that judgment_key; lower ranks move up.
    exclude_query_doc
        Whether to leave out, for each judgment_key, the document with the same id, as BEIR ignores identical ids.
    missing_topics
        What becomes of judged topics, and of sessions of a table `sessions`, that a system has no line of: ``omit`` leaves them out of
        its means, ``zero`` adds them with empty lists, as trec_eval's ``-c`` and ir_measures do. By default ``zero`` with a table
        `sessions`, else ``omit``; a warning then names the systems and what they lack.
    strict
        Whether to stop at the first row or value that breaks a rule.
    settings
        Study settings by name: ``max_grade=3``, ... A number that no query of a session has, as of a turn without retrieval, makes no
        query, and the column ``turn`` keeps the numbers; ``missing_positions`` says that they are queries, ``"empty"`` or ``"not_logged"``.

    Returns
    -------
    Study
        ``session_id`` is the name of the session, with the system before it where several systems have a session of one name.

    Raises
    ------
    DataError
        An object cannot be read as a run or as judgments, a column is missing, or (`strict`) a row breaks a rule.
    UsageError
        No setting has that name, or `order`, `duplicates` or `missing_topics` is none of its words.

    Examples
    --------
    >>> run = {"31_1": {"a": 2.0, "b": 1.5}, "31_2": {"b": 0.9}}
    >>> from_run(run, {"31_1": {"b": 1}, "31_2": {"b": 1}}, sessions=r"(?P<session>.+)_(?P<position>\d+)")
    <Study: 1 session, 2 queries, 3 results, 2 judgments>

    A run that has no line of its hard topic, with an empty list for it:

    >>> from_run({"q1": {"a": 2.0}}, {"q1": {"a": 1}, "q2": {"b": 1}}, missing_topics="zero")
    <Study: 2 sessions, 2 queries, 1 result, 2 judgments>

    Documents that are the query leave the list and the judgments:

    >>> similar = from_run({"d1": {"d1": 9.0, "d7": 8.0}}, {"d1": {"d1": 2, "d7": 1}}, exclude_query_doc=True)
    >>> similar.results.collect().select("rank", "doc_id").rows(), similar.judgments.collect()["doc_id"].to_list()
    ([(1, 'd7')], ['d7'])
    """
    if missing_topics is not None:
        require_choice("missing_topics", missing_topics, get_args(MissingTopics))
    for name, word, words in (
        ("order", order, get_args(RunOrder)),
        ("duplicates", duplicates, get_args(RunDuplicates)),
    ):
        if word not in words:
            raise UsageError(f"{name} is {word!r}{suggestion(str(word), words)}; it can be {', '.join(words)}")
    declared = Settings.of(settings)
    config = Config("from_run", Path(), "trec_run", declared, exclude_query_doc=exclude_query_doc)
    systems = _systems(run)
    with TemporaryFolder() as workspace:
        runs, notes, merged = list[RunLines](), list[str](), dict[tuple[str, str], int]()
        idle = dict[tuple[str, str], int]()
        for system, one in systems:
            lines, own_order, told, skipped = _read_one(one, system, order, workspace)
            ordered = in_memory(ordered_lists(lines.frame, own_order, duplicates))
            runs.append(replace(lines, frame=ordered.rename({"tag": "system_id"})))
            merged[lines.name, "documents placed lower again"] = _count(lines.frame) - _count(ordered)
            idle |= {(lines.name, kind): number for kind, number in skipped.items()}
            notes += told
        ids = _query_ids(runs)
        judgments, told = _judgments(qrels, config, workspace)
        queries = _sessions(sessions, ids, workspace, config)
        judged = None if judgments.by_text else judged_keys(judgments.raws)
        base = {} if order == "rank" else {"rank": 1}
        taken = taken_of_runs(
            runs,
            queries,
            judged,
            topics={},
            base=base,
            missing_positions=declared.missing_positions,
            missing_topics=missing_topics,
        )
        turns = turns_in(ids, "sessions = r'{}'") if sessions is None else []
        notes += [*told, *taken.notes]
        taken = replace(taken, merged=merged, idle=idle, notes=notes, warnings=[*taken.warnings, *turns])
        exclusions = exclusions_of(config, exclude)
        return study_of(
            taken, config, reader="trec_run", room=None, judgments=judgments, exclusions=exclusions, strict=strict
        )


def judged_alone(qrels: Any) -> Study:  # noqa: ANN401 - any of the kinds of judgments
    """Return a study of judgments, in any form that `from_run` takes, and of nothing that was searched.

    >>> judged_alone({"t": {"a": 1, "b": 0}}).judgments.collect().get_column("grade").to_list()
    [1.0, 0.0]
    """
    with warnings.catch_warnings(action="ignore", category=DataWarning):  # of a query that nobody sent
        return from_run({"": {"": 0.0}}, qrels)


def _systems(run: Any) -> list[tuple[str | None, Any]]:  # noqa: ANN401 - any of the kinds of runs
    """Return the runs among these, each with the name of its system where a dictionary says it."""
    if isinstance(run, list | tuple) and run and all(isinstance(one, str | PathLike) for one in run):
        return [(None, one) for one in run]
    if not isinstance(run, Mapping) or _is_columns(run) or _is_nested(run):
        return [(None, run)]
    return [(str(system), one) for system, one in run.items()]


def _is_columns(given: Mapping[Any, Any]) -> bool:
    """Return whether a dictionary is one of columns."""
    return any(folded(str(name)) in ("queryid", *QUERY) for name in given)


def _is_nested(given: Mapping[Any, Any]) -> bool:
    """Return whether a dictionary is one of queries, each of which is one of documents."""
    first: Any = next((one for one in given.values() if not isinstance(one, Mapping) or one), None)
    if first is None:
        return True
    return isinstance(first, Mapping) and not isinstance(next(iter(first.values())), Mapping | list | tuple)


class GivenRun(NamedTuple):
    """A run with its system as tag, what orders its lists, what was decided about its columns, and how many lines carry no record."""

    lines: RunLines
    order: str
    notes: tuple[str, ...]
    idle: Mapping[str, int] = MappingProxyType({})


def _read_one(given: Any, system: str | None, order: str, workspace: Path) -> GivenRun:  # noqa: ANN401
    """Return one run."""
    if isinstance(given, str | PathLike):
        path = Path(given)
        file = open_log(path.name, path.parent, workspace)
        found = read_run(file, in_memory)
        frame = found.frame if system is None else found.frame.with_columns(tag=pl.lit(system))
        lines = found.lines(frame, order, system or system_named(file))
        return GivenRun(lines, found.order(order), found.notes, found.idle)
    name = "run" if system is None else f"run {system!r}"
    system = system or getattr(given, "name", None)
    frame, empty = _table(given, name, "score")
    rows, renamed = numbered_rows(frame, RUN, name)
    types = rows.collect_schema()
    for column in ("query_id", "doc_id", *(() if order == "file" else (order,))):
        if column not in types:
            other = {"score": "rank", "rank": "score"}.get(column)
            more = f"; order={other!r} goes by the column {other}" if other in types and column == order else ""
            raise DataError(f"{name} has no column {column}; found {', '.join(types.names()[1:])}{more}")
    if order == "score" and not (types["score"].is_numeric() or types["score"] in (pl.String, pl.Null)):
        raise DataError(f"{name}: column score holds {types['score']}, not numbers")
    texts = [
        as_text(column, types[column]).alias(column) for column in ("query_id", "doc_id", "tag") if column in types
    ]
    tag = [pl.lit(system, dtype=pl.String).alias("tag")] if "tag" not in types or system is not None else []
    nothing = pl.lit(None, dtype=pl.String)
    taken = (
        rows.drop("iteration", strict=False).with_columns(texts).with_columns(*tag, **{RULE: nothing, VALUE: nothing})
    )
    locate = as_json(rows)

    def raw(table: TableName, frame: pl.LazyFrame, base: Mapping[str, int]) -> Raw:
        return Raw(table, name, frame, _count(frame), locate, base=base, kind=KINDS[table])

    without = empty.to_frame("query_id").select(
        pl.lit(1, pl.Int64).alias(RECORD), "query_id", system_id=pl.lit(system, pl.String)
    )
    return GivenRun(RunLines(name, taken, raw, without), order, alias_notes(name, renamed))


def _table(given: Any, name: str, value: str) -> tuple[Any, pl.Series]:  # noqa: ANN401 - any of the kinds of runs and qrels
    """Return a run or qrels as a table, and the query ids that have no document.

    Raises
    ------
    DataError
        It is nothing of the kind.
    """
    nobody = pl.Series("query_id", [], dtype=pl.String)
    is_table = isinstance(given, pl.DataFrame | pl.LazyFrame) or any(
        hasattr(given, interface) for interface in ("__arrow_c_stream__", "__dataframe__")
    )
    if not is_table and not isinstance(given, Mapping) and hasattr(given, "to_dict"):
        given = given.to_dict()
    if isinstance(given, Mapping) and _is_nested(given):
        return _nested(given, name, value)
    if is_table or isinstance(given, Mapping) or not isinstance(given, Iterable):
        return given, nobody
    rows = list(given)
    if not rows:
        raise DataError(f"{name} is empty")
    if fields := getattr(rows[0], "_fields", None):
        return pl.DataFrame(rows, schema=list(fields), orient="row", strict=False, infer_schema_length=None), nobody
    return rows, nobody


def _nested(given: Mapping[Any, Mapping[Any, Any]], name: str, value: str) -> tuple[pl.DataFrame, pl.Series]:
    """Return a dictionary of queries, each one of documents, as a table, and the query ids that have no document."""
    if not given:
        raise DataError(f"{name} is empty")
    if not all(isinstance(one, Mapping) for one in given.values()):
        raise DataError(f"{name}: a dictionary gives a dictionary of documents for every query, as pytrec_eval's do")
    lengths = [len(one) for one in given.values()]
    values = list(chain.from_iterable(one.values() for one in given.values()))
    try:
        numbers = np.array(values, dtype=float)
    except (TypeError, ValueError):
        pairs = ((query, document, each) for query, one in given.items() for document, each in one.items())
        query, document, each = next(pair for pair in pairs if not _is_number(pair[2]))
        raise DataError(
            f"{name}: the {value} of document {document!r} for query {query!r} is {each!r}, not a number"
        ) from None
    ids = pl.Series("query_id", list(map(str, given)), dtype=pl.String)
    documents = map(str, chain.from_iterable(given.values()))
    frame = pl.DataFrame(
        {"query_id": ids.gather(np.repeat(np.arange(len(ids)), lengths)), "doc_id": list(documents), value: numbers},
        schema_overrides={"doc_id": pl.String},
    )
    return frame, ids.filter(pl.Series(lengths, dtype=pl.Int64) == 0)


def _is_number(value: object) -> bool:
    """Return whether a value is a number, or reads as one."""
    try:
        np.array([value], dtype=float)
    except (TypeError, ValueError):
        return False
    return True


def _judgments(qrels: Any, config: Config, workspace: Path) -> tuple[JudgmentSources, tuple[str, ...]]:  # noqa: ANN401
    """Return judgments, and what was decided about their columns."""
    if qrels is None:
        return JudgmentSources(), ()
    if isinstance(qrels, str | PathLike):
        return read_judgments(judgment_files(config, [Path(qrels)], workspace)), ()
    frame, _ = _table(qrels, "qrels", "grade")
    raw, renamed = raw_of_frame("judgments", frame, OF_QRELS, source="qrels")
    if "subtopic_id" in raw.frame.collect_schema():
        subtopic = pl.col("subtopic_id").cast(pl.String)
        raw = replace(
            raw, frame=raw.frame.with_columns(subtopic_id=pl.when(~subtopic.is_in(NO_SUBTOPIC)).then(subtopic))
        )
        raw = without_idle_subtopic(raw)
        if "subtopic_id" not in raw.frame.collect_schema():
            renamed.pop("subtopic_id", None)
    return JudgmentSources((raw,), of_topics=("qrels",)), alias_notes("qrels", renamed)


def _sessions(given: Any, query_ids: pl.Series, workspace: Path, config: Config) -> QuerySessions:  # noqa: ANN401
    """Return of which session each query id is."""
    if given is None:
        return by_topic(query_ids)
    if isinstance(given, str) and "(" in given:
        return by_pattern(query_ids, given)
    if isinstance(given, str | PathLike):
        if not Path(given).exists():
            raise DataError(
                f"sessions is {os.fspath(given)!r}, which is neither a regular expression with the groups session and position nor a file"
            )
        return map_of_file(Path(given), workspace, config)
    rows, _ = numbered_rows(given, {}, "sessions")
    return map_of_frame(Raw("queries", "sessions", rows, _count(rows), as_json(rows)))


def _query_ids(runs: Sequence[RunLines]) -> pl.Series:
    """Return the distinct query ids of runs."""
    own = [run.frame.select(pl.col("query_id").drop_nulls().unique()).collect() for run in runs]
    return (
        pl.concat([*own, *(run.empty.select("query_id") for run in runs if run.empty is not None)]).to_series().unique()
    )


def _count(frame: pl.LazyFrame) -> int:
    """Return the number of rows."""
    number: int = frame.select(pl.len()).collect().item()
    return number
