"""What was unusual in the records of some sessions, counted; the counts of parts of a log add up to those of all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TypeVar

from sessionkit.study.facts import NO_FACTS, Facts

Found = tuple[int, str | None]
"""How many sessions (or queries, or rows) something holds for, and the first session (or value)."""
NONE: Found = (0, None)
Key = TypeVar("Key")


@dataclass(frozen=True)
class AnomalyCounts:
    """Counts of one part of a log.

    Parameters
    ----------
    bare
        Rejected queries that are kept as not logged, for their place.
    missing, gapped, late, doubtful
        Positions of queries that no record has, the sessions they are missing in, how many of these lack the first, and how many
        of the positions rejected records may be of.
    far
        Sessions of which every position is beyond reach, so that they stay without a query.
    worded
        Accepted rows that are results although a column has the text that marks empty lists.
    rankless
        Rows taken as empty lists for want of a rank that have something in doc_id, and the first such text.
    differing
        For each column of a derived table, ``(table, column)``, the rows whose source says different things.
    disordered
        For each rule between columns of sessions, ``(rule, column)``, the sessions that break it by values of different tables; that
        of the column is set aside.
    silent, lost
        Queries without result rows, and those with every result row rejected.
    lonely
        Sessions without any query.
    hollow
        Queries said to be shown that have no result rows.
    unusual
        What is unusual without breaking a rule, by its name (``unusual.py``).
    unjudged
        Sessions with a query for whose judgment_key there is no judgment.
    met
        Parts in which a result is judged for its key, of those that were looked at until one was found.
    facts
        Those of the tables.
    """

    bare: int = 0
    missing: int = 0
    gapped: Found = NONE
    late: int = 0
    doubtful: int = 0
    far: Found = NONE
    worded: int = 0
    rankless: Found = NONE
    differing: Mapping[tuple[str, str], Found] = field(default_factory=dict)
    disordered: Mapping[tuple[str, str], Found] = field(default_factory=dict)
    silent: int = 0
    lost: int = 0
    lonely: int = 0
    hollow: int = 0
    unusual: Mapping[str, Found] = field(default_factory=dict)
    unjudged: Found = NONE
    met: int = 0
    facts: Facts = NO_FACTS

    def __add__(self, later: AnomalyCounts) -> AnomalyCounts:
        """Return the counts of both parts, the other of sessions that come later."""
        return AnomalyCounts(
            differing=_added(self.differing, later.differing),
            disordered=_added(self.disordered, later.disordered),
            unusual=_added(self.unusual, later.unusual),
            gapped=both(self.gapped, later.gapped),
            far=both(self.far, later.far),
            rankless=both(self.rankless, later.rankless),
            unjudged=both(self.unjudged, later.unjudged),
            **{
                name: getattr(self, name) + getattr(later, name)
                for name in (entry.name for entry in fields(self))
                if name not in ("differing", "disordered", "unusual", "gapped", "far", "rankless", "unjudged")
            },
        )


def _added(earlier: Mapping[Key, Found], later: Mapping[Key, Found]) -> dict[Key, Found]:
    """Return what was found in two parts, by name."""
    return {key: both(earlier.get(key, NONE), later.get(key, NONE)) for key in {**earlier, **later}}


def both(earlier: Found, later: Found) -> Found:
    """Return the count of both and the first session of the earlier, where it has one."""
    return earlier[0] + later[0], earlier[1] if earlier[0] else later[1]
