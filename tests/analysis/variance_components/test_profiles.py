"""Intervals of components: their definition restated, and their coverage in the clinic's design."""

import numpy as np
import pytest
from scipy import optimize, stats

from sessionkit.statistics.variance_components import Factors, estimated, highest, interval
from tests.analysis.compare.layouts import SYSTEM, TOPIC, USER, simulated

from .published import DYESTUFF, DYESTUFF2, batches

CLINIC = Factors(SYSTEM, 2, ("user", "topic", "both"), (USER, TOPIC, SYSTEM * 4 + TOPIC))


@pytest.mark.parametrize("values", [DYESTUFF, DYESTUFF2])
@pytest.mark.parametrize("component", [0, 1])
def test_ends_are_where_the_best_deviance_is_higher_by_the_quantile_of_chi_squared(values, component):
    reduced = batches().reduced(values)
    found = estimated(reduced, values.var())
    low, high = interval(reduced, found, component, 0.05)

    def best(value):
        """The deviance with the component held, by a search that knows nothing of scores."""
        other = 1 - component

        def deviance(log):
            tried = np.empty(2)
            tried[component], tried[other] = value, np.exp(log)
            return reduced.deviance(tried)

        at = np.log(values.var())
        ends = [optimize.minimize_scalar(deviance, bounds=(at - 25, at + 8), method="bounded").fun]
        return min([*ends, deviance(-700)] if other == 0 else ends) - reduced.deviance(found)

    assert best(high) == pytest.approx(stats.chi2.isf(0.05, 1), abs=1e-3)
    if low > 0:
        assert best(low) == pytest.approx(stats.chi2.isf(0.05, 1), abs=1e-3)
    else:
        assert best(1e-12) < stats.chi2.isf(0.05, 1)


@pytest.mark.proof
def test_in_the_clinics_design_intervals_cover_93_to_97_percent():
    truth = np.array([0.10, 0.15, 0.10, 0.22]) ** 2
    covered = []
    for values in simulated(300, interaction=0.1, seed=5).T:
        reduced = CLINIC.reduced(values)
        lowest = reduced.deviance(estimated(reduced, values.var()))
        # the interval holds a value if the deviance there is not higher by more than the quantile
        row = []
        for component in range(4):
            best = highest(reduced, truth, fixed=component)
            row.append(reduced.deviance(best) - lowest <= stats.chi2.isf(0.05, 1))
        covered.append(row)
    share = np.mean(covered, axis=0)
    assert (share >= 0.92).all()
    assert (share <= 0.99).all()


@pytest.mark.parametrize("ratio", [30, 300, 3_000])
def test_components_far_apart_have_intervals(ratio):
    # an sd of users of 0 or little, of topics so many times the residual's, as measures in seconds may have it
    rng = np.random.default_rng(1)
    values = rng.normal(0, ratio, 4)[TOPIC] + rng.normal(0, 1, 120)
    reduced = CLINIC.reduced(values)
    found = estimated(reduced, values.var())
    for component, truth in ((0, 0), (1, ratio**2), (2, 0), (3, 1)):
        low, high = interval(reduced, found, component, 0.05)
        assert low <= truth <= high
        assert low <= found[component] <= high
        if component != 1:
            assert high < 2


def test_a_residual_of_which_little_is_known_ends_at_0():
    # each pair of a user and a topic once: but for the likelihood nothing parts the residual from what is between them
    user, topic = (axis.ravel() for axis in np.meshgrid(range(3), range(3), indexing="ij"))
    pair = np.array([0, 1, 2, 3, 4, 5, 6, 7, 7])
    factors = Factors(np.zeros(9, dtype=int), 1, ("user", "topic", "pair"), (user, topic, pair))
    values = np.random.default_rng(2).normal(size=9)
    reduced = factors.reduced(values)
    assert reduced.df == 0
    low, high = interval(reduced, estimated(reduced, values.var()), 3, 0.05)
    assert 0 <= low < 1e-6 < high


def test_without_an_upper_end():
    # two levels say next to nothing of a variance: 1 - 1e-20 confidence reaches beyond all bounds
    values = np.array([0.0, 0.1, 0.05, 1.0, 1.1, 1.04])
    factors = Factors(np.zeros(6, dtype=int), 1, ("topic",), (np.repeat([0, 1], 3),))
    reduced = factors.reduced(values)
    assert interval(reduced, estimated(reduced, values.var()), 0, 1e-6)[1] is None
