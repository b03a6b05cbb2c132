"""sDCG of every session by a plain Python loop over dictionaries, as scripts of the field do it, and by us.

``load`` takes the files apart into dictionaries, ``score`` goes over them: session, query, (rank, address), a logarithm
for every result. A list sorted by rank and a set of discounts computed once would be faster, and are not what is done.
"""

from __future__ import annotations

import math
import time
from pathlib import Path

import polars as pl

import sessionkit as sk
from tests.benchmarks.rated import MEASURE
from tests.benchmarks.work import Done, of_study, work

Results = dict[str, dict[int, list[tuple[int, str]]]]
Qrels = dict[str, dict[str, int]]


def load(log: Path) -> tuple[Results, Qrels]:
    """Return results by session and query, and judgments by session and address."""
    results: Results = {}
    with (log / "results").open(encoding="utf-8") as file:
        next(file)
        for line in file:
            session, query, rank, url, *_ = line.rstrip("\n").split("\t")
            found = results.setdefault(session, {}).setdefault(int(query), [])
            if rank != "no results":
                found.append((int(rank), url))
    qrels: Qrels = {}
    with (log / "qrels").open(encoding="utf-8") as file:
        next(file)
        for line in file:
            session, url, grade = line.rstrip("\n").split("\t")
            qrels.setdefault(session, {})[url] = int(grade)
    return results, qrels


def sdcg(
    queries: dict[int, list[tuple[int, str]]], judged: dict[str, int], b: int = 2, bq: int = 4, k: int = 9
) -> float:
    """Return sDCG of one session: gain 2^grade - 1, discounts log_b(rank + b - 1) and log_bq(position + bq - 1)."""
    total = 0.0
    for position, results in queries.items():
        gained = 0.0
        for rank, url in results:
            if rank <= k:
                gain = 2 ** max(judged.get(url, 0), 0) - 1
                gained += gain / math.log(rank + b - 1, b)
        total += gained / math.log(position + bq - 1, bq)
    return total


def scores(results: Results, qrels: Qrels) -> dict[str, float]:
    """Return sDCG by session."""
    return {session: sdcg(queries, qrels.get(session, {})) for session, queries in results.items()}


@work(lambda log, _scratch: log)
def loop(log: Path) -> Done:
    """sDCG of every session by a plain Python loop over dictionaries."""
    began = time.perf_counter()
    results, qrels = load(log)
    loaded = time.perf_counter()
    values = scores(results, qrels)
    return Done(len(values), {"load": loaded - began, "score": time.perf_counter() - loaded})


@of_study
def study(study: sk.Study) -> int:
    """The same of the saved study."""
    return sk.score(study, MEASURE, per="session").height


@of_study
def scan(study: sk.Study) -> int:
    """Read the public columns that sDCG needs of the results and judgments of the log, and nothing else."""
    columns = (
        (study.results, ["session_id", "doc_id"], ["query_position", "rank"]),
        (study.judgments, ["judgment_key", "doc_id"], ["grade"]),
    )
    sums = [
        table.select(pl.col(texts).str.len_bytes().sum(), pl.col(numbers).sum()) for table, texts, numbers in columns
    ]
    return sum(frame.height for frame in pl.collect_all(sums))
