"""Putting finished directories and files in their place: a crash or a power loss leaves the old one or the new one.

What is new is written beside its place, forced to the disk, and then takes the place in one rename. A directory that
replaces another is swapped with it where the system can (Linux); elsewhere there are two renames, and a crash between
them leaves the old directory beside its place under a name that ends in ``.replaced``. The next writer puts it back.

One process at a time writes to a place; others wait. The next process that writes there removes what a killed one left.
It knows that by its name, which holds digits that only sessionkit computes (`make_tagged`), and a lock by its content.
Files of others are neither removed nor changed.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import os
import re
import secrets
import shutil
import socket
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple, TypeVar

import polars as pl

from sessionkit.errors import SpaceError, UsageError, WaitWarning, lack_of_space, visible, warn

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
UNCHANGED = "nothing there was changed"
LONGEST = 200
"""Bytes of a name that its drafts keep, so that theirs are not too long."""
SALT, TRIES = 8, 100
"""Random digits of a tag, which tell thousands of temporary studies apart, and how many names are tried."""
PATIENCE, POLL = 1.0, 0.03
"""Seconds that a writer waits for another before it says so, and between two looks at the lock."""
HOLDER = re.compile(r"sessionkit process (\d+) on (\S+): (.*)")
"""The content of a lock: who holds it. Only a lock with such content is sessionkit's own."""
COMMAND = 80
"""Characters of a command that a lock keeps."""

Made = TypeVar("Made")


class Lock(NamedTuple):
    """A locked file: its open descriptor, and whether sessionkit made it."""

    held: int
    path: Path
    is_own: bool

    def release(self) -> None:
        """Unlock the file, and remove it if it is sessionkit's own."""
        with suppress(OSError):  # it was removed, or it lies in a directory where only its owner may remove it
            if self.is_own and os.path.samestat(os.fstat(self.held), self.path.stat()):
                self.path.unlink()
        os.close(self.held)


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
    advice = f"{lock} cannot be locked; its owner can remove it" if os.path.lexists(lock) else WRITABLE
    with explained(target, advice):
        held = _locked(lock, target)
    try:
        if held is not None:
            with explained(target, WRITABLE):
                _clear_leftovers(place)
        yield
    finally:
        if held is not None:
            held.release()


@contextmanager
def built_beside(target: Path, require_replaceable: Callable[[Path], None] = lambda _: None) -> Iterator[Path]:
    """Yield an empty directory beside `target`; afterwards it stands in its place, or, after an error, is gone.

    To be called within `sole_writer`. Where the disk does not confirm the new names, the replaced directory is kept beside
    `target` until the next writer removes it: after a power loss it may be the only one.

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
    with explained(target, WRITABLE):
        mode = stat.S_IMODE(place.stat().st_mode) | stat.S_IRWXU if place.exists() else 0o777
        draft, _ = make_tagged(place.parent, _prefix(place), ".partial", lambda path: path.mkdir(mode=mode))
    is_placed = False
    try:
        with explained(target, UNCHANGED):
            yield draft
            require_replaceable(target)
            replaced = put_in_place(draft, place)
            is_placed = True
    finally:
        if not is_placed:
            _remove_tree(draft)
    kept = "" if replaced is None else f"; what it replaced is kept in {replaced} until the next write"
    with _confirmed(target, "written" if replaced is None else "replaced", kept):
        sync(place.parent)
    if replaced is not None:
        _remove_tree(replaced)


def put_in_place(draft: Path, place: Path) -> Path | None:
    """Rename `draft`, whose files are on the disk first, to `place`; return where the directory is that it replaced.

    It keeps the permissions of what it replaces. Where two directories cannot be swapped these are two renames, between
    which nothing is at `place`. After an error the old directory is at `place`.

    Raises
    ------
    UsageError
        The old directory was moved aside and cannot be moved back; the message says where it is.
    """
    if place.exists():
        _keep_modes(place, draft)
    _sync_tree(draft)
    if not place.exists():
        draft.rename(place)
        return None
    if exchange(draft, place):
        return draft
    aside = draft.with_suffix(".replaced")
    place.rename(aside)
    try:
        draft.rename(place)
    finally:
        if not place.exists():  # there was an error, or a signal
            _put_back(aside, place)
    return aside


def _put_back(aside: Path, place: Path) -> None:
    """Rename a directory that was moved aside to its old name; UsageError says where it is if that fails."""
    try:
        aside.rename(place)
    except OSError as error:
        raise UsageError(
            f"cannot write {place}: {error.strerror or error}; what was there is now {aside}: rename it to {place.name}"
        ) from None


def moved_aside(target: Path) -> Path | None:
    """Return where the directory is that was at `target`, while a process, or one that was killed, replaces it by two renames."""
    place = resolved(target)
    return None if place.exists() else next(iter(find_tagged(place.parent, _prefix(place), ".replaced")), None)


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
def whole_file(path: Path, mode: int | None = None) -> Iterator[IO[bytes]]:
    """Yield a stream to a file beside `path`, which is moved there in one step when all has been written.

    A link stays a link, and what it leads to is replaced. Devices, pipes and open files (``/dev/stdout``) are written to,
    behind what is there. A file that is replaced keeps its permissions.

    Parameters
    ----------
    mode
        The permissions of a new file, from its start; by default those that the umask leaves.

    Raises
    ------
    UsageError
        The place cannot be written; nothing there was changed.
    """
    require_place(path)
    is_stream = _is_stream(path)
    with (
        explained(path, "choose another path", "part of it may have been written" if is_stream else UNCHANGED),
        path.open("ab") if is_stream else _drafted(path, mode) as stream,
    ):
        yield stream


@contextmanager
def explained(place: Path, advice: str, outcome: str = UNCHANGED) -> Iterator[None]:
    """Say what place cannot be written, and why, where writing to it fails.

    Parameters
    ----------
    advice
        What to do.
    outcome
        What has become of the place where there was no room.

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
            raise SpaceError(f"cannot write {place}: {lack}; {outcome}") from None
        if isinstance(error, OSError):
            of = f": {error.filename}" if error.filename else ""
            raise UsageError(f"cannot write {place}: {error.strerror or error}{of}; {advice}") from None
        raise


@contextmanager
def _confirmed(target: Path, change: str, kept: str = "") -> Iterator[None]:
    """Say that a place was changed where the disk does not confirm its new name.

    Parameters
    ----------
    change
        What was done: "written" or "replaced".
    kept
        What else there is to know, with a semicolon before it.

    Raises
    ------
    SpaceError
        There is no room for the name.
    UsageError
        It fails for another reason.
    """
    try:
        yield
    except OSError as error:
        reason = lack_of_space(error)
        kind = UsageError if reason is None else SpaceError
        raise kind(
            f"{target} was {change}, but the disk did not confirm it ({reason or error.strerror or error}), so a power loss may "
            f"undo that{kept}. Check the disk, then write it again"
        ) from None


@contextmanager
def _drafted(target: Path, mode: int | None) -> Iterator[IO[bytes]]:
    """Yield a stream to a draft of a file, which takes its place afterwards."""
    place = resolved(target)
    _clear_drafts(place)
    if place.exists():
        mode = stat.S_IMODE(place.stat().st_mode)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)

    def make(path: Path) -> int:
        return os.open(path, flags, mode or 0o666)

    draft, made = make_tagged(place.parent, _prefix(place), ".partial", make)
    try:
        with open(made, "wb") as stream:  # noqa: PTH123 - it is open already
            try_lock(made)
            yield stream
            stream.flush()
            if mode is not None:
                os.chmod(draft, mode)  # noqa: PTH101 - what the umask took
            os.fsync(made)
        draft.replace(place)
        with _confirmed(target, "written"):
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


def _locked(path: Path, target: Path) -> Lock | None:
    """Lock a file that no other process holds, waiting for it; return None where there are no locks.

    A file that others put there is locked too, but neither changed nor removed.
    """
    if fcntl is None:
        return None
    while True:
        try:
            held, is_new = _opened(path)
        except FileNotFoundError:  # the process that held it has removed it
            if path.is_symlink():
                raise UsageError(f"cannot write {target}: {path} is a link that leads nowhere; remove it") from None
            continue
        lock = None
        try:
            _wait_for(held, path, target)
            if os.path.samestat(os.fstat(held), path.stat()):
                is_own = is_new or (not path.is_symlink() and _holder(held) is not None)
                if is_own:
                    _write_holder(held)
                lock = Lock(held, path, is_own)
                return lock
        except FileNotFoundError:
            continue
        except OSError as error:
            if is_new:
                path.unlink(missing_ok=True)
            if error.errno not in UNABLE:
                raise
            return None
        finally:
            if lock is None:
                os.close(held)


def _opened(path: Path) -> tuple[int, bool]:
    """Open a lock file, or make it; return its descriptor and whether it is new."""
    try:
        held = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
    except FileExistsError:
        try:
            # for writing, as network file systems lock no file that is only read
            return os.open(path, os.O_RDWR | os.O_NONBLOCK), False
        except (PermissionError, IsADirectoryError):  # another user's
            return os.open(path, os.O_RDONLY | os.O_NONBLOCK), False
    try:
        _write_holder(held)  # before it is locked: a file without content would be taken for another's after a kill
    except OSError:
        path.unlink(missing_ok=True)
        os.close(held)
        raise
    return held, True


def _wait_for(held: int, path: Path, target: Path) -> None:
    """Lock an open file as soon as no other process holds it; after a moment warn that this process waits, and for whom.

    It looks again and again: a signal just before a call that waits would be lost until that returns.
    """
    patience = time.monotonic() + PATIENCE
    has_warned = False
    while True:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(POLL)
        else:
            return
        if time.monotonic() > patience and not has_warned:
            has_warned = True
            holder = _holder(held)
            who = f"the process that holds {path}" if holder is None else f"{holder}, which writes there"
            warn(WaitWarning(f"waiting to write {target} for {who}; Ctrl-C stops waiting"))


def _holder(held: int) -> str | None:
    """Return the process that a lock names: its number, command and, if it is another, machine; None if it names none."""
    try:
        content = os.pread(held, 1000, 0).decode(errors="replace")
    except OSError:  # it is a directory or a pipe
        return None
    found = HOLDER.match(content)
    if found is None:
        return None
    machine = "" if found[2] == _machine() else f" on {found[2][:COMMAND]}"
    return f"process {found[1][:20]}{machine} ({visible(found[3][:COMMAND])})"


def _write_holder(held: int) -> None:
    """Write into a lock which process holds it. By this line a later process knows that the lock is sessionkit's own."""
    program = Path(sys.argv[0] if sys.argv else "")
    words = [program.parent.name if program.name == "__main__.py" else program.name or "python", *sys.argv[1:]]
    command = visible(" ".join(words))
    shown = command if len(command) <= COMMAND else f"{command[: COMMAND - 3]}..."
    content = f"sessionkit process {os.getpid()} on {_machine()}: {shown}\n".encode(errors="replace")
    os.pwrite(held, content, 0)
    os.ftruncate(held, len(content))


def _machine() -> str:
    """Return the name of this machine, without blanks."""
    return "-".join(socket.gethostname().split()) or "unknown"


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
    for path in find_tagged(place.parent, _prefix(place), ".replaced"):
        if place.exists():
            _remove_tree(path)
        else:
            path.rename(place)
    for path in find_tagged(place.parent, _prefix(place), ".partial"):
        if path.is_dir():
            _remove_tree(path)


def _clear_drafts(place: Path) -> None:
    """Remove drafts of a file whose writers were killed: nobody has locked them, and they are not new."""
    for path in find_tagged(place.parent, _prefix(place), ".partial"):
        try:
            held = os.open(path, os.O_RDWR | getattr(os, "O_NONBLOCK", 0))
        except OSError:  # it is gone, or another user's
            continue
        try:
            if is_left(held):
                path.unlink(missing_ok=True)
        finally:
            os.close(held)


def make_tagged(folder: Path, prefix: str, suffix: str, make: Callable[[Path], Made]) -> tuple[Path, Made]:
    """Make a file or a directory whose name shows that sessionkit made it; return its path and what `make` returns.

    Between prefix and suffix are 14 hexadecimal digits: eight random ones, and six that follow from them and the prefix.
    So the name is the mark: it is there as soon as the file is, it outlasts a kill or a power loss at any moment, and every file
    system keeps it. A name that others chose passes once in 16 million.

    Raises
    ------
    FileExistsError
        Every name that was tried is taken.
    """
    path = folder
    for _ in range(TRIES):
        path = folder / f"{prefix}{_tag(prefix, secrets.token_hex(SALT // 2))}{suffix}"
        try:
            return path, make(path)
        except FileExistsError:
            continue
    raise FileExistsError(errno.EEXIST, f"{TRIES} names were tried, and all are taken", str(path))


def find_tagged(folder: Path, prefix: str, suffix: str) -> list[Path]:
    """Return what this or another process made in a folder by `make_tagged`."""
    pattern = re.compile(rf"{re.escape(prefix)}(([0-9a-f]{{{SALT}}})[0-9a-f]{{6}}){re.escape(suffix)}")
    try:
        names = [(path, pattern.fullmatch(path.name)) for path in folder.iterdir()]
    except (PermissionError, FileNotFoundError):  # it can be written, and not be listed
        return []
    return [path for path, name in names if name is not None and name[1] == _tag(prefix, name[2])]


def _tag(prefix: str, salt: str) -> str:
    """Return a salt and the digits that follow from it and a prefix."""
    return salt + hashlib.sha256(b"sessionkit " + os.fsencode(f"{salt} {prefix}")).hexdigest()[:6]


def _prefix(place: Path) -> str:
    """Return how the names of drafts of a place begin."""
    return f".{_short(place.name)}."


def _remove_tree(directory: Path) -> None:
    """Remove a directory as far as possible; folders in it that are not writable are made so first."""
    for folder, _, _ in os.walk(directory):
        mode = stat.S_IMODE(os.lstat(folder).st_mode)
        if mode & stat.S_IRWXU != stat.S_IRWXU:
            with suppress(OSError):
                os.chmod(folder, mode | stat.S_IRWXU)  # noqa: PTH101 - a name of os.walk
    shutil.rmtree(directory, ignore_errors=True)


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
