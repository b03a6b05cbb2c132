"""Tests of contrasts of means without equal variances: of strata with variances of their own, and of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sessionkit.statistics.distributions import f_beyond, t_at
from sessionkit.statistics.effects import CONSTANT, Interval

SMALLEST_LENGTH = 1e-8
"""Singular values below this share of the largest are rounding."""
SMALLEST_VARIANCE = 1e-9
"""A stratum's variance is at least this share of the largest one, so that its weight stays finite."""
MOST_STEPS, CONVERGED = 200, 1e-9
"""The estimates of variances take at most so many steps, and end where they change by no larger share."""


@dataclass(frozen=True)
class ContrastTest:
    """The F test that all contrasts are 0; a single contrast has an estimate and its standard error, too."""

    statistic: float
    df: float
    df_error: float
    estimate: float = np.nan
    se: float = np.nan

    @property
    def p(self) -> float:
        """Chance of a larger F."""
        return f_beyond(self.statistic, self.df, self.df_error)

    def interval(self, alpha: float) -> Interval:
        """The interval of the estimate."""
        half = t_at(alpha / 2, self.df_error) * self.se
        return self.estimate - half, self.estimate + half


@dataclass(frozen=True, eq=False)
class Contrasts:
    """Contrasts of the coefficients of a least-squares fit, written for orthonormal columns.

    Parameters
    ----------
    basis
        Orthonormal columns that span the model, a row per value.
    weights
        A row per contrast: what it takes of the coefficient of each column of ``basis``.
    """

    basis: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, columns: np.ndarray, contrasts: np.ndarray) -> Contrasts | None:
        """Return contrasts of the coefficients of these columns; None where the columns cannot tell the contrasts.

        Columns may depend on each other, as the shares of topics do, which add up to 0.
        """
        basis, lengths, directions = np.linalg.svd(columns, full_matrices=False)
        rank = int((lengths > SMALLEST_LENGTH * max(1.0, lengths.max(initial=0.0))).sum())
        directions = directions[:rank]
        # a contrast can be told if it lies in the space of the rows of the model
        if not np.allclose(contrasts @ directions.T @ directions, contrasts, atol=1e-7):
            return None
        return cls(basis[:, :rank], contrasts @ directions.T / lengths[:rank])

    def estimate(self, values: np.ndarray) -> np.ndarray:
        """The contrasts by ordinary least squares."""
        estimates: np.ndarray = self.weights @ (self.basis.T @ values)
        return estimates


def compare_strata(values: np.ndarray, contrasts: Contrasts, stratum: np.ndarray, size: float) -> ContrastTest | None:
    """Test contrasts of a least-squares fit where each stratum of the values has a variance of its own.

    The estimates are those of ordinary least squares. The variances are those of REML (Patterson and Thompson 1971). Their
    covariances, twice the inverse of the information, give Satterthwaite's degrees of freedom for one contrast, and those of
    Johansen's (1980) F for several. Without covariates these are Welch's t (1938) and Welch's F (1951), exactly.

    Parameters
    ----------
    values
        The values, such as the differences of users.
    contrasts
        What is tested.
    stratum
        The stratum of each value, as a number from 0, such as the level of a user.
    size
        How large the numbers are that the values were worked out from: a spread that is rounding of these is none.

    Returns
    -------
    ContrastTest or None
        None where nothing varies within the strata.

    Examples
    --------
    Means 2 and 5 with variances 1 and 4 of 3 values each: t = 3 / sqrt(1/3 + 4/3), squared 5.4; df = (5/3)^2 / (1/9 + 16/9) * 2.

    >>> values, stratum = np.array([1.0, 2.0, 3.0, 3.0, 5.0, 7.0]), np.array([0, 0, 0, 1, 1, 1])
    >>> contrasts = Contrasts.of(np.eye(2)[stratum], np.array([[-1.0, 1.0]]))
    >>> test = compare_strata(values, contrasts, stratum, size=7.0)
    >>> round(test.estimate, 9), round(test.statistic, 6), round(test.df_error, 6)
    (3.0, 5.4, 2.941176)
    """
    unit = float(np.abs(values).max(initial=0.0)) or 1.0  # squares of very large or small values would leave the range
    scaled = values / unit
    fit = _fit_variances(scaled, contrasts.basis, stratum)
    if fit is None or np.sqrt(fit.variances.max()) * unit <= CONSTANT * size:
        return None
    estimates = contrasts.estimate(scaled)
    by_stratum = np.einsum("pq,gqr,sr->gps", contrasts.weights, fit.products, contrasts.weights)
    covariance = np.einsum("g,gps->ps", fit.variances, by_stratum)
    squared, correction = _wald(estimates, covariance, by_stratum, fit.covariances)
    p = len(estimates)
    divisor = p + 2 * correction - 6 * correction / (p + 2)  # 1 for a single contrast
    df_error = max(1.0, p * (p + 2) / (3 * correction))
    if p > 1:
        return ContrastTest(squared / divisor, p, df_error)
    return ContrastTest(squared, 1, df_error, float(estimates[0]) * unit, float(np.sqrt(covariance[0, 0])) * unit)


def compare_vectors(samples: Sequence[np.ndarray], weights: Sequence[float], size: float) -> ContrastTest | None:
    """Test that a weighted sum of the mean vectors of samples is 0, each sample with a covariance of its own.

    One sample gives Hotelling's T squared, two of one column Welch's t. Elsewhere the degrees of freedom are those of Krishnamoorthy and Yu
    (2004, Statistics & Probability Letters 66, 161-169), which pool nothing.

    Parameters
    ----------
    samples
        A row per unit, a column per contrast.
    weights
        The weight of each sample's mean.
    size
        How large the numbers are that the contrasts were worked out from.

    Returns
    -------
    ContrastTest or None
        None where units are too few, or a contrast does not vary.

    Examples
    --------
    >>> differences = np.array([[1.0], [2.0], [3.0]])
    >>> test = compare_vectors([differences], [1.0], size=3.0)
    >>> round(test.statistic, 6), test.df_error, test.estimate  # t = 2 / (1 / sqrt(3)), squared 12
    (12.0, 2.0, 2.0)
    """
    unit = max(float(np.abs(sample).max(initial=0.0)) for sample in samples) or 1.0
    samples = [sample / unit for sample in samples]
    p = samples[0].shape[1]
    if min(len(sample) for sample in samples) < 2:
        return None
    estimates = sum(weight * sample.mean(axis=0) for weight, sample in zip(weights, samples, strict=True))
    by_sample = np.array(
        [
            weight**2 * np.atleast_2d(np.cov(sample.T)) / len(sample)
            for weight, sample in zip(weights, samples, strict=True)
        ]
    )
    covariance = by_sample.sum(axis=0)
    spreads = np.sqrt(np.maximum(np.linalg.eigvalsh(covariance), 0))  # rounding may leave less than 0
    if not spreads.min() * unit > CONSTANT * size or spreads.min() < SMALLEST_LENGTH * spreads.max():
        return None
    precisions = np.diag([2 / (len(sample) - 1) for sample in samples])
    squared, correction = _wald(estimates, covariance, by_sample, precisions)
    df = p * (p + 1) / (2 * correction)
    df_error = df - p + 1
    if df_error <= 0:
        return None
    if p > 1:
        return ContrastTest(squared * df_error / (df * p), p, df_error)
    return ContrastTest(squared, 1, df_error, float(estimates[0]) * unit, float(spreads[0]) * unit)


def _wald(
    estimates: np.ndarray, covariance: np.ndarray, parts: np.ndarray, part_covariances: np.ndarray
) -> tuple[float, float]:
    """Wald's statistic, and how much it varies because its covariance is estimated.

    The covariance is a sum of parts with estimated factors, whose covariances are given. For one contrast the second number is the
    squared coefficient of variation of its variance, halved: 1 / df of Satterthwaite.
    """
    precision = np.linalg.inv(covariance)
    shares = precision @ parts
    traces = np.einsum("gii->g", shares)
    squares = np.einsum("gij,hji->gh", shares, shares)
    correction = float((part_covariances * (np.outer(traces, traces) + squares)).sum()) / 4
    return float(estimates @ precision @ estimates), correction


@dataclass(frozen=True, eq=False)
class _VarianceFit:
    """The variance of each stratum, their covariances, and the cross products of each stratum's rows of the model."""

    variances: np.ndarray
    covariances: np.ndarray
    products: np.ndarray


def _fit_variances(values: np.ndarray, basis: np.ndarray, stratum: np.ndarray) -> _VarianceFit | None:
    """Estimate the variance of each stratum by REML, of values of size 1; None where nothing varies.

    At the maximum a stratum's variance is its residual sum of squares, of the fit weighted by 1 / variance, over the number of its
    values less the columns that it pays for: sum of squares / (n - h), where all h add up to the number of columns.
    """
    counts = np.bincount(stratum).astype(float)
    n_strata = len(counts)
    rows = [stratum == number for number in range(n_strata)]
    products = np.array([basis[row].T @ basis[row] for row in rows])
    sums = np.array([basis[row].T @ values[row] for row in rows])
    residuals = values - basis @ sums.sum(axis=0)
    variances = np.bincount(stratum, weights=residuals**2) / counts
    if variances.max() <= CONSTANT**2:  # the largest value is 1, so what is left is rounding
        return None
    for _ in range(MOST_STEPS):
        variances = np.maximum(variances, SMALLEST_VARIANCE * variances.max())
        inverse = np.linalg.inv(np.einsum("g,gqr->qr", 1 / variances, products))
        residuals = values - basis @ (inverse @ (sums / variances[:, None]).sum(axis=0))
        paid = np.einsum("qr,grq->g", inverse, products) / variances
        free = np.maximum(counts - paid, SMALLEST_VARIANCE)
        before, variances = variances, np.bincount(stratum, weights=residuals**2) / free
        if np.abs(variances - before).max() <= CONVERGED * before.max():
            break
    variances = np.maximum(variances, SMALLEST_VARIANCE * variances.max())
    inverse = np.linalg.inv(np.einsum("g,gqr->qr", 1 / variances, products))
    # Half the trace of (P D_g P D_h) is the information on two variances; in units of each variance it is a number near n / 2.
    shares = inverse @ products / variances[:, None, None]
    information = np.einsum("gij,hji->gh", shares, shares) / 2
    information[np.diag_indices(n_strata)] += counts / 2 - np.einsum("gii->g", shares)
    relative = np.linalg.pinv(information, rcond=1e-12, hermitian=True)
    return _VarianceFit(variances, relative * np.outer(variances, variances), products)
