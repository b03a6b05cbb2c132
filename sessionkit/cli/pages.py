"""Guides, and what measures and formats say of themselves, folded to the width of the terminal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sessionkit.display.terminal import INDENT, READABLE, fold_text, terminal_width
from sessionkit.display.text_tables import table_text
from sessionkit.errors import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

FENCE = re.compile(r"\s*```")
"""A line above and below code, which stays as it is."""
CODE = re.compile(r" {4}")
"""The beginning of a line of code behind an empty line."""
ALONE = re.compile(r"#|\s*$")
"""A line that is no part of a paragraph: a heading, an empty line."""
ITEM = re.compile(r"\s*(?:[-*] |\d+\. )")
"""The beginning of an item of a list."""
CELL_END = re.compile(r"(?<!\\)\|")
"""The end of a cell of a table of Markdown."""


def fold_page(text: str) -> str:
    """Return text of paragraphs, lists, tables and code as the terminal shows it; code, and text for no terminal, is as it was.

    A paragraph is joined and folded, a table of Markdown is set as other tables are.
    """
    width = terminal_width()
    if width is None:
        return text
    lines: list[str] = []
    for block in _blocks(text):
        if FENCE.match(block[0]) or CODE.match(block[0]):
            lines += block
        elif block[0].startswith("|"):
            lines += table_text(_table(block), width).splitlines()
        else:
            lead = INDENT.match(block[0])
            start = lead[0] if lead is not None else ""
            words = [block[0][len(start) :].strip(), *(line.strip() for line in block[1:])]
            lines += [line.rstrip() for line in fold_text(start + " ".join(words), min(width, READABLE))]
    return "".join(f"{line}\n" for line in lines)


def fold_facts(facts: Mapping[str, str], indent: str = "") -> str:
    """Return names and values, each on a line, or on several of the terminal, which stand below each other."""
    width, names = terminal_width(), max(map(len, facts), default=0)
    lines = []
    for name, value in facts.items():
        parts = (
            [value]
            if width is None or name == "example"
            else fold_text(visible(value), min(width, READABLE) - len(indent) - names - 2)
        )
        lines += [f"{indent}{name:<{names}}  {parts[0]}", *(f"{indent}{'':<{names}}  {part}" for part in parts[1:])]
    return "".join(f"{line}\n" for line in lines)


def _blocks(text: str) -> list[list[str]]:
    """Split text into the lines of its paragraphs, items, tables and blocks of code."""
    blocks: list[list[str]] = []
    is_fenced = follows_empty = False
    for line in map(visible, text.removesuffix("\n").split("\n")):
        is_fence = FENCE.match(line) is not None
        continues = blocks and not is_fence and not follows_empty and _continues(line, blocks[-1])
        if is_fenced or continues:
            blocks[-1].append(line)
        else:
            blocks.append([line])
        follows_empty = not is_fenced and ALONE.match(line) is not None
        if is_fence:
            is_fenced = not is_fenced
            follows_empty = not is_fenced
    return blocks


def _continues(line: str, block: list[str]) -> bool:
    """Whether a line, behind one that is not empty, belongs to the block of that one."""
    if line.startswith("|") or block[0].startswith("|"):
        return line.startswith("|") and block[0].startswith("|")
    return not ALONE.match(line) and not ITEM.match(line)


def _table(lines: list[str]) -> pl.DataFrame:
    """The cells of a table of Markdown."""
    import polars as pl

    header, _, *rows = [
        [cell.strip().replace(r"\|", "|") for cell in CELL_END.split(line.strip().strip("|"))] for line in lines
    ]
    return pl.DataFrame(rows, schema=dict.fromkeys(header, pl.String), orient="row")
