"""Webis-SMC-12: missions as sessions, or pauses. The fixtures are made up in its layout."""

import pytest

from sessionkit.errors import DataError
from sessionkit.readers.events.flat_logs import AGAIN
from sessionkit.readers.read import read
from tests.support.messages import match_parts

HEADER = "UserID\tQuery\tTimeStamp\tClickRank\tClickDomain\tMissionID\tComment\n"
LINES = (
    "7\tcat\t2006-03-04 11:00:00\t1\tcats.example\t1\t\n"
    "7\tflight\t2006-03-04 11:05:00\t\t\t2\tanother task\n"
    "7\tcat food\t2006-03-04 13:00:00\t3\tfood.example\t1\t\n"
    "7\tcat food\t2006-03-04 13:00:00\t3\tfood.example\t1\t\n"
    "8\tcat\t2006-03-04 11:00:00\t\t\t1\t\n"
)


def queries(study):
    columns = ("session_id", "query_position", "query_text", "mission_id", "comment")
    return study.queries.select(columns).collect().rows()


@pytest.mark.parametrize("header", [HEADER, ""])
def test_missions_are_sessions_also_when_taken_up_again(write, quiet_read, header):
    study = quiet_read(write("smc.txt", header + LINES))
    assert study.reader == "webis_smc"
    assert queries(study) == [
        ("7-1", 1, "cat", 1, None),
        ("7-1", 2, "cat food", 1, None),
        ("7-2", 1, "flight", 2, "another task"),
        ("8-1", 1, "cat", 1, None),  # mission 1 of another user
    ]
    assert study.sessions.select("session_id", "user_id").collect().rows() == [("7-1", "7"), ("7-2", "7"), ("8-1", "8")]
    assert study.results.select("session_id", "query_position", "rank", "doc_id", "clicks").collect().rows() == [
        ("7-1", 1, 1, "cats.example", 1),
        ("7-1", 2, 3, "food.example", 2),
    ]


@pytest.mark.parametrize("header", [HEADER, ""])
def test_lines_of_hyphens_and_blank_lines_are_no_records(write, quiet_read, rejects, header):
    rows, line = LINES.splitlines(keepends=True), "-" * 137 + "\n"
    study = quiet_read(
        write("smc.txt", header + line + "".join(rows[:2]) + "\n" + "".join(rows[2:4]) + "\n" + line + rows[4])
    )
    assert study.reader == "webis_smc"
    assert rejects(study) == []
    assert queries(study) == queries(quiet_read(write("plain.txt", HEADER + LINES)))


def test_a_query_sent_again_in_a_mission_days_later_is_another_query(write, quiet_read):
    rows = "".join(
        f"7\tcat\t2006-03-{at}\t{rank}\t{place}\t1\n"
        for at, rank, place in [
            ("04 11:00:00", "", ""),
            ("04 11:01:00", 12, "cats.example"),  # a further page
            ("09 18:00:00", 1, "kits.example"),
        ]
    )
    study = quiet_read(write("smc.txt", HEADER + rows))
    assert [row[:3] for row in queries(study)] == [("7-1", 1, "cat"), ("7-1", 2, "cat")]
    assert study.results.select("query_position", "rank", "doc_id").collect().rows() == [
        (1, 12, "cats.example"),
        (2, 1, "kits.example"),
    ]
    assert {source.kind: source.merged for source in study.sources if not source.table} == {AGAIN: 1}
    longer = quiet_read(write("smc.txt", HEADER + rows), session_gap="7d")
    assert [row[:3] for row in queries(longer)] == [("7-1", 1, "cat")]


def test_pauses_cut_sessions_instead(write, quiet_read):
    study = quiet_read(write("smc.txt", HEADER + LINES), config={"format": "webis_smc", "session_is": "gap"})
    assert [(row[0], row[2]) for row in queries(study)] == [
        ("7-1", "cat"),
        ("7-1", "flight"),
        ("7-2", "cat food"),
        ("8-1", "cat"),
    ]


def test_what_breaks_a_rule_names_its_line(write, quiet_read, rejects):
    path = write("smc.txt", HEADER + LINES + "7\tx\t2006-03-04 11:00:00\t\t\t\t\n7\ty\t2006-03-04 11:00:00\n")
    assert [row[1:3] for row in rejects(quiet_read(path))] == [
        (7, "mission_id_is_given"),
        (8, "line_has_six_or_seven_fields"),
    ]
    with pytest.raises(DataError, match=match_parts("smc.txt, line 7:", "mission_id_is_given")):
        read(path, strict=True)


def test_a_user_of_hyphens_who_asked_something_is_a_user(write, quiet_read):
    study = quiet_read(write("smc.txt", HEADER + "---\tcat\t2006-03-04 11:00:00\t\t\t1\t\n---\n"))
    assert [row[0] for row in queries(study)] == ["----1"]
