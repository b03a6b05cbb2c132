"""Tables a log lacks: made from the one it has."""

import pytest

from sessionkit.errors import DataWarning
from sessionkit.readers import from_tables

FLAT = {
    "session_id": ["b", "a", "a", "a"],
    "query_position": [1, 1, 1, 2],
    "rank": [1, 1, 2, 1],
    "doc_id": ["x", "y", "z", "x"],
    "user_id": ["u2", "u1", None, "u1"],
    "system_id": ["S"] * 4,
    "topic_id": ["t1", "t2", "t2", "t2"],
    "query_text": ["q", "r", "r", "s"],
    "color": ["red"] * 4,
}


def test_one_flat_file(quiet_read):
    study = from_tables(FLAT)
    assert study.sessions.collect().rows() == [("a", "u1", "S", "t2", "t2"), ("b", "u2", "S", "t1", "t1")]
    assert study.queries.collect().rows() == [("a", 1, "r", "shown"), ("a", 2, "s", "shown"), ("b", 1, "q", "shown")]
    assert study.columns("results") == ("session_id", "query_position", "rank", "doc_id", "color")
    assert study.users.collect().rows() == [("u1",), ("u2",)]


def test_different_values_within_a_session_are_warned_of_and_the_first_kept():
    with pytest.warns(
        DataWarning, match="topic_id: different values within 1 session .first: session 'a'.*first value is kept"
    ):
        study = from_tables({**FLAT, "topic_id": ["t1", "t2", "t9", "t2"]})
    assert study.sessions.collect()["topic_id"].to_list() == ["t2", "t1"]


def test_a_judgment_key_that_differs_between_queries_belongs_to_them():
    study = from_tables({**FLAT, "judgment_key": FLAT["query_text"]})
    assert study.queries.collect()["judgment_key"].to_list() == ["r", "s", "q"]
    assert study.sessions.collect()["judgment_key"].to_list() == ["t2", "t1"], "by default the topic"


def test_a_judgment_key_constant_in_sessions_belongs_to_them():
    study = from_tables({**FLAT, "judgment_key": ["k", "s", "s", "s"]})
    assert "judgment_key" not in study.columns("queries")
    assert study.sessions.collect()["judgment_key"].to_list() == ["s", "k"]


def test_sessions_given_queries_derived():
    sessions = {"session_id": ["a", "b"], "user_id": ["u1", "u2"], "mood": [3, 4]}
    flat = {name: FLAT[name] for name in ("session_id", "query_position", "rank", "doc_id", "query_text")}
    study = from_tables(flat, sessions=sessions)
    assert study.sessions.collect()["mood"].to_list() == [3, 4]
    assert study.queries.collect()["query_text"].to_list() == ["r", "s", "q"]


def test_columns_that_sessions_lack_are_taken_from_queries_then_results():
    sessions = {"session_id": ["b", "a"], "user_id": ["u8", "u9"]}
    study = from_tables(FLAT, sessions=sessions)
    assert study.sessions.collect().rows() == [("a", "u9", "S", "t2", "t2"), ("b", "u8", "S", "t1", "t1")]
    assert study.columns("results") == ("session_id", "query_position", "rank", "doc_id", "user_id", "color")
    queries = {"session_id": ["b", "a", "a"], "query_position": [1, 1, 2], "topic_id": ["q1", "q2", "q2"]}
    both = from_tables(FLAT, queries=queries, sessions=sessions).sessions.collect()
    assert both.select("topic_id", "system_id").rows() == [("q2", "S"), ("q1", "S")]
    with pytest.warns(DataWarning, match="system_id: different values within 1 session .first: session 'a'"):
        from_tables({**FLAT, "system_id": ["S", "S", "T", "S"]}, sessions=sessions)


def test_a_lent_time_is_held_against_the_other():
    ends, began = ["2024-01-01T10:00:00Z", "2024-01-01T12:00:00Z"], ["2024-01-01T12:00:00Z"] * len(FLAT["session_id"])
    said = "sessions: ended_at set aside in 1 session .first: session 'a'.* session_ends_after_it_starts does not hold"
    with pytest.warns(DataWarning, match=said):
        study = from_tables({**FLAT, "started_at": began}, sessions={"session_id": ["a", "b"], "ended_at": ends})
    assert study.sessions.collect()["ended_at"].is_null().to_list() == [True, False]
    queries = {"session_id": ["a", "a", "b"], "query_position": [1, 2, 1], "started_at": [ends[at] for at in (1, 1, 0)]}
    with pytest.warns(DataWarning, match=said):  # of queries and results
        from_tables({**FLAT, "ended_at": [ends[0]] * len(began)}, queries=queries)


def test_queries_given_sessions_derived():
    queries = {"session_id": ["a", "a"], "query_position": [1, 2], "topic_id": ["t", "t"], "query_text": ["p", "q"]}
    with pytest.warns(DataWarning, match="queries: none of the 2 queries has a result"):
        study = from_tables(queries=queries)
    assert study.sessions.collect()["topic_id"].to_list() == ["t"]
    assert study.queries.collect().rows() == [("a", 1, "p", "not_logged"), ("a", 2, "q", "not_logged")]
    assert "topic_id" not in study.columns("queries")


def test_users_that_have_no_row_get_a_bare_one():
    study = from_tables(FLAT, users={"user_id": ["u1", "u3"], "age": [30, 40]})
    assert study.users.collect().rows() == [("u1", 30), ("u2", None), ("u3", 40)]
    assert any("an empty row was added" in note for note in study.notes)


def test_statuses_follow_from_the_rows_and_given_ones_stay():
    queries = {
        "session_id": ["a"] * 4,
        "query_position": [1, 2, 3, 4],
        "results_status": ["partly_observed", None, None, "not_logged"],
    }
    results = {"session_id": ["a", "a"], "query_position": [1, 2], "rank": [1, 1], "doc_id": ["x", "y"]}
    study = from_tables(results, queries=queries)
    assert study.queries.collect()["results_status"].to_list() == ["partly_observed", "shown", "empty", "not_logged"]
    assert any("queries: 1 query without result rows" in note for note in study.notes)


@pytest.mark.parametrize("status", ["empty", "not_logged"])
def test_study_toml_says_what_became_of_queries_without_result_rows(status, tmp_path, quiet_read):
    (tmp_path / "queries.csv").write_text("session_id,query_position\na,1\na,2\n")
    (tmp_path / "results.csv").write_text("session_id,query_position,rank,doc_id\na,1,1,x\n")
    (tmp_path / "study.toml").write_text(
        f'[queries]\npath = "queries.csv"\nwithout_results = "{status}"\n[results]\npath = "results.csv"\n'
    )
    study = quiet_read(tmp_path / "study.toml")
    assert study.queries.collect()["results_status"].to_list() == ["shown", status]
    assert not any("without result rows" in note for note in study.notes)


def test_a_list_with_every_row_rejected_is_not_known_to_be_empty():
    results = {"session_id": ["a", "a"], "query_position": [1, 2], "rank": ["x", "1"], "doc_id": ["x", "y"]}
    with pytest.warns(DataWarning):
        study = from_tables(results)
    assert study.queries.collect().rows() == [("a", 1, "not_logged"), ("a", 2, "shown")]


def test_a_query_said_to_be_shown_without_rows_is_noted():
    queries = {"session_id": ["a", "a"], "query_position": [1, 2], "results_status": ["shown", "shown"]}
    results = {"session_id": ["a"], "query_position": [1], "rank": [1], "doc_id": ["x"]}
    with pytest.warns(DataWarning, match="1 query marked as shown, but without a row"):
        study = from_tables(results, queries=queries)
    assert study.queries.collect()["results_status"].to_list() == ["shown", "shown"]
