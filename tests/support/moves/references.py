"""The edits that one file needs: imports, names, strings and comments."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise

from tests.support.moves.mapping import Registry
from tests.support.moves.modules import Entity, Module
from tests.support.moves.plan import Binding, Plan
from tests.support.moves.scopes import FUNCTIONS, Import, ImportStatement, Scope
from tests.support.moves.texts import Texts

PATCHES = {"setattr", "delattr", "getattr", "hasattr", "object"}
"""Functions whose first argument may be a module and whose second names something of it."""


@dataclass
class Edits:
    """Replacements in the source of one file, by positions in bytes."""

    source: bytes
    replacements: dict[tuple[int, int], bytes] = field(default_factory=dict)

    def replace(self, start: int, end: int, text: str) -> None:
        if start == end:  # several insertions at one place
            self.replacements[start, end] = self.replacements.get((start, end), b"") + text.encode()
        elif self.source[start:end] != text.encode():
            self.replacements[start, end] = text.encode()

    def overlaps(self) -> list[int]:
        """Return positions at which two replacements overlap."""
        positions = sorted(self.replacements)
        return [second[0] for first, second in pairwise(positions) if second[0] < first[1]]

    def text(self, start: int = 0, end: int | None = None) -> str:
        """Return a span of the source after the replacements within it."""
        end = len(self.source) if end is None else end
        pieces, at = [], start
        for (first, last), new in sorted(self.replacements.items()):
            if start <= first and last <= end:
                pieces += [self.source[at:first], new]
                at = last
        return b"".join([*pieces, self.source[at:end]]).decode()


class References:
    """One file on its way to the new tree."""

    def __init__(self, module: Module, plan: Plan, texts: Texts, *, merged: bool) -> None:
        self.module = module
        self.plan = plan
        self.texts = texts
        self.merged = merged
        """Whether the file becomes one with others, which writes its imports anew."""
        self.edits = Edits(module.source)
        self.problems: list[str] = []
        self.notes: list[str] = []
        self.uses: dict[ast.Name, str] = {}
        """The new name of each use of something at the top of the new file."""
        self.import_lines: list[tuple[str, str | None, bool]] = []
        """Of a merged file: import lines, the name that each binds, and whether only type checkers read it."""
        self.is_own = module.name in plan.package.modules
        self.here = plan.new_module(module.name)
        self.place = module.path.partition("/")[2] if self.is_own else ""
        self._parents: dict[ast.AST, ast.AST] = {}
        self._format_strings: dict[ast.AST, ast.JoinedStr] = {}
        for parent in ast.walk(module.tree):
            for child in ast.iter_child_nodes(parent):
                self._parents[child] = parent
        for node in ast.walk(module.tree):
            if isinstance(node, ast.JoinedStr) and node not in self._format_strings:
                for part in ast.walk(node):
                    self._format_strings.setdefault(part, node)
        self._local: dict[Import, Binding] = {}
        self._removed: list[tuple[int, int]] = []
        self._edit_imports()
        self._edit_names()
        self._edit_definitions()
        self._edit_patches()
        self._edit_exports()
        self._edit_registries()
        self._edit_texts()
        self.problems += [f"{module.path}: two edits meet at byte {position}" for position in self.edits.overlaps()]

    # imports

    def binding_of(self, entry: Import) -> Binding:
        """Return the new binding of an import."""
        if entry.scope.kind == "module" and self.is_own:
            return self.plan.bindings[self.module.name][entry.bound_name]
        if entry not in self._local:
            self._local[entry] = self.plan.import_binding(entry, self.module)
        return self._local[entry]

    def _edit_imports(self) -> None:
        statements: dict[ImportStatement, list[Import]] = defaultdict(list)
        for entry in self.module.scopes.imports:
            statements[entry.statement].append(entry)
        for statement, entries in statements.items():
            at_top = entries[0].scope.kind == "module" and self._parents.get(statement) is self.module.tree
            guarded = entries[0].scope.kind == "module" and isinstance(self._parents.get(statement), ast.If)
            collected = self.merged and (at_top or (guarded and entries[0].type_checking))
            lines = [self._import_line(entry) for entry in entries]
            if collected:
                comment = self._comment_after(statement)
                for entry, line in zip(entries, lines, strict=True):
                    if line is not None:
                        binding = self.binding_of(entry)
                        self.import_lines.append((line + comment, binding.name, entry.type_checking))
                continue
            if all(line == self._plain_line(entry) for entry, line in zip(entries, lines, strict=True)):
                continue
            indent = " " * statement.col_offset
            kept = join_imports([line for line in lines if line is not None])
            start, end = self.module.start(statement), self.module.end(statement)
            if kept:
                self.edits.replace(start, end, f"\n{indent}".join(kept))
            elif self._is_alone(statement):
                self.edits.replace(start, end, "pass")
            else:
                self.edits.replace(*self._whole_lines(statement), "")

    def _is_alone(self, statement: ast.stmt) -> bool:
        parent = self._parents[statement]
        for part in ("body", "orelse", "finalbody", "handlers"):
            statements = getattr(parent, part, None)
            if isinstance(statements, list) and statement in statements:
                others = [
                    one for one in statements if not isinstance(one, ast.Import | ast.ImportFrom) or self._survives(one)
                ]
                return not [one for one in others if one is not statement]
        return False

    def _survives(self, statement: ImportStatement) -> bool:
        entries = [entry for entry in self.module.scopes.imports if entry.statement is statement]
        return any(self._import_line(entry) is not None for entry in entries)

    def _comment_after(self, statement: ast.stmt) -> str:
        end = self.module.end(statement)
        line = self.module.source[end:].split(b"\n", 1)[0].decode().strip()
        return f"  {line}" if line.startswith(("# type: ignore", "# noqa")) else ""

    def _whole_lines(self, statement: ast.stmt) -> tuple[int, int]:
        first, last = self.module.line_start(statement.lineno), self.module.line_start((statement.end_lineno or 0) + 1)
        return first, last

    def _plain_line(self, entry: Import) -> str:
        alias = f" as {entry.alias.asname}" if entry.alias.asname else ""
        if isinstance(entry.statement, ast.Import):
            return f"import {entry.alias.name}{alias}"
        dots = "." * entry.statement.level
        return f"from {dots}{entry.statement.module or ''} import {entry.alias.name}{alias}"

    def _import_line(self, entry: Import) -> str | None:
        """Return the new line of an import, None where it is dropped."""
        old = self.plan.package.imported(entry, self.module)
        if old.module.partition(".")[0] != self.plan.package.name:
            if self.is_own and self.binding_of(entry).name not in (entry.bound_name, None):
                source = f"from {entry.statement.module} " if isinstance(entry.statement, ast.ImportFrom) else ""
                return f"{source}import {entry.alias.name} as {self.binding_of(entry).name}"
            return self._plain_line(entry)
        if isinstance(entry.statement, ast.ImportFrom) and entry.statement.module == "__future__":
            return self._plain_line(entry)
        if isinstance(entry.statement, ast.Import) and not entry.alias.asname:
            return f"import {self.plan.new_module(entry.alias.name)}"
        binding = self.binding_of(entry)
        if binding.name is None:
            return None
        entity = binding.entity
        if entity.name is not None and entity.module == self.here:
            return None
        if entity.name is None:
            source, _, name = entity.module.rpartition(".")
            if isinstance(entry.statement, ast.Import) or not source:
                return f"import {entity.module} as {binding.name}"
        else:
            source, name = entity
        if source == old.module and name == entry.alias.name and binding.name == entry.bound_name:
            return self._plain_line(entry)
        return f"from {source} import {name}" + (f" as {binding.name}" if binding.name != name else "")

    # names

    def resolve(self, node: ast.Name, scope: Scope) -> tuple[Binding, Entity | None, Scope] | None:
        """Return the new binding of a name, and what it stands for in the old tree if it is imported; None of a local variable."""
        home = scope.find(node.id)
        if home is None:
            return None
        entries = home.imports.get(node.id, [])
        if home.kind == "module":
            if node.id in home.assigned or not entries:
                if not self.is_own:
                    return None
                return self.plan.bindings[self.module.name][node.id], None, home
        elif not entries or node.id in home.assigned:
            return None
        entry = entries[-1]
        return self.binding_of(entry), self.plan.package.imported(entry, self.module), home

    def _edit_names(self) -> None:
        local_renames = self.plan.local_renames(self.module) if self.is_own else {}
        for function, scope in self.module.scopes.functions.items():
            for argument in ast.walk(function.args) if local_renames else ():  # type: ignore[attr-defined]
                if isinstance(argument, ast.arg) and (scope, argument.arg) in local_renames:
                    start = self.module.start(argument)
                    end = start + len(argument.arg.encode())
                    self.edits.replace(start, end, local_renames[scope, argument.arg])
        for node, scope in self.module.scopes.names:
            local = local_renames.get((scope.find(node.id), node.id)) if local_renames else None  # type: ignore[arg-type]
            if local is not None:
                self._replace_name(node, local)
                continue
            resolved = self.resolve(node, scope)
            if resolved is None:
                continue
            binding, old, home = resolved
            if old is not None and old.name is None and old.module in self.plan.package.modules:
                self._edit_module_use(node, scope, binding, old.module, home)
                continue
            if binding.name is None:
                continue
            if home.kind == "module" or binding.entity.module == self.here:
                self.uses[node] = binding.name
            if binding.name != node.id:
                self._check_shadow(node, scope, home, binding)
                self._replace_name(node, binding.name)
            elif home.kind != "module" and binding.entity.module == self.here:  # its lazy import is dropped
                self._check_shadow(node, scope, home, binding)

    def _check_shadow(self, node: ast.AST, scope: Scope, home: Scope, binding: Binding) -> None:
        outer = None if binding.entity.module == self.here or home.kind == "module" else home
        for one in scope.path_to(outer):
            dropped = (
                binding.name in one.imports and binding.name not in one.assigned and binding.entity.module == self.here
            )
            if one.kind != "module" and binding.name in one.bound and not dropped:
                self.problems.append(f"{self.module.at(node)}: a local variable shadows {binding.name}")

    def _edit_module_use(self, node: ast.Name, scope: Scope, binding: Binding, old: str, home: Scope) -> None:
        parent = self._parents.get(node)
        if old == self.plan.package.name:
            self._edit_chain(node)
            return
        if not isinstance(parent, ast.Attribute):
            if binding.name is None:
                self.problems.append(f"{self.module.at(node)}: {node.id} is this file itself, used as a value")
            elif binding.name != node.id:
                self._replace_name(node, binding.name)
            return
        member = self.plan.package.member(old, parent.attr)
        if member.name is None or old in self.plan.dissolved:
            entity = self.plan.new_entity(member)
            new_parent = entity.module.rpartition(".")[0] if entity.name is None else entity.module
            if new_parent == self.plan.new_module(old) and old not in self.plan.dissolved:
                new = entity.name or entity.module.rpartition(".")[2]
            else:
                self.problems.append(f"{self.module.at(node)}: {node.id}.{parent.attr} becomes {entity}")
                return
        else:
            member_binding = self.plan.bindings[old].get(parent.attr)
            new = parent.attr if member_binding is None else member_binding.name
            if new is None:
                self.problems.append(
                    f"{self.module.at(node)}: {node.id}.{parent.attr} is a module of one file with {old}"
                )
                return
        if binding.name is None:
            self.uses[node] = new
            self._check_shadow(node, scope, home, Binding(new, Entity(self.here, new), False))
            self._replace(node, parent, new)
            return
        if binding.name != node.id:
            self._replace_name(node, binding.name)
        if new != parent.attr:
            end = self.module.end(parent)
            self.edits.replace(end - len(parent.attr.encode()), end, new)

    def _edit_chain(self, node: ast.Name) -> None:
        """Rewrite ``sessionkit.a.b.name`` after ``import sessionkit`` or ``import sessionkit.a.b``."""
        parts, chain = [], [node]
        parent = self._parents.get(node)
        while isinstance(parent, ast.Attribute) and parent.value is chain[-1]:
            parts.append(parent.attr)
            chain.append(parent)  # type: ignore[arg-type]
            parent = self._parents.get(parent)
        root = self.plan.package.name
        for length in range(len(parts), 0, -1):
            module = ".".join([root, *parts[:length]])
            if module in self.plan.package.modules:
                is_moved = self.plan.new_module(module) != module
                if module in self.plan.dissolved:
                    self.notes.append(f"{self.module.at(node)}: {node.id}.{'.'.join(parts)}: {module} is dissolved")
                elif is_moved:
                    new = self.plan.new_module(module).removeprefix(f"{root}.")
                    self._replace(node, chain[length], f"{node.id}.{new}")
                if length < len(parts):
                    member = self.plan.bindings[module].get(parts[length])
                    if member is not None and member.name not in (None, parts[length]):
                        end = self.module.end(chain[length + 1])
                        self.edits.replace(end - len(parts[length].encode()), end, str(member.name))
                return

    def _replace_name(self, node: ast.Name, new: str) -> None:
        self._replace(node, node, new)

    def _replace(self, first: ast.AST, last: ast.AST, new: str) -> None:
        """Replace a name, or an attribute that begins with it; positions within f-strings are those of the text."""
        old = ast.unparse(last)
        start, end = self.module.start(first), self.module.end(last)
        text = self._format_strings.get(first)
        inside = text is None or self.module.start(text) <= start <= end <= self.module.end(text)
        if inside and re.sub(rb"\s+", b"", self.module.source[start:end]).decode() == old.replace(" ", ""):
            self.edits.replace(start, end, new)
            return
        if text is None:
            self.problems.append(f"{self.module.at(first)}: {old} does not stand where it should")
            return
        begin, finish = self.module.start(text), self.module.end(text)
        pattern = rb"(?<![\w.'\"])" + re.escape(old).encode() + rb"(?!\w|=[^=])"
        places = [
            (begin + match.start(), begin + match.end())
            for match in re.finditer(pattern, self.module.source[begin:finish])
            if _in_braces(self.module.source[begin:finish], match.start())
        ]
        nodes = [
            node for node in ast.walk(text) if isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) == old
        ]
        if len(places) != len(nodes):
            self.problems.append(f"{self.module.at(text)}: rename {old} to {new} in this f-string by hand")
            return
        for place in places:
            self.edits.replace(*place, new)

    def _edit_definitions(self) -> None:
        if not self.is_own:
            return
        for node in ast.walk(self.module.tree):
            if not isinstance(node, (*FUNCTIONS, ast.ClassDef)) or not self._is_at_top(node):
                continue
            new = self.plan.bindings[self.module.name][node.name].name
            if new and new != node.name:
                start = self.module.start(node)
                match = re.compile(rb"(?:async\s+)?(?:def|class)\s+").match(self.module.source, start)
                if match:
                    self.edits.replace(match.end(), match.end() + len(node.name.encode()), new)

    def _is_at_top(self, node: ast.AST) -> bool:
        parent = self._parents.get(node)
        while parent is not None and not isinstance(parent, ast.Module):
            if isinstance(parent, (*FUNCTIONS, ast.ClassDef, ast.Lambda)):
                return False
            parent = self._parents.get(parent)
        return True

    # strings

    def _edit_patches(self) -> None:
        scopes = dict(self.module.scopes.names)
        for node in ast.walk(self.module.tree):
            if not isinstance(node, ast.Call) or len(node.args) < 2:
                continue
            function = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            target, name = node.args[:2]
            if function not in PATCHES or not isinstance(target, ast.Name) or not isinstance(name, ast.Constant):
                continue
            resolved = self.resolve(target, scopes[target])
            if resolved is None or resolved[1] is None or resolved[1].name is not None:
                continue
            binding = self.plan.bindings.get(resolved[1].module, {}).get(str(name.value))
            if binding is None:
                continue
            if binding.name is None:
                self.notes.append(
                    f"{self.module.at(node)}: patches {name.value}, which is no longer a module of its own"
                )
            elif binding.name != name.value:
                self.edits.replace(self.module.start(name) + 1, self.module.end(name) - 1, binding.name)

    def _edit_exports(self) -> None:
        if not self.is_own:
            return
        bindings = self.plan.bindings[self.module.name]
        for node in self.module.tree.body:
            if isinstance(node, ast.Assign) and _assigned_names(node) == ["__all__"]:
                for constant in ast.walk(node.value):
                    if isinstance(constant, ast.Constant) and isinstance(constant.value, str):
                        new = bindings.get(constant.value)
                        if new is not None and new.name not in (None, constant.value):
                            self.edits.replace(self.module.start(constant), self.module.end(constant), f'"{new.name}"')

    def _edit_registries(self) -> None:
        for node in self.module.tree.body:
            if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
                continue
            registry = next(
                (
                    self.plan.mapping.registries[self.place, name]
                    for name in _assigned_names(node)
                    if (self.place, name) in self.plan.mapping.registries
                ),
                None,
            )
            if registry is not None:
                keys = [key for table in ast.walk(node.value) if isinstance(table, ast.Dict) for key in table.keys]
                for constant in ast.walk(node.value):
                    if not registry.keys and constant in keys:
                        continue
                    if isinstance(constant, ast.Constant) and isinstance(constant.value, str):
                        new = self.texts.new_registered(constant.value, registry)
                        if new != constant.value:
                            self.edits.replace(self.module.start(constant), self.module.end(constant), f'"{new}"')
            for table in ast.walk(node.value):
                if isinstance(table, ast.Dict):
                    self._merge_entries(table, registry)

    def _merge_entries(self, table: ast.Dict, registry: Registry | None) -> None:
        """Join the values of keys that name the same module now."""
        if registry is not None and not registry.keys:
            return
        first: dict[str, ast.expr] = {}
        for number, (key, value) in enumerate(zip(table.keys, table.values, strict=True)):
            if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
                continue
            new = (
                self.texts.new_registered(key.value, registry)
                if registry
                else self.texts.rewrite(key.value, self.place)
            )
            if new not in first:
                first[new] = value
                continue
            into = first[new]
            if not isinstance(value, ast.List | ast.Tuple) or not isinstance(into, ast.List | ast.Tuple):
                self.problems.append(f"{self.module.at(key)}: two entries become {new!r}")
                continue
            elements = ", ".join(
                self.module.source[self.module.start(element) : self.module.end(element)].decode()
                for element in value.elts
            )
            last = self.module.end(into.elts[-1])
            self.edits.replace(last, last, f", {elements}")
            for place in [place for place in self.edits.replacements if self._within(place, key, value)]:
                del self.edits.replacements[place]
            self.edits.replace(self.module.end(table.values[number - 1]), self.module.end(value), "")
            self._removed.append((self.module.start(key), self.module.end(value)))

    def _within(self, place: tuple[int, int], first: ast.AST, last: ast.AST) -> bool:
        return self.module.start(first) <= place[0] and place[1] <= self.module.end(last)

    def _edit_texts(self) -> None:
        """Rewrite dotted names and paths in strings and comments, and renamed names in docstrings."""
        renamed = {}
        if self.is_own:
            renamed = {
                old: binding.name
                for old, binding in self.plan.bindings[self.module.name].items()
                if binding.name not in (None, old)
            }
        docstrings = {
            self.module.start(node.value)
            for node in ast.walk(self.module.tree)
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        }
        source = self.module.source.decode()
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type not in (tokenize.STRING, tokenize.COMMENT):
                continue
            line = source_line(self.module, token.start[0])
            start = self.module.offset(token.start[0], len(line[: token.start[1]].encode()))
            end = start + len(token.string.encode())
            if any(first <= start < last for first, last in self._removed):
                continue
            new = self.texts.rewrite(token.string, self.place)
            if start in docstrings:
                for old, name in renamed.items():
                    new = rename_in_docstring(new, old, str(name))
            if new == token.string:
                continue
            inner = [place for place in self.edits.replacements if start <= place[0] and place[1] <= end]
            if inner and (start, end) not in inner:
                self.problems.append(
                    f"{self.module.path}:{token.start[0]}: names and text of this string change; edit it by hand"
                )
            else:
                self.edits.replace(start, end, new)


def source_line(module: Module, number: int) -> str:
    """Return one line of a module."""
    return module.source[module.line_start(number) : module.line_start(number + 1)].decode()


def rename_in_docstring(text: str, old: str, new: str) -> str:
    """Rename a name where a docstring quotes it as code."""
    text = re.sub(rf"(?<!`)(`{{1,2}}){re.escape(old)}(?=`|\()", rf"\g<1>{new}", text)
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if line.lstrip().startswith((">>>", "...")):
            lines[number] = re.sub(rf"(?<![\w.\"']){re.escape(old)}(?!\w|=[^=])", new, line)
    return "\n".join(lines)


def join_imports(lines: list[str]) -> list[str]:
    """Join the names of lines that import from the same module.

    >>> join_imports(["from a import b", "import c", "from a import d as e"])
    ['from a import b, d as e', 'import c']
    """
    sources: dict[str, list[str]] = {}
    for line in lines:
        source, separator, names = line.partition(" import ")
        sources.setdefault(source if separator else line, []).extend([names] if separator else [])
    return [f"{source} import {', '.join(names)}" if names else source for source, names in sources.items()]


def _assigned_names(node: ast.stmt) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _in_braces(text: bytes, position: int) -> bool:
    """Whether a position of an f-string's source stands in a replacement field."""
    before = text[:position].replace(b"{{", b"").replace(b"}}", b"")
    return before.count(b"{") > before.count(b"}")
