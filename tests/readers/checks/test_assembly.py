"""Checks across tables: parents, cascades, empty lists, statuses; every record ends somewhere."""

import pytest

from sessionkit.errors import DataError, DataWarning
from sessionkit.readers.read import read

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
    assert "queries: 2 queries rejected and kept as not logged, so that later positions stay as they are" in read.notes


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
        DataError, match=r"results.csv, line 3: rank_is_an_integer does not hold \(value 'x'\); 1 more record broken"
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
    assert str(caught[0].message) == "log.txt (results): no clicked results in it"


def test_defaults_fill_sessions(write, quiet_read):
    path = write("log.csv", "session_id,query_position,rank,doc_id,system_id\na,1,1,x,\nb,1,1,x,S2\n")
    read = quiet_read(path, config={"defaults": {"system_id": "bm25", "topic_id": 7, "wave": 2}})
    assert read.sessions.collect().to_dicts() == [
        {"session_id": "a", "user_id": None, "system_id": "bm25", "topic_id": "7", "judgment_key": "7", "wave": 2},
        {"session_id": "b", "user_id": None, "system_id": "S2", "topic_id": "7", "judgment_key": "7", "wave": 2},
    ]
