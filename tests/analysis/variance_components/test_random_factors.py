"""Which random factors a study has, and why some are left out."""

import polars as pl
import pytest

from sessionkit.errors import UsageError
from sessionkit.statistics.session_values import sessions_of
from sessionkit.statistics.variance_components import alike, asked_for, chosen
from tests.analysis.compare.layouts import by_topic, crossing, scores


def of(table):
    return sessions_of(table, None, "system_id")


def test_by_default_users_topics_and_what_topics_do_to_groups():
    study = of(crossing(range(120)))
    assert asked_for(study, None) == ("user_id", "topic_id", "system_id:topic_id")
    found = chosen(study, 0, asked_for(study, None))
    assert found.factors.names == ("user_id", "topic_id", "system_id:topic_id")
    assert found.factors.sizes == (30, 4, 8)
    assert (found.users, found.topics, found.left_out, found.dropped) == (30, 4, {}, {})
    assert found.factors.containing == (2,)
    assert alike(study, found.factors.names) == "system_id:user_id"


def test_without_topics_what_users_do_to_groups():
    rows = [(f"{u}{s}{i}", f"u{u}", None, f"S{s}", u + s * i) for u in range(4) for s in (0, 1) for i in (0, 1)]
    study = of(scores(rows))
    assert asked_for(study, None) == ("user_id", "system_id:user_id")
    assert alike(study, asked_for(study, None)) == ""


def test_names_in_any_order():
    study = of(crossing(range(120)))
    given = asked_for(study, "topic_id:system_id, user_id")
    assert given == ("user_id", "system_id:topic_id")
    with pytest.raises(UsageError, match=r"random=topic: no such factor here; .*did you mean 'topic_id'"):
        asked_for(study, ["topic"])


def test_what_cannot_be_told_apart_is_left_out_and_why():
    found = chosen(of(by_topic([[1, 2], [3, 5], [2, 2]])), 0, ("topic_id", "system_id:topic_id"))
    assert found.factors.names == ("topic_id",)
    assert "a level of its own" in found.left_out["system_id:topic_id"]
    # each topic searched with one system: the topic is the topic with its system
    rows = [(f"s{i}", f"u{i % 4}", f"t{i % 4}", f"S{i % 2}", i) for i in range(12)]
    found = chosen(of(scores(rows)), 0, ("user_id", "topic_id", "system_id:topic_id"))
    assert found.factors.names == ("user_id",)
    assert "as user_id does" in found.left_out["topic_id"]
    rows = [(f"s{i}", f"u{i % 3}", "t", f"S{i % 2}", i) for i in range(12)]
    assert "only one topic" in chosen(of(scores(rows)), 0, ("user_id", "topic_id")).left_out["topic_id"]
    rows = [(f"s{i}", f"u{i % 2}", None, f"S{i % 2}", i) for i in range(12)]
    assert "as the groups do," in chosen(of(scores(rows)), 0, ("user_id",)).left_out["user_id"]


def test_what_sessions_are_dropped():
    table = crossing(range(120)).with_columns(
        value=pl.when(pl.col("session_id") == "s003").then(None).otherwise("value"),
        user_id=pl.when(pl.col("session_id") == "s007").then(None).otherwise("user_id"),
    )
    found = chosen(of(table), 0, ("user_id", "topic_id"))
    assert found.dropped == {"undefined sessions": 1, "sessions without user_id": 1}
    assert len(found.values) == 118


def test_too_many_levels():
    rows = [(f"s{i}", f"u{i // 2}", None, f"S{i % 2}", i) for i in range(3200)]
    with pytest.raises(UsageError, match=r"3,200 sessions and 1,600 users.*up to 1,500"):
        chosen(of(scores(rows)), 0, ("user_id",))
