"""The AOL log: a line per click, no lists, no sessions. The fixtures are made up in its layout."""

import random

import pytest

from sessionkit.errors import DataError, UsageError
from sessionkit.readers.events.flat_logs import AGAIN, OTHER
from sessionkit.readers.read import read
from tests.support.messages import match_parts, messages_with

HEADER = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"


@pytest.fixture
def read_log(write, quiet_read):
    """Read lines, given without header, as a log."""

    def read_log(*lines, name="user-ct-test-collection-01.txt", **options):
        return quiet_read(write(name, HEADER + "".join(f"{line}\n" for line in lines)), **options)

    return read_log


def rows(study, table, *columns):
    return study.table(table).select(columns).collect().rows()


def kinds(study):
    """Return what became of the records, by kind."""
    return {source.kind: (source.records, source.rows, source.merged, source.rejected) for source in study.sources}


def test_lines_of_one_user_query_and_time_are_one_query(read_log):
    study = read_log(
        "142\tgarden shed\t2006-03-04 11:02:03\t2\thttp://www.example.com",
        "142\tgarden shed\t2006-03-04 11:02:03\t7\thttp://www.example.com",
        "142\tgarden shed\t2006-03-04 11:02:03\t7\thttp://www.example.com",
        "142\tgarden shed plans\t2006-03-04 11:04:10\t\t",
    )
    assert rows(study, "queries", "session_id", "query_position", "query_text", "results_status") == [
        ("142-1", 1, "garden shed", "partly_observed"),
        ("142-1", 2, "garden shed plans", "partly_observed"),
    ]
    assert rows(study, "results", "query_position", "rank", "doc_id", "clicked", "clicks") == [
        (1, 2, "http://www.example.com", True, 1),
        (1, 7, "http://www.example.com", True, 2),  # the same host at another rank, clicked twice
    ]
    assert rows(study, "sessions", "session_id", "user_id") == [("142-1", "142")]
    assert kinds(study) == {
        "queries": (2, 2, 0, 0),
        "clicked results": (2, 2, 0, 0),
        "further clicks of a query": (2, 0, 2, 0),  # 4 lines = 2 queries + 2
        "clicks on a result clicked before": (1, 0, 1, 0),  # 3 clicks = 2 results + 1
    }


def test_queries_of_one_second_are_told_apart_by_their_texts_though_their_lines_take_turns(read_log):
    study = read_log(
        "1\tcat\t2006-03-04 11:00:00\t1\thttp://a",
        "1\tdog\t2006-03-04 11:00:00\t2\thttp://b",
        "1\tcat\t2006-03-04 11:00:00\t3\thttp://c",
        "2\tcat\t2006-03-04 11:00:00\t4\thttp://d",
    )
    assert rows(study, "queries", "session_id", "query_text") == [("1-1", "cat"), ("1-1", "dog"), ("2-1", "cat")]
    assert rows(study, "results", "session_id", "query_position", "rank") == [
        ("1-1", 1, 1),
        ("1-1", 1, 3),
        ("1-1", 2, 2),
        ("2-1", 1, 4),
    ]


def test_three_fields_empty_queries_and_quotes(read_log):
    study = read_log(
        '1\t"to be" or "not\t2006-03-04 11:00:00', "1\t-\t2006-03-04 11:00:05\t\t", "1\t-\t2006-03-04 11:00:09\t\t"
    )
    assert rows(study, "queries", "query_text") == [('"to be" or "not',), (None,), (None,)]
    assert messages_with(study.notes, "user-ct-test-collection-01.txt:", "2 queries", "without a text")


def test_sessions_end_after_a_pause(read_log):
    lines = [f"1\tq{minute}\t2006-03-04 11:{minute:02}:00\t\t" for minute in (0, 30, 59)]
    lines.append("2\tx\t2006-03-04 11:59:30\t\t")
    assert rows(read_log(*lines), "queries", "session_id", "query_text") == [
        ("1-1", "q0"),  # a pause as long as the gap does not end a session
        ("1-1", "q30"),
        ("1-1", "q59"),
        ("2-1", "x"),
    ]
    cut = read_log(*lines, session_gap="29m")
    assert [session for session, _ in rows(cut, "queries", "session_id", "query_text")] == ["1-1", "1-2", "1-2", "2-1"]


def test_a_query_sent_again_goes_into_the_one_before_unless_told_otherwise(read_log):
    lines = (
        "1\tcat\t2006-03-04 11:00:00\t1\thttp://a",
        "1\tcat\t2006-03-04 11:01:00\t12\thttp://b",
        "1\tdog\t2006-03-04 11:02:00\t\t",
        "1\tcat\t2006-03-04 11:03:00\t\t",
    )
    study = read_log(*lines)
    assert rows(study, "queries", "query_position", "query_text") == [(1, "cat"), (2, "dog"), (3, "cat")]
    assert rows(study, "results", "query_position", "rank", "doc_id") == [(1, 1, "http://a"), (1, 12, "http://b")]
    assert kinds(study)[AGAIN] == (1, 0, 1, 0)
    apart = read_log(*lines, config={"format": "aol", "merge_queries": []})
    assert [text for (text,) in rows(apart, "queries", "query_text")] == ["cat", "cat", "dog", "cat"]


def test_ten_files_packed_or_not_with_a_readme(write, quiet_read, tmp_path):
    folder = tmp_path / "log"
    folder.mkdir()
    write("log/1.txt", HEADER + "7\ta\t2006-03-04 11:00:00\t1\thttp://a\n8\tx\t2006-03-04 11:00:00\n")
    write("log/2.txt.gz", HEADER + "7\tb\t2006-03-04 11:10:00\t\t\n9\ty\tnever\t\t\n")
    write("log/U500k_README.txt", "Please read this.\nTwo lines.\n")
    study = quiet_read(folder)
    assert study.reader == "aol"
    assert rows(study, "queries", "session_id", "query_text") == [("7-1", "a"), ("7-1", "b"), ("8-1", "x")]
    found = {(source.path, source.kind): source for source in study.sources}
    assert found["log/1.txt", "queries"].rows == 2
    assert (found["log/2.txt.gz", "queries"].rows, found["log/2.txt.gz", "queries"].rejected) == (1, 1)
    assert found["log/U500k_README.txt", OTHER].idle == 2
    assert study.rejected.select("source", "record", "line", "rule").collect().rows() == [
        ("log/2.txt.gz", 3, 3, "issued_at_is_a_datetime")
    ]


@pytest.mark.slow
def test_what_breaks_a_rule_is_kept_aside_with_its_line(read_log, rejects, write):
    lines = (
        "1\tfine\t2006-03-04 11:00:00\t\t",
        "1\tfour\t2006-03-04 11:00:00\t1",
        "1\twrong\t2006-03-04 25:00:00\t\t",
        "\tnobody\t2006-03-04 11:00:00\t\t",
        "1\trank\t2006-03-04 11:01:00\tfirst\thttp://a",
        "1\tzero\t2006-03-04 11:02:00\t0\thttp://a",
        "1\ttwo at one\t2006-03-04 11:03:00\t1\thttp://a",
        "1\ttwo at one\t2006-03-04 11:03:00\t1\thttp://b",
    )
    study = read_log(*lines)
    assert [(line, rule, value) for _, line, rule, value, _ in rejects(study)] == [
        (3, "line_has_three_or_five_fields", "4 fields"),
        (4, "issued_at_is_a_datetime", "2006-03-04 25:00:00"),
        (5, "user_id_is_given", None),
        (6, "rank_is_an_integer", "first"),
        (7, "rank_is_at_least_1", "0"),
        (9, "rank_is_unique_in_list", "1-1 4 1"),
    ]
    assert rejects(study)[0][4] == lines[1]
    path = write("broken.txt", HEADER + "\n".join(lines) + "\n")
    with pytest.raises(DataError, match=match_parts("broken.txt, line 3:", rejects(study)[0][2])):
        read(path, strict=True)


def test_times_take_the_timezone_of_the_study(read_log):
    line = "1\ta\t2006-03-04 11:00:00\t\t"
    assert rows(read_log(line), "queries", "issued_at")[0][0].hour == 11
    eastern = read_log(line, config={"format": "aol", "timezone": "America/New_York"})
    assert rows(eastern, "queries", "issued_at")[0][0].hour == 16  # five hours behind UTC


def test_a_gap_that_is_none(read_log):
    with pytest.raises(UsageError, match="a session gap is 'soon'"):
        read_log("1\ta\t2006-03-04 11:00:00\t\t", session_gap="soon")


@pytest.mark.parametrize("seed", range(3))
def test_as_restated(read_log, seed):
    """Sessions, queries and clicks as plain Python makes them of the lines, which come in any order."""
    chance = random.Random(seed)  # noqa: S311
    lines = []
    for _ in range(80):
        time = f"2006-03-04 {chance.randint(10, 13)}:{chance.choice([0, 20, 40]):02}:00"
        click = chance.choice([("", ""), (str(chance.randint(1, 3)), f"http://{chance.choice('ab')}")])
        lines.append((str(chance.randint(1, 3)), chance.choice(["cat", "dog", "-"]), time, *click))
    queries, results = restated(lines)
    study = read_log(*("\t".join(line) for line in lines))
    assert rows(study, "queries", "session_id", "query_position", "query_text") == queries
    assert {
        tuple(row[:4]): row[4]
        for row in rows(study, "results", "session_id", "query_position", "rank", "doc_id", "clicks")
    } == (results)


def restated(lines):
    """Return queries, and clicks on results; of two documents at one rank the first in the file stands."""
    asks = {}
    for user, text, time, rank, url in lines:
        asks.setdefault((user, text, time), []).append((rank, url))
    order = {ask: place for place, ask in enumerate(asks)}
    queries, results, heads = [], {}, {}
    for user in sorted({user for user, _, _ in asks}):
        session, last, before, position = 0, None, None, 0
        for ask in sorted((ask for ask in asks if ask[0] == user), key=lambda ask: (ask[2], order[ask])):
            minutes = int(ask[2][11:13]) * 60 + int(ask[2][14:16])
            if last is None or minutes - last > 30:
                session, position, before = session + 1, 0, None
            text = None if ask[1] == "-" else ask[1]
            if text is None or text != before:
                position += 1
                queries.append((f"{user}-{session}", position, text))
            heads[ask], last, before = (f"{user}-{session}", position), minutes, text
    at_rank = {}
    for user, text, time, rank, url in lines:
        if rank:
            place = (*heads[user, text, time], int(rank))
            at_rank.setdefault(place, url)
            results[*place, url] = results.get((*place, url), 0) + 1
    return queries, {place: many for place, many in results.items() if at_rank[place[:3]] == place[3]}
