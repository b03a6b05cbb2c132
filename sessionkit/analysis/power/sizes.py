"""Studies of one design at one size, simulated as the test that `compare` would take sees them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sessionkit.analysis.power import simulation
from sessionkit.analysis.power.noise import WITH_TOPIC, WITH_USER
from sessionkit.analysis.power.plans import Habits, PlannedSessions, fewest_users, plan
from sessionkit.analysis.power.simulation import Studies

WIDE = ("crossover", "incomplete", "both", "topics")
"""Designs in which both users and topics are planned."""
AT_ONCE = 2**21
"""Numbers drawn in one go."""


@dataclass(frozen=True)
class Size:
    """How large a study is; None where that does not matter or is not known.

    Parameters
    ----------
    users, topics, sessions
        How many; users of None with topics given: as many as one likes.
    """

    users: int | None
    topics: int | None
    sessions: int | None


@dataclass(frozen=True)
class PlannedDesign:
    """A design, a claim, and what does not change with the size of the study.

    Parameters
    ----------
    design, population, layout
        As `compare` has them.
    groups
        How many groups there are.
    habits
        Sessions per user and per cell.
    alpha
        Error rate.
    studies, seed
        How many studies are simulated, and their seed.
    """

    design: str
    population: str
    layout: str
    groups: int
    habits: Habits
    alpha: float
    studies: int
    seed: int

    @property
    def axis(self) -> str:
        """What grows: users where they are known, else what the claim is about."""
        if self.population == "sessions":
            return "sessions"
        return "users" if self.habits.users else self.population

    @property
    def step(self) -> int:
        """By how many it grows at a time: users who each meet some of the groups come in sets, so that groups stay balanced."""
        alone = self.design in ("both", "users", "sessions") or self.axis == "topics"
        return 1 if alone and self.layout == "blocked" else self.groups

    def size(self, many: int | None, topics: int | None) -> Size:
        """The size with so many of what grows."""
        kept = self.habits
        if self.axis == "sessions":
            return Size(None, None, many)
        if self.axis == "topics":
            return Size(None, many, many * kept.per_cell * self.groups if many else None)
        if many is None:
            return Size(None, topics, None)
        each = kept.per_user * (self.groups if self.design == "both" else 1)
        if self.design == "users":
            each = kept.per_cell * self.groups
        return Size(many, topics, many * each)

    @property
    def now(self) -> Size:
        """The size of the study that is planned from."""
        of = self.habits
        return Size(of.users or None, of.topics or None, of.sessions)

    def least(self, topics: int | None) -> int:
        """The fewest that make a study."""
        if self.axis == "users" and self.design in WIDE and topics:
            fewest = fewest_users(topics, self.groups, self.habits.per_user, self.design)
            return max(fewest, 2 if self.design == "both" else 2 * self.groups)
        return 2 if self.layout == "blocked" else 2 * self.groups

    def at(self, many: int | None, topics: int | None) -> Studies:
        """Simulate studies with so many of what grows; None, without end."""
        rng = np.random.Generator(np.random.PCG64([self.seed, many or 0, topics or 0]))
        if many is None:
            cells = {WITH_TOPIC: rng.standard_normal((topics or 2, self.groups, self.studies))}
            return simulation.blocked(cells, self.alpha)
        planned = None
        if self.axis == "users" and self.design in WIDE:
            kept = {"groups": self.groups, "per_user": self.habits.per_user}
            planned = plan(self.design, users=many, topics=topics or 1, rng=rng, **kept)
            if self.layout == "crossed":
                return simulation.crossed(planned, self.studies, self.alpha, rng)
        at_once = max(50, AT_ONCE // (many * self.groups))
        parts = [
            self._some(many, planned, min(at_once, self.studies - start), rng)
            for start in range(0, self.studies, at_once)
        ]
        return simulation.joined(parts)

    def _some(self, many: int, planned: PlannedSessions | None, studies: int, rng: np.random.Generator) -> Studies:
        """Simulate some studies of units; without a plan every unit is alike."""
        k, kept = self.groups, self.habits
        if planned is not None:
            sources = (WITH_TOPIC, "residual", WITH_USER if self.design == "both" else "user")
            cells = simulation.of_units(planned, self.population, studies, sources, rng)
            if self.layout == "blocked":
                return simulation.blocked(cells, self.alpha)
            two = {name: np.stack([of[g::k, g][: many // k] for g in (0, 1)], axis=1) for name, of in cells.items()}
            return simulation.separate(two, k, self.alpha)
        if self.layout == "separate":
            shape = (many // k, 2, studies)
            own = {"user": rng.standard_normal(shape)} if self.population == "users" else {}
            each = kept.per_user if own else 1
            rest = rng.standard_normal(shape) / np.sqrt(each)
            return simulation.separate({**own, "residual": rest}, k, self.alpha)
        shape = (many, k, studies)
        other = {"users": WITH_USER, "topics": WITH_TOPIC}.get(self.population)
        own = {other: rng.standard_normal(shape)} if other else {}
        rest = rng.standard_normal(shape) / np.sqrt(kept.per_cell if other else 1)
        return simulation.blocked({**own, "residual": rest}, self.alpha)
