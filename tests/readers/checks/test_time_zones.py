"""Times without zone: declared, or UTC with a warning."""

from datetime import UTC, datetime

import pytest

from sessionkit.errors import DataWarning
from sessionkit.readers import from_tables

RESULTS = {"session_id": ["a", "b"], "query_position": [1, 1], "rank": [1, 1], "doc_id": ["x", "x"]}
CLICKS = {**RESULTS, "clicked_at": ["2026-03-02 12:00:00", "2026-03-02T12:00:00Z"]}


def clicks(study):
    return [value.hour for value in study.results.collect()["clicked_at"]]


def test_without_a_declared_zone_they_are_utc_and_warned_of():
    with pytest.warns(
        DataWarning,
        match="results frame: 1 time without zone in clicked_at, taken as UTC; set timezone = .* as from_tables takes it",
    ):
        assert clicks(from_tables(CLICKS)) == [12, 12]


def test_a_declared_zone_applies_to_those_without_one():
    assert clicks(from_tables(CLICKS, timezone="Europe/Vienna")) == [11, 12], "Vienna is an hour ahead of UTC in winter"


def test_sessions_and_typed_columns():
    sessions = {"session_id": ["a", "b"], "started_at": [datetime(2026, 3, 2, 12, tzinfo=UTC)] * 2}
    assert from_tables(RESULTS, sessions=sessions).notes == from_tables(RESULTS).notes


def test_the_zone_of_one_file(write, quiet_read):
    path = write("log.csv", "session_id,query_position,rank,doc_id,clicked_at\na,1,1,x,2026-03-02 12:00:00\n")
    config = {"timezone": "UTC", "results": {"timezone": "Europe/Vienna"}}
    assert clicks(quiet_read(path, config=config)) == [11]


def test_what_is_no_time_is_no_time_without_zone():
    times = ["noon", "2026-01-01 10:00:00", "2026-01-01T10:00:00Z"]
    rows = {"session_id": ["a"] * 3, "query_position": [1] * 3, "rank": [1, 2, 3], "doc_id": ["x", "y", "z"]}
    with pytest.warns(DataWarning) as told:
        from_tables(rows | {"clicked_at": times})
    assert [str(one.message)[:44] for one in told if "without zone" in str(one.message)] == [
        "results frame: 1 time without zone in clicke"
    ]
