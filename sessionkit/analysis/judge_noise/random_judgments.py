"""Judgments drawn anew: every grade becomes what a judge may say in its place, at random, the same from one seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sessionkit.analysis.judge_noise.errors import Errors
from sessionkit.analysis.judgment_loss.order import kendall
from sessionkit.analysis.rescore.log import RescoredLog, Scoring
from sessionkit.analysis.rescore.pairs import RescoredPairs
from sessionkit.study.progress import expect


@dataclass(frozen=True, eq=False)
class RedrawnPairs:
    """What became of the pairs; the first of `difference` and `p` are those of the judgments as they are.

    Parameters
    ----------
    difference, p
        By draw, measure and pair.
    tau
        By draw and measure: Kendall's tau-b of the order of the groups against that of the judgments as they are.
    untouched
        By measure, whether no value of any session moved.
    """

    difference: np.ndarray
    p: np.ndarray
    tau: np.ndarray
    untouched: np.ndarray


def redrawn(grades: np.ndarray, errors: Errors, seed: tuple[int, ...]) -> np.ndarray:
    """Grades with errors; those that are NaN stay.

    Every judged pair has a random number between 0 and 1, which falls into the share of some grade.
    """
    chance = np.random.Generator(np.random.PCG64(list(seed))).random(len(grades))
    there = np.isfinite(grades)
    at = np.searchsorted(errors.levels, grades[there])
    ends = np.cumsum(errors.share, axis=1)
    ends[:, -1] = 1.0
    found = grades.copy()
    found[there] = errors.levels[(chance[there][:, None] >= ends[at]).sum(axis=1)]
    return found


def drawn(
    log: RescoredLog, number: np.ndarray, tested: RescoredPairs, errors: Errors, *, draws: int, seed: int
) -> RedrawnPairs:
    """Score with judgments drawn anew so many times, and test the pairs each time.

    Parameters
    ----------
    number
        The group of every session of the log; below 0, left out.
    """
    grades = log.rejudging.grades
    every = tuple(range(len(log.measures)))
    scorings = [Scoring(lambda: grades, every)]
    scorings += [Scoring(lambda draw=draw: redrawn(grades, errors, (seed, draw)), every) for draw in range(draws)]  # type: ignore[misc]
    expect("scorings", len(scorings))
    shape = (draws + 1, len(every), len(tested.pairs))
    difference, p, tau = np.full(shape, np.nan), np.ones(shape), np.full(shape[:2], np.nan)
    untouched = np.ones(len(every), dtype=bool)
    first, means = np.empty(0), np.empty(0)
    for draw, values in enumerate(log.values(scorings, number)):
        found = np.column_stack([tested.means(column) for column in values.T])
        if not draw:
            first, means = values, found
        untouched &= [np.array_equal(a, b, equal_nan=True) for a, b in zip(values.T, first.T, strict=True)]
        for measure, column in enumerate(values.T):
            tau[draw, measure] = kendall(means[:, measure], found[:, measure])
            difference[draw, measure], p[draw, measure] = tested.tested(column)
    return RedrawnPairs(difference, p, tau, untouched)
