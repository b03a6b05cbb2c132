"""curve --effort: the tables and words of effort."""

import json

import pytest

import sessionkit as sk
from tests.support.clinic import read_clinic, saved_clinic


@pytest.mark.slow
def test_tables_are_those_of_python(call):
    found = sk.effort(read_clinic(), "sDCG@10", document_cost=20, query_cost=15)
    asked = ("curve", saved_clinic(), "sDCG@10", "--effort", "--document-cost", "20", "--query-cost", "15")
    whole = call(*asked).lines
    assert [line[2:] for line in whole if line.startswith("# ")] == [*found.tables(), "provenance", "reading"]
    assert whole[-len(found.reading.splitlines()) :] == found.reading.splitlines()
    rows = [json.loads(line) for line in call(*asked, "--table", "searcher", "--format", "jsonl").lines]
    assert rows == found.searcher.to_dicts()


def test_people_get_the_reading_first(call):
    shown = call("curve", saved_clinic(), "sRBP(b=0.64,p=0.86)@10", "--effort", "--by", "all", "--format", "table")
    assert shown.err == ""
    assert shown.out.startswith("all sessions: 74 of 120 sessions reach the gain of the ideal after the first document")
    assert "In endless lists it looks at 7.14 results of 3.21 queries" in " ".join(shown.out.split())


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["mean(DCG@10)", "--effort"], 2, "ask for the measure inside: DCG@10"),
        (["sDCG@10", "--effort", "--by", "sistem_id"], 2, "did you mean 'system_id'"),
        (["sDCG@10", "--effort", "--query-cost", "-1"], 2, "--query-cost"),
        (["sDCG@10", "--effort", "--table", "reech"], 2, "did you mean 'reach'"),
        (["sDCG@10", "--effort", "--by", "system_id,topic_id"], 2, "by takes one column here"),
        (["sDCG@10", "--effort", "--per", "session"], 2, "--per cannot be used with --effort"),
        (["sDCG@10", "--query-cost", "3"], 2, "--query-cost cannot be used without --effort"),
    ],
)
def test_what_is_refused(call, words, status, said):
    done = call("curve", saved_clinic(), *words)
    assert done.status == status
    assert said in done.err
    assert len(done.err.splitlines()) == 1
