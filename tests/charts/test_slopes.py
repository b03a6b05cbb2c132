"""Slopes: a line for each unit, counted by where it goes."""

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.charts import slopes, spec_of
from sessionkit.errors import UsageError
from tests.support.messages import match_parts


def found(values=((1.0, 2.0), (2.0, 1.0), (3.0, 3.0), (1.0, 4.0)), groups="AB", **options):
    rows = [
        (f"s{user}{group}", f"u{user}", group, value)
        for user, own in enumerate(values)
        for group, value in zip(groups, own, strict=True)
    ]
    table = pl.DataFrame(rows, schema=["session_id", "user_id", "system_id", "value"], orient="row")
    return sk.compare(table.with_columns(measure=pl.lit("m")), **options)


def rows_of(chart):
    return {frozenset(rows[0]): rows for rows in spec_of(chart)["datasets"].values()}


def test_each_user_is_a_line_and_the_thick_one_joins_the_means():
    data = rows_of(slopes(found()))
    lines = next(rows for names, rows in data.items() if "unit" in names)
    assert {(row["unit"], row["side"]): row["value"] for row in lines}["u3", "B"] == 4.0
    assert {row["unit"]: row["moved"] for row in lines} == {
        "u0": "higher",
        "u1": "lower",
        "u2": "equal",
        "u3": "higher",
    }
    means = next(rows for names, rows in data.items() if "unit" not in names)
    assert [(row["side"], row["value"]) for row in means] == [("A", 7 / 4), ("B", 10 / 4)]
    assert "title" not in spec_of(slopes(found()))


def test_what_cannot_be_joined_is_refused():
    with pytest.raises(UsageError, match=match_parts("two groups", "3 are compared: A, B, C", "choose two")):
        slopes(found(((1.0, 2.0, 3.0), (2.0, 1.0, 4.0)), "ABC"))
    with pytest.raises(UsageError, match="its measures: m"):
        slopes(found(), "n")
    with pytest.raises(UsageError, match=r"sessionkit\.compare"):
        slopes(found().table)
    table = pl.DataFrame(
        {"session_id": list("abcd"), "system_id": list("AABB"), "measure": "m", "value": [1.0, 2.0, 3.0, 5.0]}
    )
    with pytest.raises(UsageError, match=match_parts("no unit", "value of m", "both groups")):
        slopes(sk.compare(table))


def test_the_axis_says_that_values_are_adjusted_for_topics():
    from tests.statistics.layouts import crossing, simulated

    comparison = sk.compare(crossing(simulated(1)[:, 0]))
    assert "adjusted for topics" in str(spec_of(slopes(comparison))["layer"][0]["encoding"]["y"]["axis"]["title"])


@pytest.mark.parametrize(("units", "opacity"), [(60, 1.0), (61, 0.35)])
def test_many_lines_are_fainter(units, opacity):
    chart = slopes(found(tuple((1.0, 2.0 + unit % 3) for unit in range(units))))
    assert spec_of(chart)["layer"][0]["mark"]["opacity"] == opacity
