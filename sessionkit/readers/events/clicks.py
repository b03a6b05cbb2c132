"""Clicks, which many logs keep apart from the lists they were made in, brought onto the results they were made on."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

AT = ("clicked_at", "click_elapsed_seconds")
"""When a click was made; of several clicks the first is kept."""
SPENT = "dwell_seconds"
"""How long the document was read; of several clicks the sum is kept."""


def with_clicks(
    results: pl.LazyFrame, clicks: pl.LazyFrame, on: Sequence[str], *, many: str = "clicks"
) -> tuple[pl.LazyFrame, pl.LazyFrame]:
    """Return results with the clicks made on them, and the clicks made on none of them.

    Parameters
    ----------
    results
        Rows of lists.
    clicks
        One row per click: the columns of `on` and, where they are known, those of :data:`AT` and :data:`SPENT`, as values
        that can be compared and added.
    on
        What says which result was clicked: the list (its record, or session and position) and the document or rank. Of
        a document that stands twice in a list the first row gets the click.
    many
        The column of results that counts the clicks. For ``"clicks"`` there is ``clicked`` as well; for a kind of clicks
        that do not open the document, such as ``"author_clicks"``, there is only the count.

    Examples
    --------
    >>> lists = pl.LazyFrame({"query": [1, 1], "doc_id": ["a", "b"]})
    >>> made = pl.LazyFrame({"query": [1, 1, 1], "doc_id": ["b", "b", "z"], "dwell_seconds": [2.0, 3.0, 1.0]})
    >>> results, outside = with_clicks(lists, made, ["query", "doc_id"])
    >>> results.select("doc_id", "clicked", "clicks", "dwell_seconds").collect().rows()
    [('a', False, 0, None), ('b', True, 2, 5.0)]
    >>> outside.collect()["doc_id"].to_list()
    ['z']
    """
    key = list(on)
    opens = many == "clicks"
    counted = count_clicks(clicks, key) if opens else clicks.group_by(key).agg(pl.len().cast(pl.Int32).alias(many))
    first = pl.struct(key).is_first_distinct().alias("__first")
    joined = results.with_columns(first).join(
        counted.with_columns(pl.lit(True).alias("__first")), on=[*key, "__first"], how="left", maintain_order="left"
    )
    made = joined.drop("__first").with_columns(pl.col(many).fill_null(0))
    if opens:
        made = made.with_columns(clicked=pl.col(many) > 0)
    return made, clicks.join(results.select(key).unique(), on=key, how="anti")


def count_clicks(clicks: pl.LazyFrame, key: Sequence[str], *, number: pl.Expr | None = None) -> pl.LazyFrame:
    """Return one row per clicked result: how many clicks it has, and those of :data:`AT` and :data:`SPENT` that are known.

    Parameters
    ----------
    key
        The columns that say which result was clicked.
    number
        How many clicks a row stands for; by default one.
    """
    columns = clicks.collect_schema().names()
    values = [pl.col(name).min() for name in AT if name in columns]
    if SPENT in columns:
        values.append(pl.when(pl.col(SPENT).count() > 0).then(pl.col(SPENT).sum()).alias(SPENT))
    count = pl.len() if number is None else number.sum()
    return clicks.group_by(key).agg(*values, count.cast(pl.Int32).alias("clicks"))
