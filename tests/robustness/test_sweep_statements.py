"""What a sweep says: its kinds, and that the values are those of its tables."""

from functools import cache

import polars as pl
import pytest

import sessionkit as sk
from tests.robustness.sweep_logs import log, toy
from tests.robustness.test_sweep_verdicts import contrary
from tests.support.statements import check_sessions, require_golden, require_noticed

pytestmark = [pytest.mark.filterwarnings("ignore:.* looks deeper than was observed")]


def unnamed():
    """Two systems, one session without a system."""
    _, _, two = log()
    named = pl.when(pl.col("session_id") != "s0-0-A").then(pl.col("system_id"))
    return two.with_tables(sessions=two.sessions.with_columns(system_id=named))


@cache
def findings():
    """A tested sweep of some sessions, three systems in order, verdicts that end, ties, one group, too many, and doubts."""
    _, _, two = log()
    _, _, three = log(seed=11, systems=("A", "B", "C"))
    _, _, small = log(users=2, topics=1)
    _, _, one = log(users=2, topics=1, systems=("A",))
    _, _, many = log(users=1, topics=1, systems=tuple(f"r{n:02}" for n in range(21)))
    return [
        sk.sweep(two, "sDCG@5", {"b": [1.5, 4], "gain": "linear,exp2"}, where="topic_id <> 't2'"),
        sk.sweep(three, "sDCG@5", {"b": [1.3, 2, 9], "bq": [1.3, 4]}, test="none"),
        sk.sweep(unnamed(), "nsDCG@5", {"ideal": "repeated,once", "cutoff": [3, 5]}),
        sk.sweep(small, "nsDCG(gain=binary)@5", {"min_grade": [1, 9]}, test="none"),
        sk.sweep(toy(1), "sDCG@10", {"b": [1.5, 4]}, test="none"),
        sk.sweep(toy(1, grade=1, last=1), "sDCG@10", {"b": [2, 4]}),
        sk.sweep(one, "sDCG@5", {"b": [2, 4]}),
        sk.sweep(many, "sDCG@5", {"b": [2, 4]}),
        sk.sweep(contrary(), "sDCG@5", {"b": [2, 2.1]}, test="sign"),
    ]


def check(finding, statement):  # noqa: C901, PLR0912, PLR0915 - a case for each kind
    """Assert that the values of a statement are those of the tables."""
    values, table, means = statement.values, finding.table, finding.means
    (base,) = table.filter("base").rows(named=True)
    at_base = means.filter(setting=base["setting"])
    varied = finding.parameters["parameter"].to_list()
    outcomes = table["outcome"].to_list()
    sums = means.group_by("setting").agg(pl.col("undefined").sum())["undefined"]
    if "level" in values and statement.kind != "left_out":
        assert (values["level"], values["measure"]) == (None, None)
    match statement.kind:
        case "grid":
            assert (values["measure"], values["by"], values["settings"]) == (finding.measure, finding.by, len(table))
            parameters = finding.parameters.select("parameter", "values").rows()
            assert values["parameters"] == {name: texts.split(", ") for name, texts in parameters}
            assert [values[name] for name in ("refused", "undefined")] == [
                *map(outcomes.count, ("refused", "undefined"))
            ]
        case "added":
            added = finding.parameters.filter("added").select("parameter", "base").rows()
            assert (values["measure"], values["parameters"]) == (finding.measure, dict(added))
        case "design":
            assert (values["design"], values["test"]) == (finding.design, finding.test)
        case "claim":
            assert (values["claim"], values["population"]) == (finding.claim, finding.population)
        case "not_tested":
            assert (values["groups"], values["most"]) == (len(finding.groups), 20)
        case "base":
            names = ("leader", "following", "raw_difference", "relative", "estimate", "low", "high", "p_adjusted")
            assert {name: values[name] for name in names} == {name: base[name] for name in names}
            settings = finding.parameters.select("parameter", "base").rows()
            assert values["at"] == ", ".join(f"{name}={value}" for name, value in settings)
            rows = {row[finding.by]: row for row in at_base.iter_rows(named=True)}
            for name in ("leader", "following"):
                assert (values[f"mean_{name}"], values[f"n_{name}"]) == (
                    rows[base[name]]["value"],
                    rows[base[name]]["n"],
                )
            assert values["direction"] == "higher"
            assert values["confidence"] == confidence_of(finding)
            n_pairs = len(finding.groups) * (len(finding.groups) - 1) // 2
            corrected = (finding.correction, n_pairs, False) if finding.test else (None, None, None)
            assert tuple(values[name] for name in ("correction", "tests", "at_once")) == corrected
            expected = {None: None, True: "shown", False: "not shown"}[base["significant"]]
            untested, doubted = finding.test and base["p_adjusted"] is None, finding.of_kind("contrary")
            assert values["verdict"] == ("not tested" if untested else "no verdict" if doubted else expected)
            reason = no_verdict() if doubted else None
            assert values["reason"] == (base["note"] if untested else reason)
            if values["detectable"] is not None:
                study, where = (unnamed(), None) if finding.measure == "nsDCG@5" else (log()[2], "topic_id <> 't2'")
                row = sk.compare(study, finding.measure, where=where).table.row(0, named=True)
                assert values["detectable"] == pytest.approx(row["detectable"])
        case "no_conclusion":
            settings = finding.parameters.select("parameter", "base").rows()
            assert values["at"] == ", ".join(f"{name}={value}" for name, value in settings)
            reasons = {"tied": "tied", "undefined": "one group" if len(finding.groups) == 1 else "no value"}
            assert values["reason"] == reasons[base["outcome"]]
            shown = at_base.drop_nulls("value")
            assert values["mean"] in shown["value"]
            assert values["n"] == dict(shown.select(finding.by, "n").rows())
            ends = (means["value"].min(), means["value"].max()) if values["reason"] == "one group" else (None, None)
            assert (values["low"], values["high"]) == ends
        case "leaders":
            leading = table.drop_nulls("leader").group_by("leader", maintain_order=True)
            groups = [
                {
                    "leader": name,
                    "settings": len(rows),
                    **{f"relative_{end}": getattr(rows["relative"], how)() for end, how in ENDS},
                    **{f"p_{end}": getattr(rows["p_adjusted"], how)() for end, how in ENDS},
                    "significant": None if rows["p_adjusted"].is_null().all() else rows["significant"].sum(),
                }
                for (name,), rows in leading
            ]
            assert values["groups"] == sorted(groups, key=lambda group: group["leader"])
            assert (values["tied"], values["settings"]) == (outcomes.count("tied"), len(table))
            assert (values["confidence"], values["direction"]) == (confidence_of(finding), "higher")
        case "conclusion":
            (region,) = finding.regions.filter(conclusion=values["conclusion"]).rows(named=True)
            names = ("settings", "known", "holds", "connected")
            assert {name: values[name] for name in names} == {name: region[name] for name in names}
            assert (values["leader"], values["following"]) == (base["leader"], base["following"])
            is_verdict = values["conclusion"] == "verdict"
            assert values["confidence"] == (finding.confidence if is_verdict else None)
            assert values["verdict"] == (verdict_of(base, finding) if is_verdict else None)
            ranges = finding.ranges.filter(conclusion=values["conclusion"])
            rows = ranges.select("parameter", "ends_below", "ends_above", "fails_at").to_dicts()
            expected = [{**row, "fails_at": row["fails_at"].split(", ") if row["fails_at"] else []} for row in rows]
            assert values["ranges"] == expected
        case "scope":
            assert (finding.regions["holds"] == finding.regions["known"]).any()
        case "nearest":
            (row,) = finding.nearest.filter(conclusion=values["conclusion"]).rows(named=True)
            names = ("leader", "raw_difference", "p_adjusted")
            assert {name: values[name] for name in names} == {name: row[name] for name in names}
            changed = [each for each in row["at"].split(", ") if each not in base_texts(finding)]
            assert values["at"] == ", ".join(changed)
            still = [each for each in row["still_at"].split(", ") if each not in base_texts(finding)]
            assert values["still_at"] == (", ".join(still) or None)
            assert values["tied"] == (["A", "B"] if row["leader"] is None else [])
            assert values["metric"] == (finding.metric if row == finding.nearest.row(0, named=True) else None)
            assert values["significant"] is None
        case "order":
            tau = table["tau"].drop_nulls()
            assert (values["low"], values["high"], values["settings"]) == (tau.min(), tau.max(), len(tau))
            assert values["groups"] == len(finding.groups)
            assert values["same"] == (tau > 1 - 1e-9).sum()
        case "caution":
            assert finding.test
            assert values["settings"] == len(table)
        case "left_out":
            of_test = {
                "pairs of user and topic with a missing or undefined value",
                "users without a value for every group",
            }
            assert values["measure"] is None
            if values["level"] is None:
                assert values["counts"] == {"sessions without system_id": 1}
            else:
                assert values["level"] == "base setting, of the test"
                assert {*values["counts"]} < of_test
                assert {*values["counts"].values()} == {1}
        case "without_value":
            assert (values["low"], values["high"]) == (sums.min(), sums.max())
        case "scale":
            assert (values["parameters"], values["of"]) == (
                [name for name in varied if name != "cutoff"],
                finding.measure,
            )
        case "unbounded":
            assert values["settings"] == table.filter(ideal="once").height
            assert values["of"] == table.filter(ideal="once")["measure"].first()
        case "contrary":
            assert values["settings"] == table["note"].str.contains("differ in sign").sum()
        case "sessions":
            check_sessions(finding, statement, 24, 36)


ENDS = (("low", "min"), ("high", "max"))


def confidence_of(finding):
    """The confidence of the tests of a sweep; None where it made none."""
    return finding.confidence if finding.test else None


def verdict_of(base, finding):
    """What the test shows at the base setting, by its row."""
    if base["p_adjusted"] > 1 - finding.confidence:
        return "not shown"
    return "shown" if base["significant"] else "no verdict"


def no_verdict():
    """Why a comparison gives no verdict on the contrary study: as a value of its statement."""
    values = sk.compare(contrary(), "sDCG@5", test="sign").of_kind("difference")[0].values["no_verdict"]
    units = f"{values['n']} of {values['total']} {values['unit']}s have a value for both groups"
    return f"No verdict: {units}; a verdict needs at least {values['least_pairs']} pairs"


def base_texts(finding):
    """The values of the base setting, as text."""
    return [f"{name}={value}" for name, value in finding.parameters.select("parameter", "base").rows()]


def test_says_every_kind():
    require_golden("sweep", findings())


def test_values_are_those_of_the_tables():
    for finding in findings():
        require_noticed(check, finding)
