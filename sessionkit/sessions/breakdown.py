"""Last against earlier queries, and other ways to part a session's queries (ECIR 2008, section 3.2 and Figure 1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import ClassVar, get_args

import polars as pl

from sessionkit.arguments import Part, PartAverage, require_choice
from sessionkit.display.frames import ResultFrame
from sessionkit.errors import MeasureError
from sessionkit.scoring import exact
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.execution import query_values
from sessionkit.scoring.filter import with_zeros
from sessionkit.scoring.ideals import rank_vectors, require_cutoff
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.direction import MeasureDirection
from sessionkit.scoring.needs import columns_read, measure_of, tell_of_bound, tell_of_depth
from sessionkit.scoring.reduction import Reduction, run
from sessionkit.scoring.score import By
from sessionkit.statistics.bands import DRAWS, OF_BAND, Grouping, banded, float_sums, resampling_of
from sessionkit.statistics.distributions import is_highest
from sessionkit.study import Study
from sessionkit.study.restriction import Where
from sessionkit.study.selection import restricted
from sessionkit.study.study import guarded_read

PARTS: tuple[Part, ...] = get_args(Part)
AVERAGES: tuple[PartAverage, ...] = get_args(PartAverage)


@guarded_read
def breakdown(
    study: Study,
    measure: str | Measure,
    parts: Part = "last",
    *,
    average: PartAverage = "sessions",
    by: By = "system_id",
    where: Where = None,
    bands: bool = False,
    confidence: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
    memory: str | int | None = None,
    cache: str | PathLike[str] | None = None,
) -> pl.DataFrame:
    """Average the value of queries by rank, in parts of their sessions.

    By default the two parts of a session are compared within it: each session of two or more queries gives one value to
    either part, such as that of its last query and the mean of its others, and both are averaged over the same sessions.
    At the cutoff these are the means that `sessionkit.breakdown_tests` tests.

    Parameters
    ----------
    study
        The study.
    measure
        A measure with a cutoff whose value builds up rank by rank: CG, DCG, nCG, nDCG, or sDCG, whose query discount
        then applies (the paper's Figure 1 is ``sDCG@100``), or ``nsDCG(normalize=query)``. Of another measure of queries
        that takes a cutoff, such as ``P@10``, the value at a rank is the one with that rank as the cutoff.
    parts
        ``"last"``: last and non-last queries; ``"first"``: first and later; ``"position"``: by query position;
        ``"best"``: each session's best query (the earliest of equals, by its value at the cutoff) and the rest. The best
        value is the lowest of a measure of which lower is better, such as E.
    average
        ``"sessions"``: the queries of a session's part are averaged first, over sessions of two or more queries with a
        value in both parts (by position, over all sessions). ``"queries"``: all queries are pooled and count the same, the
        form of ECIR 2008; long sessions weigh more in one part, and sessions of one query are in ``last``, ``first`` or
        ``best`` alone. The two can differ in sign: the paper's System 1 has 60 last queries, and 92 others in 32 sessions.
    by
        Columns to group sessions by, several as a list or joined by commas; None, or ``"all"``, all together.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.
    bands, confidence, draws, seed
        Whether each mean has an interval, and of what kind; see `sessionkit.curve`.
    memory
        Memory to work within, see `sessionkit.score`.
    cache
        A directory to keep partial results in, see `sessionkit.score`.

    Returns
    -------
    polars.DataFrame
        The columns that make the groups, ``part``, ``rank`` (1 to the cutoff), ``value`` (mean value cumulated to that rank), ``n_queries``
        and ``n_sessions`` (those averaged; undefined queries are left out), ``single_query_sessions`` (how many of these
        sessions have one query), ``left_out_single_query`` (sessions left out since they have one query) and
        ``left_out_undefined`` (sessions left out since a part has no value, or no query was logged). With bands ``low``, ``high`` (null
        with fewer than four units) and ``units`` (users or sessions with a value).

    Raises
    ------
    UsageError
        If an option or column does not exist, the measure has no value by query and rank, or bands are asked of more than 20,000
        units.

    Examples
    --------
    Session r finds nothing, then grade 2 at rank 1; session s has one query, which finds nothing:

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": list("rrs"), "query_position": [1, 2, 1], "rank": [1] * 3, "doc_id": list("aba"), "topic_id": ["t"] * 3},
    ...     judgments={"judgment_key": ["t"], "doc_id": ["b"], "grade": [2]},
    ... )
    >>> sk.breakdown(study, "DCG@1").select("part", "value", "n_sessions", "left_out_single_query").rows()
    [('last', 2.0, 1, 1), ('non-last', 0.0, 1, 1)]

    Pooled, the only query of session s is a last one:

    >>> sk.breakdown(study, "DCG@1", average="queries").select("part", "value", "n_queries", "single_query_sessions").rows()
    [('last', 1.0, 2, 1), ('non-last', 0.0, 1, 0)]
    """
    study = restricted(study, where)
    task = _reduction(study, measure, parts, by=by, average=average)
    asked = banded(study, task, resampling_of(bands=bands, confidence=confidence, draws=draws, seed=seed))
    tell_of_bound(task.measure)
    tell_of_depth(study, task.measure)
    return ResultFrame(task.grouping.keyed(run(study, [asked], memory, cache)[0]))


def breakdown_task(
    study: Study,
    measure: str | Measure,
    parts: Part = "last",
    *,
    by: By = "system_id",
    average: PartAverage = "sessions",
    bands: bool = False,
    confidence: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> Reduction:
    """What `breakdown` asks of a study, for whoever makes its parts elsewhere; the parameters and errors are the same."""
    task = _reduction(study, measure, parts, by=by, average=average)
    return banded(study, task, resampling_of(bands=bands, confidence=confidence, draws=draws, seed=seed))


def _reduction(
    study: Study, measure: str | Measure, parts: Part, *, by: By, average: PartAverage
) -> BreakdownReduction:
    """The means that are asked for."""
    asked = _require_ranks(measure_of(study, measure))
    for name, value, allowed in (("parts", parts, PARTS), ("average", average, AVERAGES)):
        require_choice(name, value, allowed)
    if parts == "best":
        MeasureDirection.of(asked).require(asked, "parts=best")
    grouping = Grouping.of(study, by, (*OF_PART, *OF_BAND))
    return BreakdownReduction(asked, grouping, parts, average, columns_read(study, [asked]))


def _require_ranks(measure: Measure) -> Measure:
    """Return the measure if its value builds up by rank within each query, or say what to ask for instead."""
    if not measure.has_ranks:
        measure.require_parameters()
        inside = measure.inner
        fits = inside.has_ranks and not inside.normalized_by_session
        advice = f"the measure inside: {inside @ (inside.cutoff or 10)}" if fits else "DCG@10 or nDCG@10"
        msg = f"{measure} has no value by query and rank; ask for {advice}"
        raise MeasureError(msg)
    if measure.normalized_by_session:
        better = measure(normalize="query", ideal="repeated", ideal_queries="session")
        msg = (
            f"{measure} is divided by the ideal of the whole session; ask for {better}, or nDCG@{measure.cutoff or 10}"
        )
        raise MeasureError(msg)
    require_cutoff(measure.inner)
    return measure.inner


TWO_PARTS = {"last": ("last", "non-last"), "first": ("first", "later"), "best": ("best", "rest")}
"""The two parts of a session, by what cuts it."""
PLACE = ["group", "part", "order", "rank"]
SAID = ["n_queries", "n_sessions", "single_query_sessions", "left_out_single_query", "left_out_undefined"]
OF_PART = ("part", "rank", "value", *SAID)
COUNTS = ["n", *SAID]
RANKS = pl.Schema(
    {
        "group": pl.String(),
        "part": pl.String(),
        "order": pl.Int32(),
        "rank": pl.Int32(),
        "total": pl.Decimal(38, 0),
        **dict.fromkeys(COUNTS, pl.Int64()),
    }
)
"""A part: the sum of the values that are averaged, how many they are, the queries and sessions they stand for, how many of
these sessions are of one query, and how many sessions are left out, as of one query or undefined; a row of rank 0 for
every group, also one without a query."""


@dataclass(frozen=True, eq=False)
class BreakdownReduction:
    """Mean value of queries by rank, in parts of their sessions.

    Parameters
    ----------
    measure
        A measure with a cutoff whose value builds up by rank, or has one for every cutoff.
    grouping
        The sessions and their groups.
    parts, average
        As `sessionkit.breakdown` has them.
    reads
        Columns to read of results, by table.
    """

    measure: Measure
    grouping: Grouping
    parts: str = "last"
    average: str = "sessions"
    reads: Mapping[str, Sequence[str]] = field(default_factory=dict)
    place: ClassVar[tuple[str, ...]] = ("part", "rank")
    cumulated: ClassVar[bool] = False

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every batch is made of."""
        grouped = self.grouping.columns()
        tables = dict.fromkeys((*self.reads, *grouped))
        return {name: [*self.reads.get(name, ()), *grouped.get(name, ())] for name in tables}

    @property
    def slots(self) -> int:
        """As how many results each query counts: it has a row for every rank."""
        return int(self.measure.cutoff or 0)

    @property
    def columns_made(self) -> int:
        """Columns of numbers that are made of each rank."""
        return 4

    def part(self, batch: SessionBatch) -> pl.DataFrame:
        """Sums over the batch's queries."""
        chosen = self.grouping.sessions(batch)
        parts = self.parted(batch, chosen)
        value, session = pl.col("value"), pl.col("session")
        outside = RANKS.to_frame()
        if self.average == "sessions":
            if self.parts in TWO_PARTS:
                outside = self._outside(parts, chosen)
                parts = parts.filter(~pl.col("single"))
            parts = parts.group_by(*PLACE, "session", "single").agg(
                value=exact.mean(value), n_queries=value.count().cast(pl.Int64)
            )
            if self.parts in TWO_PARTS:
                both = (value.is_not_null().all() & (pl.len() == len(TWO_PARTS[self.parts]))).over("session", "rank")
                parts = parts.with_columns(pl.when(both).then(pl.col("value", "n_queries")))
        else:
            parts = parts.with_columns(n_queries=value.is_not_null().cast(pl.Int64))
        known = session.filter(value.is_not_null())
        sums = parts.group_by(PLACE).agg(
            total=exact.fixed(value).sum().cast(pl.Decimal(38, 0)),
            n=value.count().cast(pl.Int64),
            n_queries=pl.col("n_queries").sum(),
            n_sessions=known.n_unique().cast(pl.Int64),
            single_query_sessions=session.filter(value.is_not_null() & pl.col("single")).n_unique().cast(pl.Int64),
            left_out_undefined=(session.n_unique() - known.n_unique()).cast(pl.Int64),
        )
        groups = chosen.select("group").unique().with_columns(rank=pl.lit(0, pl.Int32))
        return pl.concat([RANKS.to_frame(), sums, outside, groups], how="diagonal")

    def _outside(self, parts: pl.DataFrame, chosen: pl.DataFrame) -> pl.DataFrame:
        """Sessions without two queries to compare, counted in both parts at every rank."""
        single = parts.filter("single").get_column("session").unique().implode()
        none = ~pl.col("session").is_in(parts.get_column("session").unique().implode())
        outside = chosen.select("group", one=pl.col("session").is_in(single), none=none)
        counted = outside.group_by("group").agg(
            left_out_single_query=pl.col("one").sum().cast(pl.Int64),
            left_out_undefined=pl.col("none").sum().cast(pl.Int64),
        )
        names = TWO_PARTS[self.parts]
        both = pl.DataFrame({"part": names, "order": range(len(names))}, schema_overrides={"order": pl.Int32})
        ranks = pl.select(rank=pl.int_range(1, self.slots + 1, dtype=pl.Int32))
        return counted.join(both, how="cross").join(ranks, how="cross")

    def parted(self, batch: SessionBatch, chosen: pl.DataFrame) -> pl.DataFrame:
        """Values of the chosen sessions' queries by rank: ``part``, ``order``, and whether the session has no other query."""
        values = rank_values(batch, self.measure)
        single = values.filter(pl.col("rank") == 1).group_by("session").agg(single=pl.len() == 1)
        values = values.join(chosen, on="session", maintain_order="left")
        return _parts(
            values.join(single, on="session", maintain_order="left"), self.parts, MeasureDirection.of(self.measure)
        )

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """``group``, ``part``, ``rank``, ``value``, and the counts: queries, sessions, sessions left out."""
        added = self.added([*parts]).filter(pl.col("rank") > 0)
        value = exact.quotient(exact.unfixed(pl.col("total").cast(pl.Int128)), pl.col("n"))
        means = added.with_columns(value=value).sort("group", "order", "rank")
        return means.select("group", *OF_PART)

    def unit_sums(self, added: pl.DataFrame) -> pl.DataFrame:
        """What each unit adds to the means."""
        return added.filter(pl.col("rank") > 0).select("group", "unit", "part", "rank", *float_sums("total", "n"))

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one."""
        sums = pl.concat([RANKS.to_frame(), *parts]).with_columns(pl.col("total").cast(pl.Int128))
        once = sums.group_by(PLACE).agg(pl.col("total", *COUNTS).sum())
        return once.select(RANKS.names()).cast(dict(RANKS))  # type: ignore[arg-type]


def rank_values(batch: SessionBatch, measure: Measure) -> pl.DataFrame:
    """Value of every query cumulated to every rank: ``session``, ``query_position``, ``rank``, ``value`` (null where
    undefined), in order.
    """
    if measure.gain_measure is None:
        return _cut_at_every_rank(batch, measure)
    measure = measure.gain_measure
    built = rank_vectors(batch, measure)
    judged = pl.col("key").is_not_null()
    value = exact.quotient(pl.col("total"), pl.col("ideal")) if measure.normalized else exact.unfixed(pl.col("total"))
    value = with_zeros(pl.when(judged).then(value), measure, judged)
    return built.select("session", "query_position", "rank", value=value)


def _cut_at_every_rank(batch: SessionBatch, measure: Measure) -> pl.DataFrame:
    """Value of every query with every rank as the cutoff."""
    values = []
    for rank in range(1, int(measure.cutoff or 0) + 1):
        cut = measure @ rank
        found = query_values(batch, [cut])[cut]
        values.append(found.select("query", "session", "query_position", pl.lit(rank, pl.Int32).alias("rank"), "value"))
    return pl.concat(values).sort("query", "rank").drop("query")


def _parts(values: pl.DataFrame, cut: str, direction: MeasureDirection) -> pl.DataFrame:
    """Name the part of its session that each query is, and the order in which parts are listed."""
    position = pl.col("query_position")
    if cut == "position":
        return values.with_columns(part=position.cast(pl.String), order=position)
    if cut == "best":
        end = values.filter(pl.col("rank") == pl.col("rank").max())
        chosen = best_position(direction).fill_null(position.min())
        best = end.group_by("session", maintain_order=True).agg(chosen=chosen)
        values = values.join(best, on="session").with_columns(inside=position == pl.col("chosen"))
    else:
        edge = position.max() if cut == "last" else position.min()
        values = values.with_columns(inside=position == edge.over("session"))
    names = TWO_PARTS[cut]
    part = pl.when("inside").then(pl.lit(names[0])).otherwise(pl.lit(names[1]))
    return values.with_columns(part=part, order=(~pl.col("inside")).cast(pl.Int32))


def best_position(direction: MeasureDirection) -> pl.Expr:
    """Position of the best query of a session, the earliest of equals; null where no query has a value."""
    merit = direction.merit(pl.col("value").cast(pl.Float64))
    return pl.col("query_position").filter(is_highest(merit)).min()
