"""Mean squares of random factors by least squares, and what they are expected to be: components without a likelihood."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sessionkit.analysis.variance_components.factors import NEGLIGIBLE, Factors


@dataclass(frozen=True, eq=False)
class MeanSquares:
    """Mean squares of the factors and, last, the residual.

    Parameters
    ----------
    values
        Each factor's, once groups and all factors are taken out that are not finer than it is.
    df
        Their degrees of freedom.
    weights
        A row per mean square, a column per component: the mean square's expectation is the row times the components.
    """

    values: np.ndarray
    df: np.ndarray
    weights: np.ndarray

    def components(self, values: np.ndarray | None = None) -> np.ndarray:
        """Components whose expected mean squares are these, or those given (one column each); some may be below 0."""
        found: np.ndarray = np.linalg.solve(self.weights, self.values if values is None else values)
        return found

    def drawn(self, rng: np.random.Generator, draws: int) -> np.ndarray:
        """Components as uncertain as the mean squares leave them, a column per draw; none below 0.

        Every expected mean square is drawn as its mean square over chi-squared / df: its fiducial distribution, which is
        the posterior under Jeffreys' prior. Where the data are balanced it is exact. A mean square that chance made smaller
        than components of 0 would have it is drawn as these would: else a study with a lucky one would have no doubt that
        its component is 0.
        """
        chi = rng.chisquare(self.df[:, None], size=(len(self.df), draws)) / self.df[:, None]
        expected = self.weights @ np.maximum(self.components(), 0.0)
        found: np.ndarray = np.maximum(self.components(expected[:, None] / chi), 0.0)
        return found


def mean_squares(factors: Factors, values: np.ndarray) -> tuple[Factors, MeanSquares]:
    """Work the mean squares out, of the factors that have one: others are left to the residual.

    A factor has none where groups and the factors that are not finer leave it no degrees of freedom. Something must be left
    over for the residual.
    """
    about, total = factors.beyond(values)
    many = len(factors.names)
    found, df, weights = np.zeros(many + 1), np.zeros(many + 1), np.zeros((many + 1, many + 1))
    for k in reversed(range(many)):
        others = [j for j in range(many) if j != k and not factors.finer(j, k)]
        less, more = _Out(factors, others), _Out(factors, [*others, k])
        df[k] = more.rank - less.rank
        if not df[k]:
            return mean_squares(factors.kept([j for j in range(many) if j != k]), values)
        found[k] = (more.explained(about) - less.explained(about)) / df[k]
        weights[k, :-1] = [(less.remaining(j) - more.remaining(j)) / df[k] for j in range(many)]
    everything = _Out(factors, list(range(many)))
    df[-1] = len(values) - factors.groups - everything.rank
    found[-1] = max(0.0, total - everything.explained(about)) / df[-1]
    weights[:, -1] = 1.0
    weights[np.abs(weights) < NEGLIGIBLE * weights.max()] = 0.0
    return factors, MeanSquares(found, df, weights)


class _Out:
    """Groups and some factors taken out."""

    def __init__(self, factors: Factors, which: list[int]) -> None:
        """Take them out."""
        self.within, self.blocks = factors.within, factors.blocks
        parts = [np.arange(self.blocks[k].start, self.blocks[k].stop) for k in which]
        self.columns = np.concatenate([np.zeros(0, int), *parts])
        value, vector = np.linalg.eigh(self.within[np.ix_(self.columns, self.columns)])
        kept = value > NEGLIGIBLE * max(1.0, float(value.max(initial=0)))
        self.inverse = (vector[:, kept] / value[kept]) @ vector[:, kept].T
        self.rank = int(kept.sum())

    def explained(self, about: np.ndarray) -> float:
        """Sum of squares that the factors explain beyond groups."""
        part = about[self.columns]
        return float(part @ self.inverse @ part)

    def remaining(self, factor: int) -> float:
        """Squares left of a factor's levels."""
        block = self.blocks[factor]
        between = self.within[self.columns, block]
        return float(np.trace(self.within[block, block]) - (between * (self.inverse @ between)).sum())
