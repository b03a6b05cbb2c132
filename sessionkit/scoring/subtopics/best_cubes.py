"""The best order of a few documents that cover several subtopics each, found among all orders.

What a document adds to a set of others does not depend on the order in which these were shown, so the best order of every
set is the best of its documents as the last one, after the best order of the others: 2^documents sets in place of
documents! orders.
"""

from __future__ import annotations

from typing import cast

import numpy as np
import numpy.typing as npt

MOST = 10
"""Documents of which all sets are looked at."""

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def best_orders(grades: Floats, gamma: float, weights: Floats) -> Ints:
    """Order the documents so that the weighted sum of what they add is largest.

    Parameters
    ----------
    grades
        A row per document (at most `MOST`), a column per subtopic; 0 where it does not cover it.
    gamma
        The n-th document for a subtopic adds its grade x gamma^n.
    weights
        A row per question, a column per place: what an addition at that place is worth; falling.

    Returns
    -------
    numpy.ndarray
        A row per question with the numbers of the documents, best first.

    One document covers both subtopics, the others one each, better; of one place the first is best, of two the others:

    >>> grades = np.array([[1.6, 1.6], [3.0, 0.0], [0.0, 3.0]])
    >>> one, two = best_orders(grades, 0.5, np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]])).tolist()
    >>> one[0], sorted(two[:2])
    (0, [1, 2])
    """
    many, asked = len(grades), np.arange(len(weights))
    sets = np.arange(1 << many)
    holds = (sets[:, None] >> np.arange(many)) & 1
    counted = holds @ (grades > 0).astype(np.int64)
    adds = np.zeros(holds.shape)
    for subtopic in range(grades.shape[1]):  # one after the other: the same bits on every machine
        adds += np.power(gamma, counted[:, [subtopic]] + 1) * grades[:, subtopic]
    best = np.full((len(weights), 1 << many), -np.inf)
    best[:, 0] = 0.0
    last = np.zeros(best.shape, dtype=np.int8)
    sizes = holds.sum(axis=1)
    for place in range(many):
        for document in range(many):
            before = sets[(sizes == place) & (holds[:, document] == 0)]
            after = before | (1 << document)
            reached = best[:, before] + weights[:, [place]] * adds[before, document]
            better = reached > best[:, after]
            best[:, after] = np.where(better, reached, best[:, after])
            last[:, after] = np.where(better, document, last[:, after])
    orders = np.zeros((len(weights), many), dtype=np.int64)
    left = np.full(len(weights), (1 << many) - 1)
    for place in reversed(range(many)):
        orders[:, place] = last[asked, left]
        left = left ^ (1 << orders[:, place])
    return cast("Ints", orders)
