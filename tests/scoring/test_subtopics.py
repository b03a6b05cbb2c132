"""The best order of a few documents against all orders."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionkit.scoring.subtopics import best_orders
from tests.support.examples import examples


def reached(order, grades, gamma, weights):
    """Weighted sum of what documents add in this order."""
    counted, total = [0] * len(grades[0]), 0.0
    for document, weight in zip(order, weights, strict=True):
        for subtopic, grade in enumerate(grades[document]):
            if grade > 0:
                counted[subtopic] += 1
                total += weight * grade * gamma ** counted[subtopic]
    return total


@settings(max_examples=examples(60), deadline=None)
@given(data=st.data(), gamma=st.sampled_from([0.5, 0.3, 0.9]))
def test_no_order_is_better(data, gamma):
    many, subtopics = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 3))
    row = st.lists(st.sampled_from([0.0, 0.0, 1.0, 2.0, 3.5]), min_size=subtopics, max_size=subtopics)
    grades = data.draw(st.lists(row, min_size=many, max_size=many))
    steps = st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=many, max_size=many)
    questions = [sorted(steps, reverse=True) for steps in data.draw(st.lists(steps, min_size=1, max_size=3))]
    found = best_orders(np.array(grades), gamma, np.array(questions))
    for order, weights in zip(found.tolist(), questions, strict=True):
        assert sorted(order) == list(range(many))
        best = max(reached(other, grades, gamma, weights) for other in itertools.permutations(range(many)))
        assert reached(order, grades, gamma, weights) == pytest.approx(best, abs=1e-12)
