"""The command line: the verbs of `sessionkit`, with words for options; it computes nothing of its own.

In come words; out go files and text. Open `app.py` first.

::

    app.py           the commands, listed, and help; a new one is a function in its group's file and a line there
    data.py          ingest, check
    scores.py        score, explain
    describe.py      describe
    curves.py        curve, breakdown
    lists.py         gain-vectors, precision-recall, summary
    correlate.py     correlate
    sweep.py         sweep
    catalogue.py     measures, formats, schema
    chart.py         chart
    report.py        report
    demo.py          demo
    compare.py       compare
    bounds.py        bounds
    robustness.py    judgment-loss, judge-noise, agreement, discriminate
    calibrate.py     calibrate
    power.py         power
    init.py          init
    export.py        export
    pseudonymize.py  pseudonymize
    command.py       a command as typer reads it, and what is said of a command line that fits none
    options.py       arguments and options that several commands take, and the study they name
    terms.py         guides and terms, which help prints
    output.py        results: table, tsv, csv, jsonl or parquet, to stdout or, whole or not at all, to a file
    runner.py        errors as exit statuses, warnings as notes, progress; on stderr

Exit status: 0 fine; 1 the data is at fault; 2 the command is; 130 interrupted; 141 the reader of a pipe
left; 143 terminated.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from types import FrameType

__all__ = ["main"]

INTERRUPTED, TERMINATED = 130, 143
"""Exit statuses after Ctrl-C and SIGTERM."""
STATUSES = {signal.SIGINT: INTERRUPTED, signal.SIGTERM: TERMINATED}
LATEST, REPEATED = 1.5, 0.3
"""Seconds after a signal at which the process ends wherever it is, and after which another signal is one more request to end:
some programs send one signal twice."""
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
        """Start the thread that ends the process where the main thread does not, or not in time.

        Python handles signals in the main thread between two steps of its own. One step within polars can take minutes.
        """
        reading, writing = os.pipe()
        if hasattr(os, "set_blocking"):
            os.set_blocking(writing, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)  # the system's handler writes there at once
        threading.Thread(target=_end_in_time, args=(reading,), daemon=True).start()

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


def _end_in_time(reading: int) -> None:
    """End the process `LATEST` seconds after the first signal whose number can be read, or when another one follows."""
    first = None
    while number := os.read(reading, 1):
        status = STATUSES.get(number[0])  # type: ignore[call-overload]
        if status is None:
            continue
        if first is None:
            first = time.monotonic()
            latest = threading.Timer(LATEST, _leave, (status,))
            latest.daemon = True
            latest.start()
        elif time.monotonic() - first > REPEATED:
            _leave(status)


def _leave(status: int) -> None:
    """End the process; the next one removes what it leaves, as after a crash."""
    if runner := sys.modules.get("sessionkit.cli.runner"):
        runner.wipe_progress()
    os._exit(status)


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
