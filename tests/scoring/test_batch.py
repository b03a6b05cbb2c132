"""Blocks: what a log calls its columns, whose keys and grades count, and cuts through studies of every kind."""

import pickle
import warnings
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import sessionkit as sk
from sessionkit.errors import DataError, MeasureError, UsageError
from sessionkit.scoring.batch import batches
from sessionkit.scoring.execution import session_values
from sessionkit.scoring.histogram import GainHistogram
from sessionkit.scoring.needs import columns_read
from sessionkit.scoring.score import score_task
from sessionkit.sessions.breakdown import BreakdownReduction
from sessionkit.statistics.bands import Grouping
from tests.scoring.studies import sessions, study_of
from tests.support.examples import examples
from tests.support.score_way import score_way

quiet = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
FEW = settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.too_slow])
OWN = [
    "sDCG(grades=user)@3",
    "sDCG(duplicates=first)@3",
    "sum(DCG(grades=user,duplicates=first)@2)",
    "nsDCG(ideal=once)@2",
]
PARTS = [("last", "queries"), ("position", "sessions"), ("best", "queries"), ("first", "sessions")]


def cut(task, study, rows):
    """The whole of a task from batches of about so many results."""
    return task.whole([task.part(batch) for batch in batches(study, task.columns(), rows)])


@pytest.mark.slow
@quiet
@FEW
@given(drawn=sessions(keys_per_query=True), rows=st.integers(1, 9), how=st.sampled_from(PARTS))
def test_cuts_through_keys_of_queries_and_grades_of_searchers(drawn, rows, how):
    study = study_of(*drawn)
    tasks = [score_task(study, OWN, **score_way(per)) for per in ("session", "system_id")]
    for text in ("nDCG@3", "sDCG(duplicates=first)@2"):
        measure = sk.parse_measure(text)
        tasks.append(BreakdownReduction(measure, Grouping.of(study, "system_id"), *how, columns_read(study, [measure])))
    for task in tasks:
        assert_frame_equal(cut(task, study, rows), cut(task, study, 10**9), check_exact=True)


def test_a_grade_beyond_the_weights_is_refused_however_documents_are_told_apart():
    study = sk.from_tables(
        results={"session_id": ["s"] * 2, "query_position": [1, 1], "rank": [1, 2], "doc_id": ["a", "b"]},
        queries={"session_id": ["s"], "query_position": [1], "judgment_key": ["t"]},
        judgments={"judgment_key": ["t", "t"], "doc_id": ["a", "b"], "grade": [7, 1]},
    )
    for ask in (sk.score, sk.breakdown):
        with pytest.raises(DataError, match="gain=0-1-3 has weights for grades 0 to 2, but the judgments have grade 7"):
            ask(study, "sDCG(gain=0-1-3,duplicates=first)@5")


@pytest.mark.parametrize(
    "column", ["key", "session", "query", "unnamed", "everyone", "group", "results", "total", "slot"]
)
def test_a_log_s_columns_may_have_the_names_of_ours(column):
    # session s1 finds grade 2 at rank 1, session s2 nothing
    study = sk.from_tables(
        results={"session_id": ["s1", "s2"], "query_position": [1, 1], "rank": [1, 1], "doc_id": ["a", "z"]},
        sessions={"session_id": ["s1", "s2"], "topic_id": ["t", "t"], column: ["x", "y"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [2]},
    )
    means = sk.score(study, "sDCG@2", by=column)
    assert means.select(column, "value", "n").rows() == [("x", 2.0, 1), ("y", 0.0, 1)]
    parts = sk.breakdown(study, "DCG@1", parts="position", by=column)
    assert parts.select(column, "value").rows() == [("x", 2.0), ("y", 0.0)]
    if column == "slot":
        with pytest.raises(UsageError, match="the output already has a column of that name"):
            sk.curve(study, "sDCG@1", by=column)
        return
    curves = sk.curve(study, "sDCG@1", by=column)
    assert curves.select(column, "value").rows() == [("x", 2.0), ("y", 0.0)]


@quiet
def test_groups_are_named_by_all_their_sessions():
    # s1, of no known system, has a query, s2 of system B has none: B is a group
    study = sk.from_tables(
        results={"session_id": ["s1"], "query_position": [1], "rank": [1], "doc_id": ["a"]},
        queries={"session_id": ["s1"], "query_position": [1]},
        sessions={"session_id": ["s1", "s2"], "system_id": [None, "B"], "topic_id": ["t", "t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [2]},
    )
    assert set(sk.breakdown(study, "DCG@1", average="queries")["system_id"]) == {None}
    assert set(sk.breakdown(study, "DCG@1")["system_id"]) == {None, "B"}  # where s2 is left out, and counted
    assert set(sk.curve(study, "sDCG@1")["system_id"]) == {None, "B"}


@pytest.fixture
def unlogged():
    return sk.from_tables(
        queries={"session_id": ["s1"], "query_position": [1], "results_status": ["not_logged"]},
        sessions={"session_id": ["s1"], "system_id": ["A"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [2]},
    )


@quiet
def test_sessions_without_a_query_that_counts_are_not_no_sessions(unlogged):
    assert sk.breakdown(unlogged, "DCG@1", average="queries").is_empty()
    found = sk.breakdown(unlogged, "DCG@1").select("part", "value", "n_sessions", "left_out_undefined").rows()
    assert found == [("last", None, 0, 1), ("non-last", None, 0, 1)]


@quiet
def test_no_session_is_left_is_said_before_anything_is_scored(unlogged):
    for ask in (sk.curve, sk.breakdown):
        with pytest.raises(UsageError, match="no session is left; queries ranges from 1 to 1"):
            ask(unlogged, "sDCG(gain=0-1)@1", where="queries >= 2")  # grade 2 is beyond these weights


@quiet
def test_the_note_on_undefined_values_has_the_measures_in_the_order_asked_for():
    study = sk.from_tables(
        results={"session_id": ["s1", "s2"], "query_position": [1, 1], "rank": [1, 1], "doc_id": ["a", "a"]},
        sessions={"session_id": ["s1", "s2"], "topic_id": ["t", "none"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [0]},
    )
    for per in ("session", "all"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            sk.score(study, ["sDCG@2", "nsDCG@2", "mean(DCG@1)", "mean(nDCG@1)"], **score_way(per))
        (text,) = [str(warning.message) for warning in caught if "undefined for" in str(warning.message)]
        assert text.startswith(
            "sDCG@2, mean(DCG@1) undefined for 1 of 2: s2; nsDCG@2, mean(nDCG@1) undefined for 2 of 2: s1, s2; no judgments"
        )


def test_a_caution_names_the_line_that_asked(tmp_path):
    study = sk.from_tables(
        results={"session_id": ["s", "r"], "query_position": 1, "rank": 1, "doc_id": "a"},
        sessions={"session_id": ["s", "r"], "topic_id": "t", "system_id": ["A", "B"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sk.score(study, "nsDCG(normalize=query)@2", per="session")
        sk.curve(study, "nsDCG(ideal_queries=3)@2")
        sk.curve_differences(study, "nsDCG(ideal_queries=3)@2", draws=200)
    assert [Path(warning.filename).name for warning in caught] == [Path(__file__).name] * 3
    assert pl.Series([str(warning.message) for warning in caught]).str.contains("1 is not an upper bound").all()


@quiet
def test_a_block_that_reads_less_shares_what_is_kept_of_it():
    study = sk.from_tables(
        {
            "session_id": ["s"] * 2,
            "query_position": [1, 1],
            "rank": [1, 2],
            "doc_id": ["a", "b"],
            "topic_id": ["t"] * 2,
        },
        {"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": [2, 0]},
    )
    task = score_task(study, "sDCG@3", per="session")
    (batch,) = batches(study, {**task.columns(), "results": ["doc_id"]})
    narrow = batch.reading(task.columns())
    assert set(narrow.results.columns) == {"query", "rank", "judgment"}
    assert {"query_position", "logged", "length"} <= set(narrow.queries.columns) <= set(batch.queries.columns)
    assert batch.reading({"queries": ["session_id"], "results": ["doc_id"]}) is batch
    task.part(narrow)
    assert [*batch.memo.find(session_values)] == [sk.parse_measure("sDCG@3")]
    assert batch.memo is narrow.memo


def test_other_rows_have_other_values():
    study = sk.from_tables(
        results={
            "session_id": ["s"] * 2,
            "query_position": [1, 1],
            "rank": [1, 2],
            "doc_id": ["a", "b"],
            "topic_id": ["t"] * 2,
        },
        judgments={"judgment_key": ["t", "t"], "doc_id": ["a", "b"], "grade": [1, 2]},
    )
    measure = sk.parse_measure("sDCG@2")
    (batch,) = batches(study, score_task(study, [measure], per="session").columns())
    # b is 2: rank 2 is discounted by 1 + log2(2) = 2, so 1 + 2 / 2
    assert session_values(batch, [measure])[measure]["value"].to_list() == [2.0]
    first = replace(batch, results=batch.results.filter(pl.col("rank") == 1))
    assert session_values(first, [measure])[measure]["value"].to_list() == [1.0]


def test_a_wrapper_says_of_itself_what_is_so_inside():
    inside = sk.parse_measure("DCG(min_grade=2,undefined=zero,grades=user,duplicates=first)@5")
    for wrapped in (sk.mean(inside), pickle.loads(pickle.dumps(sk.mean(inside))), sk.last(sk.DCG @ 3)(inside)):  # noqa: S301
        for name in ("min_grade", "undefined", "grades", "duplicates", "depth", "unjudged", "queries"):
            assert getattr(wrapped, name) == getattr(inside, name)
        assert "min_grade" not in wrapped.parameters()
    assert sk.mean(sk.TBG).may_read == sk.TBG.may_read != {}
    assert sk.mean(inside) == sk.mean(inside) != sk.mean(sk.DCG @ 5)
    with pytest.raises(MeasureError, match="mean has no parameter 'min_grade'"):
        sk.mean(inside, min_grade=1)


@quiet
@pytest.mark.parametrize(("grade", "shared"), [(2, True), (0.5, False)])
def test_cells_serve_other_gains_where_the_same_documents_gain(grade, shared):
    study = sk.from_tables(
        {
            "session_id": ["s"] * 2,
            "query_position": [1, 1],
            "rank": [1, 2],
            "doc_id": ["a", "b"],
            "topic_id": ["t"] * 2,
        },
        {"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": [grade, 1]},
    )
    (batch,) = batches(study, {})
    linear, binary = (sk.parse_measure(f"sDCG(gain={gain})@3") for gain in ("linear", "binary"))
    selection = linear.selection
    first, second = (GainHistogram.of(batch, selection, [measure]) for measure in (linear, binary))
    assert (first is second) == shared
    # a grade of 0.5 gains nothing as binary
    assert len(second.rows) == (2 if shared else 1)
    both = GainHistogram.of(batch, selection, [linear, binary])
    assert both.sums("session", [linear]).row(0)[1] == first.sums("session", [linear]).row(0)[1]
