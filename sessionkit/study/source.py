"""One file that was read: what it was, and what became of each of its records."""

from __future__ import annotations

from dataclasses import dataclass

EXCLUDED = " of excluded documents"
"""What the kind of records ends in that were left out with their documents, after the name of their table."""


@dataclass(frozen=True)
class Source:
    """One kind of record in one source; ``records == rows + merged + idle + rejected + empty_lists`` always.

    Parameters
    ----------
    path
        The file as it was named (relative to study.toml), or what stands for it when the table came as a frame.
    bytes, sha256
        Size and hash of the file as it lay on disk; None for frames.
    table
        The table it was read for; empty where its records became rows of none.
    records
        Records in the source, the header not counted.
    rows
        Records that became rows of the table.
    rejected
        Records kept aside in ``study.rejected``.
    empty_lists
        Records that only said that a query returned nothing.
    kind
        What its records are, such as ``query records``, where one file holds several kinds; else empty.
    merged
        Records that went into rows made of other records, such as clicks into the results clicked, by the rule that
        `kind` names.
    idle
        Records that carry nothing for any table, by the nature of the format or because their documents are excluded.
    """

    path: str
    table: str
    records: int
    rows: int
    rejected: int = 0
    empty_lists: int = 0
    bytes: int | None = None
    sha256: str | None = None
    kind: str = ""
    merged: int = 0
    idle: int = 0

    @property
    def is_excluded(self) -> bool:
        """Whether these are the records that were left out with their documents."""
        return self.kind.endswith(EXCLUDED)
