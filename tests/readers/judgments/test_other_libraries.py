"""Judgments as NTCIR, pytrec_eval, ranx, Elasticsearch and LETOR have them, and those of a sample, which are refused."""

import json

import pytest
import ranx

import sessionkit as sk
from sessionkit.errors import DataError
from tests.support.messages import match_parts

LOG = "session_id,query_position,rank,doc_id,topic_id\ns,1,1,a,t\ns,1,2,b,t\n"


@pytest.fixture
def judge(write, quiet_read):
    """Read judgments beside a small log; return key, document and grade of each, and the study."""

    def judge(name, text, **options):
        study = quiet_read(write("log.csv", LOG), judgments=write(name, text), **options)
        return study.judgments.collect().select("judgment_key", "doc_id", "grade").rows(), study

    return judge


@pytest.mark.parametrize("middle", [" ", " 0 ", "\t0\t"])
def test_levels_of_ntcir_are_grades(judge, middle):
    rows, study = judge("e.qrels", f"# WWW\nt{middle}a L3\nt{middle}b L0\n")
    assert rows == [("t", "a", 3.0), ("t", "b", 0.0)]
    assert study.judgments.collect()["raw_grade"].to_list() == ["L3", "L0"]


def test_what_levels_of_ntcir_are_worth_may_be_said(judge):
    rows, _ = judge("e.qrels", "t a L3\nt b L1\n", grade_values={"L3": 1, "L1": 0})
    assert rows == [("t", "a", 1.0), ("t", "b", 0.0)]


def test_levels_without_a_topic_are_refused_by_name(judge):
    with pytest.raises(DataError, match=match_parts("'a L3'", "a document and a level", "topic in front")):
        judge("one.rel", "a L3\nb L0\n")


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("as_written", [int, float])
def test_json_of_whole_numbers_by_topic_and_document_is_judgments(judge, indent, as_written):
    """Some programs write grades as 1.0; the scores of a run are not all whole."""
    text = json.dumps({"t": {"b": as_written(2), "ü": as_written(0)}, "u": {}}, indent=indent)
    rows, study = judge("q.json", text)
    assert rows == [("t", "b", 2.0), ("t", "ü", 0.0)]
    assert [(one.kind, one.idle) for one in study.sources if one.idle] == [("topics without documents", 1)]


def test_a_document_that_json_judges_twice_is_kept_twice(judge):
    rows, _ = judge("q.json", '{"t": {"b": 2, "b": 0}}')
    assert rows == [("t", "b", 2.0), ("t", "b", 0.0)]


def test_json_of_scores_is_no_file_of_judgments(judge):
    with pytest.raises(DataError, match=match_parts("q.json", "not a file of judgments", "a log (trec_run)")):
        judge("q.json", '{"t": {"b": 0.7}}')


@pytest.mark.parametrize("kind", ["parquet", "trec"])
def test_judgments_that_ranx_writes(tmp_path, write, quiet_read, kind):
    grades = {"q1": {"d1": 1, "d2": 3}, "q2": {"d1": 0}}
    ranx.Qrels(grades).save(str(tmp_path / f"q.{kind}"), kind=kind)
    study = quiet_read(write("log.csv", LOG), judgments=tmp_path / f"q.{kind}")
    assert sorted(study.judgments.collect().select("doc_id", "grade").rows()) == [("d1", 0.0), ("d1", 1.0), ("d2", 3.0)]


@pytest.mark.parametrize("line", ["POST /i/_rank_eval\n", "\ufeffGET i/_rank_eval?pretty \r\n\n"])
def test_the_line_of_a_console_may_precede_a_request_to_rank_eval(judge, line):
    ratings = [{"_index": "i", "_id": "a", "rating": 2}]
    text = line + json.dumps({"requests": [{"id": "t", "request": {}, "ratings": ratings}]}, indent=2)
    assert judge("request.txt", text)[0] == [("t", "a", 2.0)]
    with pytest.raises(DataError, match=rf"request\.txt, line {text.count(chr(10)) + 1}, column \d+: this is not JSON"):
        judge("request.txt", text[:-1])


def test_ratings_of_a_request_to_rank_eval(judge):
    ratings = [{"_index": "i", "_id": "a", "rating": 0}, {"_index": "i", "_id": "b", "rating": 3}, {"_index": "i"}]
    requests = [
        {"id": "t", "request": {"query": {"match": {"text": "lamp"}}}, "ratings": ratings},
        {"id": "empty", "request": {}, "ratings": []},
    ]
    rows, study = judge("r.json", json.dumps({"requests": requests, "metric": {"dcg": {"k": 10}}}, indent=1))
    assert rows == [("t", "a", 0.0), ("t", "b", 3.0)]
    rejected = study.rejected.collect().select("rule", "raw").row(0)
    assert rejected == ("doc_id_is_given", '$.requests[0].ratings[2] = {"_index": "i"}')


def test_documents_that_letor_names_in_comments(judge):
    lines = "2 qid:t 1:0.3 2:0 #docid = a inc = 0.5 prob = 0.1\n0 qid:t 1:0 # docid = b\n1 qid:t 1:0.1\n"
    rows, study = judge("letor.txt", lines)
    assert rows == [("t", "a", 2.0), ("t", "b", 0.0)]
    assert study.rejected.collect().select("line", "rule").rows() == [(3, "rating_can_be_read")]


@pytest.mark.parametrize(
    ("line", "columns"),
    [
        ("t{} a 1 0 0.25\n", ("five columns", "topic, document, grade, method and", "probability: prels")),
        ("t{} 0 a 3 -1\n", ("five columns", "topic, 0, document, stratum and", "grade: judgments of a sample")),
        ("t{} Q0 a 1 9.5\n", ("five columns", "topic, iteration, document, rank and", "run without its tag")),
        ("t{} a 1 9.5\n", ("four columns", "topic, document, rank and score")),
        ("t{} a 1\n", ("three columns", "topic, document and a number")),
    ],
)
def test_files_that_are_no_qrels_are_named_by_their_columns(judge, line, columns):
    with pytest.raises(DataError, match=match_parts(*columns)):
        judge("j.txt", "".join(map(line.format, (1, 2, 3))))


def test_qrels_of_dynamic_domain_are_still_read(judge):
    rows, study = judge("dd.txt", "t\tt.1\t118\t4\t2\nt\tt.2\ta\t5\t-1\n")
    assert rows == [("t", "118", 2.0), ("t", "a", -1.0)]
    assert study.judgments.collect()["passage_id"].to_list() == ["4", "5"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a\tb\tc\n1\t2\t3\n", ("first line ('a\\tb\\tc') has", "3 fields between tabs", "no column doc_id")),
        ("a;b\n1;2\n", ("2 fields between semicolons",)),
        ("one two three\n", ("3 fields between blanks", 'separator = "whitespace"')),
        ("# nothing here\nx\n", ("first line ('# nothing here')", "comment lines")),
        ("lamp\n", ("shows the separator",)),
    ],
)
def test_what_a_first_line_is_that_names_no_columns_is_said(write, text, parts):
    with pytest.raises(DataError, match=match_parts(*parts)):
        sk.read(write("log.txt", text))
