"""What a mixed model says: its kinds, and that the values are those of its tables and of the sessions."""

from dataclasses import dataclass, field, replace
from functools import cache, partial

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.statistics import mixed_model
from tests.statistics.layouts import SYSTEM, by_topic, crossing
from tests.statistics.test_compare_statements import leads, noise, require_equal
from tests.support.clinic import read_clinic
from tests.support.statements import check_sessions, require_golden, require_noticed

MIXED = "users,topics"
ABOUT = {"level": None, "measure": None}


@dataclass
class Case:
    """A mixed model, the scores that it is of, and what no table of it holds: by kind the values of its statements."""

    finding: sk.MixedModel
    scores: pl.DataFrame
    by_hand: dict = field(default_factory=dict)


def reason(measure, code, *, value=None, groups=None, n=None, detail=None):
    """The values of a remark that something was not tested."""
    return {
        "level": None,
        "measure": measure,
        "reason": code,
        "groups": groups,
        "n": n,
        "value": value,
        "detail": detail,
    }


def crossed_measures():
    """A crossover: a measure with a difference, one without a variance, one that systems explain, one that half of the sessions lack."""
    found = crossing([0.2 * system + noise(number) for number, system in enumerate(SYSTEM)])
    half = crossing([noise(5 * number + 3) for number in range(120)], "E@5")
    half = half.with_columns(value=pl.when(pl.int_range(pl.len()) % 5 < 2).then("value"))
    table = pl.concat([found, half, crossing([0.5] * 120, "flat"), crossing(SYSTEM * 1.0, "exact")])
    table = table.with_columns(system_id=pl.when(pl.col("session_id") != "s007").then("system_id"))
    by_hand = {
        "not_tested": [reason("flat", "constant", value=0.5), reason("exact", "no variance", detail="the groups")],
        "left_out": [
            ABOUT | {"counts": {"sessions without system_id": 1}},
            {"level": None, "measure": "E@5", "counts": {"undefined sessions": 71}},
        ],
        "same_effect": [ABOUT | {"column": "system_id", "factor": "system_id:user_id"}],
    }
    finding = sk.compare(table, population=MIXED, correction="holm", where="session_order < 9")
    return Case(finding, table, by_hand)


def six_systems():
    """Six systems, each topic once with each, so that the interaction is in the residual."""
    values = [[noise(7 * topic + 3 * system) + 2.0 * (system == 2) for system in range(6)] for topic in range(6)]
    table = by_topic(values, "E@5")
    excluded = {"level": None, "measure": "E@5", "factor": "system_id:topic_id", "reason": "residual", "same_as": None}
    return Case(sk.compare(table, population=MIXED), table, {"not_in_model": [excluded]})


def by_rating():
    """Groups by a rating of the sessions, which nobody assigned; the fit is taken as not converged."""
    clinic = read_clinic()
    clinic = replace(clinic, settings=replace(clinic.settings, better={"satisfaction": "higher"}))
    fitted = mixed_model.fitted
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mixed_model, "fitted", lambda *given: replace(fitted(*given), converged=False))
        finding = sk.compare(clinic, "Queries", by="satisfaction", cut=2, population=MIXED)
    a, b = finding.table.row(0, named=True)["a"], finding.table.row(0, named=True)["b"]
    edge = float(b.partition(" ")[0])
    table = sk.score(clinic, "Queries", per="session").join(
        clinic.sessions.select("session_id", "satisfaction").collect(), on="session_id"
    )
    group = pl.when(pl.col("satisfaction") < edge).then(pl.lit(a)).otherwise(pl.lit(b))
    return Case(
        finding,
        table.with_columns(satisfaction=group),
        {
            "not_assigned": [ABOUT | {"column": "satisfaction", "what": "ratings"}],
            "same_effect": [ABOUT | {"column": "satisfaction", "factor": "satisfaction:user_id"}],
        },
    )


CASES = (crossed_measures, six_systems, by_rating)


@cache
def case(make):
    return make()


def check_difference(item, values):
    finding = item.finding
    of_pair = [values[name] for name in ("measure", "a", "b")]
    (row,) = (row for row in finding.table.rows(named=True) if [row["measure"], row["a"], row["b"]] == of_pair)
    names = ("estimate", "low", "high", "statistic", "df", "p", "p_adjusted", "se", "se_reml", "error_term")
    require_equal(values, {name: row[name] for name in names})
    require_equal(
        values, {"confidence": 0.95, "correction": finding.correction, "tests": len(finding.table), "level": None}
    )
    assert values["is_small_by_chance"] == (row["se"] < 0.75 * row["se_reml"])
    assert values["few_topics"] == (row["df"] < 5 and "topic_id" in row["error_term"])
    totals = item.scores.drop_nulls(finding.by).filter(measure=row["measure"])
    shares = [(row[f"n_{side}"] / len(totals.filter(pl.col(finding.by) == row[side])), side) for side in "ab"]
    share, side = min(shares)
    total = len(totals.filter(pl.col(finding.by) == row[side]))
    support = {"unit": "session", "n": row[f"n_{side}"], "total": total, "least_pairs": None, "least_share": 0.5}
    assert values["no_verdict"] == (support | {"without_single_queries": False} if share < 0.5 else None)
    if share < 0.5:
        verdict = "no verdict"
    elif row["p_adjusted"] <= 0.05:
        verdict = "shown"
    else:
        verdict = "not shown after correction" if finding.correction == "holm" and row["p"] <= 0.05 else "not shown"
    assert values["verdict"] == verdict
    ahead = leads(row["estimate"], values["measure"], values["a"], values["b"]) if verdict == "shown" else (None, None)
    assert (values["higher"], values["better"]) == ahead


def check_fit(finding, statement):
    """Assert that what is said of a fit is in the tables of components and of fits."""
    values = statement.values
    assert values["level"] is None
    components = [row for row in finding.components.rows(named=True) if row["measure"] == values["measure"]]
    (fit,) = (row for row in finding.fits.rows(named=True) if row["measure"] == values["measure"])
    match statement.kind:
        case "model":
            random = [row["component"] for row in components if row["component"] != "residual"]
            require_equal(values, {"by": finding.by, "random": random, "sessions": fit["sessions"]})
        case "variance":
            assert values["confidence"] == finding.confidence
            assert len(values["components"]) == len(components)
            for part, row in zip(values["components"], components, strict=True):
                high = None if row["high"] is None else row["high"] ** 0.5
                require_equal(
                    part,
                    {name: row[name] for name in ("component", "share", "sd")}
                    | {"low": row["low"] ** 0.5, "high": high},
                )
        case "singular":
            assert values["components"] == [row["component"] for row in components if row["variance"] == 0]
            assert fit["singular"]
        case "not_converged":
            assert not fit["converged"]


def check(item, finding, statement):
    """Assert that the values of a statement are those of the tables, the sessions, or worked out by hand."""
    values = statement.values
    match statement.kind:
        case "sessions":
            sessions = item.scores["session_id"].n_unique()
            check_sessions(finding, statement, sessions, sessions)
        case "claim":
            fit = max(finding.fits.rows(named=True), key=lambda row: row["sessions"])
            require_equal(values, {name: fit[name] for name in ("users", "topics", "sessions")})
            factors = {part for name in finding.components["component"] for part in name.split(":")}
            assert values["random"] == [name for name in ("users", "topics") if f"{name[:-1]}_id" in factors]
        case "difference":
            check_difference(item, values)
        case "model" | "variance" | "singular" | "not_converged":
            check_fit(finding, statement)
        case "more":
            assert dict(values) == {"count": len(finding.table) - 12, "what": "difference", "verb": "compare"}
            assert values["count"] > 0
        case "unadjusted_intervals":
            assert values["correction"] == finding.correction == "holm"
            assert len(finding.table) > 1
        case _:
            assert dict(values) in item.by_hand.get(statement.kind, [])


@pytest.mark.parametrize("make", CASES)
def test_values_are_those_of_the_tables(make):
    item = case(make)
    require_noticed(partial(check, item), item.finding)


def test_says_every_kind():
    require_golden("mixed_model", [case(make).finding for make in CASES])
