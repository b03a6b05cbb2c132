"""qrels: any spacing, subtopics, lines that do not fit.

Judgments of TREC Dynamic Domain beside a run: what topics say, and what is wrong with them.

Judgments of TREC: subtopics, judges, the grades of 2012, preferences; and the real qrels of trec_eval's tests.
"""

from pathlib import Path

import pytest

from sessionkit.errors import DataError
from sessionkit.readers.read import read
from tests.readers.formats.test_trec_dd import RUN as DYNAMIC_DOMAIN_RUN
from tests.readers.formats.test_trec_dd import topics
from tests.support.messages import match_parts, messages_with

LOG = "session_id,query_position,rank,doc_id,topic_id\ns,1,1,a,t\n"


def judged(quiet_read, write, text, **options):
    return quiet_read(write("log.csv", LOG), judgments=write("qrels.txt", text), **options)


def test_any_spacing(write, quiet_read):
    study = judged(quiet_read, write, "t 0 a 1\n  t\tQ0   b\t-2  \r\n\nt 0 c 0.5\n")
    assert study.judgments.collect().to_dicts() == [
        {"judgment_key": "t", "doc_id": doc, "grade": grade} for doc, grade in [("a", 1.0), ("b", -2.0), ("c", 0.5)]
    ]


def test_fields_may_be_named_by_their_places(write, quiet_read):
    options = {"separator": "whitespace", "header": False, "columns": {"judgment_key": 1, "doc_id": 3, "grade": 4}}
    write("qrels.txt", "t 0 a 1\nt 0 b 2\n")
    study = quiet_read(write("log.csv", LOG), config={"judgments": {"path": "qrels.txt", **options}})
    assert study.judgments.collect().rows() == [("t", "a", 1.0), ("t", "b", 2.0)]


def test_the_second_field_is_the_subtopic_where_it_says_something(write, quiet_read):
    study = judged(quiet_read, write, "t 0 a 1\nt 1 a 2\nt 2 a 1\n")
    assert study.judgments.collect()["subtopic_id"].to_list() == [None, "1", "2"]


def test_lines_that_do_not_fit_are_rejected(write, quiet_read, rejects):
    study = judged(quiet_read, write, "t 0 a 1\nt 0 b\nt 0 c high\nt 0 d 1 x\nt 0 e 2\nt 0 f 2\nt 0 g 2\n")
    assert rejects(study) == [
        (2, 2, "record_fits_the_columns", "t 0 b", "t 0 b"),
        (3, 3, "grade_is_a_number", "high", "t 0 c high"),
        (4, 4, "record_fits_the_columns", "t 0 d 1 x", "t 0 d 1 x"),
    ]


def test_repeated_judgments_are_kept_and_counted(write, quiet_read):
    study = judged(quiet_read, write, "t 0 a 1\nt 0 a 2\nt 0 b 2\n")
    assert study.facts.judgments == 3
    (note,) = messages_with(study.notes, "more than once")
    assert messages_with([note], "judgments: 1 document", "first: 't', 'a'", "merge = 'max'", "study.toml")


def test_whitespace_by_study_toml(write, quiet_read, tmp_path):
    write("log.csv", LOG)
    write("grades", "key grade\tdoc\nt 2 a\n")
    toml = '[results]\npath = "log.csv"\n[judgments]\npath = "grades"\nseparator = "whitespace"\nheader = true\n'
    columns = 'columns = { judgment_key = "key", doc_id = "doc" }\n'
    study = quiet_read(write("study.toml", toml + columns))
    assert study.judgments.collect().rows() == [("t", "a", 2.0)]


def test_names_of_columns_are_text(write, quiet_read):
    write("log.csv", LOG)
    write("grades", b"key grade doc not\xe9\n" + b"t 2 a x\n" * 5)
    toml = '[results]\npath = "log.csv"\n[judgments]\npath = "grades"\nseparator = "whitespace"\nheader = true\n'
    path = write("study.toml", toml + 'columns = { judgment_key = "key", doc_id = "doc" }\n')
    with pytest.raises(DataError, match="grades is not UTF-8"):
        quiet_read(path)


@pytest.mark.parametrize("separator", [",", "\t"])
def test_judgments_in_a_table_with_our_names(write, quiet_read, separator):
    name = {",": "j.csv", "\t": "j.tsv"}[separator]
    text = "judgment_key,doc_id,grade\nt,a,1\n".replace(",", separator)
    study = quiet_read(write("log.csv", LOG), judgments=[write(name, text)])
    assert study.judgments.collect().rows() == [("t", "a", 1.0)]


def test_several_files_are_one_table(write, quiet_read):
    study = quiet_read(
        write("log.csv", LOG),
        judgments=[write("q1", "t 0 a 1\n"), write("q2.csv", "judgment_key,doc_id,grade,judge_id\nt,b,2,j\n")],
    )
    assert study.judgments.collect().select("doc_id", "grade", "judge_id").rows() == [("a", 1.0, None), ("b", 2.0, "j")]
    assert [source.path for source in study.sources] == ["log.csv", "q1", "q2.csv"]


def test_comments_and_a_header_are_counted_and_skipped(write, quiet_read):
    """trec_eval skips comments since version 10; a `#` within a line is part of a document."""
    study = judged(quiet_read, write, "# judged in spring\ntopic iter docno rel\nt 0 a#1 2\n  # second\nt 0 #b 1\n")
    assert study.judgments.collect().rows() == [("t", "a#1", 2.0), ("t", "#b", 1.0)]
    accounts = [(one.kind, one.records, one.rows, one.idle) for one in study.sources if one.path == "qrels.txt"]
    assert accounts == [("", 2, 2, 0), ("comments and headers", 3, 0, 3)]


def test_what_topics_say_beside_is_kept(write, quiet_read):
    study = quiet_read(write("run", DYNAMIC_DOMAIN_RUN), judgments=write("truth.xml", topics()))
    row = study.judgments.collect().to_dicts()[0]
    assert (row["passage_text"], row["passage_type"], row["subtopic_name"]) == ("a & b", "MANUAL", "about DD16-1.1")


def test_broken_judgments_name_the_line(write, quiet_read, rejects):
    run = write("run", DYNAMIC_DOMAIN_RUN)
    with pytest.raises(DataError, match=r"truth\.xml, line \d+: .*well-formed"):
        read(run, judgments=write("truth.xml", topics().replace("</subtopic>", "", 1)))
    with pytest.raises(DataError, match="a document type"):
        read(run, judgments=write("truth.xml", topics().replace("<trecdd>", '<!DOCTYPE t [<!ENTITY a "b">]><trecdd>')))
    with pytest.raises(DataError, match="topics without any passage"):
        read(run, judgments=write("truth.xml", '<t><domain><topic id="1"><subtopic id="2"/></topic></domain></t>'))
    study = quiet_read(
        run, judgments=write("truth.xml", topics().replace("<rating>1</rating>", "<rating>one</rating>", 1))
    )
    assert [row[:4] for row in rejects(study)] == [(2, 3, "grade_is_a_number", "one")]


REAL = Path(__file__).resolve().parents[3] / ".." / "shared" / "data" / "judgments"
RUN = "4 Q0 a 1 2.0 tag\n4 Q0 b 2 1.0 tag\n"


def judged_qrels(quiet_read, write, text, **options):
    """The judgments of a run as rows."""
    config = {"format": "trec_run", **options}
    return quiet_read(write("run", RUN), judgments=write("qrels", text), config=config).judgments.collect()


def test_grades_of_2012_are_as_judged_unless_asked_for(write, quiet_read):
    text = "".join(f"4 0 d{grade} {grade}\n" for grade in (-2, 0, 1, 2, 3, 4))
    raw = judged_qrels(quiet_read, write, text)
    assert raw["grade"].to_list() == [-2.0, 0.0, 1.0, 2.0, 3.0, 4.0]
    assert "raw_grade" not in raw.columns
    official = judged_qrels(quiet_read, write, text, grades="official2012")
    # the mapping of the track's script: -2 -> 0, 0 -> 0, 1 -> 1, 4 -> 2, 2 -> 3, 3 -> 4
    assert official["grade"].to_list() == [0.0, 0.0, 1.0, 3.0, 4.0, 2.0]
    assert official["raw_grade"].to_list() == [-2, 0, 1, 2, 3, 4]


def test_grades_outside_the_scale_of_2012_are_rejected(write, quiet_read, rejects):
    text = "4 0 a 1\n4 0 b 5\n4 0 c high\n4 0 d\n4 0 e 4\n4 0 f 2\n4 0 g 2\n"
    study = quiet_read(
        write("run", RUN), judgments=write("qrels", text), config={"format": "trec_run", "grades": "official2012"}
    )
    assert [row[:4] for row in rejects(study)] == [
        (2, 2, "grade_is_in_the_scale_of_2012", "5"),
        (3, 3, "grade_is_a_number", "high"),
        (4, 4, "record_fits_the_columns", "4 0 d"),
    ]
    assert study.judgments.collect()["grade"].to_list() == [1.0, 2.0, 3.0, 3.0]


def test_the_second_field_may_be_the_judge(write, quiet_read):
    text = "4 0 a 1\n4 1 a 2\n4 1 b 0\n"
    assert judged_qrels(quiet_read, write, text).select("doc_id", "subtopic_id", "grade").rows() == [
        ("a", None, 1.0),
        ("a", "1", 2.0),
        ("b", "1", 0.0),
    ]
    rows = judged_qrels(quiet_read, write, text, qrels_column="judge")
    assert rows.select("doc_id", "judge_id", "grade").rows() == [("a", "0", 1.0), ("a", "1", 2.0), ("b", "1", 0.0)]
    assert "subtopic_id" not in rows.columns


def test_the_options_are_in_study_toml(write, quiet_read):
    write("run", RUN)
    write("qrels", "4 0 a 4\n")
    toml = 'format = "trec_run"\npath = "run"\ngrades = "official2012"\n[judgments]\npath = "qrels"\n'
    assert quiet_read(write("study.toml", toml)).judgments.collect()["grade"].to_list() == [2.0]


def test_preferences_are_refused_with_a_reason(write):
    prefs = write("prefs", "4 judge1 1 a 2\n4 judge1 1 b 1.0\n")
    with pytest.raises(DataError, match=match_parts("prefs: preferences (prefs)", "better")):
        read(write("run", RUN), judgments=prefs)


@pytest.mark.realdata
@pytest.mark.parametrize("name", ["trec_eval_qrels.test", "trec_eval_qrels.rel_level"])
def test_real_qrels(name, write, quiet_read):
    if not REAL.is_dir():
        pytest.skip("no real data")
    study = quiet_read(write("run", "301 Q0 a 1 1.0 t\n"), judgments=REAL / name)
    lines = [line.split() for line in (REAL / name).read_text().splitlines() if line.strip()]
    assert study.judgments.collect().select("judgment_key", "doc_id", "grade").rows() == [
        (topic, document, float(grade)) for topic, _, document, grade in lines
    ]
