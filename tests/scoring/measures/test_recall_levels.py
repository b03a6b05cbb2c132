"""IPrec and IPrec11: worked values, the three rules, and the definitions restated over random sessions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.scoring.measures.average_precision import ELEVEN
from tests.scoring.measures.list_values import SOME, quiet, require_restated
from tests.scoring.one_list import E2, E2_UNSEEN, E3, value
from tests.scoring.restated_lists import interpolated
from tests.scoring.studies import sessions


def relevant(grade):
    """Grades of relevant documents."""
    return grade >= 1


@quiet
@SOME
@given(
    drawn=sessions(),
    cutoff=st.sampled_from([None, 3]),
    rule=st.sampled_from(["ceil", "trec9", "trec10"]),
    level=st.sampled_from([0, 0.07, 0.1, 0.3333, 0.5, 0.7, 1]),
)
def test_definitions(drawn, cutoff, rule, level):
    def mean(rows, base):
        points = [interpolated(rows, base, point, relevant, rule) for point in ELEVEN]
        return None if None in points else sum(points) / 11

    restated = {
        f"IPrec(recall={level},rule={rule})": lambda rows, base: interpolated(rows, base, level, relevant, rule),
        f"IPrec11(rule={rule})": mean,
    }
    require_restated(drawn, cutoff, restated)


@pytest.mark.slow
def test_curves_of_the_slides():
    # E3: 1/3 reached at rank 3, 2/3 at 8, 1 at 15; E2: 1/1, 2/3, 3/6, 4/10, 5/15 at recall .1, .2, .3, .4, .5
    e3 = [value(f"IPrec(recall={level})", E3) for level in ELEVEN]
    assert e3 == pytest.approx([1 / 3] * 4 + [1 / 4] * 3 + [1 / 5] * 4)
    assert (
        value("IPrec11", E3)
        == pytest.approx((4 / 3 + 3 / 4 + 4 / 5) / 11, abs=1e-15)
        == pytest.approx(0.2621, abs=5e-5)
    )
    e2 = [value(f"IPrec(recall={level})", E2, E2_UNSEEN) for level in ELEVEN]
    assert e2 == pytest.approx([1, 1, 2 / 3, 1 / 2, 2 / 5, 1 / 3] + [0] * 5)
    assert value("IPrec11", E2, E2_UNSEEN) == pytest.approx((2 + 2 / 3 + 1 / 2 + 2 / 5 + 1 / 3) / 11, abs=1e-15)


def test_versions_of_trec_eval():
    # 14 relevant, the first at rank 1, the second at rank 4: a tenth are 1.4 documents, 2 or 1 of them
    grades, unseen = [1, 0, 0, 1], [1] * 12
    assert value("IPrec(recall=0.1)", grades, unseen) == 2 / 4
    assert value("IPrec(recall=0.1,rule=trec9)", grades, unseen) == 2 / 4
    assert value("IPrec(recall=0.1,rule=trec10)", grades, unseen) == 1.0
    # 21 relevant: .1 x 21 = 2.1 documents need 3; int(2.1 + .9) is 3, if the sum is not just below it
    assert value("IPrec", [1, 1, 0, 1], [1] * 18) == 3 / 4


@quiet
def test_edges():
    asked = ["IPrec(recall=0)", "IPrec", "IPrec11"]
    assert [value(measure, [], [1]) for measure in asked] == [0] * 3
    assert [value(measure, [0]) for measure in asked] == [None] * 3
    assert [value(measure, [None]) for measure in asked] == [None] * 3
    for text in ("IPrec(recall=1.1)", "IPrec(rule=floor)"):
        with pytest.raises(sk.MeasureError, match=r"IPrec: (recall|rule) must be"):
            sk.parse_measure(text)
