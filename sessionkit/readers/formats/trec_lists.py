"""Lists of results while the clicks and further pages of their query come in."""

from __future__ import annotations

from dataclasses import dataclass

from sessionkit.contract import RECORD
from sessionkit.readers.io.elements import Block
from sessionkit.readers.io.xml_texts import TextSpan

DOCUMENTS = ("clueweb12id", "clueweb09id", "docid", "docno")
"""Elements that name the document of a result."""


@dataclass
class TrecList:
    """Results of a list: `own` has what is known of each, and what their elements say unless that is in `texts`."""

    own: Block
    texts: TextSpan | None = None

    def __len__(self) -> int:
        """How many there are."""
        return len(self.own[RECORD])

    def column(self, name: str) -> list[str | None] | None:
        """Return what their elements of a name say; None where there are none."""
        return self.own.get(name) if self.texts is None else self.texts.column(name)


def _documents(listed: TrecList) -> list[str | None]:
    """Return the documents of a list."""
    columns = [column for name in (*DOCUMENTS, "url") if (column := listed.column(name)) is not None]
    return [next((one.strip() for one in named if one), None) for named in zip(*columns, strict=True)]


def _ranks(listed: TrecList) -> list[str]:
    """Return the ranks of a list, as they are written."""
    return [(rank or "").strip() for rank in listed.column("rank") or [None] * len(listed)]


def not_in(shown: list[TrecList], listed: TrecList) -> TrecList:
    """Return the results of a page without those that the query has shown already, at the same rank."""
    before = {pair for earlier in shown for pair in zip(_ranks(earlier), _documents(earlier), strict=False)}
    places = [
        place for place, pair in enumerate(zip(_ranks(listed), _documents(listed), strict=False)) if pair not in before
    ]
    block = listed.own if listed.texts is None else listed.own | listed.texts.block
    return TrecList({name: [values[place] for place in places] for name, values in block.items()})


def _place(listed: TrecList, rank: str) -> int | None:
    """Return the first result of a list that is at a rank; None where none is."""
    if listed.texts is not None:
        return listed.texts.place("rank", rank)
    ranks = _ranks(listed)
    return ranks.index(rank) if rank in ranks else None


def clicked(shown: list[TrecList], rank: str | None, document: str | None) -> tuple[TrecList, int] | None:
    """Return the result clicked: that at the rank; where that is none, or another document, that of the document."""
    places = ((one, place) for one in shown if rank is not None and (place := _place(one, rank)) is not None)
    at_rank = next(places, None)
    if document is None or (at_rank and _documents(at_rank[0])[at_rank[1]] == document):
        return at_rank
    named = ((one, _documents(one)) for one in shown)
    return next(((one, documents.index(document)) for one, documents in named if document in documents), at_rank)
