"""Intervals of means by topic and of their differences, against scipy on the sessions themselves."""

import polars as pl
import pytest
from scipy import stats

import sessionkit as sk
from sessionkit.reports.single_figures import single_figure
from sessionkit.statistics.bands import difference_intervals, mean_intervals
from tests.support.clinic import read_clinic


def test_intervals_are_those_of_the_sessions():
    study = read_clinic()
    scores = sk.score(study, "nsDCG@10", per="session").select("system_id", "topic_id", "value")
    (table, *_) = sk.charts.data(single_figure(study, "topic-means").chart)
    assert len(table) == 8
    for row in table.iter_rows(named=True):
        values = scores.filter(system_id=row["group"], topic_id=row["topic"])["value"].to_numpy()
        found = stats.ttest_1samp(values, 0).confidence_interval(0.95)
        assert (row["low"], row["high"], row["n"]) == (pytest.approx(found.low), pytest.approx(found.high), len(values))


def test_intervals_of_differences_are_those_of_welch():
    a, b = [0.1, 0.4, 0.9], [0.2, 0.3, 0.8, 1.0]
    sd_a, sd_b = pl.Series(a).std(), pl.Series(b).std()
    rows = [
        (sum(b) / 4 - sum(a) / 3, 3, 4, sd_a, sd_b),
        (0.5, 1, 4, None, sd_b),
        (0.5, 3, None, sd_a, None),
        (0.5, 2, 2, 0.0, 0.0),
    ]
    frame = pl.DataFrame(rows, schema=["difference", "n_a", "n_b", "sd_a", "sd_b"], orient="row")
    found = stats.ttest_ind(b, a, equal_var=False).confidence_interval(0.95)
    assert difference_intervals(frame).select("low", "high").rows() == [
        (pytest.approx(found.low), pytest.approx(found.high)), *[(None, None)] * 3,
    ]  # fmt: skip


def test_a_mean_of_one_session_has_no_interval():
    frame = pl.DataFrame({"value": [0.5, None], "n": [1, 0], "sd": [None, None]}, schema_overrides={"sd": pl.Float64})
    assert mean_intervals(frame).select("low", "high").rows() == [(None, None)] * 2
