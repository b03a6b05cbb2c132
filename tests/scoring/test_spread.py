"""Spread of scores: equal to numpy's statistics of the same values, in every group and in every way of scoring."""

import math
import warnings

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import DataWarning, UsageError
from sessionkit.scoring.score import OF_SPREAD, score_parts
from tests.support.clinic import read_clinic
from tests.support.random_studies import MEASURES, draw_study

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


def study_of(gains):
    """A study of one system in which CG@1 of each session is its gain; None is a session whose topic nobody judged."""
    names = [f"s{number}" for number in range(len(gains))]
    judged = [(name, gain) for name, gain in zip(names, gains, strict=True) if gain is not None]
    return sk.from_tables(
        results={
            "session_id": names,
            "query_position": [1] * len(gains),
            "rank": [1] * len(gains),
            "doc_id": names,
            "topic_id": names,
        },
        judgments={
            "judgment_key": [name for name, _ in judged] or ["other"],
            "doc_id": [name for name, _ in judged] or ["other"],
            "grade": [gain for _, gain in judged] or [1],
        },
    )


def restated(values):
    """The statistics of `OF_SPREAD` by numpy."""
    n = len(values)
    quartiles = np.quantile(values, [0.25, 0.75]) if n > 4 else [None, None]
    return [
        np.std(values, ddof=1) if n > 1 else None,
        np.median(values) if n else None,
        *quartiles,
        min(values, default=None),
        max(values, default=None),
        values.count(0) / n if n else None,
        values.count(1) / n if n else None,
        sorted(values) if 0 < n < 5 else None,
    ]


def assert_close(computed, expected):
    """Compare numbers, lists of numbers and None to 1e-12 of their size."""
    for name, number, other in zip(OF_SPREAD, computed, expected, strict=True):
        assert number == (None if other is None else pytest.approx(other, rel=1e-12, abs=1e-12)), name


@settings(deadline=None, max_examples=25, derandomize=True)
@example([10**9, 10**9 + 1, 10**9 + 3])  # far from 0, where a sum of squares loses the digits of the deviation
@given(st.lists(st.none() | st.integers(0, 3) | st.integers(0, 1000), min_size=1, max_size=12))
def test_statistics_of_one_group_are_those_of_numpy(gains):
    row = sk.score(study_of(gains), "CG@1", by="all", spread=True).row(0, named=True)
    values = [float(gain) for gain in gains if gain is not None]
    assert (row["n"], row["undefined"]) == (len(values), len(gains) - len(values))
    assert_close([row[name] for name in OF_SPREAD], restated(values))
    assert row["value"] == (math.fsum(values) / len(values) if values else None)


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 6, 7, 8, 12])
def test_every_group_has_the_statistics_of_its_sessions_and_the_mean_of_score(seed):
    study = draw_study(seed).study
    sessions = sk.score(study, MEASURES, per="session")
    spread = sk.score(study, MEASURES, spread=True)
    means = sk.score(study, MEASURES)
    assert spread.drop(OF_SPREAD).equals(means)  # to the bit
    for row in spread.iter_rows(named=True):
        of_group = sessions.filter(
            pl.col("system_id").eq_missing(pl.lit(row["system_id"])), pl.col("measure") == row["measure"]
        )
        assert_close([row[name] for name in OF_SPREAD], restated(of_group["value"].drop_nulls().to_list()))


def test_four_values_are_listed_and_five_have_quartiles():
    four, five = (sk.score(study_of(gains), "CG@1", by="all", spread=True) for gains in ([4, 1, 3, 2], [5, 4, 1, 3, 2]))
    assert four.select("median", "q1", "q3", "values").row(0) == (2.5, None, None, [1, 2, 3, 4])
    assert five.select("median", "q1", "q3", "values").row(0) == (3, 2, 4, None)


def test_equal_values_have_no_deviation():
    assert np.std([0.1] * 3, ddof=1) != 0  # the trap: the mean of three 0.1 is rounded
    study = study_of([1] * 3).with_tables(sessions=study_of([1] * 3).sessions.with_columns(part=pl.lit(0.1)))
    assert sk.score(study, "column(part)", by="all", spread=True)["sd"].item() == 0


@pytest.mark.parametrize("by", ["system_id", "all", "system_id,topic_id", "user_id", "queries"])
def test_the_same_bits_in_every_way_of_scoring(clinic, tmp_path, by):
    measures = ["nsDCG@10", "nDCG@10", "column(satisfaction)"]
    wanted = sk.score(clinic, measures, by=by, spread=True)
    saved = clinic.save(tmp_path / "study", partition_by="topic_id")
    assert sk.score(saved, measures, by=by, spread=True).equals(wanted)
    assert sk.score(saved, measures, by=by, spread=True, memory="50MB").equals(wanted)
    for _ in range(2):  # computed, then read back
        assert sk.score(saved, measures, by=by, spread=True, cache=tmp_path / "cache").equals(wanted)
    (part,) = score_parts(saved, measures, by=by, spread=True)
    assert part.equals(wanted)


def test_sessions_are_chosen_as_ever(clinic):
    chosen = sk.score(clinic, "nsDCG@10", where="skill <= 2", spread=True)
    sessions = sk.score(clinic, "nsDCG@10", per="session", where="skill <= 2")
    assert chosen["n"].sum() == len(sessions) < clinic.facts.sessions
    assert chosen["median"].to_list() == [
        np.median(sessions.filter(system_id=system)["value"]) for system in chosen["system_id"]
    ]


def test_what_is_refused(clinic):
    for per in ("session", "query"):
        with pytest.raises(UsageError, match=f"spread describes the values of a group, per={per} lists the values"):
            sk.score(clinic, "nDCG@10", per=per, spread=True)
    with pytest.raises(UsageError, match="spread must be True or False, not 'yes'"):
        sk.score(clinic, "nDCG@10", spread="yes")
    named = clinic.with_tables(sessions=clinic.sessions.with_columns(median=pl.lit("x")))
    assert sk.score(named, "nsDCG@10", by="median")["n"].item() == clinic.facts.sessions
    with pytest.raises(UsageError, match="already has a column of that name"):
        sk.score(named, "nsDCG@10", by="median", spread=True)


def test_warnings_are_those_of_the_means(clinic):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        sk.score(clinic, "nDCG@10", spread=True)
    assert any("has a value per query" in str(one.message) for one in caught)
