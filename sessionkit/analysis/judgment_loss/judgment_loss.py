"""Would the same have been found with fewer judgments? The front of judgment loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import numpy as np
import polars as pl

from sessionkit.analysis.compare.options import Options
from sessionkit.analysis.compare.plan import ComparisonPlan
from sessionkit.analysis.findings import traced
from sessionkit.analysis.judgment_loss.curves import ALL, curves
from sessionkit.analysis.judgment_loss.draws import Draw, Draws, trusted
from sessionkit.analysis.judgment_loss.finding import JudgmentLoss
from sessionkit.analysis.judgment_loss.fractions import fractions_of
from sessionkit.analysis.judgment_loss.messages import LossSetup, lines
from sessionkit.analysis.judgment_loss.tables import agreement_table, confusion_table, knees_table, pairs_table
from sessionkit.analysis.judgment_loss.verdicts import drawn_pairs, of_pairs, of_study
from sessionkit.analysis.phrases import reading_of
from sessionkit.analysis.rescore.groups import groups_of
from sessionkit.analysis.rescore.log import RescoredLog, require_judgments
from sessionkit.analysis.rescore.pairs import RescoredPairs
from sessionkit.choices import AnyTest, JudgmentPool, Population
from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.direction import directions_of
from sessionkit.study import Study
from sessionkit.study.inference_options import error_rate, require_draws, require_seed, require_whole
from sessionkit.study.restriction import Where
from sessionkit.study.session_subset import restricted
from sessionkit.study.study import guarded_read

POOLS: tuple[JudgmentPool, ...] = get_args(JudgmentPool)


@traced
@guarded_read
def judgment_loss(
    study: Study,
    measures: str | Measure | Sequence[str | Measure],
    by: str = "system_id",
    *,
    where: Where = None,
    fractions: str | float | Sequence[float | str] | None = None,
    draws: int = 10,
    seed: int = 0,
    pool: JudgmentPool | None = None,
    pairs: int = 300,
    test: AnyTest | None = None,
    population: Population | None = None,
    confidence: float = 0.95,
    threshold: float = 0.9,
    min_grade: float = 1,
    full: float | None = None,
    memory: str | int | None = None,
) -> JudgmentLoss:
    """Remove judgments at random, score again, and show how much of a comparison remains.

    The protocol of SIGIR 2007 (Bompada, Chang, Chen, Kumar & Shenoy, after Buckley & Voorhees 2004): every key keeps the
    first max(1, ceil(f R)) of its R relevant documents and the first max(10, ceil(f N)) of its N others in a random
    order, so that a smaller share is part of a larger one. Documents whose judgment is lost count as unjudged; for
    infAP they are pooled but unjudged.

    Parameters
    ----------
    study
        The study; its judgments, merged by its settings, are assumed complete.
    measures
        Measures of sessions; the mean of a query measure is ``"mean(nDCG@10)"``.
    by
        Column of the sessions or users that names the groups, such as systems or runs.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.
    fractions
        Shares of the judgments to keep, above 0 and up to 1: numbers, or ``"0.1:1:10"`` (from .1 to 1, ten of them). Not
        given, the 17 from .01 to 1 of the paper.
    draws
        Random orders of the judgments, at least 1 (the paper has one).
    seed
        Seed of the orders and of the choice of pairs: the same seed, the same numbers.
    pool
        Judgments behind the verdicts on a pair: ``"pair"``, those of documents that either of its groups showed, as
        the paper has it, or ``"study"``, all judgments. Not given: the pair's where there are more than two groups that
        can be tested two by two, else the study's; of two groups the verdict with all judgments is then that of
        `sessionkit.compare`.
    pairs
        Pairs of groups to test, at most; more are drawn from at random. Where there are fewer, each has several draws,
        up to `draws` and about so many in all.
    test, population
        Of each pair, as `sessionkit.compare` has them, without correction. Not given: Wilcoxon's signed ranks where
        units met every group (of runs: the topics), else the design's own.
    confidence
        Of the verdicts: a difference is significant where p is at most 1 - confidence.
    threshold
        Tau at which the knee is taken.
    min_grade
        Lowest relevant grade, for the shares of relevant documents and of others.
    full
        Share of the results that a group could have returned below which it is left out. Not given: .95 for runs (no
        users, one list per topic), none for searchers.
    memory
        As `sessionkit.score` has it.

    Returns
    -------
    JudgmentLoss
        With ``table``, ``knees``, ``confusion``, ``pairs``, ``reading``, and what they were made with.

    Raises
    ------
    UsageError
        An option or column does not exist, or the design does not support what is asked.
    MeasureError
        A measure does not exist, or has no value per session.
    DataError
        There are no judgments to remove.

    Notes
    -----
    bpref counts keys with at least a relevant document and ten others. With two groups tau is 1 or -1: read ``winner``
    and ``pairs``. Loss at random is not the loss of a shallow pool, which hides what few systems find.

    Examples
    --------
    Two runs on two topics. Half of topic t's 12 others would be 6, but 10 stay; of its two relevant documents one does.

    >>> import sessionkit as sk
    >>> documents = [f"d{n}" for n in range(14)]
    >>> study = sk.from_tables(
    ...     results={
    ...         "session_id": list("aabb"), "query_position": [1] * 4, "rank": [1, 2] * 2, "doc_id": ["d0", "d1", "d2", "d0"],
    ...         "topic_id": ["t"] * 4, "system_id": list("AABB"),
    ...     },
    ...     judgments={"judgment_key": ["t"] * 14, "doc_id": documents, "grade": [1, 1] + [0] * 12},
    ... )
    >>> found = judgment_loss(study, "mean(nDCG@2)", fractions=[0.5], draws=2, population="sessions")
    >>> found.table.select("fraction", pl.col("judged").round(3), "tau", "winner").rows()
    [(0.5, 0.786, 1.0, 1.0), (1.0, 1.0, 1.0, 1.0)]
    """
    study = restricted(study, where)
    shares = fractions_of(fractions)
    _check(POOLS[0] if pool is None else pool, threshold)
    if isinstance(min_grade, bool) or not isinstance(min_grade, int | float):
        raise UsageError(f"min_grade must be a grade, a number, not {min_grade!r}")
    require_draws(draws, 1)
    require_seed(seed)
    require_whole("pairs", pairs, 1)
    alpha = error_rate(confidence)
    log = RescoredLog.of(study, measures, by, memory)
    require_judgments(log.measures)
    if not np.isfinite(log.rejudging.grades).any():
        msg = "the study has no judgments to remove; add them when it is read, see: sessionkit ingest --judgments"
        raise DataError(msg)
    groups = groups_of(log, full)
    options = Options(alpha=alpha, seed=seed)
    plan = ComparisonPlan.of(
        groups.design, groups.many, test=test, population=population, blocked="wilcoxon", options=options
    )
    pool = pool or ("pair" if groups.many > 2 and plan.layout != "crossed" else "study")
    tested_pairs = drawn_pairs(groups.pairs, pairs, seed)
    times = max(1, min(draws, pairs // len(tested_pairs)))
    there = groups.number >= 0
    sessions = log.sessions.filter(pl.Series(there))
    tested = RescoredPairs.of(plan, sessions, groups.number[there], groups.names, tested_pairs)
    drawing = Draws(log, groups, min_grade)
    of = curves(drawing, shares, draws, seed, tested, test=pool == "study")
    if pool == "study":
        verdicts = of_study(of, tested_pairs, draws)
    else:
        verdicts = of_pairs(drawing, plan, tested_pairs, shares, times=times, seed=seed)
    texts = [str(measure) for measure in log.measures]
    order = drawing.order(Draw((seed, 0), ALL))
    judged = [float(order.kept(share).sum() / (order.kind >= 0).sum()) for share in shares]
    table = agreement_table(texts, shares, judged, of)
    confusion = confusion_table(texts, shares, verdicts, alpha)
    knees = knees_table(texts, shares, judged, of, confusion=confusion, threshold=threshold)
    pair_rows = pairs_table(texts, shares, verdicts, groups.names, alpha)
    keys = order.counted(relevant=True) + order.counted(relevant=False) > 0
    left_out = dict(groups.left_out)
    left_out[f"pairs whose sessions do not allow {plan.title}"] = len(tested_pairs) - len(verdicts.pairs)
    for text, p in zip(texts, verdicts.p, strict=True):
        left_out[f"pairs that cannot be tested by {text} with all judgments"] = int(np.isnan(p).sum())
    if any(measure.inner.needs_nonrelevant for measure in log.measures):
        left_out["judgment keys without a relevant document and ten others, for bpref"] = int(
            (keys & ~trusted(order)).sum()
        )
    left_out = {what: count for what, count in left_out.items() if count}
    settled = LossSetup(
        names=groups.names,
        word=groups.word,
        by=by,
        pool=pool,
        test=plan.title,
        population=plan.population,
        alpha=alpha,
        threshold=threshold,
        draws=draws,
        times=verdicts.times,
        tested=len(verdicts.pairs),
        seed=seed,
        judgments=int((order.kind >= 0).sum()),
        relevant=int(order.counted(relevant=True).sum()),
        keys=int(keys.sum()),
        sessions=int(there.sum()),
        untouched=tuple(text for text, same in zip(texts, of.untouched, strict=True) if same and len(shares) > 1),
        left_out=left_out,
        directions=directions_of(drawing.log.measures),
    )
    return JudgmentLoss(
        table=table,
        knees=knees,
        confusion=confusion,
        pairs=pair_rows,
        left_out=pl.DataFrame([*left_out.items()], schema={"what": pl.String, "count": pl.Int64}, orient="row"),
        reading=reading_of(lines(table, knees, confusion, pair_rows, settled), study.restriction),
        design=groups.design.described,
        population=plan.population,
        test=plan.title,
        by=by,
        pool=pool,
        min_grade=float(min_grade),
        confidence=confidence,
        threshold=threshold,
        draws=draws,
        times=verdicts.times,
        seed=seed,
    )


def _check(pool: str, threshold: float) -> None:
    """Refuse options that make no sense."""
    if pool not in POOLS:
        msg = f"pool must be one of {', '.join(POOLS)}, not {pool!r}{suggestion(str(pool), POOLS)}"
        raise UsageError(msg)
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 < threshold <= 1:
        msg = f"threshold must be a number above 0 and up to 1, not {threshold!r}"
        raise UsageError(msg)
