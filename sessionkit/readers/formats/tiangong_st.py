"""Format ``tiangong_st``: sessions of TianGong-ST, XML of the TREC Session Track's kind.

Nothing of it was ever tried on a real file. From the code of public programs that read it: sessions have a ``num``;
interactions ``query``, ``query_id``, ``results`` and ``clicked``; results a ``rank``, ``url``, ``docid``, ``title``, ``vtype``
and ``relevance``, which holds what six click models say (TACM, PSCM, THCM, UBM, DBN, POM: extras here, no judgments).
Unverified: the name of the root, whether clicks have times, what else there is.

Its human labels are judgments (``judgments/tiangong_labels.py``).
"""

from __future__ import annotations

import re
from contextlib import closing

import polars as pl

from sessionkit.readers.entries import Glimpse
from sessionkit.readers.formats.trec_session import Interactions, cells_of, noted, raws_of
from sessionkit.readers.io.markup import Markup, uncollected
from sessionkit.readers.raw import Raw
from sessionkit.readers.records import Log, Taken

TRIED = "never on a real file; built from the code of public programs that read it"
BEGINS = re.compile(r"<session\s[^>]*num=.*<query_id>.*<docid>", re.DOTALL)


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins as XML with sessions whose queries and documents have ids."""
    return glimpse.head.lstrip().startswith("<") and BEGINS.search(glimpse.head) is not None


def take(log: Log) -> Taken:
    """Take the files apart."""
    raws: dict[str, list[Raw]] = {"sessions": [], "queries": [], "results": []}
    merged, idle, notes = {}, {}, []
    cells: list[pl.DataFrame] = []
    for file in log.files:
        markup = Markup(file)
        found = Interactions(log.workspace if log.is_large else None, topics={})
        with uncollected(), closing(found):
            for session in markup.elements("session"):
                found.take(session, "")
            made = raws_of(markup, found)
            for name, raw in made.items():
                raws[name].append(raw)
        cells += cells_of(file, found, made)
        found.tally["raw ampersands"] = markup.ampersands
        merged[file.name, "clicks"] = found.tally["clicks"] - found.tally["clicks outside"]
        idle[file.name, "clicks on no result"] = found.tally["clicks outside"]
        notes += noted(file, found.tally)
    return Taken(raws, merged, idle, notes, cells=cells)
