"""Ratings of the Rated Ranking Evaluator: levels that may be missing, three shapes of documents, placeholders.

Judgment lists of the Search Relevance Workbench.
"""

import json
from pathlib import Path

import pytest

from sessionkit.errors import DataError
from tests.support.messages import match_parts

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


@pytest.mark.few(6)
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
    assert [counts for kind, counts in accounts(study).items() if "repeated" in kind] == [(0, 1, 0, 0)]


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
    with pytest.raises(DataError, match=match_parts("x.json: $", "none of topics", "query_groups, queries")):
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


LIST = {
    "name": "by hand",
    "type": "IMPORT_JUDGMENT",
    "judgmentRatings": [
        {"query": "lamp", "ratings": [{"docId": "A", "rating": "1.000"}, {"docId": "B", "rating": "0.500"}]},
        {"query": "desk lamp", "ratings": [{"docId": "A", "rating": "2.000"}, {"docId": "A", "rating": "3.000"}]},
        {"query": "unrated query", "ratings": []},
    ],
}
EXPECTED = [("lamp", "A", 1.0), ("lamp", "B", 0.5), ("desk lamp", "A", 3.0)]


def srw_rows(study):
    return study.judgments.collect().select("judgment_key", "doc_id", "grade").rows()


def test_of_ratings_of_one_document_the_last_counts(judged, accounts):
    study = judged("list.json", json.dumps(LIST, indent=1))
    assert srw_rows(study) == EXPECTED
    assert accounts(study) == {
        "ratings": (3, 0, 0, 0),
        "repeated ratings, of which the last counts": (0, 1, 0, 0),
        "queries without ratings": (0, 0, 1, 0),
    }


def exported(list_):
    """A list as the index has it: ratings as numbers, wrapped."""
    ratings = [
        {**query, "ratings": [{**one, "rating": float(one["rating"])} for one in query["ratings"]]}
        for query in list_["judgmentRatings"]
    ]
    return {"id": "j1", "timestamp": "2026-01-05T10:00:00Z", "metadata": {}, **list_, "judgmentRatings": ratings}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(exported(LIST)),
        json.dumps([exported(LIST)]),
        json.dumps({"_index": ".judgments", "_source": exported(LIST)}),
        json.dumps({"took": 1, "hits": {"total": 1, "hits": [{"_source": exported(LIST)}]}}, indent=1),
    ],
)
def test_lists_exported_from_the_index_are_the_same(judged, text):
    assert srw_rows(judged("export.json", text)) == EXPECTED


def test_several_lists_are_told_apart_by_their_names(judged):
    lines = [LIST, {**LIST, "name": "by model", "type": "LLM_JUDGMENT"}]
    study = judged("lists.ndjson", "".join(json.dumps(one) + "\n" for one in lines))
    assert len(srw_rows(study)) == 2 * len(EXPECTED)
    assert study.judgments.collect()["judge_id"].value_counts(sort=True).rows() == [("by hand", 3), ("by model", 3)]


def test_lists_of_which_none_can_be_read_are_rejected(judged, rejects):
    study = judged("lists.ndjson", '{"name": "a", "judgmentRatings": [null]}\n{"name": "b", "judgmentRatings": 1}\n')
    assert [row[1:3] for row in rejects(study)] == [(1, "ratings_can_be_read"), (2, "ratings_can_be_read")]


def test_srw_what_is_broken_names_its_path(judged, rejects):
    ratings = [
        {"query": "lamp", "ratings": [{"docId": "A", "rating": "high"}, {"rating": "1"}, 7]},
        {"query": "x", "ratings": "none"},
        {"ratings": [{"docId": "A", "rating": 1}]},
    ]
    study = judged("list.json", json.dumps({"judgmentRatings": ratings}))
    assert [(row[2], row[4]) for row in rejects(study)] == [
        ("grade_is_a_number", '$.judgmentRatings[0].ratings[0] = {"docId": "A", "rating": "high"}'),
        ("doc_id_is_given", '$.judgmentRatings[0].ratings[1] = {"rating": "1"}'),
        ("ratings_can_be_read", "$.judgmentRatings[0].ratings[2] = 7"),
        ("ratings_can_be_read", '$.judgmentRatings[1] = {"query": "x", "ratings": "none"}'),
        ("judgment_key_is_given", '$.judgmentRatings[2].ratings[0] = {"docId": "A", "rating": 1}'),
    ]


def test_broken_lines_and_broken_files_are_named(judged, rejects):
    line = json.dumps(LIST)
    study = judged("lists.ndjson", f'{line}\n{{"judgmentRatings": [\n')
    assert [row[1:3] for row in rejects(study)] == [(2, "line_is_json")]
    with pytest.raises(DataError, match=match_parts("list.json, line 1, column 91:", "not JSON")):
        judged("list.json", line[:90] + "\n")


def test_a_query_set_is_no_file_of_judgments(judged):
    with pytest.raises(DataError, match=match_parts("set.json has no judgmentRatings", "a log")):
        judged("set.json", '{"name": "set", "querySetQueries": [{"queryText": "lamp"}]}')


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real judgments are not here")
@pytest.mark.parametrize(("name", "queries"), [("art", 11), ("esci_us", 150)])
def test_real_lists_and_query_sets(quiet_read, name, queries):
    said = json.loads((DATA / f"{name}_judgments.json").read_text())["judgmentRatings"]
    study = quiet_read(DATA / f"{name}_queryset.json", judgments=DATA / f"{name}_judgments.json")
    assert study.facts.queries == queries
    distinct = {(query["query"].strip(), one["docId"]): one["rating"] for query in said for one in query["ratings"]}
    assert study.facts.judgments == len(distinct) == {"art": 1080, "esci_us": 6678}[name]
    grades = {(key, doc): grade for key, doc, grade in srw_rows(study)}
    assert grades == {key: float(rating) for key, rating in distinct.items()}
