"""What unjudged results could do to scores: judged shares, bounds, and whether a conclusion depends on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import polars as pl

from sessionkit.analysis.findings import traced
from sessionkit.analysis.groups import EVERYONE, UNKNOWN, Grouping, by_columns
from sessionkit.analysis.incomplete.bound_kinds import adds_up, bound_of, movable, scale_top
from sessionkit.analysis.incomplete.bounds_reduction import BoundsReduction
from sessionkit.analysis.incomplete.differences import MOST_GROUPS, differences
from sessionkit.analysis.incomplete.document_effects import DocumentEffects
from sessionkit.analysis.incomplete.finding import Incompleteness
from sessionkit.analysis.incomplete.judged_share_reduction import JudgedShareReduction
from sessionkit.analysis.incomplete.messages import lines
from sessionkit.analysis.incomplete.moves_reduction import MovesReduction
from sessionkit.analysis.incomplete.pool import Pool
from sessionkit.analysis.incomplete.pool_reduction import HELD, BatchRoom, PoolReduction, PoolTexts
from sessionkit.analysis.judged_share import depth_of
from sessionkit.analysis.phrases import reading_of
from sessionkit.choices import RowUnit
from sessionkit.errors import MeasureError, UsageError, suggestion
from sessionkit.scoring.columns import columns_read, measure_of
from sessionkit.scoring.execution import of_session
from sessionkit.scoring.graded_pairs import GradedPairs
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.grammar import list_measures
from sessionkit.scoring.reduction import run
from sessionkit.study import Study
from sessionkit.study.memory_limit import memory_budget
from sessionkit.study.restriction import Where
from sessionkit.study.session_subset import restricted
from sessionkit.study.study import guarded_read

UNITS: tuple[RowUnit, ...] = get_args(RowUnit)
OWN = (
    "session_id", "query_position", "rank", "lists", "results", "judged", "pooled", "share", "measure", "n", "open", "undefined",
    "moving", "value", "lower", "upper", "residual", "bound", "note",
)  # fmt: skip
"""Columns of the tables, which no column that makes groups may be called."""


@traced
@guarded_read
def bounds(
    study: Study,
    measures: str | Measure | Sequence[str | Measure],
    by: str | None = "system_id",
    *,
    where: Where = None,
    per: RowUnit | None = None,
    max_grade: float | None = None,
    wanted: int = 10,
    memory: str | int | None = None,
) -> Incompleteness:
    """Bound how far further judgments could change scores and differences.

    Every unjudged document can have any grade of the scale, the same one wherever it was shown, or stay unjudged.
    A document is unjudged if it has no judgment or is only pooled (the study's unjudged_grades). Documents that no session
    of the study shows and nobody pooled count as not relevant, as in scoring.

    Parameters
    ----------
    study
        The study.
    measures
        Measures of sessions, such as ``"sDCG@10"`` or ``"mean(nDCG@10)"``.
    by
        Column of the sessions or users to group by; None, or ``"all"``, all sessions together. Pairs of groups are compared
        where there are 2 to 20.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.
    per
        ``"session"`` or ``"query"``: also bounds of each; per query, of the measures inside aggregates.
    max_grade
        The best grade of the scale; the study's if not given. Measures that only separate relevant from not need none.
    wanted
        Documents to list for each measure and pair.
    memory
        Memory limit, see `sessionkit.score`. The names of unjudged documents are kept in addition. A study
        that fits is read once, another twice.

    Returns
    -------
    Incompleteness
        With ``judged``, ``bounds``, ``differences``, ``wanted``, ``units`` and ``reading``.

    Raises
    ------
    UsageError
        An option or column does not exist, or a judged grade is above ``max_grade``.
    MeasureError
        A measure does not exist or is one of queries, or the scale's top is needed and unknown.

    Notes
    -----
    Plain sums (CG, DCG, sDCG, sRBP, RBP, P, gP and their kind) and measures that can only rise with a grade (RR, ERR, ...)
    are lowest with no unjudged result relevant and highest with all of the best grade: both come true, for means too.
    What RBP could gain beyond the results shown is not in it; `RBPResidual` has Moffat & Zobel's whole residual.

    A document that turns out relevant can lower nDCG, nCG, nsDCG, R, F, E, MaxF and AP, by raising the ideal or the number
    of relevant documents, wherever in the study it was shown. Their bounds are exact for each list (each session, of
    nsDCG) and safe for means, whose lists would have to agree on a document's grade; see
    `sessionkit.analysis.incomplete.levels` for the proof. Differences of plain sums are bounded document by document,
    so that a document that both groups show counts for both; others take one group's lowest against the other's highest.

    Examples
    --------
    One result of two is unjudged, on a scale up to 2: 1 + 0 / 1.585 or up to 1 + 2 / 1.585. For nDCG the known result
    alone makes 1; with the other as good as can be the ideal is 2 + 1 / 1.585.

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1] * 2, "rank": [1, 2], "doc_id": ["a", "b"], "topic_id": ["t"] * 2},
    ...     judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]}, max_grade=2,
    ... )
    >>> found = sk.bounds(study, ["mean(DCG@2)", "mean(nDCG@2)"], by=None)
    >>> found.bounds.select("measure", pl.col("value", "lower", "upper").round(4), "bound").rows()
    [('mean(DCG@2)', 1.0, 1.0, 2.2619, 'attained'), ('mean(nDCG@2)', 1.0, 0.8597, 1.0, 'safe')]
    """
    study = restricted(study, where)
    asked = tuple(dict.fromkeys(map(of_session, _asked(study, measures))))
    if per not in (None, *UNITS):
        msg = f"per must be session or query, not {per!r}{suggestion(str(per), UNITS)}"
        raise UsageError(msg)
    for measure in asked:
        if per == "query" and measure.inner.level != "query":
            msg = f"{measure} has no bounds per query; per=query takes aggregates of measures of queries, such as mean(nDCG@10)"
            raise MeasureError(msg)
    if isinstance(wanted, bool) or not isinstance(wanted, int) or wanted < 0:
        msg = f"wanted must be a whole number of documents, 0 or more, not {wanted!r}"
        raise UsageError(msg)
    grouping = Grouping.of(study, by, OWN, several=False)
    column = next(iter(grouping.keys), None)
    judged = GradedPairs.of(study)
    top = scale_top(asked, judged, max_grade if max_grade is not None else study.settings.max_grade)
    reads = columns_read(study, asked)
    depth = depth_of(asked)
    own_keys = "judgment_key" in study.columns("queries")
    texts, kept = PoolTexts(), BatchRoom(memory_budget(memory) // HELD)
    shares, shown = run(
        study, [JudgedShareReduction(grouping, depth), PoolReduction(asked, grouping, reads, texts, kept)], memory
    )
    pool = Pool.of(judged, shown, texts, kept)
    moving = tuple(measure for measure in asked if adds_up(measure, own_keys=own_keys) or (wanted and movable(measure)))
    given = (grouping, reads, pool, top)
    tasks: list[BoundsReduction | MovesReduction] = [BoundsReduction(asked, *given, "group", own_keys)]
    if moving and not pool.whole:
        tasks.append(MovesReduction(moving, *given))
    if per is not None:
        tasks.append(BoundsReduction(asked, *given, per, own_keys))
    results = kept.run(tasks) if kept.batches else run(study, tasks, memory)
    bounds = _told(results[0], asked, own_keys=own_keys)
    groups = bounds["group"].unique(maintain_order=True).to_list()
    unnamed = EVERYONE if groups == [EVERYONE] else UNKNOWN
    second = tasks[1] if len(tasks) > 1 else None
    moves = DocumentEffects(second, results[1], {unnamed: None}) if isinstance(second, MovesReduction) else None
    units = results[-1] if per is not None else None
    if units is not None:
        units = units.with_columns(pl.col("group").fill_null(unnamed), residual=pl.col("upper") - pl.col("lower"))
    looked_at = groups if 1 <= len(groups) <= MOST_GROUPS else groups[:1]
    between, listed = differences(asked, bounds, moves, looked_at, wanted, own_keys=own_keys)
    return Incompleteness(
        judged=by_columns(study, by, shares),
        bounds=by_columns(study, by, bounds),
        differences=between,
        wanted=listed,
        reading=reading_of(
            lines(shares, bounds, between, listed, pool=pool, top=top, depth=depth, by=column), study.restriction
        ),
        by=column,
        max_grade=top,
        per=per,
        units=units if units is None else by_columns(study, by, units),
    )


def _asked(study: Study, measures: str | Measure | Sequence[str | Measure]) -> tuple[Measure, ...]:
    """The measures in the order asked for, each once."""
    asked = tuple(dict.fromkeys(measure_of(study, measure) for measure in list_measures(measures)))
    if not asked:
        msg = "name a measure; for example: nsDCG@10"
        raise MeasureError(msg)
    return asked


def _told(bounds: pl.DataFrame, measures: Sequence[Measure], *, own_keys: bool) -> pl.DataFrame:
    """Bounds with their width, and what kind of bounds they are or why there are none."""
    texts = [str(measure) for measure in measures]
    reasons = [measure.why_no_bounds(own_keys=own_keys) for measure in measures]
    kinds = [bound_of(measure, own_keys=own_keys) for measure in measures]
    bound, note = (pl.col("measure").replace_strict(texts, named, return_dtype=pl.String) for named in (kinds, reasons))
    safe = pl.when(pl.col("open") > 0).then(pl.lit("safe")).otherwise(bound)
    return bounds.with_columns(
        residual=pl.col("upper") - pl.col("lower"),
        bound=pl.when(pl.col("lower").is_not_null()).then(safe),
        note=note,
    )
