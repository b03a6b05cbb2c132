"""Durations, times to the first click and dwell times against a walk over the events."""

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings

import sessionkit as sk
from sessionkit.errors import DataError
from tests.support.examples import examples

from .logged import QUERIES, RESULTS, began, click_times, issue_times, logs, scored, study_of, was_clicked

quiet = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")


@quiet
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(log=logs())
def test_restated(log):
    found = scored(log, "Duration", "TimeToFirstClick", "Dwell")
    for number, session in enumerate(log[0]):
        start, clicks = began(session), click_times(session)
        issued = [time for time in issue_times(session) if time is not None]
        clicked = [time for _, _, time in clicks if time is not None]
        ends = issued + [time + (row["dwell_seconds"] or 0) for _, row, time in clicks if time is not None]
        told = session["ended_at"]
        whole = told is not None and start is not None and told >= start
        duration = told - start if whole else max(ends, default=None)
        waited = min(clicked) - min(issued, default=0) if clicked else None
        rows = [result for query in session["queries"] for result in query["results"]]
        dwelt = [row["dwell_seconds"] for row in rows if row["dwell_seconds"] is not None]
        dwell = sum(dwelt) if dwelt else None if any(map(was_clicked, rows)) else 0
        assert found["Duration"][number] == duration
        assert found["TimeToFirstClick"][number] == (waited if waited is not None and waited >= 0 else None)
        assert found["Dwell"][number] == dwell


@quiet
def test_a_session_by_hand():
    """Begun at 9:00:00; queries after 5 and 65 s; clicks after 20 and 70 s, read for 40 and 15 s; ended after 100 s."""
    lists = [
        {"issued_at": 5.0, "clicked_at": 20.0, "dwell_seconds": 40.0},
        {"issued_at": 65.0, "clicked_at": 70.0, "dwell_seconds": 15.0},
    ]
    nothing = dict.fromkeys([*QUERIES, *RESULTS])
    queries = [
        {**nothing, **event, "logged": True, "results": [{**nothing, **event, "rank": 1, "doc_id": "a"}]}
        for event in lists
    ]
    told = ([{"started_at": 0.0, "ended_at": 100.0, "queries": queries}], {"a": 1})
    assert scored(told, "Duration", "TimeToFirstClick", "Dwell") == {
        "Duration": [100.0],
        "TimeToFirstClick": [15.0],
        "Dwell": [55.0],
    }
    # how long it took outweighs when it ended
    lasted = study_of(told)
    lasted = lasted.with_tables(sessions=lasted.sessions.with_columns(duration_seconds=pl.lit(99.5)))
    assert sk.score(lasted, ["Duration"], per="session")["value"].to_list() == [99.5]
    # without the ends: from the first query, after 5 s, to 70 + 15 s
    assert scored(([{**told[0][0], "started_at": None, "ended_at": None}], {"a": 1}), "Duration")["Duration"] == [80.0]


@quiet
def test_missing_columns_are_named():
    log = ([{"started_at": None, "ended_at": None, "queries": []}], {"a": 1})
    bare = study_of(log, without=["started_at", "ended_at", *QUERIES, *RESULTS])
    with pytest.raises(
        DataError,
        match="Duration needs one of the columns started_at, ended_at, duration_seconds in the sessions; issued_at",
    ):
        sk.score(bare, ["Duration"], per="session")
    with pytest.raises(DataError, match="TimeToFirstClick needs one of the columns clicked_at, click_elapsed_seconds"):
        sk.score(bare, ["TimeToFirstClick"], per="session")
    with pytest.raises(DataError, match="dwell_seconds"):
        sk.score(bare, ["Dwell"], per="session")
