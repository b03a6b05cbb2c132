"""The way in on a worker: one thread for polars, the driver's version of sessionkit, and failures in our own words."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sessionkit import __version__, errors
from sessionkit.errors import SessionkitError, UsageError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark import Broadcast

    from sessionkit.spark.parts import FileWork, StreamWork


def run(
    sent: Broadcast[StreamWork | FileWork], version: str, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Do the work that was sent on a partition of the stream.

    Spark runs one worker per core, so polars gets one thread; it counts its threads when it is first imported, which
    unpacking `sent` does.

    Parameters
    ----------
    sent
        What to do.
    version
        The driver's version of sessionkit.
    batches
        What Spark has for it: rows of the stream, or numbers of parts.
    """
    with told():
        if version != __version__:
            raise UsageError(
                f"the workers have sessionkit {__version__} and the driver {version}; install the same on both"
            )
        os.environ.setdefault("POLARS_MAX_THREADS", "1")
        yield from sent.value.answers(batches)


MARK = "sessionkit says: "
CRASHED = "Python worker exited unexpectedly"
STAGES = (re.compile(r"Lost task .*? executor [^()]*\): (\S.*)"), re.compile(r"stage failure: (\S.*)"))
"""Where Spark's trace says why a job ended, the best place first."""


@contextmanager
def told() -> Iterator[None]:
    """On a worker: let one of our errors cross to the driver as one line of JSON, in which no text can break out."""
    try:
        yield
    except SessionkitError as error:
        said = json.dumps({"kind": type(error).__name__, "message": str(error)})
        raise RuntimeError(MARK + said) from None


@contextmanager
def surfaced() -> Iterator[None]:
    """On the driver: turn what Spark raises into one of our errors.

    Raises
    ------
    SessionkitError
        What a worker said, in its own class; otherwise the one line of Spark's trace that tells what happened, with the
        whole of it as the cause.
    """
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    try:
        yield
    except (Py4JError, PySparkException) as error:
        text = str(error)
        if (ours := said_by_worker(text)) is not None:
            raise ours from None
        raise explained(text) from error


def said_by_worker(text: str) -> SessionkitError | None:
    """The error of ours that a trace of Spark's carries, None where it carries none.

    >>> said_by_worker('...RuntimeError: sessionkit says: {"kind": "DataError", "message": "no rank"} at java...')
    DataError('no rank')
    """
    start = text.find(MARK)
    if start < 0:
        return None
    try:
        said, _ = json.JSONDecoder().raw_decode(text, start + len(MARK))
        kind = getattr(errors, said["kind"])
        return kind(said["message"]) if issubclass(kind, SessionkitError) else SessionkitError(said["message"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def explained(text: str) -> SessionkitError:
    """One line for a failure that is not ours.

    >>> explained("Traceback ...\\nModuleNotFoundError: No module named 'sessionkit'")
    UsageError("Spark's workers have no module 'sessionkit'; install sessionkit-ir for the Python that they run")
    """
    if lost := re.search(r"ModuleNotFoundError: No module named '([\w.]+)'", text):
        return UsageError(
            f"Spark's workers have no module {lost[1]!r}; install sessionkit-ir for the Python that they run"
        )
    if CRASHED in text or "ExecutorLostFailure" in text:
        return SessionkitError(
            "Spark lost a worker, perhaps because memory ran out; give executors more (spark.executor.memoryOverhead), "
            "or use more partitions"
        )
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if "Traceback (most recent call last)" in text:
        tail = text[text.rindex("Traceback (most recent call last)") :].splitlines()[1:]
        lines = [line.strip() for line in tail if line and not line.startswith((" ", "\t"))] or lines
    else:
        lines = [found[1] for stage in STAGES if (found := stage.search(text))] or lines
    return SessionkitError(f"Spark could not finish: {lines[0] if lines else 'it did not say why'}")
