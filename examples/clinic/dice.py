"""Chance for the clinic generator: a few draws built on one stream of uniform numbers.

Only ``Generator.random`` of numpy is used (the 53-bit doubles of PCG64, whose stream numpy keeps stable); every other
draw is made from it here, with exact sums (``math.fsum``), so that a seed gives the same study on other versions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

Item = TypeVar("Item")


class Dice:
    """A seeded source of draws."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.Generator(np.random.PCG64(seed))

    def uniform(self, low: float = 0.0, high: float = 1.0) -> float:
        """Draw evenly from [low, high)."""
        return low + (high - low) * float(self._generator.random())

    def normal(self, mean: float = 0.0, sd: float = 1.0) -> float:
        """Draw from a bell of this mean and sd: twelve uniforms less six, so at most six sd from the mean."""
        return mean + sd * (math.fsum(self._generator.random(12).tolist()) - 6.0)

    def chance(self, probability: float) -> bool:
        """Tell whether an event of this probability happens."""
        return self.uniform() < probability

    def integer(self, low: int, high: int) -> int:
        """Draw a whole number from low to high, both included."""
        return low + int(self.uniform() * (high - low + 1))

    def choice(self, items: Sequence[Item]) -> Item:
        """Draw one item."""
        return items[self.integer(0, len(items) - 1)]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """Return the items in a random order (Fisher and Yates)."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.integer(0, last)
            order[last], order[other] = order[other], order[last]
        return order


def logistic(x: float) -> float:
    """Turn a number on the whole line into a probability."""
    return 1.0 / (1.0 + math.exp(-x))
