"""RBP and its residual: worked values, grades, bounds, and the definitions restated over random sessions.

bpref and infAP: worked values, the three states of a document, and the definitions restated over random sessions.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sessionkit as sk
from tests.scoring.measures.list_values import SOME, quiet, require_restated
from tests.scoring.one_list import L_UNSEEN, B, L, value
from tests.scoring.restated_lists import bpref, inf_ap, rbp, residual
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
    with pytest.raises(sk.MeasureError, match=r"RBP\(gain=linear,max_grade=3,p=0.8\) .*= 3"):
        value("RBP(p=0.8,gain=linear)", L)


@quiet
def test_edges():
    asked = ["RBP(p=0.8)", "RBPResidual(p=0.8)"]
    assert [value(measure, [], [1]) for measure in asked] == [0, 1]
    assert [value(measure, [0]) for measure in asked] == [0, pytest.approx(0.8)]
    assert [value(measure, [None]) for measure in asked] == [None, None]


E = 0.00001


@quiet
@SOME
@given(
    drawn=sessions(),
    cutoff=st.sampled_from([None, 1, 3, 9]),
    pooled=st.sampled_from([(), (-1,)]),
    least=st.sampled_from([1, 2]),
)
def test_incomplete_definitions(drawn, cutoff, pooled, least):
    restated = {
        f"bpref(min_grade={least})": lambda rows, base: bpref(rows, base, lambda grade: grade >= least),
        f"infAP(min_grade={least})": lambda rows, base: inf_ap(rows, base, lambda grade: grade >= least),
    }
    require_restated(drawn, cutoff, restated, pooled)


def test_inferred_average_precision():
    # r n r u x n r, CLASSIC section 4 (u pooled unjudged, x not in the judgments), R = 4
    r, n, u, x = 1, 0, -1, None
    terms = [1, 1 / 3 + 2 / 3 * (2 / 2) * (1 + E) / (2 + 2 * E), 1 / 7 + 6 / 7 * (5 / 6) * (2 + E) / (4 + 2 * E)]
    found = value("infAP", [r, n, r, u, x, n, r], [r], unjudged_grades=[-1])
    assert found == pytest.approx(sum(terms) / 4, abs=1e-15)
    assert terms[1] == pytest.approx(2 / 3, abs=1e-5)
    # r n u r x n r has the terms 1, .625, .5
    assert value("infAP", [r, n, u, r, x, n, r], [r], unjudged_grades=[-1]) == pytest.approx(0.53125, abs=1e-5)
    assert value("AP", [r, n, u, r, x, n, r], [r], unjudged_grades=[-1]) == pytest.approx(0.4821, abs=5e-5)
    assert value("infAP", [r, n, x, r, x, n, r], [r]) == pytest.approx(0.4821, abs=5e-5)
    # nothing judged above: u u r
    assert value("infAP", [u, u, r], unjudged_grades=[-1]) == pytest.approx(
        1 / 3 + 2 / 3 * (2 / 2) * (1 / 2), abs=1e-15
    )


def test_pooled_documents_are_not_absent_ones():
    # FORMULAS section 8, r n r u n r of R = 3: .7222 where u is absent, .75 where it is pooled
    assert value("infAP", [1, 0, 1, None, 0, 1]) == pytest.approx(0.7222, abs=5e-5)
    assert value("infAP", [1, 0, 1, -1, 0, 1], unjudged_grades=[-1]) == pytest.approx(0.75, abs=5e-5)
    # a grade of -1 that is not declared is a judged, not relevant document
    assert value("infAP", [1, 0, 1, -1, 0, 1]) == pytest.approx(
        (1 + 1 / 3 + 2 / 3 * (1 + E) / (2 + 2 * E) + 1 / 6 + 5 / 6 * (2 + E) / (5 + 2 * E)) / 3, abs=1e-15
    )


def test_binary_preference():
    r, n, u, x = 1, 0, -1, None
    # FORMULAS section 8: (1 + (1 - 1/2) + (1 - 2/2)) / 3
    assert value("bpref", [r, n, r, u, n, r], unjudged_grades=[-1]) == pytest.approx(0.5, abs=1e-15)
    # CLASSIC section 4, R = 4, N = 10: (1 + 3/4 + 1/2) / 4
    assert value("bpref", [r, n, u, r, x, n, r], [r, *[n] * 8], unjudged_grades=[-1]) == pytest.approx(
        0.5625, abs=1e-15
    )
    # R = 4, N = 1: (1 + 0) / 4
    assert value("bpref", [r, n, r], [r, r]) == 0.25
    # no judged document is not relevant
    assert value("bpref", [x, r], [r]) == 0.5


@quiet
def test_a_searcher_who_thinks_better_of_a_document_later():
    # b has grade 0 in the first query and 1 in the second: R = 2 and N = 0, so that nothing stands wrongly above a
    study = sk.from_tables(
        results={
            "session_id": ["s"] * 3,
            "query_position": [1, 1, 2],
            "rank": [1, 2, 1],
            "doc_id": ["b", "a", "b"],
            "user_grade": [0, 1, 1],
        }
    )
    found = sk.score(study, "bpref(grades=user)", per="query").get_column("value")
    assert found.to_list() == [0.5, 0.5]


@quiet
def test_incomplete_edges():
    for measure in ("bpref", "infAP"):
        found = [value(measure, grades, unseen) for grades, unseen in (([], [1]), ([0], [1]), ([0], []), ([None], []))]
        assert found == [0, 0, None, None]
