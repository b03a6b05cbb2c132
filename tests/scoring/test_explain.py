"""Contributions: every result with its terms; their sum is the value (checked for every measure in test_contracts).

The table of expectations and variances; their values are tested with the measures.
"""

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.scoring.explain import path_variance


@pytest.fixture(scope="module")
def study():
    return sk.from_tables(
        results={
            "session_id": ["s"] * 4 + ["z"],
            "query_position": [1, 1, 1, 2, 1],
            "rank": [1, 2, 3, 1, 1],
            "doc_id": list("xuyxq"),
            "topic_id": ["t"] * 5,
        },
        judgments={"judgment_key": ["t"] * 3, "doc_id": list("xyw"), "grade": [1, 2, -1]},
    )


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_terms_of_a_session(study):
    table = sk.explain(study, "sDCG@3", session="s")
    assert table.columns == [
        "session_id", "query_position", "rank", "doc_id", "grade", "gain", "rank_discount", "query_discount", "contribution",
        "cumulated",
    ]  # fmt: skip
    third = 1 / (1 + 1.584962500721156)
    assert table.get_column("grade").to_list() == [1, None, 2, 1]
    assert table.get_column("rank_discount").to_list() == pytest.approx([1, 0.5, third, 1])
    assert table.get_column("query_discount").to_list() == pytest.approx([1, 1, 1, 1 / 1.5])
    assert table.get_column("contribution").to_list() == pytest.approx([1, 0, 2 * third, 1 / 1.5])
    assert table.get_column("cumulated")[-1] == pytest.approx(1 + 2 * third + 1 / 1.5)


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_contributions_to_normalized_measures_show_what_they_are_divided_by(study):
    # best first: grades 2, 1 by the logarithm of nsDCG and of nDCG; the ideal session has both lists, the second discounted
    lists = {"nsDCG@3": (2 + 1 / 2) * (1 + 1 / 1.5), "nDCG@3": 2 + 1 / 1.584962500721156}
    for text, ideal in lists.items():
        table = sk.explain(study, text, session="s")
        assert table.get_column("ideal").to_list() == pytest.approx([ideal] * 4)
        product = pl.col("gain") * pl.col("rank_discount") * pl.col("query_discount") / pl.col("ideal")
        assert table.select(product).to_series().to_list() == pytest.approx(table.get_column("contribution").to_list())
    assert "ideal" not in sk.explain(study, "avgpos(nDCG@3)", session="s").columns


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_a_document_shown_again_gains_nothing_with_first(study):
    table = sk.explain(study, "sDCG(duplicates=first)@3", session="s")
    assert table.get_column("gain").to_list() == [1, 0, 2, 0]


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_removed_results_are_not_listed(study):
    table = sk.explain(study, "sDCG(unjudged=skip)@3", session="s")
    assert table.select("doc_id", "rank").rows() == [("x", 1), ("y", 2), ("x", 1)]


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_values_of_queries_have_a_sum_each(study):
    table = sk.explain(study, "DCG@3")
    assert table.filter(session_id="s", query_position=2).get_column("cumulated").to_list() == [1.0]
    assert table.get_column("query_discount").unique().to_list() == [1.0]


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_unknown_sessions_get_a_suggestion(study):
    with pytest.raises(sk.UsageError, match="did you mean 's'"):
        sk.explain(study, "sDCG@3", session="S")


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
