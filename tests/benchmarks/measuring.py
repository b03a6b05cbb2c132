"""Figures of work done in child processes, and work beside its baseline: pairs in one run, medians of their ratios."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.benchmarks.work import Work

ROOT = Path(__file__).parents[2]


class WorkFailedError(Exception):
    """A piece of work, or what makes the log it is done on, ended with an error."""


@dataclass(frozen=True)
class Figures:
    """What one piece of work cost once: seconds, processor seconds, peak MiB, rows made, seconds of its parts."""

    seconds: float
    cpu: float
    peak: float
    rows: int
    parts: Mapping[str, float] = field(default_factory=dict)


Measure = Callable[[Work, Path], Figures]
"""How a piece of work on a log is measured once."""


@dataclass(frozen=True)
class Comparison:
    """The figures of a baseline and of the work that followed it, run by run."""

    baseline: list[Figures]
    work: list[Figures]

    @property
    def ratio(self) -> float:
        """Median of the runs' ratios of seconds, work to baseline."""
        return statistics.median(work.seconds / base.seconds for base, work in self.pairs)

    @property
    def added(self) -> float:
        """Median of the seconds the work took beyond the baseline."""
        return statistics.median(work.seconds - base.seconds for base, work in self.pairs)

    @property
    def pairs(self) -> list[tuple[Figures, Figures]]:
        """Baseline and work of each run; a baseline that ran once stands beside every run of the work."""
        baseline = self.baseline * (len(self.work) if len(self.baseline) == 1 else 1)
        return list(zip(baseline, self.work, strict=True))

    @property
    def seconds(self) -> float:
        """Median seconds of the work."""
        return statistics.median(work.seconds for work in self.work)

    @property
    def baseline_seconds(self) -> float:
        """Median seconds of the baseline."""
        return statistics.median(base.seconds for base in self.baseline)

    @property
    def peak(self) -> float:
        """Highest peak of the work, MiB."""
        return max(work.peak for work in self.work)

    @property
    def peak_growth(self) -> float:
        """Highest peak of the work as a multiple of the baseline's."""
        return self.peak / max(base.peak for base in self.baseline)

    def part(self, name: str) -> float:
        """Median seconds of a part of the baseline."""
        return statistics.median(base.parts[name] for base in self.baseline)


def in_child(work: Work, log: Path) -> Figures:
    """Do a piece of work once, in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.child", work.module, work.name, str(log.absolute())]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode:
        raise WorkFailedError(f"{work.name}: {done.stderr.strip()}")
    return Figures(**json.loads(done.stdout))


def compared(
    baseline: tuple[Work, Path], work: tuple[Work, Path], runs: int, *, once: bool = False, measure: Measure = in_child
) -> Comparison:
    """Measure a piece of work in turn with its baseline.

    Parameters
    ----------
    baseline, work
        Each a piece of work and the log it is done on.
    runs
        Times each is done; before the first, the baseline is done once unmeasured, so that both find files in memory.
    once
        Whether the baseline, being long, is done only once, and not beforehand.
    measure
        How.
    """
    if once:
        return Comparison([measure(*baseline)], [measure(*work) for _ in range(runs)])
    measure(*baseline)
    pairs = [(measure(*baseline), measure(*work)) for _ in range(runs)]
    return Comparison([base for base, _ in pairs], [done for _, done in pairs])
