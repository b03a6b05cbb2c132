"""The plan of a comparison: design, claim, test and options, settled once for every verb that compares groups."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations

import polars as pl

from sessionkit.analysis.compare.alignment import Aligned, aligned, is_paired, unit_totals, unit_values
from sessionkit.analysis.compare.design import Design
from sessionkit.analysis.compare.options import Options
from sessionkit.analysis.compare.procedures import Procedure, procedure
from sessionkit.analysis.compare.session_values import GroupedSessions
from sessionkit.analysis.verdict import Support, weakest
from sessionkit.errors import UsageError


@dataclass(frozen=True)
class ComparisonPlan:
    """How groups are compared.

    Parameters
    ----------
    design
        As read from the data.
    population
        What the units are, and what the claim goes beyond: users, topics or sessions.
    test
        One of those that `sessionkit.compare` has.
    options
        Level, draws, seed and correction.
    """

    design: Design
    population: str
    test: Procedure
    options: Options = field(default_factory=Options)

    @classmethod
    def of(
        cls,
        design: Design,
        groups: int,
        *,
        test: str | None = None,
        population: str | None = None,
        blocked: str | None = None,
        options: Options | None = None,
    ) -> ComparisonPlan:
        """Settle claim and test, the design's own if none is asked for.

        Parameters
        ----------
        groups
            How many groups there are.
        blocked
            The default test where each unit met every group, if it is another than the design's own.

        Raises
        ------
        UsageError
            There is no such test or claim, or it does not go with the design, or with the correction.

        Examples
        --------
        >>> runs = Design("topics", "paired by topic: each topic was searched with both", {"topics": "blocked"})
        >>> ComparisonPlan.of(runs, 2).title, ComparisonPlan.of(runs, 2, blocked="sign").title
        ('paired t', 'sign test')
        """
        options = options or Options()
        population = design.population(population, groups)
        usual = blocked if design.layouts[population] == "blocked" else None
        chosen = procedure(test or usual, design, population, groups)
        if chosen.simultaneous and options.correction == "bh" and groups > 2:
            msg = (
                f"test={chosen.name} adjusts for all pairs at once, so correction=bh does not apply; "
                "holm, bonferroni or none would work"
            )
            raise UsageError(msg)
        return cls(design, population, chosen, options)

    @property
    def layout(self) -> str:
        """How the units lie: blocked, crossed or separate."""
        return self.design.layouts[self.population]

    @property
    def title(self) -> str:
        """Whole name of the test."""
        return self.test.titles.get(self.layout, self.test.title)

    def units(self, sessions: GroupedSessions, column: int = 0) -> Aligned:
        """The units of a measure, given by its column among the values."""
        return aligned(sessions, column, self.design, self.population)

    def supports(self, sessions: GroupedSessions, column: int = 0) -> dict[tuple[int, int], Support]:
        """On how many of the units each difference rests, by the numbers of its groups; see `sessionkit.analysis.verdict`."""
        counts, totals = self.units(sessions, column).units.counts, unit_totals(sessions, self.design, self.population)
        paired = is_paired(self.design, self.population)
        every = "both groups" if len(counts) == 2 else "every group"
        sides = [
            Support(self.population.removesuffix("s"), n, total, f"a value for {every if paired else group}", paired)
            for n, total, group in zip(counts, totals, sessions.groups, strict=True)
        ]
        return {(i, j): weakest([sides[i], sides[j]]) for i, j in combinations(range(len(counts)), 2)}

    def unit_values(self, sessions: GroupedSessions, column: int = 0) -> pl.DataFrame | None:
        """The values of these units, see `sessionkit.analysis.compare.alignment.unit_values`."""
        return unit_values(sessions, column, self.design, self.population)
