"""Any table of grades: columns by their usual names or as study.toml names them."""

import pytest

from sessionkit.errors import DataError, UsageError


def rows(study):
    return study.judgments.collect().select("judgment_key", "doc_id", "grade").rows()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("g.csv", "query,product_id,relevance\nlamp,A,2\n desk lamp ,B,0\n"),
        ("g.tsv", "query_text\tdocno\tlabel\nlamp\tA\t2\ndesk lamp\tB\t0\n"),
        ("g.txt", "Search Term;url;Rating;judge\nlamp;A;2;ada\ndesk lamp;B;0;bob\n"),
        ("g.ndjson", '{"query": "lamp", "doc": "A", "grade": 2}\n{"query": "desk lamp", "doc": "B", "grade": 0}\n'),
        ("g.tsv", "query\tdocid\trating\nlamp\tA\t2\ndesk lamp\tB\t0\n"),
        (
            "g.ndjson",
            '{"query": "lamp", "doc_id": "A", "rating": 2}\n{"query": "desk lamp", "doc_id": "B", "rating": 0}\n',
        ),
        ("g.csv.gz", "query_id,query,docid,grade\n1,lamp,A,2\n2,desk lamp,B,0\n"),
    ],
)
def test_tables_keyed_by_texts(judged, name, text):
    study = judged(name, text)
    assert rows(study) == [("lamp", "A", 2.0), ("desk lamp", "B", 0.0)]
    assert study.queries.collect()["judgment_key"].to_list() == ["lamp", "desk lamp"]


def test_tables_keyed_by_topics_leave_the_keys_of_the_log(judged):
    study = judged("g.csv", "qid,docno,label,assessor\nt1,A,2,ada\nt1,A,1,bob\n")
    assert rows(study) == [("t1", "A", 2.0), ("t1", "A", 1.0)]
    assert study.judgments.collect()["judge_id"].to_list() == ["ada", "bob"]
    assert "judgment_key" not in study.queries.collect().columns


def test_rows_without_grade_are_not_judged(judged, accounts, rejects):
    study = judged("g.csv", "query,docid,grade,note\nlamp,A,2,\nlamp,B,,unsure\nlamp,C,good,\n,D,1,\n")
    assert accounts(study) == {"judgments": (1, 0, 0, 2), "rows without grade": (0, 0, 1, 0)}
    assert [row[1:3] for row in rejects(study)] == [(4, "grade_is_a_number"), (5, "judgment_key_is_given")]


def test_study_toml_names_columns_and_what_the_key_is(judged, write):
    write("stars.csv", "term,sku,stars\nlamp,A,5\n")
    columns = {"judgment_key": "term", "doc_id": "sku", "grade": "stars"}
    said = {"path": "stars.csv", "columns": columns, "keys": "query text"}
    study = judged("more.csv", "query,docid,grade\ndesk lamp,B,1\n", config={"judgments": said})
    assert sorted(rows(study)) == [("desk lamp", "B", 1.0), ("lamp", "A", 5.0)]
    alone = judged("qrels.txt", "lamp 0 B 1\n", config={"judgments": said})
    assert alone.queries.collect()["judgment_key"].to_list() == ["lamp", "desk lamp"]


def test_study_toml_may_name_the_format(judged, write):
    write("stars.csv", "query,docid,Ada\nlamp,A,5\n")
    study = judged("q.txt", "lamp 0 B 1\n", config={"judgments": {"path": "stars.csv", "format": "quepid"}})
    assert study.judgments.collect()["judge_id"].to_list() == ["Ada", None]
    with pytest.raises(UsageError, match="no format 'quepit' of judgments; did you mean 'quepid'"):
        judged("q.txt", "lamp 0 B 1\n", config={"judgments": {"path": "stars.csv", "format": "quepit"}})
    with pytest.raises(DataError, match=r"stars\.csv has the columns query, docid, Ada; none of them is known as"):
        judged("q.txt", "lamp 0 B 1\n", config={"judgments": {"path": "stars.csv", "format": "graded"}})


def test_study_toml_may_leave_the_format_to_be_recognised(judged, write):
    write("own.csv", "query,docid,rating\nlamp,A,5\n")
    study = judged("q.csv", "query,docid,grade\ndesk lamp,B,1\n", config={"judgments": {"path": "own.csv"}})
    assert rows(study) == [("lamp", "A", 5.0), ("desk lamp", "B", 1.0)]


def test_the_separator_of_the_header_counts_more_than_the_name_of_the_file(judged):
    assert rows(judged("g.csv", "id\tquery_id\tproduct_id\tlabel\n0\t7\tA\t2\n")) == [("7", "A", 2.0)]


def test_a_score_is_a_grade_where_documents_are_those_of_a_corpus(judged):
    assert rows(judged("test.tsv", "query-id\tcorpus-id\tscore\n7\tA\t1\n7\tB\t0\n")) == [
        ("7", "A", 1.0),
        ("7", "B", 0.0),
    ]
    with pytest.raises(DataError, match=r"run\.tsv \(judgments\) has no columns judgment_key, grade"):
        judged("run.tsv", "query_id\tdoc_id\tscore\n7\tA\t11.2\n")


WORDS = "query,query_id,product_id,esci_label\nlamp,7,A,E\nlamp,7,B, I \nlamp,7,C,X\nlamp,7,D,2\n"


def test_grades_that_are_words_are_worth_what_study_toml_says(judged, write, rejects):
    write("words.csv", WORDS)
    columns = {"judgment_key": "query", "doc_id": "product_id", "grade": "esci_label"}
    said = {"path": "words.csv", "columns": columns, "keys": "query text", "labels": {"E": 3, "I": 0.5}}
    study = judged("more.csv", "query,docid,grade\nlamp,Z,1\n", config={"judgments": said})
    found = study.judgments.collect().select("doc_id", "grade", "raw_grade").rows()
    assert sorted(found) == [("A", 3.0, "E"), ("B", 0.5, " I "), ("D", 2.0, "2"), ("Z", 1.0, None)]
    assert [row[1:4] for row in rejects(study)] == [(4, "grade_is_a_number", "X")]


def test_grades_that_are_all_words_are_refused_with_what_to_say_of_them(judged):
    with pytest.raises(
        DataError, match=r"'esci_label' are words.*labels = \{ 'E' = \.\.\., 'I' = \.\.\., 'X' = \.\.\. \}"
    ):
        judged("words.csv", WORDS.replace("lamp,7,D,2\n", ""))


def test_json_nested_too_deeply_is_told(write, quiet_read):
    log = write("log.csv", "session_id,query_position,rank,doc_id\ns,1,1,A\n")
    with pytest.raises(DataError, match="deep"):
        quiet_read(log, judgments=write("deep.json", '{"docs":{"1":[' * 20_000))


def test_a_raw_grade_of_the_files_own_is_kept_beside_the_word(write, quiet_read):
    write("grades.csv", "query,doc_id,label,raw_grade\nlamp,A,Exact,7\n")
    log = write("log.csv", "session_id,query_position,rank,doc_id\ns,1,1,A\n")
    described = {"path": str(log.parent / "grades.csv"), "keys": "query text", "labels": {"Exact": 2},
                 "columns": {"judgment_key": "query", "grade": "label"}}  # fmt: skip
    config = {"format": "tables", "results": {"path": str(log)}, "judgments": described}
    study = quiet_read(log, config=config)
    assert study.judgments.collect().select("grade", "raw_grade", "raw_grade_given").rows() == [(2.0, "Exact", 7)]
