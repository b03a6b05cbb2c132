"""What is in a column: numbers, times, ids that come again; and which of its values could not be one of ours.

What files share: the ids of documents, and what judgments belong to. Values that are the same say more than names do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from sessionkit.contract import Field, table
from sessionkit.contract.casts import cast, without_zone
from sessionkit.readers.propose.column_names import LIKELY, USUAL, likeness
from sessionkit.readers.propose.sample import Sample
from sessionkit.readers.propose.spellings import PLAIN, Spelling, respelled, spelling_of


def share(ours: pl.Series, theirs: pl.Series) -> float:
    """Return the share of different values of one column that another has as well.

    >>> share(pl.Series(["a", "b"]), pl.Series(["b", "c"]))
    0.5
    """
    known = ours.drop_nulls().unique()
    if known.is_empty():
        return 0.0
    return int(known.is_in(theirs.drop_nulls().unique().implode()).sum()) / len(known)


def shared(
    log: Sequence[SampleColumn], judged: Sequence[SampleColumn]
) -> list[tuple[float, SampleColumn, SampleColumn]]:
    """Return pairs of columns with the share of values they have in common, of the one that has fewer; the best first."""
    pairs = []
    for one in log:
        for other in judged:
            few, many = (one, other) if one.distinct <= other.distinct else (other, one)
            pairs.append((share(few.given, many.given), one, other))
    return sorted(pairs, key=lambda pair: -pair[0])


def judged_shares(shown: pl.DataFrame, docs: str, keys: Mapping[str, str], judged: pl.DataFrame) -> dict[str, float]:
    """Return, for each column that may be the key of judgments, the share of shown results that are judged by it.

    Parameters
    ----------
    shown
        Results, with columns for the document and for every key.
    docs
        The column of the document.
    keys
        Names for the keys, and their columns.
    judged
        ``key`` and ``doc`` of the judgments.
    """
    known = judged.select("key", "doc").unique().with_columns(pl.lit(value=True).alias("known"))
    found = {}
    for name, column in keys.items():
        rows = shown.select(pl.col(column).alias("key"), pl.col(docs).alias("doc")).drop_nulls()
        joined = rows.join(known, on=["key", "doc"], how="left")
        found[name] = int(joined["known"].sum()) / max(joined.height, 1)
    return found


PROSE = r"\S(?:\s+\S+){6}"
"""A text of seven words or more."""


@dataclass(frozen=True, eq=False)
class SampleColumn:
    """One column of a sample; one that its file does not have is made of others, or of none that can be named."""

    name: str
    place: int
    values: pl.Series
    texts: pl.Series
    made_of: tuple[str, ...] | None = None
    lower: str = ""
    known_as: str = ""

    @cached_property
    def heading(self) -> str:
        """By what it is known: what it is a field of, its name, or the lower of two that stand in a header of two rows."""
        if self.known_as:
            return self.known_as
        if self.lower and max(likeness(self.name, ours) for ours in USUAL) < LIKELY:
            return self.lower
        return self.name

    @cached_property
    def given(self) -> pl.Series:
        """Its texts, without those that are missing."""
        return self.texts.drop_nulls()

    @cached_property
    def distinct(self) -> int:
        """How many different texts there are."""
        return self.given.n_unique()

    @property
    def filled(self) -> float:
        """The share of rows that have a value."""
        return len(self.given) / max(len(self.texts), 1)

    @cached_property
    def integers(self) -> pl.Series:
        """Its texts as whole numbers, null where they are none."""
        bare = self.texts.str.strip_chars().str.replace(r"\.0+$", "")
        return bare.cast(pl.Int64, strict=False)

    @cached_property
    def counts(self) -> bool:
        """Whether it may count something: mostly whole numbers, none below 0, none of many digits."""
        numbers = self.integers.drop_nulls()
        if len(numbers) == 0 or 2 * len(numbers) < len(self.given):
            return False
        return int(numbers.min()) >= 0 and int(numbers.max()) < 100_000  # type: ignore[arg-type]

    @cached_property
    def names_things(self) -> bool:
        """Whether its values may be ids: filled, not all the same, no numbers with a fraction, no times."""
        if self.distinct < 2 or self.filled < 0.5:
            return False
        return self.share_matching(r"^\s*[-+]?\d*[.,]\d+\s*$") < 0.5 and self.share_matching(r"^\d{4}-\d\d-\d\d") < 0.5

    @property
    def may_be_an_id(self) -> bool:
        """Whether its values may be ids, be it only one."""
        return self.names_things or self.distinct == 1

    @property
    def is_prose(self) -> bool:
        """Whether most of its values are texts of many words, such as answers, which identify nothing."""
        return self.share_matching(PROSE) > 0.5

    @property
    def is_key(self) -> bool:
        """Whether it has another value in every row."""
        return self.filled == 1 and self.distinct == len(self.texts)

    def share_matching(self, pattern: str) -> float:
        """Return the share of its texts in which a pattern is found."""
        found = self.given.str.contains(pattern)
        return int(found.sum()) / max(len(found), 1)

    @cached_property
    def _spellings(self) -> dict[tuple[str, str | None], Spelling]:
        """How its values are spelled, by the type and unit of what they may be; filled as it is asked for."""
        return {}

    def spelling(self, field: Field) -> Spelling:
        """Return how its values are spelled, if they are those of one of our columns."""
        if self.values.dtype != pl.String or self.made_of is not None:
            return PLAIN
        key = (field.type, field.unit)
        if key not in self._spellings:
            self._spellings[key] = spelling_of(self.texts, self.name, field)
        return self._spellings[key]

    def typed(self, field: Field) -> pl.Series:
        """Return its values as those of one of our columns, null where they are none."""
        values = self._read_as(field)
        return values.alias(field.name).to_frame().select(cast(field, values.dtype)).to_series()

    def misfits(self, field: Field) -> pl.Series:
        """Return the different texts of it that are no value of one of our columns, however they are spelled."""
        typed = self.typed(field)
        bad = typed.is_null()
        if field.minimum is not None and field.name not in ("query_position", "rank"):
            bad |= (typed < field.minimum).fill_null(value=False)
        if field.enum:
            bad |= ~typed.is_in(list(field.enum)).fill_null(value=True)
        return self.texts.filter(bad & self.texts.is_not_null()).unique(maintain_order=True)

    def share_of(self, texts: pl.Series) -> float:
        """Return the share of its values that are one of some texts."""
        return int(self.given.is_in(texts.implode()).sum()) / max(len(self.given), 1)

    def _read_as(self, field: Field) -> pl.Series:
        """Return its values as a study.toml that says how they are spelled gives them to one of our columns."""
        spelling = self.spelling(field)
        return self.values if spelling == PLAIN else respelled(self.texts, spelling, field)

    @property
    def times(self) -> pl.Series:
        """Its values as times, null where they are none."""
        issued = table("queries").by_name["issued_at"]
        values = self._read_as(issued)
        return values.alias(issued.name).to_frame().select(cast(issued, values.dtype)).to_series()

    def lacks_zone(self, field: Field) -> bool:
        """Return whether times in it, which feed one of our columns, carry no zone."""
        values = self._read_as(field)
        return bool(values.alias("t").to_frame().select(without_zone("t", values.dtype).any()).item())


def columns_of(sample: Sample) -> dict[str, SampleColumn]:
    """Return the columns of a sample by their names."""
    return {
        name: SampleColumn(
            name,
            place,
            sample.frame[name],
            sample.texts[name],
            made_of=sample.made.get(name),
            lower=sample.lower.get(name, ""),
            known_as=sample.known_as.get(name, ""),
        )
        for place, name in enumerate(sample.columns, 1)
    }
