"""Seconds in place of times of day, against a walk over the events of random logs."""

from datetime import UTC, datetime

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings

import sessionkit as sk
from tests.scoring.measures.logged import click_times, issue_times, lists_of, logs, study_of
from tests.support.examples import examples

TIMES = ["Duration", "TimeToFirstClick", "Dwell", "sU(horizon=100)", "sTBG", "Clicks", "Abandoned"]
pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")


@pytest.mark.slow
@settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(log=logs())
def test_seconds_are_those_that_scoring_finds(log):
    study = study_of(log)
    made = sk.pseudonymize(study, keep="sessions")
    queries, results = made.study.queries.collect(), made.study.results.collect()
    assert queries["elapsed_seconds"].to_list() == [time for session in log[0] for time in issue_times(session)]
    clicked = results.filter(
        "clicked"
        if "clicks" not in results.columns
        else pl.coalesce("clicked", pl.col("clicks") > 0, pl.col("click_elapsed_seconds").is_not_null())
    )
    assert clicked["click_elapsed_seconds"].to_list() == [
        time for session in log[0] for *_, time in click_times(session)
    ]
    assert len(results) == sum(len(query["results"]) for session in log[0] for query in lists_of(session))
    scores = [sk.score(one, TIMES, per="session").drop("user_id") for one in (study, made.study)]
    assert scores[0].equals(scores[1])


def session_orders(**columns):
    """The place of each session in its user's part, of a log that has these columns of sessions."""
    rows = {"session_id": [*"abcd"], "user_id": ["u", "u", "v", None], **columns}
    queries = {"session_id": [*"abcd"], "query_position": [1] * 4}
    if "issued_at" in rows:
        queries["issued_at"] = rows.pop("issued_at")
    results = {**queries, "rank": [1] * 4, "doc_id": ["x"] * 4}
    study = sk.from_tables(
        sessions=rows, queries=queries, results={name: results[name] for name in results if name != "issued_at"}
    )
    copy = sk.pseudonymize(study, keep="sessions").study
    if "session_order" not in copy.columns("sessions"):
        return None
    return copy.sessions.collect()["session_order"].to_list()


@pytest.mark.slow
def test_the_order_of_sessions_stays_where_times_told_it():
    days = [datetime(2021, 1, day, tzinfo=UTC) for day in (2, 1, 3, 4)]
    assert session_orders(started_at=days) == [2, 1, 1, None]
    assert session_orders(issued_at=days) == [2, 1, 1, None]
    assert session_orders(started_at=[None, *days[1:]], issued_at=days) == [2, 1, 1, None]
    assert session_orders(started_at=days, session_order=[1, 2, 1, 1]) == [1, 2, 1, 1]
    assert session_orders(started_at=[None] * 4) is None
    assert session_orders() is None
    assert session_orders(started_at=days, user_id=[None] * 4) is None


def test_a_query_whose_list_was_not_logged_begins_a_session():
    """The first of three queries, a minute before the second, is a query of the searcher like the others."""
    minutes = [datetime(2021, 1, 1, 9, minute, tzinfo=UTC) for minute in (0, 1, 3)]
    study = sk.from_tables(
        queries={
            "session_id": ["s"] * 3,
            "query_position": [1, 2, 3],
            "issued_at": minutes,
            "results_status": ["not_logged", "shown", "shown"],
        },
        results={"session_id": ["s"] * 2, "query_position": [2, 3], "rank": [1, 1], "doc_id": ["a", "b"]},
    )
    copy = sk.pseudonymize(study).study
    assert copy.queries.collect()["elapsed_seconds"].to_list() == [0.0, 60.0, 180.0]
    assert [sk.score(one, ["Duration"], per="session")["value"].to_list() for one in (study, copy)] == [[180.0]] * 2
