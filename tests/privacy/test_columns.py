"""Which columns of the source stay."""

from datetime import date, time, timedelta

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.privacy.columns import ColumnPlan, looks_like_times
from sessionkit.study.identifiers import PrivacyOptions

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
    plan = ColumnPlan.for_study(study, PrivacyOptions.of(study, **{"keep": (), "replace": (), "drop": (), **asked}))
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
    assert made.study.notes[0].endswith("sessions, topics; kept: documents, systems")
    assert sk.pseudonymize(study, keep="topics").study.sessions.collect()["topic_id"].sort().to_list() == IDS


@pytest.mark.parametrize(
    ("numbers", "times"),
    [
        ([1_700_000_000, 1_700_000_001], True),
        ([1_700_000_000e9, 1_700_000_001e9], True),
        ([0, 0, -1, None, 1_700_000_000], True),  # what is not above 0 stands for none
        ([0.0, float("nan"), 1_700_000_000.5], True),
        ([1_700_000_000, 5, 7], False),
        ([0, -1], False),
        ([1, 5], False),
        ([20_240_101, 20_241_231], True),
        ([19_351_224, 19_700_517], True),  # dates of birth
        ([202_401_312_359, 201_001_010_000], True),  # to the minute
        ([20_240_131_235_959], True),  # to the second
        ([18_000_000, 20_500_000], False),
    ],
)
def test_times_by_their_numbers(numbers, times):
    frame = pl.DataFrame({"n": numbers}, strict=False)
    assert frame.select(looks_like_times("n")).item() == times


def log(**columns):
    """A log of six users, each with a session of one query and one result; further columns by table."""
    place = {"session_id": [f"s{n}" for n in range(6)], "query_position": [1] * 6}
    return sk.from_tables(
        sessions={"session_id": place["session_id"], "user_id": IDS, **columns.get("sessions", {})},
        queries={**place, "query_id": [f"q{n}" for n in range(40, 46)], **columns.get("queries", {})},
        results={**place, "rank": [1] * 6, "doc_id": ["d"] * 6, **columns.get("results", {})},
    )


def test_numbers_that_repeat_ids_of_other_tables_do_not_stay():
    people, asked = [int(id_[1:]) for id_ in IDS], [*range(40, 46)]
    study = log(queries={"person": people}, results={"subject": people, "page": asked, "other": people[::-1]})
    assert out_of(study) == {"person": "repeats user_id", "subject": "repeats user_id", "page": "repeats query_id"}
    assert out_of(study, keep="users,queries") == {}


def test_seconds_since_1970_in_our_columns_do_not_stay():
    at = [1_700_000_000.0 + n for n in range(6)]
    study = log(
        sessions={"duration_seconds": [5.0] * 6},
        queries={"elapsed_seconds": at, "query_text": ["a"] * 6},
        results={"click_elapsed_seconds": at},
    )
    assert out_of(study) == {"elapsed_seconds": "looks like times", "click_elapsed_seconds": "looks like times"}
    assert out_of(study, keep="times") == {}
    assert out_of(log(queries={"elapsed_seconds": [*range(40, 46)]})) == {}  # like the ids of the queries, by chance
    made = sk.pseudonymize(study)
    (changed,) = made.of_kind("changed_scores")
    assert changed.values["columns"] == ["queries.elapsed_seconds", "results.click_elapsed_seconds"]
    assert not any(texts.values["same_scores"] for texts in made.of_kind("replaced_texts"))


@pytest.mark.slow
def test_topics_that_are_texts_of_queries_are_replaced_as_texts_are():
    """As in Quepid, whose sessions are about the query that they are."""
    texts = [f"my street {n}" for n in range(6)]
    study = log(sessions={"topic_id": texts}, queries={"query_text": texts})
    made = sk.pseudonymize(study)
    sessions, queries = made.study.sessions.collect(), made.study.queries.collect()
    for name in ("topic_id", "judgment_key"):
        assert sessions[name].to_list() == queries["query_text"].to_list()
    assert sk.pseudonymize(study, keep="topics").study.sessions.collect()["topic_id"].sort().to_list() == texts
    mixed = log(sessions={"topic_id": [*texts[:5], "t"]}, queries={"query_text": texts})
    made = sk.pseudonymize(mixed)
    sessions, queries = made.study.sessions.collect(), made.study.queries.collect()
    same = sessions.join(queries, on="session_id").select((pl.col("topic_id") == pl.col("query_text")).sum()).item()
    assert same == 5
    assert "t" not in sessions["topic_id"]
    repeats = [statement.values for statement in made.of_kind("repeats")]
    assert ("topic_id", 5, 6) in [(each["column"], each["count"], each["values"]) for each in repeats]


def test_a_deviating_row_keeps_no_number_that_repeats_an_id():
    people = [int(id_[1:]) for id_ in IDS]
    assert out_of(log(sessions={"subject": [*people[:5], 7]})) == {"subject": "repeats user_id"}
    assert out_of(log(sessions={"subject": [*people[:3], 7, 8, 9]})) == {}


@pytest.mark.parametrize(
    ("subject", "out"),
    [([0, 1], {}), ([0, 1, None], {}), ([0, 1, 2], {"subject": "repeats user_id"})],
)
def test_a_few_small_numbers_can_be_ids_by_chance(subject, out):
    many = len(subject)
    people = {"user_id": [f"u{n}" for n in range(many)], "subject": subject}
    log = {"session_id": people["user_id"], "query_position": [1] * many, "rank": [1] * many, "doc_id": ["d"] * many}
    sessions = {"session_id": log["session_id"], "user_id": people["user_id"]}
    assert out_of(sk.from_tables(users=people, sessions=sessions, results=log)) == out
