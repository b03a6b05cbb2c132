"""Last against other queries within sessions: the restated differences, scipy's tests, and what is said of them."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

import sessionkit as sk
from sessionkit.sessions.breakdown_tests import differing
from sessionkit.statistics.distributions import Resampling, Units
from tests.support.examples import examples

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
PARTS = {
    "last": lambda gains: (gains[-1], np.mean(gains[:-1])),
    "first": lambda gains: (gains[0], np.mean(gains[1:])),
    "best": lambda gains: (max(gains), np.mean(np.delete(gains, np.argmax(gains)))),
    "last-first": lambda gains: (gains[-1], gains[0]),
}


def made(sessions, users=None, **columns):
    """A study of these gains of queries, by session."""
    rows = [(f"s{s:03}", q, 1, f"d{g}") for s, gains in enumerate(sessions) for q, g in enumerate(gains, 1)]
    frame = pl.DataFrame({"session_id": [f"s{s:03}" for s in range(len(sessions))], "topic_id": ["t"] * len(sessions)})
    if users is not None:
        frame = frame.with_columns(pl.Series("user_id", [f"u{user}" for user in users]))
    frame = frame.with_columns(pl.Series(name, values) for name, values in columns.items())
    return sk.from_tables(
        results=pl.DataFrame(rows, schema=["session_id", "query_position", "rank", "doc_id"], orient="row"),
        sessions=frame,
        judgments={"judgment_key": ["t"] * 5, "doc_id": [f"d{g}" for g in range(5)], "grade": [0, 1, 2, 3, 4]},
    )


SESSIONS = st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=5), min_size=8, max_size=20)


@settings(max_examples=examples(25), deadline=None)
@given(sessions=SESSIONS, by=st.sampled_from([*PARTS]), users=st.integers(4, 6))
def test_tests_are_scipys_on_restated_differences(sessions, by, users):
    of = [number % users for number in range(len(sessions))]
    both = [(user, *PARTS[by](gains)) for user, gains in zip(of, sessions, strict=True) if len(gains) > 1]
    study = made(sessions, of)
    if len({user for user, *_ in both}) < 4:
        with pytest.raises(sk.DataError, match="at least 4"):
            sk.breakdown_tests(study, "CG@1", by)
        return
    table = sk.breakdown_tests(study, "CG@1", by, draws=200, units="users").table
    assert table.get_column("test").to_list() == ["user means", "users drawn", "sessions"]
    rows = {row["test"]: row for row in table.rows(named=True)}
    away = np.array([one - other for _, one, other in both])
    of_users = np.array(
        [np.mean([a for (u, *_), a in zip(both, away, strict=True) if u == user]) for user in {u for u, *_ in both}]
    )
    for name, expected in (("user means", of_users), ("sessions", away)):
        row = rows[name]
        assert row["estimate"] == pytest.approx(expected.mean(), abs=1e-12)
        assert (row["sessions"], row["left_out_single_query"]) == (len(both), len(sessions) - len(both))
        assert row["left_out_undefined"] == 0
        if np.ptp(expected) < 1e-9:
            assert row["p"] is None
            assert "no variance is left" in row["note"] or "chosen by" in row["note"]
        elif by == "best":
            assert row["p"] is None
        else:
            theirs = stats.ttest_1samp(expected, 0)
            assert row["p"] == pytest.approx(theirs.pvalue, rel=1e-6, abs=1e-12)
            low, high = theirs.confidence_interval()
            assert (row["low"], row["high"]) == pytest.approx((low, high), rel=1e-6, abs=1e-9)
            assert row["effect"] == pytest.approx(expected.mean() / expected.std(ddof=1), rel=1e-6, abs=1e-12)
    assert rows["users drawn"]["estimate"] == pytest.approx(away.mean(), abs=1e-12)


@settings(max_examples=examples(15), deadline=None)
@given(
    sessions=SESSIONS, by=st.sampled_from(["last", "first", "best"]), measure=st.sampled_from(["CG@1", "nDCG@2", "P@1"])
)
def test_it_tests_the_means_of_the_breakdown(sessions, by, measure):
    study = made([*sessions, [1, 2], [0, 3], [4, 1], [2, 2]])
    row = sk.breakdown_tests(study, measure, by, draws=0).table.filter(test="sessions").row(0, named=True)
    parts = sk.breakdown(study, measure, by)
    ends = parts.filter(pl.col("rank") == pl.col("rank").max())
    assert ends.get_column("part").to_list() == [row["part"], row["against"]]
    assert ends.get_column("value").to_list() == pytest.approx([row["value"], row["value_against"]], abs=1e-14)
    counts = ["left_out_single_query", "left_out_undefined"]
    for told in ends.rows(named=True):
        assert [told["n_sessions"], *(told[name] for name in counts)] == [
            row["sessions"],
            *(row[name] for name in counts),
        ]


def test_statements_have_the_means_that_make_the_difference():
    # u0 has six sessions that lose 1, the others one each that gains 1: by session -2/10, by user (-1 + 4) / 5 = +.6
    gains, users = [[2, 1]] * 6 + [[1, 2]] * 4 + [[3]] * 2, [0] * 6 + [1, 2, 3, 4] + [1, 2]
    tests = sk.breakdown_tests(made(gains, users), "CG@1", draws=0)
    (statement,) = tests.of_kind("no_verdict")
    # means of users, last: (1 + 4 x 2) / 5 = 1.8; others: (2 + 4 x 1) / 5 = 1.2
    assert [statement.values[name] for name in ("value", "value_against", "estimate")] == pytest.approx([1.8, 1.2, 0.6])
    counts = ("users", "sessions", "left_out_single_query", "left_out_undefined", "n", "total")
    assert [statement.values[name] for name in counts] == [5, 10, 2, 0, 5, 5]


def test_sessions_are_the_units_where_no_user_has_several():
    found = sk.breakdown_tests(made([[1, 2], [0, 3], [2, 4], [1, 0], [2, 1]], range(5)), "CG@1")
    assert found.units == "sessions"
    assert found.table.get_column("test").to_list() == ["sessions drawn", "sessions"]


def test_groups_are_tested_each_by_itself():
    gains = [[0, 3], [1, 4], [0, 2], [1, 3], [0, 4], [0, 3]] * 2 + [[1, 1], [2, 2]]
    systems = ["A"] * 6 + ["B"] * 6 + ["C"] * 2
    found = sk.breakdown_tests(made(gains, system_id=systems), "CG@1", parts="last-first")
    assert found.table.get_column("system_id").to_list() == ["A", "A", "B", "B", "C"]
    assert "only 2 sessions have" in found.table.item(4, "note")
    a, _ = (statement.values for statement in found.of_kind("difference"))
    assert (a["group"], a["better"], a["against"]) == ("A", "last", "first")
    (not_tested,) = found.of_kind("not_tested")
    assert (not_tested.values["group"], not_tested.values["n"]) == ("C", 2)


def test_kinds_of_statements_by_users():
    from_seed = np.random.default_rng(1)
    gains = [[int(g) for g in from_seed.integers(0, 5, 3)] for _ in range(40)]
    users = [number % 10 for number in range(40)]
    tests = sk.breakdown_tests(made(gains, users), "CG@1", parts="last,best")
    kinds = [statement.kind for statement in tests.statements]
    assert [kind for kind in kinds if kind != "test_dependence"] == ["claim", "difference", "chosen", "caution"]
    assert tests.statements[0].values["population"] == "users"
    counts = [
        (each.kind, each.values["users"], each.values["sessions"]) for each in tests.of_kind("chosen", "difference")
    ]
    assert counts == [("difference", 10, 40), ("chosen", 10, 40)]  # in the order of the finding


@pytest.mark.slow
def test_what_could_have_been_found_follows_the_confidence():
    gains = [[0, 3], [1, 2], [0, 2], [3, 1], [0, 1], [2, 2]] * 4
    for confidence in (0.8, 0.95):
        found = sk.breakdown_tests(made(gains), "CG@1", confidence=confidence)
        row = found.table.filter(test="sessions").row(0, named=True)
        error = row["estimate"] / row["statistic"]
        critical = stats.t.ppf(0.5 + confidence / 2, 23)
        least = error * optimize.brentq(lambda nc: stats.nct.sf(critical, 23, nc) - 0.8, 0, 10)  # noqa: B023
        (difference,) = found.of_kind("difference")
        assert difference.values["detectable"] == pytest.approx(least)
    assert not found.of_kind("not_adjusted")
    (not_adjusted,) = sk.breakdown_tests(made(gains), "CG@1", "last,first,best").of_kind("not_adjusted")
    assert not_adjusted.values["tests"] == 2


@pytest.mark.slow
def test_size_and_coverage_where_users_differ():
    # sessions of one user share a difference of their own, with half the variance of a session's
    rng = np.random.default_rng(5)
    users = np.repeat(np.arange(20), rng.integers(1, 6, 20))
    of, studies = Units.of(pl.Series([f"u{user}" for user in users]), "users"), 400
    rejected = dict.fromkeys(("user means", "users drawn", "sessions"), 0)
    covered = dict.fromkeys(rejected, 0)
    for seed in range(studies):
        away = rng.normal(0, 0.7, 20)[users] + rng.normal(size=len(users))
        pairs = pl.DataFrame(
            {"user_id": [f"u{user}" for user in users], "of_part": away, "of_other": np.zeros(len(users)), "queries": 2}
        )
        for row in differing(pairs, of, Resampling(400, seed), chosen=False):
            rejected[row["test"]] += row["p"] <= 0.05
            covered[row["test"]] += row["low"] <= 0 <= row["high"]
    assert 0.03 <= rejected["user means"] / studies <= 0.07
    assert 0.03 <= rejected["users drawn"] / studies <= 0.08
    assert rejected["sessions"] / studies > 0.1  # as if sessions were independent
    assert all(rejected[test] + covered[test] == studies for test in rejected)


def test_the_same_from_the_same_seed():
    gains = [[0, 3], [1, 2], [0, 2], [3, 1], [0, 1], [2, 2]] * 4
    study = made(gains, [number % 6 for number in range(24)])
    one, again, other = (sk.breakdown_tests(study, "CG@1", draws=300, seed=seed).table for seed in (1, 1, 2))
    assert one.equals(again)
    assert not one.equals(other)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"parts": "position"}, "last-first"),
        ({"parts": "lst"}, "did you mean 'last'"),
        ({"parts": []}, "parts must be of"),
        ({"by": "sistem"}, "sistem"),
        ({"measure": "mean(nDCG@1)"}, "nDCG@1"),
        ({"units": "topics"}, "auto, users, sessions"),
        ({"confidence": 2}, "0.95"),
    ],
)
def test_what_is_wrong_is_said(options, says):
    study = made([[1, 2], [0, 3], [2, 4], [1, 0], [2, 1]])
    with pytest.raises(sk.UsageError) as raised:
        sk.breakdown_tests(study, **{"measure": "CG@1", **options})
    assert says in str(raised.value)


def test_only_sessions_of_one_query():
    with pytest.raises(sk.DataError, match="no session has a value"):
        sk.breakdown_tests(made([[1], [2], [3], [4], [0]]), "CG@1")
