"""Bounds of groups, sessions and lists with their arithmetic; on real judgments with gaps, what the whole ones say."""

import warnings
from math import log2
from pathlib import Path

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import DataWarning

from .lists import study

DATA = Path(__file__).resolve().parents[4] / "shared" / "data" / "ir_metrics"


def test_a_plain_sum_lies_between_nothing_and_the_best_grade():
    # x and y unjudged at ranks 2, 3, grades up to 2: RBP(p=.5) = .5 (1 + .5 + .25), gain 1 or 1/2 of the top
    made = study({"A1": "axy"}, [("t", "a", 1)])
    bounds = sk.bounds(made, ["mean(RBP(p=0.5))", "mean(RBP(gain=linear,p=0.5))", "sum(DCG@2)"], by=None).bounds
    found = bounds.select("measure", "value", "lower", "upper", "residual", "bound").rows()
    assert found[0] == ("mean(RBP(p=0.5))", 0.5, 0.5, 0.875, 0.375, "attained")
    assert found[1] == ("mean(RBP(gain=linear,p=0.5))", 0.25, 0.25, 0.625, 0.375, "attained")
    assert found[2][:3] == ("sum(DCG@2)", 1.0, 1.0)
    assert found[2][3] == pytest.approx(1 + 2 / log2(3))


def test_documents_of_other_sessions_raise_the_ideal():
    # A1 shows a (grade 2) alone: nDCG@2 = 1; x, which B1 shows, could have grade 2 too: 2 / (2 + 2 / log2 3)
    made = study({"A1": "a", "B1": "x"}, [("t", "a", 2)])
    found = sk.bounds(made, "mean(nDCG@2)", per="query")
    lower, upper = found.units.filter(session_id="A1").select("lower", "upper").row(0)
    assert lower == pytest.approx(2 / (2 + 2 / log2(3)))
    assert upper == 1.0


def test_pooled_documents_that_nobody_saw_count_in_ideals():
    made = study({"A1": "a"}, [("t", "a", 2), ("t", "p", -2)], unjudged_grades=(-2,))
    bounds = sk.bounds(made, "mean(nDCG@2)", by=None).bounds
    assert bounds["lower"].item() == pytest.approx(2 / (2 + 2 / log2(3)))


def test_sessions_that_judgments_could_give_a_score():
    # topic u has no judgment: A2 has no score now; judged, x could make it 0 to 2
    with pytest.warns(DataWarning, match="none for the judgment_key"):
        made = study({"A1": "a", "A2": "x"}, [("t", "a", 1)], topics={"A2": "u"})
    row = sk.bounds(made, "mean(DCG@1)").bounds.row(0, named=True)
    assert (row["n"], row["open"], row["undefined"], row["value"]) == (1, 1, 0, 1.0)
    assert (row["lower"], row["upper"], row["bound"]) == (0.5, 1.5, "safe")


def test_sessions_without_a_topic_cannot_be_judged():
    with pytest.warns(DataWarning, match="judgment_key"):
        made = study({"A1": "ax", "A2": "ay"}, [("t", "a", 1)], topics={"A2": None})
    found = sk.bounds(made, ["mean(DCG@2)", "mean(nDCG@2)", "nsDCG@2", "mean(AP)"], per="session")
    assert found.bounds["undefined"].to_list() == [1] * 4
    assert found.bounds["open"].to_list() == [0] * 4
    assert found.units.filter(session_id="A2").select(pl.col("value", "lower", "upper").null_count()).row(0) == (
        4,
        4,
        4,
    )


def test_lists_have_a_score_where_their_measure_has_no_bounds():
    lists = {"A1": "abx", "B1": "xa", "B2": "b"}
    made = study(lists, [("t", "a", 1), ("t", "b", 0)])
    units = sk.bounds(made, ["mean(bpref)", "mean(P@1)"], per="query").units
    # of the two judged documents a is relevant; nothing judged stands above it; B2 does not show it
    assert units.filter(measure="bpref").select("session_id", "value", "lower", "upper").rows() == [
        ("A1", 1.0, None, None),
        ("B1", 1.0, None, None),
        ("B2", 0.0, None, None),
    ]
    assert units.filter(measure="P@1").select("value", "lower", "upper").rows() == [(1, 1, 1), (0, 0, 1), (0, 0, 0)]


@pytest.mark.slow
@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine")
def test_the_full_scores_of_ir_metrics_lie_within_the_bounds_of_judgments_with_gaps():
    read = {
        name: pl.read_csv(DATA / name, separator="\t", quote_char=None, infer_schema=False)
        for name in ("session", "results", "qrels")
    }
    results = (
        read["results"]
        .filter(pl.col("rank") != "no results")
        .select(
            session_id="SessionID",
            query_position=pl.col("Qno").cast(pl.Int32),
            rank=pl.col("rank").cast(pl.Int32),
            doc_id="URL",
        )
    )
    sessions = read["session"].select(session_id="SessionID", topic_id="SessionID")
    judgments = read["qrels"].select(judgment_key="SessionID", doc_id="URL", grade=pl.col("Relevance").cast(pl.Float64))
    frames = {"results": results, "sessions": sessions, "max_grade": 2}
    measures = ["sDCG@9", "nsDCG@9", "mean(nDCG@9)", "mean(AP@9)", "mean(RBP(p=0.8)@9)", "mean(RR@9)", "mean(F@9)"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        full = sk.score(sk.from_tables(**frames, judgments=judgments), measures, per="session")
        # every fifth of what somebody was shown; what nobody was shown stays judged, as the bounds take it to be
        shown = judgments.join(
            results, left_on=["judgment_key", "doc_id"], right_on=["session_id", "doc_id"], how="semi"
        )
        kept = judgments.join(shown.gather_every(5), on=["judgment_key", "doc_id"], how="anti")
        found = sk.bounds(sk.from_tables(**frames, judgments=kept), measures, by=None, per="session")
    both = found.units.join(full.rename({"value": "full"}), on=["session_id", "measure"])
    assert len(both) == len(full) == 80 * len(measures)
    outside = both.filter((pl.col("full") < pl.col("lower") - 1e-9) | (pl.col("full") > pl.col("upper") + 1e-9))
    assert outside.is_empty()
    assert both.filter(pl.col("full") != pl.col("value")).height > 100
