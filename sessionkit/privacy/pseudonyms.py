"""Pseudonyms whose order is drawn, so that neither order nor text gives a value away; those of judgment keys agree in every table."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sessionkit.arguments import StudyTable
from sessionkit.study.identifiers import LABELS, Column
from sessionkit.study.numbering import Lookup
from sessionkit.study.study import Study

DIGITS = 4
"""A label has at least so many."""


@dataclass(frozen=True)
class RandomOrder:
    """Where random orders come from: the system's generator of secrets, or, so that a copy can be made again, a seed."""

    seed: int | None = None

    def order(self, of: int, what: str) -> NDArray[np.int64]:
        """The numbers from 0 below `of` in random order; with a seed the same ones for the same `what`.

        >>> RandomOrder(7).order(3, "user_id").tolist() == RandomOrder(7).order(3, "user_id").tolist()
        True
        >>> sorted(RandomOrder().order(3, "user_id").tolist())
        [0, 1, 2]
        """
        if self.seed is None:
            drawn = np.frombuffer(secrets.token_bytes(8 * of), dtype=np.uint64)
        else:
            drawn = np.random.default_rng([self.seed, *what.encode()]).integers(2**64, size=of, dtype=np.uint64)
        return np.argsort(drawn, kind="stable")


@dataclass(frozen=True, eq=False)
class Names:
    """What stands in place of each of some distinct values.

    Parameters
    ----------
    values
        The values.
    labels
        What stands in place of each.
    """

    values: pl.Series
    labels: pl.Series

    def of(self, column: pl.Series) -> pl.Series:
        """The labels of a column's values; nulls and values without a label stay as they are."""
        found = self.labels.gather(self.rows(column))
        return pl.select(pl.coalesce(found, column).alias(column.name)).to_series()

    def taking(self, others: Iterable[Names]) -> Names:
        """The same, where values that others name as well have the first one's label.

        >>> users = Names(pl.Series(["ann"]), pl.Series(["user-0001"]))
        >>> topics = Names(pl.Series(["ann", "t"]), pl.Series(["topic-0001", "topic-0002"]))
        >>> topics.taking([users]).labels.to_list()
        ['user-0001', 'topic-0002']
        """
        taken = [names.labels.gather(names.rows(self.values)) for names in others]
        return Names(self.values, pl.select(pl.coalesce(*taken, self.labels)).to_series())

    def rows(self, column: pl.Series) -> pl.Series:
        """Which of the values each value of a column is; null where it is none."""
        return self._lookup.rows(column)

    @cached_property
    def _lookup(self) -> Lookup:
        """The values by their texts."""
        return Lookup.of(self.values)


def drawn(values: pl.Series, label: str, chance: RandomOrder, what: str, *, ordered: bool = False) -> Names:
    """Give each of some distinct texts a label with a number of its own.

    Parameters
    ----------
    values
        The texts; their own order makes no difference.
    label
        What the labels begin with.
    what
        What the texts are, for the seed.
    ordered
        Whether the labels stand in the order of the texts, and not in a random one.

    >>> names = drawn(pl.Series(["ann", "bob"]), "user-", RandomOrder(), "user_id")
    >>> sorted(names.of(pl.Series(["ann", None, "bob", "ann"])).drop_nulls().unique().to_list())
    ['user-0001', 'user-0002']
    >>> drawn(pl.Series(["b", "a"]), "judge-", RandomOrder(), "judge_id", ordered=True).of(pl.Series(["a", "b"])).to_list()
    ['judge-0001', 'judge-0002']
    """
    known = values.sort()
    number = np.arange(len(known)) if ordered else chance.order(len(known), what)
    digits = max(DIGITS, len(str(len(known))))
    text = pl.Series(number + 1).cast(pl.String).str.zfill(digits)
    return Names(known, pl.select(pl.lit(label) + text).to_series())


KEY = "judgment_key"
MADE_OF: dict[StudyTable, tuple[str, ...]] = {
    "sessions": ("topic_id", "session_id", "user_id"),
    "queries": ("query_text", "query_id", "session_id"),
}
"""What keys can be made of, by the table that has both; the first that fits."""


def names_of_keys(
    study: Study, domains: Mapping[Column, str], names: Mapping[str, Names], chance: RandomOrder
) -> Names:
    """Return what stands in place of each judgment key; no two keys become one.

    Parameters
    ----------
    domains
        The columns that are replaced, each with whose pseudonyms it takes.
    names
        These pseudonyms.
    """
    made: list[pl.DataFrame] = []
    for name, candidates in MADE_OF.items():
        if KEY not in study.columns(name):
            continue
        of = made_of(study, name, candidates)
        keys = _distinct(study, name)
        if of is None:
            continue
        taken = domains.get((name, of))
        labels = keys if taken is None else names[taken].of(keys)
        made.append(pl.DataFrame({"value": keys, "label": labels.alias("label"), "kept": taken is None}))
    every = pl.concat([_distinct(study, name) for name in (*MADE_OF, "judgments") if KEY in study.columns(name)])
    empty = pl.DataFrame(schema={"value": pl.String, "label": pl.String, "kept": pl.Boolean})
    # a text that is a topic here and a session there is replaced
    known = (
        pl.concat([empty, *made]).sort("kept", maintain_order=True).unique("value", keep="first", maintain_order=True)
    )
    others = every.unique().to_frame("value").join(known, on="value", how="anti")["value"]
    own = drawn(others, LABELS[KEY], chance, KEY)
    both = Names(pl.concat([known["value"], own.values]), pl.concat([known["label"], own.labels]))
    if both.labels.is_duplicated().any():  # a kept topic is called like a pseudonym
        return drawn(both.values, LABELS[KEY], chance, KEY)
    return both


def made_of(study: Study, name: StudyTable, candidates: tuple[str, ...]) -> str | None:
    """The column of a table of which its judgment keys are made; None where they are not made of one."""
    there = [column for column in candidates if column in study.columns(name)]
    same = study.table(name).select(is_always(KEY, column).alias(column) for column in there).collect()
    return next((column for column in there if same.item(0, column)), None)


def _distinct(study: Study, name: StudyTable) -> pl.Series:
    """The distinct judgment keys of a table."""
    return study.table(name).select(pl.col(KEY).drop_nulls().unique()).collect().to_series().alias("value")


def is_always(column: str, other: str) -> pl.Expr:
    """Whether a column of texts is another in every row in which it is known."""
    return (pl.col(column).is_null() | pl.col(column).eq_missing(pl.col(other))).all()
