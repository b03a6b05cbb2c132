"""Groups that users or topics leave nothing of: which units are the cause is said, and what would separate them; levels in order."""

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import UsageError

GROUPS_OF_SETS = [(f"u{u}", f"t{t}", ("AB" if u < 4 else "CD")[(t + u) % 2]) for u in range(8) for t in range(4)]


def scores(rows):
    """A table of scores of sessions: user, topic and system of each."""
    return pl.DataFrame(
        {
            "session_id": [f"s{number:03}" for number in range(len(rows))],
            "user_id": [row[0] for row in rows],
            "topic_id": [row[1] for row in rows],
            "system_id": [row[2] for row in rows],
            "measure": "sDCG@10",
            "value": [(number * 7 % 11) / 10 for number in range(len(rows))],
        }
    )


def test_users_who_fall_into_sets_are_named_as_the_cause():
    with pytest.raises(UsageError) as caught:
        sk.compare(scores(GROUPS_OF_SETS))
    told = str(caught.value)
    assert "cannot be separated from users in the 32 sessions" in told
    assert "the 8 users fall into sets that met different groups" in told
    assert "users with sessions of groups from several of these sets would separate them" in told
    assert "from users and topics" not in told


def test_too_few_sessions_are_named_as_the_cause():
    few = [("u0", "t0", "A"), ("u0", "t1", "B"), ("u1", "t0", "B"), ("u1", "t1", "A")]
    with pytest.raises(UsageError, match="4 sessions that can be compared are too few: 2 users, 2 topics and 2 groups"):
        sk.compare(scores(few))


def test_users_and_topics_that_tell_the_groups_apart_only_together_are_named():
    of_users, of_topics = [0, 0, 1, 1], [0, 0, 0, 0, 0, 1, 1, -1, -1]
    rows = [
        (f"u{u}", f"t{t}", "AB"[user + topic])
        for u, user in enumerate(of_users)
        for t, topic in enumerate(of_topics)
        if user + topic in (0, 1)
    ]
    with pytest.raises(UsageError) as caught:
        sk.compare(scores(rows), test="least-squares")
    assert "from users and topics together in the 28 sessions" in str(caught.value)
    assert "of the 4 users and 9 topics neither alone" in str(caught.value)
    assert "sessions of the same users on the same topics with both groups would separate them" in str(caught.value)


def test_one_user_is_compared_by_sessions_not_by_no_user():
    rows = [(f"u{u}", f"t{t}", "AB"[(t + u) % 2]) for u in range(3) for t in range(6)]
    found = sk.compare(scores(rows), within="user_id")
    assert found.population == "sessions"
    assert found.table["n_a"].to_list() == [3, 3, 3]
    assert "0 users" not in found.reading
    assert found.claim == (
        "sessions like these 6, assumed independent of each other, with different topics in each group, in each of these 3 users by itself"
    )


def test_levels_stand_in_natural_order():
    rows = [(f"u{u}", f"t{t}", s) for u in range(3) for t in (1, 2, 9, 10) for s in "AB"]
    assert sk.compare(scores(rows), within="topic_id").table["topic_id"].to_list() == ["t1", "t2", "t9", "t10"]
