r"""TOML as it is written: keys, values and comments, whatever the names and texts of a log hold.

>>> spelled('say "hi"\n'), spelled(["", "NA"]), spelled({"a b": 1}), spelled(False), key("Page #")
('"say \\"hi\\"\\n"', '["", "NA"]', '{ "a b" = 1 }', 'false', '"Page #"')
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from sessionkit.errors import ACTING, visible

BARE = re.compile(r"[A-Za-z0-9_-]+")
LONE = re.compile("[\ud800-\udfff]")
"""Halves of characters, which no text in UTF-8 can hold."""
LONG = 80
"""Characters of a text from the log that a comment shows."""


def spelled(value: Any) -> str:  # noqa: ANN401 - whatever a study.toml may say
    """Return a value as TOML spells it: text, number, boolean, list or mapping."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        # what JSON escapes TOML reads alike; a text is printed as well, so that nothing in it may act on a terminal
        return ACTING.sub(_escape, json.dumps(LONE.sub("\ufffd", value), ensure_ascii=False))
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key(name)} = {spelled(one)}" for name, one in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(spelled, value)) + "]"
    return repr(value)


def key(name: str) -> str:
    """Return a key as TOML spells it: as it is, or between quotes."""
    return name if BARE.fullmatch(name) else spelled(name)


def quoted(text: object) -> str:
    """Return a text from the log as a comment shows it: between quotes, cut where it is long, nothing in it acting.

    >>> print(quoted("a\\x1b[0m\\n]"))
    'a\\e[0m\\n]'
    """
    given = str(text)
    short = given if len(given) <= LONG else f"{given[: LONG - 1]}\u2026"
    return f"'{visible(short)}'"


def commented(text: str) -> str:
    """Return a sentence as lines of comment: each begins with a number sign, and none ends within.

    >>> print(commented("? is 2 the top?"))
    # ? is 2 the top?
    """
    return f"# {visible(text)}".rstrip()


def _escape(found: re.Match[str]) -> str:
    """Return a character as both JSON and TOML write it out."""
    return f"\\u{ord(found[0]):04x}"
