"""When in a session one group is ahead: differences of mean curves, slot by slot."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from os import PathLike

import numpy as np
import polars as pl

from sessionkit.analysis.bands import (
    DRAWS,
    BandReduction,
    by_unit,
    drawn_means,
    ends,
    in_units,
    met,
    names_of,
    unit_matrices,
    units_of,
    with_any,
)
from sessionkit.analysis.bootstrap import FEWEST, Resampling
from sessionkit.analysis.curve import curve_reduction, tell_of_curves, with_searching
from sessionkit.analysis.groups import Grouping, group_text
from sessionkit.choices import AfterStop, CurveNormalization
from sessionkit.display.frames import ResultFrame
from sessionkit.display.natural_order import in_natural_order
from sessionkit.errors import UsageError, require_id, suggestion
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.reduction import run
from sessionkit.study import Study
from sessionkit.study.restriction import Where
from sessionkit.study.session_counts import last_queries
from sessionkit.study.session_subset import restricted
from sessionkit.study.study import guarded_read

COLUMNS = (
    "a", "b", "slot", "query_position", "rank", "mean_a", "mean_b", "estimate", "low", "high", "n_a", "n_b", "units",
    "searching_a", "searching_b",
)  # fmt: skip


@guarded_read
def curve_differences(
    study: Study,
    measure: str | Measure,
    by: str = "system_id",
    *,
    against: str | None = None,
    where: Where = None,
    normalize: CurveNormalization | None = None,
    after_stop: AfterStop = "hold",
    confidence: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
    memory: str | int | None = None,
    cache: str | PathLike[str] | None = None,
) -> pl.DataFrame:
    """Subtract one group's mean curve from that of every other, slot by slot: when in the session is one of them ahead?

    Parameters
    ----------
    study
        The study.
    measure
        A session measure with a cutoff, such as ``"nsDCG@10"``.
    by
        Column of the sessions or users to group by. Sessions without a value in it are left out.
    against
        The group that is subtracted, ``a`` in the table; by default the first in natural order.
    where, normalize, after_stop, memory, cache
        As `sessionkit.curve` has them.
    confidence
        Share of the intervals, from 0.5 to less than 1: percentile bootstrap, as of the bands of `sessionkit.curve`.
    draws, seed
        Number of draws of units, 200 to 1,000,000, and their seed. Users are drawn with all their sessions (sessions, where no user
        is known to have several); the same draw counts for both groups, so that users who searched with both are paired.

    Returns
    -------
    polars.DataFrame
        A row per pair of groups and slot: ``a``, ``b``, ``slot``, ``query_position`` and ``rank`` (null where short lists make them
        differ), ``mean_a``, ``mean_b``, ``estimate`` (b minus a, unadjusted) with its interval ``low`` to ``high`` (null with
        fewer than four units of either group),
        ``n_a`` and ``n_b`` (sessions averaged), ``units`` (users or sessions with a value in either),
        ``searching_a`` and ``searching_b`` (sessions with this query or a later one). The intervals hold slot by slot,
        not for the whole curve at once.

    Raises
    ------
    UsageError
        A column, group or option does not exist, there are fewer than two groups, the measure has no curve, there are more than
        20,000 units, or ``normalize="averages"``, a ratio of means, is asked for.

    Examples
    --------
    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s", "t", "t"], "query_position": 1, "rank": [1, 1, 2], "doc_id": ["a", "x", "a"]},
    ...     sessions={"session_id": ["s", "t"], "topic_id": ["t", "t"], "system_id": ["A", "B"]},
    ...     judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    ... )
    >>> sk.curve_differences(study, "sDCG(discount=none)@2").select("a", "b", "slot", "mean_a", "mean_b", "estimate").rows()
    [('A', 'B', 1, 1.0, 0.0, -1.0), ('A', 'B', 2, 1.0, 1.0, 0.0)]
    """
    study = restricted(study, where)
    resampling = Resampling(draws, seed, confidence=confidence)
    task = curve_reduction(study, measure, by, per=None, normalize=normalize, after_stop=after_stop)
    grouping = Grouping.of(study, by, COLUMNS, several=False)
    task = replace(task, grouping=grouping)
    task.require_units()
    tell_of_curves(study, task)
    unit = "user_id" if units_of(study).name == "users" else None
    found = run(study, [DifferenceReduction(in_units(study, task, unit), resampling, against)], memory, cache)[0]
    return ResultFrame(_with_searching(study, next(iter(grouping.keys)), found).select(COLUMNS))


@dataclass(frozen=True, eq=False)
class DifferenceReduction(BandReduction):
    """Differences of means, with bands by draws that count for both groups.

    Parameters
    ----------
    against
        The group that is subtracted from the others; None, the first.
    """

    against: str | None = None

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """`COLUMNS` without the sessions still searching."""
        added = by_unit(self.added([*parts])).filter(pl.col("group").is_not_null())
        table = self.means.whole([added.drop("unit")])
        sums = with_any(self.means.unit_sums(added))
        groups = in_natural_order(table.get_column("group").unique())
        if len(groups) < 2:
            found = f"there is only {groups[0]}" if groups else "no session has one"
            raise UsageError(f"a difference needs two groups, and {found}; group by another column")
        first = groups[0] if self.against is None else self.against
        require_id("against", first, groups)
        if first not in groups:
            known = ", ".join(groups[:20])
            raise UsageError(f"there is no group {first!r} to subtract{suggestion(first, groups)}; groups: {known}")
        return pl.concat([self._difference(table, sums, first, group) for group in groups if group != first])

    def _difference(self, table: pl.DataFrame, sums: pl.DataFrame, a: str, b: str) -> pl.DataFrame:
        """The difference of two groups at every place."""
        own = sums.filter(pl.col("group").is_in([a, b]))
        names, rows = names_of(own), {group: table.filter(pl.col("group") == group) for group in (a, b)}
        places = rows[a].select(self.means.place)
        several = [
            unit_matrices(own.filter(pl.col("group") == group), names, places, cumulated=self.means.cumulated)
            for group in (a, b)
        ]
        drawn_a, drawn_b = drawn_means(several, self.resampling)
        units = met(several[0][1] + several[1][1])
        low, high = ends(drawn_b - drawn_a, units, self.resampling.confidence)
        few = np.minimum(*(met(own_units) for _, own_units in several)) < FEWEST
        low, high = (np.where(few, np.nan, end) for end in (low, high))
        bands = places.with_columns(
            low=pl.Series(low).fill_nan(None), high=pl.Series(high).fill_nan(None), units=pl.Series(units)
        )
        both = rows[a].join(rows[b], on=self.means.place, suffix="_b", maintain_order="left")
        place = [
            pl.when(pl.col(name) == pl.col(f"{name}_b")).then(name).alias(name) for name in ("query_position", "rank")
        ]
        return both.join(bands, on=self.means.place, maintain_order="left").select(
            pl.lit(a).alias("a"),
            pl.lit(b).alias("b"),
            *self.means.place,
            *place,
            pl.col("value").alias("mean_a"),
            pl.col("value_b").alias("mean_b"),
            (pl.col("value_b") - pl.col("value")).alias("estimate"),
            "low",
            "high",
            pl.col("n").alias("n_a"),
            "n_b",
            "units",
        )


def _with_searching(study: Study, key: str, found: pl.DataFrame) -> pl.DataFrame:
    """Differences with ``searching_a`` and ``searching_b``: the sessions of each group that have the query of the slot, or a later one."""
    lasts = last_queries(study, [key]).with_columns(group_text(key).alias(key))
    for side in "ab":
        found = with_searching(found, lasts.rename({key: side})).rename({"searching": f"searching_{side}"})
    return found
