"""Draws of a share of the judgments, and what becomes of the order of systems and of verdicts with each share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np
import polars as pl

from sessionkit.errors import UsageError
from sessionkit.robustness.rescore import (
    Confusion,
    Groups,
    RescoredLog,
    RescoredPairs,
    Scoring,
    first_above,
    kendall,
    knee,
)
from sessionkit.scoring.measures.direction import MeasureDirection
from sessionkit.statistics.corrections import Options
from sessionkit.statistics.distributions import settled
from sessionkit.statistics.procedures import ComparisonPlan
from sessionkit.study.batches import expect


@dataclass(frozen=True)
class Draw:
    """A share of some random order of the judgments.

    Parameters
    ----------
    order
        Numbers that name the order.
    share
        What is kept.
    groups
        Numbers of the groups whose sessions are scored; None, all.
    """

    order: tuple[int, ...]
    share: Fraction
    groups: tuple[int, ...] | None = None


@dataclass(frozen=True, eq=False)
class Draws:
    """Makes draws of a log's judgments and scores them.

    Parameters
    ----------
    log, groups
        What is scored.
    min_grade
        Lowest relevant grade.
    pool
        Which judged pairs there are for a draw, by its groups; None, all.
    """

    log: RescoredLog
    groups: Groups
    min_grade: float
    pool: Callable[[tuple[int, ...] | None], np.ndarray | None] = field(default=lambda _: None)

    def order(self, draw: Draw) -> Order:
        """The random order that a draw takes a share of."""
        rejudging = self.log.rejudging
        order = Order.of(rejudging.grades, rejudging.key, self.min_grade, draw.order)
        pool = self.pool(draw.groups)
        return order if pool is None else order.within(pool)

    def values(self, draws: Sequence[Draw]) -> Iterator[np.ndarray]:
        """For each draw a row per session of its groups and a column per measure."""
        measures = self.log.measures
        strict = tuple(n for n, measure in enumerate(measures) if measure.inner.needs_nonrelevant)
        plain = tuple(n for n in range(len(measures)) if n not in strict)
        order = lru_cache(maxsize=2)(self.order)

        def kept(draw: Draw, whole_keys: bool) -> np.ndarray:
            found = order(Draw(draw.order, Fraction(1), draw.groups))
            keep = found.kept(draw.share)
            if whole_keys:
                keep &= trusted(found)[self.log.rejudging.key]
            grades: np.ndarray = np.where(keep, self.log.rejudging.grades, np.nan)
            return grades

        sets = [(of, whole) for of, whole in ((plain, False), (strict, True)) if of]
        scorings = [
            Scoring(lambda draw=draw, whole=whole: kept(draw, whole), of, draw.groups)  # type: ignore[misc]
            for draw in draws
            for of, whole in sets
        ]
        expect("scorings", len(scorings))
        back = np.argsort([number for of, _ in sets for number in of])
        for parts in _several(self.log.values(scorings, self.groups.number), len(sets)):
            yield np.hstack(parts)[:, back]


def trusted(order: Order) -> np.ndarray:
    """Whether every key has a relevant document and ten others that are judged."""
    return (order.counted(relevant=True) >= LEAST_RELEVANT) & (order.counted(relevant=False) >= LEAST_OTHERS)


def _several(values: Iterable[np.ndarray], many: int) -> Iterator[list[np.ndarray]]:
    """Values in groups of so many."""
    held: list[np.ndarray] = []
    for part in values:
        held.append(part)
        if len(held) == many:
            yield held
            held = []


LEAST_RELEVANT, LEAST_OTHERS = 1, 10
"""Documents that every key keeps at least, where it has them."""


@dataclass(frozen=True, eq=False)
class Order:
    """The judged documents of every key in a random order, relevant ones and others apart.

    Parameters
    ----------
    kind
        Of every judged pair twice the number of its key, and one more where it is relevant; -1 where it has no grade.
    place
        Place of every pair in the order of its kind, from 0.
    size
        How many pairs are of each kind.
    """

    kind: np.ndarray
    place: np.ndarray
    size: np.ndarray

    @classmethod
    def of(cls, grades: np.ndarray, key: np.ndarray, min_grade: float, seed: Sequence[int]) -> Order:
        """Put pairs in a random order.

        Parameters
        ----------
        grades
            Grade of every pair; NaN where it has none.
        key
            Number of its key.
        min_grade
            Lowest relevant grade.
        seed
            Numbers that name the order: the same numbers, the same order.
        """
        chance = np.random.Generator(np.random.PCG64(list(seed))).random(len(grades))
        judged = np.isfinite(grades)
        kind = np.where(judged, key.astype(np.int64) * 2 + (np.where(judged, grades, 0.0) >= min_grade), -1)
        return cls._placed(kind, chance, 2 * (int(key.max(initial=0)) + 1))

    @classmethod
    def _placed(cls, kind: np.ndarray, chance: np.ndarray, kinds: int) -> Order:
        """The order that random numbers give."""
        order = np.lexsort((chance, kind))
        size = np.bincount(kind[kind >= 0], minlength=kinds)
        first = np.concatenate([[0], np.cumsum(size)])[:-1] + int((kind < 0).sum())
        place = np.empty(len(kind), dtype=np.int64)
        place[order] = np.arange(len(kind))
        return cls(kind, place - np.where(kind >= 0, first[kind], 0), size)

    def within(self, pool: np.ndarray) -> Order:
        """The same order of the pairs that a pool has; the others are as if they were never judged."""
        return self._placed(np.where(pool, self.kind, -1), self.place, len(self.size))

    def kept(self, share: Fraction) -> np.ndarray:
        """Whether each pair is among this share of the judgments.

        A smaller share is part of a larger one; the share 1 is all that is judged.
        """
        quota = np.minimum(self.size, np.maximum(self._least, _ceiling(self.size, share)))
        found: np.ndarray = (self.kind >= 0) & (self.place < np.where(self.kind >= 0, quota[self.kind], 0))
        return found

    def counted(self, relevant: bool) -> np.ndarray:
        """How many relevant documents, or others, every key has."""
        found: np.ndarray = self.size[int(relevant) :: 2]
        return found

    @property
    def _least(self) -> np.ndarray:
        """Documents of each kind that are kept at least."""
        found: np.ndarray = np.where(np.arange(len(self.size)) % 2 == 1, LEAST_RELEVANT, LEAST_OTHERS)
        return found


def _ceiling(size: np.ndarray, share: Fraction) -> np.ndarray:
    """Share times size, rounded up, in whole numbers."""
    per, of = share.numerator, share.denominator
    found: np.ndarray = np.array([-(-per * int(many) // of) for many in np.unique(size)])
    return found[np.searchsorted(np.unique(size), size)]


USUAL = tuple(Fraction(per, 100) for per in (1, 2, 3, 4, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100))
"""The 17 shares of Buckley and Voorhees 2004 and SIGIR 2007 [the numbers from memory: the text at hand lost them]."""
NAMED = "sigir2007"
MOST = 101
HOW = f"give shares above 0 and up to 1, such as 0.1,0.5 or 0.1:1:10 (from 0.1 to 1, ten of them), or {NAMED}"


def fractions_of(given: str | float | Sequence[float | str] | None) -> tuple[Fraction, ...]:
    """Read shares of the judgments, in order, with the whole (1) at the end.

    Parameters
    ----------
    given
        Numbers or texts of numbers, ``"0.1,0.5"``, ``"first:last:how many"``, or ``"sigir2007"`` for the usual 17,
        which None means too.

    Raises
    ------
    UsageError
        One is no number above 0 and up to 1, or there are too many.

    Examples
    --------
    >>> [str(share) for share in fractions_of("0.25:1:4")]
    ['1/4', '1/2', '3/4', '1']
    """
    if given is None or given == NAMED:
        return USUAL
    texts: Iterable[float | str] = [given] if isinstance(given, str) or not isinstance(given, Iterable) else given
    shares = {share for text in texts for part in str(text).split(",") for share in _shares(part.strip())}
    if len(shares) > MOST:
        msg = f"{len(shares):,} shares of the judgments are too many; give at most {MOST}"
        raise UsageError(msg)
    return tuple(sorted(shares | {Fraction(1)}))


def _shares(text: str) -> list[Fraction]:
    """The shares that a number, or ``first:last:how many``, stands for."""
    parts = text.split(":")
    try:
        if len(parts) == 1:
            found = [Fraction(text)]
        else:
            first, last, many = Fraction(parts[0]), Fraction(parts[1]), int(parts[2])
            if len(parts) != 3 or not 2 <= many <= MOST:
                raise ValueError
            found = [first + (last - first) * step / (many - 1) for step in range(many)]
    except (ValueError, IndexError, ZeroDivisionError, OverflowError):
        msg = f"share of judgments: {text!r} is not a share; {HOW}"
        raise UsageError(msg) from None
    if not all(0 < share <= 1 for share in found):
        msg = f"share of judgments: {text!r} is out of range; {HOW}"
        raise UsageError(msg)
    return found


ALL = Fraction(1)


@dataclass(frozen=True, eq=False)
class Curves:
    """What became of the groups' means.

    Parameters
    ----------
    whole
        Mean of every group (a row) by every measure (a column) with all judgments.
    means
        The same with a share of them: by draw, share, group and measure.
    tau
        Kendall's tau-b of the two orders: by draw, share and measure; NaN where all are tied.
    winner
        Whether the best group is the same, of a measure without a direction that of the highest mean: by draw, share and measure;
        NaN where several share that mean with all judgments.
    untouched
        By measure, whether every value of every session stayed the same in each draw.
    tested
        Where asked for, difference and p-value: by draw (the first is with all judgments), share, measure and pair.
    """

    whole: np.ndarray
    means: np.ndarray
    tau: np.ndarray
    winner: np.ndarray
    untouched: np.ndarray
    tested: tuple[np.ndarray, np.ndarray] | None


def curves(
    drawing: Draws, shares: Sequence[Fraction], draws: int, seed: int, tested: RescoredPairs, *, test: bool
) -> Curves:
    """Score with every share below 1 of so many random orders of the judgments.

    Parameters
    ----------
    test
        Whether the pairs are tested on the same draws.
    """
    some = [share for share in shares if share < ALL]
    asked = [Draw((seed, 0), ALL)] + [Draw((seed, 0, repeat), share) for repeat in range(draws) for share in some]
    directions = [MeasureDirection.of(measure) for measure in drawing.log.measures]
    many = drawing.groups.many, len(drawing.log.measures)
    means = np.full((draws, len(some), *many), np.nan)
    shape = (draws * len(some) + 1, many[1], len(tested.pairs) if test else 0)
    d, p = np.full(shape, np.nan), np.ones(shape)
    untouched = np.ones(many[1], dtype=bool)
    whole, first = np.full(many, np.nan), np.empty(0)
    for number, values in enumerate(drawing.values(asked)):
        found = np.column_stack([tested.means(column) for column in values.T])
        if not number:
            whole, first = found, values
        else:
            repeat, share = divmod(number - 1, len(some))
            means[repeat, share] = found
            untouched &= [np.array_equal(a, b, equal_nan=True) for a, b in zip(values.T, first.T, strict=True)]
        for measure, column in enumerate(values.T if test else ()):
            d[number, measure], p[number, measure] = tested.tested(column)
    tau = np.array([[[kendall(whole[:, m], of[:, m]) for m in range(many[1])] for of in each] for each in means])
    winner = np.array(
        [
            [
                [_same_best(each.merit(whole[:, m]), each.merit(of[:, m])) for m, each in enumerate(directions)]
                for of in means_of_share
            ]
            for means_of_share in means
        ]
    )
    shaped = (draws, len(some), many[1])
    return Curves(whole, means, tau.reshape(shaped), winner.reshape(shaped), untouched, (d, p) if test else None)


def _same_best(whole: np.ndarray, some: np.ndarray) -> float:
    """Whether the group that is best with all judgments is the best with some; a tie with another is not."""
    if not np.isfinite(whole).any() or not np.isfinite(some).any():
        return float("nan")
    whole, some = settled(whole), settled(some)
    at = np.flatnonzero(whole == np.nanmax(whole))
    if len(at) > 1:
        return float("nan")
    others = np.delete(some, at[0])
    there = others[np.isfinite(others)]
    return float(np.isfinite(some[at[0]]) and (not len(there) or some[at[0]] > there.max()))


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


F, N = pl.Float64(), pl.Int64()
TABLE = pl.Schema(
    {"measure": pl.String(), "fraction": F, "judged": F}
    | dict.fromkeys(("tau", "tau_low", "tau_high", "winner", "value", "drift"), F)
    | {"draws": N}
)
KNEES = pl.Schema(
    {"measure": pl.String()}
    | dict.fromkeys(("knee", "knee_judged", "knee_low", "knee_high", "first_above", "accuracy_knee"), F)
)
CONFUSION = pl.Schema(
    {"measure": pl.String(), "fraction": F}
    | dict.fromkeys(("kept", "gained", "lost", "found", "turned"), N)
    | dict.fromkeys(("accuracy", "true_positive", "false_positive_rate", "precision", "g_mean"), F)
)
PAIRS = pl.Schema(
    {"measure": pl.String(), "a": pl.String(), "b": pl.String(), "fraction": F}
    | dict.fromkeys(("difference", "p", "mean", "low", "high", "same_sign", "median_p", "significant"), F)
)


def agreement_table(
    measures: Sequence[str], shares: Sequence[Fraction], judged: Sequence[float], of: Curves
) -> pl.DataFrame:
    """A row per measure and share; the last, of all judgments, is the order against itself."""
    rows: list[tuple[object, ...]] = []
    many = len(of.tau)
    for m, measure in enumerate(measures):
        whole = _mean(of.whole[:, m])
        for s, (share, real) in enumerate(zip(shares, judged, strict=True)):
            if share == ALL:
                tied = not np.isfinite(of.whole[:, m]).sum() > 1 or not float(
                    np.ptp(settled(of.whole[np.isfinite(of.whole[:, m]), m]))
                )
                one = None if tied else 1.0
                rows.append((measure, 1.0, real, one, one, one, one, whole, None if whole is None else 0.0, many))
                continue
            tau = of.tau[:, s, m]
            value = _mean(of.means[:, s, :, m])
            drift = None if value is None or whole is None else value - whole
            ends = _mean(tau), _least(tau), _most(tau)
            rows.append((measure, float(share), real, *ends, _mean(of.winner[:, s, m]), value, drift, many))
    return pl.DataFrame(rows, schema=TABLE, orient="row")


def knees_table(
    measures: Sequence[str],
    shares: Sequence[Fraction],
    judged: Sequence[float],
    of: Curves,
    *,
    confusion: pl.DataFrame,
    threshold: float,
) -> pl.DataFrame:
    """A row per measure: where agreement of the order begins to stay at the threshold."""
    numbers = [float(share) for share in shares]
    rows = []
    for m, measure in enumerate(measures):
        each = [np.append(tau, 1.0) for tau in of.tau[:, :, m]]
        mean = np.array([np.nan if (value := _mean(column)) is None else value for column in of.tau[:, :, m].T] + [1.0])
        own = [found for tau in each if (found := knee(numbers, tau, threshold)) is not None]
        at = knee(numbers, mean, threshold)
        accuracy = confusion.filter(pl.col("measure") == measure).get_column("accuracy").cast(pl.Float64)
        exact = accuracy.fill_null(np.nan).to_numpy()
        rows.append(
            (
                measure,
                at,
                None if at is None else judged[numbers.index(at)],
                min(own, default=None),
                max(own, default=None),
                first_above(numbers, mean, threshold),
                knee(numbers, exact, threshold),
            )
        )
    return pl.DataFrame(rows, schema=KNEES, orient="row")


def confusion_table(measures: Sequence[str], shares: Sequence[Fraction], of: Verdicts, alpha: float) -> pl.DataFrame:
    """A row per measure and share: verdicts with all judgments against those with a share, over pairs and draws.

    Pairs that cannot be tested with all judgments have no verdict and are left out; what cannot be tested with a share of
    them is not significant.
    """
    rows = []
    for m, measure in enumerate(measures):
        there = np.isfinite(of.p[m])
        whole = np.broadcast_to((of.p[m] <= alpha)[:, None], of.ps.shape[1:3])[there]
        for s, share in enumerate(shares):
            some = whole if share == ALL else of.ps[m, there, :, s] <= alpha
            same = np.ones_like(whole) if share == ALL else _same_sign(of, m, s)[there]
            found = Confusion.of(whole, some, same)
            counted = found.kept, found.gained, found.lost, found.found, found.turned
            rates = found.true_positive, found.false_positive_rate, found.precision
            rows.append((measure, float(share), *counted, found.accuracy, *rates, found.g_mean))
    return pl.DataFrame(rows, schema=CONFUSION, orient="row")


def pairs_table(
    measures: Sequence[str], shares: Sequence[Fraction], of: Verdicts, names: Sequence[str], alpha: float
) -> pl.DataFrame:
    """A row per measure, pair and share."""
    rows = []
    for m, measure in enumerate(measures):
        for number, (i, j) in enumerate(of.pairs):
            whole = _number(of.difference[m, number]), _number(of.p[m, number])
            for s, share in enumerate(shares):
                if share == ALL:
                    same, rejected = (None if whole[0] is None else 1.0), _rejected(whole[1], alpha)
                    found = (whole[0], whole[0], whole[0], same, whole[1], rejected)
                else:
                    d, p = of.differences[m, number, :, s], of.ps[m, number, :, s]
                    same = None if whole[0] is None else float(_same_sign(of, m, s)[number].mean())
                    found = (
                        _mean(d),
                        _least(d),
                        _most(d),
                        same,
                        _median(p),
                        None if whole[1] is None else float((p <= alpha).mean()),
                    )
                rows.append((measure, names[i], names[j], float(share), *whole, *found))
    return pl.DataFrame(rows, schema=PAIRS, orient="row")


def _same_sign(of: Verdicts, measure: int, share: int) -> np.ndarray:
    """Whether the difference of every pair and draw has the sign that it has with all judgments."""
    found: np.ndarray = np.sign(of.differences[measure, :, :, share]) == np.sign(of.difference[measure])[:, None]
    return found


def _mean(values: np.ndarray) -> float | None:
    """Mean of what is there; None of nothing."""
    there = values[np.isfinite(values)]
    return float(there.mean()) if len(there) else None


def _median(values: np.ndarray) -> float | None:
    """Median of what is there; None of nothing."""
    there = values[np.isfinite(values)]
    return float(np.median(there)) if len(there) else None


def _rejected(p: float | None, alpha: float) -> float | None:
    """1 where a p-value is at most a level, else 0; None where there is none."""
    return None if p is None else float(p <= alpha)


def _least(values: np.ndarray) -> float | None:
    """The smallest of what is there."""
    there = values[np.isfinite(values)]
    return float(there.min()) if len(there) else None


def _most(values: np.ndarray) -> float | None:
    """The largest of what is there."""
    there = values[np.isfinite(values)]
    return float(there.max()) if len(there) else None


def _number(value: float) -> float | None:
    """A number; None for NaN."""
    return float(value) if np.isfinite(value) else None
