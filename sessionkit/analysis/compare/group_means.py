"""The groups by themselves: their means with intervals, and how far the values of their sessions spread."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from sessionkit.analysis.compare.session_values import GroupedSessions

GROUPS = pl.Schema(
    {
        **dict.fromkeys(("measure", "group"), pl.String()),
        **dict.fromkeys(("sessions", "units"), pl.Int64()),
        **dict.fromkeys(("mean", "low", "high", "sd"), pl.Float64()),
    }
)
"""Means, where ``group`` stands for the column that makes the groups."""
UNIT_COLUMN = {"users": "user_id", "topics": "topic_id", "sessions": "session_id"}
"""The column that names the units of a claim."""


def group_means(sessions: GroupedSessions, population: str, alpha: float) -> pl.DataFrame:
    """Return each group's mean over its sessions by each measure, with an interval over the units of the claim.

    The standard error adds up residuals within each unit before it squares them (Liang and Zeger 1986, with G / (G - 1)), so
    that several sessions of one user count as one user's; with one session per unit it is that of Student's t.

    Parameters
    ----------
    sessions
        The sessions, with their values.
    population
        ``"users"``, ``"topics"`` or ``"sessions"``: the units of the claim. A session of no known unit is a unit by itself.
    alpha
        Error rate of each interval, of itself.

    Returns
    -------
    polars.DataFrame
        ``measure``, the column that makes the groups, ``sessions`` and ``units`` with a value, ``mean``, its interval ``low``
        to ``high`` (null with fewer than two units), ``sd`` of the values of sessions around their group's mean (null of
        fewer than two).
    """
    from scipy import special

    named = pl.coalesce(
        pl.col(UNIT_COLUMN[population]).cast(pl.String), pl.lit("\0") + pl.col("session_id").cast(pl.String)
    )
    units = sessions.frame.select(named.rank("dense")).to_series().to_numpy().astype(np.int64)
    groups = sessions.frame.get_column("group").to_numpy()
    rows: list[tuple[str, str, int, int, float | None, float | None, float | None, float | None]] = []
    for number, measure in enumerate(sessions.measures):
        column = sessions.values[:, number]
        for group in sessions.groups:
            chosen = (groups == group) & np.isfinite(column)
            values = column[chosen]
            _, unit = np.unique(units[chosen], return_inverse=True)
            n, many = len(values), int(unit.max()) + 1 if len(values) else 0
            if not n:
                rows.append((measure, group, 0, 0, None, None, None, None))
                continue
            mean = float(values.mean())
            sd = float(values.std(ddof=1)) if n > 1 else None
            low = high = None
            if many > 1:
                sums = np.bincount(unit, values - mean, many)
                error = math.sqrt(many / (many - 1) * float(sums @ sums)) / n
                reach = float(special.stdtrit(many - 1, 1 - alpha / 2)) * error
                low, high = mean - reach, mean + reach
            rows.append((measure, group, n, many, mean, low, high, sd))
    return pl.DataFrame(rows, schema=GROUPS, orient="row").rename({"group": sessions.by})


def with_pooled_sd(table: pl.DataFrame, groups: pl.DataFrame, by: str) -> pl.DataFrame:
    """Return a table of pairs with ``sd``: the spread of sessions around the means of both groups, pooled.

    Parameters
    ----------
    table
        A row per pair, with ``measure``, ``a``, ``b``; null where neither group has two sessions.
    groups
        The groups by themselves, see `group_means`, and the level of each where there are levels.
    by
        The column that makes the groups.
    """
    keys = [name for name in groups.columns if name != by and name not in set(GROUPS) - {"group"}]
    free = pl.max_horizontal(pl.col("sessions") - 1, 0)
    squares = pl.col("sd").fill_null(0.0) ** 2 * free
    for side in "ab":
        of_side = groups.select(
            *keys, "measure", pl.col(by).alias(side), free.alias(f"_free_{side}"), squares.alias(f"_squares_{side}")
        )
        table = table.join(of_side, on=[*keys, "measure", side], how="left", nulls_equal=True, maintain_order="left")
    degrees = pl.col("_free_a") + pl.col("_free_b")
    pooled = ((pl.col("_squares_a") + pl.col("_squares_b")) / degrees).sqrt()
    return table.with_columns(sd=pl.when(degrees > 0).then(pooled)).drop("^_(free|squares)_[ab]$")
