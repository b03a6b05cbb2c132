"""Bands of a flat log cut into parts: whole sessions, each part after those before."""

from itertools import pairwise

import polars as pl
import pytest

from sessionkit.readers.flat.session_order import by_session, cuts


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
def test_parts_are_whole_sessions_in_order(records):
    seen = []
    for tables in BANDS:
        ends = cuts(tables, records)
        assert {name: last[-1] for name, last in ends.items()} == {name: len(rows) for name, rows in tables.items()}
        for spans in zip(*(pairwise([0, *last]) for last in ends.values()), strict=True):
            parts = [rows["session_id"][slice(*span)] for rows, span in zip(tables.values(), spans, strict=True)]
            seen.append(set().union(*parts) - {None})
    named = [session for part in seen for session in sorted(part)]
    assert named == ["a-1", "a-10", "a-2", "b-1", "c-1", "d-1", "e-1"]
    assert len(seen) == {1: 10 + 10 + 1 + 2, 3: 4 + 4 + 1 + 1, 6: 2 + 2 + 1 + 1, 100: 4}[records]
