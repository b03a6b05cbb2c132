"""What a tree looks like: sizes, circles of imports, and the modules that the help loads."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

from tests.support.moves.modules import Package

LONGEST = 800
"""Lines that a file should not exceed."""


def summarize(root: Path, name: str) -> dict[str, list[str]]:
    """Return lines about the sizes, circles and start of a package, by topic."""
    package = Package(root, name)
    lines = {path: module.source.count(b"\n") for path, module in package.by_path.items()}
    return {
        "size": [f"{len(lines)} modules, {sum(lines.values())} lines"],
        "long files": [f"{path}: {count}" for path, count in sorted(lines.items()) if count > LONGEST],
        "circles when modules load": [" <-> ".join(circle) for circle in circles(package, lazy=False)],
        "circles with lazy imports": [" <-> ".join(circle) for circle in circles(package, lazy=True)],
        "loaded by --help": loaded_by_help(root, name),
    }


def circles(package: Package, *, lazy: bool) -> list[list[str]]:
    """Return groups of modules that import each other."""
    graph = {name: imported_modules(package, name, lazy=lazy) for name in package.modules}
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    groups = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for neighbor in sorted(graph[name]):
            if neighbor not in index:
                visit(neighbor)
                low[name] = min(low[name], low[neighbor])
            elif neighbor in stack:
                low[name] = min(low[name], index[neighbor])
        if low[name] == index[name]:
            group = []
            while not group or group[-1] != name:
                group.append(stack.pop())
            if len(group) > 1:
                groups.append(sorted(group))

    sys.setrecursionlimit(10_000)
    for name in graph:
        if name not in index:
            visit(name)
    return sorted(groups)


def imported_modules(package: Package, name: str, *, lazy: bool) -> set[str]:
    """Return the modules of the package that a module imports; without `lazy` only those that it loads when it is loaded itself."""
    module = package.modules[name]
    names = set()
    for entry in module.scopes.imports:
        if not lazy and (entry.scope.kind == "function" or entry.type_checking):
            continue
        entity = package.imported(entry, module)
        if isinstance(entry.statement, ast.Import):
            names.add(entry.alias.name)
        names.add(entity.module)
    return {one for one in names if one in package.modules and one != name}


def loaded_by_help(root: Path, name: str) -> list[str]:
    """Return the modules of the package that ``--help`` loads, and polars if it is among them."""
    code = (
        "import sys, contextlib, io\n"
        f"sys.argv = [{name!r}, '--help']\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        f"    from {name}.cli import main; main()\n"
        f"names = sorted(n for n in sys.modules if n.split('.')[0] == {name!r})\n"
        "print(len(names), 'modules' + (', polars' if 'polars' in sys.modules else ''))\n"
        "print(*names, sep='\\n')"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    return (run.stdout if run.returncode == 0 else run.stderr.strip()[-600:]).splitlines()
