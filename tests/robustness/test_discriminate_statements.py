"""What discriminate says: its kinds, and that the values are those of its tables."""

from functools import cache

import polars as pl
import pytest

import sessionkit as sk
from tests.robustness.runs import runs
from tests.robustness.test_discriminative_power import copied_runs, untestable
from tests.support.statements import check_left_out, check_sessions, require_golden, require_noticed


@cache
def findings():
    """Runs by a joint test and one by one, two systems, copies of runs, groups that are too small, and a run left out."""
    study, results, judgments = runs(systems=4, topics=6)
    short = results.filter((pl.col("system_id") != "r3") | (pl.col("rank") < 3))
    cut = sk.from_tables(results=short, judgments=judgments)
    measures = ["mean(nDCG@10)", "mean(P@1)"]
    return [
        sk.discriminate(study, measures, draws=199),
        sk.discriminate(study, measures, test="sign", where="topic_id != 't0'"),
        sk.discriminate(runs(systems=2, topics=6)[0], measures, draws=199),
        sk.discriminate(copied_runs(3), "mean(nDCG@10)", draws=199),
        sk.discriminate(untestable(), "sDCG@1"),
        sk.discriminate(cut, "mean(nDCG@10)", draws=199),
    ]


def check(finding, statement):
    """Assert that the values of a statement are those of the tables."""
    values = statement.values
    row, curve = (each.filter(measure=str(values.get("measure"))) for each in (finding.table, finding.asl))
    match statement.kind:
        case "design":
            groups = {*finding.asl["a"], *finding.asl["b"]}
            pairs = len(groups) * (len(groups) - 1) // 2
            assert (values["groups"], values["pairs"]) == (len(groups), pairs)
            assert values["what"] == ("groups" if groups == {"A", "B"} else "runs")
            for name in ("population", "test", "simultaneous", "confidence"):
                assert values[name] == getattr(finding, name)
            by_chance = None if finding.simultaneous or pairs == 1 else pytest.approx(pairs * (1 - finding.confidence))
            assert values["expected"] == by_chance
        case "discriminative_power":
            p = curve["p"].drop_nulls()
            n_significant = int((p <= 1 - finding.confidence + 1e-12).sum())
            assert (values["pairs"], values["tested"], values["significant"]) == (len(curve), len(p), n_significant)
            assert len(curve) > 1
            assert values["power"] == pytest.approx(n_significant / len(p))
            assert values["spread"] == pytest.approx(curve["difference"].abs().max())
            assert (values["n"], values["needed"]) == row.select("n", "needed").row(0)
            assert values["confidence"] == finding.confidence
        case "difference":
            (pair,) = curve.rows(named=True)
            assert {name: values[name] for name in ("a", "b", "difference", "p")} == {
                name: pair[name] for name in ("a", "b", "difference", "p")
            }
            assert values["spread"] == pytest.approx(abs(pair["difference"]))
            assert (values["n"], values["needed"]) == row.select("n", "needed").row(0)
        case "not_tested":
            assert len(curve)
            assert curve["p"].is_null().all()
        case "stability":
            significant = finding.table.select("measure", "significant").rows()
            assert values["measure"] == max(significant, key=lambda each: each[1])[0]
            assert values["other"] == min(significant, key=lambda each: each[1])[0]
            assert values["population"] == finding.population
        case "caution":
            assert len(row) == 1
            assert f"{values['measure']}: {values['reason']}." == statement.text
        case "more":
            n_cautions = len(finding.of_kind("caution"))
            assert values["count"] == finding.asl.filter(pl.col("difference") == 0).height - n_cautions
            assert (values["what"], values["verb"]) == ("pairs with nothing to test", "discriminate")
        case "left_out":
            check_left_out(finding, statement)
        case "sessions":
            check_sessions(finding, statement, 4 * 5, 4 * 6)  # a list for each run and topic


def test_says_every_kind():
    require_golden("discriminate", findings())


def test_values_are_those_of_the_tables():
    for finding in findings():
        require_noticed(check, finding)
