"""What other judges would have made of a comparison: errors of judges, judgments drawn anew, and searchers' own grades."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, get_args

import numpy as np
import polars as pl

from sessionkit.arguments import (
    AnyTest,
    ErrorSpread,
    Population,
    error_rate,
    require_draws,
    require_seed,
    require_whole,
)
from sessionkit.display.numbers import counted
from sessionkit.display.statements import Statement
from sessionkit.display.tables import TextTable
from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.robustness.judgment_draws import drawn_pairs
from sessionkit.robustness.noise_statements import (
    AMONG_SEARCHERS,
    ASSESSORS,
    BOTH,
    DECLARED,
    GIVEN,
    JUDGES,
    KINDS,
    SEARCHERS,
    NoiseSetup,
    make_statements,
)
from sessionkit.robustness.rescore import (
    RescoredLog,
    RescoredPairs,
    Scoring,
    groups_of,
    kendall,
    reads_subtopics,
    require_judgments,
)
from sessionkit.scoring.batch import merged_judgments
from sessionkit.scoring.measures.base import Measure
from sessionkit.statistics.agreement import SCHEMA, UNIT, agreement_table, judges_of, of_all, shared_grades
from sessionkit.statistics.corrections import Options
from sessionkit.statistics.findings import TestedFinding, stated, traced
from sessionkit.statistics.paper_tables import chosen_columns, pair_words, pairs_named, worded
from sessionkit.statistics.procedures import ComparisonPlan
from sessionkit.study import Study
from sessionkit.study.batches import expect
from sessionkit.study.numbering import PAIR
from sessionkit.study.restriction import Where
from sessionkit.study.selection import restricted
from sessionkit.study.study import guarded_read
from sessionkit.study.tabular import Frame, as_polars


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
        confidence=confidence,
        draws=draws,
        seed=seed,
        source=errors.source,
        unknown=errors.unknown,
        n_graded=0 if errors.counted is None else round(errors.counted.sum()),
        probability=float(1 - errors.share[0, 0]),
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
        statements=stated(make_statements(table, order, agreed, settled), study.restriction),
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


@dataclass(frozen=True, eq=False, repr=False)
class JudgeNoise(TestedFinding):
    """What becomes of a comparison when judges err; made by `sessionkit.judge_noise`.

    Parameters
    ----------
    table
        A row per measure and pair of groups: ``difference`` (b minus a) and ``p`` with the original judgments; over
        draws ``mean``, ``sd``, ``low`` and ``high`` (the middle 95%) of the difference; ``winner_changes``, the share of
        draws in which the difference has not the same sign; ``significant``, that with p at most alpha; ``verdict_changes``,
        that in which this is another verdict than with the original judgments; ``draws``.
    order
        A row per measure: Kendall's tau-b of the order of the groups against that with the original judgments:
        mean ``tau``, ``low`` and ``high`` (the middle 95% of draws).
    errors
        What each grade becomes: ``grade``, ``becomes``, ``share``, ``n`` (what the share was estimated from).
    agreement
        How far assessors, searchers, and searchers and judgments agree: ``who``, ``judge_id``, ``other``, ``measure``,
        ``value``, ``n``; see `sessionkit.agreement`.
    statements
        What it says, see `sessionkit.Statement`; ``reading`` is their text, a line each.
    source
        Where the errors are from: ``"judges"``, ``"searchers"``, ``"declared"`` or ``"given"``.
    changed
        Share of the judgments that a draw is expected to change.
    design, population, test, by, confidence, draws, seed
        As in `sessionkit.judgment_loss`.
    left_out
        What was left out: ``what``, ``count``.
    """

    table: pl.DataFrame
    order: pl.DataFrame
    errors: pl.DataFrame
    agreement: pl.DataFrame
    left_out: pl.DataFrame
    statements: tuple[Statement, ...]
    source: str
    changed: float
    design: str
    population: str
    test: str
    by: str
    confidence: float
    draws: int
    seed: int
    KINDS: ClassVar = KINDS

    def tables(self) -> dict[str, pl.DataFrame]:
        """Every table by name: ``pairs``, ``order``, ``errors``, ``agreement``, ``left_out``, ``settings``."""
        names = ["source", "changed", "design", "population", "test", "by", "confidence", "draws", "seed"]
        return {
            "pairs": self.table,
            "order": self.order,
            "errors": self.errors,
            "agreement": self.agreement,
            "left_out": self.left_out,
            "made_with": self.settings_table(names),
        }

    def paper_table(self) -> TextTable:
        """The pairs as papers print them: the difference and p, what becomes of it, and how often the verdict changes."""
        caption = (
            f"{pair_words(self.table)}, by {worded([self.by])}, when judges err (errors: {self.source}): {self.test} over "
            f"{self.population}, {counted(self.draws, 'draw')}"
        )
        lead, table = pairs_named(self.table)
        return chosen_columns(
            caption,
            table,
            [*lead, "difference", "p", "low", "high", "winner_changes", "verdict_changes"],
            headers={"winner_changes": "New sign", "verdict_changes": "New verdict"},
            note="From and to (the middle 95%), new sign and new verdict are of draws, against the original judgments.",
        )


SPREADS: tuple[ErrorSpread, ...] = get_args(ErrorSpread)
COMBINED: dict[str, dict[str, str]] = {
    "sum": {
        JUDGES: "errors of one judge are not errors of sums over several judges",
        SEARCHERS: "a searcher gives one grade, and the judgments are sums of those of several judges",
    },
    "mean": {JUDGES: "errors of one judge are not errors of means over several judges"},
}
"""For each ``merge`` that combines grades: the sources from which errors cannot be estimated, and why."""
ERRORS_SCHEMA = {"grade": pl.Float64, "becomes": pl.Float64, "share": pl.Float64, "n": pl.Float64}


@dataclass(frozen=True, eq=False)
class Errors:
    """A confusion matrix of grades.

    Parameters
    ----------
    source
        ``"judges"``, ``"searchers"``, ``"declared"`` or ``"given"``.
    levels
        The grades, rising.
    share
        By grade (a row) the share of judgments that become each grade (a column); rows add up to 1.
    counted
        What the shares were estimated from: by grade how often each other one stood beside it; None where they were not.
    unknown
        Grades in use of which nobody said anything twice: they stay as they are.
    """

    source: str
    levels: np.ndarray
    share: np.ndarray
    counted: np.ndarray | None = None
    unknown: tuple[float, ...] = ()

    def changed(self, grades: np.ndarray) -> float:
        """Share of these judgments that is expected to become another grade."""
        at = np.searchsorted(self.levels, grades)
        return float(1 - np.diag(self.share)[at].mean()) if len(grades) else 0.0

    @property
    def table(self) -> pl.DataFrame:
        """``grade``, ``becomes``, ``share`` and ``n``, how often that was seen (null where declared)."""
        i, j = np.meshgrid(range(len(self.levels)), range(len(self.levels)), indexing="ij")
        counted = None if self.counted is None else self.counted.ravel().tolist()
        columns = {"grade": self.levels[i.ravel()], "becomes": self.levels[j.ravel()], "share": self.share.ravel()}
        rows = pl.DataFrame({**columns, "n": counted or [None] * i.size}, schema=ERRORS_SCHEMA)
        return rows.filter((pl.col("share") > 0) | (pl.col("n") > 0))


def errors_of(study: Study, grades: np.ndarray, noise: str | float | Frame | None, spread: str) -> Errors:
    """Settle what a judge may say in place of each grade.

    Parameters
    ----------
    grades
        The grades in use.
    noise
        ``"judges"``: what another judge said of the same document; ``"searchers"``: what the searchers said of it; a
        number: the share of judgments that err; a table with ``grade``, ``becomes``, ``share``. None: judges where there
        are any with documents in common and their grades are not combined (merge=sum or mean), else .1.
    spread
        Where the errors of a declared share go: ``"adjacent"`` grades or ``"any"`` other, each as often.

    Raises
    ------
    UsageError
        The noise is none of these, or its errors are not those of combined grades (see `COMBINED`).
    DataError
        Nobody graded a document twice, where that is asked for; or all judgments have the same grade.
    """
    levels = np.unique(grades)
    if spread not in SPREADS:
        msg = f"spread must be one of {', '.join(SPREADS)}, not {spread!r}{suggestion(str(spread), SPREADS)}"
        raise UsageError(msg)
    merge = study.settings.merge
    combined = COMBINED.get(merge, {})
    if isinstance(noise, str) and noise in combined:
        msg = (
            f"noise={noise}: {combined[noise]} (merge={merge}), so errors of {merge}s cannot be estimated; "
            f"merge by another rule, or declare a share of wrong {merge}s, such as noise=0.1"
        )
        raise UsageError(msg)
    if (noise is None and not combined) or (isinstance(noise, str) and noise in (JUDGES, SEARCHERS)):
        counted = _counted(study, levels, str(noise or JUDGES))
        if counted is not None:
            return _estimated(str(noise or JUDGES), *counted, used=levels)
        if noise is not None:
            whose = "two judges (judge_id)" if noise == JUDGES else "a searcher (user_grade) and the judgments"
            msg = f"noise={noise}: no document was graded by {whose}, so errors cannot be estimated; declare a share, such as noise=0.1"
            raise DataError(msg)
    noise = 0.1 if noise is None else noise
    if isinstance(noise, (str, int, float)) and not isinstance(noise, bool):
        rate = _rate(noise)
        if rate and len(levels) == 1:
            msg = f"all judgments have the grade {levels[0]:g}; there is no other grade to change to, so noise={rate:g} has no effect"
            raise DataError(msg)
        return Errors(DECLARED, levels, _declared(len(levels), rate, spread))
    return _given(noise, levels)


def _rate(noise: str | float) -> float:
    """A declared share of errors."""
    try:
        rate = float(noise)
    except ValueError:
        rate = np.nan
    if not 0 <= rate <= 1:
        known = (JUDGES, SEARCHERS)
        msg = f"noise must be {' or '.join(known)}, or a share of judgments from 0 to 1, not {noise!r}{suggestion(str(noise), known)}"
        raise UsageError(msg)
    return rate


def _declared(many: int, rate: float, spread: str) -> np.ndarray:
    """The matrix of a declared share of errors; a grade that has no other stays."""
    i, j = np.indices((many, many))
    others = np.abs(i - j) == 1 if spread == "adjacent" else i != j
    ways = others.sum(axis=1, keepdims=True)
    share = np.divide(rate * others, ways, out=np.zeros((many, many)), where=ways > 0)
    share[np.diag_indices(many)] = 1 - share.sum(axis=1)
    return share


def _counted(study: Study, levels: np.ndarray, source: str) -> tuple[np.ndarray, np.ndarray] | None:
    """All levels, and how often each stood beside each other; None where none did."""
    pairs = _of_searchers(study) if source == SEARCHERS else _of_judges(study)
    if pairs.is_empty():
        return None
    every = np.unique(np.concatenate([levels, pairs["grade"].to_numpy(), pairs["becomes"].to_numpy()]))
    counted = np.zeros((len(every), len(every)))
    at = [np.searchsorted(every, pairs[name].to_numpy()) for name in ("grade", "becomes")]
    np.add.at(counted, tuple(at), pairs["n"].to_numpy())
    return every, counted


def _of_judges(study: Study) -> pl.DataFrame:
    """Ordered pairs of grades that two judges gave to one document; the m judges of a document count m in all."""
    columns = study.columns("judgments")
    if "judge_id" not in columns:
        return pl.DataFrame(schema={"grade": pl.Float64, "becomes": pl.Float64, "n": pl.Float64})
    unit = [name for name in UNIT if name in columns]
    pooled = pl.col("grade").is_in(list(study.settings.unjudged_grades or ()))
    rows = study.judgments.filter(pl.col("judge_id").is_not_null(), pl.col("grade").is_not_null() & ~pooled)
    grades = rows.select(*unit, "judge_id", pl.col("grade").cast(pl.Float64)).collect()
    grades = grades.unique([*unit, "judge_id"], keep="first", maintain_order=True)
    grades = grades.with_columns(unit=pl.struct(unit).rank("dense"), many=pl.len().over(unit).cast(pl.Int64))
    shared = grades.filter(pl.col("many") > 1).select("unit", "judge_id", "grade", "many")
    both = shared.join(shared.select("unit", other="judge_id", becomes="grade"), on="unit")
    both = both.filter(pl.col("judge_id") != pl.col("other"))
    counted = both.group_by("grade", "becomes", "many").len("ways").sort("grade", "becomes", "many")
    weighed = counted.with_columns(n=pl.col("ways").cast(pl.Float64) / (pl.col("many") - 1))
    return weighed.group_by("grade", "becomes", maintain_order=True).agg(pl.col("n").sum()).sort("grade", "becomes")


def _of_searchers(study: Study) -> pl.DataFrame:
    """How often searchers gave each grade where the judgments have another."""
    both = own_grades(study).drop_nulls("grade")
    counted = both.group_by("grade", becomes="user_grade").len("n").sort("grade", "becomes")
    return counted.with_columns(pl.col("n").cast(pl.Float64))


def _estimated(source: str, levels: np.ndarray, counted: np.ndarray, *, used: np.ndarray) -> Errors:
    """The matrix that counts say; a grade of which nothing was counted stays as it is."""
    total = counted.sum(axis=1, keepdims=True)
    share = np.divide(counted, total, out=np.eye(len(levels)), where=total > 0)
    unknown = levels[(total[:, 0] == 0) & np.isin(levels, used)]
    return Errors(source, levels, share, counted, tuple(unknown.tolist()))


def _given(noise: Frame, levels: np.ndarray) -> Errors:
    """The matrix of a table."""
    table = as_polars(noise, "noise").collect()
    missing = [name for name in ("grade", "becomes", "share") if name not in table.columns]
    if missing:
        msg = f"a table of errors has the columns grade, becomes and share; this one has no {missing[0]}"
        raise UsageError(msg)
    table = table.select(pl.col("grade", "becomes", "share").cast(pl.Float64))
    sums = table.group_by("grade").agg(pl.col("share").sum()).sort("grade")
    if table["share"].min() is None or not (table["share"] >= 0).all() or not ((sums["share"] - 1).abs() < 1e-9).all():
        msg = "a table of errors has shares of 0 or more that add up to 1 for each grade"
        raise UsageError(msg)
    every = np.unique(np.concatenate([levels, table["grade"].to_numpy(), table["becomes"].to_numpy()]))
    counted = np.zeros((len(every), len(every)))
    np.add.at(
        counted,
        tuple(np.searchsorted(every, table[name].to_numpy()) for name in ("grade", "becomes")),
        table["share"].to_numpy(),
    )
    return replace(_estimated(GIVEN, every, counted, used=levels), counted=None)


@dataclass(frozen=True, eq=False)
class RedrawnPairs:
    """What became of the pairs; the first of `difference` and `p` are those of the judgments as they are.

    Parameters
    ----------
    difference, p
        By draw, measure and pair.
    tau
        By draw and measure: Kendall's tau-b of the order of the groups against that of the judgments as they are.
    untouched
        By measure, whether no value of any session moved.
    """

    difference: np.ndarray
    p: np.ndarray
    tau: np.ndarray
    untouched: np.ndarray


def redrawn(grades: np.ndarray, errors: Errors, seed: tuple[int, ...]) -> np.ndarray:
    """Grades with errors; those that are NaN stay.

    Every judged pair has a random number between 0 and 1, which falls into the share of some grade.
    """
    chance = np.random.Generator(np.random.PCG64(list(seed))).random(len(grades))
    there = np.isfinite(grades)
    at = np.searchsorted(errors.levels, grades[there])
    ends = np.cumsum(errors.share, axis=1)
    ends[:, -1] = 1.0
    found = grades.copy()
    found[there] = errors.levels[(chance[there][:, None] >= ends[at]).sum(axis=1)]
    return found


def drawn(
    log: RescoredLog, number: np.ndarray, tested: RescoredPairs, errors: Errors, *, draws: int, seed: int
) -> RedrawnPairs:
    """Score with judgments drawn anew so many times, and test the pairs each time.

    Parameters
    ----------
    number
        The group of every session of the log; below 0, left out.
    """
    grades = log.rejudging.grades
    every = tuple(range(len(log.measures)))
    scorings = [Scoring(lambda: grades, every)]
    scorings += [Scoring(lambda draw=draw: redrawn(grades, errors, (seed, draw)), every) for draw in range(draws)]  # type: ignore[misc]
    expect("scorings", len(scorings))
    shape = (draws + 1, len(every), len(tested.pairs))
    difference, p, tau = np.full(shape, np.nan), np.ones(shape), np.full(shape[:2], np.nan)
    untouched = np.ones(len(every), dtype=bool)
    first, means = np.empty(0), np.empty(0)
    for draw, values in enumerate(log.values(scorings, number)):
        found = np.column_stack([tested.means(column) for column in values.T])
        if not draw:
            first, means = values, found
        untouched &= [np.array_equal(a, b, equal_nan=True) for a, b in zip(values.T, first.T, strict=True)]
        for measure, column in enumerate(values.T):
            tau[draw, measure] = kendall(means[:, measure], found[:, measure])
            difference[draw, measure], p[draw, measure] = tested.tested(column)
    return RedrawnPairs(difference, p, tau, untouched)


AGREEMENT_SCHEMA = {"who": pl.String, **SCHEMA}
JUDGED, OWN = "judgments", "searchers"


def graders_agreement(study: Study) -> pl.DataFrame:
    """Say how far those who graded documents agree, by the measures of `sessionkit.agreement`.

    Returns
    -------
    polars.DataFrame
        ``who``: ``"assessors"`` (the judges of the judgments), ``"searchers"`` (of different sessions, on the same
        document of a key; only all of them together) or ``"searchers and judgments"``; ``judge_id`` and ``other``, null
        in rows about all; ``measure``, ``value``, ``n`` as `sessionkit.agreement` has them. Grades are compared as the
        numbers that they are: searchers and assessors must have used one scale. Where judgments are summed (merge=sum),
        searchers are not compared with them.
    """
    parts = [agreement_table(judges_of(study)).with_columns(who=pl.lit(ASSESSORS))]
    own = own_grades(study)
    if len(own):
        both = own.drop_nulls("grade")
        unit = pl.concat_str("session_id", "judgment_key", separator="\t").alias("judgment_key")
        sides = [
            both.select(unit, "doc_id", grade=name, judge_id=pl.lit(side))
            for side, name in ((JUDGED, "grade"), (OWN, "user_grade"))
        ]
        pair = agreement_table(shared_grades(pl.concat(sides).lazy())).filter(pl.col("judge_id").is_not_null())
        graded = own.with_columns(unit=pl.struct(PAIR).rank("dense"))
        shared = graded.filter(pl.len().over("unit") > 1).select("unit", judge_id="session_id", grade="user_grade")
        if len(shared):
            nobody = [pl.lit(None, pl.String).alias(name) for name in ("judge_id", "other")]
            parts.append(of_all(shared.sort("unit", "judge_id")).with_columns(*nobody, who=pl.lit(AMONG_SEARCHERS)))
        if study.settings.merge != "sum":  # else one grade would stand beside a sum of several
            parts.append(pair.with_columns(who=pl.lit(BOTH)))
    return pl.concat([pl.DataFrame(schema=AGREEMENT_SCHEMA), *(part.select(list(AGREEMENT_SCHEMA)) for part in parts)])


def own_grades(study: Study) -> pl.DataFrame:
    """Each searcher's grade of each document, the highest of a session, beside the judgment: ``session_id``,
    ``judgment_key``, ``doc_id``, ``user_grade`` and ``grade`` (null where unjudged).
    """
    if "user_grade" not in study.columns("results"):
        none = {"session_id": pl.String, "judgment_key": pl.String, "doc_id": pl.String}
        return pl.DataFrame(schema={**none, "user_grade": pl.Float64, "grade": pl.Float64})
    rows = study.results.filter(pl.col("user_grade").is_not_null())
    rows = rows.select("session_id", "query_position", "doc_id", pl.col("user_grade").cast(pl.Float64))
    keyed = rows.join(study.sessions.select("session_id", "judgment_key"), on="session_id", how="left")
    if "judgment_key" in study.columns("queries"):
        of_query = study.queries.select("session_id", "query_position", own="judgment_key")
        keyed = keyed.join(of_query, on=["session_id", "query_position"], how="left")
        keyed = keyed.with_columns(judgment_key=pl.coalesce("own", "judgment_key"))
    best = keyed.drop_nulls("judgment_key").group_by("session_id", *PAIR).agg(pl.col("user_grade").max())
    found = best.join(merged_judgments(study), on=PAIR, how="left").sort("session_id", *PAIR)
    return found.select("session_id", *PAIR, "user_grade", "grade").collect()
