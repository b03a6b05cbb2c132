"""How far the shape of a discount is from the shape of counts, both scaled to the sum 1: the literature's criteria.

TSE is the total squared error, sum (o - d)^2, TAE the total absolute error, KL the Kullback-Leibler divergence of the
counts from the discount, sum o log2(o / d), in bits (Lipani, Carterette & Yilmaz 2019). The smallest KL is the largest
multinomial likelihood of the counts, as if every look were a draw of its own, which looks down one list are not. All of
them depend on the ranks and positions over which a discount is scaled to the sum 1: that of ``log`` has no finite sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sessionkit.analysis.calibrate.factors import Numbers
from sessionkit.analysis.calibrate.models import DiscountModel

CRITERIA = ("TSE", "TAE", "KL")


@dataclass(frozen=True, eq=False)
class Looked:
    """Counts of looks, of some draws.

    Parameters
    ----------
    counts
        (draws, ranks, query positions).
    """

    counts: Numbers

    @cached_property
    def shares(self) -> Numbers:
        """The counts of each draw as shares of their sum; nan of a draw without looks, whose fit stays where it begins."""
        with np.errstate(invalid="ignore"):
            shares: Numbers = self.counts / self.counts.sum(axis=(1, 2), keepdims=True)
        return shares

    @cached_property
    def edges(self) -> tuple[Numbers, Numbers]:
        """The shares of ranks, and of query positions: (draws, 1, places)."""
        return self.shares.sum(axis=2)[:, None, :], self.shares.sum(axis=1)[:, None, :]

    @cached_property
    def squares(self) -> Numbers:
        """The sum of squared shares: (draws, 1)."""
        return np.asarray((self.shares**2).sum(axis=(1, 2))[:, None])

    @cached_property
    def information(self) -> Numbers:
        """The sum of shares times their logarithms, in bits: (draws, 1)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            each = np.where(self.shares > 0, self.shares * np.log2(self.shares), 0.0)
        return np.asarray(each.sum(axis=(1, 2))[:, None])

    def for_model(self, model: DiscountModel) -> Looked:
        """The counts that a model speaks of: of a measure of queries those of ranks alone."""
        return self if model.query_form else Looked(self.counts.sum(axis=2, keepdims=True))

    def extended(self, ranks: int, queries: int) -> Looked:
        """The counts on another grid, cut off or with zeros added."""
        draws, have_ranks, have_queries = self.counts.shape
        made = np.zeros((draws, ranks, queries))
        rows, columns = min(ranks, have_ranks), min(queries, have_queries)
        made[:, :rows, :columns] = self.counts[:, :rows, :columns]
        return Looked(made)


def distance(criterion: str, model: DiscountModel, looked: Looked, values: Numbers) -> Numbers:
    """Distance of a discount from the counts.

    Parameters
    ----------
    criterion
        One of `CRITERIA`.
    model, looked
        The discounts and the counts of some draws.
    values
        Parameters to try with each draw: (draws, tries, parameters), or (1, tries, parameters) for all.

    Returns
    -------
    numpy.ndarray
        (draws, tries).
    """
    shares = looked.shares
    _, ranks, queries = shares.shape
    places, positions = np.arange(1.0, ranks + 1), np.arange(1.0, queries + 1)
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        if model.along or criterion == "TAE":
            rows, columns = (one.ravel() for one in np.meshgrid(places, positions, indexing="ij"))
            cells = model.discount(values, rows, columns)
            return _of_cells(criterion, shares.reshape(len(shares), 1, -1), cells / cells.sum(axis=-1, keepdims=True))
        v = _of_each(model.by_rank(values, places), (*values.shape[:2], ranks))
        u = _of_each(model.by_query(values, positions), (*values.shape[:2], queries))
        v, u = v / v.sum(axis=-1, keepdims=True), u / u.sum(axis=-1, keepdims=True)
        if criterion == "KL":
            of_ranks, of_queries = looked.edges
            return np.asarray(looked.information - _weighted_log(of_ranks, v) - _weighted_log(of_queries, u))
        across = (np.matmul(v, shares) * u).sum(axis=-1)
        return np.asarray(looked.squares - 2 * across + (v**2).sum(axis=-1) * (u**2).sum(axis=-1))


def _of_each(discount: Numbers, shape: tuple[int, int, int]) -> Numbers:
    """A discount of every try; one that nothing is tried of is the same for all."""
    return discount if discount.shape == shape else np.broadcast_to(discount, shape)


def _of_cells(criterion: str, observed: Numbers, expected: Numbers) -> Numbers:
    """A distance added up over cells, the last dimension."""
    if criterion == "TSE":
        return np.asarray(((observed - expected) ** 2).sum(axis=-1))
    if criterion == "TAE":
        return np.asarray(np.abs(observed - expected).sum(axis=-1))
    return np.asarray(np.where(observed > 0, observed * np.log2(observed / expected), 0.0).sum(axis=-1))


def _weighted_log(weights: Numbers, of: Numbers) -> Numbers:
    """Sum of logarithms, each as often as its weight says."""
    return np.asarray(np.where(weights > 0, weights * np.log2(of), 0.0).sum(axis=-1))
