"""What comes of pseudonymizing: a study that can be saved, the mapping, and what to know before it is shared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import polars as pl

from sessionkit.display.frames import ResultFrame
from sessionkit.display.text import Displayed
from sessionkit.privacy.placement import drafted_mapping, require_apart, require_secret
from sessionkit.study.study import Study


@dataclass(frozen=True, eq=False, repr=False)
class Pseudonymized(Displayed):
    """A study in which pseudonyms stand in place of people; made by `sessionkit.pseudonymize`.

    Parameters
    ----------
    study
        The study, which `save` writes to a directory.
    table
        What was done: ``table``, ``column``, ``done`` (``replaced``, ``seconds``, ``kept``, ``left out``, ``made``), ``values``
        (how many distinct ones were replaced; null for others) and ``why``.
    reading
        What was replaced, kept and left out, and what still can identify people, a line for each.
    names
        By the name of a column its values and their pseudonyms, in the same order; keep them apart from the study.
    origin
        The directory of the study it was made from; None where that is in none.
    """

    study: Study
    table: pl.DataFrame
    reading: str
    names: Mapping[str, tuple[pl.Series, pl.Series]]
    origin: Path | None = None

    @property
    def mapping(self) -> pl.DataFrame:
        """Originals and pseudonyms, which undo it: ``column``, ``original``, ``pseudonym``, in the order of the pseudonyms."""
        parts = [
            pl.DataFrame({"column": [name] * len(values), "original": values, "pseudonym": labels})
            for name, (values, labels) in self.names.items()
        ]
        none = pl.DataFrame(schema={"column": pl.String, "original": pl.String, "pseudonym": pl.String})
        every = pl.concat([none, *parts], how="vertical_relaxed")
        return ResultFrame(every.sort("column", "pseudonym"))

    def save(
        self,
        directory: str | PathLike[str],
        *,
        mapping: str | PathLike[str] | None = None,
        memory: str | int | None = None,
    ) -> Study:
        """Write the study to a directory, whole or not at all, and return it as opened from there.

        Parameters
        ----------
        directory
            Where to write it. Another study in that place is replaced, but not the one this was made from.
        mapping
            A file for originals and pseudonyms (.csv, .tsv or .parquet), which must not lie in the directory. Only its owner
            can read it.
        memory
            See `sessionkit.score`.

        Raises
        ------
        UsageError
            The directory holds something that is no study, or the study this was made from, or cannot be written; the
            mapping would lie in it, cannot be written, or is there already.
        """
        out = Path(directory)
        require_apart(out, self.origin)
        if mapping is None:
            return self.study.save(out, memory=memory)
        require_secret(Path(mapping), out)
        with drafted_mapping(self.mapping, Path(mapping)):
            return self.study.save(out, memory=memory)

    def words_and_tables(self) -> tuple[list[str], dict[str, pl.DataFrame]]:
        """The reading, and what was done to every column; not the mapping."""
        return self.reading.splitlines(), {"columns": self.table}
