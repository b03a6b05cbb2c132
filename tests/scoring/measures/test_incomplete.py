"""bpref and infAP: worked values, the three states of a document, and the definitions restated over random sessions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sessionkit as sk
from tests.scoring.measures.list_values import SOME, quiet, require_restated
from tests.scoring.one_list import value
from tests.scoring.restated_lists import bpref, inf_ap
from tests.scoring.studies import sessions

E = 0.00001


@quiet
@SOME
@given(
    drawn=sessions(),
    cutoff=st.sampled_from([None, 1, 3, 9]),
    pooled=st.sampled_from([(), (-1,)]),
    least=st.sampled_from([1, 2]),
)
def test_definitions(drawn, cutoff, pooled, least):
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
def test_edges():
    for measure in ("bpref", "infAP"):
        found = [value(measure, grades, unseen) for grades, unseen in (([], [1]), ([0], [1]), ([0], []), ([None], []))]
        assert found == [0, 0, None, None]
