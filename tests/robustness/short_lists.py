"""Studies of sessions with one list each, in which every number can be worked out by hand."""

import polars as pl

import sessionkit as sk


def study(lists, judgments, *, topics=None, **settings):
    """A study of sessions A1, A2, B1...: system and number; one list each, on topic t or as `topics` says."""
    results = [(session, 1, rank, doc) for session, docs in lists.items() for rank, doc in enumerate(docs, 1)]
    sessions = [(session, session[0], (topics or {}).get(session, "t")) for session in lists]
    return sk.from_tables(
        results=pl.DataFrame(results, schema=["session_id", "query_position", "rank", "doc_id"], orient="row"),
        sessions=pl.DataFrame(sessions, schema=["session_id", "system_id", "topic_id"], orient="row"),
        judgments=pl.DataFrame(judgments, schema=["judgment_key", "doc_id", "grade"], orient="row"),
        **{"max_grade": 2, **settings},
    )
