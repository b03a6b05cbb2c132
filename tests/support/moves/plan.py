"""What the mapping makes of each module and of each name at its top, and the problems that it leaves open."""

from __future__ import annotations

import ast
import builtins
from collections import defaultdict
from functools import cached_property
from typing import NamedTuple

from tests.support.moves.mapping import Mapping
from tests.support.moves.modules import Entity, Module, Package, module_name
from tests.support.moves.scopes import Import, Scope


class Binding(NamedTuple):
    """A name at the top of an old module, as it is in the new one."""

    name: str | None
    """None where it is no longer bound: the module that it stood for is the same file now."""
    entity: Entity
    """What it stands for in the new tree; of a definition itself."""
    is_import: bool


class Plan:
    """New homes of all modules and names of a package."""

    def __init__(self, package: Package, mapping: Mapping) -> None:
        self.package = package
        self.mapping = mapping
        self.problems: list[str] = []
        self.notes: list[str] = []
        new_paths = mapping.new_paths
        kept = {path: path for path in package.by_path if path not in new_paths}
        self.dissolved = self._emptied_packages(set(kept))
        """Modules of packages that have nothing left in them; what they re-export is imported from where it is."""
        self.targets: dict[str, list[Module]] = defaultdict(list)
        self.new_path: dict[str, str] = {}
        for target, paths in [*mapping.targets.items(), *((path, [path]) for path in kept)]:
            for path in paths:
                module = package.by_path[path]
                if module.name not in self.dissolved:
                    self.targets[target].append(module)
                    self.new_path[module.name] = target
        self._check_targets()

    def new_module(self, name: str) -> str:
        """Return the new name of a module."""
        if name in self.new_path:
            return module_name(f"{self.package.name}/{self.new_path[name]}")
        return name

    def _emptied_packages(self, kept: set[str]) -> set[str]:
        emptied = set()
        for path in sorted(kept, reverse=True):
            if not path.endswith("__init__.py") or path == "__init__.py":
                continue
            folder = path.removesuffix("__init__.py")
            beside = {file for file in kept if file.startswith(folder)} - {path}
            beside -= {file for file in beside if module_name(f"{self.package.name}/{file}") in emptied}
            listed = any(target.startswith(folder) for target in self.mapping.targets)
            data = [
                file
                for file in (self.package.folder / folder).rglob("*")
                if file.is_file() and file.suffix != ".py" and "__pycache__" not in file.parts
            ]
            if not beside and not listed:
                module = self.package.by_path[path]
                if any(isinstance(node, ast.FunctionDef | ast.ClassDef) for node in module.tree.body):
                    self.notes.append(
                        f"{module.path}: stays with its functions, though no other module is left beside it"
                    )
                    continue
                emptied.add(module.name)
                self.notes += [
                    f"{file.relative_to(self.package.root)}: lies in a folder without modules" for file in data
                ]
        return emptied

    def _check_targets(self) -> None:
        folders = {target.rpartition("/")[0] for target in self.targets}
        folders |= {
            "/".join(folder.split("/")[:depth]) for folder in set(folders) for depth in range(folder.count("/"))
        }
        for target, modules in self.targets.items():
            if target.removesuffix(".py") in folders:
                self.problems.append(f"{target}: there is a folder of this name")
            unlisted = [module for module in modules if module.path == f"{self.package.name}/{target}"]
            if unlisted and target in self.mapping.targets and target not in self.mapping.targets[target]:
                self.problems.append(f"{target}: the file of this name keeps its place; list it too")

    def new_entity(self, entity: Entity) -> Entity:
        """Return what an old entity is in the new tree, with the module that new code imports it from."""
        if entity.name is None:
            return Entity(self.new_module(entity.module))
        module = self.package.modules.get(entity.module)
        if module is None:
            return entity
        origin = self.package.origin(entity)
        if origin.module not in self.package.modules:
            return origin
        if origin != entity and module.is_package and module.name not in self.dissolved:
            binding = self.bindings[module.name].get(entity.name)  # the front of a room
            if binding is not None and binding.name is not None:
                return Entity(self.new_module(module.name), binding.name)
        if origin.name is None:
            return Entity(self.new_module(origin.module))
        return Entity(self.new_module(origin.module), self.new_name(origin))

    def new_name(self, definition: Entity) -> str:
        """Return the new name of a definition."""
        path = self.package.modules[definition.module].path.partition("/")[2]
        return self.mapping.renames.get((path, definition.name or ""), definition.name or "")

    def first_of(self, definition: Entity) -> Entity:
        """Return the first of definitions that are the same in several files of one new file."""
        target = self.new_path.get(definition.module, "")
        if not target or not self.mapping.once or (target, self.new_name(definition)) not in self.mapping.once:
            return definition
        modules = [module for module in self.targets[target] if definition.name in module.definitions]
        return Entity(modules[0].name, definition.name) if modules else definition

    @cached_property
    def bindings(self) -> dict[str, dict[str, Binding]]:
        """The new binding of each name at the top of each module."""
        every: dict[str, dict[str, Binding]] = {}
        for module in sorted(self.package.modules.values(), key=lambda module: module.is_package):
            every[module.name] = {}
        self.__dict__["bindings"] = every  # fronts of rooms are asked while the others are made
        for module in sorted(self.package.modules.values(), key=lambda module: not module.is_package):
            table = every[module.name]
            path = module.path.partition("/")[2]
            for name in module.definitions:
                new = self.new_name(Entity(module.name, name))
                table[name] = Binding(new, Entity(self.new_module(module.name), new), False)
            for name, entries in module.imports.items():
                if name not in table:
                    table[name] = self.import_binding(entries[-1], module, self.mapping.renames.get((path, name)))
        return every

    def import_binding(self, entry: Import, module: Module, renamed: str | None = None) -> Binding:
        """Return the binding that an import becomes in the new file of its module."""
        old = self.package.imported(entry, module)
        entity = self.new_entity(old)
        here = self.new_module(module.name)
        if entity.module == here and not (entity.name is None and old.module not in self.package.modules):
            return Binding(entity.name, entity, True)
        if renamed:
            return Binding(renamed, entity, True)
        if entry.alias.asname or isinstance(entry.statement, ast.Import):
            return Binding(entry.bound_name, entity, True)
        if old.module.partition(".")[0] != self.package.name:
            return Binding(entry.bound_name, entity, True)
        new = entity.name or entity.module.rpartition(".")[2]
        if new != entry.bound_name and is_taken(module, entry, new):
            new = entry.bound_name  # it stays as an alias
        return Binding(new, entity, True)

    def find_collisions(self) -> list[str]:
        """Return the names that would stand for two things in one new file."""
        collisions = []
        for target, modules in sorted(self.targets.items()):
            if len(modules) < 2:
                continue
            meanings: dict[str, dict[Entity | str, list[str]]] = defaultdict(lambda: defaultdict(list))
            for module in modules:
                path = module.path.partition("/")[2]
                for old, binding in self.bindings[module.name].items():
                    if binding.name is None or old in ("__all__", "__getattr__", "__dir__", "pytestmark"):
                        continue
                    own = not binding.is_import
                    key: Entity | str = f"definition in {path}" if own else binding.entity
                    if own and (target, binding.name) in self.mapping.once:
                        key = "definition " + " ".join(ast.dump(node) for node in definitions_of(module.tree, old))
                    if binding.is_import and binding.entity.module == self.new_module(module.name):
                        origin = self._definition_of(binding.entity, modules)
                        key = f"definition in {origin}" if origin else binding.entity
                    meanings[binding.name][key].append(f"{path}:{old}")
                for name, scope in module.scopes.names:
                    if hasattr(builtins, name.id) and scope.find(name.id) is None:
                        meanings[name.id]["the builtin"].append(f"{path} (line {name.lineno})")
            for name, kinds in sorted(meanings.items()):
                if (
                    len(kinds) > 1
                    and name not in self.mapping.joins
                    and any(not str(kind).startswith("the builtin") for kind in kinds)
                ):
                    places = "; ".join(
                        f"{kind[:80] if isinstance(kind, str) else 'import of ' + '.'.join(filter(None, kind))}: "
                        f"{', '.join(sorted(set(places))[:3])}"
                        for kind, places in kinds.items()
                    )
                    collisions.append(f"{target}: {name} means {len(kinds)} things: {places}")
        return collisions

    def _definition_of(self, entity: Entity, modules: list[Module]) -> str | None:
        for module in modules:
            for old in module.definitions:
                if self.new_name(Entity(module.name, old)) == entity.name:
                    return module.path.partition("/")[2]
        return None

    def local_renames(self, module: Module) -> dict[tuple[Scope, str], str]:
        """Return the new names of local variables that the mapping renames, by the scope that binds them."""
        path = module.path.partition("/")[2]
        renames = {}
        for (place, key), new in self.mapping.local_renames.items():
            if place != path:
                continue
            qualified, _, old = key.rpartition(".")
            function = find_function(module.tree, qualified)
            scope = module.scopes.functions.get(function) if function else None
            if scope is None or old not in scope.assigned:
                self.problems.append(f"[local_renames] {path}:{key}: there is no such variable")
            elif old in captured_names(function) or uses_name(module, scope, new):
                self.problems.append(f"[local_renames] {path}:{key} cannot become {new}")
            else:
                renames[scope, old] = new
        return renames | self._fixture_renames(module)

    def _fixture_renames(self, module: Module) -> dict[tuple[Scope, str], str]:
        """Return the new names of parameters that stand for renamed fixtures of a test file."""
        path = module.path.partition("/")[2]
        renames = {}
        for (place, old), new in self.mapping.renames.items():
            fixtures = definitions_of(module.tree, old) if place == path else []
            if not any(
                "fixture" in ast.unparse(mark) for node in fixtures for mark in getattr(node, "decorator_list", [])
            ):
                continue
            for function, scope in module.scopes.functions.items():
                names = [] if isinstance(function, ast.Lambda) else [one.arg for one in function.args.args]  # type: ignore[attr-defined]
                if old in names and f"'{old}" not in " ".join(map(ast.unparse, function.decorator_list)):  # type: ignore[attr-defined]
                    renames[scope, old] = new
        return renames

    def check_renames(self) -> list[str]:
        """Return renames of names that do not exist."""
        problems = []
        for path, name in self.mapping.renames:
            module = self.package.by_path.get(path)
            if module is None or name not in module.scopes.module.bound:
                problems.append(f"[renames] {path}:{name}: there is no such name at the top of the file")
        return problems


def is_taken(module: Module, entry: Import, new: str) -> bool:
    """Whether an imported name cannot become `new`, because that means something else where it is imported or used."""
    if new in entry.scope.bound:
        return True
    for node, scope in module.scopes.names:
        if node.id == entry.bound_name and scope.find(node.id) is entry.scope:
            if any(new in inner.bound for inner in scope.path_to(entry.scope)):
                return True
        elif node.id == new and entry.scope in scope.path_to(None):
            home = scope.find(new)
            if home is None or home in entry.scope.path_to(None):
                return True
    return False


def definitions_of(tree: ast.Module, name: str) -> list[ast.stmt]:
    """Return the statements at the top of a module that define a name."""
    statements = []
    for node in tree.body:
        targets = getattr(node, "targets", [getattr(node, "target", None)])
        names = {one.id for target in targets if target for one in ast.walk(target) if isinstance(one, ast.Name)}
        if getattr(node, "name", None) == name or name in names:
            statements.append(node)
    return statements


def find_function(tree: ast.AST, qualified: str) -> ast.AST | None:
    """Return the function or class of a qualified name."""
    node: ast.AST | None = tree
    for name in qualified.split("."):
        node = next(
            (one for one in ast.walk(node) if getattr(one, "name", None) == name and hasattr(one, "body")), None
        )
        if node is None:
            return None
    return node


def captured_names(function: ast.AST | None) -> set[str]:
    """Return names that a function binds otherwise than by an assignment or a loop: they are not renamed."""
    names = set()
    for node in ast.walk(function) if function else ():
        if isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            names.add(node.name)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            names.update(node.names)
    return names


def uses_name(module: Module, scope: Scope, name: str) -> bool:
    """Whether a name means something within a scope."""
    return any(node.id == name and scope in inner.path_to(None) for node, inner in module.scopes.names)
