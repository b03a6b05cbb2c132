"""The effort-gain chart: its axis, its points, what it refuses."""

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.charts import effort_gain
from sessionkit.errors import UsageError
from tests.support.clinic import read_clinic


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
    assert [[row["label"] for row in rows] for _, rows in names] == [["S2", "S1"], ["S2", "S1"]]  # 56 and 53 of 60
    spec = effort_gain(found).to_dict()["layer"][1]["encoding"]
    assert (spec["x"]["axis"]["title"], spec["y"]["axis"]["title"]) == (
        "Results looked at",
        "Share that gained 3 or more",
    )
    assert spec["y"]["scale"] == {"domain": [0, 1]}
    by_query = effort_gain(found.spent, along="queries").to_dict()["layer"][1]["encoding"]
    assert (by_query["x"]["axis"]["title"], by_query["y"]["axis"]["title"]) == (
        "Queries asked",
        "Share that gained so much",
    )


def test_what_it_refuses(found):
    with pytest.raises(UsageError, match="no minutes are known of any session"):
        effort_gain(found.spent.filter(pl.col("along") != "minutes"), along="minutes")
    with pytest.raises(
        UsageError, match="along must be one of results, queries, minutes, not 'result'; did you mean 'results'"
    ):
        effort_gain(found, along="result")
    with pytest.raises(UsageError, match="needs the column along"):
        effort_gain(found.reach)
    with pytest.raises(UsageError, match=r"draws what sessionkit\.effort returns, not a Comparison"):
        effort_gain(sk.compare(read_clinic(), "nsDCG@10"))
