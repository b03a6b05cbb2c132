"""Where one query of a session ends and the next begins, along the slots of the concatenated lists."""

from __future__ import annotations

from dataclasses import dataclass

import altair as alt
import polars as pl

from sessionkit.charts.encodings import guide
from sessionkit.charts.theme import FAINT

NARROWEST, CHARACTER = 0.055, 0.03
"""Shares of the axis that a query label takes, without and for each of its digits, where the plot is as narrow as on a telephone."""
STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True)
class Boundaries:
    """The queries along the axis: ``query_position``, ``start`` (the slot before their first), ``end`` (their last)."""

    queries: pl.DataFrame
    slots: int
    cutoff: int | None

    @classmethod
    def of(cls, frame: pl.DataFrame) -> Boundaries:
        """Read them from ``slot``, ``query_position`` and ``rank``; none where groups or short lists disagree."""
        slots = int(frame.get_column("slot").max() or 1)  # type: ignore[arg-type]
        places = frame.select("slot", "query_position", "rank").unique()
        if places.null_count().sum_horizontal().item() or places.get_column("slot").n_unique() != len(places):
            return cls(
                pl.DataFrame(schema={"query_position": pl.Int32, "start": pl.Int32, "end": pl.Int32}), slots, None
            )
        ends = pl.col("slot").min().cast(pl.Int32) - 1, pl.col("slot").max().cast(pl.Int32)
        queries = places.group_by("query_position").agg(start=ends[0], end=ends[1]).sort("query_position")
        return cls(queries, slots, int(places.get_column("rank").max() or 1))  # type: ignore[arg-type]

    @property
    def step(self) -> int:
        """Every how many queries there is room for a label."""
        return next((step for step in STEPS if self._apart(step)), STEPS[-1])

    def _apart(self, step: int) -> bool:
        """Whether the labels of every so many queries do not touch."""
        labeled = self.queries.gather_every(step)
        middles = (labeled.get_column("start") + labeled.get_column("end")) / 2
        room = (NARROWEST + CHARACTER * len(str(labeled.get_column("query_position").max()))) * self.slots
        return len(middles) < 2 or bool(middles.diff().min() >= room)  # type: ignore[operator]  # numbers

    def shown(self) -> pl.DataFrame:
        """The queries that are labeled."""
        return self.queries.gather_every(self.step)

    def axis(self) -> alt.X:
        """The horizontal axis, in slots, with ticks where queries end."""
        lists = f"concatenated Top-{self.cutoff} lists" if self.cutoff else "concatenated lists"
        ticks = self.shown().get_column("end").to_list() if len(self.queries) > 1 else alt.Undefined
        title = f"Slot in the {lists}"
        some = [title, f"{len(self.queries):,} queries, some of them labeled"] if self.step > 1 else title
        axis = alt.Axis(title=some, values=ticks, tickMinStep=1, format="d")
        return alt.X(field="slot", type="quantitative", axis=axis, scale=alt.Scale(domain=[0, self.slots], nice=False))

    def layers(self) -> list[alt.Chart]:
        """Rules where queries end and the labels Q1, Q2, ... above the drawing."""
        if len(self.queries) < 2:
            return []
        inner = self.shown().filter(pl.col("end") < self.slots).select(slot="end")
        label = pl.concat_str(pl.lit("Q"), pl.col("query_position").cast(pl.String))
        middle = (pl.col("start") + pl.col("end")) / 2
        names = self.shown().select(label.alias("label"), middle.alias("slot"))
        rules = alt.Chart(guide(inner)).mark_rule(color=FAINT, opacity=0.45, strokeDash=[2, 3], strokeWidth=1)
        texts = alt.Chart(guide(names)).mark_text(color=FAINT, baseline="bottom", dy=-3, fontSize=11)
        words = texts.encode(x=self.axis(), y=alt.YValue(0), text=alt.Text(field="label", type="nominal"))
        return [rules.encode(x=self.axis()), words]

    def at_ends(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows of a frame at the ends of the queries that are labeled, and at its last slot."""
        ends = self.shown().get_column("end").implode()
        return frame.filter(pl.col("slot").is_in(ends) | (pl.col("slot") == self.slots))
