"""Speed and memory, each a ratio to its own baseline in the same run: ``python -m tests.benchmarks``.

Logs are written once and kept; every piece of work is done in a child process of its own, in turn with its baseline. The
table is Markdown, the figures of every run go to JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.cache import Cache, rows_of
from tests.benchmarks.measuring import Comparison, Measure, WorkFailedError, compared, in_child
from tests.benchmarks.rows import ROWS, Row
from tests.benchmarks.table import HEAD, as_json, as_markdown, machine

GROWTH = 10
"""How much larger the log is that growth is measured on."""


def measured(row: Row, cache: Cache, sessions: int, runs: int, measure: Measure = in_child) -> tuple[Comparison, Path]:
    """Measure one row; return the comparison and the log the work was done on."""
    small = row.log(cache, sessions)
    log = row.log(cache, GROWTH * sessions) if row.grows else small
    runs = max(runs, row.runs)
    return compared((row.baseline, small), (row.work, log), runs, once=row.once, measure=measure), log


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the rows asked for, print the table and write the figures; return 1 where some work failed."""
    asked = _asked(arguments)
    cache, facts, table, status = Cache(asked.cache), machine(), [], 0
    print(", ".join(f"{name} {value}" for name, value in facts.items()), end=f"\n\n{HEAD}\n", flush=True)
    for name in asked.works:
        row = ROWS[name]
        try:
            found, log = measured(row, cache, getattr(asked, row.size), asked.runs)
        except WorkFailedError as error:
            print(f"{name} failed: {error}", file=sys.stderr, flush=True)
            status = 1
            continue
        counts = rows_of(log)
        print(as_markdown(row, found, counts), flush=True)
        table.append(as_json(name, row, found, counts))
        if asked.json:
            asked.json.write_text(json.dumps({"machine": facts, "rows": table}, indent=2) + "\n")
    return status


def _asked(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    size = {"type": int, "metavar": "N"}
    parser.add_argument(
        "--sessions", **size, default=100_000, help="sessions of the log that is scored (100,000; 28 results each)"
    )
    parser.add_argument("--ingest-sessions", **size, default=100_000, help="of the log that is ingested (100,000)")
    parser.add_argument("--query-sessions", **size, default=100_000, help="of the log peers score by query (100,000)")
    parser.add_argument("--rated-sessions", **size, default=10_000, help="of the log like ir_metrics (10,000)")
    parser.add_argument("--track-sessions", **size, default=6_100, help="of the log as XML (6,100: 100 MB)")
    parser.add_argument(
        "--wall-sessions", **size, default=200, help="of the log that is drawn session by session (200)"
    )
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="times everything is done (3)")
    parser.add_argument("--works", nargs="+", choices=list(ROWS), metavar="WORK", help=f"of {', '.join(ROWS)}")
    parser.add_argument("--growth", action="store_true", help="also what grows, on a log of ten times the size")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "sessionkit-benchmarks")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    asked = parser.parse_args(arguments)
    asked.works = asked.works or [name for name, row in ROWS.items() if asked.growth or not row.grows]
    if (
        min(
            asked.sessions,
            asked.ingest_sessions,
            asked.query_sessions,
            asked.rated_sessions,
            asked.track_sessions,
            asked.wall_sessions,
            asked.runs,
        )
        < 1
    ):
        sys.exit("sizes and --runs must be 1 or more")
    return asked


if __name__ == "__main__":
    sys.exit(main())
