"""Every test by name with the designs it is for, and the plan of a comparison: design, claim, test and options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import combinations

import polars as pl

from sessionkit.errors import UsageError, suggestion
from sessionkit.statistics import crossover, significance
from sessionkit.statistics import crossover as crossover_randomization
from sessionkit.statistics.corrections import Options
from sessionkit.statistics.design import Design
from sessionkit.statistics.effects import Outcome, Overall, Pair
from sessionkit.statistics.session_values import GroupedSessions
from sessionkit.statistics.units import Aligned, Units, aligned, is_paired, unit_totals, unit_values
from sessionkit.statistics.verdict import Support, weakest


@dataclass(frozen=True)
class Procedure:
    """One test.

    Parameters
    ----------
    name, title
        What it is asked for by, and its whole name; `titles` where it has another in some layout.
    estimand
        What its estimate and interval are about.
    effect
        The effect size beside it.
    run
        By layout, what does it.
    simultaneous
        Whether its p-values and intervals of pairs hold for all pairs of a measure at once.
    needs_spread
        Whether it needs differences that vary.
    joint
        Whether it looks at all groups at once, as what is simultaneous does.
    signed
        Whether, of two groups, it goes by signs that chance gives to units, so that p has a smallest value.
    symbol
        What its statistic is called; empty where it is the estimate itself.
    """

    name: str
    title: str
    estimand: str
    effect: str
    run: dict[str, Callable[..., Outcome]]
    simultaneous: bool = False
    needs_spread: bool = True
    joint: bool = False
    titles: Mapping[str, str] = field(default_factory=dict)
    signed: bool = False
    symbol: str = ""

    def __post_init__(self) -> None:
        """Hold that what is simultaneous looks at all groups at once."""
        object.__setattr__(self, "joint", self.joint or self.simultaneous)

    @property
    def in_units(self) -> bool:
        """Whether the estimate is in the measure's units, and not in ranks."""
        return self.estimand != RANKS

    @property
    def columns_in_units(self) -> list[str]:
        """The columns of a table of pairs that are in the measure's units."""
        columns = ["mean_a", "mean_b", "raw_difference"]
        if self.in_units:
            columns += ["estimate", "low", "high", "detectable", "sd"]
            columns += [] if self.symbol else ["statistic"]  # then the statistic is the estimate
        return columns


def _each(
    pair: Callable[..., Pair], overall: Callable[..., tuple[Overall, ...]] | None = None
) -> Callable[[Units, Options], Outcome]:
    """Make a procedure of one that compares two groups."""

    def run(units: Units, options: Options) -> Outcome:
        k = len(units.counts)
        every = [(i, j) for i in range(k) for j in range(i + 1, k)]
        pairs = {key: pair(units, *key) for key in (every if options.pairs is None else options.pairs)}
        return Outcome(pairs, overall(units) if overall is not None and k > 2 else ())

    return run


def _seeded(run: Callable[..., Outcome]) -> Callable[[Units, Options], Outcome]:
    """Make a procedure of one that draws at random."""
    return lambda units, options: run(units, options.draws, options.seed)


def _plain(run: Callable[..., Outcome]) -> Callable[[Units, Options], Outcome]:
    """Make a procedure of one that needs no options."""
    return lambda units, _options: run(units)


MEAN = "mean difference"
RANKS = "difference of mean ranks"
PROCEDURES = {
    found.name: found
    for found in (
        Procedure(
            "t",
            "paired t",
            MEAN,
            "d_z = mean difference / sd of the differences",
            {"blocked": _each(significance.paired_t, significance.blocked_anova)},
            symbol="t",
        ),
        Procedure(
            "wilcoxon",
            "Wilcoxon signed-rank (zero_method wilcox: zeros left out)",
            "pseudo-median of the differences (Hodges-Lehmann)",
            "matched-pairs rank-biserial correlation",
            {"blocked": _each(significance.wilcoxon, significance.friedman)},
            needs_spread=False,
            signed=True,
            symbol="W",
        ),
        Procedure(
            "sign",
            "sign test",
            "median difference",
            "share of units where b is higher minus share where a is",
            {"blocked": _each(significance.sign, significance.friedman)},
            needs_spread=False,
            signed=True,
            symbol="S",
        ),
        Procedure(
            "randomization",
            "randomization within units",
            MEAN,
            "mean difference / sd of the differences (residual sd for a crossover or more than two groups)",
            {"blocked": _seeded(significance.randomized), "crossed": _seeded(crossover_randomization.swapped)},
            simultaneous=True,
            needs_spread=False,
            titles={"crossed": "randomization of users' whole assignments"},
            signed=True,
        ),
        Procedure(
            "least-squares",
            "least squares on user + topic + group",
            "difference adjusted for user and topic",
            "difference / residual sd",
            {"crossed": _plain(crossover.least_squares)},
            symbol="t",
        ),
        Procedure(
            "welch",
            "Welch's t",
            MEAN,
            "Hedges' g",
            {"separate": _each(significance.welch, significance.one_way)},
            symbol="t",
        ),
        Procedure(
            "mann-whitney",
            "Mann-Whitney U",
            "shift (Hodges-Lehmann)",
            "Cliff's delta",
            {"separate": _each(significance.mann_whitney, significance.kruskal)},
            needs_spread=False,
            symbol="U",
        ),
        Procedure(
            "tukey",
            "Tukey's HSD",
            MEAN,
            "difference / residual sd",
            {"blocked": _plain(significance.tukey), "separate": _plain(significance.tukey_kramer)},
            titles={"blocked": "Tukey's HSD, blocked", "separate": "Tukey-Kramer HSD, independent groups"},
            simultaneous=True,
            symbol="q",
        ),
        Procedure(
            "nemenyi",
            "Nemenyi after Friedman",
            RANKS,
            "difference of mean ranks / (k - 1)",
            {"blocked": _plain(significance.nemenyi)},
            simultaneous=True,
            needs_spread=False,
            symbol="q",
        ),
        Procedure(
            "conover",
            "Conover after a significant Friedman",
            RANKS,
            "difference of mean ranks / (k - 1)",
            {"blocked": lambda units, options: significance.conover(units, options.alpha)},
            needs_spread=False,
            joint=True,
            symbol="t",
        ),
    )
}
ALSO = {"anova": "tukey", "friedman": "nemenyi", "ols": "least-squares"}
"""Other names of tests: a test of all groups at once stands with its comparison of pairs."""
DEFAULTS = {"blocked": ("t", "tukey"), "separate": ("welch", "welch"), "crossed": ("least-squares", "least-squares")}
"""By layout: the test of two groups, and of more."""
BOOTSTRAP = "a bootstrap is not offered: over 4 topics it rejects 17% of true null hypotheses, and over few users it is no better than t; "


def procedure(name: str | None, design: Design, population: str, groups: int) -> Procedure:
    """Return the test asked for, or the design's own.

    Raises
    ------
    UsageError
        There is no such test, or it does not fit the design; the message names those that would work.
    """
    layout = design.layouts[population]
    if name is None:
        return PROCEDURES[DEFAULTS[layout][groups > 2]]
    asked = ALSO.get(name, name) if isinstance(name, str) else repr(name)
    works = [found.name for found in PROCEDURES.values() if layout in found.run]
    if asked == "bootstrap":
        msg = f"test=bootstrap: {BOOTSTRAP}{' or '.join(works)} would work"
        raise UsageError(msg)
    if asked not in PROCEDURES:
        msg = f"there is no test {name!r}{suggestion(name, [*PROCEDURES, *ALSO])}; tests here: {', '.join(works)}"
        raise UsageError(msg)
    if layout not in PROCEDURES[asked].run:
        needs = {
            "blocked": "units that each met every group",
            "separate": "groups of different units",
            "crossed": "a crossover",
        }
        wanted = " or ".join(needs[each] for each in PROCEDURES[asked].run)
        elsewhere = [other for other, there in design.layouts.items() if there in PROCEDURES[asked].run]
        also = f"; test={asked} would work with population={elsewhere[0]}" if elsewhere else ""
        msg = (
            f"test={name} needs {wanted}; this design is {design.title}, and for population={population} "
            f"{' or '.join(works)} would work{also}"
        )
        raise UsageError(msg)
    return PROCEDURES[asked]


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
        >>> runs = Design("topics", "topics", "each topic was searched with both", {"topics": "blocked"})
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
        """On how many of the units each difference rests, by the numbers of its groups; see `sessionkit.statistics.verdict`."""
        counts, totals = self.units(sessions, column).units.counts, unit_totals(sessions, self.design, self.population)
        paired = is_paired(self.design, self.population)
        every = "both groups" if len(counts) == 2 else "every group"
        sides = [
            Support(self.population.removesuffix("s"), n, total, f"a value for {every if paired else group}", paired)
            for n, total, group in zip(counts, totals, sessions.groups, strict=True)
        ]
        return {(i, j): weakest([sides[i], sides[j]]) for i, j in combinations(range(len(counts)), 2)}

    def unit_values(self, sessions: GroupedSessions, column: int = 0) -> pl.DataFrame | None:
        """The values of these units, see `sessionkit.statistics.units.unit_values`."""
        return unit_values(sessions, column, self.design, self.population)
