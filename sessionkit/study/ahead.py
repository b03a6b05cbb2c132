"""Making the next thing while the last one is being used, so that no processor waits for the other."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Made = TypeVar("Made")


def ahead(things: Iterator[Made]) -> Iterator[Made]:
    """Return the same things; each is asked for, in a thread of its own, when the one before is handed out.

    >>> list(ahead(iter("ab")))
    ['a', 'b']
    """
    end = object()
    with ThreadPoolExecutor(max_workers=1) as worker:
        coming = worker.submit(next, things, end)
        while (thing := coming.result()) is not end:
            coming = worker.submit(next, things, end)
            yield thing  # type: ignore[misc]
