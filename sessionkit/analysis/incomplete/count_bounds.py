"""The least and the greatest of values that count relevant documents: R, F, E, MaxF and AP.

Such a value falls with R, the number of relevant documents, and for a given R and number of relevant results it rises
when one of them moves up. So for each number s of own unjudged documents that turn out relevant it is least with the s
deepest of them, all unjudged documents of other lists relevant too, and greatest with the s first of them and none
elsewhere; the bound is the least (greatest) over s, and is attained.

For AP: its sum of precisions is the sum over pairs of relevant ranks i, j of 1 / max(i, j), halved off the diagonal, of
which no term rises when a rank grows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from sessionkit.analysis.incomplete.unjudged_documents import Unjudged
from sessionkit.scoring.lists import Lists
from sessionkit.scoring.measures.precision import looked_at

if TYPE_CHECKING:
    from sessionkit.scoring.measures.base import Measure

CELLS = 2**23
"""Places of lists that are worked on at a time."""

Valued = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def counted_bounds(unjudged: Unjudged, measure: Measure, best: float) -> pl.DataFrame:
    """Bounds of every list: ``query``, ``lower``, ``upper``; null where nothing can be relevant."""
    batch = unjudged.supposing(best)
    lists = Lists(batch, measure.selection)
    rows = lists.every.filter("first", pl.col("judgment").is_not_null())
    unknown = unjudged.unknown.gather(rows["judgment"])
    could = _relevant(measure, best) > 0
    known = measure.relevant_grades(unjudged.grade.gather(rows["judgment"])).fill_null(value=False)
    at, rank = rows["list"].to_numpy(), rows["rank"].to_numpy().astype(np.int64) - 1
    relevant, open_ = known.to_numpy(), unknown.to_numpy() & could
    many = len(lists.queries)
    key = lists.queries["key"]
    base = _per_key(unjudged, measure).gather(key).fill_null(0).to_numpy()
    own = np.bincount(at[open_], minlength=many)
    pool = pl.Series(unjudged.pool.unjudged).gather(key).fill_null(0).to_numpy() * could
    looked = looked_at(lists, measure.cutoff).to_numpy()
    value = _VALUES[measure.name](measure)
    lower, upper = np.full(many, np.nan), np.full(many, np.nan)
    deepest = int(rank.max(initial=0)) + 1
    step = max(1, CELLS // deepest)
    for first in range(0, many, step):
        here = slice(first, min(many, first + step))
        inside = (at >= here.start) & (at < here.stop)
        grids = []
        for flag in (relevant & inside, open_ & inside):
            grid = np.zeros((here.stop - here.start, deepest), dtype=bool)
            grid[at[flag] - first, rank[flag]] = True
            grids.append(grid)
        others = pool[here] - own[here]
        lower[here] = _over_counts(grids, base[here] + others, own[here], looked[here], value, deepest_first=True)
        upper[here] = _over_counts(grids, base[here], own[here], looked[here], value, deepest_first=False)
        # with nothing relevant here or above, there is a value only where something elsewhere is relevant
        upper[here] = np.where(np.isnan(upper[here]) & (others > 0), 0.0, upper[here])
    if measure.name == "E":
        lower, upper = 1.0 - upper, 1.0 - lower
    found = {"query": lists.queries["query"], "lower": lower, "upper": upper}
    return pl.DataFrame(found).with_columns(pl.col("lower", "upper").fill_nan(None))


def _over_counts(
    grids: list[np.ndarray],
    base: np.ndarray,
    own: np.ndarray,
    looked: np.ndarray,
    value: Valued,
    *,
    deepest_first: bool,
) -> np.ndarray:
    """Least value over how many of the deepest unjudged results are relevant, or greatest over how many of the first."""
    relevant, open_ = grids
    order = (
        open_[:, ::-1].cumsum(axis=1, dtype=np.int32)[:, ::-1]
        if deepest_first
        else open_.cumsum(axis=1, dtype=np.int32)
    )
    extreme = np.full(len(base), np.nan)
    for taken in range(int(own.max(initial=0)) + 1):
        here = np.flatnonzero(own >= taken)
        shown = relevant[here] | (open_[here] & (order[here] <= taken))
        found = value(shown, base[here] + taken, looked[here])
        extreme[here] = np.fmin(extreme[here], found) if deepest_first else np.fmax(extreme[here], found)
    return extreme


def _relevant(measure: Measure, grade: float) -> int:
    """Whether a grade is relevant to a measure."""
    return int(measure.relevant_grades(pl.Series([grade])).item())


def _per_key(unjudged: Unjudged, measure: Measure) -> pl.Series:
    """Judged relevant documents of every key of the pool."""
    counts = measure.relevant_grades(unjudged.grade).fill_null(value=False)
    keys = unjudged.judged.pairs.pairs.filter(counts)["key"].to_numpy()
    return pl.Series(np.bincount(keys, minlength=len(unjudged.pool.keys)).astype(np.int64))


def _divided(part: np.ndarray, whole: np.ndarray, base: np.ndarray) -> np.ndarray:
    """A quotient, nan where nothing is relevant."""
    return np.where(base > 0, part / np.where(whole > 0, whole, 1.0), np.nan)


def _recall(measure: Measure) -> Valued:  # noqa: ARG001 - one signature for all
    """R."""
    return lambda shown, base, looked: _divided(shown.sum(axis=1), base, base)  # noqa: ARG005


def _harmonic(measure: Measure) -> Valued:
    """F, of which E is what is left of 1."""
    beta = getattr(measure, "beta", 1.0) ** 2
    return lambda shown, base, looked: _divided((1 + beta) * shown.sum(axis=1), beta * base + looked, base)


def _highest_harmonic(measure: Measure) -> Valued:
    """MaxF."""
    beta = getattr(measure, "beta", 1.0) ** 2

    def value(shown: np.ndarray, base: np.ndarray, looked: np.ndarray) -> np.ndarray:  # noqa: ARG001
        rank = np.arange(1, shown.shape[1] + 1)
        each = (1 + beta) * shown.cumsum(axis=1) / (beta * base[:, None] + rank)
        return np.where(base > 0, np.where(shown, each, 0.0).max(axis=1), np.nan)

    return value


def _average_precision(measure: Measure) -> Valued:  # noqa: ARG001
    """AP."""

    def value(shown: np.ndarray, base: np.ndarray, looked: np.ndarray) -> np.ndarray:  # noqa: ARG001
        rank = np.arange(1, shown.shape[1] + 1)
        return _divided((shown * shown.cumsum(axis=1) / rank).sum(axis=1), base, base)

    return value


_VALUES: dict[str, Callable[[Measure], Valued]] = {
    "R": _recall,
    "F": _harmonic,
    "E": _harmonic,
    "MaxF": _highest_harmonic,
    "AP": _average_precision,
}
