"""Ratings exported by Quepid: text for learning to rank, qrels, real ratings; CSV and JSON have tests of their own."""

from pathlib import Path

import pytest

from sessionkit.errors import DataError
from sessionkit.readers.read import read

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
    with pytest.raises(DataError, match=r"x\.csv is not an export of Quepid: its columns are a, b"):
        read(write("log.csv", "session_id,query_position,rank,doc_id\ns,1,1,A\n"), config=config)


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real judgments are not here")
def test_real_ratings(write, quiet_read):
    log = write("log.csv", "session_id,query_position,rank,doc_id,query_text\ns,1,1,1325549,notebook\n")
    study = quiet_read(log, judgments=DATA / "Chorus_Electronics_basic.csv")
    assert study.facts.judgments == 207
    assert study.judgments.collect()["judgment_key"].value_counts(sort=True)["count"].sum() == 207
    assert study.judgments.collect()["judgment_key"].n_unique() == 2
