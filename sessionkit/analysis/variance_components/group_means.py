"""The groups' means in a mixed model: generalized least squares at given components, and how components act on contrasts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sessionkit.analysis.variance_components.factors import Factors


@dataclass(frozen=True, eq=False)
class GroupMeans:
    """Means of the groups at given components.

    Parameters
    ----------
    values
        Mean of every group.
    covariance
        Their covariance, were the components known.
    loads
        By component, the residual last, the covariance that a variance of 1 of it gives to these means.
    """

    values: np.ndarray
    covariance: np.ndarray
    loads: np.ndarray


def means(factors: Factors, components: np.ndarray, values: np.ndarray) -> GroupMeans:
    """Return the groups' means by generalized least squares; components are none below 0, the residual's last."""
    residual = float(components[-1])
    ratio = np.repeat(components[:-1] / residual, factors.sizes)
    levels, groups, counts = factors.of_levels, factors.of_groups, np.diag(factors.counts)
    # the inverse of the values' variance is (1 - Z H Z') / residual
    inner = ratio[:, None] * np.linalg.inv(np.eye(len(ratio)) + levels * ratio)
    shrunk = inner @ groups
    by_group, by_level = factors.sums(values)
    covariance = np.linalg.inv((counts - groups.T @ shrunk) / residual)
    found = covariance @ (by_group - shrunk.T @ by_level) / residual
    seen = (groups.T - shrunk.T @ levels) / residual
    loads = np.empty((len(components), len(counts), len(counts)))
    for number, block in enumerate(factors.blocks):
        half = covariance @ seen[:, block]
        loads[number] = half @ half.T
    squared = (counts - 2 * groups.T @ shrunk + shrunk.T @ levels @ shrunk) / residual**2
    loads[-1] = covariance @ squared @ covariance
    return GroupMeans(found, covariance, loads)
