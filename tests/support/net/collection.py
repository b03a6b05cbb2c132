"""A plugin for pytest that keeps every call of ``sk.read`` and ``sk.from_tables``: its arguments and the files around them.

A case is a line of ``cases.jsonl``; files and frames are under ``blobs/``, by their content. Folders are called by words
(`ROOTS`), so that a case can be laid out anywhere. Calls with a file of more than `LIMIT` bytes are left out, and counted.
"""

from __future__ import annotations

import functools
import hashlib
import json
import pickle
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path
from typing import Any

import pytest

LIMIT = 2_000_000
"""Bytes of the largest file that is kept."""
MOST = 400
"""Files of the largest folder that is kept."""
NAMES = ("read", "from_tables")
HOME = "@HOME@"
FOREIGN = (b"sessionkit", b"tests.", b"test_", b"conftest")
"""What a pickled argument must not name: it may be called otherwise on another commit."""


class LeftOutError(Exception):
    """A call that cannot be kept."""


class Collection:
    """The plugin; what it keeps it writes at once."""

    def __init__(self, folder: Path, root: Path) -> None:
        self.folder, self.root = folder, root
        self.cases: set[str] = set()
        self.left_out: Counter[str] = Counter()
        self.test, self.temporary, self.within = "outside of tests", Path("/nowhere"), False
        (folder / "blobs").mkdir(parents=True)

    def pytest_configure(self) -> None:
        """Put functions that keep their calls in the places of those of ours."""
        import sessionkit as sk

        for name in NAMES:
            self._wrap(getattr(sk, name))

    def _wrap(self, function: Callable[..., Any]) -> None:
        """Put a function that keeps its calls in the place of one, wherever a module of ours has it."""

        @functools.wraps(function)
        def kept(*given: Any, **named: Any) -> Any:
            if not self.within:
                self._keep(function.__name__, given, named)
            before, self.within = self.within, True
            try:
                return function(*given, **named)
            finally:
                self.within = before

        for module in [one for name, one in sys.modules.items() if name.split(".")[0] == "sessionkit"]:
            for name in [name for name, value in vars(module).items() if value is function]:
                setattr(module, name, kept)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> object:
        """Know the test that runs, and where its files are."""
        self.test = item.nodeid
        factory = item.session.config._tmp_path_factory
        self.temporary = factory.getbasetemp().resolve()
        return (yield)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what was kept and what was left out."""
        terminalreporter.write_line(f"{len(self.cases)} calls kept; left out: {dict(self.left_out)}")

    def _keep(self, function: str, given: tuple[Any, ...], named: dict[str, Any]) -> None:
        """Keep a call unless one like it was kept."""
        try:
            files: dict[str, str] = {}
            for path in _paths([*given, *named.values()]):
                files |= self._files(path)
            here = self._called(Path.cwd())
            arguments = [self._written(one) for one in given], {key: self._written(one) for key, one in named.items()}
            case = {"function": function, "given": arguments[0], "named": arguments[1], "files": files, "here": here}
        except (LeftOutError, OSError, pickle.PicklingError, TypeError, AttributeError) as error:
            self.left_out[f"{type(error).__name__}: {str(error)[:60]}"] += 1
            return
        key = hashlib.sha256(json.dumps(case, sort_keys=True).encode()).hexdigest()[:12]
        if key not in self.cases:
            self.cases.add(key)
            line = json.dumps({"name": f"{self.test.split('::', 1)[-1]} {key}", **case})
            with (self.folder / "cases.jsonl").open("a", encoding="utf-8") as file:
                file.write(f"{line}\n")

    def _root(self, path: Path) -> tuple[str, Path]:
        """Return what the folder is called that a path is kept with, and that folder."""
        path = path if path.is_absolute() else Path.cwd() / path
        if path.is_relative_to(self.temporary):
            inside = path.relative_to(self.temporary).parts
            return "log", self.temporary / inside[0] if inside else self.temporary
        if path.is_relative_to(self.root):
            return "tree", self.root
        return "else", Path(path.anchor)

    def _called(self, path: Path) -> str:
        """Return a path as it is called in a case."""
        name, root = self._root(path)
        inside = (path if path.is_absolute() else Path.cwd() / path).relative_to(root).as_posix()
        return name if inside == "." else f"{name}/{inside}"

    def _files(self, path: Path) -> dict[str, str]:
        """Return blobs by name: all files of a test, or a file of the tree with those beside it."""
        name, root = self._root(path)
        absolute = path if path.is_absolute() else Path.cwd() / path
        if name == "log":
            around = root
        else:
            around = absolute if absolute.is_dir() else absolute.parent
            if around in (root, self.root.parent, *self.root.parents):
                around = absolute
        found = sorted(around.rglob("*")) if around.is_dir() else [around] if around.exists() else []
        if len(found) > MOST:
            raise LeftOutError("many files")
        blobs = {}
        for one in found:
            if one.is_file() and (one.stat().st_size <= LIMIT or name != "log"):
                if one.stat().st_size > LIMIT:
                    if one == absolute:
                        raise LeftOutError("large file")
                    continue
                data = (
                    one.read_bytes().replace(str(root).encode(), f"{HOME}/{name}".encode())
                    if name == "log"
                    else one.read_bytes()
                )
                blobs[self._called(one)] = self._blob(data)
            elif one.is_file():
                raise LeftOutError("large file")
            elif one.is_dir():
                blobs[self._called(one)] = ""
            else:
                raise LeftOutError("no regular file")
        return blobs

    def _blob(self, data: bytes) -> str:
        """Keep some bytes; return what they are called."""
        name = hashlib.sha256(data).hexdigest()[:20]
        path = self.folder / "blobs" / name
        if not path.exists():
            path.write_bytes(data)
        return name

    def _written(self, value: object) -> object:
        """Return an argument as JSON."""
        if isinstance(value, str):
            return self._placeless(value)
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, PathLike):
            return {"path": self._placeless(str(value))}
        if isinstance(value, list | tuple):
            return [self._written(one) for one in value]
        if isinstance(value, dict) and all(isinstance(key, str) for key in value):
            return {"dict": {key: self._written(one) for key, one in value.items()}}
        data = pickle.dumps(value)
        if any(word in data for word in FOREIGN) or len(data) > LIMIT:
            raise LeftOutError(f"a {type(value).__name__}")
        return {"pickle": self._blob(data)}

    def _placeless(self, text: str) -> str:
        """Return a text with words for the folders in it."""
        if str(self.temporary) in text:
            inside = text[text.index(str(self.temporary)) + len(str(self.temporary)) + 1 :].split("/", maxsplit=1)[0]
            text = text.replace(str(self.temporary / inside), f"{HOME}/log")
        return text.replace(str(self.root), f"{HOME}/tree")


def _paths(values: Iterable[object]) -> list[Path]:
    """Return what in some arguments may name a file."""
    found = []
    for value in values:
        if isinstance(value, list | tuple):
            found += _paths(value)
        elif isinstance(value, PathLike) or (
            isinstance(value, str) and value and "\0" not in value and len(value) < 1000
        ):
            path = Path(value)
            if isinstance(value, PathLike) or path.exists():
                found.append(path)
    return found
