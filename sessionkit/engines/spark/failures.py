"""What went wrong on a worker, said on the driver in our words: not two hundred lines of another language's trace."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager

from sessionkit import errors
from sessionkit.errors import SessionkitError, UsageError

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
