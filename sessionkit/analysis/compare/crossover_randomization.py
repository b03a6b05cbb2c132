"""Randomization in a crossover: each user's whole assignment of sessions to the two groups is kept or swapped."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sessionkit.analysis.compare.crossover import not_told_apart
from sessionkit.analysis.compare.effects import noncentrality
from sessionkit.analysis.compare.independent_tests import scaled
from sessionkit.analysis.compare.pair_findings import Interval, Outcome, Pair, inverted
from sessionkit.analysis.compare.permutations import share_as_large, signs
from sessionkit.analysis.compare.projection import NULL, Effects, LeastSquares
from sessionkit.analysis.compare.units import Crossed
from sessionkit.errors import UsageError


def swapped(units: Crossed, draws: int, seed: int) -> Outcome:
    """Least squares on user + topic + group, judged against the same with users' assignments swapped at random.

    The statistic is the size of the difference's t, which swaps compare as abs(sum(s c)) / sqrt(s'Qs): s are the users' signs, c
    what each user's sessions say for the second group once users and topics are taken out, and Q how far the assignment
    can be told apart from topics.
    """
    from scipy.sparse import csr_matrix

    if units.groups > 2:
        msg = "test=randomization swaps the assignments of two groups; for more groups test=least-squares would work"
        raise UsageError(msg)
    effects = Effects(units.user, units.topic)
    x, y = units.group - 0.5, units.values
    fit = LeastSquares(effects, x[:, None]).fit(y[:, None])
    if fit is None or fit.df < 1:
        raise not_told_apart(units)
    users, topics = int(units.user.max()) + 1, int(units.topic.max()) + 1
    left_y, left_x = effects.without(np.column_stack([y, x])).T
    of_y = np.bincount(units.user, weights=x * left_y, minlength=users)
    of_x = np.bincount(units.user, weights=x * left_x, minlength=users)
    centered = x - (np.bincount(units.user, weights=x) / np.bincount(units.user))[units.user]
    own = float((centered**2).sum())
    of_topics = csr_matrix((centered, (units.topic, units.user)), shape=(topics, users))
    among = _topic_inverse(units, users, topics)
    arrangements, exact = signs(users, draws, seed)
    sums = np.vstack([_sums(s, np.column_stack([of_y, of_x]), of_topics, among, own) for s in arrangements])
    estimate, scale = float(fit.coefficients[0, 0]), math.sqrt(float(fit.inverse[0, 0]))
    sd = math.sqrt(float(fit.variance[0]))
    kept = float(of_x.sum())
    sizes = float(np.abs(of_y).sum()), float(np.abs(of_x).sum())

    def test(shift: float) -> tuple[float, float]:
        # a draw that leaves groups and topics in one has nothing to say and counts as small
        told_apart = sums[:, 2] > 1e-9 * own
        scale_of_draw = np.sqrt(np.where(told_apart, sums[:, 2], 1.0))
        found = np.where(told_apart, np.abs(sums[:, 0] - shift * sums[:, 1]) / scale_of_draw, 0.0)
        observed = abs(float(of_y.sum()) - shift * kept) / math.sqrt(kept)
        size = (sizes[0] + abs(shift) * sizes[1]) / math.sqrt(kept)
        return estimate - shift, share_as_large(found, observed, exact, size)

    def interval(alpha: float) -> Interval:
        wide = 40 * sd * scale
        return inverted(test, estimate - wide, estimate + wide, alpha)

    pair = Pair(
        estimate=estimate,
        p=test(0.0)[1],
        interval=interval,
        statistic=estimate,
        effect=estimate / sd,
        effect_interval=lambda alpha: scaled(noncentrality(estimate / sd / scale, fit.df, alpha), scale),
        se=sd * scale,
    )
    return Outcome({(0, 1): pair})


def _sums(
    s: np.ndarray,
    of_user: np.ndarray,
    of_topics: Any,  # noqa: ANN401 - a sparse matrix
    among: np.ndarray,
    own: float,
) -> np.ndarray:
    """For rows of signs: what the values say for the group, what the group itself does, and s'Qs."""
    swapped_topics = (of_topics @ s.T).T
    return np.column_stack([s @ of_user, own - ((swapped_topics @ among) * swapped_topics).sum(axis=1)])


def _topic_inverse(units: Crossed, users: int, topics: int) -> np.ndarray:
    """Pseudo-inverse of the topics' cross products once users are taken out."""
    from scipy.sparse import csr_matrix

    sizes = np.bincount(units.user, minlength=users)
    between = csr_matrix((np.ones(len(units.user)), (units.topic, units.user)), shape=(topics, users))
    shares = csr_matrix((1 / sizes[units.user], (units.topic, units.user)), shape=(topics, users))
    products = np.diag(np.bincount(units.topic, minlength=topics)) - (between @ shares.T).toarray()
    inverse: np.ndarray = np.linalg.pinv(products, rcond=NULL, hermitian=True)
    return inverse
