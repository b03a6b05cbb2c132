"""Query sets of the Search Relevance Workbench, as logs.

Experiments and evaluations of the Search Relevance Workbench, as logs of lists.
"""

import json

import pytest

from sessionkit.errors import DataError
from tests.support.messages import match_parts


def test_a_query_set_is_a_log_of_texts(write, quiet_read, rejects):
    queries = [{"queryText": "lamp"}, {"queryText": "desk lamp"}, {"queryText": "lamp"}, {"text": "x"}]
    path = write("set.json", json.dumps({"name": "set", "sampling": "manual", "querySetQueries": queries}))
    study = quiet_read(path)
    assert study.reader == "srw"
    assert study.queries.collect().select("session_id", "query_text", "results_status").rows() == [
        ("desk lamp", "desk lamp", "not_logged"),
        ("lamp", "lamp", "not_logged"),
    ]
    assert [row[2] for row in rejects(study)] == ["session_id_is_given"]
    assert {one.kind: one.merged for one in study.sources if one.merged} == {"queries given again": 1}
    ratings = [{"query": "lamp", "ratings": [{"docId": "A", "rating": "1.000"}]}]
    beside = write("list.json", json.dumps({"name": "by hand", "judgmentRatings": ratings}))
    assert quiet_read(path, judgments=beside).facts.judgments == 1


def test_what_an_entry_says_beside_its_text_is_kept(write, quiet_read):
    queries = [
        {"queryText": "lamp", "customFields": {"answer": "LED", "query_id": "7"}},
        {"queryText": "desk", "answer": "oak"},
        {"queryText": 'rug#{"answer": "wool"}', "customFields": None},
        {"queryText": "what is C#?"},
    ]
    study = quiet_read(write("set.json", json.dumps({"querySetQueries": queries})))
    assert study.queries.collect().select("query_text", "answer", "query_id_given").rows() == [
        ("desk", "oak", None),
        ("lamp", "LED", 7),
        ("rug", "wool", None),
        ("what is C#?", None, None),
    ]
    ratings = [{"query": 'rug#{"answer": "wool"}', "ratings": [{"docId": "A", "rating": 1}]}]
    beside = write("list.json", json.dumps({"judgmentRatings": ratings}))
    judged = quiet_read(write("set.json", json.dumps({"querySetQueries": queries})), judgments=beside)
    assert judged.judgments.collect()["judgment_key"].to_list() == ["rug"]


def test_fields_of_an_entry_take_no_name_of_ours(write, quiet_read):
    entry = {
        "queryText": "lamp",
        "__record": 3,
        "__rule": "x",
        "rank_given": 5,
        "session_id": "s",
        "session_id_given": "t",
    }
    study = quiet_read(write("set.json", json.dumps({"querySetQueries": [entry]})))
    assert study.queries.collect().select(
        "record_given", "rule_given", "rank_given", "session_id_given", "session_id_given (2)"
    ).rows() == [(3, "x", 5, "s", "t")]


@pytest.mark.parametrize("text", [r'lamp#{"a": "\ud800"}', 'lamp#{"a": ' + "[" * 50_000])
def test_odd_fields_in_the_text_of_a_query(write, quiet_read, text):
    study = quiet_read(write("set.json", json.dumps({"querySetQueries": [{"queryText": text}]})))
    assert study.queries.collect()["query_text"].to_list() == ["lamp" if "ud800" in text else text]


COMPARISON = {
    "type": "PAIRWISE_COMPARISON",
    "results": [
        {
            "snapshots": [
                {"searchConfigurationId": "old", "docIds": ["A", "B"]},
                {"searchConfigurationId": "new", "docIds": ["B", "C"]},
            ],
            "queryText": "lamp",
            "metrics": [{"metric": "jaccard", "value": 0.33}],
        },
        {"snapshots": [{"searchConfigurationId": "old", "docIds": []}], "queryText": 'desk#{"answer": "oak"}'},
    ],
}
ONE = {
    "searchText": "lamp",
    "searchConfigurationId": "old",
    "judgmentIds": [],
    "documentIds": ["A", "B"],
    "metrics": [],
}


def lists(study):
    return study.results.collect().select("session_id", "rank", "doc_id").rows()


def test_a_comparison_has_a_list_of_each_system(write, quiet_read):
    study = quiet_read(write("comparison.json", json.dumps(COMPARISON, indent=1)))
    assert study.reader == "srw"
    assert lists(study) == [("new: lamp", 1, "B"), ("new: lamp", 2, "C"), ("old: lamp", 1, "A"), ("old: lamp", 2, "B")]
    assert study.sessions.collect().select("session_id", "system_id", "topic_id", "judgment_key").rows() == [
        ("new: lamp", "new", "lamp", "lamp"),
        ("old: desk", "old", "desk", "desk"),
        ("old: lamp", "old", "lamp", "lamp"),
    ]
    assert dict(study.queries.collect().select("session_id", "results_status").rows())["old: desk"] == "empty"


@pytest.mark.parametrize(
    "packed",
    [
        json.dumps(ONE),
        json.dumps({"hits": {"hits": [{"_id": "1", "_source": ONE}]}}),
        json.dumps([ONE]),
        json.dumps(
            {
                "size": 5,
                "searchConfigurationList": ["old"],
                "evaluationResultList": [{**ONE, "searchConfigurationId": None}],
            }
        ),
    ],
)
def test_an_evaluation_however_it_is_packed(write, quiet_read, packed):
    study = quiet_read(write("evaluation.json", packed))
    assert study.reader == "srw"
    assert lists(study) == [("old: lamp", 1, "A"), ("old: lamp", 2, "B")]


def test_a_query_evaluated_again_is_a_list_of_its_own(write, quiet_read):
    study = quiet_read(
        write("evaluations.json", json.dumps(ONE) + "\n" + json.dumps({**ONE, "documentIds": ["C"]}) + "\n")
    )
    assert lists(study) == [("old: lamp", 1, "A"), ("old: lamp", 2, "B"), ("old: lamp (2)", 1, "C")]


def test_what_has_no_list_is_rejected(write, quiet_read, rejects):
    results = [
        {"queryText": "x", "evaluationId": "1"},
        {"queryText": "y", "snapshots": [{"docIds": 7}]},
        COMPARISON["results"][0],
    ]
    study = quiet_read(write("experiment.json", json.dumps({"results": results})), format="srw")
    assert [(row[0], row[2]) for row in rejects(study)] == [(1, "list_can_be_read"), (2, "list_can_be_read")]
    assert len(lists(study)) == 4


def test_lists_without_text_and_documents_without_id_are_rejected(write, quiet_read, rejects):
    two = [
        {"snapshots": [{"searchConfigurationId": "a", "docIds": ["A", None]}], "queryText": text}
        for text in ("b", None)
    ]
    study = quiet_read(write("comparison.json", json.dumps({"results": two})), format="srw")
    assert [row[2] for row in rejects(study)].count("doc_id_is_given") == 1
    assert lists(study) == [("a: b", 1, "A")]


def test_a_text_like_the_name_of_a_list_given_again(write, quiet_read):
    given = [("lamp (2)", ["C"]), ("lamp", ["A"]), ("lamp", ["B", "D"])]
    found = [{"queryText": text, "snapshots": [{"docIds": documents}]} for text, documents in given]
    study = quiet_read(write("comparison.json", json.dumps({"results": found})), format="srw")
    assert lists(study) == [("lamp", 1, "A"), ("lamp (2)", 1, "C"), ("lamp (3)", 1, "B"), ("lamp (3)", 2, "D")]


def test_a_file_without_any_list_is_refused(write, quiet_read):
    with pytest.raises(DataError, match=match_parts("log.ndjson has no list", "first: $")):
        quiet_read(write("log.ndjson", '{"query_id": "q1", "user_query": "lamp"}\n'), format="srw")


def test_lists_of_two_files_do_not_run_together(write, quiet_read):
    def file(name, documents):
        found = [{"queryText": "lamp", "snapshots": [{"searchConfigurationId": "a", "docIds": documents}]}]
        return write(name, json.dumps({"results": found}))

    with pytest.raises(DataError, match=match_parts("one.json and two.json", "session 'a: lamp'")):
        quiet_read([file("one.json", ["A"]), file("two.json", ["B", "C"])], format="srw")
