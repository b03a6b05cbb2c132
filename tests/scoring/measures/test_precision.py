"""P, R, F, E and MaxF: worked values, edges, and the definitions restated over random sessions.

Relevance levels: one grade alone counts neither higher nor lower ones, in the list and in the recall base.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sessionkit as sk
from tests.scoring.measures.list_values import SOME, quiet, require_restated
from tests.scoring.one_list import E2, E2_UNSEEN, L_UNSEEN, B, L, value
from tests.scoring.restated_lists import f, max_f, precision, recall
from tests.scoring.studies import sessions


def restated(relevant, cutoff, beta):
    """P, R, F, E and MaxF by their definitions."""

    def rest(number):
        return None if number is None else 1 - number

    return {
        "P": lambda rows, base: precision(rows, base, cutoff, relevant),
        "R": lambda rows, base: recall(rows, base, relevant),
        f"F(beta={beta})": lambda rows, base: f(rows, base, cutoff, relevant, beta),
        f"E(beta={beta})": lambda rows, base: rest(f(rows, base, cutoff, relevant, beta)),
        f"MaxF(beta={beta})": lambda rows, base: max_f(rows, base, relevant, beta),
    }


@quiet
@SOME
@given(drawn=sessions(), cutoff=st.sampled_from([None, 1, 3, 9]), beta=st.sampled_from([0.5, 1, 2]))
def test_definitions(drawn, cutoff, beta):
    require_restated(drawn, cutoff, restated(lambda grade: grade >= 1, cutoff, beta))


@pytest.mark.slow
@quiet
@SOME
@given(drawn=sessions(), cutoff=st.sampled_from([None, 3]), grade=st.sampled_from([1, 2, 3]))
def test_relevance_levels(drawn, cutoff, grade):
    kinds = {"level": lambda g: g == grade, "at_least": lambda g: g >= grade, "min_grade": lambda g: g >= grade}
    for kind, relevant in kinds.items():
        by_default = restated(relevant, cutoff, 1)
        named = {text.partition("(")[0]: function for text, function in by_default.items()}
        require_restated(drawn, cutoff, {f"{name}({kind}={grade})": named[name] for name in named})


def test_precision_divides_by_the_cutoff_or_by_the_length():
    assert value("P@10", B) == 3 / 10
    assert value("P@3", B) == 2 / 3
    assert value("P", B) == 3 / 5


@pytest.mark.slow
def test_relevance_levels_of_ten_grades():
    # three documents of each grade in the list; recall base 3 x 3, 3 x 2, 4 x 1: CLASSIC, by relevance level
    exact = {
        level: (value(f"P(level={level})@10", L, L_UNSEEN), value(f"R(level={level})@10", L, L_UNSEEN))
        for level in (1, 2, 3)
    }
    assert exact == {1: (1 / 10, 1 / 4), 2: (3 / 10, 1), 3: (3 / 10, 1)}
    at_least = {
        grade: (value(f"P(at_least={grade})@10", L, L_UNSEEN), value(f"R(at_least={grade})@10", L, L_UNSEEN))
        for grade in (1, 2, 3)
    }
    assert at_least == {1: (7 / 10, 7 / 10), 2: (6 / 10, 1), 3: (3 / 10, 1)}


def test_weights_of_recall():
    # P = 1/2, R = 1/4: (1 + b2) / 8 / (b2 / 2 + 1 / 4)
    grades, unseen = [1, 0], [1, 1, 1]
    for beta, wanted in ((0.5, 1.25 / 8 / 0.375), (1, 2 / 8 / 0.75), (2, 5 / 8 / 2.25)):
        assert value(f"F(beta={beta})", grades, unseen) == pytest.approx(wanted, abs=1e-15)
        assert value(f"E(beta={beta})", grades, unseen) == pytest.approx(1 - wanted, abs=1e-15)


def test_the_best_rank_to_stop():
    # E2: F at rank 10 is 2 x .4 x .4 / .8 = .4, at rank 15 2 x (1/3) x (1/2) / (5/6) = .4
    assert value("MaxF", E2, E2_UNSEEN) == pytest.approx(0.4, abs=1e-15)
    assert value("F@10", E2, E2_UNSEEN) == pytest.approx(0.4, abs=1e-15)
    assert value("MaxF@6", E2, E2_UNSEEN) == pytest.approx(2 * 3 / (10 + 6), abs=1e-15)


@pytest.mark.slow
@quiet
def test_edges():
    asked = ["P", "P@5", "R", "F", "E", "MaxF"]
    assert [value(measure, [], [1]) for measure in asked] == [0, 0, 0, 0, 1, 0]  # returned nothing
    assert [value(measure, [0], [1]) for measure in asked] == [0, 0, 0, 0, 1, 0]  # found nothing
    assert [value(measure, [0]) for measure in asked] == [0, 0, None, None, None, None]  # nothing is relevant
    assert [value(measure, [None]) for measure in asked] == [None] * 6  # nothing is judged
    assert value("R(undefined=zero)", [0]) == 0


def test_a_level_is_a_parameter_by_its_name():
    assert str(sk.parse_measure("P( level = 2.0 )@10")) == "P(level=2)@10"
    assert sk.parse_measure("P(level=2)").parameters()["level"] == 2
    assert sk.parse_measure("P(level=2)").level == "query"
    for text, said in {
        "P(level=0)": "P: level must be a number above 0",
        "R(level=2,at_least=1)": "R: .*level and at_least each",
        "F(min_grade=2,at_least=1)": "give one of them",
        "E(beta=0)": "beta must be a number above 0",
    }.items():
        with pytest.raises(sk.MeasureError, match=said):
            sk.parse_measure(text)


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
