"""A session of which no list was logged is outside measures of relevance: no value anywhere, counted, with its reason."""

import json
import re
import warnings

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import DataWarning
from sessionkit.reports.sections.robustness import discounts
from sessionkit.reports.sections.sessions import explorer
from sessionkit.scoring.measures.grammar import example_of, parse_measure
from sessionkit.scoring.measures.registry import MEASURES
from tests.reports.one_section import page_of
from tests.support.score_way import score_way

NINE = "2026-01-05T09:00:0{}Z"
quiet = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")

# s: one list that was logged; n: two queries, no list logged; e: a session without a query
LOGGED, UNLOGGED = "s", ["n", "e"]


def log():
    """The three sessions, with every column that measures read."""
    return sk.from_tables(
        sessions={
            "session_id": ["s", "n", "e"],
            "topic_id": ["t"] * 3,
            "system_id": ["A", "B", "A"],
            "expected": [1.0] * 3,
            "duration_seconds": [60.0] * 3,
        },
        queries={
            "session_id": ["s", "s", "n", "n"],
            "query_position": [1, 2, 1, 2],
            "results_status": ["not_logged", "shown", "not_logged", "not_logged"],
            "query_text": ["one", "one two", "one", "two"],
            "issued_at": [NINE.format(second) for second in (1, 2, 1, 2)],
        },
        results={
            "session_id": ["s"] * 2,
            "query_position": [2] * 2,
            "rank": [1, 2],
            "doc_id": ["a", "b"],
            "clicked": [True, False],
            "clicked_at": [NINE.format(5), None],
            "dwell_seconds": [3.0, None],
            "saved": [True, False],
            "known": [True, False],
            "user_grade": [1.0, 0.0],
            "words": [100, 100],
            "score": [0.9, 0.1],
        },
        judgments={
            "judgment_key": ["t"] * 3,
            "doc_id": ["a", "b", "c"],
            "subtopic_id": ["1", "1", "2"],
            "grade": [2.0, 0.0, 1.0],
        },
        max_grade=2,
        collection_size=100,
    )


def of_sessions():
    """Every measure of sessions with what it needs, every measure of queries as a mean, and all that put 0 for what is undefined."""
    found = []
    for measure in map(example_of, MEASURES.values()):
        every = [measure]
        if not measure.wraps:
            every += [measure(undefined="zero")] if "undefined" in measure.parameters() else []
            every += [measure(queries=2)] if "queries" in measure.parameters() else []
        found += [MEASURES["mean"](one) if measure.level == "query" else one for one in every]
    fixed = [
        "nsDCG(ideal_queries=3)@10",
        "nsDCG(ideal_queries=3,undefined=zero)@10",
        "nsDCG(duplicates=first,ideal=spread)@10",
    ]
    more = [
        "sum(sDCG(undefined=zero)@10)",
        "avgpos(sDCG(undefined=zero)@10,length=20)",
        "avgpos(nsDCG(ideal_queries=3)@10)",
    ]
    return [
        *found,
        *map(parse_measure, [*fixed, *more, "nsDCG(normalize=query,undefined=zero)@10", "sDCG(grades=user)@10"]),
    ]


@pytest.mark.slow
@quiet
def test_no_measure_of_relevance_has_a_value():
    measures = [measure for measure in dict.fromkeys(of_sessions()) if not measure.inner.every_query]
    scores = sk.score(log(), measures, per="session")
    values = scores.filter(pl.col("session_id").is_in(UNLOGGED))
    assert values.height == 2 * len(measures)
    assert values.filter(pl.col("value").is_not_null())["measure"].to_list() == []
    groups = sk.score(log(), measures, by="system_id")
    both = groups.group_by("measure").agg(
        pl.col("n", "undefined").sum(), without=pl.col("value").filter(system_id="B").sum()
    )
    told = scores.group_by("measure").agg(
        n=pl.col("value").count().cast(pl.Int64), missing=pl.col("value").null_count()
    )
    joined = both.join(told, on="measure", suffix="_of_sessions")
    assert joined.filter(pl.col("n") != pl.col("n_of_sessions")).is_empty()
    assert joined.filter(pl.col("undefined") != pl.col("missing")).is_empty()
    assert groups.filter(system_id="B")["n"].unique().to_list() == [0]
    assert groups.filter(system_id="B")["value"].null_count() == len(measures)
    # the logged one has a value by every sum, also where its first query is not known
    assert scores.filter(session_id=LOGGED, measure="sDCG@10")["value"].to_list() == [2 / 1.5]


@quiet
def test_measures_of_behavior_have_one():
    """n asked for one at 9:00:01 and for two a second later, and clicked nothing; nothing is known of e, which has no query."""
    expected = {
        "Queries": [None, 2, 2], "Clicks": [None, 0, 1], "DeepestClick": [None, None, 1], "Abandoned": [None, 1, 0],
        "Duration": [None, 60, 60], "TimeToFirstClick": [None, None, 5 - 1], "Dwell": [None, 0, 3],
        "QueryTerms": [None, 1, 1.5], "QueryOverlap": [None, 0, 0.5],
    }  # fmt: skip
    assert {name for name, measure in MEASURES.items() if measure.every_query} == {*expected}
    scores = sk.score(log(), [*expected], per="session").sort("session_id")
    assert {name: scores.filter(measure=name)["value"].to_list() for name in expected} == expected


@quiet
def test_of_the_first_queries_none_was_logged():
    """The list of the first query of s was not logged, so nothing is known of its first query alone."""
    for text in (
        "sDCG(queries=1)@10",
        "sDCG(queries=1,undefined=zero)@10",
        "Results(queries=1)",
        "mean(P(queries=1)@10)",
    ):
        assert sk.score(log(), [text], per="session")["value"].to_list() == [None] * 3


@pytest.mark.parametrize("saved", [False, True])
def test_the_warning_says_why(saved, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        study = log().save(tmp_path / "study") if saved else log()
    for per in ("session", "system_id"):
        with pytest.warns(DataWarning) as caught:
            sk.score(study, ["sDCG@10", "Results"], **score_way(per))
        text = "sDCG@10, Results undefined for 2 of 3: e, n; no list of 2 sessions was logged; left out of means"
        share = (
            "queries: 3 of 4 (75.0%) have no result rows; 3 were not logged and are left out of measures of relevance"
        )
        by_system = "queries without result rows by system_id: B 100.0%, A 50.0%; differences between these groups may come from this alone"
        expected = [text, share, *([by_system] if per == "system_id" else [])]
        assert [str(one.message).partition("; if that")[0] for one in caught] == expected
    # a query without a list is no reason for measures of behavior
    with pytest.warns(DataWarning) as caught:
        sk.score(study, ["Queries"], per="session")
    assert [str(one.message) for one in caught] == [
        "Queries undefined for 1 of 3: e; no logged query; left out of means"
    ]
    # other sessions have other reasons: nothing is judged for s with the topic of another
    other = study.with_tables(sessions=study.sessions.with_columns(judgment_key=pl.lit("u")))
    why = "no list of 2 sessions was logged; no judgments for their key; left out"
    with pytest.warns(DataWarning, match=rf"3 of 3: e, n, s; {why}"):
        sk.score(other, ["sDCG@10"], per="session")


@pytest.mark.slow
@quiet
@pytest.mark.parametrize("undefined", ["null", "zero"])
def test_curves_and_bounds_leave_them_out(undefined):
    study = log()
    alone = study.with_tables(
        **{name: study.table(name).filter(session_id="s") for name in ("sessions", "queries", "results")}
    )
    for text in (f"sDCG(undefined={undefined})@2", f"nsDCG(ideal_queries=3,undefined={undefined})@2"):
        for normalize in ("none", "each", "averages"):
            curve = sk.curve(study, text, normalize=normalize).filter(system_id="A")
            assert curve["n"].max() == 1
            assert curve.equals(sk.curve(alone, text, normalize=normalize))
        bounds = sk.bounds(study, [text], by=None, per="session")
        assert bounds.bounds.select("n", "undefined").rows() == [(1, 2)]
        of_units = bounds.units.filter(pl.col("session_id").is_in(UNLOGGED))
        assert of_units.select("value", "lower", "upper").rows() == [(None, None, None)] * 2
    spread = sk.path_variance(study, f"esDCG(pdown=0.5,pref=0.5,undefined={undefined})@2")
    assert spread.filter(pl.col("session_id").is_in(UNLOGGED)).select("value", "variance").rows() == [(None, None)] * 2


@pytest.mark.slow
@quiet
def test_a_sweep_counts_the_sessions_that_have_a_value():
    """Beside what is counted once for all settings stands what is scored anew for each."""
    results = {"session_id": ["x"], "query_position": [1], "rank": [1], "doc_id": ["a"]}
    sessions = {"session_id": ["x", "y"], "topic_id": ["t"] * 2, "system_id": ["A", "B"]}
    queries = {
        "session_id": ["x", "y", "y"],
        "query_position": [1, 1, 2],
        "results_status": ["shown", "not_logged", "shown"],
    }
    results = {
        **{name: values * 2 for name, values in results.items()},
        "session_id": ["x", "y"],
        "query_position": [1, 2],
    }
    judged = {"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]}
    known = sk.from_tables(sessions=sessions, queries=queries, results=results, judgments=judged)
    more = {name: [*values, new] for (name, values), new in zip(sessions.items(), ("z", "t", "B"), strict=True)}
    asked = {name: [*values, new] for (name, values), new in zip(queries.items(), ("z", 1, "not_logged"), strict=True)}
    with_one = sk.from_tables(sessions=more, queries=asked, results=results, judgments=judged)
    for text in ("sDCG(undefined=zero)@2", "nsDCG(undefined=zero)@2"):
        found = [sk.sweep(one, text, {"b": [2, 3]}).table for one in (known, with_one)]
        assert found[0].equals(found[1])


@pytest.mark.slow
@quiet
def test_what_is_live_on_a_page_leaves_them_out():
    """The page's own numbers: the mean over one session, none of system B, and no number for the others."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        page = page_of(discounts, log(), ("sDCG(undefined=zero)@10",)) + page_of(
            explorer, log(), ("sDCG(undefined=zero)@10",)
        )
    live, own = (
        json.loads(re.search(rf'id="{name}-data">(.*?)</script>', page)[1]) for name in ("live", "explorer-widget")
    )
    assert live["n"] == [1, 0]
    assert live["sessions"]["all"] == len(live["sessions"]["size"]) == len(live["sessions"]["group"]) == 1
    assert dict(zip(own["sessions"]["id"], own["sessions"]["defined"], strict=True)) == {"e": "0", "n": "0", "s": "1"}
