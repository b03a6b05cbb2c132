"""Studies whose files are temporary: they lie in a folder that is there until Python ends.

A table fetched from such a study is a plan to read its files, and knows nothing of the study; so the files stay when the
study is forgotten.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from sessionkit.study.replacing import built_beside, linked


class TemporaryFolder:
    """A folder that is removed when the process that made it ends, or earlier when it is told to."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="sessionkit-"))
        self.owner = os.getpid()
        atexit.register(self.remove)

    def remove(self) -> None:
        """Remove it, unless this is a process that was forked from the one that made it."""
        if os.getpid() == self.owner:
            atexit.unregister(self.remove)
            shutil.rmtree(self.path, ignore_errors=True)


def copy_package(package: Path, directory: Path) -> Path:
    """Put a copy of a written study at `directory` in one step; return the directory.

    The files are linked where both lie on one disk, and copied elsewhere.

    Raises
    ------
    UsageError
        The place cannot be written.
    """
    with built_beside(directory) as draft:
        shutil.copytree(package, draft, dirs_exist_ok=True, copy_function=linked)
    return directory
