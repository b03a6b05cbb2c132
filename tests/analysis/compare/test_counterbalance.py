"""Contrasts that sequences of users tell: their number by ranks of the whole model, and what their weights are."""

import numpy as np
import pytest

from sessionkit.statistics.design import UserSequence, read_counterbalancing

DESIGNS = [
    (("ABAB", "BABA"), 2, (0, 2), (1, 3)),
    (("AABB", "BBAA"), 2, (0, 1), (2, 3)),
    (
        ("ABA", "BAB"),
        1,
        None,
        None,
    ),  # means of users also hold the difference of the systems, as one has two sessions with B
    (("AB", "BA"), 0, (0,), (1,)),
    (("AAAA", "BBBB"), 3, None, None),
    (("AABB", "ABAB", "ABBA", "BBAA", "BABA", "BAAB"), 3, None, None),
]


@pytest.mark.parametrize(("texts", "n_within", "minus", "plus"), DESIGNS)
def test_contrasts_within_users_are_what_the_other_effects_leave(texts, n_within, minus, plus):
    sequences = [
        UserSequence(
            tuple((level, "AB".index(system)) for level, system in enumerate(text)), np.zeros((size, len(text)))
        )
        for size, text in enumerate(texts, 4)
    ]
    design = read_counterbalancing(sequences, len(texts[0]))
    cells = [(place, level, system == "B") for place, text in enumerate(texts) for level, system in enumerate(text)]
    others = np.array(
        [[*np.eye(len(texts))[place], *np.eye(len(texts[0]))[level], second] for place, level, second in cells],
        dtype=float,
    )
    departures = np.array([np.eye(len(texts[0]))[level] * second for _, level, second in cells])
    rank = np.linalg.matrix_rank(np.hstack([others, departures])) - np.linalg.matrix_rank(others)
    assert design.n_within == rank == n_within
    assert all(np.abs(weights.sum(axis=0)).max(initial=0) < 1e-12 for weights in design.within)
    assert (None if design.between is None else (design.between.minus, design.between.plus)) == (
        minus and (minus, plus)
    )
