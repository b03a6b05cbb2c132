"""Putting finished directories and files in their place: a crash leaves the old one or the new one.

One rename does it, but for a directory that replaces another where the system cannot swap two (it is not Linux, or the
file system is not up to it): then there are two, and a crash between them leaves the old one beside its place under a
name that ends in ``.replaced``.
"""

from __future__ import annotations

import ctypes
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from sessionkit.errors import UsageError

AT_FDCWD, RENAME_EXCHANGE = -100, 2


@contextmanager
def built_beside(target: Path) -> Iterator[Path]:
    """Yield an empty directory beside `target`; afterwards it stands in its place, or, after an error, is gone.

    Raises
    ------
    UsageError
        The place cannot be written.
    """
    place = target.resolve()  # a link to a directory stays a link; what it leads to is replaced
    draft = place.parent / f".{place.name}.{secrets.token_hex(4)}.partial"
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        draft.mkdir()
    except OSError as error:
        raise UsageError(
            f"cannot write {target}: {error.strerror or error}; choose a directory that can be written"
        ) from None
    try:
        yield draft
        put_in_place(draft, place)
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror or error}; what stood there is unchanged") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def put_in_place(draft: Path, place: Path) -> None:
    """Rename `draft` to `place`; a directory already there ends up under the draft's name, or is removed.

    Where two directories cannot be swapped these are two renames, between which nothing is at `place`.
    """
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
        shutil.rmtree(aside, ignore_errors=True)


def exchange(one: Path, other: Path) -> bool:
    """Swap two directories in one step where the system can (Linux's renameat2); return whether it did."""
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    return bool(renameat2(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE) == 0)


def require_place(path: Path) -> None:
    """Raise UsageError, before anything is worked out, where a file cannot be written."""
    if path.is_dir():
        raise UsageError(f"cannot write {path}: it is a directory; name a file in it")
    if not path.parent.is_dir():
        raise UsageError(f"cannot write {path}: there is no directory {path.parent}; make it first")


def write_whole(path: Path, content: bytes) -> Path:
    """Write a file beside its place and move it there in one step; return the path.

    Raises
    ------
    UsageError
        The place cannot be written; what stood there is unchanged.
    """
    with whole_file(path) as stream:
        stream.write(content)
    return path


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Yield a stream to a file beside `path`, which is moved there in one step when all has been written.

    Raises
    ------
    UsageError
        The place cannot be written; what stood there is unchanged.
    """
    require_place(path)
    draft = path.with_name(f".{path.name[:100]}.{secrets.token_hex(4)}.partial")
    device = path.exists() and not path.is_file()  # a device or pipe is written to, not replaced
    try:
        with (path if device else draft).open("wb") as stream:
            yield stream
        if not device:
            draft.replace(path)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}; choose another place") from None
    finally:
        draft.unlink(missing_ok=True)


def linked(source: str | Path, target: str | Path) -> None:
    """Give a file a second name, or copy it where that cannot be."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
