"""Ranked half life: how deep a searcher goes for half of what a list has to give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from sessionkit.choices import MedianLimit
from sessionkit.scoring import exact
from sessionkit.scoring.measures.base import QueryMeasure

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists


@dataclass(frozen=True, repr=False, kw_only=True)
class RankedHalfLife(QueryMeasure):
    """RHL: the median rank of the list's gain, interpolated as the median of grouped data.

    Lower is better; range (0, no bound). The median class is the first rank where the cumulated gain reaches half of
    the list's total n: RHL = L + (n / 2 - gain cumulated before it) / its gain. L is the rank above, rank - 1, with
    ``limit=above``, the default, as the paper has it; ``limit=real`` is the real limit of statistics books,
    rank - 0.5. Only what the list has counts, not what it lacks: a cutoff changes n and with it the median. Null where
    nothing in the list gains.

    Source: Borlund & Ingwersen, SIGIR 1998 (the formula is from memory, not checked against the text; Research Notes
    2002-2 call it the median point of accumulated relevance).

    Gains 3, 2, 3, 0, 0, 1, 2, 2, 3: n = 16, the median class is rank 3: 2 + (8 - 5) / 3 = 3

    >>> import sessionkit as sk
    >>> grades = [3, 2, 3, 0, 0, 1, 2, 2, 3]
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 9, "query_position": [1] * 9, "rank": range(1, 10), "doc_id": list("abcdefghi")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 9, "doc_id": list("abcdefghi"), "grade": grades},
    ... )
    >>> sk.score(study, ["RHL@9", "RHL(limit=real)@9"], per="query").get_column("value").to_list()
    [3.0, 3.5]
    """

    name = "RHL"
    direction = "lower"
    higher_grade_can_lower = True
    formula = (
        "L + (n / 2 - gain above the median class) / gain of the median class; n: gain of the list, L: its rank - 1"
    )
    meaning = "rank at which half of the list's gain is reached"
    source = "Borlund & Ingwersen, SIGIR 1998 [formula from memory]"
    undefined_where = "no judgments for their key, or nothing in the list that gains"
    without = ("undefined", "unjudged_topics")

    gain: str = "linear"
    limit: MedianLimit = "above"

    def values(self, lists: Lists) -> pl.Series:
        """Half life of every list."""
        unit = exact.fixed(pl.col("gain"))
        rows = lists.gaining(self.gain, self.min_grade).select("list", "rank", unit=unit).sort("list", "rank")
        rows = rows.with_columns(upto=pl.col("unit").cum_sum().over("list"), all=pl.col("unit").sum().over("list"))
        above = pl.col("upto") - pl.col("unit")
        median = rows.filter(exact.reaches(2 * pl.col("upto"), pl.col("all")), ~exact.reaches(2 * above, pl.col("all")))
        inside = exact.quotient(pl.col("all") - 2 * above, 2 * pl.col("unit"))
        limit = pl.col("rank") - (1.0 if self.limit == "above" else 0.5)
        found = median.select("list", value=limit + inside)
        return lists.queries.select("list").join(found, on="list", how="left", maintain_order="left")["value"]


RHL = RankedHalfLife()
FAMILY = (RHL,)
