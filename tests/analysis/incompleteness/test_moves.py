"""What a document would move, whatever the sessions are read with: a divisor alone in its block rounds like among others."""

import sys

import numpy as np
import polars as pl
import pytest

import sessionkit as sk
from sessionkit.scoring import tasks


@pytest.mark.parametrize("kept", [True, False], ids=["read once", "read twice"])
def test_blocks_do_not_change_the_last_digit(monkeypatch, kept):
    rng = np.random.default_rng(0)
    rows = [
        (f"s{n:02}", 1, rank, f"d{rng.integers(12)}-{rank}", f"t{n % 4}", "AB"[n % 2])
        for n in range(24)
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
    whole = sk.incomplete(study, measures, per="session")
    if not kept:
        monkeypatch.setattr(sys.modules["sessionkit.analysis.incomplete"], "HELD", 2**62)  # no result fits in memory
    monkeypatch.setattr(tasks, "ROWS", 4)
    monkeypatch.setattr(tasks, "FEWEST", 4)
    parts = sk.incomplete(study, measures, per="session")
    assert whole.wanted.equals(parts.wanted)
    assert whole.differences.equals(parts.differences)
    assert whole.bounds.equals(parts.bounds)
    assert whole.units.equals(parts.units)
    assert whole.judged.equals(parts.judged)
