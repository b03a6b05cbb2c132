"""Making the next thing while the last one is being used, so that no processor waits for the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import Generic, TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")
END = object()


class Ahead(Iterator[Made], Generic[Made]):
    """The same things, made in a thread of its own before they are asked for.

    Parameters
    ----------
    things
        Where they come from. Nobody else may ask it, or close it, until :meth:`close` was called or all were handed out.
    many
        How many are made before they are asked for, 1 or more.

    Examples
    --------
    >>> list(Ahead(iter("ab")))
    ['a', 'b']
    """

    def __init__(self, things: Iterator[Made], many: int = 1) -> None:
        self._things, self._worker = things, ThreadPoolExecutor(max_workers=1)
        self._coming: deque[Future[object]] = deque()
        try:
            self._coming.extend(self._worker.submit(next, things, END) for _ in range(many))
        except BaseException:  # an interrupt: nobody has it yet, who could close it
            self.close()
            raise

    def __next__(self) -> Made:
        """Return the next thing."""
        if not self._coming:
            raise StopIteration
        try:
            thing = self._coming.popleft().result()
        except BaseException:
            self.close()
            raise
        if thing is END:
            self.close()
            raise StopIteration
        self._coming.append(self._worker.submit(next, self._things, END))
        return thing  # type: ignore[return-value]

    def close(self) -> None:
        """Hand out no more; wait for what is being made, after which the thread is over."""
        self._coming.clear()
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
