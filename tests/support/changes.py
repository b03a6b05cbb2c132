"""The calls by which a process changes files, heard through Python's audit events: counted, and an occasion to be killed.

Polars and Arrow write without Python; their files are made in folders that Python makes, and moments within their
writing are met by killing after a time.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.support.disk import Recorder

NAMED = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.chmod", "os.truncate"}
"""Audit events of which the first argument is a path."""
UNNAMED = {"fcntl.flock"}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


class Calls:
    """Counts calls that change what is in a folder; kills this process before one of them."""

    def __init__(self, folder: Path, kill_at: int | None, recorder: Recorder | None) -> None:
        self.root, self.kill_at, self.recorder = str(folder.resolve()), kill_at, recorder
        self.count, self.lock, self.watching = 0, threading.RLock(), True

    def hear(self, event: str, arguments: tuple[object, ...]) -> None:
        """Hear an audit event."""
        if event == "open":
            path, _, flags = arguments
            counts = isinstance(flags, int) and flags & WRITING and self._within(path)
        else:
            counts = event in UNNAMED or (event in NAMED and self._within(arguments[0]))
        if counts:
            self.next(event)

    def next(self, event: str) -> None:
        """Count a call that is about to be made."""
        with self.lock:
            self.count += 1
            if self.count == self.kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
            if self.recorder is not None:
                self.recorder.look(event)

    def _within(self, path: object) -> bool:
        """Whether a path lies in the folder; the names that rmtree removes are seen from folders in there."""
        if not isinstance(path, (str, bytes, os.PathLike)):
            return True
        return os.path.abspath(os.fsdecode(path)).startswith(self.root)  # noqa: PTH100 - links are not followed


def watch(folder: Path, kill_at: int | None = None, recorder: Recorder | None = None) -> Calls:
    """Watch this process from now on."""
    from sessionkit.study import files

    calls = Calls(folder, kill_at, recorder)
    fsync, exchange = os.fsync, files.exchange

    def synced(held: int) -> None:
        calls.next("fsync")
        fsync(held)
        if recorder is not None:
            recorder.force(held)

    def exchanged(one: Path, other: Path) -> bool:
        calls.next("exchange")
        return exchange(one, other)

    os.fsync, files.exchange = synced, exchanged
    sys.addaudithook(calls.hear)
    return calls
