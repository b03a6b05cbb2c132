"""The scope that each name of a module belongs to, by Python's own rules."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Literal

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
ImportStatement = ast.Import | ast.ImportFrom


@dataclass(eq=False)
class Import:
    """One name of an import statement."""

    statement: ImportStatement
    alias: ast.alias
    scope: Scope
    type_checking: bool

    @property
    def bound_name(self) -> str:
        """The name that it binds: of ``import a.b`` the name ``a``."""
        if self.alias.asname:
            return self.alias.asname
        return self.alias.name.partition(".")[0] if isinstance(self.statement, ast.Import) else self.alias.name


@dataclass(eq=False)
class Scope:
    """A module, function, class or comprehension with the names that it binds."""

    kind: Literal["module", "function", "class", "comprehension"]
    parent: Scope | None
    bound: set[str] = field(default_factory=set)
    outer: set[str] = field(default_factory=set)
    """Names that ``global`` or ``nonlocal`` declares."""
    imports: dict[str, list[Import]] = field(default_factory=dict)
    assigned: set[str] = field(default_factory=set)
    """Names bound by anything but an import."""

    def find(self, name: str) -> Scope | None:
        """Return the scope that binds a name used here, None for a builtin."""
        scope: Scope | None = self
        while scope is not None:
            visible = scope is self or scope.kind != "class"
            if visible and name in scope.bound and name not in scope.outer:
                return scope
            scope = scope.parent
        return None

    def path_to(self, outer: Scope | None) -> list[Scope]:
        """Return the scopes that a name used here is looked up in before `outer`."""
        scopes: list[Scope] = []
        scope: Scope | None = self
        while scope is not None and scope is not outer:
            if scope is self or scope.kind != "class":
                scopes.append(scope)
            scope = scope.parent
        return scopes


class Scopes(ast.NodeVisitor):
    """All scopes of a module, and the scope in which each name of its tree stands."""

    def __init__(self, tree: ast.Module) -> None:
        self.module = Scope("module", None)
        self.names: list[tuple[ast.Name, Scope]] = []
        self.deferred: set[ast.Name] = set()
        """Names that importing the module does not evaluate: those in bodies of functions."""
        self.annotations: set[ast.Name] = set()
        self.imports: list[Import] = []
        self.functions: dict[ast.AST, Scope] = {}
        self._scope = self.module
        self._depth = 0
        self._annotation = False
        self._type_checking = False
        for statement in tree.body:
            self.visit(statement)

    def _bind(self, name: str, scope: Scope | None = None) -> None:
        scope = scope or self._scope
        scope.bound.add(name)
        scope.assigned.add(name)

    def _visit_all(self, nodes: list[ast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        self.names.append((node, self._scope))
        if self._depth:
            self.deferred.add(node)
        if self._annotation:
            self.annotations.add(node)
        if not isinstance(node.ctx, ast.Load):
            self._bind(node.id)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        scope = self._scope
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        self._bind(node.target.id, scope)
        self.names.append((node.target, scope))
        self.visit(node.value)

    def _visit_annotation(self, node: ast.AST | None) -> None:
        if node is not None:
            before, self._annotation = self._annotation, True
            self.visit(node)
            self._annotation = before

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.target)
        self._visit_annotation(node.annotation)
        self._visit_all([node.value])

    def _visit_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        self._visit_all([*arguments.defaults, *arguments.kw_defaults])
        for argument in every:
            if argument is not None:
                self._visit_annotation(argument.annotation)
        scope = self._scope
        self._scope = self.functions[node] = Scope("function", scope)
        self._depth += 1
        for argument in every:
            if argument is not None:
                self._bind(argument.arg)
        self._visit_all(node.body if isinstance(node.body, list) else [node.body])
        self._depth -= 1
        self._scope = scope

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._bind(node.name)
        self._visit_all([*node.decorator_list])
        self._visit_annotation(node.returns)
        self._visit_function(node)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815
    visit_Lambda = _visit_function  # noqa: N815

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._bind(node.name)
        self._visit_all([*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)])
        scope = self._scope
        self._scope = Scope("class", scope)
        self._visit_all([*node.body])
        self._scope = scope

    def _visit_comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        self.visit(node.generators[0].iter)
        scope = self._scope
        self._scope = Scope("comprehension", scope)
        for number, generator in enumerate(node.generators):
            self.visit(generator.target)
            self._visit_all([*([generator.iter] if number else []), *generator.ifs])
        self._visit_all([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt])
        self._scope = scope

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension  # noqa: N815

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._bind(node.name)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        if node.name:
            self._bind(node.name)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        if node.name:
            self._bind(node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest:
            self._bind(node.rest)
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> None:
        self._scope.outer.update(node.names)

    visit_Nonlocal = visit_Global  # noqa: N815

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        before = self._type_checking
        self._type_checking = before or is_type_checking(node)
        self._visit_all([*node.body])
        self._type_checking = before
        self._visit_all([*node.orelse])

    def visit_Import(self, node: ImportStatement) -> None:
        for alias in node.names:
            entry = Import(node, alias, self._scope, self._type_checking)
            self._scope.bound.add(entry.bound_name)
            self._scope.imports.setdefault(entry.bound_name, []).append(entry)
            self.imports.append(entry)

    visit_ImportFrom = visit_Import  # noqa: N815


def is_type_checking(node: ast.stmt) -> bool:
    """Whether a statement is ``if TYPE_CHECKING:``."""
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")
