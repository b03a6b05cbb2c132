"""Gain vectors of Järvelin & Kekäläinen (TOIS 2002, Figures 1 to 4): mean CG, DCG, nCG or nDCG by rank, with the ideal.

Shares of the ideal are averaged in one of two ways. The papers divide the mean vector by the mean ideal vector (``averages``; Research
Notes 2002-2, section 3.3, and TOIS 2002, section 3.3). A mean of nDCG is a mean of the queries' own shares (``each``), another number.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, cast

import polars as pl

from sessionkit.arguments import CurveNormalization, require_choice
from sessionkit.display.frames import ResultFrame
from sessionkit.errors import MeasureError, UsageError
from sessionkit.scoring import exact
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.filter import with_zeros
from sessionkit.scoring.ideals import ideal_list, rank_vectors, require_cutoff
from sessionkit.scoring.measures.base import GainMeasure, Measure
from sessionkit.scoring.needs import columns_read, measure_of, tell_of_bound, tell_of_depth
from sessionkit.scoring.reduction import run
from sessionkit.scoring.score import By
from sessionkit.sessions.breakdown import BreakdownReduction
from sessionkit.sessions.curve import NORMALIZE
from sessionkit.statistics.bands import DRAWS, OF_BAND, RATIO_WITHOUT_BANDS, Grouping, banded, resampling_of
from sessionkit.statistics.distributions import less
from sessionkit.study import Study
from sessionkit.study.restriction import Where
from sessionkit.study.selection import restricted
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
    normalize: CurveNormalization | None = None,
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
    normalize
        ``"none"``: mean gain; ``"each"``: mean of the queries' own shares of their ideal; ``"averages"``: mean gain divided by mean
        ideal, as the papers do (Research Notes 2002-2, Figures 3 and 4; TOIS 2002, Figures 3 and 4). Default: ``"each"`` for a
        normalized measure, ``"none"`` for others.
    bands, confidence, draws, seed
        Whether each mean value has an interval, and of what kind; see `sessionkit.curve`.
    memory
        Memory to work within, see `sessionkit.score`.

    Returns
    -------
    polars.DataFrame
        The columns that make the groups, ``rank`` (1 to the cutoff), ``value`` (mean gain cumulated to that rank, every query the same,
        or its share of the ideal), ``ideal`` (the same of the ideal lists; 1 for shares), ``below_ideal`` (ideal less value),
        ``share_below`` (that as a share of the ideal; null where it is 0), ``n_queries`` and ``n_sessions`` (those averaged; undefined
        queries are left out). With bands ``low``, ``high`` (null with fewer than four units) and ``units`` (users or sessions with a
        value).

    Raises
    ------
    UsageError
        A column or option does not exist, no session is left, or bands are asked of more than 20,000 units or of
        ``normalize="averages"``, a ratio of means.
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
    >>> gain_vectors(study, "CG@2", normalize="averages")["value"].round(4).to_list()
    [0.3333, 1.0]
    """
    study = restricted(study, where)
    measure = measure_of(study, measure)
    asked = measure.gain_measure
    if asked is None or asked.level != "query":
        raise MeasureError(f"{measure} has no gain vector; ask for CG, DCG, nCG or nDCG with a cutoff, such as DCG@10")
    require_cutoff(asked)
    grouping = Grouping.of(study, by, (*OF_RANK, *OF_BAND))
    if normalize is None:
        normalize = "each" if asked.normalized else "none"
    require_choice("normalize", normalize, NORMALIZE)
    if normalize != "none":
        asked.require_falling_discount()
        tell_of_bound(asked)
    tell_of_depth(study, asked)
    resampling = resampling_of(bands=bands, confidence=confidence, draws=draws, seed=seed)
    if resampling is not None and normalize == "averages":
        raise UsageError(RATIO_WITHOUT_BANDS)
    task = VectorsReduction(asked, grouping, average="queries", reads=columns_read(study, [asked]), normalize=normalize)
    return ResultFrame(grouping.keyed(run(study, [banded(study, task, resampling)], memory)[0]))


@dataclass(frozen=True, eq=False)
class VectorsReduction(BreakdownReduction):
    """Mean values of all queries by rank, and of their ideal lists.

    Parameters
    ----------
    normalize
        As `sessionkit.gain_vectors` has it.
    """

    normalize: str = "none"
    place: ClassVar[tuple[str, ...]] = ("rank",)

    def parted(self, batch: SessionBatch, chosen: pl.DataFrame) -> pl.DataFrame:
        """Values of the queries and of their ideals, as two parts; of the queries' own shares as one."""
        vectors = _vectors(batch, cast("GainMeasure", self.measure))
        parts = {SHOWN: exact.unfixed(pl.col("total")), IDEAL: exact.unfixed(pl.col("ideal"))}
        if self.normalize == "each":
            parts = {SHOWN: exact.quotient(pl.col("total"), pl.col("ideal"))}
        judged = pl.col("key").is_not_null()
        several = [
            vectors.select(
                "session",
                "query_position",
                "rank",
                value=with_zeros(pl.when(judged).then(value), self.measure, judged),
                part=pl.lit(part),
                order=pl.lit(order, pl.Int32),
            )
            for order, (part, value) in enumerate(parts.items())
        ]
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
        if self.normalize == "averages":
            joined = joined.with_columns(value=exact.quotient(pl.col("value"), pl.col("ideal")))
        ideal = pl.col("ideal") if self.normalize == "none" else pl.lit(1.0)
        joined = joined.with_columns(ideal=ideal).with_columns(below_ideal=less(pl.col("ideal"), pl.col("value")))
        return joined.with_columns(share_below=exact.quotient(pl.col("below_ideal"), pl.col("ideal"))).select(
            "group", *OF_RANK
        )


def _vectors(batch: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
    """Return gain and ideal gain of every query cumulated to every rank.

    Returns
    -------
    polars.DataFrame
        The columns of `rank_vectors`, with ``total`` and ``ideal`` at the fixed scale; in order.
    """
    shown = rank_vectors(batch, measure)
    if measure.normalized:
        return shown
    best = ideal_list(batch, measure)
    ideal = exact.fixed(measure.contribution(pl.col("gain")))
    places = shown.join(best.select("key", "rank", ideal=ideal), on=["key", "rank"], how="left", maintain_order="left")
    return places.with_columns(pl.col("ideal").fill_null(0).cum_sum().over("query"))
