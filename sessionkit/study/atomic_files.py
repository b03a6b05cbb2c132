"""Putting finished directories and files in their place: a crash or a power loss leaves the old one or the new one.

What is new is written beside its place, forced to the disk, and then takes the place in one rename. A directory that
replaces another is swapped with it where the system can (Linux); elsewhere there are two renames, and a crash between
them leaves the old directory beside its place under a name that ends in ``.replaced``. The next writer puts it back.

One process at a time writes to a place; others wait. What a killed process left beside a place goes when the next one
writes there.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import polars as pl

from sessionkit.errors import SpaceError, UsageError, lack_of_space

try:
    import fcntl
except ImportError:  # Windows: two writers at a time are then not kept apart
    fcntl = None  # type: ignore[assignment]

AT_FDCWD, RENAME_EXCHANGE = -100, 2
UNABLE = {errno.EBADF, errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL}
"""What file systems say that keep no locks, or force no directories to the disk."""
SETTLED = 60.0
"""Seconds after which an unlocked draft of a file belongs to nobody: a process locks its draft as soon as it made it."""
WRITABLE = "choose a directory that can be written"
LONGEST = 200
"""Bytes of a name that its drafts keep, so that theirs are not too long."""


@contextmanager
def sole_writer(target: Path) -> Iterator[None]:
    """Keep other processes from writing a directory at `target` meanwhile; wait for one that does.

    Raises
    ------
    UsageError
        The place cannot be written.
    """
    place = resolved(target)  # a link to a directory stays a link; what it leads to is replaced
    lock = place.parent / f".{_short(place.name)}.lock"
    with explained(target, WRITABLE):
        make_directory(place.parent)
    with explained(target, f"{lock} was left by another user, who can remove it" if lock.exists() else WRITABLE):
        held = _locked(lock)
    try:
        if held is not None:
            _clear_leftovers(place)
        yield
    finally:
        if held is not None:
            lock.unlink(missing_ok=True)
            os.close(held)


@contextmanager
def built_beside(target: Path, require_replaceable: Callable[[Path], None] = lambda _: None) -> Iterator[Path]:
    """Yield an empty directory beside `target`; afterwards it stands in its place, or, after an error, is gone.

    To be called within `sole_writer`.

    Parameters
    ----------
    require_replaceable
        Raises where what stands at `target` must not be replaced; asked once more when the new directory is complete.

    Raises
    ------
    UsageError
        The place cannot be written.
    """
    place = resolved(target)
    draft = place.parent / f".{_short(place.name)}.{secrets.token_hex(4)}.partial"
    with explained(target, WRITABLE):
        draft.mkdir(mode=stat.S_IMODE(place.stat().st_mode) | stat.S_IRWXU if place.exists() else 0o777)
    try:
        with explained(target, "nothing there was changed"):
            yield draft
            require_replaceable(target)
            put_in_place(draft, place)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def put_in_place(draft: Path, place: Path) -> None:
    """Rename `draft`, which is on the disk first, to `place`; a directory already there ends up under the draft's name.

    It keeps the permissions of what it replaces. Where two directories cannot be swapped these are two renames, between
    which nothing is at `place`, and the old directory is removed.
    """
    if place.exists():
        _keep_modes(place, draft)
    _sync_tree(draft)
    if not place.exists():
        draft.rename(place)
    elif not exchange(draft, place):
        aside = draft.with_suffix(".replaced")
        place.rename(aside)
        try:
            draft.rename(place)
        except OSError:
            aside.rename(place)
            raise
        sync(place.parent)
        shutil.rmtree(aside, ignore_errors=True)
    sync(place.parent)


def exchange(one: Path, other: Path) -> bool:
    """Swap two directories in one step where the system can (Linux's renameat2); return whether it did."""
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    return bool(renameat2(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE) == 0)


def sync(path: Path) -> None:
    """Force a file, or the names in a directory, to the disk, so that a power loss does not take it."""
    try:
        held = os.open(path, os.O_RDWR if os.name == "nt" and path.is_file() else os.O_RDONLY)  # Windows needs both
    except PermissionError:  # Windows opens no directories, and some that can be written cannot be read
        return
    try:
        os.fsync(held)
    except OSError as error:
        if error.errno not in UNABLE or not path.is_dir():
            raise
    finally:
        os.close(held)


def make_directory(path: Path) -> None:
    """Make a directory, and those above it that are not there, whose names are on the disk then."""
    if path != path.parent and not path.is_dir():
        make_directory(path.parent)
        path.mkdir(exist_ok=True)
        sync(path.parent)


def resolved(path: Path) -> Path:
    """Return where a path leads, through all links; UsageError where they lead in a circle."""
    try:
        return path.resolve(strict=True)
    except FileNotFoundError:
        return path.resolve()
    except (OSError, RuntimeError) as error:  # of a circle Python up to 3.12 raises the second
        if isinstance(error, OSError) and error.errno != errno.ELOOP:
            return path.resolve()
        raise UsageError(f"cannot write {path}: its links form a loop; choose another path") from None


def require_place(path: Path) -> None:
    """Raise UsageError, before anything is worked out, where a file cannot be written."""
    if path.is_dir():
        raise UsageError(f"cannot write {path}: it is a directory; name a file in it")
    folder = resolved(path).parent
    if not folder.is_dir():
        raise UsageError(f"cannot write {path}: the directory {folder} does not exist; create it first")


def write_whole(path: Path, content: bytes) -> Path:
    """Write a file beside its place and move it there in one step; return the path.

    Raises
    ------
    UsageError
        The place cannot be written; nothing there was changed.
    """
    with whole_file(path) as stream:
        stream.write(content)
    return path


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Yield a stream to a file beside `path`, which is moved there in one step when all has been written.

    A link stays a link, and what it leads to is replaced. Devices, pipes and open files (``/dev/stdout``) are written to,
    behind what is there. A file that is replaced keeps its permissions.

    Raises
    ------
    UsageError
        The place cannot be written; nothing there was changed.
    """
    require_place(path)
    with (
        explained(path, "choose another path"),
        path.open("ab") if _is_stream(path) else _drafted(resolved(path)) as stream,
    ):
        yield stream


@contextmanager
def explained(place: Path, advice: str) -> Iterator[None]:
    """Say what place cannot be written, and why, where writing to it fails.

    Raises
    ------
    SpaceError
        There is no room.
    UsageError
        It cannot be written for another reason.
    """
    try:
        yield
    except BrokenPipeError:  # who read from a pipe has left
        raise
    except (OSError, pl.exceptions.PolarsError) as error:
        if lack := lack_of_space(error):
            raise SpaceError(f"cannot write {place}: {lack}; nothing there was changed") from None
        if isinstance(error, OSError):
            of = f": {error.filename}" if error.filename else ""
            raise UsageError(f"cannot write {place}: {error.strerror or error}{of}; {advice}") from None
        raise


@contextmanager
def _drafted(place: Path) -> Iterator[IO[bytes]]:
    """Yield a stream to a draft of a file, which takes its place afterwards."""
    _clear_drafts(place)
    draft = place.parent / f".{_short(place.name)}.{secrets.token_hex(4)}.partial"
    mode = stat.S_IMODE(place.stat().st_mode) if place.exists() else None
    made = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode or 0o666)
    try:
        with open(made, "wb") as stream:  # noqa: PTH123 - it is open already
            try_lock(made)
            yield stream
            stream.flush()
            if mode is not None:
                os.chmod(draft, mode)  # noqa: PTH101 - what the umask took
            os.fsync(made)
        draft.replace(place)
        sync(place.parent)
    finally:
        draft.unlink(missing_ok=True)


def _is_stream(path: Path) -> bool:
    """Whether a path names something that is written to and not replaced: a device, a pipe, a file that is open."""
    place = path
    while True:  # link by link: what an open file is called would lead to the file itself
        if str(place.parent.resolve()).startswith("/proc/"):
            return True
        if not place.is_symlink():
            return place.exists() and not place.is_file()
        place = place.parent / place.readlink()


def linked(source: str | Path, target: str | Path) -> None:
    """Give a file a second name, or copy it where that cannot be."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _locked(path: Path) -> int | None:
    """Return an open lock file that no other process holds, waiting for it; None where there are no locks."""
    if fcntl is None:
        return None
    while True:
        try:
            held = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)  # network file systems lock no file that is only read
        except PermissionError:  # another user's
            held = os.open(path, os.O_RDONLY)
        kept = False
        try:
            fcntl.flock(held, fcntl.LOCK_EX)
            kept = os.path.samestat(os.fstat(held), path.stat())
            if kept:
                return held
        except FileNotFoundError:  # who held it has removed it
            continue
        except OSError as error:
            if error.errno not in UNABLE:
                raise
            path.unlink(missing_ok=True)
            return None
        finally:
            if not kept:
                os.close(held)


def try_lock(held: int) -> bool:
    """Lock an open file if no other process has, and return whether it is locked now."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def is_left(held: int) -> bool:
    """Whether an open file was left by a process that was killed: nobody has it locked, and it is not new."""
    found = os.fstat(held)
    return stat.S_ISREG(found.st_mode) and time.time() - found.st_mtime > SETTLED and try_lock(held)


def _clear_leftovers(place: Path) -> None:
    """Put back, or remove, what a killed process left beside a place; only the one writer there may."""
    for path in _named_after(place, "replaced"):
        if place.exists():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.rename(place)
    for path in _named_after(place, "partial"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)


def _clear_drafts(place: Path) -> None:
    """Remove drafts of a file whose writers were killed: nobody has locked them, and they are not new."""
    for path in _named_after(place, "partial"):
        try:
            held = os.open(path, os.O_RDWR | getattr(os, "O_NONBLOCK", 0))
        except OSError:  # it is gone, or another user's
            continue
        try:
            if is_left(held):
                path.unlink(missing_ok=True)
        finally:
            os.close(held)


def _named_after(place: Path, ending: str) -> list[Path]:
    """Return what lies beside a place under the name of a draft of it."""
    pattern = re.compile(rf"\.{re.escape(_short(place.name))}\.[0-9a-f]{{8}}\.{ending}")
    try:
        return [path for path in place.parent.iterdir() if pattern.fullmatch(path.name)]
    except PermissionError:  # it can be written, and not be listed
        return []


def _short(name: str) -> str:
    """Return as much of a name as is left for the names of drafts."""
    return os.fsencode(name)[:LONGEST].decode(errors="ignore")


def _keep_modes(old: Path, new: Path) -> None:
    """Give a directory and what is in it the permissions of what it replaces; what is new in it gets no wider ones."""
    top = stat.S_IMODE(old.stat().st_mode)
    for path in [new, *new.rglob("*")]:
        before = old / path.relative_to(new)
        if before.exists():
            mode = stat.S_IMODE(before.stat().st_mode)
        else:
            mode = stat.S_IMODE(path.stat().st_mode) & top if path.is_file() else top
        if mode != stat.S_IMODE(path.stat().st_mode):
            path.chmod(mode)


def _sync_tree(directory: Path) -> None:
    """Force all files of a directory to the disk, then their names."""
    paths = list(directory.rglob("*"))
    for path in [*(path for path in paths if path.is_file()), *(path for path in paths if path.is_dir()), directory]:
        sync(path)
