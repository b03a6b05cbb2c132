"""Judgments of TREC Dynamic Domain beside a run: what topics say, and what is wrong with them."""

import pytest

from sessionkit.errors import DataError
from sessionkit.readers.read import read
from tests.readers.formats.test_trec_dd import RUN, topics


def test_what_topics_say_beside_is_kept(write, quiet_read):
    study = quiet_read(write("run", RUN), judgments=write("truth.xml", topics()))
    row = study.judgments.collect().to_dicts()[0]
    assert (row["passage_text"], row["passage_type"], row["subtopic_name"]) == ("a & b", "MANUAL", "about DD16-1.1")


def test_broken_judgments_name_the_line(write, quiet_read, rejects):
    run = write("run", RUN)
    with pytest.raises(DataError, match=r"truth.xml, line \d+: not well-formed XML"):
        read(run, judgments=write("truth.xml", topics().replace("</subtopic>", "", 1)))
    with pytest.raises(DataError, match="a document type"):
        read(run, judgments=write("truth.xml", topics().replace("<trecdd>", '<!DOCTYPE t [<!ENTITY a "b">]><trecdd>')))
    with pytest.raises(DataError, match="topics without any passage"):
        read(run, judgments=write("truth.xml", '<t><domain><topic id="1"><subtopic id="2"/></topic></domain></t>'))
    study = quiet_read(
        run, judgments=write("truth.xml", topics().replace("<rating>1</rating>", "<rating>one</rating>", 1))
    )
    assert [row[:4] for row in rejects(study)] == [(2, 3, "grade_is_a_number", "one")]
