"""Format trec_dd: runs of the jig, judgments as qrels and as topics, and the scorer's own value of sDCG."""

import pytest

import sessionkit as sk
from sessionkit.errors import DataError
from sessionkit.readers.read import read
from tests.support.messages import match_parts, messages_with

RUN = (
    "DD16-1\t0\tB\t9.0\t1\tDD16-1.1:4|DD16-1.2:3\n"
    "DD16-1\t0\tD\t8\t0\n"
    "DD16-1\t0\tC\t7.5\t1\tDD16-1.1:1\n"
    "DD16-1\t1\tF\t3\t0\n"
    "DD16-1\t1\tA\t5\t1\tDD16-1.2:3\n"
    "DD16-1\t1\tB\t4\t1\tDD16-1.1:4|DD16-1.2:3\n"
    "DD16-1\t1\tE\t2\t1\tDD16-1.1:2\n"
    "DD16-1\t3\tG\t5\t0\n"
    "DD16-1\t3\tA\t4\t1\tDD16-1.2:3\n"
)
QRELS = "DD16-1\tDD16-1.1\tB\t1\t4\nDD16-1\tDD16-1.2\tB\t2\t3\nDD16-1\tDD16-1.1\tC\t3\t1\nDD16-1\tDD16-1.2\tA\t4\t2\n"
QRELS += "DD16-1\tDD16-1.2\tA\t5\t1\nDD16-1\tDD16-1.1\tE\t6\t2\n"


def topics():
    """The same judgments as topics."""
    inside = {}
    for line in QRELS.splitlines():
        _, subtopic, document, passage, rating = line.split("\t")
        inside.setdefault(subtopic, []).append(
            f'<passage id="{passage}">\n<docno>{document}</docno><rating>{rating}</rating><text><![CDATA[a & b]]></text>'
            "<type>MANUAL</type></passage>"
        )
    subtopics = "".join(
        f'<subtopic name="about {key}" id="{key}">{"".join(found)}</subtopic>' for key, found in inside.items()
    )
    return (
        '<?xml version="1.0"?>\n<trecdd><domain name="Ebola" id="1"><topic name="US" id="DD16-1"><description>d</description>'
        f"{subtopics}</topic></domain></trecdd>"
    )


def test_a_run(write, quiet_read):
    study = quiet_read(write("lda.run", RUN))
    assert study.reader == "trec_dd"
    assert study.sessions.collect().select("session_id", "system_id", "topic_id", "judgment_key").rows() == [
        ("lda.run:DD16-1", "lda.run", "DD16-1", "DD16-1")
    ]
    assert study.queries.collect().select("query_position", "results_status").rows() == [
        (1, "shown"),
        (2, "shown"),
        (3, "empty"),
        (4, "shown"),
    ]
    assert study.results.collect().select("query_position", "rank", "doc_id", "on_topic").rows() == [
        (1, 1, "B", True),
        (1, 2, "D", False),
        (1, 3, "C", True),
        (2, 1, "A", True),
        (2, 2, "B", True),
        (2, 3, "F", False),
        (2, 4, "E", True),
        (4, 1, "G", False),
        (4, 2, "A", True),
    ]
    assert study.results.collect()["feedback"].to_list()[:2] == ["DD16-1.1:4|DD16-1.2:3", None]
    assert messages_with(study.notes, "1 position missing", "1 session", "'lda.run:DD16-1'", "taken as empty")


def test_a_missing_iteration_is_what_is_said_of_it(write, quiet_read):
    study = quiet_read(write("lda.run", RUN), missing_positions="not_logged")
    assert study.queries.collect()["results_status"].to_list() == ["shown", "shown", "not_logged", "shown"]


def test_an_iteration_of_which_every_line_is_rejected_is_not_called_empty(write, quiet_read):
    text = "D1\t0\ta\t2\t0\nD1\t1\tb\tx\t0\nD1\t3\tc\t2\t0\n"
    study = quiet_read(write("run", text), format="trec_dd")
    assert study.queries.collect().select("query_position", "results_status").rows() == [
        (1, "shown"),
        (2, "not_logged"),
        (3, "empty"),
        (4, "shown"),
    ]


def test_the_jig_of_2015_writes_null_where_a_document_is_off_topic(write, quiet_read):
    text = "".join(f"{line}\tNULL\n" if line.endswith("\t0") else f"{line}\n" for line in RUN.splitlines())
    rows = text.splitlines(keepends=True)
    study = quiet_read(write("lda.run", "".join([rows[1], rows[0], *rows[2:]])))  # the first line is off topic
    assert study.reader == "trec_dd"
    assert study.results.collect().select("doc_id", "feedback").rows()[:2] == [
        ("B", "DD16-1.1:4|DD16-1.2:3"),
        ("D", None),
    ]
    assert study.results.collect()["rank"].to_list() == [1, 2, 3, 1, 2, 3, 4, 1, 2]


@pytest.mark.parametrize("judgments", ["qrels", "topics"])
def test_the_scorers_value(write, quiet_read, judgments):
    beside = write("truth.xml", topics()) if judgments == "topics" else write("qrels.txt", QRELS)
    study = quiet_read(write("lda.run", RUN), judgments=beside, config={"format": "trec_dd", "merge": "sum"})
    assert study.judgments.collect().select("doc_id", "subtopic_id", "passage_id", "grade").sort(
        "passage_id"
    ).rows() == [
        ("B", "DD16-1.1", "1", 4.0),
        ("B", "DD16-1.2", "2", 3.0),
        ("C", "DD16-1.1", "3", 1.0),
        ("A", "DD16-1.2", "4", 2.0),
        ("A", "DD16-1.2", "5", 1.0),
        ("E", "DD16-1.1", "6", 2.0),
    ]
    # B = 4 + 3, C = 1, A = 2 + 1, E = 2; B and A shown again gain nothing.
    # iteration 1: 7 / 1 + 0 + 1 / (1 + log2 3) = 7.38685; iteration 2: (3 / 1 + 0 + 0 + 2 / (1 + log2 4)) / (1 + log4 2)
    # = 3.66667 / 1.5 = 2.44444; together the 9.8312972517 that the track's scorer gives
    scores = sk.score(study, "sDCG(duplicates=first)@10", per="session")
    assert scores["value"].to_list() == [pytest.approx(9.8312972517, abs=1e-9)]
    assert sk.score(study, "sDCG(like=trecdd2017)@10", per="session")["value"].to_list() == [
        pytest.approx(9.8312972517, abs=1e-9)
    ]


def test_lines_that_do_not_fit_are_rejected(write, quiet_read, rejects):
    text = "D1\t0\ta\t2\t1\tD1.1:2\nD1\t0\tb\nD1\tone\tc\t1\t0\nD1\t0\td\t1\t7\nD1\t0\te\t1\t0\nD1\t0\tf\t0.5\t0\nD2\t0\ta\t1\t0\n"
    study = quiet_read(write("run", text))
    assert [row[:4] for row in rejects(study)] == [
        (2, 2, "record_fits_the_columns", "D1\t0\tb"),
        (3, 3, "iteration_counts_from_0", "one"),
        (4, 4, "on_topic_is_0_or_1", "7"),
    ]
    assert study.results.filter(session_id="run:D1").collect().select("doc_id", "rank").rows() == [
        ("a", 1),
        ("d", 2),
        ("e", 3),
        ("f", 4),
    ]
    with pytest.raises(DataError, match=match_parts("run, line 2:", "record_fits_the_columns")):
        read(write("run", text), strict=True)


def test_several_runs_are_several_systems(write, quiet_read):
    study = quiet_read([write("one", RUN), write("two", RUN)])
    assert study.sessions.collect()["session_id"].to_list() == ["one:DD16-1", "two:DD16-1"]


@pytest.mark.parametrize("name", ["jig", "jig.txt", "jig.txt.gz", "jig.txt.zst"])
def test_the_system_is_the_file_however_it_is_packed(write, quiet_read, name):
    (system,) = quiet_read(write(name, RUN)).sessions.collect()["system_id"]
    assert system == name.removesuffix(".gz").removesuffix(".zst")


@pytest.mark.slow
def test_the_same_study_part_by_part(write, quiet_read, in_batches, same_study):
    path = write("run", "".join(RUN.replace("DD16-1\t", f"DD16-{n}\t") for n in range(1, 7)))
    whole = quiet_read(path)
    in_batches()
    same_study(whole, quiet_read(path))
