"""One Spark for all tests of this folder: two cores of this machine, from PyPI alone where there is no Java.

Where tests run side by side, those of this folder run in one process (see the scheduler in tests/conftest.py).
"""

import sys
from pathlib import Path

import pytest

import sessionkit as sk

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "scoring")]  # the logs of these tests, the variants of the measures


QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""To Java: compile little. Its second compiler takes longer over Spark's code than it saves in a minute of small tables."""


@pytest.fixture(scope="session")
def spark():
    """Return a Spark session of ours on local[2]."""
    pytest.importorskip("pyspark", reason="the extra spark is not installed")
    from sessionkit.spark.connection import session

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_SUBMIT_OPTS", QUICK)
        running = session("local[2]", {"spark.sql.shuffle.partitions": "3", "spark.driver.memory": "1g"})
    yield running
    running.stop()


@pytest.fixture(scope="session")
def saved(tmp_path_factory):
    """A study on disk with everything in it, in a folder whose name Spark could take for a pattern."""
    from tests.spark.logs import DECLARED, tables

    study = sk.from_tables(**tables(), **DECLARED)
    return study.save(tmp_path_factory.mktemp("studies") / "a {study}, *mine* [1]")
