"""From the source's column names to ours."""

import pytest

from sessionkit.errors import DataError
from sessionkit.readers import from_tables

LOG = "sid,q,rank,doc_id,title\ns,1,1,a,T\n"
COLUMNS = {"session_id": "sid", "query_position": "q"}


def read(write, quiet_read, columns, text=LOG, **options):
    return quiet_read(write("log.csv", text), config={"results": {"columns": columns, **options}})


def test_mapped_columns_are_renamed_and_others_keep_their_names(write, quiet_read):
    study = read(write, quiet_read, COLUMNS)
    assert study.columns("results") == ("session_id", "query_position", "rank", "doc_id", "title")


def test_one_column_may_feed_several(write, quiet_read):
    study = read(write, quiet_read, {**COLUMNS, "topic_id": "sid", "system_id": "title", "headline": "title"})
    assert study.sessions.collect().select("session_id", "topic_id", "system_id").rows() == [("s", "s", "T")]
    assert study.results.collect()["headline"].to_list() == ["T"]


def test_by_number(write, quiet_read):
    assert read(write, quiet_read, {"session_id": 1, "query_position": 2}).facts.results == 1


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"session_id": "sid"}, "no column query_position; found sid, q, rank, doc_id, title"),
        ({**COLUMNS, "topic_id": "titel"}, "no column 'titel' to make topic_id from; did you mean 'title'"),
        ({**COLUMNS, "topic_id": 9}, "column 9, but there are only 5"),
        ({**COLUMNS, "doc_id": "title"}, "has a column 'doc_id' as well"),
        ({**COLUMNS, "__record": "title"}, "two underscores"),
    ],
)
def test_refusals(write, quiet_read, columns, words):
    with pytest.raises(DataError, match=words):
        read(write, quiet_read, columns)


def test_texts_that_mean_no_value(write, quiet_read, rejects):
    text = "session_id,query_position,rank,doc_id,topic_id\ns,1,1,NA,-\ns,1,2,b,\n"
    study = quiet_read(write("log.csv", text), config={"results": {"null": ["NA", "-", ""]}})
    assert [rule for _, _, rule, _, _ in rejects(study)] == ["doc_id_is_given"]
    assert study.sessions.collect()["topic_id"].to_list() == [None]


@pytest.mark.parametrize("columns", [{}, {"session_id": "session_id"}])
@pytest.mark.parametrize("separator", [";", "|", "\t"])
def test_a_wrong_separator_is_asked_about(write, quiet_read, columns, separator):
    text = "session_id,query_position,rank,doc_id\na,1,1,x\n".replace(",", separator)
    with pytest.raises(DataError, match=r"log.csv \(results\) has only one column, .*is the separator right\?"):
        quiet_read(write("log.csv", text), config={"results": {"columns": columns}})
    with pytest.raises(DataError, match=r"column 2, but there is only one; is the separator right\?"):
        quiet_read(write("log.csv", text), config={"results": {"header": False, "columns": {"rank": 2}}})


def test_frames_are_not_told_of_study_toml():
    with pytest.raises(DataError, match=r"found session_id\. Rename the column that is query_position$"):
        from_tables({"session_id": ["a"]})
