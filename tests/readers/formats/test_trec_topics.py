"""Maps of sessions to topics, by year."""

import pytest

from sessionkit.errors import DataError
from sessionkit.readers.formats.trec_session import read_topics


def test_none(tmp_path):
    assert read_topics(None, tmp_path) == ({}, [])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "1 4 1\n1 4 2\n2 5 1\n",
            {"1": {"topic_id": "4", "topic_subtopics": "1 2"}, "2": {"topic_id": "5", "topic_subtopics": "1"}},
        ),
        (
            "session\ttopic\tx\tproduct\tgoal\ttype\n1\t4\t-\tfactual\tspecific\tknown-item search\n",
            {
                "1": {
                    "topic_id": "4",
                    "topic_product": "factual",
                    "topic_goal": "specific",
                    "topic_task_type": "known-item search",
                }
            },
        ),
        ("1\t4\n2\t4\n", {"1": {"topic_id": "4"}, "2": {"topic_id": "4"}}),
    ],
    ids=["2011", "2012", "2013"],
)
def test_by_year(write, tmp_path, text, found):
    topics, notes = read_topics(write("map.txt", text), tmp_path)
    assert topics == found
    skipped = [note for note in notes if "skipped" in note]
    assert skipped == (
        [
            "map.txt: skipped as no session with the number of a topic: line 1 ('session\\ttopic\\tx\\tproduct\\tgoal\\ttype')"
        ]
        if "session" in text
        else []
    )


def test_a_session_of_two_topics_keeps_the_first(write, tmp_path):
    topics, notes = read_topics(write("map.txt", "1 4\n1 5\n"), tmp_path)
    assert topics == {"1": {"topic_id": "4"}}
    assert "map.txt: 1 rows give a session another topic than its first, which is kept" in notes


def test_no_map_at_all(write, tmp_path):
    with pytest.raises(DataError, match=r"map\.txt maps no session to a topic; a row is the number of a session"):
        read_topics(write("map.txt", "one two\n"), tmp_path)
    with pytest.raises(DataError, match="no such file"):
        read_topics(tmp_path / "none.txt", tmp_path)
