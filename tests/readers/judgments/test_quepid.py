"""Ratings exported by Quepid: text for learning to rank, qrels, real ratings; CSV and JSON have tests of their own.

Judgments as text for learning to rank: the text of a query behind its documents, or in comments.

CSV of Quepid: ratings in brief and in detail, snapshots, books of several judges.

JSON of Quepid: cases, books with several judges, what is broken.
"""

import gzip
import json
from pathlib import Path

import pytest

from sessionkit.errors import DataError
from sessionkit.readers.judgments.quepid import BASIC, DETAILED, form_of, holds_ltr
from sessionkit.readers.judgments.quepid import BOOK as BOOK_COLUMNS
from sessionkit.readers.read import read
from tests.support.messages import match_parts

DATA = Path(__file__).resolve().parents[3] / ".." / "shared" / "data" / "judgments"


def test_text_for_learning_to_rank(judged, rejects, accounts):
    text = "# made by hand\n3 qid:12 # A lamp\n\n0.5 qid:13 # B desk  lamp \n\n2 qid:13 B\n"
    study = judged("ltr.txt", text)
    assert study.judgments.collect().select("judgment_key", "doc_id", "grade", "qid").rows() == [
        ("lamp", "A", 3.0, 12),
        ("desk  lamp", "B", 0.5, 13),
    ]
    assert rejects(study) == [(6, 6, "rating_can_be_read", "2 qid:13 B", "2 qid:13 B")]
    assert accounts(study)["comments"] == (0, 0, 1, 0)


def test_the_export_for_trec_eval_is_qrels(judged):
    assert judged("trec.txt", "12 0 A 3\n12 0 B 0\n").judgments.collect().rows() == [("12", "A", 3.0), ("12", "B", 0.0)]


def test_what_is_no_export_is_refused(write):
    config = {"judgments": {"path": "x.csv", "format": "quepid"}}
    write("x.csv", "a,b\n1,2\n")
    with pytest.raises(DataError, match=match_parts("x.csv", "export of Quepid", "columns are a, b")):
        read(write("log.csv", "session_id,query_position,rank,doc_id\ns,1,1,A\n"), config=config)


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real judgments are not here")
def test_real_ratings(write, quiet_read):
    log = write("log.csv", "session_id,query_position,rank,doc_id,query_text\ns,1,1,1325549,notebook\n")
    study = quiet_read(log, judgments=DATA / "Chorus_Electronics_basic.csv")
    assert study.facts.judgments == 207
    assert study.judgments.collect()["judgment_key"].value_counts(sort=True)["count"].sum() == 207
    assert study.judgments.collect()["judgment_key"].n_unique() == 2


TITLED = (
    "# grade (0-4)\tqueryid\tdocId\ttitle\n#\n# qid:1: desk lamp\n# qid:2: bulb*2.5\n\n"
    "4\tqid:1 #\tA\tThe Lamp\n0\tqid:1 #\tB\tTable: oak\n3\tqid:2\t# A\tThe Lamp\n2 qid:2 1:0.5 2:11 # C\n1 qid:3 # D\tRug\n"
)


def rows(study):
    return study.judgments.collect().select("judgment_key", "doc_id", "grade", "qid", "comment").rows()


def test_texts_of_queries_in_comments_count_and_titles_stay(judged, accounts, rejects):
    study = judged("titled.txt", TITLED)
    assert rejects(study) == [(10, 10, "qid_has_one_text", "1 qid:3 # D\tRug", "1 qid:3 # D\tRug")]
    assert rows(study) == [
        ("desk lamp", "A", 4.0, 1, "The Lamp"),
        ("desk lamp", "B", 0.0, 1, "Table: oak"),
        ("bulb", "A", 3.0, 2, "The Lamp"),
        ("bulb", "C", 2.0, 2, None),
    ]
    assert accounts(study) == {"ratings": (4, 0, 0, 1), "comments": (0, 0, 4, 0)}


def test_a_number_with_several_texts_has_none_that_is_its_querys(judged, rejects):
    study = judged(
        "bare.txt", "4 qid:1 # A The Lamp\n0 qid:1 # B Table\n3 qid:2 # A bulb\n2 qid:2 # C bulb\n1 qid:3 # D\n"
    )
    assert study.judgments.collect().select("judgment_key", "doc_id").rows() == [("bulb", "A"), ("bulb", "C")]
    assert [row[1:4] for row in rejects(study)] == [
        (1, "qid_has_one_text", "4 qid:1 # A The Lamp"),
        (2, "qid_has_one_text", "0 qid:1 # B Table"),
        (5, "rating_can_be_read", "1 qid:3 # D"),
    ]


def test_a_number_that_comments_do_not_name_has_the_text_behind_where_that_is_the_text_of_others(judged):
    study = judged("mixed.txt", "# qid:1: desk lamp\n4 qid:1 # A desk lamp\n3 qid:2 # B bulb\n")
    assert study.judgments.collect()["judgment_key"].to_list() == ["desk lamp", "bulb"]


def test_a_mark_of_byte_order_is_no_part_of_the_first_comment(judged, accounts):
    study = judged("marked.txt", "\ufeff# qid:1: desk lamp\r\n4 qid:1 # A The Lamp\r\n")
    assert study.judgments.collect()["judgment_key"].to_list() == ["desk lamp"]
    assert accounts(study) == {"ratings": (1, 0, 0, 0), "comments": (0, 0, 1, 0)}


def test_lines_that_name_no_document_and_text_are_refused(judged):
    said = r"mslr\.txt: no line of it says '# document text of the query'.*line 1: '2 qid:10"
    with pytest.raises(DataError, match=said):
        judged("mslr.txt", "2 qid:10 1:0.3 2:0.1\n")


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        (TITLED, True),
        ("\n2 qid:7 # A desk lamp\n", True),
        ("2 qid:7 1:0.1 2:0.2\n", True),  # recognized, to be refused by name
        ("2 1:0.1 2:0.2\n", False),
        ("# a comment\n7 0 A 2\n", False),
        ("query,docid,rating\n", False),
    ],
)
def test_they_are_recognized(text, fits):
    assert holds_ltr(text) is fits


def test_text_that_is_cut_short_is_named(judged, tmp_path):
    """As every other file of judgments is."""
    text = "".join(f"{n % 4} qid:{n} # d{n * 7919}{n * n} text {n * 31}\n" for n in range(40_000))
    with pytest.raises(DataError, match=match_parts("j.txt", "cut short or damaged")):
        judged("j.txt", gzip.compress(text.encode())[:-5000])


BASIC_TEXT = 'query,docid,rating\nlamp,A,3\n desk lamp,B,1\nunrated query,,\nlamp,C,\n -40 bulb," =D1",0'
DETAILED_TEXT = (
    "Team Name,Case Name,Case ID,Query Text,Doc ID,Doc Position,Title,Rating,price\n"
    'Lights,Home,7,lamp,A,1,"Lamp, red",3,10\n'
    "Lights,Home,7,lamp,B,2,Bulb,,4\n"
    "Lights,Home,7,desk lamp,B,1,Bulb,1,4\n"
    "Lights,Home,7,nothing found,,,,,\n"
)


def quepid_csv_rows(study, *columns):
    return study.judgments.collect().select("judgment_key", "doc_id", "grade", *columns).rows()


def test_ratings_in_brief(judged, accounts):
    study = judged("q.csv", BASIC_TEXT)
    assert quepid_csv_rows(study) == [("lamp", "A", 3.0), ("desk lamp", "B", 1.0), ("-40 bulb", "=D1", 0.0)]
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
    assert quepid_csv_rows(judged("browser.csv", quoted)) == quepid_csv_rows(judged("q.csv", BASIC_TEXT))


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
    assert quepid_csv_rows(study, "Title", "price") == [
        ("lamp", "A", 3.0, "Lamp, red", 10),
        ("desk lamp", "B", 1.0, "Bulb", 4),
    ]
    assert accounts(study)["documents without rating"] == (0, 0, 1, 0)


def test_fields_of_documents_that_are_called_as_ours_get_another_name(judged):
    text = "Query Text,Doc ID,Doc Position,Rating,rank,rating,topic_id\nlamp,A,1,3,77,9,x\n"
    study = judged("detail.csv", text)
    assert quepid_csv_rows(study, "rank_given", "rating", "topic_id_given") == [("lamp", "A", 3.0, 77, 9, "x")]


def test_a_book_has_a_row_for_each_judge(judged, accounts):
    text = "query,docid,Ada L.,Anonymous,Anonymous\nlamp,A,3,2,\nlamp,B,,,\ndesk lamp,A,0,,1\n"
    study = judged("book.csv", text)
    assert quepid_csv_rows(study, "judge_id") == [
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
        ("query,docid,Ada\nlamp,A,\n", BOOK_COLUMNS),
        ("query,docid,note\nlamp,A,very good\n", None),
        ("query,docid,grade\nlamp,A,1\n", None),
        ("query,docid\nlamp,A\n", None),
        ("", None),
    ],
)
def test_forms_are_told_apart_by_their_columns(text, form):
    assert form_of(text) == form


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
    with pytest.raises(DataError, match=match_parts("case.json, line 3, column 1:", "not JSON")):
        judged("case.json", '{"queries": [\n{"query": "lamp", "ratings": {"A": 3}\n')
