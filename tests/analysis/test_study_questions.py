"""What a study has, column by column, and which questions it can answer."""

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.sessions.describe import columns_of
from tests.support.clinic import read_clinic


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


def test_every_column_has_its_values(clinic):
    columns = columns_of(clinic)
    assert sk.describe(clinic).columns.equals(columns)
    assert columns.filter(column="skill").select("in_table", "rows", "missing", "distinct", "values").row(0) == (
        "users", 30, 0, 4, "1 to 4"
    )  # fmt: skip
    assert (
        columns.filter(column="topic_id", in_table="sessions").item(0, "values")
        == "'A' (30), 'B' (30), 'C' (30), 'D' (30)"
    )
    for name in ("users", "sessions", "queries", "results", "judgments"):
        assert tuple(columns.filter(in_table=name)["column"]) == clinic.columns(name)
    assert columns.filter(pl.col("in_table") == "results")["rows"].null_count() == len(clinic.columns("results"))
    counted = columns.filter(in_table="counted")["column"].to_list()
    assert counted == ["queries", "results", "clicks", "duration_seconds", "repeats", "empty_queries"]
    sk.score(clinic, [f"column({name})" for name in counted], by="clicks")  # each is a column everywhere


def answers(study):
    """Which questions a study can answer, and why."""
    table = sk.describe(study).questions
    return {
        question: (answer, because)
        for question, answer, because in table.select("question", "answer", "because").rows()
    }


def test_what_a_study_can_answer_is_said(clinic):
    found = answers(clinic)
    assert found["Do systems differ?"][0] == "yes"
    assert found["Are last queries better than earlier ones?"] == ("yes", "71 sessions of two or more queries")
    assert found["Do judges agree?"] == ("no", "no judge_id")
    assert found["Do measures agree with ratings, or other numbers of sessions and users?"][1].startswith(
        "numbers of sessions or users: satisfaction, "
    )
    for command in sk.describe(clinic).questions["command"]:
        assert command.split()[:1] == ["sessionkit"]


def test_what_a_study_cannot_answer_is_said_too():
    lists = {"session_id": list("sz"), "query_position": [1, 1], "rank": [1, 1], "doc_id": ["a", "b"]}
    found = answers(sk.from_tables(results=lists))
    assert {question for question, (answer, _) in found.items() if answer == "yes"} == set()
    assert found["Do systems differ?"][1] == "the log has fewer than two systems"
    assert found["Do other groups differ?"][1] == "columns of 2 to 20 values: none"
