"""Whether every definition of an old tree stands once, and unchanged, in a new one.

Definitions are compared as syntax trees in which each name is replaced by what it stands for: the old module that defines it, and its
old name. Imports, module docstrings and ``__all__`` are left out; texts may differ where they name modules.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

from tests.support.moves.mapping import Registry, read_mapping
from tests.support.moves.modules import Entity, Module, Package
from tests.support.moves.plan import Plan
from tests.support.moves.references import rename_in_docstring
from tests.support.moves.scopes import FUNCTIONS, Scope, is_type_checking
from tests.support.moves.texts import Texts


@dataclass(frozen=True)
class Definition:
    """One statement at the top of a module, with the string after it that documents it."""

    name: str
    """The old module and the old name."""
    text: str
    place: str
    is_part: bool = False
    """Whether it is one value of a tuple that is joined with others."""


class Origins:
    """The old names of what a new tree defines."""

    def __init__(self, plan: Plan) -> None:
        self.modules: dict[str, list[str]] = defaultdict(list)
        for name in plan.new_path:
            self.modules[plan.new_module(name)].append(name)
        self.definitions: dict[Entity, Entity] = {}
        for name, module in plan.package.modules.items():
            if name in plan.dissolved:
                continue
            for definition in module.definitions:
                old = Entity(name, definition)
                new = Entity(plan.new_module(name), plan.new_name(old))
                self.definitions[new] = old

    def of(self, entity: Entity) -> Entity:
        """Return the old name of something new; a joined module stands for the first that it was made of."""
        if entity.name is None:
            return Entity(self.modules.get(entity.module, [entity.module])[0])
        return self.definitions.get(entity, entity)


class Reader:
    """Definitions of one tree with resolved names."""

    def __init__(self, package: Package, origins: Origins | None, texts: Texts, plan: Plan) -> None:
        self.package = package
        self.origins = origins
        self.texts = texts
        self.plan = plan

    def definitions(self, module: Module) -> list[Definition]:
        """Return the statements at the top of a module."""
        statements: list[ast.stmt] = []
        for index, statement in enumerate(module.tree.body):
            if is_type_checking(statement):
                statements += statement.body  # type: ignore[attr-defined]
            elif index or not is_string(statement):
                statements.append(statement)
        resolver = Resolver(self, module)
        every: list[Definition] = []
        marks: list[ast.expr] = []
        for statement in statements:
            if isinstance(statement, ast.Import | ast.ImportFrom | ast.Pass):
                continue
            resolved = resolver.visit(statement)
            if is_string(statement):
                if every and not every[-1].is_part:
                    every[-1] = replace(every[-1], text=f"{every[-1].text}\n{ast.dump(resolved)}")
                continue
            definition = self._definition(module, resolved)
            short = definition.name.rpartition(":")[2]
            if short in self.plan.mapping.joins and isinstance(statement, ast.Assign):
                parts = [ast.dump(part) for part in resolved.value.elts]
                every += [replace(definition, text=part, name=short, is_part=True) for part in parts]
            elif short == "pytestmark":
                marks = resolved.value.elts if isinstance(resolved.value, ast.List | ast.Tuple) else [resolved.value]
            elif short != "__all__":
                every.append(definition)
        return [self._marked(definition, marks) for definition in every] if marks else every

    def _marked(self, definition: Definition, marks: list[ast.expr]) -> Definition:
        """Return a test with the marks of its file among its decorators."""
        if not definition.name.rpartition(":")[2].startswith(("test_", "Test")):
            return definition
        decorators = "".join(f"{ast.dump(mark)}, " for mark in marks)
        index = definition.text.rindex("decorator_list=[") + len("decorator_list=[")
        decorators = decorators if definition.text[index] != "]" else decorators.removesuffix(", ")
        return replace(definition, text=definition.text[:index] + decorators + definition.text[index:])

    def _definition(self, module: Module, statement: ast.stmt) -> Definition:
        if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
            name = statement.name
        else:
            targets = getattr(statement, "targets", [getattr(statement, "target", None)])
            names = [node.id for target in targets if target for node in ast.walk(target) if isinstance(node, ast.Name)]
            name = ", ".join(names) or type(statement).__name__
        return Definition(name, ast.dump(statement), module.at(statement))


class Resolver(ast.NodeTransformer):
    """Replaces names of the package by where they are defined, and drops its imports."""

    def __init__(self, reader: Reader, module: Module) -> None:
        self.reader = reader
        self.module = module
        self.package = reader.package
        self.scope_of: dict[ast.Name, Scope] = dict(module.scopes.names)

        self.registry: Registry | None = None
        self.docstrings = {
            node.value
            for node in ast.walk(module.tree)
            if isinstance(node, ast.stmt) and is_string(node)  # type: ignore[attr-defined]
        }
        self.renames: dict[str, str] = {}
        self.local_renames = {} if reader.origins else reader.plan.local_renames(module)
        if reader.origins is None:
            bindings = reader.plan.bindings[module.name]
            self.renames = {old: new.name for old, new in bindings.items() if new.name not in (None, old)}  # type: ignore[misc]

    def _name_of(self, entity: Entity) -> str:
        origin = self.package.origin(entity)
        if origin.name is not None and origin.module in self.package.modules:
            submodule = f"{origin.module}.{origin.name}"
            if (
                submodule in self.package.modules
                and origin.name not in self.package.modules[origin.module].scopes.module.bound
            ):
                origin = Entity(submodule)
        if origin.name is None and self.reader.origins is None:
            origin = (
                Entity(self.reader.plan.new_module(origin.module)) if origin.module in self.package.modules else origin
            )
            return origin.module
        if self.reader.origins is not None and origin.name is not None:
            origin = self.reader.origins.of(origin)
        if origin.name is not None:
            origin = self.reader.plan.first_of(origin)
        return ":".join(filter(None, origin))

    def _entity(self, node: ast.Name) -> Entity | None:
        """Return what a name stands for; None of a local variable or a builtin."""
        scope = self.scope_of.get(node)
        home = scope.find(node.id) if scope else None
        if home is None:
            return None
        entries = home.imports.get(node.id, [])
        if entries and node.id not in home.assigned:
            if isinstance(entries[-1].statement, ast.Import) and not entries[-1].alias.asname:
                return Entity(entries[-1].bound_name)
            return self.package.imported(entries[-1], self.module)
        if home.kind == "module":
            return Entity(self.module.name, node.id)
        return None

    def visit_Name(self, node: ast.Name) -> ast.AST:
        entity = self._entity(node)
        if entity is None:
            scope = self.scope_of[node].find(node.id) if node in self.scope_of else None
            return ast.Name(self.local_renames.get((scope, node.id), node.id), ast.Load())  # type: ignore[arg-type]
        return ast.Name(self._name_of(entity), ast.Load())

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name):
            entity = self._entity(node.value)
            if entity is not None:
                origin = self.package.origin(entity)
                if origin.name is None and origin.module in self.package.modules and origin.module != self.package.name:
                    return ast.Name(self._name_of(self.package.member(origin.module, node.attr)), ast.Load())
        return ast.Attribute(self.visit(node.value), node.attr, ast.Load())

    def _definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> ast.AST:
        scope = self.module.scopes.functions.get(node)
        for argument in ast.walk(node.args) if scope and self.local_renames else ():  # type: ignore[union-attr]
            if isinstance(argument, ast.arg):
                argument.arg = self.local_renames.get((scope, argument.arg), argument.arg)
        if node in self.module.tree.body:
            node.name = self._name_of(Entity(self.module.name, node.name))
        self.generic_visit(node)
        node.body = node.body or [ast.Pass()]
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _definition  # noqa: N815

    def _drop(self, node: ast.Import | ast.ImportFrom) -> ast.AST | None:
        source = node.module or "" if isinstance(node, ast.ImportFrom) else node.names[0].name
        return None if source.partition(".")[0] == self.package.name else node

    visit_Import = visit_ImportFrom = _drop  # noqa: N815

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if not isinstance(node.value, str) or self.reader.origins is not None:
            return node
        text = self.reader.texts.rewrite(node.value, self.module.path.partition("/")[2])
        if node in self.docstrings:
            for old, new in self.renames.items():
                text = rename_in_docstring(text, old, new)
        elif self.registry is not None:
            text = self.reader.texts.new_registered(text, self.registry)
        return ast.Constant(text)

    def _assignment(self, node: ast.Assign | ast.AnnAssign) -> ast.AST:
        place = self.module.path.partition("/")[2]
        names = [one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
        before = self.registry
        if self.reader.origins is None:
            registries = self.reader.plan.mapping.registries
            self.registry = next((registries[place, name] for name in names if (place, name) in registries), before)
        self.generic_visit(node)
        self.registry = before
        return node

    visit_Assign = visit_AnnAssign = _assignment  # noqa: N815

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        registry = self.registry
        if registry is not None and not registry.keys:
            self.registry = None
            keys = [self.visit(key) if key else None for key in node.keys]
            self.registry = registry
        else:
            keys = [self.visit(key) if key else None for key in node.keys]
        values = [self.visit(value) for value in node.values]
        joined: dict[str, tuple[ast.expr | None, ast.expr]] = {}
        for number, (key, value) in enumerate(zip(keys, values, strict=True)):
            text = ast.dump(key) if isinstance(key, ast.Constant) else f"entry {number}"
            if text in joined and isinstance(value, ast.List | ast.Tuple):
                joined[text][1].elts.extend(value.elts)  # type: ignore[attr-defined]
            else:
                joined[text if text not in joined else f"entry {number}"] = key, value
        return ast.Dict([key for key, _ in joined.values()], [value for _, value in joined.values()])


def is_string(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def compare(old_root: Path, new_root: Path, mapping_file: Path, name: str) -> list[str]:
    """Return how the definitions of two trees differ."""
    old, new = Package(old_root, name), Package(new_root, name)
    mapping = read_mapping(mapping_file, old.folder)
    plan = Plan(old, mapping)
    texts = Texts(plan)
    origins = Origins(plan)
    before: list[tuple[str, Definition]] = []
    for module in old.modules.values():
        if module.name not in plan.dissolved:
            reader = Reader(old, None, texts, plan)
            before += [(plan.new_module(module.name), definition) for definition in reader.definitions(module)]
    after: list[tuple[str, Definition]] = []
    for path, module in new.by_path.items():
        if path in mapping.written_by_hand:
            continue
        reader = Reader(new, origins, texts, plan)
        after += [(module.name, definition) for definition in reader.definitions(module)]
    for repeated in {repeated for _, repeated in mapping.once}:
        before = without_repeats(before, repeated)
    return describe(before, after)


def without_repeats(definitions: list[tuple[str, Definition]], name: str) -> list[tuple[str, Definition]]:
    """Leave out definitions of a name that are those before them, too."""
    seen = set()
    kept = []
    for module, definition in definitions:
        key = (module, definition.name, definition.text)
        if definition.name.rpartition(":")[2] != name or key not in seen:
            kept.append((module, definition))
        seen.add(key)
    return kept


def describe(before: list[tuple[str, Definition]], after: list[tuple[str, Definition]]) -> list[str]:
    """Return a line for each definition that changed, or that only one tree has."""

    def counted(definitions: list[tuple[str, Definition]]) -> Counter[tuple[str, str, str]]:
        return Counter((module, definition.name, definition.text) for module, definition in definitions)

    places = {(module, one.name, one.text): one.place for module, one in (*before, *after)}
    gone, added = counted(before) - counted(after), counted(after) - counted(before)
    lines = []
    for key in gone:
        changed = next((new for new in added if new[:2] == key[:2]), None)
        if changed is None:
            lines.append(f"{places[key]}: {key[1]} is not in {key[0]}")
            continue
        del added[changed]
        at = next((place for place, (one, two) in enumerate(zip(key[2], changed[2], strict=False)) if one != two), 0)
        lines.append(
            f"{places[key]}: {key[1]} changed in {places[changed]}: ...{key[2][max(at - 40, 0) : at + 60]!r} "
            f"-> ...{changed[2][max(at - 40, 0) : at + 60]!r}"
        )
    return sorted([*lines, *(f"{places[key]}: {key[1]} is new" for key in added)])
