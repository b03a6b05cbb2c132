"""Logs and studies that are made once: each under a key that tells what it was made by, remade when that has changed."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import sessionkit
from tests.benchmarks import aol, logs, rated, track
from tests.benchmarks.commands import SESSIONKIT
from tests.benchmarks.measuring import WorkFailedError

PACKAGE = Path(sessionkit.__file__).parent
CLINIC = PACKAGE.parent / "examples" / "clinic" / "study.toml"


@dataclass(frozen=True)
class Cache:
    """A folder of logs by kind and size; every method returns the folder of one log, made if it is not there."""

    folder: Path

    def synthetic(self, sessions: int) -> Path:
        """A log of so many sessions as Parquet, and its study."""
        return self._with_study(self._log(sessions))

    def texts(self, sessions: int) -> Path:
        """The same log as Parquet, delimited text and NDJSON, and its study."""
        log = self.synthetic(sessions)
        _made(log, "texts", _key(logs), lambda: logs.write_texts(log))
        return log

    def rated(self, sessions: int) -> Path:
        """A log in the shape of ir_metrics, and its study."""
        log = self.folder / f"rated-{sessions}"
        _made(log, "log", _key(rated), lambda: rated.write(log, sessions))
        return self._with_study(log)

    def aol(self, sessions: int) -> Path:
        """A log in the layout of the AOL log, without study."""
        log = self.folder / f"aol-{sessions}"
        _made(log, "log", _key(aol), lambda: aol.write(log, sessions))
        return log

    def track(self, sessions: int) -> Path:
        """A log in the layout of the TREC Session Track, without study."""
        log = self.folder / f"track-{sessions}"
        _made(log, "log", _key(track), lambda: track.write(log, sessions))
        return log

    def clinic(self, _sessions: int = 0) -> Path:
        """The study of the clinic example."""
        return self._with_study(self.folder / "clinic", CLINIC)

    def _log(self, sessions: int) -> Path:
        log = self.folder / f"synthetic-{sessions}"
        _made(log, "log", _key(logs), lambda: logs.write(log, sessions))
        return log

    def _with_study(self, log: Path, config: Path | None = None) -> Path:
        """Have the study of a log beside it; another process makes it, whose memory is gone afterwards."""
        written_by = [*sorted((PACKAGE / "study").glob("*.py")), *log.glob("log.made")]
        _made(log, "study", _digest(written_by), lambda: _ingest(config or log / "study.toml", log / "study"))
        return log


def rows_of(log: Path) -> dict[str, int]:
    """Return the number of rows of a log's tables."""
    return json.loads((log / "log.made").read_text())["made"] if (log / "log.made").exists() else {}


def _ingest(config: Path, study: Path) -> None:
    """Make a study by the command line."""
    command = [*SESSIONKIT, "ingest", str(config), "--out", str(study)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise WorkFailedError(f"{config} cannot be ingested: {done.stderr.strip()}")


def _made(log: Path, what: str, key: str, make: Callable[[], object]) -> None:
    """Make something in the folder of a log, unless it was made under the same key."""
    log.mkdir(parents=True, exist_ok=True)
    note = log / f"{what}.made"
    if note.exists() and json.loads(note.read_text())["key"] == key:
        return
    note.unlink(missing_ok=True)
    made = make()
    note.write_text(json.dumps({"key": key, "made": made if isinstance(made, dict) else None}))


def _key(module: object) -> str:
    """Return a digest of the module that makes a log."""
    return _digest([Path(module.__file__)])


def _digest(files: list[Path]) -> str:
    """Return a digest of the bytes of files."""
    return hashlib.sha256(b"".join(hashlib.sha256(path.read_bytes()).digest() for path in files)).hexdigest()[:16]
