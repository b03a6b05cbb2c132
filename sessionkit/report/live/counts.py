"""What live discounts have to know of a study: how many results of each group gain the same, and some sessions whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from sessionkit.analysis.groups import Grouping
from sessionkit.report.live.measures import Varied
from sessionkit.scoring.blocks import Block, blocks
from sessionkit.scoring.ideals import first_query, ideal_places
from sessionkit.scoring.judging import counted_rows, relevant_rows, sessions_with_judgments, units
from sessionkit.scoring.selection import Selection, columns_of, columns_read
from sessionkit.study import Study

PLACE = ["query_position", "rank", "grade"]


@dataclass(frozen=True, eq=False)
class Counts:
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
class Sessions:
    """Some sessions whole.

    Parameters
    ----------
    groups
        The group of every session; null where unknown.
    rows
        ``session`` (its number here) and `PLACE` of every result that can gain.
    ideals
        ``session``, ``query_position`` and ``base`` of every query of the ideal session: its recall base as text
        ``grade:documents,...``, the highest grade first, no more of a grade than the cutoff reaches.
    """

    groups: pl.Series
    rows: pl.DataFrame
    ideals: pl.DataFrame


def counts_of(study: Study, varied: Varied, by: str) -> Counts:
    """Count results by what they gain, over all sessions of each group."""
    grouping, selection = Grouping.of(study, by), Selection.of(varied.total)
    groups, cells = [], []
    for block in _blocks(study, varied, grouping):
        chosen = grouping.sessions(block).with_columns(judged=sessions_with_judgments(block, selection))
        asked = units(block, selection).join(chosen, on="session")
        ends = asked.group_by("group").agg(queries=pl.col("query_position").max().cast(pl.Int64))
        counted = pl.len() if varied.total.undefined == "zero" else pl.col("judged").sum()
        sizes = chosen.group_by("group").agg(n=counted.cast(pl.Int64))
        groups.append(sizes.join(ends, on="group", how="left", nulls_equal=True))
        rows = _rows(block, varied).join(chosen.filter("judged"), on="session")
        cells.append(rows.group_by("group", *PLACE).agg(many=pl.len().cast(pl.Int64)))
    whole = pl.concat(groups).group_by("group").agg(pl.col("n").sum(), pl.col("queries").max().fill_null(0))
    whole = whole.with_columns(grouping.named(whole)["group"].alias("name")).sort("name")
    known = Counts(whole, pl.DataFrame())
    found = pl.concat(cells).group_by("group", *PLACE).agg(pl.col("many").sum())
    return Counts(whole, found.with_columns(known.number(found["group"]).alias("group")).sort("group", *PLACE))


def sessions_of(study: Study, varied: Varied, by: str) -> Sessions:
    """Lay sessions out one by one."""
    grouping, before = Grouping.of(study, by), 0
    groups, rows, ideals = [], [], []
    for block in _blocks(study, varied, grouping):
        number = (pl.col("session").cast(pl.Int64) + before).alias("session")
        groups.append(grouping.sessions(block)["group"])
        rows.append(_rows(block, varied).with_columns(number))
        ideals.append(_ideals(block, varied).with_columns(number))
        before += len(block.sessions)
    order = ["session", *PLACE]
    return Sessions(pl.concat(groups), pl.concat(rows).sort(order), pl.concat(ideals).sort("session", "query_position"))


def _blocks(study: Study, varied: Varied, grouping: Grouping) -> Iterator[Block]:
    """The study in blocks."""
    read = columns_read(columns_of(study), [varied.total])
    read["sessions"] = [*read["sessions"], *grouping.columns()["sessions"]]
    return blocks(study, {**read, "users": grouping.columns()["users"]})


def _rows(block: Block, varied: Varied) -> pl.DataFrame:
    """The results of a block that can gain: ``session`` and `PLACE`."""
    selection = Selection.of(varied.total)
    rows = relevant_rows(block, selection, varied.selecting(), counted_rows(block, selection))
    return rows.select("session", *PLACE)


def _ideals(block: Block, varied: Varied) -> pl.DataFrame:
    """The queries of every ideal session: ``session``, ``query_position``, ``base`` (see `Sessions`)."""
    share = varied.share
    places = ideal_places(block, share)
    if share.ideal == "once":
        places = first_query(places)
    base = block.base(share.grades)
    graded = base.pairs.pairs.select("key").with_columns(base.grade.alias("grade"))
    graded = graded.filter((pl.col("grade") > 0) | (pl.col("grade") >= varied.least))
    graded = graded.join(places.select("key").unique(), on="key", how="semi")
    many = pl.min_horizontal(pl.len(), pl.lit(share.cutoff, pl.UInt32))
    counted = graded.group_by("key", "grade").agg(many=many).sort("key", "grade", descending=[False, True])
    text = pl.format("{}:{}", "grade", "many")
    bases = counted.group_by("key", maintain_order=True).agg(base=text.str.join(","))
    return places.join(bases, on="key").select("session", "query_position", "base")
