"""The tables of effort, from the counts and sums of `effort_task`."""

from __future__ import annotations

import math

import polars as pl

from sessionkit.analysis.distribution_tails import wilson
from sessionkit.analysis.effort.reduction import ALONG
from sessionkit.analysis.numeric_ties import less
from sessionkit.display.natural_order import natural_sort
from sessionkit.scoring import exact
from sessionkit.scoring.searcher import Searcher

MOST = 100
"""Places of the table of chances."""
REACH = pl.Schema(
    {
        "group": pl.String(),
        **dict.fromkeys(("rank", "units", "reached"), pl.Int64()),
        "share": pl.Float64(),
        "documents": pl.Int64(),
        "queries": pl.Int64(),
        "mean_documents": pl.Float64(),
        "mean_queries": pl.Float64(),
        "mean_curve": pl.Int64(),
    }
)
PLATEAU = pl.Schema(
    {
        "group": pl.String(),
        "units": pl.Int64(),
        "mean": pl.Float64(),
        **dict.fromkeys(("median", "least", "most", "beyond"), pl.Int64()),
        "gained": pl.Float64(),
    }
)
SEARCHER = pl.Schema(
    {
        **dict.fromkeys(("horizon", "group"), pl.String()),
        **dict.fromkeys(("documents", "queries", "documents_per_query", "cost"), pl.Float64()),
    }
)
SPENT = pl.Schema(
    {
        **dict.fromkeys(("group", "along"), pl.String()),
        **dict.fromkeys(("amount", "reached", "units"), pl.Int64()),
        **dict.fromkeys(("share", "low", "high"), pl.Float64()),
    }
)
CHANCES = pl.Schema(
    {"direction": pl.String(), "place": pl.Int64(), **dict.fromkeys(("seen", "goes_on", "stops"), pl.Float64())}
)


AGAINST = pl.Schema(
    {
        **dict.fromkeys(("group", "against"), pl.String()),
        "rank": pl.Int64(),
        "gain": pl.Float64(),
        "mean_curve": pl.Int64(),
        "more": pl.Float64(),
    }
)


def reach_table(counts: pl.DataFrame, curves: pl.DataFrame) -> pl.DataFrame:
    """How many units have the ideal's gain at each rank, and after how much.

    Parameters
    ----------
    counts
        Rows ``reach`` of the task.
    curves
        ``group``, ``rank`` (place), ``total``, ``ideal``: mean curves, or what they are the same multiple of.

    Of three lists one has it after 2 documents, one after 5, one never; half of them, two, have it after 5:

    >>> rows = pl.DataFrame({
    ...     "group": ["g"] * 3, "rank": [1] * 3, "documents": [2, 5, None], "queries": [1, 1, None], "many": [1] * 3,
    ... })
    >>> curves = pl.DataFrame({"group": ["g"] * 2, "rank": [1, 2], "total": [1, 3], "ideal": [2, 3]})
    >>> reach_table(rows, curves).select("reached", "documents", "mean_documents", "mean_curve").rows()
    [(2, 5, 3.5, 2)]
    """
    by = ["group", "rank"]
    many, there = pl.col("many"), pl.col("documents").is_not_null()
    found = counts.group_by(by).agg(
        units=many.sum(),
        reached=many.filter(there).sum(),
        mean_documents=exact.quotient((pl.col("documents") * many).sum(), many.filter(there).sum()),
        mean_queries=exact.quotient((pl.col("queries") * many).sum(), many.filter(there).sum()),
    )
    for name in ("documents", "queries"):
        ranked = counts.sort(*by, name, nulls_last=True).with_columns(
            upto=many.cum_sum().over(by), half=many.sum().over(by) / 2
        )
        middle = ranked.filter(pl.col("upto") >= pl.col("half")).group_by(by, maintain_order=True)
        found = found.join(middle.agg(pl.col(name).first()), on=by, how="left", nulls_equal=True)
    targets = curves.select("group", "rank", target="ideal").filter(pl.col("target") > 0)
    places = targets.join(curves.select("group", "total", place="rank"), on="group", nulls_equal=True)
    first = places.filter(_reached("total", "target")).group_by(by).agg(mean_curve=pl.col("place").min())
    found = found.join(first, on=by, how="left", nulls_equal=True)
    found = found.with_columns(share=exact.quotient(pl.col("reached"), pl.col("units")))
    return natural_sort(found.select(REACH.names()).cast(dict(REACH)).sort("rank"), "group")  # type: ignore[arg-type]


def against_table(curves: pl.DataFrame, against: str) -> pl.DataFrame:
    """After how many results other groups' mean curves have the gain that one group's has at each rank.

    Parameters
    ----------
    curves
        ``group``, ``rank`` (place), ``value``: mean curves.
    against
        The group whose curve the others are read against.

    B needs 3 results for what A has after 2, which is 50% more, and never has what A has after 3:

    >>> curves = pl.DataFrame({"group": list("AAABBB"), "rank": [1, 2, 3] * 2, "value": [1.0, 3.0, 5.0, 0.0, 1.0, 4.0]})
    >>> against_table(curves, "A").select("group", "rank", "gain", "mean_curve", "more").rows()
    [('B', 1, 1.0, 2, 1.0), ('B', 2, 3.0, 3, 0.5), ('B', 3, 5.0, None, None)]
    """
    is_reference = pl.col("group") == against
    targets = curves.filter(is_reference, pl.col("value") > 0).select("rank", gain="value")
    places = curves.filter(~is_reference).select("group", "value", place="rank")
    every = places.select("group").unique().join(targets, how="cross")
    met = targets.join(places, how="cross").filter(_reached("value", "gain"))
    first = met.group_by("group", "rank").agg(mean_curve=pl.col("place").min())
    table = every.join(first, on=["group", "rank"], how="left").with_columns(
        against=pl.lit(against), more=exact.quotient(pl.col("mean_curve") - pl.col("rank"), pl.col("rank"))
    )
    return natural_sort(table.select(AGAINST.names()).cast(dict(AGAINST)).sort("rank"), "group")  # type: ignore[arg-type]


def _reached(total: str, target: str) -> pl.Expr:
    """Whether a mean gain is at least another, but for rounding."""
    return less(pl.col(target).cast(pl.Float64), pl.col(total).cast(pl.Float64)) <= 0


def spent_table(counts: pl.DataFrame, confidence: float) -> pl.DataFrame:
    """The share of units that have come to a gain within so many results, queries or minutes.

    Parameters
    ----------
    counts
        Rows of `ALONG` of the task.

    Of four lists one has it after 2 results, two after 5, one never:

    >>> rows = pl.DataFrame({"what": "results", "group": "g", "rank": [2, 5, None], "many": [1, 2, 1]})
    >>> spent_table(rows, 0.95).select("along", "amount", "reached", "units", "share").rows()
    [('results', 0, 0, 4, 0.0), ('results', 2, 1, 4, 0.25), ('results', 5, 3, 4, 0.75)]
    """
    known = counts.select("group", "many", along="what", amount="rank")
    units = known.group_by("group", "along").agg(units=pl.col("many").sum())
    places = known.select("along", "amount").drop_nulls().unique()
    begin = known.select("along", amount=pl.lit(0, pl.Int64)).unique()
    every = units.join(pl.concat([begin, places]).unique(), on="along")
    found = every.join(known, on=["group", "along", "amount"], how="left", nulls_equal=True).sort(*SPENT.names()[:3])
    reached = pl.col("many").fill_null(0).cum_sum().over("group", "along", order_by="amount")
    low, high = wilson(pl.col("reached"), pl.col("units"), confidence)
    found = found.with_columns(reached=reached).with_columns(
        share=pl.col("reached") / pl.col("units"), low=low, high=high
    )
    order = pl.col("along").replace_strict({name: place for place, name in enumerate(ALONG)}, return_dtype=pl.Int64)
    found = natural_sort(found.sort(order, "amount", maintain_order=True), "group")
    return found.select(SPENT.names()).cast(dict(SPENT))  # type: ignore[arg-type]


def plateau_table(counts: pl.DataFrame) -> pl.DataFrame:
    """Where ideals stop rising, and the share of the ideal that units have gained by then; rows ``plateau`` of the task."""
    many = pl.col("many")
    ranked = natural_sort(counts.sort("rank"), "group").with_columns(
        upto=many.cum_sum().over("group"), half=many.sum().over("group") / 2
    )
    found = ranked.group_by("group", maintain_order=True).agg(
        units=many.sum(),
        mean=exact.quotient((pl.col("rank") * many).sum(), many.sum()),
        median=pl.col("rank").filter(pl.col("upto") >= pl.col("half")).first(),
        least=pl.col("rank").min(),
        most=pl.col("rank").max(),
        beyond=many.filter(pl.col("documents") < 0).sum(),
        gained=exact.quotient(exact.unfixed(pl.col("total").cast(pl.Int128).sum()), many.sum()),
    )
    return found.select(PLATEAU.names()).cast(dict(PLATEAU))  # type: ignore[arg-type]


def searcher_table(
    searcher: Searcher, found: pl.DataFrame, cutoff: int | None, document_cost: float, query_cost: float
) -> pl.DataFrame:
    """What a searcher looks at: without end, in a full list, and on average of what was shown to each group.

    Parameters
    ----------
    found
        Rows ``units`` and ``looked`` of the task.
    """
    rows: list[dict[str, object]] = []
    endless = {"documents": searcher.endless, "queries": 1.0 if searcher.queries is None else searcher.queries.endless}
    if searcher.onward:
        endless["documents"] = math.inf
    rows.append(
        {"horizon": "endless", **{name: value if math.isfinite(value) else None for name, value in endless.items()}}
    )
    per_list = searcher.ranks.endless
    rows[0]["documents_per_query"] = per_list if math.isfinite(per_list) and not searcher.onward else None
    if cutoff is not None:
        full = float(searcher.ranks.seen(cutoff).sum())
        rows.append(
            {"horizon": f"one list of {cutoff}", "documents": full, "queries": 1.0, "documents_per_query": full}
        )
    units = dict(found.filter(pl.col("what") == "units").select("group", "many").iter_rows())
    sums = found.filter(pl.col("what") == "looked").with_columns(
        documents=exact.unfixed(pl.col("total").cast(pl.Int128)), queries=exact.unfixed(pl.col("ideal").cast(pl.Int128))
    )
    for row in natural_sort(sums, "group").iter_rows(named=True):
        many = units[row["group"]]
        per_query = row["documents"] / row["queries"] if row["queries"] else None
        rows.append(
            {
                "horizon": "as shown",
                "group": row["group"],
                "documents": row["documents"] / many,
                "queries": row["queries"] / many,
                "documents_per_query": per_query,
            }
        )
    table = pl.DataFrame(rows, schema=SEARCHER)
    return table.with_columns(cost=pl.col("documents") * document_cost + pl.col("queries") * query_cost)


def chances_table(searcher: Searcher, cutoff: int | None) -> pl.DataFrame:
    """The chance to look at each rank, and to ask each query; to go on from there, and to stop there."""
    many = min(cutoff or 10, MOST)
    frames = []
    for direction, chances in (("rank", searcher.ranks), ("query", searcher.queries)):
        if chances is not None:
            seen = chances.seen(many + 1)
            frame = pl.DataFrame({"place": range(1, many + 1), "seen": seen[:-1], "next": seen[1:]})
            frames.append(
                frame.select(
                    pl.lit(direction).alias("direction"),
                    pl.col("place").cast(pl.Int64),
                    "seen",
                    goes_on=exact.quotient(pl.col("next"), pl.col("seen")),
                    stops=pl.col("seen") - pl.col("next"),
                )
            )
    return pl.concat([CHANCES.to_frame(), *frames])
