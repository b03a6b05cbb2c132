"""Format of judgments ``quepid``: ratings exported by Quepid, keyed by texts of queries.

- CSV, basic and snapshot: ``query,docid,rating`` (or ``doc_id``); a query without ratings has a row without document and
  rating; a document without rating is not judged;
- CSV in detail: ``Query Text``, ``Doc ID``, ``Doc Position``, ``Rating`` and others, of a case; that of a snapshot has no
  ratings, that of scores neither lists nor ratings;
- CSV of a book: ``query,docid`` and a column for each judge (``judge_id``), such as ``Anonymous``;
- JSON of a case (``queries`` with ``ratings``) and of a book (``query_doc_pairs`` with ``judgements``);
- text for learning to rank: ``rating qid:ID # doc_id query text`` (``ltr.py``).

The export for trec_eval is qrels keyed by numbers of queries, read as such. Cells have a blank before ``-``, ``=``, ``+`` and
``@``, put there against spreadsheets; all cells are stripped, as Quepid's importer does.
"""

from __future__ import annotations

from sessionkit.errors import DataError
from sessionkit.readers.config import Config
from sessionkit.readers.entries import Glimpse
from sessionkit.readers.io.log_files import LogFile
from sessionkit.readers.judgments.ltr import holds_ltr, read_ltr
from sessionkit.readers.judgments.quepid_csv import BASIC, DETAILED, LISTS, SCORES, book, form_of, graded, header_of
from sessionkit.readers.judgments.quepid_json import holds_json, ratings_of
from sessionkit.readers.judgments.ratings import idle, rated
from sessionkit.readers.raw import Raw

TRIED = (
    "Chorus_Electronics_basic.csv of chorus-opensearch-edition (basic CSV), Movie_Search_Quepid_1.json of "
    "search-relevance (JSON of a case), sample_judgments.txt of the Elasticsearch plugin (learning to rank), parts of "
    "hello-ltr, of Chorus (unrated documents) and of a book of 15 judges in Quepid's notebooks; all others never on "
    "real files, built from the source of Quepid's exporters and importers"
)


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins like one of the exports that have ratings."""
    return form_of(glimpse.head) not in (None, LISTS) or holds_json(glimpse.head) or holds_ltr(glimpse.head)


def read(file: LogFile, config: Config) -> list[Raw]:  # noqa: ARG001 - all formats are called alike
    """Return the ratings of an export.

    Raises
    ------
    DataError
        It is none, or is damaged.
    """
    head = file.head.decode("utf-8", errors="replace")
    if head.lstrip().startswith(("{", "[")):
        ratings, counts = ratings_of(file)
        return [*rated(file, ratings), *idle(file, counts)]
    if holds_ltr(head):
        return read_ltr(file)
    form = form_of(head)
    if form in (LISTS, SCORES):
        raise DataError(
            f"{file.name} has {'lists, which are a log,' if form == LISTS else 'scores'} and no ratings: export those of the "
            "case from Quepid, or its book"
        )
    if form is None:
        raise DataError(
            f"{file.name} is not an export of Quepid: its columns are {', '.join(header_of(head))}; query, docid and "
            "rating are needed"
        )
    return graded(file) if form in (BASIC, DETAILED) else book(file)
