"""Yandex' Personalized Web Search Challenge: clicks by number of list, test queries. The fixtures are made up."""

import pytest

from sessionkit.errors import DataError
from sessionkit.readers.read import read
from tests.support.messages import match_parts, messages_with

LOG = (
    "0\tM\t3\t15\n"
    "0\t0\tQ\t0\t77\t5,6\t101,9\t102,9\n"
    "0\t7\tQ\t1\t78\t5\t102,9\t103,8\n"
    "0\t9\tC\t0\t102\n"  # on the first list, though the second has the document as well
    "0\t9\tC\t1\t103\n"
    "1\tM\t4\t15\n"
    "1\t0\tT\t0\t79\t7\t104,8\t105,8\n"
)


def rows(study, table, *columns):
    return study.table(table).select(columns).collect().rows()


def kinds(study):
    return {source.kind: source.merged + source.idle for source in study.sources if not source.table}


def test_clicks_by_list_users_days_and_test_queries(write, quiet_read):
    study = quiet_read(write("train.tsv", LOG))
    assert study.reader == "yandex_personalized"
    columns = ("session_id", "query_position", "query_id", "serp_id", "terms", "day", "test")
    assert rows(study, "queries", *columns) == [
        ("0", 1, "77", 0, "5,6", 3, False),
        ("0", 2, "78", 1, "5", 3, False),
        ("1", 1, "79", 0, "7", 4, True),
    ]
    assert rows(study, "sessions", "session_id", "user_id") == [("0", "15"), ("1", "15")]
    assert rows(study, "results", "session_id", "query_position", "doc_id", "domain_id", "clicked", "clicks") == [
        ("0", 1, "101", 9, False, 0),
        ("0", 1, "102", 9, True, 1),
        ("0", 2, "102", 9, False, 0),
        ("0", 2, "103", 8, True, 1),
        ("1", 1, "104", 8, None, None),  # clicks of test queries were withheld
        ("1", 1, "105", 8, None, None),
    ]
    # 7 lines = 3 queries + 2 session lines + 2 clicks
    assert kinds(study) == {"session lines": 2, "clicks": 2}
    assert messages_with(study.notes, "train.tsv: 1 query", "test", "clicks were withheld")


def test_ticks_are_seconds_where_that_is_declared(write, quiet_read):
    study = quiet_read(write("train.tsv", LOG), config={"format": "yandex_personalized", "seconds_per_tick": 2})
    assert rows(study, "queries", "elapsed_seconds") == [(0.0,), (14.0,), (0.0,)]
    assert rows(study, "results", "click_elapsed_seconds")[1] == (18.0,)


def test_what_carries_nothing_is_counted_by_why(write, quiet_read):
    text = LOG + "0\t10\tC\t1\t999\n0\t11\tC\t7\t102\n2\tM\t4\t16\n0\tM\t9\t9\n3\t0\tQ\t0\t77\t5\t101,9\n"
    study = quiet_read(write("train.tsv", text))
    assert kinds(study) == {
        "session lines": 2,
        "clicks": 2,
        "session lines again, or of sessions without queries": 2,
        "clicks on a document that its list does not hold": 1,
        "clicks on a list that the session does not hold": 1,
    }
    assert rows(study, "sessions", "session_id", "user_id") == [("0", "15"), ("1", "15"), ("3", None)]


def test_what_breaks_a_rule_names_its_line(write, quiet_read, rejects):
    path = write("train.tsv", LOG + "0\tM\t3\n0\t1\tQ\t5\t77\n0\t1\tC\t0\n0\tx\tC\t0\t102\n0\t1\tZ\t0\t102\n")
    rule = "line_is_a_session_a_query_or_a_click"
    found = [row[1:4] for row in rejects(quiet_read(path))]
    assert [row for row in found if row[0] != 11] == [
        (line, rule, kind) for line, kind in ((8, "M"), (9, "Q"), (10, "C"), (12, "Z"))
    ]
    assert [row for row in found if row[0] == 11] == [(11, "time_passed_is_an_integer", "x")]
    with pytest.raises(DataError, match=match_parts("train.tsv, line 8:", rule)):
        read(path, strict=True)
