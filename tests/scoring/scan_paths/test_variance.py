"""The table of expectations and variances; their values are tested with the measures."""

import polars as pl

import sessionkit as sk
from sessionkit.scoring.explain import path_variance

STUDY = {
    "results": {
        "session_id": ["b", "b", "a"],
        "query_position": [1, 1, 1],
        "rank": [1, 2, 1],
        "doc_id": ["x", "y", "y"],
    },
    "sessions": {"session_id": ["a", "b"], "topic_id": ["t", "t"]},
    "judgments": {"judgment_key": ["t", "t"], "doc_id": ["x", "y"], "grade": [0, 3]},
}


def test_a_row_for_every_session():
    # b: half of the paths <0>, half <0, 3>; a: always <3>
    found = path_variance(sk.from_tables(**STUDY), "esDCG(discount=none,pdown=0.5,pref=0.5)")
    assert found.schema == {"session_id": pl.String, "measure": pl.String, "value": pl.Float64, "variance": pl.Float64}
    name = "esDCG(discount=none,pdown=0.5,pref=0.5)"
    assert found.rows() == [("a", name, 3.0, 0.0), ("b", name, 1.5, 2.25)]


def test_a_saved_study_has_the_same(tmp_path):
    study = sk.from_tables(**STUDY)
    study.save(tmp_path / "study")
    measure = "esAP(pdown=0.5,pref=0.5)"
    assert path_variance(sk.open_study(tmp_path / "study"), measure).equals(path_variance(study, measure))
