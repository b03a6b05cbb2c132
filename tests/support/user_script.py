"""What a user may write: every verb, charts and measures with their parameters, for a strict type checker and to be run.

.ci/run checks it against the installed wheel. To run it: python -m tests.support.user_script STUDY FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import altair as alt
import polars as pl

import sessionkit as sk
from sessionkit import charts
from sessionkit.arguments import PartContrast


def measures() -> list[sk.Measure]:
    """Measures with their parameters, by the words that each takes."""
    weighted = sk.nDCG(gain=(0, 1, 10, 100), discount="burges", duplicates="first", undefined="zero") @ 10
    session = sk.nsDCG(like="ecir2008", ideal="spread", normalize="session", rank_origin="query", slots="pad") @ 10
    aggregates = [sk.mean(weighted), sk.max(sk.AP(depth="all", unjudged="skip")), sk.avgpos(sk.sDCG @ 5, length=3)]
    others = [sk.RSDCG(lambda_=0.2) @ 10, sk.sRBP(b=0.8, p=0.9), sk.parse_measure("mean(RR)"), sk.column("skill")]
    squares = sk.define(
        "Squares", lambda gains: float((gains**2).sum()), direction="unknown", formula="sum of squared gains"
    )
    others += [sk.mean(sk.register(squares)(gain="exp2") @ 10), sk.parse_measure("mean(Squares@5)")]
    return [session, *aggregates, *others, sk.mean(sk.TBG(seconds=(9.8, 23), queries="all"))]


def scores(study: sk.Study) -> list[pl.DataFrame]:
    """Tables, of all sessions or of some."""
    measure = sk.sDCG(b=2, bq=4) @ 10
    novices, many = "skill <= 2", pl.col("queries") >= 2
    found = [sk.score(study, measures(), where=novices), sk.score(study, ["nDCG@10", sk.AP], per="query", where=many)]
    found += [sk.score(study, measure, per="session", wide=True), sk.explain(study, measure, session="c001")]
    found += [
        sk.curve(study, measure, bands=True, draws=500),
        sk.curve(study, measure, per="session"),
        sk.curve(study, measure, normalize="each", after_stop="null"),
    ]
    found += [sk.curve_with_stops(study, measure, by=None), sk.gain_vectors(study, "nDCG@10")]
    found += [sk.breakdown(study, "nDCG@10", parts="best", average="queries", by=["system_id", "topic_id"])]
    found += [sk.precision_recall(study, average="topics"), sk.rprecision_histogram(study, "S1", "S2")]
    found += [
        sk.session_survival(study),
        sk.curve_differences(study, "sDCG@10"),
        sk.reformulations(study),
        sk.agreement(study).table,
        sk.summary(study, cutoff=10),
        *sk.timeline(study, "c002"),
    ]
    found += [sk.path_variance(study, sk.esDCG(pdown=0.8, pref=0.5, truncate="absorb") @ 5)]
    return found


def findings(study: sk.Study) -> list[str]:
    """What is found, in words and for papers."""
    ndcg, sdcg = "mean(nDCG@10)", sk.sDCG @ 10
    compared: sk.Comparison = sk.compare(study, ndcg, test="least-squares", population="users", correction="holm")
    mixed: sk.MixedModel = sk.compare(study, ndcg, population="users,topics", correction="bonferroni")
    contrast: PartContrast = "last-first"
    parted = sk.breakdown_tests(study, "nDCG@10", parts=[contrast], units="users", interval="bca", draws=200)
    plan = sk.power(study, ndcg, difference="10%", population="users", draws=200, component_draws=50)
    swept = sk.sweep(study, sdcg, {"b": [2, 4], "discount": "log,burges"}, test="none", correction="none")
    fitted = sk.calibrate(study, "sDCG", signal="last_click", unmarked="skip", draws=200)
    related = sk.correlate(study, sdcg, "skill", coefficients=["pearson"], interval="percentile", draws=200)
    bounded = sk.bounds(study, sdcg, per="session")
    lost = sk.judgment_loss(
        study, ndcg, fractions=[0.5, 1], draws=1, pool="study", test="wilcoxon", population="topics"
    )
    noisy = sk.judge_noise(study, ndcg, noise=0.1, spread="any", draws=20)
    power = sk.discriminate(study, [ndcg, sdcg], test="randomization", draws=99)
    read = sk.effort(study, sdcg, query_cost=2.0)
    winner: pl.DataFrame = compared.table.filter(pl.col("p_adjusted") < 1 - compared.confidence)
    texts = [compared.text, compared.reading, compared.to_latex(), compared.to_markdown("pairs"), compared.design]
    texts += [mixed.text, parted.text, plan.text, plan.smallest.columns[0], swept.text, str(swept.ranges.height)]
    texts += [*fitted.measures, fitted.signal, related.text, *related.coefficients, *bounded.bounds.columns]
    texts += [*lost.knees.columns, noisy.text, *power.asl.columns, read.text, bounded.text, str(winner.height)]
    return texts


def figures(study: sk.Study) -> list[alt.TopLevelMixin]:
    """Charts, which compose as Altair's do."""
    curve = charts.session_curve(sk.curve(study, "sDCG@10"), normalized=False, title="Curves")
    differences = charts.differences(sk.compare(study, "sDCG@10").table, confidence=0.95)
    swept = charts.sweep_map(sk.sweep(study, "sDCG@10", {"b": [2, 4]}, test="none").map())
    parts = charts.last_vs_nonlast(sk.breakdown(study, "nDCG@10"), colors={"S1": "#0072B2"})
    return [curve, differences, swept, parts, charts.score_distribution(pl.DataFrame({"group": ["a"], "value": [1.0]}))]


def small_study(session: str, system: str) -> sk.Study:
    """A study of one result, made of a table."""
    row = {"session_id": [session], "system_id": [system], "query_position": [1], "rank": [1], "doc_id": ["a"]}
    return sk.from_tables(results=pl.DataFrame(row), max_grade=3, merge="median")


def main(source: Path, folder: Path) -> None:
    """A study read, checked, scored, reported, saved and passed on."""
    study = sk.read(source, missing_positions="not_logged") if source.is_file() else sk.open_study(source)
    settings = sk.Settings(merge="median", missing_positions="empty")
    print(study, settings, study.facts.sessions, study.columns("sessions"), study.table("users").collect().height)
    print(sk.describe(study), *sk.check(study).values())
    print(*scores(study), *findings(study), sep="\n")
    for number, chart in enumerate(figures(study)):
        charts.save(chart, folder / f"{number}.json")
    page: str = sk.report(study, "sDCG@10", output=folder / "report.html", redact=["users"], also=["discriminate"])
    copy: sk.Pseudonymized = sk.pseudonymize(study, keep="topics", seed=1)
    saved: sk.Study = copy.save(folder / "copy", mapping=folder / "mapping.csv")
    print(
        len(page), saved, sk.avg_pos([1.0, 2.0]), sk.avg_vect([[1.0], [2.0]]), sk.norm_vect([1.0], [2.0]), *sk.FORMATS
    )
    own = small_study("s", "S1")
    own.results.collect().write_csv(folder / "results.csv")
    proposal: sk.Proposal = sk.propose(folder / "results.csv")
    run = sk.from_run({"a_1": {"x": 1.0}}, sessions=r"(?P<session>.+)_(?P<position>\d+)", order="score", max_grade=2)
    print(run)
    own.save(folder / "parts", partition_by="system_id")
    sk.add_partition(folder / "parts", small_study("t", "S2"), "system_id", "S2")
    print(proposal)
    try:
        sk.score(study, "nDGC@10")
    except (sk.MeasureError, sk.UsageError, sk.DataError) as error:
        print(error)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
