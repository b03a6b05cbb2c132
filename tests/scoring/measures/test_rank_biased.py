"""RBP and its residual: worked values, grades, bounds, and the definitions restated over random sessions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sessionkit as sk
from tests.scoring.measures.list_values import SOME, quiet, require_restated
from tests.scoring.one_list import L_UNSEEN, B, L, value
from tests.scoring.restated_lists import rbp, residual
from tests.scoring.studies import sessions

DEGREES = {
    "binary": lambda grade: float(grade >= 1),
    "linear": lambda grade: max(grade, 0) / 3,
    "exp2": lambda grade: (2 ** max(grade, 0) - 1) / 7,
}


@quiet
@SOME
@given(
    drawn=sessions(),
    cutoff=st.sampled_from([None, 1, 3, 9]),
    p=st.sampled_from([0.5, 0.8, 0.99]),
    pooled=st.sampled_from([(), (-1,)]),
)
def test_definitions(drawn, cutoff, p, pooled):
    restated = {f"RBP(gain={name},p={p})": lambda rows, base, d=d: rbp(rows, base, p, d) for name, d in DEGREES.items()}
    restated[f"RBPResidual(p={p})"] = lambda rows, base: residual(rows, base, p)
    require_restated(drawn, cutoff, restated, pooled)


def test_worked_values():
    # FORMULAS section 8: .2 x (1 + .64 + .512), all five judged: .8^5
    assert value("RBP(p=0.8)", B) == pytest.approx(0.2 * (1 + 0.64 + 0.512), abs=1e-15) == pytest.approx(0.4304)
    assert value("RBPResidual(p=0.8)", B) == pytest.approx(0.8**5, abs=1e-15)
    # CLASSIC section 4: grades / 3
    assert value("RBP(p=0.8,gain=linear)", L, L_UNSEEN, max_grade=3) == pytest.approx(0.5530, abs=5e-5)
    assert (
        value("RBPResidual(p=0.8)", L, L_UNSEEN) == pytest.approx(0.8**10, abs=1e-15) == pytest.approx(0.1074, abs=5e-5)
    )


def test_further_judgments_move_the_value_within_the_residual():
    before, open_ = value("RBP(p=0.7)", [1, None, 0, None], [0]), value("RBPResidual(p=0.7)", [1, None, 0, None], [0])
    best = value("RBP(p=0.7)", [1, 1, 0, 1, *[1] * 200])
    assert best == pytest.approx(before + open_, abs=1e-15)
    assert open_ == pytest.approx(0.3 * (0.7 + 0.7**3) + 0.7**4, abs=1e-15)


def test_persistence_and_scale_are_needed():
    for name in ("RBP", "RBPResidual"):
        with pytest.raises(sk.MeasureError, match=rf"{name}@10 needs p, for example {name}\(p=0.8\)@10"):
            value(f"{name}@10", B)
    with pytest.raises(sk.MeasureError, match=r"ask for RBP\(gain=linear,max_grade=3,p=0.8\) or set max_grade = 3"):
        value("RBP(p=0.8,gain=linear)", L)


@quiet
def test_edges():
    asked = ["RBP(p=0.8)", "RBPResidual(p=0.8)"]
    assert [value(measure, [], [1]) for measure in asked] == [0, 1]
    assert [value(measure, [0]) for measure in asked] == [0, pytest.approx(0.8)]
    assert [value(measure, [None]) for measure in asked] == [None, None]
