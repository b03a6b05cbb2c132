"""Crossover designs: the difference at equal users and topics, its randomization, and effects of order."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from sessionkit.display.numbers import counted
from sessionkit.errors import UsageError
from sessionkit.statistics.corrections import adjusted
from sessionkit.statistics.design import Design
from sessionkit.statistics.distributions import f_beyond, t_at, t_beyond
from sessionkit.statistics.effects import Interval, Outcome, Overall, Pair, inverted, noncentrality, real_spread
from sessionkit.statistics.session_values import GroupedSessions, grouping_columns, numbered
from sessionkit.statistics.significance import scaled, share_as_large, signs
from sessionkit.statistics.units import NULL, Crossed, Effects, LeastSquares, LeastSquaresFit, coded, indicators
from sessionkit.study import Study
from sessionkit.study.counts import ORDER, session_orders, sessions_with
from sessionkit.study.tabular import Frame, as_polars


def not_told_apart(units: Crossed) -> UsageError:
    """Build the error for groups that users and topics leave nothing of: whether users, topics or both do, and what would tell."""
    effects = Effects(units.user, units.topic)
    users, topics = counted(len(np.unique(units.user)), "user"), counted(len(np.unique(units.topic)), "topic")
    groups = indicators(units.group, units.groups)
    if LeastSquares(effects, groups).separable:
        return UsageError(
            f"{counted(len(units.values), 'session')} that can be compared are too few",
            f": {users}, {topics} and {units.groups} groups take all of them, and none is left for the error of the difference; more "
            "sessions of these users on these topics would do",
        )
    every = "both groups" if units.groups == 2 else f"the {units.groups} groups"
    kinds = [
        name
        for name, alone in (
            ("user", Effects(units.user, np.zeros_like(units.topic))),
            ("topic", Effects(np.zeros_like(units.user), units.topic)),
        )
        if not LeastSquares(alone, groups).separable
    ]
    if kinds:
        many = " and ".join({"user": users, "topic": topics}[kind] for kind in kinds)
        why = f"the {many} fall into sets that met different groups"
        needed = " and ".join(f"{kind}s" for kind in kinds)
        wanted = f"{needed} with sessions of groups from several of these sets"
    else:
        needed = "users and topics together"
        why = f"of the {users} and {topics} neither alone, but both together, tell the groups apart"
        wanted = f"sessions of the same users on the same topics with {every}"
    fewer = ", or fewer groups," if units.groups > 2 else ""
    return UsageError(
        f"the groups cannot be separated from {needed} in the {counted(len(units.values), 'session')} that can be compared",
        f": {why}; {wanted} would separate them; another column{fewer} may be comparable",
    )


def least_squares(units: Crossed) -> Outcome:
    """Differences of groups at equal users and topics; the effect is the difference over the residual sd.

    It takes the difference of the groups to be the same for every user and topic. An effect that varies with the topic
    is no error for these topics, and makes the test blind to others: see the topic-level t.
    """
    fit = units.fit
    if fit is None or fit.df < 1:
        raise not_told_apart(units)
    df, sd = fit.df, math.sqrt(float(fit.variance[0]))
    estimates = np.concatenate([[0.0], fit.coefficients[:, 0]])
    inverse = np.pad(fit.inverse, ((1, 0), (1, 0)))

    def pair(first: int, second: int) -> Pair:
        d = float(estimates[second] - estimates[first])
        scale = math.sqrt(float(inverse[first, first] + inverse[second, second] - 2 * inverse[first, second]))
        se = sd * scale
        t = d / se

        def interval(alpha: float) -> Interval:
            half = t_at(alpha / 2, df) * se
            return d - half, d + half

        def effect_interval(alpha: float) -> Interval:
            low, high = noncentrality(t, df, alpha)
            return low * scale, high * scale

        return Pair(d, 2 * t_beyond(abs(t), df), interval, t, df, d / sd, effect_interval, se)

    k = units.groups
    pairs = {(i, j): pair(i, j) for i in range(k) for j in range(i + 1, k)}
    if k <= 2:
        return Outcome(pairs)
    f = float(fit.explained[0]) / (k - 1) / float(fit.variance[0])
    return Outcome(pairs, (Overall("least squares, all groups", f, k - 1, df, f_beyond(f, k - 1, df)),))


def swapped(units: Crossed, draws: int, seed: int) -> Outcome:
    """Least squares on user + topic + group, judged against the same with users' assignments swapped at random.

    The statistic is the size of the difference's t, which swaps compare as abs(sum(s c)) / sqrt(s'Qs): s are the users' signs, c
    what each user's sessions say for the second group once users and topics are taken out, and Q how far the assignment
    can be told apart from topics.
    """
    from scipy.sparse import csr_matrix

    if units.groups > 2:
        msg = "test=randomization swaps the assignments of two groups; for more groups test=least-squares would work"
        raise UsageError(msg)
    effects = Effects(units.user, units.topic)
    x, y = units.group - 0.5, units.values
    fit = LeastSquares(effects, x[:, None]).fit(y[:, None])
    if fit is None or fit.df < 1:
        raise not_told_apart(units)
    users, topics = int(units.user.max()) + 1, int(units.topic.max()) + 1
    left_y, left_x = effects.without(np.column_stack([y, x])).T
    of_y = np.bincount(units.user, weights=x * left_y, minlength=users)
    of_x = np.bincount(units.user, weights=x * left_x, minlength=users)
    centered = x - (np.bincount(units.user, weights=x) / np.bincount(units.user))[units.user]
    own = float((centered**2).sum())
    of_topics = csr_matrix((centered, (units.topic, units.user)), shape=(topics, users))
    among = _topic_inverse(units, users, topics)
    arrangements, exact = signs(users, draws, seed)
    sums = np.vstack([_sums(s, np.column_stack([of_y, of_x]), of_topics, among, own) for s in arrangements])
    estimate, scale = float(fit.coefficients[0, 0]), math.sqrt(float(fit.inverse[0, 0]))
    sd = math.sqrt(float(fit.variance[0]))
    kept = float(of_x.sum())
    sizes = float(np.abs(of_y).sum()), float(np.abs(of_x).sum())

    def test(shift: float) -> tuple[float, float]:
        # a draw that leaves groups and topics in one has nothing to say and counts as small
        told_apart = sums[:, 2] > 1e-9 * own
        scale_of_draw = np.sqrt(np.where(told_apart, sums[:, 2], 1.0))
        found = np.where(told_apart, np.abs(sums[:, 0] - shift * sums[:, 1]) / scale_of_draw, 0.0)
        observed = abs(float(of_y.sum()) - shift * kept) / math.sqrt(kept)
        size = (sizes[0] + abs(shift) * sizes[1]) / math.sqrt(kept)
        return estimate - shift, share_as_large(found, observed, exact, size)

    def interval(alpha: float) -> Interval:
        wide = 40 * sd * scale
        return inverted(test, estimate - wide, estimate + wide, alpha)

    pair = Pair(
        estimate=estimate,
        p=test(0.0)[1],
        interval=interval,
        statistic=estimate,
        effect=estimate / sd,
        effect_interval=lambda alpha: scaled(noncentrality(estimate / sd / scale, fit.df, alpha), scale),
        se=sd * scale,
    )
    return Outcome({(0, 1): pair})


def _sums(
    s: np.ndarray,
    of_user: np.ndarray,
    of_topics: Any,  # noqa: ANN401 - a sparse matrix
    among: np.ndarray,
    own: float,
) -> np.ndarray:
    """For rows of signs: what the values say for the group, what the group itself does, and s'Qs."""
    swapped_topics = (of_topics @ s.T).T
    return np.column_stack([s @ of_user, own - ((swapped_topics @ among) * swapped_topics).sum(axis=1)])


def _topic_inverse(units: Crossed, users: int, topics: int) -> np.ndarray:
    """Pseudo-inverse of the topics' cross products once users are taken out."""
    from scipy.sparse import csr_matrix

    sizes = np.bincount(units.user, minlength=users)
    between = csr_matrix((np.ones(len(units.user)), (units.topic, units.user)), shape=(topics, users))
    shares = csr_matrix((1 / sizes[units.user], (units.topic, units.user)), shape=(topics, users))
    products = np.diag(np.bincount(units.topic, minlength=topics)) - (between @ shares.T).toarray()
    inverse: np.ndarray = np.linalg.pinv(products, rcond=NULL, hermitian=True)
    return inverse


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
UNORDERED = {
    "many sessions": f"more than {MOST_ORDERED:,} sessions have no session_order",
    "no order": "neither a session_order nor times tell it",
    "times tell nothing": "their times do not tell it",
    "no session_order": "the scores have no session_order",
}
"""Why the order of sessions is not known, by a short code."""
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
    users
        Of how many users of how many the times of sessions tell their places; None where session_order has them.
    unknown
        Why the order is not known, a key of `UNORDERED`; empty where it is known.
    """

    frame: pl.DataFrame | None = None
    users: tuple[int, int] | None = None
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
            return cls(unknown="many sessions")
        orders = session_orders(source)
        if orders is None:
            return cls(unknown="no order")
        ordered = sessions_with(source, names[1:]).collect().join(orders, on="session_id")
        with_place = sessions.frame.join(ordered, on="session_id", how="semi").get_column("user_id").n_unique()
        every = sessions.frame.get_column("user_id").drop_nulls().n_unique()
        return cls(_with_previous(ordered, sessions), (with_place, every), "times tell nothing")

    @classmethod
    def _of_scores(cls, scores: pl.LazyFrame, sessions: GroupedSessions) -> SessionPlaces:
        """Read places from a table of scores, which has a row for each session and measure."""
        names = scores.collect_schema().names()
        if ORDER not in names:
            return cls(unknown="no session_order")
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
