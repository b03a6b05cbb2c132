"""Move a whole tree: the package, and everything beside it that names its modules."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path, PurePosixPath

from tests.support.moves.mapping import Mapping, MoveError, read_mapping
from tests.support.moves.merge import merge, quoted
from tests.support.moves.modules import Module, Package, module_name
from tests.support.moves.plan import Plan
from tests.support.moves.references import References
from tests.support.moves.texts import Texts

TEXTS = {".md", ".toml", ".pyi", ".html", ".js", ".css", ".txt", ".yml", ".yaml", ".ipynb", ""}
"""Suffixes of the files, apart from modules, in which names are rewritten."""
LISTING = re.compile(r"::\n\n(?P<lines>(?:    .*\n|\n(?=    ))*    [\w-]+\.py .*\n(?:    .*\n|\n(?=    ))*)")
"""The list of modules in the docstring of a package."""
LEFT_ALONE = ("CHANGELOG.md", "uv.lock", "LICENSE", "tests/support/moves/", "tests/test_moves.py")
"""Files that name modules as they were."""


def apply(root: Path, mapping_file: Path, package_name: str) -> list[str]:
    """Move the modules of a tree; return what a person should look at.

    Raises
    ------
    MoveError
        Something must be settled in the mapping first; nothing was written.
    """
    package = Package(root, package_name)
    mapping = read_mapping(mapping_file, package.folder)
    plan = Plan(package, mapping)
    problems = [*plan.problems, *plan.check_renames(), *plan.find_collisions()]
    plan.problems.clear()
    texts = Texts(plan)
    merged = {module.name for modules in plan.targets.values() if len(modules) > 1 for module in modules}
    files = {
        module.name: References(module, plan, texts, merged=module.name in merged)
        for module in package.modules.values()
        if module.name not in plan.dissolved
    }
    outside = [References(module, plan, texts, merged=False) for module in outside_modules(root, package)]
    every = [*files.values(), *outside]
    problems += [*plan.problems, *(problem for file in every for problem in file.problems)]
    if problems:
        raise MoveError(sorted(set(problems)))
    notes = [*plan.notes, *(note for file in every for note in file.notes), *moved_places(plan)]
    documents = rewrite_documents(root, package, texts)
    written = write_modules(plan, files, mapping)
    for file in outside:
        (root / file.module.path).write_text(file.edits.text(), encoding="utf-8")
        written.append(root / file.module.path)
    for path, text in documents.items():
        path.write_text(text, encoding="utf-8")
    tidy(root, written)
    return [*notes, *stale_mentions(root, plan)]


def outside_modules(root: Path, package: Package) -> list[Module]:
    """Return the Python files beside the package that mention it."""
    modules = []
    for path in tracked_files(root):
        if path.endswith(".py") and not path.startswith((f"{package.name}/", *LEFT_ALONE)):
            source = (root / path).read_bytes()
            if package.name.encode() in source:
                modules.append(Module(path, path, source))
    return modules


def tracked_files(root: Path) -> list[str]:
    """Return the files of a tree: those that git knows, or all where it is no repository."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    if listing.returncode == 0 and (root / ".git").exists():
        return [path for path in listing.stdout.splitlines() if (root / path).is_file()]
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())


def rewrite_documents(root: Path, package: Package, texts: Texts) -> dict[Path, str]:
    """Return the files that are no modules and change, with their new texts."""
    changed = {}
    for path in tracked_files(root):
        file = root / path
        if file.suffix not in TEXTS or path.startswith(LEFT_ALONE) or file.is_symlink():
            continue
        try:
            text = file.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            continue
        new = texts.rewrite(text)
        if new != text:
            changed[file] = new
    return changed


def write_modules(plan: Plan, files: dict[str, References], mapping: Mapping) -> list[Path]:
    """Write the new files, remove the old ones and the folders that are left empty; return what was written."""
    folder = plan.package.folder
    sources = {}
    for target, modules in plan.targets.items():
        parts = [files[module.name] for module in modules]
        docstring = mapping.docs.get(target)
        if len(parts) > 1:
            sources[target] = merge(
                parts, docstring, mapping.joins, frozenset(name for path, name in mapping.once if path == target)
            )
        elif docstring:
            sources[target] = with_docstring(parts[0], docstring)
        else:
            sources[target] = parts[0].edits.text()
    for path in plan.package.by_path:
        (folder / path).unlink()
    sources |= missing_fronts(sources, mapping)
    for target, source in sources.items():
        file = folder / target
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source, encoding="utf-8")
    for path in sources:
        if path.endswith("__init__.py") and path not in mapping.docs:
            list_modules(folder / path, plan)
    for cache in folder.rglob("__pycache__"):
        shutil.rmtree(cache)
    for path in sorted((path for path in folder.rglob("*") if path.is_dir()), reverse=True):
        if not any(path.iterdir()):
            path.rmdir()
    return [folder / target for target in sources]


def missing_fronts(sources: dict[str, str], mapping: Mapping) -> dict[str, str]:
    """Return the ``__init__.py`` of folders that have none, with their docstrings; folders of tests need none."""
    if "__init__.py" not in sources:
        return {}
    folders = {parent for target in sources for parent in PurePosixPath(target).parents if parent.name}
    fronts = {(parent / "__init__.py").as_posix(): f"{parent.name.capitalize()}." for parent in folders}
    return {
        path: quoted(mapping.docs.get(path, docstring)) + "\n"
        for path, docstring in fronts.items()
        if path not in sources
    }


def list_modules(front: Path, plan: Plan) -> None:
    """Write the list of modules in the docstring of a package anew, if it has one that changed: each with its first sentence."""
    text = front.read_text(encoding="utf-8")
    old = plan.targets.get(front.relative_to(plan.package.folder).as_posix(), [])
    block = LISTING.search(text)
    listed = LISTING.search(old[0].source.decode()) if old else None
    if block is None or listed is None or block.group() == listed.group():
        return
    children = {
        (path.parent.name + "/" if path.name == "__init__.py" else path.name): path
        for path in sorted([*front.parent.glob("*.py"), *front.parent.glob("*/__init__.py")])
        if path != front
    }
    names = re.findall(r"[\w-]+(?:\.py\b|/)", block["lines"])
    others = [
        line for line in block["lines"].splitlines() if re.match(r" +[\w-]+\.(?!py)\w+ ", line)
    ]  # templates, data
    ordered = dict.fromkeys([*(name for name in names if name in children), *children])
    width = max(len(name) for name in ordered) + 2
    lines = []
    for name in ordered:
        sentence = first_sentence(children[name].read_text(encoding="utf-8"))
        lines += textwrap.wrap(
            f"{name:<{width}}{sentence}", 120, initial_indent=" " * 4, subsequent_indent=" " * (width + 4)
        )
    body = "\n".join([*lines, *others])
    front.write_text(f"{text[: block.start('lines')]}{body}\n{text[block.end('lines') :]}", encoding="utf-8")


def first_sentence(source: str) -> str:
    """Return the first sentence of a module's docstring, without its period."""
    docstring = ast.get_docstring(ast.parse(source)) or ""
    return re.split(r"\.(?:\s|$)", " ".join(docstring.split("\n\n")[0].split()), maxsplit=1)[0]


def with_docstring(file: References, docstring: str) -> str:
    """Return a file with another docstring."""
    module = file.module
    first = module.tree.body[0]
    return quoted(docstring) + file.edits.text(module.end(first)) if module.tree.body else quoted(docstring)


def tidy(root: Path, written: list[Path]) -> None:
    """Sort imports, drop those that nothing uses any more, and format."""
    names = [str(path) for path in written if path.suffix == ".py"]
    ruff = [sys.executable, "-m", "ruff"]
    for command in (["check", "--quiet", "--select", "I,F401", "--fix", "--exit-zero"], ["format", "--quiet"]):
        subprocess.run([*ruff, *command, *names], cwd=root, check=True)


def moved_places(plan: Plan) -> list[str]:
    """Return uses of a file's own place in modules whose folder changed."""
    notes = []
    for name, module in plan.package.modules.items():
        if name in plan.dissolved:
            continue
        old, new = module.path, f"{plan.package.name}/{plan.new_path[name]}"
        if old.rpartition("/")[0] == new.rpartition("/")[0]:
            continue
        for node, _ in module.scopes.names:
            if node.id == "__file__" and old.count("/") != new.count("/"):
                notes.append(f"{module.at(node)}: __file__ stands at another depth in {new}")
            if node.id == "__package__":
                notes.append(f"{module.at(node)}: __package__ is another in {new}")
    return notes


def stale_mentions(root: Path, plan: Plan) -> list[str]:
    """Return mentions of modules and folders that are gone."""
    package = plan.package
    left = {plan.new_path[name] for name in plan.new_path}
    folders = {path.rpartition("/")[0] for path in package.by_path} - {path.rpartition("/")[0] for path in left}
    modules = {
        name
        for name in package.modules
        if not (package.folder / f"{name.replace('.', '/').partition('/')[2]}.py").exists()
    }
    modules -= {name for name in package.modules if (root / name.replace(".", "/")).is_dir()}
    gone = [re.escape(folder) + "/" for folder in folders] + [re.escape(name) + r"(?![\w.])" for name in modules]
    names = {path.rpartition("/")[2] for path in package.by_path}
    names -= {path.rpartition("/")[2] for path in tracked_files(root)}
    gone += [r"[\w/]*" + re.escape(name) + r"\b" for name in names]
    if not gone:
        return []
    pattern = re.compile(r"(?<![\w./])(?:\.\./)?(?:" + "|".join(sorted(gone, key=len, reverse=True)) + ")")
    notes = []
    for path in tracked_files(root):
        file = root / path
        if path.startswith(LEFT_ALONE) or file.suffix not in {*TEXTS, ".py"} or file.is_symlink():
            continue
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        notes += [
            f"{path}:{number}: {match.group()}"
            for number, line in enumerate(lines, 1)
            for match in pattern.finditer(line)
        ]
    return notes


__all__ = ["MoveError", "apply", "module_name"]
