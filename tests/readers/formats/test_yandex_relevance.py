"""Yandex' Relevance Prediction Challenge: clicks are told apart by document and time alone. The fixtures are made up."""

import random

import pytest

from sessionkit.errors import DataError, UsageError
from sessionkit.readers.read import read

LOG = (
    "8\t0\tQ\t77\t213\t101\t102\t103\n"
    "8\t5\tC\t102\n"
    "8\t9\tQ\t78\t213\t104\t101\n"
    "8\t12\tC\t101\n"  # the most recent list that has it is the second
    "8\t13\tC\t103\n"  # only the first has it
    "8\t14\tC\t103\n"
)


def rows(study, table, *columns):
    return study.table(table).select(columns).collect().rows()


def kinds(study):
    return {source.kind: source.merged + source.idle for source in study.sources if not source.table}


def test_a_click_belongs_to_the_most_recent_list_that_holds_the_document(write, quiet_read):
    study = quiet_read(write("log.tsv", LOG))
    assert study.reader == "yandex_relevance"
    assert rows(study, "queries", "session_id", "query_position", "query_id", "region_id", "time_passed") == [
        ("8", 1, "77", 213, 0),
        ("8", 2, "78", 213, 9),
    ]
    assert rows(study, "results", "query_position", "rank", "doc_id", "clicks", "click_time_passed") == [
        (1, 1, "101", 0, None),
        (1, 2, "102", 1, 5),
        (1, 3, "103", 2, 13),
        (2, 1, "104", 0, None),
        (2, 2, "101", 1, 12),
    ]
    assert kinds(study) == {"clicks": 4}


def test_ticks_are_seconds_where_that_is_declared(write, quiet_read):
    study = quiet_read(write("log.tsv", LOG), config={"format": "yandex_relevance", "seconds_per_tick": 0.5})
    assert rows(study, "queries", "elapsed_seconds") == [(0.0,), (4.5,)]
    assert rows(study, "results", "click_elapsed_seconds")[1] == (2.5,)
    assert "time_passed" not in study.columns("queries")
    with pytest.raises(UsageError, match="seconds_per_tick is 0"):
        quiet_read(write("log.tsv", LOG), config={"format": "yandex_relevance", "seconds_per_tick": 0})


def test_clicks_that_no_list_takes_are_counted_by_why(write, quiet_read):
    text = "8\t0\tC\t101\n8\t1\tQ\t77\t213\t101\n8\t2\tC\t999\n9\t0\tC\t101\n9\t1\tQ\t77\t213\n"
    study = quiet_read(write("log.tsv", text))
    assert kinds(study) == {
        "clicks before the list that holds the document": 1,
        "clicks on a document that no list of the session holds": 2,
    }
    assert rows(study, "queries", "session_id", "results_status") == [("8", "shown"), ("9", "empty")]


def test_labels_are_judgments_of_queries(write, quiet_read):
    sources = [write("log.tsv", LOG), write("labels.tsv", "77\t213\t102\t1\n77\t1\t102\t0\n78\t213\t104\tgood\n")]
    study = quiet_read(sources)  # labels belong beside the log, and are nothing alone
    assert study.reader == "yandex_relevance"
    assert rows(study, "queries", "judgment_key") == [("77",), ("78",)]
    assert rows(study, "judgments", "judgment_key", "doc_id", "grade", "region_id") == [
        ("77", "102", 1.0, 213),
        ("77", "102", 0.0, 1),
    ]
    assert rows(study, "rejected", "source", "line", "rule") == [("labels.tsv", 3, "grade_is_a_number")]
    config = {"format": "yandex_relevance", "labels_by": "query_and_region"}
    study = quiet_read(sources, config=config)
    assert rows(study, "queries", "judgment_key") == [("77/213",), ("78/213",)]
    assert rows(study, "judgments", "judgment_key", "grade") == [("77/213", 1.0), ("77/1", 0.0)]
    with pytest.raises(DataError, match=r"labels\.tsv contains only labels"):
        quiet_read(sources[1], format="yandex_relevance")


def test_a_log_of_queries_is_no_run(write, quiet_read):
    queries = "".join(
        f"{session}\t0\tQ\t77\t213\t101\t102\n" for session in range(9)
    )  # topic, Q0, document, rank, score, tag
    assert quiet_read(write("log.tsv", queries)).reader == "yandex_relevance"


def test_what_breaks_a_rule_names_its_line(write, quiet_read, rejects):
    path = write("log.tsv", LOG + "8\t15\tX\t1\n8\tsoon\tC\t101\n8\t16\tQ\t77\n\t17\tC\t101\n8\t18\tC\t101\t5\n")
    rule = "line_is_a_query_or_a_click"
    found = sorted(row[1:4] for row in rejects(quiet_read(path)))
    assert [row for row in found if row[1] == rule] == [
        (7, rule, "X"),
        (9, rule, "Q"),
        (10, rule, "C"),
        (11, rule, "C"),
    ]
    with pytest.raises(DataError, match=r"log.tsv, line 7: line_is_a_query_or_a_click does not hold"):
        read(path, strict=True)


@pytest.mark.parametrize("seed", range(3))
def test_as_restated(write, quiet_read, seed):
    """Clicks as plain Python brings them to lists, walking back through the session; sessions are mixed."""
    chance = random.Random(seed)  # noqa: S311
    lines, lists, due, astray = [], {}, {}, 0
    for tick in range(120):
        session = chance.choice(["1", "2", "30"])
        if chance.random() < 0.4:
            shown = chance.sample(range(6), chance.randint(1, 4))
            lists.setdefault(session, []).append(shown)
            lines.append(f"{session}\t{tick}\tQ\t5\t0\t" + "\t".join(map(str, shown)))
        else:
            document = chance.randrange(6)
            lines.append(f"{session}\t{tick}\tC\t{document}")
            places = [place for place, shown in enumerate(lists.get(session, []), 1) if document in shown]
            if places:
                due[session, places[-1], str(document)] = due.get((session, places[-1], str(document)), 0) + 1
            else:
                astray += 1
    study = quiet_read(write("log.tsv", "\n".join(lines) + "\n"))
    found = rows(study, "results", "session_id", "query_position", "doc_id", "clicks")
    assert {row[:3]: row[3] for row in found if row[3]} == due
    assert sum(many for kind, many in kinds(study).items() if kind != "clicks") == astray
