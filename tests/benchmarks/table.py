"""The figures as rows of a Markdown table and as JSON, with what matters of the machine and nothing that names it."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import version

from tests.benchmarks.measuring import Comparison
from tests.benchmarks.rows import Row

HEAD = "| work | target | measured | baseline s | work s | peak MiB | met? |\n|---|---|---|---|---|---|---|"
PACKAGES = ("sessionkit-ir", "polars", "numpy", "pyarrow", "pytrec-eval-terrier", "ranx")
MET = {True: "yes", False: "no", None: ""}


def as_markdown(row: Row, found: Comparison, counts: Mapping[str, int]) -> str:
    """Return a row of the table."""
    cells = [
        _label(row, counts),
        row.target.text,
        row.target.measured(found),
        f"{found.baseline_seconds:.2f}",
        f"{found.seconds:.2f}",
        f"{found.peak:,.0f}",
        MET[row.target.met(found)],
    ]
    return f"| {' | '.join(cells)} |"


def as_json(name: str, row: Row, found: Comparison, counts: Mapping[str, int]) -> dict[str, object]:
    """Return a row as a value: what was compared, what came out, and the figures of every run."""
    return {
        "name": name,
        "work": _label(row, counts),
        "what": row.work.what,
        "baseline": row.baseline.what,
        "log": dict(counts),
        "target": row.target.text,
        "measured": row.target.measured(found),
        "met": row.target.met(found),
        "ratio": found.ratio,
        "runs": {"baseline": [asdict(run) for run in found.baseline], "work": [asdict(run) for run in found.work]},
    }


def machine() -> dict[str, str]:
    """Return cores, memory, how busy the machine is with other things, and versions."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    facts = {"cores": str(cores), "memory": f"{memory:.1f} GiB", platform.system(): platform.machine()}
    if hasattr(os, "getloadavg"):
        facts["load"] = f"{os.getloadavg()[0]:.1f}"
    return facts | {"Python": platform.python_version()} | {name: version(name) for name in PACKAGES}


def _label(row: Row, counts: Mapping[str, int]) -> str:
    """Return what a row is about, with the numbers of its log."""
    return row.label.format(**{name: f"{count:,}" for name, count in counts.items()})
