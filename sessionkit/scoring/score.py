"""Scores: the values of measures per query, per session, or averaged over groups of sessions, in one tidy table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from os import PathLike

import polars as pl

from sessionkit.display.frames import ResultFrame
from sessionkit.errors import MeasureError, UsageError, suggestion
from sessionkit.scoring.cautions import Undefined, tell_of_bound, tell_of_depth
from sessionkit.scoring.columns import columns_of, columns_read
from sessionkit.scoring.execution import require_session
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.scoring.reduction import parts_of, run
from sessionkit.scoring.score_reduction import OF_GROUP, OF_SESSION, UNNAMED, ScoreReduction
from sessionkit.study import Study

PER = {"system": "system_id", "topic": "topic_id", "user": "user_id"}


def score(
    study: Study,
    measures: str | Measure | Sequence[str | Measure],
    per: str | Sequence[str] = "session",
    *,
    memory: str | int | None = None,
    partials: str | PathLike[str] | None = None,
) -> pl.DataFrame:
    """Score a study.

    Parameters
    ----------
    study
        The study, see `sessionkit.read` and `sessionkit.open_study`.
    measures
        Measures or their texts, such as ``"nsDCG@10"`` or ``"mean(nDCG@10)"``.
    per
        ``"query"``, ``"session"``, ``"all"``, or what to average sessions by: ``"system"``, ``"topic"``, ``"user"`` or any
        column of the sessions or users; several as a list or joined by commas.
    memory
        Memory to work within, such as ``"4GB"``, beside what the libraries and the scores themselves take; a quarter of
        the machine's if not given. A saved study may be larger than that.
    partials
        A directory to keep partial results in, one for each partition of a saved study. A partition whose files, and
        the judgments, are those of an earlier call with the same measures is not scored again; the result is the same
        bits. What is kept of other measures or older files may be deleted at any time.

    Returns
    -------
    polars.DataFrame
        Ordered by the keys, within a key by measure in the order asked for. Per session: ``session_id``,
        ``system_id``, ``topic_id``, ``user_id``, ``measure``, ``value`` (null where undefined), ``judged`` (share of
        the results shown within the cutoff that are judged, 0 to 1; null where none was shown). Per query also
        ``query_position``. Per group: the group's columns, ``measure``, ``value`` (mean over the sessions where it is
        defined), ``n`` (those sessions), ``undefined`` (the others) and ``judged`` (over all results).

    Raises
    ------
    MeasureError
        If a text names no measure, or a measure does not exist at this level.
    UsageError
        If ``per`` names no column.

    Examples
    --------
    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1, 2], "rank": [1, 1], "doc_id": ["a", "b"], "topic_id": ["t"] * 2},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": [1, 2]},
    ... )
    >>> scores = sk.score(study, ["sDCG@10", "nsDCG@10"])  # 1 + 2 / 1.5; divided by (2 + 1 / 2) x (1 + 1 / 1.5)
    >>> scores.select("session_id", "measure", scores["value"].round(4), "judged").rows()
    [('s', 'sDCG@10', 2.3333, 1.0), ('s', 'nsDCG@10', 0.56, 1.0)]
    """
    task = score_task(study, measures, per)
    (scores,) = run(study, [task], memory, partials)
    return told(study, task, scores)


def score_parts(
    study: Study,
    measures: str | Measure | Sequence[str | Measure],
    per: str | Sequence[str] = "session",
    *,
    memory: str | int | None = None,
    partials: str | PathLike[str] | None = None,
) -> Iterator[pl.DataFrame]:
    """The table of `score` part by part, in its order, for whom the whole is too large; the parameters are the same.

    Per session and per query every part holds whole sessions; means come in one part. Warnings come at the end.
    """
    task = score_task(study, measures, per)
    # means need all parts, and so does the order across partitions
    if task.level == "group" or study.partitioned is not None or partials is not None:
        (scores,) = run(study, [task], memory, partials)
        yield told(study, task, scores)
        return
    undefined = Undefined()
    for (part,) in parts_of(study, [task], memory):
        undefined.see(task, part)
        yield part
    undefined.tell(study)
    tell_of_measures(study, task)


def score_task(
    study: Study, measures: str | Measure | Sequence[str | Measure], per: str | Sequence[str] = "session"
) -> ScoreReduction:
    """What `score` asks of a study, for whoever makes its parts elsewhere; the parameters and errors are the same."""
    asked = _asked(measures)
    texts = [per] if isinstance(per, str) else per
    if not isinstance(texts, Sequence) or not texts or not all(isinstance(text, str) for text in texts):
        msg = f"per must be query, session, system, topic, user or names of columns, not {per!r}"
        raise UsageError(msg)
    levels = list(dict.fromkeys(level.strip() for text in texts for level in text.split(",")))
    if levels == ["query"]:
        for measure in asked:
            _require_query(measure)
        return ScoreReduction(asked, "query", reads=_reads(study, asked, OF_SESSION))
    if "query" in levels or ("session" in levels and len(levels) > 1):
        msg = f"per={','.join(levels)}: query and session stand alone; group by columns of the sessions instead"
        raise UsageError(msg)
    for measure in asked:
        require_session(measure)
    if levels == ["session"]:
        return ScoreReduction(asked, "session", reads=_reads(study, asked, OF_SESSION))
    columns = [] if levels == ["all"] else [PER.get(level, level) for level in levels]
    keys = {column: _type_of(study, column) for column in columns}
    return ScoreReduction(asked, "group", keys, _reads(study, asked, columns))


def session_measures(measures: str | Measure | Sequence[str | Measure]) -> tuple[Measure, ...]:
    """The measures, for whoever asks for values of sessions only: in the order asked for, each once.

    Raises
    ------
    MeasureError
        One is of queries; the message proposes its mean, and no value per query, which cannot be asked for there.
    """
    asked = _asked(measures)
    for measure in asked:
        require_session(measure, per_query=False)
    return asked


def told(study: Study, task: ScoreReduction, scores: pl.DataFrame) -> pl.DataFrame:
    """Warn of what a reader of these scores should know, and return them."""
    undefined = Undefined()
    undefined.see(task, scores)
    undefined.tell(study)
    tell_of_measures(study, task)
    return ResultFrame(scores.drop(UNNAMED) if task.level == "group" else scores)


def tell_of_measures(study: Study, task: ScoreReduction) -> None:
    """Warn of measures that have no bound, or look deeper than was observed."""
    for measure in task.measures:
        tell_of_bound(measure.inner, level=5)
        tell_of_depth(study, measure.inner, level=5)


def _asked(measures: str | Measure | Sequence[str | Measure]) -> tuple[Measure, ...]:
    """The measures in the order asked for, each once."""
    if isinstance(measures, (str, Measure)) or not isinstance(measures, Iterable):
        measures = [measures]
    asked = tuple(dict.fromkeys(parse_measure(measure) for measure in measures))
    if not asked:
        msg = "no measure was named; for example: nsDCG@10"
        raise MeasureError(msg)
    return asked


def _require_query(measure: Measure) -> None:
    """Refuse a measure that has no value per query."""
    if measure.level != "query":
        better = measure.inner if measure.inner.level == "query" else "DCG@10"
        msg = f"{measure} is a measure of whole sessions and has no value per query; ask for one of queries, for example {better}"
        raise MeasureError(msg)


def _reads(study: Study, measures: Sequence[Measure], columns: Sequence[str]) -> dict[str, list[str]]:
    """Columns to read, by table, for these columns of sessions or users."""
    of_sessions = study.columns("sessions")
    read = columns_read(columns_of(study), measures)
    read["sessions"] = [*dict.fromkeys([*(column for column in columns if column in of_sessions), *read["sessions"]])]
    read["users"] = [column for column in columns if column not in of_sessions]
    return read


def _type_of(study: Study, column: str) -> pl.DataType:
    """Type of a column of the sessions or users that groups are made by."""
    known = [*dict.fromkeys((*study.columns("sessions"), *study.columns("users")))]
    known.remove("session_id")
    if column not in known:
        levels = ["query", "session", *PER, *known]
        msg = f"per={column}: no such column in sessions or users; choose from {', '.join(levels)}{suggestion(column, levels)}"
        raise UsageError(msg)
    if column in OF_GROUP:
        msg = f"per={column}: the table of scores has a column of that name itself; rename the log's in study.toml"
        raise UsageError(msg)
    table = study.sessions if column in study.columns("sessions") else study.users
    return table.collect_schema()[column]
