"""Analyses that one section alone asks for, worked out in a second thread while the sections before it are made.

Much of an analysis is spent in polars and numpy, which let another thread work meanwhile. What it found, raised or
warned of comes out where the section asks for it, as if it were worked out there: the page is the same.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import partial
from typing import TypeVar

Given = TypeVar("Given")
Found = TypeVar("Found")
Heard = list[warnings.WarningMessage]

_HEARD: ContextVar[Heard] = ContextVar("heard")


@contextmanager
def hearing() -> Iterator[Heard]:
    """Keep every warning rather than show it, in the order in which they are given, as long as this lasts.

    Those of an analysis that is worked out beside stand where it is handed out, see `beside`.
    """
    heard: Heard = []

    def hear(message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: object) -> None:
        _HEARD.get(heard).append(warnings.WarningMessage(message, category, filename, lineno))

    before = _HEARD.set(heard)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = hear  # type: ignore[assignment]  # nobody passes what it leaves out
            yield heard
    finally:
        _HEARD.reset(before)


@contextmanager
def beside(
    of: Given, analyses: Iterable[Callable[[Given], Found]]
) -> Iterator[dict[Callable[[Given], Found], Callable[[], Found]]]:
    """Work out analyses of the same thing one after the other, beside what is done as long as this lasts.

    Yields for each what waits for it and hands it out, raising and warning as it did; to be called within `hearing`.

    >>> with hearing(), beside("ab", [str.upper]) as begun:
    ...     begun[str.upper]()
    'AB'
    """
    worker = ThreadPoolExecutor(max_workers=1)
    try:
        begun: dict[Callable[[Given], Found], Callable[[], Found]] = {}
        for analysis in analyses:
            heard: Heard = []
            coming = worker.submit(copy_context().run, _worked_out, analysis, of, heard)
            begun[analysis] = partial(_handed_out, coming, heard)
        yield begun
    finally:
        worker.shutdown(cancel_futures=True)


def _worked_out(analysis: Callable[[Given], Found], of: Given, heard: Heard) -> Found:
    """What an analysis finds; what it warns of is kept apart."""
    _HEARD.set(heard)
    return analysis(of)


def _handed_out(coming: Future[Found], heard: Heard) -> Found:
    """What an analysis found, once it is there, after what it warned of."""
    wait([coming])
    _HEARD.get().extend(heard)
    return coming.result()
