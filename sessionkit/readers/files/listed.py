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

from sessionkit.readers.files.elements import Block
from sessionkit.study.ahead import in_turn

TAKEN = "sessionkit-list"
"""The attribute of an element in the place of a list that was taken: its number."""
UNUSUAL = (b"<!", b"<?", b"xmlns", TAKEN.encode())
"""Marks of what may change the meaning of what comes after them."""
ASIDE = re.compile(rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>", re.DOTALL)
LONGEST = 1 << 24
"""Bytes that a list may have."""
NAME = rb"[A-Za-z_][A-Za-z0-9_-]*"
ATTRIBUTE, ELEMENT = re.compile(rb" (" + NAME + rb')="'), re.compile(rb"<(" + NAME + rb")")
MOST = 40
"""Elements that an entry may have."""
BLANK = r"(?:[ \t\n]|\r\n)*"
REFUSED = r"\x00-\x08\x0b-\x1f\x{FFFE}\x{FFFF}"
"""Characters that XML does not allow, and carriage returns, which it does not keep."""
REFERENCES = {"lt": "<", "gt": ">", "quot": '"', "apos": "'", "amp": "&"}
TEXT = rf"(?:[^<>&{REFUSED}]|&(?:{'|'.join(REFERENCES)});)*"
"""Alternatives do not begin alike, which would make it several times slower."""
VALUE = rf'[^"<&\t\n{REFUSED}]*'
Listed = dict[str, Block]
"""Lists that were taken, by their numbers."""


def pattern(entry: str, attribute: str, elements: Iterable[str]) -> str:
    """Return what an entry is to be, from its attribute on, with a group for each value."""
    inside = "".join(f"<{name}(?:>({TEXT})</{name}>|{BLANK}/>){BLANK}" for name in elements)
    return f'^{attribute}="({VALUE})">{BLANK}{inside}</{entry}>{BLANK}$'


@dataclass(frozen=True)
class Look:
    """What a piece of text holds: the text between lists, their texts, their entries where they can be taken, and whether all is plain."""

    text: bytes
    between: list[bytes]
    lists: list[bytes]
    blocks: list[Block | None]
    is_plain: bool


class Listing:
    """Takes lists from the text of a file, from the beginning of its root on.

    Parameters
    ----------
    parent, entry
        The names of lists and of their entries.
    apart
        A name that no element of an entry may have.

    Examples
    --------
    >>> listing = Listing("l", "r", apart="s")
    >>> listing.take(b'<s><l><r k="1"><a>x</a></r><r k="2"><a>R&amp;D</a></r></l></s>')
    (b'<s><l sessionkit-list="1"></l></s>', {'1': {'k': ['1', '2'], 'a': ['x', 'R&D']}})
    """

    def __init__(self, parent: str, entry: str, *, apart: str) -> None:
        self._entry, self._apart = entry, apart
        self._open = f"<{parent}".encode()
        self._begin, self._end = f"<{parent}>".encode(), f"</{parent}>".encode()
        self._empty = (f"<{parent}/>".encode(), f"<{parent} />".encode())
        self._number, self._over = 0, False

    def through(self, pieces: Iterable[bytes]) -> Iterator[tuple[bytes, Listed]]:
        """Return a text without the lists that were taken, piece by piece, with these; pieces end with tags, but for the last."""
        with closing(in_turn(self._looked_at, self._cut(pieces))) as looks:
            for look in looks:
                yield self._without(look)

    def take(self, text: bytes) -> tuple[bytes, Listed]:
        """Return a text, in which lists are whole, without those that were taken, and these."""
        return self._without(self._looked_at((text, True)))

    def _cut(self, pieces: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
        """Return a text piece by piece, cut so that lists are whole, and whether to take any from a piece."""
        left = b""
        rest_of = filter(None, pieces)
        for piece in rest_of:
            text = left + piece
            if self._over or len(text) > LONGEST or not text.endswith(b">"):
                yield from ((rest, False) for rest in chain((text,), rest_of))
                return
            begun = text.rfind(self._begin)
            cut = begun if begun > text.rfind(self._end) else len(text)
            left = text[cut:]
            yield text[:cut], True
        yield left, False

    def _looked_at(self, piece: tuple[bytes, bool]) -> Look | bytes:
        """Return what there is in a piece, if lists are to be taken from it; pieces do not depend on one another."""
        text, to_take = piece
        if not to_take:
            return text
        between, lists = self._parts(text)
        blocks = self._blocks(lists)
        others = [one for one, block in zip(lists, blocks, strict=True) if block is None]
        return Look(text, between, lists, blocks, is_plain=self._is_plain(between, others))

    def _without(self, look: Look | bytes) -> tuple[bytes, Listed]:
        """Return a text without the lists that were taken, and these; none once something was unusual."""
        if isinstance(look, bytes) or self._over:
            return look if isinstance(look, bytes) else look.text, {}
        if not look.is_plain:
            self._over = not self._is_plain(*self._parts(ASIDE.sub(b"", look.text)))
            return look.text, {}
        taken: Listed = {}
        out = look.between[:1]
        for one, block, rest in zip(look.lists, look.blocks, look.between[1:], strict=True):
            if block is None:
                out += self._begin, one, self._end, rest
                continue
            self._number += 1
            taken[str(self._number)] = block
            out += self._open, f' {TAKEN}="{self._number}">'.encode(), b"\n" * one.count(b"\n"), self._end, rest
        return b"".join(out), taken

    def _parts(self, text: bytes) -> tuple[list[bytes], list[bytes]]:
        """Return what stands between lists, and what stands in them; no lists where one begins and does not end."""
        first, *others = text.split(self._begin)
        parts = [other.partition(self._end) for other in others]
        if not all(end for _, end, _ in parts):
            return [text], []
        return [first, *(rest for _, _, rest in parts)], [inside for inside, _, _ in parts]

    def _is_plain(self, between: list[bytes], lists: list[bytes]) -> bool:
        """Return whether in these parts of a text nothing is aside or renamed, and no list begins."""
        text = b"\n".join([*between, *lists])
        begun = text.count(self._open) - sum(text.count(empty) for empty in self._empty)
        return not begun and not any(mark in text for mark in UNUSUAL)

    def _blocks(self, lists: list[bytes]) -> list[Block | None]:
        """Return the lists, None for those that are not to be taken."""
        named = self._named(lists)
        if named is None:
            return [None] * len(lists)
        attribute, *elements = named
        texts = pl.LazyFrame({"entries": lists}, schema={"entries": pl.Binary})
        try:
            split = texts.select(pl.col("entries").cast(pl.String).str.split(f"<{self._entry} ")).collect()
        except pl.exceptions.ComputeError:  # bytes that are no text
            return [None] * len(lists)
        entries = pl.col("entries").list
        sizes = split.select(entries.len() - 1, blank=entries.first().str.strip_chars(" \t\r\n") == "")
        found = split.select(
            entries.slice(1)
            .explode(empty_as_null=False)
            .str.extract_groups(pattern(self._entry, attribute, elements))
            .struct.rename_fields(named)
        ).unnest("entries")
        values = _decoded(found).to_dict(as_series=False)
        bounds = pairwise(accumulate(sizes["entries"], initial=0))
        blocks = ({name: column[start:end] for name, column in values.items()} for start, end in bounds)
        return [
            block if is_blank and block[attribute] and None not in block[attribute] else None
            for is_blank, block in zip(sizes["blank"], blocks, strict=True)
        ]

    def _named(self, lists: list[bytes]) -> list[str] | None:
        """Return the names of the attribute and the elements of the first entry; None where nothing can be like it."""
        entry = next((one.partition(f"</{self._entry}>".encode())[0] for one in lists if one.strip()), b"")
        attribute, elements = ATTRIBUTE.search(entry), ELEMENT.findall(entry)[1:]
        if attribute is None:
            return None
        names = [attribute[1].decode(), *(name.decode() for name in elements)]
        if len(names) > MOST or len(set(names)) < len(names) or "xmlns" in names or self._apart in names:
            return None
        return names


def _decoded(texts: pl.DataFrame) -> pl.DataFrame:
    """Return texts with characters in place of references to them."""
    some = texts.select(pl.all().str.contains("&", literal=True).any()).row(0, named=True)
    written = [f"&{name};" for name in REFERENCES]
    return texts.with_columns(
        pl.col(name).str.replace_many(written, list(REFERENCES.values())) for name, encoded in some.items() if encoded
    )
