"""What effort says: its kinds, and that the values are those of its tables."""

from functools import cache

import polars as pl

import sessionkit as sk
from sessionkit.scoring.measures.grammar import parse_measure
from tests.support.statements import require_golden, require_noticed

DOCUMENTS = list("abcxyd")


@cache
def findings():
    """Two systems, one measure without curves, one of sessions with times, one of nothing relevant, and many groups."""
    judgments = {"judgment_key": ["t"] * 10, "doc_id": list("abcdefghij"), "grade": [3, 2, 3, 1, 2, 2, 3, 1, 1, 1]}
    lists = {
        "session_id": ["s"] * 6 + ["t"] * 6, "query_position": [1] * 12, "rank": [*range(1, 7)] * 2,
        "doc_id": [*DOCUMENTS, "z", *DOCUMENTS[1:]],
    }  # fmt: skip
    sessions = {"session_id": ["s", "t"], "topic_id": ["t", "t"], "system_id": ["A", "B"]}
    two = sk.from_tables(lists, judgments, sessions=sessions)
    queries = {"session_id": ["s", "t", "t"], "query_position": [1, 1, 2], "elapsed_seconds": [0.0, 0.0, 90.0]}
    steps = {"session_id": ["s", "t", "t"], "query_position": [1, 1, 2], "rank": [1] * 3, "doc_id": ["a", "z", "a"]}
    timed = sk.from_tables(steps, judgments, sessions=sessions, queries=queries)
    none = sk.from_tables(lists, judgments | {"grade": [0] * 10}, sessions=sessions)
    names = [f"S{number:02}" for number in range(14)]
    one_each = {"session_id": names, "query_position": [1] * 14, "rank": [1] * 14, "doc_id": ["a"] * 14}
    many = sk.from_tables(one_each | {"system_id": names, "topic_id": ["t"] * 14}, judgments)
    return [
        sk.effort(two, "CG@6", against="A"),
        sk.effort(two, "RBP(p=0.5)@5", document_cost=10, query_cost=7),
        sk.effort(timed, "sDCG@2", by=None, gain=2.5),
        sk.effort(two, "TBG", where="system_id = 'A'"),
        sk.effort(none, "nsDCG@3"),
        sk.effort(many, "sRBP(p=0.8,b=0.5)@2"),
    ]


def rows_of(frame, values):
    """The rows of a group."""
    is_named = "system_id" in frame.columns
    rows = frame.filter(system_id=values["group"]) if is_named else frame
    assert is_named or values["group"] == "all sessions"
    assert len(rows)
    return rows


def check(finding, statement):
    """Assert that the values of a statement are those of the tables."""
    values, measure = statement.values, parse_measure(finding.measure)
    if "unit" in values:
        assert values["unit"] == ("session" if measure.level == "session" else "list")
    if "measure" in values:
        assert values["measure"] == finding.measure
    match statement.kind:
        case "sessions":
            assert (values["condition"], values["sessions"], values["of"]) == (finding.provenance.where, 1, 2)
        case "reach":
            assert values["rank"] in (1, 3, 5, 10, 20)
            (row,) = rows_of(finding.reach, values).filter(rank=values["rank"]).rows(named=True)
            assert all(row[name] == values[name] for name in ("units", "reached", "documents", "queries"))
        case "against":
            rows = rows_of(finding.against, values).filter(pl.col("rank").is_in([1, 3, 5, 10, 20]))
            assert {values["against"]} == {*rows["against"]}
            assert (rows["rank"].to_list(), rows["mean_curve"].to_list()) == (values["rank"], values["mean_curve"])
        case "plateau":
            (row,) = rows_of(finding.plateau, values).rows(named=True)
            assert all(row[name] == values[name] for name in ("units", "mean", "least", "most", "beyond", "gained"))
        case "spent":
            rows = rows_of(finding.spent, values)
            results = rows.filter(along="results")
            assert (results["units"][0], results["reached"].max()) == (values["units"], values["reached"])
            assert values["gain"] == finding.gain
            half = rows.filter(2 * pl.col("reached") >= pl.col("units")).group_by("along").agg(pl.col("amount").min())
            assert {along: amount for along, amount in half.iter_rows() if amount} == values["half"]
        case "more":
            n_groups = finding.reach["system_id"].n_unique()
            assert (values["count"], values["total"]) == (n_groups - 12, n_groups)
            assert (values["what"], values["verb"]) == ("group", "effort")
        case _:
            check_measure(finding, statement, measure)


def check_measure(finding, statement, measure):
    """Assert that a statement about the measure, or its searcher, has its values."""
    values = statement.values
    match statement.kind:
        case "no_curve":
            assert measure.gain_measure is None
        case "no_gain":
            assert measure.gain_measure is not None
            assert finding.reach.is_empty()
        case "searcher":
            assert values["stops"] == (measure.clock() is not None or not finding.searcher.is_empty())
            assert values["description"] == (measure.clock() or measure.searcher()[1])
        case "endless_lists":
            (row,) = finding.searcher.filter(horizon="endless").rows(named=True)
            assert (row["documents"], row["queries"]) == (values["documents"], values["queries"])
        case "shown_lists":
            (row,) = rows_of(finding.searcher.filter(horizon="as shown"), values).rows(named=True)
            assert all(row[name] == values[name] for name in ("documents", "queries", "cost"))


def test_says_every_kind():
    require_golden("effort", findings())


def test_values_are_those_of_the_tables():
    for finding in findings():
        require_noticed(check, finding)
