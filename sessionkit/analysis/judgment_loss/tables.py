"""The tables of judgment loss: agreement of the order, its knees, verdicts, and the pairs that these are about."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import polars as pl

from sessionkit.analysis.judgment_loss.curves import ALL, Curves
from sessionkit.analysis.judgment_loss.order import Confusion, first_above, knee
from sessionkit.analysis.judgment_loss.verdicts import Verdicts
from sessionkit.analysis.numeric_ties import settled

F, N = pl.Float64(), pl.Int64()
TABLE = pl.Schema(
    {"measure": pl.String(), "fraction": F, "judged": F}
    | dict.fromkeys(("tau", "tau_low", "tau_high", "winner", "value", "drift"), F)
    | {"draws": N}
)
KNEES = pl.Schema(
    {"measure": pl.String()}
    | dict.fromkeys(("knee", "knee_judged", "knee_low", "knee_high", "first_above", "accuracy_knee"), F)
)
CONFUSION = pl.Schema(
    {"measure": pl.String(), "fraction": F}
    | dict.fromkeys(("kept", "gained", "lost", "found", "turned"), N)
    | dict.fromkeys(("accuracy", "true_positive", "false_positive_rate", "precision", "g_mean"), F)
)
PAIRS = pl.Schema(
    {"measure": pl.String(), "a": pl.String(), "b": pl.String(), "fraction": F}
    | dict.fromkeys(("difference", "p", "mean", "low", "high", "same_sign", "median_p", "significant"), F)
)


def agreement_table(
    measures: Sequence[str], shares: Sequence[Fraction], judged: Sequence[float], of: Curves
) -> pl.DataFrame:
    """A row per measure and share; the last, of all judgments, is the order against itself."""
    rows: list[tuple[object, ...]] = []
    many = len(of.tau)
    for m, measure in enumerate(measures):
        whole = _mean(of.whole[:, m])
        for s, (share, real) in enumerate(zip(shares, judged, strict=True)):
            if share == ALL:
                tied = not np.isfinite(of.whole[:, m]).sum() > 1 or not float(
                    np.ptp(settled(of.whole[np.isfinite(of.whole[:, m]), m]))
                )
                one = None if tied else 1.0
                rows.append((measure, 1.0, real, one, one, one, one, whole, None if whole is None else 0.0, many))
                continue
            tau = of.tau[:, s, m]
            value = _mean(of.means[:, s, :, m])
            drift = None if value is None or whole is None else value - whole
            ends = _mean(tau), _least(tau), _most(tau)
            rows.append((measure, float(share), real, *ends, _mean(of.winner[:, s, m]), value, drift, many))
    return pl.DataFrame(rows, schema=TABLE, orient="row")


def knees_table(
    measures: Sequence[str],
    shares: Sequence[Fraction],
    judged: Sequence[float],
    of: Curves,
    *,
    confusion: pl.DataFrame,
    threshold: float,
) -> pl.DataFrame:
    """A row per measure: where agreement of the order begins to stay at the threshold."""
    numbers = [float(share) for share in shares]
    rows = []
    for m, measure in enumerate(measures):
        each = [np.append(tau, 1.0) for tau in of.tau[:, :, m]]
        mean = np.array([np.nan if (value := _mean(column)) is None else value for column in of.tau[:, :, m].T] + [1.0])
        own = [found for tau in each if (found := knee(numbers, tau, threshold)) is not None]
        at = knee(numbers, mean, threshold)
        accuracy = confusion.filter(pl.col("measure") == measure).get_column("accuracy").cast(pl.Float64)
        exact = accuracy.fill_null(np.nan).to_numpy()
        rows.append(
            (
                measure,
                at,
                None if at is None else judged[numbers.index(at)],
                min(own, default=None),
                max(own, default=None),
                first_above(numbers, mean, threshold),
                knee(numbers, exact, threshold),
            )
        )
    return pl.DataFrame(rows, schema=KNEES, orient="row")


def confusion_table(measures: Sequence[str], shares: Sequence[Fraction], of: Verdicts, alpha: float) -> pl.DataFrame:
    """A row per measure and share: verdicts with all judgments against those with a share, over pairs and draws.

    Pairs that cannot be tested with all judgments have no verdict and are left out; what cannot be tested with a share of
    them is not significant.
    """
    rows = []
    for m, measure in enumerate(measures):
        there = np.isfinite(of.p[m])
        whole = np.broadcast_to((of.p[m] <= alpha)[:, None], of.ps.shape[1:3])[there]
        for s, share in enumerate(shares):
            some = whole if share == ALL else of.ps[m, there, :, s] <= alpha
            same = np.ones_like(whole) if share == ALL else _same_sign(of, m, s)[there]
            found = Confusion.of(whole, some, same)
            counted = found.kept, found.gained, found.lost, found.found, found.turned
            rates = found.true_positive, found.false_positive_rate, found.precision
            rows.append((measure, float(share), *counted, found.accuracy, *rates, found.g_mean))
    return pl.DataFrame(rows, schema=CONFUSION, orient="row")


def pairs_table(
    measures: Sequence[str], shares: Sequence[Fraction], of: Verdicts, names: Sequence[str], alpha: float
) -> pl.DataFrame:
    """A row per measure, pair and share."""
    rows = []
    for m, measure in enumerate(measures):
        for number, (i, j) in enumerate(of.pairs):
            whole = _number(of.difference[m, number]), _number(of.p[m, number])
            for s, share in enumerate(shares):
                if share == ALL:
                    same, rejected = (None if whole[0] is None else 1.0), _rejected(whole[1], alpha)
                    found = (whole[0], whole[0], whole[0], same, whole[1], rejected)
                else:
                    d, p = of.differences[m, number, :, s], of.ps[m, number, :, s]
                    same = None if whole[0] is None else float(_same_sign(of, m, s)[number].mean())
                    found = (
                        _mean(d),
                        _least(d),
                        _most(d),
                        same,
                        _median(p),
                        None if whole[1] is None else float((p <= alpha).mean()),
                    )
                rows.append((measure, names[i], names[j], float(share), *whole, *found))
    return pl.DataFrame(rows, schema=PAIRS, orient="row")


def _same_sign(of: Verdicts, measure: int, share: int) -> np.ndarray:
    """Whether the difference of every pair and draw has the sign that it has with all judgments."""
    found: np.ndarray = np.sign(of.differences[measure, :, :, share]) == np.sign(of.difference[measure])[:, None]
    return found


def _mean(values: np.ndarray) -> float | None:
    """Mean of what is there; None of nothing."""
    there = values[np.isfinite(values)]
    return float(there.mean()) if len(there) else None


def _median(values: np.ndarray) -> float | None:
    """Median of what is there; None of nothing."""
    there = values[np.isfinite(values)]
    return float(np.median(there)) if len(there) else None


def _rejected(p: float | None, alpha: float) -> float | None:
    """1 where a p-value is at most a level, else 0; None where there is none."""
    return None if p is None else float(p <= alpha)


def _least(values: np.ndarray) -> float | None:
    """The smallest of what is there."""
    there = values[np.isfinite(values)]
    return float(there.min()) if len(there) else None


def _most(values: np.ndarray) -> float | None:
    """The largest of what is there."""
    there = values[np.isfinite(values)]
    return float(there.max()) if len(there) else None


def _number(value: float) -> float | None:
    """A number; None for NaN."""
    return float(value) if np.isfinite(value) else None
