"""The effort-gain chart: its axis, its points, what it refuses."""

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.charts import effort_gain
from sessionkit.errors import UsageError
from tests.support.clinic import read_clinic
from tests.support.messages import match_parts


@pytest.fixture(scope="module")
def found():
    return sk.effort(read_clinic(), "sDCG(discount=none,query_discount=none)@10")


def test_it_draws_the_table_of_the_finding(found, datasets):
    _, (mark, lines), (_, points), *names = datasets(effort_gain(found))
    own = found.spent.filter(pl.col("along") == "results")
    assert mark == "line"
    assert [row["share"] for row in lines] == own.sort("system_id", "amount")["share"].to_list()
    assert len(points) <= 2 * 10
    assert points[0]["amount"] == 0
    assert [[row["label"] for row in rows] for _, rows in names] == [["S2", "S1"]]  # 56 and 53 of 60
    spec = effort_gain(found).to_dict()["layer"][1]["encoding"]
    assert (spec["x"]["axis"]["title"], spec["y"]["axis"]["title"]) == (
        "Results looked at",
        ["Share that gained 3 or more", "by sDCG(discount=none,", "query_discount=none)@10"],
    )
    assert spec["y"]["scale"] == {"domain": [0, 1]}
    by_query = effort_gain(found.spent, along="queries").to_dict()["layer"][1]["encoding"]
    assert (by_query["x"]["axis"]["title"], by_query["y"]["axis"]["title"]) == (
        "Queries asked",
        ["Share that gained so much"],
    )


def test_what_it_refuses(found):
    with pytest.raises(UsageError, match="no minutes are known"):
        effort_gain(found.spent.filter(pl.col("along") != "minutes"), along="minutes")
    accepted = match_parts("along", "results, queries, minutes", "not 'result'", "did you mean 'results'")
    with pytest.raises(UsageError, match=accepted):
        effort_gain(found, along="result")
    with pytest.raises(UsageError, match="needs the column along"):
        effort_gain(found.reach)
    with pytest.raises(UsageError, match=match_parts("sessionkit.effort", "not a Comparison")):
        effort_gain(sk.compare(read_clinic(), "nsDCG@10"))


def test_a_gain_that_was_not_asked_for_is_one_that_sessions_come_to():
    """No session gains by sRBP what one document of the highest grade gains without a discount."""
    found = sk.effort(read_clinic(), "sRBP(b=0.64,p=0.86)@10")
    last = (
        found.spent.filter(pl.col("along") == "results")
        .sort("amount")
        .group_by("system_id")
        .agg(pl.col("reached").last())
    )
    assert (last["reached"] > 0).all()
    assert found.gain_source.startswith("the mean that S1 ends with")
    subtitle = effort_gain(found, title="T", subtitle="S").title.subtitle
    assert subtitle == f"S; {found.gain:g} is {found.gain_source}"
    asked = sk.effort(read_clinic(), "sRBP(b=0.64,p=0.86)@10", gain=99)
    assert (asked.gain, asked.gain_source) == (99, None)
    assert asked.spent["reached"].max() == 0


def test_a_gain_that_is_reached_stays_that_of_a_document(found):
    assert found.gain == 3.0
    assert "document of the highest grade" in found.gain_source
    lists = sk.effort(read_clinic(), "RBP(p=0.5)@10")
    assert lists.spent.is_empty() or lists.spent["reached"].max() > 0
