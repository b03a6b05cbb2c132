"""What tasks about unjudged documents have in common: what they are asked, and what they read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sessionkit.analysis.groups import Grouping
from sessionkit.analysis.incompleteness.pool import Pool
from sessionkit.scoring.measures import Measure


@dataclass(frozen=True, eq=False)
class OverUnjudged:
    """A task that looks at documents by their names, judged or not.

    Parameters
    ----------
    measures
        Measures of sessions, in the order of the rows.
    grouping
        The sessions and their groups.
    pool
        What is unjudged in the whole study.
    top
        Best grade of the scale, if it is known.
    reads
        Columns to read, by table.
    """

    measures: tuple[Measure, ...]
    grouping: Grouping
    pool: Pool
    top: float | None
    reads: Mapping[str, Sequence[str]]

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every block is made of."""
        grouped = self.grouping.columns()
        found = {name: [*self.reads.get(name, ()), *grouped.get(name, ())] for name in {**self.reads, **grouped}}
        found["results"] = [*dict.fromkeys([*found.get("results", ()), "doc_id"])]
        return found

    @property
    def slots(self) -> int:
        """Slots of ideals."""
        return max((measure.inner.cutoff or 100 for measure in self.measures), default=0)
