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


def printable_spec(value: Any) -> Any:  # noqa: ANN401  # any JSON value
    """Return a JSON value with every text in it, at any depth, made printable."""
    if isinstance(value, str):
        return printable(value)
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
    return printable(value)
