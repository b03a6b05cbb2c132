"""Discriminative power after Sakai: the p-values of all pairs of systems by each measure, and how many pairs it tells apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import polars as pl

from sessionkit.arguments import (
    FEWEST_RANDOMIZATIONS,
    DiscriminationTest,
    Population,
    error_rate,
    require_draws,
    require_seed,
)
from sessionkit.display.numbers import counted, p_limit_text, p_text, share_text
from sessionkit.display.statements import Kind, Statement, Value
from sessionkit.display.tables import TextTable
from sessionkit.errors import UsageError
from sessionkit.robustness.rescore import RescoredLog, Scoring, difference_of, groups_of, p_of
from sessionkit.scoring.measures.base import Measure
from sessionkit.statistics.comparison_table import compared
from sessionkit.statistics.corrections import Options
from sessionkit.statistics.distributions import TIE, differences, settled
from sessionkit.statistics.findings import (
    LEFT_OUT,
    MORE,
    SESSIONS,
    TestedFinding,
    left_out_statements,
    stated,
    traced,
)
from sessionkit.statistics.paper_tables import chosen_columns, worded
from sessionkit.statistics.procedures import MEAN, PROCEDURES, ComparisonPlan
from sessionkit.statistics.session_values import GroupedSessions, require_values
from sessionkit.statistics.significance import CELLS
from sessionkit.statistics.units import Blocked
from sessionkit.study import Study
from sessionkit.study.restriction import Where
from sessionkit.study.selection import restricted
from sessionkit.study.study import guarded_read

TABLE = pl.Schema(
    {"measure": pl.String()}
    | dict.fromkeys(("n", "pairs", "tested", "significant"), pl.Int64())
    | dict.fromkeys(("power", "needed", "spread"), pl.Float64())
)
ASL = pl.Schema(
    {"measure": pl.String(), "place": pl.Int64(), "a": pl.String(), "b": pl.String()}
    | dict.fromkeys(("difference", "p"), pl.Float64())
)
SIZES = {
    "needed": "the difference that is significant; null for tests that are not of means",
    "spread": "the largest difference of means",
}


@dataclass(frozen=True, eq=False, repr=False)
class DiscriminativePower(TestedFinding):
    """How many pairs of groups measures tell apart; made by `sessionkit.discriminate`.

    Parameters
    ----------
    table
        A row per measure: ``n`` (units that each pair was tested on; the fewest of any pair), ``pairs``, ``tested`` (pairs
        that have enough to be tested on), ``significant`` (with p at most alpha), ``power`` (their share of those tested;
        null where none is), ``needed`` (the difference of means that is significant, the largest that any pair needs; null
        for tests that are not of means), ``spread`` (the largest difference of means).
    asl
        A row per measure and pair, by p-value (achieved significance level), the smallest first: ``measure``, ``place``,
        ``a``, ``b``, ``difference`` (b minus a), ``p`` (null, and last, where the pair was not tested).
    statements
        What it says, see `sessionkit.Statement`; ``reading`` is their text, a line each.
    design, population, test, by, confidence, draws, seed
        As in `sessionkit.compare`.
    simultaneous
        Whether the p-values hold for all pairs at once; if not, each pair is tested by itself.
    left_out
        What was left out: ``what``, ``count``.
    """

    table: pl.DataFrame
    asl: pl.DataFrame
    left_out: pl.DataFrame
    statements: tuple[Statement, ...]
    design: str
    population: str
    test: str
    simultaneous: bool
    by: str
    confidence: float
    draws: int
    seed: int
    KINDS: ClassVar = {
        "design": Kind(
            "How pairs of groups are tested",
            {
                "groups": "number of groups",
                "what": "what the groups are called",
                "pairs": "number of pairs of groups",
                "population": "what the units are",
                "test": "name of the test",
                "simultaneous": "whether the p-values hold for all pairs at once",
                "confidence": "of the tests",
                "expected": "pairs of equal groups expected to differ by chance; null where p-values hold for all pairs, and of one pair",
            },
        ),
        "discriminative_power": Kind(
            "How many pairs a measure finds to differ, of several",
            {
                "measure": "text of the measure",
                "n": "units that each pair was tested on",
                "pairs": "number of pairs",
                "tested": "pairs that have enough to be tested on",
                "significant": "pairs that differ",
                "power": "their share of those tested",
                "confidence": "of the tests",
                **SIZES,
            },
        ),
        "difference": Kind(
            "The difference of the only two groups by one measure",
            {
                "measure": "text of the measure",
                "a": "the first group",
                "b": "the second group",
                "difference": "mean of b minus mean of a",
                "p": "p-value of the difference",
                "n": "units that the pair was tested on",
                **SIZES,
            },
        ),
        "not_tested": Kind("No pair can be tested by a measure", {"measure": "text of the measure"}),
        "stability": Kind(
            "Which measures find the most pairs to differ, and the fewest",
            {
                "measure": "the measure that finds the most",
                "other": "the measure that finds the fewest",
                "population": "what the units are",
            },
        ),
        "caution": Kind(
            "What a reader should know of the tests by a measure",
            {"measure": "text of the measure", "reason": "what it is"},
        ),
        **MORE,
        **LEFT_OUT,
        **SESSIONS,
    }

    def tables(self) -> dict[str, pl.DataFrame]:
        """Every table by name: ``power``, ``asl``, ``left_out``, ``settings``."""
        names = ["design", "population", "test", "by", "confidence", "draws", "seed"]
        settings = self.settings_table(names)
        return {"power": self.table, "asl": self.asl, "left_out": self.left_out, "made_with": settings}

    def paper_table(self) -> TextTable:
        """The power of each measure as papers print it: pairs tested, those found, their share, n."""
        test = f"{self.test}, {p_limit_text(self.alpha)}"
        caption = f"Discriminative power by {worded([self.by])}: {test}, n {self.population}"
        columns = ["measure", "tested", "significant", "power", "needed", "n"]
        headers = {"tested": "Pairs", "needed": "Significant difference"}
        return chosen_columns(caption, self.table, columns, headers=headers)


@traced
@guarded_read
def discriminate(
    study: Study,
    measures: str | Measure | Sequence[str | Measure],
    by: str = "system_id",
    *,
    where: Where = None,
    test: DiscriminationTest | None = None,
    population: Population | None = None,
    confidence: float = 0.95,
    draws: int = 9_999,
    seed: int = 0,
    full: float | None = None,
    memory: str | int | None = None,
) -> DiscriminativePower:
    """Say what share of all pairs of groups each measure finds to differ, on the same sessions.

    Parameters
    ----------
    study
        The study.
    measures
        Measures of sessions; the mean of a query measure is ``"mean(nDCG@10)"``.
    by
        Column of the sessions or users that names the groups, such as systems or runs; any number of groups from 2.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.
    test
        ``"randomization"``: of more than two groups randomized Tukey HSD (Carterette 2012; Sakai 2012), in which a chance
        difference must beat the largest of all pairs; ``"bootstrap"``: Sakai's paired bootstrap of the studentized mean
        (2006), each pair by itself, from 20 units on; or any that `sessionkit.compare` has, without correction. Not
        given: randomization where units met every group, else the design's own.
    population
        What the units are, as `sessionkit.compare` has it.
    confidence
        Of intervals and tests, above .5 and below 1; a difference is significant where p is at most 1 - confidence.
    draws
        Draws, at least 99.
    seed
        Seed of the draws, which are the same for every measure.
    full, memory
        As `sessionkit.judgment_loss` has them.

    Returns
    -------
    DiscriminativePower
        With ``table``, ``asl``, ``reading``, and what they were made with.

    Raises
    ------
    UsageError
        An option or column does not exist, or the design does not support what is asked.
    MeasureError
        A measure does not exist, or has no value per session.
    DataError
        No session has a value of any of the measures.

    Notes
    -----
    A measure that tells more pairs apart is steadier over these units. Whether it measures what matters is another
    question; `sessionkit.correlate` asks one of that kind.

    Examples
    --------
    Three runs on six topics (CLASSIC's example S as scores of one list each is in the tests); here two on three.

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={
    ...         "session_id": list("abcdef"), "query_position": [1] * 6, "rank": [1] * 6, "doc_id": list("xxxyyy"),
    ...         "topic_id": list("123123"), "system_id": list("AAABBB"),
    ...     },
    ...     judgments={"judgment_key": list("123123"), "doc_id": list("xxxyyy"), "grade": [0, 0, 0, 1, 2, 3]},
    ... )
    >>> found = discriminate(study, "sDCG@1")  # all signs alike: 2 of 2^3
    >>> found.asl.row(0), found.table.item(0, "power")
    (('sDCG@1', 1, 'A', 'B', 2.0, 0.25), 0.0)
    """
    study = restricted(study, where)
    alpha = error_rate(confidence)
    require_draws(draws, FEWEST_RANDOMIZATIONS)
    require_seed(seed)
    log = RescoredLog.of(study, measures, by, memory)
    groups = groups_of(log, full)
    claim = groups.design.population(population, groups.many)
    blocked = groups.design.layouts[claim] == "blocked"
    if test == BOOTSTRAP and not blocked:
        msg = f"test=bootstrap draws units that met every group; this design is {groups.design.title}; leave test out"
        raise UsageError(msg)
    options = Options(alpha=alpha, draws=draws, seed=seed)
    named = None if test == BOOTSTRAP else test
    plan = ComparisonPlan.of(
        groups.design, groups.many, test=named, population=claim, blocked="randomization", options=options
    )
    (values,) = log.values([Scoring(lambda: log.rejudging.grades, tuple(range(len(log.measures))))], groups.number)
    inside = groups.number >= 0
    sessions = log.sessions.filter(pl.Series(inside))
    order = sessions.get_column("session_id").arg_sort().to_numpy()
    frame, values = sessions[order], values[order]
    texts = [str(measure) for measure in log.measures]
    require_values(study, values, texts)
    found = [
        (bootstrapped if test == BOOTSTRAP else found_by)(plan, frame, column, groups.names) for column in values.T
    ]
    title = "Sakai's paired bootstrap (studentized)" if test == BOOTSTRAP else _titled(plan, groups.many)
    table = pl.DataFrame(
        [_row(text, of, alpha) for text, of in zip(texts, found, strict=True)], schema=TABLE, orient="row"
    )
    asl = pl.concat([_curve(text, of, groups.names) for text, of in zip(texts, found, strict=True)])
    notes = [(text, note) for text, of in zip(texts, found, strict=True) for note in of.notes]
    simultaneous = test != BOOTSTRAP and plan.test.simultaneous and groups.many > 2
    setup = DiscriminationSetup(
        names=groups.names,
        word=groups.word,
        test=title,
        population=plan.population,
        confidence=confidence,
        simultaneous=simultaneous,
        notes=tuple(notes),
        left_out=groups.left_out,
    )
    return DiscriminativePower(
        table=table,
        asl=asl,
        left_out=pl.DataFrame([*groups.left_out.items()], schema={"what": pl.String, "count": pl.Int64}, orient="row"),
        statements=stated(make_statements(table, asl, setup), study.restriction),
        design=groups.design.described,
        population=plan.population,
        test=title,
        simultaneous=simultaneous,
        by=by,
        confidence=confidence,
        draws=draws,
        seed=seed,
    )


def _titled(plan: ComparisonPlan, groups: int) -> str:
    """The test's whole name."""
    joint = plan.test is PROCEDURES["randomization"] and groups > 2 and plan.layout == "blocked"
    return "randomized Tukey HSD (max-T over all pairs)" if joint else plan.title


def _row(measure: str, of: Found, alpha: float) -> tuple[object, ...]:
    """One measure."""
    tested = int(np.isfinite(of.p).sum())
    significant = int((of.p <= alpha).sum())
    spread = np.abs(of.difference[np.isfinite(of.difference)])
    share = significant / tested if tested else None
    return measure, of.n, len(of.p), tested, significant, share, of.needed, float(spread.max()) if len(spread) else None


def _curve(measure: str, of: Found, names: Sequence[str]) -> pl.DataFrame:
    """All pairs of one measure by p-value; of equal ones the larger difference first."""
    size = settled(np.where(np.isfinite(of.difference), np.abs(of.difference), -1.0))
    rows = [
        (measure, place, names[i], names[j], float(d) if np.isfinite(d) else None, float(p) if np.isfinite(p) else None)
        for place, (i, j, d, p) in enumerate(
            ((*of.pairs[at], of.difference[at], of.p[at]) for at in np.lexsort((-size, settled(of.p)))), start=1
        )
    ]
    return pl.DataFrame(rows, schema=ASL, orient="row")


TOLD = 5
"""Notes of the tests that are told."""


@dataclass(frozen=True)
class DiscriminationSetup:
    """What the tables were made with, for the statements; ``notes`` are pairs of a measure and a sentence."""

    names: tuple[str, ...]
    word: str
    test: str
    population: str
    confidence: float
    simultaneous: bool
    notes: tuple[tuple[str, str], ...]
    left_out: Mapping[str, int]

    @property
    def alpha(self) -> float:
        """The error rate that the confidence leaves."""
        return error_rate(self.confidence)


def make_statements(table: pl.DataFrame, asl: pl.DataFrame, setup: DiscriminationSetup) -> list[Statement]:
    """Return the statements of a finding."""
    statements = [_state_design(int(str(table["pairs"].max() or 0)), setup)]
    statements += [_state_power(row, asl, setup) for row in table.iter_rows(named=True)]
    ranked = table.filter(pl.col("pairs") > 1).sort("significant", descending=True, maintain_order=True)
    if ranked.height > 1 and ranked.item(0, "significant") != ranked.item(-1, "significant"):
        statements.append(_state_stability(ranked.item(0, "measure"), ranked.item(-1, "measure"), setup))
    statements += [
        Statement("caution", f"{measure}: {note.removesuffix('.')}.", {"measure": measure, "reason": note})
        for measure, note in setup.notes[:TOLD]
    ]
    if len(setup.notes) > TOLD:
        more = len(setup.notes) - TOLD
        statements.append(
            Statement(
                "more",
                f"{counted(more, 'more pair')} {'has' if more == 1 else 'have'} nothing to test as well.",
                {"count": more, "what": "pairs with nothing to test", "verb": "discriminate"},
            )
        )
    return [*statements, *left_out_statements(setup.left_out)]


def _state_design(pairs: int, setup: DiscriminationSetup) -> Statement:
    """Say how pairs were tested."""
    of = f"{len(setup.names)} {setup.word}"
    expected = None if setup.simultaneous or pairs == 1 else setup.alpha * pairs
    if pairs == 1:
        text = (
            f"{of} make one pair, so the share of pairs found to differ is 0 or 1; compare the p-values (over {setup.population}, "
            f"by {setup.test})."
        )
    else:
        how = (
            "a difference counts only if it exceeds the largest difference among all pairs by chance"
            if expected is None
            else f"each pair is tested separately at {setup.alpha:g}, so about {expected:.2g} of {pairs:,} equal pairs would be "
            "found to differ"
        )
        text = f"{of}, {counted(pairs, 'pair')}, tested over {setup.population} by {setup.test}: {how}."
    values: dict[str, Value] = {
        "groups": len(setup.names),
        "what": setup.word,
        "pairs": pairs,
        "population": setup.population,
        "test": setup.test,
        "simultaneous": setup.simultaneous,
        "confidence": setup.confidence,
        "expected": expected,
    }
    return Statement("design", text, values)


def _state_power(row: Mapping[str, Any], asl: pl.DataFrame, setup: DiscriminationSetup) -> Statement:
    """Say how many pairs a measure tells apart, or, of one pair, with which p."""
    measure = row["measure"]
    if not row["tested"]:
        return Statement("not_tested", f"{measure}: no pair can be tested.", {"measure": measure})
    over = f"over {row['n']:,} {setup.population}"
    sizes = {name: row[name] for name in SIZES}
    if row["needed"] is not None:
        over += f"; a significant difference is at least {row['needed']:.3g} (the largest is {row['spread'] or 0:.3g})"
    if row["pairs"] > 1:
        which = "pairs" if row["tested"] == row["pairs"] else f"pairs that can be tested (of {row['pairs']:,})"
        share = f"{row['significant']:,} of {row['tested']:,} {which} differ at {setup.alpha:g} ({share_text(row['power'], 0)})"
        counts = {name: row[name] for name in ("measure", "n", "pairs", "tested", "significant", "power")}
        values = {**counts, "confidence": setup.confidence, **sizes}
        return Statement("discriminative_power", f"{measure}: {share} {over}.", values)
    pair = asl.filter(pl.col("measure") == measure).row(0, named=True)
    d = "no difference" if pair["difference"] is None else f"a difference of {pair['difference']:.3g}"
    return Statement(
        "difference",
        f"{measure}: {p_text(pair['p'])} for {d} ({pair['b']} minus {pair['a']}) {over}.",
        {**{name: pair[name] for name in ("measure", "a", "b", "difference", "p")}, "n": row["n"], **sizes},
    )


def _state_stability(most: str, fewest: str, setup: DiscriminationSetup) -> Statement:
    """Say which measures tell the most and the fewest pairs apart."""
    text = (
        f"{most} separates the most pairs, {fewest} the fewest. This shows which is more stable over these "
        f"{setup.population}, not which is more valid."
    )
    return Statement("stability", text, {"measure": most, "other": fewest, "population": setup.population})


BOOTSTRAP = "bootstrap"
FEWEST = 20
"""Units from which on a bootstrap is offered: over 4 topics it rejects 17% of true null hypotheses."""


@dataclass(frozen=True, eq=False)
class Found:
    """Every pair of groups by one measure.

    Parameters
    ----------
    pairs
        Places of the two groups.
    difference, p
        Of each pair: the second less the first (NaN without units); p is 1 where the two do not differ, NaN where they do and
        were not tested.
    n
        Units of the group with the fewest.
    needed
        The difference that is significant; None where the test is not of means or nothing was tested.
    notes
        What a reader should know.
    """

    pairs: tuple[tuple[int, int], ...]
    difference: np.ndarray
    p: np.ndarray
    n: int
    needed: float | None
    notes: tuple[str, ...] = field(default=())


def found_by(plan: ComparisonPlan, frame: pl.DataFrame, values: np.ndarray, groups: Sequence[str]) -> Found:
    """Test every pair as `sessionkit.compare` does, without correction.

    Parameters
    ----------
    frame
        ``session_id``, ``group``, ``user_id``, ``topic_id`` of every session, by session_id.
    values
        Of every session.
    """
    units = plan.units(GroupedSessions(frame, values[:, None], ("",), tuple(groups), "", 0))
    found = compared(plan, "", groups, units)
    place = {name: number for number, name in enumerate(groups)}
    of_means = plan.test.estimand == MEAN or plan.layout == "crossed"
    halves: list[float] = []
    for row in found.rows if of_means else ():
        if row.pair is not None and row.pair.interval is not None:
            low, high = row.pair.interval(plan.options.alpha)
            halves.append((high - low) / 2)
    return Found(
        tuple((place[row.a], place[row.b]) for row in found.rows),
        np.array([difference_of(row, plan.layout) for row in found.rows]),
        np.array([p_of(row) for row in found.rows]),
        min(units.units.counts, default=0),
        max(halves) if halves and math.isfinite(max(halves)) else None,
        tuple(remark.body for remark in found.remarks),
    )


def bootstrapped(plan: ComparisonPlan, frame: pl.DataFrame, values: np.ndarray, groups: Sequence[str]) -> Found:
    """Sakai's paired bootstrap: how often units drawn from shifted differences have a studentized mean as large.

    For differences z with t = mean / (sd / sqrt(n)), units are drawn with replacement from z less its mean; the p-value is
    the share of draws whose t is as large, the data themselves being one of them. What is needed is the mean difference
    that a share alpha of a pair's draws reach, and of all pairs the largest.

    Raises
    ------
    UsageError
        There are too few units.
    """
    options = plan.options
    units = plan.units(GroupedSessions(frame, values[:, None], ("",), tuple(groups), "", 0)).units
    assert isinstance(units, Blocked)  # noqa: S101 - what the layout says
    n, k = units.values.shape
    if n < FEWEST:
        msg = (
            f"test=bootstrap: {n} {plan.population} are too few to draw from (over 4 topics it rejects 17% of true null hypotheses); "
            f"it is offered from {FEWEST} on; test=randomization would work"
        )
        raise UsageError(msg)
    pairs = tuple((i, j) for i in range(k) for j in range(i + 1, k))
    first, second = np.array(pairs).T
    z = differences(units.values[:, first], units.values[:, second])
    mean = np.where(np.abs(z.mean(axis=0)) <= TIE * np.abs(z).mean(axis=0), 0.0, z.mean(axis=0))
    centered = z - mean
    observed = _studentized(mean, (z**2).mean(axis=0), n)
    rng = np.random.Generator(np.random.PCG64(options.seed))
    larger = np.zeros(len(pairs), dtype=np.int64)
    sizes = []
    batch = max(1, CELLS // max(n, len(pairs)))
    for start in range(0, options.draws, batch):
        many = min(batch, options.draws - start)
        drawn = rng.integers(0, n, (many, n))
        times = np.zeros((many, n))
        np.add.at(times, (np.arange(many)[:, None], drawn), 1.0)
        means = times @ centered / n
        t = _studentized(means, times @ (centered**2) / n, n)
        larger += (t >= observed * (1 - TIE)).sum(axis=0)
        sizes.append(np.abs(means))
    p = np.where(observed > 0, (larger + 1) / (options.draws + 1), 1.0)
    place = max(0, math.floor(options.alpha * options.draws * (1 + TIE)) - 1)
    needed = float(np.sort(np.concatenate(sizes), axis=0)[::-1][place].max())
    return Found(pairs, mean, p, n, needed)


def _studentized(mean: np.ndarray, square: np.ndarray, n: int) -> np.ndarray:
    """Size of the mean over its standard error, from the mean and the mean square; 0 where nothing is left to judge."""
    variance = np.maximum(square - mean**2, 0.0) * n / (n - 1)
    spread = np.sqrt(variance / n)
    flat = variance <= 1e-24 * np.maximum(square, 1e-300)
    size: np.ndarray = np.divide(np.abs(mean), spread, out=np.full(mean.shape, np.inf), where=~flat)
    return np.where(flat & (np.abs(mean) <= TIE * np.sqrt(square)), 0.0, size)
