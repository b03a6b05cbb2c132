"""What is counted of every session, as columns: the same in memory, on disk, in parts and by Spark, and as the measures have it."""

import warnings

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import sessionkit as sk
from sessionkit.scoring.batch import batches
from sessionkit.study.counts import COUNTS, counted_sessions
from tests.support.clinic import read_clinic, saved_clinic

MEASURES = {
    "queries": "Queries",
    "results": "Results",
    "clicks": "Clicks",
    "duration_seconds": "Duration",
    "repeats": "Repeats",
}
ECIR = {"S1": [28, 7, 10, 4, 5, 4, 1, 1], "S2": [21, 7, 9, 11, 2, 4, 2, 2, 1, 1]}
"""Sessions of 1, 2, 3 ... queries (Table 2 of ECIR 2008; none of System 2 has nine)."""


@pytest.mark.parametrize("study", [read_clinic, lambda: sk.open_study(saved_clinic())], ids=["memory", "saved"])
def test_counts_are_what_the_measures_are(study):
    found = sk.score(study(), list(MEASURES.values()), per="session").pivot(
        on="measure", index="session_id", values="value"
    )
    expected = found.select(
        "session_id", *(pl.col(text).cast(COUNTS[name].dtype).alias(name) for name, text in MEASURES.items())
    )
    assert_frame_equal(counted_sessions(study(), [*MEASURES]), expected, check_row_order=False)


def test_counts_are_the_same_in_batches_of_any_size():
    study = sk.open_study(saved_clinic())
    parts = [batch.features for batch in batches(study, {"sessions": [*COUNTS]}, rows=1000)]
    assert len(parts) > 10
    names = ["session_id", *COUNTS]
    assert_frame_equal(pl.concat(parts).select(names), counted_sessions(study, [*COUNTS]).select(names))


def test_sessions_are_grouped_by_their_number_of_queries():
    """60 and 60 sessions, as the paper counts them; the means are those of a join with the number of queries."""
    clinic = read_clinic()
    by = sk.score(clinic, "nsDCG@10", by="system_id,queries")
    assert {system: rows["n"].to_list() for (system,), rows in by.group_by("system_id", maintain_order=True)} == ECIR
    many = clinic.queries.group_by("session_id").len("many").collect()
    joined = sk.score(clinic, "nsDCG@10", per="session").join(many, on="session_id")
    means = joined.group_by("many").agg(pl.col("value").mean()).sort("many")
    every = sk.score(clinic, "nsDCG@10", by="queries")
    assert every["value"].to_list() == pytest.approx(means["value"].to_list(), abs=1e-12)
    assert every["value"].round(3).head(2).to_list() == [0.63, 0.202]
    assert sk.score(clinic, "nsDCG@10", by=None, where="queries = 2")["value"].item() == every["value"][1]
    assert sk.score(clinic, "nsDCG@10", by=None, where="results = 100 and clicks > 0")["n"].item() > 0


@pytest.mark.parametrize(
    "ask",
    [
        lambda study: sk.curve(study, "nsDCG@10", by="queries"),
        lambda study: sk.curve(study, "nsDCG@10", by="queries", bands=True, draws=200),
        lambda study: sk.breakdown(study, "nDCG@10", by="queries"),
        lambda study: sk.bounds(study, "nsDCG@10", by="queries").table,
        lambda study: sk.gain_vectors(study, "DCG@10", by="queries"),
    ],
    ids=["curve", "bands", "breakdown", "bounds", "gain_vectors"],
)
def test_every_table_by_groups_takes_a_count(ask):
    assert ask(read_clinic())["queries"].unique().sort().to_list() == [1, 2, 3, 4, 5, 6, 7, 8, 10, 11]


def test_a_column_of_the_log_stands_before_the_count_of_its_name():
    lists = {"session_id": ["s", "s", "z"], "query_position": [1, 2, 1], "rank": [1, 1, 1], "doc_id": ["a", "a", "c"]}
    own = sk.from_tables(lists, sessions={"session_id": ["s", "z"], "queries": [7, 8]})
    assert sk.score(own, "Queries", by="queries").select("queries", "value").rows() == [(7, 2.0), (8, 1.0)]
    assert sk.score(own, "column(queries)", by=None)["value"].item() == 7.5
    assert sk.score(own, "Queries", by=None, where="queries = 8")["value"].item() == 1


def test_a_count_that_the_log_cannot_tell_is_refused_by_name():
    lists = {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]}
    with pytest.raises(
        sk.UsageError, match=r"by=clicks: .* clicks can be counted where the log has one of the columns clicked, clicks"
    ):
        sk.score(sk.from_tables(lists), "Queries", by="clicks")
    with pytest.raises(
        sk.UsageError, match=r"by=queries: the output already has a column of that name; group by another one"
    ):
        sk.summary(sk.from_tables(lists), by="queries")


def test_what_a_list_showed_that_was_not_logged_is_unknown():
    queries = {
        "session_id": ["s", "z", "z"],
        "query_position": [1, 1, 2],
        "results_status": ["not_logged", "shown", "empty"],
    }
    lists = {"session_id": ["z"], "query_position": [1], "rank": [1], "doc_id": ["a"], "clicked": [True]}
    with warnings.catch_warnings(action="ignore"):
        study = sk.from_tables(lists, sessions={"session_id": ["s", "z"]}, queries=queries)
    found = counted_sessions(study, ["queries", "results", "clicks", "empty_queries"])
    # s has a query and no click; what it was shown, if anything, is not known
    assert found.rows() == [("s", 1, None, 0, None), ("z", 1 + 1, 1, 1, 1)]
