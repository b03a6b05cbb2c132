"""Period and carry-over: whether values change with the place in a user's study, or with the system met just before."""

from __future__ import annotations

import numpy as np
import polars as pl

from sessionkit.analysis.compare.design import Design
from sessionkit.analysis.compare.projection import Effects, LeastSquares, LeastSquaresFit, indicators
from sessionkit.analysis.compare.session_values import ORDER, GroupedSessions
from sessionkit.analysis.compare.units import coded
from sessionkit.analysis.distribution_tails import f_beyond

MOST_PERIODS = 50
WITHIN = ("both", "crossover", "incomplete", "users")
"""Designs in which a user meets several groups."""
CHECKS = pl.Schema(
    {
        "measure": pl.String(),
        "check": pl.String(),
        "statistic": pl.Float64(),
        "df": pl.Float64(),
        "df_error": pl.Float64(),
        "p": pl.Float64(),
    }
)
"""``check``: period or carry-over; ``statistic``: F."""


def order_checks(sessions: GroupedSessions, design: Design) -> pl.DataFrame:
    """Test period and first-order carry-over by F, least squares on user + topic + group.

    ``period``: does the place in the user's study (``session_order``) add to user, topic and group? ``carry-over``: does
    the group of the user's session just before add to these and the place? No rows where no order is known, users do not meet
    several groups, or the sessions cannot tell.
    """
    frame = sessions.frame
    if ORDER not in frame.columns or design.name not in WITHIN or frame.get_column("session_id").is_duplicated().any():
        return CHECKS.to_frame()
    known = frame.select(pl.col("user_id", ORDER).is_not_null()).to_numpy().all(axis=1)
    frame, values = frame.filter(pl.Series(known)), sessions.values[known]
    periods, names = coded(frame.get_column(ORDER))
    if not 2 <= len(names) <= MOST_PERIODS or not frame.get_column("user_id").is_duplicated().any():
        return CHECKS.to_frame()
    before = _before(frame, sessions.groups)
    group, _ = coded(frame.get_column("group"))
    k = len(sessions.groups)
    rows = []
    for number, measure in enumerate(sessions.measures):
        kept = np.isfinite(values[:, number])
        own = frame.filter(pl.Series(kept))
        topic, _ = coded(own.get_column("topic_id").fill_null(""))
        effects = Effects(coded(own.get_column("user_id"))[0], topic)
        if not effects.feasible:
            continue
        y = values[kept, number][:, None]
        groups, place = indicators(group[kept], k), indicators(periods[kept], len(names))
        place = place[:, place.any(axis=0)]
        models = [groups, np.hstack([groups, place]), np.hstack([groups, place, before[kept]])]
        fits = [LeastSquares(effects, model).fit(y) for model in models]
        for check, less, more in (("period", fits[0], fits[1]), ("carry-over", fits[1], fits[2])):
            found = _f(less, more)
            if found is not None:
                rows.append((measure, check, *found))
    return pl.DataFrame(rows, schema=CHECKS, orient="row")


def _before(frame: pl.DataFrame, groups: tuple[str, ...]) -> np.ndarray:
    """Columns that tell the groups of the user's session just before apart, all 0 for the first one."""
    previous = pl.col("group").shift(1).over("user_id", order_by=[ORDER, "session_id"])
    names = frame.select(previous).to_series()
    columns = [(names == group).fill_null(value=False).to_numpy().astype(float) for group in groups]
    return np.column_stack([column - columns[0] for column in columns[1:]])


def _f(less: LeastSquaresFit | None, more: LeastSquaresFit | None) -> tuple[float, int, int, float] | None:
    """F for what the larger model explains beyond the smaller, with its degrees of freedom and p."""
    if less is None or more is None or more.df < 1 or not float(more.variance[0]) > 0:
        return None
    df = less.df - more.df
    f = max(0.0, float(more.explained[0] - less.explained[0]) / df / float(more.variance[0]))
    return f, df, more.df, f_beyond(f, df, more.df)
