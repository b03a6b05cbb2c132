"""The most contrasting pair: two sessions of one topic, of different groups and judged alike, whose values are farthest apart."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from sessionkit.analysis.groups import EVERYONE, UNKNOWN
from sessionkit.analysis.numeric_ties import differences, settled
from sessionkit.display.natural_order import in_natural_order
from sessionkit.display.numbers import share_text

COLUMNS = ("session", "topic_id", "group", "value", "judged")
PLACE = ("topic_id", "tenth")
"""What the two sessions of a pair have in common: their topic, and the tenth of their judged shares."""


@dataclass(frozen=True)
class SessionContrast:
    """Two sessions, the one of the first group first; of one group, the one with the first id.

    Parameters
    ----------
    sessions
        The two sessions.
    of_groups
        Whether they are of different groups.
    shares
        The judged share of the results of each, from 0 to 1; null where it is not known.
    least_share
        The least judged share that both have, which is the median of all sessions; None where no two comparable sessions have it, or
        no judged share is known.
    """

    sessions: tuple[object, object]
    of_groups: bool
    shares: tuple[float | None, float | None]
    least_share: float | None

    def told(self, measure: str, groups: str = "systems", *, drawn: bool = False) -> str:
        """How the pair was chosen, in a sentence; `groups` is what the groups are called, `drawn` whether only some sessions were there."""
        pairs = f"pairs of sessions of one topic{f' with different {groups}' if self.of_groups else ''}"
        pairs += " among those drawn" if drawn else ""
        differs = f"this one differs most in {measure}: it is an extreme, not a typical pair."
        if self.least_share is not None:
            alike = (
                f"comparable judged shares (in the same tenth, at least the median of {share_text(self.least_share)})"
            )
            return f"Of all {pairs} {'and ' if self.of_groups else ''}with {alike}, {differs}"
        if self.shares == (None, None):
            return f"Of all {pairs}, {differs}"
        return f"No {pairs} have comparable, high judged shares. Of all, {differs} Missing judgments may explain the difference."

    @property
    def judged_told(self) -> str:
        """The judged shares of both, in a sentence; empty where they are not known."""
        if None in self.shares:
            return ""
        first, second = (share_text(share) for share in self.shares if share is not None)
        return f"Judged: {first} of the results of the first session, {second} of the second."


def most_contrasting(sessions: pl.DataFrame) -> SessionContrast | None:
    """Find the pair of one topic with the largest difference: of different groups where a topic has two, else of any.

    Both sessions have a judged share of at least the median share, and shares in the same tenth, such as 90% to 100%: a session that
    is judged better has a higher value for that alone. Where no pair has, all pairs are looked at. Sessions without a value or a topic
    are left out, unless no session has a topic: then all count as of one. Of equal differences the pair with the first id is taken,
    then that with the first other id. None where no topic has two sessions.

    Parameters
    ----------
    sessions
        ``session`` (an id, or its place in the order of ids), ``topic_id``, ``group`` (as `grouped_sessions` names it), ``value`` and
        ``judged`` (share of the results, 0 to 1; null where it is not known).

    Examples
    --------
    >>> rows = [("a", "t", "S1", 5.0, 1.0), ("b", "t", "S1", 1.0, 1.0), ("c", "t", "S2", 2.0, 1.0), ("d", "t", "S2", 0.0, 0.1)]
    >>> most_contrasting(pl.DataFrame(rows, schema=COLUMNS, orient="row")).sessions
    ('a', 'c')
    """
    one_topic = sessions["topic_id"].null_count() == len(sessions)
    known = sessions.select(COLUMNS).with_columns(pl.lit("").alias("topic_id") if one_topic else pl.col("topic_id"))
    known = known.drop_nulls(["topic_id", "value"])
    known = known.with_columns(
        pl.Series("value", settled(known["value"].to_numpy())),
        # 10 * 0.7 is 7.000000000000001; all of the results judged are of the last tenth
        tenth=(10 * pl.col("judged")).round(9).floor().clip(0, 9),
    )
    median = known.select(pl.col("judged").median()).item()
    by_session = known.with_columns(part=pl.col("session").cast(pl.String))
    by_group = known.filter(~pl.col("group").is_in([EVERYONE, UNKNOWN])).with_columns(part=pl.col("group"))
    for of_groups, candidates in ((True, by_group), (False, by_session)):
        judged_alike = candidates.filter(pl.col("judged") >= pl.lit(median, pl.Float64))
        pair, least_share = _farthest(judged_alike), median
        if pair is None:
            pair, least_share = _farthest(candidates.with_columns(tenth=pl.lit(0.0))), None
        if pair is not None:
            shares = dict(known.select("session", "judged").rows())
            first, second = pair
            return SessionContrast(pair, of_groups, (shares[first], shares[second]), least_share)
    return None


def _farthest(known: pl.DataFrame) -> tuple[object, object] | None:
    """The two sessions of one topic and tenth and different parts that are farthest apart.

    The highest session of each of the two highest parts of these, and the lowest of the two lowest, are enough: any other
    session of a pair can be replaced by one of these that is at least as far away and, at the same distance, has a smaller id.
    """
    ends = []
    for descending in (True, False):
        ordered = known.sort(*PLACE, "value", "session", descending=[False, False, descending, False])
        of_parts = ordered.unique([*PLACE, "part"], keep="first", maintain_order=True)
        ends.append(of_parts.group_by(PLACE, maintain_order=True).head(2))
    pairs = ends[0].join(ends[1], on=PLACE, suffix="_low").filter(pl.col("part") != pl.col("part_low"))
    if pairs.is_empty():
        return None
    apart = differences(pairs["value_low"].to_numpy(), pairs["value"].to_numpy())
    both = ("session", "session_low")
    far = pairs.with_columns(pl.Series("apart", apart), first=pl.min_horizontal(both), second=pl.max_horizontal(both))
    far = far.filter(pl.col("apart") == pl.col("apart").max()).sort("first", "second")
    row = far.row(0, named=True)
    one, other = (row["group"], row["session"]), (row["group_low"], row["session_low"])
    names = in_natural_order([one[0], other[0]])
    (_, left), (_, right) = sorted([one, other], key=lambda each: (names.index(each[0]), each[1]))
    return left, right
