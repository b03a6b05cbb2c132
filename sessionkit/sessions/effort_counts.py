"""The counts and sums behind effort: what each unit needed for the gain of its ideal at every rank, and the tables made of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
import polars as pl

from sessionkit.arguments import EffortUnit
from sessionkit.display.labels import natural_sort
from sessionkit.scoring import exact
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.filter import gaining_rows, logged_sessions, sessions_with_judgments, units
from sessionkit.scoring.histogram import require_numbers
from sessionkit.scoring.ideals import ideal_list, session_vectors
from sessionkit.scoring.lists import Lists, TimedLists
from sessionkit.scoring.measures.base import GainMeasure, Measure
from sessionkit.scoring.searcher import Searcher
from sessionkit.statistics.bands import Grouping
from sessionkit.statistics.distributions import less, wilson
from sessionkit.study.counts import TIMES

COUNTED = ["group", "what", "rank", "documents", "queries"]
PART = pl.Schema(
    {
        "group": pl.String(),
        "what": pl.String(),
        "rank": pl.Int64(),
        "documents": pl.Int64(),
        "queries": pl.Int64(),
        "many": pl.Int64(),
        "total": pl.Decimal(38, 0),
        "ideal": pl.Decimal(38, 0),
    }
)
"""A part: by group and ``what``. ``reach``: units that needed so many documents and queries (null: never) for the ideal's
gain at a rank; ``curve``: sums of gain and ideal at a place; ``plateau``: units whose ideal stops rising there (in
``documents`` -1 where that is beyond the cutoff), and the sum of the shares that they have gained by then; ``looked``:
sums of the results and queries that a searcher looks at; ``units``: all units. Those of `ALONG`: units by how much of it they needed
for a gain (in ``rank``; null: they never had it)."""
ALONG: tuple[EffortUnit, ...] = get_args(EffortUnit)


@dataclass(frozen=True, eq=False)
class EffortReduction:
    """Documents and queries needed, plateaus, and what a searcher looks at.

    Parameters
    ----------
    measure
        A gain measure with a cutoff, or any whose discounts describe a searcher.
    grouping
        The sessions and their groups.
    searcher
        Whom the measure's discounts describe, if anybody.
    reads
        Columns to read, by table.
    gain
        The gain that units come to; None, nothing is told of it.
    timed
        Whether queries have times.
    """

    measure: Measure
    grouping: Grouping
    searcher: Searcher | None
    reads: Mapping[str, Sequence[str]]
    gain: float | None = None
    timed: bool = False

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every batch is made of."""
        grouped = self.grouping.columns()
        return {name: [*self.reads.get(name, ()), *grouped.get(name, ())] for name in {**self.reads, **grouped}}

    @property
    def slots(self) -> int:
        """Every query has a row for every rank, and for every rank another is looked up."""
        return 2 * int(self.measure.cutoff or 0)

    @property
    def columns_made(self) -> int:
        """Vectors, and what is counted of them."""
        return 12

    @property
    def curved(self) -> GainMeasure | None:
        """The measure, if it has curves to read."""
        return self.measure.gain_measure if self.measure.cutoff is not None else None

    def part(self, batch: SessionBatch) -> pl.DataFrame:
        """Counts and sums of the batch's units."""
        chosen = self.grouping.sessions(batch)
        every = [self._looked(batch, chosen)]
        if self.curved is not None:
            every += self._read(batch, chosen, self.curved)
        return pl.concat([PART.to_frame(), *every], how="diagonal_relaxed").select(PART.names()).cast(dict(PART))  # type: ignore[arg-type]

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one."""
        sums = pl.concat([PART.to_frame(), *parts]).with_columns(pl.col("total", "ideal").cast(pl.Int128))
        once = sums.group_by(COUNTED).agg(pl.col("many", "total", "ideal").sum())
        return once.select(PART.names()).cast(dict(PART))  # type: ignore[arg-type]

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """The same as a part, of all sessions, in order."""
        return self.grouping.named(self.added([*parts])).sort(COUNTED)

    def _read(self, batch: SessionBatch, chosen: pl.DataFrame, measure: GainMeasure) -> list[pl.DataFrame]:
        """Curves read horizontally, as means, and to the plateau."""
        vectors = unit_vectors(batch, measure).join(chosen, on="session", how="inner", maintain_order="left")
        ends = vectors.group_by("unit", maintain_order=True).agg(pl.col("ideal").last().alias("end"))
        vectors = vectors.join(
            ends.filter(pl.col("end") > 0).select("unit"), on="unit", how="semi", maintain_order="left"
        )
        groups = vectors.select("unit", "group").unique("unit", maintain_order=True)
        own = vectors.filter(pl.col("documents").is_not_null())
        found = []
        for rank in range(1, int(measure.cutoff or 0) + 1):
            target = vectors.filter(pl.col("slot") == rank).select("unit", target="ideal")
            reached = own.join(target, on="unit").filter(
                exact.reaches(pl.col("total"), pl.col("target")), pl.col("target") > 0
            )
            first = reached.group_by("unit", maintain_order=True).agg(pl.col("documents", "queries").first())
            needed = groups.join(target.filter(pl.col("target") > 0).select("unit"), on="unit", how="semi")
            needed = needed.join(first, on="unit", how="left")
            counts = needed.group_by("group", "documents", "queries").agg(many=pl.len())
            found.append(counts.with_columns(what=pl.lit("reach"), rank=pl.lit(rank, pl.Int64)))
        sums = [pl.col(name).sum().cast(pl.Decimal(38, 0)) for name in ("total", "ideal")]
        if measure.level == "query":
            curve = vectors.group_by("group", rank=pl.col("slot").cast(pl.Int64)).agg(*sums, many=pl.len())
            found.append(curve.with_columns(what=pl.lit("curve")))
        found.append(self._plateau(batch, measure, vectors, groups))
        return found if self.gain is None else [*found, *self._needed(batch, measure, own, groups, self.gain)]

    def _needed(
        self, batch: SessionBatch, measure: GainMeasure, own: pl.DataFrame, groups: pl.DataFrame, gain: float
    ) -> list[pl.DataFrame]:
        """How many results, queries and minutes units needed for a gain."""
        enough = own.filter(exact.reaches(pl.col("total"), exact.fixed(pl.lit(gain))))
        first = enough.group_by("unit", maintain_order=True).agg(pl.col("documents", "queries").first())
        needed = groups.join(first, on="unit", how="left")
        counts = {"results": needed.rename({"documents": "amount"})}
        if measure.level == "session":
            counts["queries"] = needed.rename({"queries": "amount"})
            if self.timed:
                counts["minutes"] = _minutes(batch, measure, needed)
        return [
            rows.group_by("group", rank="amount").agg(many=pl.len()).with_columns(what=pl.lit(along))
            for along, rows in counts.items()
        ]

    def _plateau(
        self, batch: SessionBatch, measure: GainMeasure, vectors: pl.DataFrame, groups: pl.DataFrame
    ) -> pl.DataFrame:
        """Where ideals stop rising, and what units have gained by then."""
        level = plateaus(batch, measure).join(groups, on="unit", how="inner")
        stop = pl.min_horizontal("plateau", pl.lit(int(measure.cutoff or 0), pl.Int64))
        at = level.with_columns(slot=stop.cast(pl.Int32))
        here = vectors.select("unit", "slot", "total", "ideal")
        at = at.join(here, on=["unit", "slot"], how="inner").filter(pl.col("ideal") > 0)
        share = exact.fixed(exact.quotient(pl.col("total"), pl.col("ideal"))).cast(pl.Int128)
        beyond = pl.when(pl.col("plateau") > pl.col("slot")).then(-1).otherwise(0).cast(pl.Int64)
        counts = at.with_columns(share=share, documents=beyond).group_by("group", "documents", rank="plateau")
        found = counts.agg(many=pl.len(), total=pl.col("share").sum().cast(pl.Decimal(38, 0)))
        return found.with_columns(what=pl.lit("plateau"))

    def _looked(self, batch: SessionBatch, chosen: pl.DataFrame) -> pl.DataFrame:
        """What the searcher looks at of the lists that were shown: results in ``total``, queries in ``ideal``."""
        selection = self.measure.selection
        lists = Lists(batch, selection).queries.select("session", "query_position", "length")
        lists = lists.join(chosen, on="session", how="inner", maintain_order="left")
        logged = chosen.filter(logged_sessions(batch, selection).gather(chosen["session"]))
        unit = logged if self.measure.level == "session" else lists
        counts = unit.group_by("group").agg(many=pl.len()).with_columns(what=pl.lit("units"))
        if self.searcher is None or not len(lists):
            return counts
        position = (
            lists["query_position"].to_numpy()
            if self.measure.level == "session"
            else np.ones(len(lists), dtype=np.int64)
        )
        length = lists["length"].to_numpy()
        seen = self.searcher.seen(int(position.max()), max(1, self.measure.cutoff or int(length.max(initial=1))))
        upto = np.concatenate([np.zeros((len(seen), 1)), seen.cumsum(axis=1)], axis=1)
        results = upto[position - 1, length]
        queries = (
            np.ones(len(lists))
            if self.searcher.queries is None
            else self.searcher.queries.seen(int(position.max()))[position - 1]
        )
        sums = lists.select("group").with_columns(total=pl.Series(results), ideal=pl.Series(queries))
        sums = sums.group_by("group").agg(
            exact.fixed(pl.col("total", "ideal")).sum().cast(pl.Decimal(38, 0)), many=pl.len()
        )
        return pl.concat([counts, sums.with_columns(what=pl.lit("looked"))], how="diagonal")


def _minutes(batch: SessionBatch, measure: GainMeasure, needed: pl.DataFrame) -> pl.DataFrame:
    """Whole minutes, rounded up, until the query that brought the gain was asked; sessions with a query without time are left out."""
    lists = Lists(batch, measure.selection, TIMES)
    asked = lists.queries.select("session", "query_position").with_columns(seconds=TimedLists(lists).issued)
    every = asked.group_by(unit="session").agg(known=pl.col("seconds").is_not_null().all())
    timed = needed.join(every.filter("known").select("unit"), on="unit", how="semi")
    places = asked.select("seconds", unit="session", queries=pl.col("query_position").cast(pl.Int64))
    found = timed.join(places, on=["unit", "queries"], how="left")
    return found.with_columns(amount=(pl.col("seconds") / 60).ceil().cast(pl.Int64))


def unit_vectors(batch: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
    """Cumulated sums of every unit that has judgments: sessions of a session measure, lists of one of queries.

    Returns
    -------
    polars.DataFrame
        ``unit``, ``session``, ``slot``, ``total``, ``ideal`` (cumulated, at the fixed scale), ``documents`` and
        ``queries`` (read up to this place; null beyond the unit's own end), ``length`` (results that the unit shows within
        the cutoff).
    """
    vectors = _sessions(batch, measure) if measure.level == "session" else _lists(batch, measure)
    return vectors.select("unit", "session", "slot", "total", "ideal", "documents", "queries", "length")


def _lengths(batch: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
    """The lists that count: ``query``, ``session``, ``key``, ``length`` and ``before`` (results of the session's earlier
    lists).
    """
    lists = Lists(batch, measure.selection).queries.select("query", "session", "key", "length")
    before = (pl.col("length").cum_sum() - pl.col("length")).over("session")
    return lists.with_columns(before=before)


def _sessions(batch: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
    """Vectors of sessions."""
    known = sessions_with_judgments(batch, measure.selection)
    vectors = session_vectors(batch, measure)
    vectors = vectors.filter(known.gather(vectors["session"]))
    lengths = _lengths(batch, measure)
    places = lengths.with_columns(batch.queries["query_position"].gather(lengths["query"]))
    places = places.select("session", "query_position", "before", "length")
    whole = lengths.group_by("session").agg(pl.col("length").sum().alias("shown"))
    found = vectors.join(places, on=["session", "query_position"], how="left", maintain_order="left")
    found = found.join(whole, on="session", how="left", maintain_order="left")
    own = pl.col("slot") <= pl.col("own")
    return found.with_columns(
        unit="session",
        documents=pl.when(own).then(pl.col("before") + pl.min_horizontal(pl.col("rank"), pl.col("length"))),
        queries=pl.when(own).then(pl.col("query_position")).cast(pl.Int64),
        length=pl.col("shown").fill_null(0),
    )


def _lists(batch: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
    """Vectors of lists."""
    lists = _lengths(batch, measure).filter(pl.col("key").is_not_null())
    cutoff = int(measure.cutoff or 0)
    slots = pl.int_ranges(1, pl.lit(cutoff, pl.Int32) + 1, dtype=pl.Int32)
    places = lists.with_columns(slot=slots).explode("slot", empty_as_null=False)
    gaining = gaining_rows(batch, measure)
    require_numbers(measure, gaining)
    gained = gaining.select(
        "query", slot=pl.col("rank").cast(pl.Int32), total=exact.fixed(measure.contribution(pl.col("gain")))
    )
    best = ideal_list(batch, measure).filter(pl.col("rank") <= cutoff)
    best = best.select("key", "rank", ideal=exact.fixed(measure.contribution(pl.col("gain"))))
    best = best.rename({"rank": "slot"})
    found = places.join(gained, on=["query", "slot"], how="left", maintain_order="left")
    found = found.join(best, on=["key", "slot"], how="left", maintain_order="left")
    sums = [pl.col(name).fill_null(0).cum_sum().over("query") for name in ("total", "ideal")]
    own = pl.col("slot") <= pl.col("length")
    return found.with_columns(
        *sums,
        unit="query",
        documents=pl.when(own).then(pl.col("slot")).cast(pl.Int64),
        queries=pl.when(own).then(1).cast(pl.Int64),
    )


def plateaus(batch: SessionBatch, measure: GainMeasure) -> pl.DataFrame:
    """Where the ideal of every unit stops rising: ``unit``, ``plateau`` (documents that gain in the recall base of its
    key; of a session the key of its first list).
    """
    best = ideal_list(batch, measure).group_by("key").agg(plateau=pl.col("rank").max().cast(pl.Int64))
    of = units(batch, measure.selection).filter(pl.col("key").is_not_null())
    if measure.level == "session":
        of = of.sort("query").unique("session", keep="first", maintain_order=True)
    name = "session" if measure.level == "session" else "query"
    found = of.select(pl.col(name).alias("unit"), "key").join(best, on="key", how="inner")
    return found.select("unit", "plateau")


MOST = 100
"""Places of the table of chances."""
REACH = pl.Schema(
    {
        "group": pl.String(),
        **dict.fromkeys(("rank", "units", "reached"), pl.Int64()),
        "share": pl.Float64(),
        "documents": pl.Int64(),
        "queries": pl.Int64(),
        "mean_documents": pl.Float64(),
        "mean_queries": pl.Float64(),
        "mean_curve": pl.Int64(),
    }
)
PLATEAU = pl.Schema(
    {
        "group": pl.String(),
        "units": pl.Int64(),
        "mean": pl.Float64(),
        **dict.fromkeys(("median", "least", "most", "beyond"), pl.Int64()),
        "gained": pl.Float64(),
    }
)
SEARCHER = pl.Schema(
    {
        **dict.fromkeys(("horizon", "group"), pl.String()),
        **dict.fromkeys(("documents", "queries", "documents_per_query", "cost"), pl.Float64()),
    }
)
SPENT = pl.Schema(
    {
        **dict.fromkeys(("group", "along"), pl.String()),
        **dict.fromkeys(("amount", "reached", "units"), pl.Int64()),
        **dict.fromkeys(("share", "low", "high"), pl.Float64()),
    }
)
CHANCES = pl.Schema(
    {"direction": pl.String(), "place": pl.Int64(), **dict.fromkeys(("seen", "goes_on", "stops"), pl.Float64())}
)


AGAINST = pl.Schema(
    {
        **dict.fromkeys(("group", "against"), pl.String()),
        "rank": pl.Int64(),
        "gain": pl.Float64(),
        "mean_curve": pl.Int64(),
        "more": pl.Float64(),
    }
)


def reach_table(counts: pl.DataFrame, curves: pl.DataFrame) -> pl.DataFrame:
    """How many units have the ideal's gain at each rank, and after how much.

    Parameters
    ----------
    counts
        Rows ``reach`` of the task.
    curves
        ``group``, ``rank`` (place), ``total``, ``ideal``: mean curves, or what they are the same multiple of.

    Of three lists one has it after 2 documents, one after 5, one never; half of them, two, have it after 5:

    >>> rows = pl.DataFrame({
    ...     "group": ["g"] * 3, "rank": [1] * 3, "documents": [2, 5, None], "queries": [1, 1, None], "many": [1] * 3,
    ... })
    >>> curves = pl.DataFrame({"group": ["g"] * 2, "rank": [1, 2], "total": [1, 3], "ideal": [2, 3]})
    >>> reach_table(rows, curves).select("reached", "documents", "mean_documents", "mean_curve").rows()
    [(2, 5, 3.5, 2)]
    """
    by = ["group", "rank"]
    many, there = pl.col("many"), pl.col("documents").is_not_null()
    found = counts.group_by(by).agg(
        units=many.sum(),
        reached=many.filter(there).sum(),
        mean_documents=exact.quotient((pl.col("documents") * many).sum(), many.filter(there).sum()),
        mean_queries=exact.quotient((pl.col("queries") * many).sum(), many.filter(there).sum()),
    )
    for name in ("documents", "queries"):
        ranked = counts.sort(*by, name, nulls_last=True).with_columns(
            upto=many.cum_sum().over(by), half=many.sum().over(by) / 2
        )
        middle = ranked.filter(pl.col("upto") >= pl.col("half")).group_by(by, maintain_order=True)
        found = found.join(middle.agg(pl.col(name).first()), on=by, how="left", nulls_equal=True)
    targets = curves.select("group", "rank", target="ideal").filter(pl.col("target") > 0)
    places = targets.join(curves.select("group", "total", place="rank"), on="group", nulls_equal=True)
    first = places.filter(_reached("total", "target")).group_by(by).agg(mean_curve=pl.col("place").min())
    found = found.join(first, on=by, how="left", nulls_equal=True)
    found = found.with_columns(share=exact.quotient(pl.col("reached"), pl.col("units")))
    return natural_sort(found.select(REACH.names()).cast(dict(REACH)).sort("rank"), "group")  # type: ignore[arg-type]


def against_table(curves: pl.DataFrame, against: str) -> pl.DataFrame:
    """After how many results other groups' mean curves have the gain that one group's has at each rank.

    Parameters
    ----------
    curves
        ``group``, ``rank`` (place), ``value``: mean curves.
    against
        The group whose curve the others are read against.

    B needs 3 results for what A has after 2, which is 50% more, and never has what A has after 3:

    >>> curves = pl.DataFrame({"group": list("AAABBB"), "rank": [1, 2, 3] * 2, "value": [1.0, 3.0, 5.0, 0.0, 1.0, 4.0]})
    >>> against_table(curves, "A").select("group", "rank", "gain", "mean_curve", "more").rows()
    [('B', 1, 1.0, 2, 1.0), ('B', 2, 3.0, 3, 0.5), ('B', 3, 5.0, None, None)]
    """
    is_reference = pl.col("group") == against
    targets = curves.filter(is_reference, pl.col("value") > 0).select("rank", gain="value")
    places = curves.filter(~is_reference).select("group", "value", place="rank")
    every = places.select("group").unique().join(targets, how="cross")
    met = targets.join(places, how="cross").filter(_reached("value", "gain"))
    first = met.group_by("group", "rank").agg(mean_curve=pl.col("place").min())
    table = every.join(first, on=["group", "rank"], how="left").with_columns(
        against=pl.lit(against), more=exact.quotient(pl.col("mean_curve") - pl.col("rank"), pl.col("rank"))
    )
    return natural_sort(table.select(AGAINST.names()).cast(dict(AGAINST)).sort("rank"), "group")  # type: ignore[arg-type]


def _reached(total: str, target: str) -> pl.Expr:
    """Whether a mean gain is at least another, but for rounding."""
    return less(pl.col(target).cast(pl.Float64), pl.col(total).cast(pl.Float64)) <= 0


def spent_table(counts: pl.DataFrame, confidence: float) -> pl.DataFrame:
    """The share of units that have come to a gain within so many results, queries or minutes.

    Parameters
    ----------
    counts
        Rows of `ALONG` of the task.

    Of four lists one has it after 2 results, two after 5, one never:

    >>> rows = pl.DataFrame({"what": "results", "group": "g", "rank": [2, 5, None], "many": [1, 2, 1]})
    >>> spent_table(rows, 0.95).select("along", "amount", "reached", "units", "share").rows()
    [('results', 0, 0, 4, 0.0), ('results', 2, 1, 4, 0.25), ('results', 5, 3, 4, 0.75)]
    """
    known = counts.select("group", "many", along="what", amount="rank")
    units = known.group_by("group", "along").agg(units=pl.col("many").sum())
    places = known.select("along", "amount").drop_nulls().unique()
    begin = known.select("along", amount=pl.lit(0, pl.Int64)).unique()
    every = units.join(pl.concat([begin, places]).unique(), on="along")
    found = every.join(known, on=["group", "along", "amount"], how="left", nulls_equal=True).sort(*SPENT.names()[:3])
    reached = pl.col("many").fill_null(0).cum_sum().over("group", "along", order_by="amount")
    low, high = wilson(pl.col("reached"), pl.col("units"), confidence)
    found = found.with_columns(reached=reached).with_columns(
        share=pl.col("reached") / pl.col("units"), low=low, high=high
    )
    order = pl.col("along").replace_strict({name: place for place, name in enumerate(ALONG)}, return_dtype=pl.Int64)
    found = natural_sort(found.sort(order, "amount", maintain_order=True), "group")
    return found.select(SPENT.names()).cast(dict(SPENT))  # type: ignore[arg-type]


def plateau_table(counts: pl.DataFrame) -> pl.DataFrame:
    """Where ideals stop rising, and the share of the ideal that units have gained by then; rows ``plateau`` of the task."""
    many = pl.col("many")
    ranked = natural_sort(counts.sort("rank"), "group").with_columns(
        upto=many.cum_sum().over("group"), half=many.sum().over("group") / 2
    )
    found = ranked.group_by("group", maintain_order=True).agg(
        units=many.sum(),
        mean=exact.quotient((pl.col("rank") * many).sum(), many.sum()),
        median=pl.col("rank").filter(pl.col("upto") >= pl.col("half")).first(),
        least=pl.col("rank").min(),
        most=pl.col("rank").max(),
        beyond=many.filter(pl.col("documents") < 0).sum(),
        gained=exact.quotient(exact.unfixed(pl.col("total").cast(pl.Int128).sum()), many.sum()),
    )
    return found.select(PLATEAU.names()).cast(dict(PLATEAU))  # type: ignore[arg-type]


def searcher_table(
    searcher: Searcher, found: pl.DataFrame, cutoff: int | None, document_cost: float, query_cost: float
) -> pl.DataFrame:
    """What a searcher looks at: without end, in a full list, and on average of what was shown to each group.

    Parameters
    ----------
    found
        Rows ``units`` and ``looked`` of the task.
    """
    rows: list[dict[str, object]] = []
    endless = {"documents": searcher.endless, "queries": 1.0 if searcher.queries is None else searcher.queries.endless}
    if searcher.onward:
        endless["documents"] = math.inf
    rows.append(
        {"horizon": "endless", **{name: value if math.isfinite(value) else None for name, value in endless.items()}}
    )
    per_list = searcher.ranks.endless
    rows[0]["documents_per_query"] = per_list if math.isfinite(per_list) and not searcher.onward else None
    if cutoff is not None:
        full = float(searcher.ranks.seen(cutoff).sum())
        rows.append(
            {"horizon": f"one list of {cutoff}", "documents": full, "queries": 1.0, "documents_per_query": full}
        )
    units = dict(found.filter(pl.col("what") == "units").select("group", "many").iter_rows())
    sums = found.filter(pl.col("what") == "looked").with_columns(
        documents=exact.unfixed(pl.col("total").cast(pl.Int128)), queries=exact.unfixed(pl.col("ideal").cast(pl.Int128))
    )
    for row in natural_sort(sums, "group").iter_rows(named=True):
        many = units[row["group"]]
        per_query = row["documents"] / row["queries"] if row["queries"] else None
        rows.append(
            {
                "horizon": "as shown",
                "group": row["group"],
                "documents": row["documents"] / many,
                "queries": row["queries"] / many,
                "documents_per_query": per_query,
            }
        )
    table = pl.DataFrame(rows, schema=SEARCHER)
    return table.with_columns(cost=pl.col("documents") * document_cost + pl.col("queries") * query_cost)


def chances_table(searcher: Searcher, cutoff: int | None) -> pl.DataFrame:
    """The chance to look at each rank, and to ask each query; to go on from there, and to stop there."""
    many = min(cutoff or 10, MOST)
    frames = []
    for direction, chances in (("rank", searcher.ranks), ("query", searcher.queries)):
        if chances is not None:
            seen = chances.seen(many + 1)
            frame = pl.DataFrame({"place": range(1, many + 1), "seen": seen[:-1], "next": seen[1:]})
            frames.append(
                frame.select(
                    pl.lit(direction).alias("direction"),
                    pl.col("place").cast(pl.Int64),
                    "seen",
                    goes_on=exact.quotient(pl.col("next"), pl.col("seen")),
                    stops=pl.col("seen") - pl.col("next"),
                )
            )
    return pl.concat([CHANCES.to_frame(), *frames])
