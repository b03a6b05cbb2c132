"""A Spark session of one's own: local with settings that are safe and quiet, or on the cluster that a URL names."""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from sessionkit.engines.spark.java import java_home
from sessionkit.errors import UsageError
from sessionkit.study.temporary import TemporaryFolder

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
