"""Format ``trec_session``: logs of the TREC Session Track, 2011 to 2014, as XML (also named .txt, also packed).

- The root carries the year; ``session_id`` is year and number (``2013-7``), as numbers come again every year.
- Documents are ``clueweb09id`` or ``clueweb12id``; where there is none, the address.
- Times of 2011 and 2012 are times of day without a date, with midnight in between; those of 2013 and 2014 are seconds.
  Both become seconds since the session began (``elapsed_seconds``, ``click_elapsed_seconds``), never a date. ``NA`` and
  ``-1`` are times that are not known.
- ``currentquery`` is the last query of its session, with ``results_status`` ``not_logged``; an interaction without
  ``results`` too (levels RL1 to RL3 of 2011 and 2012); one with an empty ``results`` is ``empty``.
- What a topic of 2012 has beside its texts (``product``, ``goal``, ``tasktype``, the number of its subject) stays in
  ``topic_product``, ``topic_goal``, ``topic_task_type``, ``topic_subject_num``, as the map of topics names them.
- Several clicks on one result are one row: the first time, the sum of the dwell times, their number. A log without any
  ``clicked`` (RL3) says nothing of clicks, so neither do its results.
- An interaction of ``type="page"`` (2014) goes on with the list of the query before, at ranks 11 and on; with
  ``merge_queries = []``, or where no query is before it, it is a query of its own, whose list is ``partly_observed``.
- Texts were encoded twice; those that are displayed are decoded once more, document ids and addresses are not.
- Raw ampersands (2012) are escaped and counted. Document types and entities are refused.
- ``--topics-file`` (or ``topics`` in study.toml) names the track's map of sessions to topics; 2011 needs it, as its log has no
  numbers of topics. Without it a topic goes by its title, which no judgments are for.

Judgments are qrels, ``topic subtopic document grade``. ``grades = "official2012"`` in study.toml applies the grades' order
of 2012 (``judgments/trec_qrels.py``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from contextlib import closing

import polars as pl

from sessionkit.contract import CELL, CELLS, RECORD
from sessionkit.display.words import counted
from sessionkit.errors import DataError
from sessionkit.readers.entries import TOPICS, Glimpse, Option
from sessionkit.readers.formats.trec_interactions import ASKED, DOCUMENTS, Interactions
from sessionkit.readers.formats.trec_topics import read_topics
from sessionkit.readers.io.log_files import LogFile
from sessionkit.readers.io.markup import Markup, uncollected
from sessionkit.readers.judgments.trec_qrels import GRADES
from sessionkit.readers.raw import Raw
from sessionkit.readers.records import Log, Taken, raw_of, set_aside

TRIED = (
    "one session of 2011 and some of 2012 and 2013, from copies of the logs; never on a whole log; 2014 was built from "
    "descriptions of the file"
)
ROOT = re.compile(r"sessiontrack(201[1-4])")
BEGINS = re.compile(r"<sessiontrack201[1-4][\s>]")
OPTIONS: dict[str, Option] = {
    "topics": TOPICS,
    "grades": GRADES,
    "merge_queries": Option(
        "Whether interactions of type page go on with the list of the query before (paging) or are queries of their own "
        "(an empty list).",
        default=["paging"],
        allowed=("paging",),
        many=True,
    ),
}
KINDS = {"sessions": "sessions", "queries": "interactions", "results": "results"}
REQUIRED = {
    "sessions": ("session_id",),
    "queries": ("session_id", "query_position", "query_id", "results_status"),
    "results": ("session_id", "query_position", "rank"),
}
TAGS = {"sessions": ("session",), "queries": ASKED, "results": ("result",)}
"""Elements that rows of a table are made of."""
MERGED = {"pages": "further pages of a list", "shown again": "results shown again by a page"}
SAID = {
    "raw ampersands": "{} of text, which XML does not allow, escaped",
    "negative dwell": "{} that ended before it began, without dwell time",
}
NOUNS = {"raw ampersands": "raw ampersand", "negative dwell": "click"}


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins as XML of the track does."""
    return glimpse.head.lstrip().startswith("<") and BEGINS.search(glimpse.head) is not None


def take(log: Log) -> Taken:
    """Take the files apart."""
    given = log.option("topics")
    topics, notes = read_topics(log.config.folder / given if given else None, log.workspace)
    warnings: list[str] = []
    raws: dict[str, list[Raw]] = {name: [] for name in KINDS}
    merged: dict[tuple[str, str], int] = {}
    idle: dict[tuple[str, str], int] = {}
    cells: list[pl.DataFrame] = []
    years = set()
    for file in log.files:
        markup = Markup(file)
        found = Interactions(
            log.workspace if log.is_large else None,
            topics=topics,
            pages="paging" in log.option("merge_queries"),
        )
        with uncollected(), closing(found):
            for session in markup.elements("session"):
                found.take(session, f"{_year(markup)}-")
            made = raws_of(markup, found)
            for name, raw in made.items():
                raws[name].append(raw)
        cells += cells_of(file, found, made)
        found.tally["raw ampersands"] = markup.ampersands
        years.add(_year(markup))
        merged |= {(file.name, words): found.tally[name] for name, words in MERGED.items()}
        merged[file.name, "clicks"] = found.tally["clicks"] - found.tally["clicks outside"]
        idle[file.name, "clicks on no result"] = found.tally["clicks outside"]
        notes += noted(file, found.tally)
        warnings += _warned(file, found.tally, mapped=bool(topics))
    if len(years) > 1:
        warnings.append(f"logs of {' and '.join(sorted(years))}: a number of a topic is another topic in another year")
    return Taken(raws, merged, idle, notes, warnings, cells=cells)


def raws_of(markup: Markup, found: Interactions) -> dict[str, Raw]:
    """Return the three tables of a log."""
    frames = {name: getattr(found, name).frame(columns) for name, columns in REQUIRED.items()}
    results = frames["results"]
    named = [name for name in (*DOCUMENTS, "url") if name in results.collect_schema()]
    results = results.with_columns(doc_id=pl.coalesce(*named) if named else pl.lit(None, dtype=pl.String)).drop(
        *(name for name in named if name != "url")
    )
    if "clicked" in results.collect_schema():
        results = results.with_columns(pl.col("clicked").fill_null(value=False), pl.col("clicks").fill_null(0))
    frames["results"] = results
    return {
        name: raw_of(markup.file, name, frame, kind=KINDS[name], locate=markup.locate(frame, *TAGS[name]))
        for name, frame in frames.items()
        if name != "results" or found.tally["results"]
    }


def cells_of(file: LogFile, found: Interactions, raws: Mapping[str, Raw]) -> list[pl.DataFrame]:
    """Return the times of a log that cannot be read."""
    told = {name: [cell for table, cell in found.cells if table == name] for name in ("sessions", "queries")}
    frames = {
        name: pl.DataFrame({CELLS: [[cell] for cell in cells]}, schema={CELLS: pl.List(CELL)})
        for name, cells in told.items()
    }
    return [
        set_aside(file, name, frame.lazy().with_columns(pl.lit(None, dtype=pl.Int64).alias(RECORD)), raws[name].locate)
        for name, frame in frames.items()
        if len(frame)
    ]


def noted(file: LogFile, tally: Counter[str]) -> list[str]:
    """Return what was unusual in a log."""
    said = [
        f"{file.name}: {words.format(counted(tally[name], NOUNS[name]))}" for name, words in SAID.items() if tally[name]
    ]
    if not tally["results"]:
        said.append(f"{file.name}: no list found; lists are assumed not logged, except those marked as empty")
    elif not tally["clicks"]:
        said.append(f"{file.name}: no click found; clicks are assumed not logged")
    return said


def _warned(file: LogFile, tally: Counter[str], *, mapped: bool) -> list[str]:
    """Return what is unusual about the topics of a log, where it may change a score."""
    said = []
    if tally["titles"]:
        remedy = "the map does not have them" if mapped else "give the track's map of sessions to topics as topics"
        said.append(
            f"{file.name}: {counted(tally['titles'], 'session')} without a topic number, so the title is used; {remedy}"
        )
    if tally["other topics"]:
        said.append(
            f"{file.name}: {counted(tally['other topics'], 'session')} with another topic in the map, which is used"
        )
    return said


def _year(markup: Markup) -> str:
    """Return the year that the name of the root carries."""
    found = ROOT.fullmatch(markup.root or "")
    if found is None:
        raise DataError(f"{markup.file.name}: its root is {markup.root!r}, not sessiontrack2011 to sessiontrack2014")
    return found[1]
