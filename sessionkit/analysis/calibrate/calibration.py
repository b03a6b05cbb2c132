"""The result of calibrating."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from sessionkit.analysis.findings import Finding
from sessionkit.analysis.paper_tables import chosen_columns, interval_heading
from sessionkit.display.tables import TextTable
from sessionkit.display.words import listed

TEXT, WHOLE, NUMBER, FLAG = pl.String(), pl.Int64(), pl.Float64(), pl.Boolean()
OF = {"model": TEXT, "form": TEXT, "criterion": TEXT}
PARAMETERS = pl.Schema(
    {**OF, "parameter": TEXT, "estimate": NUMBER, "low": NUMBER, "high": NUMBER, "interval": TEXT}
    | {"profile_low": NUMBER, "profile_high": NUMBER, "identified": FLAG, "note": TEXT}
)
FITS = pl.Schema(
    {**OF, "measure": TEXT, "ranks": WHOLE, "queries": WHOLE, "log_likelihood": NUMBER, "aic": NUMBER}
    | {
        "TSE": NUMBER,
        "TAE": NUMBER,
        "KL": NUMBER,
        "reach_rank_2": NUMBER,
        "reach_query_2": NUMBER,
        "depends_on_grid": FLAG,
    }
)
EXPECTED = pl.Schema(
    {"model": TEXT, "criterion": TEXT, "rank": WHOLE, "query_position": WHOLE, "observed": WHOLE, "expected": NUMBER}
)
GRIDS = pl.Schema(
    {"model": TEXT, "criterion": TEXT, "ranks": WHOLE, "queries": WHOLE, "parameter": TEXT, "estimate": NUMBER}
    | {"reach_rank_2": NUMBER, "reach_query_2": NUMBER}
)
EXAMINED = pl.Schema({"query_position": WHOLE, "rank": WHOLE, "looks": WHOLE, "lists": WHOLE, "share": NUMBER})


@dataclass(frozen=True, eq=False, repr=False)
class Calibration(Finding):
    """What `calibrate` found.

    Parameters
    ----------
    table
        ``model``, ``form`` (of the rank and the query discount), ``criterion`` (``likelihood``, ``TSE``, ``KL``),
        ``parameter``, ``estimate``, ``low``, ``high`` and their ``interval`` (its kind), ``profile_low`` and
        ``profile_high`` (as if lists and sessions were independent), ``identified`` and ``note``.
    fits
        A row per model and criterion: ``measure`` (text to score with; null where a parameter is not identified),
        ``ranks`` and ``queries`` (the grid), ``log_likelihood``, ``aic``, ``TSE``, ``TAE``, ``KL`` (bits) of these
        estimates, ``reach_rank_2`` and ``reach_query_2`` (the share of lists, and of sessions, that come there), and
        ``depends_on_grid``.
    expected
        ``model``, ``criterion``, ``rank``, ``query_position``, ``observed`` and ``expected`` looks.
    examined
        ``query_position``, ``rank``, ``looks`` (lists looked at down to this rank; of the signal clicks, clicks), ``lists`` (those
        that did not end before; of clicks all, of a table of clicks null) and ``share`` (Kaplan and Meier's, or clicks per list;
        null where it is unknown).
    grids
        ``model``, ``criterion``, ``ranks``, ``queries``, ``parameter``, ``estimate``, ``reach_rank_2``,
        ``reach_query_2``: the fit on this and other grids.
    reading
        What that means, in plain language; what cannot be told comes first.
    measures
        The fitted measures, of the stopping likelihood where there is one: ``sk.score(study, found.measures)``.
    warnings
        What cannot be told, and which fits depend on the grid; empty if all is well.
    signal, unmarked, min_dwell, ranks, queries, cut_short, units, confidence, draws, seed
        As given, or as settled.
    """

    table: pl.DataFrame
    fits: pl.DataFrame
    expected: pl.DataFrame
    examined: pl.DataFrame
    grids: pl.DataFrame
    reading: str
    measures: tuple[str, ...]
    warnings: tuple[str, ...]
    signal: str
    unmarked: str
    min_dwell: float
    ranks: int | None
    queries: int | None
    cut_short: str | None
    units: str
    confidence: float
    draws: int
    seed: int

    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables that are shown, by name; ``expected`` and ``examined`` have too many rows for that."""
        return {"parameters": self.table, "fits": self.fits, "grids": self.grids}

    def paper_table(self) -> TextTable:
        """The parameters as papers print them, with their intervals."""
        several = [name for name in ("form", "criterion") if self.table[name].n_unique() > 1]
        intervals = listed(self.table["interval"].drop_nulls().unique(maintain_order=True).to_list() or ["none"])
        caption = f"Parameters of discounts, fitted to {self.signal}; intervals: {intervals}"
        unknown = self.table.filter(~pl.col("identified"))["parameter"].unique(maintain_order=True).to_list()
        note = f"Not identified: {listed(unknown)}." if unknown else None
        columns = ["model", *several, "parameter", "estimate", "low", "high"]
        headers, interval = {"estimate": "Estimate"}, interval_heading(self.confidence)
        return chosen_columns(caption, self.table, columns, headers=headers, note=note, interval=interval)
