"""What correlations say: its kinds, and that the values are those of its tables."""

from functools import cache

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.statistics import correlation_matrices
from sessionkit.statistics.distributions import WHY_UNITS
from tests.statistics.test_correlate import MANY, made, numbers
from tests.support.statements import require_golden, require_noticed

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
MEASURES = ["sDCG@1", "Queries", "mean(DCG@1)"]
TOLD = ("measure", "value", "low", "high", "p", "p_is_bound", "n")
COMPARED = ("first", "second", "value_first", "value_second", "estimate", "low", "high", "p", "p_is_bound")


@cache
def findings():
    """Sessions and users as units; ratings that go with measures and that do not, of users, held constant, and constant."""
    gains = numbers(made(), "sDCG@1")
    alike = [float(gain) + number % 3 / 4 for number, gain in enumerate(gains)]
    constants = {f"same{number}": [number] * MANY for number in range(6)}
    independent = made(alike=alike, **constants)
    eight = [f"u{number % 8}" for number in range(MANY)]
    of_users = made(eight, alike=alike, age=[None, *(number % 8 for number in range(1, MANY))])
    users = of_users.sessions.select("user_id", "age").drop_nulls().unique("user_id").with_columns(pl.col("age"))
    of_users = of_users.with_tables(sessions=of_users.sessions.drop("age"), users=users)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(correlation_matrices, "MOST_PAIRED", 10)
        linear = sk.correlate(of_users, MEASURES[:2], ["alike", "age"], coefficients="kendall", draws=200)
    return [
        sk.correlate(
            independent, MEASURES, ["alike", "performance", *constants], where="queries >= 1", coefficients="pearson"
        ),
        sk.correlate(independent, MEASURES[0], "performance", control="Queries", coefficients="kendall", draws=200),
        sk.correlate(of_users, MEASURES, "alike", coefficients="pearson", draws=200, confidence=0.9),
        linear,
    ]


def rows_of(frame, values):
    """The rows of a table about a covariate by a coefficient, with an interval."""
    rows = frame.filter(covariate=values["covariate"], coefficient=values["coefficient"]).drop_nulls("low")
    assert len(rows)
    return rows


def farthest(rows):
    """The end of an interval that is farthest from 0."""
    return max(map(abs, (*rows["low"], *rows["high"])))


def check(finding, statement):
    """Assert that the values of a statement are those of the tables."""
    values, table = statement.values, finding.table
    alpha = round(1 - finding.confidence, 12)
    if "control" in values:
        assert values["control"] == [*finding.control]
    match statement.kind:
        case "sessions":
            assert dict(values) == {"condition": finding.provenance.where, "sessions": MANY, "of": MANY}
        case "claim":
            assert (values["sessions"], values["users"]) == (MANY, 8 if finding.units == "users" else 0)
            assert values["population"] == finding.units
            assert values["population"] in WHY_UNITS.get(values["reason"], "")
        case "method":
            check_method(finding, values)
        case "correlation":
            rows = rows_of(table, values).filter(pl.col("p") <= alpha)
            ordered = rows.sort(pl.col("value").abs(), descending=True, maintain_order=True)
            assert values["correlations"] == ordered.head(4).select(TOLD).to_dicts()
            assert values["count"] == len(rows)
        case "not_shown":
            rows = rows_of(table, values)
            open_ = rows.filter(pl.col("p") > alpha)
            assert {*values["measures"]} == {*open_["measure"]}
            assert (values["count"], values["reach"]) == (len(rows), farthest(open_))
        case "difference":
            rows = rows_of(finding.differences, values).unique(["first", "second"], keep="first", maintain_order=True)
            shown = rows.filter(pl.col("p") <= alpha).sort("p", maintain_order=True)
            assert {values["test"]} == {*rows["test"]}
            assert (values["pairs"], values["count"]) == (len(rows), len(shown))
            told = rows if len(rows) == 1 else shown.head(4)
            assert values["differences"] == told.select(COMPARED).to_dicts()
            assert values["reach"] == farthest(rows)
        case _:
            check_rest(finding, statement, alpha)


def check_method(finding, values):
    """Assert that how intervals were made is what was asked for, and what the tables say."""
    table = finding.table
    kinds = {*table["interval"].drop_nulls()}
    drawn = not kinds <= {"Fisher z", "Bonett-Wright", "percentile bootstrap"} or finding.units == "users"
    expected = {
        "interval": "percentile bootstrap",
        "units": finding.units,
        "draws": finding.draws,
        "seed": finding.seed,
    }
    assert {name: values[name] for name in expected} == (expected if drawn else dict.fromkeys(expected))
    assert values["analytic"] == (not drawn)
    assert values["resampled"] == (["kendall"] if finding.control and not drawn else [])
    assert values["confidence"] == finding.confidence
    fewest = table.drop_nulls("value")["units"].min()
    assert values["few"] == (fewest if drawn and fewest < 10 else None)
    assert (values["dropped"], values["sessions"]) == (table["dropped"].max(), MANY)
    assert values["linear"] == any("linear" in kind for kind in kinds)
    assert values["of_users"] == (["age"] if "age" in finding.with_ else [])


def check_rest(finding, statement, alpha):
    """Assert that a statement about the numbers as a whole has the values of the tables."""
    values, table = statement.values, finding.table
    notes = table["note"].drop_nulls().unique(maintain_order=True).to_list()
    match statement.kind:
        case "same_draws":
            assert finding.units == "users"
            assert {*finding.differences["test"]} == {"bootstrap over users"}
            assert statement.text != finding.statements[-1].text
        case "not_tested":
            assert values["note"] in notes[:4]
            assert values["note"][1:] in statement.text
        case "more":
            assert dict(values) == {"count": len(notes) - 4, "what": "note", "verb": "correlate"}
        case "not_adjusted":
            tests = table["p"].count() + finding.differences["p"].count()
            assert (values["tests"], values["confidence"]) == (tests, finding.confidence)
            assert values["expected"] == pytest.approx(tests * alpha)
        case "not_held":
            assert finding.units == "users"
            assert values["factors"] == ["user"]
        case "caution":
            assert statement.text == finding.statements[-1].text


def test_says_every_kind():
    require_golden("correlate", findings())


def test_values_are_those_of_the_tables():
    for finding in findings():
        require_noticed(check, finding)
