"""The modules of a tree, what each binds, and where a name is defined."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from tests.support.moves.scopes import Import, Scopes


class Entity(NamedTuple):
    """What a name stands for: something of a module, or, without a name, the module itself."""

    module: str
    name: str | None = None


@dataclass(eq=False)
class Module:
    """One Python file."""

    name: str
    """Its dotted name; of a file outside the package its path."""
    path: str
    """Relative to the root of the tree."""
    source: bytes

    @property
    def is_package(self) -> bool:
        return self.path.endswith("__init__.py")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.source)

    @cached_property
    def scopes(self) -> Scopes:
        return Scopes(self.tree)

    @property
    def definitions(self) -> set[str]:
        """Names bound at the top by anything but an import."""
        return self.scopes.module.assigned

    @property
    def imports(self) -> dict[str, list[Import]]:
        """Names bound at the top by imports."""
        return self.scopes.module.imports

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        for line in self.source.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        return starts

    def offset(self, line: int, column: int) -> int:
        """Return the position in bytes of a line, from 1, and a column in bytes."""
        return self._line_starts[line - 1] + column

    def start(self, node: ast.AST) -> int:
        return self.offset(node.lineno, node.col_offset)  # type: ignore[attr-defined]

    def end(self, node: ast.AST) -> int:
        return self.offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def line_start(self, line: int) -> int:
        return self._line_starts[min(line, len(self._line_starts)) - 1]

    def at(self, node: ast.AST) -> str:
        """Where a node stands, for messages."""
        return f"{self.path}:{node.lineno}"  # type: ignore[attr-defined]


class Package:
    """The modules of a package below a root folder."""

    def __init__(self, root: Path, name: str) -> None:
        self.root = root
        self.name = name
        self.folder = root / name
        self.modules: dict[str, Module] = {}
        self.by_path: dict[str, Module] = {}
        for file in sorted(self.folder.rglob("*.py")):
            path = file.relative_to(root).as_posix()
            module = Module(module_name(path), path, file.read_bytes())
            self.modules[module.name] = module
            self.by_path[file.relative_to(self.folder).as_posix()] = module

    def imported(self, entry: Import, module: Module) -> Entity:
        """Return what an import names, as it is written."""
        if isinstance(entry.statement, ast.Import):
            return Entity(entry.alias.name if entry.alias.asname else entry.alias.name.partition(".")[0])
        source = entry.statement.module or ""
        if entry.statement.level:
            parts = module_name(module.path).split(".")
            parts = parts[: len(parts) - entry.statement.level + module.is_package]
            source = ".".join([*parts, *([source] if source else [])])
        return self.member(source, entry.alias.name)

    def member(self, module_name: str, name: str) -> Entity:
        """Return a name of a module, or the module of that name in a package."""
        module = self.modules.get(module_name)
        if module is not None and name not in module.scopes.module.bound and f"{module_name}.{name}" in self.modules:
            return Entity(f"{module_name}.{name}")
        return Entity(module_name, name)

    def origin(self, entity: Entity) -> Entity:
        """Follow imports to the module that defines something."""
        seen = set()
        while entity.name is not None and entity not in seen:
            seen.add(entity)
            module = self.modules.get(entity.module)
            if module is None or entity.name in module.definitions or entity.name not in module.imports:
                break
            entity = self.imported(module.imports[entity.name][-1], module)
        return entity


def module_name(path: str) -> str:
    """Return the dotted name of a file of a package.

    >>> module_name("sessionkit/study/__init__.py"), module_name("sessionkit/study/facts.py")
    ('sessionkit.study', 'sessionkit.study.facts')
    """
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
