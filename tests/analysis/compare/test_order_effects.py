"""Period and carry-over: against whole matrices, and where they were put in."""

import numpy as np
import polars as pl
import pytest

import sessionkit as sk
from tests.analysis.compare.layouts import PLACE, SYSTEM, TOPIC, USER, crossing, simulated
from tests.support.clinic import read_clinic


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
    before = np.where(PLACE > 1, np.roll(SYSTEM, 1), -1)
    carried = sk.compare(crossing(values + 0.5 * (before == 1)))
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
