"""SogouQ: lines of clicks in GBK, of 2008 and of 2012. The fixtures are made up in their layouts."""

import pytest

from sessionkit.errors import DataError, UsageError
from sessionkit.readers.events.flat_logs import AGAIN
from sessionkit.readers.read import read
from tests.support.messages import match_parts, messages_with

OF_2012 = (
    "20111230120005\tu1\t[花园 小屋]\t3\t1\thttp://a.example\n"
    "20111230120025\tu1\t[花园 小屋]\t1\t2\thttp://b.example\n"
    "20111230120030\tu2\t[x]\t1\t1\thttp://c.example\n"
    "20111230120100\tu1\t猫\t2\t1\thttp://d.example\n"
    "20111230140000\tu1\t[猫]\t2\t1\thttp://d.example\n"
)


def rows(study, table, *columns):
    return study.table(table).select(columns).collect().rows()


def test_2012(write, quiet_read):
    study = quiet_read(
        write("SogouQ.txt", OF_2012.encode("gbk")), config={"timezone": "Asia/Shanghai", "format": "sogou"}
    )
    assert rows(study, "queries", "session_id", "query_position", "query_text", "results_status") == [
        ("u1-1", 1, "花园 小屋", "partly_observed"),
        ("u1-1", 2, "猫", "partly_observed"),
        ("u1-2", 1, "猫", "partly_observed"),  # after two hours
        ("u2-1", 1, "x", "partly_observed"),
    ]
    assert rows(study, "results", "session_id", "query_position", "rank", "doc_id", "click_order", "clicks") == [
        ("u1-1", 1, 1, "http://b.example", 2, 1),
        ("u1-1", 1, 3, "http://a.example", 1, 1),
        ("u1-1", 2, 2, "http://d.example", 1, 1),
        ("u1-2", 1, 2, "http://d.example", 1, 1),
        ("u2-1", 1, 1, "http://c.example", 1, 1),
    ]
    assert rows(study, "results", "clicked_at")[1][0].isoformat() == "2011-12-30T04:00:05+00:00"  # 8 hours behind
    assert messages_with(study.notes, "SogouQ.txt", "in GB18030")
    assert "issued_at" not in study.columns("queries")


def test_a_query_sent_again_is_one_whose_order_starts_anew(write, quiet_read):
    text = "".join(
        f"2011123012000{n}\tu1\t[cat]\t{rank}\t{order}\thttp://{rank}\n"
        for n, (rank, order) in enumerate([(1, 1), (2, 2), (1, 1)])
    )
    path = write("SogouQ.txt", text)
    study = quiet_read(path)
    assert rows(study, "results", "query_position", "rank", "clicks") == [(1, 1, 2), (1, 2, 1)]
    assert {one.kind: one.merged for one in study.sources}[AGAIN] == 1
    study = quiet_read(path, config={"format": "sogou", "merge_queries": []})
    assert rows(study, "results", "query_position", "rank", "clicks") == [(1, 1, 1), (1, 2, 1), (2, 1, 1)]


def test_2012_in_utf_8_is_recognized_too(write, quiet_read):
    study = quiet_read(write("SogouQ.txt", OF_2012))
    assert study.reader == "sogou"
    assert messages_with(study.notes, "SogouQ.txt", "in UTF-8")
    assert rows(study, "queries", "query_text")[0] == ("花园 小屋",)


def test_2008_takes_the_day_from_the_name(write, quiet_read):
    text = "00:00:10\tu1\t[猫]\t8 3\ta.example/b\n00:00:40\tu1\t[猫]\t8 4\ta.example/b\n"
    study = quiet_read(write("access_log.20080601.decode.filter", text.encode("gbk")))
    assert rows(study, "results", "session_id", "rank", "doc_id", "click_order", "clicks") == [
        ("u1-1", 8, "a.example/b", 3, 2)
    ]
    assert rows(study, "results", "clicked_at")[0][0].isoformat() == "2008-06-01T00:00:10+00:00"


def test_2008_without_a_day_or_without_times(write, quiet_read):
    study = quiet_read(write("sample", "00:00:10\tu1\t[cat]\t8 3\ta\n02:00:10\tu1\t[cat]\t8 1\ta\n"))
    assert rows(study, "queries", "session_id") == [("u1-1",), ("u1-2",)]
    assert rows(study, "results", "clicked_at") == [(None,), (None,)]
    assert messages_with(study.notes, "sample", "no day", "times of clicks", "left out")
    study = quiet_read(write("sample", "u1\t[cat]\t8 3\ta\nu1\t[cat]\t2 4\tb\n"))
    assert rows(study, "results", "session_id", "rank", "click_order") == [("u1-1", 2, 4), ("u1-1", 8, 3)]


def test_a_session_may_run_over_midnight(write, quiet_read):
    first = write("log.20080601", "23:50:00\tu1\t[cat]\t1 1\ta\n")
    study = quiet_read([first, write("log.20080602", "00:10:00\tu1\t[dog]\t1 1\tb\n")])
    assert rows(study, "queries", "session_id", "query_position", "query_text") == [
        ("u1-1", 1, "cat"),
        ("u1-1", 2, "dog"),
    ]


def test_what_breaks_a_rule_names_its_line(write, quiet_read, rejects):
    bad = "20111230120005\tu1\t[q]\t1\thttp://a\n20111399120005\tu1\t[q]\t1\t1\thttp://a\n20111230120005\tu1\t[q]\t?\t1\thttp://a\n"
    path = write("SogouQ.txt", (OF_2012 + bad).encode("gbk"))
    found = rejects(quiet_read(path))
    assert [row[1:4] for row in found] == [
        (6, "line_has_six_or_ten_fields", "5 fields"),
        (7, "time_is_given", "20111399120005"),
        (8, "rank_is_an_integer", "?"),
    ]
    with pytest.raises(DataError, match=match_parts("SogouQ.txt, line 6:", found[0][2])):
        read(path, strict=True)


def test_parts_of_the_time_behind_the_url_are_left_out(write, quiet_read):
    longer = "".join(f"{line}\t2011\t12 \t30\t12\n" for line in OF_2012.splitlines())
    study, same = quiet_read(write("log.ext", longer)), quiet_read(write("log", OF_2012))
    assert study.reader == "sogou"
    for table in ("queries", "results"):
        assert study.table(table).collect().equals(same.table(table).collect())


def test_what_is_not_in_the_encoding_is_noted_and_loses_no_line(write, quiet_read):
    study = quiet_read(write("SogouQ.txt", OF_2012.encode("gbk") + b"20111230150000\tu9\t[\xff\xff]\t1\t1\thttp://e\n"))
    assert rows(study, "queries", "session_id", "query_text")[-1] == ("u9-1", "\ufffd\ufffd")
    assert messages_with(study.notes, "SogouQ.txt: 2 characters", "GB18030", "U+FFFD")
    with pytest.raises(UsageError, match="encoding 'klingon' is unknown"):
        quiet_read(write("SogouQ.txt", OF_2012), config={"format": "sogou", "encoding": "klingon"})
