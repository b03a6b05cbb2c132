"""Commands from start to finish, beside what Python itself costs. Imports nothing heavy: it would show in the peak."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

from tests.benchmarks.work import Done, compiled, within, work

SESSIONKIT = [sys.executable, "-c", "import sys; from sessionkit.cli import main; sys.exit(main())"]
"""What the console script `sessionkit` does."""


def _study(log: Path, _scratch: Path) -> Path:
    """The study; and the package compiled."""
    compiled()
    return log / "study"


def _study_and_page(log: Path, scratch: Path) -> tuple[Path, Path]:
    """The same with a page to write."""
    return _study(log, scratch), scratch / "report.html"


@work(_study)
def import_polars(_study: Path) -> Done:
    """`python -c "import polars"`."""
    return _ran([sys.executable, "-c", "import polars"])


@work(_study)
def import_altair(_study: Path) -> Done:
    """`python -c "import altair"`."""
    return _ran([sys.executable, "-c", "import altair"])


@work(_study)
def nothing(_study: Path) -> Done:
    """`python -c pass`."""
    return _ran([sys.executable, "-c", "pass"])


@work(_study)
def score(study: Path) -> Done:
    """`sessionkit score` of one measure on the study of the clinic example."""
    return _ran([*SESSIONKIT, "score", str(study), "sDCG@10"])


@work(_study_and_page)
def report(places: tuple[Path, Path]) -> Done:
    """`sessionkit report` of the study of the clinic example."""
    study, page = places
    done = _ran([*SESSIONKIT, "report", str(study), "--output", str(page)])
    within(page, 2)
    return done


def _study_and_folder(log: Path, scratch: Path) -> tuple[Path, Path]:
    """The same with a folder to write figures to."""
    return _study(log, scratch), scratch


@work(_study_and_folder)
def figure(places: tuple[Path, Path]) -> Done:
    """`sessionkit chart` of one session of the clinic example."""
    study, folder = places
    return _ran(
        [*SESSIONKIT, "chart", "session-card", str(study), "--session", "c002", "--output", str(folder / "one.svg")]
    )


@work(_study_and_folder)
def figure_of_each(places: tuple[Path, Path]) -> Done:
    """`sessionkit chart --each session` of the clinic example: 120 figures and their index."""
    study, folder = places
    return _ran(
        [*SESSIONKIT, "chart", "session-card", str(study), "--each", "session", "--output", str(folder / "each")]
    )


@work(_study_and_folder)
def wall(places: tuple[Path, Path]) -> Done:
    """`sessionkit chart session-wall`: a panel for each session of a study, on one sheet or several."""
    study, folder = places
    return _ran([*SESSIONKIT, "chart", "session-wall", str(study), "nsDCG@10", "--output", str(folder / "wall.svg")])


@work(_study)
def version(_study: Path) -> Done:
    """`sessionkit --version`."""
    return _ran([*SESSIONKIT, "--version"])


def _ran(command: list[str]) -> Done:
    """Run a command to its end; return its peak memory."""
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return Done(rows=1, peak=peak / (2**20 if sys.platform == "darwin" else 2**10))
