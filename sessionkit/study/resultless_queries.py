"""Queries without result rows: how many there are, what that does to scores, and above which share it is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from sessionkit.display.numbers import share_text
from sessionkit.study.facts import Facts
from sessionkit.study.study import Study

USUAL_SHARE = 0.1
"""The share of queries without result rows up to which nothing is said."""
NAMED_GROUPS = 4
"""Groups that a sentence names, those with the largest shares."""
MOST_GROUPS = 20
"""Groups up to which they are compared by these shares: of many groups, such as topics, few queries each have no such share."""
REMEDY = "without_results, missing_positions, empty_list or results_status in study.toml"
"""Where it is said what became of the lists."""


@dataclass(frozen=True)
class MissingLists:
    """Queries of a study without result rows.

    Parameters
    ----------
    queries
        All queries.
    empty
        Queries that returned nothing: they count, with the value 0.
    not_logged
        Queries whose list was not logged: measures of relevance leave them out.
    results
        Rows of results; without any the whole log has no lists, which is said elsewhere.
    """

    queries: int
    empty: int
    not_logged: int
    results: int

    @classmethod
    def of(cls, facts: Facts) -> MissingLists:
        """Count them in the facts of a study."""
        return cls(facts.queries, facts.empty, facts.not_logged, facts.results)

    @property
    def missing(self) -> int:
        """Queries without result rows."""
        return self.empty + self.not_logged

    @property
    def are_frequent(self) -> bool:
        """Whether more queries than `USUAL_SHARE` have no result rows, in a log that has results."""
        return self.results > 0 and self.missing > USUAL_SHARE * self.queries

    @property
    def share(self) -> float:
        """The share of queries without result rows."""
        return self.missing / self.queries if self.queries else 0.0

    @property
    def effect(self) -> str:
        """What becomes of them in scores.

        >>> MissingLists(20, 15, 1, 9).effect
        '15 returned nothing and have the value 0, 1 was not logged and is left out of measures of relevance'
        """
        n_empty, n_unlogged = self.empty, self.not_logged
        clauses = [
            f"{n_empty:,} returned nothing and {'has' if n_empty == 1 else 'have'} the value 0" if n_empty else "",
            f"{n_unlogged:,} {'was' if n_unlogged == 1 else 'were'} not logged and "
            f"{'is' if n_unlogged == 1 else 'are'} left out of measures of relevance"
            if n_unlogged
            else "",
        ]
        return ", ".join(filter(None, clauses))

    @property
    def warning(self) -> str:
        """Count, share, effect and remedy in a sentence.

        >>> MissingLists(20, 3, 0, 9).warning.partition("; ")[0]
        'queries: 3 of 20 (15.0%) have no result rows'
        """
        return (
            f"queries: {self.missing:,} of {self.queries:,} ({share_text(self.share)}) have no result rows; {self.effect}; "
            f"if that is wrong, correct {REMEDY} and ingest again"
        )


def shares_by_group(study: Study, groups: pl.LazyFrame) -> list[tuple[str, float]]:
    """Return the share of queries without result rows in each group, the largest first; groups without queries are left out.

    Parameters
    ----------
    groups
        ``session_id`` and ``group``, a text; sessions without a group are left out.
    """
    has_no_rows = pl.col("results_status").is_in(["empty", "not_logged"])
    of_sessions = study.queries.group_by("session_id").agg(n=pl.len(), n_missing=has_no_rows.sum())
    of_groups = (
        of_sessions.join(groups.drop_nulls("group"), on="session_id")
        .group_by("group")
        .agg(pl.col("n", "n_missing").sum())
    )
    shares = of_groups.select("group", share=pl.col("n_missing") / pl.col("n"))
    return shares.sort("share", "group", descending=[True, False]).collect().rows()


def differing_shares(shares: Sequence[tuple[str, float]]) -> str:
    """Return the shares of groups in words, the largest first; empty where all are alike.

    >>> differing_shares([("map", 0.5), ("list", 0.125)])
    'map 50.0%, list 12.5%'
    """
    if len({share for _, share in shares}) < 2:
        return ""
    named = [f"{group} {share_text(share)}" for group, share in shares[:NAMED_GROUPS]]
    n_more = len(shares) - len(named)
    return ", ".join([*named, *([f"{n_more:,} more up to {share_text(shares[NAMED_GROUPS][1])}"] if n_more else [])])


def warning_of_groups(by: str, shares: Sequence[tuple[str, float]]) -> str | None:
    """Return that groups differ in the share of queries without result rows, if one has more than `USUAL_SHARE`; else None."""
    differing = differing_shares(shares)
    if not differing or shares[0][1] <= USUAL_SHARE or len(shares) > MOST_GROUPS:
        return None
    return (
        f"queries without result rows by {by}: {differing}; differences between these groups may come from this alone"
    )
