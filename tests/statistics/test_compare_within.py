"""Groups compared within each value of a column: as if each were compared alone, with all p-values corrected together.

Thousands of groups: what describes or tests each of them refuses them at once.
"""

import numpy as np
import polars as pl
import pytest
from scipy import stats

import sessionkit as sk
from sessionkit.errors import UsageError
from tests.support.clinic import read_clinic
from tests.support.statements import claim_of, only_values

LEVELS = list("ABCD")


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


@pytest.mark.slow
@pytest.mark.parametrize("test", ["welch", "mann-whitney"])
def test_each_value_is_compared_as_if_it_were_alone(clinic, test):
    measures = ["nsDCG@10", "Queries"]
    found = sk.compare(clinic, measures, within="topic_id", test=test)
    assert found.table.columns[:2] == ["topic_id", "measure"]
    assert found.table["topic_id"].to_list() == [level for level in LEVELS for _ in measures]
    # Bonferroni over 8 comparisons: each alone at an error rate of .05 / 8
    for level in LEVELS:
        where = f"topic_id = '{level}'"
        alone = sk.compare(clinic, measures, where=where, test=test, correction="none", confidence=1 - 0.05 / 8)
        here = found.table.filter(topic_id=level)
        of_each = pl.exclude("topic_id", "p_adjusted", "detectable")
        assert here.select(of_each).equals(alone.table.select(of_each))
        assert here["p_adjusted"].to_list() == [min(1.0, 8 * p) for p in alone.table["p"]]
        assert here["detectable"].to_list() == pytest.approx(alone.table["detectable"].to_list())
    assert found.family.number == 8
    assert found.reading.count("topic_id C: nsDCG@10: S2 minus S1") == 1


def test_all_groups_at_once_within_each_value():
    rows = [(f"{half}{system}{user}", system, half, number + user / 5 + (user * number) % 3 / 7)
            for half in ("am", "pm") for number, system in enumerate("ABC") for user in range(5 + number)]  # fmt: skip
    frame = pl.DataFrame(rows, schema=["session_id", "system_id", "half", "value"], orient="row")
    frame = frame.with_columns(measure=pl.lit("gain"))
    found = sk.compare(frame, within="half", test="tukey")
    assert found.overall["half"].to_list() == ["am", "pm"]
    alone = sk.compare(frame, where="half = 'pm'", test="tukey", correction="none", confidence=1 - 0.05 / 2)
    assert found.overall.filter(half="pm").drop("half").equals(alone.overall)
    # the test holds for all pairs of a value: Bonferroni over the two values
    here = found.table.filter(half="pm")
    assert here["p_adjusted"].to_list() == [min(1.0, 2 * p) for p in alone.table["p"]]
    assert here.select("low", "high").equals(alone.table.select("low", "high"))
    assert found.table.drop("half").slice(3, 3).select("estimate", "p").equals(alone.table.select("estimate", "p"))


def test_the_column_has_its_type_and_stands_in_every_table_and_paper(clinic):
    found = sk.compare(clinic, ["nsDCG@10", "Queries"], within="skill")
    assert found.table.schema["skill"] == pl.Int64
    assert all(found.tables()[name].columns[0] == "skill" for name in ("pairs", "overall", "order", "dropped"))
    assert ("within", "skill") in found.tables()["made_with"].rows()
    assert r"within each skill" in found.to_latex()
    rows = [line.split("|")[1:4] for line in found.to_markdown().splitlines() if line.startswith("| ")][2:]
    assert [row[0].strip() for row in rows] == [str(level) for level in (1, 2, 3, 4) for _ in range(2)]
    many = (
        clinic.sessions.join(clinic.users, on="user_id").group_by("skill").agg(pl.col("user_id").n_unique()).collect()
    )
    least, most = many["user_id"].min(), many["user_id"].max()
    assert claim_of(found) == ("users", (least, most), (4, 4))
    assert only_values(found, "claim")["levels"] == 4
    topics = sk.compare(clinic, "nsDCG@10", within="topic_id")
    assert claim_of(topics) == ("users", (30, 30), (1, 1))
    assert only_values(topics, "claim")["levels"] == 4
    assert "searching" not in topics.claim
    one = sk.compare(clinic, "nsDCG@10", within="topic_id", where="topic_id = 'A'")
    assert claim_of(one) == ("users", (30, 30), (1, 1))
    assert one.claim.endswith(", searching this 1 topic")


def test_of_scores_as_of_a_study(clinic):
    scores = sk.score(clinic, "nsDCG@10", per="session", wide=True)
    of_scores = sk.compare(scores, "nsDCG@10", within="topic_id")
    assert of_scores.table.equals(sk.compare(clinic, "nsDCG@10", within="topic_id").table)


def test_seven_groups_within_two_values_have_letters_by_value():
    rows = [(f"{system}{user}{half}", f"u{user}", system, half, number + user / 10 + (user * number) % 3 / 7)
            for number, system in enumerate("ABCDEFG") for user in range(6) for half in ("am", "pm")]  # fmt: skip
    frame = pl.DataFrame(rows, schema=["session_id", "user_id", "system_id", "half", "value"], orient="row")
    found = sk.compare(frame.with_columns(measure=pl.lit("gain")), within="half")
    paper = found.paper_table()
    assert [row[:3] for row in paper.rows] == [
        (half, letter, letter.upper()) for half in ("am", "pm") for letter in "abcdefg"
    ]
    differs = found.table.filter(pl.col("p_adjusted") <= found.alpha, half="pm")
    others = {a if b == "A" else b for a, b in differs.select("a", "b").rows() if "A" in (a, b)}
    assert paper.marks.get((7, 3), "") == "".join(sorted(others)).lower()
    assert others


def test_sessions_that_cannot_be_compared_are_counted():
    rows = [(f"{half}{system}{user}", f"{half}{system}{user}", system, half, user * 1.0)
            for half in ("am", "pm", None) for system in "AB" for user in range(3) if (half, system) != ("pm", "B")]  # fmt: skip
    frame = pl.DataFrame(rows, schema=["session_id", "user_id", "system_id", "half", "value"], orient="row")
    found = sk.compare(frame.with_columns(measure=pl.lit("gain")), within="half")
    assert found.table["half"].to_list() == ["am"]
    left_out = [each.values["counts"] for each in found.of_kind("left_out") if each.values["measure"] is None]
    assert left_out == [{"sessions without half": 6}, {"sessions of a half that lacks a group": 3}]
    lost = frame.with_columns(system_id=pl.when(pl.col("value") > 0).then("system_id"), measure=pl.lit("gain"))
    of_lost = [each.values["counts"] for each in sk.compare(lost, within="half").of_kind("left_out")]
    assert {"sessions without system_id": 5} in of_lost


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"within": "colour"}, "within=colour: no such column"),
        ({"within": "measure"}, "already have a column"),
        ({"within": "system_id"}, "within=system_id .* makes the groups"),
        ({"within": "started_at"}, "no value .* groups of system_id"),
        (
            {"within": "topic_id", "population": "users,topics"},
            "no within=topic_id; .*population=users; .*lme4",
        ),
        ({"within": "topic_id", "population": "topics"}, "population=topics"),
    ],
)
def test_what_cannot_be_asked_for(clinic, options, words):
    with pytest.raises(UsageError, match=words):
        sk.compare(clinic, "nsDCG@10", **options)


def test_a_column_of_lists_is_refused(clinic):
    frame = sk.score(clinic, "nsDCG@10", per="session").with_columns(half=pl.concat_list("topic_id"))
    for options in ({"within": "half"}, {"by": "half"}):
        with pytest.raises(UsageError, match="=half: the column holds lists"):
            sk.compare(frame, **options)


def normal_scores(rows, seed=1):
    """Scores of sessions (user, topic, system, skill), drawn at random."""
    frame = pl.DataFrame(rows, ["user_id", "topic_id", "system_id", "skill"], orient="row")
    values = pl.Series(np.random.default_rng(seed).normal(size=len(rows)))
    return frame.with_columns(measure=pl.lit("gain"), session_id=pl.format("s{}", pl.int_range(pl.len())), value=values)


def users_of_skills(skills, sequences):
    """Rows of users of skills, so many of each, whose sessions follow the sequences of systems in turn."""
    users = [(skill, number) for skill, size in skills.items() for number in range(size)]
    return [
        (f"{skill}{number}", f"t{topic}", system, skill)
        for skill, number in users
        for topic, system in enumerate(sequences[number % len(sequences)])
    ]


def test_each_value_has_the_test_of_its_own_design():
    """Paired users and separate ones: the paired t and Welch's t, and Welch's t of the two differences."""
    rows = [(f"u{user}", "t", system, "paired") for user in range(8) for system in "AB"]
    rows += [(f"{system}{user}", "t", system, "separate") for user in range(6) for system in "AB"]
    frame = normal_scores(rows)
    found = sk.compare(frame, within="skill", correction="none")
    paired, separate = (
        {system: frame.filter(skill=skill, system_id=system)["value"].to_numpy() for system in "AB"}
        for skill in ("paired", "separate")
    )
    tests = [stats.ttest_rel(paired["B"], paired["A"]), stats.ttest_ind(separate["B"], separate["A"], equal_var=False)]
    assert found.table["p"].to_list() == pytest.approx([test.pvalue for test in tests])
    assert [each.values["test"] for each in found.of_kind("difference")] == ["t", "welch"]
    assert "(skill separate)" in found.test
    assert "; paired t, n = 8 users" in found.reading
    assert "; Welch's t, n = 6 and 6 users" in found.reading
    # one variance of eight differences, two of six values
    means = [paired["B"] - paired["A"], separate["B"], separate["A"]]
    parts = np.array([sample.var(ddof=1) / len(sample) for sample in means])
    estimate = means[1].mean() - means[2].mean() - means[0].mean()
    df = parts.sum() ** 2 / (parts**2 / np.array([7, 5, 5])).sum()
    row = found.interaction.row(0, named=True)
    assert (row["estimate"], row["df_error"]) == pytest.approx((estimate, df))
    assert row["p"] == pytest.approx(2 * stats.t.sf(abs(estimate) / parts.sum() ** 0.5, df))
    assert row["n"] == 20


def test_three_experts_who_met_few_topics_do_not_stop_the_comparison():
    """Three users do not search every topic with both systems, so that their design is not a crossover, as that of others is."""
    rows = users_of_skills({"expert": 3, "intermediate": 6, "novice": 11}, ("ABAB", "ABAB", "ABAB", "BABA"))
    found = sk.compare(normal_scores(rows), within="skill")
    assert found.table["skill"].to_list() == ["expert", "intermediate", "novice"]
    assert found.table["p"].count() == 3
    assert [each.values["test"] for each in found.of_kind("difference")] == ["t", "least-squares", "least-squares"]
    assert "(skill intermediate and skill novice)" in found.test
    row = found.interaction.row(0, named=True)
    assert (row["n"], row["levels"], row["test"]) == (17, 2, "Welch's t, adjusted for topics")
    note = only_values(found, "interaction")["note"]
    assert (note["reason"], note["few"], note["least"]) == (
        "values left out", [{"level": "skill expert", "n": 3, "in_groups": None}], 4,
    )  # fmt: skip
    for skill in ("expert", "novice"):
        alone = sk.compare(normal_scores(rows), where=f"skill = '{skill}'")
        assert found.table.filter(skill=skill)["p"].to_list() == pytest.approx(alone.table["p"].to_list())


def test_a_crossover_with_missing_cells_is_compared_within_skills():
    rows = users_of_skills({"expert": 9, "novice": 12}, ("AABB", "ABAB", "BBAA", "BABA"))
    kept = [row for place, row in enumerate(rows) if place % 7 and not (row[3] == "expert" and row[1] == "t3")]
    found = sk.compare(normal_scores(kept), within="skill")
    assert found.table["p"].count() == 2
    assert found.interaction["p"].count() == 1


def test_a_value_whose_groups_cannot_be_separated_does_not_stop_the_others():
    """The experts searched topics 0 and 1 with A only and 2 and 3 with B only; the other users alternate."""
    rows = users_of_skills({"novice": 12}, ("ABAB", "BABA", "AABB", "BBAA"))
    rows += users_of_skills({"expert": 5}, ("AABB",))
    rows += [
        ("odd0", "t0", "B", "expert"),
        ("odd1", "t2", "A", "expert"),
        ("odd1", "t1", "B", "expert"),
        ("odd2", "t3", "A", "expert"),
    ]
    found = sk.compare(normal_scores(rows), within="skill", population="users")
    assert found.table["skill"].to_list() == ["expert", "novice"]
    assert found.table.filter(skill="novice")["p"].count() == 1


def test_values_without_a_common_population_are_refused():
    rows = [(f"u{user}", None, system, "users") for user in range(8) for system in "AB"]
    rows += [(None, f"t{topic}", system, "topics") for topic in range(8) for system in "AB"]
    with pytest.raises(UsageError, match=r"common population: .*topics: .*population=topics"):
        sk.compare(normal_scores(rows), within="skill")


def test_cut_divides_the_column_within_which_groups_are_compared():
    rows = users_of_skills({"x": 24}, ("AABB", "BBAA", "ABAB", "BABA"))
    frame = normal_scores(rows).with_columns(age=pl.col("user_id").str.slice(1).cast(pl.Int64) + 20)
    found = sk.compare(frame, within="age", cut=2)
    assert found.table["age"].to_list() == ["20 to 31", "32 to 43"]
    named = frame.with_columns(half=pl.when(pl.col("age") < 32).then(pl.lit("a")).otherwise(pl.lit("b")))
    by_hand = sk.compare(named, within="half")
    assert found.table.drop("age").equals(by_hand.table.drop("half"))
    assert found.interaction.drop("note").equals(by_hand.interaction.drop("note"))


def test_cut_divides_the_groups_too_where_they_are_too_many_numbers():
    rows = users_of_skills({"x": 60}, ("A",))
    frame = normal_scores(rows).with_columns(years=pl.col("user_id").str.slice(1).cast(pl.Int64))
    frame = frame.with_columns(age=pl.col("years") * 7 % 60)
    found = sk.compare(frame, by="years", within="age", cut=2)
    assert found.table.select("age", "a", "b").rows() == [
        (age, "0 to 29", "30 to 59") for age in ("0 to 29", "30 to 59")
    ]
    # a column of words within which groups are compared leaves the groups to be cut
    words = sk.compare(
        frame.with_columns(half=pl.col("age").is_between(0, 29).cast(pl.String)), by="years", within="half", cut=3
    )
    assert words.table["a"].n_unique() == 2
    with pytest.raises(UsageError, match="within=skill nor by=system_id"):
        sk.compare(frame, within="skill", cut=2)


def test_an_interaction_that_is_not_the_difference_of_the_two_levels_says_why():
    found = sk.compare(read_clinic(), "nsDCG@10", within="years_internet", cut=2)
    low, high = found.table["estimate"]
    row = found.interaction.row(0, named=True)
    assert abs(row["estimate"] - (high - low)) > 0.01
    values = only_values(found, "interaction")
    assert (values["minus"], values["plus"]) == ("years_internet 2 to 7", "years_internet 7.5 to 12.5")
    parts = [values[name] for name in ("difference_minus", "difference_plus", "estimate")]
    assert parts == pytest.approx([-0.0266, 0.1780, 0.2429], abs=5e-5)
    assert "; estimated together, " in found.reading


@pytest.mark.parametrize("topics", [1, 4])
def test_a_single_expert_does_not_stop_the_comparison_of_novices(topics):
    """Of one topic users met both systems; of four topics each with one system. The novices' test is that of novices alone."""
    draw = np.random.default_rng(7)
    rows = []
    for user in range(13):
        skill = "expert" if user == 12 else "novice"
        for topic in range(topics):
            for place, system in enumerate("AB"):
                if topics == 1 or (user + topic) % 2 == place:
                    rows.append(
                        (f"{user}{topic}{system}", f"u{user}", f"t{topic}", system, skill, draw.normal() + place)
                    )
    schema = ["session_id", "user_id", "topic_id", "system_id", "skill", "value"]
    scores = pl.DataFrame(rows, schema=schema, orient="row").with_columns(measure=pl.lit("gain"))
    found = sk.compare(scores, within="skill", correction="none")
    alone = sk.compare(scores.filter(skill="novice"), correction="none")
    expert, novice = found.table.sort("skill").rows(named=True)
    assert (novice["estimate"], novice["p"]) == pytest.approx(
        (alone.table.item(0, "estimate"), alone.table.item(0, "p"))
    )
    assert (expert["n_a"], expert["p"]) == (1, None)
    note = only_values(found, "interaction_not_tested")["note"]
    assert (note["few"], note["least"]) == ([{"level": "skill expert", "n": 1, "in_groups": None}], 4)
    assert "skill expert: gain: No verdict: " in found.paper_table().note
    assert found.of_kind("difference")[0].values["no_verdict"]["total"] == 1


MANY = 5000
VERBS = {
    "report": sk.report,
    "discriminate": lambda study: sk.discriminate(study, "mean(P@1)"),
    "breakdown": lambda study: sk.breakdown_tests(study, "P@1", by="system_id"),
    "sweep": lambda study: sk.sweep(study, "sDCG@10", {"b": [2, 3]}),
    "judge_noise": lambda study: sk.judge_noise(study, "mean(P@1)", draws=2),
    "judgment_loss": lambda study: sk.judgment_loss(study, "mean(P@1)", draws=2),
}


@pytest.fixture(scope="module")
def study():
    places = {"session_id": [f"s{number}" for number in range(MANY)], "query_position": [1] * MANY, "rank": [1] * MANY}
    log = {
        **places,
        "doc_id": ["d"] * MANY,
        "topic_id": ["t"] * MANY,
        "system_id": [f"x{number}" for number in range(MANY)],
    }
    return sk.from_tables(results=log, judgments={"judgment_key": ["t", "t"], "doc_id": ["d", "e"], "grade": [1, 0]})


@pytest.mark.parametrize("verb", VERBS)
def test_thousands_of_systems_are_refused(study, verb):
    with pytest.raises(sk.UsageError, match=r"by=system_id: .* 5,000 groups, .* 200 "):
        VERBS[verb](study)
