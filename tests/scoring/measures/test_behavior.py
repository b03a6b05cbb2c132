"""Counts of queries, results and clicks against counting by hand."""

import warnings
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings

import sessionkit as sk
from sessionkit.errors import DataError, DataWarning, MeasureError
from sessionkit.study.counts import counted_sessions
from tests.support.examples import examples

from .logged import RESULTS, lists_of, logs, scored, was_clicked

quiet = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
CASES = Path(__file__).resolve().parents[3] / ".." / "shared" / "data" / "cases" / "public"
FEW = settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])


@quiet
@FEW
@given(log=logs())
def test_restated(log):
    asked = (
        "Queries",
        "Results",
        "Results@2",
        "Clicks",
        "Clicks@2",
        "DeepestClick",
        "DeepestClick@2",
        "Abandoned",
        "Clicks(queries=1)",
    )
    found = scored(log, *asked)
    for number, session in enumerate(log[0]):
        lists = lists_of(session)
        rows = [result for query in lists for result in query["results"]]
        high = [result for result in rows if result["rank"] <= 2]
        early = [result for query in session["queries"][:1] for result in query["results"]]

        def clicks(results):
            return sum(int(was_clicked(r)) if r["clicks"] is None else r["clicks"] for r in results)

        wanted = {
            "Queries": len(session["queries"]),
            # what a list that was not logged showed is not known; that nothing on it was clicked is
            "Results": len(rows) if lists else None,
            "Results@2": len(high) if lists else None,
            "Clicks": clicks(rows),
            "Clicks@2": clicks(high),
            "DeepestClick": max((r["rank"] for r in rows if was_clicked(r)), default=None),
            "DeepestClick@2": max((r["rank"] for r in high if was_clicked(r)), default=None),
            "Abandoned": 0.0 if any(map(was_clicked, rows)) else 1.0,
            "Clicks(queries=1)": clicks(early),
        }
        assert {text: values[number] for text, values in found.items()} == wanted


@quiet
@FEW
@given(log=logs())
def test_one_column_is_enough(log):
    for kept in ("clicked", "clicks", "clicked_at", "click_elapsed_seconds"):
        without = [name for name in RESULTS if name != kept]
        found = scored(log, "Abandoned", without=without)["Abandoned"]
        for number, session in enumerate(log[0]):
            values = [result[kept] for query in lists_of(session) for result in query["results"]]
            clicked = any(values) if kept in ("clicked", "clicks") else any(value is not None for value in values)
            assert found[number] == (0.0 if clicked else 1.0)


@quiet
def test_missing_columns_are_named():
    study = sk.from_tables(
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    )
    for measure in ("Clicks", "DeepestClick"):
        with pytest.raises(DataError, match=f"{measure} needs one of the columns clicked, clicks, clicked_at"):
            sk.score(study, [measure], per="session")
    with pytest.raises(MeasureError, match="no parameter 'grades'"):
        sk.score(study, ["Queries(grades=user)"], per="session")


@quiet
def test_whether_a_session_was_abandoned_is_not_known_where_clicks_are_not_logged():
    results = {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]}
    study = sk.from_tables(results=results)
    assert sk.score(study, ["Abandoned"], per="session")["value"].to_list() == [None]
    with pytest.warns(DataWarning, match="Abandoned undefined for 1 of 1: s; .*clicks that were not logged at all"):
        sk.score(study, ["Abandoned"], per="session")
    clicked = sk.from_tables(results=results | {"clicked": [False]})
    assert sk.score(clicked, ["Abandoned"], per="session")["value"].to_list() == [1.0]


@quiet
def test_queries_of_which_no_list_was_logged():
    """A click log: one click in three queries of v1 over 7 minutes, none in v2, one after 20 seconds in v3."""
    study = sk.read(CASES / "click_log_without_lists.toml")
    expected = {
        "Queries": [3, 1, 1],
        "Clicks": [1, 0, 1],
        "Abandoned": [0, 1, 0],
        "Duration": [7 * 60, 0, 20],
        "TimeToFirstClick": [10, None, 20],
        # crow; crow skull; raven
        "QueryTerms": [(1 + 2 + 1) / 3, 1, 1],
        "QueryOverlap": [(1 / 2 + 0) / 2, None, None],
        # which results the other lists showed is not known
        "Results": [1, None, 1],
    }
    scores = sk.score(study, [*expected], per="session").sort("session_id")
    values = {name: scores.filter(measure=name)["value"].to_list() for name in expected}
    assert values == {name: pytest.approx(wanted) for name, wanted in expected.items()}
    counted = counted_sessions(study, ["queries", "clicks", "duration_seconds", "results"])
    names = ["Queries", "Clicks", "Duration", "Results"]
    assert counted.select(pl.exclude("session_id")).rows() == [*zip(*(expected[name] for name in names), strict=True)]


def test_clicks_are_known_where_lists_were_observed_in_part():
    study = sk.read(CASES / "click_log_without_lists.toml")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sk.score(study, ["Queries", "Clicks", "Abandoned", "Duration"])


@quiet
def test_a_bare_table_of_queries_has_behavior():
    """Two queries 5 minutes apart, and a session of one; nothing is known of lists or clicks."""
    queries = {
        "session_id": ["s", "s", "z"],
        "query_position": [1, 2, 1],
        "query_text": ["crow", "crow skull", "owl"],
        "issued_at": ["2026-01-05T09:00:00Z", "2026-01-05T09:05:00Z", "2026-01-05T09:00:00Z"],
    }
    study = sk.from_tables(queries=queries)
    scores = sk.score(study, ["Queries", "Duration", "QueryTerms", "Abandoned", "Results"], per="session")
    values = scores.sort("session_id").group_by("measure", maintain_order=True).agg("value").rows()
    assert dict(values) == {
        "Queries": [2, 1], "Duration": [300, 0], "QueryTerms": [1.5, 1], "Abandoned": [None] * 2, "Results": [None] * 2,
    }  # fmt: skip
    assert sk.describe(study).lengths.select("queries", "sessions").rows() == [(1, 1), (2, 1)]
    assert sk.session_survival(study, by=None)["sessions"].to_list() == [2, 1]
    assert sk.reformulations(study, None).select("session_id", "reformulation").rows() == [("s", "specialization")]


@quiet
def test_readers_agree_on_a_log_of_clicks(tmp_path):
    """The same queries and clicks as AOL writes them, as events, and as a table: the measures of behavior are the same."""
    rows = [
        ("v1", "crow", "2006-03-01 10:00:00", "3", "http://w7.org"), ("v1", "crow skull", "2006-03-01 10:05:00", "", ""),
        ("v1", "raven", "2006-03-01 10:07:00", "", ""), ("v2", "tarot", "2006-03-04 18:00:00", "", ""),
        ("v3", "owl", "2006-03-04 18:00:00", "1", "http://w2.org"),
    ]  # fmt: skip
    numbers = {"v1": "1", "v2": "2", "v3": "3"}
    lines = ["AnonID\tQuery\tQueryTime\tItemRank\tClickURL"]
    lines += ["\t".join((numbers[user], *more)) for user, *more in rows]
    (tmp_path / "aol.txt").write_text("\n".join(lines) + "\n")
    events = ["user,event,query,time,position,work"]
    for user, text, time, rank, url in rows:
        events.append(f"{user},search,{text},{time},,")
        events += [f"{user},select,{text},{time},{rank},{url}"] if url else []
    (tmp_path / "events.csv").write_text("\n".join(events) + "\n")
    (tmp_path / "events.toml").write_text(
        'format = "events"\npath = "events.csv"\ntimezone = "UTC"\n'
        'columns = { user_id = "user", query_text = "query", time = "time", event = "event", rank = "position", doc_id = "work" }\n'
        'events = { query = "search", click = "select" }\n'
    )
    measures = ["Queries", "Clicks", "Abandoned", "Duration", "QueryTerms", "QueryOverlap", "DeepestClick"]
    values = []
    for study in (sk.read(tmp_path / "aol.txt", format="aol"), sk.read(tmp_path / "events.toml")):
        scores = sk.score(study, measures, per="session").sort("user_id", maintain_order=True)
        values.append(scores.select("measure", "value").rows())
    assert values[0] == values[1]
    assert [value for name, value in values[0] if name == "Queries"] == [3, 1, 1]
    assert [value for name, value in values[0] if name == "Abandoned"] == [0, 1, 0]


@quiet
def test_more_clicks_than_results():
    """Two results, one clicked three times, one once: four clicks."""
    study = sk.from_tables(
        results={
            "session_id": ["s"] * 2,
            "query_position": [1] * 2,
            "rank": [1, 2],
            "doc_id": ["a", "b"],
            "clicks": [3, None],
            "clicked": [True, True],
            "topic_id": ["t"] * 2,
        },
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    )
    assert sk.score(study, ["Clicks", "Clicks@1"], per="session").get_column("value").to_list() == [4.0, 3.0]
