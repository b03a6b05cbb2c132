"""How often the test finds a difference, for every draw of what varies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sessionkit.analysis.power.noise import Noise
from sessionkit.analysis.power.simulation import Studies

RANGE = 0.9
"""Share of the draws that the range of power holds."""


@dataclass(frozen=True)
class PowerEstimate:
    """Power at one size of study.

    Parameters
    ----------
    power
        Chance to find the difference, in its direction, averaged over what may vary.
    error
        Monte Carlo standard error of that.
    low, high
        Range of power that holds `RANGE` of the draws of what varies.
    at_estimate
        Power were the estimated components the true ones.
    """

    power: float
    error: float
    low: float
    high: float
    at_estimate: float


def chance(studies: Studies, noise: Noise, difference: float) -> PowerEstimate:
    """Work out how often a true difference, above 0, is found."""
    estimate, draws = zip(*(noise.of(name) for name in studies.sources), strict=True)
    sds = np.sqrt(np.column_stack([np.array(estimate), np.stack(draws)]))
    found = np.stack([_found(studies, sd, difference) for sd in sds.T])
    by_draw, by_study = found[1:].mean(axis=1), found[1:].mean(axis=0)
    low, high = np.quantile(by_draw, [(1 - RANGE) / 2, (1 + RANGE) / 2])
    error = np.sqrt(by_draw.var() / len(by_draw) + by_study.var() / len(by_study))
    return PowerEstimate(float(by_draw.mean()), float(error), float(low), float(high), float(found[0].mean()))


def _found(studies: Studies, sd: np.ndarray, difference: float) -> np.ndarray:
    """Whether each study finds the difference at these sds."""
    from scipy import special

    estimates = difference + sd @ studies.estimates
    weights = np.outer(sd, sd)
    parts = [np.tensordot(weights, square, 2) for square in studies.squares]
    square = np.add.reduce(parts)
    critical: np.ndarray | float | None = studies.critical
    if critical is None and len(parts) == 1:
        critical = float(special.stdtrit(studies.df, 1 - studies.alpha / 2))
    elif critical is None:
        df = square**2 / np.maximum(sum(part**2 for part in parts) / studies.df, 1e-300)
        critical = special.stdtrit(np.maximum(df, 1.0), 1 - studies.alpha / 2)
    found: np.ndarray = estimates > critical * np.sqrt(np.maximum(square, 0.0))
    return found
