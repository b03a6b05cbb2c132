"""Numbers for texts as they are met, the same for the same text as long as they are needed; of this process only."""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl


def _held() -> pl.Series:
    """A column without rows that holds the numbers of a numbering of its own: polars forgets them with its last column."""
    return pl.Series([], dtype=pl.Categorical(pl.Categories.random()))


@dataclass(frozen=True, eq=False)
class Numbering:
    """Texts and their numbers.

    >>> numbering = Numbering()
    >>> numbering.of(pl.Series(["b", "a", None, "b"])).to_list()
    [0, 1, None, 0]
    >>> numbering.texts(pl.Series([1, 0])).to_list()
    ['a', 'b']
    """

    _numbers: pl.Series = field(default_factory=_held, repr=False)

    def of(self, texts: pl.Series) -> pl.Series:
        """Number of each text (UInt32); null where there is none."""
        return texts.cast(self._numbers.dtype).to_physical()

    def texts(self, numbers: pl.Series) -> pl.Series:
        """The text of each number."""
        return numbers.cast(pl.UInt32).cat.to(self._numbers.dtype).cast(pl.String)
