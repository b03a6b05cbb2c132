"""Average session curves along the concatenated Top-X lists (ECIR 2008, Figures 2 to 4), and where two groups differ along them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import ClassVar, Literal, get_args

import numpy as np
import polars as pl

from sessionkit.arguments import AfterStop, CurveNormalization, require_choice
from sessionkit.display.frames import ResultFrame
from sessionkit.display.labels import in_natural_order
from sessionkit.errors import UsageError, require_id, suggestion
from sessionkit.scoring import exact
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.filter import counts_as_zero, logged_sessions, sessions_with_judgments, units
from sessionkit.scoring.gains import gain_expr
from sessionkit.scoring.histogram import GainHistogram
from sessionkit.scoring.ideals import ideal_list, require_curve, session_vectors
from sessionkit.scoring.measures.base import GainMeasure, Measure
from sessionkit.scoring.needs import columns_read, measure_of, tell_of_bound, tell_of_depth
from sessionkit.scoring.reduction import Reduction, run
from sessionkit.scoring.score import By
from sessionkit.statistics.bands import (
    DRAWS,
    OF_BAND,
    RATIO_WITHOUT_BANDS,
    BandReduction,
    Grouping,
    banded,
    by_unit,
    drawn_means,
    ends,
    float_sums,
    group_text,
    in_units,
    met,
    names_of,
    resampling_of,
    unit_matrices,
    units_of,
    with_any,
)
from sessionkit.statistics.distributions import FEWEST, Resampling
from sessionkit.study import Study
from sessionkit.study.counts import last_queries
from sessionkit.study.numbering import placed, where
from sessionkit.study.restriction import Where
from sessionkit.study.selection import restricted
from sessionkit.study.study import guarded_read

NORMALIZE: tuple[CurveNormalization, ...] = get_args(CurveNormalization)
AFTER_STOP: tuple[AfterStop, ...] = get_args(AfterStop)


def curve(
    study: Study,
    measure: str | Measure,
    by: By = "system_id",
    *,
    where: Where = None,
    per: Literal["session"] | None = None,
    normalize: CurveNormalization | None = None,
    after_stop: AfterStop = "hold",
    bands: bool = False,
    confidence: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
    memory: str | int | None = None,
    cache: str | PathLike[str] | None = None,
) -> pl.DataFrame:
    """Average the cumulated gain of sessions after every slot of their concatenated lists.

    Parameters
    ----------
    study
        The study.
    measure
        A session measure with a cutoff, such as ``"sDCG@10"``; slots are counted in lists of that length.
    by
        Columns to group sessions by, several as a list or joined by commas; None, or ``"all"``, one curve for all.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.
    per
        ``"session"``: a curve for each, in place of means.
    normalize
        ``"none"``: mean gain; ``"each"``: mean of the sessions' own shares of their ideal (TOIS 2002);
        ``"averages"``: mean gain divided by mean ideal (Research Notes 2002-2, section 3.3). These last two are
        different numbers. Default: ``"each"`` for a normalized measure, ``"none"`` for others. ``nsDCG(normalize=query)`` is one of
        these others: the concatenated vectors of its queries are normalized already, each by its own ideal (ECIR 2008, section 2.2).
    after_stop
        ``"hold"``: a session that stops keeps its gain and its ideal to the end of the longest session looked at
        (ECIR 2008); ``"null"``: it leaves the average where it stops.
    bands
        Whether each mean has an interval: users are drawn with all their sessions (sessions, where no user is known to have several),
        the same draws for every slot. The intervals hold slot by slot, not for the whole curve at once.
    confidence
        Share of these intervals, from 0.5 to less than 1: percentile bootstrap, taken further out for few units (Hesterberg 2015).
    draws, seed
        Number of draws of units, 200 to 1,000,000, and their seed.
    memory
        Memory to work within, see `sessionkit.score`.
    cache
        A directory to keep partial results in, see `sessionkit.score`.

    Returns
    -------
    polars.DataFrame
        The columns that make the groups, ``slot`` (from 1), ``query_position`` and ``rank`` (of the slot; null where short lists make them
        differ between the group's sessions), ``value``, ``ideal`` (mean ideal gain; null where undefined) and ``n``
        (sessions averaged). With bands ``low`` and ``high`` (null with fewer than four units), ``units`` (users or sessions with a
        value) and ``searching`` (sessions of the group with this query or a later one; null where they differ in it).

    Raises
    ------
    UsageError
        If a column or option does not exist, no session is left, or the measure has no curve; of bands if there are more than
        20,000 units, or they are asked of single sessions or of ``normalize="averages"``, a ratio of means.

    Examples
    --------
    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": "s", "query_position": [1, 2, 2], "rank": [1, 1, 2], "doc_id": ["a", "c", "b"], "topic_id": "t"},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": [1, 3]},
    ... )
    >>> sk.curve(study, "sDCG(bq=2)@2").select("slot", "query_position", "rank", "value", "ideal").rows()
    [(1, 1, 1, 1.0, 3.0), (2, 1, 2, 1.0, 3.5), (3, 2, 1, 1.0, 5.0), (4, 2, 2, 1.75, 5.25)]
    """
    study = restricted(study, where)
    resampling = resampling_of(bands=bands, confidence=confidence, draws=draws, seed=seed)
    task = curve_reduction(study, measure, by, per=per, normalize=normalize, after_stop=after_stop)
    if resampling is not None:
        task.require_units()
    found = _averaged(study, task, banded(study, task, resampling), memory, cache).drop("stopped")
    return ResultFrame(
        found if resampling is None else with_searching(found, last_queries(study, [*task.grouping.keys]))
    )


def curve_with_stops(
    study: Study,
    measure: str | Measure,
    by: By = "system_id",
    *,
    where: Where = None,
    per: Literal["session"] | None = None,
    normalize: CurveNormalization | None = None,
    after_stop: AfterStop = "hold",
    memory: str | int | None = None,
    cache: str | PathLike[str] | None = None,
) -> pl.DataFrame:
    """The same as `curve`, with a column ``stopped``: whether every session of the group has stopped before this slot.

    Charts of single sessions mark with it where each searcher stopped.
    """
    study = restricted(study, where)
    task = curve_reduction(study, measure, by, per=per, normalize=normalize, after_stop=after_stop)
    return ResultFrame(_averaged(study, task, task, memory, cache))


def curve_task(
    study: Study,
    measure: str | Measure,
    by: By = "system_id",
    *,
    per: Literal["session"] | None = None,
    normalize: CurveNormalization | None = None,
    after_stop: AfterStop = "hold",
    bands: bool = False,
    confidence: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> Reduction:
    """What `curve` asks of a study, for whoever makes its parts elsewhere; the parameters and errors are the same."""
    task = curve_reduction(study, measure, by, per=per, normalize=normalize, after_stop=after_stop)
    return banded(study, task, resampling_of(bands=bands, confidence=confidence, draws=draws, seed=seed))


def _averaged(
    study: Study,
    task: CurveReduction,
    asked: Reduction,
    memory: str | int | None,
    cache: str | PathLike[str] | None,
) -> pl.DataFrame:
    """The table of curves that a reduction of these sessions comes to, by the columns that make the groups."""
    tell_of_curves(study, task)
    return task.grouping.keyed(run(study, [asked], memory, cache)[0])


def tell_of_curves(study: Study, task: CurveReduction) -> None:
    """Warn of what can be wrong with these curves; the caller to blame is three calls up."""
    if task.normalize == "each" or task.measure.normalized:
        tell_of_bound(task.measure)
    tell_of_depth(study, task.measure)


def with_searching(found: pl.DataFrame, lasts: pl.DataFrame) -> pl.DataFrame:
    """Curves with ``searching``: the sessions of the group that have the query of the slot, or a later one.

    Parameters
    ----------
    lasts
        ``last`` of every session, see `last_queries`, and the columns that make the groups.
    """
    keys = [name for name in lasts.columns if name != "last"]
    lasts = lasts.drop_nulls("last").group_by(*keys, "last").len("sessions")
    places = found.select(*keys, "query_position").unique().drop_nulls("query_position")
    both = places.join(lasts, on=keys, how="inner", nulls_equal=True) if keys else places.join(lasts, how="cross")
    counts = both.filter(pl.col("last") >= pl.col("query_position")).group_by(*keys, "query_position")
    searching = counts.agg(searching=pl.col("sessions").sum().cast(pl.Int64))
    known = found.join(searching, on=[*keys, "query_position"], how="left", nulls_equal=True, maintain_order="left")
    none = pl.col("query_position").is_not_null() & pl.col("searching").is_null()
    return known.with_columns(pl.when(none).then(0).otherwise("searching").alias("searching"))


def curve_reduction(
    study: Study,
    measure: str | Measure,
    by: By,
    *,
    per: Literal["session"] | None,
    normalize: CurveNormalization | None,
    after_stop: AfterStop,
) -> CurveReduction:
    """The mean curves that are asked for."""
    asked = require_curve(measure_of(study, measure))
    if normalize is None:
        normalize = "each" if asked.normalized and not asked.normalized_by_query else "none"
    for name, value, allowed in (("normalize", normalize, NORMALIZE), ("after_stop", after_stop, AFTER_STOP)):
        require_choice(name, value, allowed)
    if normalize != "none":
        asked.require_falling_discount()
    if per not in (None, "session"):
        raise UsageError(f"per must be session, not {per!r}; columns that make groups go to by")
    if per is not None and by != "system_id":
        raise UsageError(f"per=session gives a curve for every session, by={by} one for every group; drop one of them")
    grouping = Grouping.of(study, by, (*OF_SLOT, *OF_BANDS)) if per is None else Grouping({"session_id": pl.String()})
    return CurveReduction(asked, grouping, normalize, after_stop, columns_read(study, [asked]))


OF_SLOT = ("slot", "query_position", "rank", "value", "ideal", "n", "stopped")
OF_BANDS = (*OF_BAND, "searching")
"""What curves with bands have beside that."""
TERMS = ("total", "ideal", "share")
SUMS = [f"{name} sum" for name in TERMS]
COUNTS = [f"{name} n" for name in TERMS]
PLACES = ("query_position", "rank")
EXTENTS = ["stop", "end"]
SLOTS = pl.Schema(
    {
        "group": pl.String(),
        "slot": pl.Int32(),
        **dict.fromkeys(SUMS, pl.Decimal(38, 0)),
        **dict.fromkeys(COUNTS, pl.Int64()),
        **{f"{edge} {name}": pl.Int32() for name in PLACES for edge in ("least", "most")},
        **dict.fromkeys(EXTENTS, pl.Int64()),
    }
)
"""A part: a row per group and slot with what the slot adds to sums and counts, and the least and greatest place that
its sessions have there; slot 0 holds the last slots of the group's sessions and what stands before any slot."""


@dataclass(frozen=True, eq=False)
class CurveReduction:
    """Mean cumulated gain, ideal and share of the ideal after every slot, by group.

    Parameters
    ----------
    measure
        A session measure with a cutoff.
    grouping
        The sessions and their groups.
    normalize, after_stop
        As `sessionkit.curve` has them.
    reads
        Columns to read of results, by table.
    """

    measure: GainMeasure
    grouping: Grouping
    normalize: str = "none"
    after_stop: str = "hold"
    reads: Mapping[str, Sequence[str]] = field(default_factory=dict)
    place: ClassVar[tuple[str, ...]] = ("slot",)
    cumulated: ClassVar[bool] = True

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every batch is made of."""
        return {**self.reads, **self.grouping.columns()}  # measures with a curve read no columns of sessions

    @property
    def slots(self) -> int:
        """As how many results each query counts: as many as it has slots where every session's curve is laid out."""
        return 0 if self._adds_up() else int(self.measure.cutoff or 0)

    @property
    def columns_made(self) -> int:
        """Columns of numbers that are made of each slot."""
        return 1 if self._adds_up() else 4

    def part(self, batch: SessionBatch) -> pl.DataFrame:
        """What the batch's sessions add at every slot of their group."""
        every = self.grouping.sessions(batch)
        chosen = every.filter(logged_sessions(batch, self.measure.selection).gather(every["session"]))
        added = self._sums_by_slot(batch, chosen) if self._adds_up() else self._sums_of_vectors(batch, chosen)
        types = {name: SLOTS[name] for name in added.columns}
        # a group has a row, also where no list of any of its sessions was logged
        groups = every.select("group", slot=pl.lit(0, pl.Int32), stop=pl.lit(0, pl.Int64), end=pl.lit(0, pl.Int64))
        return pl.concat([SLOTS.to_frame(), added.cast(types), groups.unique()], how="diagonal")  # type: ignore[arg-type]

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """``group``, and the columns of `OF_SLOT`."""
        added = self.added([*parts]).with_columns(pl.col(SUMS).cast(pl.Int128))
        groups = added.filter(pl.col("slot") == 0).select("group", "stop")
        slots = pl.select(slot=pl.int_range(added.select(pl.col("end").max().fill_null(0)).item() + 1, dtype=pl.Int32))
        every = groups.join(slots, how="cross")
        every = every.join(added.drop(EXTENTS), on=["group", "slot"], how="left", nulls_equal=True)
        every = every.sort("group", "slot")
        sums = every.with_columns(pl.col([*SUMS, *COUNTS]).fill_null(0).cum_sum().over("group"))
        means = self._means(sums.filter(pl.col("slot") > 0))
        place = [self._place(name) for name in PLACES]
        means = means.with_columns(stopped=pl.col("slot") > pl.col("stop"))
        return means.with_columns(place).select("group", *OF_SLOT)

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one."""
        together = pl.concat([SLOTS.to_frame(), *parts]).with_columns(pl.col(SUMS).cast(pl.Int128))
        once = together.group_by("group", "slot").agg(
            pl.col([*SUMS, *COUNTS]).sum(),
            pl.col("^least .*$").min(),
            pl.col("^most .*$").max(),
            pl.col(EXTENTS).max(),
        )
        return once.select(SLOTS.names()).cast(dict(SLOTS))  # type: ignore[arg-type]

    def require_units(self) -> None:
        """Refuse means that are none of units: the curves of single sessions, and ratios of means."""
        if self.normalize == "averages":
            raise UsageError(RATIO_WITHOUT_BANDS)
        if "session_id" in self.grouping.keys:
            raise UsageError("per=session gives a curve for every session, which has no band; drop one of them")

    def unit_sums(self, added: pl.DataFrame) -> pl.DataFrame:
        """What each unit adds at every slot; what stands before any slot, at the first."""
        term = "share" if self.normalize == "each" else "total"
        slot = pl.max_horizontal("slot", pl.lit(1, pl.Int32)).alias("slot")
        return added.select("group", "unit", slot, *float_sums(f"{term} sum", f"{term} n"))

    def _means(self, sums: pl.DataFrame) -> pl.DataFrame:
        """Mean curves from sums and counts."""

        def mean(name: str) -> pl.Expr:
            return exact.quotient(exact.unfixed(pl.col(f"{name} sum")), pl.col(f"{name} n"))

        value = {
            "none": mean("total"),
            "each": mean("share"),
            "averages": exact.quotient(pl.col("total sum"), pl.col("ideal sum")),
        }
        counted = "share n" if self.normalize == "each" else "total n"
        return sums.with_columns(value=value[self.normalize], ideal=mean("ideal"), n=pl.col(counted))

    def _place(self, name: str) -> pl.Expr:
        """Query position or rank of a slot, null where the group's sessions differ in it."""
        if self._padded:
            batch = (pl.col("slot") - 1) // self.measure.cutoff
            place = batch + 1 if name == "query_position" else pl.col("slot") - batch * self.measure.cutoff
            return place.cast(pl.Int32).alias(name)
        least, most = pl.col(f"least {name}"), pl.col(f"most {name}")
        return pl.when(least == most).then(least).alias(name)

    @property
    def _padded(self) -> bool:
        """Whether every query has as many slots as the cutoff."""
        return self.measure.list_slots == "pad"

    def _adds_up(self) -> bool:
        """Whether the mean curve needs no session's own curve: sums over sessions cumulate as their curves do."""
        if self.measure.normalized_by_query:
            return False
        return self.normalize != "each" and self.after_stop == "hold" and self._padded and self.measure.repeats_ideal

    def _sums_by_slot(self, batch: SessionBatch, chosen: pl.DataFrame) -> pl.DataFrame:
        """Sums and counts from the results and ideal lists at every slot, over the sessions of each group."""
        measure, selection = self.measure, self.measure.selection
        cutoff = int(measure.cutoff or 0)
        known = chosen.with_columns(defined=sessions_with_judgments(batch, selection).gather(chosen["session"]))
        totals = self._totals_by_slot(batch, known.filter("defined").select("session", "group"))
        asked = units(batch, selection)
        row = where(chosen["session"], len(batch.sessions)).gather(asked["session"])
        queries = asked.with_columns(known[name].gather(row) for name in ("group", "defined"))
        queries = queries.filter(pl.col("defined").is_not_null())
        places = queries.filter("defined", pl.col("key").is_not_null())
        places = places.group_by("group", "key", "query_position").agg(many=pl.len().cast(pl.Int128))
        worth = exact.fixed(measure.contribution(pl.col("gain"))) * pl.col("many")
        ideals = (
            places.with_columns(offset=(pl.col("query_position").cast(pl.Int64) - 1) * cutoff)
            .join(ideal_list(batch, measure).filter(pl.col("rank") <= cutoff), on="key")
            .group_by("group", slot=(pl.col("offset") + pl.col("rank")).cast(pl.Int32))
            .agg(worth.sum().alias("ideal sum"))
        )
        last = queries.group_by("group").agg(end=pl.col("query_position").max().cast(pl.Int64) * cutoff)
        counted = pl.len() if measure.unjudged_topics == "zero" else pl.col("defined").sum()
        groups = known.group_by("group").agg(
            counted.cast(pl.Int64).alias("total n"), pl.col("defined").sum().cast(pl.Int64).alias("ideal n")
        )
        groups = groups.join(last, on="group", how="left", nulls_equal=True).with_columns(
            pl.col("end").fill_null(0), slot=pl.lit(0, pl.Int32), stop=pl.col("end").fill_null(0)
        )
        return pl.concat([totals, ideals, groups], how="diagonal")

    def _totals_by_slot(self, batch: SessionBatch, sessions: pl.DataFrame) -> pl.DataFrame:
        """What the results of some sessions (``session``, ``group``) add at every slot of their group."""
        measure, selection = self.measure, self.measure.selection
        groups = sessions.select("group").unique().with_row_index("number")
        number = sessions.join(groups, on="group", how="left", nulls_equal=True, maintain_order="left")["number"]
        cells = GainHistogram.of(batch, selection, [measure])
        held = cells.held(placed(number, sessions["session"], len(batch.sessions)))
        offset = (pl.col("query_position").cast(pl.Int64) - 1) * int(measure.cutoff or 0)
        gain = gain_expr(pl.col("grade"), measure.gain, measure.min_grade)
        places = cells.places.with_columns(offset=offset).select(
            slot=(pl.col("offset") + pl.col("rank")).cast(pl.Int32), worth=exact.fixed(measure.contribution(gain))
        )
        added = held.hstack(places.select(pl.all().gather(held["cell"]))).group_by("group", "slot")
        totals = added.agg((pl.col("worth") * pl.col("many")).sum().alias("total sum")).rename({"group": "number"})
        return totals.join(groups, on="number").drop("number")

    def _sums_of_vectors(self, batch: SessionBatch, chosen: pl.DataFrame) -> pl.DataFrame:
        """Sums and counts from the curve of every session, as what each slot adds to them."""
        vectors = session_vectors(batch, self.measure)
        extents = vectors.group_by("session").agg(pl.col("own", "end").first(), some=pl.col("ideal").last() > 0)
        judged = sessions_with_judgments(batch, self.measure.selection).gather(chosen["session"])
        known = chosen.with_columns(judged=judged).join(extents, on="session", how="left", maintain_order="left")
        # an ideal of more queries than the session has can know of relevant documents where its own have none
        some = pl.col("some").fill_null(value=False)
        judged_or_some = pl.col("judged") | some
        defined = some if self.measure.normalized_by_query else judged_or_some
        is_zero = counts_as_zero(self.measure, judged_or_some)
        known = known.with_columns(pl.col("own", "end").fill_null(0), defined=defined, is_zero=is_zero)
        row = where(known["session"], len(batch.sessions)).gather(vectors["session"])
        levels = vectors.drop("end").with_columns(known[name].gather(row) for name in ("group", "defined", "is_zero"))
        levels = levels.filter(row.is_not_null()) if row.null_count() else levels
        steps, stood = self._steps(levels)
        edges = [
            pl.col(name).min().alias(f"least {name}") if edge == "least" else pl.col(name).max().alias(f"most {name}")
            for name in ([] if self._padded else PLACES)
            for edge in ("least", "most")
        ]
        adding = pl.col([*SUMS, *COUNTS]).sum()
        sums = [steps.lazy().group_by("group", "slot").agg(adding, *edges).collect()]
        if self.after_stop == "null":
            # the slot after a session's last one takes from the sums what the session had there
            gone = stood.with_columns(pl.col("slot") + 1, pl.col(*SUMS, *COUNTS) * -1)
            sums.append(gone.group_by("group", "slot").agg(adding))
        else:
            sums.append(self._without_slots(known))
        groups = known.group_by("group").agg(stop=pl.col("own").max(), end=pl.col("end").max())
        return pl.concat([*sums, groups.with_columns(slot=pl.lit(0, pl.Int32))], how="diagonal")

    def _steps(self, levels: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
        """What every slot adds to a session's terms and counts, and the terms and counts at its own last slot."""
        if self.after_stop == "null":
            levels = levels.filter(pl.col("slot") <= pl.col("own"))
        levels = levels.with_columns(pl.when("defined").then(pl.col("total", "ideal"))).with_columns(**self._terms())
        now = {f"{name} n": pl.col(name).is_not_null().cast(pl.Int64) for name in TERMS}
        now |= {f"{name} sum": pl.col(name).fill_null(0) for name in TERMS}
        levels = levels.select("group", "slot", "own", *PLACES, **now)
        first = pl.col("slot") == 1
        steps = levels.with_columns(
            pl.col(name) - pl.when(~first).then(pl.col(name).shift(1)).otherwise(0) for name in now
        )
        return steps, levels.filter(pl.col("slot") == pl.col("own")).drop("own", *PLACES)

    def _without_slots(self, known: pl.DataFrame) -> pl.DataFrame:
        """Counts of sessions that occupy no slot: they have gained nothing from the start, and are held there."""
        bare = known.filter(pl.col("end") == 0)
        counts = {
            "total n": pl.col("defined") | pl.col("is_zero"),
            "ideal n": pl.col("defined"),
            "share n": pl.col("is_zero"),
        }
        counts = {name: is_counted.sum().cast(pl.Int64) for name, is_counted in counts.items()}
        return bare.group_by("group").agg(**counts, slot=pl.lit(0, pl.Int32))

    def _terms(self) -> dict[str, pl.Expr]:
        """What is averaged: ``total``, and ``share``, the quotient of total and ideal at the fixed scale."""
        share = exact.fixed(exact.quotient(pl.col("total"), pl.col("ideal")))
        terms = {"total": pl.col("total"), "share": share}
        return {
            name: pl.when(term.is_not_null() | ~pl.col("is_zero")).then(term).otherwise(0)
            for name, term in terms.items()
        }


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
