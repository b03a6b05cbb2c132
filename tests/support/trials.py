"""Many cases tried in a child process whose memory and time are limited, since any of them may end it.

Where a case ends the child, it is named with what the child said last, and the rest goes on in a new child. A module of
trials calls :func:`serve` where it is run with ``python -m``.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

ROOT = Path(__file__).parents[2]
ROOM = 3 * 2**30
"""Bytes of addresses that a case may take beyond what the child has when it is ready."""
PATIENCE = 60
"""Seconds after which a case counts as one that hangs."""
ALARMED, CRASHES = -signal.SIGALRM, ("died", "hung", "traceback")


def tried(module: str, cases: Sequence[dict[str, Any]], *arguments: str) -> list[dict[str, Any]]:
    """Return what a module's children answer to each case, ``{"ended": "died" or "hung"}`` for those that end a child."""
    answers: list[dict[str, Any]] = []
    while len(answers) < len(cases):
        found, said, status = _child(module, cases[len(answers) :], arguments)
        answers += found
        if len(answers) < len(cases):
            if said.endswith("not ready"):
                raise RuntimeError(said[-3000:])
            answers.append({"ended": "hung" if status == ALARMED else "died", "said": f"{status}: {said[-300:]}"})
    return answers


def _child(module: str, cases: Sequence[dict[str, Any]], arguments: Sequence[str]) -> tuple[list[Any], str, int]:
    """Return the answers of one child, what it said on stderr, and how it ended."""
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "errors").open("w+b") as errors:
        child = subprocess.run(
            [sys.executable, "-m", module, folder, *arguments],
            input="".join(f"{json.dumps(case)}\n" for case in cases).encode(),
            stdout=subprocess.PIPE,
            stderr=errors,
            check=False,
            cwd=ROOT,
        )
        said = "\n".join(said_beside(errors))
    lines = child.stdout.splitlines()
    ready = lines[:1] == [b"ready"]
    return [json.loads(line) for line in lines[1:]], said if ready else f"{said}\nnot ready", child.returncode


def serve(answer: Callable[[dict[str, Any], BinaryIO], dict[str, Any]]) -> None:
    """Answer the cases that stand on stdin, line by line, on stdout; `answer` gets a case and the file that is stderr.

    That file is emptied before each case, so that what libraries write to it, a panic for one, is that case's.
    """
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    with open(2, "r+b", buffering=0, closefd=False) as errors:
        taken = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + ROOM, taken + ROOM))
        answers.write("ready\n")
        for line in sys.stdin:
            errors.truncate(0)
            errors.seek(0)
            signal.alarm(PATIENCE)
            found = answer(json.loads(line), errors)
            signal.alarm(0)
            answers.write(json.dumps(found) + "\n")


def said_beside(errors: BinaryIO, since: int = 0) -> Iterator[str]:
    """Yield the lines that libraries wrote to the file that is stderr, from some place in it."""
    errors.seek(since)
    yield from errors.read().decode(errors="replace").splitlines()
