"""incomplete: the finding as a whole, what it says where nothing is unjudged, and what it refuses."""

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import MeasureError, UsageError
from sessionkit.scoring import reduction
from tests.analysis.incomplete.lists import study
from tests.support.clinic import read_clinic


def test_nothing_unjudged_is_said_and_bounds_are_the_scores():
    made = study({"A1": "ab", "B1": "ba"}, [("t", "a", 2), ("t", "b", 0)])
    found = sk.bounds(made, ["mean(nDCG@2)", "mean(bpref)"])
    both = found.bounds.filter(measure="mean(nDCG@2)")
    assert both.select((pl.col("value") == pl.col("lower")) & (pl.col("value") == pl.col("upper"))).to_series().all()
    assert "Every document that was shown is judged" in found.reading
    assert "mean(bpref) has no bounds" in found.reading
    without = found.bounds.filter(measure="mean(bpref)")
    assert without["value"].null_count() == 0
    assert without["lower"].null_count() == without["upper"].null_count() == 2


MEASURES = ["sDCG@10", "nsDCG@10", "mean(nDCG@10)", "mean(AP@10)", "mean(RR@10)", "sRBP(b=0.64,p=0.86)@10"]


def test_scores_are_those_of_score():
    clinic = read_clinic()
    found = sk.bounds(clinic, MEASURES)
    scores = sk.score(clinic, MEASURES, by="system_id")
    assert found.bounds["value"].to_list() == scores["value"].to_list()
    assert found.bounds["n"].to_list() == scores["n"].to_list()
    inside = found.bounds.filter(pl.col("lower") <= pl.col("value"), pl.col("value") <= pl.col("upper"))
    assert len(inside) == len(found.bounds) == 12


@pytest.mark.slow
def test_blocks_do_not_matter(tmp_path, monkeypatch):
    found = sk.bounds(read_clinic(), MEASURES, per="session")
    read_clinic().save(tmp_path / "clinic")
    monkeypatch.setattr(reduction, "ROWS", 1_000)
    again = sk.bounds(sk.open_study(tmp_path / "clinic"), MEASURES, per="session")
    assert again.reading == found.reading
    for name, table in found.tables().items():
        assert table.equals(again.tables()[name]), name


@pytest.mark.filterwarnings("ignore:(judgments|queries). none of the 1")
def test_one_group_and_many():
    made = study({f"{letter}1": "x" for letter in "ABCDEFGHIJKLMNOPQRSTUVW"}, [("t", "a", 1)])
    alone = sk.bounds(made, "mean(DCG@1)", by=None)
    assert alone.differences.is_empty()
    assert alone.wanted.select("a", "b", "doc_id", "sessions", "move").rows() == [(None, "all sessions", "x", 23, 2.0)]
    many = sk.bounds(made, "mean(DCG@1)")
    assert many.differences.is_empty()
    assert "system_id has 23 values" in many.reading


def test_findings_show_themselves():
    found = sk.bounds(study({"A1": "ax"}, [("t", "a", 1)]), "mean(DCG@2)", by=None)
    assert found.table is found.bounds
    assert str(found).startswith("1 of 2 results shown")
    assert "Each of 1 unjudged document (of 1 judgment key) may have any grade from 0 to 2" in found.reading
    assert "<h4>bounds</h4>" in found._repr_html_()
    assert list(found.tables()) == ["bounds", "differences", "wanted", "judged"]


@pytest.mark.parametrize(
    ("measures", "options", "error", "said"),
    [
        ("sDCG@2", {"per": "query"}, MeasureError, "per query"),
        ("sDCG@2", {"per": "querys"}, UsageError, "did you mean 'query'"),
        ("sDCG@2", {"by": "sistem_id"}, UsageError, "system_id"),
        ("sDCG@2", {"wanted": -1}, UsageError, "wanted"),
        ("sDCG@2", {"max_grade": 0.5}, UsageError, "grade 1, above max_grade=0.5"),
        ([], {}, MeasureError, "name a measure"),
    ],
)
def test_what_is_refused(measures, options, error, said):
    with pytest.raises(error, match=said):
        sk.bounds(study({"A1": "ax"}, [("t", "a", 1)]), measures, **options)


def test_a_study_without_a_scale():
    made = study({"A1": "ax"}, [("t", "a", 1)], max_grade=None)
    with pytest.raises(MeasureError, match="max_grade=1"):
        sk.bounds(made, "sDCG@2")
    assert sk.bounds(made, "mean(P@2)").bounds["upper"].item() == 1.0
    assert sk.bounds(made, "sDCG@2", max_grade=3).bounds["upper"].item() == 2.5  # 1 + 3 / 2
