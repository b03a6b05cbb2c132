"""Average session curves along the concatenated Top-X lists (ECIR 2008, Figures 2 to 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import ClassVar, Literal, get_args

import polars as pl

from sessionkit.analysis.bands import DRAWS, OF_BAND, banded, float_sums, resampling_of
from sessionkit.analysis.groups import Grouping
from sessionkit.choices import AfterStop, CurveNormalization
from sessionkit.display.frames import ResultFrame
from sessionkit.errors import UsageError, suggestion
from sessionkit.scoring import exact
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.cautions import tell_of_bound, tell_of_depth
from sessionkit.scoring.columns import columns_read
from sessionkit.scoring.curves import require_curve, session_vectors
from sessionkit.scoring.gain_histogram import GainHistogram
from sessionkit.scoring.gains import gain_expr
from sessionkit.scoring.ideals import ideal_list
from sessionkit.scoring.measures.base import GainMeasure, Measure
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.scoring.reduction import Reduction, run
from sessionkit.scoring.results_filter import counts_as_zero, logged_sessions, sessions_with_judgments, units
from sessionkit.scoring.score import By
from sessionkit.study import Study
from sessionkit.study.restriction import Where
from sessionkit.study.row_index import placed, where
from sessionkit.study.session_counts import last_queries
from sessionkit.study.session_subset import restricted

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
        tell_of_bound(task.measure, level=5)
    tell_of_depth(study, task.measure, level=5)


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
    asked = require_curve(parse_measure(measure))
    normalize = normalize or ("each" if asked.normalized and not asked.normalized_by_query else "none")
    for name, value, allowed in (("normalize", normalize, NORMALIZE), ("after_stop", after_stop, AFTER_STOP)):
        if value not in allowed:
            msg = f"{name} must be one of {', '.join(allowed)}, not {value!r}{suggestion(value, allowed)}"
            raise UsageError(msg)
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
            raise UsageError(
                "normalize=averages divides mean curves, which have no bands; each session's share has: normalize=each"
            )
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
