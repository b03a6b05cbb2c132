"""What a plan of a study says: its kinds, and that the values are those of its tables."""

from functools import cache

import numpy as np
import pytest

import sessionkit as sk
from sessionkit.statistics import power_simulation
from sessionkit.statistics.power import power
from tests.statistics.layouts import crossing, scores, simulated
from tests.support.statements import require_golden, require_noticed

QUICK = {"draws": 200, "component_draws": 50}
STUDY = (
    "topics",
    "users",
    "sessions",
    "more_users",
    "more_topics",
    "users_sure",
    "topics_sure",
    "sessions_sure",
    "limit",
)


@cache
def findings():
    """A crossover of users and topics, one user per topic and system, and pairs of which some are drawn."""
    values = simulated(1, seed=4)[:, 0]
    nested = [(f"s{u}{t}", f"u{u}", f"t{t}", f"S{(u + t) % 2}", (3 * u + 5 * t) % 7) for u in (0, 1) for t in range(6)]
    d = np.linspace(-1, 1, 60)
    paired = [(f"s{i}{s}", f"u{i:03}", None, f"S{s}", s * d[i]) for i in range(60) for s in (0, 1)]
    # the first system shows grades 2, the other grades 1 to 4
    grades = [2, 1, 2, 2, 2, 3, 2, 4] * 2
    lists = {
        "session_id": [f"s{number:02}" for number in range(16)], "user_id": [f"u{number // 2}" for number in range(16)],
        "query_position": [1] * 16, "rank": [1] * 16, "doc_id": [f"d{grade}" for grade in grades],
        "topic_id": ["t"] * 16, "system_id": ["A", "B"] * 8,
    }  # fmt: skip
    judgments = {"judgment_key": ["t"] * 4, "doc_id": ["d1", "d2", "d3", "d4"], "grade": [1, 2, 3, 4]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(power_simulation, "MOST_LEVELS", 100)
        sampled = power(scores(paired), difference=9, users=[20, 60], target=0.9, **QUICK)
    return [
        power(crossing(values), difference="10%", users=[30, 60], topics=[4, 8], **QUICK),
        power(scores(nested), difference=2, users=[4, 20], topics=[6, 12], **QUICK),
        sampled,
        power(sk.from_tables(lists, judgments), "mean(CG@1)", difference=1, users=[8], where="queries >= 1", **QUICK),
    ]


def check(finding, statement):
    """Assert that the values of a statement are those of the tables."""
    values = statement.values
    if "population" in values:
        assert values["population"] in {*finding.smallest["population"]}
    if "target" in values:
        assert values["target"] == finding.target
    match statement.kind:
        case "sessions":
            assert dict(values) == {"condition": finding.provenance.where, "sessions": 16, "of": 16}
        case "design":
            assert values["design"] == finding.design
        case "plan":
            assert [values[name] for name in ("measure", "difference", "confidence")] == [
                finding.measure, finding.difference, finding.confidence
            ]  # fmt: skip
            assert values["range"] == 0.9
            # the mean of the first group is 7 / 3 in the second study, and 0 in the third
            shares = {2: pytest.approx(6 / 7), 9: None, 1: 0.5}
            assert values["share"] == shares.get(finding.difference, pytest.approx(0.1))
        case "components":
            assert dict(values) == finding.components.to_dict(as_series=False)
        case "sample":
            assert values["users"] == 50
        case "power":
            size = {name: values[name] for name in ("users", "topics", "sessions")}
            (row,) = rows_of(finding.table, {"population": values["population"], **size})
            assert all(row[name] == values[name] for name in ("test", "power", "low", "high"))
            assert values["is_present"] == (values["users"] != 4)  # two users are too few to plan with
        case "needed":
            check_needed(finding, values)
        case "caution":
            assert values["about"] == ("difference" if finding.difference == 9 else "interaction")


def rows_of(table, values):
    """The rows that have these values."""
    return [row for row in table.rows(named=True) if all(row[name] == value for name, value in values.items())]


def check_needed(finding, values):
    """Assert that the smallest studies are those of the table, and reach the power in the other."""
    rows = rows_of(finding.smallest, {"population": values["population"]})
    assert len(rows) == len(values["studies"])
    assert {row["most"] for row in rows} == {values["most"]}
    assert [{name: row[name] for name in STUDY} for row in rows] == [
        {name: study[name] for name in STUDY} for study in values["studies"]
    ]
    assert values["sure_for"] == 0.95
    for study in values["studies"]:
        assert {*study} == {*STUDY, "limit_low", "limit_high"}
        if study["limit"] is not None:
            endless = {"population": values["population"], "users": None, "topics": study["topics"]}
            (row,) = rows_of(finding.table, endless)
            assert [row[name] for name in ("power", "low", "high")] == [
                study[name] for name in ("limit", "limit_low", "limit_high")
            ]


def test_says_every_kind():
    require_golden("power", findings())


def test_values_are_those_of_the_tables():
    for finding in findings():
        require_noticed(check, finding)
