"""Query measures against trec_eval itself, on random runs; where the conventions differ, how."""

import ir_measures
import pytest
import pytrec_eval
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sessionkit as sk

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
DOCS = [f"d{number}" for number in range(12)]
runs = st.lists(st.lists(st.sampled_from(DOCS), min_size=1, max_size=10, unique=True), min_size=1, max_size=4)
grades = st.dictionaries(st.sampled_from(DOCS), st.integers(0, 3), min_size=1).filter(lambda found: any(found.values()))


def study_of(lists, judged):
    """One session whose queries show these lists."""
    shown = [(number, rank, doc) for number, docs in enumerate(lists, 1) for rank, doc in enumerate(docs, 1)]
    numbers, ranks, docs = zip(*shown, strict=True)
    return sk.from_tables(
        results={
            "session_id": ["s"] * len(shown),
            "query_position": list(numbers),
            "rank": list(ranks),
            "doc_id": list(docs),
            "topic_id": ["t"] * len(shown),
        },
        judgments={"judgment_key": ["t"] * len(judged), "doc_id": list(judged), "grade": list(judged.values())},
    )


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(lists=runs, judged=grades, cutoff=st.sampled_from([1, 3, 5, 10]))
def test_ndcg_is_trec_evals(lists, judged, cutoff):
    qrels = {str(number): judged for number in range(1, len(lists) + 1)}
    run = {str(number): {doc: 1.0 / rank for rank, doc in enumerate(docs, 1)} for number, docs in enumerate(lists, 1)}
    peer = pytrec_eval.RelevanceEvaluator(qrels, {f"ndcg_cut.{cutoff}", "ndcg"}).evaluate(run)
    scores = sk.score(study_of(lists, judged), [sk.nDCG @ cutoff, sk.nDCG], per="query")
    for position, measure, value in scores.select("query_position", "measure", "value").rows():
        name = f"ndcg_cut_{cutoff}" if "@" in measure else "ndcg"
        assert value == pytest.approx(peer[str(position)][name], abs=1e-10)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(lists=runs, judged=grades)
def test_exponential_ndcg_is_that_of_burges(lists, judged):
    # ir_measures' dcg="exp-log2": 2^grade - 1, log2(rank + 1), the whole recall base cut at k; gdeval's convention
    qrels = [ir_measures.Qrel(str(n), doc, grade) for n in range(1, len(lists) + 1) for doc, grade in judged.items()]
    run = [ir_measures.ScoredDoc(str(n), d, 1.0 / r) for n, docs in enumerate(lists, 1) for r, d in enumerate(docs, 1)]
    asked = ir_measures.nDCG(gains={grade: 2**grade - 1 for grade in range(4)}) @ 5
    peer = {metric.query_id: metric.value for metric in ir_measures.iter_calc([asked], qrels, run)}
    scores = sk.score(study_of(lists, judged), sk.nDCG(gain="exp2") @ 5, per="query")
    for position, value in scores.select("query_position", "value").rows():
        assert value == pytest.approx(peer[str(position)], abs=1e-10)


def test_an_empty_list_counts_as_with_trec_evals_c():
    study = sk.from_tables(
        queries={"session_id": ["s", "s"], "query_position": [1, 2]},
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]},
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    )
    assert sk.score(study, "nDCG", per="query").get_column("value").to_list() == [1.0, 0.0]
    assert sk.score(study, "mean(nDCG)").get_column("value").to_list() == [0.5]
