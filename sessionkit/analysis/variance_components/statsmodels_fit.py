"""The fit by statsmodels' MixedLM, begun at our own estimate and without the components that are 0 there."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np

from sessionkit.analysis.variance_components.factors import Factors
from sessionkit.analysis.variance_components.group_means import means
from sessionkit.analysis.variance_components.maximum import estimated
from sessionkit.errors import UsageError

MOST_CELLS = 15_000_000
"""Sessions times levels that statsmodels is given, as dense matrices."""
METHODS = ("bfgs", "lbfgs", "powell")


@dataclass(frozen=True, eq=False)
class MixedFit:
    """A mixed model fitted.

    Parameters
    ----------
    components
        Variance of every factor and, last, of the residual.
    log_likelihood
        Restricted log likelihood.
    converged
        Whether statsmodels says so.
    trouble
        What statsmodels says where it did not converge.
    """

    components: np.ndarray
    log_likelihood: float
    converged: bool
    trouble: str = ""


def require_statsmodels() -> None:
    """Raise UsageError where the extra is not installed."""
    if find_spec("statsmodels") is None:
        raise UsageError('a mixed model needs statsmodels: pip install "sessionkit-ir[mixed]"')


def fitted(factors: Factors, values: np.ndarray) -> MixedFit:
    """Fit by REML.

    statsmodels does not converge at a component of 0, which small studies have often: it is begun at the maximum that
    we find, without the components that are 0 there. Values are taken as multiples of their sd.

    Raises
    ------
    UsageError
        There are too many sessions and levels.
    """
    levels = sum(factors.sizes)
    if levels * len(values) > MOST_CELLS:
        msg = (
            f"a mixed model of {len(values):,} sessions and {levels:,} users, topics and cells is too large; up to "
            f"{MOST_CELLS // levels:,} sessions would work, or compare, which takes studies of any size"
        )
        raise UsageError(msg)
    sd = float(values.std())
    scaled = (values - values.mean()) / sd
    at = estimated(factors.reduced(scaled), 1.0)
    there = [k for k in range(len(factors.names)) if at[k] > 0]
    kept = factors.kept(there)
    start = np.append(at[there], at[-1])
    found, log_likelihood, converged, trouble = _by_statsmodels(kept, scaled, start)
    components = np.zeros(len(at))
    components[[*there, len(at) - 1]] = found
    free = len(values) - factors.groups
    return MixedFit(components * sd**2, log_likelihood - free * float(np.log(sd)), converged, trouble)


def _by_statsmodels(factors: Factors, values: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, float, bool, str]:
    """Components, log likelihood, whether it converged, and what else it said."""
    from statsmodels.regression.linear_model import OLS
    from statsmodels.regression.mixed_linear_model import MixedLM, MixedLMParams, VCSpec

    groups = (factors.group[:, None] == np.arange(factors.groups)).astype(float)
    if not factors.names:
        plain = OLS(values, groups).fit()
        df, scale = float(plain.df_resid), float(plain.scale)
        # REML: with X'X diagonal its determinant is the product of the groups' sizes
        logs = df * (1 + np.log(2 * np.pi * scale)) + np.log(factors.counts).sum()
        return np.array([scale]), -0.5 * float(logs), True, ""
    matrices = [
        [(of[:, None] == np.arange(many)).astype(float)] for of, many in zip(factors.levels, factors.sizes, strict=True)
    ]
    columns = [[[str(level) for level in range(many)]] for many in factors.sizes]
    model = MixedLM(values, groups, np.zeros(len(values)), exog_vc=VCSpec(list(factors.names), columns, matrices))
    of_groups = means(factors, start, values).values
    begin = MixedLMParams.from_components(fe_params=of_groups, vcomp=start[:-1] / start[-1])
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        result = model.fit(reml=True, method=list(METHODS), start_params=begin)
    last = " ".join(str(said[-1].message).split()) if said else ""
    found = np.append(np.asarray(result.vcomp, dtype=float), float(result.scale))
    return found, float(result.llf), bool(result.converged), "" if result.converged else last
