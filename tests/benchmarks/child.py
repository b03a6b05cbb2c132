"""Do one piece of work in this process and print its figures: ``python -m tests.benchmarks.child MODULE NAME LOG``."""

from __future__ import annotations

import importlib
import json
import re
import resource
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.work import Done, Work


def figures(work: Work, log: Path) -> dict[str, object]:
    """Do a piece of work; return its seconds, processor seconds, peak memory in MiB, rows, and seconds of its parts."""
    with tempfile.TemporaryDirectory(dir=log, prefix="scratch-") as scratch:
        given = work.ready(log, Path(scratch))
        wall, cpu = time.perf_counter(), time.process_time()
        done = work.do(given)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    done = done if isinstance(done, Done) else Done(done)
    peak = peak_memory() if done.peak is None else done.peak
    return {"seconds": wall, "cpu": cpu, "peak": peak, "rows": done.rows, "parts": dict(done.parts)}


def peak_memory() -> float:
    """Peak memory of this process in MiB; on Linux without that of the process it was forked from."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.search(r"VmHWM:\s+(\d+)", status.read_text())[1]) / 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


if __name__ == "__main__":
    module, name, folder = sys.argv[1:]
    print(json.dumps(figures(getattr(importlib.import_module(module), name), Path(folder))))
