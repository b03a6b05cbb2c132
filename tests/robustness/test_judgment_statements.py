"""What judgment_loss and judge_noise say: their kinds, and that the values are those of their tables."""

import math
from functools import cache

import polars as pl
import pytest

import sessionkit as sk
from tests.robustness.runs import runs
from tests.robustness.short_lists import study
from tests.support.statements import check_left_out, check_sessions, require_golden, require_noticed

pytestmark = [pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")]
MEASURES = ["mean(nDCG@10)", "mean(E@10)"]
DIRECTIONS = {"mean(E@10)": "lower"}
"""Of the measures of which higher is not better."""


def graded_twice():
    """Four runs judged by two judges, of which one gave higher grades to every third document; one run is short."""
    _, results, judgments = runs(systems=4, topics=4)
    second = judgments.with_row_index("row").select(
        "judgment_key", "doc_id", grade=pl.when(pl.col("row") % 3 == 0).then(pl.col("grade") + 1).otherwise("grade")
    )
    judges = [frame.with_columns(judge_id=pl.lit(name)) for name, frame in (("ada", judgments), ("bob", second))]
    short = results.filter((pl.col("system_id") != "r3") | (pl.col("rank") < 3))
    return sk.from_tables(results=short, judgments=pl.concat(judges))


@cache
def losses():
    """Many runs, two of which one part is asked for, and systems that tie or cannot be told apart."""
    tied = study({"A1": "ab", "B1": "ab"}, [("t", "a", 1), ("t", "b", 0)])
    return [
        sk.judgment_loss(runs(systems=4, topics=5)[0], MEASURES, fractions=[0.2, 0.5], draws=3, seed=4),
        sk.judgment_loss(
            runs(systems=2, topics=5)[0], "mean(P@10)", fractions=[0.2], draws=3, where="topic_id <> 't0'"
        ),
        sk.judgment_loss(graded_twice(), "mean(P@2)", fractions=[0.5], draws=2),
        sk.judgment_loss(tied, "mean(P@2)", fractions=[0.5], draws=2),
    ]


@cache
def noises():
    """Declared errors of many runs and of two, errors of judges, and systems that tie."""
    tied = study({"A1": "ab", "B1": "ab"}, [("t", "a", 1), ("t", "b", 0)])
    return [
        sk.judge_noise(runs(systems=5, topics=4)[0], MEASURES, noise=0.3, draws=8),
        sk.judge_noise(runs(systems=2, topics=5)[0], "mean(P@10)", noise=0.2, draws=8, where="topic_id <> 't0'"),
        sk.judge_noise(graded_twice(), "mean(P@10)", draws=4),
        sk.judge_noise(tied, "mean(P@2)", draws=2, population="sessions"),
    ]


def stated_shares(rows, names):
    """The rows of the smallest share and of that nearest a half."""
    some = rows.filter(pl.col("fraction") < 1)["fraction"].to_list()
    if not some:
        return []
    fractions = dict.fromkeys([some[0], min(some, key=lambda fraction: abs(fraction - 0.5))])
    return [rows.filter(fraction=fraction).select(names).row(0, named=True) for fraction in fractions]


def check_loss(finding, statement):  # noqa: PLR0915 - a case for each kind
    """Assert that the values of a statement are those of the tables."""
    values = dict(statement.values)
    rows = finding.table.filter(measure=str(values.get("measure")))
    pairs = finding.pairs.filter(measure=str(values.get("measure")))
    number = next(number for number, each in enumerate(losses()) if each is finding)
    groups = {*finding.pairs["a"], *finding.pairs["b"]}
    keys = (5, 5, 4, 1)[number]
    what = "runs"  # nobody searched
    match statement.kind:
        case "protocol":
            settings = {
                name: getattr(finding, name) for name in ("draws", "seed", "times", "pool", "test", "population")
            }
            assert {name: values[name] for name in settings} == settings
            assert values["sessions"] == len(groups) * (keys - (number == 1))
            assert (values["groups"], values["what"], values["keys"]) == (len(groups), what, keys)
            assert values["judgments"] == (2 if number == 3 else 40 * keys)
            assert values["relevant"] == relevant(number)
            assert (values["fraction"], values["judged"]) == finding.table.select("fraction", "judged").row(0)
            assert values["pairs"] == len(groups) * (len(groups) - 1) / 2
        case "steps":
            n_pairs = len(groups) * (len(groups) - 1) / 2
            assert values == {"groups": len(groups), "step": None if len(groups) == 2 else pytest.approx(2 / n_pairs)}
        case "not_compared":
            assert values["reason"] == "untouched"
            assert {*rows["drift"]} == {0.0}
        case "order":
            knees = finding.knees.filter(measure=values["measure"])
            names = ["knee", "knee_judged", "knee_low", "knee_high"]
            assert [{name: values[name] for name in names}] == knees.select(names).to_dicts()
            names = ["fraction", "tau", "tau_low", "tau_high", "winner", "drift"]
            assert values["shares"] == stated_shares(rows, names)
            assert values["threshold"] == finding.threshold
            assert values["direction"] == DIRECTIONS.get(values["measure"], "higher")
        case "difference":
            names = ["a", "b", "difference", "p"]
            assert [{name: values[name] for name in names}] == pairs.select(names).tail(1).to_dicts()
            assert values["higher"] == values["b" if values["difference"] > 0 else "a"]
            winners = dict(rows.filter(pl.col("fraction") < 1).select("fraction", "winner").rows())
            assert values["worst"] == min(winners.values())
            assert values["last"] == {"fraction": max(winners), "winner": winners[max(winners)]}
            assert (values["times"], values["confidence"]) == (finding.times, finding.confidence)
            steady = [at for at in winners if all(winner == 1 for other, winner in winners.items() if other >= at)]
            assert values["steady"] == min(steady, default=None)
            names = ["fraction", "low", "high", "median_p", "significant"]
            assert values["shares"] == stated_shares(pairs, names)
        case "verdicts":
            confusion = finding.confusion.filter(measure=values["measure"])
            names = ["fraction", "accuracy", "g_mean", "kept", "gained", "lost", "found", "turned"]
            assert values["shares"] == stated_shares(confusion, names)
            assert values["confidence"] == finding.confidence
        case "scope":
            assert values == {"keys": keys, "what": what}
        case "left_out":
            check_left_out(finding, statement)
        case "sessions":
            check_sessions(finding, statement, 8, 10)


def relevant(number):
    """Relevant documents of the study of a finding."""
    if number == 3:
        return 1
    _, _, judgments = runs(systems=2, topics=(5, 5, 4)[number])
    grades = judgments
    if number == 2:
        row = pl.int_range(pl.len())
        grades = grades.with_columns(grade=pl.col("grade") + (row % 3 == 0))
    return grades.filter(pl.col("grade") >= 1).height


def check_noise(finding, statement):
    """Assert that the values of a statement are those of the tables."""
    values = dict(statement.values)
    table = finding.table.filter(measure=str(values.get("measure")))
    number = next(number for number, each in enumerate(noises()) if each is finding)
    groups, keys = {*finding.table["a"], *finding.table["b"]}, (4, 5, 4, 1)[number]
    n_judgments = 2 if number == 3 else 40 * keys
    match statement.kind:
        case "agreement":
            rows = finding.agreement.filter(pl.col("judge_id").is_null(), who=values["who"])
            by_measure = dict(rows.select("measure", "value").rows())
            assert values["coefficient"] == "alpha_ordinal"
            assert (values["value"], values["agreement"]) == (
                by_measure.get("alpha_ordinal"),
                by_measure.get("agreement"),
            )
            assert {values["n"]} == {*rows["n"]}
        case "errors":
            settings = {
                name: getattr(finding, name) for name in ("draws", "seed", "source", "changed", "test", "population")
            }
            assert {name: values[name] for name in settings} == settings
            assert values["judgments"] == n_judgments
            declared = finding.source == "declared"
            assert values["spread"] == ("adjacent" if declared else None)
            assert values["probability"] == (pytest.approx((0.3, 0.2, 0, 0.1)[number]) if declared else None)
            assert values["n"] == (None if declared else pytest.approx(finding.errors["n"].sum()))
            assert values["unknown"] == []
        case "not_compared":
            assert values["reason"] == "untouched"  # both show the same documents
            assert table["sd"].to_list() == [0.0]
        case "order":
            names = ("tau", "low", "high")
            (row,) = finding.order.filter(measure=values["measure"]).rows(named=True)
            assert {name: values[name] for name in names} == {name: row[name] for name in names}
            assert values["groups"] == len(groups)
        case "difference":
            (row,) = table.filter(a=values["a"], b=values["b"]).rows(named=True)
            names = [name for name in values if name in row]
            assert {name: values[name] for name in names} == {name: row[name] for name in names}
            share = row["winner_changes"]
            assert values["se"] == pytest.approx(math.sqrt(share * (1 - share) / row["draws"]))
            assert values["verdict"] == ("shown" if row["p"] <= 1 - finding.confidence else "not shown")
            assert values["confidence"] == finding.confidence
            assert values["direction"] == DIRECTIONS.get(values["measure"], "higher")
        case "pairs":
            shown = [each for each in finding.of_kind("difference") if each.values["measure"] == values["measure"]]
            assert (values["shown"], values["pairs"]) == (len(shown), len(table))
            assert values["unchanged"] == (table["winner_changes"] == 0).sum()
        case "scope":
            n_sessions = len(groups) * (keys - (number == 1))
            assert values == {"sessions": n_sessions, "judgments": n_judgments}
        case "left_out":
            check_left_out(finding, statement)
        case "sessions":
            check_sessions(finding, statement, 8, 10)


@pytest.mark.parametrize(
    ("name", "findings"), [pytest.param("judgment_loss", losses, marks=pytest.mark.slow), ("judge_noise", noises)]
)
def test_says_every_kind(name, findings):
    require_golden(name, findings())


@pytest.mark.parametrize(
    ("check", "findings"), [pytest.param(check_loss, losses, marks=pytest.mark.slow), (check_noise, noises)]
)
def test_values_are_those_of_the_tables(check, findings):
    for finding in findings():
        require_noticed(check, finding)
