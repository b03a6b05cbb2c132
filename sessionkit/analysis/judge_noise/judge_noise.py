"""What would other judges have made of it? The front of judge noise."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from sessionkit.analysis.compare.options import Options
from sessionkit.analysis.compare.plan import ComparisonPlan
from sessionkit.analysis.findings import traced
from sessionkit.analysis.judge_noise.errors import DECLARED, GIVEN, JUDGES, Errors, errors_of
from sessionkit.analysis.judge_noise.finding import JudgeNoise
from sessionkit.analysis.judge_noise.random_judgments import RedrawnPairs, drawn
from sessionkit.analysis.judge_noise.searchers import ASSESSORS, BOTH, SEARCHERS, graders_agreement
from sessionkit.analysis.judgment_loss.verdicts import drawn_pairs
from sessionkit.analysis.phrases import ends, left_out_lines, reading_of
from sessionkit.analysis.rescore.groups import groups_of
from sessionkit.analysis.rescore.log import RescoredLog, require_judgments
from sessionkit.analysis.rescore.pairs import RescoredPairs
from sessionkit.choices import AnyTest, ErrorSpread, Population
from sessionkit.display.numbers import p_text, share_text
from sessionkit.errors import DataError, UsageError
from sessionkit.readers.tabular import Frame
from sessionkit.scoring.alternative_judgments import reads_subtopics
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.direction import MeasureDirection
from sessionkit.study import Study
from sessionkit.study.inference_options import error_rate, require_draws, require_seed, require_whole
from sessionkit.study.restriction import Where
from sessionkit.study.session_subset import restricted
from sessionkit.study.study import guarded_read


@traced
@guarded_read
def judge_noise(
    study: Study,
    measures: str | Measure | Sequence[str | Measure],
    by: str = "system_id",
    *,
    where: Where = None,
    noise: str | float | Frame | None = None,
    spread: ErrorSpread = "adjacent",
    draws: int = 200,
    seed: int = 0,
    pairs: int = 300,
    test: AnyTest | None = None,
    population: Population | None = None,
    confidence: float = 0.95,
    full: float | None = None,
    memory: str | int | None = None,
) -> JudgeNoise:
    """Redraw the judgments with a judge's errors, score again, and show how far a comparison changes.

    Parameters
    ----------
    study
        The study.
    measures
        Measures of sessions; not those that read grades by subtopic.
    by
        Column of the sessions or users that names the groups.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.
    noise
        Source of the errors: ``"judges"``, other judges of the same document (the judgments' judge_id); ``"searchers"``,
        its searchers (user_grade); a share of wrong judgments, 0 to 1; or a table with ``grade``, ``becomes`` and
        ``share``, which adds up to 1 for each grade. Default: judges where two of them have a document in common, else .1,
        which is then an assumption. Judges and searchers give single grades, which do not show the errors of sums, nor
        judges' those of means: with merge=sum or mean declare a share, .1 if not given.
    spread
        Grades that a declared share of errors changes to: ``"adjacent"`` grades of the study, or ``"any"`` other, equally
        often.
    draws
        At least 1. A share of draws is known to within about its standard error, sqrt(s (1 - s) / draws).
    seed
        Seed of the draws: the same seed, the same numbers.
    pairs, test, population, confidence, full, memory
        As `sessionkit.judgment_loss` has them.

    Returns
    -------
    JudgeNoise
        With ``table``, ``order``, ``errors``, ``agreement``, ``reading``, and what they were made with.

    Raises
    ------
    UsageError
        An option or column does not exist, or the design does not support what is asked.
    MeasureError
        A measure does not exist, or has no value per session.
    DataError
        There are no judgments, or none from which errors can be estimated.

    Notes
    -----
    Errors are added to those that the judgments already have, so differences mostly shrink: this shows how much another
    round of judging could change a finding, not what judges without errors would find. All errors are independent; a judge
    who is consistently strict is not modeled.

    Examples
    --------
    Two judges who say 0 and 1 the same way in three documents of four: 1 becomes 0 with a chance of 1/3.

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={
    ...         "session_id": list("aabb"), "query_position": [1] * 4, "rank": [1, 2] * 2, "doc_id": ["w", "x", "y", "z"],
    ...         "topic_id": ["t"] * 4, "system_id": list("AABB"),
    ...     },
    ...     judgments={
    ...         "judgment_key": ["t"] * 8, "doc_id": list("wxyz") * 2, "judge_id": ["ada"] * 4 + ["bob"] * 4,
    ...         "grade": [1, 1, 0, 0, 1, 0, 0, 0],
    ...     },
    ... )
    >>> found = judge_noise(study, "sDCG@2", draws=50, population="sessions")
    >>> found.errors.select("grade", "becomes", pl.col("share").round(4)).rows()
    [(0.0, 0.0, 0.8), (0.0, 1.0, 0.2), (1.0, 0.0, 0.3333), (1.0, 1.0, 0.6667)]
    >>> found.table.select("a", "b", "difference").row(0)
    ('A', 'B', -1.5)
    """
    study = restricted(study, where)
    require_draws(draws, 1)
    require_seed(seed)
    require_whole("pairs", pairs, 1)
    alpha = error_rate(confidence)
    log = RescoredLog.of(study, measures, by, memory)
    require_judgments(log.measures)
    for measure in log.measures:
        if reads_subtopics(measure):
            msg = f"{measure} uses grades by subtopic, but errors apply to grades of documents; name another measure"
            raise UsageError(msg)
    there = log.rejudging.grades[np.isfinite(log.rejudging.grades)]
    if not len(there):
        msg = "the study has no judgments to add errors to; add them when it is read"
        raise DataError(msg)
    errors = errors_of(study, there, noise, spread)
    groups = groups_of(log, full)
    options = Options(alpha=alpha, seed=seed)
    plan = ComparisonPlan.of(
        groups.design, groups.many, test=test, population=population, blocked="wilcoxon", options=options
    )
    kept = drawn_pairs(groups.pairs, pairs, seed)
    inside = groups.number >= 0
    sessions = log.sessions.filter(pl.Series(inside))
    tested = RescoredPairs.of(plan, sessions, groups.number[inside], groups.names, kept)
    found = drawn(log, groups.number, tested, errors, draws=draws, seed=seed)
    texts = [str(measure) for measure in log.measures]
    table, order = pairs_table(texts, groups.names, kept, found, alpha), order_table(texts, found)
    agreed = graders_agreement(study)
    settled = NoiseSetup(
        names=groups.names,
        word=groups.word,
        test=plan.title,
        population=plan.population,
        alpha=alpha,
        draws=draws,
        seed=seed,
        errors=errors,
        spread=spread,
        changed=errors.changed(there),
        judgments=len(there),
        sessions=int(inside.sum()),
        untouched=tuple(text for text, same in zip(texts, found.untouched, strict=True) if same),
        left_out=groups.left_out,
    )
    return JudgeNoise(
        table=table,
        order=order,
        errors=errors.table,
        agreement=agreed,
        left_out=pl.DataFrame([*groups.left_out.items()], schema={"what": pl.String, "count": pl.Int64}, orient="row"),
        reading=reading_of(lines(table, order, agreed, settled), study.restriction),
        source=errors.source,
        changed=errors.changed(there),
        design=groups.design.described,
        population=plan.population,
        test=plan.title,
        by=by,
        confidence=confidence,
        draws=draws,
        seed=seed,
    )


F, N = pl.Float64(), pl.Int64()
PAIRS = pl.Schema(
    dict.fromkeys(("measure", "a", "b"), pl.String())
    | dict.fromkeys(("difference", "p", "mean", "sd", "low", "high"), F)
    | dict.fromkeys(("winner_changes", "significant", "verdict_changes"), F)
    | {"draws": N}
)
ORDER = pl.Schema({"measure": pl.String(), **dict.fromkeys(("tau", "low", "high"), F), "draws": N})


def pairs_table(
    measures: Sequence[str], names: Sequence[str], pairs: Sequence[tuple[int, int]], of: RedrawnPairs, alpha: float
) -> pl.DataFrame:
    """A row per measure and pair."""
    rows = []
    for m, measure in enumerate(measures):
        for number, (i, j) in enumerate(pairs):
            d, p = of.difference[:, m, number], of.p[:, m, number]
            there = d[1:][np.isfinite(d[1:])]
            whole = float(d[0]) if np.isfinite(d[0]) else None
            spread: list[float | None] = [None] * 4
            if len(there):
                low, high = np.quantile(there, [0.025, 0.975])
                sd = float(there.std(ddof=1)) if np.ptp(there) > 0 else 0.0
                spread = [float(there.mean()), sd, float(low), float(high)]
            changes = None if not whole else float((np.sign(d[1:]) != np.sign(whole)).mean())
            rejected = p[1:] <= alpha
            known = float(p[0]) if np.isfinite(p[0]) else None
            verdicts = (
                (float(rejected.mean()), float((rejected != (p[0] <= alpha)).mean()))
                if known is not None
                else (None, None)
            )
            rows.append((measure, names[i], names[j], whole, known, *spread, changes, *verdicts, len(p) - 1))
    return pl.DataFrame(rows, schema=PAIRS, orient="row")


def order_table(measures: Sequence[str], of: RedrawnPairs) -> pl.DataFrame:
    """A row per measure: mean tau and the middle 95% of draws."""
    rows = []
    for m, measure in enumerate(measures):
        tau = of.tau[1:, m][np.isfinite(of.tau[1:, m])]
        ends = (
            [None, None, None] if not len(tau) else [float(tau.mean()), *map(float, np.quantile(tau, [0.025, 0.975]))]
        )
        rows.append((measure, *ends, of.tau.shape[0] - 1))
    return pl.DataFrame(rows, schema=ORDER, orient="row")


TOLD = 6
"""Pairs of each measure that the reading tells of: those whose winner changes most."""


@dataclass(frozen=True)
class NoiseSetup:
    """What the tables were made with, for the sentences."""

    names: tuple[str, ...]
    word: str
    test: str
    population: str
    alpha: float
    draws: int
    seed: int
    errors: Errors
    spread: str
    changed: float
    judgments: int
    sessions: int
    untouched: tuple[str, ...]
    left_out: Mapping[str, int]


def lines(table: pl.DataFrame, order: pl.DataFrame, agreement: pl.DataFrame, settled: NoiseSetup) -> list[str]:
    """The sentences, a line for each thing to say."""
    return [
        *_agreement(agreement),
        _errors(settled),
        *(line for row in order.iter_rows(named=True) for line in _measure(row, table, settled)),
        *left_out_lines(settled.left_out),
        f"This holds for these {settled.sessions:,} sessions and {settled.judgments:,} judgments. The errors are independent and "
        "added to those that the judgments already have, so differences mostly shrink: the result shows how far another round "
        "of judging could change the finding, not what judges without errors would find.",
    ]


def _agreement(agreement: pl.DataFrame) -> Iterator[str]:
    """How far those who graded agree."""
    told = {
        ASSESSORS: ("Assessors", "alpha_ordinal", "Krippendorff's alpha, ordinal,", True),
        BOTH: ("Searchers and judgments", "kappa_quadratic", "Cohen's kappa, quadratic,", False),
        SEARCHERS: ("Searchers among themselves", "alpha_ordinal", "Krippendorff's alpha, ordinal,", True),
    }
    for who, (what, measure, name, of_all) in told.items():
        rows = agreement.filter(pl.col("who") == who, pl.col("judge_id").is_null() == of_all)
        values = dict(rows.select("measure", "value").rows())
        if not values:
            continue
        n = rows.item(0, "n")
        coefficient = f"{name} is {values[measure]:.2f}" if values[measure] is not None else f"{name} is undefined"
        yield f"{what} gave the same grade in {share_text(values['agreement'], 0)} of {n:,} cases; {coefficient}."


def _errors(settled: NoiseSetup) -> str:
    """Which errors were made."""
    errors = settled.errors
    if errors.source == DECLARED:
        where = "a neighboring grade" if settled.spread == "adjacent" else "any other grade"
        chance = 1 - errors.share[0, 0]
        what = f"by declared errors: a judgment becomes {where} with probability {chance:.3g}; an assumption, not an estimate"
    elif errors.source == GIVEN:
        what = "by the given errors"
    else:
        counted = 0 if errors.counted is None else round(errors.counted.sum())
        whose = "other judges" if errors.source == JUDGES else "searchers"
        what = f"by the grades of {whose} for the same document, {counted:,} grades in all"
        what += "" if errors.source == JUDGES else ", of documents that they chose to look at"
    unknown = (
        f" Grades without a second judgment stay as they are: {', '.join(f'{grade:g}' for grade in errors.unknown)}."
        if errors.unknown
        else ""
    )
    return (
        f"All {settled.judgments:,} judgments were redrawn {settled.draws:,} times (seed {settled.seed}), {what}. A draw changes "
        f"{share_text(settled.changed, 0)} of them on average. Pairs are tested by {settled.test} over {settled.population}.{unknown}"
    )


def _measure(order: Mapping[str, Any], table: pl.DataFrame, settled: NoiseSetup) -> Iterator[str]:
    """What is to be said of one measure."""
    measure = order["measure"]
    if table.filter(pl.col("measure") == measure)["difference"].is_null().all():
        yield f"{measure}: no unit has a value for two {settled.word} with the original judgments, so there is nothing to compare."
        return
    if measure in settled.untouched:
        yield f"{measure}: no value changed in any draw; judgments do not affect it, or not here."
        return
    rows = table.filter(pl.col("measure") == measure, pl.col("winner_changes").is_not_null())
    if rows.is_empty():
        yield f"{measure}: no pair of {settled.word} differs with the original judgments, so there is no winner to change."
        return
    if len(settled.names) > 2 and order["tau"] is not None:
        yield (
            f"{measure}: the order of the {len(settled.names)} {settled.word} has a mean tau-b of {order['tau']:.2f} with the order by "
            f"the original judgments (95% of draws: {ends(order['low'], order['high'], digits=2)})."
        )
    shown = rows.sort("winner_changes", descending=True, maintain_order=True).head(TOLD)
    for row in shown.iter_rows(named=True):
        yield f"{measure}: {_pair(row, settled)}"
    if rows.height > TOLD:
        calm = rows.filter(pl.col("winner_changes") == 0).height
        yield f"{measure}: these are the {TOLD} of {rows.height:,} pairs whose winner changes most; the winner of {calm:,} never changes."


def _pair(row: Mapping[str, Any], settled: NoiseSetup) -> str:
    """What becomes of one pair."""
    changes, direction = row["winner_changes"], MeasureDirection.named(row["measure"])
    change = (
        "The winner changes, or there is none," if direction.is_known else "The sign changes, or the difference is 0,"
    )
    error = math.sqrt(changes * (1 - changes) / row["draws"])
    sure = f" (standard error {share_text(error)})" if error else ""
    p, verdict = "too little data to test", ""
    if row["p"] is not None:
        p, side = p_text(row["p"]), "at most" if row["p"] <= settled.alpha else "above"
        verdict = f"; p, {side} {settled.alpha:g} with the original judgments, crosses it in {share_text(row['verdict_changes'])}"
    return (
        f"{row['b']} minus {row['a']} is {row['difference']:.3g} with the original judgments ({p}) and {row['mean']:.3g} on average "
        f"over draws (95% of draws: {row['low']:.3g} to {row['high']:.3g}). {change} in "
        f"{share_text(changes)} of draws{sure}{verdict}."
    )
