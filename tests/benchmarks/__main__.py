"""Speed and memory as ratios in one run: ``python -m tests.benchmarks [--sessions N] [--runs N]``.

Writes a synthetic log of that size once, ingests it, then times each piece of work in a child process of its own, in turn
with a bare scan of the same columns, and prints a table of the medians; ``--json FILE`` writes the figures too.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import polars as pl

import sessionkit as sk
from tests.benchmarks import logs
from tests.benchmarks.works import WORKS

HEADER = "| work | what it is | wall s | x scan | processor x scan | peak MiB | rows |\n|---|---|---|---|---|---|---|"


def saved_study(cache: Path, sessions: int) -> Path:
    """The study of a log of this size, made once."""
    folder = cache / f"{sessions}-sessions"
    if not (folder / "study").exists():
        logs.write(folder, sessions)
        tables = ("results", "queries", "sessions", "judgments")
        sk.from_tables(**{name: pl.scan_parquet(folder / f"{name}.parquet") for name in tables}).save(folder / "study")
    return folder / "study"


def timed(study: Path, name: str) -> dict[str, float]:
    """Figures of one piece of work, done once in a fresh process."""
    command = [sys.executable, "-m", "tests.benchmarks.works", str(study), name]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def compared(study: Path, name: str, runs: int) -> dict[str, object]:
    """Medians of a piece of work and of its ratios to the scan that ran just before it."""
    pairs = [(timed(study, "scan"), timed(study, name)) for _ in range(runs)]
    return {
        "work": name,
        "what": (WORKS[name].__doc__ or "").rstrip("."),
        "wall": statistics.median(work["wall"] for _, work in pairs),
        "ratio": statistics.median(work["wall"] / scan["wall"] for scan, work in pairs),
        "cpu_ratio": statistics.median(work["cpu"] / scan["cpu"] for scan, work in pairs),
        "peak": max(work["peak"] for _, work in pairs),
        "rows": int(pairs[0][1]["rows"]),
    }


def main() -> None:
    """Run the benchmarks."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument(
        "--sessions", type=int, default=100_000, help="size of the log (default 100,000; 28 results each)"
    )
    parser.add_argument("--runs", type=int, default=3, help="times each piece of work is done (default 3)")
    parser.add_argument("--works", nargs="*", choices=list(WORKS), default=list(WORKS), help="which (default all)")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "sessionkit-benchmarks")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    asked = parser.parse_args()
    study = saved_study(asked.cache, asked.sessions)
    facts = sk.open_study(study).facts
    print(
        f"{facts.sessions:,} sessions, {facts.queries:,} queries, {facts.results:,} results, {facts.judgments:,} judgments\n"
    )
    print(HEADER)
    figures = []
    for name in asked.works:
        row = compared(study, name, asked.runs)
        figures.append(row)
        print(
            f"| {row['work']} | {row['what']} | {row['wall']:.2f} | {row['ratio']:.1f} | {row['cpu_ratio']:.1f} "
            f"| {row['peak']:.0f} | {row['rows']:,} |",
            flush=True,
        )
    if asked.json:
        sizes = {"sessions": facts.sessions, "queries": facts.queries, "results": facts.results}
        asked.json.write_text(
            json.dumps({"version": sk.__version__, "sizes": sizes, "figures": figures}, indent=2) + "\n"
        )


if __name__ == "__main__":
    main()
