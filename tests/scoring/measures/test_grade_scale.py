"""The top of the grade scale: the measure's before the study's, checked against all grades that count."""

import pytest

import sessionkit as sk
from tests.scoring.one_list import value


def test_the_measure_goes_before_the_study():
    assert value("gP@1", [2], max_grade=2) == 1.0
    assert value("gP(max_grade=4)@1", [2], max_grade=2) == 0.5


def test_documents_that_are_not_shown_are_on_the_scale_too():
    told = pytest.warns(sk.DataWarning, match="1 grade above max_grade = 4, the highest 5")
    with told, pytest.raises(sk.DataError, match="have grade 5, above the top of the scale, max_grade=4"):
        value("ERR@1", [1], [5], max_grade=4)


def test_a_study_without_relevant_documents_proposes_one():
    with pytest.raises(sk.MeasureError, match=r"set max_grade = 1 at the top of a study\.toml"):
        value("ERR@1", [0, -1])
    assert value("ERR(max_grade=0.5)@1", [0]) == 0


def test_the_searchers_own_grades_have_a_scale():
    study = sk.from_tables(
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "user_grade": [2]},
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [5]},
    )
    assert sk.score(study, "gP(grades=user,max_grade=4)@1", per="query").get_column("value").item() == 0.5
    with pytest.raises(sk.DataError, match="the searchers' own grades have grade 2, above"):
        sk.score(study, "gP(grades=user,max_grade=1)@1", per="query")
