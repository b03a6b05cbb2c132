"""The blocks of a page of text, run in their order in one folder, and what they print held against what the page shows.

- ``console``: lines that begin with ``$`` are commands, the lines below are all that a terminal of 100 columns shows, stdout and
  stderr; a line ``...`` stands for lines that are left out. ``$ cat FILE`` shows a file, which is written unless it is there.
- ``sh``: commands alone. Those of sessionkit run; others are of programs that no test calls.
- ``python``: a doctest where it has ``>>>``, else statements.
- ``toml``: a study.toml that is read.

``GOLDEN=write`` in the environment writes what commands print into the page.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

from sessionkit.cli import main

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
OMITTED = "..."
OTHER_PROGRAMS = {
    ".venv/bin/python",
    "python",
    "python3",
    "pip",
    "bash",
    "cd",
    "conda",
    "frictionless",
    ".",
    "spark-submit",
}
"""What blocks of ``sh`` begin with beside sessionkit; assignments to variables of the environment may stand before."""
DEMO = "demo"
"""The command that no block runs: tests/cli/test_data.py makes the demo, and compares all that it writes."""
SLOW = frozenset({DEMO, "report"})
"""Commands in blocks of ``sh`` that only the long form of a test runs, if any."""
SCREEN = {"COLUMNS": "100", "LINES": "24", "NO_COLOR": "1", "TERM": "dumb"}
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


class Terminal(io.TextIOWrapper):
    """A stream that says that a person reads along."""

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return True


@dataclass
class Transcript:
    """A page, the folder in which its blocks run, and the names that its Python has made."""

    page: Path
    folder: Path
    names: dict[str, object] = field(default_factory=lambda: {"__name__": "page"})
    skipped: frozenset[str] = frozenset()

    def run(self, *, spark: bool = False, slow: bool = False) -> None:
        """Run every block; of Python without ``>>>`` either what needs Spark or what does not; of `SLOW` commands none unless asked."""
        self.skipped = frozenset({DEMO}) if slow else SLOW
        text = self.page.read_text(encoding="utf-8")
        shown: list[tuple[str, str]] = []
        for kind, block in BLOCK.findall(text):
            if spark:
                if kind == "python" and needs_spark(block):
                    exec(compile(block, self.page.name, "exec", dont_inherit=True), self.names)  # noqa: S102
            elif kind == "console":
                shown += [(block, self._console(block))]
            elif kind == "sh":
                self._commands(block)
            elif kind == "python" and not block.startswith("# new file:") and not needs_spark(block):
                self._python(block)
            elif kind == "toml":
                tomllib.loads(block)
            else:
                assert kind in {"python", "diff", "text"}, f"{self.page.name}: a block of {kind or 'nothing'}"
        changed = [(old, new) for old, new in shown if old != new]
        if os.environ.get("GOLDEN") == "write":
            for old, new in changed:
                text = text.replace(f"```console\n{old}```", f"```console\n{new}```", 1)
            self.page.write_text(text, encoding="utf-8")
            return
        for old, new in changed:
            assert old == new, f"{self.page.name}; GOLDEN=write writes it"

    def _console(self, block: str) -> str:
        """The block with what its commands print now, and as it is where that fits."""
        assert block.startswith("$ "), f"{self.page.name}: {block}"
        return COMMAND.sub(lambda found: f"$ {found[1]}\n{self._shown(found[1], found[2])}", block)

    def _shown(self, command: str, shown: str) -> str:
        words = shlex.split(command.replace("\\\n", " "))
        if words[0] == "cat":
            (path,) = (self.folder / word for word in words[1:])
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(shown, encoding="utf-8")
            printed, status = path.read_text(encoding="utf-8"), 0
        else:
            printed, status = screen(words)
        assert bool(status) == ("error: " in shown or ("error: " in printed and not shown)), f"{command}\n{printed}"
        return shown if fits(printed, shown) else printed

    def _commands(self, block: str) -> None:
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            while words and "=" in words[0]:
                words = words[1:]
            if words[:1] == ["sessionkit"] and words[1] in self.skipped:
                continue
            if words[:1] == ["sessionkit"]:
                printed, status = screen(words)
                assert status == 0, f"{line}\n{printed}"
            else:
                assert not words or words[0] in OTHER_PROGRAMS, f"{self.page.name}: {line}"

    def _python(self, block: str) -> None:
        if ">>> " not in block:
            exec(compile(block, self.page.name, "exec", dont_inherit=True), self.names)  # noqa: S102
            return
        test = doctest.DocTestParser().get_doctest(block, self.names, self.page.name, str(self.page), 0)
        said = io.StringIO()
        doctest.DocTestRunner(optionflags=FLAGS).run(test, out=said.write, clear_globs=False)
        self.names.update(test.globs)
        assert not said.getvalue(), said.getvalue()


def needs_spark(block: str) -> bool:
    """Whether a block of Python calls Spark."""
    return "spark." in block and ">>> " not in block


def screen(words: list[str]) -> tuple[str, int]:
    """What a command of sessionkit prints on a terminal, and its exit status."""
    assert words[0] == "sessionkit", words
    stream = Terminal(io.BytesIO(), encoding="utf-8", write_through=True)
    with (
        mock.patch.dict(os.environ, SCREEN),
        contextlib.redirect_stdout(stream),
        contextlib.redirect_stderr(_Beside(stream)),
    ):
        status = main(words[1:])
        stream.flush()
    text = stream.buffer.getvalue().decode()
    return re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE), status


class _Beside(io.TextIOBase):
    """A stream into a terminal's that is none itself: without bars that move."""

    def __init__(self, stream: Terminal) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write after what has been written."""
        self.stream.flush()
        return self.stream.write(text)


def fits(printed: str, shown: str) -> bool:
    """Whether a text is the one shown, in which a line ``...`` stands for any lines.

    >>> fits("a\\nb\\nc\\n", "a\\n...\\n"), fits("a\\nb\\n", "b\\n...\\n"), fits("a\\n", "a\\n")
    (True, False, True)
    """
    parts = [re.escape(part) for part in re.split(rf"^{re.escape(OMITTED)}\n", shown, flags=re.MULTILINE)]
    return re.fullmatch("(?:.*\n)*".join(parts), printed) is not None
