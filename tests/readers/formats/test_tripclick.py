"""TripClick: lines of interactions. The fixtures are made up in its layout."""

import json

import pytest

from sessionkit.errors import DataError
from sessionkit.readers.read import read

NOON = 1_483_272_000_000  # 2017-01-01 12:00 UTC


def line(session="ab1", text="asthma AND child", seconds=0, documents=(11, 12, 13), clicked=0, **others):
    date = f"/Date({NOON + 1000 * seconds})/"
    given = {"SessionId": session, "Keywords": text, "DateCreated": date, "Documents": documents, "DocumentId": clicked}
    return json.dumps({**given, **others}) + "\n"


def rows(study, table, *columns):
    return study.table(table).select(columns).collect().rows()


def kinds(study):
    return {source.kind: source.merged + source.idle for source in study.sources if not source.table}


def test_lines_of_one_session_query_and_list_are_one_query(write, quiet_read):
    text = line() + line(seconds=5, clicked=12) + line(seconds=9, clicked=12) + line(seconds=20, documents=(14, 15))
    study = quiet_read(write("2017-01-01.json", text))
    assert study.reader == "tripclick"
    assert rows(study, "queries", "query_position", "query_text", "results_status") == [
        (1, "asthma AND child", "shown"),
        (2, "asthma AND child", "shown"),  # another list
    ]
    assert rows(study, "results", "query_position", "rank", "doc_id", "clicked", "clicks") == [
        (1, 1, "11", False, 0),
        (1, 2, "12", True, 2),
        (1, 3, "13", False, 0),
        (2, 1, "14", False, 0),
        (2, 2, "15", False, 0),
    ]
    issued = rows(study, "queries", "issued_at")[0][0]
    clicked = rows(study, "results", "clicked_at")[1][0]
    assert (issued.isoformat(), (clicked - issued).total_seconds()) == ("2017-01-01T12:00:00+00:00", 5)
    # 4 lines = 2 queries + 2 further ones
    assert kinds(study) == {"further lines of a query and list": 2, "clicks": 2}


def test_each_line_is_a_query_where_nothing_is_to_be_merged(write, quiet_read):
    text = line() + line(seconds=5, clicked=12) + line(seconds=9, clicked=13)
    study = quiet_read(write("2017-01-01.json", text), config={"format": "tripclick", "merge_queries": []})
    assert rows(study, "queries", "query_position") == [(1,), (2,), (3,)]
    assert rows(study, "results", "query_position", "doc_id", "clicked")[3:] == [
        (2, "11", False),
        (2, "12", True),
        (2, "13", False),
        (3, "11", False),
        (3, "12", False),
        (3, "13", True),
    ]
    assert kinds(study) == {"clicks": 2}


@pytest.mark.parametrize("clicked", [0, "", None, "0"])
def test_no_click(write, quiet_read, clicked):
    study = quiet_read(write("x.json", line(clicked=clicked)))
    assert kinds(study) == {}
    assert rows(study, "results", "clicked") == [(False,)] * 3


def test_a_clicked_document_that_the_list_does_not_hold(write, quiet_read):
    study = quiet_read(write("x.json", line(clicked=99)))
    assert kinds(study) == {"clicks on a document that its list does not hold": 1}


def test_empty_lists_and_lists_that_were_not_logged(write, quiet_read):
    study = quiet_read(write("x.json", line(documents=[]) + line(text="b", documents=None, seconds=1)))
    assert rows(study, "queries", "results_status") == [("empty",), ("not_logged",)]


@pytest.mark.parametrize("documents", ['["11:7.25","12:6.1","13:5E-05"]', "11:7.25,12:6.1,13:", "[11:7, 12:6, 13:5]"])
@pytest.mark.parametrize("array", ["[{},\n{},\n{}]\n", "[\n{}\n,{},\n{}\n]\n", "{}\n{}\n{}\n"])
def test_the_earlier_form_of_the_log(write, quiet_read, documents, array):
    lines = [
        line(documents=documents, clicked=12),
        line(seconds=9, documents=documents, clicked=13),
        line(text="b", seconds=20, documents=None),
    ]
    study = quiet_read(write("2013-01-01.json", array.format(*(one.strip() for one in lines))))
    assert study.reader == "tripclick"
    assert rows(study, "queries", "query_text", "results_status") == [
        ("asthma AND child", "shown"),
        ("b", "not_logged"),
    ]
    assert rows(study, "results", "rank", "doc_id", "clicked") == [(1, "11", False), (2, "12", True), (3, "13", True)]
    assert kinds(study) == {"further lines of a query and list": 1, "clicks": 2}


def test_a_session_of_a_browser_can_be_cut(write, quiet_read):
    path = write("x.json", line() + line(text="b", seconds=3600))
    assert rows(quiet_read(path), "queries", "session_id") == [("ab1",), ("ab1",)]
    assert rows(quiet_read(path, session_gap="30m"), "queries", "session_id") == [("ab1-1",), ("ab1-2",)]


def test_days_of_one_session_and_keys_that_are_not_read(write, quiet_read):
    first = write("2017-01-01.json", line(Title="t", Url="u"))
    study = quiet_read([first, write("2017-01-02.json.gz", line(text="b", seconds=50))])
    assert rows(study, "queries", "session_id", "query_position", "query_text") == [
        ("ab1", 1, "asthma AND child"),
        ("ab1", 2, "b"),
    ]
    assert "2017-01-01.json: keys that are not read: Title, Url" in study.notes


def test_what_breaks_a_rule_names_its_line(write, quiet_read, rejects):
    text = line() + '{"SessionId":"ab1",\n' + line(session="") + line(DateCreated="today") + line(documents={"a": 1})
    path = write("x.json", text)
    assert [row[1:3] for row in rejects(quiet_read(path))] == [
        (2, "line_is_a_json_object"),
        (3, "session_id_is_given"),
        (4, "date_can_be_read"),
        (5, "documents_are_a_list"),
    ]
    with pytest.raises(DataError, match=r"x.json, line 2: line_is_a_json_object does not hold"):
        read(path, strict=True)


@pytest.mark.parametrize("ids", [["PMID:11", "PMID:12"], ["doi:10.1/x", "http://a.example/b"], ["11:2", "x"]])
def test_ids_with_a_colon_stay_as_they_are(write, quiet_read, ids):
    study = quiet_read(write("log.json", line(documents=ids, clicked=ids[1])))
    assert rows(study, "results", "doc_id", "clicked") == [(ids[0], False), (ids[1], True)]


@pytest.mark.parametrize("value", ["NaN", "-Infinity", "1e999"])
def test_a_number_that_is_not_finite_costs_no_line(write, quiet_read, value):
    study = quiet_read(
        write("log.json", line(spent=7) + line(text="gout", seconds=9, spent=8).replace("8}", f"{value}}}"))
    )
    assert rows(study, "queries", "query_text") == [("asthma AND child",), ("gout",)]
    assert rows(study, "rejected", "rule") == []
