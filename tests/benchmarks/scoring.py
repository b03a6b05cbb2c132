"""Scoring works: each takes a saved study to values, end to end; what they are compared with is a bare scan."""

from __future__ import annotations

import importlib
from pathlib import Path

import polars as pl

import sessionkit as sk
from sessionkit.cli import main
from sessionkit.scoring.reduction import run
from sessionkit.scoring.score import score_task
from sessionkit.sessions.curve import curve_task
from tests.benchmarks.sampled import MEASURE as EXPECTED
from tests.benchmarks.work import imported, of_study, within, work

ONE = "sDCG@10"
TEN = [sk.sDCG(b=b, gain=gain) @ 10 for b in (1.5, 2, 3, 5, 10) for gain in ("linear", "exp2")]
"""Ten session measures that are plain sums over the same results."""
GRID = {"b": "1.5:10:18", "bq": "1.5:10:18"}
"""The 324 settings of the bases of both discounts from 1.5 to 10 by halves."""
SETTINGS = 18 * 18
WINDOWS = [ONE, "sDCG(duplicates=first)@10", "sDCG(unjudged=skip)@10", "mean(AP@10)", "mean(ERR@10)"]
"""Measures that must look at the other results of a list or session, beside one that need not."""


@of_study
def scan(study: sk.Study) -> int:
    """Read the four public columns of the results, and nothing else."""
    texts, numbers = pl.col("session_id", "doc_id"), pl.col("query_position", "rank")
    # a sum over every value: without it the reader skips what is not asked for
    return study.results.select(texts.str.len_bytes().sum(), numbers.sum()).collect().height


@of_study
def one_measure(study: sk.Study) -> int:
    """sDCG@10 of every session."""
    return sk.score(study, ONE, per="session").height


def _study_and_file(log: Path, scratch: Path) -> tuple[Path, Path]:
    """Return the directory of the log's study and a file to write."""
    imported()
    return log / "study", scratch / "scores.parquet"


@of_study
def measures_of_report(study: sk.Study) -> int:
    """The measures of a report, of every session."""
    from sessionkit.reports import MEASURES

    return sk.score(study, MEASURES, per="session").height


def _study_and_page(log: Path, scratch: Path) -> tuple[Path, Path]:
    """Return the directory of the log's study and a page to write, all code of reports read."""
    imported()
    importlib.import_module("sessionkit.reports")
    return log / "study", scratch / "report.html"


@work(_study_and_page)
def report(places: tuple[Path, Path]) -> int:
    """A report of the study, written to a file."""
    study, page = places
    sk.report(sk.open_study(study), output=page)
    return within(page, 5)


@work(_study_and_file)
def one_measure_to_file(places: tuple[Path, Path]) -> int:
    """sDCG@10 of every session, written to a Parquet file by the command line."""
    study, scores = places
    status = main(["score", str(study), ONE, "--per", "session", "--output", str(scores)])
    if status:
        raise SystemExit(status)
    return pl.scan_parquet(scores).select(pl.len()).collect().item()


@of_study
def by_system(study: sk.Study) -> int:
    """Mean sDCG@10 by system."""
    return sk.score(study, ONE, by="system_id").height


@of_study
def spread_by_system(study: sk.Study) -> int:
    """SD, median, quartiles and range of sDCG@10 by system."""
    return sk.score(study, ONE, by="system_id", spread=True).height


@of_study
def session_table(study: sk.Study) -> int:
    """A row for every session: sDCG@10 and all that the study says of the session."""
    return sk.score(study, ONE, per="session", wide=True).height


@of_study
def normalized(study: sk.Study) -> int:
    """nsDCG@10 of every session."""
    return sk.score(study, "nsDCG@10", per="session").height


@of_study
def expected(study: sk.Study) -> int:
    """esnDCG@10 of every session, exact over all paths."""
    return sk.score(study, EXPECTED, per="session").height


@of_study
def ten_and_curves(study: sk.Study) -> int:
    """Ten plain sums and nsDCG@10 of every session, and the mean curves of sDCG@10 by system."""
    return sum(map(len, run(study, [score_task(study, [*TEN, "nsDCG@10"], per="session"), curve_task(study, ONE)])))


@of_study
def ten_and_curves_by_system(study: sk.Study) -> int:
    """Means of ten plain sums and nsDCG@10 by system, and the mean curves of sDCG@10."""
    return sum(map(len, run(study, [score_task(study, [*TEN, "nsDCG@10"], by="system_id"), curve_task(study, ONE)])))


@of_study
def windows(study: sk.Study) -> int:
    """sDCG@10 of every session: all results, first appearances only, judged results only; and mean AP and ERR."""
    return sk.score(study, WINDOWS, per="session").height


@of_study
def settings_by_system(study: sk.Study) -> int:
    """Mean sDCG@10 by system for 324 settings of b and bq, who leads where, and where that ends."""
    return sk.sweep(study, ONE, GRID, test="none").table.height


@of_study
def settings_tested(study: sk.Study) -> int:
    """The same with the p-value of every setting."""
    return sk.sweep(study, ONE, GRID).table.height


@of_study
def per_query(study: sk.Study) -> int:
    """nDCG@10 of every query."""
    return sk.score(study, "nDCG@10", per="query").height


@of_study
def curves(study: sk.Study) -> int:
    """Mean curves of sDCG@10 by system (normalize=none)."""
    return sk.curve(study, ONE).height


@of_study
def normalized_curves(study: sk.Study) -> int:
    """Mean curves of nsDCG@10 by system (normalize=each)."""
    return sk.curve(study, "nsDCG@10").height


@of_study
def comparison(study: sk.Study) -> int:
    """The systems compared by sDCG@10, paired by topic."""
    return sk.compare(study, ONE).table.height


@of_study
def last_and_earlier(study: sk.Study) -> int:
    """DCG@10 of last and earlier queries, by rank and system."""
    return sk.breakdown(study, "DCG@10").height
