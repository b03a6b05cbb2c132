r"""A study as a run and qrels, and back: the scores are the same, and those of ir_measures."""

import warnings

import ir_measures
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import sessionkit as sk
from sessionkit.errors import DataError, DataWarning
from sessionkit.study.trec import trec_text
from tests.support.clinic import read_clinic

PATTERN = r"(?P<session>.+)_(?P<position>\d+)"
MEASURES = ["nDCG@10", "sDCG@10", "nsDCG@10", "mean(nDCG@10)"]


def small(**more):
    """A session of three queries, of which the second is empty."""
    results = {"session_id": "s", "query_position": [1, 1, 3], "rank": [1, 2, 1], "doc_id": ["a", "b", "a"], **more}
    judgments = {"judgment_key": ["t", "t"], "doc_id": ["a", "c"], "grade": [2, 1]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return sk.from_tables(results | {"topic_id": "t"}, judgments, missing_positions="empty")


def scores(study, measure):
    return sk.score(study, measure, per="query" if measure == "nDCG@10" else "session")


@pytest.fixture(scope="module")
def again():
    study = read_clinic()
    return sk.from_run(study.to_run(), study.to_qrels(), sessions=PATTERN, missing_topics="omit")


@pytest.mark.parametrize("measure", MEASURES)
def test_a_study_becomes_a_run_and_qrels_and_a_study_again(measure, again):
    """Also with its empty lists, at the end of sessions too, since their queries are judged."""
    study = read_clinic()
    names = [name for name in scores(study, measure).columns if name not in ("topic_id", "user_id")]
    assert_frame_equal(scores(study, measure).select(names), scores(again, measure).select(names))
    assert again.facts.empty == study.facts.empty > 0


@pytest.mark.slow
def test_peers_score_the_tables_as_they_are():
    study = read_clinic()
    run, qrels = study.to_run(), study.to_qrels().rename({"grade": "relevance"})
    shown = run["query_id"].unique()
    peers = ir_measures.iter_calc([ir_measures.nDCG @ 10], qrels.to_pandas(), run.to_pandas())
    peers = {one.query_id: one.value for one in peers if one.query_id in shown}
    ours = sk.score(study, "nDCG@10", per="query").drop_nulls("value")
    ours = {
        f"{session}_{at}": value for session, at, value in ours.select("session_id", "query_position", "value").rows()
    }
    assert peers == {query: pytest.approx(ours[query], abs=1e-12) for query in peers}
    assert len(peers) == 331


def test_the_columns_are_those_of_the_files():
    study = small()
    assert study.to_run().rows() == [
        ("s_1", "Q0", "a", 1, -1, "sessionkit"),
        ("s_1", "Q0", "b", 2, -2, "sessionkit"),
        ("s_3", "Q0", "a", 1, -1, "sessionkit"),
    ]
    assert study.to_run().columns == ["query_id", "iteration", "doc_id", "rank", "score", "tag"]
    pairs = [(f"s_{query}", "0", doc, grade) for query in (1, 2, 3) for doc, grade in (("a", 2), ("c", 1))]
    assert study.to_qrels().rows() == pairs
    assert study.to_qrels().columns == ["query_id", "iteration", "doc_id", "grade"]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ([3.0, 2.0, 9.0], True),
        ([2.0, 3.0, 9.0], False),  # not in the order of the ranks
        ([3.0, 3.0, 9.0], False),  # equal, which trec_eval orders by document
        ([3.00000001, 3.0, 9.0], False),  # equal in single precision
        ([3.0, None, 9.0], False),
    ],
)
def test_scores_are_kept_where_they_order_as_ranks_do(given, kept):
    assert small(score=given).to_run()["score"].to_list() == (given if kept else [-1, -2, -1])


def test_queries_have_the_judgments_of_their_own_key_and_those_not_logged_none():
    queries = {"session_id": "s", "query_position": [1, 2, 3], "judgment_key": ["x", None, "x"]}
    queries["results_status"] = ["shown", "shown", "not_logged"]
    results = {"session_id": "s", "query_position": [1, 2], "rank": 1, "doc_id": "a"}
    judgments = {"judgment_key": ["t", "x"], "doc_id": "a", "grade": [0.5, 2.0], "judge_id": ["one", None]}
    study = sk.from_tables(results, judgments, queries, {"session_id": ["s"], "topic_id": ["t"]})
    assert study.to_qrels().rows() == [("s_1", "0", "a", 2.0), ("s_2", "one", "a", 0.5)]


def test_ranks_with_gaps_are_read_back_by_rank():
    study = small(rank=[1, 4, 2])
    again = sk.from_run(study.to_run(), study.to_qrels(), sessions=PATTERN, order="rank")
    assert again.results.collect()["rank"].to_list() == [1, 4, 2]


@pytest.mark.parametrize("column", ["query_id", "doc_id"])
def test_blanks_in_ids_are_refused_in_text_and_replaced_in_tags(column):
    run = small().to_run()
    assert trec_text(run.with_columns(tag=pl.lit("my system"))).splitlines()[0] == "s_1 Q0 a 1 -1.0 my_system"
    with pytest.raises(DataError, match=f"{column} 'a b' is empty or"):
        trec_text(run.with_columns(pl.lit("a b").alias(column)))


def test_a_saved_study_and_some_of_its_sessions(tmp_path):
    study = read_clinic()
    saved = study.save(tmp_path / "study")
    assert_frame_equal(saved.to_run(), study.to_run())
    assert_frame_equal(saved.to_qrels(), study.to_qrels())
