"""A piece of work: what is timed, what it is given, and what is made ready before the clock starts.

Works are found by module and name, so that a child process imports nothing but the module of the one it does.
"""

from __future__ import annotations

import compileall
import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sessionkit as sk


def compiled() -> None:
    """Compile the package, as an installed one is, also where Python is told to leave no such files."""
    compileall.compile_dir(Path(sk.__file__).parent, quiet=2)


@dataclass(frozen=True)
class Done:
    """What a piece of work leaves behind beside the time it took.

    Parameters
    ----------
    rows
        Rows (or bytes) it made, so that nobody times work that did nothing.
    parts
        Seconds of its parts, by name.
    peak
        Peak memory in MiB where it is not that of the process that did the work.
    """

    rows: int
    parts: Mapping[str, float] = field(default_factory=dict)
    peak: float | None = None


@dataclass(frozen=True)
class Work:
    """A piece of work.

    Parameters
    ----------
    do
        What is timed; takes what `ready` returns.
    ready
        What is done before the clock starts; takes the folder of the log and an empty folder to write to.
    module, name
        Where it is found.
    what
        What it is, in a sentence.
    """

    do: Callable[[Any], int | Done]
    ready: Callable[[Path, Path], Any]
    module: str
    name: str
    what: str


def work(ready: Callable[[Path, Path], Any]) -> Callable[[Callable[[Any], int | Done]], Work]:
    """Make a function a piece of work that is given what `ready` returns."""

    def made(function: Callable[[Any], int | Done]) -> Work:
        return Work(
            function, ready, function.__module__, function.__name__, (function.__doc__ or "").partition("\n")[0]
        )

    return made


def of_study(function: Callable[[sk.Study], int | Done]) -> Work:
    """Make a function of a study a piece of work; opening the saved study is timed, importing sessionkit is not."""

    def opened(directory: Path) -> int | Done:
        return function(sk.open_study(directory))

    opened.__module__, opened.__name__, opened.__doc__ = function.__module__, function.__name__, function.__doc__
    return work(_saved)(opened)


def imported() -> None:
    """Import sessionkit, so that work is timed and not the reading of code."""
    for name in ("open_study", "read", "score", "curve", "breakdown", "compare"):
        getattr(sk, name)
    importlib.import_module("scipy.stats")
    importlib.import_module("sessionkit.cli.app")


def within(page: Path, megabytes: int) -> int:
    """Return the bytes of a page; end with an error where there are more than so many megabytes."""
    found = page.stat().st_size
    if found > megabytes * 10**6:
        raise SystemExit(f"{page.name} has {found:,} bytes, more than {megabytes} MB")
    return found


def _saved(log: Path, _scratch: Path) -> Path:
    """Return the directory of the log's study."""
    imported()
    return log / "study"
