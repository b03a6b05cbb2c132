"""Making the next thing while the last one is being used, so that no processor waits for the other."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Made = TypeVar("Made")


def ahead(things: Iterator[Made]) -> Generator[Made, None, None]:
    """Return the same things; the first is asked for at once, in a thread of its own, each other when the one before is
    handed out.

    >>> list(ahead(iter("ab")))
    ['a', 'b']
    """
    end = object()
    worker = ThreadPoolExecutor(max_workers=1)
    first = worker.submit(next, things, end)

    def handed_out() -> Generator[Made, None, None]:
        with worker:
            coming = first
            while (thing := coming.result()) is not end:
                coming = worker.submit(next, things, end)
                yield thing  # type: ignore[misc]

    return handed_out()
