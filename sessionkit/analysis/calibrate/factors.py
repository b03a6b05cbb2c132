"""The forms of discounts as functions of their parameter, for arrays of it: the share of searchers who come to a place.

All are 1 at place 1. They are those of `sessionkit.scoring.discounts`, divided by their value at place 1, which matters
in one form only: ``burges``, log_b(2) / log_b(i + 1) = ln 2 / ln(i + 1), from which the base cancels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Numbers = np.ndarray[Any, np.dtype[np.float64]]
LEAST_BASE, LARGEST_BASE = 1.0001, 1000.0
"""Bases are looked for between these; ECIR 2008 has 1 < bq < 1000."""
LEAST_SHARE = 1e-6
"""Shares are looked for between this and 1 less this."""


@dataclass(frozen=True)
class Free:
    """A parameter that is fitted.

    Parameters
    ----------
    name
        As in the measure's text.
    base
        Whether it is a base of a logarithm, above 1; if not, it is a share between 0 and 1.
    high
        The largest base.
    """

    name: str
    base: bool
    high: float = LARGEST_BASE

    @property
    def bounds(self) -> tuple[float, float]:
        """Lowest and highest coordinate."""
        ends = (LEAST_BASE, self.high) if self.base else (LEAST_SHARE, 1 - LEAST_SHARE)
        low, high = self.coordinate(np.array(ends))
        return float(low), float(high)

    def coordinate(self, value: Numbers) -> Numbers:
        """Where a value lies on a scale without ends: ln ln of a base, the logit of a share."""
        made: Numbers = np.log(np.log(value)) if self.base else np.log(value) - np.log1p(-value)
        return made

    def value(self, coordinate: Numbers) -> Numbers:
        """The value that lies there."""
        made: Numbers = np.exp(np.exp(coordinate)) if self.base else 1 / (1 + np.exp(-coordinate))
        return made


def free_of(form: str, base: str, share: str) -> Free | None:
    """The parameter of a form that its shape depends on; None for forms that have none.

    >>> free_of("shifted", "b", "p"), free_of("burges", "b", "p")
    (Free(name='b', base=True, high=1000.0), None)
    """
    if form in ("log", "shifted", "jk2002"):
        return Free(base, base=True)
    if form == "rn2002":
        return Free(base, base=True, high=2.0)  # above it the discount rises, and is no share of searchers
    return Free(share, base=False) if form == "geometric" else None


def factor(form: str, value: Numbers | None, place: Numbers) -> Numbers:
    """Share of searchers who come to each place.

    Parameters
    ----------
    form
        One of the forms of `sessionkit.scoring.discounts`.
    value
        Values of its parameter, of any shape; None for a form without one.
    place
        Ranks or query positions.

    Returns
    -------
    numpy.ndarray
        Of the shape of `value`, with one dimension more: the places.

    >>> factor("log", np.array([2.0]), np.array([1, 2, 4])).round(4).tolist()
    [[1.0, 0.5, 0.3333]]
    """
    i = place.astype(np.float64)
    if value is None:
        made: Numbers = {
            "burges": lambda: np.log(2.0) / np.log(i + 1),
            "reciprocal": lambda: 1 / i,
            "none": lambda: np.ones_like(i),
        }[form]()
        return made
    of = value[..., None]
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        if form == "log":
            base = np.log(of)
            return np.asarray(base / (base + np.log(i)))
        if form == "shifted":
            return np.asarray(np.log(of) / np.log(i + (of - 1)))
        if form == "jk2002":
            return np.asarray(np.where(i < of, 1.0, np.log(of) / np.log(i)))
        if form == "rn2002":
            return np.asarray(np.where(i == 1, 1.0, np.log(of) / np.log(i)))
        return np.asarray(of ** (i - 1))
