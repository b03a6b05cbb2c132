"""The collected reads, done again: each in a folder of its own, laid out as its test had it."""

from __future__ import annotations

import json
import os
import pickle
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sessionkit as sk
from tests.support.net.collection import HOME
from tests.support.net.outcomes import outcome


def outcomes(reads: Path, work: Path) -> Iterator[tuple[str, str]]:
    """Give the name and the outcome of every collected read; `work` is a folder to lay them out in."""
    home, before = work / "home", Path.cwd()
    for line in (reads / "cases.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        lay_out(case, reads / "blobs", home)
        os.chdir(home / case["here"])
        try:
            given = [_argument(one, reads / "blobs", home) for one in case["given"]]
            named = {key: _argument(one, reads / "blobs", home) for key, one in case["named"].items()}
            yield case["name"], outcome(lambda: getattr(sk, case["function"])(*given, **named), home)  # noqa: B023
        finally:
            os.chdir(before)


def lay_out(case: dict[str, Any], blobs: Path, home: Path) -> None:
    """Write the files of a case."""
    shutil.rmtree(home, ignore_errors=True)
    for name, blob in case["files"].items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if blob:
            path.write_bytes((blobs / blob).read_bytes().replace(HOME.encode(), str(home).encode()))
        else:
            path.mkdir(exist_ok=True)
    (home / case["here"]).mkdir(parents=True, exist_ok=True)


def _argument(value: Any, blobs: Path, home: Path) -> Any:
    """Return an argument from JSON."""
    if isinstance(value, str):
        return value.replace(HOME, str(home))
    if isinstance(value, list):
        return [_argument(one, blobs, home) for one in value]
    if isinstance(value, dict):
        ((kind, inside),) = value.items()
        if kind == "path":
            return Path(inside.replace(HOME, str(home)))
        if kind == "dict":
            return {key: _argument(one, blobs, home) for key, one in inside.items()}
        return pickle.loads((blobs / inside).read_bytes())  # noqa: S301 - made by the collection
    return value
