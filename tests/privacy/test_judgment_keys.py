"""Judgment keys: of what they are made, and that no two become one."""

import polars as pl
import pytest

import sessionkit as sk

SESSIONS = {"session_id": ["s1", "s2"], "user_id": ["u1", "u2"], "topic_id": ["t1", "key-0001"]}
RESULTS = {"session_id": ["s1", "s2"], "query_position": [1, 1], "rank": [1, 1], "doc_id": ["a", "a"]}
pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")


def copied(keys, *, sessions=None, queries=None, topics=None, **options):
    """What becomes of the judged keys: those of sessions, of queries and of judgments."""
    asked = {"session_id": ["s1", "s2"], "query_position": [1, 1], "query_text": ["cat", "dog"]}
    study = sk.from_tables(
        sessions=SESSIONS | (topics or {}) | ({"judgment_key": sessions} if sessions else {}),
        queries=asked | ({"judgment_key": queries} if queries else {}),
        results=RESULTS,
        judgments={"judgment_key": keys, "doc_id": ["a"] * len(keys), "grade": list(range(len(keys)))},
    )
    made = sk.pseudonymize(study, **options)
    grades = made.study.judgments.sort("grade").collect()
    return study, made, grades["judgment_key"].to_list()


def test_topics_stay():
    _, made, keys = copied(["t1", "key-0001"])
    assert keys == ["t1", "key-0001"]
    assert "judgment_key" not in made.mapping["column"]


def test_a_key_that_nothing_refers_to_has_a_name_that_no_topic_has():
    """The free name would be key-0001, which is a topic."""
    _, _, keys = copied(["t1", "key-0001", "who is ann"])
    assert sorted(keys) == ["key-0001", "key-0002", "key-0003"]


def test_what_is_a_topic_here_and_a_text_there_is_replaced():
    """The topic cat is what somebody asked for, too; topics are kept as asked."""
    topics = {"topic_id": ["cat", "key-0001"]}
    _, made, keys = copied(["cat", "dog"], queries=["cat", "dog"], topics=topics, keep="topics")
    texts = dict(made.mapping.filter(column="query_text").select("original", "pseudonym").iter_rows())
    assert keys == [texts["cat"], texts["dog"]]
    sessions = made.study.sessions.collect()
    assert sorted(sessions["judgment_key"]) == sorted([texts["cat"], "key-0001"])
    assert sorted(sessions["topic_id"]) == ["cat", "key-0001"]


def test_users_and_sessions_are_what_they_are_elsewhere():
    for column, values in (("user_id", ["u1", "u2"]), ("session_id", ["s1", "s2"])):
        _, made, keys = copied(values, sessions=values)
        names = dict(made.mapping.filter(column=column).select("original", "pseudonym").iter_rows())
        assert keys == [names[value] for value in values]
        sessions = made.study.sessions.collect()
        assert sessions["judgment_key"].to_list() == sessions[column].to_list()


def test_keys_of_other_things_are_replaced_whatever_is_kept():
    _, made, keys = copied(["s1:a", "s2:b"], sessions=["s1:a", "s2:b"], keep="sessions,users,queries")
    assert sorted(keys) == ["key-0001", "key-0002"]
    assert made.mapping["original"].sort().to_list() == ["s1:a", "s2:b"]


def test_judgments_come_in_the_order_of_their_new_keys_those_of_a_document_as_they_were():
    rows = {"judgment_key": list("tsts"), "doc_id": list("aaaa"), "grade": [3.0, 1.0, 2.0, 0.0]}
    sessions = {"session_id": ["x", "y"], "topic_id": ["s", "t"]}
    results = {"session_id": ["x", "y"], "query_position": [1, 1], "rank": [1, 1], "doc_id": ["a", "a"]}
    study = sk.from_tables(sessions=sessions, results=results, judgments=rows, merge="first")
    kept = sk.pseudonymize(study).study.judgments.collect()
    assert kept["grade"].to_list() == [1.0, 0.0, 3.0, 2.0]
    assert kept.select(pl.col("judgment_key")).to_series().to_list() == list("sstt")
