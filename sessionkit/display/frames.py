"""Frames as results: polars frames, shown as polars shows them, but for the characters that would act on a terminal or a page."""

from __future__ import annotations

import polars as pl

from sessionkit.errors import visible


class ResultFrame(pl.DataFrame):
    r"""A polars frame in whose display no text from a log acts; its values are as they were.

    What polars makes of it, such as by ``filter``, is a plain frame again, which polars shows.

    >>> frame = ResultFrame(pl.DataFrame({"session_id": ["a\x1b[31m"]}))
    >>> "a\\e[31m" in repr(frame), frame.item() == "a\x1b[31m", isinstance(frame, pl.DataFrame)
    (True, True, True)
    """

    def __str__(self) -> str:
        """As polars shows it in a terminal."""
        return _harmless(super().__str__())

    def __repr__(self) -> str:
        """The same."""
        return str(self)

    def _repr_html_(self, *, _from_series: bool = False) -> str:
        """As polars shows it in a notebook, where it escapes what HTML would take for a tag."""
        return _harmless(super()._repr_html_(_from_series=_from_series))


def _harmless(text: str) -> str:
    """Text in which nothing acts but the ends of its lines."""
    return "\n".join(visible(line) for line in text.split("\n"))
