"""Lists in XML whose entries are all alike, taken from its text by columns, without an element being built for each.

Most of a log is such lists. One is taken only where its text is, to the last character, entries with one attribute, each with
the same elements in one order, which hold text and nothing else (:func:`pattern`). Such a text is well-formed by itself and says
the same wherever it stands. All else, lists of other shapes included, is left to the parser, with an empty element of as many
lines in the place of each list that was taken.

Two things could make something else of such a text: what stands in comments, CDATA or instructions is no element, and a list
may be part of another. Where either might be so nothing is taken; nor from where namespaces begin, which rename elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise

import polars as pl

from sessionkit.readers.io.xml_texts import TextSpan, XmlTexts
from sessionkit.study.prefetch import in_turn

TAKEN = "sessionkit-list"
"""The attribute of an element in the place of a list that was taken: its number."""
UNUSUAL = ("<!", "<?", "xmlns", TAKEN)
"""Marks of what may change the meaning of what comes after them."""
ASIDE = re.compile(rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>", re.DOTALL)
LONGEST = 1 << 24
"""Bytes that a list may have."""
NAME = r"[A-Za-z_][A-Za-z0-9_-]*"
ATTRIBUTE, ELEMENT = re.compile(rf' ({NAME})="'), re.compile(rf"<({NAME})")
MOST = 40
"""Elements that an entry may have."""
BLANK = r"(?:[ \t\n]|\r\n)*"
REFUSED = r"\x00-\x08\x0b-\x1f\x{FFFE}\x{FFFF}"
"""Characters that XML does not allow, and carriage returns, which it does not keep."""
REFERENCES = {"lt": "<", "gt": ">", "quot": '"', "apos": "'", "amp": "&"}
TEXT = rf"(?:[^<>&{REFUSED}]|&(?:{'|'.join(REFERENCES)});)*"
"""Alternatives do not begin alike, which would make it several times slower."""
VALUE = rf'[^"<&\t\n{REFUSED}]*'
INSIDE, REST, ENTRIES, LINES, NUMBER = "inside", "rest", "entries", "lines", "number"
"""Columns of a text cut where lists are: what stands in one, what comes after it; the list's entries, lines, and number if taken."""
Listed = dict[str, TextSpan]
"""Lists that were taken, by their numbers: that of their piece of the text, then their own in it."""


def pattern(entry: str, attribute: str, elements: Iterable[str]) -> str:
    """Return what an entry is to be, from its attribute on, with a group for each value."""
    inside = "".join(f"<{name}(?:>({TEXT})</{name}>|{BLANK}/>){BLANK}" for name in elements)
    return f'^{attribute}="({VALUE})">{BLANK}{inside}</{entry}>{BLANK}$'


@dataclass(frozen=True)
class ListedText:
    """A piece of text, the same without the lists that can be taken, these, and whether all the rest is plain."""

    text: bytes
    rest: bytes
    taken: Listed
    is_plain: bool


class Listing:
    """Takes lists from the text of a file, from the beginning of its root on.

    Parameters
    ----------
    parent, entry
        The names of lists and of their entries.
    apart
        Names that no element of an entry may have, nor its attribute.

    Examples
    --------
    >>> listing = Listing("l", "r", apart=["s"])
    >>> text, taken = listing.take(b'<s><l><r k="1"><a>x</a></r><r k="2"><a>R&amp;D</a></r></l></s>')
    >>> text, taken["0-1"].block
    (b'<s><l sessionkit-list="0-1"></l></s>', {'k': ['1', '2'], 'a': ['x', 'R&D']})
    """

    def __init__(self, parent: str, entry: str, *, apart: Iterable[str]) -> None:
        self._entry, self._apart = entry, {"xmlns", *apart}
        self._begin, self._end = f"<{parent}>", f"</{parent}>"
        self._is_plain, self._rest = _is_plain(parent), _rest(parent)
        self._over = False

    def through(self, pieces: Iterable[bytes]) -> Iterator[tuple[bytes, Listed]]:
        """Return a text without the lists that were taken, piece by piece, with these; pieces end with tags, but for the last."""
        with closing(in_turn(self._looked_at, enumerate(self._cut(pieces)))) as looks:
            for look in looks:
                yield self._without(look)

    def take(self, text: bytes) -> tuple[bytes, Listed]:
        """Return a text, in which lists are whole, without those that were taken, and these."""
        return self._without(self._looked_at((0, (text, True))))

    def _cut(self, pieces: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
        """Return a text piece by piece, cut so that lists are whole, and whether to take any from a piece."""
        begin, end, left = self._begin.encode(), self._end.encode(), b""
        rest_of = filter(None, pieces)
        for piece in rest_of:
            text = left + piece
            if self._over or len(text) > LONGEST or not text.endswith(b">"):
                yield from ((rest, False) for rest in chain((text,), rest_of))
                return
            begun = text.rfind(begin)
            cut = begun if begun > text.rfind(end) else len(text)
            left = text[cut:]
            yield text[:cut], True
        yield left, False

    def _looked_at(self, numbered: tuple[int, tuple[bytes, bool]]) -> ListedText | bytes:
        """Return what there is in a piece, if lists are to be taken from it; pieces do not depend on one another.

        Polars does most of it, some steps at a time, as other threads can go on while it does.
        """
        number, (text, to_take) = numbered
        parts = self._parts(text) if to_take else None
        if parts is None:
            return ListedText(text, text, {}, is_plain=False) if to_take else text
        spans = self._spans(parts)
        names = [None if span is None else f"{number}-{row}" for row, span in enumerate(spans)]
        taken = {name: span for name, span in zip(names, spans, strict=True) if name is not None and span is not None}
        named = parts.lazy().with_columns(pl.Series(NUMBER, names, pl.String))
        rest, is_plain = named.select(self._rest, self._is_plain).collect(engine="in-memory").row(0)
        return ListedText(text, rest[len(self._begin) + len(self._end) :] if taken else text, taken, is_plain)

    def _without(self, look: ListedText | bytes) -> tuple[bytes, Listed]:
        """Return a text without the lists that were taken, and these; none once something was unusual."""
        if isinstance(look, bytes) or self._over:
            return look if isinstance(look, bytes) else look.text, {}
        if not look.is_plain:
            parts = self._parts(ASIDE.sub(b"", look.text))
            self._over = parts is None or not parts.select(self._is_plain).item()
            return look.text, {}
        return look.rest, look.taken

    def _parts(self, text: bytes) -> pl.DataFrame | None:
        """Return a text cut where lists are, as if an empty list came first.

        None where a list begins and does not end, or bytes are no text.
        """
        given = pl.LazyFrame({REST: [self._end.encode() + text]}, schema={REST: pl.Binary})
        begun = pl.col(REST).cast(pl.String).str.split(self._begin).explode()
        parts = given.select(begun.str.splitn(self._end, 2).struct.rename_fields([INSIDE, REST])).unnest(REST)
        try:
            cut = parts.with_columns(
                pl.lit(None, pl.String).alias(NUMBER),
                pl.col(INSIDE).str.split(f"<{self._entry} ").alias(ENTRIES),
                pl.col(INSIDE).str.count_matches("\n", literal=True).alias(LINES),
            ).collect(engine="in-memory")
        except pl.exceptions.ComputeError:
            return None
        return None if cut[REST].null_count() else cut

    def _spans(self, parts: pl.DataFrame) -> list[TextSpan | None]:
        """Return the lists, None for those that are not to be taken."""
        named = self._named(parts[INSIDE])
        if named is None:
            return [None] * len(parts)
        attribute, *elements = named
        entries = pl.col(ENTRIES).list
        groups = pl.col(ENTRIES).str.extract_groups(pattern(self._entry, attribute, elements))
        found = (
            parts.lazy()
            .select(entries.slice(1).explode(empty_as_null=False))
            .select(groups.struct.rename_fields(named))
        )
        texts = _decoded(found.unnest(ENTRIES).collect(engine="in-memory"))
        sizes = parts.select(entries.len() - 1, blank=entries.first().str.strip_chars(" \t\r\n") == "")
        other = [0, *texts[attribute].is_null().cum_sum().to_list()]  # entries so far that are not like these
        bounds = pairwise(accumulate(sizes[ENTRIES].to_list(), initial=0))
        whole = XmlTexts(texts)
        return [
            TextSpan(whole, start, end) if is_blank and start < end and other[start] == other[end] else None
            for is_blank, (start, end) in zip(sizes["blank"], bounds, strict=True)
        ]

    def _named(self, inside: pl.Series) -> list[str] | None:
        """Return the names of the attribute and the elements of the first entry; None where nothing can be like it."""
        entry = next(
            (one.partition(f"</{self._entry}>")[0] for one in map(inside.item, range(len(inside))) if one.strip()), ""
        )
        attribute, elements = ATTRIBUTE.search(entry), ELEMENT.findall(entry)[1:]
        if attribute is None:
            return None
        names = [attribute[1], *elements]
        if len(names) > MOST or len(set(names)) < len(names) or not self._apart.isdisjoint(names):
            return None
        return names


def _is_plain(parent: str) -> pl.Expr:
    """Return whether in all that was not taken of a text nothing is aside or renamed, and no list begins."""
    texts = [column.str for column in (pl.col(REST), pl.col(INSIDE).filter(pl.col(NUMBER).is_null()))]
    unusual = [text.contains(mark, literal=True).any() for text in texts for mark in UNUSUAL]
    many = {
        mark: pl.sum_horizontal(text.count_matches(mark, literal=True).cast(pl.Int64).sum() for text in texts)
        for mark in (f"<{parent}", f"<{parent}/>", f"<{parent} />")
    }
    begun, *empty = many.values()
    return (~pl.any_horizontal(unusual) & (begun == pl.sum_horizontal(empty))).alias("plain")


def _rest(parent: str) -> pl.Expr:
    """Return a text with empty elements, of as many lines, in the place of the lists that were taken."""
    lines = pl.lit("").str.pad_start(pl.col(LINES), "\n")
    empty = pl.format(f'<{parent} {TAKEN}="{{}}">{{}}</{parent}>', NUMBER, lines)
    whole = pl.format(f"<{parent}>{{}}</{parent}>", INSIDE)
    return pl.concat_str(pl.coalesce(empty, whole), REST).str.join("").cast(pl.Binary).alias("text")


def _decoded(texts: pl.DataFrame) -> pl.DataFrame:
    """Return texts with characters in place of references to them."""
    some = texts.select(pl.all().str.contains("&", literal=True).any()).row(0, named=True)
    written = [f"&{name};" for name in REFERENCES]
    return texts.with_columns(
        pl.col(name).str.replace_many(written, list(REFERENCES.values())) for name, encoded in some.items() if encoded
    )
