"""What the tests of a breakdown say: its kinds, and that the values are those of its tables."""

from functools import cache

import polars as pl
import pytest
from scipy import optimize, stats

import sessionkit as sk
from sessionkit.scoring.measures.direction import MeasureDirection
from sessionkit.sessions.breakdown_tests import _verdict
from sessionkit.statistics.distributions import WHY_UNITS
from tests.sessions.test_breakdown_tests import made
from tests.support.statements import require_golden, require_noticed

PARTS, INTERVAL, TEST = ("part", "against"), ("low", "high"), ("statistic", "df", "p")
MEANS = ("value", "value_against", "estimate", "sessions", "left_out_single_query", "left_out_undefined")
EARLY = {"no_interval": (), "chosen": INTERVAL, "no_verdict": (*INTERVAL, *TEST), "difference": (*INTERVAL, *TEST)}


@cache
def findings():
    """Parts that differ, that do not, that differ by construction, by as much everywhere, and of too few sessions."""
    rising = [[0, 3], [1, 4, 2], [0, 2], [1, 3], [0, 4], [2, 3], [4, 1], [1]]
    level = [[1, 2], [2, 1], [3, 3], [0, 1], [1, 0], [2, 2], [1, 1], [2]]
    two_systems = made([*rising, *level], system_id=["A"] * 8 + ["B"] * 8)
    few = made([[1, 2], [2, 4], [0, 1], [1, 4], [1]], system_id=["A", "A", "A", "A", "B"])
    # the user with most sessions loses what all others gain
    unlike = made([[2, 1]] * 8 + [[1, 2], [0, 2], [1, 2], [0, 1], [2, 3], [1, 3]], [0] * 8 + [1, 2, 3, 4, 5, 6])
    constant = made([[0, 1], [1, 2], [0, 1], [2, 3], [0, 1], [3, 4]], range(6))
    return [
        sk.breakdown_tests(two_systems, "CG@1", "last,best", where="queries >= 1", draws=0),
        sk.breakdown_tests(two_systems, "E@1", "last-first", draws=0, confidence=0.9),
        sk.breakdown_tests(few, "CG@1", draws=0),
        sk.breakdown_tests(unlike, "CG@1", draws=200),
        sk.breakdown_tests(constant, "CG@1", draws=0),
    ]


def rows_of(finding, values):
    """The rows of the table about the comparison of a statement."""
    group = None if values["group"] == "all sessions" else values["group"]
    rows = finding.table.filter(pl.col("system_id").eq_missing(group), part=values["part"], against=values["against"])
    assert len(rows)
    return rows


def check(finding, statement):
    """Assert that the values of a statement are those of the table."""
    values, table = statement.values, finding.table
    match statement.kind:
        case "sessions":
            assert (values["condition"], values["sessions"], values["of"]) == (finding.provenance.where, 16, 16)
        case "claim":
            assert (values["measure"], values["population"]) == (finding.measure, finding.units)
            assert values["population"] in WHY_UNITS.get(values["reason"], "")
        case "not_adjusted":
            assert values["tests"] == len(table.filter(test="sessions").drop_nulls("p"))
        case "not_tested":
            (row,) = rows_of(finding, values).rows(named=True)
            assert row["estimate"] is None
            assert (values["units"], values["n"]) == (finding.units, row["sessions"])
        case "test_dependence":
            (row,) = rows_of(finding, values).filter(test=values["test"]).rows(named=True)
            assert all(row[name] == values[name] for name in ("estimate", "p", *INTERVAL))
            assert values["confidence"] == finding.confidence
            assert values["verdict"] == ("not shown" if row["low"] <= 0 <= row["high"] else "shown")
            (difference,) = [each for each in finding.of_kind("difference") if each.values["group"] == values["group"]]
            assert difference.values["verdict"] != values["verdict"]
        case kind if kind in EARLY:
            check_means(finding, statement)


def check_means(finding, statement):
    """Assert that a statement about two means has those of the test over the units, and the verdict of its interval."""
    kind, values = statement.kind, statement.values
    rows = rows_of(finding, values)
    row = rows.filter(test="user means" if finding.units == "users" else "sessions").row(0, named=True)
    assert all(row[name] == values[name] for name in (*MEANS, *EARLY[kind]))
    assert values["users"] == (row["users"] if finding.units == "users" else None)
    assert values.get("confidence", finding.confidence) == finding.confidence
    assert (row["low"] is None) == (kind == "no_interval")
    assert (row["p"] is None) == (kind in ("no_interval", "chosen"))
    if kind == "no_verdict":
        assert finding.no_verdict.filter(system_id=values["group"]).height
        assert (values["n"], values["total"]) == (row["sessions"], row["sessions"] + row["left_out_single_query"])
    if kind == "difference":
        assert finding.no_verdict.filter(pl.col("system_id").eq_missing(values["group"])).is_empty()
        higher = None if row["low"] <= 0 <= row["high"] else values["part" if row["low"] > 0 else "against"]
        assert values["verdict"] == ("shown" if higher else "not shown")
        assert values["higher"] == higher
        lower = {values["part"]: values["against"], values["against"]: values["part"], None: None}[higher]
        assert values["better"] == (lower if finding.measure == "E@1" else higher)
        df, critical = row["df"], stats.t.ppf(0.5 + finding.confidence / 2, row["df"])
        error = (row["high"] - row["low"]) / 2 / critical
        least = error * optimize.brentq(lambda nc: stats.nct.sf(critical, df, nc) - 0.8, 0, 10)
        assert values["detectable"] == pytest.approx(least)


def test_says_every_kind():
    require_golden("breakdown_tests", findings())


def test_values_are_those_of_the_table():
    for finding in findings():
        require_noticed(check, finding)


def test_a_measure_without_direction_has_higher_values_and_no_better_part():
    row = {"low": -0.3, "high": -0.1, "estimate": -0.2, "part": "last", "against": "first"}
    values, conclusion = _verdict(row, "the last query", "the first query", MeasureDirection("unknown"))
    assert values == {"verdict": "shown", "higher": "first", "better": None}
    assert conclusion.startswith("The last query has lower values")
