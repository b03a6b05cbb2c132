"""Checks across tables: parents, cascades, empty lists, statuses; every record ends somewhere.

Counting from 0: shifted where most lists do it, an error of the record where one does.

Tables a log lacks: made from the one it has.
"""

import pytest

from sessionkit.errors import DataError, DataWarning
from sessionkit.readers import from_tables
from sessionkit.readers.read import read
from tests.support.messages import match_parts, messages_with

TOML = """
[sessions]
path = "sessions.csv"
[queries]
path = "queries.csv"
[results]
path = "results.csv"
empty_list = "no results"
"""


@pytest.fixture
def study(write, quiet_read):
    def study(sessions=None, queries=None, results=None, **options):
        toml = ""
        for name, text in (("sessions", sessions), ("queries", queries), ("results", results)):
            if text is not None:
                write(f"{name}.csv", text)
                toml += f'[{name}]\npath = "{name}.csv"\n' + (
                    'empty_list = "no results"\n' if name == "results" else ""
                )
        return quiet_read(write("study.toml", toml), **options)

    return study


def rules(study):
    return study.rejected.collect().select("table", "record", "rule").rows()


RESULTS = "session_id,query_position,rank,doc_id\n"


def test_rows_follow_their_session(study):
    read = study(
        sessions="session_id,session_order\na,1\nbad,1,x\na,2\n",
        queries="session_id,query_position\na,1\nbad,1\nlost,1\n",
        results=RESULTS + "a,1,1,x\nbad,1,1,x\nlost,1,1,x\n",
    )
    assert rules(read) == [
        ("sessions", 2, "record_fits_the_columns"),
        ("sessions", 3, "session_is_unique"),
        ("queries", 2, "session_is_accepted"),
        ("queries", 3, "session_is_known"),
        ("results", 2, "session_is_accepted"),
        ("results", 3, "session_is_known"),
    ]
    assert read.results.collect().height == 1


def test_rows_follow_their_query(study):
    read = study(
        queries="session_id,query_position,elapsed_seconds\na,1,0\na,2,5,x\na,3,9\n",
        results=RESULTS + "a,1,1,x\na,2,1,x\na,3,1,x\na,4,1,x\nz,1,1,x\n",
    )
    assert rules(read) == [
        ("queries", 2, "record_fits_the_columns"),
        ("results", 2, "query_is_accepted"),
        ("results", 4, "query_is_known"),
        ("results", 5, "session_is_known"),
    ]


def test_a_rejected_query_does_not_take_the_later_ones_with_it(study):
    read = study(
        queries="session_id,query_position,user_id,elapsed_seconds\na,1,u,5,x\na,2,,0\na,2,,1\na,400,,0\nb,1,v,1,x\n",
        results=RESULTS + "a,1,1,x\na,2,1,x\n",
    )
    assert rules(read) == [
        ("queries", 1, "record_fits_the_columns"),
        ("queries", 3, "query_position_is_unique_in_session"),
        ("queries", 4, "query_position_is_within_reach"),
        ("queries", 5, "record_fits_the_columns"),
        ("results", 1, "query_is_accepted"),
    ]
    assert read.queries.collect().select("session_id", "query_position", "results_status").rows() == [
        ("a", 1, "not_logged"),
        ("a", 2, "shown"),
        ("b", 1, "not_logged"),
    ]
    assert read.sessions.collect().select("session_id", "user_id").rows() == [("a", "u"), ("b", "v")]
    assert messages_with(read.notes, "queries: 2 queries rejected", "as not logged")


def test_no_bare_query_in_a_session_that_was_rejected(study):
    read = study(
        sessions="session_id\na\n",
        queries="session_id,query_position\na,1\nlost,1\n",
        results=RESULTS + "a,1,1,x\n",
    )
    assert read.queries.collect()["session_id"].to_list() == ["a"]


def test_positions_after_a_gap_without_a_queries_table(study):
    read = study(results=RESULTS + "a,1,1,x\na,3,1,x\nb,2,no results,\nc,1,1,x\n")
    assert rules(read) == []
    assert read.queries.collect().rows() == [
        ("a", 1, "shown"),
        ("a", 2, "not_logged"),
        ("a", 3, "shown"),
        ("b", 1, "not_logged"),
        ("b", 2, "empty"),
        ("c", 1, "shown"),
    ]


def test_empty_lists_make_queries_not_results(study):
    read = study(results=RESULTS + "a,1,no results,\na,2,1,x\nb,1, no results ,\nb,1,no results,\n")
    assert read.queries.collect().rows() == [("a", 1, "empty"), ("a", 2, "shown"), ("b", 1, "empty")]
    assert (read.sources[0].records, read.sources[0].rows, read.sources[0].empty_lists) == (4, 1, 3)


def test_a_list_cannot_be_empty_and_have_results(study):
    read = study(results=RESULTS + "a,1,1,x\na,1,no results,\n")
    assert rules(read) == [("results", 2, "empty_list_has_no_results")]
    assert read.queries.collect()["results_status"].to_list() == ["shown"]


def test_results_under_a_query_that_showed_none(study):
    read = study(
        queries="session_id,query_position,results_status\na,1,not_logged\na,2,empty\na,3,partly_observed\n",
        results=RESULTS + "a,1,1,x\na,2,1,x\na,3,1,x\n",
    )
    assert rules(read) == [("results", 1, "list_was_shown"), ("results", 2, "list_was_shown")]
    assert read.queries.collect()["results_status"].to_list() == ["not_logged", "empty", "partly_observed"]


def test_an_empty_list_of_an_unknown_query(study):
    read = study(queries="session_id,query_position\na,1\n", results=RESULTS + "a,1,no results,\na,2,no results,\n")
    assert rules(read) == [("results", 2, "query_is_known")]


def test_strict_stops_at_the_first(study):
    with pytest.raises(
        DataError, match=match_parts("results.csv, line 3:", "rank_is_an_integer", "'x'", "1 more record")
    ):
        study(results=RESULTS + "a,1,1,x\na,1,x,y\na,1,y,z\n", strict=True)


def test_sessions_without_queries_count_and_are_noted(study):
    read = study(sessions="session_id\na\nb\n", results=RESULTS + "a,1,1,x\n")
    assert read.facts.sessions == 2
    assert "sessions: 1 session without any query" in read.notes


def test_a_source_without_records_is_noted(write):
    with pytest.warns(DataWarning, match="no records, only a header"):
        assert read(write("log.csv", RESULTS)).facts.results == 0


def test_a_log_without_records_of_some_kind_says_of_which(write):
    log = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n1\tcats\t2006-03-01 10:00:00\t\t\n"
    with pytest.warns(DataWarning) as caught:
        read(write("log.txt", log))
    assert messages_with([caught[0].message], "log.txt (results)", "no clicked results")


def test_defaults_fill_sessions(write, quiet_read):
    path = write("log.csv", "session_id,query_position,rank,doc_id,system_id\na,1,1,x,\nb,1,1,x,S2\n")
    read = quiet_read(path, config={"defaults": {"system_id": "bm25", "topic_id": 7, "wave": 2}})
    assert read.sessions.collect().to_dicts() == [
        {"session_id": "a", "user_id": None, "system_id": "bm25", "topic_id": "7", "judgment_key": "7", "wave": 2},
        {"session_id": "b", "user_id": None, "system_id": "S2", "topic_id": "7", "judgment_key": "7", "wave": 2},
    ]


def tables(rows):
    return dict(
        zip(("session_id", "query_position", "rank", "doc_id"), map(list, zip(*rows, strict=True)), strict=True)
    )


def test_ranks_and_positions_from_zero():
    study = from_tables(tables([("a", 0, 0, "x"), ("a", 0, 2, "y"), ("a", 1, 0, "z")]))
    assert study.results.collect().rows() == [("a", 1, 1, "x"), ("a", 1, 3, "y"), ("a", 2, 1, "z")], "gaps stay"
    positions, ranks = messages_with(study.notes, "counts from 0")
    assert messages_with([positions], "results frame: query_position", "count from 1")
    assert messages_with([ranks], "results frame: rank", "count from 1")


def test_a_single_zero_is_rejected():
    with pytest.warns(DataWarning) as caught:
        study = from_tables(tables([("a", 1, 0, "w"), ("a", 1, 1, "x"), ("a", 2, 1, "y"), ("b", 1, 1, "z")]))
    zero, rejected = (warning.message for warning in caught)
    assert messages_with([zero], "results frame: 1 rank of 0", "add 1")
    assert messages_with([rejected], "results frame (results): 1 record", "rank_is_at_least_1 1")
    assert study.rejected.collect()["value"].to_list() == ["0"]
    assert study.results.collect()["rank"].to_list() == [1, 1, 1]


def test_positions_of_results_follow_those_of_queries():
    # no session's first query returned anything, so the results alone would seem to count from 1
    queries = {"session_id": ["a", "a"], "query_position": [0, 1]}
    study = from_tables(tables([("a", 1, 1, "x")]), queries=queries)
    assert study.results.collect().rows() == [("a", 2, 1, "x")]
    assert study.queries.collect()["results_status"].to_list() == ["empty", "shown"]


CLICKS = "session_id,query_position,rank,doc_id\na,1,0,v\na,1,4,w\nb,1,2,x\nc,1,3,y\n"


def test_zeros_of_a_log_of_clicks_are_warned_of_and_base_takes_them(write):
    # one list of three has a click on the first result, so most lists do not begin with 0
    path = write("log.csv", CLICKS)
    with pytest.warns(DataWarning) as caught:
        assert read(path).results.collect()["rank"].to_list() == [4, 2, 3]
    assert messages_with([caught[0].message], "base = { rank = 0 }", "study.toml")
    study = read(path, config={"results": {"base": {"rank": 0}}})
    assert study.results.collect().select("query_position", "rank").rows() == [(1, 1), (1, 5), (1, 3), (1, 4)]


def test_formats_are_told_to_take_their_own_option(write):
    events = "session_id,event,query_text,doc_id,rank\n" + "".join(
        f"{session},query,cats,,\n{session},click,,{session},{rank}\n"
        for session, rank in zip("abc", (0, 2, 3), strict=True)
    )
    with pytest.warns(DataWarning) as caught:
        read(write("log.csv", events), format="events")
    assert messages_with([caught[0].message], "rank_base = 0", "study.toml")
    study = read(write("log.csv", events), config={"format": "events", "rank_base": 0})
    assert study.results.collect()["rank"].to_list() == [1, 3, 4]


def test_one_base_stands_for_all_that_counts(write):
    path = write("log.csv", "session_id,query_position,rank,doc_id\na,0,0,v\na,0,1,w\nb,0,3,x\nc,0,3,y\n")
    study = read(path, config={"results": {"base": 0}})
    assert study.results.collect().select("query_position", "rank").rows() == [(1, 1), (1, 2), (1, 4), (1, 4)]


def test_base_one_keeps_what_most_lists_do(write):
    path = write("log.csv", "session_id,query_position,rank,doc_id\na,1,0,v\na,1,1,w\n")
    with pytest.warns(DataWarning, match="rank_is_at_least_1 1"):
        assert read(path, config={"results": {"base": 1}}).results.collect()["rank"].to_list() == [1]


def test_rejected_records_tell_the_base_too():
    # both records with rank 0 lack their document; without them the lists would seem to begin with 1
    rows = [("a", 1, 0, None), ("a", 1, 1, "x"), ("b", 1, 0, None), ("b", 1, 1, "y")]
    with pytest.warns(DataWarning, match="doc_id_is_given 2"):
        study = from_tables(tables(rows))
    assert study.results.collect()["rank"].to_list() == [2, 2]


@pytest.mark.parametrize("base", [2, True, {"rank": -1}, {"ranks": 0}])
def test_other_bases_are_refused(write, base):
    with pytest.raises(DataError, match="base"):
        read(write("log.csv", CLICKS), config={"results": {"base": base}})


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
        DataWarning, match=match_parts("topic_id: different values", "1 session", "session 'a'", "first value is kept")
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
    with pytest.warns(DataWarning, match=match_parts("system_id: different values", "1 session", "session 'a'")):
        from_tables({**FLAT, "system_id": ["S", "S", "T", "S"]}, sessions=sessions)


def test_a_lent_time_is_held_against_the_other():
    ends, began = ["2024-01-01T10:00:00Z", "2024-01-01T12:00:00Z"], ["2024-01-01T12:00:00Z"] * len(FLAT["session_id"])
    said = match_parts("sessions: ended_at", "1 session", "session 'a'", "session_ends_after_it_starts")
    with pytest.warns(DataWarning, match=said):
        study = from_tables({**FLAT, "started_at": began}, sessions={"session_id": ["a", "b"], "ended_at": ends})
    assert study.sessions.collect()["ended_at"].is_null().to_list() == [True, False]
    queries = {"session_id": ["a", "a", "b"], "query_position": [1, 2, 1], "started_at": [ends[at] for at in (1, 1, 0)]}
    with pytest.warns(DataWarning, match=said):  # of queries and results
        from_tables({**FLAT, "ended_at": [ends[0]] * len(began)}, queries=queries)


def test_queries_given_sessions_derived():
    queries = {"session_id": ["a", "a"], "query_position": [1, 2], "topic_id": ["t", "t"], "query_text": ["p", "q"]}
    with pytest.warns(DataWarning, match=match_parts("queries: none", "2 queries", "has a result")):
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
    with pytest.warns(DataWarning, match=match_parts("1 query", "as shown", "without a row")):
        study = from_tables(results, queries=queries)
    assert study.queries.collect()["results_status"].to_list() == ["shown", "shown"]
