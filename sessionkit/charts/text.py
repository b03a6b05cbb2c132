"""Text from logs and callers made fit to draw: characters that no XML file may hold are replaced by visible stand-ins.

The renderer behind PNG, SVG and PDF ends the whole process at a NUL character, so nothing reaches it unchecked.
"""

from __future__ import annotations

import re
from typing import Any

import polars as pl

from sessionkit.errors import UsageError

CONTROLS = {chr(code): chr(0x2400 + code) for code in range(0x20)} | {"\x7f": "\u2421"}
"""Control characters and the Unicode pictures of them; one to one, so that different names stay different."""
NO_XML = dict.fromkeys(("\ufffe", "\uffff"), "\ufffd")
SURROGATES = re.compile("[\ud800-\udfff]")
_TABLE = str.maketrans({**CONTROLS, **NO_XML})


def printable(text: str) -> str:
    r"""Return text with control characters as pictures and lone surrogates as the replacement character.

    >>> printable("a\x00b")
    'a␀b'
    """
    return SURROGATES.sub("\ufffd", text.translate(_TABLE))


def printable_column(name: str) -> pl.Expr:
    """Return a column as text under the same replacements; null becomes ``(none)``."""
    wanted = {**CONTROLS, **NO_XML}
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
