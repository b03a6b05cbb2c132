"""Contributions: every result with its terms; their sum is the value (checked for every measure in test_contracts)."""

import polars as pl
import pytest

import sessionkit as sk

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")


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


def test_contributions_to_normalized_measures_show_what_they_are_divided_by(study):
    # best first: grades 2, 1 by the logarithm of nsDCG and of nDCG; the ideal session has both lists, the second discounted
    lists = {"nsDCG@3": (2 + 1 / 2) * (1 + 1 / 1.5), "nDCG@3": 2 + 1 / 1.584962500721156}
    for text, ideal in lists.items():
        table = sk.explain(study, text, session="s")
        assert table.get_column("ideal").to_list() == pytest.approx([ideal] * 4)
        product = pl.col("gain") * pl.col("rank_discount") * pl.col("query_discount") / pl.col("ideal")
        assert table.select(product).to_series().to_list() == pytest.approx(table.get_column("contribution").to_list())
    assert "ideal" not in sk.explain(study, "avgpos(nDCG@3)", session="s").columns


def test_a_document_shown_again_gains_nothing_with_first(study):
    table = sk.explain(study, "sDCG(duplicates=first)@3", session="s")
    assert table.get_column("gain").to_list() == [1, 0, 2, 0]


def test_removed_results_are_not_listed(study):
    table = sk.explain(study, "sDCG(unjudged=skip)@3", session="s")
    assert table.select("doc_id", "rank").rows() == [("x", 1), ("y", 2), ("x", 1)]


def test_values_of_queries_have_a_sum_each(study):
    table = sk.explain(study, "DCG@3")
    assert table.filter(session_id="s", query_position=2).get_column("cumulated").to_list() == [1.0]
    assert table.get_column("query_discount").unique().to_list() == [1.0]


def test_unknown_sessions_get_a_suggestion(study):
    with pytest.raises(sk.UsageError, match="did you mean 's'"):
        sk.explain(study, "sDCG@3", session="S")
