"""Lists that were taken from text by columns: each is some rows of a frame that has many lists, and stays there until it is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np
import polars as pl


@dataclass(frozen=True, eq=False)
class XmlTexts:
    """Rows of texts, of several lists, one list after the other."""

    frame: pl.DataFrame
    _read: dict[str, list[str | None] | None] = field(default_factory=dict)
    _stripped: dict[str, list[str]] = field(default_factory=dict)

    def column(self, name: str) -> list[str | None] | None:
        """Return a column as a list, made once; None where there is none."""
        if name not in self._read:
            self._read[name] = self.frame[name].to_list() if name in self.frame.columns else None
        return self._read[name]

    def stripped(self, name: str) -> list[str]:
        """Return a column as a list, made once, without blanks around its texts; empty texts where there is none."""
        if name not in self._stripped:
            self._stripped[name] = [(text or "").strip() for text in self.column(name) or [None] * self.frame.height]
        return self._stripped[name]


@dataclass(frozen=True, eq=False)
class TextSpan:
    """Some rows next to one another: those of one list.

    >>> span = TextSpan(XmlTexts(pl.DataFrame({"rank": ["1", "2", "1"], "id": ["a", "b", "c"]})), 1, 3)
    >>> len(span), span.column("id"), span.block
    (2, ['b', 'c'], {'rank': ['2', '1'], 'id': ['b', 'c']})
    """

    texts: XmlTexts
    start: int
    end: int

    def __len__(self) -> int:
        """How many rows there are."""
        return self.end - self.start

    def column(self, name: str) -> list[str | None] | None:
        """Return a column; None where there is none."""
        column = self.texts.column(name)
        return None if column is None else column[self.start : self.end]

    def place(self, name: str, text: str) -> int | None:
        """Return the first row that has a text in a column, blanks around it aside; None where there is none."""
        try:
            return self.texts.stripped(name).index(text, self.start, self.end) - self.start
        except ValueError:
            return None

    @property
    def block(self) -> dict[str, list[str | None]]:
        """The rows as a block."""
        return {name: self.column(name) or [] for name in self.texts.frame.columns}


def gathered(rows: Sequence[tuple[int, TextSpan | None]]) -> dict[str, pl.Series]:
    """Return the columns of spans one after the other, null in rows that are of none.

    Parameters
    ----------
    rows
        How many rows come next, and which they are, None for rows that are of no span.

    Examples
    --------
    >>> texts = XmlTexts(pl.DataFrame({"id": ["a", "b", "c"]}))
    >>> gathered([(1, TextSpan(texts, 2, 3)), (1, None), (2, TextSpan(texts, 0, 2))])["id"].to_list()
    ['c', None, 'a', 'b']
    """
    texts = list(dict.fromkeys(span.texts for _, span in rows if span is not None))
    if not texts:
        return {}
    begin = dict(zip(texts, accumulate((one.frame.height for one in texts), initial=0), strict=False))
    sizes = np.array([many for many, _ in rows])
    first = np.array([0 if span is None else begin[span.texts] + span.start for _, span in rows])
    places = np.arange(sizes.sum()) + np.repeat(first - np.cumsum(sizes) + sizes, sizes)
    at = pl.Series(places, dtype=pl.UInt32)
    none = np.repeat([span is None for _, span in rows], sizes)
    if none.any():
        at = at.set(pl.Series(none), None)
    every = pl.concat([one.frame for one in texts], how="diagonal").select(pl.all().gather(at))
    return {column.name: column for column in every}
