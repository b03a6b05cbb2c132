"""Text from logs and callers made fit to draw: characters that no XML file may hold are replaced by visible stand-ins.

The renderer behind PNG, SVG and PDF ends the whole process at a NUL character, so nothing reaches it unchecked.
"""

from __future__ import annotations

import re
import zlib
from typing import Any

import polars as pl

from sessionkit.errors import UsageError

CONTROLS = {chr(code): chr(0x2400 + code) for code in range(0x20)} | {"\x7f": "\u2421"}
"""Control characters and the Unicode pictures of them; one to one, so that different names stay different."""
TURNING = {chr(code): f"[U+{code:04X}]" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
"""Characters that turn the direction of the text around them, and their names."""
NO_XML = dict.fromkeys(("\ufffe", "\uffff"), "\ufffd")
LONGEST = 120
"""Characters of a name that a page shows."""
SURROGATES = re.compile("[\ud800-\udfff]")
_TABLE = str.maketrans({**CONTROLS, **TURNING, **NO_XML})


def printable(text: str) -> str:
    r"""Return text with control characters as pictures, those that turn its direction as names, lone surrogates replaced.

    >>> printable("a\x00b\u202ec")
    'a␀b[U+202E]c'
    """
    if text.isprintable():  # as nearly all is: Python calls none of these characters printable
        return text
    return SURROGATES.sub("\ufffd", text.translate(_TABLE))


def shortened(text: str) -> str:
    """Return a name as it is or, if it is longer than `LONGEST`, its beginning, its length and what tells it from others.

    >>> shortened("a" * 1000)[-32:]
    'aa… (1,000 characters, 9a38da03)'
    """
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}\u2026 ({len(text):,} characters, {zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x})"


def printable_column(name: str) -> pl.Expr:
    """Return a column as text under the same replacements; null becomes ``(none)``."""
    wanted = {**CONTROLS, **TURNING, **NO_XML}
    return pl.col(name).cast(pl.String).str.replace_many(list(wanted), list(wanted.values())).fill_null("(none)")


TAG = re.compile("<(?=[A-Za-z/!?])")
PARTED = "<\u2060"
"""What ``<`` becomes where a tag could begin: an invisible word joiner parts it from what follows."""


def inert(text: str) -> str:
    r"""Return text in which no tag begins. A notebook writes a chart raw into a script, which ``</script>`` would end.

    >>> inert("</b> 1 < 2") == "<\u2060/b> 1 < 2"
    True
    """
    return TAG.sub(PARTED, text)


def inert_column(name: str) -> pl.Expr:
    """Return a column of text under the same replacement."""
    return pl.col(name).str.replace_all("<([A-Za-z/!?])", f"{PARTED}${{1}}")


def printable_spec(value: Any) -> Any:  # noqa: ANN401  # any JSON value
    """Return a JSON value with every text in it, at any depth, made printable, and whole again where it was made inert."""
    if isinstance(value, str):
        return printable(value.replace(PARTED, "<"))
    if isinstance(value, dict):
        return {key: printable_spec(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [printable_spec(inner) for inner in value]
    return value


def plain(name: str, value: object) -> str:
    """Return `value` printable if it is text, so that nothing else (an expression, a signal) can stand for a title.

    Raises
    ------
    UsageError
        It is not text.
    """
    if not isinstance(value, str):
        raise UsageError(f"{name} must be text, not {type(value).__name__}")
    return inert(printable(value))
