"""Folders that are there as long as they are needed; copies of written studies."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sessionkit as sk
from sessionkit.study.package import TemporaryFolder, clear_leftovers, copy_package

SCRIPT = """
import gc, os, sys
from sessionkit.study.package import TemporaryFolder
path = TemporaryFolder().path
(path / "file").write_text("x")
gc.collect()
child = os.fork()
if child == 0:
    sys.exit(0)
os.waitpid(child, 0)
print((path / "file").exists(), path)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_folder_outlives_its_object_and_forks_but_not_the_process():
    said = subprocess.run([sys.executable, "-c", SCRIPT], check=True, capture_output=True, text=True).stdout
    there, path = said.strip().split(" ", 1)
    assert there == "True"
    assert not Path(path).exists()


def test_a_folder_can_go_at_once():
    folder = TemporaryFolder()
    (folder.path / "file").write_text("x")
    folder.remove()
    assert not folder.path.exists()


def test_a_copy_outlives_what_was_copied(tmp_path, monkeypatch):
    rows = {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "system_id": ["A"]}
    package = sk.from_tables(rows).save(tmp_path / "one", partition_by="system_id").path
    copy_package(package, tmp_path / "two")
    monkeypatch.setattr(os, "link", lambda *_: (_ for _ in ()).throw(OSError("another disk")))
    copy_package(package, tmp_path / "three")
    shutil.rmtree(package)
    for name in ("two", "three"):
        assert sk.open_study(tmp_path / name).results.collect()["doc_id"].to_list() == ["a"]


def test_what_a_killed_process_left_is_removed(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    killed = SCRIPT.replace("child = os.fork()", "print(path); sys.stdout.flush(); os.kill(os.getpid(), 9)")
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    said = subprocess.run([sys.executable, "-c", killed], check=False, capture_output=True, text=True, env=environment)
    left = Path(said.stdout.strip())
    (tmp_path / "sessionkit-analysis").mkdir()
    with TemporaryFolder() as fresh:
        assert left.exists(), "its process may be about to lock it"
        os.utime(left / ".sessionkit-temporary", (0, 0))
        os.utime(fresh / ".sessionkit-temporary", (0, 0))
        with TemporaryFolder():
            assert left.exists(), "a process looks once"
        clear_leftovers.cache_clear()  # as in the next process
        with TemporaryFolder():
            assert (left.exists(), fresh.exists()) == (False, True)
    assert [path.name for path in tmp_path.iterdir()] == ["sessionkit-analysis"]


@pytest.mark.parametrize("moment", ["mkdir", "rmtree"])
def test_a_folder_whose_process_was_killed_while_making_or_removing_it_is_removed(tmp_path, monkeypatch, moment):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    module = {"mkdir": "os", "rmtree": "shutil"}[moment]
    after = "made = real(*given, **named); " if moment == "mkdir" else ""
    script = f"""
import os, shutil, signal
from sessionkit.study.package import TemporaryFolder
real = {module}.{moment}
def killed(*given, **named):
    {after}os.kill(os.getpid(), signal.SIGKILL)
{module}.{moment} = killed
folder = TemporaryFolder()
(folder.path / "study").mkdir()
folder.remove()
"""
    subprocess.run([sys.executable, "-c", script], check=False, env={**os.environ, "TMPDIR": str(tmp_path)})
    (left,) = tmp_path.iterdir()
    names = ("0000mine.temporary", "0123abcd.temporary", "analysis", "deadbeef.temporary", "notes")
    others = [tmp_path / f"sessionkit-{name}" for name in names]
    for folder in others:
        folder.mkdir()
    (others[1] / "file").write_text("mine")
    for folder in others[2:]:
        (folder / ".sessionkit-temporary").write_text("mine")
        os.utime(folder / ".sessionkit-temporary", (0, 0))
    with TemporaryFolder():
        assert left.exists(), "its process may be about to mark it, or to lock its mark"
    for path in (*left.iterdir(), left, *others):
        os.utime(path, (0, 0))
    clear_leftovers.cache_clear()  # as in the next process
    with TemporaryFolder():
        assert not left.exists()
    assert sorted(tmp_path.iterdir()) == others
