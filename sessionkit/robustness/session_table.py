"""One row per session: scores with their bounds, counts, and all columns of the session and its user."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

import polars as pl

from sessionkit.arguments import RowUnit
from sessionkit.display.frames import ResultFrame
from sessionkit.errors import MeasureError, UsageError, warn
from sessionkit.robustness.normalized_bounds import scale_top
from sessionkit.robustness.score_bounds import BoundsReduction
from sessionkit.robustness.unjudged import HELD, BatchRoom, Pool, PoolReduction, PoolTexts
from sessionkit.scoring.batch import GradedPairs
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.needs import columns_read
from sessionkit.scoring.reduction import run
from sessionkit.scoring.score import By, score_task, told
from sessionkit.statistics.bands import Grouping
from sessionkit.study import Study
from sessionkit.study.batches import memory_budget
from sessionkit.study.counts import COUNTS, counted, counted_sessions
from sessionkit.study.restriction import Where
from sessionkit.study.selection import restricted

IDS = ("session_id", "user_id", "system_id", "topic_id")
SESSION_COUNTS = ("queries", "results", "clicks", "duration_seconds")
BESIDE_VALUE = ("lower", "upper", "judged")
"""Columns beside the value of a measure that judgments can change; see `column_names`."""
BOUNDS = pl.Schema(
    {**dict.fromkeys(("session_id", "measure"), pl.String()), **dict.fromkeys(("lower", "upper"), pl.Float64())}
)


def score(
    study: Study,
    measures: str | Measure | Sequence[str | Measure],
    *,
    by: By = "system_id",
    where: Where = None,
    per: RowUnit | None = None,
    wide: bool = False,
    spread: bool = False,
    memory: str | int | None = None,
    cache: str | PathLike[str] | None = None,
) -> pl.DataFrame:
    """Score a study.

    Parameters
    ----------
    study
        The study, see `sessionkit.read` and `sessionkit.open_study`.
    measures
        Measures or their texts, such as ``"nsDCG@10"`` or ``"mean(nDCG@10)"``. A query measure is averaged over a session's
        queries, with a warning, unless ``per="query"``.
    by
        Columns of the sessions or users to average sessions by, several as a list or joined by commas; None, or ``"all"``, averages all.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.
    per
        ``"session"`` or ``"query"``: a row for each instead of means.
    wide
        With ``per="session"``: one row per session, with bounds of the values, counts, and all columns of the session and its user.
    spread
        Add statistics of the values of each group, see below. This keeps the value of every session in memory, 8 bytes
        per session and measure.
    memory
        Memory limit, such as ``"4GB"``, in addition to the libraries and the scores; a quarter of the machine's if not
        given. A saved study may be larger.
    cache
        A directory to keep partial results in, one for each partition of a saved study. A partition whose files, and
        the judgments, are those of an earlier call with the same measures is not scored again; the result is the same
        bits. Files on this machine are hashed in every call, those at an address are not. Measures that are not
        sessionkit's own are scored each time. What is kept may be deleted at any time.

    Returns
    -------
    polars.DataFrame
        Ordered by the keys, within a key by measure in the order asked for. Per session: ``session_id``,
        ``system_id``, ``topic_id``, ``user_id``, ``measure``, ``value`` (null where undefined), ``judged`` (share of
        the results shown within the cutoff that are judged, 0 to 1; null where none was shown). Per query also
        ``query_position``. Per group: the group's columns, ``measure``, ``value`` (mean over the sessions where it is
        defined), ``n`` (those sessions), ``undefined`` (the others) and ``judged`` (over all results). With ``spread``
        also statistics of the same ``n`` values: ``sd`` (standard deviation with n - 1; null for one value),
        ``median``, ``q1`` and ``q3`` (quartiles with linear interpolation, as ``numpy.quantile``), ``min``, ``max``,
        ``at_zero`` and ``at_one`` (shares of the values, 0 to 1, that are exactly 0 and exactly 1). A group of one to
        four values has no quartiles; it lists its ``values`` in ascending order, and ``values`` is null in other groups.
        With ``wide``: ``session_id``, ``user_id``, ``system_id``, ``topic_id``; for every measure a column of its name
        and, unless no judgment can change it, such as ``nsDCG@10 lower``, ``nsDCG@10 upper`` (what the value could be
        whatever the grades of unjudged results are, as `sessionkit.bounds` has it; null with a warning where it has no
        bounds) and ``nsDCG@10 judged``; ``queries``, ``results``, ``clicks``, ``duration_seconds`` (those of the log
        where it has such columns, else counted; null where not logged); all other columns of the sessions and users.

    Raises
    ------
    MeasureError
        A text names no measure, or a measure has no value per query.
    UsageError
        ``by`` is not a column, or ``per`` is not a unit; ``spread`` is asked for together with ``per``; ``wide`` without
        ``per="session"``, or a column of the log has the name of a column of a measure; or the study is not saved, so
        there are no files for a cache.
    DataError
        A file of the study is not what its datapackage.json says, and a cache is given.

    Examples
    --------
    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1, 2], "rank": [1, 1], "doc_id": ["a", "b"], "topic_id": ["t"] * 2},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": [1, 2]},
    ... )
    >>> scores = sk.score(study, ["sDCG@10", "nsDCG@10"], per="session")  # 1 + 2 / 1.5; divided by (2 + 1 / 2) x (1 + 1 / 1.5)
    >>> scores.select("session_id", "measure", scores["value"].round(4), "judged").rows()
    [('s', 'sDCG@10', 2.3333, 1.0), ('s', 'nsDCG@10', 0.56, 1.0)]
    >>> spread = sk.score(study, "sDCG@10", by="all", spread=True)  # one session, so no standard deviation and no quartiles
    >>> spread.select("n", "sd", pl.col("median").round(4), "q1", "at_one", pl.col("values").list.len()).row(0)
    (1, None, 2.3333, None, 0.0, 1)
    """
    if wide and per != "session":
        raise UsageError("wide is one row per session; add per=session, or leave it out")
    if where is not None:
        study = restricted(study, where)
    task = score_task(study, measures, by=by, per=per, spread=spread)
    if wide:
        _require_free_names(study, task.measures)
    (scores,) = run(study, [task], memory, cache)
    scores = told(study, task, scores)
    return _session_table(study, task.measures, scores, memory) if wide else scores


def _require_free_names(study: Study, measures: Sequence[Measure]) -> None:
    """Refuse a log whose column has the name of a column of a measure."""
    own_columns = {*study.columns("sessions"), *study.columns("users")}
    for name in (name for measure in measures for name in column_names(measure)):
        if name in own_columns:
            raise UsageError(f"the sessions or users already have a column {name!r}; rename it in study.toml")


def _session_table(
    study: Study, measures: Sequence[Measure], scores: pl.DataFrame, memory: str | int | None
) -> pl.DataFrame:
    """Return one row per session, in the order of ``session_id``, from the scores of sessions."""
    values = _values_and_bounds(study, measures, scores, memory)
    users = study.users.drop(
        name for name in study.columns("users") if name in study.columns("sessions") and name != "user_id"
    )
    sessions = study.sessions.join(users, on="user_id", how="left").collect()
    can_be_counted = counted(study)
    counts = counted_sessions(study, [name for name in SESSION_COUNTS if name in can_be_counted])
    table = values.join(sessions, on="session_id", how="left").join(counts, on="session_id", how="left")
    not_logged = [name for name in SESSION_COUNTS if name not in table.columns]
    table = table.with_columns(pl.lit(None, COUNTS[name].dtype).alias(name) for name in not_logged)
    first = [*IDS, *values.columns[1:], *SESSION_COUNTS]
    return ResultFrame(table.select(*first, pl.exclude(first)).sort("session_id"))


def column_names(measure: Measure) -> list[str]:
    """Return the columns that a measure has in the table: its value and, unless no judgment can change it, three more.

    ``<measure> lower`` and ``<measure> upper`` are the bounds of `sessionkit.bounds`: what the value could be whatever the grades of
    unjudged results are; null where there are none. ``<measure> judged`` is the share, from 0 to 1, of the results
    shown within the cutoff that are judged.

    >>> from sessionkit.scoring.measures.grammar import parse_measure
    >>> column_names(parse_measure("sDCG@5")), column_names(parse_measure("Queries"))
    (['sDCG@5', 'sDCG@5 lower', 'sDCG@5 upper', 'sDCG@5 judged'], ['Queries'])
    """
    if measure.inner.bounds == "fixed":
        return [str(measure)]
    return [str(measure), *(f"{measure} {name}" for name in BESIDE_VALUE)]


def measures_in(table: pl.DataFrame) -> list[str]:
    """Return the names of the measures of a table of sessions."""
    columns = table.columns[len(IDS) : table.columns.index(SESSION_COUNTS[0])]
    beside = {f"{name} {side}" for name in columns for side in BESIDE_VALUE}
    return [name for name in columns if name not in beside]


def _values_and_bounds(
    study: Study, measures: Sequence[Measure], scores: pl.DataFrame, memory: str | int | None
) -> pl.DataFrame:
    """Return ``session_id`` and the columns of every measure from its scores per session, which are ordered by session and measure."""
    bounds = _session_bounds(study, measures, scores, memory)
    columns = [scores["session_id"].gather_every(len(measures))]
    for place, measure in enumerate(measures):
        rows = scores[place :: len(measures)]
        value, *beside = column_names(measure)
        columns.append(rows["value"].alias(value))
        if beside:
            bounds_of_measure = bounds.filter(measure=str(measure)).drop("measure")
            sides = rows.select("session_id", "judged").join(
                bounds_of_measure, on="session_id", how="left", maintain_order="left"
            )
            columns += [sides[side].alias(name) for side, name in zip(BESIDE_VALUE, beside, strict=True)]
    return pl.DataFrame(columns)


def _session_bounds(
    study: Study, measures: Sequence[Measure], scores: pl.DataFrame, memory: str | int | None
) -> pl.DataFrame:
    """Return the bounds of every session, as ``sessionkit.bounds(per="session")`` has them; warn of measures without bounds.

    Returns
    -------
    polars.DataFrame
        ``session_id``, ``measure``, ``lower``, ``upper``; no rows of measures without bounds, nor of a study without judgments.
    """
    if not study.facts.judgments:
        return pl.DataFrame(schema=BOUNDS)
    own_keys = "judgment_key" in study.columns("queries")
    judged = GradedPairs.of(study)
    movable = [measure for measure in measures if measure.inner.bounds != "fixed"]
    reasons = {measure: _why_no_bounds(measure, study, judged, own_keys=own_keys) for measure in movable}
    for measure, reason in reasons.items():
        if reason is not None:
            warn(f"{measure} has no bounds: {reason}")
    bounded = tuple(measure for measure, reason in reasons.items() if reason is None)
    if not bounded:
        return pl.DataFrame(schema=BOUNDS)
    grouping, reads = Grouping.of(study, None, several=False), columns_read(study, bounded)
    texts, kept = PoolTexts(), BatchRoom(memory_budget(memory) // HELD)
    (shown,) = run(study, [PoolReduction(bounded, grouping, reads, texts, kept)], memory)
    pool = Pool.of(judged, shown, texts, kept)
    if pool.whole:  # no judgment is missing, so no value can change
        rows = scores.filter(pl.col("measure").is_in([*map(str, bounded)]))
        return rows.select("session_id", "measure", lower="value", upper="value")
    task = BoundsReduction(bounded, grouping, reads, pool, study.settings.max_grade, "session", own_keys)
    (units,) = kept.run([task]) if kept.batches else run(study, [task], memory)
    return units.select([*BOUNDS])


def _why_no_bounds(measure: Measure, study: Study, judged: GradedPairs, *, own_keys: bool) -> str | None:
    """Return why a measure has no bounds in this study; None where it has."""
    try:
        scale_top([measure], judged, study.settings.max_grade)
    except MeasureError:
        highest = max(judged.grade.drop_nulls(), default=1)
        return (
            "the study declares no max_grade, the best grade of the scale; if it is "
            f"{highest:g}, the highest of {judged.whose}, set max_grade = {highest:g} at the top of study.toml"
        )
    except UsageError as error:
        return str(error)
    return measure.why_no_bounds(own_keys=own_keys)
