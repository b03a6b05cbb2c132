"""What live discounts have to know of a study: how many results of each group gain the same, and some sessions whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from sessionkit.analysis.groups import Grouping
from sessionkit.display.natural_order import natural_sort
from sessionkit.reports.live.measures import Varied
from sessionkit.scoring.batch import SessionBatch, batches
from sessionkit.scoring.columns import columns_read
from sessionkit.scoring.gain_histogram import GainHistogram
from sessionkit.scoring.ideals import ideal_places
from sessionkit.scoring.reduction import run
from sessionkit.scoring.results_filter import (
    counted_rows,
    counts_as_zero,
    defined_sessions,
    logged_sessions,
    relevant_rows,
    sessions_with_judgments,
    units,
)
from sessionkit.study import Study

PLACE = ["query_position", "rank", "grade"]
PART = pl.Schema(
    {
        "group": pl.String(),
        **dict.fromkeys(PLACE[:2], pl.Int32()),
        "grade": pl.Float64(),
        **dict.fromkeys(("many", "n", "queries"), pl.Int64()),
    }
)


@dataclass(frozen=True, eq=False)
class LiveCounts:
    """All sessions, in groups.

    Parameters
    ----------
    groups
        ``group`` (null where unknown), ``name``, ``n`` (sessions averaged) and ``queries`` (of the longest session), in
        the order of names.
    cells
        ``group`` (row of `groups`), `PLACE` and ``many``: results of the group that gain the same.
    """

    groups: pl.DataFrame
    cells: pl.DataFrame

    def number(self, group: pl.Series) -> pl.Series:
        """The rows of some groups."""
        known = self.groups.select("group").with_row_index("number")
        given = group.alias("group").to_frame()
        return given.join(known, on="group", how="left", nulls_equal=True, maintain_order="left")["number"]


@dataclass(frozen=True, eq=False)
class LiveSessions:
    """Some sessions whole.

    Parameters
    ----------
    groups
        The group of every session; null where unknown.
    is_zero
        Whether each session counts 0 where nsDCG has no value for it.
    rows
        ``session`` (its number here) and `PLACE` of every result that can gain.
    ideals
        ``session``, ``query_position`` and ``base`` of every query of the ideal session: its recall base as text
        ``grade:documents,...``, the highest grade first, no more of a grade than the cutoff reaches.
    """

    groups: pl.Series
    is_zero: pl.Series
    rows: pl.DataFrame
    ideals: pl.DataFrame


@dataclass(frozen=True, eq=False)
class LiveCountsReduction:
    """Count results by what they gain, over all sessions of each group.

    Parameters
    ----------
    varied
        The measures that are varied.
    grouping
        The sessions and their groups.
    reads
        Columns to read, by table.
    """

    varied: Varied
    grouping: Grouping
    reads: Mapping[str, Sequence[str]]

    slots = 0
    columns_made = 1

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every batch is made of."""
        return self.reads

    def part(self, batch: SessionBatch) -> pl.DataFrame:
        """Rows of cells with ``many``, and rows of groups, without a place, with ``n`` and ``queries``."""
        total = self.varied.total
        selection = total.selection
        chosen = self.grouping.sessions(batch).with_columns(defined=defined_sessions(batch, total))
        sizes = chosen.group_by("group").agg(n=pl.col("defined").sum().cast(pl.Int64)).with_row_index("number")
        known = sizes.select("group", "number")
        number = chosen.join(known, on="group", how="left", nulls_equal=True, maintain_order="left")["number"]
        asked = units(batch, selection)
        placed = asked.select("query_position", number.gather(asked["session"]))
        ends = placed.group_by("number").agg(queries=pl.col("query_position").max().cast(pl.Int64))
        cells = GainHistogram.of(batch, selection, self.varied.selecting())
        held = cells.held(pl.select(pl.when(chosen["defined"]).then(number)).to_series())
        of_cells = held.select(
            known["group"].gather(held["group"]),
            *(cells.places[name].gather(held["cell"]) for name in PLACE),
            pl.col("many").cast(pl.Int64),
        )
        both = pl.concat([of_cells, sizes.join(ends, on="number", how="left")], how="diagonal")
        return both.select(PART.names()).cast(dict(PART))  # type: ignore[arg-type]

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one."""
        together = pl.concat([PART.to_frame(), *parts]).group_by("group", *PLACE)
        return together.agg(pl.col("many", "n").sum(), pl.col("queries").max()).select(PART.names())

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """The counts of all sessions, in the order of their groups and cells."""
        return self.added([*parts]).sort("group", *PLACE)


def counts_task(study: Study, varied: Varied, by: str) -> LiveCountsReduction:
    """What `counts_of` asks of a study."""
    grouping = Grouping.of(study, by, several=False)
    return LiveCountsReduction(varied, grouping, _reads(study, varied, grouping))


def counts_of(study: Study, varied: Varied, by: str) -> LiveCounts:
    """Count results by what they gain, over all sessions of each group."""
    task = counts_task(study, varied, by)
    (found,) = run(study, [task])
    whole = found.filter(pl.col("rank").is_null()).select("group", "n", pl.col("queries").fill_null(0))
    whole = natural_sort(whole.with_columns(task.grouping.named(whole)["group"].alias("name")), "name")
    known = LiveCounts(whole, pl.DataFrame())
    cells = found.filter(pl.col("rank").is_not_null()).select("group", *PLACE, "many")
    return LiveCounts(whole, cells.with_columns(known.number(cells["group"]).alias("group")).sort("group", *PLACE))


def sessions_of(study: Study, varied: Varied, by: str) -> LiveSessions:
    """Lay sessions out one by one, those of which a list was logged."""
    grouping, before = Grouping.of(study, by, several=False), 0
    groups: list[pl.Series] = []
    is_zero: list[pl.Series] = []
    rows: list[pl.DataFrame] = []
    ideals: list[pl.DataFrame] = []
    for batch in _batches(study, varied, grouping):
        logged = logged_sessions(batch, varied.total.selection)
        judged = pl.lit(sessions_with_judgments(batch, varied.share.selection))
        is_zero.append(pl.select(is_zero=counts_as_zero(varied.share, judged)).to_series().filter(logged))
        place = pl.select(pl.when(logged).then(logged.cum_sum().cast(pl.Int64) - 1 + before)).to_series()
        groups.append(grouping.sessions(batch)["group"].filter(logged))
        for laid_out, frame in ((rows, _rows(batch, varied)), (ideals, _ideals(batch, varied))):
            laid_out.append(frame.with_columns(place.gather(frame["session"]).alias("session")).drop_nulls("session"))
        before += int(logged.sum())
    order = ["session", *PLACE]
    return LiveSessions(
        pl.concat(groups),
        pl.concat(is_zero),
        pl.concat(rows).sort(order),
        pl.concat(ideals).sort("session", "query_position"),
    )


def _batches(study: Study, varied: Varied, grouping: Grouping) -> Iterator[SessionBatch]:
    """The study in batches."""
    return batches(study, _reads(study, varied, grouping))


def _reads(study: Study, varied: Varied, grouping: Grouping) -> dict[str, Sequence[str]]:
    """Columns to read, by table."""
    read = columns_read(study, [varied.total])
    of_groups = grouping.columns()
    return {**read, "sessions": [*read["sessions"], *of_groups["sessions"]], "users": of_groups["users"]}


def _rows(batch: SessionBatch, varied: Varied) -> pl.DataFrame:
    """The results of a batch that can gain: ``session`` and `PLACE`."""
    selection = varied.total.selection
    rows = relevant_rows(batch, selection, varied.selecting(), counted_rows(batch, selection))
    return rows.select("session", *PLACE)


def _ideals(batch: SessionBatch, varied: Varied) -> pl.DataFrame:
    """The queries of every ideal session: ``session``, ``query_position``, ``base`` (see `Sessions`)."""
    share = varied.share
    places = ideal_places(batch, share)
    if share.ideal == "once":
        places = places.filter(pl.col("query_position") == pl.col("query_position").min().over("session"))
    base = batch.base(share.grades)
    graded = base.pairs.pairs.select("key").with_columns(base.grade.alias("grade"))
    graded = graded.filter((pl.col("grade") > 0) | (pl.col("grade") >= varied.least))
    graded = graded.join(places.select("key").unique(), on="key", how="semi")
    many = pl.min_horizontal(pl.len(), pl.lit(share.cutoff, pl.UInt32))
    counted = graded.group_by("key", "grade").agg(many=many).sort("key", "grade", descending=[False, True])
    text = pl.format("{}:{}", "grade", "many")
    bases = counted.group_by("key", maintain_order=True).agg(base=text.str.join(","))
    return places.join(bases, on="key").select("session", "query_position", "base")
