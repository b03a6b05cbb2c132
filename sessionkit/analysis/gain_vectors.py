"""Gain vectors of Järvelin & Kekäläinen (TOIS 2002, Figures 1 to 4): mean CG, DCG, nCG or nDCG by rank, with the ideal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, cast

import polars as pl

from sessionkit.analysis.bands import DRAWS, OF_BAND, banded, resampling_of
from sessionkit.analysis.breakdown.reduction import BreakdownReduction, rank_values
from sessionkit.analysis.groups import Grouping
from sessionkit.analysis.numeric_ties import less
from sessionkit.display.frames import ResultFrame
from sessionkit.errors import MeasureError
from sessionkit.scoring import exact
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.cautions import tell_of_bound, tell_of_depth
from sessionkit.scoring.columns import columns_read, measure_of
from sessionkit.scoring.ideals import ideal_list
from sessionkit.scoring.measures.base import GainMeasure, Measure
from sessionkit.scoring.reduction import run
from sessionkit.scoring.results_filter import units, with_zeros
from sessionkit.scoring.score import By
from sessionkit.scoring.slots import require_cutoff
from sessionkit.study import Study
from sessionkit.study.restriction import Where
from sessionkit.study.session_subset import restricted
from sessionkit.study.study import guarded_read

SHOWN, IDEAL = "shown", "ideal"
OF_RANK = ("rank", "value", "ideal", "below_ideal", "share_below", "n_queries", "n_sessions")


@guarded_read
def gain_vectors(
    study: Study,
    measure: str | Measure,
    by: By = "system_id",
    *,
    where: Where = None,
    bands: bool = False,
    confidence: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
    memory: str | int | None = None,
) -> pl.DataFrame:
    """Average the gain of all logged queries by rank, and that of the best lists their topics allow.

    Parameters
    ----------
    study
        The study.
    measure
        A measure of queries with a cutoff: CG, DCG, nCG or nDCG with any of their parameters.
    by
        Columns to group sessions by, several as a list or joined by commas; None, or ``"all"``, all together.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.
    bands, confidence, draws, seed
        Whether each mean value has an interval, and of what kind; see `sessionkit.curve`.
    memory
        Memory to work within, see `sessionkit.score`.

    Returns
    -------
    polars.DataFrame
        The columns that make the groups, ``rank`` (1 to the cutoff), ``value`` (mean value cumulated to that rank, every query the same),
        ``ideal`` (the same of the ideal lists; 1 of a normalized measure), ``below_ideal`` (ideal less value), ``share_below`` (that as
        a share of the ideal; null where it is 0), ``n_queries`` and ``n_sessions`` (those
        averaged; undefined queries are left out). With bands ``low``, ``high`` (null with fewer than four units) and ``units`` (users or
        sessions with a value).

    Raises
    ------
    UsageError
        A column does not exist, no session is left, or bands are asked of more than 20,000 units.
    MeasureError
        The measure has no gain vector, or no cutoff.

    Examples
    --------
    Grades 1 and 3 are shown in the wrong order: cumulated 1, 4 of an ideal 3, 4.

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1, 1], "rank": [1, 2], "doc_id": ["a", "b"]},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": [1, 3]},
    ... )
    >>> gain_vectors(study, "CG@2").select("rank", "value", "ideal").rows()
    [(1, 1.0, 3.0), (2, 4.0, 4.0)]
    """
    study = restricted(study, where)
    measure = measure_of(study, measure)
    asked = measure.gain_measure
    if asked is None or asked.level != "query":
        raise MeasureError(f"{measure} has no gain vector; ask for CG, DCG, nCG or nDCG with a cutoff, such as DCG@10")
    require_cutoff(asked)
    grouping = Grouping.of(study, by, (*OF_RANK, *OF_BAND))
    tell_of_bound(asked)
    tell_of_depth(study, asked)
    task = VectorsReduction(asked, grouping, average="queries", reads=columns_read(study, [asked]))
    reduction = banded(study, task, resampling_of(bands=bands, confidence=confidence, draws=draws, seed=seed))
    return ResultFrame(grouping.keyed(run(study, [reduction], memory)[0]))


@dataclass(frozen=True, eq=False)
class VectorsReduction(BreakdownReduction):
    """Mean values of all queries by rank, and of their ideal lists."""

    place: ClassVar[tuple[str, ...]] = ("rank",)

    def parted(self, batch: SessionBatch, chosen: pl.DataFrame) -> pl.DataFrame:
        """Values of the queries and of their ideals, as two parts."""
        measure = cast("GainMeasure", self.measure)
        several = [rank_values(batch, measure).with_columns(part=pl.lit(SHOWN), order=pl.lit(0, pl.Int32))]
        if not measure.normalized:
            several.append(_ideals(batch, measure).with_columns(part=pl.lit(IDEAL), order=pl.lit(1, pl.Int32)))
        values = pl.concat(several).with_columns(single=pl.lit(value=False))
        return values.join(chosen, on="session", maintain_order="left")

    def unit_sums(self, added: pl.DataFrame) -> pl.DataFrame:
        """What each unit adds to the means of what was shown."""
        return super().unit_sums(added.filter(pl.col("part") == SHOWN))

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """``group``, ``rank``, ``value``, ``ideal``, ``n_queries``, ``n_sessions``."""
        both = super().whole(parts)
        best = both.filter(pl.col("part") == IDEAL).select("group", "rank", ideal="value")
        shown = both.filter(pl.col("part") == SHOWN)
        joined = shown.join(best, on=["group", "rank"], how="left", nulls_equal=True, maintain_order="left")
        ideal = pl.lit(1.0) if cast("GainMeasure", self.measure).normalized else pl.col("ideal")
        joined = joined.with_columns(ideal=ideal).with_columns(below_ideal=less(pl.col("ideal"), pl.col("value")))
        return joined.with_columns(share_below=exact.quotient(pl.col("below_ideal"), pl.col("ideal"))).select(
            "group", *OF_RANK
        )


def _ideals(batch: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
    """The ideal of every query cumulated to every rank, as `rank_values` has the queries' own values."""
    ranks = pl.int_ranges(1, pl.lit(measure.cutoff, pl.Int32) + 1, dtype=pl.Int32)
    places = units(batch, measure.selection).with_columns(rank=ranks).explode("rank", empty_as_null=False)
    best = ideal_list(batch, measure)
    running = exact.fixed(measure.contribution(pl.col("gain"))).fill_null(0).cum_sum()
    each = best.filter(pl.col("rank") <= measure.cutoff).sort("key", "rank").with_columns(ideal=running.over("key"))
    # ideal lists that end before the cutoff are held
    joined = places.join(each.select("key", "rank", "ideal"), on=["key", "rank"], how="left", maintain_order="left")
    held = pl.col("ideal").forward_fill().over("query")
    judged = pl.col("key").is_not_null()
    value = with_zeros(pl.when(judged).then(exact.unfixed(held.fill_null(0))), measure, judged)
    return joined.select("session", "query_position", "rank", value=value)
