"""Judgments of TREC: subtopics, judges, the grades of 2012, preferences; and the real qrels of trec_eval's tests."""

from pathlib import Path

import pytest

from sessionkit.errors import DataError
from sessionkit.readers.read import read

REAL = Path(__file__).resolve().parents[3] / ".." / "shared" / "data" / "judgments"
RUN = "4 Q0 a 1 2.0 tag\n4 Q0 b 2 1.0 tag\n"


def judged(quiet_read, write, text, **options):
    """The judgments of a run as rows."""
    config = {"format": "trec_run", **options}
    return quiet_read(write("run", RUN), judgments=write("qrels", text), config=config).judgments.collect()


def test_grades_of_2012_are_as_judged_unless_asked_for(write, quiet_read):
    text = "".join(f"4 0 d{grade} {grade}\n" for grade in (-2, 0, 1, 2, 3, 4))
    raw = judged(quiet_read, write, text)
    assert raw["grade"].to_list() == [-2.0, 0.0, 1.0, 2.0, 3.0, 4.0]
    assert "raw_grade" not in raw.columns
    official = judged(quiet_read, write, text, grades="official2012")
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
    assert judged(quiet_read, write, text).select("doc_id", "subtopic_id", "grade").rows() == [
        ("a", None, 1.0),
        ("a", "1", 2.0),
        ("b", "1", 0.0),
    ]
    rows = judged(quiet_read, write, text, qrels_column="judge")
    assert rows.select("doc_id", "judge_id", "grade").rows() == [("a", "0", 1.0), ("a", "1", 2.0), ("b", "1", 0.0)]
    assert "subtopic_id" not in rows.columns


def test_the_options_are_in_study_toml(write, quiet_read):
    write("run", RUN)
    write("qrels", "4 0 a 4\n")
    toml = 'format = "trec_run"\npath = "run"\ngrades = "official2012"\n[judgments]\npath = "qrels"\n'
    assert quiet_read(write("study.toml", toml)).judgments.collect()["grade"].to_list() == [2.0]


def test_preferences_are_refused_with_a_reason(write):
    prefs = write("prefs", "4 judge1 1 a 2\n4 judge1 1 b 1.0\n")
    with pytest.raises(DataError, match=r"prefs: preferences \(prefs\) say which of two documents is better"):
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
