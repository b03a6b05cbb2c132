"""The SHA-256 of a file as it lies on disk, worked out while the file is being read."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def digest_of(path: Path) -> Callable[[], str]:
    """Return how to get the SHA-256 of a file, which a thread of its own works out from now on."""
    worker = ThreadPoolExecutor(max_workers=1)
    found = worker.submit(_sha256, path)
    worker.shutdown(wait=False)
    return found.result


def _sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
