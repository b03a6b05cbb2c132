"""AP, GAP and SeenAP: worked values, edges, and the definitions restated over random sessions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sessionkit as sk
from tests.scoring.measures.list_values import SOME, quiet, require_restated
from tests.scoring.one_list import E2, E2_UNSEEN, B, one_list, value
from tests.scoring.restated_lists import ap, gap
from tests.scoring.studies import sessions

GAINS = {
    "linear": lambda g: max(g, 0),
    "exp2": lambda g: 2 ** max(g, 0) - 1,
    "0-0.4-1-1": lambda g: (0, 0.4, 1, 1)[max(g, 0)],
}


@quiet
@SOME
@given(drawn=sessions(), cutoff=st.sampled_from([None, 1, 3, 9]), least=st.sampled_from([1, 2]))
def test_definitions(drawn, cutoff, least):
    restated = {
        f"AP(min_grade={least})": lambda rows, base: ap(rows, base, lambda grade: grade >= least),
        f"SeenAP(min_grade={least})": lambda rows, base: ap(rows, base, lambda grade: grade >= least, seen=True),
        "GAP(gain=binary)": lambda rows, base: ap(rows, base, lambda grade: grade >= 1),
    }
    restated |= {
        f"GAP(gain={name})": lambda rows, base, gain=gain: gap(rows, base, gain) for name, gain in GAINS.items()
    }
    require_restated(drawn, cutoff, restated)


def test_worked_values():
    # relevant at 1, 3, 4 of 3: (1/1 + 2/3 + 3/4) / 3, FORMULAS section 8
    assert value("AP", B) == pytest.approx((1 + 2 / 3 + 3 / 4) / 3, abs=1e-15)
    assert value("AP@3", B) == pytest.approx((1 + 2 / 3) / 3, abs=1e-15)
    # E2: relevant at 1, 3, 6, 10, 15, ten relevant: seen .58, all .29 (the slides print .57)
    precisions = 1 + 2 / 3 + 3 / 6 + 4 / 10 + 5 / 15
    assert value("SeenAP", E2, E2_UNSEEN) == pytest.approx(precisions / 5, abs=1e-15) == pytest.approx(0.58)
    assert value("AP", E2, E2_UNSEEN) == pytest.approx(precisions / 10, abs=1e-15) == pytest.approx(0.29)


def test_graded_average_precision_rewards_the_better_order():
    # 3, 1, 2, 2: pairwise minima above and at each rank 3 | 1 + 1 | 2 + 1 + 2 | 2 + 1 + 2 + 2, all gains 8
    assert value("GAP", [3, 1, 2, 2]) == pytest.approx((3 + 2 / 2 + 5 / 3 + 7 / 4) / 8, abs=1e-15)
    assert value("GAP", [3, 2, 2, 1]) == 1.0
    # where the code of Jiang & Allan adds up whole gains, this stays within its bound: 1, 2 -> (1 + 3 / 2) / 3
    assert value("GAP", [1, 2]) == pytest.approx((1 + (1 + 2) / 2) / 3, abs=1e-15)
    assert value("GAP", [1, 3]) == pytest.approx((1 + (1 + 3) / 2) / 4, abs=1e-15)


@pytest.mark.slow
@quiet
def test_edges():
    asked = ["AP", "AP@5", "GAP", "SeenAP"]
    assert [value(measure, [], [1]) for measure in asked] == [0] * 4
    assert [value(measure, [0], [1]) for measure in asked] == [0] * 4
    assert [value(measure, [0]) for measure in asked] == [None] * 4
    assert [value(measure, [None]) for measure in asked] == [None] * 4


def test_explained_by_result():

    terms = sk.explain(one_list(B), "AP").get_column("contribution").to_list()
    assert terms == pytest.approx([1 / 3, 0, 2 / 9, 1 / 4, 0], abs=1e-15)
