"""The blocks of a guide that change the package: what they change, and a copy of the package with them.

A block of Python that begins with ``# new file: path`` is a file; a block of diff that begins with ``# path`` replaces lines that
stand in that file once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(r"^```(?:python\n# new file: |diff\n# )(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Change:
    """Lines of a file, and those that take their place; no lines of a new file."""

    path: str
    old: str
    new: str

    def apply(self, root: Path) -> None:
        """Make the change beneath a folder."""
        path = root / self.path
        if not self.old:
            assert not path.exists(), f"{self.path} is no new file"
            path.write_text(self.new, encoding="utf-8")
            return
        before = path.read_text(encoding="utf-8")
        assert f"\n{before}".count(f"\n{self.old}") == 1, f"{self.path} has not once:\n{self.old}"
        path.write_text(f"\n{before}".replace(f"\n{self.old}", f"\n{self.new}")[1:], encoding="utf-8")


def changes_of(guide: str) -> list[Change]:
    """What a guide changes, in order."""
    found = []
    for path, text in BLOCK.findall(guide):
        lines = text.splitlines(keepends=True)
        if all(line[0] in " +-" for line in lines):
            old, new = ("".join(line[1:] for line in lines if line[0] in kinds) for kinds in (" -", " +"))
            found.append(Change(path, old, new))
        else:
            found.append(Change(path, "", text))
    return found
