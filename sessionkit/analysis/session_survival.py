"""Session survival: how many sessions go on to a first, second, third ... query."""

from __future__ import annotations

import polars as pl

from sessionkit.analysis.distribution_tails import wilson
from sessionkit.analysis.groups import by_columns, grouped_sessions
from sessionkit.display.frames import ResultFrame
from sessionkit.display.natural_order import natural_sort
from sessionkit.scoring.score import By
from sessionkit.study import Study
from sessionkit.study.inference_options import error_rate
from sessionkit.study.query_counts import MANY, logged_queries
from sessionkit.study.restriction import Where
from sessionkit.study.session_subset import restricted
from sessionkit.study.study import guarded_read


@guarded_read
def session_survival(
    study: Study, by: By = "system_id", *, where: Where = None, confidence: float = 0.95
) -> pl.DataFrame:
    """Return the share of sessions that have at least 1, 2, 3, ... logged queries. No judgments are needed.

    Every session is seen to its end, so that the share is a plain one, and the same as Kaplan and Meier's estimate.

    Parameters
    ----------
    study
        The study.
    by
        Columns to group sessions by, several as a list or joined by commas; None, or ``"all"``, all together.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.
    confidence
        Of the intervals, above .5 and below 1: Wilson's (1927), which take sessions to be independent of each other.

    Returns
    -------
    polars.DataFrame
        The columns that make the groups, ``query_position`` (from 1 to the most of any session), ``sessions`` (with this query
        or a later one), ``of`` (all of the group), ``value`` (their share), its interval ``low`` to ``high``.

    Raises
    ------
    UsageError
        There is no such column, or the confidence is out of its range.

    Examples
    --------
    >>> import sessionkit as sk
    >>> rows = {"session_id": ["s", "t", "t"], "query_position": [1, 1, 2], "rank": 1, "doc_id": "d"}
    >>> found = sk.session_survival(sk.from_tables(rows), by=None)
    >>> found.select("query_position", "sessions", "of", "value").rows()
    [(1, 2, 2, 1.0), (2, 1, 2, 0.5)]
    """
    error_rate(confidence)
    study = restricted(study, where)
    lengths = logged_queries(study, ["session_id"])
    known = (
        grouped_sessions(study, by).join(lengths, on="session_id", how="left").with_columns(pl.col(MANY).fill_null(0))
    )
    most = int(known.get_column(MANY).max() or 0)  # type: ignore[arg-type]
    counts = known.group_by("group", MANY).agg(sessions=pl.len().cast(pl.Int64))
    every = (
        known.select("group")
        .unique()
        .join(pl.DataFrame({"query_position": range(1, most + 1)}, schema={"query_position": pl.Int64}), how="cross")
    )
    at = (
        counts.filter(pl.col(MANY) > 0)
        .rename({MANY: "query_position"})
        .with_columns(pl.col("query_position").cast(pl.Int64))
    )
    rows = every.join(at, on=["group", "query_position"], how="left").with_columns(pl.col("sessions").fill_null(0))
    rows = rows.sort("group", "query_position", descending=[False, True])
    rows = rows.with_columns(pl.col("sessions").cum_sum().over("group")).sort("group", "query_position")
    of = counts.group_by("group").agg(of=pl.col("sessions").sum())
    low, high = wilson(pl.col("sessions"), pl.col("of"), confidence)
    found = natural_sort(rows.join(of, on="group", how="left", maintain_order="left"), "group")
    found = found.with_columns(value=pl.col("sessions") / pl.col("of"), low=low, high=high)
    return ResultFrame(by_columns(study, by, found))
