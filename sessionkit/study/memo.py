"""What was worked out of a study, or of a batch of its sessions: each value once, as long as that lives."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from threading import Lock, RLock, get_ident
from typing import Any, TypeVar

Value = TypeVar("Value")


class Memo:
    """Values worked out of one thing, for any thread; and what a caller holds for a while, for that caller's thread.

    A study has one, and each batch of its sessions. It is never sent to another process: what is pickled arrives with an
    empty one.

    Examples
    --------
    >>> memo = Memo()
    >>> memo.once("rows", lambda: 3), memo.once("rows", lambda: 4), memo.find("rows")
    (3, 3, 3)
    >>> with memo.holding("ready"):
    ...     memo.held(str)
    ['ready']
    >>> memo.held(str)
    []
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._values: dict[Hashable, Any] = {}
        self._making: dict[Hashable, RLock] = {}
        self._held: dict[int, list[object]] = {}

    def once(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key; the first who asks makes it, others wait for it."""
        if key not in self._values:
            with self._lock:
                making = self._making.setdefault(key, RLock())
            with making:  # one lock for each key: what makes a value may wait for a thread that needs another
                if key not in self._values:
                    self._values[key] = make()
        value: Value = self._values[key]
        return value

    def find(self, key: Hashable) -> Any:  # noqa: ANN401 - whatever was made
        """Return the value of a key; None where none was made."""
        return self._values.get(key)

    def keep(self, key: Hashable, value: object) -> None:
        """Keep the value of a key in place of what was there."""
        self._values[key] = value

    def clear(self) -> None:
        """Forget every value."""
        self._values.clear()

    def share(self, key: Hashable, other: Memo) -> None:
        """Take over the value of a key from another study's memo, if it was made there."""
        if (value := other.find(key)) is not None:
            self._values.setdefault(key, value)

    @contextmanager
    def holding(self, value: object) -> Iterator[None]:
        """Hold a value as long as this lasts: what this thread calls meanwhile finds it by :meth:`held`."""
        thread = get_ident()
        held = self._held.setdefault(thread, [])
        held.append(value)
        try:
            yield
        finally:
            held.remove(value)
            if not held:
                del self._held[thread]

    def held(self, kind: type[Value]) -> list[Value]:
        """Return the values of a class that this thread holds, the first held first."""
        return [value for value in self._held.get(get_ident(), ()) if isinstance(value, kind)]

    def __reduce__(self) -> tuple[type[Memo], tuple[()]]:
        """Return how a copy in another process is made: empty."""
        return Memo, ()
