"""Counting from 0: shifted where most lists do it, an error of the record where one does."""

import pytest

from sessionkit.errors import DataError, DataWarning
from sessionkit.readers import from_tables
from sessionkit.readers.read import read


def tables(rows):
    return dict(
        zip(("session_id", "query_position", "rank", "doc_id"), map(list, zip(*rows, strict=True)), strict=True)
    )


def test_ranks_and_positions_from_zero():
    study = from_tables(tables([("a", 0, 0, "x"), ("a", 0, 2, "y"), ("a", 1, 0, "z")]))
    assert study.results.collect().rows() == [("a", 1, 1, "x"), ("a", 1, 3, "y"), ("a", 2, 1, "z")], "gaps stay"
    assert [note for note in study.notes if "counts from 0" in note] == [
        "results frame: query_position counts from 0 and was shifted to count from 1",
        "results frame: rank counts from 0 and was shifted to count from 1",
    ]


def test_a_single_zero_is_rejected():
    with pytest.warns(DataWarning) as caught:
        study = from_tables(tables([("a", 1, 0, "w"), ("a", 1, 1, "x"), ("a", 2, 1, "y"), ("b", 1, 1, "z")]))
    assert [str(warning.message) for warning in caught] == [
        "results frame: 1 rank of 0; if the log counts from 0, add 1 to all of them",
        "results frame (results): 1 record rejected: rank_is_at_least_1 1",
    ]
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
    assert "say base = { rank = 0 } in study.toml" in str(caught[0].message)
    study = read(path, config={"results": {"base": {"rank": 0}}})
    assert study.results.collect().select("query_position", "rank").rows() == [(1, 1), (1, 5), (1, 3), (1, 4)]


def test_formats_are_told_to_take_their_own_option(write):
    events = "session_id,event,query_text,doc_id,rank\n" + "".join(
        f"{session},query,cats,,\n{session},click,,{session},{rank}\n"
        for session, rank in zip("abc", (0, 2, 3), strict=True)
    )
    with pytest.warns(DataWarning) as caught:
        read(write("log.csv", events), format="events")
    assert "say rank_base = 0 in study.toml" in str(caught[0].message)
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
