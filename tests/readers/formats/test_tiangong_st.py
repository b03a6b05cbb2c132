"""Format tiangong_st: XML as public programs read it, made up here."""

import pytest

from sessionkit.errors import DataError
from sessionkit.readers.read import read


def result(rank):
    """A result."""
    models = "".join(f"<{name}>0.{rank}</{name}>\n" for name in ("TACM", "PSCM", "THCM", "UBM", "DBN", "POM"))
    return (
        f'<result rank="{rank}"><url>http://example.org/{rank}</url><docid>d{rank}</docid><title>\u706b\u8f66 {rank}</title>'
        f"<vtype>30000{rank}</vtype><relevance>\n{models}</relevance></result>\n"
    )


def interaction(number, query, clicked=""):
    """An interaction."""
    return (
        f'<interaction num="{number}">\n<query>\u706b\u8f66</query><query_id>{query}</query_id>\n'
        f"<results>{result(1)}{result(2)}</results>{clicked}</interaction>\n"
    )


CLICKED = '<clicked><click num="1"><rank>2</rank></click></clicked>'
LOG = f'<sogousessions>\n<session num="12">{interaction(1, "q3")}{interaction(2, "q4", CLICKED)}</session>\n</sogousessions>\n'


def test_a_log(write, quiet_read):
    labels = write("human_labels.txt", "1 12 q4 d1 3\n1\t12\tq4\td2 0\n")
    study = quiet_read(write("log.xml", LOG), judgments=labels)
    assert study.reader == "tiangong_st"
    assert study.queries.collect().select("session_id", "query_id", "judgment_key", "query_text").rows() == [
        ("12", "q3", "12:q3", "\u706b\u8f66"),
        ("12", "q4", "12:q4", "\u706b\u8f66"),
    ]
    columns = ["query_position", "rank", "doc_id", "clicked", "vtype", "TACM", "POM"]
    assert study.results.collect().select(columns).rows()[2:] == [
        (2, 1, "d1", False, 300001, 0.1, 0.1),
        (2, 2, "d2", True, 300002, 0.2, 0.2),
    ]
    assert study.judgments.collect().select("judgment_key", "doc_id", "grade").rows() == [
        ("12:q4", "d1", 3.0),
        ("12:q4", "d2", 0.0),
    ]
    assert "relevance" not in study.results.collect_schema()


def test_a_broken_file_names_the_line(write):
    with pytest.raises(DataError, match=r"log.xml, line \d+: not well-formed XML .mismatched tag."):
        read(write("log.xml", LOG.replace("</session>", "")))
    with pytest.raises(DataError, match="a document type"):
        read(write("log.xml", "<!DOCTYPE s>" + LOG))


def test_the_same_study_part_by_part(write, quiet_read, in_batches, same_study):
    path = write("log.xml", LOG.replace("</sogousessions>", LOG.split("\n", 1)[1].replace('num="12"', 'num="13"')))
    whole = quiet_read(path)
    in_batches()
    same_study(whole, quiet_read(path))
