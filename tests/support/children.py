"""Child processes forked from a server that has imported the package, so that one costs what it does and no more.

A task is a command of sessionkit, or Python text. It can be killed at its n-th call that changes files or after some
time, be kept from writing long files, and have what it does to the disk recorded.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import importlib
import json
import os
import pickle
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

PROJECT = Path(__file__).parents[2]
PATIENCE = 120
"""Seconds after which a child that does not end is ended, which no test expects."""
PIPE = 2**20


@dataclass(frozen=True)
class Task:
    """What a child is to do.

    Parameters
    ----------
    arguments
        A command of sessionkit with its arguments, or ``python`` and a text to execute.
    folder
        Where it runs. Its temporary files go to ``tmp`` in there, and only what changes in there is counted.
    kill_at
        It is killed before its call of this number, from 1.
    kill_after
        It is killed after so many seconds.
    longest
        Bytes that a file may have.
    swap
        Whether the system can swap two directories.
    record
        A file for the recorded changes; see `tests.support.disk`.
    """

    arguments: Sequence[str]
    folder: str
    kill_at: int | None = None
    kill_after: float | None = None
    longest: int | None = None
    swap: bool = True
    record: str | None = None


@dataclass(frozen=True)
class Ended:
    """How a child ended: its status (minus the signal that killed it), what it wrote and how often it changed files."""

    status: int
    out: str
    err: str
    calls: int
    seconds: float


class Server:
    """A process that forks children one by one, or several at a time.

    Parameters
    ----------
    command
        What starts it in another place, such as ``unshare``, before the command line of Python.
    """

    def __init__(self, command: Sequence[str] = ()) -> None:
        self.process = subprocess.Popen(
            [*command, sys.executable, "-m", "tests.support.children"],
            cwd=PROJECT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "POLARS_MAX_THREADS": "2", "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        )

    def run(self, *tasks: Task) -> list[Ended]:
        """Run tasks at the same time; return how they ended."""
        self.process.stdin.write(json.dumps([asdict(task) for task in tasks]) + "\n")
        self.process.stdin.flush()
        return [Ended(**ended) for ended in json.loads(self.process.stdout.readline())]

    def close(self) -> None:
        """End the server."""
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


@contextlib.contextmanager
def serving(command: Sequence[str] = ()) -> Iterator[Server]:
    """Yield a server, which ends afterwards."""
    server = Server(command)
    try:
        yield server
    finally:
        server.close()


def main() -> None:
    """Fork children as the lines of stdin say."""
    import sessionkit.cli  # noqa: F401 - before the first fork; nothing is worked out here, so there are no locks to inherit

    for line in sys.stdin:
        children = [start(Task(**task)) for task in json.loads(line)]
        ended = [child.end() for child in children]
        sys.stdout.write(json.dumps([one for one, _ in ended]) + "\n")
        sys.stdout.flush()
        for name in dict.fromkeys(name for _, modules in ended for name in modules):
            with contextlib.suppress(Exception):  # some can only be imported by others
                importlib.import_module(name)


class Child:
    """A forked process and the pipes to it."""

    def __init__(self, process: int, pipes: list[int], task: Task) -> None:
        self.process, self.pipes, self.task, self.began = process, pipes, task, time.monotonic()

    def end(self) -> tuple[dict[str, object], list[str]]:
        """Wait for the child; return how it ended and the modules that it imported."""
        if self.task.kill_after is not None:
            time.sleep(max(0.0, self.began + self.task.kill_after - time.monotonic()))
            os.kill(self.process, signal.SIGKILL)
        _, status = os.waitpid(self.process, 0)
        seconds = time.monotonic() - self.began
        out, err, report = (_all_of(pipe) for pipe in self.pipes)
        calls, modules = json.loads(report) if report else (0, [])
        code = os.waitstatus_to_exitcode(status)
        return {"status": code, "out": out, "err": err, "calls": calls, "seconds": seconds}, modules


def start(task: Task) -> Child:
    """Fork a child that does a task."""
    pipes = [os.pipe() for _ in range(3)]
    for _, writing in pipes:
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, PIPE)
    process = os.fork()
    if process:
        for _, writing in pipes:
            os.close(writing)
        return Child(process, [reading for reading, _ in pipes], task)
    for number, (_, writing) in enumerate(pipes[:2], start=1):
        os.dup2(writing, number)
    report = pipes[2][1]
    status = 70
    try:
        status = _done(task, report)
    except SystemExit as left:
        status = left.code if isinstance(left.code, int) else 1
    except BaseException:  # noqa: BLE001 - it ends here, and is shown
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _done(task: Task, report: int) -> int:
    """Do a task in this process; return its exit status."""
    from tests.support.changes import watch
    from tests.support.disk import Recorder

    signal.alarm(PATIENCE)
    before = set(sys.modules)
    os.chdir(task.folder)
    tempfile.tempdir = os.environ["TMPDIR"] = str(Path(task.folder, "tmp"))
    if task.longest is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (task.longest, resource.RLIM_INFINITY))
    if not task.swap:
        from sessionkit.study import files

        files.exchange = lambda *_: False
    recorder = Recorder(Path(task.folder)) if task.record is not None else None
    calls = watch(Path(task.folder), task.kill_at, recorder)
    try:
        return _executed(task.arguments)
    finally:
        atexit._run_exitfuncs()
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        if recorder is not None:
            recorder.finish()
            Path(task.record).write_bytes(pickle.dumps(recorder.moments))
        os.write(report, json.dumps([calls.count, sorted(set(sys.modules) - before)]).encode())


def _executed(arguments: Sequence[str]) -> int:
    """Run a command, or Python text."""
    if arguments[0] == "python":
        from sessionkit.errors import SessionkitError

        try:
            exec(arguments[1], {})  # noqa: S102 - a test's own text
        except SessionkitError as error:
            sys.stderr.write(f"error: {error}\n")
            return error.exit_status
        return 0
    from sessionkit.cli import main as command

    return command(list(arguments))


def _all_of(pipe: int) -> str:
    """Read what was written to a pipe, and close it."""
    with open(pipe, encoding="utf-8", errors="replace") as stream:
        return stream.read()


if __name__ == "__main__":
    main()
