"""What a document would move: what the scores do with one judgment more, whatever the sessions are read with."""

import sys

import numpy as np
import polars as pl
import pytest

import sessionkit as sk
from sessionkit.robustness.document_effects import MovesReduction
from sessionkit.robustness.unjudged import LOW
from sessionkit.scoring import reduction
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.statistics.bands import Grouping
from tests.support.clinic import read_clinic


@pytest.mark.slow
def test_they_are_those_of_the_scores_with_one_judgment_more():
    clinic = read_clinic()
    measures = ["sDCG@10", "nsDCG@10", "mean(nDCG@10)"]
    found = sk.bounds(clinic, measures, wanted=1)
    before = sk.score(clinic, measures, by="system_id")
    for row in found.wanted.iter_rows(named=True):
        more = {"judgment_key": row["judgment_key"], "doc_id": row["doc_id"], "grade": 3.0}
        frames = {name: getattr(clinic, name).collect() for name in ("sessions", "queries", "results")}
        judgments = pl.concat([clinic.judgments.collect(), pl.DataFrame([more])], how="diagonal_relaxed")
        after = sk.score(sk.from_tables(**frames, judgments=judgments, max_grade=3), [row["measure"]], by="system_id")
        one = before.filter(measure=row["measure"])["value"]
        moved = (after["value"][1] - after["value"][0]) - (one[1] - one[0])
        assert row["move"] == pytest.approx(moved, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("kept", [True, False], ids=["read once", "read twice"])
def test_blocks_do_not_change_the_last_digit(monkeypatch, kept):
    # a divisor alone in its block rounds like among others
    rng = np.random.default_rng(0)
    rows = [
        (f"s{n:02}", 1, rank, f"d{rng.integers(12)}-{rank}", f"t{n % 4}", "AB"[n % 2])
        for n in range(10)
        for rank in (1, 2, 3)
    ]
    results = pl.DataFrame(
        rows, schema=["session_id", "query_position", "rank", "doc_id", "topic_id", "system_id"], orient="row"
    )
    pairs = results.select(judgment_key="topic_id", doc_id="doc_id").unique().sort("judgment_key", "doc_id")
    grades = pl.Series("grade", rng.choice([0.0, 1.0, 2.0], len(pairs)))
    judged = pairs.with_columns(grades).filter(pl.Series(rng.random(len(pairs)) < 0.8))
    study = sk.from_tables(results=results, judgments=judged, max_grade=3)
    measures = ["nsDCG@3", "mean(nDCG@3)", "mean(RBP(p=0.8)@3)", "mean(P@3)"]
    whole = sk.bounds(study, measures, per="session")
    if not kept:
        monkeypatch.setattr(sys.modules["sessionkit.robustness.bounds"], "HELD", 2**62)  # no result fits in memory
    monkeypatch.setattr(reduction, "ROWS", 4)
    monkeypatch.setattr(reduction, "FEWEST", 4)
    parts = sk.bounds(study, measures, per="session")
    assert whole.wanted.equals(parts.wanted)
    assert whole.differences.equals(parts.differences)
    assert whole.bounds.equals(parts.bounds)
    assert whole.units.equals(parts.units)
    assert whole.judged.equals(parts.judged)


def test_parts_add_up_exactly_however_many_there_are():
    # the lower parts of 40 sums, each just below 2^48, come to more than doubles count to
    part = pl.DataFrame({"slot": [7], "high 0": [3], "low 0": [LOW - 1], "sessions 0": [1]})
    task = MovesReduction((parse_measure("sDCG@1"),), Grouping(), {}, pool=None, top=1.0)
    high, low, sessions = task.added([part] * 40).row(0)[1:]
    assert high * LOW + low == 40 * (3 * LOW + LOW - 1)
    assert (low < LOW, sessions) == (True, 40)
