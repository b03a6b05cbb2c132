"""How far work has come that scores a log many times, for whoever shows it; nothing is counted unless somebody watches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Steps:
    """How many scorings are done, of how many.

    >>> str(Steps(done=12, of=340))
    '12 of 340 scorings'
    """

    done: int = 0
    of: int = 0

    def __str__(self) -> str:
        """Return how far it is; nothing before it is known how far it goes."""
        return f"{self.done:,} of {self.of:,} scorings" if self.of else ""


_watched: list[Steps] = []


@contextmanager
def watched() -> Iterator[Steps]:
    """Count scorings from here on."""
    steps = Steps()
    _watched.append(steps)
    try:
        yield steps
    finally:
        _watched.remove(steps)


def planned(many: int) -> None:
    """So many more scorings are to come."""
    for steps in _watched:
        steps.of += many


def made(many: int = 1) -> None:
    """So many more are done."""
    for steps in _watched:
        steps.done += many
