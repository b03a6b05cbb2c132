"""Ratings of the Rated Ranking Evaluator: levels that may be missing, three shapes of documents, placeholders."""

import json
from pathlib import Path

import pytest

from sessionkit.errors import DataError

DATA = Path(__file__).resolve().parents[3] / ".." / "shared" / "data" / "judgments"


def asked(*texts, **more):
    return [{"template": "t.json", "placeholders": {"$query": text}, **more} for text in texts]


def rows(study):
    return study.judgments.collect().rows()


def test_documents_apply_to_every_query_of_their_group(judged, accounts):
    group = {"name": "g", "queries": asked("lamp", "Lamp"), "relevant_documents": {"A": {"gain": 3}, "B": {"gain": 1}}}
    bare = {"name": "h", "queries": asked("sofa")}
    study = judged("rre.json", json.dumps({"index": "i", "topics": [{"query_groups": [group, bare]}]}))
    assert rows(study) == [("lamp", "A", 3.0), ("lamp", "B", 1.0), ("Lamp", "A", 3.0), ("Lamp", "B", 1.0)]
    assert accounts(study) == {"ratings": (4, 0, 0, 0), "queries without documents": (0, 0, 1, 0)}


@pytest.mark.parametrize(
    "documents",
    [
        {"A": {"gain": 3}, "B": {"gain": 3}},
        {"3": ["A", "B"]},
        {"A": 3, "B": 3},
        [{"document_id": "A", "gain": 3}, {"document_id": "B", "gain": 3}],
    ],
)
@pytest.mark.parametrize("levels", [("topics", "query_groups"), ("query_groups",), ()])
def test_levels_and_shapes_say_the_same(judged, documents, levels):
    node = {"queries": asked("lamp"), "relevant_documents": documents}
    for level in reversed(levels):
        node = {level: [node]}
    assert rows(judged("rre.json", json.dumps(node))) == [("lamp", "A", 3.0), ("lamp", "B", 3.0)]


def test_queries_may_have_documents_of_their_own(judged):
    queries = asked("lamp", relevant_documents={"1": ["A"]}) + asked("desk lamp", relevant_documents={"0": ["A", "B"]})
    study = judged("rre.json", json.dumps({"id_field": "id", "queries": queries}))
    assert rows(study) == [("lamp", "A", 1.0), ("desk lamp", "A", 0.0), ("desk lamp", "B", 0.0)]


def test_a_query_said_twice_is_rated_once(judged, accounts):
    node = {"queries": asked("lamp", "lamp"), "relevant_documents": {"A": {"gain": 3}}}
    study = judged("rre.json", json.dumps(node))
    assert rows(study) == [("lamp", "A", 3.0)]
    assert accounts(study)["repeated ratings, of which the last counts"] == (0, 1, 0, 0)


def test_the_text_of_a_query_is_its_only_placeholder(judged, rejects):
    lone = {"placeholders": {"$q": "lamp"}}
    unclear = {"placeholders": {"$q": "lamp", "$lang": "en"}}
    study = judged("rre.json", json.dumps({"queries": [lone, unclear], "relevant_documents": {"2": ["A"]}}))
    assert rows(study) == [("lamp", "A", 2.0)]
    assert [(row[2], row[4]) for row in rejects(study)] == [
        ("judgment_key_is_given", '$.relevant_documents["2"][0] = {"query": null, "2": "A"}')
    ]


def test_what_is_broken_names_its_path(judged, rejects):
    groups = [
        {"queries": asked("lamp"), "relevant_documents": {"A": {"gain": "high"}, "B": {}}},
        {"queries": asked("lamp"), "relevant_documents": ["A"]},
        "nothing",
    ]
    study = judged("rre.json", json.dumps({"query_groups": groups}))
    assert [(row[2], row[4].partition(" = ")[0]) for row in rejects(study)] == [
        ("grade_is_a_number", '$.query_groups[0].relevant_documents["A"]'),
        ("grade_is_given", '$.query_groups[0].relevant_documents["B"]'),
        ("documents_can_be_read", "$.query_groups[1].relevant_documents"),
        ("documents_can_be_read", "$.query_groups[2]"),
    ]


def test_broken_json_names_its_line(judged):
    with pytest.raises(DataError, match=r"rre\.json, line 2, column"):
        judged("rre.json", '{"topics": [{"query_groups": [{"relevant_documents": {"A": {"gain": 3}}\n')


def test_json_without_any_level_is_refused(judged, write):
    write("x.json", '{"a": 1}')
    with pytest.raises(DataError, match=r"x\.json: \$ holds none of topics, query_groups, queries"):
        judged("unused.txt", "t 0 a 1\n", config={"judgments": {"path": "x.json", "format": "rre"}})


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real judgments are not here")
def test_real_ratings(judged, quiet_read):
    study = judged("rre.json", (DATA / "rre_ratings_example.json").read_text())
    assert study.facts.judgments == 3 * 2 + 3 * 1  # three queries of two documents, three of one
    assert set(study.judgments.collect()["grade"]) == {3.0}


def test_the_placeholder_that_is_the_query_may_be_named(judged):
    said = {"placeholders": {"$lang": "en", "words": "lamp"}, "relevant_documents": {"2": ["A"]}}
    usual = {"placeholders": {"$query": "bulb", "$vector": "[0.1, 0.2]"}, "relevant_documents": {"1": ["B"]}}
    study = judged("rre.json", json.dumps({"query_placeholder": "words", "queries": [said, usual]}))
    assert rows(study) == [("lamp", "A", 2.0), ("bulb", "B", 1.0)]


def test_documents_in_a_list_that_say_nothing_are_rejected_where_they_stand(judged, rejects):
    documents = [{"document_id": "A", "gain": 2}, {"gain": 1}, {"document_id": "C"}]
    study = judged("rre.json", json.dumps({"queries": asked("lamp"), "relevant_documents": documents}))
    assert rows(study) == [("lamp", "A", 2.0)]
    assert [(row[2], row[4].split(" = ")[0]) for row in rejects(study)] == [
        ("doc_id_is_given", "$.relevant_documents[1]"),
        ("grade_is_given", "$.relevant_documents[2]"),
    ]
