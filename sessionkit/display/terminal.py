"""Text folded to the width of a terminal; a command to copy stays on one line, and a number stays with its name."""

from __future__ import annotations

import os
import re
import sys
from itertools import pairwise
from typing import TYPE_CHECKING

from sessionkit.display.numbers import PAIRS

if TYPE_CHECKING:
    from typing import TextIO

READABLE = 100
"""The most characters of a line of prose: longer ones are hard to read, however wide the terminal."""
USUAL = 80
"""Columns of a terminal that does not tell how many it has."""
COMMAND = re.compile(
    r"sessionkit (?:(?:help|measures|formats|schema|chart|export) )?[\w-]+"
    r"(?: (?:--?[a-z][\w-]*(?: [^\s,;-]+)?|'[^']*'|[A-Z][A-Z_]*\b(?:\.\.\.)?))*"
)
"""A command in a sentence, with its options and what stands for their values."""
INDENT = re.compile(r" *(?:[-*] |\d+\. )?")
"""What stands before the text of a line: spaces, and the mark of an item, below which its other lines begin."""


def terminal_width(stream: TextIO | None = None) -> int | None:
    """Return the columns of the terminal that stdout, or another stream, is; None where it is none."""
    file = stream if stream is not None else sys.stdout
    if not file.isatty():
        return None
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    try:
        return os.get_terminal_size(file.fileno()).columns or USUAL
    except (OSError, ValueError):  # no file of the system, as in a notebook or a test
        return USUAL


def fold_text(text: str, width: int, *, breaks_words: bool = False) -> list[str]:
    """Return one line of text as the lines of a terminal.

    Parameters
    ----------
    text
        One line. The lines after its first stand below its text, not below its indent.
    width
        The most columns of a line. Wide characters count twice.
    breaks_words
        Whether a word that is wider than a line is broken. Otherwise it stands alone on a line, such as a path that is to be copied.

    Examples
    --------
    >>> for line in fold_text("- see: sessionkit score STUDY --per session, with p = 0.12", 40):
    ...     print(line)
    - see:
      sessionkit score STUDY --per session,
      with p = 0.12
    """
    from rich.cells import cell_len, chop_cells

    lead = INDENT.match(text)
    start = lead[0] if lead is not None else ""
    lines = [start]
    indent = " " * cell_len(start)
    for word in _words(text[len(start) :]):
        is_first = lines[-1] in (start, indent)
        if not is_first and cell_len(lines[-1]) + 1 + cell_len(word) > width:
            lines.append(indent)
            is_first = True
        is_broken = breaks_words and is_first and cell_len(word) > width - len(indent) > 0
        first, *others = chop_cells(word, width - len(indent)) if is_broken else [word]
        lines[-1] += first if is_first else f" {first}"
        lines += [f"{indent}{part}" for part in others]
    return lines


def _words(text: str) -> list[str]:
    """Split text at the spaces where a line may end: not within a command, or between a number and its name."""
    joined = {place for pattern in (COMMAND, PAIRS) for part in pattern.finditer(text) for place in range(*part.span())}
    spaces = [place for place, character in enumerate(text) if character == " " and place not in joined]
    return [text[before + 1 : space] for before, space in pairwise([-1, *spaces, len(text)])]
