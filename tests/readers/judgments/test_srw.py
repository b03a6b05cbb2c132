"""Judgment lists of the Search Relevance Workbench."""

import json
from pathlib import Path

import pytest

from sessionkit.errors import DataError

DATA = Path(__file__).resolve().parents[3] / ".." / "shared" / "data" / "judgments"
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


def rows(study):
    return study.judgments.collect().select("judgment_key", "doc_id", "grade").rows()


def test_of_ratings_of_one_document_the_last_counts(judged, accounts):
    study = judged("list.json", json.dumps(LIST, indent=1))
    assert rows(study) == EXPECTED
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
    assert rows(judged("export.json", text)) == EXPECTED


def test_several_lists_are_told_apart_by_their_names(judged):
    lines = [LIST, {**LIST, "name": "by model", "type": "LLM_JUDGMENT"}]
    study = judged("lists.ndjson", "".join(json.dumps(one) + "\n" for one in lines))
    assert len(rows(study)) == 2 * len(EXPECTED)
    assert study.judgments.collect()["judge_id"].value_counts(sort=True).rows() == [("by hand", 3), ("by model", 3)]


def test_lists_of_which_none_can_be_read_are_rejected(judged, rejects):
    study = judged("lists.ndjson", '{"name": "a", "judgmentRatings": [null]}\n{"name": "b", "judgmentRatings": 1}\n')
    assert [row[1:3] for row in rejects(study)] == [(1, "ratings_can_be_read"), (2, "ratings_can_be_read")]


def test_what_is_broken_names_its_path(judged, rejects):
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
    with pytest.raises(DataError, match=r"list\.json, line 1, column 91: this is not JSON"):
        judged("list.json", line[:90] + "\n")


def test_a_query_set_is_no_file_of_judgments(judged):
    with pytest.raises(DataError, match=r"set\.json has no judgmentRatings; a query set or an experiment is a log"):
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
    grades = {(key, doc): grade for key, doc, grade in rows(study)}
    assert grades == {key: float(rating) for key, rating in distinct.items()}
