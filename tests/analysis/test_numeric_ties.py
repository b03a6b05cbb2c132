"""The one rule of ties: rounding changes no rank, win, tie, sign or order, and nothing that differs is made the same."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import sessionkit as sk
from sessionkit.robustness.rescore import RescoredPairs, kendall
from sessionkit.robustness.sweep_scores import SettingMeans
from sessionkit.robustness.sweep_verdicts import led, tau_b
from sessionkit.scoring.measures.describe import MeasureDirection
from sessionkit.sessions.breakdown_tests import parted
from sessionkit.statistics import distributions as ties
from sessionkit.statistics.comparison_table import Row
from sessionkit.statistics.correlations import CorrelationRows
from sessionkit.statistics.design import read_design
from sessionkit.statistics.distributions import Resampling
from sessionkit.statistics.procedures import ComparisonPlan
from sessionkit.statistics.significance import (
    conover,
    friedman,
    kruskal,
    mann_whitney,
    nemenyi,
    randomized,
    sign,
    wilcoxon,
)
from sessionkit.statistics.units import Blocked, Separate
from tests.analysis.compare.layouts import by_topic, scores
from tests.support.examples import examples

NOISY = (0.1 + 0.2) / 2
"""A mean of .1 and .2, which is not the double .15: counts 1 and 2 of ten are not 0 and 3, as means of P@10."""
TENTHS = st.integers(0, 12)


def noisy(values, seed):
    """The same values, each some last digits away from where it was."""
    rng = np.random.default_rng(seed)
    away = np.asarray(values, dtype=float)
    for _ in range(4):
        away = np.nextafter(away, away + rng.integers(-1, 2, away.shape))
    return np.where(np.asarray(values) == 0, 0.0, away)


def ten_users(measure="mean(P@10)"):
    """Ten users with both systems, .15 by either way of working it out; one has .2 with the first."""
    rows = [(f"{user}{name}", f"u{user}", None, name, 0.0) for user in range(10) for name in "AB"]
    value = pl.Series([v for user in range(10) for v in (0.2 if user == 9 else NOISY, 0.15)])
    return scores(rows, measure).with_columns(value=value)


# the reproduction, end to end


@pytest.mark.parametrize(("test", "p"), [("sign", 1.0), ("wilcoxon", 1.0), ("randomization", 1.0)])
def test_nine_ties_and_one_difference_are_no_evidence(test, p):
    found = sk.compare(ten_users(), test=test)
    row = found.table.row(0, named=True)
    assert (row["wins"], row["ties"], row["losses"], row["p"]) == (0, 9, 1, p)
    assert "Evidence" not in found.reading


@pytest.mark.slow
def test_of_a_study_read_from_a_log():
    # P@10 of two queries: 1 and 2 of ten relevant with A, 0 and 3 with B, mean .15 of both; one user has 1 and 3 with A
    rows = {name: [] for name in ("session_id", "user_id", "system_id", "query_position", "rank", "doc_id")}
    for user in range(10):
        for system, counts in (("A", (1, 3 if user == 9 else 2)), ("B", (0, 3))):
            for position, relevant in enumerate(counts, 1):
                for rank in range(1, 11):
                    document = f"{'r' if rank <= relevant else 'n'}{rank}"
                    row = (f"{user}{system}", f"u{user}", system, position, rank, document)
                    for name, value in zip(rows, row, strict=True):
                        rows[name].append(value)
    judgments = {"judgment_key": ["t"] * 3, "doc_id": ["r1", "r2", "r3"], "grade": [1] * 3}
    study = sk.from_tables(results=rows | {"topic_id": ["t"] * len(rows["rank"])}, judgments=judgments)
    values = sk.score(study, "mean(P@10)", per="session")["value"].unique().to_list()
    assert len(values) == 3  # .2, and .15 as two doubles
    for test in ("sign", "wilcoxon"):
        row = sk.compare(study, "mean(P@10)", test=test).table.row(0, named=True)
        assert (row["p"], row["wins"], row["ties"], row["losses"]) == (1, 0, 9, 1)
    found = sk.discriminate(study, "mean(P@10)", test="wilcoxon")
    assert found.asl["p"].to_list() == [1.0]
    assert sk.judgment_loss(study, "mean(P@10)", fractions=[1], draws=1, test="wilcoxon").pairs["p"].to_list() == [1.0]


# what is tied, and what is not


def test_a_difference_is_measured_by_what_it_is_the_difference_of():
    first, second = np.array([NOISY, 0.15, 1e-17, 0.0, 1e9]), np.array([0.15, 0.2, 4e-17, 1e-300, 1e9 + 1e-4])
    assert ties.differences(first, second)[0] == 0  # 2.8e-17 between .15s, though other differences are as small
    assert (ties.differences(first, second)[[1, 2, 3]] == (second - first)[[1, 2, 3]]).all()
    assert ties.differences(first, second)[4] == 0
    away = ties.differences(np.array([0.1, 0.5, 0.3]), np.array([0.3, 0.3, 0.1]))
    assert len(set(np.abs(away).tolist())) == 1  # .2 three times, as doubles .19999999999999998 and .2


def test_values_on_both_sides_of_any_rounded_digit_are_tied():
    # 12 significant digits round .1234567890125 up and the double below it down
    value = 0.1234567890125
    below, above = np.nextafter(value, 0), np.nextafter(value, 1)
    assert len({f"{v:.12g}" for v in (below, above)}) == 2
    assert len(set(ties.settled(np.array([above, below])).tolist())) == 1


def test_ties_reach_through_what_is_tied_and_no_further():
    step = 1 + 0.9e-12
    chain = np.array([1.0, step, step**2, 1 + 4e-12])
    assert ties.settled(chain).tolist() == [1.0, 1.0, 1.0, 1 + 4e-12]
    assert ties.ranks(chain).tolist() == [2, 2, 2, 4]
    size = np.array(
        [1.0, 1.0, 5.0]
    )  # the third is a difference of larger numbers, within whose rounding the others are
    assert ties.settled(np.array([3e-12, 5e-12, 7e-12]), size).tolist() == [3e-12] * 3
    assert ties.settled(np.array([3e-12, 5e-12, 1.1e-11]), size).tolist() == [3e-12, 5e-12, 1.1e-11]


@settings(deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=12), st.integers(0, 2**32 - 1))
def test_settled_moves_nothing_by_more_than_a_chain_of_ties_whatever_the_order(values, seed):
    values = np.array(values)
    found = ties.settled(values)
    order = np.random.default_rng(seed).permutation(len(values))
    assert ties.settled(values[order]).tolist() == found[order].tolist()
    assert ties.settled(found).tolist() == found.tolist()
    assert (np.abs(found - values) <= len(values) * ties.TIE * np.abs(values).max()).all()
    for one, other in pairwise(np.sort(values).tolist()):
        tied = other - one <= ties.TIE * max(abs(one), abs(other))
        same = found[values == one][0] == found[values == other][0]
        assert same == tied


def test_missing_and_infinite_values_stay():
    values = np.array([np.nan, 0.3, np.inf, 0.1 + 0.2, np.nan, -np.inf])
    assert ties.settled(values) == pytest.approx([np.nan, 0.3, np.inf, 0.3, np.nan, -np.inf], nan_ok=True, rel=0, abs=0)
    assert ties.settled(np.zeros((0, 3))).shape == (0, 3)


def test_columns_are_tied_as_arrays_are():
    frame = pl.DataFrame({"a": [0.15, 0.2, None, 0.0], "b": [NOISY, 0.15, 1.0, 0.0]})
    assert frame.select(ties.tied(pl.col("a"), pl.col("b"))).to_series().to_list() == [True, False, None, True]
    assert frame.select(ties.less(pl.col("a"), pl.col("b"))).to_series().to_list() == [0.0, 0.2 - 0.15, None, 0.0]


# rounding changes nothing that is ranked, and exact fractions give the same


def told(outcome):
    """All p-values, statistics and effects of an outcome."""
    pairs = [(key, pair.p, pair.statistic, pair.effect) for key, pair in outcome.pairs.items()]
    return pairs, [(each.statistic, each.p) for each in outcome.overall]


@settings(deadline=None, max_examples=examples(60))
@given(st.lists(st.tuples(TENTHS, TENTHS, TENTHS), min_size=4, max_size=9), st.integers(0, 2**32 - 1))
def test_no_rank_test_of_blocks_sees_rounding(rows, seed):
    counts = np.array(rows)
    values = noisy(counts / 10, seed)
    exact, found = Blocked(counts.astype(float)), Blocked(values)
    if (counts[:, 0] != counts[:, 1]).any():
        for test in (wilcoxon, sign):
            one, other = test(found, 0, 1), test(exact, 0, 1)
            assert (one.p, one.statistic, one.effect) == (other.p, other.statistic, other.effect)
        two = [randomized(Blocked(each.values[:, :2]), 999, 1).pairs[0, 1].p for each in (found, exact)]
        assert two[0] == two[1]
    if len({*np.ptp(counts, axis=1)}) > 1:
        for test in (nemenyi, lambda units: conover(units, 0.99)):
            assert told(test(found)) == told(test(exact))
        theirs = stats.friedmanchisquare(*counts.T)
        assert friedman(found)[0].statistic == pytest.approx(theirs.statistic)
        assert [three.p for three in randomized(found, 199, 1).pairs.values()] == [
            three.p for three in randomized(exact, 199, 1).pairs.values()
        ]


@settings(deadline=None, max_examples=examples(60))
@given(st.lists(TENTHS, min_size=2, max_size=12), st.lists(TENTHS, min_size=2, max_size=12), st.integers(0, 2**32 - 1))
def test_no_rank_test_of_separate_groups_sees_rounding(a, b, seed):
    if len({*a, *b}) == 1:
        return
    exact = Separate((np.array(a, dtype=float), np.array(b, dtype=float)))
    found = Separate((noisy(np.array(a) / 10, seed), noisy(np.array(b) / 10, seed + 1)))
    one, other = mann_whitney(found, 0, 1), mann_whitney(exact, 0, 1)
    assert (one.p, one.statistic, one.effect) == (other.p, other.statistic, other.effect)
    assert kruskal(found) == kruskal(exact)
    assert kruskal(found)[0].p == pytest.approx(stats.kruskal(a, b).pvalue)


@settings(deadline=None, max_examples=examples(30))
@given(st.lists(st.tuples(TENTHS, TENTHS), min_size=6, max_size=14), st.integers(0, 2**32 - 1))
@pytest.mark.parametrize("coefficient", ["spearman", "kendall"])
def test_no_rank_correlation_sees_rounding(coefficient, rows, seed):
    x, y = np.array(rows, dtype=float).T
    if len({*x}) < 2 or len({*y}) < 2:
        return
    for analytic in (True, False):
        found = [
            CorrelationRows(
                {"x": one, "y": other, "z": np.arange(len(x)) % 3.0},
                np.arange(len(x)),
                "sessions",
                (),
                Resampling(draws=200),
                analytic=analytic,
            ).correlation("x", "y", coefficient)
            for one, other in ((x, y), (noisy(x / 10, seed), noisy(y / 10, seed + 1)))
        ]
        assert found[0] == found[1]
    theirs = {"spearman": stats.spearmanr, "kendall": stats.kendalltau}[coefficient](x, y)
    assert found[0]["value"] == pytest.approx(theirs.statistic)


def test_a_column_that_is_constant_but_for_rounding_correlates_with_nothing():
    values = {"x": np.array([NOISY, 0.15, 0.15, NOISY, 0.15]), "y": np.arange(5.0)}
    rows = CorrelationRows(values, np.arange(5), "sessions", (), Resampling(), analytic=True)
    for coefficient in ("pearson", "spearman", "kendall"):
        assert "a constant correlates with nothing" in rows.correlation("x", "y", coefficient)["note"]


@settings(deadline=None, max_examples=examples(60))
@given(st.lists(st.tuples(TENTHS, TENTHS), min_size=2, max_size=9), st.integers(0, 2**32 - 1))
def test_no_order_of_means_sees_rounding(rows, seed):
    one, other = np.array(rows, dtype=float).T
    found = kendall(noisy(one / 10, seed), noisy(other / 10, seed + 1))
    theirs = stats.kendalltau(one, other).statistic if len({*one}) > 1 and len({*other}) > 1 else np.nan
    assert found == pytest.approx(theirs, nan_ok=True)
    assert tau_b(noisy(one / 10, seed), noisy(other / 10, seed + 1)) == (None if np.isnan(found) else found)
    n = np.ones(len(one))
    for better in (1, -1):
        exact, seen = (led(SettingMeans(each, n, 0 * n), better) for each in (one, noisy(one / 10, seed)))
        assert (seen.leader, seen.following, seen.tied) == (exact.leader, exact.following, exact.tied)


def test_the_sign_of_a_difference_of_means_is_not_roundings():
    # of users .1, .2, .3 with A and .3, .2, .1 with B the differences add up to 2.8e-17, which is no sign to keep or change
    values = np.array([[0.1, 0.3], [0.2, 0.2], [0.3, 0.1], [0.1 + 0.2, 0.3]])
    frame = by_topic(values).rename({"system_id": "group"}).sort("session_id")
    design = read_design(frame, "system_id", 2)
    number = (frame["group"] == "S2").cast(pl.Int64).to_numpy()
    for test in ("t", "wilcoxon", "sign", "randomization"):
        tested = RescoredPairs.of(ComparisonPlan.of(design, 2, test=test), frame, number, ["S1", "S2"], [(0, 1)])
        d, p = tested.tested(frame["value"].to_numpy())
        assert (d[0], p[0]) == (0.0, pytest.approx(1.0))
    assert Row("", "A", "B", 1, 1, 0.3, 0.1 + 0.2).raw_difference == 0


def test_the_best_query_is_the_earliest_of_equals_rounding_aside():
    values = pl.DataFrame(
        {"session_id": ["s"] * 3 + ["t"] * 2, "query_position": [1, 2, 3, 1, 2], "value": [0.15, NOISY, 0.1, None, 0.5]}
    )
    assert parted(values, "best", MeasureDirection.named("nDCG")).rows() == [
        ("s", 0.15, (NOISY + 0.1) / 2, 3),
        ("t", 0.5, None, 2),
    ]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=8))
def test_wins_and_ties_are_those_of_exact_fractions(pairs):
    # means of two P@10 each: (i + j) / 20, worked out in two ways
    first = np.array([(i / 10 + j / 10) / 2 for i, j in pairs])
    second = np.array([Fraction(7, 20)] * len(pairs), dtype=float)
    signs = [(Fraction(7, 20) > Fraction(i + j, 20)) - (Fraction(7, 20) < Fraction(i + j, 20)) for i, j in pairs]
    assert np.sign(ties.differences(first, second)).tolist() == signs
