"""What a description says: its kinds, and that the values are those of its tables."""

from functools import cache

import pytest

import sessionkit as sk
from tests.support.statements import require_golden, require_noticed

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")


@cache
def findings():
    """A log without systems that lost records and values, and some of the sessions of a log with two systems."""
    lists = {"session_id": ["a"] * 3, "query_position": [1] * 3, "rank": ["1", "2", "x"], "doc_id": ["x", "y", "z"]}
    lossy = sk.from_tables(lists | {"dwell_seconds": ["1", "2 s", "3 s"]})
    log = {
        "session_id": [*"stuv"],
        "query_position": [1] * 4,
        "rank": [1] * 4,
        "doc_id": [*"abab"],
        "topic_id": [*"xxyy"],
    }
    judged = sk.from_tables(
        log | {"system_id": [*"ABAB"], "user_id": [*"iijj"]}, {"judgment_key": ["x"], "doc_id": ["a"], "grade": [1]}
    )
    return [sk.describe(lossy), sk.describe(judged), sk.describe(judged, where="system_id = 'A'")]


def check(finding, statement):
    """Assert that the values of a statement are those of the tables."""
    values = statement.values
    match statement.kind:
        case "sessions":
            assert (values["condition"], values["sessions"], values["of"]) == ("system_id = 'A'", 2, 4)
        case "log":
            systems = finding.systems
            assert (values["sessions"], values["queries"]) == (systems["sessions"].sum(), systems["queries"].sum())
            assert values["systems"] == systems["system_id"].count()
        case "loss":
            # one of three records has the rank x; one of the values of the two others is no number
            losses = {("results", None): ("records", 1, 3), ("results", "dwell_seconds"): ("values", 1, 2)}
            assert losses.get((values["table"], values["column"])) == (values["what"], values["count"], values["total"])
            assert values["share"] == values["count"] / values["total"]
        case "design":
            (row,) = finding.tables()["design"].rows(named=True)
            assert row == dict(values)
        case "questions":
            answers = finding.questions["answer"].to_list()
            assert (values["answered"], values["questions"]) == (answers.count("yes"), len(answers))


def test_says_every_kind():
    require_golden("describe", findings())


def test_values_are_those_of_the_tables():
    for finding in findings():
        require_noticed(check, finding)
