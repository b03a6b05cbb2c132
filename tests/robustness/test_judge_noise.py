"""judge_noise, end to end: against studies read anew with every draw of the judgments.

What a judge may say in place of a grade: counted plainly, declared, given, and refused.

Searchers' grades against the judgments: scikit-learn's kappas, Krippendorff's alpha of judges.
"""

import itertools
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score

import sessionkit as sk
from sessionkit.errors import DataError, UsageError
from sessionkit.robustness.judge_noise import errors_of, graders_agreement, own_grades, redrawn
from tests.robustness.runs import listed, runs
from tests.support.clinic import read_clinic
from tests.support.examples import examples


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
    assert {each.values["reason"] for each in found.of_kind("not_compared")} == {"untouched"}


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bits(clinic, tmp_path):
    one, other = (sk.judge_noise(clinic, "nsDCG@10", noise=0.1, draws=5, seed=seed) for seed in (1, 2))
    saved = sk.judge_noise(clinic.save(tmp_path / "study"), "nsDCG@10", noise=0.1, draws=5, seed=1, memory="50MB")
    assert all(table.equals(saved.tables()[name]) for name, table in one.tables().items())
    assert not one.table.equals(other.table)


def test_the_clinics_searchers_and_what_is_supposed(clinic):
    found = sk.judge_noise(clinic, "nsDCG@10", draws=3)
    assert found.source == "declared"
    assert found.of_kind("errors")[0].values["probability"] == pytest.approx(0.1)
    agreed = next(each.values for each in found.of_kind("agreement") if each.values["who"] == "searchers and judgments")
    assert (agreed["n"], agreed["agreement"]) == (234, pytest.approx(0.83, abs=0.005))
    own = sk.judge_noise(clinic, "nsDCG@10", noise="searchers", draws=3)
    assert own.source == "searchers"
    assert own.errors["n"].sum() == 234
    assert own.of_kind("errors")[0].values["n"] == 234


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
    assert [each.values["who"] for each in found.of_kind("agreement")] == ["assessors"]
    assert found.of_kind("errors")[0].values["unknown"] == [3.0]
    assert found.errors.filter(pl.col("grade") == 3).select("becomes", "share").rows() == [(3.0, 1.0)]


def test_many_groups_have_an_order_and_the_shakiest_pairs_are_told_first():
    found = sk.judge_noise(runs(systems=6)[0], "mean(P@10)", noise=0.2, draws=10)
    assert found.table.height == 15
    assert [(each.values["shown"], each.values["pairs"]) for each in found.of_kind("pairs")] == [(6, 15)]
    assert found.of_kind("order")[0].values["groups"] == 6


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


LOG = {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["d0"], "topic_id": ["t"]}
TABLES = st.lists(
    st.lists(st.sampled_from([None, 0.0, 1.0, 3.0]), min_size=3, max_size=3).filter(
        lambda row: any(g is not None for g in row)
    ),
    min_size=1,
    max_size=10,
)


def study_of(table, **settings):
    """A study of which each judge (column) gave each document (row) a grade, or none."""
    rows = [
        ("t", f"d{n}", f"j{who}", grade)
        for n, row in enumerate(table)
        for who, grade in enumerate(row)
        if grade is not None
    ]
    names = ["judgment_key", "doc_id", "judge_id", "grade"]
    return sk.from_tables(results=LOG, judgments=pl.DataFrame(rows, schema=names, orient="row"), **settings)


def shares(errors):
    """The matrix as a dictionary."""
    return {(a, b): share for a, b, share in errors.table.select("grade", "becomes", "share").rows()}


@settings(max_examples=examples(40), deadline=None)
@given(TABLES)
def test_judges_are_counted_as_krippendorff_does(table):
    """Every ordered pair of the m grades of a document counts 1 / (m - 1); rows are divided by their sums."""
    counted = Counter()
    for row in table:
        grades = [grade for grade in row if grade is not None]
        for one, other in itertools.permutations(grades, 2):
            counted[one, other] += 1 / (len(grades) - 1)
    used = np.array([grade for row in table for grade in row if grade is not None])
    if not counted:
        assert errors_of(study_of(table), np.append(used, 9.0), None, "adjacent").source == "declared"
        with pytest.raises(DataError, match=r"noise=judges: no document .* two"):
            errors_of(study_of(table), used, "judges", "adjacent")
        return
    errors = errors_of(study_of(table), used, None, "adjacent")
    assert errors.source == "judges"
    sums = Counter()
    for (one, _), many in counted.items():
        sums[one] += many
    wanted = {(a, b): many / sums[a] for (a, b), many in counted.items()}
    wanted |= {(grade, grade): 1.0 for grade in set(used.tolist()) - set(sums)}
    assert shares(errors) == pytest.approx(wanted)
    assert set(errors.unknown) == set(used.tolist()) - set(sums)


def test_declared_errors_go_to_neighbors_or_anywhere():
    study, used = study_of([[0.0, None, None]]), np.array([0.0, 1.0, 1.0, 3.0])
    near = errors_of(study, used, "0.2", "adjacent")
    assert shares(near) == pytest.approx(
        {(0, 0): 0.8, (0, 1): 0.2, (1, 0): 0.1, (1, 1): 0.8, (1, 3): 0.1, (3, 1): 0.2, (3, 3): 0.8}
    )
    far = shares(errors_of(study, used, 0.2, "any"))
    assert far == pytest.approx({(a, b): 0.8 if a == b else 0.1 for a in (0, 1, 3) for b in (0, 1, 3)})
    assert near.changed(used) == pytest.approx(0.2)
    with pytest.raises(DataError, match="have the grade 1"):
        errors_of(study, np.array([1.0]), 0.5, "adjacent")
    assert errors_of(study, np.array([1.0]), 0, "adjacent").changed(np.array([1.0])) == 0.0


def test_a_table_of_errors():
    given_ = {"grade": [0, 0, 1], "becomes": [0, 2, 1], "share": [0.25, 0.75, 1.0]}
    errors = errors_of(study_of([[0.0, None, None]]), np.array([0.0, 1.0]), given_, "adjacent")
    assert shares(errors) == {(0, 0): 0.25, (0, 2): 0.75, (1, 1): 1.0, (2, 2): 1.0}
    assert errors.unknown == ()
    for broken, names in (
        ({"grade": [0], "becomes": [1]}, "no share"),
        ({"grade": [0], "becomes": [1], "share": [0.5]}, "add up to 1"),
        ({"grade": [0, 0], "becomes": [0, 1], "share": [1.5, -0.5]}, "add up to 1"),
    ):
        with pytest.raises(UsageError, match=names):
            errors_of(study_of([[0.0, None, None]]), np.array([0.0]), broken, "adjacent")


@pytest.mark.parametrize("noise", ["judge", "1.1", -0.1, "nan"])
def test_other_noise_is_refused(noise):
    with pytest.raises(UsageError, match="judges or searchers, or a share"):
        errors_of(study_of([[0.0, None, None]]), np.array([0.0]), noise, "adjacent")


def test_grades_are_drawn_by_the_matrix_from_one_seed():
    used = np.array([0.0, 1.0, np.nan, 2.0] * 5_000)
    errors = errors_of(study_of([[0.0, None, None]]), used[np.isfinite(used)], 0.3, "adjacent")
    drawn = redrawn(used, errors, (1, 2))
    assert np.array_equal(np.isnan(drawn), np.isnan(used))
    for grade, becomes, share, _ in errors.table.rows():
        mine = drawn[used == grade]
        assert (mine == becomes).mean() == pytest.approx(share, abs=5 * np.sqrt(0.25 / len(mine)))
    assert np.array_equal(drawn, redrawn(used, errors, (1, 2)), equal_nan=True)
    assert not np.array_equal(drawn, redrawn(used, errors, (1, 3)), equal_nan=True)


def test_no_noise_changes_nothing_and_full_noise_everything():
    used = np.array([0.0, 1.0] * 500)
    study = study_of([[0.0, None, None]])
    assert np.array_equal(redrawn(used, errors_of(study, used, 0, "any"), (0,)), used)
    assert np.array_equal(redrawn(used, errors_of(study, used, 1, "any"), (0,)), 1 - used)


def test_what_one_judge_says_is_not_put_in_place_of_sums():
    study = study_of([[1.0, 1.0, None], [1.0, 0.0, None], [0.0, 0.0, 1.0]], merge="sum")
    sums = np.array([2.0, 1.0, 1.0])
    with pytest.raises(UsageError, match="sums over several judges"):
        errors_of(study, sums, "judges", "adjacent")
    # not asked for, a declared share of the sums in use: 1 and 2
    found = errors_of(study, sums, None, "adjacent")
    assert (found.source, found.levels.tolist()) == ("declared", [1.0, 2.0])
    assert found.share == pytest.approx(np.array([[0.9, 0.1], [0.1, 0.9]]))


def test_what_a_searcher_says_is_not_put_in_place_of_sums():
    rows = {
        "session_id": ["a", "b"],
        "query_position": [1] * 2,
        "rank": [1] * 2,
        "doc_id": ["x"] * 2,
        "user_grade": [1.0, 2.0],
    }
    sessions = {"session_id": ["a", "b"], "system_id": ["A", "B"], "topic_id": ["t"] * 2}
    judgments = {"judgment_key": ["t"] * 2, "doc_id": ["x"] * 2, "grade": [1, 2], "judge_id": ["ada", "bob"]}
    summed, most = (sk.from_tables(rows, judgments, sessions=sessions, merge=merge) for merge in ("sum", "max"))
    why = "a searcher gives one grade, and the judgments are sums .*merge=sum.*declare a share of wrong sums, such as noise=0.1"
    with pytest.raises(UsageError, match=why):
        sk.judge_noise(summed, "sDCG@5", noise="searchers", draws=2, population="sessions")
    # nor are searchers said to agree, or not, with 1 + 2 = 3, a grade that none of them can give
    for study, grade, compared in ((summed, 3.0, False), (most, 2.0, True)):
        stays = {"grade": [grade], "becomes": [grade], "share": [1.0]}
        found = sk.judge_noise(study, "sDCG@5", noise=stays, draws=1, population="sessions")
        assert ("searchers and judgments" in found.agreement["who"].to_list()) == compared


# session, query, rank, document, the searcher's grade; s1 grades a twice (the higher counts), x is not judged
ROWS = [
    ("s1", 1, 1, "a", 1), ("s1", 1, 2, "b", 2), ("s1", 2, 1, "a", 2), ("s1", 2, 2, "c", None),
    ("s2", 1, 1, "a", 0), ("s2", 1, 2, "b", 2), ("s2", 1, 3, "x", 1), ("s2", 1, 4, "d", 0),
    ("s3", 1, 1, "d", 1), ("s3", 1, 2, "c", 0),
]  # fmt: skip
GRADES = {"a": 2.0, "b": 2.0, "c": 0.0, "d": 1.0}
# of the same document: a 2 0, b 2 2, d 0 1
OWN = [(2, 2), (2, 2), (2, 0), (2, 2), (1, 0), (0, 0), (1, 1)]
"""Pairs of judgment and searcher's grade, plainly."""


@pytest.fixture
def study():
    names = ["session_id", "query_position", "rank", "doc_id", "user_grade"]
    results = pl.DataFrame(ROWS, schema=names, orient="row").with_columns(topic_id=pl.lit("t"))
    judgments = {"judgment_key": ["t"] * 4, "doc_id": [*GRADES], "grade": [*GRADES.values()]}
    return sk.from_tables(results=results, judgments=judgments)


def test_own_grades_stand_beside_the_judgments(study):
    rows = own_grades(study).select("session_id", "doc_id", "user_grade", "grade").rows()
    assert rows == [
        ("s1", "a", 2.0, 2.0), ("s1", "b", 2.0, 2.0), ("s2", "a", 0.0, 2.0), ("s2", "b", 2.0, 2.0), ("s2", "d", 0.0, 1.0),
        ("s2", "x", 1.0, None), ("s3", "c", 0.0, 0.0), ("s3", "d", 1.0, 1.0),
    ]  # fmt: skip


def test_queries_may_have_keys_of_their_own():
    results = {
        "session_id": ["s", "s"],
        "query_position": [1, 2],
        "rank": [1, 1],
        "doc_id": ["a", "a"],
        "user_grade": [1, 2],
    }
    queries = {"session_id": ["s", "s"], "query_position": [1, 2], "judgment_key": [None, "u"]}
    sessions = {"session_id": ["s"], "topic_id": ["t"]}
    judgments = {"judgment_key": ["t", "u"], "doc_id": ["a", "a"], "grade": [0, 2]}
    study = sk.from_tables(results=results, queries=queries, sessions=sessions, judgments=judgments)
    assert own_grades(study).select("judgment_key", "user_grade", "grade").rows() == [("t", 1.0, 0.0), ("u", 2.0, 2.0)]


def test_kappas_are_scikit_learns(study):
    found = {row["measure"]: row for row in graders_agreement(study).filter(who="searchers and judgments").to_dicts()}
    judged, own = zip(*OWN, strict=True)
    assert found["agreement"]["n"] == 7
    assert (found["agreement"]["judge_id"], found["agreement"]["other"]) == ("judgments", "searchers")
    assert found["agreement"]["value"] == pytest.approx(5 / 7)
    for name, weights in (("kappa", None), ("kappa_linear", "linear"), ("kappa_quadratic", "quadratic")):
        assert found[name]["value"] == pytest.approx(cohen_kappa_score(judged, own, weights=weights))


def test_searchers_among_themselves_are_judges_of_a_document(study):
    found = graders_agreement(study).filter(who="searchers").drop("who")
    own = own_grades(study)
    rows = own.select("judgment_key", "doc_id", grade="user_grade", judge_id="session_id")
    log = {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]}
    theirs = sk.agreement(sk.from_tables(results=log, judgments=rows)).table.filter(pl.col("judge_id").is_null())
    assert found.equals(theirs)
    assert dict(found.select("measure", "value").rows())["agreement"] == pytest.approx(1 / 3)


def test_without_grades_of_searchers_there_are_only_assessors(study):
    bare = sk.from_tables(
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"] * 2, "doc_id": ["a"] * 2, "judge_id": ["x", "y"], "grade": [1, 0]},
    )
    assert set(graders_agreement(bare)["who"]) == {"assessors"}
    assert graders_agreement(bare).drop("who").equals(sk.agreement(bare).table)
