"""Where the relevant documents of every list stand: rank by rank or in levels of tied results, and those left out.

What search lengths and measures of order have in common. A level is a run of results with the same score: their order
says nothing, so each stands at the middle of the run. A gap in the ranks is a slot like any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from sessionkit.errors import DataError
from sessionkit.study.row_index import sums

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists
    from sessionkit.scoring.measures.base import QueryMeasure


def levels(lists: Lists, min_grade: float, ties: str = "none") -> pl.DataFrame:
    """The levels that hold relevant documents, in order.

    Parameters
    ----------
    ties
        ``score`` makes a level of adjacent results with the same score, where the log has scores; ``none`` makes one
        of every rank.

    Returns
    -------
    polars.DataFrame
        ``list``, ``start`` and ``end`` (first and last rank), ``relevant`` (relevant documents); Int64 but for ``list``.
    """
    if ties == "none" or "score" not in lists.batch.results.columns:
        rows = lists.relevant(min_grade).sort("list", "rank")
        rank = pl.col("rank").cast(pl.Int64)
        return rows.select("list", start=rank, end=rank, relevant=pl.lit(1, pl.Int64))
    same = pl.all_horizontal(pl.col(name) == pl.col(name).shift(1) for name in ("list", "score"))
    relevant = ((pl.col("grade") >= min_grade) & pl.col("first")).fill_null(value=False)
    rows = lists.every.select("list", pl.col("rank").cast(pl.Int64), relevant=relevant, level=_number(~same))
    held = rows.group_by("list", "level").agg(
        start=pl.col("rank").min(), end=pl.col("rank").max(), relevant=pl.col("relevant").sum().cast(pl.Int64)
    )
    return held.filter(pl.col("relevant") > 0).sort("list", "start").drop("level")


def standing(lists: Lists, measure: QueryMeasure, unretrieved: str, ties: str = "none") -> pl.DataFrame:
    """How many relevant documents every list has, and the sum of their ranks.

    Parameters
    ----------
    unretrieved
        Where relevant documents stand that are not in the list: ``retrieved`` leaves them out, ``mid`` puts each in the
        middle of the rest of the collection, ``last`` puts them at its end.

    Returns
    -------
    polars.DataFrame
        In the order of ``lists.queries``, all Int64: ``length`` of the list in slots, ``found`` (relevant documents in
        it), ``left`` (those left out that count), ``relevant`` (both), ``size`` (of the collection; with ``retrieved``
        the list is all there is) and ``twice``, twice the sum of the ranks.

    Raises
    ------
    DataError
        If documents left out count and the study does not say how large the collection is, or says too little.
    """
    held = levels(lists, measure.min_grade, ties)
    many, of = len(lists.queries), held["list"]
    twice = held.select(pl.col("relevant") * (pl.col("start") + pl.col("end"))).to_series()
    table = pl.DataFrame(
        {
            "length": lists.queries["length"].cast(pl.Int64),
            "found": sums(held["relevant"], of, many),
            "twice": sums(twice, of, many),
        }
    )
    length, left = pl.col("length"), pl.col("left")
    if unretrieved == "retrieved":
        return table.with_columns(left=pl.lit(0, pl.Int64), relevant="found", size="length")
    size = collection_size(lists, measure)
    base = lists.base_size(measure.min_grade).cast(pl.Int64)
    table = table.with_columns(base.alias("relevant"), size=pl.lit(size, pl.Int64))
    table = table.with_columns(left=pl.col("relevant") - pl.col("found"))
    _require_room(table, size)
    beyond = left * (length + 1 + size) if unretrieved == "mid" else left * (2 * size - left + 1)
    return table.with_columns(twice=pl.col("twice") + beyond)


def collection_size(lists: Lists, measure: QueryMeasure) -> int:
    """Number of documents in the collection, which only the experimenter can say."""
    size = lists.settings.collection_size
    if size is None:
        msg = (
            f"{measure} needs the number of documents in the collection: say collection_size = 100000 at the top of a "
            "study.toml, or give collection_size=100000 to from_tables; with unretrieved=retrieved only the list counts"
        )
        raise DataError(msg)
    return size


def _require_room(table: pl.DataFrame, size: int) -> None:
    """Refuse a collection that cannot hold a list and the relevant documents that it leaves out."""
    needed = pl.col("length") + pl.col("left")
    short = table.filter(pl.col("relevant") > 0, needed > size).sort(needed, descending=True)
    if len(short):
        length, left = short.row(0, named=True)["length"], short.row(0, named=True)["left"]
        msg = (
            f"collection_size is {size}, but a list of {length} ranks lacks {left} relevant documents, so it is at least "
            f"{length + left}; correct collection_size"
        )
        raise DataError(msg)


def _number(begins: pl.Expr) -> pl.Expr:
    """Running number of the levels, from whether a row begins one; null (no row or score to compare with) does."""
    return begins.fill_null(value=True).cum_sum()
