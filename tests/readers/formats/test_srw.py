"""Query sets of the Search Relevance Workbench, as logs."""

import json

import pytest


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
