"""Which columns of the source stay."""

from datetime import date, time, timedelta

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.study.sharing.asked import Asked
from sessionkit.study.sharing.columns import Plan, looks_like_times

IDS = [f"u{n:03}" for n in range(101, 107)]
SESSIONS = {
    "session_id": [f"{n}" for n in range(6)],
    "user_id": IDS,
    "topic_id": IDS,  # a topic of its own for every user, called like the user
    "system_id": [*"ABABAB"],
    "rating": [1, 2, 3, 4, 5, 1],
    "whole": [0.5, 1.0, 1.5, 2.0, 2.5, 3.0],
    "finished": [True, False] * 3,
    "took": [timedelta(seconds=n) for n in range(6)],
    "place": [0, 1, 2, 3, 4, 5],
    "subject": [float(n) for n in range(101, 107)],
    "first_two": [101, 102, None, None, None, None],
    "stamp": [1_700_000_000_000 + n for n in range(6)],
    "day": [20_240_101 + n for n in range(6)],
    "comment": ["fine"] * 6,
    "group": pl.Series(["a", "b"] * 3, dtype=pl.Categorical),
    "born": [date(1970, 1, 1)] * 6,
    "woke": [time(6, 30)] * 6,
    "terms": [["a", "b"]] * 6,
}


@pytest.fixture
def study():
    rows = {"session_id": SESSIONS["session_id"], "query_position": [1] * 6, "rank": [1] * 6, "doc_id": ["d"] * 6}
    return sk.from_tables(sessions=pl.DataFrame(SESSIONS, strict=False), results=rows)


def out_of(study, **asked):
    """What is left out, by column."""
    plan = Plan.for_study(study, Asked.of(study, **{"keep": (), "replace": (), "drop": (), **asked}))
    return {column: reason for (_, column), reason in plan.out.items()}


def test_numbers_stay_and_what_can_hold_anything_does_not(study):
    assert out_of(study) == {
        "place": "repeats session_id",
        "subject": "repeats user_id",
        "first_two": "repeats user_id",
        "stamp": "looks like times",
        "day": "looks like times",
        "comment": "text",
        "group": "text",
        "born": "date or time",
        "woke": "date or time",
        "terms": "nested",
    }


def test_what_is_named_is_kept_or_left_out(study):
    out = out_of(study, keep="comment,stamp,users,times", replace="group", drop="rating")
    assert out == {
        "rating": "as asked",
        "place": "repeats session_id",
        "born": "date or time",
        "woke": "date or time",
        "terms": "nested",
    }
    assert out_of(study, keep="extras") == {}


def test_topics_that_are_the_users_are_replaced_as_users_are(study):
    made = sk.pseudonymize(study)
    sessions = made.study.sessions.collect()
    assert sessions["topic_id"].to_list() == sessions["user_id"].to_list()
    assert sessions["judgment_key"].to_list() == sessions["user_id"].to_list()
    assert made.study.notes[0].endswith("replaced: users, sessions, topics; kept: documents, systems")
    assert sk.pseudonymize(study, keep="topics").study.sessions.collect()["topic_id"].sort().to_list() == IDS


@pytest.mark.parametrize(
    ("low", "high", "times"),
    [
        (1_700_000_000, 1_700_000_001, True),
        (1_700_000_000e9, 1_700_000_001e9, True),
        (0, 1_700_000_000, False),
        (1, 5, False),
        (20_240_101, 20_241_231, True),
        (19_000_000, 20_241_231, False),
    ],
)
def test_times_by_their_numbers(low, high, times):
    assert looks_like_times(low, high) == times
