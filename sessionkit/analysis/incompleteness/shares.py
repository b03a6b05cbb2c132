"""nDCG, nCG and nsDCG of a block in the terms of `levels`: what is shown, what is judged, and what the ideal weighs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from sessionkit.analysis.incompleteness.kinds import gain_of
from sessionkit.analysis.incompleteness.levels import Parts, extremes
from sessionkit.analysis.incompleteness.unjudged import Unjudged
from sessionkit.scoring import fixed
from sessionkit.scoring.blocks import Block
from sessionkit.scoring.gains import gain_expr
from sessionkit.scoring.ideals import first_query, ideal_slots
from sessionkit.scoring.judging import every_row, units
from sessionkit.scoring.layout import with_offsets
from sessionkit.scoring.measures import GainMeasure
from sessionkit.scoring.measures.cumulated_gain import NormalizedSessionGain
from sessionkit.scoring.selection import Selection


@dataclass(frozen=True, eq=False)
class Shares:
    """The parts of all lists, or sessions, of a block under a normalised measure.

    Parameters
    ----------
    by
        ``"query"`` or ``"session"``: what a unit is.
    part
        ``unit`` (the number of the query or session) and ``key`` of every part, in the order of `parts`.
    parts
        The same as numbers.
    own
        The unjudged documents that units show: ``part`` (row of `part`), ``judgment``, ``weight``.
    """

    by: str
    part: pl.DataFrame
    parts: Parts
    own: pl.DataFrame

    def bounds(self) -> pl.DataFrame:
        """Bounds of every unit that has a key: ``unit``, ``lower``, ``upper``; null where nothing can be relevant."""
        lower, upper = extremes(self.parts)
        found = {"unit": self.part["unit"].unique(maintain_order=True), "lower": lower, "upper": upper}
        return pl.DataFrame(found).with_columns(pl.col("lower", "upper").fill_nan(None))


def shares(unjudged: Unjudged, measure: GainMeasure, best: float) -> Shares:
    """Lay out a block's lists, or sessions, for a normalised measure, of which the grade that gains most is `best`; once."""
    if (measure, best) not in unjudged.beside:
        unjudged.beside[measure, best] = _laid_out(unjudged, measure, best)
    made: Shares = unjudged.beside[measure, best]
    return made


def _laid_out(unjudged: Unjudged, measure: GainMeasure, best: float) -> Shares:
    """The same."""
    by = "session" if measure.level == "session" else "query"
    block = unjudged.supposing(best)
    levels, base = _levels(unjudged, measure, gain_of(measure, best))
    unknown_of_key = unjudged.pool.unjudged * bool(levels[-1:].sum() > 0)
    longest = int((base[:, 0] + unknown_of_key).max(initial=0)) if base.shape[1] else 0
    part, shape, ideal = _ideal_weights(block, measure, longest)
    rows = _rows(unjudged, block, measure, by)
    # what is shown for a key that the ideal session does not ask for gains all the same
    more = (
        rows.select(pl.col("unit").cast(part["unit"].dtype), "key").unique().join(part, on=["unit", "key"], how="anti")
    )
    if len(more):
        part = pl.concat([part, more]).with_columns(shape=np.concatenate([shape, np.full(len(more), len(ideal))]))
        part = part.sort("unit", "key")
        shape, part = part["shape"].to_numpy(), part.drop("shape")
        ideal = np.concatenate([ideal, np.zeros((1, ideal.shape[1]))])
    rows = rows.join(part.with_row_index("part"), on=["unit", "key"], how="inner")
    known = rows.filter("known").group_by("part").agg(fixed.fixed(pl.col("weight") * pl.col("gain")).sum())
    known = known.with_columns(fixed.unfixed(pl.col("weight")))
    own = rows.filter(~pl.col("known")).group_by("part", "judgment").agg(fixed.fixed(pl.col("weight")).sum())
    own = own.with_columns(fixed.unfixed(pl.col("weight"))).filter(pl.col("weight") > 0)
    own = own.sort("part", "weight", "judgment", descending=[False, True, False])
    numerator = np.zeros(len(part))
    numerator[known["part"].to_numpy()] = known["weight"].to_numpy()
    many = np.bincount(own["part"].to_numpy(), minlength=len(part)) * bool(len(levels))
    key = part["key"].to_numpy()
    unit = part["unit"].rle_id().to_numpy().astype(np.int64)
    parts = Parts(
        unit,
        numerator,
        many,
        own["weight"].to_numpy() if len(levels) else np.zeros(0),
        unknown_of_key[key] - many,
        shape,
        ideal,
        base[key],
        np.diff(levels, prepend=0.0),
    )
    return Shares(by, part, parts, own)


def _levels(unjudged: Unjudged, measure: GainMeasure, best: float) -> tuple[np.ndarray, np.ndarray]:
    """The gains above 0 that there are, rising, and how many judged documents of each key gain at least as much."""
    gains = (
        unjudged.judged.grades(measure.gain)
        .alias("grade")
        .to_frame()
        .select(gain=gain_expr(pl.col("grade"), measure.gain, measure.min_grade))
    )
    rows = unjudged.judged.pairs.pairs.select("key", gains["gain"]).filter(pl.col("gain") > 0)
    levels = np.unique(np.concatenate([rows["gain"].to_numpy(), [best] if best > 0 else []]))
    counts = np.zeros((len(unjudged.pool.keys), len(levels)), dtype=np.int64)
    np.add.at(counts, (rows["key"].to_numpy(), np.searchsorted(levels, rows["gain"].to_numpy())), 1)
    return levels, counts[:, ::-1].cumsum(axis=1)[:, ::-1]


def _rows(unjudged: Unjudged, block: Block, measure: GainMeasure, by: str) -> pl.DataFrame:
    """The results that count and their documents: ``unit``, ``key``, ``judgment``, ``known``, ``gain``, ``weight``."""
    rows = every_row(block, Selection.of(measure)).filter("first", pl.col("judgment").is_not_null())
    rows = with_offsets(block, rows, measure)
    grade = unjudged.judged.grades(measure.gain).gather(rows["judgment"])
    key = unjudged.judged.pairs.pairs["key"].gather(rows["judgment"])
    return rows.select(
        key,
        "judgment",
        unit=pl.col(by),
        known=grade.is_not_null(),
        gain=gain_expr(pl.lit(grade), measure.gain, measure.min_grade),
        weight=measure.contribution(pl.lit(1.0)),
    )


def _ideal_weights(block: Block, measure: GainMeasure, longest: int) -> tuple[pl.DataFrame, np.ndarray, np.ndarray]:
    """The parts of all units (``unit``, ``key``), the row of the table of ideals that each has, and that table."""
    if not isinstance(measure, NormalizedSessionGain):
        part = units(block, Selection.of(measure)).select(pl.col("query").alias("unit"), "key").drop_nulls()
        rank = pl.int_range(1, min(measure.cutoff or longest, longest) + 1, dtype=pl.Int32, eager=True)
        weights = pl.DataFrame({"rank": rank}).select(weight=measure.contribution(pl.lit(1.0)))["weight"].to_numpy()
        return part, np.zeros(len(part), dtype=np.int64), np.concatenate([[0.0], weights.cumsum()])[None, :]
    slots = ideal_slots(block, measure, longest)
    if measure.ideal == "once":
        slots = first_query(slots)
    slots = slots.filter(pl.col("key").is_not_null())
    worth = fixed.fixed(measure.contribution(pl.lit(1.0))).alias("worth")
    slots = slots.select("session", "key", "rank", worth)
    if measure.ideal == "spread":
        slots = slots.sort("session", "key", "worth", descending=[False, False, True])
    else:
        slots = slots.group_by("session", "key", "rank").agg(pl.col("worth").sum()).sort("session", "key", "rank")
    of_part = slots.group_by("session", "key", maintain_order=True).agg(fixed.unfixed(pl.col("worth")))
    shapes = of_part.select(pl.col("worth").unique(maintain_order=True)).with_row_index("shape")
    shape = of_part.join(shapes, on="worth", how="left", maintain_order="left")["shape"].to_numpy()
    lists = shapes["worth"].to_list()
    table = np.zeros((max(1, len(lists)), 1 + max((len(row) for row in lists), default=0)))
    for number, row in enumerate(lists):
        table[number, 1 : 1 + len(row)] = row
    return of_part.select(pl.col("session").alias("unit"), "key"), shape.astype(np.int64), table.cumsum(axis=1)
