"""Both parts of every session of several queries, and the tests of the difference between them."""

from __future__ import annotations

import numpy as np
import polars as pl

from sessionkit.analysis.bootstrap import FEWEST, Codes, Numbers, Resampling, Units, added
from sessionkit.analysis.breakdown.reduction import TWO_PARTS, best_position
from sessionkit.analysis.distribution_tails import t_at, t_beyond
from sessionkit.analysis.numeric_ties import difference, differences
from sessionkit.analysis.verdict import Support
from sessionkit.display.words import counted
from sessionkit.scoring import exact
from sessionkit.scoring.measures.direction import MeasureDirection

CONTRASTS = {**TWO_PARTS, "last-first": ("last", "first")}
"""The two parts of a session that are compared, by what the comparison is called."""
CHOSEN = "the best query is chosen by its value, so the sign of the difference follows by construction: only its size is informative"
PAIRS = ["of_part", "of_other"]


def parted(values: pl.DataFrame, contrast: str, direction: MeasureDirection) -> pl.DataFrame:
    """Mean value of both parts of every session, null where undefined and where it has no other query; its ``queries``."""
    value, position = pl.col("value"), pl.col("query_position")
    if contrast == "best":
        inside = position == best_position(direction)
    else:
        inside = position == (position.min() if contrast == "first" else position.max())
    other = position == position.min() if contrast == "last-first" else ~inside
    several = pl.len() > 1
    return values.group_by("session_id", maintain_order=True).agg(
        of_part=pl.when(several).then(exact.mean(value.filter(inside))),
        of_other=pl.when(several).then(exact.mean(value.filter(other))),
        queries=pl.len(),
    )


def support_of(pairs: pl.DataFrame, of: Units) -> Support:
    """How many of a group's users, or sessions, have a value in both parts."""
    key = "user_id" if of.name == "users" else "session_id"
    complete = pairs.drop_nulls(PAIRS)
    n, total = (rows.get_column(key).drop_nulls().n_unique() for rows in (complete, pairs))
    has = "a session with a value in both parts" if of.name == "users" else "a value in both parts"
    return Support(of.name.removesuffix("s"), n, total, has, paired=True)


def differing(
    pairs: pl.DataFrame, of: Units, resampling: Resampling, *, chosen: bool, draw: bool = True
) -> list[dict[str, object]]:
    """The tests of one comparison in one group."""
    complete = pairs.drop_nulls(PAIRS)
    users = complete.get_column("user_id")
    codes = of.codes(users) if len(users) else np.zeros(0, dtype=np.int64)
    many = int(codes.max()) + 1 if len(codes) else 0
    known = users.drop_nulls().n_unique()
    single = int((pairs.get_column("queries") == 1).sum())
    row: dict[str, object] = {"sessions": len(complete), "users": known, "left_out_single_query": single}
    row["left_out_undefined"] = len(pairs) - len(complete) - single
    if many < FEWEST:
        have = (
            f"only {counted(many, of.name[:-1])} {'has' if many == 1 else 'have'}" if many else f"no {of.name[:-1]} has"
        )
        have += f"{' a session with' if of.name == 'users' else ''} a value in both parts; at least {FEWEST} are needed"
        return [row | {"note": f"{have}, and sessions of one query have only one part"}]
    both = complete.select(PAIRS).to_numpy().astype(np.float64)
    found = []
    if of.name == "users":
        sums = added(np.concatenate([both, np.ones((len(both), 1))], axis=1), codes)
        found.append(row | {"test": "user means"} | _paired_t(sums[:, :2] / sums[:, 2:], resampling))
    if draw:
        found.append(row | {"test": f"{of.name} drawn"} | _drawn(both, codes, resampling))
    found.append(row | {"test": "sessions"} | _paired_t(both, resampling))
    if chosen:
        found = [each | {"statistic": None, "df": None, "p": None, "note": CHOSEN} for each in found]
    return found


def _means(both: Numbers) -> dict[str, object]:
    """Means of the parts and of their difference."""
    of_part, of_other = both.mean(axis=0)
    away = float((both[:, 0] - both[:, 1]).mean()) if difference(of_other, of_part) else 0.0
    return {"value": float(of_part), "value_against": float(of_other), "estimate": away}


def _paired_t(both: Numbers, resampling: Resampling) -> dict[str, object]:
    """Paired t over rows."""
    away = differences(both[:, 1], both[:, 0])
    many, mean, spread = len(away), float(away.mean()), float(away.std(ddof=1))
    if not np.ptp(away):
        return _means(both) | {
            "note": f"the difference is the same in all {many}: no variance is left to test it against"
        }
    error = spread / np.sqrt(many)
    half = t_at(0.5 - resampling.confidence / 2, many - 1) * error
    t = mean / error
    tested = {"low": mean - half, "high": mean + half, "statistic": float(t), "df": many - 1, "interval": "t"}
    return _means(both) | tested | {"p": 2 * t_beyond(abs(float(t)), many - 1), "effect": mean / spread}


def _drawn(both: Numbers, codes: Codes, resampling: Resampling) -> dict[str, object]:
    """Mean difference over sessions, units drawn with replacement."""
    away = differences(both[:, 1], both[:, 0])
    sums = added(np.stack([away, np.ones(len(away))], axis=1), codes)
    totals = np.concatenate([weights @ sums for weights in resampling.weights(len(sums))])
    without = sums.sum(axis=0) - sums
    mean = float(away.mean())
    found = resampling.says(totals[:, 0] / totals[:, 1], mean, without[:, 0] / without[:, 1])
    if found is None or np.ptp(away) == 0:
        return _means(both) | {"note": f"{len(sums)} units are too few, or too similar, for a bootstrap interval"}
    return _means(both) | {"low": found.low, "high": found.high, "p": found.p, "interval": str(resampling)}
