"""Whether the same would have been found with fewer judgments: the order of systems, verdicts, and their reading."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, get_args

import numpy as np
import polars as pl

from sessionkit.arguments import (
    AnyTest,
    JudgmentPool,
    Population,
    error_rate,
    require_draws,
    require_seed,
    require_whole,
)
from sessionkit.display.numbers import counted, defined_text, p_text, share_text
from sessionkit.display.statements import Kind, Statement, Value
from sessionkit.display.tables import TextTable
from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.robustness.judgment_draws import (
    ALL,
    Draw,
    Draws,
    agreement_table,
    confusion_table,
    curves,
    drawn_pairs,
    fractions_of,
    knees_table,
    of_pairs,
    of_study,
    pairs_table,
    trusted,
)
from sessionkit.robustness.rescore import RescoredLog, RescoredPairs, groups_of, knee, require_judgments
from sessionkit.scoring.measures.base import Direction, Measure
from sessionkit.scoring.measures.direction import MeasureDirection, directions_of
from sessionkit.statistics.corrections import Options
from sessionkit.statistics.findings import LEFT_OUT, SESSIONS, TestedFinding, left_out_statements, stated, traced
from sessionkit.statistics.paper_tables import chosen_columns, range_text, worded
from sessionkit.statistics.procedures import ComparisonPlan
from sessionkit.study import Study
from sessionkit.study.restriction import Where
from sessionkit.study.selection import restricted
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
        confidence=confidence,
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
        statements=stated(make_statements(table, knees, confusion, pair_rows, settled), study.restriction),
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


OF_ORDER = {
    "measure": "text of the measure",
    "knee": "the share from which on the mean tau stays at the threshold; null, none",
    "knee_judged": "the share that is really judged there",
    "knee_low": "the lowest knee of a single draw",
    "knee_high": "the highest",
}


@dataclass(frozen=True, eq=False, repr=False)
class JudgmentLoss(TestedFinding):
    """What becomes of a comparison when judgments are lost; made by `sessionkit.judgment_loss`.

    Parameters
    ----------
    table
        A row per measure and fraction: ``measure``; ``fraction`` of the judgments asked for; ``judged``, the share that
        is really kept, since every key keeps a few; ``tau``: Kendall's tau-b of the order of the groups against that
        with all judgments, its mean over draws, ``tau_low`` and ``tau_high`` the least and most of any draw; ``winner``:
        share of draws with the same best group; ``value``, the mean of the groups' means, and ``drift``, by how much
        that moves; ``draws``. Null where nothing can be said, as where all groups are tied.
    knees
        A row per measure: ``knee``, the smallest fraction from which on the mean tau stays at the threshold or above, with
        the share ``knee_judged`` that is really judged there; ``knee_low`` and ``knee_high``, the same of single draws;
        ``first_above``, the smallest fraction whose mean tau exceeds it (the knee of SIGIR 2007); ``accuracy_knee``, as
        ``knee`` for the accuracy of verdicts (SIGIR 2007 does not say at what threshold it takes that one).
    confusion
        A row per measure and fraction, over pairs and draws: verdicts ``kept`` (not significant with all judgments nor
        with some), ``gained`` (significant with some only), ``lost`` (with all only), ``found`` (with both) and of
        these ``turned`` (with the other sign); ``accuracy`` = (kept + found) / all; ``true_positive`` = kept / (kept +
        gained); ``false_positive_rate`` = lost / (lost + found); ``precision`` = kept / (kept + lost); ``g_mean``, the
        geometric mean of ``true_positive`` and ``precision``. As in the paper, positive means
        that the hypothesis of no difference stands.
    pairs
        A row per measure, pair and fraction: ``difference`` (b less a) and ``p`` with all judgments; with some: ``mean``
        difference, ``low`` and ``high`` (of draws), ``same_sign`` (share of draws), ``median_p``, ``significant`` (share of draws
        with p at most alpha).
    statements
        What it says, see `sessionkit.Statement`; ``reading`` is their text, a line each.
    design, population, test
        The design as read from the data, what the units are, the test of each pair.
    by, pool, min_grade, confidence, threshold, draws, times, seed
        As asked for; ``times`` is how many draws each pair had.
    left_out
        What was left out: ``what``, ``count``.
    """

    table: pl.DataFrame
    knees: pl.DataFrame
    confusion: pl.DataFrame
    pairs: pl.DataFrame
    left_out: pl.DataFrame
    statements: tuple[Statement, ...]
    design: str
    population: str
    test: str
    by: str
    pool: str
    min_grade: float
    confidence: float
    threshold: float
    draws: int
    times: int
    seed: int
    KINDS: ClassVar = {
        "protocol": Kind(
            "How judgments were removed, and pairs tested",
            {
                "judgments": "number of judgments",
                "relevant": "relevant ones",
                "keys": "number of judgment keys",
                "draws": "random orders of the judgments",
                "seed": "of the draws",
                "sessions": "sessions that were scored again",
                "groups": "number of groups",
                "what": "what the groups are called",
                "fraction": "the smallest share",
                "judged": "the share that is really kept of it",
                "pairs": "pairs that are tested",
                "times": "draws of each pair",
                "pool": "pair or study: whose judgments are behind a verdict",
                "test": "of pairs",
                "population": "what the units are",
            },
        ),
        "steps": Kind(
            "What tau cannot say of few groups",
            {"groups": "number of groups", "step": "by which tau moves; null of two groups"},
        ),
        "not_compared": Kind(
            "Why there is nothing to say of a measure",
            {"measure": "text of the measure", "reason": "no value, untouched, tied or no difference"},
        ),
        "order": Kind(
            "From which share of the judgments on the order of the groups stays",
            {
                **OF_ORDER,
                "threshold": "of the mean tau-b",
                "direction": "which values of the measure are better: higher, lower or unknown",
                "shares": "the smallest and that nearest a half, each with fraction, tau, tau_low, tau_high, winner and drift",
            },
        ),
        "difference": Kind(
            "What becomes of the difference of two groups",
            {
                "measure": "text of the measure",
                "a": "the first group",
                "b": "the second group",
                "difference": "mean of b minus mean of a, with all judgments",
                "p": "its p; null where there is too little to test",
                "higher": "the group with the higher value",
                "steady": "the share from which on their order stays in every draw; null, none",
                "worst": "the share of draws with the same order, at the worst share of judgments",
                "last": "the largest share of judgments below all, and the share of draws with the same order there: fraction, winner",
                "times": "draws at each share",
                "confidence": "of verdicts",
                "shares": "the smallest and that nearest a half, each with fraction, low, high, median_p and significant",
            },
        ),
        "verdicts": Kind(
            "How many verdicts stay",
            {
                "measure": "text of the measure",
                "confidence": "of verdicts",
                "shares": "the smallest and that nearest a half, each as in the table confusion; empty, no pair can be tested",
            },
        ),
        "scope": Kind("What it holds for", {"keys": "number of judgment keys", "what": "what the groups are called"}),
        **LEFT_OUT,
        **SESSIONS,
    }

    def tables(self) -> dict[str, pl.DataFrame]:
        """Every table by name: ``agreement``, ``knees``, ``confusion``, ``pairs``, ``left_out``, ``settings``."""
        names = [
            "design",
            "population",
            "test",
            "by",
            "pool",
            "min_grade",
            "confidence",
            "threshold",
            "draws",
            "times",
            "seed",
        ]
        return {
            "agreement": self.table,
            "knees": self.knees,
            "confusion": self.confusion,
            "pairs": self.pairs,
            "left_out": self.left_out,
            "made_with": self.settings_table(names),
        }

    def paper_table(self) -> TextTable:
        """The order of the groups by share of judgments as papers print it."""
        measures = self.table["measure"].unique(maintain_order=True)
        caption = (
            f"{f'{measures[0]}: order' if len(measures) == 1 else 'Order'} of groups by {worded([self.by])} with fewer judgments, "
            f"against all of them; {range_text(self.table['draws'])} draws"
        )
        lead = ["measure"] if len(measures) > 1 else []
        headers = {"fraction": "Judgments", "tau": "Mean tau-b", "tau_low": "Least", "tau_high": "Most"}
        columns = [*lead, "fraction", "judged", "tau", "tau_low", "tau_high", "winner"]
        note = "Judgments: the share asked for; judged: the share kept. Same winner: share of draws."
        return chosen_columns(caption, self.table, columns, headers=headers, note=note, decimals=2)


COARSE = 5
"""Groups up to which tau takes few values."""


@dataclass(frozen=True)
class LossSetup:
    """What the tables were made with, for the sentences."""

    names: tuple[str, ...]
    word: str
    by: str
    pool: str
    test: str
    population: str
    confidence: float
    threshold: float
    draws: int
    times: int
    tested: int
    seed: int
    judgments: int
    relevant: int
    keys: int
    sessions: int
    untouched: tuple[str, ...]
    left_out: Mapping[str, int]
    directions: Mapping[str, Direction]

    @property
    def alpha(self) -> float:
        """The p-value up to which a difference is significant."""
        return error_rate(self.confidence)


def make_statements(
    table: pl.DataFrame, knees: pl.DataFrame, confusion: pl.DataFrame, pairs: pl.DataFrame, settled: LossSetup
) -> list[Statement]:
    """Return the statements of a finding."""
    return [
        _state_protocol(table, settled),
        *([_state_steps(settled)] if len(settled.names) <= COARSE else []),
        *(
            each
            for row in knees.iter_rows(named=True)
            for each in _state_measure(row, table, confusion, pairs, settled)
        ),
        *left_out_statements(settled.left_out),
        _state_scope(settled),
    ]


def _state_protocol(table: pl.DataFrame, settled: LossSetup) -> Statement:
    """Say how the judgments were taken away."""
    first = table.row(0, named=True)
    times = f"{settled.draws} times" if settled.draws > 1 else "once"
    least = (
        f"; every key keeps a relevant document and ten others where it has them, so the smallest share, {first['fraction']:.3g}, is in "
        f"fact {share_text(first['judged'], 0)} of the judgments"
        if first["judged"] > 1.5 * first["fraction"]
        else ""
    )
    text = (
        f"Nested random shares of {counted(settled.judgments, 'judgment')} ({settled.relevant:,} of them relevant) for "
        f"{counted(settled.keys, 'key')} were kept, {times} (seed {settled.seed}), "
        f"and {counted(settled.sessions, 'session')} of {len(settled.names)} {settled.word} "
        f"were scored again{least}. {_testing(settled)}"
    )
    values: dict[str, Value] = {
        "judgments": settled.judgments, "relevant": settled.relevant, "keys": settled.keys, "draws": settled.draws,
        "seed": settled.seed, "sessions": settled.sessions, "groups": len(settled.names), "what": settled.word,
        "fraction": first["fraction"], "judged": first["judged"], "pairs": settled.tested, "times": settled.times,
        "pool": settled.pool, "test": settled.test, "population": settled.population,
    }  # fmt: skip
    return Statement("protocol", text, values)


def _testing(settled: LossSetup) -> str:
    """How pairs are tested."""
    what = f"{settled.tested:,} pairs are" if settled.tested > 1 else "The pair is"
    draws = f", {settled.times} draws each" if settled.times > 1 else ""
    pooled = f", each with the judgments of what its two {settled.word} showed" if settled.pool == "pair" else ""
    return f"{what} tested by {settled.test} over {settled.population}{pooled}{draws}."


def _state_steps(settled: LossSetup) -> Statement:
    """Say what tau cannot say of few groups."""
    many = len(settled.names)
    if many == 2:
        text = (
            f"With two {settled.word} tau is 1 or -1, and its mean only shows how often their order stays the same; use the winner "
            "and the p-values."
        )
        return Statement("steps", text, {"groups": 2, "step": None})
    steps = many * (many - 1) // 2
    text = f"With {many} {settled.word} tau moves in steps of {2 / steps:.2g}: one swap of neighbors lowers it to {1 - 2 / steps:.2g}."
    return Statement("steps", text, {"groups": many, "step": 2 / steps})


def _state_measure(
    knees: Mapping[str, Any], table: pl.DataFrame, confusion: pl.DataFrame, pairs: pl.DataFrame, settled: LossSetup
) -> Iterator[Statement]:
    """Say what is to be said of one measure."""
    measure = knees["measure"]
    rows, verdicts, of = (frame.filter(pl.col("measure") == measure) for frame in (table, confusion, pairs))
    if rows.item(-1, "value") is None:
        yield _not_compared(
            measure, "no value", "no session has a value with all judgments, so there is nothing to compare."
        )
    elif measure in settled.untouched:
        text = "no value changed in any draw; judgments do not affect it, or not here."
        yield _not_compared(measure, "untouched", text)
    elif rows.height == 1:
        return
    elif rows.item(-1, "tau") is None:
        text = f"with all judgments the {settled.word} are tied, so there is no order to compare."
        yield _not_compared(measure, "tied", text)
    elif len(settled.names) == 2:
        yield _state_two(rows, of, settled)
    else:
        yield _state_order(knees, rows, settled)
        yield _state_verdicts(measure, verdicts, settled)


def _not_compared(measure: str, reason: str, text: str) -> Statement:
    """Say why there is nothing to say of a measure."""
    return Statement("not_compared", f"{measure}: {text}", {"measure": measure, "reason": reason})


def _state_order(knees: Mapping[str, Any], rows: pl.DataFrame, settled: LossSetup) -> Statement:
    """Say how long the order of the groups stays."""
    direction = MeasureDirection.named(knees["measure"], settled.directions)
    looked_at = _looked_at(rows)
    listed = "; ".join(
        f"with a share of {row['fraction']:.3g} it is {defined_text(row['tau'], 2)} "
        f"(draws: {defined_text(row['tau_low'], 2)} to {defined_text(row['tau_high'], 2)}), "
        f"the {direction.best} is the same in {share_text(row['winner'] or 0, 0)} of draws, and values change by {row['drift'] or 0:+.3g} "
        "on average"
        for row in looked_at
    )
    if knees["knee"] is None or knees["knee"] == 1:
        stays = f"no share below all judgments keeps the order of the {settled.word} (mean tau-b at least {settled.threshold:g})"
    else:
        low, high = knees["knee_low"], knees["knee_high"]
        spread = f"; single draws put the knee between {low:.3g} and {high:.3g}" if low != high else ""
        stays = (
            f"the order of the {len(settled.names)} {settled.word} stays as with all judgments (mean tau-b at least "
            f"{settled.threshold:g}) from a share of {knees['knee']:.3g} on, {share_text(knees['knee_judged'], 0)} of the judgments{spread}"
        )
    values: dict[str, Value] = {name: knees[name] for name in OF_ORDER}
    values |= {"threshold": settled.threshold, "direction": direction.better}
    names = ("fraction", "tau", "tau_low", "tau_high", "winner", "drift")
    shares = [{name: row[name] for name in names} for row in looked_at]
    return Statement("order", f"{knees['measure']}: {stays}. Tau: {listed}.", {**values, "shares": shares})


def _state_two(rows: pl.DataFrame, pairs: pl.DataFrame, settled: LossSetup) -> Statement:
    """Say which of two groups has the higher value, how often, with which p."""
    whole = pairs.row(-1, named=True)
    measure = whole["measure"]
    if not whole["difference"]:
        text = f"{whole['a']} and {whole['b']} do not differ in units that have both, so there is no winner."
        return _not_compared(measure, "no difference", text)
    higher, other = (whole["b"], whole["a"]) if whole["difference"] > 0 else (whole["a"], whole["b"])
    some = rows.filter(pl.col("fraction") < 1)
    steady = knee(some["fraction"].to_list(), some["winner"].fill_null(float("nan")).to_numpy(), 1.0)
    worst = float(str(some["winner"].min() or 0))
    at_worst = share_text(worst, 0)
    last = some.row(-1, named=True)
    if worst == 1:
        often = "Their order stays the same in every draw of every share"
    elif steady is not None:
        often = f"Their order stays the same in every draw from a share of {steady:.3g} on, and in {at_worst} of draws at the worst share"
    else:
        often = (
            f"Even with a share of {last['fraction']:.3g} their order stays the same in only {share_text(last['winner'] or 0, 0)} of "
            f"draws, at the worst share in {at_worst}"
        )
    looked_at = _looked_at(pairs)
    listed = "; ".join(
        f"with a share of {row['fraction']:.3g} the difference lies between {_signed(row, whole)}{_ps(row, settled)}"
        for row in looked_at
    )
    tested = "too little data to test" if whole["p"] is None else p_text(whole["p"])
    text = (
        f"{measure}: {higher} has the higher value with all judgments (difference from {other} {abs(whole['difference']):.3g}, "
        f"{tested}). {often}. {listed[:1].upper()}{listed[1:]}."
    )
    names = ("fraction", "low", "high", "median_p", "significant")
    values: dict[str, Value] = {name: whole[name] for name in ("measure", "a", "b", "difference", "p")}
    values |= {"higher": higher, "steady": None if steady is None else float(steady), "worst": worst}
    values |= {
        "last": {name: last[name] for name in ("fraction", "winner")},
        "times": settled.times,
        "confidence": settled.confidence,
    }
    return Statement(
        "difference", text, {**values, "shares": [{name: row[name] for name in names} for row in looked_at]}
    )


def _signed(row: Mapping[str, Any], whole: Mapping[str, Any]) -> str:
    """The range of a difference, for the group that is higher with all judgments."""
    ends = (row["low"], row["high"]) if whole["difference"] > 0 else (-row["high"], -row["low"])
    return f"{ends[0]:.3g} and {ends[1]:.3g}"


def _ps(row: Mapping[str, Any], settled: LossSetup) -> str:
    """The p-values of the draws; nothing where there is no verdict with all judgments."""
    if row["significant"] is None:
        return ""
    median = "" if row["median_p"] is None else f", the median {p_text(row['median_p'])}"
    return (
        f"{median}, and {share_text(row['significant'], 0)} of {settled.times} draws have p at most {settled.alpha:g}"
    )


def _state_verdicts(measure: str, rows: pl.DataFrame, settled: LossSetup) -> Statement:
    """Say how many verdicts stay."""
    values: dict[str, Value] = {"measure": measure, "confidence": settled.confidence}
    if rows["accuracy"].is_null().all():
        text = f"{measure}: no pair can be tested, so there are no verdicts to compare."
        return Statement("verdicts", text, {**values, "shares": []})
    looked_at = _looked_at(rows)
    names = ("fraction", "accuracy", "g_mean", "kept", "gained", "lost", "found", "turned")
    text = f"{measure}: verdicts at {settled.alpha:g}: {'; '.join(_matrix(row) for row in looked_at)}."
    return Statement("verdicts", text, {**values, "shares": [{name: row[name] for name in names} for row in looked_at]})


def _matrix(row: Mapping[str, Any]) -> str:
    """The confusion matrix of one share."""
    mean = "" if row["g_mean"] is None else f" (g-mean {row['g_mean']:.2f})"
    turned = f", and {row['turned']:,} are significant with the opposite sign" if row["turned"] else ""
    return (
        f"with a share of {row['fraction']:.3g}, {share_text(row['accuracy'], 0)} agree with all judgments{mean}, {row['lost']:,} of "
        f"{row['lost'] + row['found']:,} significant ones are lost and {row['gained']:,} of {row['kept'] + row['gained']:,} others "
        f"appear{turned}"
    )


def _looked_at(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """The rows of the smallest share and of that nearest to a half, below all."""
    some = rows.filter(pl.col("fraction") < 1)
    half = some.sort((pl.col("fraction") - 0.5).abs(), maintain_order=True).head(1)
    return list(pl.concat([some.head(1), half]).unique(maintain_order=True).iter_rows(named=True))


def _state_scope(settled: LossSetup) -> Statement:
    """Say what this does not say."""
    keys = f"{'this' if settled.keys == 1 else 'these'} {counted(settled.keys, 'key')}"
    text = (
        f"This holds for {keys}, these sessions and {settled.word}, with judgments removed at random from a set assumed "
        "complete; a shallow pool, or a judge who stops early, does not lose documents at random."
    )
    return Statement("scope", text, {"keys": settled.keys, "what": settled.word})
