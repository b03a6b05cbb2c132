"""Facts: counts of rows and of the unusual, computed once."""

import numpy as np
import polars as pl
import pytest

from sessionkit.readers import from_tables
from sessionkit.study.facts import NO_FACTS, SHORT, facts_in_order

RESULTS = {
    "session_id": ["a", "a", "a", "b"],
    "query_position": [1, 1, 2, 1],
    "rank": [1, 2, 1, 1],
    "doc_id": ["x", "x", "y", "z"],
}


@pytest.fixture
def study(recwarn):
    queries = {
        "session_id": ["a", "a", "b", "b", "b"],
        "query_position": [1, 2, 1, 2, 3],
        "results_status": [None, None, "partly_observed", "not_logged", "empty"],
    }
    return from_tables(RESULTS, queries=queries)


def test_facts(study):
    # a/1 shows x twice: one repeat; the statuses are those given
    facts = study.facts
    assert (facts.sessions, facts.queries, facts.results, facts.judgments) == (2, 5, 4, 0)
    assert facts.lists_with_gaps == 0
    assert (facts.repeats_in_lists, facts.not_logged, facts.partly_observed, facts.empty) == (1, 1, 1, 1)


def test_gaps_are_counted():
    study = from_tables(
        {"session_id": ["a", "a", "b"], "query_position": [1, 1, 1], "rank": [1, 3, 1], "doc_id": ["x", "y", "x"]}
    )
    assert study.facts.lists_with_gaps == 1


def test_facts_are_computed_once(study):
    assert study.facts is study.facts


def test_facts_of_a_reading_are_those_of_its_tables(study):
    assert study.with_tables().facts == study.facts, "the one is counted while reading, the other from the tables"


def test_facts_of_parts_add_up(study):
    parts = [
        study.with_tables(
            **{name: study.table(name).filter(session_id=session) for name in ("sessions", "queries", "results")},
        ).facts
        for session in "ab"
    ]
    assert sum(parts, NO_FACTS) == study.facts


@pytest.mark.parametrize("length", [1, 2, SHORT, SHORT + 1, 200])
@pytest.mark.parametrize(("before", "after"), [(0, 0), (0, 1), (2, 0)])
def test_repeats_are_found_in_lists_of_any_length(length, before, after):
    # the list in the middle shows d0 again so often, first or last; the others show it too, which is no repeat
    shown = [f"d{number}" for number in range(length)]
    ends = ["d0"] * before + shown + ["d0"] * after
    lists = [shown, ends, shown]
    rows = [("s", n, rank, doc) for n, docs in enumerate(lists, 1) for rank, doc in enumerate(docs, 1)]
    names = ("session_id", "query_position", "rank", "doc_id")
    results = pl.DataFrame(rows, schema=names, orient="row")
    queries = pl.DataFrame({"results_status": ["shown"] * 3})
    starts = [0, length, length + len(ends)]
    facts = facts_in_order(1, queries, results, 0)
    assert (facts.repeats_in_lists, facts.lists_with_gaps, facts.results) == (before + after, 0, len(rows))
    assert facts_in_order(1, queries, results, 0, np.array(starts)) == facts
