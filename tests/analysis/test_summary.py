"""The summary table: counts over queries by system or topic, as trec_eval has them."""

import polars as pl
import pytest
import pytrec_eval
from hypothesis import HealthCheck, given, settings

import sessionkit as sk
from tests.scoring.restated_lists import lists_of, ranks
from tests.scoring.studies import sessions, study_of
from tests.support.clinic import read_clinic
from tests.support.examples import examples

quiet = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")


@pytest.fixture(scope="module")
def study():
    """System A: topic t with two queries (one found nothing), topic u; system B: topic t."""
    return sk.from_tables(
        queries={"session_id": list("xxyz"), "query_position": [1, 2, 1, 1], "results_status": ["shown", "empty", "shown", "shown"]},
        results={"session_id": list("xxyz"), "query_position": [1] * 4, "rank": [1, 2, 1, 1], "doc_id": list("abab")},
        sessions={"session_id": list("xyz"), "system_id": list("AAB"), "topic_id": list("tut")},
        judgments={"judgment_key": list("tttu"), "doc_id": list("abca"), "grade": [1, 0, 2, 1]},
    )  # fmt: skip


def test_by_system(study):
    assert sk.summary(study).columns == [
        "system_id",
        "topics",
        "sessions",
        "queries",
        "retrieved",
        "relevant",
        "relevant_retrieved",
        "relevant_documents",
    ]
    # A: relevant a and c for both queries of t, a for u; found a, and a. B: b alone, which is not relevant
    assert sk.summary(study).rows() == [("A", 2, 2, 3, 3, 5, 2, 3), ("B", 1, 1, 1, 1, 2, 0, 2)]


def test_by_topic(study):
    table = sk.summary(study, "system_id,topic_id")
    assert table.rows() == [
        ("A", "t", 1, 1, 2, 2, 4, 1, 2),
        ("A", "u", 1, 1, 1, 1, 1, 1, 1),
        ("B", "t", 1, 1, 1, 1, 2, 0, 2),
    ]


def test_choices(study):
    assert sk.summary(study, None, min_grade=2).rows() == [(2, 3, 4, 4, 3, 0, 1)]
    assert sk.summary(study, cutoff=1).get_column("retrieved").to_list() == [2, 1]
    assert sk.summary(study, where="queries >= 2").rows() == [("A", 1, 1, 2, 2, 4, 1, 2)]
    with pytest.raises(sk.UsageError, match="by=topic: no such column"):
        sk.summary(study, "topic")


def test_a_relevant_document_counts_once_however_many_queries_ask_for_it():
    """SIGIR 2007, Table 1: 199 judgments of the clinic are relevant, of four topics that both systems have."""
    clinic = read_clinic()
    relevant = clinic.judgments.filter(pl.col("grade") >= 1).collect()
    assert sk.summary(clinic).get_column("relevant_documents").to_list() == [len(relevant)] * 2 == [199, 199]
    by_topic = sk.summary(clinic, "topic_id").select("topic_id", "relevant_documents").rows()
    assert by_topic == sorted(relevant.group_by("judgment_key").len().rows())
    assert sk.summary(clinic, None, cutoff=1, min_grade=2).get_column("relevant_documents").item() == (
        relevant.filter(pl.col("grade") >= 2).height
    )


def test_the_sums_are_trec_evals():
    grades, shown = {"a": 1, "b": 0, "c": 2}, {"q1": ["x", "a", "c"], "q2": ["b", "a"]}
    run = {query: {doc: 1.0 / rank for rank, doc in enumerate(docs, 1)} for query, docs in shown.items()}
    names = ("num_ret", "num_rel", "num_rel_ret")
    peer = pytrec_eval.RelevanceEvaluator(dict.fromkeys(shown, grades), set(names)).evaluate(run)
    rows = [(query, rank, doc) for query, docs in shown.items() for rank, doc in enumerate(docs, 1)]
    study = sk.from_tables(
        results=pl.DataFrame(rows, schema=["session_id", "rank", "doc_id"], orient="row").with_columns(
            query_position=pl.lit(1), topic_id=pl.lit("t")
        ),
        judgments={"judgment_key": ["t"] * 3, "doc_id": list(grades), "grade": list(grades.values())},
    )
    found = sk.summary(study).select("retrieved", "relevant", "relevant_retrieved").row(0)
    assert found == tuple(sum(peer[query][name] for query in shown) for name in names)


@quiet
@settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(drawn=sessions())
def test_counts(drawn):
    lists = lists_of(*drawn)
    assert sk.summary(study_of(*drawn), None).select("queries", "retrieved", "relevant", "relevant_retrieved").row(
        0
    ) == (
        len(lists),
        sum(len(rows) for rows, _ in lists.values()),
        sum(grade >= 1 for _, base in lists.values() for grade in base or ()),
        sum(len(ranks(rows, lambda grade: grade >= 1)) for rows, base in lists.values() if base),
    )
