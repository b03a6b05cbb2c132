"""What is asked of sessions: of a measure of queries the mean is taken, and a column of numbers is a measure.

The groups of a comparison by themselves: means, intervals over units, spread of sessions.
"""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import sessionkit as sk
from sessionkit.display.labels import in_natural_order
from sessionkit.errors import MeasureError
from sessionkit.statistics.session_values import GROUPS, _cut
from tests.support.clinic import read_clinic
from tests.support.statements import only_values

OF_SESSIONS = {
    "compare": sk.compare,
    "mixed": partial(sk.compare, population="users,topics"),
    "correlate": partial(sk.correlate, with_="satisfaction", draws=200),
    "power": partial(sk.power, difference=0.1, draws=200, users=[30], topics=[4], component_draws=50),
    "judgment_loss": partial(sk.judgment_loss, fractions=[0.5, 1.0], draws=2),
    "judge_noise": partial(sk.judge_noise, draws=5),
    "discriminative_power": sk.discriminate,
    "sweep": partial(sk.sweep, vary={"b": [2, 3]}),
    "bounds": sk.bounds,
}


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


@pytest.mark.few(3)
@pytest.mark.parametrize("name", OF_SESSIONS)
def test_of_a_measure_of_queries_the_mean_is_taken_and_said(clinic, name):
    with pytest.warns(sk.DataWarning, match=r"nDCG@10 .* per query; mean\(nDCG@10\)"):
        found = OF_SESSIONS[name](clinic, "nDCG@10")
    assert found.table.equals(OF_SESSIONS[name](clinic, "mean(nDCG@10)").table)
    assert "mean(nDCG@10)" in found.text


def test_means_of_scores_are_named_as_means(clinic):
    with pytest.warns(sk.DataWarning, match="has a value per query"):
        scores = sk.score(clinic, ["nDCG@10", "mean(nDCG@10)"], per="session")
    assert scores["measure"].unique().to_list() == ["mean(nDCG@10)"]


def test_a_column_is_compared_like_a_measure(clinic):
    found = sk.compare(clinic, "column(satisfaction)")
    rated = clinic.sessions.with_columns(
        measure=pl.lit("column(satisfaction)"), value=pl.col("satisfaction").cast(pl.Float64)
    )
    alone = sk.compare(rated.collect())
    assert found.table.equals(alone.table)
    means = clinic.sessions.group_by("system_id").agg(pl.col("satisfaction").mean()).sort("system_id").collect()
    assert sk.score(clinic, "column(satisfaction)")["value"].to_list() == pytest.approx(means["satisfaction"].to_list())
    of_users = sk.score(clinic, "column(skill)", per="session").sort("session_id")["value"]
    joined = clinic.sessions.join(clinic.users, on="user_id").sort("session_id").select("skill").collect()["skill"]
    assert of_users.to_list() == joined.to_list()


@pytest.mark.parametrize(
    ("measure", "says"),
    [
        ("column(satisfacton)", "no column 'satisfacton' .* mean 'satisfaction'"),
        ("column", "needs the name of a column"),
        ("column(a b)", 'in double quotes, such as column\\("Years of use"\\)'),
        ("column(system_id)", "system_id is not numeric: 120 of 120 .* 'S1'"),
        ("column(satisfaction)@10", "takes no cutoff"),
        ("mean(column(satisfaction))", "mean takes a measure of queries"),
    ],
)
def test_what_is_no_column_of_numbers_is_said(clinic, measure, says):
    with pytest.raises(sk.SessionkitError, match=says):
        sk.compare(clinic, measure)


def test_judgments_cannot_change_a_column(clinic):
    for verb in (sk.judgment_loss, sk.judge_noise):
        with pytest.raises(MeasureError, match="reads no judgments"):
            verb(clinic, "column(satisfaction)")


def test_the_name_of_a_column_may_be_anything(clinic):
    name = 'Years, "used" (b)'
    sessions = clinic.sessions.with_columns(pl.lit(3).alias(name))
    study = clinic.with_tables(sessions=sessions)
    measure = sk.column(name)
    assert str(measure) == 'column("Years, ""used"" (b)")'
    assert sk.parse_measure(str(measure)) == measure
    assert sk.score(study, str(measure))["value"].to_list() == [3.0, 3.0]


@pytest.mark.filterwarnings("ignore:.*as equal numbers stay together")
@given(st.lists(st.integers(0, 12), min_size=2, max_size=60), st.integers(2, 9))
def test_numbers_are_cut_into_groups_in_order_that_part_no_equals(values, cut):
    column = pl.Series("group", [str(value) for value in values])
    if len(set(values)) == 1:
        with pytest.raises(sk.UsageError, match="cannot be cut"):
            _cut(column, "age", cut)
        return
    try:
        names = _cut(column, "age", cut).to_list()
    except sk.UsageError:
        assert len(set(values)) < cut  # one number stands for most of the sessions
        return
    of = dict(zip(values, names, strict=True))
    assert [of[value] for value in values] == names
    order = [of[value] for value in sorted(of)]
    assert order == sorted(order, key=in_natural_order(order).index)
    for name in set(names):
        inside = [value for value, own in of.items() if own == name]
        assert name == (f"{min(inside)} to {max(inside)}" if len({*inside}) > 1 else str(inside[0]))


def test_different_numbers_are_cut_into_groups_of_one_size():
    names = _cut(pl.Series("group", range(30)), "age", 3).value_counts()
    assert names["count"].to_list() == [10, 10, 10]
    assert _cut(pl.Series("group", [-2.5, 7]), "age", 2).to_list() == ["-2.5", "7"]


def test_a_column_of_numbers_is_compared_by_groups(clinic):
    found = sk.compare(clinic, "nsDCG@10", "years_internet", cut=2)
    users = clinic.users.select("user_id", "years_internet").collect()
    low, high = (found.table.item(0, side) for side in ("a", "b"))
    edge = float(low.rpartition(" to ")[2])
    assert low == f"{users['years_internet'].min():g} to {edge:g}"
    split = users.with_columns(half=pl.when(pl.col("years_internet") <= edge).then(pl.lit(low)).otherwise(pl.lit(high)))
    by_hand = clinic.with_tables(users=clinic.users.join(split.select("user_id", "half").lazy(), on="user_id"))
    assert found.table.equals(sk.compare(by_hand, "nsDCG@10", "half").table)
    with pytest.raises(sk.UsageError, match=r"cut=3 of compare .* correlate"):
        sk.compare(clinic.with_tables(sessions=clinic.sessions.with_columns(n=pl.int_range(pl.len()))), "nsDCG@10", "n")
    for cut, by, says in ((1, "skill", "from 2 to 9"), (2, "topic_id", "is for numbers")):
        with pytest.raises(sk.UsageError, match=says):
            sk.compare(clinic, "nsDCG@10", by, cut=cut)


def test_groups_by_what_came_of_sessions_are_no_conditions(clinic):
    declared = replace(clinic, settings=replace(clinic.settings, better={"satisfaction": "higher", "skill": "higher"}))
    bare = replace(clinic, settings=replace(clinic.settings, better={}))
    found = partial(sk.compare, measures="Queries", by="satisfaction", cut=2)
    for finding in (found(declared), found(declared, population="users,topics")):
        values = only_values(finding, "not_assigned")
        assert (values["column"], values["what"]) == ("satisfaction", "ratings")
    for finding in (found(bare), sk.compare(declared, "Queries", "skill", cut=2)):
        assert not finding.of_kind("not_assigned")


def test_numbers_that_are_too_equal_make_fewer_groups_and_that_is_said(clinic):
    with pytest.warns(sk.DataWarning, match=r"by=skill .* 4 groups, not 9"):
        found = sk.compare(clinic, "nsDCG@10", "skill", cut=9, test="welch")
    assert found.table.height == 6


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (partial(sk.compare, measures="Queries", by="system_id,topic_id"), "several columns, and groups"),
        (partial(sk.compare, measures="Queries", population="users,topics", random=5), "names of factors, .* not 5"),
        (partial(sk.compare, measures="Queries", population="users,topics", draws=99), "draws nothing; leave out draws"),
    ],
)  # fmt: skip
def test_what_was_meant_is_said(clinic, ask, words):
    with pytest.raises(sk.UsageError, match=words):
        ask(clinic)


def test_a_column_of_lists_makes_no_groups():
    study = sk.from_tables(
        results={"session_id": list("ab"), "query_position": [1, 1], "rank": [1, 1], "doc_id": ["x", "y"]},
        sessions={"session_id": list("ab"), "tags": [["x"], ["y"]], "a,b": [1, 2]},
    )
    with pytest.raises(sk.UsageError, match=r"by=tags: .* holds lists"):
        sk.score(study, "Queries", by="tags")
    assert sk.score(study, "Queries", by=["a,b"])["a,b"].to_list() == [1, 2]  # of a list each is a name


@pytest.mark.parametrize("by", [["system_id"], ["system_id", "topic_id"], None, 5])
@pytest.mark.parametrize(
    "verb",
    [
        sk.compare,
        lambda study, measure, by: sk.sweep(study, measure, vary={"b": [2, 4]}, by=by),
        lambda study, measure, by: sk.power(study, measure, difference=0.1, by=by),
        sk.judgment_loss,
        sk.judge_noise,
    ],
)
def test_groups_are_made_by_one_column(verb, by):
    with pytest.raises(sk.UsageError, match=r"by takes one column .* not "):
        verb(read_clinic(), "nsDCG@10", by=by)


def test_sessions_are_not_chosen_by_what_is_compared():
    scores = sk.score(read_clinic(), "nsDCG@10", per="session")
    with pytest.raises(sk.UsageError, match="there is no column 'value'"):
        sk.compare(scores, "nsDCG@10", where="value > 0.3")


YEARS = [9, 9, 9, 10, 10, 10]


@pytest.mark.parametrize("column", [YEARS, [str(year) for year in YEARS], [year + 0.25 for year in YEARS]])
def test_groups_stand_in_the_order_of_numbers(column):
    table = pl.DataFrame(
        {"session_id": list("abcdef"), "user_id": list("uvwuvw"), "years": column, "measure": "m", "value": [1.0, 2, 3, 3, 5, 7]}
    )  # fmt: skip
    row = sk.compare(table, by="years").table.row(0, named=True)
    assert (row["a"], row["b"]) == (str(column[0]), str(column[-1]))
    assert row["estimate"] == 3  # 2, 3 and 4: of ten years less of nine


@pytest.mark.parametrize("test", [None, "randomization"])
def test_the_tests_of_groups_do_not_hang_on_their_names(test):
    """Names in the order of numbers and the same groups under names in the order of text."""
    rng = np.random.default_rng(4)
    numbers, names = ("2", "10", "100"), ("a", "b", "c")
    rows = [(f"{user}{place}", f"u{user}", place, rng.normal() + place) for user in range(9) for place in range(3)]
    tables = [
        sk.compare(
            pl.DataFrame(
                [(session, user, each[place], "m", value) for session, user, place, value in rows],
                schema=["session_id", "user_id", "system_id", "measure", "value"],
                orient="row",
            ),
            test=test,
        )
        for each in (numbers, names)
    ]
    for ours, theirs in zip(*(found.table.rows(named=True) for found in tables), strict=True):
        assert [names[numbers.index(ours[side])] for side in "ab"] == [theirs[side] for side in "ab"]
        assert {**ours, "a": "", "b": ""} == {**theirs, "a": "", "b": ""}
    letters = [found.paper_table().rows for found in tables]
    assert [row[0] for row in letters[0]] == ["a", "b", "c"]
    assert [row[1] for row in letters[0]] == [*numbers]


def test_a_column_that_is_not_there_is_answered_by_those_of_the_file():
    wide = sk.score(read_clinic(), ["nsDCG@10", "Queries"], per="session", wide=True)
    with pytest.raises(sk.UsageError) as error:
        sk.compare(wide, "nsDCG@10", by="skil")
    listed = str(error.value).split("choose from ")[1].split("; did you mean")[0].split(", ")
    assert listed == [name for name in wide.columns if name not in ("session_id", "nsDCG@10")]
    assert "did you mean 'skill'" in str(error.value)


def scores(values, users, groups):
    return pl.DataFrame(
        {
            "session_id": [f"s{number:03}" for number in range(len(values))],
            "user_id": users,
            "system_id": groups,
            "measure": "m",
            "value": values,
        }
    )


def row(found, group):
    return found.groups.row(by_predicate=pl.col("system_id") == group, named=True)


def test_one_session_of_each_user_is_students_interval():
    rng = np.random.default_rng(3)
    values = rng.normal(size=24)
    groups = ["A"] * 12 + ["B"] * 12
    found = sk.compare(scores(values, [f"u{n}" for n in range(24)], groups), confidence=0.9)
    for group, part in (("A", values[:12]), ("B", values[12:])):
        made = row(found, group)
        low, high = stats.t.interval(0.9, 11, part.mean(), stats.sem(part))
        assert (made["sessions"], made["units"]) == (12, 12)
        assert made["mean"] == pytest.approx(part.mean())
        assert (made["low"], made["high"]) == pytest.approx((low, high))
        assert made["sd"] == pytest.approx(part.std(ddof=1))


def test_several_sessions_of_a_user_count_as_one_unit():
    # user u: 1 and 3, user v: 4; mean 8/3, residuals -5/3 + 1/3 = -4/3 and 4/3; error sqrt(2 * 32/9) / 3
    found = sk.compare(scores([1.0, 3.0, 4.0, 0.0, 1.0], list("uuvuv"), list("AAABB")), confidence=0.95)
    made = row(found, "A")
    error = math.sqrt(2 * 32 / 9) / 3
    reach = 12.706204736 * error  # t of 1 degree of freedom
    assert (made["sessions"], made["units"]) == (3, 2)
    assert (made["low"], made["high"]) == pytest.approx((8 / 3 - reach, 8 / 3 + reach))
    assert made["sd"] == pytest.approx(math.sqrt(((1 - 8 / 3) ** 2 + (3 - 8 / 3) ** 2 + (4 - 8 / 3) ** 2) / 2))


def test_undefined_values_are_left_out_and_one_unit_has_no_interval():
    values = [1.0, None, 2.0, 5.0, 6.0]
    found = sk.compare(scores(values, [None] * 5, list("AAABB")).with_columns(user_id=pl.lit(None, pl.String)))
    assert row(found, "A")["sessions"] == 2
    one = sk.compare(scores([1.0, 3.0, 2.0], ["u", "u", "v"], list("AAB")))
    assert (row(one, "A")["low"], row(one, "A")["units"], row(one, "B")["sd"]) == (None, 1, None)


def test_levels_have_groups_of_their_own():
    table = scores([1.0, 2.0, 3.0, 5.0, 2.0, 2.5, 3.5, 9.0], list("uvuvuvuv"), list("AABBAABB"))
    table = table.with_columns(topic_id=pl.Series(["t1"] * 4 + ["t2"] * 4))
    found = sk.compare(table, within="topic_id")
    assert found.groups.columns == ["topic_id", *("system_id" if name == "group" else name for name in GROUPS)]
    assert found.groups.select("topic_id", "system_id", "mean").rows() == [
        ("t1", "A", 1.5), ("t1", "B", 4.0), ("t2", "A", 2.25), ("t2", "B", 6.25),
    ]  # fmt: skip


def test_the_pooled_sd_of_a_pair_is_that_of_two_samples():
    a, b = [1.0, 2.0, 4.0], [0.0, 5.0]
    table = scores([*a, *b], list("uvwxy"), list("AAABB"))
    (sd,) = sk.compare(table).table["sd"]
    t = stats.ttest_ind(b, a)
    assert (np.mean(b) - np.mean(a)) / t.statistic == pytest.approx(sd * math.sqrt(1 / 3 + 1 / 2))
    single = sk.compare(scores([1.0, 3.0], list("uu"), list("AB"))).table
    assert single["sd"].to_list() == [None]


@pytest.mark.parametrize("column", ["free", "squares", "a", "b"])
def test_the_pooled_spread_does_not_depend_on_what_the_column_of_groups_is_called(column):
    made = scores([0.0, 2.0, 1.0, 5.0], ["u1", "u2", "u3", "u4"], ["A", "A", "B", "B"])
    found = sk.compare(made.rename({"system_id": column}), by=column, draws=200)
    assert found.table["sd"].to_list() == pytest.approx(
        [math.sqrt((2 + 8) / 2)]
    )  # squares 1 + 1 and 4 + 4, two degrees


def test_levels_and_groups_stand_in_columns_of_their_own_whatever_they_are_called():
    values = [float(number % 7) for number in range(36)]
    made = scores(values, [f"u{number}" for number in range(36)], ["A", "B", "C"] * 12)
    made = made.with_columns(group=pl.Series(["x"] * 18 + ["y"] * 18))
    table = sk.compare(made, within="group", draws=200).paper_table()
    assert [(row[0], row[2]) for row in table.rows] == [(level, group) for level in "xy" for group in "ABC"]
    with pytest.raises(sk.UsageError, match="within=pair"):
        sk.compare(made.rename({"group": "pair"}), within="pair", draws=200)
