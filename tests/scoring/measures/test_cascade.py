"""ERR: worked values, the declared top of the scale, and the definition restated over random sessions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sessionkit as sk
from tests.scoring.measures.list_values import SOME, quiet, require_restated
from tests.scoring.one_list import L_UNSEEN, B, L, value
from tests.scoring.restated_lists import err
from tests.scoring.studies import sessions


@quiet
@SOME
@given(drawn=sessions(), cutoff=st.sampled_from([None, 1, 3, 9]), top=st.sampled_from([3, 4, 4.5]))
def test_definition(drawn, cutoff, top):
    restated = {
        f"ERR(max_grade={top})": lambda rows, base: err(rows, base, top),
        "ERR": lambda rows, base: err(rows, base, 3),
    }
    require_restated(drawn, cutoff, restated)


def test_worked_values():
    # FORMULAS section 8, every relevant result satisfies with 1/2: 1/2 + 1/4 x 1/3 + 1/8 x 1/4
    assert value("ERR", B, max_grade=1) == pytest.approx(1 / 2 + 1 / 12 + 1 / 32, abs=1e-15)
    # CLASSIC section 4: the same list on a scale up to 3 and up to 4
    assert value("ERR", L, L_UNSEEN, max_grade=3) == pytest.approx(0.9225, abs=5e-5)
    assert value("ERR(max_grade=4)", L, L_UNSEEN) == pytest.approx(0.5783, abs=5e-5)


def test_the_top_of_the_scale_is_declared():
    with pytest.raises(
        sk.MeasureError, match=r"ERR@10 needs the top .* ask for ERR\(max_grade=3\)@10 or set max_grade = 3"
    ):
        value("ERR@10", L)
    with pytest.raises(sk.DataError, match="grade 3, above the top of the scale, max_grade=2"):
        value("ERR(max_grade=2)@10", L)
    with pytest.raises(sk.MeasureError, match="ERR has no parameter 'min_grade'"):
        sk.parse_measure("ERR(min_grade=2)")


@quiet
def test_edges():
    assert [value("ERR", grades, unseen, max_grade=1) for grades, unseen in (([], [1]), ([0], []))] == [0, 0]
    assert value("ERR", [None], max_grade=1) is None
