"""Expectation of the square of what a path is worth, for its variance: the same passes, with second moments beside."""

from __future__ import annotations

import numpy as np

from sessionkit.scoring.scan_paths.paths import PathRows, longer, shares, stops, summed
from sessionkit.scoring.scan_paths.walk import Floats, Walk


def discounted_squares(walk: Walk, rows: PathRows, discount: Floats, bases: Floats | None = None) -> Floats:
    """Expectation of the square of what `sessionkit.scoring.scan_paths.paths.discounted` gives the expectation of."""
    total = np.zeros(len(rows.queries))
    chance, value, square = _started(rows, 3)
    for at, (length, gains) in enumerate(zip(rows.lengths, rows.gains, strict=True), 1):
        after = [longer(chance, length) for _ in range(3)]
        gained = np.zeros_like(chance)
        for read, stop in stops(walk, length):
            if read:
                gained += gains[read - 1] * discount[read - 1 : read - 1 + len(chance), None]
            to = slice(read, read + len(chance))
            after[0][to] += stop * chance
            after[1][to] += stop * (value + chance * gained)
            after[2][to] += stop * (square + gained * (2 * value + chance * gained))
        chance, value, square = after
        divided = square if bases is None else shares(square, bases[: len(square)] ** 2)
        total += walk.ends(at, rows.queries) * summed(divided)
    return total


def average_precision_squares(walk: Walk, rows: PathRows) -> Floats:
    """Expectation of the square of what `sessionkit.scoring.scan_paths.paths.average_precision` gives the expectation of.

    A path that has found c relevant documents and has the sum x comes out of a list, read to a rank, with c + b and with
    x + c u + v; the first and second moments of (c, x) are enough to know those after it.
    """
    total = np.zeros(len(rows.queries))
    # chance of each length, and expected there: c, c^2, x, x c, x^2
    now = _started(rows, 6)
    for at, (length, relevant) in enumerate(zip(rows.lengths, rows.gains, strict=True), 1):
        chance, c, cc, x, xc, xx = now
        after = [longer(chance, length) for _ in now]
        b, u, v = np.zeros_like(chance), np.zeros_like(chance), np.zeros_like(chance)
        for read, stop in stops(walk, length):
            if read:
                place = 1 / np.arange(read, read + len(chance), dtype=np.float64)[:, None]
                b = b + relevant[read - 1]
                u += relevant[read - 1] * place
                v += relevant[read - 1] * b * place
            moments = (
                chance,
                c + b * chance,
                cc + b * (2 * c + b * chance),
                x + u * c + v * chance,
                xc + x * b + u * (cc + b * c) + v * (c + b * chance),
                xx + u * (u * cc + 2 * xc + 2 * v * c) + v * (2 * x + v * chance),
            )
            for into, moment in zip(after, moments, strict=True):
                into[read : read + len(chance)] += stop * moment
        now = after
        total += walk.ends(at, rows.queries) * summed(now[-1])
    return total


def _started(rows: PathRows, many: int) -> list[Floats]:
    """So many arrays of the paths that have read nothing yet: the chance of that, and zeros."""
    return [np.ones((1, len(rows.queries))), *(np.zeros((1, len(rows.queries))) for _ in range(many - 1))]
