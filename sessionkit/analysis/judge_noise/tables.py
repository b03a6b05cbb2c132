"""The tables of judge noise: what becomes of the pairs, and of the order of all groups."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from sessionkit.analysis.judge_noise.random_judgments import RedrawnPairs

F, N = pl.Float64(), pl.Int64()
PAIRS = pl.Schema(
    dict.fromkeys(("measure", "a", "b"), pl.String())
    | dict.fromkeys(("difference", "p", "mean", "sd", "low", "high"), F)
    | dict.fromkeys(("winner_changes", "rejected", "verdict_changes"), F)
    | {"draws": N}
)
ORDER = pl.Schema({"measure": pl.String(), **dict.fromkeys(("tau", "low", "high"), F), "draws": N})


def pairs_table(
    measures: Sequence[str], names: Sequence[str], pairs: Sequence[tuple[int, int]], of: RedrawnPairs, alpha: float
) -> pl.DataFrame:
    """A row per measure and pair."""
    rows = []
    for m, measure in enumerate(measures):
        for number, (i, j) in enumerate(pairs):
            d, p = of.difference[:, m, number], of.p[:, m, number]
            there = d[1:][np.isfinite(d[1:])]
            whole = float(d[0]) if np.isfinite(d[0]) else None
            spread: list[float | None] = [None] * 4
            if len(there):
                low, high = np.quantile(there, [0.025, 0.975])
                sd = float(there.std(ddof=1)) if np.ptp(there) > 0 else 0.0
                spread = [float(there.mean()), sd, float(low), float(high)]
            changes = None if not whole else float((np.sign(d[1:]) != np.sign(whole)).mean())
            rejected = p[1:] <= alpha
            known = float(p[0]) if np.isfinite(p[0]) else None
            verdicts = (
                (float(rejected.mean()), float((rejected != (p[0] <= alpha)).mean()))
                if known is not None
                else (None, None)
            )
            rows.append((measure, names[i], names[j], whole, known, *spread, changes, *verdicts, len(p) - 1))
    return pl.DataFrame(rows, schema=PAIRS, orient="row")


def order_table(measures: Sequence[str], of: RedrawnPairs) -> pl.DataFrame:
    """A row per measure: mean tau and the middle 95 % of draws."""
    rows = []
    for m, measure in enumerate(measures):
        tau = of.tau[1:, m][np.isfinite(of.tau[1:, m])]
        ends = (
            [None, None, None] if not len(tau) else [float(tau.mean()), *map(float, np.quantile(tau, [0.025, 0.975]))]
        )
        rows.append((measure, *ends, of.tau.shape[0] - 1))
    return pl.DataFrame(rows, schema=ORDER, orient="row")
