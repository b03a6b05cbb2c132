"""CSV of Quepid: ratings in brief and in detail, snapshots, books of several judges."""

import pytest

from sessionkit.readers.judgments.quepid import BASIC, BOOK, DETAILED, form_of

BASIC_TEXT = 'query,docid,rating\nlamp,A,3\n desk lamp,B,1\nunrated query,,\nlamp,C,\n -40 bulb," =D1",0'
DETAILED_TEXT = (
    "Team Name,Case Name,Case ID,Query Text,Doc ID,Doc Position,Title,Rating,price\n"
    'Lights,Home,7,lamp,A,1,"Lamp, red",3,10\n'
    "Lights,Home,7,lamp,B,2,Bulb,,4\n"
    "Lights,Home,7,desk lamp,B,1,Bulb,1,4\n"
    "Lights,Home,7,nothing found,,,,,\n"
)


def rows(study, *columns):
    return study.judgments.collect().select("judgment_key", "doc_id", "grade", *columns).rows()


def test_ratings_in_brief(judged, accounts):
    study = judged("q.csv", BASIC_TEXT)
    assert rows(study) == [("lamp", "A", 3.0), ("desk lamp", "B", 1.0), ("-40 bulb", "=D1", 0.0)]
    assert accounts(study) == {
        "ratings": (3, 0, 0, 0),
        "queries without ratings": (0, 0, 1, 0),
        "documents without rating": (0, 0, 1, 0),
    }
    assert study.queries.collect()["judgment_key"].to_list() == ["lamp", "desk lamp"]


def test_what_the_browser_exports_is_the_same(judged):
    quoted = "\r\n".join(
        ",".join(f'"{cell}"' for cell in line.replace('"', "").split(",")) for line in BASIC_TEXT.splitlines()
    ).replace("docid", "doc_id")
    assert rows(judged("browser.csv", quoted)) == rows(judged("q.csv", BASIC_TEXT))


def test_ratings_that_break_a_rule_are_rejected_by_line(judged, rejects):
    study = judged("q.csv", "query,docid,rating\nlamp,A,3\n,B,2\nlamp,,1\nlamp,C,good\nlamp,D,1,surplus\n")
    assert [row[1:] for row in rejects(study)] == [
        (3, "judgment_key_is_given", None, ",B,2"),
        (4, "doc_id_is_given", None, "lamp,,1"),
        (5, "grade_is_a_number", "good", "lamp,C,good"),
        (6, "record_fits_the_columns", "surplus", "lamp,D,1,surplus"),
    ]


def test_ratings_in_detail(judged, accounts):
    study = judged("detail.csv", DETAILED_TEXT)
    assert rows(study, "Title", "price") == [("lamp", "A", 3.0, "Lamp, red", 10), ("desk lamp", "B", 1.0, "Bulb", 4)]
    assert accounts(study)["documents without rating"] == (0, 0, 1, 0)


def test_fields_of_documents_that_are_called_as_ours_get_another_name(judged):
    text = "Query Text,Doc ID,Doc Position,Rating,rank,rating,topic_id\nlamp,A,1,3,77,9,x\n"
    study = judged("detail.csv", text)
    assert rows(study, "rank_given", "rating", "topic_id_given") == [("lamp", "A", 3.0, 77, 9, "x")]


def test_a_book_has_a_row_for_each_judge(judged, accounts):
    text = "query,docid,Ada L.,Anonymous,Anonymous\nlamp,A,3,2,\nlamp,B,,,\ndesk lamp,A,0,,1\n"
    study = judged("book.csv", text)
    assert rows(study, "judge_id") == [
        ("lamp", "A", 3.0, "Ada L."),
        ("lamp", "A", 2.0, "Anonymous"),
        ("desk lamp", "A", 0.0, "Ada L."),
        ("desk lamp", "A", 1.0, "Anonymous (2)"),
    ]
    assert accounts(study) == {"ratings of judges": (4, 0, 0, 0), "cells of judges without rating": (0, 0, 5, 0)}


def test_a_broken_book_names_its_lines(judged, rejects):
    study = judged("book.csv", "query,docid,Ada,Bob\nlamp,A,3,2\nlamp,B,3,2,9\n,C,1,\n", strict=False)
    assert [(row[1], row[2]) for row in rejects(study)] == [
        (3, "record_fits_the_columns"),
        (4, "judgment_key_is_given"),
    ]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (BASIC_TEXT, BASIC),
        ('"query","doc_id","rating"\r\n', BASIC),
        (DETAILED_TEXT, DETAILED),
        ("Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position,Title,Rating\n", DETAILED),
        ("query,docid,Ada\nlamp,A,\n", BOOK),
        ("query,docid,note\nlamp,A,very good\n", None),
        ("query,docid,grade\nlamp,A,1\n", None),
        ("query,docid\nlamp,A\n", None),
        ("", None),
    ],
)
def test_forms_are_told_apart_by_their_columns(text, form):
    assert form_of(text) == form
