"""Relevance levels: one grade alone counts neither higher nor lower ones, in the list and in the recall base."""

import pytest

import sessionkit as sk
from tests.scoring.one_list import value


def test_a_level_leaves_out_higher_grades():
    assert value("R(level=1)", [3, 1], [1, 3]) == 1 / 2
    assert value("R(at_least=1)", [3, 1], [1, 3]) == 2 / 4
    assert value("P(level=0.5)", [0.5, 1]) == 1 / 2


def test_a_level_restarts_the_count_of_relevant_results():
    # with grade 1 alone the first relevant result stands at rank 2: F@2 = 2 x 1 / (1 + 2)
    assert value("MaxF(level=1)", [3, 1]) == pytest.approx(2 / 3, abs=1e-15)


@pytest.mark.parametrize("text", ["P(level=2)@10", "R(at_least=2)@10", "E(level=1.5,beta=2)", "MaxF(at_least=3)"])
def test_texts_round_trip(text):
    assert str(sk.parse_measure(text)) == text
