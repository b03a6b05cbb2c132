"""Discriminative power: CLASSIC's example S, Sakai's bootstrap restated, compare's p-values, and what is refused."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

import sessionkit as sk
from sessionkit.errors import UsageError
from tests.robustness.runs import runs
from tests.support.clinic import read_clinic

S = [
    (0.30, 0.42, 0.55),
    (0.22, 0.20, 0.41),
    (0.51, 0.60, 0.58),
    (0.10, 0.25, 0.33),
    (0.44, 0.47, 0.70),
    (0.36, 0.31, 0.52),
]
"""CLASSIC section 6: 6 topics x 3 systems."""


@pytest.fixture(scope="module")
def study_s():
    """One list of one document for each topic and system, whose grade is its value in S (in hundredths)."""
    rows = [
        (f"{t}{s}", 1, 1, f"{t}{s}", f"t{t}", "ABC"[s], float(round(100 * v)))
        for t, of in enumerate(S)
        for s, v in enumerate(of)
    ]
    frame = pl.DataFrame(
        rows, schema=["session_id", "query_position", "rank", "doc_id", "topic_id", "system_id", "grade"], orient="row"
    )
    return sk.from_tables(
        results=frame.drop("grade"), judgments=frame.select("doc_id", "grade", judgment_key="topic_id")
    )


def test_classics_tukey_and_nemenyi(study_s):
    tukey = sk.discriminate(study_s, "sDCG@1", test="tukey")
    p = {(row["a"], row["b"]): row["p"] for row in tukey.asl.to_dicts()}
    assert p == pytest.approx({("A", "B"): 0.3033, ("A", "C"): 0.00054, ("B", "C"): 0.0054}, abs=5e-5)
    row = tukey.table.row(0, named=True)
    assert (row["n"], row["pairs"], row["significant"], row["power"]) == (6, 3, 2, pytest.approx(2 / 3))
    assert row["needed"] == pytest.approx(100 * (0.2866 - 0.1000) / 2, abs=0.01)  # half of CLASSIC's interval
    assert row["spread"] == pytest.approx(100 * (0.2866 + 0.1000) / 2, abs=0.01)
    nemenyi = sk.discriminate(study_s, "sDCG@1", test="nemenyi")
    assert sorted(nemenyi.asl["p"].to_list()) == pytest.approx([0.0254, 0.1932, 0.6618], abs=5e-5)
    assert nemenyi.table.item(0, "needed") is None


def test_the_default_is_randomized_tukey_and_the_curve_falls_to_the_right(study_s):
    found = sk.discriminate(study_s, "sDCG@1", draws=1_999, seed=3)
    assert found.test == "randomized Tukey HSD (max-T over all pairs)"
    compared = sk.compare(
        study_s, "sDCG@1", test="randomization", draws=1_999, seed=3, correction="none", population="topics"
    ).table
    assert dict(found.asl.select(pl.concat_str("a", "b"), "p").rows()) == dict(
        compared.select(pl.concat_str("a", "b"), "p").rows()
    )
    assert found.asl["place"].to_list() == [1, 2, 3]
    assert found.asl["p"].is_sorted()


@pytest.mark.slow
def test_the_bootstrap_is_sakais():
    """Units drawn from the differences less their mean; |t| of each draw against that of the data (Sakai, SIGIR 2006)."""
    study, *_ = runs(systems=3, topics=24)
    draws, seed = 400, 9
    found = sk.discriminate(study, "mean(nDCG@10)", test="bootstrap", draws=draws, seed=seed)
    wide = sk.score(study, "mean(nDCG@10)", per="session").pivot(
        on="system_id", index="topic_id", values="value", sort_columns=True
    )
    table = wide.sort("topic_id").drop("topic_id").to_numpy()
    rng = np.random.Generator(np.random.PCG64(seed))
    drawn = rng.integers(0, 24, (draws, 24))
    needed = []
    for i, j in ((0, 1), (0, 2), (1, 2)):
        z = table[:, j] - table[:, i]
        w = z - z.mean()
        t0 = abs(stats.ttest_1samp(z, 0).statistic)
        t = np.array([abs(stats.ttest_1samp(w[of], 0).statistic) for of in drawn])
        row = found.asl.filter(pl.col("a") == f"r{i}", pl.col("b") == f"r{j}").row(0, named=True)
        assert row["p"] == pytest.approx(((t >= t0).sum() + 1) / (draws + 1))
        assert row["difference"] == pytest.approx(z.mean())
        needed.append(np.sort(np.abs(w[drawn].mean(axis=1)))[::-1][int(0.05 * draws) - 1])
    assert found.table.item(0, "needed") == pytest.approx(max(needed))
    assert not found.of_kind("design")[0].values["simultaneous"]


@pytest.mark.slow
def test_the_bootstraps_level_is_about_what_it_says():
    """No difference between two systems over 30 topics: a nominal 5% test rejects within 3 to 7%."""
    from sessionkit.robustness.discriminative_power import bootstrapped
    from sessionkit.statistics.corrections import Options
    from sessionkit.statistics.design import Design
    from sessionkit.statistics.procedures import ComparisonPlan

    k, n = 40, 30
    frame = pl.DataFrame(
        {
            "session_id": [f"{t:02d}{s:02d}" for t in range(n) for s in range(k)],
            "user_id": [None] * (n * k), "topic_id": [f"{t:02d}" for t in range(n) for _ in range(k)],
            "group": [f"{s:02d}" for _ in range(n) for s in range(k)],
        },
        schema_overrides={"user_id": pl.String},
    )  # fmt: skip
    runs, names = Design("topics", "topics", "", {"topics": "blocked"}), sorted(set(frame["group"]))
    rejected = []
    for seed in range(6):
        values = np.random.default_rng(seed).normal(size=n * k)
        plan = ComparisonPlan.of(runs, k, options=Options(draws=999, seed=seed))
        found = bootstrapped(plan, frame, values, names)
        rejected.append((found.p <= 0.05).mean())
    assert 0.03 < np.mean(rejected) < 0.07


def test_two_systems_make_one_pair():
    found = sk.discriminate(read_clinic(), ["nsDCG@10", "sDCG@10"])
    compared = sk.compare(read_clinic(), ["nsDCG@10", "sDCG@10"], correction="none").table
    assert found.asl["p"].to_list() == compared["p"].to_list()
    assert found.asl["difference"].to_list() == compared["estimate"].to_list()
    halves = ((compared["high"] - compared["low"]) / 2).to_list()
    assert found.table["needed"].to_list() == pytest.approx(halves)
    assert [statement.kind for statement in found.statements] == ["design", "difference", "difference"]


def copied_runs(copies):
    """Three runs over six topics, each so many times: copies are the same run."""
    _, results, judgments = runs(systems=3, topics=6)
    copied = pl.concat(
        [
            results.with_columns(
                pl.concat_str("session_id", pl.lit(f"+{copy}")).alias("session_id"),
                pl.concat_str("system_id", pl.lit(f"+{copy:02d}")).alias("system_id"),
            )
            for copy in range(copies)
        ]
    )
    return sk.from_tables(results=copied, judgments=judgments)


def test_more_groups_than_compare_takes_and_systems_that_are_the_same():
    found = sk.discriminate(copied_runs(8), "mean(nDCG@10)", draws=199)
    assert found.table.select("n", "pairs").row(0) == (6, 276)
    # 3 x 28 pairs of copies are the same run
    assert found.asl.filter(pl.col("difference") == 0).height == 84
    assert found.asl.filter(pl.col("difference") == 0)["p"].unique().to_list() == [1.0]
    (more,) = found.of_kind("more")
    assert more.values["count"] == 79


def test_what_the_design_does_not_support_is_refused():
    clinic = read_clinic()
    for options, names in (
        ({"test": "bootstrap"}, "bootstrap draws .* design is crossover"),
        ({"test": "bootstrap", "population": "topics"}, "4 topics are too few .* test=randomization"),
        ({"draws": 10}, "at least 99"),
        ({"confidence": 0}, "confidence must be"),
        ({"by": "nothing"}, "no such column"),
    ):
        with pytest.raises(UsageError, match=names):
            sk.discriminate(clinic, "nsDCG@10", **options)


def untestable():
    """Two systems with a user each."""
    return sk.from_tables(
        results={
            "session_id": ["a", "b"], "query_position": [1, 1], "rank": [1, 1], "doc_id": ["x", "y"], "topic_id": ["t", "t"],
            "user_id": ["u", "v"], "system_id": ["A", "B"],
        },
        judgments={"judgment_key": ["t", "t"], "doc_id": ["x", "y"], "grade": [1, 0]},
    )  # fmt: skip


def test_a_pair_that_cannot_be_tested_has_no_p():
    found = sk.discriminate(untestable(), "sDCG@1")
    row = found.table.row(0, named=True)
    assert (row["pairs"], row["tested"], row["significant"], row["power"]) == (1, 0, 0, None)
    assert found.asl.select("difference", "p").row(0) == (-1.0, None)
    assert [statement.kind for statement in found.statements] == ["design", "not_tested", "caution"]
