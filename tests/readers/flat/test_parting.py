"""Parts of a flat log that are found while its bands are made: whole sessions, each part after those before."""

import polars as pl
import pytest

from sessionkit.readers.flat import parting
from sessionkit.readers.flat.parting import Parting, by_session


def band(queries, results=()):
    """Tables of a band, by the sessions of their rows."""
    tables = {"queries": queries, "results": results}
    return {
        name: by_session(pl.DataFrame({"session_id": rows}, {"session_id": pl.String})) for name, rows in tables.items()
    }


BANDS = [
    band(["b-1", "a-1", "a-1", None, "a-2", "a-10"], ["b-1", "a-10", "a-1", "a-1"]),
    band(["c-1"] * 5 + ["d-1"], ["d-1"] * 4),
    band([None]),
    band(["e-1"], ["e-1"]),
]


@pytest.mark.parametrize("records", [1, 3, 6, 100])
def test_parts_are_whole_sessions_in_order(monkeypatch, records):
    monkeypatch.setattr(parting, "RECORDS", records)
    found = Parting()
    for tables in BANDS:
        found.add(tables)
    parts = []
    for name in ("queries", "results"):
        rows = pl.concat([tables[name] for tables in BANDS])["session_id"]
        assert sum(found.of(name)) == len(rows)
        starts = [sum(found.of(name)[:part]) for part in range(len(found.of(name)))]
        parts.append([rows[start : start + size] for start, size in zip(starts, found.of(name), strict=True)])
    seen = [set(queries) | set(results) - {None} for queries, results in zip(*parts, strict=True)]
    named = [session for part in seen for session in sorted(part - {None})]
    assert named == ["a-1", "a-10", "a-2", "b-1", "c-1", "d-1", "e-1"]
    assert len(seen) == {1: 10 + 10 + 1 + 2, 3: 4 + 4 + 1 + 1, 6: 2 + 2 + 1 + 1, 100: 4}[records]


@pytest.mark.parametrize("later", [band(["b-1"]), band([], ["a-3"]), band(["b-2", "a-7"])])
def test_sessions_that_come_back_leave_no_parts(later):
    found = Parting()
    found.add(BANDS[0])
    assert found.of("queries") == (6,)
    found.add(later)
    assert found.of("queries") == found.of("results") == ()
