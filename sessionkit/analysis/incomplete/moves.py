"""By how much each unjudged document would move the value of every session, if it alone turned out to gain the most."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from sessionkit.analysis.incomplete.bound_kinds import best_grade, gain_of
from sessionkit.analysis.incomplete.rows import OpenRows
from sessionkit.analysis.incomplete.shares import Shares, shares
from sessionkit.analysis.incomplete.unjudged_documents import Unjudged
from sessionkit.scoring import exact
from sessionkit.scoring.lists import Lists
from sessionkit.scoring.measures.aggregates import LAST
from sessionkit.scoring.measures.base import Measure


@dataclass(frozen=True, eq=False)
class Moves:
    """What documents would move.

    Parameters
    ----------
    rows
        The results that show them.
    row, move
        A result, as its row there, and what its document moves there.
    unit, key, any
        Of lists or sessions: what any unjudged document of a key would move them by, also one that they do not show, by
        raising their ideal.
    by
        What these units are: ``"query"`` or ``"session"``.
    """

    rows: OpenRows
    row: np.ndarray
    move: np.ndarray
    unit: np.ndarray
    key: np.ndarray
    any: np.ndarray
    by: str

    def weighted(self, weight: np.ndarray) -> Moves:
        """What becomes of it in a value in which each unit has a weight; only what still moves something."""
        of_row = weight[self.rows.number(self.by)[self.row]]
        move, any_ = self.move * of_row, self.any * weight[self.unit]
        some, others = move != 0, any_ != 0
        kept = replace(self, row=self.row[some], move=move[some])
        return replace(kept, unit=self.unit[others], key=self.key[others], any=any_[others])


def moves(unjudged: Unjudged, measure: Measure, top: float | None) -> Moves:
    """What documents would move; only sessions, and queries, that have a score.

    Parameters
    ----------
    measure
        One for which `sessionkit.analysis.incomplete.bound_kinds.movable` holds.
    """
    inner = measure.inner
    best = best_grade(inner, top)
    gained = inner.gain_measure
    if measure.bound_kind() == "share" and gained is not None:
        laid_out = shares(unjudged, gained, best)
        found = _of_shares(OpenRows.of(unjudged, inner.selection), laid_out)
    else:
        found = _of_sums(unjudged, inner, best)
    if not measure.reduces_queries:
        by = inner.level
        scored = unjudged.values([measure], "session")[measure]["value"].is_not_null()
        return replace(found, by=by).weighted(scored.to_numpy().astype(float))
    values = unjudged.values([inner], "query")[inner]
    if measure.name == "mean":  # one share each
        counted = pl.col("value").count().over("session")
        weight = pl.when(pl.col("value").is_not_null()).then(exact.quotient(pl.lit(1.0), counted)).otherwise(0.0)
    else:
        value = pl.col("value")
        weight = pl.when(value.is_not_null()).then(measure.query_weights(value, LAST).over("session")).otherwise(0.0)
    weighted = values.select("query", weight=weight.fill_null(0.0))
    weights = np.zeros(len(unjudged.batch.queries))
    weights[weighted["query"].to_numpy()] = weighted["weight"].to_numpy()
    return replace(found, by="query").weighted(weights)


def _of_sums(unjudged: Unjudged, inner: Measure, best: float) -> Moves:
    """Terms of unjudged results at their best."""
    rows = OpenRows.of(unjudged, inner.selection)
    if inner.gain_measure is not None:
        move = rows.worth(inner.gain_measure, gain_of(inner.gain_measure, best))
    elif (summed := inner.term_measure) is not None:
        lists = Lists(unjudged.supposing(best), summed.selection)
        terms, divisor = summed.parts(lists)
        if divisor is not None:
            terms = terms.with_columns(term=exact.quotient(pl.col("term"), pl.lit(divisor.gather(terms["list"]))))
        move = _found(rows, lists.queries["query"].gather(terms["list"]), terms["rank"], terms["term"])
    else:
        msg = f"{inner} is not a sum over results"
        raise TypeError(msg)
    nothing = np.zeros(0, dtype=np.int64)
    return Moves(rows, np.arange(len(move)), np.maximum(move, 0.0), nothing, nothing, np.zeros(0), inner.level)


def _found(rows: OpenRows, query: pl.Series, rank: pl.Series, term: pl.Series) -> np.ndarray:
    """The term of every result, where it has one: by its query and rank."""
    place = query.to_numpy().astype(np.int64) * 2**32 + rank.to_numpy()
    order = np.argsort(place, kind="stable")
    place, asked = place[order], rows.number("query") * 2**32 + rows.frame["rank"].to_numpy()
    at = np.searchsorted(place, asked).clip(max=max(0, len(place) - 1))
    if not len(place):
        return np.zeros(len(asked))
    found: np.ndarray = np.where(place[at] == asked, term.to_numpy()[order][at], 0.0)
    return found


def _of_shares(rows: OpenRows, found: Shares) -> Moves:
    """Moves of quotients.

    With N and I as they are and I' the ideal with one document more of the key, an own document of weight w moves the
    share by (N + Gw) / I' - N / I: N / I' - N / I for any document of the key, and Gw / I' for being shown.
    """
    parts, own = found.parts, found.own
    ideal, more = parts.ideals()
    known, whole = parts.added(parts.known)[parts.unit], parts.added(ideal)[parts.unit]
    with_one = whole + more
    defined = whole > 0
    safe = np.where(defined, whole, 1.0)
    raised = np.where(defined, known / np.where(defined, with_one, 1.0) - known / safe, 0.0)
    here = defined[own.part]
    gained = float(parts.heights.sum()) * own.weight[here] / with_one[own.part[here]]
    some = raised != 0
    return Moves(rows, own.row[here], gained, found.unit[some], found.key[some], raised[some], found.by)
