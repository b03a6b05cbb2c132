"""Several files as one: docstring, imports, then the definitions, each after what it needs when it is evaluated."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.support.moves.references import References, join_imports
from tests.support.moves.scopes import FUNCTIONS, is_type_checking


@dataclass(eq=False)
class Block:
    """A statement at the top of a file, with the comments before it and the string after it that documents it."""

    text: str
    names: set[str]
    """New names that it binds."""
    needs: list[str]
    """Names of the new file that are read when it is evaluated."""
    calls: list[str]
    """Those of them that are called then."""
    later: list[str]
    """Names that the bodies of its functions read."""
    file: int
    previous: Block | None = None
    joined: ast.expr | None = None
    is_test: bool = False
    lead: int = 0
    """Where the statement begins in its text."""


@dataclass
class Pieces:
    """What is taken from one file."""

    docstring: str | None = None
    exports: list[str] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    guarded: list[str] = field(default_factory=list)
    """Statements that only type checkers read, apart from imports."""
    marks: list[tuple[str, list[str]]] = field(default_factory=list)
    """Marks of all tests of the file (``pytestmark``), and the names that they read."""


def merge(
    files: list[References], docstring: str | None, joins: frozenset[str], once: frozenset[str] = frozenset()
) -> str:
    """Return the source of the file that several files become; names of `once` are the same in several of them."""
    pieces = [take_apart(file, number) for number, file in enumerate(files)]
    mark_tests(pieces)
    first_docstring = next((piece.docstring for piece in pieces if piece.docstring), None)
    head = quoted(docstring) if docstring else first_docstring or ""
    imports = joined_lines(line for file in files for line, _, guarded in file.import_lines if not guarded)
    at_run = {name for file in files for _, name, guarded in file.import_lines if not guarded}
    guarded_imports = joined_lines(
        line for file in files for line, name, guarded in file.import_lines if guarded and name not in at_run
    )
    guarded = [*sorted(guarded_imports), *(text for piece in pieces for text in piece.guarded)]
    if guarded:
        imports.add("from typing import TYPE_CHECKING")
    parts = [head]
    future = sorted(line for line in imports if line.startswith("from __future__ "))
    parts += ["\n".join(future), "\n".join(sorted(imports - set(future)))]
    if guarded:
        parts.append(
            "\n".join(["if TYPE_CHECKING:", *(f"    {line}" if not line.startswith(" ") else line for line in guarded)])
        )
    exports = sorted({name for piece in pieces for name in piece.exports})
    if exports:
        parts.append("__all__ = [{}]".format(", ".join(f'"{name}"' for name in exports)))
    blocks = in_order(join(without_repeats(pieces, once), joins, files))
    body = ""
    last = None
    for block in blocks:
        text = block.text
        if block.previous is not last or last is None:
            text = "\n\n" + text.lstrip("\n")
        body += text
        last = block
    return "\n\n".join(filter(None, parts)) + "\n\n" + body.strip("\n") + "\n"


def without_repeats(pieces: list[Pieces], once: frozenset[str]) -> list[Block]:
    """Return the blocks of all files, but definitions that are the same in several only from the first."""
    blocks: list[Block] = []
    seen: dict[str, int] = {}
    for block in (block for piece in pieces for block in piece.blocks):
        repeated = block.names & once
        if not repeated or all(seen.setdefault(name, block.file) == block.file for name in repeated):
            blocks.append(block)
    return blocks


def mark_tests(pieces: list[Pieces]) -> None:
    """Write marks of whole files at each of their tests; if all files have the same marks, they stay marks of the file."""
    if len({tuple(mark for mark, _ in piece.marks) for piece in pieces}) == 1:
        if pieces[0].marks:
            marks = ", ".join(mark for mark, _ in pieces[0].marks)
            needs = [name for _, names in pieces[0].marks for name in names]
            pieces[0].blocks.append(Block(f"\n\npytestmark = [{marks}]\n", {"pytestmark"}, needs, needs, [], 0))
        return
    for piece in pieces:
        for block in piece.blocks:
            if block.is_test:
                marks = "".join(f"@{mark}\n" for mark, _ in piece.marks)
                block.text = block.text[: block.lead] + marks + block.text[block.lead :]
                block.needs += [name for _, names in piece.marks for name in names]


def joined_lines(lines: Iterable[str]) -> set[str]:
    """Join lines that import from one module, those with the same comment at their ends."""
    comments: dict[str, list[str]] = {}
    for line in sorted(set(lines)):
        code, mark, comment = line.partition("  # ")
        comments.setdefault(mark + comment, []).append(code)
    return {line + comment for comment, codes in comments.items() for line in join_imports(codes)}


def quoted(text: str) -> str:
    """Return a docstring between quotes."""
    text = text.strip().replace("\\", "\\\\")
    return f'"""{text}\n"""' if "\n" in text or text.endswith('"') else f'"""{text}"""'


def take_apart(file: References, number: int) -> Pieces:
    """Take a file apart, its edits made."""
    module, edits = file.module, file.edits
    pieces = Pieces()
    body = module.tree.body
    position = 0
    comments = ""
    for index, statement in enumerate(body):
        end = module.line_start((statement.end_lineno or 0) + 1)
        if index == len(body) - 1:
            end = len(module.source)
        text = edits.text(position, end)
        lead = edits.text(position, module.offset(_first_line(statement), 0))
        position = end
        if index == 0 and _is_string(statement):
            pieces.docstring = text.strip()
            continue
        if isinstance(statement, ast.Import | ast.ImportFrom):
            if lead.strip():
                comments += lead.strip("\n") + "\n"
            continue
        if _is_gathered(statement, file, pieces):
            continue
        if _is_string(statement) and pieces.blocks and not comments:
            pieces.blocks[-1].text += text
            continue
        block = Block(comments + text if comments else text, set(), [], [], [], number)
        block.lead = len(comments) + len(lead)
        block.is_test = getattr(statement, "name", "").startswith(("test_", "Test"))
        comments = ""
        block.previous = pieces.blocks[-1] if pieces.blocks else None
        _read_names(block, statement, file)
        pieces.blocks.append(block)
    return pieces


def _is_gathered(statement: ast.stmt, file: References, pieces: Pieces) -> bool:
    """Gather what the new file has once: exports, marks and what only type checkers read. Return whether this is such."""
    module, edits = file.module, file.edits
    if is_type_checking(statement) and not statement.orelse:  # type: ignore[attr-defined]
        start = module.line_start(statement.body[0].lineno)  # type: ignore[attr-defined]
        for inner in statement.body:  # type: ignore[attr-defined]
            inner_end = module.line_start((inner.end_lineno or 0) + 1)
            if not isinstance(inner, ast.Import | ast.ImportFrom):
                pieces.guarded.append(edits.text(start, inner_end).strip("\n"))
            start = inner_end
        return True
    if isinstance(statement, ast.Assign) and [ast.unparse(target) for target in statement.targets] == ["__all__"]:
        exports = ast.literal_eval(edits.text(module.start(statement.value), module.end(statement.value)))
        pieces.exports += exports
        return True
    if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "pytestmark":
        value = statement.value
        for mark in value.elts if isinstance(value, ast.List | ast.Tuple) else [value]:
            names = [file.uses[node] for node in ast.walk(mark) if isinstance(node, ast.Name) and node in file.uses]
            pieces.marks.append((edits.text(module.start(mark), module.end(mark)), names))
        return True
    return False


def _is_string(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _first_line(statement: ast.stmt) -> int:
    decorators = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def _read_names(block: Block, statement: ast.stmt, file: References) -> None:
    scopes = file.module.scopes
    called = _called_names(statement)
    for node in ast.walk(statement):
        if not isinstance(node, ast.Name) or node not in file.uses:
            continue
        name = file.uses[node]
        if not isinstance(node.ctx, ast.Load):
            if node not in scopes.deferred:
                block.names.add(name)
            if not isinstance(statement, ast.AugAssign):
                continue
        if node in scopes.deferred or node in scopes.annotations:
            block.later.append(name)
            continue
        block.needs.append(name)
        if node in called:
            block.calls.append(name)
    if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
        block.names.add(file.plan.bindings[file.module.name][statement.name].name or statement.name)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        block.joined = statement.value


def _called_names(statement: ast.stmt) -> set[ast.AST]:
    """Return the names that are called, as functions, decorators or base classes, also those before an attribute."""
    called: set[ast.AST] = set()
    for node in ast.walk(statement):
        called.update(getattr(node, "decorator_list", []))
        if isinstance(node, ast.ClassDef):
            called.update(node.bases)
        if isinstance(node, ast.Call):
            called.add(node.func.value if isinstance(node.func, ast.Attribute) else node.func)
    return called


def join(blocks: list[Block], joins: frozenset[str], files: list[References]) -> list[Block]:
    """Make one tuple of those that several files have under one name, where the last of them stands."""
    for name in joins:
        parts = [block for block in blocks if block.names == {name} and isinstance(block.joined, ast.Tuple)]
        if len(parts) < 2:
            continue
        elements = []
        for part in parts:
            file = files[part.file]
            value = part.joined
            assert isinstance(value, ast.Tuple)
            elements += [file.edits.text(file.module.start(node), file.module.end(node)) for node in value.elts]
        last = parts[-1]
        last.text = f"\n\n{name} = ({', '.join(elements)})\n"
        last.needs = [need for part in parts for need in part.needs]
        blocks = [block for block in blocks if block is last or block not in parts]
    return blocks


def in_order(blocks: list[Block]) -> list[Block]:
    """Return blocks in their order, but for those that must come earlier because another needs them when it is evaluated."""
    makers: dict[str, list[Block]] = {}
    for block in blocks:
        for name in block.names:
            makers.setdefault(name, []).append(block)
    ordered: dict[int, Block] = {}
    open_blocks: set[int] = set()

    def place(block: Block) -> None:
        if id(block) in ordered or id(block) in open_blocks:
            return
        open_blocks.add(id(block))
        for need in needs_of(block, makers):
            if need.file != block.file or blocks.index(need) < blocks.index(block):
                place(need)
        open_blocks.discard(id(block))
        ordered[id(block)] = block

    for block in blocks:
        place(block)
    return list(ordered.values())


def needs_of(block: Block, makers: dict[str, list[Block]]) -> Iterable[Block]:
    """Return the blocks that must be evaluated before one: those it reads, and what the functions that it calls read."""
    direct = [maker for name in block.needs for maker in makers.get(name, []) if maker is not block]
    needs = list(direct)
    queue = [maker for name in block.calls for maker in makers.get(name, []) if maker is not block]
    seen = {id(block)}
    while queue:
        called = queue.pop()
        if id(called) in seen:
            continue
        seen.add(id(called))
        needs.append(called)
        queue += [maker for name in (*called.later, *called.needs) for maker in makers.get(name, [])]
    return needs
