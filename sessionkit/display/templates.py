"""Templates of pages: HTML files beside the Python that fills them, in which every value is escaped unless it is HTML already."""

from __future__ import annotations

import functools
import json
import re
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sessionkit.display.labels import LONGEST, printable, shortened
from sessionkit.display.numbers import set_minus, set_numbers

RIGHT_TO_LEFT = "\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
LEFTWARD = re.compile(f"[{RIGHT_TO_LEFT}](?:[{RIGHT_TO_LEFT}\\s]*[{RIGHT_TO_LEFT}])?")
MOST = 5_000
"""Characters of a paragraph, a caption or a cell that the page holds."""
WORD = re.compile(rf"\S{{{LONGEST + 2},}}")  # longer than what is cut already
MARKS = "\"'(){},.;:!?"
"""What stands beside a name in a sentence, and is not cut with it; no brackets, which are of replaced characters."""
ESCAPES = {character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def rendered(template: str, **values: object) -> Markup:
    """Fill a template.

    Parameters
    ----------
    template
        Its path within the package, such as ``"charts/page.html"``.
    values
        What its names stand for. Text is escaped where it stands, see `escaped`; the filter ``worded`` is `worded`, ``cell`` is `cell`, the
        filter ``json`` is `json_text`.
    """
    return Markup(_environment().get_template(template).render(values))  # noqa: S704 - the template escapes its values


def macros(template: str) -> Any:  # noqa: ANN401 - a module that Jinja makes
    """Return a template whose macros are called as functions; each returns HTML."""
    return _environment().get_template(template).module


def escaped(text: str) -> Markup:
    r"""Return text fit to stand in HTML: what would turn the direction of what follows is named, endless words are cut.

    >>> escaped("<b>\u202e")
    Markup('&lt;b&gt;[U+202E]')
    """
    return Markup.escape(shortened_text(printable(text)))


def worded(text: str) -> Markup:
    r"""Return text as the content of an element: escaped, numbers as `set_numbers` has them, and words written from right to left
    do not move those beside them.

    >>> str(worded("By nDCG, \u05d0\u05d1 \u05d2: 0.5")) == "By nDCG, <bdi>\u05d0\u05d1 \u05d2</bdi>: 0.5"
    True
    """
    return _in_one_direction(set_numbers(str(text)))


def cell(text: str, number: bool) -> Markup:
    r"""Return a cell of a table as HTML; a number below 0 has a minus sign.

    >>> str(cell("-0.5000", True)) == "\u22120.5000", str(cell("-0.5", False))
    (True, '-0.5')
    """
    return _in_one_direction(set_minus(text) if number else text)


def _in_one_direction(text: str) -> Markup:
    """Text escaped, its words from right to left apart."""
    return Markup(LEFTWARD.sub(r"<bdi>\g<0></bdi>", str(escaped(text))))  # noqa: S704 - escaped before


def json_text(value: Any) -> Markup:  # noqa: ANN401  # any JSON value
    r"""Return a JSON value as text that can stand inside a script element.

    >>> str(json_text("</script>"))
    '"\\u003c/script\\u003e"'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return Markup(re.sub("[<>&\u2028\u2029]", lambda found: ESCAPES[found[0]], text))  # noqa: S704 - nothing of HTML is left


def shortened_text(text: str) -> str:
    """Return text without endless words, and without end where it is longer than `MOST`; both are said."""
    words = WORD.sub(lambda found: _shortened_word(found[0]), text)
    return words if len(words) <= MOST else f"{words[:MOST]}\u2026 ({len(text):,} characters)"


def _shortened_word(word: str) -> str:
    """An endless word cut, with the few marks before and behind it, so that it has the digest that it has elsewhere."""
    begin, end = len(word) - len(word.lstrip(MARKS)), len(word.rstrip(MARKS))
    name = word[begin:end]
    if len(name) < len(word) - LONGEST:  # it is made of marks
        return shortened(word)
    return word if len(name) <= LONGEST + 1 else f"{word[:begin]}{shortened(name)}{word[end:]}"


@functools.cache
def _environment() -> Environment:
    """How all templates are read and filled."""
    made = Environment(
        loader=PackageLoader("sessionkit", ""),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: value if isinstance(value, Markup) else escaped(str(value)),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters.update(worded=worded, cell=cell, json=json_text)
    return made
