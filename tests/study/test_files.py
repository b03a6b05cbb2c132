"""One rename: with and without the system call that swaps two directories; what is on the disk before it."""

import os
import stat
import threading
import time
from pathlib import Path

import polars as pl
import pytest

from sessionkit.errors import SpaceError, UsageError, WaitWarning
from sessionkit.study import files
from sessionkit.study.files import built_beside, sole_writer, whole_file, write_whole


@pytest.mark.parametrize("swap", [True, False])
def test_the_new_takes_the_place_of_the_old(tmp_path, monkeypatch, swap):
    if not swap:
        monkeypatch.setattr(files, "exchange", lambda *_: False)
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
        monkeypatch.setattr(files, "exchange", lambda *_: False)
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
    monkeypatch.setattr(files, "exchange", lambda *_: False)
    place, draft = tmp_path / "out", tmp_path / "draft"
    place.mkdir()
    (place / "file").write_text("old")
    with pytest.raises(OSError, match="draft"):
        files.put_in_place(draft, place)
    assert (place / "file").read_text() == "old"


@pytest.mark.parametrize("swap", [True, False])
def test_a_link_to_a_directory_stays_a_link(tmp_path, monkeypatch, swap):
    if not swap:
        monkeypatch.setattr(files, "exchange", lambda *_: False)
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


@pytest.fixture
def calls(monkeypatch):
    """What was done to the file system, in order: syncs by the path of what was open, renames and removals."""
    done = []
    sync, rename, swap, remove = os.fsync, os.rename, files.exchange, files.shutil.rmtree

    def synced(held):
        done.append(("sync", str(Path(f"/proc/self/fd/{held}").readlink())))
        sync(held)

    def renamed(one, other, **given):
        done.append(("rename", str(other)))
        rename(one, other, **given)

    def swapped(one, other):
        done.append(("rename", str(other)))
        return swap(one, other)

    def removed(path, **given):
        done.append(("remove", str(path)))
        remove(path, **given)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "rename", renamed)
    monkeypatch.setattr(os, "replace", renamed)
    monkeypatch.setattr(files, "exchange", swapped)
    monkeypatch.setattr(files.shutil, "rmtree", removed)
    return done


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="this system does not tell what is open")  # noqa: PTH112
@pytest.mark.parametrize("there", [False, True])
def test_a_directory_is_on_the_disk_before_it_takes_its_place(tmp_path, calls, there):
    place = tmp_path / "out"
    if there:
        (place / "old").mkdir(parents=True)
    with built_beside(place) as draft:
        (draft / "log").mkdir()
        (draft / "log" / "part").write_text("x")
        (draft / "file").write_text("x")
    named = [(kind, path.replace(str(draft), "draft")) for kind, path in calls]
    moved = named.index(("rename", str(place)))
    assert {path for kind, path in named[:moved] if kind == "sync"} >= {
        "draft/log/part",
        "draft/file",
        "draft/log",
        "draft",
    }
    assert named[moved + 1] == ("sync", str(tmp_path)), "the new name is on the disk before the old files go"
    assert [kind for kind, _ in named[moved:]] == ["rename", "sync", *(["remove"] if there else [])]


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="this system does not tell what is open")  # noqa: PTH112
def test_a_file_is_on_the_disk_before_it_takes_its_place(tmp_path, calls):
    write_whole(tmp_path / "scores.tsv", b"x")
    (first, draft), *rest = calls
    assert (first, draft.startswith(str(tmp_path / ".scores.tsv."))) == ("sync", True)
    assert rest == [("rename", str(tmp_path / "scores.tsv")), ("sync", str(tmp_path))]


def modes(folder):
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in [folder, *folder.iterdir()]}


def test_what_is_replaced_keeps_its_permissions(tmp_path):
    place = tmp_path / "out"
    place.mkdir(mode=0o700)
    (place / "file").write_text("old")
    (place / "file").chmod(0o640)
    with built_beside(place) as draft:
        (draft / "file").write_text("new")
        (draft / "more").write_text("new")
        (draft / "more").chmod(0o644)
    assert modes(place) == {"out": 0o700, "file": 0o640, "more": 0o600}
    report = tmp_path / "report.html"
    report.write_text("old")
    report.chmod(0o600)
    write_whole(report, b"new")
    assert (report.read_text(), stat.S_IMODE(report.stat().st_mode)) == ("new", 0o600)


def test_what_is_new_follows_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        with built_beside(tmp_path / "out") as draft:
            (draft / "file").write_text("new")
        write_whole(tmp_path / "report.html", b"new")
    finally:
        os.umask(before)
    assert modes(tmp_path / "out") == {"out": 0o750, "file": 0o640}
    assert stat.S_IMODE((tmp_path / "report.html").stat().st_mode) == 0o640


def test_a_link_to_a_file_stays_a_link(tmp_path):
    (tmp_path / "kept").mkdir()
    link = tmp_path / "link.tsv"
    link.symlink_to("kept/scores.tsv")
    for content in (b"first", b"second"):
        write_whole(link, content)
        assert link.is_symlink()
        assert (tmp_path / "kept" / "scores.tsv").read_bytes() == content
    link.unlink()
    link.symlink_to("nowhere/scores.tsv")
    with pytest.raises(UsageError, match="does not exist; create it"):
        write_whole(link, b"x")


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="this system names no open files")  # noqa: PTH112
def test_open_files_and_pipes_are_written_to(tmp_path):
    target = tmp_path / "redirected"
    target.write_bytes(b"before ")
    with target.open("ab") as stream:
        link, further = tmp_path / "stdout", tmp_path / "further"
        link.symlink_to(f"/proc/self/fd/{stream.fileno()}")
        further.symlink_to(link)
        inode = target.stat().st_ino
        write_whole(link, b"through ")
        write_whole(further, b"links")
    assert (target.read_bytes(), target.stat().st_ino) == (b"before through links", inode)
    assert link.is_symlink()
    assert further.is_symlink()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, b"through")
    reader.join()
    assert (read, stat.S_ISFIFO(pipe.stat().st_mode)) == ([b"through"], True)


def test_one_process_at_a_time_writes_to_a_place(tmp_path):
    place, inside, most = tmp_path / "out", [], []

    def write():
        with sole_writer(place):
            inside.append(1)
            most.append(len(inside))
            time.sleep(0.01)
            inside.pop()

    writers = [threading.Thread(target=write) for _ in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert most == [1] * 8
    assert list(tmp_path.iterdir()) == []


def tagged(place, suffix):
    """Make a file beside a place as a killed process leaves it, or return the path of a directory to make."""
    return files.make_tagged(place.parent, f".{place.name}.", suffix, lambda path: path.touch(exist_ok=False))[0]


def test_thousands_of_tagged_files_stand_beside_each_other(tmp_path):
    """A process keeps a temporary folder for every pseudonymized study."""
    made = {tagged(tmp_path / "out", ".partial") for _ in range(2000)}
    assert len(made) == 2000
    assert set(files.find_tagged(tmp_path, ".out.", ".partial")) == made


def test_what_killed_processes_left_goes(tmp_path):
    place = tmp_path / "out"
    for suffix in (".partial", ".replaced"):
        left = tagged(place, suffix)
        left.unlink()
        left.mkdir()
        (left / "file").write_text("old" if suffix == ".replaced" else "half")
    with sole_writer(place):
        assert (place / "file").read_text() == "old", "what had been moved aside is back"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    left, fresh = (tagged(tmp_path / "scores.tsv", ".partial") for _ in range(2))
    os.utime(left, (0, 0))
    write_whole(tmp_path / "scores.tsv", b"whole")
    assert (left.exists(), fresh.exists()) == (False, True)


def foreign(path, kind):
    """Put something of somebody else at a path, an hour ago."""
    if kind.endswith("directory"):
        path.mkdir()
    elif kind == "link":
        (path.parent / "elsewhere").write_text("mine")
        path.symlink_to("elsewhere")
    else:
        path.touch()
    if kind in ("file", "directory"):
        (path / "notes" if path.is_dir() else path).write_text("mine")
    for left in [path, *path.rglob("*")]:
        os.utime(left, (0, 0))


def shown(path):
    """What stands at a path."""
    files = {file.name: file.read_text() for file in path.iterdir()} if path.is_dir() else path.read_text()
    return path.is_symlink(), files, path.stat().st_mtime


@pytest.mark.parametrize("kind", ["file", "empty file", "directory", "empty directory", "link"])
@pytest.mark.parametrize(
    "ending", ["lock", "0123abcd.partial", "deadbeef.partial", "0123abcd.replaced", "00000000.replaced"]
)
def test_what_others_put_beside_a_place_stays(tmp_path, kind, ending):
    for target in ("new", "old"):
        place = tmp_path / target / "out"
        place.parent.mkdir()
        beside = place.parent / f".out.{ending}"
        foreign(beside, kind)
        before = shown(beside)
        if target == "old":
            place.mkdir()
        with sole_writer(place), built_beside(place) as draft:
            (draft / "file").write_text("new")
        write_whole(place / "file", b"more")
        assert shown(beside) == before
        assert {path.name for path in place.parent.iterdir()} - {"elsewhere"} == {"out", beside.name}
        foreign(place / f".file.{ending}", kind)
        write_whole(place / "file", b"most")
        assert (place / f".file.{ending}").exists()


def test_a_lock_that_leads_nowhere_is_refused(tmp_path):
    (tmp_path / ".out.lock").symlink_to("nowhere")
    with (
        pytest.raises(UsageError, match=r"\.out\.lock is a link"),
        sole_writer(tmp_path / "out"),
    ):
        pass
    assert [path.name for path in tmp_path.iterdir()] == [".out.lock"]


def test_a_file_to_which_a_lock_leads_stays_as_it_is(tmp_path):
    content = "sessionkit process 1 on a: ingest\nmore"
    (tmp_path / "other").write_text(content)
    (tmp_path / ".out.lock").symlink_to("other")
    with sole_writer(tmp_path / "out"):
        pass
    assert (tmp_path / "other").read_text() == content
    assert (tmp_path / ".out.lock").is_symlink()


def test_a_lock_that_a_killed_process_left_goes(tmp_path):
    with sole_writer(tmp_path / "out"):
        content = (tmp_path / ".out.lock").read_text()
    assert content.startswith(f"sessionkit process {os.getpid()} on ")
    (tmp_path / ".out.lock").write_text(content * 9)
    with sole_writer(tmp_path / "out"):
        assert (tmp_path / ".out.lock").read_text() == content
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "named"),
    [
        (None, r"process PID \(.+\), which writes there"),
        (
            "sessionkit process 17 on node7: ingest\x1b[31m",
            r"process 17 on node7 \(ingest\\e\[31m\)",
        ),
        ("", r"the process .*\.out\.lock"),
        ("mine", r"the process .*\.out\.lock"),
    ],
)
def test_a_writer_that_waits_says_for_whom(tmp_path, monkeypatch, content, named):
    monkeypatch.setattr(files, "PATIENCE", 0.1)
    named = named.replace("PID", str(os.getpid()))  # the names of tests are the same in every process
    entered, leave = threading.Event(), threading.Event()
    if content in {"", "mine"}:
        (tmp_path / ".out.lock").write_text(content)

    def hold():
        with sole_writer(tmp_path / "out"):
            if content is not None:
                (tmp_path / ".out.lock").write_text(content)
            entered.set()
            leave.wait(30)

    holder = threading.Thread(target=hold)
    holder.start()
    assert entered.wait(30)
    release = threading.Timer(0.4, leave.set)
    release.start()
    with (
        pytest.warns(WaitWarning, match=f"^waiting to write {tmp_path / 'out'} for {named}.*; Ctrl-C"),
        sole_writer(tmp_path / "out"),
    ):
        assert leave.is_set()
    holder.join()


def test_a_writer_that_need_not_wait_says_nothing(tmp_path, recwarn):
    for _ in range(2):
        with sole_writer(tmp_path / "out"):
            pass
    assert list(recwarn) == []


@pytest.fixture
def unconfirmed(monkeypatch):
    """After a rename no directory is forced to the disk; the error is the one that is set."""
    state = {"moved": False, "error": OSError(5, "Input/output error")}
    real, rename, replace, swap = os.fsync, os.rename, os.replace, files.exchange

    def forced(held):
        if state["moved"] and stat.S_ISDIR(os.fstat(held).st_mode):
            raise state["error"]
        real(held)

    def moved(move):
        def call(*given, **named):
            state["moved"] = True
            return move(*given, **named)

        return call

    monkeypatch.setattr(os, "fsync", forced)
    monkeypatch.setattr(os, "rename", moved(rename))
    monkeypatch.setattr(os, "replace", moved(replace))
    monkeypatch.setattr(files, "exchange", moved(swap))
    return state


@pytest.mark.parametrize("swap", [True, False])
@pytest.mark.parametrize(("error", "kind"), [(5, UsageError), (28, SpaceError), (122, SpaceError)])
def test_what_the_disk_does_not_confirm_was_replaced_all_the_same(
    tmp_path, monkeypatch, unconfirmed, *, swap, error, kind
):
    if not swap:
        monkeypatch.setattr(files, "exchange", lambda *_: False)
    unconfirmed["error"] = OSError(error, os.strerror(error))
    place = tmp_path / "out"
    place.mkdir()
    (place / "file").write_text("old")

    def write(content):
        with sole_writer(place), built_beside(place) as draft:
            (draft / "file").write_text(content)

    with pytest.raises(kind, match=r"out was replaced, but .* confirm") as caught:
        write("new")
    assert "nothing there was changed" not in str(caught.value)
    assert (place / "file").read_text() == "new"
    (kept,) = set(tmp_path.iterdir()) - {place}
    assert str(kept) in str(caught.value)
    assert (kept / "file").read_text() == "old"
    unconfirmed.update(moved=False, error=OSError(22, "Invalid argument"))  # a disk that forces no names at all
    write("newer")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    unconfirmed.update(moved=False, error=OSError(error, os.strerror(error)))
    for name in ("scores.tsv", "scores.tsv"):
        with pytest.raises(kind, match=r"scores\.tsv was written.*confirm"):
            write_whole(tmp_path / name, b"new")
        assert (tmp_path / name).read_bytes() == b"new"
        unconfirmed["moved"] = False


def test_what_cannot_be_put_back_is_named(tmp_path, monkeypatch):
    place = tmp_path / "out"
    place.mkdir()
    (place / "file").write_text("old")
    monkeypatch.setattr(files, "exchange", lambda *_: False)
    rename, calls = os.rename, []

    def renamed(*given):
        calls.append(given)
        if len(calls) > 1:
            raise OSError(5, "Input/output error")
        rename(*given)

    monkeypatch.setattr(os, "rename", renamed)
    with pytest.raises(UsageError, match=r"replaced: rename it to out"), built_beside(place):
        pass
    (kept,) = tmp_path.iterdir()
    assert (kept / "file").read_text() == "old"


def test_a_study_without_write_permission_can_be_removed(tmp_path, monkeypatch):
    place = tmp_path / "out"
    (place / "log").mkdir(parents=True)
    for folder in (place / "log", place):
        folder.chmod(0o555)
    modes, remove = [], files.shutil.rmtree

    def removed(path, **named):
        modes.extend(stat.S_IMODE(folder.stat().st_mode) for folder in (path, path / "log"))
        remove(path, **named)

    monkeypatch.setattr(files.shutil, "rmtree", removed)
    with built_beside(place) as draft:
        (draft / "log").mkdir()
    assert modes == [0o755, 0o755]
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in (place, place / "log")} == {0o555}


def test_a_signal_between_two_renames_puts_the_old_back(tmp_path, monkeypatch):
    place = tmp_path / "out"
    place.mkdir()
    (place / "file").write_text("old")
    monkeypatch.setattr(files, "exchange", lambda *_: False)
    rename, calls = os.rename, []

    def renamed(*given):
        calls.append(given)
        if len(calls) == 2:
            raise KeyboardInterrupt
        rename(*given)

    monkeypatch.setattr(os, "rename", renamed)
    with pytest.raises(KeyboardInterrupt), built_beside(place):
        pass
    assert (place / "file").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_the_draft_of_a_writer_at_work_stays(tmp_path):
    with whole_file(tmp_path / "scores.tsv") as stream:
        stream.write(b"first")
        (draft,) = tmp_path.iterdir()
        os.utime(draft, (0, 0))
        write_whole(tmp_path / "scores.tsv", b"second")
        assert draft.exists()
    assert (tmp_path / "scores.tsv").read_bytes() == b"first"


def test_links_in_a_circle_are_refused(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    one.symlink_to(other)
    other.symlink_to(one)
    with pytest.raises(UsageError, match="its links form a loop"):
        write_whole(one, b"x")
    with pytest.raises(UsageError, match="its links form a loop"), sole_writer(one):
        pass


def test_a_folder_that_only_its_owner_may_not_write_in_is_replaced(tmp_path):
    place = tmp_path / "out"
    place.mkdir()
    place.chmod(0o555)
    with built_beside(place) as draft:
        assert stat.S_IMODE(draft.stat().st_mode) == 0o755
        (draft / "file").write_text("new")
    assert stat.S_IMODE(place.stat().st_mode) == 0o555
    assert (place / "file").read_text() == "new"


def test_a_disk_that_forces_no_names_is_written_all_the_same(tmp_path, monkeypatch):
    real = os.fsync

    def forced(held):
        if stat.S_ISDIR(os.fstat(held).st_mode):
            raise OSError(22, "Invalid argument")
        real(held)

    monkeypatch.setattr(os, "fsync", forced)
    write_whole(tmp_path / "file", b"new")
    with built_beside(tmp_path / "out") as draft:
        (draft / "file").write_text("new")
    assert (tmp_path / "file").read_bytes() == b"new"
    assert (tmp_path / "out" / "file").read_text() == "new"


def test_long_names_have_short_drafts(tmp_path):
    name = "\u65e5" * 84
    write_whole(tmp_path / name, b"new")
    with sole_writer(tmp_path / f"{name[:-1]}x"), built_beside(tmp_path / f"{name[:-1]}x") as draft:
        (draft / "file").write_text("new")
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(28, "No space left on device"), "no space is left .*; nothing"),
        (OSError(122, "Disk quota exceeded"), "disk quota is used"),
        (
            pl.exceptions.ComputeError("File too large (os error 27)"),
            "limit for file sizes",
        ),
    ],
)
def test_where_there_is_no_room_it_is_said(tmp_path, error, said):
    def fail(writing):
        with writing:
            raise error

    (tmp_path / "scores.tsv").write_text("old")
    for writing in (built_beside(tmp_path / "out"), whole_file(tmp_path / "scores.tsv")):
        with pytest.raises(SpaceError, match=said):
            fail(writing)
    assert [path.name for path in tmp_path.iterdir()] == ["scores.tsv"]
    assert (tmp_path / "scores.tsv").read_text() == "old"


def test_what_has_nothing_to_do_with_room_is_said_as_it_is(tmp_path):
    def fail(error):
        with built_beside(tmp_path / "out"):
            raise error

    with pytest.raises(pl.exceptions.ComputeError, match="no such column"):
        fail(pl.exceptions.ComputeError("no such column"))
    with pytest.raises(UsageError, match="Input/output error; nothing"):
        fail(OSError(5, "Input/output error"))


def test_a_lock_for_which_there_is_no_room_was_left_by_nobody(tmp_path, monkeypatch):
    def full(path, *_):
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(files, "_locked", full)
    with pytest.raises(SpaceError, match="no space is left"), sole_writer(tmp_path / "out"):
        pass
