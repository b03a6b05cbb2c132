"""A model of what is on a disk after a power loss: what was forced to it, and any of what was done since.

A recorder looks at a folder before each call that changes files. After a loss the names in a directory are those of any
moment since they were forced to the disk, each directory by itself; the content of a file is what was forced (nothing
where nothing was), or half or all of what it was at the loss. File systems promise more, so what is whole here is whole
there.
"""

from __future__ import annotations

import os
import random
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

Names = dict[str, int]
"""The names in a directory, and the numbers of what they name."""
Tree = dict[str, bytes]
"""The files of a folder: content by path."""
Choice = Callable[[Sequence[Any]], Any]


@dataclass(frozen=True)
class Moment:
    """What there was before a call: names now and since they were forced to the disk; content now and forced."""

    event: str
    root: int
    names: dict[int, tuple[Names, ...]]
    content: dict[int, bytes]
    forced: dict[int, bytes]

    def after_loss(self, many: int, seed: int) -> Iterator[Tree]:
        """What may be there after a power loss: the extremes, and as many others by chance."""
        chance = random.Random(seed)  # noqa: S311 - any of them will do
        first, last = itemgetter(0), itemgetter(-1)
        yield self._tree(first, first)
        yield self._tree(last, first)
        yield self._tree(first, last)
        yield self._tree(last, last)
        for _ in range(many):
            yield self._tree(chance.choice, chance.choice)

    def _tree(self, choose_names: Choice, choose_content: Choice) -> Tree:
        found: Tree = {}
        waiting = [(self.root, "")]
        while waiting:
            number, path = waiting.pop()
            if number in self.names:
                chosen = choose_names(self.names[number])
                waiting += [(inner, f"{path}/{name}".lstrip("/")) for name, inner in chosen.items()]
            else:
                forced, now = self.forced.get(number, b""), self.content[number]
                found[path] = choose_content([forced] if forced == now else [forced, now[: len(now) // 2], now])
        return found


class Recorder:
    """Looks at a folder, all of which is on the disk to begin with."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[int, tuple[Names, ...]] = {}
        self.content: dict[int, bytes] = {}
        self.held: dict[int, int] = {}  # open files, so that no number is given a second time
        self.moments: list[Moment] = []
        self._see()
        self.forced = dict(self.content)
        self.names = {number: history[-1:] for number, history in self.names.items()}

    def look(self, event: str) -> None:
        """Keep what there is before a call."""
        self._see()
        number = self.folder.stat().st_ino
        self.moments.append(Moment(event, number, dict(self.names), dict(self.content), dict(self.forced)))

    def force(self, held: int) -> None:
        """Keep what a call of fsync has forced to the disk."""
        self._see()
        found = os.fstat(held)
        if stat.S_ISDIR(found.st_mode):
            self.names[found.st_ino] = self.names[found.st_ino][-1:]
        else:
            self.forced[found.st_ino] = self.content[found.st_ino]

    def finish(self) -> None:
        """Keep what there is at the end."""
        self.look("end")

    def _see(self) -> None:
        """Look at all there is; the names in a directory are added to those that it had."""
        waiting = [self.folder]
        while waiting:
            directory = waiting.pop()
            number, names = directory.stat().st_ino, {}
            self._hold(directory, number)
            for entry in os.scandir(directory):
                names[entry.name] = entry.inode()
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))
                else:
                    self._hold(entry.path, entry.inode())
                    self.content[entry.inode()] = Path(entry.path).read_bytes()
            history = self.names.get(number, ({},))  # a new directory has no names on the disk
            self.names[number] = history if history[-1] == names else (*history, names)

    def _hold(self, path: Path | str, number: int) -> None:
        if number not in self.held:
            self.held[number] = os.open(path, os.O_RDONLY)
