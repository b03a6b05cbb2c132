"""Any table of grades: columns by their usual names or as study.toml names them."""

import io
import re
import warnings

import polars as pl
import pytest

from sessionkit.errors import DataError, DataWarning, UsageError
from sessionkit.readers import FORMATS, JUDGMENTS
from sessionkit.readers.format import fitting, glimpse
from sessionkit.readers.read import read
from tests.support.messages import match_parts, messages_with


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
    with pytest.raises(UsageError, match=match_parts("no format 'quepit'", "mean 'quepid'")):
        judged("q.txt", "lamp 0 B 1\n", config={"judgments": {"path": "stars.csv", "format": "quepit"}})
    with pytest.raises(DataError, match=match_parts("stars.csv", "columns query, docid, Ada", "query or topic")):
        judged("q.txt", "lamp 0 B 1\n", config={"judgments": {"path": "stars.csv", "format": "graded"}})


def test_study_toml_may_leave_the_format_to_be_recognized(judged, write):
    write("own.csv", "query,docid,rating\nlamp,A,5\n")
    study = judged("q.csv", "query,docid,grade\ndesk lamp,B,1\n", config={"judgments": {"path": "own.csv"}})
    assert rows(study) == [("lamp", "A", 5.0), ("desk lamp", "B", 1.0)]


def test_the_separator_of_the_header_counts_more_than_the_name_of_the_file(judged):
    text = "id\tquery_id\tproduct_id\tlabel\n0\t7\tA\t2\n"
    assert rows(judged("g.csv", text)) == [("7", "A", 2.0)]


def test_a_score_is_a_grade_where_documents_are_those_of_a_corpus(judged):
    assert rows(judged("test.tsv", "query-id\tcorpus-id\tscore\n7\tA\t1\n7\tB\t0\n")) == [
        ("7", "A", 1.0),
        ("7", "B", 0.0),
    ]
    with pytest.raises(DataError, match=match_parts("run.tsv", "not a file of judgments", "a log (trec_run)")):
        judged("run.tsv", "query_id\tdoc_id\tscore\n7\tA\t11.2\n")


WORDS = "query,query_id,product_id,esci_label\nlamp,7,A,E\nlamp,7,B, I \nlamp,7,C,X\nlamp,7,D,2\n"


def test_grades_that_are_words_are_worth_what_study_toml_says(judged, write, rejects):
    write("words.csv", WORDS)
    columns = {"judgment_key": "query", "doc_id": "product_id", "grade": "esci_label"}
    said = {"path": "words.csv", "columns": columns, "keys": "query text", "grade_values": {"E": 3, "I": 0.5}}
    study = judged("more.csv", "query,docid,grade\nlamp,Z,1\n", config={"judgments": said})
    found = study.judgments.collect().select("doc_id", "grade", "raw_grade").rows()
    assert sorted(found) == [("A", 3.0, "E"), ("B", 0.5, " I "), ("D", 2.0, "2"), ("Z", 1.0, None)]
    assert [row[1:4] for row in rejects(study)] == [(4, "grade_is_a_number", "X")]


def test_grades_that_are_all_words_are_refused_with_what_to_say_of_them(judged):
    with pytest.raises(
        DataError, match=match_parts("'esci_label' are words", "grade_values = { 'E' = ..., 'I' = ..., 'X' = ... }")
    ):
        judged("words.csv", WORDS.replace("lamp,7,D,2\n", ""))


def test_words_with_commas_are_to_be_said_in_study_toml(judged):
    with pytest.raises(DataError, match=match_parts("in study.toml", "grade_values = { 'Yes, it is' = ... }")):
        judged("words.csv", 'query,product_id,grade\nlamp,A,"Yes, it is"\n')


def test_json_nested_too_deeply_is_told(write, quiet_read):
    log = write("log.csv", "session_id,query_position,rank,doc_id\ns,1,1,A\n")
    with pytest.raises(DataError, match="deep"):
        quiet_read(log, judgments=write("deep.json", '{"docs":{"1":[' * 20_000))


def test_a_raw_grade_of_the_files_own_is_kept_beside_the_word(write, quiet_read):
    write("grades.csv", "query,doc_id,label,raw_grade\nlamp,A,Exact,7\n")
    log = write("log.csv", "session_id,query_position,rank,doc_id\ns,1,1,A\n")
    described = {"path": str(log.parent / "grades.csv"), "keys": "query text", "grade_values": {"Exact": 2},
                 "columns": {"judgment_key": "query", "grade": "label"}}  # fmt: skip
    config = {"format": "tables", "results": {"path": str(log)}, "judgments": described}
    study = quiet_read(log, config=config)
    assert study.judgments.collect().select("grade", "raw_grade", "raw_grade_given").rows() == [(2.0, "Exact", 7)]


def test_labels_of_a_recognized_table_need_nothing_but_its_path(judged, write):
    write("words.csv", WORDS)
    said = {"path": "words.csv", "grade_values": {"E": 3, "I": 0.5, "X": 0}}
    study = judged("more.csv", "query,docid,grade\nlamp,Z,1\n", config={"judgments": said})
    assert sorted(rows(study)) == [
        ("lamp", "A", 3.0),
        ("lamp", "B", 0.5),
        ("lamp", "C", 0.0),
        ("lamp", "D", 2.0),
        ("lamp", "Z", 1.0),
    ]
    # those of study.toml hold for files beside it, those of the command go before them
    beside = judged("own.csv", WORDS.replace(",lamp", ",bulb"), config={"judgments": said}, grade_values={"E": 9})
    assert {grade for _, _, grade in rows(beside)} == {9.0, 0.5, 0.0, 2.0}


ESCI = {
    "example_id": [0, 1, 2, 3, 4],
    "query": ["lamp", "lamp", "lamp", "lamp", "desk lamp"],
    "query_id": [7, 7, 7, 7, 8],
    "product_id": ["A", "B", "C", "D", "A"],
    "product_locale": ["us"] * 5,
    "esci_label": ["E", "S", "C", "I", "E"],
    "small_version": [1] * 5,
    "large_version": [1] * 5,
    "split": ["train"] * 5,
}
GAINS = {"E": 1, "S": 0.1, "C": 0.01, "I": 0}


def esci(**columns):
    """The bytes of a Parquet file of examples; a row more for each value of the columns."""
    own = pl.DataFrame(ESCI)
    more = pl.DataFrame(
        {**{name: [None] * len(next(iter(columns.values()), [])) for name in ESCI}, **columns}, schema=own.schema
    )
    found = io.BytesIO()
    pl.concat([own, more]).write_parquet(found)
    return found.getvalue()


@pytest.mark.parametrize("kind", [pl.String, pl.Categorical, pl.Enum(["E", "S", "C", "I"])])
def test_examples_of_esci_are_judgments(judged, write, kind):
    path = write("e.parquet", esci())
    pl.read_parquet(path).with_columns(pl.col("esci_label").cast(kind)).write_parquet(path)
    assert fitting([glimpse(path)], JUDGMENTS) == ["graded"]
    assert fitting([glimpse(path)], FORMATS) == []
    study = judged("e.parquet", path.read_bytes(), grade_values=GAINS)
    assert rows(study) == [
        ("lamp", "A", 1.0), ("lamp", "B", 0.1), ("lamp", "C", 0.01), ("lamp", "D", 0.0), ("desk lamp", "A", 1.0),
    ]  # fmt: skip
    assert study.judgments.collect()["raw_grade"].to_list() == ESCI["esci_label"]
    assert study.queries.collect()["judgment_key"].to_list() == ["lamp", "desk lamp"]


def test_examples_of_esci_without_their_worth_are_refused_with_what_to_say(judged):
    said = (
        r"e\.parquet: the grades in column 'esci_label' are words, not numbers\. Give their values: --grade-values 'E=\.\.\.,S=\.\.\.,"
        r"C=\.\.\.,I=\.\.\.', or in study\.toml, \[judgments\] with path and grade_values = .*Reddy et al\. use 1 for E, 0\.1 for S"
    )
    with pytest.raises(DataError, match=said):
        judged("e.parquet", esci())
    with pytest.raises(DataError, match="are words"):
        judged("e.parquet", esci(), grade_values={"Exact": 1})


def test_broken_examples_are_kept_aside_and_accounted_for(judged, rejects, accounts):
    more = {
        "query": ["lamp", None, "lamp", "lamp"],
        "product_id": ["F", "G", None, "H"],
        "esci_label": ["X", "E", "E", None],
    }
    study = judged("e.parquet", esci(**more), grade_values=GAINS)
    assert accounts(study) == {"judgments": (5, 0, 0, 3), "rows without grade": (0, 0, 1, 0)}
    found = [(record, line, rule) for record, line, rule, _, _ in rejects(study)]
    assert found == [(6, None, "grade_is_a_number"), (7, None, "judgment_key_is_given"), (8, None, "doc_id_is_given")]
    assert '"product_id":"F"' in rejects(study)[0][4]


def test_ids_of_queries_are_the_key_where_study_toml_says_so(judged, write):
    write("e.parquet", esci())
    columns = {"judgment_key": "query_id", "doc_id": "product_id", "grade": "esci_label"}
    said = {"path": "e.parquet", "columns": columns, "grade_values": GAINS}
    study = judged("q.txt", "lamp 0 B 1\n", config={"judgments": said})
    assert ("7", "B", 0.1) in rows(study)
    assert "judgment_key" not in study.queries.collect().columns


def test_several_locales_of_one_query_are_one_of_which_there_is_a_warning(write, quiet_read):
    log = write("log.csv", "session_id,query_position,rank,doc_id,query_text\ns,1,1,A,lamp\n")
    path = write("e.parquet", esci(query=["lamp "], product_id=["A"], product_locale=["es"], esci_label=["I"]))
    said = "1 key with judgments of several values of product_locale .first: 'lamp'., which count as those of one"
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        study = read(log, judgments=path, grade_values=GAINS)
    assert any(re.search(said, str(one.message)) for one in given if one.category is DataWarning)
    assert [grade for key, doc, grade in rows(study) if (key, doc) == ("lamp", "A")] == [1.0, 0.0]
    repeated = ("judgments: 1 document", "more than once", "first: 'lamp', 'A'")
    assert messages_with(study.notes, *repeated, "merge = 'max'", "study.toml")


def test_products_of_esci_are_no_judgments(judged):
    found = io.BytesIO()
    pl.DataFrame({"product_id": ["A"], "product_title": ["Lamp"], "product_locale": ["us"]}).write_parquet(found)
    with pytest.raises(
        DataError,
        match=match_parts("p.parquet (judgments)", "no columns judgment_key", "sessionkit formats --reads judgments"),
    ):
        judged("p.parquet", found.getvalue())


@pytest.mark.parametrize(
    "header",
    [
        "q_id,pid,relevance_score",
        "qid,page_id,rel_score",
        "Topic ID,Passage-ID,Relevance Grade",
        "query-id,doc id,Relevancy",
    ],
)
def test_usual_names_count_whatever_stands_between_their_words(write, quiet_read, header):
    log = write("log.csv", "session_id,query_position,rank,doc_id,topic_id\ns,1,1,7,t\n")
    study = quiet_read(log, judgments=write("j.csv", f"{header}\nt,7,2\nt,8,0\n"))
    assert rows(study) == [("t", "7", 2.0), ("t", "8", 0.0)]
