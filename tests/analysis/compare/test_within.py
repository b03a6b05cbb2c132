"""Groups compared within each value of a column: as if each were compared alone, with all p-values corrected together."""

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import UsageError
from tests.support.clinic import read_clinic

LEVELS = list("ABCD")


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


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
    assert (
        found.claim
        == f"users like these {least} to {most} users, searching these 4 topics, in each of these 4 values of skill by itself"
    )
    topics = sk.compare(clinic, "nsDCG@10", within="topic_id").claim
    assert topics == "users like these 30 users, in each of these 4 topics by itself"
    one = sk.compare(clinic, "nsDCG@10", within="topic_id", where="topic_id = 'A'").claim
    assert one == "users like these 30 users, searching this 1 topic"


def test_of_scores_as_of_a_study(clinic):
    scores = sk.score(clinic, "nsDCG@10", per="session", wide=True)
    of_scores = sk.compare(scores, "nsDCG@10", within="topic_id")
    assert of_scores.table.equals(sk.compare(clinic, "nsDCG@10", within="topic_id").table)


def test_seven_groups_within_two_values_have_letters_by_value():
    rows = [(f"{system}{user}{half}", f"u{user}", system, half, number + user / 10 + (user * number) % 3 / 7)
            for number, system in enumerate("ABCDEFG") for user in range(4) for half in ("am", "pm")]  # fmt: skip
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
    assert "left out sessions without half (6)" in found.notes
    lost = frame.with_columns(system_id=pl.when(pl.col("value") > 0).then("system_id"), measure=pl.lit("gain"))
    assert "left out sessions without system_id (5)" in sk.compare(lost, within="half").notes
    assert "left out sessions of a half that lacks a group (3)" in found.notes


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"within": "colour"}, "within=colour: no such column"),
        ({"within": "measure"}, "the tables already have a column of that name"),
        ({"within": "system_id"}, "within=system_id is the column that makes the groups"),
        ({"within": "started_at"}, "no value of it has sessions of both groups of system_id"),
        ({"within": "topic_id", "population": "users,topics"}, "one mixed model, which has no within=topic_id"),
        ({"within": "topic_id", "population": "topics"}, "population=topics"),
    ],
)
def test_what_cannot_be_asked_for(clinic, options, words):
    with pytest.raises(UsageError, match=words):
        sk.compare(clinic, "nsDCG@10", **options)


def test_values_of_which_each_has_another_design_are_refused():
    rows = [(f"p{system}{user}", f"u{user}", system, "paired", user * 1.0) for system in "AB" for user in range(4)]
    rows += [
        (f"a{system}{user}", f"{system}{user}", system, "apart", user * 1.0) for system in "AB" for user in range(4)
    ]
    frame = pl.DataFrame(rows, schema=["session_id", "user_id", "system_id", "half", "value"], orient="row")
    lists = frame.with_columns(half=pl.concat_list("half"), measure=pl.lit("gain"))
    for options in ({"within": "half"}, {"by": "half"}):
        with pytest.raises(UsageError, match="=half: the column holds lists"):
            sk.compare(lists, **options)
    with pytest.raises(
        UsageError, match=r"different designs.* apart: independent \(Welch's t\); paired: paired by user \(paired t\)"
    ):
        sk.compare(frame.with_columns(measure=pl.lit("gain")), within="half")
