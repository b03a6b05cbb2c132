"""The command line: the verbs of `sessionkit`, with words for options; it computes nothing of its own.

In come words; out go files and text. Open `app.py` first.

::

    app.py          The commands by name, in the order of the help
    data.py         Commands about a study: demo, init, ingest, check, describe, export and pseudonymize
    scores.py       Commands about values and ranked lists: score, explain, gain-vectors, precision-recall and summary
    curves.py       Commands about averages within sessions: curve, breakdown
    comparisons.py  Commands about differences and relations: compare, correlate and power
    robustness.py   Commands about how far findings can be trusted: sweep, bounds, calibrate, judgment loss, judge
                    noise, agreement, discriminate
    catalog.py      Commands about what there is: measures, formats, schema, guides and terms
    figures.py      Commands that draw: chart and report
    command.py      A command as typer reads it: the words that a shell offers for its options, and what is said of a
                    command line that fits no command: what is wrong, what exists, what to do
    options.py      Arguments and options that several commands take, and the study that the first of them names
    output.py       Results as text or Parquet, to stdout or to a file
    runner.py       Running a command: errors become one line and an exit status, data warnings become notes; all of it
                    on stderr

Exit status: 0 fine; 1 the data is at fault; 2 the command is; 130 interrupted; 141 the reader of a pipe
left; 143 terminated. 137 is either of the last two where only a kill could end a step of a library.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from types import FrameType

__all__ = ["main"]

INTERRUPTED, TERMINATED = 130, 143
"""Exit statuses after Ctrl-C and SIGTERM."""
STATUSES = {signal.SIGINT: INTERRUPTED, signal.SIGTERM: TERMINATED}
LATEST, REPEATED, GRACE = 1.3, 0.3, 0.4
"""Seconds after a signal at which the process must end wherever it is; after which another signal is one more request to end, as
some programs send one signal twice; and that the process has to end itself before it is killed."""
CLEARED = b"\r\x1b[2K\x1b[?25h"
"""What takes a line of progress from a terminal and shows the cursor again."""
AGAIN = 0.05
"""Seconds after which a signal whose exception was lost is raised once more."""


class Signals:
    """Ctrl-C and SIGTERM as the end of a command: what was begun is removed, nothing is printed.

    Whatever becomes of the exception on its way, such as an error of polars when it strikes within a function that polars
    calls, ``status`` is then the exit status. Before `begin` a signal is remembered, after `end` it is ignored.
    After `watch` the process ends in any case.
    """

    def __init__(self) -> None:
        self.status: int | None = None
        self.armed = self.over = False
        for number in STATUSES:
            if signal.getsignal(number) is not signal.SIG_IGN:  # as of a command in the background of a script
                signal.signal(number, self._end)
        sys.unraisablehook = self._lost

    def watch(self) -> None:
        """Start what ends the process where the main thread does not, or not in time.

        Python handles signals in the main thread between two steps of its own. One step within polars can take minutes;
        a thread then ends the process. One step of a library that keeps Python's lock, such as vl-convert, stops that
        thread too. So a process beside this one watches the time, and kills this one if need be.
        """
        signals, writing = os.pipe()
        if hasattr(os, "set_blocking"):
            os.set_blocking(writing, False)
        try:
            thread = threading.Thread(target=_end_when_due, args=(_fork_timer(signals),), daemon=True)
        except (AttributeError, OSError):  # Windows cannot fork; a limit of processes is reached
            thread = threading.Thread(target=_end_in_time, args=(signals, _leave), daemon=True)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)  # the system's handler writes there at once
        thread.start()

    def begin(self) -> None:
        """Let signals interrupt from here on; one that came before interrupts now."""
        self.armed = True
        if self.status is not None:
            raise KeyboardInterrupt

    def end(self) -> None:
        """Ignore signals from here on, as Python is only tidying up."""
        self.over, self.armed = True, False

    def _end(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - as signal calls it
        """Interrupt the command, or remember to."""
        if not self.over:
            self.status = STATUSES[signal.Signals(number)]
        if logging := sys.modules.get("logging"):
            logging.disable()  # libraries such as py4j log the exception as a failure of theirs
        if self.armed and _loads_polars():
            os._exit(self.status or 0)  # nothing is begun yet
        if self.armed:
            raise KeyboardInterrupt

    def _lost(self, lost: sys.UnraisableHookArgs) -> None:
        """Interrupt the command again where the exception struck in a place that drops exceptions, such as ``__del__``."""
        if not (self.status and issubclass(lost.exc_type, KeyboardInterrupt)):
            sys.__unraisablehook__(lost)
        elif self.armed:
            number = signal.SIGINT if self.status == INTERRUPTED else signal.SIGTERM
            again = threading.Timer(AGAIN, _raise_in_main_thread, (number,))
            again.daemon = True
            again.start()


def _fork_timer(signals: int) -> int:
    """Start the process that times the end of this one, and return the pipe that says when it is due.

    It reads the numbers of signals from one end of a pipe. It ends when this process, which has the other, has ended.
    """
    command = os.getpid()
    due, deciding = os.pipe()
    if os.fork():
        os.close(signals)
        os.close(deciding)
        return due
    try:
        for number in STATUSES:  # a terminal sends Ctrl-C to both processes
            signal.signal(number, signal.SIG_IGN)
        terminal = os.dup(2) if os.isatty(2) else None
        # a pipe that the command writes to ends when no process can write to it
        _close_files_but({signals, deciding, *([] if terminal is None else [terminal])})

        def end(status: int) -> None:
            os.write(deciding, bytes([status]))
            time.sleep(GRACE)
            if terminal is not None:
                os.write(terminal, CLEARED)
            if os.getppid() == command:
                os.kill(command, signal.SIGKILL)

        _end_in_time(signals, end)
    finally:
        os._exit(0)


def _close_files_but(kept: set[int]) -> None:
    """Close all files of this process but these."""
    start = 0
    for number in sorted(kept):
        os.closerange(start, number)
        start = number + 1
    os.closerange(start, os.sysconf("SC_OPEN_MAX"))


def _end_when_due(due: int) -> None:
    """End the process with the exit status that can be read when its end is due."""
    if status := os.read(due, 1):
        _leave(status[0])


def _leave(status: int) -> None:
    """End the process; the next one removes what it leaves, as after a crash."""
    if runner := sys.modules.get("sessionkit.cli.runner"):
        runner.wipe_progress()
    os._exit(status)


def _end_in_time(signals: int, end: Callable[[int], None]) -> None:
    """Call ``end`` with an exit status `LATEST` seconds after the first signal that can be read, or when another follows."""
    first = None
    while number := os.read(signals, 1):
        status = STATUSES.get(number[0])  # type: ignore[call-overload]
        if status is None:
            continue
        if first is None:
            first = time.monotonic()
            latest = threading.Timer(LATEST, end, (status,))
            latest.daemon = True
            latest.start()
        elif time.monotonic() - first > REPEATED:
            end(status)


def _loads_polars() -> bool:
    """Whether polars is being imported, which prints an exception that strikes it as a fault of its own."""
    return getattr(getattr(sys.modules.get("polars"), "__spec__", None), "_initializing", False)


def _raise_in_main_thread(number: int) -> None:
    """Raise a signal where it also ends a wait for the system."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, number)
    else:  # Windows
        signal.raise_signal(number)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status; the console script ``sessionkit``.

    Parameters
    ----------
    arguments
        What follows the program's name; by default what the program was called with.

    Examples
    --------
    >>> main(["--version"])
    sessionkit 0.2.0
    0
    """
    if arguments is not None:
        from sessionkit.cli.runner import run

        return run(list(arguments))
    signals, status = Signals(), 0
    try:
        try:
            signals.watch()
            signals.begin()
            from sessionkit.cli.runner import run

            # this process is the command's own: it makes many objects, few of them in circles, and ends
            gc.set_threshold(1_000_000, 20, 20)
            status = run(sys.argv[1:], lambda: signals.status is not None)
        finally:
            signals.end()
    except BaseException:  # of imports too, in which a signal may have struck
        if signals.status is None:
            raise
    signals.end()
    gc.freeze()  # what is left is not searched for circles once more
    return status if signals.status is None else signals.status
