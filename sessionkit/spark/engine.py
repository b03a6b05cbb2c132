"""The Spark engine: the scores of `sessionkit.score`, the same bits in the same order, worked out by a Spark cluster.

Every worker runs the kernel that this process would run, on whole sessions; what comes back adds up exactly, however
the sessions were spread.
"""

from __future__ import annotations

import functools
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import distribution, packages_distributions
from os import PathLike
from typing import TYPE_CHECKING, Any

import polars as pl

from sessionkit import __version__
from sessionkit.arguments import RowUnit
from sessionkit.errors import UsageError
from sessionkit.plugins import GROUPS, Blame, is_foreign, module_of
from sessionkit.spark.connection import quiet, require_pyspark, session
from sessionkit.spark.worker import surfaced
from sessionkit.study import Settings, Study
from sessionkit.study.selection import restricted

if TYPE_CHECKING:
    from pyspark import Broadcast
    from pyspark.sql import DataFrame as SparkFrame
    from pyspark.sql import SparkSession

    from sessionkit.scoring.measures.base import Measure
    from sessionkit.scoring.score import By, ScoreReduction
    from sessionkit.spark.tables import SparkSource
    from sessionkit.study.restriction import Where

    Tables = Study | str | PathLike[str] | Mapping[str, SparkFrame | str]
    Measures = str | Measure | Sequence[str | Measure]

__all__ = ["score", "score_frame", "session"]

LIMIT = 64 * 2**20
"""Bytes of judgments that every worker can be expected to hold."""
PARTITIONS = 200
"""Partitions where Spark does not say how many are usual; its own default."""


def score(
    tables: Tables,
    measures: Measures,
    *,
    by: By = "system_id",
    where: Where = None,
    per: RowUnit | None = None,
    spark: SparkSession | None = None,
    master: str | None = None,
    settings: Settings | Mapping[str, Any] | None = None,
    broadcast_limit: int = LIMIT,
    partitions: int | None = None,
) -> pl.DataFrame:
    """Score with Spark; the table that `sessionkit.score` returns for the same rows, bit for bit.

    Parameters
    ----------
    tables
        A saved study or its directory, which every worker must be able to read under the same path; or Spark's own
        tables under our column names: a mapping of ``"sessions"``, ``"queries"``, ``"results"``, ``"judgments"`` and, if
        there are any, ``"users"`` to Spark DataFrames or names of tables.
    measures, by, where, per
        As in `sessionkit.score`; Spark's own tables are filtered before they are given. Measures of plugins, of a program or a
        notebook go to the workers with the code of their module, or package; what that imports must be there.
    spark
        The Spark session to use. If not given: that of the DataFrames, else the one that is active, else one that is
        started for the occasion.
    master
        The master URL of the session that is started; ``local[*]``, all cores of this machine, if not given.
    settings
        What is declared about Spark's own tables, such as ``{"max_grade": 3, "merge": "max"}``; a saved study has its own.
    broadcast_limit
        Bytes of judgments (their texts and 16 for each) up to which every worker holds all of them; beyond it, each
        session is sent those of its own keys.
    partitions
        Into how many partitions to spread the work at most; ``spark.sql.shuffle.partitions`` if not given.

    Returns
    -------
    polars.DataFrame
        As from `sessionkit.score`. It is collected here: one row per session or query and measure is what this process
        must hold. `score_frame` leaves them with Spark.

    Raises
    ------
    UsageError
        The extra ``spark`` is not installed, no Java is found, or an argument makes no sense.
    DataError
        A table or column is missing, a type does not fit, or a row breaks a rule of the schemas.
    SessionkitError
        Spark could not finish.

    Notes
    -----
    A saved study is cut between sessions and sorted already: its parts are read by the workers as they lie, unless its
    judgments are too large for every worker to hold. Spark's own tables are stacked, brought together by session and
    sorted, which costs far more than the scoring. Rows that break a rule, which reading a log sets aside, are refused.
    Whether lists were observed less deep than a measure looks is told of saved studies only.

    Examples
    --------
    With four cores of this machine::

        sk.spark.score("study", ["nsDCG@10"], by="system_id", master="local[4]")
    """
    with _running(tables, spark, master) as running, quiet(), surfaced():
        from sessionkit.scoring.score import score_task, told

        source = _source(tables, where, settings, running)
        task = score_task(source.study, measures, by=by, per=per)
        answered, sent = _answered(source, task, broadcast_limit, partitions)
        found = _in_order(pl.DataFrame(answered.toArrow()).cast(task.schema))
        sent.destroy()
        return told(source.study, task, task.whole([found]))


def score_frame(
    tables: Tables,
    measures: Measures,
    per: RowUnit = "session",
    *,
    where: Where = None,
    spark: SparkSession | None = None,
    settings: Settings | Mapping[str, Any] | None = None,
    broadcast_limit: int = LIMIT,
    partitions: int | None = None,
) -> SparkFrame:
    """Scores per session or query as a Spark DataFrame, for more of them than this process should hold.

    The columns and values are those of `score`, the order of the rows is Spark's; nothing is worked out, and no warning
    given, before an action of Spark's asks for rows.

    Parameters
    ----------
    per
        ``"session"`` or ``"query"``.
    spark
        The Spark session to use: not given, that of the DataFrames, else the one that is active.
    tables, measures, where, settings, broadcast_limit, partitions
        As in `score`.

    Raises
    ------
    UsageError
        As in `score`, or ``per`` makes groups, or there is no Spark session.
    DataError
        As in `score`, where it can be seen from the columns.
    """
    if per not in ("session", "query"):
        raise UsageError(f"per={per}: score_frame gives rows per session or query; use score for groups")
    require_pyspark()
    running = spark or _session_of(tables)
    if running is None:
        raise UsageError("no Spark session is active; pass one as spark=, such as sk.spark.session('local[4]')")
    with quiet(), surfaced():
        from sessionkit.scoring.score import score_task

        source = _source(tables, where, settings, running)
        answered, _ = _answered(
            source, score_task(source.study, measures, per=per), broadcast_limit, partitions, finished=True
        )
        return answered


@contextmanager
def _running(tables: Tables, spark: SparkSession | None, master: str | None) -> Iterator[SparkSession]:
    """The Spark session to use; one that was started here is stopped afterwards."""
    require_pyspark()
    there = spark or _session_of(tables)
    if there is not None:
        if master not in (None, there.sparkContext.master):
            raise UsageError(
                f"master={master}, but there is a Spark session on {there.sparkContext.master}; leave one out"
            )
        yield there
        return
    if isinstance(tables, Mapping) and any(not isinstance(frame, str) for frame in tables.values()):
        raise UsageError(
            "a mapping must hold Spark DataFrames or names of Spark tables; for tables in memory: sk.score"
        )
    started = session(master or "local[*]")
    try:
        yield started
    finally:
        started.stop()


def _session_of(tables: Tables) -> SparkSession | None:
    """The Spark session of the first DataFrame, else the active one."""
    from pyspark.sql import DataFrame, SparkSession

    frames = tables.values() if isinstance(tables, Mapping) else ()
    own = next((frame.sparkSession for frame in frames if isinstance(frame, DataFrame)), None)
    return own or SparkSession.getActiveSession()


def _source(
    tables: Tables, where: Where, settings: Settings | Mapping[str, Any] | None, spark: SparkSession
) -> SparkSource:
    """What there is to score."""
    from sessionkit.spark import tables as sources

    if not isinstance(tables, Mapping):
        if settings is not None:
            raise UsageError("a saved study has its own settings; ingest it again with others, or score its tables")
        source = sources.saved(tables, spark)
        return source if where is None else replace(source, study=restricted(source.study, where))
    if where is not None:
        raise UsageError("where is for saved studies; filter Spark's own tables yourself")
    declared = settings if isinstance(settings, Settings) else Settings.of(settings or {})
    return sources.tables(tables, declared, spark)


def foreign_modules(measures: Iterable[Measure]) -> tuple[str, ...]:
    """The modules, or packages, of measures that are none of sessionkit's own, as far as workers may not have them."""
    kinds = [type(measure.inner) for measure in measures]
    names = {module_of(kind).partition(".")[0] for kind in kinds if is_foreign(kind)} - sys.stdlib_module_names
    return tuple(sorted(name for name in names if _is_carried(name)))


def _is_carried(name: str) -> bool:
    """Whether a module is none that was installed, or is of a package that offers something to sessionkit."""
    owners = packages_distributions().get(name, ())
    offers = [point.group for owner in owners for point in distribution(owner).entry_points]
    return not owners or any(group in GROUPS for group in offers)


@dataclass(frozen=True)
class CarriedWork:
    """Work that goes to workers with the code of some modules, which need not be there: unpacked, it is the work alone."""

    work: object
    modules: tuple[str, ...]

    def __reduce__(self) -> tuple[Callable[[bytes], object], tuple[bytes]]:
        """The work and that code, packed."""
        from pyspark import cloudpickle

        carried = [sys.modules[name] for name in self.modules if name in sys.modules and name != "__main__"]
        for module in carried:
            cloudpickle.register_pickle_by_value(module)
        try:
            with Blame(f"the measures of {', '.join(self.modules)} cannot be sent to Spark's workers"):
                return pickle.loads, (cloudpickle.dumps(self.work),)
        finally:
            for module in carried:
                cloudpickle.unregister_pickle_by_value(module)


def _in_order(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows of sessions or queries, which come back in Spark's order, in that of a part; sums of groups as they are."""
    by = [name for name in ("session_id", "query_position") if name in rows.columns]
    return rows.sort(by, maintain_order=True) if by else rows


def _answered(
    source: SparkSource, task: ScoreReduction, limit: int, partitions: int | None, *, finished: bool = False
) -> tuple[SparkFrame, Broadcast[Any]]:
    """The task's answers of all sessions as a Spark DataFrame, and what was broadcast for them."""
    from sessionkit.spark import parts, worker
    from sessionkit.spark import parts as worker_judgments
    from sessionkit.spark.parts import StreamWork
    from sessionkit.spark.tables import StreamLayout, spark_schema, streamed

    usual = source.spark.conf.get("spark.sql.shuffle.partitions") or ""
    many = partitions or (int(usual) if usual.isdecimal() else PARTITIONS)  # some clusters say "auto"
    known = worker_judgments.judged_on_driver(source, limit)
    work: parts.FileWork | StreamWork
    if known is not None and source.trusted and source.study.storage.stored is not None:
        stored = source.study.storage.stored
        options = stored[0].options if stored else None
        chosen = tuple(part.chosen for part in stored)
        work = parts.FileWork(task, source.place, chosen, finished, options)
        rows = parts.numbers(source.spark, len(stored), many)
    else:
        frames, columns = source.log(task.columns())
        if known is None:
            judgments, columns["judgments"] = source.judgments()
            frames["judgments"] = worker_judgments.with_sessions(judgments, frames["sessions"], frames["queries"])
        work = StreamWork(task, StreamLayout(columns), source.study.settings, known, source.trusted, finished)
        work.nothing()  # refuses here what every worker would refuse
        rows = streamed(frames, work.layout, many)
    foreign = foreign_modules(task.measures)
    sent: Broadcast[Any] = source.spark.sparkContext.broadcast(CarriedWork(work, foreign) if foreign else work)
    return rows.mapInArrow(functools.partial(worker.run, sent, __version__), spark_schema(task.schema)), sent
