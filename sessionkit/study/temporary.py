"""Studies whose files are temporary: they lie in a folder that is there until Python ends.

A table fetched from such a study is a plan to read its files, and knows nothing of the study; so the files stay when the
study is forgotten. A folder whose process was killed is removed by the next process that makes one.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path
from types import TracebackType

from sessionkit.study.package import refuse_to_replace
from sessionkit.study.replacing import built_beside, is_left, linked, sole_writer, try_lock

PREFIX, MARK = "sessionkit-", ".sessionkit-temporary"
"""How the folders are called, and the file in each that its process has locked."""


class TemporaryFolder:
    """A folder that is removed when the process that made it ends, or earlier when it is told to.

    In a ``with`` statement it is its path, and is removed at the end.
    """

    def __init__(self) -> None:
        _clear_leftovers()
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
        self.owner = os.getpid()
        self._mark = os.open(self.path / MARK, os.O_RDWR | os.O_CREAT, 0o600)
        try_lock(self._mark)
        atexit.register(self.remove)

    def remove(self) -> None:
        """Remove it, unless this is a process that was forked from the one that made it."""
        if os.getpid() == self.owner and self._mark >= 0:
            atexit.unregister(self.remove)
            os.close(self._mark)
            self._mark = -1
            shutil.rmtree(self.path, ignore_errors=True)

    def __enter__(self) -> Path:
        """Return the path."""
        return self.path

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove it."""
        self.remove()


def _clear_leftovers() -> None:
    """Remove folders of processes that were killed: they carry our mark, and nobody has it locked."""
    for mark in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{MARK}"):
        try:
            held = os.open(mark, os.O_RDWR)
        except OSError:  # it is gone, or another user's
            continue
        try:
            if is_left(held):
                shutil.rmtree(mark.parent, ignore_errors=True)
        finally:
            os.close(held)


def copy_package(package: Path, directory: Path) -> Path:
    """Put a copy of a written study at `directory` in one step; return the directory.

    The files are linked where both lie on one disk, and copied elsewhere.

    Raises
    ------
    UsageError
        The place cannot be written, or holds something else than a study.
    """
    refuse_to_replace(directory)
    with sole_writer(directory), built_beside(directory, refuse_to_replace) as draft:
        shutil.copytree(package, draft, dirs_exist_ok=True, copy_function=linked)
    return directory
