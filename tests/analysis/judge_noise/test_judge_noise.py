"""judge_noise, end to end: against studies read anew with every draw of the judgments."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

import sessionkit as sk
from sessionkit.errors import DataError, UsageError
from sessionkit.robustness.judge_noise import errors_of, redrawn
from tests.analysis.judgment_loss.runs import listed, runs
from tests.support.clinic import read_clinic


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


@pytest.mark.slow
def test_every_draw_is_a_study_read_anew():
    study, results, judgments = runs(systems=3, topics=8)
    measure, draws, seed = "mean(nDCG@10)", 6, 5
    found = sk.judge_noise(study, measure, noise=0.3, draws=draws, seed=seed, test="t", population="topics")
    grades = judgments["grade"].to_numpy()
    errors = errors_of(study, grades, 0.3, "adjacent")
    tables = []
    for draw in (None, *range(draws)):
        new = grades if draw is None else redrawn(grades, errors, (seed, draw))
        anew = sk.from_tables(results=results, judgments=judgments.with_columns(grade=pl.Series(new)))
        wide = sk.score(anew, measure, per="session").pivot(
            on="system_id", index="topic_id", values="value", sort_columns=True
        )
        tables.append(wide.drop("topic_id").to_numpy())
    for i, j in ((0, 1), (0, 2), (1, 2)):
        d = np.array([(table[:, j] - table[:, i]).mean() for table in tables])
        p = np.array([stats.ttest_rel(table[:, j], table[:, i]).pvalue for table in tables])
        row = found.table.filter(pl.col("a") == f"r{i}", pl.col("b") == f"r{j}").row(0, named=True)
        assert (row["difference"], row["p"]) == pytest.approx((d[0], p[0]))
        assert (row["mean"], row["sd"]) == pytest.approx((d[1:].mean(), d[1:].std(ddof=1)))
        assert (row["low"], row["high"]) == pytest.approx(tuple(np.quantile(d[1:], [0.025, 0.975])))
        assert row["winner_changes"] == pytest.approx((np.sign(d[1:]) != np.sign(d[0])).mean())
        assert row["significant"] == pytest.approx((p[1:] <= 0.05).mean())
        assert row["verdict_changes"] == pytest.approx(((p[1:] <= 0.05) != (p[0] <= 0.05)).mean())
    taus = [stats.kendalltau(tables[0].mean(axis=0), table.mean(axis=0)).statistic for table in tables[1:]]
    assert found.order.item(0, "tau") == pytest.approx(np.mean(taus))


def test_without_noise_nothing_moves(clinic):
    found = sk.judge_noise(clinic, ["nsDCG@10", "sDCG@10"], noise=0, draws=3)
    compared = sk.compare(clinic, ["nsDCG@10", "sDCG@10"], correction="none").table
    assert found.table["p"].to_list() == compared["p"].to_list()
    assert found.table["mean"].to_list() == pytest.approx(found.table["difference"].to_list())
    assert found.table.select("sd", "winner_changes", "verdict_changes").sum().row(0) == (0.0, 0.0, 0.0)
    assert found.changed == 0
    assert "no value changed in any draw" in found.reading


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bits(clinic, tmp_path):
    one, other = (sk.judge_noise(clinic, "nsDCG@10", noise=0.1, draws=5, seed=seed) for seed in (1, 2))
    saved = sk.judge_noise(clinic.save(tmp_path / "study"), "nsDCG@10", noise=0.1, draws=5, seed=1, memory="50MB")
    assert all(table.equals(saved.tables()[name]) for name, table in one.tables().items())
    assert not one.table.equals(other.table)


def test_the_clinics_searchers_and_what_is_supposed(clinic):
    found = sk.judge_noise(clinic, "nsDCG@10", draws=3)
    assert found.source == "declared"
    assert "probability 0.1; an assumption, not an estimate" in found.reading
    assert "Searchers and judgments gave the same grade in 83% of 234 cases" in found.reading
    own = sk.judge_noise(clinic, "nsDCG@10", noise="searchers", draws=3)
    assert own.source == "searchers"
    assert own.errors["n"].sum() == 234
    assert "of documents that they chose to look at" in own.reading


def test_judges_of_the_study_are_the_default_and_grades_that_one_alone_gave_stay():
    study, results, judgments = runs(systems=2, topics=4)
    rng = np.random.default_rng(1)
    other = np.clip(judgments["grade"].to_numpy() + rng.integers(-1, 2, len(judgments)), 0, 2)
    two = pl.concat(
        [
            judgments.with_columns(judge_id=pl.lit("ada")),
            judgments.with_columns(judge_id=pl.lit("bob"), grade=pl.Series(other))
            .filter(pl.col("grade") < 3)
            .head(100),
        ]
    )
    two = two.filter(
        (pl.col("judge_id") == "ada")
        | pl.col("doc_id").is_in(two.filter(judge_id="ada", grade=3.0)["doc_id"].implode()).not_()
    )
    study = sk.from_tables(results=results, judgments=two, merge="first")
    found = sk.judge_noise(study, "mean(nDCG@10)", draws=2, population="topics")
    assert found.source == "judges"
    assert "Assessors gave the same grade in" in found.reading
    assert "Grades without a second judgment stay as they are: 3." in found.reading
    assert found.errors.filter(pl.col("grade") == 3).select("becomes", "share").rows() == [(3.0, 1.0)]


def test_many_groups_have_an_order_and_the_shakiest_pairs_are_told_first():
    found = sk.judge_noise(runs(systems=6)[0], "mean(P@10)", noise=0.2, draws=10)
    assert found.table.height == 15
    assert "these are the 6 of 15 pairs whose winner changes most" in found.reading
    assert "the order of the 6 runs has a mean tau-b of" in found.reading


def test_what_makes_no_sense_is_refused(clinic):
    for options, names in (
        ({"draws": 0}, "draws must be a whole number of at least 1"),
        ({"confidence": 0.5}, "confidence must be a number above .5 and below 1"),
        ({"spread": "near"}, "spread must be one of adjacent, any"),
        ({"noise": "searcher"}, "did you mean 'searchers'"),
        ({"by": "nothing"}, "no such column"),
    ):
        with pytest.raises(UsageError, match=names):
            sk.judge_noise(clinic, "nsDCG@10", **{"draws": 1, **options})
    with pytest.raises(DataError, match="no judgments"):
        sk.judge_noise(sk.from_tables(results=listed(np.zeros((2, 20))), judgments=None), "sDCG@10")
    subtopics = sk.from_tables(
        results=listed(np.zeros((2, 20))),
        judgments={"judgment_key": ["t0", "t1"], "doc_id": ["d0.00"] * 2, "subtopic_id": ["1"] * 2, "grade": [1, 1]},
    )
    with pytest.raises(UsageError, match="uses grades by subtopic"):
        sk.judge_noise(subtopics, "CubeTest")


def test_a_pair_that_cannot_be_tested_has_no_verdict_to_change():
    made = sk.from_tables(
        results={
            "session_id": ["a", "b"], "query_position": [1, 1], "rank": [1, 1], "doc_id": ["x", "y"], "topic_id": ["t", "t"],
            "user_id": ["u", "v"], "system_id": ["A", "B"],
        },
        judgments={"judgment_key": ["t", "t"], "doc_id": ["x", "y"], "grade": [1, 0]},
    )  # fmt: skip
    found = sk.judge_noise(made, "sDCG@1", noise=0.2, draws=20)
    assert found.table.select("p", "significant", "verdict_changes").row(0) == (None, None, None)
    assert "(too little data to test)" in found.reading
    assert "on the other side" not in found.reading
