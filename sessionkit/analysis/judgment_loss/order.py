"""What becomes of a finding: the order of systems by Kendall's tau-b, the knee of its curve, verdicts by a confusion matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sessionkit.analysis.numeric_ties import TIE, settled


def kendall(one: np.ndarray, other: np.ndarray) -> float:
    """Kendall's tau-b of two orders of the same systems, ties counted; NaN where either has them all tied.

    >>> float(kendall(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])))  # two pairs agree, one does not
    0.3333333333333333
    """
    known = np.isfinite(one) & np.isfinite(other)
    a, b = _signs(one[known]), _signs(other[known])
    spread = float((a * a).sum()) * float((b * b).sum())
    return float((a * b).sum()) / float(np.sqrt(spread)) if spread else float("nan")


def knee(shares: Sequence[float], agreement: np.ndarray, threshold: float = 0.9) -> float | None:
    """The smallest share from which on agreement stays at the threshold or above; None where it never does.

    >>> knee([0.1, 0.2, 0.5, 1.0], np.array([0.92, 0.85, 0.9, 1.0]))
    0.5
    """
    found = None
    for share, value in zip(reversed(shares), reversed(agreement.tolist()), strict=True):
        if not value >= threshold - TIE:
            break
        found = share
    return found


def first_above(shares: Sequence[float], agreement: np.ndarray, threshold: float = 0.9) -> float | None:
    """The smallest share with agreement above the threshold, which is the knee of SIGIR 2007."""
    return next(
        (share for share, value in zip(shares, agreement.tolist(), strict=True) if value > threshold + TIE), None
    )


@dataclass(frozen=True)
class Confusion:
    """Verdicts with all judgments against verdicts with some; H0 says that two systems are equal.

    Parameters
    ----------
    kept
        H0 not rejected with all judgments, nor with some (C11 of SIGIR 2007).
    gained
        Not rejected with all, rejected with some (C12).
    lost
        Rejected with all, not with some (C21).
    found
        Rejected with both (C22).
    turned
        Of these, pairs whose difference has the other sign.

    Examples
    --------
    CLASSIC's: accuracy (60 + 216) / 300, true positives 60 / 75, precision 60 / 69, g = sqrt(.8 x .8696).

    >>> matrix = Confusion(60, 15, 9, 216, 0)
    >>> [round(value, 4) for value in (matrix.accuracy, matrix.true_positive, matrix.precision, matrix.g_mean)]
    [0.92, 0.8, 0.8696, 0.8341]
    >>> matrix.false_positive_rate  # 9 of 225 differences
    0.04
    """

    kept: int
    gained: int
    lost: int
    found: int
    turned: int

    @classmethod
    def of(cls, whole: np.ndarray, some: np.ndarray, same: np.ndarray) -> Confusion:
        """Count verdicts: whether each is rejected with all judgments, with some, and the difference has the same sign."""
        return cls(
            int((~whole & ~some).sum()),
            int((~whole & some).sum()),
            int((whole & ~some).sum()),
            int((whole & some).sum()),
            int((whole & some & ~same).sum()),
        )

    @property
    def accuracy(self) -> float | None:
        """Share of verdicts that are the same."""
        return _share(self.kept + self.found, self.kept + self.gained + self.lost + self.found)

    @property
    def true_positive(self) -> float | None:
        """Of the hypotheses that stand with all judgments, the share that stand with some."""
        return _share(self.kept, self.kept + self.gained)

    @property
    def precision(self) -> float | None:
        """Of the hypotheses that stand with some judgments, the share that stand with all."""
        return _share(self.kept, self.kept + self.lost)

    @property
    def false_positive_rate(self) -> float | None:
        """Of the hypotheses that are rejected with all judgments, the share that stand with some: differences that are missed."""
        return _share(self.lost, self.lost + self.found)

    @property
    def g_mean(self) -> float | None:
        """Geometric mean of the two."""
        parts = self.true_positive, self.precision
        return None if parts[0] is None or parts[1] is None else float(np.sqrt(parts[0] * parts[1]))


def _signs(values: np.ndarray) -> np.ndarray:
    """Sign of the difference of every two values, rounding aside."""
    i, j = np.triu_indices(len(values), 1)
    values = settled(values)
    found: np.ndarray = np.sign(values[i] - values[j])
    return found


def _share(part: int, of: int) -> float | None:
    """A share; None of nothing."""
    return part / of if of else None
