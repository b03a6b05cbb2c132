"""Studies of a few sessions by date, and what it is that two studies have in common."""

from polars.testing import assert_frame_equal

import sessionkit as sk
from sessionkit.study.batches import ORDER
from tests.support.score_way import score_way

ASKED = ["sDCG@10", "nsDCG(ideal=spread)@5", "mean(nDCG@10)"]
FIRST = {"s1": ("u1", "2026-11-19", "ab"), "s4": ("u2", "2026-11-20", "cb"), "s2": ("u1", "2026-11-20", "a")}
DAY = {"s3": ("u3", "2026-11-21", "bc"), "s0": ("u1", "2026-11-21", "b")}


def small(sessions, judgments=None, **settings):
    """A study of sessions that show documents: {session_id: (user, date, documents)}."""
    shown = [(session, rank, doc) for session, (_, _, docs) in sessions.items() for rank, doc in enumerate(docs, 1)]
    results = {name: [row[at] for row in shown] for at, name in enumerate(("session_id", "rank", "doc_id"))}
    own = {"session_id": list(sessions), "topic_id": ["t"] * len(sessions)}
    own |= {name: [given[at] for given in sessions.values()] for at, name in enumerate(("user_id", "date"))}
    judged = judgments or {"a": 1, "b": 2}
    base = {"judgment_key": ["t"] * len(judged), "doc_id": list(judged), "grade": list(judged.values())}
    queries = {"session_id": list(sessions), "query_position": [1] * len(sessions)}
    return sk.from_tables(results | {"query_position": [1] * len(shown)}, base, queries, own, **settings)


def same_study(one, other):
    for name in ("users", "sessions", "queries", "results"):
        by = ORDER[name]
        assert_frame_equal(one.table(name).sort(by).collect(), other.table(name).sort(by).collect())
    assert one.facts == one.with_tables().facts == other.facts


def same_scores(one, other):
    for per in ("session", "query", "system_id", "all"):
        asked = ["nDCG@10"] if per == "query" else ASKED
        assert_frame_equal(
            sk.score(one, asked, **score_way(per)), sk.score(other, asked, **score_way(per)), check_exact=True
        )
    assert_frame_equal(sk.curve(one, "nsDCG@10"), sk.curve(other, "nsDCG@10"), check_exact=True)
    assert_frame_equal(sk.breakdown(one, "nDCG@10"), sk.breakdown(other, "nDCG@10"), check_exact=True)
