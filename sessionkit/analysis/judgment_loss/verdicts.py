"""The verdicts on pairs of groups with a share of the judgments, against those with all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import polars as pl

from sessionkit.analysis.compare.options import Options
from sessionkit.analysis.compare.plan import ComparisonPlan
from sessionkit.analysis.judgment_loss.curves import ALL, Curves
from sessionkit.analysis.judgment_loss.draws import Draw, Draws
from sessionkit.analysis.rescore.log import RescoredLog
from sessionkit.analysis.rescore.pairs import RescoredPairs
from sessionkit.errors import UsageError


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Differences and p-values of pairs.

    Parameters
    ----------
    pairs
        Numbers of the two groups of each pair.
    times
        Random orders drawn for each pair.
    difference, p
        With all judgments: by measure and pair.
    differences, ps
        With a share of them: by measure, pair, draw and share.
    """

    pairs: tuple[tuple[int, int], ...]
    times: int
    difference: np.ndarray
    p: np.ndarray
    differences: np.ndarray
    ps: np.ndarray


def drawn_pairs(pairs: Sequence[tuple[int, int]], most: int, seed: int) -> tuple[tuple[int, int], ...]:
    """All pairs, or so many of them at random, in order."""
    if len(pairs) <= most:
        return tuple(pairs)
    rng = np.random.Generator(np.random.PCG64([seed, 2]))
    chosen = np.sort(rng.permutation(len(pairs))[:most])
    return tuple(pairs[number] for number in chosen)


def of_study(curves: Curves, pairs: Sequence[tuple[int, int]], draws: int) -> Verdicts:
    """Verdicts on the draws from all judgments of the study, which the curves were made of."""
    if curves.tested is None:
        raise ValueError("the pairs were not tested with the curves")
    d, p = (found.transpose(1, 2, 0) for found in curves.tested)
    shaped = (*d.shape[:2], draws, -1)
    return Verdicts(tuple(pairs), draws, d[..., 0], p[..., 0], d[..., 1:].reshape(shaped), p[..., 1:].reshape(shaped))


def of_pairs(
    drawing: Draws,
    plan: ComparisonPlan,
    pairs: Sequence[tuple[int, int]],
    shares: Sequence[Fraction],
    *,
    times: int,
    seed: int,
) -> Verdicts:
    """Verdicts on draws from the pool of each pair: the judged documents that either of its groups has shown.

    Pairs whose sessions do not allow the test are left out; where no pair's do, the error says why.
    """
    log, groups = drawing.log, drawing.groups
    shown = shown_pairs(log, groups.number, groups.many)

    def pool(of: tuple[int, ...] | None) -> np.ndarray | None:
        return None if of is None else np.logical_or.reduce(shown[list(of)])

    pooled = Draws(log, groups, drawing.min_grade, pool)
    some = [share for share in shares if share < ALL]
    shape = (len(log.measures), len(pairs), times * len(some) + 1)
    d, p = np.full(shape, np.nan), np.ones(shape)
    asked = [
        draw
        for number, pair in enumerate(pairs)
        for draw in (
            Draw((seed, 1), ALL, pair),
            *(Draw((seed, 1, number, time), share, pair) for time in range(times) for share in some),
        )
    ]
    testable = np.ones(len(pairs), dtype=bool)
    tested: RescoredPairs | None = None
    why: UsageError | None = None
    for at, values in enumerate(pooled.values(asked)):
        number, draw = divmod(at, shape[2])
        if not draw:
            tested = _of_pair(log.sessions, groups.number, groups.names, plan, pairs[number])
        for measure, column in enumerate(values.T if tested is not None and testable[number] else ()):
            try:
                found = tested.tested(column)  # type: ignore[union-attr]
            except UsageError as error:  # the sessions of these two do not allow the test
                why, testable[number] = error, False
                break
            d[measure, number, draw], p[measure, number, draw] = found[0][0], found[1][0]
    if why is not None and not testable.any():
        raise why
    kept = tuple(pair for pair, able in zip(pairs, testable, strict=True) if able)
    d, p = d[:, testable], p[:, testable]
    shaped = (len(log.measures), len(kept), times, len(some))
    ends = d[..., 0], p[..., 0]
    return Verdicts(kept, times, *ends, d[..., 1:].reshape(shaped), p[..., 1:].reshape(shaped))


def _of_pair(
    sessions: pl.DataFrame, number: np.ndarray, names: Sequence[str], plan: ComparisonPlan, pair: tuple[int, int]
) -> RescoredPairs:
    """The test of one pair, on the sessions of its groups."""
    there = np.isin(number, pair)
    frame = sessions.filter(pl.Series(there))
    alone = replace(plan, options=Options())
    group = (number[there] == pair[1]).astype(np.int64)
    return RescoredPairs.of(alone, frame, group, [names[n] for n in pair], [(0, 1)])


def shown_pairs(log: RescoredLog, group: np.ndarray, groups: int) -> np.ndarray:
    """Whether the lists of each group (a row) show the document of each judged pair (a column), at any rank.

    Parameters
    ----------
    group
        Number of the group of every session of the log; below 0, none.
    """
    pairs = len(log.rejudging.grades)
    found = np.zeros((groups, pairs), dtype=bool)
    begin = 0
    for batch in log.each():
        end = begin + len(batch.sessions)
        of_session = pl.Series("group", group[begin:end])
        begin = end
        rows = batch.results.select("query", "judgment").drop_nulls("judgment")
        of_result = of_session.gather(batch.queries["session"].gather(rows["query"])).to_numpy()
        judgment = rows["judgment"].to_numpy()
        found[of_result[of_result >= 0], judgment[of_result >= 0]] = True
    return found
