"""A number that the log has of every session, or of its user, as a measure: ratings, times and other covariates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from sessionkit.errors import DataError, MeasureError
from sessionkit.scoring.measures.base import SessionMeasure
from sessionkit.scoring.measures.behavior import GRADING

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists

PLAIN = re.compile("[A-Za-z_][A-Za-z0-9_]*")
"""Names that need no quotes."""
LARGEST = 1e18
"""Beyond it sums are not exact."""


@dataclass(frozen=True, repr=False, kw_only=True)
class SessionColumn(SessionMeasure):
    """column(NAME): a number that the log has of each session, or of its user, such as a rating of satisfaction.

    The values are those of the log: numbers, texts that are numbers, and true and false as 1 and 0. Null where the log has
    none. Whether more is better is what ``better`` in study.toml says. A name that is no plain word stands in double quotes, such as
    ``column("Years of use")``.

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s", "z"], "query_position": [1, 1], "rank": [1, 1], "doc_id": ["a", "b"]},
    ...     sessions={"session_id": ["s", "z"], "satisfaction": [4, 2]},
    ... )
    >>> sk.score(study, "column(satisfaction)").select("measure", "value", "n").row(0)
    ('column(satisfaction)', 3.0, 2)
    """

    name = "column"
    bounds = "fixed"
    direction = "unknown"
    lowest = None
    formula = "the session's value of the column, or its user's"
    source = "OURS; a column of the log"
    without = (*GRADING, "cutoff", "depth", "queries")
    of_lists = False
    reads_log = False
    undefined_where = "no value in the column"

    of: str = ""

    def __post_init__(self) -> None:
        """Say which column it needs."""
        super().__post_init__()
        object.__setattr__(self, "of_sessions", (self.of,))

    def __str__(self) -> str:
        """The name in brackets, quoted where it is no plain word."""
        quoted = self.of if PLAIN.fullmatch(self.of) else '"' + self.of.replace('"', '""') + '"'
        return f"{self.name}({quoted})"

    __repr__ = __str__

    @property
    def in_words(self) -> str:
        """Which column it is."""
        return f"the column {self.of} of the log"

    def __call__(self, **changes: Any) -> SessionColumn:  # noqa: ANN401 - parameters of any kind
        """Refuse parameters."""
        raise MeasureError(f"{self} takes no parameters, not {next(iter(changes), 'none')}")

    def values(self, lists: Lists) -> pl.Series:
        """The column as numbers."""
        return numbers(lists.batch.features.get_column(self.of))


def column(name: str) -> SessionColumn:
    """Return the measure whose value is a column of the sessions or users, see `SessionColumn`.

    >>> column("Years of use")
    column("Years of use")
    """
    if not isinstance(name, str) or not name:
        raise MeasureError(f"column takes the name of a column of sessions or users, not {name!r:.80}")
    return SessionColumn(of=name)


def numbers(values: pl.Series) -> pl.Series:
    """Return a column as numbers (Float64), also one that was read as text; null where there is none.

    Raises
    ------
    DataError
        It holds anything else.

    >>> numbers(pl.Series("rating", ["4", " 2.5", "", None])).to_list()
    [4.0, 2.5, None, None]
    """
    found = values
    if values.dtype == pl.String:
        found = values.str.strip_chars().replace("", None).cast(pl.Float64, strict=False)
        wrong = values.filter(found.is_null() & values.is_not_null() & (values.str.strip_chars() != ""))
    elif values.dtype.is_numeric() or values.dtype in (pl.Boolean, pl.Null):
        found = values.cast(pl.Float64)
        wrong = values.clear()
    else:
        wrong = values.drop_nulls()
    if not len(wrong):
        wrong = values.filter((found.cast(pl.Float64).abs() > LARGEST).fill_null(value=False))
    if len(wrong):
        msg = (
            f"{values.name} is not numeric: {len(wrong)} of {len(values)} values are like {str(wrong[0])!r}; give ratings and "
            "other covariates as numbers below 10^18, and missing values as empty fields"
        )
        raise DataError(msg)
    return found.cast(pl.Float64).fill_nan(None)
