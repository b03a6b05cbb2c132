"""Labels: one for each value, in an order that is drawn.

Judgment keys: of what they are made, and that no two become one.
"""

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.privacy.pseudonyms import Names, RandomOrder, drawn
from tests.support.examples import examples


@settings(max_examples=examples(25), deadline=None)
@given(st.sets(st.text(max_size=3), max_size=30), st.none() | st.integers(0, 9))
def test_every_value_has_a_label_of_its_own(values, seed):
    names = drawn(pl.Series(sorted(values), dtype=pl.String), "user-", RandomOrder(seed), "user_id")
    assert sorted(names.labels) == [f"user-{n:04}" for n in range(1, len(values) + 1)]
    assert dict(zip(names.values, names.labels, strict=True)).keys() == values


def test_every_order_is_as_likely():
    """Three values have six orders; 6,000 draws give each 1,000 times, give or take five standard deviations (of 29)."""
    orders = Counter(tuple(RandomOrder().order(3, "user_id").tolist()) for _ in range(6000))
    assert len(orders) == 6
    assert all(abs(many - 1000) < 145 for many in orders.values())


def test_columns_are_drawn_apart_and_order_does_not_tell():
    chance = RandomOrder(3)
    one, other = (chance.order(100, name) for name in ("user_id", "session_id"))
    assert not np.array_equal(one, other)
    assert abs(np.corrcoef(np.arange(100), one)[0, 1]) < 0.4


def test_there_are_enough_digits():
    names = drawn(pl.Series([str(n) for n in range(12_345)]), "s-", RandomOrder(), "session_id")
    assert names.labels.str.len_chars().unique().to_list() == [7]
    assert names.labels.max() == "s-12345"


def test_what_has_no_label_stays():
    names = Names(pl.Series(["a"]), pl.Series(["x"]))
    assert names.of(pl.Series("text", ["a", "", None, "b"])).to_list() == ["x", "", None, "b"]
    assert drawn(pl.Series([], dtype=pl.String), "x", RandomOrder(), "y").of(pl.Series(["a"])).to_list() == ["a"]


SESSIONS = {"session_id": ["s1", "s2"], "user_id": ["u1", "u2"], "topic_id": ["t1", "key-0001"]}
RESULTS = {"session_id": ["s1", "s2"], "query_position": [1, 1], "rank": [1, 1], "doc_id": ["a", "a"]}


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


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_topics_stay():
    _, made, keys = copied(["t1", "key-0001"])
    assert keys == ["t1", "key-0001"]
    assert "judgment_key" not in made.mapping["column"]


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_a_key_that_nothing_refers_to_has_a_name_that_no_topic_has():
    """The free name would be key-0001, which is a topic."""
    _, _, keys = copied(["t1", "key-0001", "who is ann"])
    assert sorted(keys) == ["key-0001", "key-0002", "key-0003"]


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_what_is_a_topic_here_and_a_text_there_is_replaced():
    """The topic cat is what somebody asked for, too; topics are kept as asked."""
    topics = {"topic_id": ["cat", "key-0001"]}
    _, made, keys = copied(["cat", "dog"], queries=["cat", "dog"], topics=topics, keep="topics")
    texts = dict(made.mapping.filter(column="query_text").select("original", "pseudonym").iter_rows())
    assert keys == [texts["cat"], texts["dog"]]
    sessions = made.study.sessions.collect()
    assert sorted(sessions["judgment_key"]) == sorted([texts["cat"], "key-0001"])
    assert sorted(sessions["topic_id"]) == ["cat", "key-0001"]


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_users_and_sessions_are_what_they_are_elsewhere():
    for column, values in (("user_id", ["u1", "u2"]), ("session_id", ["s1", "s2"])):
        _, made, keys = copied(values, sessions=values)
        names = dict(made.mapping.filter(column=column).select("original", "pseudonym").iter_rows())
        assert keys == [names[value] for value in values]
        sessions = made.study.sessions.collect()
        assert sessions["judgment_key"].to_list() == sessions[column].to_list()


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_keys_of_other_things_are_replaced_whatever_is_kept():
    _, made, keys = copied(["s1:a", "s2:b"], sessions=["s1:a", "s2:b"], keep="sessions,users,queries")
    assert sorted(keys) == ["key-0001", "key-0002"]
    assert made.mapping["original"].sort().to_list() == ["s1:a", "s2:b"]


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_judgments_come_in_the_order_of_their_new_keys_those_of_a_document_as_they_were():
    rows = {"judgment_key": list("tsts"), "doc_id": list("aaaa"), "grade": [3.0, 1.0, 2.0, 0.0]}
    sessions = {"session_id": ["x", "y"], "topic_id": ["s", "t"]}
    results = {"session_id": ["x", "y"], "query_position": [1, 1], "rank": [1, 1], "doc_id": ["a", "a"]}
    study = sk.from_tables(sessions=sessions, results=results, judgments=rows, merge="first")
    kept = sk.pseudonymize(study).study.judgments.collect()
    assert kept["grade"].to_list() == [1.0, 0.0, 3.0, 2.0]
    assert kept.select(pl.col("judgment_key")).to_series().to_list() == list("sstt")
