"""The command line: the verbs of `sessionkit`, with words for options; it computes nothing of its own.

::

    app.py          the commands, listed; a new one is a function in its group's file and a line there
    data.py         ingest, check                      scores.py    score, explain
    describing.py   describe                           curves.py    curve, breakdown
    evidence.py     correlate                          sweeping.py  sweep
    catalogue.py    measures, formats, schema
    charting.py     chart                              reporting.py report
    demo.py         demo
    comparing.py    compare                            incomplete.py incomplete
    effort.py       effort
    judging.py      noise, discriminate, incomplete --loss
    calibrating.py  calibrate                      planning.py  mixed, power
    proposing.py    init                           sharing.py   pseudonymize
    options.py      arguments and options that several commands take, and the study they name
    output.py       results: table, tsv, csv, jsonl or parquet, to stdout or, whole or not at all, to a file
    running.py      errors as exit statuses, warnings as notes, progress; on stderr

Exit status: 0 fine; 1 the data is at fault; 2 the command is; 130 interrupted; 141 the reader of a pipe
left; 143 terminated.
"""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Sequence

__all__ = ["main"]

TERMINATED = 143
"""Exit status after SIGTERM."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status; the console script ``sessionkit``.

    Parameters
    ----------
    arguments
        What follows the program's name; by default what the program was called with.

    Examples
    --------
    >>> main(["--version"])
    sessionkit 0.1.0
    0
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    from sessionkit.cli.running import run

    if arguments is not None:
        return run(given)
    # an end that is asked for is an end like Ctrl-C: what was begun is removed
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    # this process is the command's own: it makes many objects, few of them in circles, and ends
    gc.set_threshold(1_000_000, 20, 20)
    status = run(given)
    gc.freeze()  # what is left is not searched for circles once more
    return status
