"""What is said where the extra is missing; what a local session is started with."""

import signal
import sys
from pathlib import Path

import pytest

from sessionkit.errors import UsageError
from sessionkit.spark import connection, engine
from sessionkit.spark.connection import is_local, session
from sessionkit.study.package import MARK


@pytest.mark.parametrize("name", ["pyspark", "pandas"])
def test_the_extra_is_named_where_it_is_missing(monkeypatch, name):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UsageError, match=rf'needs {name}: pip install "sessionkit-ir\[spark\]"'):
        engine.score("study", ["sDCG@3"], per="session")


@pytest.mark.spark
def test_a_local_session_listens_to_this_machine_only(spark):
    conf = spark.sparkContext.getConf()
    assert is_local(spark.sparkContext.master)
    assert conf.get("spark.driver.bindAddress") == conf.get("spark.driver.host") == "127.0.0.1"
    assert conf.get("spark.sql.session.timeZone") == "UTC"
    assert conf.get("spark.executorEnv.POLARS_MAX_THREADS") == "1"
    assert session("local[2]") is spark
    with pytest.raises(UsageError, match=r"a Spark session on local\[2\] is running"):
        session("local[1]")


@pytest.mark.parametrize("is_own", [True, False])
def test_a_handler_of_its_own_for_interrupts_is_kept(is_own):
    def handle(number, frame): ...

    before = signal.signal(signal.SIGINT, handle if is_own else signal.default_int_handler)
    with connection._same_interrupt():
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # as pyspark sets its own
    assert signal.signal(signal.SIGINT, before) is (handle if is_own else signal.SIG_IGN)


def test_the_folder_of_a_local_session_is_removed_by_others_where_its_process_is_killed():
    assert (Path(connection._local()["spark.local.dir"]) / MARK).exists()
