"""Last against earlier queries, and other ways to part a session's queries (ECIR 2008, section 3.2 and Figure 1)."""

from __future__ import annotations

from os import PathLike
from typing import get_args

import polars as pl

from sessionkit.analysis.bands import DRAWS, OF_BAND, banded, resampling_of
from sessionkit.analysis.breakdown.reduction import OF_PART, BreakdownReduction
from sessionkit.analysis.groups import Grouping
from sessionkit.arguments import require_choice
from sessionkit.choices import Part, PartAverage
from sessionkit.display.frames import ResultFrame
from sessionkit.errors import MeasureError
from sessionkit.scoring.cautions import tell_of_bound, tell_of_depth
from sessionkit.scoring.columns import columns_read, measure_of
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.direction import MeasureDirection
from sessionkit.scoring.reduction import Reduction, run
from sessionkit.scoring.score import By
from sessionkit.scoring.slots import require_cutoff
from sessionkit.study import Study
from sessionkit.study.restriction import Where
from sessionkit.study.session_subset import restricted
from sessionkit.study.study import guarded_read

PARTS: tuple[Part, ...] = get_args(Part)
AVERAGES: tuple[PartAverage, ...] = get_args(PartAverage)


@guarded_read
def breakdown(
    study: Study,
    measure: str | Measure,
    parts: Part = "last",
    *,
    average: PartAverage = "sessions",
    by: By = "system_id",
    where: Where = None,
    bands: bool = False,
    confidence: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
    memory: str | int | None = None,
    cache: str | PathLike[str] | None = None,
) -> pl.DataFrame:
    """Average the value of queries by rank, in parts of their sessions.

    By default the two parts of a session are compared within it: each session of two or more queries gives one value to
    either part, such as that of its last query and the mean of its others, and both are averaged over the same sessions.
    At the cutoff these are the means that `sessionkit.breakdown_tests` tests.

    Parameters
    ----------
    study
        The study.
    measure
        A measure with a cutoff whose value builds up rank by rank: CG, DCG, nCG, nDCG, or sDCG, whose query discount
        then applies (the paper's Figure 1 is ``sDCG@100``), or ``nsDCG(normalize=query)``. Of another measure of queries
        that takes a cutoff, such as ``P@10``, the value at a rank is the one with that rank as the cutoff.
    parts
        ``"last"``: last and non-last queries; ``"first"``: first and later; ``"position"``: by query position;
        ``"best"``: each session's best query (the earliest of equals, by its value at the cutoff) and the rest. The best
        value is the lowest of a measure of which lower is better, such as E.
    average
        ``"sessions"``: the queries of a session's part are averaged first, over sessions of two or more queries with a
        value in both parts (by position, over all sessions). ``"queries"``: all queries are pooled and count the same, the
        form of ECIR 2008; long sessions weigh more in one part, and sessions of one query are in ``last``, ``first`` or
        ``best`` alone. The two can differ in sign: the paper's System 1 has 60 last queries, and 92 others in 32 sessions.
    by
        Columns to group sessions by, several as a list or joined by commas; None, or ``"all"``, all together.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.
    bands, confidence, draws, seed
        Whether each mean has an interval, and of what kind; see `sessionkit.curve`.
    memory
        Memory to work within, see `sessionkit.score`.
    cache
        A directory to keep partial results in, see `sessionkit.score`.

    Returns
    -------
    polars.DataFrame
        The columns that make the groups, ``part``, ``rank`` (1 to the cutoff), ``value`` (mean value cumulated to that rank), ``n_queries``
        and ``n_sessions`` (those averaged; undefined queries are left out), ``single_query_sessions`` (how many of these
        sessions have one query), ``left_out_single_query`` (sessions left out since they have one query) and
        ``left_out_undefined`` (sessions left out since a part has no value, or no query was logged). With bands ``low``, ``high`` (null
        with fewer than four units) and ``units`` (users or sessions with a value).

    Raises
    ------
    UsageError
        If an option or column does not exist, the measure has no value by query and rank, or bands are asked of more than 20,000
        units.

    Examples
    --------
    Session r finds nothing, then grade 2 at rank 1; session s has one query, which finds nothing:

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": list("rrs"), "query_position": [1, 2, 1], "rank": [1] * 3, "doc_id": list("aba"), "topic_id": ["t"] * 3},
    ...     judgments={"judgment_key": ["t"], "doc_id": ["b"], "grade": [2]},
    ... )
    >>> sk.breakdown(study, "DCG@1").select("part", "value", "n_sessions", "left_out_single_query").rows()
    [('last', 2.0, 1, 1), ('non-last', 0.0, 1, 1)]

    Pooled, the only query of session s is a last one:

    >>> sk.breakdown(study, "DCG@1", average="queries").select("part", "value", "n_queries", "single_query_sessions").rows()
    [('last', 1.0, 2, 1), ('non-last', 0.0, 1, 0)]
    """
    study = restricted(study, where)
    task = _reduction(study, measure, parts, by=by, average=average)
    asked = banded(study, task, resampling_of(bands=bands, confidence=confidence, draws=draws, seed=seed))
    tell_of_bound(task.measure)
    tell_of_depth(study, task.measure)
    return ResultFrame(task.grouping.keyed(run(study, [asked], memory, cache)[0]))


def breakdown_task(
    study: Study,
    measure: str | Measure,
    parts: Part = "last",
    *,
    by: By = "system_id",
    average: PartAverage = "sessions",
    bands: bool = False,
    confidence: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> Reduction:
    """What `breakdown` asks of a study, for whoever makes its parts elsewhere; the parameters and errors are the same."""
    task = _reduction(study, measure, parts, by=by, average=average)
    return banded(study, task, resampling_of(bands=bands, confidence=confidence, draws=draws, seed=seed))


def _reduction(
    study: Study, measure: str | Measure, parts: Part, *, by: By, average: PartAverage
) -> BreakdownReduction:
    """The means that are asked for."""
    asked = _require_ranks(measure_of(study, measure))
    for name, value, allowed in (("parts", parts, PARTS), ("average", average, AVERAGES)):
        require_choice(name, value, allowed)
    if parts == "best":
        MeasureDirection.of(asked).require(asked, "parts=best")
    grouping = Grouping.of(study, by, (*OF_PART, *OF_BAND))
    return BreakdownReduction(asked, grouping, parts, average, columns_read(study, [asked]))


def _require_ranks(measure: Measure) -> Measure:
    """Return the measure if its value builds up by rank within each query, or say what to ask for instead."""
    if not measure.has_ranks:
        measure.require_parameters()
        inside = measure.inner
        fits = inside.has_ranks and not inside.normalized_by_session
        advice = f"the measure inside: {inside @ (inside.cutoff or 10)}" if fits else "DCG@10 or nDCG@10"
        msg = f"{measure} has no value by query and rank; ask for {advice}"
        raise MeasureError(msg)
    if measure.normalized_by_session:
        better = measure(normalize="query", ideal="repeated", ideal_queries="session")
        msg = (
            f"{measure} is divided by the ideal of the whole session; ask for {better}, or nDCG@{measure.cutoff or 10}"
        )
        raise MeasureError(msg)
    require_cutoff(measure.inner)
    return measure.inner
