"""How many queries every session has, and lists that were logged: the same counts with ids, and from the places of rows on disk."""

import warnings

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import DataError
from sessionkit.study.counts import logged_lists, logged_queries

ASKED = [("a", 1, "shown"), ("a", 2, "not_logged"), ("b", 1, "not_logged"), ("c", 1, "empty"), ("c", 2, "shown")]
SESSIONS = {"session_id": list("abcd"), "system_id": list("YXYX"), "many": [9] * 4}
QUERIES = {"a": 2, "b": 1, "c": 2, "d": 0}
LISTS = {"a": 1, "b": 0, "c": 2, "d": 0}


@pytest.fixture
def study():
    results = {"session_id": ["a", "c"], "query_position": [1, 2], "rank": [1, 1], "doc_id": ["x", "y"]}
    queries = pl.DataFrame(ASKED, schema=["session_id", "query_position", "results_status"], orient="row")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sk.from_tables(results, sessions=SESSIONS, queries=queries)


@pytest.mark.parametrize("how", ["in memory", "saved", "partitioned"])
def test_queries_without_a_logged_list_are_queries_and_no_lists(study, how, tmp_path):
    if how != "in memory":
        study = study.save(tmp_path / "study", partition_by="system_id" if how == "partitioned" else None)
    for counts, expected in ((logged_queries, QUERIES), (logged_lists, LISTS)):
        table = counts(study, ["session_id", "system_id"])
        assert table.schema["many"] == pl.Int64
        assert dict(table.select("session_id", "many").rows()) == expected
        assert table.columns == ["session_id", "system_id", "many"]
        assert table["session_id"].to_list() == study.sessions.select("session_id").collect().to_series().to_list()


def test_a_column_of_that_name_is_not_taken_for_the_count(study):
    # two systems: Y has a and c, 2 + 2 queries; X has b and d, 1 + 0
    assert sk.describe(study).systems.select("system_id", "queries").rows() == [("X", 1), ("Y", 4)]


def test_a_study_that_was_replaced_on_disk_is_refused(study, tmp_path):
    opened = study.save(tmp_path / "study")
    sk.from_tables({"session_id": ["z"], "query_position": [1], "rank": [1], "doc_id": ["x"]}).save(tmp_path / "study")
    with pytest.raises(DataError, match="was replaced"):
        logged_queries(opened, ["session_id"])
