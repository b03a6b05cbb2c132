"""Which format something is in, found by looking at what it holds.

Every format of a registry that says how it looks is asked; exactly one has to say yes.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Protocol

from sessionkit.errors import UsageError
from sessionkit.readers.entries import Glimpse
from sessionkit.readers.io.log_files import DAMAGED, HEAD, beginning, unpacked
from sessionkit.readers.io.parquet import columns_of
from sessionkit.readers.io.signatures import PARQUET, unread

UNKNOWN = "does not look like a known log format; --from FORMAT names one, sessionkit formats lists them"
"""What is said of a source that is not recognized."""
MOST = 10_000
"""Names of files in a folder that are looked at: the first, folder by folder, by name."""


class Recognized(Protocol):
    """An entry of a registry that may say what it looks like."""

    @property
    def fits(self) -> Callable[[Glimpse], bool] | None:
        """Whether something looks like it."""


def glimpse(path: Path) -> Glimpse:
    """Look at the beginning of a file, or at the names in a folder; what cannot be read shows nothing."""
    if path.is_dir():
        names = tuple(sorted(islice(_files_in(path), MOST)))
        return Glimpse(path, path.resolve().name, "", is_folder=True, names=names)
    try:
        head = b""
        if path.is_file():  # a pipe could be waited for without end
            with unpacked(path) as stream:
                head = stream.read(HEAD)
    except DAMAGED:  # whoever reads it says what is wrong with it
        head = b""
    if head.startswith(PARQUET) or unread(head, path.name):
        return Glimpse(path, path.name, "", columns=columns_of(path) if head.startswith(PARQUET) else ())
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        head = head.decode("utf-16", errors="replace").encode()
    return Glimpse(path, path.name, beginning(head).decode(errors="replace"))


def _files_in(folder: Path) -> Iterator[str]:
    """Return the files in a folder and its folders, those that are hidden apart, by name, in whatever order the system lists them."""
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        inside = (Path(place, name) for name in sorted(files) if not name.startswith("."))
        yield from (path.relative_to(folder).as_posix() for path in inside if path.is_file())


def hidden(path: Path) -> bool:
    """Return whether a file or one of the folders it is in has a name that begins with a dot."""
    return any(part.startswith(".") for part in path.parts)


def fitting(glimpses: Sequence[Glimpse], registry: Mapping[str, Recognized]) -> list[str]:
    """Return the names of the formats that all of these look like."""
    return [
        name
        for name, entry in registry.items()
        if entry.fits is not None and all(entry.fits(glimpsed) for glimpsed in glimpses)
    ]


def the_one(names: Sequence[str], source: str, remedy: str) -> str | None:
    """Return the only one of these formats, None where there is none.

    Raises
    ------
    UsageError
        There are several; `remedy` says how to name one.
    """
    if len(names) > 1:
        raise UsageError(f"{source} can be read as {' and as '.join(names)}; say which, {remedy}")
    return names[0] if names else None
