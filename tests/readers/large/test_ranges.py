"""Parts of a log by ranges of sessions: every record in one of them, sessions whole and in order."""

import random

import polars as pl
import pytest

from sessionkit.contract import RECORD
from sessionkit.readers.large import ranges
from sessionkit.readers.large.ranges import parts_of
from sessionkit.readers.raw import Raw, no_way_back


def raw(name, sessions):
    frame = pl.DataFrame(
        {RECORD: range(1, len(sessions) + 1), "session_id": sessions}, schema_overrides={RECORD: pl.Int64}
    )
    return Raw(name, name, frame.lazy(), len(sessions), no_way_back)


@pytest.mark.parametrize("dtype", [str, int])
@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("rows", [1, 7, 50, 1000])
def test_every_record_is_in_one_part(tmp_path, monkeypatch, rows, shuffled, dtype):
    monkeypatch.setattr(ranges, "ROW_GROUP", 4)
    monkeypatch.setattr(ranges, "OPEN", 3)
    chance = random.Random(rows)  # noqa: S311
    results = [None if chance.random() < 0.1 else dtype(number // 5 + 10) for number in range(60)]
    if shuffled:
        chance.shuffle(results)
    log = {"sessions": raw("sessions", [dtype(number) for number in range(10, 24)]), "results": raw("results", results)}
    parts = [{name: one.frame.collect() for name, one in part.items()} for part in parts_of(log, rows, tmp_path)]
    for name, source in log.items():
        records = [record for part in parts for record in part[name][RECORD].to_list()]
        assert sorted(records) == list(range(1, source.records + 1))
    seen = [{str(s) for name in part for s in part[name]["session_id"] if s is not None} for part in parts]
    assert [session for part in seen for session in sorted(part)] == sorted(set().union(*seen))
    assert len(parts) == 1 if rows == 1000 and None not in results else len(parts) > 1
    assert not any(None in part["results"]["session_id"] and seen[n] for n, part in enumerate(parts))
