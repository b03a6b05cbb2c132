"""What tasks about documents have in common: what they are asked, and what they read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sessionkit.analysis.groups import Grouping
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.score import WITHOUT_CUTOFF


@dataclass(frozen=True, eq=False)
class OverDocuments:
    """A task that looks at documents by their names, judged or not.

    Parameters
    ----------
    measures
        Measures of sessions, in the order of the rows.
    grouping
        The sessions and their groups.
    reads
        Columns to read, by table.
    """

    measures: tuple[Measure, ...]
    grouping: Grouping
    reads: Mapping[str, Sequence[str]]

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every batch is made of."""
        grouped = self.grouping.columns()
        found = {name: [*self.reads.get(name, ()), *grouped.get(name, ())] for name in {**self.reads, **grouped}}
        found["results"] = [*dict.fromkeys([*found.get("results", ()), "doc_id"])]
        return found

    @property
    def slots(self) -> int:
        """Slots of ideal sessions."""
        inner = [measure.inner for measure in self.measures if measure.inner.session_ideal is not None]
        return max((measure.cutoff or WITHOUT_CUTOFF for measure in inner), default=1)

    @property
    def columns_made(self) -> int:
        """Each measure is worked out about three times."""
        return 8 + 3 * len(self.measures)
