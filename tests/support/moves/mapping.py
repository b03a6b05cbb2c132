"""The mapping: which files become which, and what else changes with them.

A mapping is a TOML file. A table of a room has the files that are made in it, each with today's files in the order in which they are
joined; patterns are allowed. Paths are relative to the package. Files that are not listed keep their place.

::

    [study]
    "schema.py" = ["contract/schemas.py"]
    [top]                                   # the package's own folder
    "errors.py" = ["errors.py", "choices.py"]
    [renames]                               # a name at the top of a file that collides with another of its new file
    "contract/casts.py:CELL" = "CELL_RULE"
    [local_renames]                         # a local variable that an import of the new file would be shadowed by
    "analysis/compare/rows.py:Rows.read.field" = "column"
    [docs]                                  # docstrings of new files
    "study/schema.py" = "The schema of the tables."
    [registries]                            # variables whose strings are modules: the prefix that the strings leave out
    "readers/__init__.py:_HOME" = "sessionkit.readers"
    "reports/extras/registry.py:PARTS" = { prefix = "sessionkit.reports.extras", new_prefix = "sessionkit.reports", keys = false }
    [joins]                                 # tuples that files of one new file share by name: they become one
    names = ["FAMILY"]
    [once]                                  # definitions that are the same in several files of one new file
    "study/schema.py:FIELDS" = ["contract/schemas.py", "contract/casts.py"]
    [written_by_hand]                       # new files that the tool does not make and compare does not read
    files = ["engines/spark.py"]
"""

from __future__ import annotations

import tomllib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

SECTIONS = ("renames", "docs", "registries", "joins", "local_renames", "written_by_hand", "once")


class MoveError(Exception):
    """What must be settled in the mapping before anything is moved."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True)
class Registry:
    """How the strings of a variable name modules."""

    prefix: str
    new_prefix: str
    keys: bool = True
    """Whether keys of dictionaries name modules too."""


@dataclass(frozen=True)
class Mapping:
    """Which files become which; all paths are relative to the package."""

    targets: dict[str, list[str]]
    renames: dict[tuple[str, str], str] = field(default_factory=dict)
    docs: dict[str, str] = field(default_factory=dict)
    registries: dict[tuple[str, str], Registry] = field(default_factory=dict)
    joins: frozenset[str] = frozenset()
    local_renames: dict[tuple[str, str], str] = field(default_factory=dict)
    """New names of local variables, by the file and the function with the old name, such as ``Table.rows.item``."""
    written_by_hand: frozenset[str] = frozenset()
    once: frozenset[tuple[str, str]] = frozenset()

    @property
    def new_paths(self) -> dict[str, str]:
        """The new path of each file that is listed."""
        return {path: target for target, paths in self.targets.items() for path in paths}


def read_mapping(file: Path, package: Path) -> Mapping:
    """Read a mapping and match its patterns against the files of a package.

    Raises
    ------
    MoveError
        A pattern matches no file, or a file is listed twice.
    """
    sections = tomllib.loads(file.read_text(encoding="utf-8"))
    targets: dict[str, list[str]] = {}
    problems = []
    for room, entries in sections.items():
        if room in SECTIONS:
            continue
        for target, patterns in entries.items():
            paths: list[str] = []
            for pattern in patterns:
                matches = sorted(path.relative_to(package).as_posix() for path in package.glob(pattern))
                if not matches:
                    problems.append(f"{room}/{target}: there is no file {pattern}")
                paths += [path for path in matches if path not in paths]
            targets[target if room == "top" else f"{room}/{target}"] = paths
    counts = Counter(path for paths in targets.values() for path in paths)
    problems += [f"{path}: listed {count} times" for path, count in counts.items() if count > 1]
    if problems:
        raise MoveError(problems)
    return Mapping(
        targets,
        {_split(key): name for key, name in sections.get("renames", {}).items()},
        sections.get("docs", {}),
        {_split(key): _registry(entry) for key, entry in sections.get("registries", {}).items()},
        frozenset(sections.get("joins", {}).get("names", [])),
        {_split(key): name for key, name in sections.get("local_renames", {}).items()},
        frozenset(sections.get("written_by_hand", {}).get("files", [])),
        frozenset(map(_split, sections.get("once", {}))),
    )


def _split(key: str) -> tuple[str, str]:
    path, _, name = key.rpartition(":")
    return path, name


def _registry(entry: str | dict[str, str | bool]) -> Registry:
    if isinstance(entry, str):
        return Registry(entry, entry)
    prefix = str(entry["prefix"])
    return Registry(prefix, str(entry.get("new_prefix", prefix)), bool(entry.get("keys", True)))
