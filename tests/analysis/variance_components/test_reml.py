"""REML: published fits, and statsmodels' own on the same data from where it begins by itself."""

import warnings

import numpy as np
import pytest

from sessionkit.statistics.variance_components import Factors, fitted, means
from tests.analysis.compare.layouts import SYSTEM, TOPIC, USER, simulated

from .published import DYESTUFF, DYESTUFF2, batches

CLINIC = Factors(SYSTEM, 2, ("user", "topic", "both"), (USER, TOPIC, SYSTEM * 4 + TOPIC))


def test_dyestuff():
    fit = fitted(batches(), DYESTUFF)
    assert fit.components == pytest.approx([1764.05, 2451.25], rel=1e-4)
    assert -2 * fit.log_likelihood == pytest.approx(319.6543, abs=1e-3)
    assert fit.converged
    found = means(batches(), fit.components, DYESTUFF)
    assert (found.values[0], found.covariance[0, 0] ** 0.5) == pytest.approx((1527.5, 19.383), rel=1e-4)


def test_a_component_of_0():
    fit = fitted(batches(), DYESTUFF2)
    assert fit.components[0] == 0
    assert fit.components[1] == pytest.approx(13.806, rel=1e-4)
    assert -2 * fit.log_likelihood == pytest.approx(161.8283, abs=1e-3)
    assert fit.converged
    found = means(batches(), fit.components, DYESTUFF2)
    assert (found.values[0], found.covariance[0, 0] ** 0.5) == pytest.approx((5.6656, 0.6784), abs=1e-4)


def test_crossed_factors_against_statsmodels_from_its_own_start():
    import pandas as pd
    from statsmodels.regression.mixed_linear_model import MixedLM

    values = simulated(3, effect=0.1, interaction=0.1, seed=3)[:, 2]
    frame = pd.DataFrame({"y": values, "s": SYSTEM, "u": USER, "t": TOPIC, "b": SYSTEM * 4 + TOPIC, "one": 1})
    model = MixedLM.from_formula(
        "y ~ C(s)",
        groups="one",
        re_formula="0",
        vc_formula={"a": "0 + C(u)", "b": "0 + C(t)", "c": "0 + C(b)"},
        data=frame,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = model.fit(reml=True)
    ours = fitted(CLINIC, values)
    assert theirs.converged
    assert ours.components == pytest.approx([*theirs.vcomp, theirs.scale], rel=2e-3)
    found = means(CLINIC, ours.components, values)
    assert found.values[1] - found.values[0] == pytest.approx(theirs.fe_params.iloc[1], rel=1e-3)
    own = found.covariance
    assert (own[0, 0] + own[1, 1] - 2 * own[0, 1]) ** 0.5 == pytest.approx(theirs.bse_fe.iloc[1], rel=1e-3)
    # with groups' means in place of an intercept and a difference X'X has the same determinant: the columns are turned
    assert ours.log_likelihood == pytest.approx(theirs.llf, abs=1e-4)


@pytest.mark.slow
def test_every_small_study_converges_and_values_may_be_on_any_scale():
    studies = simulated(25, interaction=0.05, seed=17)
    zeros = 0
    for values in studies.T:
        fit = fitted(CLINIC, values)
        assert fit.converged
        zeros += not fit.components.all()
        assert fitted(CLINIC, 1e6 + 1e4 * values).components == pytest.approx(1e8 * fit.components, rel=1e-2, abs=1e3)
    assert zeros > 5  # so that components of 0 were among them


def test_no_other_components_nearby_are_more_likely():
    for values in simulated(4, interaction=0.1, seed=29).T:
        reduced = CLINIC.reduced(values)
        found = fitted(CLINIC, values).components
        best = reduced.deviance(found)
        for component in range(4):
            for factor in (1 - 1e-4, 1 + 1e-4):
                other = found.copy()
                other[component] = max(other[component] * factor, 1e-9 * found[-1])  # one of 0 can only rise
                assert reduced.deviance(other) > best - 1e-12
        free = found > 0
        ends = [
            [reduced.deviance(found * np.where(np.arange(4) == k, 1 + sign * 1e-5, 1)) for k in np.flatnonzero(free)]
            for sign in (-1, 1)
        ]
        # at the maximum the slope is 0: the deviance rises alike to either side
        assert np.allclose(*ends, rtol=0, atol=1e-11)
