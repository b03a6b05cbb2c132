"""One rename: with and without the system call that swaps two directories."""

import pytest

from sessionkit.study import replacing
from sessionkit.study.replacing import built_beside, whole_file


@pytest.mark.parametrize("swap", [True, False])
def test_the_new_takes_the_place_of_the_old(tmp_path, monkeypatch, swap):
    if not swap:
        monkeypatch.setattr(replacing, "exchange", lambda *_: False)
    place = tmp_path / "out"
    for content in ("old", "new"):
        with built_beside(place) as draft:
            (draft / "file").write_text(content)
            assert not place.exists() or (place / "file").read_text() == "old", "nothing changes before the end"
    assert (place / "file").read_text() == "new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("swap", [True, False])
def test_an_error_leaves_the_old(tmp_path, monkeypatch, swap):
    if not swap:
        monkeypatch.setattr(replacing, "exchange", lambda *_: False)
    place = tmp_path / "out"
    place.mkdir()
    (place / "file").write_text("old")

    def fail():
        with built_beside(place) as draft:
            (draft / "file").write_text("new")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert (place / "file").read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_a_failed_second_rename_puts_the_old_back(tmp_path, monkeypatch):
    monkeypatch.setattr(replacing, "exchange", lambda *_: False)
    place, draft = tmp_path / "out", tmp_path / "draft"
    place.mkdir()
    (place / "file").write_text("old")
    with pytest.raises(OSError, match="draft"):
        replacing.put_in_place(draft, place)
    assert (place / "file").read_text() == "old"


@pytest.mark.parametrize("swap", [True, False])
def test_a_link_to_a_directory_stays_a_link(tmp_path, monkeypatch, swap):
    if not swap:
        monkeypatch.setattr(replacing, "exchange", lambda *_: False)
    (tmp_path / "kept" / "out").mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "kept" / "out")
    with built_beside(link) as draft:
        (draft / "file").write_text("new")
    assert link.is_symlink()
    assert (tmp_path / "kept" / "out" / "file").read_text() == "new"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["kept", "link"]
    assert [entry.name for entry in (tmp_path / "kept").iterdir()] == ["out"]


def test_a_file_that_fails_half_way_leaves_the_old(tmp_path):
    place = tmp_path / "scores.tsv"
    place.write_text("old")

    def fail():
        with whole_file(place) as stream:
            stream.write(b"half")
            raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        fail()
    assert place.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["scores.tsv"]
