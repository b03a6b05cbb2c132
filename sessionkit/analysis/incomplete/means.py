"""Bounds of a mean in which some values may be missing: those that exist only if further judgments give them one."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from sessionkit.scoring import exact


def mean_bounds(values: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Least and greatest mean of each group, over its sure values and any of its open ones.

    The least mean has the open values that lie lowest, as many as still lower it.

    Parameters
    ----------
    values
        The columns of `by`, ``lower``, ``upper``, ``open`` (whether the value may be missing) and, if there is one,
        ``many``, how many values the row stands for.

    Returns
    -------
    polars.DataFrame
        The columns of `by`, ``lower``, ``upper``; a group of open values only has the mean of one at least.

    Two sure values of .5 and an open one: the mean is .5 without it, between (1 + .1) / 3 and (1 + .9) / 3 with it.

    >>> values = pl.DataFrame({"g": ["a"] * 3, "lower": [.5, .5, .1], "upper": [.5, .5, .9], "open": [False, False, True]})
    >>> mean_bounds(values, ["g"]).select("g", pl.col("lower", "upper").round(4)).rows()
    [('a', 0.3667, 0.6333)]
    """
    many = pl.col("many") if "many" in values.columns else pl.lit(1, pl.Int64)
    rows = values.with_columns(__many=many.cast(pl.Int128))
    by = [*by]
    groups = rows.select(by).unique(maintain_order=True)
    for name, descending in (("lower", False), ("upper", True)):
        added = exact.fixed(pl.col(name)) * pl.col("__many")
        sure = rows.filter(~pl.col("open")).group_by(by).agg(__sum=added.sum(), __n=pl.col("__many").sum())
        more = rows.filter("open").sort(*by, name, descending=[*[False] * len(by), descending], nulls_last=True)
        more = more.select(*by, __added=added, __plus=pl.col("__many"))
        more = more.join(sure, on=by, how="left", nulls_equal=True, maintain_order="left").with_columns(
            __sum=pl.col("__sum").fill_null(0) + pl.col("__added").cum_sum().over(by),
            __n=pl.col("__n").fill_null(0) + pl.col("__plus").cum_sum().over(by),
        )
        every = pl.concat([sure, more.select(sure.columns)])
        every = every.with_columns(exact.quotient(exact.unfixed(pl.col("__sum")), pl.col("__n")).alias("__mean"))
        mean = pl.col("__mean")
        found = every.group_by(by).agg((mean.max() if descending else mean.min()).alias(name))
        groups = groups.join(found, on=by, how="left", nulls_equal=True, maintain_order="left")
    return groups
