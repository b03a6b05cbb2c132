"""Making the next thing while the last one is being used, so that no processor waits for the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Generic, TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")


class Ahead(Generic[Made]):
    """The same things, the first made at once in a thread of its own, each other when the one before is handed out.

    To be closed where not all of them are asked for; this waits for the one that is being made.

    >>> list(Ahead(iter("ab")))
    ['a', 'b']
    """

    def __init__(self, things: Iterator[Made]) -> None:
        self._things, self._end = things, object()
        self._worker = ThreadPoolExecutor(max_workers=1)
        self._coming = self._worker.submit(next, things, self._end)

    def __iter__(self) -> Ahead[Made]:
        return self

    def __next__(self) -> Made:
        thing = self._coming.result()
        if thing is self._end:
            self.close()
            raise StopIteration
        self._coming = self._worker.submit(next, self._things, self._end)
        return thing  # type: ignore[return-value]

    def close(self) -> None:
        """End the thread."""
        self._worker.shutdown(cancel_futures=True)


def in_turn(make: Callable[[Given], Made], of: Iterator[Given], threads: int = 2) -> Generator[Made, None, None]:
    """What is made of each thing, in their order; so many are being made at a time.

    >>> list(in_turn(str.upper, iter("abc")))
    ['A', 'B', 'C']
    """
    with ThreadPoolExecutor(max_workers=threads) as workers:
        coming = deque(workers.submit(make, thing) for thing in islice(of, threads))
        while coming:
            made = coming.popleft().result()
            coming.extend(workers.submit(make, thing) for thing in islice(of, 1))
            yield made
