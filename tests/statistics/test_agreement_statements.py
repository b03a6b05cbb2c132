"""What agreement says: its kinds, and that the values are those of its tables."""

from functools import cache

import polars as pl

import sessionkit as sk
from tests.statistics.test_agreement import OBSERVERS, study_of
from tests.support.statements import require_golden, require_noticed


@cache
def findings():
    """Judges, two sets of judgments of which one is by one judge, and one judge alone."""
    log = {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]}
    old, new = (
        sk.from_tables(results=log, judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": grades})
        for grades in ([1, 1], [1, 2])
    )
    return [sk.agreement(study_of(OBSERVERS)), sk.agreement(new, old=old), sk.agreement(study_of({"A": [1, 2]}))]


def check(finding, statement):
    """Assert that the values of a statement are those of the table."""
    values, table = statement.values, finding.table
    match statement.kind:
        case "agreement":
            everyone = table.filter(pl.col("judge_id").is_null())
            assert dict(everyone.select("measure", "value").rows()) == {
                name: value for name, value in values.items() if name not in ("n", "judges")
            }
            assert set(everyone["n"]) == {values["n"]}
            assert values["judges"] == ("two sets" if "old" in table["other"] else "judges")
        case "least_agreement":
            kappas = table.filter(measure="kappa_linear").drop_nulls("value")
            assert len(kappas) == values["pairs"]
            (pair,) = kappas.filter(judge_id=values["judge_id"], other=values["other"]).rows(named=True)
            assert (pair["value"], pair["n"]) == (values["kappa_linear"], values["n"])
            assert kappas["value"].min() == pair["value"]
        case "no_agreement":
            assert table.is_empty()
            assert values["judges"] == "judges"


def test_says_every_kind():
    require_golden("agreement", findings())


def test_values_are_those_of_the_table():
    for finding in findings():
        require_noticed(check, finding)
