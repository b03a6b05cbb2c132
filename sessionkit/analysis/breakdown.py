"""Last against earlier queries, and other ways to part a session's queries (ECIR 2008, section 3.2 and Figure 1)."""

from __future__ import annotations

from os import PathLike
from typing import TypeGuard

import polars as pl

from sessionkit.analysis.groups import Grouping
from sessionkit.analysis.tasks.breakdown import BreakdownTask
from sessionkit.errors import MeasureError, UsageError, suggestion
from sessionkit.scoring.cautions import tell_of_bound, tell_of_depth
from sessionkit.scoring.layout import require_cutoff
from sessionkit.scoring.measures import GainMeasure, ListMeasure, Measure, parse_measure
from sessionkit.scoring.measures.cumulated_gain import NormalizedSessionGain
from sessionkit.scoring.selection import columns_of, columns_read
from sessionkit.scoring.tasks import run
from sessionkit.showing.frames import ResultFrame
from sessionkit.study import Study

PARTS = ("last", "position", "best", "first")
AVERAGES = ("queries", "sessions")


def breakdown(
    study: Study,
    measure: str | Measure,
    by: str = "last",
    *,
    average: str = "queries",
    group: str | None = "system_id",
    min_queries: int | None = None,
    memory: str | int | None = None,
    partials: str | PathLike[str] | None = None,
) -> pl.DataFrame:
    """Average the gain of queries by rank, in parts of their sessions.

    Parameters
    ----------
    study
        The study.
    measure
        A measure with a cutoff whose value builds up rank by rank: CG, DCG, nCG, nDCG, or sDCG, whose query discount
        then applies (the paper's Figure 1 is ``sDCG@100``), or ``nsDCG(normalize=query)``. Of another measure of queries
        that takes a cutoff, such as ``P@10``, the value at a rank is the one with that rank as the cutoff.
    by
        ``"last"``: last and non-last queries; ``"first"``: first and later; ``"position"``: by query position;
        ``"best"``: each session's best query (the earliest of equals, by its value at the cutoff) and the rest.
    average
        ``"queries"``: every query counts the same; ``"sessions"``: the queries of a session's part are averaged
        first, so that long sessions do not dominate. They answer different questions: the paper's System 1 has 92
        non-last queries, in 32 sessions.
    group
        Column to group sessions by; None, all together.
    min_queries
        Only sessions with at least so many logged queries. A session of one query has a last query and no non-last
        one; 2 leaves such sessions out, so that both parts speak of the same sessions.
    memory
        Memory to work within, see `sessionkit.score`.
    partials
        A directory to keep partial results in, see `sessionkit.score`.

    Returns
    -------
    polars.DataFrame
        ``group``, ``part``, ``rank`` (1 to the cutoff), ``value`` (mean value cumulated to that rank), ``n_queries``
        and ``n_sessions`` (those averaged; undefined queries are left out).

    Raises
    ------
    UsageError
        If an option or column does not exist, or the measure has no value by query and rank.

    Examples
    --------
    A first query that finds nothing, then one that finds grade 2 at rank 1:

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1, 2], "rank": [1, 1], "doc_id": ["a", "b"], "topic_id": ["t"] * 2},
    ...     judgments={"judgment_key": ["t"], "doc_id": ["b"], "grade": [2]},
    ... )
    >>> sk.breakdown(study, "DCG@1").select("part", "rank", "value", "n_queries").rows()
    [('last', 1, 2.0, 1), ('non-last', 1, 0.0, 1)]
    """
    task = breakdown_task(study, measure, by, group=group, average=average, min_queries=min_queries)
    tell_of_bound(task.measure)
    tell_of_depth(study, task.measure)
    return ResultFrame(run(study, [task], memory, partials)[0])


def breakdown_task(
    study: Study,
    measure: str | Measure,
    by: str = "last",
    *,
    group: str | None = "system_id",
    average: str = "queries",
    min_queries: int | None = None,
) -> BreakdownTask:
    """What `breakdown` asks of a study, for whoever makes its parts elsewhere; the parameters and errors are the same."""
    asked = _require_ranks(parse_measure(measure))
    for name, value, allowed in (("by", by, PARTS), ("average", average, AVERAGES)):
        if value not in allowed:
            msg = f"{name} must be one of {', '.join(allowed)}, not {value!r}{suggestion(value, allowed)}"
            raise UsageError(msg)
    grouping = Grouping.of(study, group, min_queries, option="group")
    return BreakdownTask(asked, grouping, by, average, columns_read(columns_of(study), [asked]))


def _has_ranks(measure: Measure) -> TypeGuard[GainMeasure | ListMeasure]:
    """Whether a measure has a value of each query up to each rank."""
    return isinstance(measure, (GainMeasure, ListMeasure)) and "cutoff" in measure.parameters()


def _has_session_ideal(measure: Measure) -> bool:
    """Whether a measure is divided by the ideal of the whole session."""
    return isinstance(measure, NormalizedSessionGain) and measure.normalize == "session"


def _require_ranks(measure: Measure) -> GainMeasure | ListMeasure:
    """Return the measure if its value builds up by rank within each query, or say what to ask for instead."""
    if not _has_ranks(measure):
        measure.require_parameters()
        inside = measure.inner
        fits = _has_ranks(inside) and not _has_session_ideal(inside)
        advice = f"the measure inside: {inside @ (inside.cutoff or 10)}" if fits else "DCG@10 or nDCG@10"
        msg = f"{measure} has no value by query and rank; ask for {advice}"
        raise MeasureError(msg)
    if _has_session_ideal(measure):
        better = measure(normalize="query", ideal="repeated", ideal_queries="session")
        msg = (
            f"{measure} is divided by the ideal of the whole session; ask for {better}, or nDCG@{measure.cutoff or 10}"
        )
        raise MeasureError(msg)
    require_cutoff(measure)
    return measure
