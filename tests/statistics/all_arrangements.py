"""Exact p-values in plain Python: every way to give signs to ranks, and to give ranks to two groups."""

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
from scipy import stats


def signed_ranks(differences):
    """Two-sided p-value of Wilcoxon's signed ranks, zeros left out: of all 2^n signs, the share with a sum as far out."""
    d = np.asarray(differences, dtype=float)
    d = d[d != 0]
    ranks = [Fraction(2 * rank).limit_denominator(1) for rank in stats.rankdata(np.abs(d)).tolist()]
    sums = Counter({Fraction(0): 1})
    for rank in ranks:
        again = Counter(sums)
        for total, ways in sums.items():
            again[total + rank] += ways
        sums = again
    plus = sum(rank for rank, value in zip(ranks, d.tolist(), strict=True) if value > 0)
    tails = [sum(ways for total, ways in sums.items() if sign * total >= sign * plus) for sign in (1, -1)]
    return min(1.0, float(2 * Fraction(min(tails), 2 ** len(ranks))))


def rank_sums(a, b):
    """Two-sided p-value of Mann and Whitney's U: twice the share, on its side, of all ways to part the ranks in two."""
    ranks = stats.rankdata(np.concatenate([a, b]))
    found = sum(ranks[: len(a)])
    sums = [sum(ranks[list(of)]) for of in combinations(range(len(ranks)), len(a))]
    tails = [sum(sign * one >= sign * found for one in sums) for sign in (1, -1)]
    return min(1.0, 2 * min(tails) / len(sums))
