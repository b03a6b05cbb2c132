"""Whether a difference depends on a column: against Welch's test, paired tests and least squares of scipy and statsmodels."""

import numpy as np
import polars as pl
import pytest
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.stats import multivariate
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.oneway import anova_oneway

import sessionkit as sk
from sessionkit.analysis.compare.interaction import of_independent
from tests.support.clinic import read_clinic

KEYS = ("user_id", "topic_id", "system_id", "skill")


def table_of(rows, values):
    """Scores of sessions (user, topic, system, skill)."""
    frame = pl.DataFrame(rows, schema=KEYS, orient="row").with_columns(measure=pl.lit("gain"), value=pl.Series(values))
    return frame.with_columns(session_id=pl.format("s{}", pl.int_range(pl.len())))


HALVES = ("AABB", "ABAB", "ABBA", "BBAA", "BABA", "BAAB")
"""Which system each of four topics is searched with."""


def crossover(users, levels, seed=5, halves=HALVES):
    """Users of several skills, each of whom searches two topics with each of two systems."""
    rows = [
        (f"u{user:02}", f"t{topic}", system, f"l{user % levels}")
        for user in range(users)
        for topic, system in enumerate(halves[user // levels % len(halves)])
    ]
    return table_of(rows, np.random.default_rng(seed).normal(size=len(rows)).round(4))


def paired(users, levels):
    """Users who met both systems on every level: here the levels are topics."""
    rows = [
        (f"u{user}", f"t{level}", system, f"l{level}")
        for user in range(users)
        for level in range(levels)
        for system in "AB"
    ]
    return table_of(rows, np.random.default_rng(8).normal(size=len(rows)).round(4))


def separate(users, levels):
    """Every user has one system and one level."""
    rows = [(f"u{user:02}", "t", "AB"[user // levels % 2], f"l{user % levels}") for user in range(users)]
    return table_of(rows, np.random.default_rng(9).normal(size=len(rows)).round(4))


def only(found):
    """The one row of a table of interactions."""
    return found.interaction.row(0, named=True)


@pytest.mark.parametrize("levels", [2, 3])
@pytest.mark.parametrize("balanced", [True, False])
def test_users_of_a_crossover_are_compared_by_their_own_differences(levels, balanced):
    """Beside the topics that each had more of with one system, so that topics searched mostly with one system do no harm."""
    frame = crossover(24, levels)
    if not balanced:  # every third session of the first two topics is missing
        frame = frame.filter((pl.int_range(pl.len()) % 3 > 0) | pl.col("topic_id").is_in(["t2", "t3"]))
    row = only(sk.compare(frame, within="skill", correction="none"))
    both = frame.group_by("user_id").agg(pl.col("system_id").n_unique() == 2).filter("system_id")
    frame = frame.join(both.select("user_id"), on="user_id")
    shares = [(pl.col("topic_id") == f"t{topic}").mean().alias(f"t{topic}") for topic in range(4)]
    cells = frame.group_by("user_id", "skill", "system_id").agg(pl.col("value").mean(), *shares).sort("user_id")
    a, b = (cells.filter(system_id=system) for system in "AB")
    d = a.select("skill").with_columns((b[name] - a[name]).alias(name) for name in ("value", "t0", "t1", "t2", "t3"))
    less, more = (
        ols(text, d.to_pandas()).fit() for text in ("value ~ t0 + t1 + t2", "value ~ t0 + t1 + t2 + C(skill)")
    )
    theirs = anova_lm(less, more).iloc[1]
    assert (row["statistic"], row["p"]) == pytest.approx((theirs["F"], theirs["Pr(>F)"]))
    assert (row["df"], row["df_error"], row["n"]) == (levels - 1, more.df_resid, len(d))
    if levels == 2:
        assert row["estimate"] == pytest.approx(more.params["C(skill)[T.l1]"])
        assert (row["low"], row["high"]) == pytest.approx(tuple(more.conf_int().loc["C(skill)[T.l1]"]))


def test_topics_that_one_level_searched_mostly_with_one_system_make_no_interaction():
    """The difference is 1 for all; in one level the first topics are searched mostly with B."""
    rng = np.random.default_rng(4)
    rows, values = [], []
    for level in ("even", "odd"):
        for user in range(24):
            for topic in range(4):
                mostly = "B" if rng.random() < (0.85 if topic < 2 else 0.15) else "A"
                system = "AB"[(user + topic) % 2] if level == "even" else mostly
                rows.append((f"{level}{user}", f"t{topic}", system, level))
                values.append((system == "B") + topic * 0.3 + rng.normal() * 0.1)
    found = sk.compare(table_of(rows, values), within="skill")
    assert abs(only(found)["estimate"]) < 0.1
    assert only(found)["p"] > 0.1
    assert "a balanced Latin square" in found.design
    assert "(skill odd)" in found.design


@pytest.mark.parametrize("levels", [2, 3, 4])
def test_independent_estimates_are_compared_as_welch_does(levels):
    """Means of samples are such estimates, with s / sqrt(n) and n - 1."""
    rng = np.random.default_rng(levels)
    samples = [rng.normal(size=6 + 3 * level, scale=1 + level) for level in range(levels)]
    sizes = np.array([len(one) for one in samples])
    found = of_independent(
        np.array([one.mean() for one in samples]),
        np.array([stats.sem(one) for one in samples]),
        sizes - 1,
        int(sizes.sum()),
    )
    theirs = anova_oneway(samples, use_var="unequal", welch_correction=True)
    assert (found.statistic, found.p) == pytest.approx((theirs.statistic, theirs.pvalue))
    assert found.df_error == pytest.approx(theirs.df_denom)


@pytest.mark.parametrize("levels", [2, 3])
def test_units_that_met_both_groups_in_every_level_are_compared_with_themselves(levels):
    frame = paired(9, levels)
    row = only(sk.compare(frame, within="skill", population="users", correction="none"))
    d = frame.pivot(on="system_id", index=["user_id", "skill"], values="value").with_columns(
        d=pl.col("B") - pl.col("A")
    )
    wide = d.pivot(on="skill", index="user_id", values="d")
    if levels == 2:
        test = stats.ttest_rel(wide["l1"], wide["l0"])
        interval = test.confidence_interval(0.95)
        assert (row["test"], row["df_error"]) == ("paired t", 8)
        assert row["p"] == pytest.approx(test.pvalue)
        assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high))
        return
    apart = wide.select(pl.col("l1") - pl.col("l0"), pl.col("l2") - pl.col("l0")).to_numpy()
    squared, p = multivariate.test_mvmean(apart, mean_null=[0, 0])[:2]  # Hotelling's, as F
    assert (row["statistic"], row["p"]) == pytest.approx((squared, p))
    assert (row["test"], row["df"], row["df_error"], row["n"]) == ("Hotelling's T squared", 2, 7, 9)


def test_a_few_units_in_two_levels_do_not_stand_for_all():
    """Of 40 users 2 met both levels; what is said of these is not said of all."""
    rows = [(f"u{user}", "t", system, level) for user in range(40) for level in ("l0", "l1") for system in "AB"
            if user < 2 or user % 2 == int(level[1])]  # fmt: skip
    found = sk.compare(
        table_of(rows, np.random.default_rng(3).normal(size=len(rows))), within="skill", population="users"
    )
    assert only(found)["p"] is None
    assert "not tested: 2 of 40 users were in all of its values, and others in one or some." in found.reading


def test_topics_of_a_crossover_are_fitted_beside_users_and_systems():
    """No user searches a topic with both systems: the F of system x topic by least squares."""
    frame = crossover(24, 2)
    row = only(sk.compare(frame, within="topic_id", correction="none"))
    data = frame.to_pandas()
    less, more = (
        ols(f"value ~ C(user_id) + C(topic_id) + C(system_id){extra}", data).fit()
        for extra in ("", " + C(system_id):C(topic_id)")
    )
    theirs = anova_lm(less, more).iloc[1]
    assert (row["statistic"], row["p"]) == pytest.approx((theirs["F"], theirs["Pr(>F)"]))
    assert (row["df"], row["df_error"]) == (3, more.df_resid)
    assert (row["estimate"], row["low"]) == (None, None)


def test_topics_that_users_of_two_halves_tell_from_nothing_are_not_tested():
    """Where topics differ in the difference, those who had A on the even topics differ from the others, who are other users."""
    found = sk.compare(crossover(24, 2, halves=("ABAB", "BABA")), within="topic_id")
    assert only(found)["p"] is None
    assert "not tested: users and groups leave nothing, or no error, to tell it by." in found.reading


def test_a_level_that_every_user_of_a_crossover_meets_is_fitted_over_sessions():
    again = crossover(16, 1, seed=6).with_columns(skill=pl.lit("l1"), session_id=pl.format("z{}", "session_id"))
    frame = pl.concat([crossover(16, 1), again])
    found = sk.compare(frame, within="skill", correction="none")
    assert found.test == "least squares on user + topic + group"
    row, data = only(found), frame.to_pandas()
    model = ols("value ~ C(user_id) + C(topic_id) + C(skill) * C(system_id)", data).fit()
    term = "C(skill)[T.l1]:C(system_id)[T.B]"
    assert (row["estimate"], row["p"]) == pytest.approx((model.params[term], model.pvalues[term]))
    assert (row["low"], row["high"]) == pytest.approx(tuple(model.conf_int().loc[term]))


def test_separate_groups_within_levels_of_their_own_are_independent_too():
    frame = separate(40, 2)
    row = only(sk.compare(frame, within="skill", correction="none"))
    cells = [
        frame.filter(skill=level, system_id=system)["value"].to_numpy() for level in ("l0", "l1") for system in "AB"
    ]
    se = np.sqrt(sum(stats.sem(one) ** 2 for one in cells))
    estimate = cells[3].mean() - cells[2].mean() - cells[1].mean() + cells[0].mean()
    assert row["estimate"] == pytest.approx(estimate)
    assert row["statistic"] == pytest.approx((estimate / se) ** 2)


def test_p_is_corrected_over_the_interactions():
    frame = separate(60, 2).with_columns(system_id=pl.Series(np.resize(["A", "B", "C"], 60)))
    found = sk.compare(frame, within="skill")
    assert found.interaction.select("a", "b").rows() == [("A", "B"), ("A", "C"), ("B", "C")]
    assert found.interaction["p_adjusted"].to_list() == pytest.approx([min(1, 3 * p) for p in found.interaction["p"]])


def test_the_reading_says_what_one_level_by_itself_does_not():
    """In one value the difference is shown and in the other not, which is not a difference between them."""
    frame = separate(40, 2)
    novice = (pl.col("skill") == "l0") & (pl.col("system_id") == "B")
    found = sk.compare(frame.with_columns(value=pl.col("value") + novice.cast(pl.Float64) * 1.4), within="skill")
    assert [p <= 0.05 for p in found.table["p_adjusted"]] == [True, False]
    assert only(found)["p"] > 0.05
    row = only(found)
    assert (
        f"Interaction with skill: F(1, {row['df_error']:.4g}) = {row['statistic']:.3g}, p = {row['p']:.3f}."
        in found.to_latex()
    )
    first, second = found.table["estimate"]
    interval = f"95% interval {row['low']:.4f} to {row['high']:.4f}"
    both = f"gain: B minus A is {first:.4f} for skill l0 and {second:.4f} for skill l1"
    assert f"{both}; skill l1 minus skill l0: {row['estimate']:.4f}, {interval}, t(" in found.reading
    assert row["estimate"] == pytest.approx(second - first)
    assert "Welch's t, n = 40. It is not shown that the difference depends on skill." in found.reading
    assert "A difference that is shown for one value of skill and not for another does not show that" in found.reading
    strong = sk.compare(frame.with_columns(value=pl.col("value") + novice.cast(pl.Float64) * 9), within="skill")
    assert "There is evidence that the difference depends on skill." in strong.reading


def test_what_has_no_standard_error_is_not_tested_and_says_so():
    found = sk.compare(separate(40, 2), within="skill", test="mann-whitney")
    assert only(found)["note"] == "Mann-Whitney U has no standard error of a difference; test=welch would do"
    assert f"Whether the difference depends on skill is not tested: {only(found)['note']}." in found.reading
    assert "interaction" not in sk.compare(separate(40, 2)).tables()


def test_the_clinic_is_better_on_no_topic_than_on_another():
    found = sk.compare(read_clinic(), "nsDCG@10", within="topic_id")
    scores = sk.score(read_clinic(), "nsDCG@10", per="session").to_pandas()
    model = ols("value ~ C(user_id) + C(topic_id) * C(system_id)", scores).fit()
    theirs = anova_lm(ols("value ~ C(user_id) + C(topic_id) + C(system_id)", scores).fit(), model).iloc[1]
    assert only(found)["p"] == pytest.approx(theirs["Pr(>F)"])
