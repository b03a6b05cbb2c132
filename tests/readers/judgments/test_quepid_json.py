"""JSON of Quepid: cases, books with several judges, what is broken."""

import json

import pytest

from sessionkit.errors import DataError

CASE = {
    "case_name": "Home",
    "queries": [
        {"query": "lamp", "ratings": {"A": 3, "B": "0.5", "C": None}},
        {"query_text": "desk lamp", "ratings": {"7": 1}},
        {"query": "unrated query", "ratings": {}},
    ],
}
BOOK = {
    "name": "Bulbs",
    "scale": "0,1,2,3",
    "query_doc_pairs": [
        {
            "query_text": "lamp",
            "doc_id": "A",
            "position": 1,
            "information_need": "light",
            "judgements": [
                {"rating": 2.0, "user_email": "ada@lamps.example", "explanation": "bright"},
                {"rating": 3.0},
                {"rating": None, "unrateable": True, "user_email": "bob@lamps.example"},
            ],
        },
        {"query_text": "lamp", "doc_id": "B", "judgements": []},
    ],
}


def test_a_case(judged, accounts):
    study = judged("case.json", json.dumps(CASE, indent=1))
    assert study.judgments.collect().rows() == [("lamp", "A", 3.0), ("lamp", "B", 0.5), ("desk lamp", "7", 1.0)]
    assert accounts(study) == {
        "ratings": (3, 0, 0, 0),
        "queries without ratings": (0, 0, 1, 0),
        "documents without rating": (0, 0, 1, 0),
    }


def test_a_case_whose_ratings_are_a_list(judged):
    one = {"doc_id": "A", "rating": 2, "user_email": "ada@lamps.example"}
    study = judged("case.json", json.dumps({"queries": [{"query_text": "lamp", "ratings": [one]}]}))
    columns = ("judgment_key", "doc_id", "grade", "judge_id")
    assert study.judgments.collect().select(columns).rows() == [("lamp", "A", 2.0, "ada@lamps.example")]


def test_a_book_keeps_who_judged_and_what_was_said(judged, accounts):
    study = judged("book.json", json.dumps(BOOK))
    columns = ("doc_id", "grade", "judge_id", "information_need", "explanation")
    assert study.judgments.collect().select(columns).rows() == [
        ("A", 2.0, "ada@lamps.example", "light", "bright"),
        ("A", 3.0, "Anonymous", "light", None),
    ]
    assert accounts(study) == {
        "ratings": (2, 0, 0, 0),
        "documents without rating": (0, 0, 1, 0),
        "judgements without rating": (0, 0, 1, 0),
    }


def test_ratings_that_break_a_rule_name_their_path(judged, rejects):
    queries = [{"query": "lamp", "ratings": {"A": "good"}}, {"query": "x", "ratings": 3}, {"ratings": {"B": 1}}]
    study = judged("case.json", json.dumps({"queries": queries}))
    assert [row[2:] for row in rejects(study)] == [
        ("grade_is_a_number", "good", '$.queries[0].ratings["A"] = "good"'),
        ("ratings_can_be_read", '{"query": "x", "ratings": 3}', '$.queries[1] = {"query": "x", "ratings": 3}'),
        ("judgment_key_is_given", None, '$.queries[2].ratings["B"] = 1'),
    ]


def test_broken_json_names_its_line(judged):
    with pytest.raises(DataError, match=r"case\.json, line 3, column 1: this is not JSON"):
        judged("case.json", '{"queries": [\n{"query": "lamp", "ratings": {"A": 3}\n')
