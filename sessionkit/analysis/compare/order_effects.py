"""Order effects: do values depend on the place of a session among its user's sessions, or on the group of the one before?"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from sessionkit.analysis.compare.corrections import adjusted
from sessionkit.analysis.compare.design import Design
from sessionkit.analysis.compare.effects import real_spread
from sessionkit.analysis.compare.projection import Effects, LeastSquares, LeastSquaresFit, indicators
from sessionkit.analysis.compare.session_values import GroupedSessions, grouping_columns, numbered
from sessionkit.analysis.compare.units import coded
from sessionkit.analysis.distribution_tails import f_beyond
from sessionkit.readers.tabular import Frame, as_polars
from sessionkit.study import Study
from sessionkit.study.session_counts import sessions_with
from sessionkit.study.session_order import ORDER, session_orders

MOST_PERIODS, MOST_ORDERED = 50, 100_000
"""Places that sessions may have among their user's sessions, and sessions whose places are read from their times."""
WITHIN = ("both", "crossover", "incomplete", "users")
"""Designs in which a user meets several groups."""
CHECKS = pl.Schema(
    {
        "measure": pl.String(),
        "check": pl.String(),
        **dict.fromkeys(("statistic", "df", "df_error", "p", "p_adjusted"), pl.Float64()),
    }
)
"""``check``: period or carry-over; ``statistic``: F; ``p_adjusted``: by Holm's method over all rows."""
PREVIOUS = "__previous"
"""The group of the user's previous session, null where that is unknown."""
IS_FIRST = "__first"
"""Whether the session is its user's first."""


@dataclass(frozen=True)
class SessionPlaces:
    """The place of each session among all sessions of its user, whichever of them take part, and the group of the one before.

    Parameters
    ----------
    frame
        ``session_id``, ``session_order``, `PREVIOUS` and `IS_FIRST`; None where no order is known.
    read_from
        What the order is read from, other than session_order, for a sentence.
    unknown
        Why the order is not known, for a sentence.
    """

    frame: pl.DataFrame | None = None
    read_from: str = ""
    unknown: str = ""

    @classmethod
    def of(cls, source: Study | Frame, sessions: GroupedSessions) -> SessionPlaces:
        """Read places from session_order or, where a study has none, from the times of its sessions.

        Parameters
        ----------
        source
            The study or the table of scores, before a condition chose some of its sessions.
        sessions
            The sessions that take part, of all levels.
        """
        if sessions.by == ORDER or sessions.frame.get_column("session_id").is_duplicated().any():
            return cls()
        if not isinstance(source, Study):
            return cls._of_scores(as_polars(source, "scores"), sessions)
        source = source.unrestricted or source
        names = [ORDER, sessions.by] if sessions.by in grouping_columns(source) else [ORDER]
        if ORDER in source.columns("sessions"):
            return cls(_with_previous(sessions_with(source, names).collect(), sessions))
        if source.facts.sessions > MOST_ORDERED:
            return cls(unknown=f"more than {MOST_ORDERED:,} sessions have no session_order")
        orders = session_orders(source)
        if orders is None:
            return cls(unknown="neither a session_order nor times tell it")
        ordered = sessions_with(source, names[1:]).collect().join(orders, on="session_id")
        with_place = sessions.frame.join(ordered, on="session_id", how="semi").get_column("user_id").n_unique()
        every = sessions.frame.get_column("user_id").drop_nulls().n_unique()
        users = f", of {with_place:,} of {every:,} users" if with_place < every else ""
        return cls(_with_previous(ordered, sessions), f", by their times{users}", "their times do not tell it")

    @classmethod
    def _of_scores(cls, scores: pl.LazyFrame, sessions: GroupedSessions) -> SessionPlaces:
        """Read places from a table of scores, which has a row for each session and measure."""
        names = scores.collect_schema().names()
        if ORDER not in names:
            return cls(unknown="the scores have no session_order")
        if "user_id" not in names:
            return cls()
        columns = dict.fromkeys(("session_id", "user_id", ORDER, sessions.by))
        ordered = scores.select(*columns).unique("session_id").collect()
        return cls(_with_previous(ordered, sessions))

    def beside(self, sessions: GroupedSessions) -> GroupedSessions:
        """Return sessions with their places, for `order_checks`."""
        if self.frame is None:
            return sessions
        without = sessions.frame.drop(ORDER, strict=False)
        return replace(sessions, frame=without.join(self.frame, on="session_id", how="left", maintain_order="left"))


def _with_previous(ordered: pl.DataFrame, sessions: GroupedSessions) -> pl.DataFrame:
    """Return each session's place and the group of its user's previous session, the one whose place is less by 1.

    The previous session need not take part. Its group is unknown where no session has that place, several sessions with
    different groups have it, or it names no group. With `cut` the groups of other sessions are unknown.

    Parameters
    ----------
    ordered
        ``session_id``, ``user_id``, ``session_order`` and, where the source has it, the grouping column, of all sessions.
    """
    by_text = pl.col(sessions.by).cast(pl.String) if sessions.by in ordered.columns and not sessions.cut else None
    ordered = ordered.select(
        pl.col("session_id", "user_id").cast(pl.String),
        pl.col(ORDER).cast(pl.Int64),
        (pl.lit(None, pl.String) if by_text is None else by_text).alias("__text"),
    ).drop_nulls(["user_id", ORDER])
    session_groups = sessions.frame.select("session_id", "group")
    grouped = ordered.join(session_groups, on="session_id", how="left").with_columns(pl.coalesce("group", "__text"))
    groups = pl.col("group")
    certain = groups.n_unique() == 1  # null counts as a value
    previous = grouped.group_by("user_id", pl.col(ORDER) + 1).agg(pl.when(certain).then(groups.first()).alias(PREVIOUS))
    placed = ordered.join(previous, on=["user_id", ORDER], how="left")
    return placed.select("session_id", ORDER, PREVIOUS, (pl.col(ORDER) == pl.col(ORDER).min()).alias(IS_FIRST))


def order_checks(sessions: GroupedSessions, design: Design) -> pl.DataFrame:
    """Test period and first-order carry-over by F, least squares on user + topic + group.

    ``period``: does the place among the user's sessions add to user, topic and group? ``carry-over``: does the group of the
    user's previous session add to these and the place? Sessions whose previous session is unknown are outside the second.
    No rows where no order is known, users do not meet several groups, or the sessions cannot tell.

    Parameters
    ----------
    sessions
        The sessions with their places, see `SessionPlaces.beside`.
    """
    frame = sessions.frame
    if PREVIOUS not in frame.columns or design.name not in WITHIN:
        return CHECKS.to_frame()
    has_place = frame.select(pl.col("user_id", ORDER).is_not_null()).to_numpy().all(axis=1)
    frame, values = frame.filter(pl.Series(has_place)), sessions.values[has_place]
    if not 2 <= frame.get_column(ORDER).n_unique() <= MOST_PERIODS:
        return CHECKS.to_frame()
    if not frame.get_column("user_id").is_duplicated().any():
        return CHECKS.to_frame()
    predecessor_known = frame.select(pl.col(IS_FIRST) | pl.col(PREVIOUS).is_not_null()).to_series().to_numpy()
    rows = []
    for number, measure in enumerate(sessions.measures):
        defined = np.isfinite(values[:, number])
        for check, chosen in (("period", defined), ("carry-over", defined & predecessor_known)):
            tested = _check(check, frame.filter(pl.Series(chosen)), values[chosen, number], sessions.groups)
            if tested is not None:
                rows.append((measure, check, *tested, None))
    return pl.DataFrame(rows, schema=CHECKS, orient="row")


def with_adjusted(order: pl.DataFrame) -> pl.DataFrame:
    """Return checks with their p-values adjusted over all of them, by Holm's method."""
    return order.with_columns(pl.Series("p_adjusted", adjusted(order.get_column("p").to_list(), "holm"), pl.Float64))


def _check(
    check: str, frame: pl.DataFrame, values: np.ndarray, groups: tuple[str, ...]
) -> tuple[float, int, int, float] | None:
    """Return F, its degrees of freedom and p for one check; None where the sessions cannot tell."""
    if frame.is_empty():
        return None
    user, topic = (coded(frame.get_column(name).fill_null(""))[0] for name in ("user_id", "topic_id"))
    effects = Effects(user, topic)
    if not effects.feasible:
        return None
    group, period = indicators(numbered(frame, groups), len(groups)), _indicators(frame.get_column(ORDER))
    smaller, larger = [group], [group, period]
    if check == "carry-over":
        smaller, larger = larger, [*larger, _previous_groups(frame.get_column(PREVIOUS))]
    less, more = (LeastSquares(effects, np.hstack(columns)).fit(values[:, None]) for columns in (smaller, larger))
    return _f(less, more, values)


def _indicators(labels: pl.Series) -> np.ndarray:
    """Return a column of 0 and 1 for each label but the first."""
    numbers, names = coded(labels)
    return indicators(numbers, len(names))


def _previous_groups(previous: pl.Series) -> np.ndarray:
    """Return columns that tell the groups of previous sessions apart, all 0 for a first session, which has none.

    Groups that are not compared count too: after a session with C, A may do better than after one with B.
    """
    numbers, names = coded(previous)
    columns = (numbers[:, None] == np.arange(len(names))).astype(float)
    contrasts: np.ndarray = columns[:, 1:] - columns[:, :1]
    return contrasts


def _f(
    less: LeastSquaresFit | None, more: LeastSquaresFit | None, values: np.ndarray
) -> tuple[float, int, int, float] | None:
    """F for what the larger model explains beyond the smaller, with its degrees of freedom and p; None without real variance."""
    if less is None or more is None or more.df < 1 or more.df == less.df:
        return None
    if not real_spread(math.sqrt(float(more.variance[0])), values):
        return None
    df = less.df - more.df
    f = max(0.0, float(more.explained[0] - less.explained[0]) / df / float(more.variance[0]))
    return f, df, more.df, f_beyond(f, df, more.df)
