"""Names from logs made fit to draw and to list: safe characters, natural order, and phrases for names that are missing."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from itertools import islice
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


DIGITS = re.compile("[0-9]+")
NUMBER = r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?"
RANGE = re.compile(f"{NUMBER}( to {NUMBER})?", re.ASCII | re.IGNORECASE)
"""A name that is a number, or a range of numbers."""


def natural_key(name: str) -> str:
    """Return what names are sorted by: runs of digits by their size and before all else, the rest as text.

    >>> sorted(["t10", "t2", "t", "10", "9"], key=natural_key)
    ['9', '10', 't', 't2', 't10']
    """
    return DIGITS.sub(_sized, name)


def _sized(run: re.Match[str]) -> str:
    """Digits behind their number: a number of thousands of digits is text by its length."""
    size = run[0].lstrip("0")
    return f"\0{chr(len(size))}{size}"


def in_natural_order(names: Iterable[str]) -> list[str]:
    """Return names in order, each once: by their size where all are numbers or ranges of them, else in natural order.

    >>> in_natural_order(["10", "-2", "9", "1.5", "1.25"]), in_natural_order(["S10", "S9", "S10"])
    (['-2', '1.25', '1.5', '9', '10'], ['S9', 'S10'])
    >>> in_natural_order(["9 to 10", "-2 to 7.5", "-9 to -3", "8"])
    ['-9 to -3', '-2 to 7.5', '8', '9 to 10']
    """
    known = sorted(set(names), key=lambda name: (natural_key(name), name))
    if not all(map(RANGE.fullmatch, known)):
        return known
    return sorted(known, key=lambda name: float(name.partition(" to ")[0]))


def natural_places(names: pl.Series) -> pl.Series:
    """Return what sorts names in natural order: their places, null of null; of a column that is no text its own values.

    >>> natural_places(pl.Series(["S10", None, "S9"])).to_list(), natural_places(pl.Series([10, 9])).to_list()
    ([1, None, 0], [10, 9])
    """
    if names.dtype != pl.String:
        return names
    known = in_natural_order(names.drop_nulls().unique())
    return names.replace_strict({name: place for place, name in enumerate(known)}, return_dtype=pl.Int64)


def natural_sort(frame: pl.DataFrame, column: str) -> pl.DataFrame:
    """Return a frame in the natural order of a column of names, null last; equal names keep their order."""
    places = natural_places(frame.get_column(column).cast(pl.String))
    return frame.with_columns(_place=places).sort("_place", nulls_last=True, maintain_order=True).drop("_place")


MOST_NAMED = 5
"""Systems, and ids of each, that the phrase names."""


def first_systems(systems: Iterable[str | None]) -> list[str | None]:
    """Return the systems that the phrase names: the one whose name is unknown, then the first of the others.

    >>> first_systems(["S10", "S9", None])
    [None, 'S9', 'S10']
    """
    known = {*systems}
    unnamed: list[str | None] = [None] if None in known else []
    return [*unnamed, *in_natural_order(filter(None, known))][:MOST_NAMED]


def name_missing(missing: pl.DataFrame, expected: pl.DataFrame, column: str, noun: str, *, n_more: int = 0) -> str:
    """Return which systems lack which of the ids that they should have, with counts.

    Parameters
    ----------
    missing, expected
        ``system_id`` (null where unknown) and `column`: a row for each id that a system lacks, or should have.
    column
        The column of ids.
    noun
        What the ids are, in the plural.
    n_more
        How many systems lack ids too and are not in the frames.

    Examples
    --------
    >>> expected = pl.DataFrame({"system_id": ["A", "A", "B", "B"], "topic_id": ["q1", "q2"] * 2})
    >>> name_missing(expected.tail(1), expected, "topic_id", "judged topics")
    'B lacks 1 of 2 judged topics (q2)'
    """
    totals = dict(expected.group_by("system_id").agg(pl.col(column).n_unique()).rows())
    systems = first_systems(missing["system_id"].unique())
    more = missing["system_id"].n_unique() - len(systems) + n_more
    named = missing.filter(pl.col("system_id").is_in(systems, nulls_equal=True))
    ids = {system: {*rows[column]} for (system,), rows in named.group_by("system_id")}
    order = in_natural_order({*named[column]})
    clauses = [
        f"{'the run' if system is None else system} lacks {len(ids[system]):,} of {totals[system]:,} {noun} "
        f"({_first_of(ids[system], order)})"
        for system in systems
    ]
    return "; ".join([*clauses, *([f"so do {more:,} more systems"] if more > 0 else [])])


def _first_of(ids: set[str], order: list[str]) -> str:
    """Return the first of some ids in an order, and how many more there are."""
    first = islice((name for name in order if name in ids), MOST_NAMED)
    more = len(ids) - MOST_NAMED
    return ", ".join(first) + (f" and {more:,} more" if more > 0 else "")
