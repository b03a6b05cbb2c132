"""Least squares on user + topic + group: against plain matrix algebra; size, power and coverage in the clinic's design.

Randomization of whole assignments: against swapping and refitting one by one; size in the clinic's design.

Period and carry-over: against whole matrices, and where they were put in.
"""

from dataclasses import replace
from itertools import product

import numpy as np
import polars as pl
import pytest
from scipy import sparse, stats

import sessionkit as sk
from sessionkit.reports.choices import labeled
from sessionkit.statistics.crossover import least_squares, swapped
from sessionkit.statistics.units import Blocked, Crossed, Effects, LeastSquares, indicators, mean_cells
from sessionkit.study.selection import restricted
from tests.statistics.layouts import PLACE, SYSTEM, TOPIC, USER, crossing, simulated
from tests.support.clinic import read_clinic
from tests.support.statements import only_values

STUDIES = 4_000


def dense(y, user, topic, group):
    """Estimate, se and df from the full matrix of ones and zeros."""
    x = np.column_stack(
        [*(user == u for u in range(user.max() + 1)), *(topic == t for t in range(1, topic.max() + 1)), group == 1]
    ).astype(float)
    coefficients, _, rank, _ = np.linalg.lstsq(x, y, rcond=None)
    df = len(y) - rank
    variance = ((y - x @ coefficients) ** 2).sum() / df
    return coefficients[-1], np.sqrt(variance * np.linalg.pinv(x.T @ x)[-1, -1]), df


@pytest.mark.parametrize("keep", [120, 97])
def test_it_is_least_squares_on_the_whole_matrix(keep):
    y = simulated(1, effect=0.1)[:keep, 0]
    # uneven too: the first 97 sessions are those of 24 users and one session of another
    pair = least_squares(Crossed(y, SYSTEM[:keep], USER[:keep], TOPIC[:keep], 2)).pairs[0, 1]
    estimate, se, df = dense(y, USER[:keep], TOPIC[:keep], SYSTEM[:keep])
    assert (pair.estimate, pair.se, pair.df) == (pytest.approx(estimate), pytest.approx(se), df)
    assert pair.p == pytest.approx(2 * stats.t.sf(abs(estimate / se), df))
    low, high = pair.interval(0.05)
    assert ((low + high) / 2, high - low) == (pytest.approx(estimate), pytest.approx(2 * stats.t.isf(0.025, df) * se))
    assert keep < 120 or df == 86  # 120 - 30 users - 3 topics - 1


def test_more_groups_than_two():
    rng = np.random.default_rng(1)
    group = (USER + TOPIC) % 3
    y = rng.normal(size=120) + 0.5 * group
    found = least_squares(Crossed(y, group, USER, TOPIC, 3))
    dummies = [*(np.eye(30)[USER].T), *(np.eye(4)[TOPIC].T[1:])]
    small, large = np.column_stack(dummies), np.column_stack([*dummies, group == 1, group == 2]).astype(float)
    left = [((y - x @ np.linalg.lstsq(x, y, rcond=None)[0]) ** 2).sum() for x in (small, large)]
    (overall,) = found.overall
    assert overall.statistic == pytest.approx((left[0] - left[1]) / 2 / (left[1] / 85))
    coefficients = np.linalg.lstsq(large, y, rcond=None)[0]
    assert found.pairs[1, 2].estimate == pytest.approx(coefficients[-1] - coefficients[-2])


def by_least_squares(values, truth=0.0):
    """Rejections of no difference, and intervals that hold the truth, over the columns."""
    fit = LeastSquares(Effects(USER, TOPIC), indicators(SYSTEM, 2)).fit(values)
    se = np.sqrt(fit.variance * fit.inverse[0, 0])
    half = stats.t.isf(0.025, fit.df) * se
    estimate = fit.coefficients[0]
    return (np.abs(estimate) > half).mean(), (np.abs(estimate - truth) <= half).mean()


def by_topics(values, truth=0.0):
    """The same of the paired t over topic means."""
    cell = TOPIC * 2 + SYSTEM
    means = np.vstack([values[cell == c].mean(axis=0) for c in range(8)]).reshape(4, 2, -1)
    d = means[:, 1] - means[:, 0]
    half = stats.t.isf(0.025, 3) * d.std(axis=0, ddof=1) / 2
    return (np.abs(d.mean(axis=0)) > half).mean(), (np.abs(d.mean(axis=0) - truth) <= half).mean()


def test_size_power_and_coverage_of_least_squares():
    size, coverage = by_least_squares(simulated(STUDIES, seed=1))
    assert size == pytest.approx(0.05, abs=0.012)  # CLASSIC: .055 in 1,500; sd of 4,000: .0034
    assert coverage == 1 - size
    power, coverage = by_least_squares(simulated(STUDIES, effect=0.1, seed=2), truth=0.1)
    assert power == pytest.approx(0.713, abs=0.035)
    assert 0.93 <= coverage <= 0.97


def test_topics_are_the_units_of_a_claim_beyond_them():
    # the systems' difference varies with the topic by an sd of .10, which each system's share by .10 / sqrt(2)
    share = 0.10 / np.sqrt(2)
    null, shifted = simulated(STUDIES, interaction=share, seed=3), simulated(STUDIES, 0.1, share, seed=4)
    assert by_least_squares(null)[0] == pytest.approx(0.214, abs=0.03)
    size, coverage = by_topics(null)
    assert size == pytest.approx(0.047, abs=0.012)
    assert 0.93 <= coverage <= 0.97
    power, coverage = by_topics(shifted, truth=0.1)
    assert 0.93 <= coverage <= 0.97
    assert power > 2 * size
    # without it the topic-level t holds too, and finds half as much (.349 and .713)
    assert 0.03 <= by_topics(simulated(STUDIES, seed=1))[0] <= 0.07
    assert by_topics(simulated(STUDIES, effect=0.1, seed=2))[0] == pytest.approx(0.349, abs=0.03)


def test_the_simulated_fit_is_that_of_one_study():
    values = simulated(5, effect=0.1)
    fit = LeastSquares(Effects(USER, TOPIC), indicators(SYSTEM, 2)).fit(values)
    for column in range(5):
        pair = least_squares(Crossed(values[:, column], SYSTEM, USER, TOPIC, 2)).pairs[0, 1]
        assert pair.estimate == pytest.approx(fit.coefficients[0, column])
        assert pair.statistic == pytest.approx(pair.estimate / np.sqrt(fit.variance[column] * fit.inverse[0, 0]))
    cells = mean_cells(values[:, 0], TOPIC, SYSTEM, 2)
    assert Blocked(cells).counts == [4, 4]


def test_users_and_topics_in_parts_lose_a_number_for_each():
    # users 0, 1 share topics 0, 1; users 2, 3 share topics 2, 3: 4 + 4 - 2
    user, topic = np.array([0, 0, 1, 1, 2, 2, 3, 3]), np.array([0, 1, 0, 1, 2, 3, 2, 3])
    assert Effects(user, topic).rank == 6


def test_parts_are_those_of_the_graph():
    rng = np.random.default_rng(5)
    for many in (1, 5, 30, 60, 120):
        user, topic = rng.integers(40, size=many), rng.integers(30, size=many)
        graph = sparse.csr_matrix((np.ones(many), (user, 40 + topic)), shape=(70, 70))
        parts = sparse.csgraph.connected_components(graph, directed=False)[0]
        assert Effects(user, topic).rank == 70 - parts
    chain = np.arange(2_000)  # each user shares a topic with the next
    shuffled = rng.permutation(2_001)
    users, topics = np.repeat(chain, 2), shuffled[np.repeat(chain, 2) + np.tile([0, 1], 2_000)]
    assert Effects(users, topics).rank == 2_000 + 2_001 - 1


def test_a_model_kept_for_other_values_gives_the_same_fit():
    values = simulated(3, seed=4)
    model = LeastSquares(Effects(USER, TOPIC), indicators(SYSTEM, 2))
    for column in range(3):
        kept = least_squares(Crossed(values[:, column], SYSTEM, USER, TOPIC, 2, model)).pairs[0, 1]
        own = least_squares(Crossed(values[:, column], SYSTEM, USER, TOPIC, 2)).pairs[0, 1]
        assert (kept.estimate, kept.p, kept.interval(0.05)) == (own.estimate, own.p, own.interval(0.05))


def test_it_is_refitting_with_every_users_assignment_kept_or_swapped():
    few = USER % 5 == 0  # six users: 64 assignments, all made
    users = np.unique(USER[few], return_inverse=True)[1]
    y, group, topic = simulated(1, effect=0.3, seed=5)[few, 0], SYSTEM[few], TOPIC[few]
    pair = swapped(Crossed(y, group, users, topic, 2), 9_999, 0).pairs[0, 1]
    sizes = []
    for swap in product((0, 1), repeat=6):
        moved = np.where(np.array(swap)[users] == 1, 1 - group, group)
        try:
            sizes.append(abs(least_squares(Crossed(y, moved, users, topic, 2)).pairs[0, 1].statistic))
        except ValueError:
            sizes.append(0.0)
    observed = abs(least_squares(Crossed(y, group, users, topic, 2)).pairs[0, 1].statistic)
    assert pair.p == pytest.approx(np.mean(np.array(sizes) >= observed * (1 - 1e-9)))


def test_a_shifted_study_shifts_the_interval():
    y = simulated(1, seed=6)[:, 0]
    one = swapped(Crossed(y, SYSTEM, USER, TOPIC, 2), 999, 3).pairs[0, 1].interval(0.05)
    two = swapped(Crossed(y + 0.25 * SYSTEM, SYSTEM, USER, TOPIC, 2), 999, 3).pairs[0, 1].interval(0.05)
    assert two == pytest.approx((one[0] + 0.25, one[1] + 0.25), abs=1e-9)


@pytest.mark.slow
def test_size_and_agreement_of_interval_and_p():
    values = simulated(400, seed=7)
    rejected = 0
    for number, y in enumerate(values.T):
        pair = swapped(Crossed(y, SYSTEM, USER, TOPIC, 2), 299, number).pairs[0, 1]
        rejected += pair.p <= 0.05
        if number < 40:
            low, high = pair.interval(0.05)
            assert (low > 0 or high < 0) == (pair.p <= 0.05)
    assert 0.02 <= rejected / 400 <= 0.085  # 5%, sd of 400: .011


def test_the_same_seed_gives_the_same():
    y = simulated(1, seed=8)[:, 0]
    units = Crossed(y, SYSTEM, USER, TOPIC, 2)
    assert swapped(units, 499, 1).pairs[0, 1].p == swapped(units, 499, 1).pairs[0, 1].p
    assert swapped(units, 499, 1).pairs[0, 1].p != swapped(units, 499, 2).pairs[0, 1].p


@pytest.mark.slow
def test_it_holds_its_level_where_the_difference_varies_with_the_user():
    # by an sd of .20 of the difference, as large as the residual: least squares takes that for what users share
    studies = 500
    of_users = np.random.default_rng(10).normal(0, 0.20 / np.sqrt(2), (30, 2, studies))
    values, rejected, fitted = simulated(studies, seed=9) + of_users[USER, SYSTEM], 0, 0
    for number, y in enumerate(values.T):
        units = Crossed(y, SYSTEM, USER, TOPIC, 2)
        rejected += swapped(units, 199, number).pairs[0, 1].p <= 0.05
        fitted += least_squares(units).pairs[0, 1].p <= 0.05
    assert 0.03 <= rejected / studies <= 0.07
    assert fitted / studies > 0.075


PREVIOUS = np.where(PLACE > 1, np.roll(SYSTEM, 1), -1)
"""The system of each user's previous session in the clinic's design, -1 for the first."""

SEQUENCES = ["0101", "0110", "0011", "1010", "1001", "1100"]
MIXED = np.array([int(number) for user in range(30) for number in SEQUENCES[user % 6]])
"""Systems in all orders: in the clinic's own, the sessions at places 1 and 2 of a user have the same system."""
BEFORE_MIXED = np.where(PLACE > 1, np.roll(MIXED, 1), -1)


def mixed(values):
    """The clinic's users, topics and places with systems in all orders."""
    return crossing(values).with_columns(system_id=pl.Series([f"S{number + 1}" for number in MIXED]))


def carry_over(values, rows, *, system=SYSTEM, previous=PREVIOUS):
    """F of carry-over in some rows, from whole matrices: user, topic, system and place without and with previous systems."""

    def dummies(labels):
        return np.column_stack([labels == label for label in np.unique(labels)[1:]]).astype(float)

    user, topic, system, place, previous = (column[rows] for column in (USER, TOPIC, system, PLACE, previous))
    first, *further = np.unique(previous[previous >= 0])
    contrasts = [(previous == other) * 1.0 - (previous == first) for other in further]
    small = np.column_stack([np.ones(rows.sum()), *map(dummies, (user, topic, system, place))])
    large = np.column_stack([small, *contrasts])
    y = values[rows]
    left = [((y - x @ np.linalg.lstsq(x, y, rcond=None)[0]) ** 2).sum() for x in (small, large)]
    df, df_error = len(contrasts), rows.sum() - np.linalg.matrix_rank(large)
    return {"statistic": (left[0] - left[1]) / df / (left[1] / df_error), "df": df, "df_error": df_error}


def checked(found, **level):
    """F of carry-over as a comparison has it."""
    return {
        name: found.order.filter(check="carry-over", **level).item(0, name) for name in ("statistic", "df", "df_error")
    }


def test_the_place_in_a_users_study_and_the_system_before_are_looked_at():
    values = simulated(1, seed=12)[:, 0]
    found = sk.compare(crossing(values + 0.3 * PLACE))
    checks = {row["check"]: row for row in found.order.iter_rows(named=True)}
    assert checks["period"]["p"] < 1e-6
    assert (checks["period"]["df"], checks["period"]["df_error"], checks["carry-over"]["df"]) == (3, 83, 1)
    assert only_values(found, "order_effect") | {"check": "period", "verdict": "shown"} == only_values(
        found, "order_effect"
    )
    # F of the period against the whole matrices
    dummies = [*np.eye(30)[USER].T, *np.eye(4)[TOPIC].T[1:], SYSTEM]
    small = np.column_stack(dummies).astype(float)
    large = np.column_stack([small, *np.eye(4)[PLACE - 1].T[1:]])
    y = values + 0.3 * PLACE
    left = [((y - x @ np.linalg.lstsq(x, y, rcond=None)[0]) ** 2).sum() for x in (small, large)]
    assert checks["period"]["statistic"] == pytest.approx((left[0] - left[1]) / 3 / (left[1] / 83))
    carried = sk.compare(crossing(values + 0.5 * (PREVIOUS == 1)))
    assert carried.order.filter(check="carry-over").item(0, "p") < 1e-3
    assert sk.compare(crossing(values).drop("session_order")).order.is_empty()


def test_times_say_the_order_where_the_study_does_not():
    """The clinic's own order is that of its times; without either the reading says that nothing was checked."""
    clinic = read_clinic()
    told = sk.compare(clinic, "nsDCG@10")
    timed = clinic.with_tables(sessions=clinic.sessions.drop("session_order"))
    found = sk.compare(timed, "nsDCG@10")
    assert found.order.equals(told.order)
    assert only_values(found, "order")["users"] == [30, 30]
    assert only_values(told, "order")["users"] is None
    chosen = "topic_id <> 'A'"  # places are those among all sessions, whichever take part
    assert sk.compare(timed, "nsDCG@10", where=chosen).order.equals(sk.compare(clinic, "nsDCG@10", where=chosen).order)
    at_once = pl.when(pl.col("user_id") == "u01").then(pl.col("started_at").min()).otherwise("started_at")
    tied = timed.with_tables(sessions=timed.sessions.with_columns(started_at=at_once))
    assert only_values(sk.compare(tied, "nsDCG@10"), "order")["users"] == [29, 30]
    untimed = timed.with_tables(
        sessions=timed.sessions.drop("started_at", "ended_at"),
        queries=timed.queries.drop("issued_at"),
        results=timed.results.drop("clicked_at"),
    )
    silent = sk.compare(untimed, "nsDCG@10")
    assert silent.order.is_empty()
    assert only_values(silent, "order_not_checked") == {"reason": "no order"}


@pytest.mark.parametrize("left_out", [1, 2, 3])
def test_the_previous_session_need_not_meet_the_condition(left_out):
    """Without the sessions at place 2, the session before place 3 is still the one at place 2, and not the one at place 1."""
    values = simulated(1, seed=left_out)[:, 0]
    expected = carry_over(values, left_out != PLACE, system=MIXED, previous=BEFORE_MIXED)
    found = sk.compare(mixed(values), where=f"session_order <> {left_out}")
    assert checked(found) == pytest.approx(expected)


@pytest.mark.slow
def test_the_previous_session_of_a_study_need_not_meet_the_condition():
    clinic = read_clinic()
    of_user = pl.col("user_id").rank("dense").cast(pl.Int64) - 1
    number = (of_user * 4 + pl.col("session_order") - 1).cast(pl.Int64)
    system = pl.lit(pl.Series([f"S{number + 1}" for number in MIXED])).gather(number)
    clinic = clinic.with_tables(sessions=clinic.sessions.with_columns(system_id=system))
    place = "session_order <> 2"
    scores = sk.score(clinic, "nsDCG@10", per="session").join(
        clinic.sessions.select("session_id", "session_order").collect(), on="session_id"
    )
    expected = sk.compare(scores, where=place).order
    assert sk.compare(clinic, "nsDCG@10", where=place).order.equals(expected)
    # a condition met before, as by the report and the command line, and names replaced by labels
    assert sk.compare(restricted(clinic, place), "nsDCG@10").order.equals(expected)
    twice = restricted(restricted(clinic, "session_order <> 3"), place)
    assert sk.compare(twice, "nsDCG@10").order.equals(
        sk.compare(scores, where="session_order <> 2 and session_order <> 3").order
    )
    named = replace(clinic, settings=replace(clinic.settings, labels={"S1": "old", "S2": "new"}))
    shown = labeled(restricted(named, place), ["system_id"])
    assert checked(sk.compare(shown, "nsDCG@10")) == pytest.approx(checked(sk.compare(clinic, "nsDCG@10", where=place)))
    timed = clinic.with_tables(sessions=clinic.sessions.drop("session_order"))
    later = "topic_id <> 'A'"
    assert sk.compare(restricted(timed, later), "nsDCG@10").order.equals(
        sk.compare(clinic, "nsDCG@10", where=later).order
    )


def test_the_previous_session_may_be_in_another_level():
    values = simulated(1, seed=5)[:, 0] + 0.4 * (PREVIOUS == 1)
    period = np.where(TOPIC < 2, "early", "late")
    found = sk.compare(crossing(values).with_columns(half=pl.Series(period)), within="half")
    for half in ("early", "late"):
        assert checked(found, half=half) == pytest.approx(carry_over(values, period == half))


def test_a_system_that_is_not_compared_may_come_before():
    """Three systems in turn, of which two are compared: the third is one of the groups that come before."""
    third = (SYSTEM + (USER % 3 + PLACE) % 3) % 3
    previous = np.where(PLACE > 1, np.roll(third, 1), -1)
    values = simulated(1, seed=8)[:, 0]
    table = crossing(values).with_columns(system_id=pl.Series([f"S{number + 1}" for number in third]))
    found = sk.compare(table, where="system_id <> 'S3'", population="users", test="least-squares")
    rows = third < 2
    assert checked(found)["df"] == 2
    assert checked(found) == pytest.approx(carry_over(values, rows, system=third, previous=previous))


def test_sessions_after_one_that_is_not_in_the_data_are_outside_carry_over():
    values = simulated(1, seed=3)[:, 0]
    lost = (USER < 10) & (PLACE == 2)
    after_lost = (USER < 10) & (PLACE == 3)
    expected = carry_over(values, ~lost & ~after_lost, system=MIXED, previous=BEFORE_MIXED)
    assert checked(sk.compare(mixed(values).filter(pl.Series(~lost)))) == pytest.approx(expected)
    # likewise where the session before names no system
    unnamed = mixed(values).with_columns(system_id=pl.when(pl.Series(~lost)).then("system_id"))
    assert checked(sk.compare(unnamed)) == pytest.approx(expected)


def test_a_small_p_that_correction_undoes_is_not_evidence():
    """Of two checks with p = .028 and .88, Holm doubles the smaller: .056 is above .05."""
    values = simulated(1, seed=12)[:, 0] + 0.0625 * (PREVIOUS == 1)
    found = sk.compare(crossing(values))
    p = dict(found.order.select("check", "p").rows())
    adjusted = dict(found.order.select("check", "p_adjusted").rows())
    assert p["carry-over"] <= 0.05 < 2 * p["carry-over"] == adjusted["carry-over"]
    values = only_values(found, "order_effect")
    assert (values["check"], values["verdict"], values["checks"]) == ("carry-over", "possible", 2)
    assert (values["p"], values["p_adjusted"]) == (p["carry-over"], adjusted["carry-over"])
