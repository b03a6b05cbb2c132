"""Counts of queries, results and clicks against counting by hand."""

import pytest
from hypothesis import HealthCheck, given, settings

import sessionkit as sk
from sessionkit.errors import DataError, MeasureError
from tests.support.examples import examples

from .logged import RESULTS, lists_of, logs, scored, was_clicked

quiet = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
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
            "Queries": len(lists),
            "Results": len(rows),
            "Results@2": len(high),
            "Clicks": clicks(rows),
            "Clicks@2": clicks(high),
            "DeepestClick": max((r["rank"] for r in rows if was_clicked(r)), default=None),
            "DeepestClick@2": max((r["rank"] for r in high if was_clicked(r)), default=None),
            "Abandoned": (0.0 if any(map(was_clicked, rows)) else 1.0) if lists else None,
            "Clicks(queries=1)": clicks(early) if session["queries"][0]["logged"] else None,
        }
        if not lists:
            wanted = dict.fromkeys(wanted)
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
            assert found[number] == ((0.0 if clicked else 1.0) if lists_of(session) else None)


@quiet
def test_missing_columns_are_named():
    study = sk.from_tables(
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    )
    for measure in ("Clicks", "DeepestClick", "Abandoned"):
        with pytest.raises(DataError, match=f"{measure} needs one of the columns clicked, clicks, clicked_at"):
            sk.score(study, [measure], per="session")
    with pytest.raises(MeasureError, match="no parameter 'grades'"):
        sk.score(study, ["Queries(grades=user)"], per="session")


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
