"""nDCG, nCG and nsDCG of a block in the terms of `levels`: what is shown, what is judged, and what the ideal weighs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from sessionkit.analysis.incomplete.ideals import Ideals
from sessionkit.analysis.incomplete.kinds import gain_of
from sessionkit.analysis.incomplete.levels import Parts, extremes
from sessionkit.analysis.incomplete.rows import OpenRows, known_worth
from sessionkit.analysis.incomplete.totals import places, summed
from sessionkit.analysis.incomplete.unjudged_documents import Unjudged
from sessionkit.scoring.gains import gain_expr
from sessionkit.scoring.measures.base import GainMeasure


@dataclass(frozen=True, eq=False)
class Own:
    """Documents that units show and nobody judged, part by part.

    Parameters
    ----------
    part, weight
        Of each its part, and the weight with which it is shown there.
    row
        A result that shows it: its row among `OpenRows`.
    """

    part: np.ndarray
    weight: np.ndarray
    row: np.ndarray


@dataclass(frozen=True, eq=False)
class Shares:
    """The parts of all lists, or sessions, of a block under a normalised measure.

    Parameters
    ----------
    by
        ``"query"`` or ``"session"``: what a unit is.
    unit, key
        Number of the query or session, and key, of every part, in the order of `parts`.
    parts
        The same as numbers.
    own
        The unjudged documents that units show.
    """

    by: str
    unit: np.ndarray
    key: np.ndarray
    parts: Parts
    own: Own

    def bounds(self) -> pl.DataFrame:
        """Bounds of every unit that has a key: ``unit``, ``lower``, ``upper``; null where nothing can be relevant."""
        lower, upper = extremes(self.parts)
        first = np.diff(self.unit, prepend=-1) != 0
        found = {"unit": self.unit[first].astype(np.uint32), "lower": lower, "upper": upper}
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
    rows = OpenRows.of(unjudged, measure.selection)
    keys = unjudged.pool.pairs["key"].to_numpy()
    at, key = rows.number(by), keys[rows.pair].astype(np.int64)
    judged_at, judged_worth = known_worth(unjudged.block, measure, by)
    ideals = Ideals.of(block, measure, longest).also(at, key)
    own = Own(ideals.part_of(at, key), rows.worth(measure, 1.0), np.arange(len(at)))
    if by == "session" or block.repeats:
        own = _together(rows, by, own)
    if len(own.part) and own.weight.min() <= 0:
        own = Own(*(column[own.weight > 0] for column in (own.part, own.weight, own.row)))
    # what is judged counts for the unit as a whole, and stands in its first part
    many = len(block.sessions if by == "session" else block.queries)
    known = summed(judged_at, judged_worth, many)
    first = np.diff(ideals.unit, prepend=-1) != 0
    shown = np.bincount(own.part, minlength=len(ideals.unit)) * bool(len(levels))
    parts = Parts(
        first.cumsum() - 1,
        np.where(first, known[ideals.unit], 0.0),
        shown,
        own.weight if len(levels) else np.zeros(0),
        unknown_of_key[ideals.key] - shown,
        ideals.shape,
        ideals.table,
        base[ideals.key],
        np.diff(levels, prepend=0.0),
    )
    return Shares(by, ideals.unit, ideals.key, parts, own)


def _together(rows: OpenRows, by: str, own: Own) -> Own:
    """Each document of each part once: shown by several results, it weighs what these do together."""
    alone = by == "session" and not rows.block.own_keys  # else a session has a part for every key
    number, first = rows.documents if alone else places(own.part * 2**32 + rows.pair)
    return Own(own.part[first], summed(number, own.weight, len(first)), first)


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
    keys = len(unjudged.pool.keys)
    at = rows["key"].to_numpy().astype(np.int64) * len(levels) + np.searchsorted(levels, rows["gain"].to_numpy())
    counts = np.bincount(at, minlength=keys * len(levels)).reshape(keys, len(levels))
    return levels, counts[:, ::-1].cumsum(axis=1)[:, ::-1]
