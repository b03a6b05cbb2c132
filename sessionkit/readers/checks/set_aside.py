"""What a format found out beside the tables: records that became rows of none, and what was unusual."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from sessionkit.readers.checks.notes import Notes
from sessionkit.study import Source


@dataclass(frozen=True)
class Aside:
    """Beside the tables of a log.

    Parameters
    ----------
    sources
        Accounts of records that were merged into others or carry nothing for any table.
    notes, warnings
        What was unusual, one sentence each; `warnings` may change a score.
    cells
        Values set aside of records that went into rows of others, as rows of the table of rejected rows.
    """

    sources: tuple[Source, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    cells: tuple[pl.DataFrame, ...] = ()

    def noticed(self) -> Notes:
        """Return the notes with which the checks of the tables begin."""
        return Notes([*self.warnings, *self.notes], list(self.warnings))


NOTHING = Aside()
"""Nothing beside the tables."""
