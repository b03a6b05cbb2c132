"""gP and gR: degrees of relevance, the declared top of the scale.

ERR: worked values, the declared top of the scale, and the definition restated over random sessions.

The top of the grade scale: the measure's before the study's, checked against all grades that count.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sessionkit as sk
from tests.scoring.measures.list_values import SOME, quiet, require_restated
from tests.scoring.one_list import L_UNSEEN, B, L, value
from tests.scoring.restated_lists import err, is_grade, looked_at
from tests.scoring.studies import sessions

GAINS = {
    "linear": lambda g: max(g, 0),
    "exp2": lambda g: 2 ** max(g, 0) - 1,
    "0-1-10-100": lambda g: (0, 1, 10, 100)[max(g, 0)],
}


@quiet
@SOME
@given(drawn=sessions(), cutoff=st.sampled_from([None, 1, 3, 9]), gain=st.sampled_from(list(GAINS)))
def test_definitions(drawn, cutoff, gain):
    degree = GAINS[gain]

    def shown(rows):
        return sum(degree(grade) / degree(3) for _, grade, first in rows if first and is_grade(grade))

    def recalled(rows, base):
        whole = sum(degree(grade) / degree(3) for grade in base)
        return shown(rows) / whole if whole else None

    restated = {
        f"gP(gain={gain})": lambda rows, _: shown(rows) / (looked_at(rows, cutoff) or 1),
        f"gR(gain={gain})": recalled,
    }
    require_restated(drawn, cutoff, restated)


def test_worked_values():
    # grades / 3: the first five have 8, the ten 16, the recall base 3 x 3 + 3 x 2 + 4 x 1 = 19
    asked = {"gP@5": 8 / 15, "gP@10": 16 / 30, "gR@5": 8 / 19, "gR@10": 16 / 19}
    for text, wanted in asked.items():
        assert value(text, L, L_UNSEEN, max_grade=3) == pytest.approx(wanted, abs=1e-15)
    # 0-1-10-100: the first five have 100 + 10 + 100, the ten 210 + 1 + 10 + 10 + 100, the recall base 300 + 30 + 4
    weighted = {"gP": {5: 210 / 500, 10: 331 / 1000}, "gR": {5: 210 / 334, 10: 331 / 334}}
    for name, wanted in weighted.items():
        for k, number in wanted.items():
            text = f"{name}(gain=0-1-10-100)@{k}"
            assert value(text, L, L_UNSEEN, max_grade=3) == pytest.approx(number, abs=1e-15)


def test_the_top_of_the_scale_cancels_in_generalized_recall():
    """1 of 1 + 4 + 4 + 1 is a tenth, whatever a grade is divided by."""
    for top in (4, 5, 6, 7, 9):
        assert value("gR", [1], [4, 4, 1], max_grade=top) == 0.1


def test_binary_gain_makes_them_precision_and_recall():
    for name in ("P", "R"):
        own = value(f"g{name}(gain=binary,max_grade=3)@5", L, L_UNSEEN)
        assert own == value(f"{name}@5", L, L_UNSEEN)


def test_the_top_of_the_scale_is_declared():
    assert value("gP(max_grade=4)@10", L, max_grade=3) == pytest.approx(16 / 40, abs=1e-15)
    for text, error, said in (
        (
            "gP@10",
            sk.MeasureError,
            r"gP\(max_grade=3\)@10 or .*max_grade = 3",
        ),
        ("gR@10", sk.MeasureError, r"ask for gR\(max_grade=3\)@10"),
        ("gP(max_grade=2)@10", sk.DataError, "judgments have grade 3, .*max_grade=2"),
        ("gP(gain=0-1-1-0-0,max_grade=4)@10", sk.MeasureError, "max_grade=4, .*gain the most"),
        ("gP(gain=0-1-5-2,max_grade=3)@10", sk.MeasureError, "max_grade=3, .*gain the most"),
    ):
        with pytest.raises(error, match=said):
            value(text, L)


@quiet
def test_edges():
    asked = ["gP", "gP@5", "gR"]
    assert [value(measure, [], [1], max_grade=3) for measure in asked] == [0, 0, 0]
    assert [value(measure, [0], max_grade=3) for measure in asked] == [0, 0, None]
    assert [value(measure, [None], max_grade=3) for measure in asked] == [None] * 3


@quiet
@SOME
@given(drawn=sessions(), cutoff=st.sampled_from([None, 1, 3, 9]), top=st.sampled_from([3, 4, 4.5]))
def test_definition(drawn, cutoff, top):
    restated = {
        f"ERR(max_grade={top})": lambda rows, base: err(rows, base, top),
        "ERR": lambda rows, base: err(rows, base, 3),
    }
    require_restated(drawn, cutoff, restated)


def test_cascade_worked_values():
    # FORMULAS section 8, every relevant result satisfies with 1/2: 1/2 + 1/4 x 1/3 + 1/8 x 1/4
    assert value("ERR", B, max_grade=1) == pytest.approx(1 / 2 + 1 / 12 + 1 / 32, abs=1e-15)
    # CLASSIC section 4: the same list on a scale up to 3 and up to 4
    assert value("ERR", L, L_UNSEEN, max_grade=3) == pytest.approx(0.9225, abs=5e-5)
    assert value("ERR(max_grade=4)", L, L_UNSEEN) == pytest.approx(0.5783, abs=5e-5)


def test_cascade_top_of_the_scale_is_declared():
    with pytest.raises(sk.MeasureError, match=r"ERR\(max_grade=3\)@10 .* max_grade = 3"):
        value("ERR@10", L)
    with pytest.raises(sk.DataError, match=r"grade 3, above .*, max_grade=2"):
        value("ERR(max_grade=2)@10", L)
    with pytest.raises(sk.MeasureError, match=r"ERR .* parameter 'min_grade'"):
        sk.parse_measure("ERR(min_grade=2)")


@quiet
def test_cascade_edges():
    assert [value("ERR", grades, unseen, max_grade=1) for grades, unseen in (([], [1]), ([0], []))] == [0, 0]
    assert value("ERR", [None], max_grade=1) is None


def test_the_measure_goes_before_the_study():
    assert value("gP@1", [2], max_grade=2) == 1.0
    assert value("gP(max_grade=4)@1", [2], max_grade=2) == 0.5


def test_documents_that_are_not_shown_are_on_the_scale_too():
    told = pytest.warns(sk.DataWarning, match="1 grade above max_grade = 4, .* 5")
    with told, pytest.raises(sk.DataError, match=r"grade 5, above .*, max_grade=4"):
        value("ERR@1", [1], [5], max_grade=4)


def test_a_study_without_relevant_documents_proposes_one():
    with pytest.raises(sk.MeasureError, match=r"max_grade = 1 .*study\.toml"):
        value("ERR@1", [0, -1])
    assert value("ERR(max_grade=0.5)@1", [0]) == 0


def test_the_searchers_own_grades_have_a_scale():
    study = sk.from_tables(
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "user_grade": [2]},
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [5]},
    )
    assert sk.score(study, "gP(grades=user,max_grade=4)@1", per="query").get_column("value").item() == 0.5
    with pytest.raises(sk.DataError, match=r"searchers' own grades .*grade 2"):
        sk.score(study, "gP(grades=user,max_grade=1)@1", per="query")
