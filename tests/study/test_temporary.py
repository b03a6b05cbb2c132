"""Folders that are there as long as they are needed; copies of written studies."""

import gc
import os

from sessionkit.study.temporary import TemporaryFolder, copy_package


def test_a_folder_goes_with_what_refers_to_it():
    folder = TemporaryFolder()
    path = folder.path
    (path / "file").write_text("x")
    assert path.is_dir()
    del folder
    gc.collect()
    assert not path.exists()


def test_a_copy_outlives_what_was_copied(tmp_path, monkeypatch):
    (tmp_path / "one" / "results").mkdir(parents=True)
    (tmp_path / "one" / "results" / "0").write_text("x")
    copy_package(tmp_path / "one", tmp_path / "two")
    monkeypatch.setattr(os, "link", lambda *_: (_ for _ in ()).throw(OSError("another disk")))
    copy_package(tmp_path / "one", tmp_path / "three")
    (tmp_path / "one" / "results" / "0").unlink()
    for name in ("two", "three"):
        assert (tmp_path / name / "results" / "0").read_text() == "x"
