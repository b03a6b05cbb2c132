"""Studies whose files are temporary: they lie in a folder that is there as long as a study needs it."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path

from sessionkit.study.replacing import built_beside


class TemporaryFolder:
    """A folder that is removed when nothing refers to this object any more, at the latest when Python ends."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="sessionkit-"))
        self.remove = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def copy_package(package: Path, directory: Path) -> Path:
    """Put a copy of a written study at `directory` in one step; return the directory.

    The files are linked where both lie on one disk, and copied elsewhere.

    Raises
    ------
    UsageError
        The place cannot be written.
    """
    with built_beside(directory) as draft:
        shutil.copytree(package, draft, dirs_exist_ok=True, copy_function=_linked)
    return directory


def _linked(source: str, target: str) -> str:
    """Give a file a second name, or copy it where that cannot be."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
    return target
