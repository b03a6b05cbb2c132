"""Text from logs and callers made fit to draw: characters that no XML file may hold are replaced by visible stand-ins.

The renderer behind PNG, SVG and PDF ends the whole process at a NUL character, so nothing reaches it unchecked.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

import polars as pl

from sessionkit.errors import UsageError

CONTROLS = {chr(code): chr(0x2400 + code) for code in range(0x20)} | {"\x7f": "\u2421"}
CONTROLS |= {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
"""Control characters and the Unicode pictures of them, of line breaks and tabs what programs write, which every font has; one to one,
so that different names stay different."""
TURNING = {chr(code): f"[U+{code:04X}]" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
"""Characters that turn the direction of the text around them, and their names."""
HIDDEN = {chr(code): f"[U+{code:04X}]" for code in (0x200B, 0x2060, 0xFEFF)}
"""Characters without width, by which names that look the same can differ, and their names."""
NO_XML = {chr(code): f"[U+{code:04X}]" for code in (0xFFFE, 0xFFFF)}
REPLACED = {**CONTROLS, **TURNING, **HIDDEN, **NO_XML}
LIKE = {picture: f"[U+{ord(picture):04X}]" for picture in CONTROLS.values() if len(picture) == 1}
"""Characters that a name has itself and that stand for others elsewhere, and their names."""
BROKEN = re.compile(r"\\([nrt])")
"""What a name has itself and that stands for a line break or a tab elsewhere."""
ESCAPE = re.compile(r"\[(U\+[0-9A-F]{4,6}\])")
LONGEST = 120
"""Characters of a name that a page shows."""
SURROGATES = re.compile("[\ud800-\udfff]")
_TABLE = str.maketrans(REPLACED)
_LIKE = str.maketrans(LIKE)


def printable(text: str) -> str:
    r"""Return text with control characters as pictures, and those that turn its direction, hide or have no place as names.

    What is printable stays as it is, so that text may pass here twice. A name from a log passes through `named` first.

    >>> printable("a\x00b\u202ec")
    'a␀b[U+202E]c'
    """
    if text.isprintable():  # as nearly all is: Python calls none of these characters printable
        return text
    return SURROGATES.sub(lambda found: f"[U+{ord(found[0]):04X}]", text.translate(_TABLE))


def named(name: str) -> str:
    r"""Return a name from a log printable, such that different names stay different: what looks like a replacement is named too.

    >>> named("a\x00"), named("a\u2400"), named("\u202e"), named("[U+202E]")
    ('a␀', 'a[U+2400]', '[U+202E]', '[U+005B]U+202E]')
    """
    return printable(BROKEN.sub(r"[U+005C]\1", ESCAPE.sub(r"[U+005B]\1", name)).translate(_LIKE))


def label(name: str, most: int = LONGEST) -> str:
    """Return what is shown of a name from a log: printable, then shortened; different names have different labels.

    >>> label("\u202e" * 1000)[-54:]
    '[U+202E][U+202E]… (8,000 characters, 777fc57fa2702763)'
    """
    shown = named(name)
    return shown if len(shown) <= most else _cut(shown, most)


def shortened(text: str) -> str:
    """Return printable text as it is or, if it is longer than `LONGEST`, its beginning, its length and its digest.

    The digest tells it from others with the same beginning.

    >>> shortened("a" * 1000)[-40:]
    'aa… (1,000 characters, 41edece42d63e8d9)'
    """
    return text if len(text) <= LONGEST else _cut(text, LONGEST)


def _cut(text: str, most: int) -> str:
    """The beginning of a text that is too long, in which no replaced character is cut, and what tells it from others."""
    begin = text[:most]
    mark = begin.rfind("[")
    if mark >= 0 and (found := ESCAPE.match(text, mark)) and found.end() > most:
        begin = begin[:mark]
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{begin}\u2026 ({len(text):,} characters, {digest})"


def printable_column(name: str) -> pl.Expr:
    """Return a column of names under the replacements of `named`; null becomes ``(none)``."""
    wanted = {**REPLACED, **LIKE}
    text = pl.col(name).cast(pl.String).str.replace_all(ESCAPE.pattern, "[U+005B]${1}")
    text = text.str.replace_all(BROKEN.pattern, "[U+005C]${1}")
    return text.str.replace_many(list(wanted), list(wanted.values())).fill_null("(none)")


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
