"""The finding of `sessionkit.power`: power by size, the smallest sizes, and what varies."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from sessionkit.analysis.findings import NUMBER, TEXT, WHOLE, TestedFinding
from sessionkit.analysis.paper_tables import chosen_columns, range_text, worded
from sessionkit.analysis.phrases import level_text
from sessionkit.display.tables import TextTable

COUNTS = dict.fromkeys(("users", "topics", "sessions"), WHOLE)
POWER = pl.Schema(
    {
        "population": TEXT,
        "test": TEXT,
        **COUNTS,
        **dict.fromkeys(("power", "error", "low", "high", "at_estimate"), NUMBER),
        "reaches": pl.Boolean(),
    }
)
SMALLEST = pl.Schema(
    {
        "population": TEXT,
        **COUNTS,
        **dict.fromkeys(("more_users", "more_topics"), WHOLE),
        "users_sure": WHOLE,
        "topics_sure": WHOLE,
        "sessions_sure": WHOLE,
        "most": WHOLE,
        "limit": NUMBER,
    }
)
COMPONENTS = pl.Schema({"component": TEXT, **dict.fromkeys(("sd", "low", "high"), NUMBER)})


@dataclass(frozen=True, eq=False, repr=False)
class PowerPlan(TestedFinding):
    """How large a study must be; made by `sessionkit.power`.

    Parameters
    ----------
    table
        A row per claim and size: ``population``, ``test``, ``users`` (null beside topics: as many as one likes), ``topics``,
        ``sessions``, ``power`` (chance to find the difference, averaged over what may vary), ``error`` (its Monte Carlo
        standard error), ``low`` and ``high`` (the range that holds 90% of what the uncertain components leave possible),
        ``at_estimate`` (power were the estimates the truth), ``reaches`` (whether ``power`` is at least the target).
    smallest
        A row per claim and number of topics: the smallest ``users``, ``topics``, ``sessions`` whose ``power`` reaches the
        target, how many ``more_users`` and ``more_topics`` than now that is, and with ``_sure`` the numbers whose ``low``
        does; null where none of up to ``most`` does. ``limit`` is the power with users without end.
    components
        ``component``, ``sd`` (of one session), ``low`` and ``high`` (90% of the draws).
    reading
        The finding in plain language, a sentence or more per line.
    measure, by, design
        What is planned for, and the design that was read from the study.
    difference, target, confidence, draws, component_draws, seed
        As given; `difference` in the measure's units.
    """

    table: pl.DataFrame
    smallest: pl.DataFrame
    components: pl.DataFrame
    reading: str
    measure: str
    by: str
    design: str
    difference: float
    target: float
    confidence: float
    draws: int
    component_draws: int
    seed: int

    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables by name."""
        return {"smallest": self.smallest, "power": self.table, "components": self.components}

    def paper_table(self) -> TextTable:
        """The smallest studies as papers print them: users and sessions for every number of topics."""
        caption = (
            f"Smallest studies that find a difference of {self.difference:g} in {self.measure} by {worded([self.by])} with power "
            f"{self.target:g} at {level_text(1 - self.confidence)} confidence"
        )
        headers = {"population": "Claim about", "users_sure": "Users, sure"}
        columns = ["population", "topics", "users", "sessions", "users_sure", "limit"]
        note = (
            "Users, sure: so many that the low end of the 90% range of power reaches it. Limit: power with users without end. "
            f"A dash: no number up to {range_text(self.smallest['most'])} is enough, or none is counted."
        )
        return chosen_columns(caption, self.smallest, columns, headers=headers, note=note, decimals=2)
