"""Other judgments without reading again: the same values as a study that was read with them."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.robustness.rescore import Rejudging, only_sessions, reads_subtopics, under
from sessionkit.scoring.batch import batches
from sessionkit.scoring.execution import session_values
from sessionkit.scoring.measures.grammar import parse_measure
from tests.scoring.studies import sessions, study_of
from tests.support.examples import examples

LOST = -7.0
"""A grade that stands for none."""
MEASURES = [
    parse_measure(text)
    for text in (
        "sDCG@5", "nsDCG@5", "mean(nDCG@5)", "mean(AP)", "mean(infAP)", "mean(bpref)", "sDCG(duplicates=first)@5",
        "mean(P(unjudged=skip)@3)", "mean(ERR(max_grade=3))", "Judged@5",
    )
]  # fmt: skip


def valued(batch, measures=MEASURES):
    """Values of all sessions, a column for each measure."""
    found = session_values(batch, measures)
    return np.column_stack([found[m]["value"].cast(pl.Float64).fill_null(np.nan).to_numpy() for m in measures])


def one_block(study):
    """The batch that a study is."""
    (batch,) = batches(study, {"results": ["doc_id"]})
    return batch


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize("keys_per_query", [False, True])
@settings(max_examples=examples(20), deadline=None)
@given(data=st.data())
def test_values_are_those_of_a_study_read_with_these_judgments(keys_per_query, data):
    made, judgments = data.draw(sessions(keys_per_query=keys_per_query))
    study = study_of(made, judgments, keys_per_query=keys_per_query, max_grade=3)
    pairs = [(key, doc) for key in sorted(judgments) for doc in sorted(judgments[key])]
    new = data.draw(st.lists(st.sampled_from([LOST, 0.0, 1.0, 3.0]), min_size=len(pairs), max_size=len(pairs)))
    grades = np.where(np.array(new) == LOST, np.nan, np.array(new))
    mine = valued(under(one_block(study), Rejudging.of(study, MEASURES).under(grades)))
    told = {key: {} for key in judgments}
    for (key, doc), grade in zip(pairs, new, strict=True):
        told[key][doc] = grade
    fresh = study_of(made, told, keys_per_query=keys_per_query, max_grade=3, unjudged_grades=[LOST])
    values = sk.score(fresh, MEASURES, per="session")["value"].fill_null(np.nan).to_numpy()
    assert np.array_equal(mine, values.reshape(-1, len(MEASURES)), equal_nan=True)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@settings(max_examples=examples(20), deadline=None)
@given(data=st.data())
def test_some_sessions_alone_have_the_values_that_they_have_among_all(data):
    made, judgments = data.draw(sessions())
    batch = one_block(study_of(made, judgments, max_grade=3))
    many = len(batch.sessions)
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=many, max_size=many)))
    part = only_sessions(batch, keep)
    assert np.array_equal(valued(part), valued(batch)[keep], equal_nan=True)
    assert part.features["session_id"].to_list() == batch.features["session_id"].filter(pl.Series(keep)).to_list()


def test_subtopics_are_those_of_the_judgments_that_are_left():
    judgments = {
        "judgment_key": ["t"] * 4, "doc_id": ["a", "a", "b", "b"], "subtopic_id": ["1", "2", "1", "2"], "grade": [1, 3, 2, 0],
    }  # fmt: skip
    results = {
        "session_id": ["s"] * 2,
        "query_position": [1, 1],
        "rank": [1, 2],
        "doc_id": ["a", "b"],
        "topic_id": ["t"] * 2,
    }
    measures = [parse_measure("CubeTest"), parse_measure("ACT")]
    assert all(reads_subtopics(measure) for measure in measures)
    study = sk.from_tables(results=results, judgments=judgments)
    left = {name: values[2:] for name, values in judgments.items()}
    batch = one_block(study)
    rejudging = Rejudging.of(study, measures)
    lost = valued(under(batch, rejudging.under(np.array([np.nan, 2.0]))), measures)
    fresh = sk.score(sk.from_tables(results=results, judgments=left), measures, per="session")["value"].to_list()
    assert lost.tolist() == [fresh]
    assert valued(batch, measures).tolist() != [fresh]
