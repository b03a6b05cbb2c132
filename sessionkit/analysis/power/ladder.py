"""The sizes of study that are looked at, and the smallest of them that reaches the target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sessionkit.analysis.power.chances import PowerEstimate, chance
from sessionkit.analysis.power.noise import Noise
from sessionkit.analysis.power.sizes import PlannedDesign, Size

RUNGS = (1, 1.5, 2, 3, 4, 6, 8, 12, 16)
"""Multiples of the present study that are looked at."""
MOST = 5_000
"""The largest number that is looked at."""
MORE_TOPICS = (1, 2, 3, 4, 6, 8)
"""Multiples of its topics."""


@dataclass(frozen=True)
class Rung:
    """Power at one size."""

    population: str
    size: Size
    chance: PowerEstimate


@dataclass(frozen=True)
class Smallest:
    """The smallest sizes that reach the target; None where none of up to `most` does.

    Parameters
    ----------
    population, topics
        The claim, and the topics that the size is for.
    now
        The size of the study that is planned from.
    size, sure
        With the power that is to be expected; with all but the lowest powers that what varies leaves possible.
    most
        The largest number looked at.
    limit
        Power with users without end; None where that is 1.
    """

    population: str
    topics: int | None
    now: Size
    size: Size | None
    sure: Size | None
    most: int
    limit: PowerEstimate | None


class Ladder:
    """Power by size for one claim; every size is simulated once."""

    def __init__(self, planned: PlannedDesign, noise: Noise, difference: float, target: float) -> None:
        """Begin without any."""
        self.planned, self.noise, self.difference, self.target = planned, noise, difference, target
        self.known: dict[tuple[int | None, int | None], PowerEstimate] = {}

    def at(self, many: int | None, topics: int | None) -> PowerEstimate:
        """Power at a size."""
        key = (many, topics)
        if key not in self.known:
            self.known[key] = chance(self.planned.at(many, topics), self.noise, self.difference)
        return self.known[key]

    def rungs(self, asked: Sequence[int] | None, topics: int | None) -> list[int]:
        """Numbers to look at, rounded up to what keeps groups balanced."""
        planned, step = self.planned, self.planned.step
        now = {"users": planned.habits.users, "topics": planned.habits.topics, "sessions": planned.habits.sessions}[
            planned.axis
        ]
        wanted = (
            asked
            or [round(now * rung) for rung in RUNGS if now * rung <= MOST]
            or [round(MOST / rung) for rung in RUNGS]
        )
        least = planned.least(topics)
        return sorted({-(-max(each, least) // step) * step for each in wanted})

    def climbed(self, asked: Sequence[int] | None, topics: int | None) -> tuple[list[Rung], Smallest]:
        """Power at every rung, and the smallest size that reaches the target."""
        planned = self.planned
        rungs = self.rungs(asked, topics)
        found = [Rung(planned.population, planned.size(many, topics), self.at(many, topics)) for many in rungs]
        limit = None
        if planned.population == "topics" and planned.axis == "users":
            limit = self.at(None, topics)
            found.append(Rung(planned.population, planned.size(None, topics), limit))
        expected = self._smallest(rungs, topics, lambda of: of.power)
        sure = self._smallest(rungs, topics, lambda of: of.low)
        at = topics if planned.axis == "users" else None
        sizes = [None if many is None else planned.size(many, topics) for many in (expected, sure)]
        return found, Smallest(planned.population, at, planned.now, sizes[0], sizes[1], rungs[-1], limit)

    def _smallest(self, rungs: list[int], topics: int | None, of: Callable[[PowerEstimate], float]) -> int | None:
        """The smallest number that reaches the target, between two rungs by halving."""
        reached = [many for many in rungs if of(self.at(many, topics)) >= self.target]
        if not reached:
            return None
        step = self.planned.step
        high = reached[0]
        below = [many for many in rungs if many < high]
        low = below[-1] if below else -(-self.planned.least(topics) // step) * step - step
        while high - low > step:
            middle = (low + high) // 2 // step * step
            middle = middle if middle > low else low + step
            low, high = (low, middle) if of(self.at(middle, topics)) >= self.target else (middle, high)
        return high
