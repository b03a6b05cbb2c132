"""Kendall's tau-b against scipy; knees; the confusion matrix of CLASSIC.

The p-value of a pair where no test ran: 1 for two that do not differ, none for two that do.

Many paired tests at once: each against scipy, ties, zeros and missing values among them.

Other judgments without reading again: the same values as a study that was read with them.
"""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import sessionkit as sk
from sessionkit.robustness.rescore import (
    Confusion,
    Rejudging,
    first_above,
    kendall,
    knee,
    p_of,
    reads_subtopics,
    t_p,
    under,
    wilcoxon_p,
)
from sessionkit.scoring.batch import batches, only_sessions
from sessionkit.scoring.execution import session_values
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.statistics.comparison_table import Row
from tests.scoring.studies import sessions, study_of
from tests.statistics import all_arrangements
from tests.support.examples import examples

VALUES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=15)


@settings(deadline=None)
@given(VALUES)
def test_kendall_is_scipys_tau_b_ties_and_all(pairs):
    one, other = np.array(pairs, dtype=float).T
    theirs = stats.kendalltau(one, other).statistic if len(set(one)) > 1 and len(set(other)) > 1 else np.nan
    assert kendall(one, other) == pytest.approx(theirs, nan_ok=True)


def test_rounding_does_not_break_a_tie_and_missing_systems_are_left_out():
    tied = np.array([0.1 + 0.2, 0.3, 0.5])
    assert kendall(tied, np.array([1.0, 2.0, 3.0])) == pytest.approx(stats.kendalltau([1, 1, 2], [1, 2, 3]).statistic)
    assert kendall(np.array([1.0, np.nan, 2.0, 3.0]), np.array([1.0, 9.0, 2.0, 3.0])) == 1.0


def test_the_knee_is_where_agreement_begins_to_stay():
    shares = [0.1, 0.2, 0.5, 1.0]
    assert knee(shares, np.array([0.95, 0.89, 0.9, 1.0])) == 0.5
    assert first_above(shares, np.array([0.95, 0.89, 0.9, 1.0])) == 0.1
    assert knee(shares, np.array([0.9, 0.9, 0.9, 1.0])) == 0.1
    assert first_above(shares, np.array([0.9, 0.9, 0.9, 1.0])) == 1.0  # above .9, not at it
    assert knee(shares, np.array([1.0, 1.0, 1.0, np.nan])) is None
    assert knee(shares, np.array([1.0, 0.7, 0.8, 1.0]), 0.75) == 0.5


def test_classics_confusion_matrix():
    found = Confusion(60, 15, 9, 216, 3)
    assert found.accuracy == 276 / 300
    assert found.true_positive == 60 / 75
    assert found.precision == 60 / 69
    assert found.false_positive_rate == 9 / 225
    assert found.g_mean == pytest.approx(0.8341, abs=5e-5)


def test_verdicts_are_counted_and_nothing_is_divided_by_nothing():
    whole, some = np.array([True, True, False, True]), np.array([True, False, True, True])
    found = Confusion.of(whole, some, np.array([True, True, True, False]))
    assert (found.kept, found.gained, found.lost, found.found, found.turned) == (0, 1, 1, 2, 1)
    assert (found.true_positive, found.precision, found.g_mean) == (0.0, 0.0, 0.0)
    assert found.false_positive_rate == 1 / 3
    assert Confusion(4, 0, 0, 0, 0).false_positive_rate is None
    assert Confusion(0, 0, 0, 4, 0).g_mean is None


@pytest.mark.parametrize(
    ("means", "p"), [((0.3, 0.1 + 0.2), 1.0), ((0.0, 0.0), 1.0), ((0.3, 0.4), math.nan), ((None, 0.4), math.nan)]
)
def test_what_was_not_tested_is_never_equal(means, p):
    assert p_of(Row("", "A", "B", 1, 1, *means)) == pytest.approx(p, nan_ok=True)


RANKS_VALUES = st.one_of(st.just(np.nan), st.integers(-4, 4).map(float), st.floats(-2, 2, allow_nan=False, width=32))
TABLES = st.integers(1, 4).flatmap(
    lambda pairs: st.lists(st.lists(RANKS_VALUES, min_size=pairs, max_size=pairs), min_size=1, max_size=25)
)


@settings(deadline=None)
@given(TABLES)
def test_wilcoxon_is_exact_with_zeros_ties_and_missing_values(table):
    table = np.array(table)
    found = [all_arrangements.signed_ranks(column[np.isfinite(column)]) for column in table.T]
    assert wilcoxon_p(table) == pytest.approx(found)


@pytest.mark.few(1)
@pytest.mark.parametrize("n", [50, 51, 200])
def test_wilcoxon_is_scipys_and_exact_to_fifty_units(n):
    d = np.random.default_rng(n).normal(0.2, size=(n, 3))
    assert wilcoxon_p(d) == pytest.approx([stats.wilcoxon(column, method="auto").pvalue for column in d.T])
    tied = np.round(d * 2)
    theirs = [stats.wilcoxon(c, zero_method="wilcox", method="asymptotic", correction=False).pvalue for c in tied.T]
    for number, column in enumerate(tied.T):
        if (column != 0).sum() <= 50:
            theirs[number] = all_arrangements.signed_ranks(column)
    assert wilcoxon_p(tied) == pytest.approx(theirs)


@settings(deadline=None)
@given(TABLES)
def test_t_is_scipys_where_something_varies(table):
    table = np.array(table)
    for column, p in zip(table.T, t_p(table), strict=True):
        d = column[np.isfinite(column)]
        if not (d != 0).any():
            assert p == 1  # nothing differs
        elif len(d) < 2 or not np.ptp(d):
            assert np.isnan(p)  # something does, and nothing varies to judge it by
        elif np.ptp(d) < 1e-9:
            assert np.isnan(p) or 0 <= p <= 1
        else:
            assert p == pytest.approx(stats.ttest_1samp(d, 0).pvalue, rel=1e-6, abs=1e-12)


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
