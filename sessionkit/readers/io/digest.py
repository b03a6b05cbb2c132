"""The SHA-256 of a file as it lies on disk, worked out while the file is being read.

Nobody waits for the thread that does it but who asks for the SHA-256: a program that fails at the first line of a large file
ends then, not when all of it has been hashed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from threading import Thread


def digest_of(path: Path) -> Callable[[], str]:
    """Return how to get the SHA-256 of a file, which a thread of its own works out from now on."""
    found: Future[str] = Future()
    Thread(target=_work_out, args=(path, found), daemon=True).start()
    return found.result


def _work_out(path: Path, found: Future[str]) -> None:
    """Set the SHA-256 of a file, or what went wrong."""
    try:
        found.set_result(_sha256(path))
    except Exception as error:  # noqa: BLE001 - raised where the SHA-256 is asked for
        found.set_exception(error)


def _sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
