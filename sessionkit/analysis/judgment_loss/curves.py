"""The order of all groups with a share of the judgments, against their order with all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sessionkit.analysis.judgment_loss.draws import Draw, Draws
from sessionkit.analysis.judgment_loss.order import kendall
from sessionkit.analysis.numeric_ties import settled
from sessionkit.analysis.rescore.pairs import RescoredPairs
from sessionkit.scoring.measures.direction import MeasureDirection

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
    order = [MeasureDirection.of(measure).order for measure in drawing.log.measures]
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
            [[_same_best(whole[:, m] * order[m], of[:, m] * order[m]) for m in range(many[1])] for of in each]
            for each in means
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
