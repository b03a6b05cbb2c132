"""Size, power and coverage of every procedure on simulated studies: a nominal 5% test rejects about 5% of true null
hypotheses, over all pairs at once, more the larger the difference, and its intervals hold the truth about as often as they say.

Tests of the clinic's own design are in test_crossover.py, of correlations in test_correlations.py and test_correlation_matrices.py,
of parts of sessions in tests/sessions/test_breakdown_tests.py.
"""

from functools import cache

import numpy as np
import pytest
from scipy import stats

from sessionkit.statistics import effects
from sessionkit.statistics.corrections import Options, adjusted
from sessionkit.statistics.procedures import PROCEDURES
from sessionkit.statistics.units import Blocked, Separate

STUDIES = 500  # 5% with an sd of .97%, so that 3 to 7% is two of them to either side


@pytest.fixture(autouse=True)
def quick_ranges(monkeypatch):
    """Settle p-values of the studentized range by its critical value, for each takes 10 ms."""
    critical = cache(stats.studentized_range.isf)
    monkeypatch.setattr(stats.studentized_range, "sf", lambda q, k, df: 0.04 if q > critical(0.05, k, df) else 0.06)


@pytest.fixture
def coarse_effects(monkeypatch):
    """Take 64 nodes, not 400, to the ends of effects, of which thousands are asked for; return the ends by 400."""
    exact = {(t, df): effects.noncentrality(t, df, 0.05) for t in (-3.0, 0.0, 0.5, 6.0) for df in (11, 26)}
    monkeypatch.setattr(effects, "_places", cache(lambda: np.polynomial.legendre.leggauss(64)))
    monkeypatch.setattr(effects, "_sample_sd", cache(effects._sample_sd.__wrapped__))
    return exact


def outcomes(test, layout, means, studies=STUDIES):
    """What the procedure finds in studies of groups with these means, the residual sd being 1."""
    rng = np.random.default_rng(21)
    for number in range(studies):
        if layout == "blocked":
            units = Blocked(np.asarray(means) + rng.normal(0, 0.5, (14, 1)) + rng.normal(size=(14, len(means))))
        else:
            sizes = [12 + 4 * group for group in range(len(means))]
            sds = [1 + group * (test == "welch") for group in range(len(means))]
            units = Separate(tuple(rng.normal(m, s, n) for m, s, n in zip(means, sds, sizes, strict=True)))
        yield PROCEDURES[test].run[layout](units, Options(draws=199, seed=number))


def rejections(test, layout, means, studies=STUDIES):
    """Share of studies with any pair found different."""
    found = 0
    for outcome in outcomes(test, layout, means, studies):
        p = [pair.p for pair in outcome.pairs.values() if pair.p is not None]
        found += min(p if PROCEDURES[test].simultaneous else adjusted(p), default=1) <= 0.05
    return found / studies


EXACT = [
    ("t", "blocked", 2),
    ("wilcoxon", "blocked", 2),
    ("randomization", "blocked", 2),
    ("randomization", "blocked", 3),
    ("welch", "separate", 2),
    ("mann-whitney", "separate", 2),
    ("tukey", "blocked", 3),
    ("tukey", "separate", 3),
]
CAUTIOUS = [("t", "blocked", 3), ("conover", "blocked", 3), ("nemenyi", "blocked", 3), ("sign", "blocked", 2)]
"""Bonferroni's and Holm's rules, a test before the test, ranks' and signs' steps: below 5%."""


@pytest.mark.few(1)
@pytest.mark.parametrize(("test", "layout", "groups"), EXACT)
def test_a_nominal_5_percent_test_rejects_3_to_7_percent(test, layout, groups):
    assert 0.03 <= rejections(test, layout, [0.0] * groups) <= 0.07


@pytest.mark.few(1)
@pytest.mark.parametrize(("test", "layout", "groups"), CAUTIOUS)
def test_those_that_are_cautious_reject_no_more(test, layout, groups):
    # of 14 signs 2 or fewer on one side: 2 x (1 + 14 + 91) / 2^14 = .0129
    assert 0.004 <= rejections(test, layout, [0.0] * groups) <= 0.06


@pytest.mark.few(6)
@pytest.mark.parametrize(("test", "layout", "groups"), EXACT + CAUTIOUS)
def test_a_larger_difference_is_found_more_often(test, layout, groups):
    small, large = (rejections(test, layout, np.linspace(0, d, groups), 60) for d in (0.4, 2.0))
    assert large > 0.65
    assert large > small + 0.3


@pytest.mark.slow
@pytest.mark.few(4)
@pytest.mark.parametrize("difference", [0.0, 1.5])
@pytest.mark.parametrize(
    ("test", "layout", "groups"),
    [row for row in EXACT if row[0] in ("t", "randomization", "welch", "tukey")],
)
def test_intervals_hold_the_truth_all_at_once(test, layout, groups, difference, coarse_effects):
    # fewer nodes move an end by no more than a thousandth of a standard error: of 500 studies none, or one
    for (t, df), ends in coarse_effects.items():
        assert effects.noncentrality(t, df, 0.05) == pytest.approx(ends, abs=0.001)
    # Wilcoxon and Mann-Whitney, see test_significance.py: what is not rejected is inside
    means = np.linspace(0, difference, groups)
    held = held_effect = 0
    for outcome in outcomes(test, layout, means):
        truths = {key: means[key[1]] - means[key[0]] for key in outcome.pairs}
        # the effect's: of paired differences, whose sd is sqrt(2), by the residual sd of 1, by the pooled sd of 12 and 16
        sd = np.sqrt((11 + 15 * 4) / 26) if test == "welch" else np.sqrt(2) if groups == 2 else 1
        ends = {key: (pair.interval(0.05), pair.effect_interval(0.05)) for key, pair in outcome.pairs.items()}
        held += all(low <= truths[key] <= high for key, ((low, high), _) in ends.items())
        held_effect += all(low <= truths[key] / sd <= high for key, (_, (low, high)) in ends.items())
    # max-T draws are of all groups as they are, so the more these differ the wider the intervals
    most = 1 if (test, groups) == ("randomization", 3) and difference else 0.97
    assert 0.93 <= held / STUDIES <= most
    assert 0.93 <= held_effect / STUDIES <= most


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("test", "layout"),
    [("tukey", "blocked"), ("nemenyi", "blocked"), ("welch", "separate"), ("mann-whitney", "separate")],
)
def test_tests_of_all_groups_at_once_hold_their_level(test, layout):
    procedure, rejected = PROCEDURES[test], {}
    none = () if not procedure.joint else None
    rng = np.random.default_rng(22)
    for _ in range(STUDIES):
        values = rng.normal(size=(14, 3)) + rng.normal(size=(14, 1))
        units = (
            Blocked(values)
            if layout == "blocked"
            else Separate((values[:12, 0], values[:, 1] - values[:, 2], rng.normal(0, 2, 16)))
        )
        for overall in procedure.run[layout](units, Options(pairs=none)).overall:
            rejected[overall.test] = rejected.get(overall.test, 0) + (overall.p <= 0.05)
    for name, many in rejected.items():
        assert 0.02 <= many / STUDIES <= 0.075, name
