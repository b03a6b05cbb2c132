"""What bounds says: its kinds, and that the values are those of its tables."""

from functools import cache

import polars as pl
import pytest

import sessionkit as sk
from tests.robustness.short_lists import study
from tests.robustness.test_bounds import fourteen_systems, turning, twenty_three_systems
from tests.support.statements import check_sessions, require_golden, require_noticed


@cache
def findings():
    """Differences that hold, turn and are none, safe bounds, many groups and too many, nothing unjudged, nothing shown."""
    holding = study({"A1": "ax", "B1": "nx", "C1": "an"}, [("t", "a", 1), ("t", "n", 0)])
    judged = study({"A1": "ab", "B1": "ba"}, [("t", "a", 2), ("t", "b", 0)])
    open_sessions = study({"A1": "xy", "B1": "a", "B2": "a", "C1": "n"}, [("t", "a", 2), ("t", "n", 0)])
    return [
        sk.bounds(turning(), ["mean(DCG@2)", "mean(nDCG@2)"]),
        sk.bounds(holding, "mean(DCG@2)", where="system_id <> 'C'"),
        sk.bounds(open_sessions, "mean(AP)"),
        sk.bounds(fourteen_systems(), "sDCG@1"),
        sk.bounds(twenty_three_systems(), "mean(DCG@1)"),
        sk.bounds(judged, ["mean(nDCG@2)", "mean(bpref)"]),
    ]


def check(finding, statement):  # noqa: C901, PLR0915 - a case for each kind
    """Assert that the values of a statement are those of the tables."""
    values = statement.values
    judged, bounds = finding.judged, finding.bounds
    in_all = judged.filter(pl.col("query_position").is_null(), pl.col("rank").is_null())
    row = bounds.filter(measure=str(values.get("measure")))
    pairs = finding.differences.filter(measure=str(values.get("measure"))).drop_nulls("lower")
    match statement.kind:
        case "judged_share":
            cutoffs = [sk.parse_measure(measure).inner.cutoff for measure in bounds["measure"].unique()]
            assert values["rank"] == (None if None in cutoffs else max(cutoffs))
            n_results, n_judged = in_all["results"].sum(), in_all["judged"].sum()
            assert (values["results"], values["judged"]) == (n_results, n_judged)
            assert values["share"] == pytest.approx(n_judged / n_results)
            shares = {row["system_id"]: row["judged"] / row["results"] for row in in_all.iter_rows(named=True)}
            first = dict(list(shares.items())[:6])
            assert values["groups"] == pytest.approx(first if len(shares) > 1 else {})
        case "lowest_judged_share":
            place, other = ("rank", "query_position") if values["rank"] is not None else ("query_position", "rank")
            assert values[other] is None
            places = judged.filter(pl.col(place).is_not_null(), pl.col(other).is_null())
            shares = {
                at: (part["judged"].sum() / part["results"].sum(), part["results"].sum())
                for (at,), part in places.group_by(place, maintain_order=True)
            }
            assert (values["share"], values["results"]) == shares.get(values[place])
            assert values["share"] == min(share for share, _ in shares.values())
        case "complete":
            assert (in_all["share"] == 1).all()
        case "scope":
            assert not finding.differences.is_empty()
            assert not (in_all["share"] == 1).all()
        case "unjudged":
            number = next(number for number, each in enumerate(findings()) if each is finding)
            assert values["documents"] == len(("xyz", "x", "xy", "y", "x")[number])
            assert values["judgment_keys"] == len("t")
            assert values["max_grade"] == finding.max_grade
        case "score_bounds":
            (only,) = row.filter(system_id=values["group"]).rows(named=True)
            assert dict(values) == {"group": only["system_id"], **{name: only[name] for name in values if name in only}}
        case "difference_bounds":
            (pair,) = pairs.filter(a=values["a"], b=values["b"]).rows(named=True)
            from_tables = {name: pair[name] for name in values if name in pair}
            assert {name: values[name] for name in from_tables} == from_tables
            sizes = dict(row.select("system_id", "n").rows())
            assert (values["n_a"], values["n_b"]) == (sizes[pair["a"]], sizes[pair["b"]])
            means = dict(row.select("system_id", "value").rows())
            higher = max(means[pair["a"]], means[pair["b"]])
            assert values["higher"] in ([None] if pair["difference"] == 0 else [g for g in means if means[g] == higher])
            listed = finding.wanted.filter(measure=pair["measure"], a=pair["a"], b=pair["b"])
            documents = listed.head(0 if pair["holds"] else 3).select("judgment_key", "doc_id", "move").to_dicts()
            assert values["documents"] == documents
        case "signs":
            assert (values["pairs"], values["holds"]) == (len(pairs), pairs["holds"].sum())
        case "not_compared":
            assert finding.differences.is_empty()
            assert (values["by"], values["groups"]) == (finding.by, bounds["system_id"].n_unique())
        case "no_bounds":
            assert set(row["note"]) == {values["note"]}
        case "more":
            n_groups = bounds["system_id"].n_unique()
            n_stated = len({each.values["group"] for each in finding.of_kind("score_bounds")})
            assert dict(values) == {"count": n_groups - n_stated, "what": "groups", "verb": "bounds"}
        case "sessions":
            check_sessions(finding, statement, 2, 3)


def test_says_every_kind():
    require_golden("bounds", findings())


def test_values_are_those_of_the_tables():
    for finding in findings():
        require_noticed(check, finding)
