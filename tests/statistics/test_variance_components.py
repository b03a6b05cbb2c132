"""Mean squares: the analysis of variance of Dyestuff, a balanced table worked by hand, and draws.

Intervals of components: their definition restated, and their coverage in the clinic's design.

Which random factors a study has, and why some are left out.

REML: published fits, and statsmodels' own on the same data from where it begins by itself.
"""

import warnings

import numpy as np
import polars as pl
import pytest
from scipy import optimize, stats

from sessionkit.errors import UsageError
from sessionkit.statistics.session_values import sessions_of
from sessionkit.statistics.variance_components import (
    Factors,
    alike,
    asked_for,
    chosen,
    estimated,
    fitted,
    highest,
    interval,
    mean_squares,
    means,
)
from tests.statistics.layouts import SYSTEM, TOPIC, USER, by_topic, crossing, scores, simulated
from tests.statistics.published_data import DYESTUFF, DYESTUFF2, batches


def test_dyestuff():
    found = mean_squares(batches(), DYESTUFF)[1]
    # Davies' table: between batches 11271.5 with 5 df, within 2451.25 with 24; (11271.5 - 2451.25) / 5 = 1764.05
    assert found.values == pytest.approx([11271.5, 2451.25])
    assert found.df.tolist() == [5, 24]
    assert found.weights == pytest.approx(np.array([[5, 1], [0, 1]]))
    assert found.components() == pytest.approx([1764.05, 2451.25])


def test_crossed_and_finer_factors_of_a_balanced_study():
    rng = np.random.default_rng(1)
    user, topic, group = (axis.ravel() for axis in np.meshgrid(range(6), range(4), range(2), indexing="ij"))
    factors = Factors(group, 2, ("user", "topic", "both"), (user, topic, topic * 2 + group))
    cube = rng.normal(size=(6, 4, 2))
    same, found = mean_squares(factors, cube.ravel())
    assert same is factors
    of_user = 8 * ((cube.mean(axis=(1, 2)) - cube.mean()) ** 2).sum() / 5
    of_topic = 12 * ((cube.mean(axis=(0, 2)) - cube.mean()) ** 2).sum() / 3
    cells = cube.mean(axis=0)
    left = cells - cells.mean(axis=0) - cells.mean(axis=1, keepdims=True) + cells.mean()
    assert found.values[:3] == pytest.approx([of_user, of_topic, 6 * (left**2).sum() / 3])
    # 48 values: 1 for the mean, 1 for groups, 5, 3 and 3: 35 are left
    assert found.df.tolist() == [5, 3, 3, 35]
    # a user has 8 sessions, a topic 12, a topic with a group 6, which the topic's mean square has too
    assert found.weights == pytest.approx(np.array([[8, 0, 0, 1], [0, 12, 6, 1], [0, 0, 6, 1], [0, 0, 0, 1]]))


def test_a_factor_without_degrees_of_freedom_is_left_to_the_residual():
    # 3 users, 2 topics, groups alternated, each twice: of 12, 1 for the mean, 1 for groups, 2 for users, 1 for topics; what
    # topics do to two groups is what the users with the first topic differ by from the others
    user, topic, _ = (axis.ravel() for axis in np.meshgrid(range(3), range(2), range(2), indexing="ij"))
    group = (user + topic) % 2
    factors = Factors(group, 2, ("user", "topic", "both"), (user, topic, topic * 2 + group))
    kept, found = mean_squares(factors, np.random.default_rng(1).normal(size=12))
    assert kept.names == ("user", "topic")
    assert found.df.tolist() == [2, 1, 7]


def test_a_lucky_mean_square_leaves_its_component_in_doubt():
    # batches whose means are alike: the mean square is 0, as if the component were surely so
    values = np.tile(DYESTUFF[:5], 6)
    found = mean_squares(batches(), values)[1]
    assert found.values[0] == pytest.approx(0, abs=1e-9)
    drawn = found.drawn(np.random.default_rng(3), 20_000)[0]
    # the mean square is drawn as the residual's over chi-squared / 5: 0 where F of 5 and 24 degrees of freedom is above 1
    assert (drawn == 0).mean() == pytest.approx(stats.f.sf(1, 5, 24), abs=0.01)
    assert np.quantile(drawn, 0.95) > 0.3 * found.values[1]


def test_draws_are_as_uncertain_as_the_mean_squares():
    found = mean_squares(batches(), DYESTUFF)[1]
    drawn = found.drawn(np.random.default_rng(3), 20_000)
    assert (drawn >= 0).all()
    # the residual: 24 x 2451.25 / chi-squared(24); the batch is 0 where 11271.5 / F is below 2451.25
    ends = 24 * 2451.25 / stats.chi2.ppf([0.95, 0.05], 24)
    assert np.quantile(drawn[1], [0.05, 0.95]) == pytest.approx(ends, rel=0.02)
    assert (drawn[0] == 0).mean() == pytest.approx(stats.f.sf(11271.5 / 2451.25, 5, 24), abs=0.003)


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


def of(table):
    return sessions_of(table, None, "system_id")


def test_by_default_users_topics_and_what_topics_do_to_groups():
    study = of(crossing(range(120)))
    assert asked_for(study, None) == ("user_id", "topic_id", "system_id:topic_id")
    found = chosen(study, 0, asked_for(study, None))
    assert found.factors.names == ("user_id", "topic_id", "system_id:topic_id")
    assert found.factors.sizes == (30, 4, 8)
    assert (found.users, found.topics, found.left_out, found.dropped) == (30, 4, {}, {})
    assert found.factors.containing == (2,)
    assert alike(study, found.factors.names) == "system_id:user_id"


def test_without_topics_what_users_do_to_groups():
    rows = [(f"{u}{s}{i}", f"u{u}", None, f"S{s}", u + s * i) for u in range(4) for s in (0, 1) for i in (0, 1)]
    study = of(scores(rows))
    assert asked_for(study, None) == ("user_id", "system_id:user_id")
    assert alike(study, asked_for(study, None)) == ""


def test_names_in_any_order():
    study = of(crossing(range(120)))
    given = asked_for(study, "topic_id:system_id, user_id")
    assert given == ("user_id", "system_id:topic_id")
    with pytest.raises(UsageError, match=r"random=topic: no such factor here; .*did you mean 'topic_id'"):
        asked_for(study, ["topic"])


def test_what_cannot_be_told_apart_is_left_out_and_why():
    found = chosen(of(by_topic([[1, 2], [3, 5], [2, 2]])), 0, ("topic_id", "system_id:topic_id"))
    assert found.factors.names == ("topic_id",)
    assert found.left_out["system_id:topic_id"].reason == "residual"
    # each topic searched with one system: the topic is the topic with its system
    rows = [(f"s{i}", f"u{i % 4}", f"t{i % 4}", f"S{i % 2}", i) for i in range(12)]
    found = chosen(of(scores(rows)), 0, ("user_id", "topic_id", "system_id:topic_id"))
    assert found.factors.names == ("user_id",)
    assert found.left_out["topic_id"][::2] == ("same division", "user_id")
    rows = [(f"s{i}", f"u{i % 3}", "t", f"S{i % 2}", i) for i in range(12)]
    excluded = chosen(of(scores(rows)), 0, ("user_id", "topic_id")).left_out["topic_id"]
    assert (excluded.reason, "only one topic" in excluded.text) == ("one level", True)
    rows = [(f"s{i}", f"u{i % 2}", None, f"S{i % 2}", i) for i in range(12)]
    excluded = chosen(of(scores(rows)), 0, ("user_id",)).left_out["user_id"]
    assert (excluded.reason, "as the groups do," in excluded.text) == ("same division", True)


def test_what_sessions_are_dropped():
    table = crossing(range(120)).with_columns(
        value=pl.when(pl.col("session_id") == "s003").then(None).otherwise("value"),
        user_id=pl.when(pl.col("session_id") == "s007").then(None).otherwise("user_id"),
    )
    found = chosen(of(table), 0, ("user_id", "topic_id"))
    assert found.dropped == {"undefined sessions": 1, "sessions without user_id": 1}
    assert len(found.values) == 118


def test_too_many_levels():
    rows = [(f"s{i}", f"u{i // 2}", None, f"S{i % 2}", i) for i in range(3200)]
    with pytest.raises(UsageError, match=r"3,200 sessions and 1,600 users.*up to 1,500"):
        chosen(of(scores(rows)), 0, ("user_id",))


def test_reml_dyestuff():
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
