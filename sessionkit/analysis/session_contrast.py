"""The most contrasting pair: the two sessions of one topic, of different groups, whose values are farthest apart."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from sessionkit.analysis.groups import EVERYONE, UNKNOWN
from sessionkit.analysis.numeric_ties import differences, settled
from sessionkit.display.natural_order import in_natural_order

COLUMNS = ("session", "topic_id", "group", "value")


@dataclass(frozen=True)
class SessionContrast:
    """Two sessions, the one of the first group first; of one group, the one with the first id."""

    sessions: tuple[object, object]
    of_groups: bool

    def told(self, measure: str, groups: str = "systems", *, drawn: bool = False) -> str:
        """How the pair was chosen, in a sentence; `groups` is what the groups are called, `drawn` whether only some sessions were there."""
        apart = (f" with different {groups}" if self.of_groups else "") + (" among those drawn" if drawn else "")
        return f"Of all pairs of sessions of one topic{apart}, this one differs most in {measure}: it is an extreme, not a typical pair."


def most_contrasting(sessions: pl.DataFrame) -> SessionContrast | None:
    """Find the pair of one topic with the largest difference: of different groups where a topic has two, else of any.

    Sessions without a value or a topic are left out, unless no session has a topic: then all count as of one. Of equal
    differences the pair with the first id is taken, then that with the first other id. None where no topic has two sessions.

    Parameters
    ----------
    sessions
        ``session`` (an id, or its place in the order of ids), ``topic_id``, ``group`` (as `grouped_sessions` names it) and ``value``.

    Examples
    --------
    >>> rows = [("a", "t", "S1", 5.0), ("b", "t", "S1", 1.0), ("c", "t", "S2", 2.0), ("d", "u", "S2", 9.0)]
    >>> most_contrasting(pl.DataFrame(rows, schema=["session", "topic_id", "group", "value"], orient="row")).sessions
    ('a', 'c')
    """
    one_topic = sessions["topic_id"].null_count() == len(sessions)
    known = sessions.select(COLUMNS).with_columns(pl.lit("").alias("topic_id") if one_topic else pl.col("topic_id"))
    known = known.drop_nulls(["topic_id", "value"])
    known = known.with_columns(pl.Series("value", settled(known["value"].to_numpy())))
    grouped = known.filter(~pl.col("group").is_in([EVERYONE, UNKNOWN]))
    across = _farthest(grouped.with_columns(part=pl.col("group")))
    found = across or _farthest(known.with_columns(part=pl.col("session").cast(pl.String)))
    return None if found is None else SessionContrast(found, across is not None)


def _farthest(known: pl.DataFrame) -> tuple[object, object] | None:
    """The two sessions of one topic and different parts that are farthest apart.

    The highest session of each of the two highest parts of a topic, and the lowest of the two lowest, are enough: any other
    session of a pair can be replaced by one of these that is at least as far away and, at the same distance, has a smaller id.
    """
    ends = []
    for descending in (True, False):
        ordered = known.sort("topic_id", "value", "session", descending=[False, descending, False])
        of_parts = ordered.unique(["topic_id", "part"], keep="first", maintain_order=True)
        ends.append(of_parts.group_by("topic_id", maintain_order=True).head(2))
    pairs = ends[0].join(ends[1], on="topic_id", suffix="_low").filter(pl.col("part") != pl.col("part_low"))
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
