"""The groups that are compared, such as systems or runs: their names, their sessions, and the runs that are left out."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl

from sessionkit.analysis.compare.design import Design, read_design
from sessionkit.analysis.groups import require_few_groups
from sessionkit.analysis.rescore.log import RescoredLog
from sessionkit.display.natural_order import in_natural_order
from sessionkit.display.numbers import share_text
from sessionkit.errors import UsageError

FULL = 0.95
"""Share of the results it could have returned below which a run is left out (Buckley & Voorhees 2004; SIGIR 2007)."""


@dataclass(frozen=True, eq=False)
class Groups:
    """The groups of a log.

    Parameters
    ----------
    names
        In order.
    number
        Of the group of every session of the log; below 0 where it has none or is left out.
    design
        Who met which groups with which topics.
    runs
        Whether every group answered topics with one list each, nobody searching: runs of a test collection.
    left_out
        What was left out, and how much of it.
    """

    names: tuple[str, ...]
    number: np.ndarray
    design: Design
    runs: bool
    left_out: dict[str, int] = field(default_factory=dict)

    @property
    def many(self) -> int:
        """How many groups there are."""
        return len(self.names)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Every two groups."""
        return [(i, j) for i in range(self.many) for j in range(i + 1, self.many)]

    @property
    def word(self) -> str:
        """What groups are called."""
        return "runs" if self.runs else "groups"


def groups_of(log: RescoredLog, full: float | None = None) -> Groups:
    """Name the groups of a log, and leave out runs that returned too little.

    Parameters
    ----------
    full
        Share of the results that a group could have returned (the most queries of any group, each as deep as the
        deepest list) below which it is left out; None, .95 for runs and none for searchers, who ask as they like.

    Raises
    ------
    UsageError
        Fewer than two groups are left, or `full` is no share.
    """
    if full is not None and (not isinstance(full, int | float) or not 0 <= full <= 1):
        raise UsageError(f"full must be a share from 0 to 1, not {full!r}; 0.95 is usual")
    sessions = log.sessions
    left_out: dict[str, int] = {}
    unknown = sessions.get_column("group").null_count()
    if unknown:
        left_out[f"sessions without {log.by}"] = unknown
    require_few_groups(log.by, sessions.get_column("group").drop_nulls().n_unique())
    names = in_natural_order(sessions.get_column("group").drop_nulls().unique())
    runs = _are_runs(sessions)
    share = (FULL if runs else 0.0) if full is None else full
    whole = _returned(sessions, names) >= share
    for name, kept in zip(names, whole, strict=True):
        if not kept:
            left_out[
                f"{'run' if runs else 'group'} {name}, which returned less than {share_text(share, 0)} of what it could"
            ] = 1
    names = [name for name, kept in zip(names, whole, strict=True) if kept]
    if len(names) < 2:
        there = "no group" if not names else f"one group, {names[0]!r}"
        lost = f" once those that returned less than {share_text(share, 0)} are left out" if not whole.all() else ""
        msg = f"by={log.by}: the sessions have {there}{lost}; a comparison needs at least two"
        raise UsageError(msg)
    numbered = sessions.select(
        pl.col("group").replace_strict(names, range(len(names)), default=-1, return_dtype=pl.Int64)
    )
    number: np.ndarray = numbered.to_series().fill_null(-1).to_numpy()
    frame = (
        sessions.filter(pl.Series(number >= 0)).select("session_id", "user_id", "topic_id", "group").sort("session_id")
    )
    return Groups(tuple(names), number, read_design(frame, log.by, len(names)), runs, left_out)


def _are_runs(sessions: pl.DataFrame) -> bool:
    """Whether nobody searched, and each group has a list for a topic at most once."""
    if sessions.get_column("user_id").null_count() < sessions.height or sessions.get_column("topic_id").null_count():
        return False
    return bool((sessions["queries"] <= 1).all()) and not sessions.select("group", "topic_id").is_duplicated().any()


def _returned(sessions: pl.DataFrame, names: list[str]) -> np.ndarray:
    """Results of every group, as a share of what it could have returned."""
    counts = sessions.drop_nulls("group").group_by("group").agg(pl.col("results", "queries").sum())
    found = pl.DataFrame({"group": names}, schema={"group": pl.String}).join(
        counts, on="group", how="left", maintain_order="left"
    )
    deepest = sessions.get_column("deepest").max()
    could = int(str(found["queries"].max() or 0)) * int(str(deepest or 0))
    share: np.ndarray = found["results"].to_numpy() / could if could else np.ones(len(names))
    return share
