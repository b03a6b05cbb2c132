"""The pieces of work that are timed, each a function of a saved study; they run alone in a child process."""

from __future__ import annotations

import json
import re
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl

import sessionkit as sk


def scan(study: sk.Study) -> int:
    """Read the public columns of the results, and nothing else."""
    texts, numbers = pl.col("session_id", "doc_id"), pl.col("query_position", "rank")
    # a sum over every value: without it the reader skips what is not asked for
    return study.results.select(texts.str.len_bytes().sum(), numbers.sum()).collect().height


def one_measure(study: sk.Study) -> int:
    """sDCG@10 of every session."""
    return sk.score(study, "sDCG@10").height


def normalised(study: sk.Study) -> int:
    """nsDCG@10 of every session."""
    return sk.score(study, "nsDCG@10").height


def by_system(study: sk.Study) -> int:
    """Mean sDCG@10 by system."""
    return sk.score(study, "sDCG@10", per="system").height


def ten_measures(study: sk.Study) -> int:
    """Ten session measures that are plain sums over the same results."""
    bases = (1.5, 2, 3, 5, 10)
    return sk.score(study, [sk.sDCG(b=b, gain=gain) @ 10 for b in bases for gain in ("linear", "exp2")]).height


def per_query(study: sk.Study) -> int:
    """nDCG@10 of every query."""
    return sk.score(study, "nDCG@10", per="query").height


def curves(study: sk.Study) -> int:
    """Mean normalised curve by system."""
    return sk.curve(study, "nsDCG@10").height


WORKS: dict[str, Callable[[sk.Study], int]] = {
    work.__name__: work for work in (scan, one_measure, normalised, by_system, ten_measures, per_query, curves)
}
"""What can be timed, by name; the first is what the others are compared with."""


def peak_memory() -> float:
    """Peak memory of this process in MiB; on Linux without that of the process it was forked from."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.search(r"VmHWM:\s+(\d+)", status.read_text())[1]) / 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def main(study: str, name: str) -> None:
    """Do one piece of work and print its seconds, processor seconds and the peak memory of this process in MiB."""
    opened = sk.open_study(study)
    wall, cpu = time.perf_counter(), time.process_time()
    rows = WORKS[name](opened)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(json.dumps({"wall": wall, "cpu": cpu, "peak": peak_memory(), "rows": rows}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
