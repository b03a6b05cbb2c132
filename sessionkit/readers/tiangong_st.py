"""Format ``tiangong_st``: sessions of TianGong-ST, XML of the TREC Session Track's kind, and its human labels.

Nothing of it was ever tried on a real file. From the code of public programs that read it: sessions have a ``num``;
interactions ``query``, ``query_id``, ``results`` and ``clicked``; results a ``rank``, ``url``, ``docid``, ``title``, ``vtype``
and ``relevance``, which holds what six click models say (TACM, PSCM, THCM, UBM, DBN, POM: extras here, no judgments).
Unverified: the name of the root, whether clicks have times, what else there is.

Labels are ``id session query document grade`` between blanks, of the last query of 2,000 sessions, so a judgment is of a
query in its session: ``judgment_key`` is ``session:query_id``, and other queries have no judgments.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from sessionkit.readers.blanks import fields_of, first_fields
from sessionkit.readers.config import Config
from sessionkit.readers.files import LogFile
from sessionkit.readers.formats import Glimpse
from sessionkit.readers.interactions import Interactions
from sessionkit.readers.keeping import in_memory
from sessionkit.readers.markup import Markup, uncollected
from sessionkit.readers.qrels import NUMBER
from sessionkit.readers.raw import Raw
from sessionkit.readers.records import Log, Taken, raw_of
from sessionkit.readers.trec_session import noted, raws_of

TRIED = "never on a real file; built from the code of public programs that read it"
BEGINS = re.compile(r"<session\s[^>]*num=.*<query_id>.*<docid>", re.DOTALL)
LABELS = ("label_id", "session", "query", "doc_id", "grade")


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins as XML with sessions whose queries and documents have ids."""
    return glimpse.head.lstrip().startswith("<") and BEGINS.search(glimpse.head) is not None


def take(log: Log) -> Taken:
    """Take the files apart."""
    raws: dict[str, list[Raw]] = {"sessions": [], "queries": [], "results": []}
    merged, idle, notes = {}, {}, []
    for file in log.files:
        markup, found = Markup(file), Interactions(log.workspace if log.is_large else None, topics={})
        with uncollected():
            for session in markup.elements("session"):
                found.take(session, "")
        found.tally["raw ampersands"] = markup.ampersands
        for name, raw in raws_of(markup, found).items():
            raws[name].append(raw)
        merged[file.name, "clicks"] = found.tally["clicks"] - found.tally["clicks outside"]
        idle[file.name, "clicks on no result"] = found.tally["clicks outside"]
        notes += noted(file, found.tally)
    return Taken(raws, merged, idle, notes)


def fits_labels(glimpse: Glimpse) -> bool:
    """Return whether the first lines are a number, a session, a query, a document and a grade."""
    lines = first_fields(glimpse.head)
    return bool(lines) and all(
        len(fields) == len(LABELS)
        and fields[0].isdecimal()
        and re.fullmatch(r"q\d+", fields[2]) is not None
        and re.fullmatch(r"d\d+", fields[3]) is not None
        and NUMBER.fullmatch(fields[4]) is not None
        for fields in lines
    )


def read_labels(file: LogFile, config: Config) -> Sequence[Raw]:  # noqa: ARG001 - as all are called
    """Return the human labels."""
    frame = fields_of(file, LABELS, least=len(LABELS), most=len(LABELS), keep=in_memory)
    key = pl.format("{}:{}", "session", "query").alias("judgment_key")
    return [raw_of(file, "judgments", frame.with_columns(key).drop("session", "query"))]
