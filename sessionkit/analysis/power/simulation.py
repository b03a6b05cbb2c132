"""Simulated studies in standard units: what every source of variation adds to the estimate and to what it is judged by.

Estimates are linear in the sources' sds and their squared standard errors are quadratic, so a thousand studies are
simulated once and then hold for all draws of the sds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from sessionkit.analysis.compare.effects import studentized
from sessionkit.analysis.compare.projection import Effects, indicators
from sessionkit.analysis.power.noise import WITH_TOPIC, WITH_USER
from sessionkit.analysis.power.plans import PlannedSessions


@dataclass(frozen=True, eq=False)
class Studies:
    """Studies with a standard normal number for every level of every source.

    Parameters
    ----------
    sources
        Names of the sources of variation.
    estimates
        A row per source, a column per study: what a source of sd 1 adds to the estimated difference.
    squares
        Sources x sources x studies: what they add to its squared standard error. Of two separate groups one after the
        other, whose squared standard errors are added.
    df
        Degrees of freedom; of separate groups, of each.
    alpha
        Error rate of the comparison; or the critical value `critical` where that is not t's.
    critical
        Multiple of the standard error that a difference must exceed; None: t's at `alpha`.
    """

    sources: tuple[str, ...]
    estimates: np.ndarray
    squares: tuple[np.ndarray, ...]
    df: float
    alpha: float
    critical: float | None = None


def joined(parts: list[Studies]) -> Studies:
    """Studies of several batches as one."""
    estimates = np.concatenate([part.estimates for part in parts], axis=-1)
    squares = tuple(np.concatenate(each, axis=-1) for each in zip(*(part.squares for part in parts), strict=True))
    return replace(parts[0], estimates=estimates, squares=squares)


def crossed(plan: PlannedSessions, studies: int, alpha: float, rng: np.random.Generator) -> Studies:
    """Least squares on user + topic + group; what topics do to groups sums to 0 over these topics.

    Users and topics cancel. Of the residual three things are drawn, all that least squares sees of it: the estimate, what
    stands along the topics' effects on groups, and the sum of squares beyond.
    """
    k = plan.groups
    effects = Effects(plan.user, plan.topic)
    x = effects.without(indicators(plan.group, k))
    inverse = np.linalg.pinv(x.T @ x, hermitian=True)
    df = len(plan.group) - effects.rank - (k - 1)
    cell = (np.arange(plan.topics * k)[None, :] == (plan.topic * k + plan.group)[:, None]).astype(float)
    centering = np.kron(np.eye(plan.topics) - 1 / plan.topics, np.eye(k))
    seen = effects.without(cell) @ centering
    mapped = inverse @ (x.T @ seen)
    left = seen - x @ mapped
    value, vector = np.linalg.eigh(left.T @ left)
    kept = value > 1e-9 * max(1.0, float(value.max(initial=0)))
    z = rng.standard_normal((plan.topics * k, studies))
    along = np.sqrt(value[kept])[:, None] * (vector[:, kept].T @ z)
    own = rng.standard_normal(along.shape)
    beyond = rng.chisquare(max(df - len(along), 1), studies) if df > len(along) else np.zeros(studies)
    scale = float(inverse[0, 0])
    estimates = np.stack([mapped[0] @ z, math.sqrt(scale) * rng.standard_normal(studies)])
    mixed = (along * own).sum(axis=0)
    squares = np.array([[(along**2).sum(axis=0), mixed], [mixed, (own**2).sum(axis=0) + beyond]])
    return Studies((WITH_TOPIC, "residual"), estimates, (squares * scale / df,), df, alpha / (k * (k - 1) / 2))


def blocked(cells: dict[str, np.ndarray], alpha: float) -> Studies:
    """Units that each met every group: paired t, or of more than two groups Tukey's HSD; units x groups x studies each."""
    sources = tuple(cells)
    units, k, _ = cells[sources[0]].shape
    estimates = np.stack([cells[name][:, 1].mean(axis=0) - cells[name][:, 0].mean(axis=0) for name in sources])
    if k == 2:
        left = [cells[name][:, 1] - cells[name][:, 0] - row for name, row in zip(sources, estimates, strict=True)]
        squares = np.array([[(a * b).sum(axis=0) for a in left] for b in left]) / (units - 1) / units
        return Studies(sources, estimates, (squares,), units - 1, alpha)
    df = (units - 1) * (k - 1)
    rest = []
    for name in sources:
        of = cells[name]
        rest.append(of - of.mean(axis=1, keepdims=True) - of.mean(axis=0) + of.mean(axis=(0, 1)))
    squares = np.array([[(a * b).sum(axis=(0, 1)) for a in rest] for b in rest]) / df / units
    return Studies(sources, estimates, (squares,), df, alpha, studentized(alpha, k, df))


def separate(cells: dict[str, np.ndarray], groups: int, alpha: float) -> Studies:
    """Two of the groups of different units: Welch's t; units x 2 x studies each."""
    sources = tuple(cells)
    units = cells[sources[0]].shape[0]
    means = {name: cells[name].mean(axis=0) for name in sources}
    estimates = np.stack([means[name][1] - means[name][0] for name in sources])
    squares = tuple(
        np.array([
            [((cells[a][:, g] - means[a][g]) * (cells[b][:, g] - means[b][g])).sum(axis=0) for a in sources] for b in sources
        ]) / (units - 1) / units
        for g in (0, 1)
    )  # fmt: skip
    return Studies(sources, estimates, squares, units - 1, alpha / (groups * (groups - 1) / 2))


def of_units(
    plan: PlannedSessions, unit: str, studies: int, sources: tuple[str, ...], rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Mean of every unit with every group, by source: users or topics of a plan; units x groups x studies.

    What the others (topics for users, users for topics) do to groups sums to 0 over those that there are.
    """
    from scipy.sparse import csr_matrix

    k = plan.groups
    of, many = (plan.user, plan.users) if unit == "users" else (plan.topic, plan.topics)
    cell = of * k + plan.group
    size = np.maximum(np.bincount(cell, minlength=many * k), 1).astype(float)
    found = {}
    for name in sources:
        if name == "residual":
            found[name] = (rng.standard_normal((many * k, studies)) / np.sqrt(size)[:, None]).reshape(many, k, studies)
            continue
        base, levels = (plan.user, plan.users) if name in ("user", WITH_USER) else (plan.topic, plan.topics)
        grouped = name in (WITH_USER, WITH_TOPIC)
        z = rng.standard_normal((levels, k if grouped else 1, studies))
        if (name, unit) in ((WITH_TOPIC, "users"), (WITH_USER, "topics")):
            z -= z.mean(axis=0)
        level = base * k + plan.group if grouped else base
        mean = csr_matrix((1 / size[cell], (cell, level)), shape=(many * k, levels * (k if grouped else 1)))
        found[name] = (mean @ z.reshape(-1, studies)).reshape(many, k, studies)
    return found
