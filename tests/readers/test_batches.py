"""Batches of a log by ranges of sessions: every record in one of them, sessions whole and in order."""

import random

import polars as pl
import pytest

from sessionkit.readers import ingest
from sessionkit.readers.ingest import batches_of
from sessionkit.readers.raw import Raw, no_way_back
from sessionkit.study.checks import RECORD


def raw(name, sessions):
    frame = pl.DataFrame(
        {RECORD: range(1, len(sessions) + 1), "session_id": sessions}, schema_overrides={RECORD: pl.Int64}
    )
    return Raw(name, name, frame.lazy(), len(sessions), no_way_back)


@pytest.mark.parametrize("dtype", [str, int])
@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("rows", [1, 7, 50, 1000])
def test_every_record_is_in_one_batch(tmp_path, monkeypatch, rows, shuffled, dtype):
    monkeypatch.setattr(ingest, "ROW_GROUP", 4)
    monkeypatch.setattr(ingest, "OPEN", 3)
    chance = random.Random(rows)  # noqa: S311
    results = [None if chance.random() < 0.1 else dtype(number // 5 + 10) for number in range(60)]
    if shuffled:
        chance.shuffle(results)
    log = {"sessions": raw("sessions", [dtype(number) for number in range(10, 24)]), "results": raw("results", results)}
    cut = [{name: one.frame.collect() for name, one in batch.items()} for batch in batches_of(log, rows, tmp_path)]
    for name, source in log.items():
        records = [record for batch in cut for record in batch[name][RECORD].to_list()]
        assert sorted(records) == list(range(1, source.records + 1))
    seen = [{str(s) for name in batch for s in batch[name]["session_id"] if s is not None} for batch in cut]
    assert [session for batch in seen for session in sorted(batch)] == sorted(set().union(*seen))
    assert len(cut) == 1 if rows == 1000 and None not in results else len(cut) > 1
    assert not any(None in batch["results"]["session_id"] and seen[n] for n, batch in enumerate(cut))
