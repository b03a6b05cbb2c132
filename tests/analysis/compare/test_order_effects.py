"""Period and carry-over: against whole matrices, and where they were put in."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import sessionkit as sk
from sessionkit.reports.choices import labeled
from sessionkit.study.selection import restricted
from tests.analysis.compare.layouts import PLACE, SYSTEM, TOPIC, USER, crossing, simulated
from tests.support.clinic import read_clinic

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
    assert "values depend on the position of a session" in found.reading
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
    assert "Order of sessions, by their times: no period effect" in found.reading
    chosen = "topic_id <> 'A'"  # places are those among all sessions, whichever take part
    assert sk.compare(timed, "nsDCG@10", where=chosen).order.equals(sk.compare(clinic, "nsDCG@10", where=chosen).order)
    at_once = pl.when(pl.col("user_id") == "u01").then(pl.col("started_at").min()).otherwise("started_at")
    tied = timed.with_tables(sessions=timed.sessions.with_columns(started_at=at_once))
    assert ", by their times, of 29 of 30 users: " in sk.compare(tied, "nsDCG@10").reading
    untimed = timed.with_tables(
        sessions=timed.sessions.drop("started_at", "ended_at"),
        queries=timed.queries.drop("issued_at"),
        results=timed.results.drop("clicked_at"),
    )
    silent = sk.compare(untimed, "nsDCG@10")
    assert silent.order.is_empty()
    assert "Order of sessions: not checked, as neither a session_order nor times tell it." in silent.reading


@pytest.mark.parametrize("left_out", [1, 2, 3])
def test_the_previous_session_need_not_meet_the_condition(left_out):
    """Without the sessions at place 2, the session before place 3 is still the one at place 2, and not the one at place 1."""
    values = simulated(1, seed=left_out)[:, 0]
    expected = carry_over(values, left_out != PLACE, system=MIXED, previous=BEFORE_MIXED)
    found = sk.compare(mixed(values), where=f"session_order <> {left_out}")
    assert checked(found) == pytest.approx(expected)


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
    (line,) = (line for line in found.reading.splitlines() if "carry-over" in line)
    assert "a carry-over effect is possible but not shown" in line
    assert "not corrected" in line
    assert "after Holm over 2 checks" in line
    assert "there is evidence that values depend on" not in found.reading
