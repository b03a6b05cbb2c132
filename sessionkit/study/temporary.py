"""Studies whose files are temporary: they lie in a folder that is there until Python ends.

A table fetched from such a study is a plan to read its files, and knows nothing of the study; so the files stay when the
study is forgotten. A folder whose process was killed is removed by the next process that makes one, which knows it by its name.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from types import TracebackType

import polars as pl

from sessionkit.errors import SpaceError, lack_of_space
from sessionkit.study.atomic_files import (
    SETTLED,
    find_tagged,
    is_left,
    linked,
    make_tagged,
    sole_writer,
    try_lock,
)
from sessionkit.study.package_writer import refuse_to_replace, study_draft

PREFIX, SUFFIX = "sessionkit-", ".temporary"
"""How the names of folders begin and end."""
MARK = ".sessionkit-temporary"
"""The file in each that its process has locked."""


class TemporaryFolder:
    """A folder that is removed when the process that made it ends, or earlier when it is told to.

    In a ``with`` statement it is its path, and is removed at the end.
    """

    def __init__(self) -> None:
        clear_leftovers(Path(tempfile.gettempdir()))
        self.owner = os.getpid()
        try:
            parent = Path(tempfile.gettempdir())
            self.path, _ = make_tagged(parent, PREFIX, SUFFIX, lambda path: path.mkdir(mode=0o700))
            self._mark = os.open(self.path / MARK, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            if (lack := lack_of_space(error)) is None:
                raise
            raise no_room(Path(tempfile.gettempdir()), lack) from None
        try_lock(self._mark)
        atexit.register(self.remove)

    def remove(self) -> None:
        """Remove it, unless this is a process that was forked from the one that made it."""
        if os.getpid() == self.owner and self._mark >= 0:
            atexit.unregister(self.remove)
            os.close(self._mark)
            self._mark = -1
            _remove(self.path)

    @contextmanager
    def kept_on_success(self) -> Iterator[Path]:
        """Yield its path; remove it where what is done meanwhile fails."""
        with ExitStack() as stack:
            stack.push(self)
            yield self.path
            stack.pop_all()

    def __enter__(self) -> Path:
        """Return the path."""
        return self.path

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove it; say so where there was no room in it."""
        self.remove()
        if isinstance(error, (OSError, pl.exceptions.PolarsError)) and (lack := lack_of_space(error)):
            raise no_room(self.path.parent, lack) from None


def no_room(folder: Path, lack: str) -> SpaceError:
    """Return the error for temporary files that find no room in a folder."""
    return SpaceError(
        f"no room for temporary files in {folder}: {lack}; free some space, or set TMPDIR to another folder"
    )


@cache
def clear_leftovers(directory: Path) -> None:
    """Remove folders of processes that were killed: nobody has their mark locked, or they have none and are empty and old.

    Once in a process: a look at every folder of it costs more than a small log takes to read. What is left by a process that
    is killed later is removed by the next one.
    """
    for folder in find_tagged(directory, PREFIX, SUFFIX):
        try:
            held = os.open(folder / MARK, os.O_RDWR)
        except FileNotFoundError:
            with suppress(OSError):  # it is another user's, or not empty
                if time.time() - folder.stat().st_mtime > SETTLED:  # else it may be about to get its mark
                    folder.rmdir()
            continue
        except OSError:  # it is another user's
            continue
        try:
            if is_left(held):
                _remove(folder)
        finally:
            os.close(held)


def _remove(folder: Path) -> None:
    """Remove a folder, its mark last: by that the next process finds it, should this one be killed meanwhile."""
    with suppress(OSError):  # somebody has removed it
        for path in folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            elif path.name != MARK:
                path.unlink(missing_ok=True)
        (folder / MARK).unlink(missing_ok=True)
        folder.rmdir()


def copy_package(package: Path, directory: Path) -> Path:
    """Put a copy of a written study at `directory` in one step; return the directory.

    The files are linked where both lie on one disk, and copied elsewhere.

    Raises
    ------
    UsageError
        The place cannot be written, or holds something else than a study.
    """
    refuse_to_replace(directory)
    with sole_writer(directory), study_draft(directory) as draft:
        for path in sorted(package.rglob("*")):
            place = draft / path.relative_to(package)
            if path.is_dir():
                place.mkdir()
            else:
                linked(path, place)
    return directory
