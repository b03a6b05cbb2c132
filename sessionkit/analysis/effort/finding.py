"""The finding about effort: what a gain costs in documents and queries, and how far a measure's searcher goes."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from sessionkit.analysis.findings import Finding
from sessionkit.analysis.paper_tables import by_words, chosen_columns
from sessionkit.display.tables import TextTable


@dataclass(frozen=True, eq=False, repr=False)
class Effort(Finding):
    """What searchers do for a gain; made by `sessionkit.effort`.

    Parameters
    ----------
    reach
        Curves read horizontally, by the columns that make the groups and ``rank`` of the ideal: ``units`` (sessions, or
        lists of a measure of queries, that have an ideal), ``reached`` (those that come to gain what their ideal has
        gained at the rank) and their ``share``; ``documents`` and ``queries``: after how many results read, and queries
        asked, half of all units have it (null: fewer than half ever do); ``mean_documents`` and ``mean_queries`` of those
        that reach it, which grow fewer with the rank; ``mean_curve``: the place where the group's mean curve reaches the
        mean ideal's gain.
    plateau
        Where the ideal stops rising, which is J&K's rule for when to stop: all that is relevant would be found. By
        group: ``units``, ``mean``, ``median``, ``least`` and ``most`` (documents), ``beyond`` (units whose plateau
        lies beyond the cutoff) and ``gained``: the share of the ideal's gain that units have on average who stop there,
        or at the cutoff.
    searcher
        What the searcher looks at whom the discounts describe: ``horizon`` (``endless``: lists and sessions without end,
        null where the sum has none; a full list; ``as shown``: the study's own lists, by group), ``documents``,
        ``queries``, ``documents_per_query`` and ``cost``.
    against
        Curves read against that of one group, which ``against`` names, if that was asked for: after how many results
        (``mean_curve``, a place as in ``reach``; null: never) the group's mean curve has the ``gain`` that the mean curve of the other has
        at ``rank``, and how many ``more`` that are, as a share of the rank.
    spent
        By the columns that make the groups: ``along`` (results looked at, queries asked, minutes until the query that brought it was
        asked) and ``amount``, how many ``units`` had by then ``reached`` the `gain` in all, their ``share`` and its interval ``low`` to
        ``high`` (95%, Wilson's, which takes units to be independent of each other). Rows where a share rises. Of a measure of
        queries along results only; along minutes those sessions whose queries all have a time.
    chances
        By ``direction`` (rank, query) and ``place``: the chance to have ``seen`` it, that of one who has to go on
        (``goes_on``), and to stop there (``stops``).
    reading
        The finding in plain language.
    gain
        The gain of ``spent``; None where nothing gains anything.
    gain_source
        What this gain is, if it was not asked for, in words.
    measure, by, document_cost, query_cost
        As asked for.
    """

    reach: pl.DataFrame
    against: pl.DataFrame
    plateau: pl.DataFrame
    searcher: pl.DataFrame
    spent: pl.DataFrame
    chances: pl.DataFrame
    reading: str
    gain: float | None
    gain_source: str | None
    measure: str
    by: str | None
    document_cost: float
    query_cost: float

    @property
    def table(self) -> pl.DataFrame:
        """The curves read horizontally."""
        return self.reach

    def tables(self) -> dict[str, pl.DataFrame]:
        """Every table by name: ``reach``, ``against`` if asked for, ``plateau``, ``spent``, ``searcher``, ``chances``."""
        return {
            "reach": self.reach,
            **({"against": self.against} if len(self.against) else {}),
            "plateau": self.plateau,
            "spent": self.spent,
            "searcher": self.searcher,
            "chances": self.chances,
        }

    def paper_table(self) -> TextTable:
        """Effort by rank of the ideal as papers print it: how many come there, and after how many results and queries."""
        keys = self.reach.columns[: self.reach.columns.index("rank")]
        caption = (
            f"{self.measure}: results and queries until sessions have the gain of their ideal at a rank{by_words(keys)}; medians, "
            "of all n with an ideal"
        )
        headers = {"rank": "Ideal rank", "share": "Reached", "documents": "Results", "units": "n"}
        columns = [*keys, "rank", "share", "documents", "queries", "units"]
        return chosen_columns(caption, self.reach, columns, headers=headers)
